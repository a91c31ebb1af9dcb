//! Prints usage errors of clap: one line `error:`, one line `help:`, exit code 2.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::error::Error as _;
use std::num::{ParseFloatError, ParseIntError};
use std::process::ExitCode;

use crate::error::{self, CliError};

/// Help and version are not errors, nor is help for a missing subcommand.
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
    // The arguments could not be parsed, so look for the flag itself.
    let json = std::env::args_os().any(|argument| argument == "--json");
    error::print_error(&failure.into(), json);
    ExitCode::from(2)
}

/// Clap's message in one line, and as help its first hint: possible values, tip or usage.
fn from_clap_message(rendered: &str) -> CliError {
    const CHOICES: &str = "[possible values: ";
    let lines: Vec<&str> = rendered.lines().map(str::trim).collect();
    let message = lines.iter().take_while(|line| !line.is_empty() && !line.starts_with(CHOICES));
    let message = message.copied().collect::<Vec<_>>().join(" ");
    let after = |mark: &str| lines.iter().find_map(|line| line.strip_prefix(mark));
    let help = match (after(CHOICES), after("tip: "), after("Usage: ")) {
        (Some(choices), _, _) => format!("use one of {}", choices.trim_end_matches(']')),
        (_, Some(tip), _) => tip.to_owned(),
        (_, _, Some(usage)) => format!("usage: `{usage}`; --help describes each part"),
        _ => "see --help".to_owned(),
    };
    CliError::new(message.strip_prefix("error: ").unwrap_or(&message), help)
}

fn invalid_value_error(error: &clap::Error) -> Option<CliError> {
    let (given, argument) =
        (context_text(error, ContextKind::InvalidValue)?, context_text(error, ContextKind::InvalidArg)?);
    if given.is_empty() {
        return Some(CliError::new(format!("{argument} is empty"), "give it a value, or leave it out"));
    }
    let cause = error.source()?;
    if cause.is::<ParseIntError>() {
        return Some(CliError::new(format!("`{given}` is not a number"), id_help(&argument)));
    }
    if cause.is::<ParseFloatError>() {
        return Some(CliError::new(format!("`{given}` is not a number"), "use a number such as 0.50"));
    }
    if cause.is::<chrono_tz::ParseError>() {
        let help = "use a name such as Europe/Zurich or America/New_York";
        return Some(CliError::new(format!("`{given}` is not a time zone"), help));
    }
    let said = cause.to_string();
    if let Some((first, last)) = said.split_once(" is not in ").and_then(|(_, range)| range.split_once("..="))
    {
        let help = format!("use a number from {first} to {last}");
        return Some(CliError::new(format!("`{given}` is not between {first} and {last}"), help));
    }
    // Our parsers put message and help in one text: "`hlaf` is not a goal; expected one of: …".
    Some(match said.split_once("; ") {
        Some((message, help)) => {
            let help = help
                .strip_prefix("expected one of: ")
                .map_or_else(|| help.to_owned(), |words| format!("use one of {words}"));
            CliError::new(message, help)
        }
        None => CliError::new(format!("`{given}` is not valid for {argument}: {said}"), "see --help"),
    })
}

/// The command that lists the ids for an argument.
fn id_help(argument: &str) -> String {
    let word = argument.trim_matches(|c: char| !c.is_ascii_alphabetic());
    let shown_by = match word.rsplit(['<', ' ']).next().unwrap_or(word) {
        "PLAN" | "SUPERSEDES" | "REPLACES" => "fitness plan list",
        "WORKOUT" | "SKIP" | "ID" => "fitness plan show",
        "PROPOSAL" => "fitness plan proposal list",
        "ACTIVITY" => "fitness activity list",
        "TO" => "fitness plan revisions",
        "NOTE" => "fitness note list",
        "ABSENCE" => "fitness day list",
        _ => return "use a whole number, such as 12".to_owned(),
    };
    format!("use an id such as 12; `{shown_by}` lists the ids")
}

fn missing_argument_error(error: &clap::Error) -> Option<CliError> {
    let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else { return None };
    // A required group of options is one entry: `<--name <NAME>|--sport <SPORT>>`.
    let (groups, arguments): (Vec<&str>, Vec<&str>) =
        missing.iter().map(String::as_str).partition(|argument| argument.starts_with("<--"));
    if let ([group], []) = (groups.as_slice(), arguments.as_slice()) {
        let options: Vec<&str> = group
            .trim_start_matches('<')
            .split('|')
            .filter_map(|option| option.split([' ', '>']).next())
            .filter(|name| name.starts_with("--"))
            .collect();
        let help = match options.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("give {} or {last}", first.join(", ")),
            _ => format!("give {}", options.join("")),
        };
        return Some(CliError::new("nothing to change", help));
    }
    let usage = match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => usage.to_string(),
        _ => String::new(),
    };
    let usage = usage.trim().trim_start_matches("Usage:").trim().to_owned();
    let verb = if arguments.len() == 1 { "is" } else { "are" };
    let help = format!("usage: `{usage}`; --help describes each part");
    Some(CliError::new(format!("{} {verb} missing", arguments.join(" and ")), help))
}

fn context_text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        _ => None,
    }
}
