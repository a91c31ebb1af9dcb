//! The commands, one file each.

mod activity;
mod audit;
mod backup;
pub(crate) mod brief;
mod chat;
pub(crate) mod coach;
mod coach_test;
mod completions;
mod config;
mod day;
mod demo;
mod doctor;
mod export;
mod gear;
mod health;
mod import;
mod jobs;
mod llm_output;
mod login;
mod mcp;
mod migrate;
mod note;
mod overview;
mod paces;
pub(crate) mod plan;
mod predict;
mod profile;
mod prompts;
mod race;
mod recompute;
mod serve;
pub(crate) mod source;
pub(crate) mod sync;
mod thresholds;
mod today;
mod token;
mod user;
mod zones;

use crate::cli::{Args, CoachCommand, Command};
use crate::clock;
use crate::config::AppConfig;
use crate::context::Context;
use crate::output::CommandOutput;
use anyhow::Result;
use fitness_core::domain::ids::UserId;
use fitness_store::Store;

pub(crate) async fn run(args: Args) -> Result<CommandOutput> {
    let settings = AppConfig::load(args.config)?;
    let context = Context { user: args.user, settings };
    match args.command {
        Command::Import { paths, again } => import::run(&context, paths, again, args.json).await,
        Command::Source(command) => source::run(&context, command).await,
        Command::Sync { source, since } => sync::run(&context, source, since, args.json).await,
        Command::Watch { folder, remember, forget } => {
            sync::watch(&context, folder, remember, forget, args.json).await
        }
        Command::Activity(command) => activity::run(&context, command).await,
        Command::Gear(command) => gear::run(&context, command).await,
        Command::Race(command) => race::run(&context, command).await,
        Command::Today { on } => today::run(&context, on).await,
        Command::Overview => overview::run(&context).await,
        Command::Predict(wanted) => predict::run(&context, wanted).await,
        Command::Paces(wanted) => paces::run(&context, wanted).await,
        Command::Checkin { feeling, day } => profile::check_in(&context, feeling, day).await,
        Command::Thresholds(command) => thresholds::run(&context, command).await,
        Command::Zones { command } => zones::run(&context, command).await,
        Command::Profile(command) => profile::run(&context, command).await,
        Command::Recompute => recompute::run(&context, args.json).await,
        Command::Demo { export, years, ends, seed, only_make, keep, serving } => {
            demo::run(
                demo::DemoOptions { export, years, ends, seed, only_make, keep, serve_args: serving },
                args.json,
            )
            .await
        }
        Command::User(command) => user::run(&context, command).await,
        Command::Plan(command) => plan::run(&context, command).await,
        Command::Contract(command) => llm_output::run(&context, command).await,
        Command::Day(command) => day::run(&context, command).await,
        Command::Note(command) => note::run(&context, command).await,
        Command::Brief(args) => brief::run(&context, args).await,
        Command::Chat(chat_args) => chat::run(&context, chat_args, args.json).await,
        Command::Coach { command } => coach::run(&context, command.unwrap_or(CoachCommand::Show)).await,
        Command::Prompts(command) => prompts::run(command),
        Command::Token(command) => token::run(&context, command).await,
        Command::Mcp => mcp::run(&context).await,
        Command::Serve(args) => serve::run(&context, args).await,
        Command::Login(login) => login::run(&context, login, args.json).await,
        Command::Audit { last, verify } => audit::run(&context, last, verify).await,
        Command::Jobs { last, command } => jobs::run(&context, last, command).await,
        Command::Health { port } => health::run(port.unwrap_or_else(|| context.settings.port())).await,
        Command::Config { keys } => config::run(&context.settings, keys),
        Command::Doctor { deep } => doctor::run(&context, deep).await,
        Command::Backup(args) => backup::run(&context, args).await,
        Command::Export { to } => export::export(&context, to).await,
        Command::Restore { file, from_export: false } => backup::restore(&context, &file).await,
        Command::Restore { file, from_export: true } | Command::ImportAll { file } => {
            export::restore_export(&context, &file).await
        }
        Command::CopyTo { to } => backup::copy_to(&context, &to).await,
        Command::Migrate => migrate::run(&context).await,
        Command::Completions { shell } => Ok(completions::completions(shell)),
        Command::Man { to } => completions::man(to.as_deref()),
    }
}

/// Brings metrics, proposals and the built-in brief up to date: there may be no server that does.
pub(crate) async fn refresh(store: &Store, user: UserId) -> Result<()> {
    Ok(fitness_web::refresh(store, user, clock::now()).await?)
}
