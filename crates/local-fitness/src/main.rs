//! The `fitness` program.
//!
//! Connects the other crates and contains what exists once: the clock ([`clock`]), arguments
//! ([`cli`]), error output ([`error`], [`cli_error`]), the HTTP client ([`http_client`]) and
//! interactive confirmation ([`confirm`]). Each command in [`commands`] returns an
//! [`output::CommandOutput`], printed here.

mod audit_checkpoints;
mod cli;
mod cli_error;
mod clock;
mod coach;
mod commands;
mod config;
mod confirm;
mod context;
mod distance;
mod error;
mod http_client;
mod logging;
mod output;
mod plural;
mod secret_input;
mod secret_store;
mod services;
mod table;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = match cli::Args::try_parse() {
        Ok(args) => args,
        Err(error) => return cli_error::print_clap_error(&error),
    };
    let json = args.json;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let result = match runtime {
        Ok(runtime) => runtime.block_on(commands::run(args)),
        Err(error) => Err(error.into()),
    };
    match result {
        Ok(report) => report.print(json),
        Err(error) => error::print_error(&error, json),
    }
}
