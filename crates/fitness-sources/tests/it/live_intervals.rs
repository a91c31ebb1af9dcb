//! intervals.icu, against a fake that refuses what it refuses.

use crate::live_world::*;
use chrono_tz::Tz;
use fitness_core::report::{SourceKind, Told};
use fitness_core::sport::Sport;
use fitness_core::units::{Distance, TimeSpan};
use fitness_sources::live::intervals::{OurEvent, PlannedEvent};
use fitness_sources::live::{Fault, Heard, Intervals, Missing, Problem, Source};
use fitness_sources::testkit::{FakeIntervals, IntervalsData, client};
use serde_json::json;

#[tokio::test]
async fn a_visit_tells_days_activities_and_files() {
    let fake = FakeIntervals::start(intervals_week()).await;
    let (visit, ear) = visit_intervals(&fake, &fake.time(now())).await;
    let visit = visit.unwrap();
    assert_eq!(ear.activities(), ["i72", "71", "i70"]);
    assert_eq!(ear.files(), ["i72", "i70"]);
    // When a server wrote a record says nothing about a device.
    assert_eq!((visit.newest_record, visit.activities_complete), (Some(at("2026-06-14T09:00:00Z")), true));
    let missing = Missing { dataset: "activities", reason: Problem::ThroughStrava { count: 1 } };
    assert_eq!(visit.missing, [missing]);
    assert!(visit.missing[0].to_string().contains("connect the watch's own service"));
    let days = ear.days("wellness");
    assert_eq!(
        (days.len(), days[0].kind, days[0].as_of, days[1].as_of),
        (2, SourceKind::Intervals, None, Some(now()))
    );
    let stub = ear.heard.iter().find_map(|heard| match heard {
        Heard::Told(Told::Activity(report)) if report.key.id == "71" => Some(report),
        _ => None,
    });
    let stub = &stub.unwrap().recorded.activity;
    assert_eq!((stub.sport, stub.elapsed, stub.started_at), (Sport::Other, None, at("2026-06-13T16:00:00Z")));
}

#[tokio::test]
async fn a_long_span_falls_into_pieces_and_nothing_is_told_twice() {
    let fake = FakeIntervals::start(intervals_week()).await;
    let mut ear = Ear::default();
    let time = fake.time(now());
    intervals(&fake, &time).fetch(span("2025-01-01", "2027-01-01"), &mut ear).await.unwrap();
    assert_eq!(ear.activities().len(), 3);
    assert_eq!(fake.seen().iter().filter(|seen| seen.target.contains("/wellness?")).count(), 6);
    assert!(fake.seen().iter().all(|seen| !seen.target.contains("2026-06-16")), "tomorrow was asked about");
}

#[tokio::test]
async fn a_refused_key_ends_the_visit_and_says_what_to_do() {
    let fake = FakeIntervals::start(intervals_week()).await;
    let time = fake.time(now());
    for (athlete, key) in [("0", "another-key"), ("i6", KEY)] {
        let mut account =
            Intervals::new(&fake.base_url(), athlete, key.into(), Tz::UTC, time.means()).unwrap();
        let fault = account.fetch(week(), &mut Ear::default()).await.unwrap_err();
        assert!(matches!(fault, Fault::KeyRefused { service: "intervals.icu", .. }), "{fault}");
        let text = format!("{fault} {fault:?} {account:?}");
        assert!(text.contains("https://intervals.icu/settings") && !text.contains(key), "{text}");
    }
    for (athlete, key) in [("../0", KEY), ("", KEY), ("0", ""), ("0", "two words")] {
        let account = Intervals::new(&fake.base_url(), athlete, key.into(), Tz::UTC, time.means());
        assert_eq!(account.unwrap_err(), Fault::KeyUnusable);
    }
    let plain = Intervals::new("http://intervals.icu/api/v1", "0", KEY.into(), Tz::UTC, time.means());
    assert_eq!(plain.unwrap_err(), Fault::BadAddress);
}

fn planned(id: &str, on: &str, name: &str) -> PlannedEvent {
    PlannedEvent {
        id: id.to_owned(),
        day: day(on),
        sport: Sport::Running,
        name: name.to_owned(),
        description: "- 40m Z2".to_owned(),
        moving: Some(TimeSpan::from_mins(40)),
        distance: Distance::from_km(8.0),
    }
}

#[tokio::test]
async fn pushing_again_replaces_and_touches_nothing_of_others() {
    for replaces in [true, false] {
        let others = json!({"id": 1, "external_id": "coach-1", "category": "WORKOUT", "name": "Theirs",
            "start_date_local": "2026-06-17T00:00:00"});
        let fake = FakeIntervals::start(IntervalsData {
            replaces,
            events: vec![others.clone()],
            ..intervals_week()
        })
        .await;
        let time = fake.time(now());
        let mut account = intervals(&fake, &time);
        account
            .push(&[planned("a", "2026-06-16", "Easy"), planned("b", "2026-06-18", "Long")])
            .await
            .unwrap();
        let rest = PlannedEvent { sport: Sport::Rest, ..planned("b", "2026-06-18", "Day off") };
        let pushed = account.push(&[planned("a", "2026-06-16", "Easier"), rest]).await.unwrap();
        assert_eq!(pushed.iter().map(OurEvent::id).collect::<Vec<_>>(), ["a", "b"]);
        let names = |fake: &FakeIntervals| {
            let mut names: Vec<String> =
                fake.events().iter().map(|event| event["name"].as_str().unwrap().to_owned()).collect();
            names.sort();
            names
        };
        assert_eq!(names(&fake), ["Day off", "Easier", "Theirs"], "replaces: {replaces}");
        let easier = fake.events().into_iter().find(|event| event["name"] == "Easier").unwrap();
        assert_eq!(easier["external_id"], "local-fitness-a");
        assert_eq!(
            (&easier["type"], &easier["moving_time"], &easier["distance"]),
            (&json!("Run"), &json!(2400), &json!(8000.0))
        );
        let ours = account.list_ours(span("2026-06-01", "2026-06-30")).await.unwrap();
        assert_eq!(
            ours.iter().map(OurEvent::day).collect::<Vec<_>>(),
            [day("2026-06-16"), day("2026-06-18")]
        );
        account.delete_ours(&ours).await.unwrap();
        assert_eq!(fake.events(), [others]);
        // Nothing to do is nothing asked.
        let asked = fake.seen().len();
        account.delete_ours(&[]).await.unwrap();
        assert_eq!((account.push(&[]).await.unwrap(), fake.seen().len()), (vec![], asked));
    }
}

#[tokio::test]
async fn the_fake_refuses_what_intervals_refuses() {
    let fake = FakeIntervals::start(intervals_week()).await;
    for (path, key, status) in [
        ("/athlete/0/wellness?oldest=2026-06-01&newest=2026-06-15", Some(KEY), 200),
        ("/athlete/i5/wellness?oldest=2026-06-01&newest=2026-06-15", Some(KEY), 200),
        ("/athlete/i6/wellness?oldest=2026-06-01&newest=2026-06-15", Some(KEY), 403),
        ("/athlete/0/wellness?oldest=1.6.2026&newest=2026-06-15", Some(KEY), 422),
        ("/athlete/0/activities?newest=2026-06-15", Some(KEY), 422),
        ("/athlete/0/wellness?oldest=2026-06-01&newest=2026-06-15", Some("other"), 403),
        ("/athlete/0/wellness?oldest=2026-06-01&newest=2026-06-15", None, 401),
        ("/activity/71/file", Some(KEY), 404),
        ("/athlete/0/nothing", Some(KEY), 404),
    ] {
        let mut request = client().get(format!("{}{path}", fake.base_url()));
        if let Some(key) = key {
            request = request.basic_auth("API_KEY", Some(key));
        }
        assert_eq!(request.send().await.unwrap().status(), status, "{path} {key:?}");
    }
}
