//! Pushes workouts to the calendar of a fake intervals.icu.

use crate::live_fixtures::*;
use fitness_core::domain::ids::WorkoutId;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::plan::{Step, StepDuration, StepTarget, StepType, Workout, WorkoutKind};
use fitness_sources::live::intervals::{CalendarChanges, CalendarEvent, EventContent};
use fitness_sources::live::{FetchError, Intervals};
use fitness_sources::testkit::{FakeIntervals, IntervalsData, Misbehavior};
use fitness_sources::workouts::{FileIdentity, to_fit};
use serde_json::{Value, json};

fn planned(id: i64, on: &str, name: &str) -> CalendarEvent {
    let content = EventContent::Text {
        description: "Easy".to_owned(),
        moving: Some(TimeSpan::from_mins(40)),
        distance: Distance::from_km(8.0),
        load: Some(40.4),
    };
    CalendarEvent {
        workout: WorkoutId::new(id),
        day: day(on),
        sport: Sport::Running,
        name: name.to_owned(),
        content,
    }
}

/// A workout with steps, as a FIT file.
fn structured(id: i64, on: &str, seconds: f64) -> CalendarEvent {
    let workout = Workout {
        sport: Sport::Running,
        kind: WorkoutKind::Tempo,
        name: "Tempo".to_owned(),
        steps: vec![Step {
            step_type: StepType::Active,
            duration: StepDuration::Time(seconds),
            target: StepTarget::Open,
            max_heart_rate: None, notes: None,
        }],
        ..Workout::rest(day(on))
    };
    let file = to_fit(&workout, FileIdentity { serial: id, created_at: now() }).unwrap();
    CalendarEvent { content: EventContent::File(file.bytes), ..planned(id, on, "Tempo") }
}

/// Events that are not ours: without an external id, with a similar one, of another owner.
fn foreign_events() -> Vec<Value> {
    let mark = |mark: Option<&str>, id: i64| {
        json!({"id": id, "external_id": mark, "category": "WORKOUT", "name": "Theirs",
            "start_date_local": "2026-06-17T00:00:00"})
    };
    let marks = [
        None,
        Some("coach-1"),
        Some("local-fitness:"),
        Some("local-fitness:me:1"),
        Some("local-fitness:you:1:0"),
    ];
    let mut events: Vec<Value> = (1..).zip(marks).map(|(id, one)| mark(one, id)).collect();
    events.push(mark(Some("local-fitness:me:x:0"), 6));
    events.push(mark(Some("xlocal-fitness:me:1:0"), 7));
    events
}

const OWNER: &str = "me";

/// Lists, compares and applies the changes; returns their counts.
async fn push(
    account: &mut Intervals,
    planned: &[CalendarEvent],
) -> Result<(usize, usize, usize, usize), FetchError> {
    let there = account.list_own_events(OWNER, span("2026-06-01", "2028-06-30")).await?;
    let changes = CalendarChanges::diff(planned, &there, day("2026-06-15"), day("2026-06-28"));
    account.apply(&changes, OWNER).await?;
    assert!(changes.is_empty() == (changes.add.len() + changes.change.len() + changes.remove.len() == 0));
    Ok((changes.add.len(), changes.change.len(), changes.remove.len(), changes.unchanged))
}

/// Names and days of our events, in order.
fn own_events(fake: &FakeIntervals) -> Vec<(String, String)> {
    let mut ours: Vec<(String, String)> = fake
        .events()
        .iter()
        .filter(|event| event["id"].as_i64().unwrap() > 9000)
        .map(|event| {
            let text = |name: &str| event[name].as_str().unwrap().to_owned();
            (text("start_date_local")[5..10].to_owned(), text("name"))
        })
        .collect();
    ours.sort();
    ours
}

fn row(on: &str, name: &str) -> (String, String) {
    (on.to_owned(), name.to_owned())
}

#[tokio::test]
async fn calendar_follows_the_plan_and_leaves_other_events() {
    let fake = FakeIntervals::start(IntervalsData { events: foreign_events(), ..intervals_week() }).await;
    let time = fake.clock(now());
    let mut account = intervals(&fake, &time);
    let untouched = |fake: &FakeIntervals| {
        let theirs: Vec<Value> =
            fake.events().into_iter().filter(|event| event["id"].as_i64().unwrap() < 9000).collect();
        assert_eq!(theirs, foreign_events());
    };
    let far = planned(9, "2026-08-01", "Far");
    let first = [
        planned(1, "2026-06-16", "Easy"),
        structured(2, "2026-06-18", 600.0),
        planned(3, "2026-06-28", "Long"),
        far.clone(),
    ];
    assert_eq!(push(&mut account, &first).await, Ok((3, 0, 0, 0)));
    assert_eq!(own_events(&fake), [row("06-16", "Easy"), row("06-18", "Tempo"), row("06-28", "Long")]);
    let easy = fake.events().into_iter().find(|event| event["name"] == "Easy").unwrap();
    assert!(easy["external_id"].as_str().unwrap().starts_with("local-fitness:me:1:"), "{easy}");
    assert_eq!(
        (&easy["type"], &easy["moving_time"], &easy["distance"], &easy["icu_training_load"]),
        (&json!("Run"), &json!(2400), &json!(8000.0), &json!(40))
    );

    // A second push only lists the events, one request per year.
    let asked = fake.requests().len();
    assert_eq!(push(&mut account, &first).await, Ok((0, 0, 0, 3)));
    assert!(fake.requests()[asked..].iter().all(|seen| seen.method == "GET"));

    // One workout moved, one changed, one removed.
    let second = [planned(1, "2026-06-17", "Easy"), structured(2, "2026-06-18", 900.0), far.clone()];
    assert_eq!(push(&mut account, &second).await, Ok((0, 2, 1, 0)));
    assert_eq!(own_events(&fake), [row("06-17", "Easy"), row("06-18", "Tempo")]);
    assert_eq!(push(&mut account, &second).await, Ok((0, 0, 0, 2)));

    // Moved past the pushed days: the event follows. A workout without steps loses its file.
    let third = [planned(1, "2026-09-17", "Easy"), planned(2, "2026-06-18", "Plain"), far];
    assert_eq!(push(&mut account, &third).await, Ok((0, 2, 0, 0)));
    assert_eq!(own_events(&fake), [row("06-18", "Plain"), row("09-17", "Easy")]);
    let plain = fake.events().into_iter().find(|event| event["name"] == "Plain").unwrap();
    assert_eq!((&plain["description"], &plain["moving_time"]), (&json!("Easy"), &json!(2400)));

    untouched(&fake);
    assert_eq!(push(&mut account, &[]).await, Ok((0, 0, 2, 0)));
    assert_eq!(fake.events(), foreign_events());
}

#[tokio::test]
async fn moved_duplicated_or_past_events_are_corrected() {
    let fake = FakeIntervals::start(intervals_week()).await;
    let time = fake.clock(now());
    let mut account = intervals(&fake, &time);
    let plan = [planned(1, "2026-06-16", "Easy"), planned(2, "2026-06-18", "Long")];
    push(&mut account, &plan).await.unwrap();
    // The user moved one event and copied the other.
    fake.edit(|data| {
        data.events[0]["start_date_local"] = "2026-06-20T00:00:00".into();
        let mut copy = data.events[1].clone();
        copy["id"] = 9999.into();
        data.events.push(copy);
    });
    assert_eq!(push(&mut account, &plan).await, Ok((0, 1, 1, 1)));
    assert_eq!(own_events(&fake), [row("06-16", "Easy"), row("06-18", "Long")]);
    // Past events stay, unless their workout moved to a later day.
    fake.edit(|data| {
        for event in &mut data.events {
            event["start_date_local"] = "2026-06-10T00:00:00".into();
        }
    });
    assert_eq!(push(&mut account, &plan[..1]).await, Ok((0, 1, 0, 0)));
    assert_eq!(own_events(&fake), [row("06-10", "Long"), row("06-16", "Easy")]);
}

#[tokio::test]
async fn lost_response_creates_no_duplicates() {
    for bad in [Misbehavior::Cut(10), Misbehavior::CutUndeclared(10)] {
        let fake = FakeIntervals::start(intervals_week()).await;
        let time = fake.clock(now());
        let mut account = intervals(&fake, &time);
        fake.misbehave_on("/events/bulk", 1, bad);
        let plan = [planned(1, "2026-06-16", "Easy"), planned(2, "2026-06-18", "Long")];
        assert_eq!(push(&mut account, &plan).await, Ok((2, 0, 0, 0)));
        assert_eq!(own_events(&fake), [row("06-16", "Easy"), row("06-18", "Long")]);
        assert_eq!(push(&mut account, &plan).await, Ok((0, 0, 0, 2)));
    }
}

#[tokio::test]
async fn calendar_errors_are_reported() {
    let plan = [planned(1, "2026-06-16", "Easy")];
    for (part, bad, words) in [
        ("/events?", Misbehavior::Page(500), "calendar: the service returned status 500"),
        ("/events/bulk", Misbehavior::Page(503), "calendar: the service returned status 503"),
        (
            "/events/bulk",
            Misbehavior::Busy(None),
            "calendar: rate limit reached (status 429); try again later",
        ),
        ("/events/bulk", Misbehavior::Page(401), "rejected the key: create a new one"),
        ("/events/bulk", Misbehavior::Page(422), "calendar: the service returned status 422"),
        ("/events/bulk", Misbehavior::Body { bytes: b"[]".to_vec(), gzip: false }, "unexpected format"),
        ("/events/bulk", Misbehavior::Body { bytes: b"{}".to_vec(), gzip: false }, "unexpected format"),
    ] {
        let fake = FakeIntervals::start(intervals_week()).await;
        let time = fake.clock(now());
        let mut account = intervals(&fake, &time);
        fake.misbehave_on(part, 9, bad);
        let why = push(&mut account, &plan).await.unwrap_err().to_string();
        assert!(why.contains(words), "{part}: {why}");
        assert!(!why.contains(KEY));
    }
}
