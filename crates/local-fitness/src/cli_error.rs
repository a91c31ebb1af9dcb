//! How a command line that cannot be read is told: one line `error:`, one line `help:`, exit 2.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::error::Error as _;
use std::num::ParseIntError;
use std::process::ExitCode;

use crate::error::{self, CliError};

/// Tells what is wrong with a command line. Help and version are no faults, nor is help in the place of a missing verb.
pub(crate) fn print_clap_error(error: &clap::Error) -> ExitCode {
    let failure = match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => error.exit(),
        ErrorKind::ValueValidation | ErrorKind::InvalidValue => invalid_value_error(error),
        ErrorKind::MissingRequiredArgument => missing_argument_error(error),
        _ => None,
    };
    let failure = failure.unwrap_or_else(|| from_clap_message(&error.render().to_string()));
    // The arguments could not be read, so whether JSON was asked for is seen from the words.
    let json = std::env::args_os().any(|argument| argument == "--json");
    error::print_error(&failure.into(), json);
    ExitCode::from(2)
}

/// What clap says, in one line, and of its advice the first that there is: what can be written, its tip, how it is used.
fn from_clap_message(told: &str) -> CliError {
    const CHOICES: &str = "[possible values: ";
    let lines: Vec<&str> = told.lines().map(str::trim).collect();
    let said = lines.iter().take_while(|line| !line.is_empty() && !line.starts_with(CHOICES));
    let message = said.copied().collect::<Vec<_>>().join(" ");
    let after = |mark: &str| lines.iter().find_map(|line| line.strip_prefix(mark));
    let help = match (after(CHOICES), after("tip: "), after("Usage: ")) {
        (Some(choices), _, _) => format!("write one of {}", choices.trim_end_matches(']')),
        (_, Some(tip), _) => tip.to_owned(),
        (_, _, Some(usage)) => format!("write it like `{usage}`; --help explains each part"),
        _ => "`--help` shows what can be written".to_owned(),
    };
    CliError::new(message.strip_prefix("error: ").unwrap_or(&message), help)
}

/// What was typed and what to write instead.
fn invalid_value_error(error: &clap::Error) -> Option<CliError> {
    let (given, argument) =
        (context_text(error, ContextKind::InvalidValue)?, context_text(error, ContextKind::InvalidArg)?);
    if given.is_empty() {
        return Some(CliError::new(
            format!("{argument} says nothing"),
            "write a value after it, or leave it out",
        ));
    }
    let cause = error.source()?;
    if cause.is::<ParseIntError>() {
        return Some(CliError::new(format!("`{given}` is no number"), id_help(&argument)));
    }
    let said = cause.to_string();
    if let Some((first, last)) = said.split_once(" is not in ").and_then(|(_, range)| range.split_once("..="))
    {
        let help = format!("write a number from {first} to {last}");
        return Some(CliError::new(format!("`{given}` is outside {first} to {last}"), help));
    }
    // "`hlaf` is not a goal; expected one of: …" has both in it.
    Some(match said.split_once("; ") {
        Some((message, help)) => {
            let help = help
                .strip_prefix("expected one of: ")
                .map_or_else(|| help.to_owned(), |words| format!("write one of {words}"));
            CliError::new(message, help)
        }
        None => CliError::new(
            format!("`{given}` does not fit {argument}: {said}"),
            "`--help` shows what can be written",
        ),
    })
}

/// Where the numbers of what an argument names are shown.
fn id_help(argument: &str) -> String {
    let word = argument.trim_matches(|c: char| !c.is_ascii_alphabetic());
    let shown_by = match word.rsplit(['<', ' ']).next().unwrap_or(word) {
        "PLAN" | "SUPERSEDES" | "REPLACES" => "fitness plan list",
        "WORKOUT" | "SKIP" | "ID" => "fitness plan show",
        "PROPOSAL" => "fitness plan proposal list",
        "ACTIVITY" => "fitness activity list",
        "TO" => "fitness plan revisions",
        "NOTE" => "fitness note list",
        _ => return "write a whole number, such as 12".to_owned(),
    };
    format!("write its number, such as 12; `{shown_by}` shows the numbers")
}

fn missing_argument_error(error: &clap::Error) -> Option<CliError> {
    let Some(ContextValue::Strings(arguments)) = error.get(ContextKind::InvalidArg) else { return None };
    let usage = match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => usage.to_string(),
        _ => String::new(),
    };
    let usage = usage.trim().trim_start_matches("Usage:").trim().to_owned();
    let verb = if arguments.len() == 1 { "is" } else { "are" };
    let help = format!("write it like `{usage}`; --help explains each part");
    Some(CliError::new(format!("{} {verb} missing", arguments.join(" and ")), help))
}

fn context_text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        _ => None,
    }
}
