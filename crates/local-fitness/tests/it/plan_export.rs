//! `fitness plan export` with the real binary.

use crate::harness::{Home, to_cli_output};
use fitness_store::testkit::skip;
use serde_json::{Value, json};
use std::io::{Cursor, Write};
use std::process::{Command, Stdio};

/// A plan in the export format, so that its workouts can have steps.
pub(crate) fn plan_file(first: &str, workouts: &Value) -> String {
    json!({"format": "local-fitness plan", "version": 1, "name": "Zürich | <b>half</b>", "goal": "half",
        "distance_mm": 21_097_500, "start_date": first, "race_date": "2099-09-20", "target_time_ms": 6_300_000,
        "revision": 1, "workouts": workouts})
    .to_string()
}

pub(crate) fn workout(id: i64, date: &str, name: &str, steps: &Value) -> Value {
    json!({"id": id, "date": date, "sport": "running", "kind": "intervals", "name": name, "distance_mm": 10_000_000,
        "duration_ms": 3_600_000, "load": 60.5, "intensity": "hard", "description": "In, out;\nand \\ back",
        "key": true, "steps": steps})
}

fn steps() -> Value {
    let hard = json!({"step_type": "active", "duration_type": "distance", "duration_value": 1000.0,
        "target_type": "pace", "target_low": 240.0, "target_high": 250.0});
    let easy = json!({"step_type": "recovery", "duration_type": "time", "duration_value": 120.0,
        "target_type": "heart_rate", "target_high": 140.0, "notes": "jog"});
    json!([hard, easy, hard, easy, hard, easy])
}

/// A home with a plan of four days: intervals, rest, and two on one day.
fn home() -> Home {
    let home = Home::new();
    home.ok(&["user", "add", "Ann", "--zone", "Europe/Zurich"]);
    let rest = json!({"id": 2, "date": "2099-06-16", "sport": "rest", "kind": "rest", "name": "Rest", "key": false,
        "steps": []});
    let twice = ["Shake out", "../Shake/OUT"].map(|name| workout(3, "2099-06-17", name, &json!([])));
    let all = json!([workout(1, "2099-06-15", "Thousands", &steps()), rest, twice[0], twice[1]]);
    let file = home.file("plan.json", plan_file("2099-06-15", &all));
    home.ok(&["plan", "draft", &file]);
    home
}

#[test]
fn fit_export_does_not_overwrite_without_force() {
    let home = home();
    let one = ["plan", "export", "1", "--format", "fit", "--on", "2099-06-15"];
    let wrote = home.run(&one);
    assert_eq!(
        (wrote.code, wrote.out.as_str()),
        (Some(0), "Wrote 2099-06-15-thousands.fit: Thousands on 2099-06-15, 3 steps.\n")
    );
    assert_eq!(
        wrote.err,
        "2099-06-15 Thousands, step 2: the heart rate target is open at one end; 40 bpm was used as the other end\n"
    );
    let bytes = std::fs::read(home.path("2099-06-15-thousands.fit")).unwrap();
    assert_eq!(&bytes[8..12], b".FIT");

    std::fs::write(home.path("2099-06-15-thousands.fit"), "mine").unwrap();
    let refused = home.expect_error(&one);
    assert!(refused.contains("already exists") && refused.contains("--force"), "{refused}");
    assert_eq!(std::fs::read(home.path("2099-06-15-thousands.fit")).unwrap(), b"mine");
    let told = home.json(&[&one[..], &["--force"]].concat());
    assert_eq!(
        std::fs::read(home.path("2099-06-15-thousands.fit")).unwrap(),
        bytes,
        "the same plan, the same bytes"
    );
    assert_eq!(
        (&told["workouts"][0]["steps"], &told["workouts"][0]["losses"][0]["step"]),
        (&json!(3), &json!(2))
    );

    // Bytes to standard output, text to standard error.
    let output = home.command(&[&one[..], &["-o", "-"]].concat()).output().unwrap();
    assert_eq!(output.stdout, bytes);
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .starts_with("Wrote Thousands on 2099-06-15, 3 steps.\n2099")
    );
    let next = home.run(&["plan", "export", "1", "--format", "fit", "-o", "next.fit"]);
    assert_eq!(next.code, Some(0), "the next one is the first: {next:?}");
    let by_id = home.ok(&["plan", "export", "1", "--format", "fit", "--workout", "4"]);
    assert_eq!(by_id, "Wrote 2099-06-17-shake-out.fit: ../Shake/OUT on 2099-06-17, 1 step.\n");
}

#[test]
fn zip_export_has_safe_file_names() {
    let home = home();
    let wrote = home.run(&["plan", "export", "1", "--format", "zip", "--from", "2099-06-15", "--days", "3"]);
    assert_eq!(
        wrote.out,
        "Wrote z-rich-b-half-b-2099-06-15.zip: 3 workouts from 2099-06-15 through 2099-06-17.\n"
    );
    let bytes = std::fs::read(home.path("z-rich-b-half-b-2099-06-15.zip")).unwrap();
    let report = home.ok(&[
        "--json",
        "plan",
        "export",
        "1",
        "--format",
        "zip",
        "--from",
        "2099-06-15",
        "-o",
        "all.zip",
    ]);
    let report: Value = serde_json::from_str(&report).unwrap();
    let names: Vec<&str> =
        report["workouts"].as_array().unwrap().iter().map(|row| row["file"].as_str().unwrap()).collect();
    let expected = ["2099-06-15-thousands.fit", "2099-06-17-shake-out.fit", "2099-06-17-shake-out-2.fit"];
    assert_eq!(names, expected);
    for name in expected {
        let name = name.as_bytes();
        assert!(bytes.windows(name.len()).any(|part| part == name), "{name:?}");
    }
    // No ZIP without workouts.
    let before = home.files();
    let empty = home.expect_error(&["plan", "export", "1", "--format", "zip"]);
    assert!(empty.contains("has no workouts from") && empty.contains("--from"), "{empty}");
    assert_eq!(home.files(), before);
}

#[test]
fn json_export_round_trips() {
    let home = home();
    let first = home.ok(&["plan", "export", "1", "--format", "json", "-o", "first.json"]);
    assert_eq!(first, "Wrote first.json: plan 1, Zürich | <b>half</b>, 3 days.\n");
    home.ok(&["plan", "draft", "first.json"]);
    home.ok(&["plan", "export", "2", "--format", "json", "-o", "second.json"]);
    let read = |name: &str| -> Value {
        let mut file: Value = serde_json::from_slice(&std::fs::read(home.path(name)).unwrap()).unwrap();
        for workout in file["workouts"].as_array_mut().unwrap() {
            assert!(workout["id"].take().is_i64());
        }
        file
    };
    assert_eq!(read("first.json"), read("second.json"));
    assert_eq!(read("first.json")["workouts"][0]["steps"].as_array().unwrap().len(), 6);
    let newer = plan_file("2099-06-15", &json!([])).replace("\"version\":1", "\"version\":9");
    let file = home.file("newer.json", newer);
    assert!(home.expect_error(&["plan", "draft", &file]).contains("has version 9"));

    let told =
        to_cli_output(home.command(&["plan", "export", "1", "--format", "md", "-o", "-"]).output().unwrap());
    assert!(
        told.out.starts_with(
            "# Zürich \\| &lt;b&gt;half&lt;/b&gt;\n\nHalf marathon on 2099-09-20, goal time 1:45:00."
        ),
        "{}",
        told.out
    );
    assert!(told.out.contains("3 × (1.0 km, 4:00–4:10 /km; 2:00 recovery, at most 140 bpm, jog)"));
}

#[test]
fn invalid_export_arguments_are_refused_with_help() {
    let home = home();
    home.ok(&["user", "add", "Bob"]);
    // Ignore the database and its log.
    let files = || home.files().into_iter().filter(|path| !path.starts_with(home.path("data")));
    let before: Vec<_> = files().collect();
    for (arguments, words) in [
        (&["--format", "fit"][..], "you have no active plan"),
        (&["9", "--format", "md"], "there is no plan 9"),
        (&["1", "--format", "fit", "--workout", "99"], "plan 1 has no workout 99"),
        (&["1", "--format", "fit", "--workout", "2"], "a rest day has no workout file"),
        (&["1", "--format", "fit", "--on", "2099-06-16"], "plan 1 has no workout on 2099-06-16"),
        (&["1", "--format", "fit", "--on", "2099-06-17"], "3 (Shake out), 4 (../Shake/OUT)"),
        (&["1", "--format", "md", "--on", "2099-06-17"], "--format fit"),
        (&["1", "--format", "fit", "--days", "3"], "--format zip"),
        (&["1", "--format", "md", "-o", "."], ". is a folder"),
        (&["1", "--format", "md", "-o", "no/such/folder.md"], "cannot write no/such/folder.md"),
    ] {
        let refused = home.expect_error(&[&["plan", "export", "--user", "Ann"], arguments].concat());
        assert!(refused.contains(words), "{arguments:?}: {refused}");
    }
    let others = home.expect_error(&["plan", "export", "--user", "Bob", "1", "--format", "md"]);
    assert!(others.contains("there is no plan 1"), "{others}");
    assert_eq!(home.run(&["plan", "export", "1", "--format", "pdf"]).code, Some(2));
    assert_eq!(files().collect::<Vec<_>>(), before, "nothing was written");
}

const READER: &str = "
import sys, json, icalendar
calendar = icalendar.Calendar.from_ical(sys.stdin.buffer.read())
assert not calendar.errors, calendar.errors
events = [e for e in calendar.walk('VEVENT')]
print(json.dumps({'name': str(calendar['X-WR-CALNAME']), 'events': [
    {'errors': [str(x) for x in e.errors], 'uid': str(e['UID']), 'summary': str(e['SUMMARY']),
     'description': str(e['DESCRIPTION']), 'start': str(e['DTSTART'].dt), 'end': str(e['DTEND'].dt)} for e in events]}))
";

#[test]
fn ics_export_is_read_by_python_icalendar() {
    let home = home();
    let out = home.command(&["plan", "export", "1", "--format", "ics", "-o", "-"]).output().unwrap();
    assert!(out.status.success(), "{out:?}");
    assert!(out.stdout.split(|byte| *byte == b'\n').all(|line| line.len() <= 76));
    let python = std::env::var_os("FITNESS_PYTHON").unwrap_or_else(|| "python3".into());
    let has =
        Command::new(&python).args(["-c", "import icalendar"]).output().is_ok_and(|out| out.status.success());
    if !has {
        let reason = "the Python package icalendar is not installed";
        return skip("ics_export_is_read_by_python_icalendar", reason);
    }
    let mut reader = Command::new(&python);
    let mut child = reader.args(["-c", READER]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&out.stdout).unwrap();
    let read = child.wait_with_output().unwrap();
    assert!(read.status.success());
    let told: Value = serde_json::from_reader(Cursor::new(read.stdout)).unwrap();
    assert_eq!(told["name"], "Zürich | <b>half</b>");
    assert_eq!(told["events"].as_array().unwrap().len(), 3, "no event for a rest day");
    let first = &told["events"][0];
    assert_eq!((&first["start"], &first["end"]), (&json!("2099-06-15"), &json!("2099-06-16")));
    assert_eq!(first["summary"], "Thousands, 10.0 km");
    assert_eq!(
        first["description"],
        "hard\n1h 00m\nIn, out;\nand \\ back\n3 × (1.0 km, 4:00–4:10 /km; 2:00 recovery, at most 140 bpm, jog)"
    );
    let uids: std::collections::BTreeSet<String> =
        told["events"].as_array().unwrap().iter().map(|event| event["uid"].to_string()).collect();
    assert_eq!(uids.len(), 3);
    let again = home.command(&["plan", "export", "1", "--format", "ics", "-o", "-"]).output().unwrap();
    assert_eq!(again.stdout, out.stdout, "the same revision, the same file");
}
