//! The commands, one file a noun.

mod activity;
mod demo;
mod doctor;
mod import;
mod migrate;
mod note;
mod plan;
mod race;
mod source;
mod sync;
mod user;

use crate::args::{Args, Command};
use crate::context::Context;
use crate::report::Report;
use anyhow::Result;

/// Does what was asked.
pub(crate) async fn run(args: Args) -> Result<Report> {
    let context = Context { user: args.user };
    match args.command {
        Command::Import { paths, again } => import::run(&context, paths, again, args.json).await,
        Command::Source(command) => source::run(&context, command).await,
        Command::Sync { source, since } => sync::run(&context, source, since, args.json).await,
        Command::Watch { folder, remember, forget } => {
            sync::watch(&context, folder, remember, forget, args.json).await
        }
        Command::Activity(command) => activity::run(&context, command).await,
        Command::Race(command) => race::run(&context, command).await,
        Command::Demo { export, years, ends, seed } => {
            demo::run(demo::Wanted { export, years, ends, seed }, args.json).await
        }
        Command::User(command) => user::run(&context, command).await,
        Command::Plan(command) => plan::run(&context, command).await,
        Command::Note(command) => note::run(&context, command).await,
        Command::Doctor => doctor::run(&context).await,
        Command::Migrate => migrate::run(&context).await,
    }
}
