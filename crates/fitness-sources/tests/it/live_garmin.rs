//! Garmin's Personal API, with a fake server.

use crate::live_fixtures::*;
use chrono::TimeDelta;
use chrono_tz::Tz;
use fitness_core::domain::source_record::{ImportedRecord, RecordKey, SourceKind};
use fitness_sources::live::{DatasetError, FetchError, FetchedItem, Garmin, Source, UnexpectedContent};
use fitness_sources::testkit::{FakeGarmin, GarminData, GarminDay, Misbehavior, TokenFormat, client};

#[tokio::test]
async fn fetch_returns_days_activities_and_files() {
    let fake = FakeGarmin::start(garmin_week()).await;
    let time = fake.clock(now());
    let (visit, ear) = fetch_garmin(&fake, &time).await;
    let visit = visit.unwrap();
    assert_eq!((visit.polled_at, visit.activities_complete), (now(), true));
    assert_eq!(visit.missing, []);
    // The last heart rate of this morning.
    assert_eq!(visit.newest_record, Some(at("2026-06-15T06:40:00Z")));
    assert_eq!(ear.activities(), ["102", "101"]);
    assert_eq!(ear.files(), ["102", "101"]);
    let today =
        ear.days("steps").into_iter().find(|report| report.wellness.day == day("2026-06-15")).unwrap();
    assert_eq!(
        (today.as_of, today.kind, today.wellness.steps),
        (Some(now()), SourceKind::Garmin, Some(9000))
    );
    let parts = [
        "body_battery",
        "daily_heart_rate",
        "hrv",
        "sleep_summaries",
        "steps",
        "stress",
        "summaries",
        "weight",
    ];
    for part in parts {
        let days: Vec<String> = ear.days(part).iter().map(|report| report.wellness.day.to_string()).collect();
        assert_eq!(days, ["2026-06-13", "2026-06-14", "2026-06-15"], "{part}");
        assert_eq!(ear.days(part)[1].as_of, None, "{part}");
    }
    let whole = fitness_core::domain::merge::merge_day(
        &ear.items
            .iter()
            .filter_map(|heard| match heard {
                FetchedItem::Record(ImportedRecord::Day(report))
                    if report.wellness.day == day("2026-06-14") =>
                {
                    Some(*report.clone())
                }
                _ => None,
            })
            .collect::<Vec<_>>(),
    )
    .unwrap();
    assert_eq!((whole.resting_heart_rate, whole.hrv_ms, whole.weight_kg), (Some(48), Some(62.0), Some(61.5)));
    assert_eq!((whole.body_battery_high, whole.stress_avg), (Some(92), Some(27)));
    assert!(ear.items.iter().any(|heard| matches!(heard, FetchedItem::Record(ImportedRecord::Zones { .. }))));
    assert!(ear.progress.contains(&("files", 2, Some(2))));
    assert_eq!(fake.exchanges(), 1);
    // The activity list is read after the newest heart rate.
    let seen = fake.requests();
    let list = seen.iter().position(|seen| seen.target.contains("search/activities")).unwrap();
    let beats = seen.iter().rposition(|seen| seen.target.contains("dailyHeartRate")).unwrap();
    assert!(beats < list);
    // At most four requests per second.
    assert!(time.now() - now() >= TimeDelta::milliseconds(250) * (fake.requests().len() as i32 - 1));
}

#[tokio::test]
async fn stored_file_is_not_fetched_again() {
    let fake = FakeGarmin::start(garmin_week()).await;
    let time = fake.clock(now());
    let key = |id: &str| RecordKey { kind: SourceKind::Garmin, id: id.to_owned() };
    let mut ear =
        RecordingListener { existing_files: [key("101"), key("102")].into(), ..RecordingListener::default() };
    garmin(&fake, &time).fetch(week(), &mut ear).await.unwrap();
    assert_eq!((ear.activities().len(), ear.files().len()), (2, 0));
    assert!(fake.requests().iter().all(|seen| !seen.target.contains("download")));
}

#[tokio::test]
async fn long_range_is_split_into_allowed_chunks() {
    let fake = FakeGarmin::start(garmin_week()).await;
    let time = fake.clock(now());
    let mut ear = RecordingListener::default();
    let visit = garmin(&fake, &time).fetch(span("2024-01-01", "2026-12-31"), &mut ear).await.unwrap();
    // The fake rejects ranges that are too long with 400.
    assert_eq!(visit.missing, []);
    assert!(fake.requests().iter().all(|seen| seen.status < 400));
    assert_eq!(ear.days("steps").len(), 3);
    let asked = |part: &str| fake.requests().iter().filter(|seen| seen.target.contains(part)).count();
    assert_eq!((asked("stats/steps"), asked("dailysummaries"), asked("dailyHeartRate")), (33, 3, 3));
}

#[tokio::test]
async fn refused_range_is_split_further() {
    let fake = FakeGarmin::start(garmin_week()).await;
    fake.misbehave_on("weight-service", 1, Misbehavior::Page(400));
    let time = fake.clock(now());
    let mut ear = RecordingListener::default();
    let visit = garmin(&fake, &time).fetch(span("2026-04-01", "2026-06-15"), &mut ear).await.unwrap();
    assert_eq!((visit.missing, ear.days("weight").len()), (vec![], 3));
}

#[tokio::test]
async fn moved_dataset_is_found_and_its_path_remembered() {
    let fake = FakeGarmin::start(GarminData { use_alternative_paths: true, ..garmin_week() }).await;
    let time = fake.clock(now());
    let mut account = garmin(&fake, &time);
    let mut ear = RecordingListener::default();
    let visit = account.fetch(week(), &mut ear).await.unwrap();
    assert_eq!((visit.missing, ear.files().len(), ear.days("summaries").len()), (vec![], 2, 3));
    let misses = |fake: &FakeGarmin| fake.requests().iter().filter(|seen| seen.status == 404).count();
    assert_eq!(misses(&fake), 3);
    account.fetch(week(), &mut RecordingListener::default()).await.unwrap();
    assert_eq!(misses(&fake), 3);
}

#[tokio::test]
async fn days_are_requested_singly_without_range_endpoint() {
    let unavailable = vec!["dailysummaries", "dailySleepSummariesByDate"];
    let fake = FakeGarmin::start(GarminData { unavailable, ..garmin_week() }).await;
    let (visit, ear) = fetch_garmin(&fake, &fake.clock(now())).await;
    assert_eq!(visit.unwrap().missing, []);
    assert_eq!((ear.days("daily_summary").len(), ear.days("sleep").len()), (3, 3));
    assert_eq!(ear.days("sleep")[0].wellness.sleep.as_ref().unwrap().score, Some(84));
}

#[tokio::test]
async fn week_without_watch_proves_no_coverage() {
    let fake = FakeGarmin::start(GarminData { key: KEY.to_owned(), ..GarminData::default() }).await;
    fake.edit(|data| {
        let marks = GarminDay { stress: Some(-2), lowest: Some(50), ..GarminDay::default() };
        data.days.insert(day("2026-06-14"), marks);
    });
    let (visit, ear) = fetch_garmin(&fake, &fake.clock(now())).await;
    let visit = visit.unwrap();
    assert_eq!((visit.newest_record, visit.activities_complete, visit.missing), (None, true, vec![]));
    assert!(
        ear.items.iter().all(|heard| matches!(
            heard,
            FetchedItem::Record(ImportedRecord::Zones { .. } | ImportedRecord::Threshold { .. })
        )),
        "{:?}",
        ear.items
    );
}

#[tokio::test]
async fn record_from_the_future_proves_no_coverage() {
    let fake = FakeGarmin::start(garmin_week()).await;
    fake.edit(|data| {
        data.days.clear();
        data.activities[0].started_at = at("2026-06-15T06:30:00Z");
    });
    let (visit, ear) = fetch_garmin(&fake, &fake.clock(now())).await;
    // It ends half an hour from now, so the one before it counts.
    assert_eq!(visit.unwrap().newest_record, Some(at("2026-06-13T17:00:00Z")));
    assert_eq!(ear.activities(), ["102", "101"]);
}

#[tokio::test]
async fn shifting_pages_lose_no_activity() {
    let start = at("2026-06-14T12:00:00Z");
    let mut data = GarminData { key: KEY.to_owned(), ..GarminData::default() };
    for id in (1..=100).rev() {
        let mut one = garmin_activity(id, "running", "2026-06-14T12:00:00Z");
        one.started_at = start - TimeDelta::hours(100 - id as i64);
        one.file = None;
        data.activities.push(one);
    }
    data.arrives_while_paging = Some(garmin_activity(101, "running", "2026-06-14T20:00:00Z"));
    let fake = FakeGarmin::start(data).await;
    let (visit, ear) = fetch_garmin(&fake, &fake.clock(now())).await;
    assert!(visit.unwrap().activities_complete);
    let mut told = ear.activities();
    assert_eq!(told.len(), 100);
    told.dedup();
    assert_eq!(told.len(), 100);
    let pages = fake.requests().iter().filter(|seen| seen.target.contains("limit=45")).count();
    assert_eq!(pages, 3);
    // After three activities without a file, no more files are requested.
    let tries = fake
        .requests()
        .into_iter()
        .filter(|seen| seen.target.contains("/files/") || seen.target.ends_with("/file"));
    assert_eq!(tries.count(), 9);
}

#[tokio::test]
async fn triathlon_is_never_counted_twice() {
    let triathlon = || {
        let mut data = garmin_week();
        data.activities = vec![garmin_activity(200, "multi_sport", "2026-06-14T08:00:00Z")];
        data
    };
    let fake = FakeGarmin::start(triathlon()).await;
    let (visit, ear) = fetch_garmin(&fake, &fake.clock(now())).await;
    assert_eq!(
        (visit.unwrap().activities_complete, ear.activities(), ear.files()),
        (true, vec![], vec!["200".to_owned()])
    );

    // Without a file.
    fake.edit(|data| data.activities[0].file = None);
    let (visit, ear) = fetch_garmin(&fake, &fake.clock(now())).await;
    assert_eq!((visit.unwrap().activities_complete, ear.activities()), (true, vec!["200".to_owned()]));

    // The file is temporarily unavailable: no activity, and the list is incomplete.
    let fake = FakeGarmin::start(triathlon()).await;
    fake.misbehave_on("download-service", 5, Misbehavior::Page(503));
    let (visit, ear) = fetch_garmin(&fake, &fake.clock(now())).await;
    let visit = visit.unwrap();
    assert_eq!(
        (visit.activities_complete, ear.activities(), visit.missing[0].dataset),
        (false, vec![], "files")
    );

    // With listed legs: the legs count, the file is fetched once, the event is ignored.
    let mut data = triathlon();
    for (id, kind) in [(201, "open_water_swimming"), (202, "road_biking"), (203, "running")] {
        let mut leg = garmin_activity(id, kind, "2026-06-14T08:00:00Z");
        leg.leg_of = Some(200);
        data.activities.push(leg);
    }
    let fake = FakeGarmin::start(data).await;
    for files in [vec!["200".to_owned()], vec![]] {
        let (visit, ear) = fetch_garmin(&fake, &fake.clock(now())).await;
        assert!(visit.unwrap().activities_complete);
        assert_eq!((ear.activities().join(" "), ear.files()), ("201 202 203".to_owned(), files));
        fake.edit(|data| data.activities[0].file = None);
    }
}

#[tokio::test]
async fn list_with_unreadable_entry_is_incomplete() {
    let fake = FakeGarmin::start(garmin_week()).await;
    let bytes =
        br#"[{"activityId": 7, "startTimeGMT": "2026-06-14 05:00:00", "duration": 60}, {"activityId": 8}]"#;
    fake.misbehave_on(
        "search/activities",
        usize::MAX,
        Misbehavior::Body { bytes: bytes.to_vec(), gzip: false },
    );
    let (visit, ear) = fetch_garmin(&fake, &fake.clock(now())).await;
    let visit = visit.unwrap();
    assert_eq!((visit.activities_complete, ear.activities()), (false, vec!["7".to_owned()]));
    assert_eq!(visit.missing[0].reason, DatasetError::Unreadable { count: 1 });
}

#[tokio::test]
async fn wrong_content_instead_of_a_file_is_reported() {
    let fake = FakeGarmin::start(garmin_week()).await;
    fake.edit(|data| data.activities[0].file = Some(b" <!DOCTYPE html><p>sign in</p>".to_vec()));
    fake.edit(|data| data.activities[1].file = Some(b"\x0e\x20\x00\x00\x00\x00\x00\x00.FIT bare".to_vec()));
    let (visit, ear) = fetch_garmin(&fake, &fake.clock(now())).await;
    let visit = visit.unwrap();
    assert_eq!((ear.files(), visit.activities_complete), (vec!["101".to_owned()], true));
    assert!(
        ear.items.iter().any(|heard| matches!(heard, FetchedItem::File { name, .. } if name == "101.fit"))
    );
    assert_eq!(visit.missing[0].reason, DatasetError::NotAFile(UnexpectedContent::Html));
}

#[tokio::test]
async fn every_token_format_is_accepted() {
    for token_format in [TokenFormat::Text, TokenFormat::JsonText, TokenFormat::Snake, TokenFormat::Camel] {
        let fake = FakeGarmin::start(GarminData { token_format, ..garmin_week() }).await;
        let time = fake.clock(now());
        let mut account = garmin(&fake, &time);
        account.fetch(week(), &mut RecordingListener::default()).await.unwrap();
        assert_eq!(fake.exchanges(), 1, "{token_format:?}");
        // Valid for a day, and renewed an hour earlier.
        time.advance(TimeDelta::hours(22));
        account.fetch(week(), &mut RecordingListener::default()).await.unwrap();
        assert_eq!(fake.exchanges(), 1, "{token_format:?}");
        time.advance(TimeDelta::hours(1));
        account.fetch(week(), &mut RecordingListener::default()).await.unwrap();
        assert_eq!(fake.exchanges(), 2, "{token_format:?}");
    }
    let fake = FakeGarmin::start(GarminData { token_format: TokenFormat::Unknown, ..garmin_week() }).await;
    let (fault, _) = fetch_garmin(&fake, &fake.clock(now())).await;
    let problem = DatasetError::NoToken { keys: "ticket".to_owned() };
    assert_eq!(fault, Err(FetchError::Failed { dataset: "token", problem }));
}

#[tokio::test]
async fn refused_key_fails_with_advice() {
    let fake = FakeGarmin::start(garmin_week()).await;
    let time = fake.clock(now());
    let mut account =
        Garmin::new(&fake.base_url(), "GCDC_an-old-key".into(), Tz::UTC, time.http_env()).unwrap();
    assert!(!format!("{account:?}").contains("old-key"));
    let fault = account.fetch(week(), &mut RecordingListener::default()).await.unwrap_err();
    let text = format!("{fault} {fault:?}");
    assert!(text.contains("https://connect.garmin.com/app/settings/personalApiToken"), "{text}");
    assert!(!text.contains("old-key"));
    assert_eq!(fake.requests().len(), 1);
    let unusable = Garmin::new(&fake.base_url(), "two words".into(), Tz::UTC, time.http_env());
    assert_eq!(unusable.unwrap_err(), FetchError::KeyUnusable);
}

#[tokio::test]
async fn expired_token_is_renewed_once() {
    let clean = FakeGarmin::start(garmin_week()).await;
    let (_, expected) = fetch_garmin(&clean, &clean.clock(now())).await;
    for request in 2..=clean.requests().len() {
        let fake = FakeGarmin::start(garmin_week()).await;
        fake.misbehave_at(request, Misbehavior::Expire);
        let (visit, ear) = fetch_garmin(&fake, &fake.clock(now())).await;
        assert_eq!((visit.unwrap().missing, fake.exchanges()), (vec![], 2), "{request}");
        assert_eq!(ear.items, expected.items);
    }
    // A token that is rejected right after renewal is not renewed again.
    let fake = FakeGarmin::start(garmin_week()).await;
    for request in 2..60 {
        fake.misbehave_at(request, Misbehavior::Expire);
    }
    let (fault, ear) = fetch_garmin(&fake, &fake.clock(now())).await;
    assert_eq!(fault, Err(FetchError::Failed { dataset: "steps", problem: DatasetError::Status(401) }));
    assert_eq!((fake.exchanges(), ear.items.len()), (2, 0));
}

#[tokio::test]
async fn fetch_stops_when_the_listener_breaks() {
    for enough in 1..31 {
        let fake = FakeGarmin::start(garmin_week()).await;
        let mut ear = RecordingListener { stop_after: Some(enough), ..RecordingListener::default() };
        let visit = garmin(&fake, &fake.clock(now())).fetch(week(), &mut ear).await.unwrap();
        assert_consistent(&visit, &ear);
        assert_eq!(ear.items.len(), enough.min(30));
        let told_all = ear.activities().len() == 2 && enough > 28;
        assert_eq!(visit.activities_complete, told_all, "{enough}");
    }
}

#[tokio::test]
async fn probe_shows_only_field_names() {
    let fake = FakeGarmin::start(garmin_week()).await;
    let probed = garmin(&fake, &fake.clock(now())).probe().await.unwrap();
    assert_eq!(fake.violations(), Vec::<String>::new());
    let heart = probed.iter().find(|one| one.dataset == "daily_heart_rate").unwrap();
    assert_eq!(
        (heart.status, heart.path),
        (Some(200), "/wellness-service/wellness/dailyHeartRate?date={day}")
    );
    assert!(heart.keys.contains(&"heartRateValueDescriptors[].key".to_owned()), "{:?}", heart.keys);
    assert!(
        probed.iter().any(|one| one.dataset == "files" && one.status == Some(200) && one.keys.is_empty())
    );
    assert!(probed.iter().any(|one| one.dataset == "food_log" && one.status == Some(404)));
    let text = format!("{probed:?}");
    for value in ["3000000001", "102", "2026-06", "9000", "multi", "GCDC", "fake-access"] {
        assert!(!text.contains(value), "{value} in {text}");
    }
}

#[tokio::test]
async fn fake_garmin_rejects_invalid_requests() {
    let fake = FakeGarmin::start(garmin_week()).await;
    let ask = |path: &str, auth: &str| {
        client().get(format!("{}{path}", fake.base_url())).header("Authorization", auth).send()
    };
    let token = "/personalapitoken-service/personal-api/personal-api-key/token";
    let post =
        client().post(format!("{}{token}", fake.base_url())).header("Authorization", format!("ApiKey {KEY}"));
    let bearer = format!("Bearer {}", post.send().await.unwrap().text().await.unwrap());
    for (path, auth, status) in [
        ("/hrv-service/hrv/2026-06-14", "", 401),
        ("/hrv-service/hrv/2026-06-14", "Bearer made-up", 401),
        ("/hrv-service/hrv/2026-06-14", bearer.as_str(), 200),
        ("/hrv-service/hrv/2026-06-01", &bearer, 204),
        ("/usersummary-service/stats/stress/daily/2026-05-01/2026-05-28", &bearer, 200),
        ("/usersummary-service/stats/stress/daily/2026-05-01/2026-05-29", &bearer, 400),
        ("/training-readiness-service/2026-06-14", &bearer, 404),
        ("/biometric-service/heartRateZones?generate-defaults=true", &bearer, 405),
    ] {
        assert_eq!(ask(path, auth).await.unwrap().status(), status, "{path}");
    }
    let written =
        client().post(format!("{}/weight-service/weight", fake.base_url())).header("Authorization", &bearer);
    assert_eq!(written.send().await.unwrap().status(), 405);
    assert_eq!(fake.violations().len(), 2);
    // Two stalled requests, and a third.
    let seen = fake.requests().len();
    fake.misbehave_at(seen + 1, Misbehavior::Stall(3));
    fake.misbehave_at(seen + 2, Misbehavior::Stall(3));
    let path = "/hrv-service/hrv/2026-06-14";
    let (_one, _two) = (ask(path, &bearer).await.unwrap(), ask(path, &bearer).await.unwrap());
    let third = ask(path, &bearer).await.unwrap();
    assert_eq!((third.status().as_u16(), third.headers()["retry-after"].to_str().unwrap()), (429, "14"));
}
