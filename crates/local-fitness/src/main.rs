//! `fitness`: the endurance coach an athlete runs at home.
//!
//! This crate wires the others together and owns what must exist once: the clock ([`clock`]), the arguments ([`cli`]), the
//! printing of errors ([`error`], [`cli_error`]), the HTTP client ([`http_client`]) and the terminal prompt at which a human
//! decides ([`confirm`]). What a command does is in [`commands`], one verb a function, each giving back a
//! [`output::Report`] that is printed in one place.

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
    let answer = match runtime {
        Ok(runtime) => runtime.block_on(commands::run(args)),
        Err(error) => Err(error.into()),
    };
    match answer {
        Ok(report) => report.print(json),
        Err(error) => error::print_error(&error, json),
    }
}
