//! `fitness`: the endurance coach an athlete runs at home.
//!
//! This crate wires the others together and owns what must exist once: the clock ([`clock`]), the arguments
//! ([`args`]), the way an error is told ([`failure`], [`usage`]), the way out to the net ([`egress`]) and the terminal at which a human decides
//! ([`terminal`]). What a command does is in [`commands`], one verb a function, each giving back a
//! [`report::Report`] that is printed in one place.

mod args;
mod audit_checkpoints;
mod clock;
mod coaching;
mod commands;
mod context;
mod distance;
mod egress;
mod failure;
mod keys;
mod logging;
mod outside;
mod report;
mod seal;
mod settings;
mod table;
mod terminal;
mod usage;
mod words;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(error) => return usage::tell(&error),
    };
    let json = args.json;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let answer = match runtime {
        Ok(runtime) => runtime.block_on(commands::run(args)),
        Err(error) => Err(error.into()),
    };
    match answer {
        Ok(report) => report.print(json),
        Err(error) => failure::tell(&error, json),
    }
}
