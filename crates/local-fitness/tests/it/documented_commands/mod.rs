//! Runs the commands quoted in the documents.

mod parse;
mod service_files;

use crate::harness::{CliOutput, Home, now, to_cli_output};
use chrono::{NaiveDate, TimeDelta};
use fitness_store::testkit;
use parse::{QuotedCommand, documents, parse_console_blocks, parse_inline_code, root};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A Monday. Dates in the documents are relative to this week, and are shifted by whole weeks.
const DOCUMENT_MONDAY: &str = "2026-11-16";

/// Commands that are only parsed here, and why.
const NOT_RUN: &[(&str, &str)] = &[
    ("demo", "runs until it is stopped; see `demo.rs`"),
    ("serve", "runs until it is stopped; see `serve.rs` and `remote_access.rs`"),
    ("watch", "runs until it is stopped"),
    ("source add", "asks for an API key; see `services.rs`"),
    ("sync", "needs a service; see `services.rs`"),
    ("plan push", "needs a service; see `pushes.rs`"),
    ("coach use anthropic", "asks for an API key; see `coach.rs`"),
    ("coach preview And tomorrow?", "needs an API key and 12 conversations; see `coach.rs`"),
    ("user passwd", "asks for a password; see `terminal_decisions.rs`"),
    ("jobs retry", "needs a failed job"),
    ("health", "needs a running server; see `serve.rs`"),
];

/// Commands that ask for a name.
const INTERACTIVE: &[&str] =
    &["plan activate", "plan edit", "plan revert", "user delete", "user invite", "login"];

fn is_command(call: &QuotedCommand, with: &str) -> bool {
    let said = call.words.join(" ");
    said.strip_prefix(with)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(' ') || with.ends_with(':'))
}

fn restores_export(call: &QuotedCommand) -> bool {
    is_command(call, "restore --from-export")
}

/// Kills the command after a minute.
fn run_with_timeout(mut command: Command, told: &str) -> CliOutput {
    // Files, because an unread pipe fills up.
    let (mut out, mut err) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
    command.stdin(Stdio::null()).stdout(out.try_clone().unwrap()).stderr(err.try_clone().unwrap());
    let mut child = command.spawn().unwrap();
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("{told} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let read = |file: &mut File| {
        file.rewind().unwrap();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        bytes
    };
    to_cli_output(Output { status, stdout: read(&mut out), stderr: read(&mut err) })
}

/// Runs a command without writable storage: it fails with 1 if its arguments are valid, and with 2
/// if not.
fn run_without_storage(home: &Home, words: &[String]) -> CliOutput {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut command = home.command(&words);
    command.env("FITNESS_DB", home.path("void/fitness.db")).env("XDG_DATA_HOME", home.path("void"));
    run_with_timeout(command, &words.join(" "))
}

fn home_without_storage() -> Home {
    let home = Home::new();
    home.file("void", "a file where a folder would be");
    home
}

/// Usage errors of the console commands in a document.
fn unparsable_commands(name: &str, text: &str) -> Vec<String> {
    let calls = match parse_console_blocks(name, text) {
        Ok(calls) => calls,
        Err(why) => return vec![why],
    };
    let home = home_without_storage();
    let problem = |call: QuotedCommand| {
        let answer = run_without_storage(&home, &call.words);
        (!matches!(answer.code, Some(0 | 1))).then(|| format!("{}: {}", call.describe(), answer.err.trim()))
    };
    calls.into_iter().filter_map(problem).collect()
}

#[test]
fn every_quoted_command_parses() {
    let problems: Vec<String> =
        documents().iter().flat_map(|(name, text)| unparsable_commands(name, text)).collect();
    assert_eq!(problems, Vec::<String>::new());
}

#[test]
fn invalid_quoted_commands_are_reported() {
    for wrong in [
        "$ fitness plan actviate 1",
        "$ cargo run --release -- serve --prot 8788",
        "$ fitness plan draft --goal hlaf --race-date 2027-03-07",
        "$ fitness restore",
        "$ fitness today && fitness breif",
        "$ fitnes today",
    ] {
        assert_eq!(unparsable_commands("x", &format!("```console\n{wrong}\n```\n")).len(), 1, "{wrong}");
    }
}

/// The error of a command named in prose: its subcommands must exist, and its options must be in
/// their help.
fn unknown_command(home: &Home, call: &QuotedCommand) -> Option<String> {
    let verb = |word: &&String| {
        word.chars().all(|c| c.is_ascii_lowercase() || c == '-' || c == '|') && !word.starts_with('-')
    };
    let global = if call.words.first().is_some_and(|word| word == "--user") { 2 } else { 0 };
    let said = &call.words[global..];
    let path: Vec<&String> = said.iter().take_while(verb).collect();
    // `add|list` means both.
    let several = path.last().map_or(vec![""], |last| last.split('|').collect());
    several.into_iter().find_map(|last| {
        let mut words: Vec<String> = path.iter().map(|word| (*word).clone()).collect();
        words.pop();
        words.extend([last.to_owned(), "--help".to_owned()]);
        words.retain(|word| !word.is_empty());
        let help = run_without_storage(home, &words);
        let problem = |why: &str| Some(format!("{} ({}): {why}", call.describe(), words.join(" ")));
        if help.code != Some(0) {
            return problem(help.err.lines().next().unwrap_or_default());
        }
        let options = said.iter().filter(|word| word.starts_with("--") && word.len() > 2);
        let missing =
            options.map(|word| word.split('=').next().unwrap_or(word)).find(|word| !help.out.contains(*word));
        missing.and_then(|missing| problem(&format!("there is no {missing}")))
    })
}

#[test]
fn every_command_named_in_prose_exists() {
    let home = home_without_storage();
    let calls: Vec<QuotedCommand> =
        documents().iter().flat_map(|(name, text)| parse_inline_code(name, text)).collect();
    assert!(calls.len() > 50, "{}", calls.len());
    let problems: Vec<String> = calls.iter().filter_map(|call| unknown_command(&home, call)).collect();
    assert_eq!(problems, Vec::<String>::new());
    let wrong = parse_inline_code(
        "x",
        "`fitness plan activte`, `fitness serve --prot N`, `fitness user add|lits`, `fitness --user NAME breif`",
    );
    assert_eq!(wrong.iter().filter_map(|call| unknown_command(&home, call)).count(), 4);
}

/// An account export, generated once and copied.
fn demo_export() -> &'static [u8] {
    static EXPORT_BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    EXPORT_BYTES.get_or_init(|| {
        let home = Home::new();
        let made = home.json(&["demo", "--export", home.path("export").to_str().unwrap()]);
        std::fs::read(made["file"].as_str().unwrap()).unwrap()
    })
}

/// A home with the files that the documents mention: downloads, a folder with a run, a model
/// response.
fn home_with_files() -> Home {
    let home = Home::new();
    for folder in ["Downloads", "runs", "examples", "mnt/usb", "srv"] {
        std::fs::create_dir_all(home.path(folder)).unwrap();
    }
    home.file("Downloads/garmin-export.zip", demo_export());
    let run = r#"<gpx version="1.1" creator="x"><trk><trkseg>
        <trkpt lat="47.1" lon="8.1"><time>2025-05-01T06:00:00Z</time></trkpt>
        <trkpt lat="47.11" lon="8.1"><time>2025-05-01T06:06:00Z</time></trkpt></trkseg></trk></gpx>"#;
    home.file("runs/run.gpx", run);
    home.file("answer.json", r#"{"athlete_message": "Nothing to change.", "modifications": []}"#);
    let example = std::fs::read_to_string(root().join("examples/half.json")).unwrap();
    let example: Vec<String> = example.split('"').map(shift_date).collect();
    home.file("examples/half.json", example.join("\""));
    home
}

/// A user with data and an active plan.
fn home_with_plan() -> Home {
    static DATABASE_BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    const DATABASE: &str = "data/local-fitness/fitness.db";
    let bytes = DATABASE_BYTES.get_or_init(|| {
        let home = home_with_files();
        let text = "```console\n$ fitness user add Ann\n$ fitness import ~/Downloads/garmin-export.zip\n\
            $ fitness plan draft --goal half --race-date 2027-03-07 --days tue,thu,sun\n$ fitness plan activate 1\n```\n";
        for call in parse_console_blocks("the beginning", text).unwrap() {
            run_call(&home, &call);
        }
        std::fs::read(home.path(DATABASE)).unwrap()
    });
    let home = home_with_files();
    std::fs::create_dir_all(home.path("data/local-fitness")).unwrap();
    std::fs::write(home.path(DATABASE), bytes).unwrap();
    home
}

/// Replaces paths, names, files and dates of the documents with those of this test.
fn localise_word(home: &Home, call: &QuotedCommand, word: &str) -> String {
    for (shown, real) in [("~/", ""), ("/mnt/", "mnt/"), ("/srv/", "srv/")] {
        if let Some(rest) = word.strip_prefix(shown) {
            return home.path(&format!("{real}{rest}")).display().to_string();
        }
    }
    if word == "NAME" {
        return "Ann".to_owned();
    }
    if word == "FILE" {
        return newest_file(home, if restores_export(call) { ".zip" } else { ".fitness-backup" });
    }
    // `11=2026-11-27`
    if let Some((number, day)) = word.split_once('=') {
        return format!("{number}={}", shift_date(day));
    }
    shift_date(word)
}

/// Shifts a date by the weeks since [`DOCUMENT_MONDAY`]; other words are unchanged.
fn shift_date(word: &str) -> String {
    let (written, Ok(day)) = (DOCUMENT_MONDAY.parse::<NaiveDate>().unwrap(), word.parse::<NaiveDate>())
    else {
        return word.to_owned();
    };
    let today = now().with_timezone(&chrono_tz::Europe::Zurich).date_naive();
    let passed = today.signed_duration_since(written).num_days();
    (day + TimeDelta::weeks(passed.div_euclid(7))).to_string()
}

fn newest_file(home: &Home, suffix: &str) -> String {
    let files = home.files().into_iter().filter(|path| path.to_string_lossy().ends_with(suffix));
    let own = |path: &Path| !path.starts_with(home.path("Downloads"));
    let newest =
        files.filter(|path| own(path)).max_by_key(|path| path.metadata().unwrap().modified().unwrap());
    newest.unwrap_or_else(|| panic!("there is no {suffix}")).display().to_string()
}

/// Runs a quoted command, which must succeed.
fn run_call(home: &Home, call: &QuotedCommand) {
    let words: Vec<String> = call.words.iter().map(|word| localise_word(home, call, word)).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut command = home.command(&words);
    for (name, value) in &call.variables {
        command.env(name, localise_word(home, call, value));
    }
    // A restore needs a database that does not exist yet.
    if is_command(call, "restore") {
        let name = if restores_export(call) { "from-export.db" } else { "from-backup.db" };
        command.env("FITNESS_DB", home.path(name));
    }
    if INTERACTIVE.iter().any(|verb| is_command(call, verb)) {
        return run_interactive(home, call, command);
    }
    let answer = run_with_timeout(command, &call.describe());
    assert_eq!(answer.code, Some(0), "{} as {words:?}: {}{}", call.describe(), answer.out, answer.err);
}

/// Types the name that the command asks for: the plan's or the user's.
fn run_interactive(home: &Home, call: &QuotedCommand, command: Command) {
    let name = if is_command(call, "user") {
        call.words.last().unwrap().clone()
    } else if is_command(call, "login") {
        "Ann".to_owned()
    } else {
        let plans = home.json(&["plan", "list"]);
        plans.as_array().unwrap()[0]["name"].as_str().unwrap().to_owned()
    };
    let mut session = rexpect::session::spawn_command(command, Some(60_000)).unwrap();
    session.exp_regex("Type .*: ").unwrap_or_else(|why| panic!("{} does not ask: {why}", call.describe()));
    session.send_line(&name).unwrap();
    let said = session.exp_eof().unwrap();
    let ended = session.process_mut().wait().unwrap();
    assert!(format!("{ended:?}").contains("0)"), "{}: {ended:?}: {said}", call.describe());
}

#[test]
fn quoted_commands_succeed() {
    let mut skipped = BTreeSet::new();
    let mut count = 0;
    for (name, text) in documents() {
        let calls = parse_console_blocks(&name, &text).unwrap();
        if calls.is_empty() {
            continue;
        }
        let home = match name.as_str() {
            // docs/cli.md starts without a user, the README with the first one, created in the app.
            "docs/cli.md" => home_with_files(),
            "README.md" => {
                let home = home_with_files();
                home.ok(&["user", "add", "Ann"]);
                home
            }
            _ => home_with_plan(),
        };
        for call in calls.into_iter().filter(|call| with_server_url(call, "").is_none()) {
            match NOT_RUN.iter().find(|(verb, _)| is_command(&call, verb)) {
                Some((verb, _)) => drop(skipped.insert(*verb)),
                None => {
                    run_call(&home, &call);
                    count += 1;
                }
            }
        }
    }
    assert!(count > 40, "only {count} were run");
    let known: BTreeSet<&str> = NOT_RUN.iter().map(|(verb, _)| *verb).collect();
    assert_eq!(
        known.difference(&skipped).collect::<Vec<_>>(),
        Vec::<&&str>::new(),
        "no document calls these any more"
    );
}

/// Replaces the PostgreSQL URL of the documents; `None` if the command has none.
fn with_server_url(call: &QuotedCommand, url: &str) -> Option<QuotedCommand> {
    const DOCUMENTED_URL: &str = "postgres://ann:secret@localhost/fitness";
    let mut there = call.clone();
    let values = there.variables.iter_mut().map(|(_, value)| value);
    let named = values
        .chain(&mut there.words)
        .filter(|word| *word == DOCUMENTED_URL)
        .map(|word| url.clone_into(word))
        .count();
    (named > 0).then_some(there)
}

#[test]
fn postgres_quoted_commands_with_a_server_succeed() {
    let Some(cluster) = testkit::cluster() else {
        let name = "postgres_quoted_commands_with_a_server_succeed";
        return testkit::skip(name, "no PostgreSQL is installed");
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut count = 0;
    for (name, text) in documents() {
        let url = runtime.block_on(cluster.empty_database());
        let calls: Vec<_> = parse_console_blocks(&name, &text)
            .unwrap()
            .iter()
            .filter_map(|call| with_server_url(call, &url))
            .collect();
        let home = if calls.is_empty() { continue } else { home_with_plan() };
        for call in calls.iter().filter(|call| !is_command(call, "serve")) {
            run_call(&home, call);
            count += 1;
        }
    }
    assert!(count >= 4, "only {count} were run");
}
