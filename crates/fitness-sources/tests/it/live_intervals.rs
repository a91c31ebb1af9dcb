//! intervals.icu, with a fake server.

use crate::live_fixtures::*;
use chrono_tz::Tz;
use fitness_core::domain::source_record::{ImportedRecord, SourceKind};
use fitness_core::domain::sport::Sport;
use fitness_sources::live::{DatasetError, FetchError, FetchedItem, Intervals, MissingDataset, Source};
use fitness_sources::testkit::{FakeIntervals, client};
use reqwest::Method;
use serde_json::{Value, json};

#[tokio::test]
async fn fetch_returns_days_activities_and_files() {
    let fake = FakeIntervals::start(intervals_week()).await;
    let (visit, ear) = fetch_intervals(&fake, &fake.clock(now())).await;
    let visit = visit.unwrap();
    assert_eq!(ear.activities(), ["i72", "71", "i70"]);
    assert_eq!(ear.files(), ["i72", "i70"]);
    // Server times prove nothing about the device.
    assert_eq!((visit.newest_record, visit.activities_complete), (Some(at("2026-06-14T09:00:00Z")), true));
    let missing = MissingDataset { dataset: "activities", reason: DatasetError::ThroughStrava { count: 1 } };
    assert_eq!(visit.missing, [missing]);
    assert!(visit.missing[0].to_string().contains("connect the watch's own service"));
    let days = ear.days("wellness");
    assert_eq!(
        (days.len(), days[0].kind, days[0].as_of, days[1].as_of),
        (2, SourceKind::Intervals, None, Some(now()))
    );
    let stub = ear.items.iter().find_map(|heard| match heard {
        FetchedItem::Record(ImportedRecord::Activity(report)) if report.key.id == "71" => Some(report),
        _ => None,
    });
    let stub = &stub.unwrap().parsed.activity;
    assert_eq!((stub.sport, stub.elapsed, stub.started_at), (Sport::Other, None, at("2026-06-13T16:00:00Z")));
}

#[tokio::test]
async fn long_range_is_chunked_without_duplicates() {
    let fake = FakeIntervals::start(intervals_week()).await;
    let mut ear = RecordingListener::default();
    let time = fake.clock(now());
    intervals(&fake, &time).fetch(span("2025-01-01", "2027-01-01"), &mut ear).await.unwrap();
    assert_eq!(ear.activities().len(), 3);
    assert_eq!(fake.requests().iter().filter(|seen| seen.target.contains("/wellness?")).count(), 6);
    assert!(fake.requests().iter().all(|seen| !seen.target.contains("2026-06-16")), "tomorrow was requested");
}

#[tokio::test]
async fn refused_key_fails_with_advice() {
    let fake = FakeIntervals::start(intervals_week()).await;
    let time = fake.clock(now());
    for (athlete, key) in [("0", "another-key"), ("i6", KEY)] {
        let mut account =
            Intervals::new(&fake.base_url(), athlete, key.into(), Tz::UTC, time.http_env()).unwrap();
        let fault = account.fetch(week(), &mut RecordingListener::default()).await.unwrap_err();
        assert!(matches!(fault, FetchError::KeyRefused { service: "intervals.icu", .. }), "{fault}");
        let text = format!("{fault} {fault:?} {account:?}");
        assert!(text.contains("https://intervals.icu/settings") && !text.contains(key), "{text}");
    }
    for (athlete, key) in [("../0", KEY), ("", KEY), ("0", ""), ("0", "two words")] {
        let account = Intervals::new(&fake.base_url(), athlete, key.into(), Tz::UTC, time.http_env());
        assert_eq!(account.unwrap_err(), FetchError::KeyUnusable);
    }
    let plain = Intervals::new("http://intervals.icu/api/v1", "0", KEY.into(), Tz::UTC, time.http_env());
    assert_eq!(plain.unwrap_err(), FetchError::BadAddress);
}

#[tokio::test]
async fn fake_intervals_rejects_invalid_requests() {
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
    let sound = json!({"category": "WORKOUT", "start_date_local": "2026-06-16T00:00:00", "name": "x"});
    let with = |name: &str, value: Value| {
        let mut event = sound.clone();
        event[name] = value;
        event
    };
    let bulk = "/athlete/0/events/bulk";
    for (method, path, body, status) in [
        (Method::POST, bulk, json!([sound]), 200),
        (Method::POST, bulk, sound.clone(), 400),
        (Method::POST, bulk, json!([with("start_date_local", json!("2026-06-16T07:00:00"))]), 422),
        (Method::POST, bulk, json!([with("start_date_local", json!("16.6.2026"))]), 422),
        (Method::POST, bulk, json!([with("category", json!("RUN"))]), 422),
        (Method::POST, bulk, json!([with("file_contents_base64", json!("AAAA"))]), 422),
        (Method::POST, bulk, json!([with("description", json!("x".repeat(1_000_000)))]), 413),
        (Method::PUT, "/athlete/0/events/9001", json!({"name": "y"}), 200),
        (Method::PUT, "/athlete/0/events/9001", with("start_date_local", json!("")), 422),
        (Method::PUT, "/athlete/0/events/77", sound.clone(), 404),
        (Method::PUT, "/athlete/0/events/bulk-delete", json!([{"external_id": "local-fitness:me:1:0"}]), 403),
        (Method::PUT, "/athlete/0/events/bulk-delete", json!([{"id": 77}]), 200),
    ] {
        let request = client().request(method, format!("{}{path}", fake.base_url())).body(body.to_string());
        let answer = request.basic_auth("API_KEY", Some(KEY)).send().await.unwrap();
        assert_eq!(answer.status(), status, "{path} {body:.80}");
    }
}
