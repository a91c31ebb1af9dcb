//! What a command gives back: words for a person and data for a program, printed in one place.

use crate::error::{self, CliError};
use serde::Serialize;
use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

/// The outcome of a command.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    text: String,
    data: serde_json::Value,
    is_success: bool,
    stderr_text: String,
    stdout_bytes: Option<Vec<u8>>,
    json_when_piped: bool,
}

impl CommandOutput {
    /// Words and data that say the same.
    pub(crate) fn new(text: impl Into<String>, data: &impl Serialize) -> Self {
        let data = serde_json::to_value(data).expect("what a command reports is plain data");
        Self {
            text: text.into(),
            data,
            is_success: true,
            stderr_text: String::new(),
            stdout_bytes: None,
            json_when_piped: false,
        }
    }

    /// Everything was said while it happened.
    pub(crate) fn already_printed(data: &impl Serialize) -> Self {
        Self::new("", data).with_stdout_bytes(Vec::new())
    }

    /// Everything worked, but what was looked at is not well: exit 1.
    pub(crate) fn with_failure(mut self) -> Self {
        self.is_success = false;
        self
    }

    /// Words for standard error, where nobody mistakes them for the answer; the data says them too.
    pub(crate) fn with_stderr(mut self, words: impl Into<String>) -> Self {
        self.stderr_text = words.into();
        self
    }

    /// What was asked for are these bytes: they go to standard output, and everything said about them to standard error.
    pub(crate) fn with_stdout_bytes(mut self, bytes: Vec<u8>) -> Self {
        self.stdout_bytes = Some(bytes);
        self
    }

    /// Where no person looks on, the data is printed without being asked for.
    pub(crate) fn with_json_when_piped(mut self) -> Self {
        self.json_when_piped = true;
        self
    }

    /// Its words, and whether they exit 0.
    #[cfg(test)]
    pub(crate) fn text_and_success(&self) -> (&str, bool) {
        (&self.text, self.is_success)
    }

    /// Prints to standard output. A reader that has gone away is no error.
    pub(crate) fn print(&self, json: bool) -> ExitCode {
        let json = json || (self.json_when_piped && !std::io::stdout().is_terminal());
        let mut text = if json {
            serde_json::to_string_pretty(&self.data).expect("a JSON value always prints")
        } else {
            self.text.clone()
        };
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let bytes = self.stdout_bytes.as_deref().unwrap_or(text.as_bytes());
        let mut out = std::io::stdout().lock();
        let printed = out.write_all(bytes).and_then(|()| out.flush());
        let mut beside = std::io::stderr().lock();
        // Nobody may be listening there; what was asked for was printed.
        if self.stdout_bytes.is_some() {
            drop(beside.write_all(text.as_bytes()));
        }
        if !json {
            drop(beside.write_all(self.stderr_text.as_bytes()));
        }
        drop(beside);
        match printed {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                let help = "what was asked for was done; run a command that shows it to see";
                error::print_error(
                    &CliError::new(format!("cannot print the answer: {error}"), help).into(),
                    json,
                )
            }
            _ if self.is_success => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        }
    }
}
