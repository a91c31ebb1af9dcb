//! What a command gives back: words for a person and data for a program, printed in one place.

use crate::failure::{self, Failure};
use serde::Serialize;
use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

/// The outcome of a command.
#[derive(Debug)]
pub(crate) struct Report {
    text: String,
    data: serde_json::Value,
    healthy: bool,
    for_programs: bool,
}

impl Report {
    /// Words and data that say the same.
    pub(crate) fn new(text: impl Into<String>, data: &impl Serialize) -> Self {
        let data = serde_json::to_value(data).expect("what a command reports is plain data");
        Self { text: text.into(), data, healthy: true, for_programs: false }
    }

    /// Everything worked, but what was looked at is not well: exit 1.
    pub(crate) fn unhealthy(mut self) -> Self {
        self.healthy = false;
        self
    }

    /// Where no person looks on, the data is printed without being asked for.
    pub(crate) fn for_programs(mut self) -> Self {
        self.for_programs = true;
        self
    }

    /// Prints to standard output. A reader that has gone away is no error.
    pub(crate) fn print(&self, json: bool) -> ExitCode {
        let json = json || (self.for_programs && !std::io::stdout().is_terminal());
        let mut text = if json {
            serde_json::to_string_pretty(&self.data).expect("a JSON value always prints")
        } else {
            self.text.clone()
        };
        if !text.ends_with('\n') {
            text.push('\n');
        }
        let mut out = std::io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                let help = "what was asked for was done; run a command that shows it to see";
                failure::tell(&Failure::new(format!("cannot print the answer: {error}"), help).into(), json)
            }
            _ if self.healthy => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        }
    }
}
