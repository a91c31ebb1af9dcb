//! Pushing a plan to the calendar at intervals.icu with the real binary, against a fake on this machine.

use crate::exports::{plan_file, workout};
use crate::harness::{Home, now};
use fitness_core::domain::calendar::Day;
use fitness_sources::testkit::{Bad, FakeIntervals, IntervalsData};
use serde_json::{Value, json};

const KEY: &str = "0123456789-secret-of-the-athlete";

fn account() -> IntervalsData {
    let theirs = json!({"id": 1, "category": "WORKOUT", "name": "Theirs", "external_id": "coach-1",
        "start_date_local": format!("{}T00:00:00", today().plus(1))});
    IntervalsData {
        key: KEY.to_owned(),
        athlete: "i5".to_owned(),
        events: vec![theirs],
        ..IntervalsData::default()
    }
}

fn today() -> Day {
    Day::at(now(), chrono_tz::Tz::UTC)
}

/// A plan that began yesterday: yesterday, tomorrow (with steps), in five days, and in forty.
fn plan(first: &str, name: &str) -> String {
    let day = |ahead| today().plus(ahead).to_string();
    let step = json!([{"step_type": "active", "duration_type": "time", "duration_value": 600.0,
        "target_type": "power", "target_low": 200.0}]);
    let all = json!([
        workout(1, &day(-1), "Yesterday", &json!([])),
        workout(2, &day(1), name, &step),
        workout(3, &day(5), "Long <b>run", &json!([])),
        workout(4, &day(40), "Far", &json!([])),
    ]);
    let race = format!("\"race_date\":\"{}\"", day(60));
    plan_file(first, &all).replace("\"race_date\":\"2099-09-20\"", &race)
}

fn activated(home: &Home, file: &str, id: &str, replaces: &[&str]) {
    home.ok(&["plan", "draft", file]);
    let mut terminal = home.at_a_terminal(
        &[&["plan", "activate", id, "--begin", "planned", "--override", "R1,R2,R33"], replaces].concat(),
    );
    terminal.exp_string("Type the plan's name to activate it: ").unwrap();
    terminal.send_line("Zürich | <b>half</b>").unwrap();
    terminal.exp_string("Activated").unwrap();
    terminal.exp_eof().unwrap();
}

/// Somebody with an account at intervals.icu and a plan.
fn home(address: &str) -> Home {
    let home = Home::new();
    home.ok(&["user", "add", "Ann", "--zone", "UTC"]);
    let no_plan = home.refused(&["plan", "push"]);
    assert!(no_plan.contains("you have no active plan") && no_plan.contains("--clear"), "{no_plan}");
    let file = home.file("plan.json", plan(&today().plus(-1).to_string(), "Hills"));
    activated(&home, &file, "1", &[]);
    let not_connected = home.refused(&["plan", "push"]);
    assert!(not_connected.contains("fitness source add intervals"), "{not_connected}");
    let key = home.file("key", KEY);
    home.ok(&["source", "add", "intervals", "--address", address, "--key-file", &key]);
    std::fs::remove_file(key).unwrap();
    home
}

fn names(fake: &FakeIntervals) -> Vec<String> {
    let mut names: Vec<String> =
        fake.events().iter().map(|event| event["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_calendar_follows_the_active_plan() {
    let fake = FakeIntervals::start(account()).await;
    let address = fake.base_url();
    let home = tokio::task::spawn_blocking(move || home(&address)).await.unwrap();
    assert_eq!(fake.seen(), [], "nothing is sent before it is asked for");

    let would = home.run(&["plan", "push", "--dry-run"]);
    assert_eq!(would.code, Some(0), "{would:?}");
    assert!(
        would.out.contains("Long <b>run") && would.out.ends_with("2 added. Nothing was changed.\n"),
        "{}",
        would.out
    );
    assert!(would.err.contains("Hills, step 1: its power target is open at one end"), "{}", would.err);
    assert_eq!(names(&fake), ["Theirs"]);
    assert!(fake.seen().iter().all(|seen| seen.method == "GET"));

    let pushed = home.run(&["plan", "push"]);
    assert!(pushed.out.ends_with("On your intervals.icu calendar: 2 added.\n"), "{pushed:?}");
    assert_eq!(names(&fake), ["Hills", "Long <b>run", "Theirs"], "neither yesterday nor what is far");
    let again = home.ok(&["plan", "push"]);
    assert_eq!(again, "Nothing to change: 2 entries are on your intervals.icu calendar as planned.\n");
    let more: Value = home.json(&["plan", "push", "--days", "50"]);
    assert_eq!((more["added"][0]["name"].as_str(), &more["same"]), (Some("Far"), &json!(2)), "{more}");

    // Another plan: what the old one put there goes, what the new one wants comes.
    let file = home.file("other.json", plan(&today().plus(-1).to_string(), "Track"));
    activated(&home, &file, "2", &["--replaces", "1"]);
    let replaced = home.json(&["plan", "push"]);
    assert_eq!(
        (replaced["added"].as_array().unwrap().len(), replaced["removed"].as_array().unwrap().len()),
        (2, 3)
    );
    assert_eq!(names(&fake), ["Long <b>run", "Theirs", "Track"]);

    let cleared = home.ok(&["plan", "push", "--clear"]);
    assert!(cleared.ends_with("2 removed.\n"), "{cleared}");
    assert_eq!(fake.events(), account().events);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_calendar_that_refuses_is_told_with_what_to_do() {
    let fake = FakeIntervals::start(account()).await;
    let address = fake.base_url();
    let home = tokio::task::spawn_blocking(move || home(&address)).await.unwrap();
    for (times, bad, words) in [
        (1, Bad::Page(401), "fitness source key 1"),
        (1, Bad::Page(422), "status 422"),
        (5, Bad::Busy(Some("0".to_owned())), "push again later"),
    ] {
        fake.misbehave_on("/events/bulk", times, bad);
        let refused = home.refused(&["plan", "push"]);
        assert!(refused.contains(words) && !refused.contains(KEY), "{refused}");
    }
    assert_eq!(names(&fake), ["Theirs"]);
    fake.edit(|data| data.key = "another".to_owned());
    let refused = home.refused(&["plan", "push"]);
    assert!(
        refused.contains("does not accept the key") && refused.contains("Developer Settings"),
        "{refused}"
    );
    assert_eq!(names(&fake), ["Theirs"]);
}
