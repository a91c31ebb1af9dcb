//! `fitness plan push` against a fake intervals.icu.

use crate::harness::{Home, now};
use crate::plan_export::{plan_file, workout};
use fitness_core::domain::calendar::Day;
use fitness_sources::testkit::{FakeIntervals, IntervalsData, Misbehavior};
use serde_json::{Value, json};

const KEY: &str = "0123456789-secret-of-the-athlete";

fn account() -> IntervalsData {
    let theirs = json!({"id": 1, "category": "WORKOUT", "name": "Theirs", "external_id": "coach-1",
        "start_date_local": format!("{}T00:00:00", today().plus_days(1))});
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

/// Workouts yesterday, tomorrow (with steps), in 5 and in 40 days.
fn plan(first: &str, name: &str) -> String {
    let day = |ahead| today().plus_days(ahead).to_string();
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

fn activate_plan(home: &Home, file: &str, id: &str, replaces: &[&str]) {
    home.ok(&["plan", "draft", file]);
    let mut terminal = home.spawn_terminal(
        &[&["plan", "activate", id, "--begin", "planned", "--override", "R1,R2,R33"], replaces].concat(),
    );
    terminal.exp_string("Type the plan's name to activate it: ").unwrap();
    terminal.send_line("Zürich | <b>half</b>").unwrap();
    terminal.exp_string("Activated").unwrap();
    terminal.exp_eof().unwrap();
}

fn home(address: &str) -> Home {
    let home = Home::new();
    home.ok(&["user", "add", "Ann", "--zone", "UTC"]);
    let no_plan = home.expect_error(&["plan", "push"]);
    assert!(no_plan.contains("you have no active plan") && no_plan.contains("--clear"), "{no_plan}");
    let file = home.file("plan.json", plan(&today().plus_days(-1).to_string(), "Hills"));
    activate_plan(&home, &file, "1", &[]);
    let not_connected = home.expect_error(&["plan", "push"]);
    assert!(not_connected.contains("fitness source add intervals"), "{not_connected}");
    let key = home.file("key", KEY);
    home.ok(&["source", "add", "intervals", "--address", address, "--key-file", &key]);
    std::fs::remove_file(key).unwrap();
    home
}

fn event_names(fake: &FakeIntervals) -> Vec<String> {
    let mut names: Vec<String> =
        fake.events().iter().map(|event| event["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn push_keeps_the_calendar_in_sync_with_the_active_plan() {
    let fake = FakeIntervals::start(account()).await;
    let address = fake.base_url();
    let home = tokio::task::spawn_blocking(move || home(&address)).await.unwrap();
    assert_eq!(fake.requests(), [], "no requests before the first push");

    let would = home.run(&["plan", "push", "--dry-run"]);
    assert_eq!(would.code, Some(0), "{would:?}");
    assert!(
        would.out.contains("Long <b>run") && would.out.ends_with("2 added. Nothing was changed.\n"),
        "{}",
        would.out
    );
    assert!(would.err.contains("Hills, step 1: the power target is open at one end"), "{}", would.err);
    assert_eq!(event_names(&fake), ["Theirs"]);
    assert!(fake.requests().iter().all(|seen| seen.method == "GET"));

    let pushed = home.run(&["plan", "push"]);
    assert!(pushed.out.ends_with("Updated your intervals.icu calendar: 2 added.\n"), "{pushed:?}");
    assert_eq!(event_names(&fake), ["Hills", "Long <b>run", "Theirs"], "not the past, not beyond 14 days");
    let again = home.ok(&["plan", "push"]);
    assert_eq!(again, "Your intervals.icu calendar is up to date (2 entries).\n");
    let more: Value = home.json(&["plan", "push", "--days", "50"]);
    assert_eq!((more["added"][0]["name"].as_str(), &more["same"]), (Some("Far"), &json!(2)), "{more}");

    // A new plan replaces the entries of the old one.
    let file = home.file("other.json", plan(&today().plus_days(-1).to_string(), "Track"));
    activate_plan(&home, &file, "2", &["--replaces", "1"]);
    let replaced = home.json(&["plan", "push"]);
    assert_eq!(
        (replaced["added"].as_array().unwrap().len(), replaced["removed"].as_array().unwrap().len()),
        (2, 3)
    );
    assert_eq!(event_names(&fake), ["Long <b>run", "Theirs", "Track"]);

    let cleared = home.ok(&["plan", "push", "--clear"]);
    assert!(cleared.ends_with("2 removed.\n"), "{cleared}");
    assert_eq!(fake.events(), account().events);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn push_refused_by_the_service_prints_help() {
    let fake = FakeIntervals::start(account()).await;
    let address = fake.base_url();
    let home = tokio::task::spawn_blocking(move || home(&address)).await.unwrap();
    for (times, bad, words) in [
        (1, Misbehavior::Page(401), "fitness source key 1"),
        (1, Misbehavior::Page(422), "status 422"),
        (5, Misbehavior::Busy(Some("0".to_owned())), "push again later"),
    ] {
        fake.misbehave_on("/events/bulk", times, bad);
        let refused = home.expect_error(&["plan", "push"]);
        assert!(refused.contains(words) && !refused.contains(KEY), "{refused}");
    }
    assert_eq!(event_names(&fake), ["Theirs"]);
    fake.edit(|data| data.key = "another".to_owned());
    let refused = home.expect_error(&["plan", "push"]);
    assert!(refused.contains("rejected the key") && refused.contains("Developer Settings"), "{refused}");
    assert_eq!(event_names(&fake), ["Theirs"]);
}
