//! `fitness contract check`: errors as JSON, exit code 0 or 1.

use crate::harness::{CliOutput, HALF_PLAN, Home, to_cli_output};
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::Stdio;

/// The example in docs/llm-output.md.
const WEEK_RESPONSE: &str = include_str!("../../../fitness-core/tests/it/contract/week.json");
const EMPTY_MODIFICATION: &str = r#"{"modifications": [], "athlete_message": "Carry on."}"#;

fn skip_response(id: i64, date: &str) -> String {
    format!(
        r#"{{"modifications": [{{"workout_id": "{id}", "date": "{date}", "action": "skip"}}], "athlete_message": "Rest."}}"#
    )
}

/// The output, which is JSON because it is redirected.
fn data(answer: &CliOutput, code: i32) -> Value {
    assert_eq!((answer.code, answer.err.as_str()), (Some(code), ""), "{answer:?}");
    let data: Value = serde_json::from_str(&answer.out).unwrap();
    let keys: Vec<&str> = data.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["faults", "findings", "kind", "valid"]);
    assert_eq!(data["valid"], json!(code == 0));
    for told in ["faults", "findings"].iter().flat_map(|list| data[list].as_array().unwrap()) {
        let keys: Vec<&str> = told.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["code", "message", "path"]);
    }
    data
}

fn error_codes(data: &Value, list: &str) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let told = data[list].as_array().unwrap().iter();
    told.map(|one| (text(&one["path"]), text(&one["code"]))).collect()
}

fn owned_pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(path, code)| ((*path).to_owned(), (*code).to_owned())).collect()
}

#[test]
fn response_is_checked_without_a_database() {
    let home = Home::new();
    let check = |text: &str, more: &[&str], code: i32| {
        let file = home.file("answer.json", text);
        data(&home.run(&[&["contract", "check", &file], more].concat()), code)
    };
    let fine = check(EMPTY_MODIFICATION, &[], 0);
    assert_eq!(fine, json!({ "kind": "modification", "valid": true, "faults": [], "findings": [] }));

    let week = check(WEEK_RESPONSE, &[], 0);
    assert_eq!(week["kind"], "week");
    assert_eq!(
        error_codes(&week, "findings"),
        owned_pairs(&[
            ("/plan_summary/total_tss", "total_differs"),
            ("/plan_summary/total_hours", "total_differs"),
            ("/workouts/2/steps", "steps_differ"),
        ])
    );
    assert_eq!(check(WEEK_RESPONSE, &["--kind", "week", "--json"], 0), week);
    assert_eq!(check(WEEK_RESPONSE, &["--kind", "modification"], 1)["kind"], "modification");

    let broken = "{\"modifications\": [{\"workout_id\": \"7\", \"action\": \"change\"}]}";
    let fenced = check(&format!("Sure!\n```json\n{broken}\n```"), &[], 1);
    assert_eq!(error_codes(&fenced, "faults"), owned_pairs(&[("", "syntax")]));
    assert_eq!(
        error_codes(&check(broken, &[], 1), "faults"),
        owned_pairs(&[
            ("/modifications/0/date", "missing_field"),
            ("/modifications/0/action", "unknown_word"),
            ("/athlete_message", "missing_field"),
        ])
    );
    assert_eq!(check("{}", &[], 1)["kind"], Value::Null);
    assert_eq!(home.files(), [home.path("answer.json")], "no files were created");
}

#[test]
fn response_from_stdin_is_checked_and_printed_as_text() {
    let home = Home::new();
    let mut child = home
        .command(&["contract", "check", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"I would rest.").unwrap();
    let told = data(&to_cli_output(child.wait_with_output().unwrap()), 1);
    assert_eq!(error_codes(&told, "faults"), owned_pairs(&[("", "syntax")]));

    let file = home.file("answer.json", WEEK_RESPONSE);
    let mut session = home.spawn_terminal(&["contract", "check", &file]);
    session.exp_string("The weekly plan is accepted.").unwrap();
    session.exp_string("/plan_summary/total_tss (total_differs)").unwrap();
    session.exp_string("`total_tss` is 320, but the workouts add up to 235.").unwrap();
    session.exp_eof().unwrap();
}

#[test]
fn invalid_response_gives_one_error() {
    let home = Home::new();
    let told = |content: &[u8]| {
        let file = home.file("answer.json", content);
        error_codes(&data(&home.run(&["contract", "check", &file]), 1), "faults")
    };
    assert_eq!(told(b""), owned_pairs(&[("", "empty_input")]));
    assert_eq!(told(&[0x7f, b'E', b'L', b'F', 0xff, 0xfe, 0]), owned_pairs(&[("", "not_text")]));
    assert_eq!(told(&vec![b' '; 10 << 20]), owned_pairs(&[("", "too_large")]));
    assert_eq!(told(&vec![b'['; 100_000])[0].1, "too_deep");

    let missing = home.path("no/such/answer.json").display().to_string();
    assert!(home.expect_error(&["contract", "check", &missing]).contains("cannot read"));
    let directory = home.path("").display().to_string();
    assert!(home.expect_error(&["contract", "check", &directory]).contains("cannot read"));
    for wrong in [
        &["contract", "check"][..],
        &["contract", "check", "-", "--kind", "month"],
        &["contract", "check", "-", "--today", "2099-06-15"],
        &["contract", "check", "-", "--plan", "one"],
        &["contract", "check", "-", "--plan", "1", "--today", "soon"],
    ] {
        assert_eq!(home.run(wrong).code, Some(2), "{wrong:?}");
    }
}

#[test]
fn response_is_checked_against_the_active_plan() {
    let home = Home::new();
    for name in ["Ann", "Ben"] {
        home.ok(&["user", "add", name]);
    }
    let file = home.file("half.json", HALF_PLAN);
    home.ok(&["plan", "draft", &file, "--user", "Ann"]);
    let check = |text: &str, today: &str, code: i32| {
        let file = home.file("answer.json", text);
        let told = home.run(&["contract", "check", &file, "--plan", "1", "--today", today, "--user", "Ann"]);
        error_codes(&data(&told, code), "faults")
    };
    assert_eq!(check(EMPTY_MODIFICATION, "2099-06-15", 1), owned_pairs(&[("", "plan_not_active")]));

    let mut session = home.spawn_terminal(&["plan", "activate", "1", "--user", "Ann"]);
    session.exp_string("activate it: ").unwrap();
    session.send_line("Zürich half").unwrap();
    session.exp_eof().unwrap();
    let workouts = home.json(&["plan", "show", "1", "--user", "Ann"])["workouts"].clone();
    let id = workouts[2]["id"].as_i64().unwrap();

    assert_eq!(check(EMPTY_MODIFICATION, "2099-06-15", 0), []);
    assert_eq!(check(&skip_response(id, "2099-06-21"), "2099-06-21", 0), []);
    let date = "/modifications/0/date";
    assert_eq!(check(&skip_response(id, "2099-06-21"), "2099-06-22", 1), owned_pairs(&[(date, "past_day")]));
    assert_eq!(
        check(&skip_response(id, "2099-06-20"), "2099-06-15", 1),
        owned_pairs(&[(date, "wrong_date")])
    );
    let unknown = check(&skip_response(id + 100, "2099-06-21"), "2099-06-15", 1);
    assert_eq!(unknown, owned_pairs(&[("/modifications/0/workout_id", "no_such_workout")]));
    // The default is the current date, long before the plan.
    let file = home.file("answer.json", skip_response(id, "2099-06-21"));
    data(&home.run(&["contract", "check", &file, "--plan", "1", "--user", "Ann"]), 0);
    // Invalid JSON is reported with --plan too.
    assert_eq!(check("{", "2099-06-15", 1), owned_pairs(&[("", "syntax")]));

    // Another user's plan gives the same error as a missing one.
    let others = home.expect_error(&["contract", "check", &file, "--plan", "1", "--user", "Ben"]);
    let none = home.expect_error(&["contract", "check", &file, "--plan", "7", "--user", "Ben"]);
    assert_eq!(others, none.replace("plan 7", "plan 1"));
    assert!(others.contains("there is no plan 1"), "{others}");
}
