//! The activity list and activity pages in a browser.

use crate::harness::{BASE_URL, Browser, TestResponse, TestSite, form};
use axum::http::{StatusCode, header};
use fitness_core::adherence::data_frontier::CoverageEvidence;
use fitness_core::domain::activity::{Activity, Lap};
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{ActivityId, UserId};
use fitness_core::domain::observation::ObservationKind;
use fitness_core::domain::source_record::{
    Details, ParseCounts, ParsedActivity, RecordKey, SourceKind, SourceRecord, SwimLength,
};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::stream::{Channel, Recording};
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_store::testkit::{june, now};
use fitness_store::training::activity_search::{ActivityFilter, PagePosition};
use fitness_store::{ImportBatch, PackedOriginalFile, PackedRecord, StoredActivity};

async fn activities(site: &TestSite, user: UserId) -> Vec<StoredActivity> {
    let page = site
        .db
        .store
        .search_activities(user, &ActivityFilter::default(), PagePosition::Start, 500)
        .await
        .unwrap();
    page.activities
}

/// Takes in an activity; gives back its address.
async fn import_activity(site: &TestSite, user: UserId, recorded: ParsedActivity) -> (ActivityId, String) {
    let at = recorded.activity.started_at;
    let key = RecordKey { kind: SourceKind::Garmin, id: at.to_string() };
    site.db.import_record(user, SourceRecord { key, parsed: recorded, raw: None }).await;
    let all = activities(site, user).await;
    let id = all.iter().find(|one| one.activity.started_at == at).unwrap().id;
    (id, format!("/activities/{id}"))
}

fn new_activity(sport: Sport, at: &str) -> Activity {
    Activity {
        elapsed: Some(TimeSpan::from_mins(50)),
        distance: Distance::from_km(10.0),
        ..Activity::new(sport, at.parse::<Instant>().unwrap(), 0)
    }
}

type SampledChannel<'a> = (Channel, &'a dyn Fn(i32) -> Option<i32>);

fn recording(moments: Vec<i32>, columns: &[SampledChannel<'_>]) -> Recording {
    let mut recording = Recording::new(moments.clone()).unwrap();
    for (channel, value) in columns {
        recording.insert_column(*channel, moments.iter().map(|ms| value(*ms)).collect()).unwrap();
    }
    recording
}

fn assert_no_bad_numbers(page: &TestResponse) {
    for bad in ["NaN", "\"inf", " inf", "Infinity"] {
        assert!(!page.contains(bad), "{bad} in {}", page.text);
    }
}

#[tokio::test]
async fn list_shows_stored_activities_and_verdicts_of_matched_workouts() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    site.db.active_plan(ann, "Half").await;
    site.db.import_run(ann, june(9), 8.1).await;
    site.db.import_run(ann, june(11), 5.2).await;
    import_activity(
        &site,
        ann,
        ParsedActivity::without_samples(Activity {
            name: Some("<script>alert(1)</script>\u{202e}".to_owned()),
            ..new_activity(Sport::Strength, "2026-06-12T08:00:00Z")
        }),
    )
    .await;
    site.db.finish_import(ann, CoverageEvidence::Declared { day: june(13), declared_at: now() }).await;
    let browser = site.signed_in(ann).await;
    let page = browser.get("/activities").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.contains("3 activities · 23.3 km"), "{}", page.text);
    assert!(page.contains("8.1 km") && page.contains("50:00") && page.contains("141 bpm"), "{}", page.text);
    assert!(page.contains("class=\"chip hit\"") && page.contains("class=\"chip short\""), "{}", page.text);
    assert!(
        !page.contains("<script>alert")
            && page.contains("&lt;script&gt;alert(1)&lt;/script&gt;&lt;U+202E&gt;")
    );
    assert!(page.contains("No heart rate recorded"), "a dash says why");
    let one = activities(&site, ann).await.into_iter().find(|one| one.day == june(11)).unwrap();
    let page = browser.get(&format!("/activities/{}", one.id)).await;
    assert!(
        page.contains("Counts as the planned workout") && page.contains("5.2 km of 10.0 km"),
        "{}",
        page.text
    );
    assert!(page.contains(&format!("/coach?about=activity:{}", one.id)));
}

#[tokio::test]
async fn pagination_works_both_ways_and_keeps_the_filter() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    for day in 1..=30 {
        site.db.import_run(ann, june(day), 5.0).await;
        site.db.import_run(ann, june(day), 9.0).await;
    }
    import_activity(
        &site,
        ann,
        ParsedActivity::without_samples(new_activity(Sport::Cycling, "2026-06-02T20:00:00Z")),
    )
    .await;
    let browser = site.signed_in(ann).await;
    let link = |page: &TestResponse, rel: &str| {
        let (_, after) = page.text.split_once(&format!("rel=\"{rel}\" href=\""))?;
        Some(after.split('"').next()?.replace("&amp;", "&"))
    };
    let first = browser.get("/activities?sport=running").await;
    assert!(link(&first, "prev").is_none() && first.contains("60 activities"), "{}", first.text);
    assert_eq!(first.text.matches("data-row").count(), 40);
    let second = browser.get(&link(&first, "next").unwrap()).await;
    assert_eq!(second.text.matches("data-row").count(), 20, "the ride is not among them");
    assert!(link(&second, "next").is_none());
    let back = browser.get(&link(&second, "prev").unwrap()).await;
    assert_eq!(back.text.matches("data-row").count(), 40);
}

#[tokio::test]
async fn empty_list_and_no_match_differ_and_bad_filters_are_reported() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let browser = site.signed_in(ann).await;
    assert!(browser.get("/activities").await.contains("Import data"));
    site.db.import_run(ann, june(9), 8.0).await;
    let nothing = browser.get("/activities?q=zebra").await;
    assert!(
        nothing.contains("Nothing matches these filters.") && nothing.contains("value=\"zebra\""),
        "{}",
        nothing.text
    );
    for (query, said) in [
        ("from=yesterday", "Choose a date."),
        ("from=2026-06-10&to=2026-06-01", "before the start date"),
        ("sport=curling", "Choose a sport from the list."),
        ("before=9", "This link is broken"),
        ("q=%3Cimg%20src=x%3E&sport=rest", "Choose a sport from the list."),
    ] {
        let page = browser.get(&format!("/activities?{query}")).await;
        assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY, "{query}");
        assert!(page.contains(said), "{query}: {}", page.text);
        assert!(!page.contains("<img"));
    }
    let long = format!("/activities?q={}", "a".repeat(5000));
    assert_eq!(browser.get(&long).await.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn notes_and_edits_are_saved_and_bad_input_is_shown_again() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let (id, address) = import_activity(
        &site,
        ann,
        ParsedActivity::without_samples(new_activity(Sport::Running, "2026-06-09T08:00:00Z")),
    )
    .await;
    let browser = site.signed_in(ann).await;
    let post =
        async |what: &str, fields: &[(&str, &str)]| browser.post(&format!("{address}/{what}"), fields).await;
    let store = &site.db.store;
    assert_eq!(
        post("note", &[("effort", "7"), ("note", " calf tight ")]).await.redirect_target(),
        format!("{address}?done=noted")
    );
    let felt = store.list_observations(ann, june(9), june(9)).await.unwrap();
    assert_eq!(
        (felt[0].data.kind(), felt[0].data.value(), felt[0].data.activity()),
        (ObservationKind::Rpe, Some(7), Some(id))
    );
    assert_eq!(store.list_notes(ann).await.unwrap()[0].text.as_str(), "calf tight");
    assert!(browser.get(&address).await.contains("calf tight"));
    for (fields, said) in [
        (vec![("effort", "11"), ("note", "kept words")], "rpe must be between 0 and 10"),
        (vec![("effort", "hard"), ("note", "kept words")], "Choose a number from 0 to 10."),
        (vec![("effort", ""), ("note", " ")], "Choose an effort or write a note."),
    ] {
        let page = post("note", &fields).await;
        assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY, "{said}");
        assert!(page.text.to_lowercase().contains(&said.to_lowercase()), "{said}: {}", page.text);
        assert!(fields[1].1 == " " || page.contains("kept words"));
    }
    assert_eq!(store.list_notes(ann).await.unwrap().len(), 1, "nothing was saved");
    assert_eq!(
        post("edit", &[("name", "Hill loop"), ("sport", "running")]).await.redirect_target(),
        format!("{address}?done=saved")
    );
    let swim = post("edit", &[("name", "Hill loop"), ("sport", "swimming")]).await;
    assert_eq!(swim.status, StatusCode::UNPROCESSABLE_ENTITY, "10 km in 50 minutes is no swim");
    assert!(swim.contains("too fast for swimming"), "{}", swim.text);
    let long = "x".repeat(300);
    for bad in [
        [("name", "Hill loop"), ("sport", "curling")],
        [("name", ""), ("sport", "running")],
        [("name", &long), ("sport", "running")],
    ] {
        assert_eq!(post("edit", &bad).await.status, StatusCode::UNPROCESSABLE_ENTITY, "{bad:?}");
    }
    let shown = store.find_activity(ann, id).await.unwrap().unwrap();
    assert_eq!(
        (shown.activity.name.as_deref(), shown.activity.sport, shown.edited),
        (Some("Hill loop"), Sport::Running, true)
    );
    post("reset", &[]).await.redirect_target();
    assert!(!store.find_activity(ann, id).await.unwrap().unwrap().edited);
    assert_eq!(post("delete", &[]).await.redirect_target(), "/activities?deleted=1&done=deleted");
    assert_eq!(browser.get(&address).await.status, StatusCode::NOT_FOUND);
    assert!(browser.get("/activities?deleted=1").await.contains(&format!("{address}/restore")));
    post("restore", &[]).await.redirect_target();
    assert_eq!(browser.get(&address).await.status, StatusCode::OK);
}

#[tokio::test]
async fn activity_of_another_user_is_not_found_and_forms_need_same_origin() {
    let site = TestSite::new().await;
    let (ann, bob) = (site.db.user("Ann").await, site.db.user("Bob").await);
    let (id, address) = import_activity(
        &site,
        ann,
        ParsedActivity::without_samples(new_activity(Sport::Running, "2026-06-09T08:00:00Z")),
    )
    .await;
    let (mine, theirs): (Browser, Browser) = (site.signed_in(ann).await, site.signed_in(bob).await);
    let nowhere = theirs.get("/activities/999999").await;
    let anothers = theirs.get(&address).await;
    assert_eq!((anothers.status, &anothers.text), (StatusCode::NOT_FOUND, &nowhere.text));
    for odd in [
        "/activities/-1",
        "/activities/x",
        "/activities/99999999999999999999",
        "/trends/nothing.csv",
        "/trends/fitness",
    ] {
        assert_eq!(mine.get(odd).await.status, StatusCode::NOT_FOUND, "{odd}");
    }
    let fields = [("effort", "5"), ("note", "mine now"), ("name", "Stolen"), ("sport", "running")];
    for what in ["note", "edit", "reset", "delete", "restore"] {
        let path = format!("{address}/{what}");
        assert_eq!(theirs.post(&path, &fields).await.status, StatusCode::NOT_FOUND, "{what}");
        let own = || mine.request("POST", &path).header(header::ORIGIN, BASE_URL);
        let with_token = [&fields[..], &[("form_token", mine.token.as_str())]].concat();
        let foreign = mine.request("POST", &path).header(header::ORIGIN, "http://evil.example");
        for request in [
            form(own(), &fields),
            form(own(), &[&fields[..], &[("form_token", theirs.token.as_str())]].concat()),
            form(own().header(header::AUTHORIZATION, "Bearer x"), &with_token),
            form(foreign, &with_token),
            form(mine.request("POST", &path), &with_token),
        ] {
            assert_eq!(mine.send(request).await.status, StatusCode::FORBIDDEN, "{what}");
        }
    }
    let kept = site.db.store.find_activity(ann, id).await.unwrap().unwrap();
    assert_eq!((kept.activity.name, kept.edited), (None, false));
    for user in [ann, bob] {
        assert!(site.db.store.list_notes(user).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn every_kind_of_recording_has_a_page() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let browser = site.signed_in(ann).await;
    let seconds = |count: i32| (0..count).map(|s| s * 1000).collect::<Vec<i32>>();
    let whole = recording(
        seconds(1500),
        &[
            (Channel::Distance, &|ms| Some(ms * 3)),
            (Channel::HeartRate, &|ms| (ms % 7000 != 0).then_some(140 + ms / 100_000)),
            (Channel::Altitude, &|ms| Some(500_000 + ms / 10)),
            (Channel::Latitude, &|ms| Some(480_000_000 + ms / 10)),
            (Channel::Longitude, &|ms| Some(110_000_000 + ms / 7)),
        ],
    );
    let one_point = recording(
        vec![0],
        &[
            (Channel::Latitude, &|_| Some(480_000_000)),
            (Channel::Longitude, &|_| Some(110_000_000)),
            (Channel::Distance, &|_| Some(0)),
        ],
    );
    let indoors =
        recording(seconds(600), &[(Channel::Power, &|_| Some(200)), (Channel::HeartRate, &|_| None)]);
    let wild = recording(
        vec![0, 0, i32::MAX - 1],
        &[
            (Channel::Distance, &|ms| Some(ms)),
            (Channel::Speed, &|_| Some(i32::MAX)),
            (Channel::Altitude, &|ms| Some(i32::MAX - ms)),
            (Channel::Latitude, &|_| Some(i32::MAX)),
            (Channel::Longitude, &|_| Some(i32::MAX)),
        ],
    );
    let lap = |second: i64| Lap {
        started_at: now(),
        elapsed: Some(TimeSpan::from_secs(second)),
        moving: None,
        distance: None,
        avg_heart_rate: None,
        max_heart_rate: None,
        avg_power: None,
        avg_cadence: None,
        kind: Some("<b>interval</b>".to_owned()),
    };
    let length = |active| SwimLength {
        started_at: now(),
        elapsed: Some(TimeSpan::from_secs(30)),
        strokes: Some(12),
        stroke: Some("freestyle".to_owned()),
        active,
    };
    let cases: [(&str, ParsedActivity, &[&str]); 6] = [
        (
            "2026-06-01",
            ParsedActivity::without_samples(new_activity(Sport::Running, "2026-06-01T08:00:00Z")),
            &["Summary only"],
        ),
        (
            "2026-06-02",
            ParsedActivity {
                recording: Some(whole),
                ..ParsedActivity::without_samples(new_activity(Sport::Running, "2026-06-02T08:00:00Z"))
            },
            &[
                "Pace, min/km",
                "Heart rate, bpm",
                "Elevation, m",
                "Outline of the route",
                "Splits",
                "data-reads",
            ],
        ),
        (
            "2026-06-03",
            ParsedActivity {
                recording: Some(one_point),
                ..ParsedActivity::without_samples(new_activity(Sport::Running, "2026-06-03T08:00:00Z"))
            },
            &["no speed, heart rate, elevation or power data"],
        ),
        (
            "2026-06-04",
            ParsedActivity {
                recording: Some(indoors),
                ..ParsedActivity::without_samples(new_activity(Sport::Cycling, "2026-06-04T08:00:00Z"))
            },
            &["Power, W"],
        ),
        (
            "2026-06-05",
            ParsedActivity {
                recording: Some(wild),
                counts: ParseCounts { samples_with_bad_time: 2, ..ParseCounts::default() },
                ..ParsedActivity::without_samples(new_activity(Sport::Other, "2026-06-05T08:00:00Z"))
            },
            &["Recording", "2 samples with a wrong clock time were dropped."],
        ),
        (
            "2026-06-06",
            ParsedActivity {
                details: Details {
                    lengths: vec![length(true), length(true), length(false), length(true)],
                    ..Details::default()
                },
                ..ParsedActivity::without_samples(Activity {
                    distance: Distance::from_meters(75.0),
                    laps: vec![lap(60), lap(0)],
                    ..new_activity(Sport::Swimming, "2026-06-06T08:00:00Z")
                })
            },
            &["Lengths", "freestyle", "75 m", "Laps", "&lt;b&gt;interval"],
        ),
    ];
    for (day, recorded, words) in cases {
        let (_, address) = import_activity(&site, ann, recorded).await;
        for path in [address.clone(), format!("{address}?x=time")] {
            let page = browser.get(&path).await;
            assert_eq!(page.status, StatusCode::OK, "{day}");
            assert_no_bad_numbers(&page);
            assert!(page.bytes.len() < 38_000, "{day} has {} bytes", page.bytes.len());
            for words in words {
                assert!(page.contains(words), "{day}: {words} not in {}", page.text);
            }
        }
        // Whatever is drawn can be read as a table, which has an end however long the recording is.
        let table = browser.get(&format!("{address}?table=recording")).await;
        assert_no_bad_numbers(&table);
        let rows = table.text.split("aria-label=\"Recording (scrollable)").nth(1);
        let rows = rows.map_or(0, |rows| rows.split("</table>").next().unwrap().matches("<tr").count());
        assert!(
            (2..=122).contains(&rows) || words == ["Summary only"] || day == "2026-06-06",
            "{day}: {rows}"
        );
    }
}

#[tokio::test]
async fn original_file_download_is_unchanged_and_private() {
    let site = TestSite::new().await;
    let (ann, bob) = (site.db.user("Ann").await, site.db.user("Bob").await);
    let bytes = b"not really a recording";
    let hash = ContentHash::hash_bytes(bytes);
    let key = RecordKey { kind: SourceKind::Garmin, id: "1".to_owned() };
    let parsed = ParsedActivity::without_samples(new_activity(Sport::Running, "2026-06-09T08:00:00Z"));
    let report = PackedRecord::pack(SourceRecord { key, parsed, raw: None }, Some(hash), None).unwrap();
    let original = PackedOriginalFile::pack("../../a \"run\"\r\n.fit", hash, bytes);
    let batch = ImportBatch { originals: vec![original], records: vec![report], ..ImportBatch::default() };
    site.db.store.import_batch(ann, batch, now()).await.unwrap();
    let id = activities(&site, ann).await[0].id;
    let path = format!("/activities/{id}/files/{hash}");
    let browser = site.signed_in(ann).await;
    assert!(browser.get(&format!("/activities/{id}")).await.contains(&path));
    let file = browser.get(&path).await;
    assert_eq!((file.status, file.bytes.as_slice()), (StatusCode::OK, &bytes[..]));
    let name = file.headers[header::CONTENT_DISPOSITION].to_str().unwrap();
    assert!(name.starts_with("attachment; filename=\"arun-") && name.ends_with(".fit\""), "{name}");
    assert_eq!(site.signed_in(bob).await.get(&path).await.status, StatusCode::NOT_FOUND);
    assert_eq!(
        browser.get(&format!("/activities/{id}/files/{}", ContentHash::hash_bytes(b"x"))).await.status,
        StatusCode::NOT_FOUND
    );
}
