//! The output of a command: text for people, JSON for programs, and the exit code.

use crate::error::{self, CliError};
use serde::Serialize;
use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

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
    /// `text` and `data` have the same content.
    pub(crate) fn new(text: impl Into<String>, data: &impl Serialize) -> Self {
        let data = serde_json::to_value(data).expect("command output serializes");
        Self {
            text: text.into(),
            data,
            is_success: true,
            stderr_text: String::new(),
            stdout_bytes: None,
            json_when_piped: false,
        }
    }

    /// For commands that print while they run.
    pub(crate) fn already_printed(data: &impl Serialize) -> Self {
        Self::new("", data).with_stdout_bytes(Vec::new())
    }

    /// Exit code 1: the command worked but found a problem.
    pub(crate) fn with_failure(mut self) -> Self {
        self.is_success = false;
        self
    }

    /// Extra text for standard error; not printed with `--json`, as the data contains it.
    pub(crate) fn with_stderr(mut self, text: impl Into<String>) -> Self {
        self.stderr_text = text.into();
        self
    }

    /// Prints these bytes to standard output, and the text to standard error.
    pub(crate) fn with_stdout_bytes(mut self, bytes: Vec<u8>) -> Self {
        self.stdout_bytes = Some(bytes);
        self
    }

    /// Prints JSON if standard output is not a terminal.
    pub(crate) fn with_json_when_piped(mut self) -> Self {
        self.json_when_piped = true;
        self
    }

    #[cfg(test)]
    pub(crate) fn text_and_success(&self) -> (&str, bool) {
        (&self.text, self.is_success)
    }

    /// Prints to standard output. A closed pipe is not an error.
    pub(crate) fn print(&self, json: bool) -> ExitCode {
        let json = json || (self.json_when_piped && !std::io::stdout().is_terminal());
        let mut text = if json {
            serde_json::to_string_pretty(&self.data).expect("a JSON value serializes")
        } else {
            self.text.clone()
        };
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let bytes = self.stdout_bytes.as_deref().unwrap_or(text.as_bytes());
        let mut out = std::io::stdout().lock();
        let printed = out.write_all(bytes).and_then(|()| out.flush());
        let mut stderr = std::io::stderr().lock();
        // Standard error may be closed; that is not an error.
        if self.stdout_bytes.is_some() {
            drop(stderr.write_all(text.as_bytes()));
        }
        if !json {
            drop(stderr.write_all(self.stderr_text.as_bytes()));
        }
        drop(stderr);
        match printed {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                let help = "the command itself succeeded; run a command that shows the result";
                error::print_error(
                    &CliError::new(format!("cannot print the output: {error}"), help).into(),
                    json,
                )
            }
            _ if self.is_success => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        }
    }
}
