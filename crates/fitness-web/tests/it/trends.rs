//! Charts, captions, tables and CSV of Trends match the store.

use crate::harness::TestSite;
use axum::http::{StatusCode, header};
use chrono::TimeDelta;
use fitness_core::adherence::data_frontier::CoverageEvidence;
use fitness_core::domain::activity::Activity;
use fitness_core::domain::athlete::{Threshold, ThresholdKind, ThresholdOrigin};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::UserId;
use fitness_core::domain::source_record::{DayRecord, ParsedActivity, RecordKey, SourceKind, SourceRecord};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::stream::{Channel, Recording};
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::domain::wellness::{DailyWellness, Sleep};
use fitness_store::testkit::{june, now};
use fitness_store::{ImportBatch, PackedRecord};

const RANGES: [&str; 5] = ["6w", "3m", "6m", "1y", "all"];
const CHARTS: [&str; 8] = ["fitness", "hrv", "resting", "sleep", "volume", "efforts", "prediction", "days"];

/// Twenty minutes at 150 beats, a sample every five seconds.
fn heart_rate_recording() -> Recording {
    let moments: Vec<i32> = (0..240).map(|at| at * 5000).collect();
    let mut recording = Recording::new(moments.clone()).unwrap();
    recording.insert_column(Channel::HeartRate, moments.iter().map(|_| Some(150)).collect()).unwrap();
    recording
}

/// So many days of training and nights until 13 June, every third day off.
pub(crate) async fn athlete_with_training(site: &TestSite, days: i64) -> UserId {
    let ann = site.db.user("Ann").await;
    let limit = |kind, value| Threshold {
        kind,
        value,
        from: june(13).plus_days(-days),
        origin: ThresholdOrigin::Set,
    };
    for (kind, value) in [(ThresholdKind::MaxHeartRate, 190.0), (ThresholdKind::ThresholdHeartRate, 170.0)] {
        site.db.store.put_threshold(ann, &limit(kind, value), now()).await.unwrap();
    }
    let mut batch = ImportBatch::default();
    for back in 0..days {
        let day = june(13).plus_days(-back);
        let at: Instant = format!("{day}T08:00:00Z").parse().unwrap();
        let mut wellness = DailyWellness::empty(day);
        wellness.hrv_ms = Some(50.0 + (back % 7) as f64);
        wellness.resting_heart_rate = Some(50 + (back % 3) as u16);
        wellness.sleep =
            Some(Sleep { asleep: Some(TimeSpan::from_mins(420 + back % 60)), ..Sleep::default() });
        batch.day_records.push(DayRecord {
            kind: SourceKind::Garmin,
            dataset: String::new(),
            wellness,
            as_of: None,
            readings: None,
            raw: None,
        });
        if back % 3 != 0 {
            let activity = Activity {
                name: Some("=HYPERLINK(\"x\")".to_owned()),
                moving: Some(TimeSpan::from_mins(50)),
                distance: Distance::from_km(10.0),
                avg_heart_rate: Some(150),
                ..Activity::new(Sport::Running, at + TimeDelta::minutes(1), 0)
            };
            let key = RecordKey { kind: SourceKind::Garmin, id: day.to_string() };
            let recorded = ParsedActivity {
                recording: Some(heart_rate_recording()),
                ..ParsedActivity::without_samples(activity)
            };
            let report = SourceRecord { key, parsed: recorded, raw: None };
            batch.records.push(PackedRecord::pack(report, None, None).unwrap());
        }
    }
    site.db.store.import_batch(ann, batch, now()).await.unwrap();
    site.db.finish_import(ann, CoverageEvidence::Declared { day: june(13), declared_at: now() }).await;
    ann
}

#[tokio::test]
async fn trends_without_data_show_message_and_button() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let browser = site.signed_in(ann).await;
    for range in RANGES {
        let page = browser.get(&format!("/trends?range={range}")).await;
        assert_eq!(page.status, StatusCode::OK);
        assert!(page.contains("Import data") && !page.contains("<svg class=\"chart\""));
    }
    let csv = browser.get("/trends/fitness.csv").await;
    assert_eq!((csv.status, csv.text.trim()), (StatusCode::OK, ""));
}

/// Before the first day of data and after the last one nobody knows what was done.
#[tokio::test]
async fn day_without_data_has_no_minutes() {
    let site = TestSite::new().await;
    let ann = athlete_with_training(&site, 60).await;
    let browser = site.signed_in(ann).await;
    let csv = browser.get("/trends/days.csv").await.text;
    let of = |day: Day| csv.lines().find_map(|line| line.strip_prefix(&format!("{day},"))).map(str::to_owned);
    assert_eq!(of(june(13)).as_deref(), Some("0"), "a day off: {csv}");
    assert_eq!(of(june(12)).as_deref(), Some("50"));
    assert_eq!(of(june(13).plus_days(-90)).as_deref(), Some(""), "before there was a watch");
    assert!(browser.get("/trends").await.contains("You trained on 40 of 60 days."));
}

#[tokio::test]
async fn trends_match_the_store_in_every_range() {
    let site = TestSite::new().await;
    let ann = athlete_with_training(&site, 200).await;
    let browser = site.signed_in(ann).await;
    let page = browser.get("/trends?range=6w").await;
    let lines = site.db.store.list_fitness_points(ann, june(1), june(13)).await.unwrap();
    let last = lines.iter().rfind(|line| line.fitness.is_some()).unwrap();
    assert_eq!(last.day, june(13));
    let said =
        format!("Fitness {:.0} (area) and fatigue {:.0}", last.fitness.unwrap(), last.fatigue.unwrap());
    assert!(last.fitness.unwrap() > 1.0 && page.contains(&said), "{said}: {}", page.text);
    assert!(page.contains("class=\"f productive\""), "the bands");
    // The form of the latest morning, which is what the evenings before it leave: the number that Today tells.
    let lines = site.db.store.list_fitness_points(ann, june(1), june(14)).await.unwrap();
    let form = lines.last().unwrap().form;
    let told = format!("{form:+.0}").replace('-', "−");
    assert!(page.contains(&format!("form {told} (below) on the morning of")), "{told}: {}", page.text);
    // 14 of 21 days in three whole weeks with 10 km each; the weeks begin on Monday.
    let week: f64 = site
        .db
        .store
        .list_day_totals(ann, june(1), june(7))
        .await
        .unwrap()
        .iter()
        .map(|(.., t)| t.distance.km())
        .sum();
    let table = browser.get("/trends?range=6w&table=volume").await;
    assert!(table.contains("1 Jun") && table.contains(&format!("{week:.1} km")), "{}", table.text);
    // The evening is the same day in every range, even where a point is a whole week.
    for range in RANGES {
        let page = browser.get(&format!("/trends?range={range}")).await;
        assert!(page.contains("on the evening of Sat 13 Jun"), "{range}: {}", page.text);
    }
    for range in RANGES {
        let page = browser.get(&format!("/trends?range={range}&volume=load")).await;
        assert_eq!(page.status, StatusCode::OK, "{range}");
        for bad in ["NaN", "\"inf", " inf"] {
            assert!(!page.contains(bad), "{bad} in {range}");
        }
        assert!(page.bytes.len() < 38_000, "{range} has {} bytes", page.bytes.len());
        for chart in CHARTS {
            let table = browser.get(&format!("/trends?range={range}&table={chart}")).await;
            assert_eq!(table.status, StatusCode::OK, "{range} {chart}");
            assert!(
                table.contains("<h1>Trends</h1>") && !table.contains("<svg class=\"chart\""),
                "{range} {chart}"
            );
            assert!(table.bytes.len() < 38_000, "{range} {chart} has {} bytes", table.bytes.len());
        }
    }
    // What is not understood is as if it were not there.
    assert_eq!(browser.get("/trends?range=9z&table=x&volume=y").await.status, StatusCode::OK);
}

#[tokio::test]
async fn csv_has_every_day_and_matches_the_store() {
    let site = TestSite::new().await;
    let ann = athlete_with_training(&site, 400).await;
    let browser = site.signed_in(ann).await;
    let csv = browser.get("/trends/fitness.csv?range=all").await;
    assert_eq!(csv.headers[header::CONTENT_TYPE], "text/csv; charset=utf-8");
    assert!(csv.headers[header::CONTENT_DISPOSITION].to_str().unwrap().starts_with("attachment"));
    let rows: Vec<Vec<&str>> = csv.text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["day", "load", "fitness", "fatigue", "form"]);
    let lines = site.db.store.list_fitness_points(ann, june(13).plus_days(-399), june(13)).await.unwrap();
    assert_eq!(rows.len(), lines.len() + 1, "every day, however far back");
    for (row, line) in rows[1..].iter().zip(&lines) {
        assert_eq!(row[0].parse::<Day>().unwrap(), line.day);
        let near = |text: &str, value: f64| (text.parse::<f64>().unwrap() - value).abs() < 0.006;
        assert!(near(row[2], line.fitness.unwrap()) && near(row[4], line.form), "{row:?} {line:?}");
    }
    let sleep = browser.get("/trends/sleep.csv?range=6w").await;
    assert_eq!(sleep.text.lines().count(), 43, "{}", sleep.text);
    let known = browser.get("/trends/sleep.csv?range=1y").await.text;
    assert!(
        known.lines().last().unwrap().split(',').all(|field| !field.is_empty()),
        "a night and its normal range"
    );
    for chart in CHARTS {
        let csv = browser.get(&format!("/trends/{chart}.csv")).await;
        assert_eq!(csv.status, StatusCode::OK, "{chart}");
        assert!(
            !csv.text.contains("NaN") && csv.text.lines().all(|line| !line.starts_with(['=', '@'])),
            "{chart}"
        );
    }
    assert_eq!(browser.get("/trends/users.csv").await.status, StatusCode::NOT_FOUND);
    let bob = site.db.user("Bob").await;
    assert_eq!(site.signed_in(bob).await.get("/trends/fitness.csv?range=all").await.text.trim(), "");
}
