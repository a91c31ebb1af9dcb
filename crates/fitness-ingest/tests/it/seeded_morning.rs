//! A known morning in the database gives exactly the expected daily snapshot. A changed input is
//! reported with a stable message.

use fitness_core::adherence::data_frontier::CoverageEvidence;
use fitness_core::coach_api::CoachApi as _;
use fitness_core::coach_api::requests::DayRequest;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::note::Author;
use fitness_core::domain::source_record::{DayRecord, SourceKind};
use fitness_core::domain::units::TimeSpan;
use fitness_core::domain::wellness::{DailyWellness, Sleep};
use fitness_ingest::{StopSignal, recompute};
use fitness_store::testkit::{TestDb, june, now};
use fitness_store::{ImportBatch, on_both_databases};

/// HRV in milliseconds, and minutes of sleep.
#[derive(Clone, Copy)]
struct SeededMorning {
    hrv: f64,
    asleep: i64,
}

/// Gives a recovery of 72, computed from this night and the sixty before it.
const ROW: SeededMorning = SeededMorning { hrv: 63.6, asleep: 444 };
const DAY: u32 = 6;

/// Stores the morning, reads the snapshot through the coach API, and returns the first difference.
async fn snapshot_reads_the_seeded_row(db: &TestDb, seeded: SeededMorning) -> Result<(), String> {
    let ann = db.user("Ann").await;
    let mut days: Vec<DayRecord> = (1..=60)
        .map(|ago| {
            // About 60 ms.
            let hrv = 60.0 + f64::from(ago % 7) - 3.0;
            night(june(DAY).plus_days(-i64::from(ago)), hrv, 440 + i64::from(ago % 5) * 6)
        })
        .collect();
    days.push(night(june(DAY), seeded.hrv, seeded.asleep));
    db.store
        .import_batch(ann, ImportBatch { day_records: days, ..ImportBatch::default() }, now())
        .await
        .unwrap();
    db.finish_import(ann, CoverageEvidence::Declared { day: june(DAY), declared_at: now() }).await;
    recompute(&db.store, ann, &mut |_| {}, &StopSignal::default()).await.unwrap();
    let api = db.store.coach_api(ann, Author::Coach, now(), "http://127.0.0.1:8787").await.unwrap();
    let snapshot = api.daily_snapshot(DayRequest { date: Some(june(DAY)) }).await.unwrap();
    for (fact, expected) in [("recovery", "72"), ("sleep_last_night", "7h 24m")] {
        let found = snapshot.facts.get(fact).map_or("missing", |fact| fact.shown.as_str());
        if found != expected {
            return Err(format!("{fact} of 2026-06-06: {found} is not {expected}"));
        }
    }
    Ok(())
}

fn night(day: Day, hrv: f64, asleep: i64) -> DayRecord {
    let sleep = Sleep { asleep: Some(TimeSpan::from_mins(asleep)), ..Sleep::default() };
    let wellness = DailyWellness {
        hrv_ms: Some(hrv),
        resting_heart_rate: Some(48),
        sleep: Some(sleep),
        ..DailyWellness::empty(day)
    };
    DayRecord {
        kind: SourceKind::GarminExport,
        dataset: "uds".to_owned(),
        wellness,
        as_of: None,
        readings: None,
        raw: None,
    }
}

on_both_databases! {
    async fn the_snapshot_reads_the_seeded_row(db) {
        assert_eq!(snapshot_reads_the_seeded_row(&db, ROW).await, Ok(()));
    }

    async fn changed_recovery_is_reported_with_the_same_message(db) {
        let told = snapshot_reads_the_seeded_row(&db, SeededMorning { hrv: 63.2, ..ROW }).await;
        assert_eq!(told, Err("recovery of 2026-06-06: 70 is not 72".to_owned()));
    }

    async fn changed_night_is_reported_with_the_same_message(db) {
        let told = snapshot_reads_the_seeded_row(&db, SeededMorning { asleep: 443, ..ROW }).await;
        assert_eq!(told, Err("sleep_last_night of 2026-06-06: 7h 23m is not 7h 24m".to_owned()));
    }
}
