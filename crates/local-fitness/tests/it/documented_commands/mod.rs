//! Commands quoted in the documents are run: a reader who types them gets what the document says.

mod parse;
mod service_files;

use crate::harness::{Answer, Home, answer, now};
use chrono::{NaiveDate, TimeDelta};
use fitness_store::testkit;
use parse::{Quoted, documents, named, quoted, root};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A Monday. Days in the documents are meant as seen from the week that begins on it, and are moved along by whole weeks.
const WRITTEN: &str = "2026-11-16";

/// What is not done here, and why; that it can be read is tried all the same.
const NOT_RUN: &[(&str, &str)] = &[
    ("demo", "serves until it is ended: `demo.rs` meets the athlete"),
    ("serve", "serves until it is ended: `serve.rs` and `remote_access.rs` do"),
    ("watch", "looks at a folder until it is ended"),
    ("source add", "asks for a key of a service: `services.rs` gives one"),
    ("sync", "asks services on the net: `services.rs` has some here"),
    ("plan push", "sends to a service on the net: `pushes.rs` has one here"),
    ("coach use anthropic", "asks for a key: `coach.rs` gives one"),
    ("coach preview And tomorrow?", "is of a twelfth conversation, with a key: `coach.rs` previews"),
    ("user passwd", "asks for a password without echo: `terminal_decisions.rs` types one"),
    ("jobs retry", "is for a job that was given up, and here is none"),
    ("health", "asks a server that runs: `serve.rs` has one"),
];

/// What asks a person, who types a name.
const AT_A_TERMINAL: &[&str] =
    &["plan activate", "plan edit", "plan revert", "user delete", "user invite", "login"];

/// Whether a command begins like this.
fn begins(call: &Quoted, with: &str) -> bool {
    let said = call.words.join(" ");
    said.strip_prefix(with)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(' ') || with.ends_with(':'))
}

/// Waits for an end that must come soon.
fn ended(mut command: Command, told: &str) -> Answer {
    // Into files: a pipe that nobody reads fills up.
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
    answer(Output { status, stdout: read(&mut out), stderr: read(&mut err) })
}

/// A call in a home where nothing can be kept: whatever it wants to do fails with 1, unless it cannot even be read.
fn in_the_void(home: &Home, words: &[String]) -> Answer {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut command = home.command(&words);
    command.env("FITNESS_DB", home.path("void/fitness.db")).env("XDG_DATA_HOME", home.path("void"));
    ended(command, &words.join(" "))
}

fn void() -> Home {
    let home = Home::new();
    home.file("void", "a file where a folder would be");
    home
}

/// What is wrong with the commands at the prompts of a document.
fn unreadable(name: &str, text: &str) -> Vec<String> {
    let calls = match quoted(name, text) {
        Ok(calls) => calls,
        Err(why) => return vec![why],
    };
    let home = void();
    let problem = |call: Quoted| {
        let answer = in_the_void(&home, &call.words);
        (!matches!(answer.code, Some(0 | 1))).then(|| format!("{}: {}", call.told(), answer.err.trim()))
    };
    calls.into_iter().filter_map(problem).collect()
}

#[test]
fn every_quoted_command_can_be_read() {
    let problems: Vec<String> = documents().iter().flat_map(|(name, text)| unreadable(name, text)).collect();
    assert_eq!(problems, Vec::<String>::new());
}

#[test]
fn a_quoted_command_that_is_wrong_is_noticed() {
    for wrong in [
        "$ fitness plan actviate 1",
        "$ cargo run --release -- serve --prot 8788",
        "$ fitness plan draft --goal hlaf --race-date 2027-03-07",
        "$ fitness restore",
        "$ fitness today && fitness breif",
        "$ fitnes today",
    ] {
        assert_eq!(unreadable("x", &format!("```console\n{wrong}\n```\n")).len(), 1, "{wrong}");
    }
}

/// What is wrong with a command that prose names: its verbs must be there, and its options in the help of that verb.
fn unknown(home: &Home, call: &Quoted) -> Option<String> {
    let verb = |word: &&String| {
        word.chars().all(|c| c.is_ascii_lowercase() || c == '-' || c == '|') && !word.starts_with('-')
    };
    let global = if call.words.first().is_some_and(|word| word == "--user") { 2 } else { 0 };
    let said = &call.words[global..];
    let path: Vec<&String> = said.iter().take_while(verb).collect();
    // `add|list` names two.
    let several = path.last().map_or(vec![""], |last| last.split('|').collect());
    several.into_iter().find_map(|last| {
        let mut words: Vec<String> = path.iter().map(|word| (*word).clone()).collect();
        words.pop();
        words.extend([last.to_owned(), "--help".to_owned()]);
        words.retain(|word| !word.is_empty());
        let help = in_the_void(home, &words);
        let problem = |why: &str| Some(format!("{} ({}): {why}", call.told(), words.join(" ")));
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
fn every_command_that_prose_names_is_there() {
    let home = void();
    let calls: Vec<Quoted> = documents().iter().flat_map(|(name, text)| named(name, text)).collect();
    assert!(calls.len() > 50, "{}", calls.len());
    let problems: Vec<String> = calls.iter().filter_map(|call| unknown(&home, call)).collect();
    assert_eq!(problems, Vec::<String>::new());
    let wrong = named(
        "x",
        "`fitness plan activte`, `fitness serve --prot N`, `fitness user add|lits`, `fitness --user NAME breif`",
    );
    assert_eq!(wrong.iter().filter_map(|call| unknown(&home, call)).count(), 4);
}

/// An account export, as somebody downloads it. It is made once and copied.
fn export() -> &'static [u8] {
    static MADE: OnceLock<Vec<u8>> = OnceLock::new();
    MADE.get_or_init(|| {
        let home = Home::new();
        let made = home.json(&["demo", "--export", home.path("export").to_str().unwrap()]);
        std::fs::read(made["file"].as_str().unwrap()).unwrap()
    })
}

/// A home with what the documents take for granted: downloads, a folder with a run, an answer of a model.
fn furnished() -> Home {
    let home = Home::new();
    for folder in ["Downloads", "runs", "examples", "mnt/usb", "srv"] {
        std::fs::create_dir_all(home.path(folder)).unwrap();
    }
    home.file("Downloads/garmin-export.zip", export());
    let run = r#"<gpx version="1.1" creator="x"><trk><trkseg>
        <trkpt lat="47.1" lon="8.1"><time>2025-05-01T06:00:00Z</time></trkpt>
        <trkpt lat="47.11" lon="8.1"><time>2025-05-01T06:06:00Z</time></trkpt></trkseg></trk></gpx>"#;
    home.file("runs/run.gpx", run);
    home.file("answer.json", r#"{"athlete_message": "Nothing to change.", "modifications": []}"#);
    let example = std::fs::read_to_string(root().join("examples/half.json")).unwrap();
    let example: Vec<String> = example.split('"').map(of_today).collect();
    home.file("examples/half.json", example.join("\""));
    home
}

/// Somebody with data and a plan that is tracked.
fn under_way() -> Home {
    static MADE: OnceLock<Vec<u8>> = OnceLock::new();
    const DATABASE: &str = "data/local-fitness/fitness.db";
    let bytes = MADE.get_or_init(|| {
        let home = furnished();
        let text = "```console\n$ fitness user add Ann\n$ fitness import ~/Downloads/garmin-export.zip\n\
            $ fitness plan draft --goal half --race-date 2027-03-07 --days tue,thu,sun\n$ fitness plan activate 1\n```\n";
        for call in quoted("the beginning", text).unwrap() {
            done(&home, &call);
        }
        std::fs::read(home.path(DATABASE)).unwrap()
    });
    let home = furnished();
    std::fs::create_dir_all(home.path("data/local-fitness")).unwrap();
    std::fs::write(home.path(DATABASE), bytes).unwrap();
    home
}

/// A word as this athlete would type it: their home, their folders, their files, days as seen from today.
fn own(home: &Home, call: &Quoted, word: &str) -> String {
    for (shown, real) in [("~/", ""), ("/mnt/", "mnt/"), ("/srv/", "srv/")] {
        if let Some(rest) = word.strip_prefix(shown) {
            return home.path(&format!("{real}{rest}")).display().to_string();
        }
    }
    if word == "NAME" {
        return "Ann".to_owned();
    }
    if word == "FILE" {
        return newest(home, if begins(call, "import-all") { ".zip" } else { ".fitness-backup" });
    }
    // `11=2026-11-27`
    if let Some((number, day)) = word.split_once('=') {
        return format!("{number}={}", of_today(day));
    }
    of_today(word)
}

/// A day of the documents, as many weeks later as have passed since they were written; everything else as it is.
fn of_today(word: &str) -> String {
    let (written, Ok(day)) = (WRITTEN.parse::<NaiveDate>().unwrap(), word.parse::<NaiveDate>()) else {
        return word.to_owned();
    };
    let today = now().with_timezone(&chrono_tz::Europe::Zurich).date_naive();
    let passed = today.signed_duration_since(written).num_days();
    (day + TimeDelta::weeks(passed.div_euclid(7))).to_string()
}

fn newest(home: &Home, suffix: &str) -> String {
    let files = home.files().into_iter().filter(|path| path.to_string_lossy().ends_with(suffix));
    let own = |path: &Path| !path.starts_with(home.path("Downloads"));
    let newest =
        files.filter(|path| own(path)).max_by_key(|path| path.metadata().unwrap().modified().unwrap());
    newest.unwrap_or_else(|| panic!("there is no {suffix}")).display().to_string()
}

/// Does what a document says, as the athlete; it must work.
fn done(home: &Home, call: &Quoted) {
    let words: Vec<String> = call.words.iter().map(|word| own(home, call, word)).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut command = home.command(&words);
    for (name, value) in &call.variables {
        command.env(name, own(home, call, value));
    }
    // "Where there is none yet."
    if begins(call, "restore") || begins(call, "import-all") {
        command.env("FITNESS_DB", home.path(&format!("fresh-{}.db", call.words[0])));
    }
    if AT_A_TERMINAL.iter().any(|verb| begins(call, verb)) {
        return answered(home, call, command);
    }
    let answer = ended(command, &call.told());
    assert_eq!(answer.code, Some(0), "{} as {words:?}: {}{}", call.told(), answer.out, answer.err);
}

/// Types what is asked for: the plan's name, or the user's.
fn answered(home: &Home, call: &Quoted, command: Command) {
    let name = if begins(call, "user") {
        call.words.last().unwrap().clone()
    } else if begins(call, "login") {
        "Ann".to_owned()
    } else {
        let plans = home.json(&["plan", "list"]);
        plans.as_array().unwrap()[0]["name"].as_str().unwrap().to_owned()
    };
    let mut session = rexpect::session::spawn_command(command, Some(60_000)).unwrap();
    session.exp_regex("Type .*: ").unwrap_or_else(|why| panic!("{} does not ask: {why}", call.told()));
    session.send_line(&name).unwrap();
    let said = session.exp_eof().unwrap();
    let ended = session.process_mut().wait().unwrap();
    assert!(format!("{ended:?}").contains("0)"), "{}: {ended:?}: {said}", call.told());
}

#[test]
fn quoted_commands_do_what_the_documents_say() {
    let mut skipped = BTreeSet::new();
    let mut count = 0;
    for (name, text) in documents() {
        let calls = quoted(&name, &text).unwrap();
        if calls.is_empty() {
            continue;
        }
        let home = match name.as_str() {
            // The long tour begins with nothing, the README with the first user, whom the pages make.
            "docs/terminal.md" => furnished(),
            "README.md" => {
                let home = furnished();
                home.ok(&["user", "add", "Ann"]);
                home
            }
            _ => under_way(),
        };
        for call in calls.into_iter().filter(|call| on_a_server(call, "").is_none()) {
            match NOT_RUN.iter().find(|(verb, _)| begins(&call, verb)) {
                Some((verb, _)) => drop(skipped.insert(*verb)),
                None => {
                    done(&home, &call);
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

/// A call that names the PostgreSQL of the documents, with another in its place.
fn on_a_server(call: &Quoted, url: &str) -> Option<Quoted> {
    const SHOWN: &str = "postgres://ann:secret@localhost/fitness";
    let mut there = call.clone();
    let values = there.variables.iter_mut().map(|(_, value)| value);
    let named =
        values.chain(&mut there.words).filter(|word| *word == SHOWN).map(|word| url.clone_into(word)).count();
    (named > 0).then_some(there)
}

#[test]
fn postgres_quoted_commands_that_name_a_server_do_what_they_say() {
    let Some(cluster) = testkit::cluster() else {
        let name = "postgres_quoted_commands_that_name_a_server_do_what_they_say";
        return testkit::skip(name, "no PostgreSQL is installed");
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut count = 0;
    for (name, text) in documents() {
        let url = runtime.block_on(cluster.empty_database());
        let calls: Vec<_> =
            quoted(&name, &text).unwrap().iter().filter_map(|call| on_a_server(call, &url)).collect();
        let home = if calls.is_empty() { continue } else { under_way() };
        for call in calls.iter().filter(|call| !begins(call, "serve")) {
            done(&home, call);
            count += 1;
        }
    }
    assert!(count >= 4, "only {count} were run");
}
