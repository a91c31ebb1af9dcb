//! A recording listener and two small accounts.

use chrono::TimeDelta;
use chrono_tz::Tz;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::source_record::{ImportedRecord, RecordKey};
use fitness_sources::live::{
    DayRange, FetchError, FetchListener, FetchOutcome, FetchedItem, Garmin, Intervals, Source,
};
use fitness_sources::testkit::{
    FakeClock, FakeGarmin, FakeIntervals, GarminActivity, GarminData, GarminDay, IntervalsActivity,
    IntervalsData,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

pub(crate) const KEY: &str = "GCDC_this-is-the-key";

pub(crate) fn at(text: &str) -> Instant {
    text.parse().unwrap()
}

pub(crate) fn day(text: &str) -> Day {
    text.parse().unwrap()
}

pub(crate) fn span(from: &str, through: &str) -> DayRange {
    DayRange { from: day(from), through: day(through) }
}

/// Monday morning.
pub(crate) fn now() -> Instant {
    at("2026-06-15T07:00:00Z")
}

pub(crate) fn week() -> DayRange {
    span("2026-06-09", "2026-06-15")
}

/// Records all items.
#[derive(Debug, Default)]
pub(crate) struct RecordingListener {
    pub(crate) items: Vec<FetchedItem>,
    /// Activities whose files are already stored.
    pub(crate) existing_files: BTreeSet<RecordKey>,
    /// Stops after this many items.
    pub(crate) stop_after: Option<usize>,
    pub(crate) progress: Vec<(&'static str, usize, Option<usize>)>,
}

impl FetchListener for RecordingListener {
    fn wants_file(&self, activity: &RecordKey) -> bool {
        !self.existing_files.contains(activity)
    }

    async fn receive(&mut self, heard: FetchedItem) -> ControlFlow<()> {
        self.items.push(heard);
        let enough = self.stop_after.is_some_and(|enough| self.items.len() >= enough);
        if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn progress(&mut self, dataset: &'static str, done: usize, of: Option<usize>) {
        self.progress.push((dataset, done, of));
    }
}

impl RecordingListener {
    /// Ids of the received activities.
    pub(crate) fn activities(&self) -> Vec<String> {
        let told = self.items.iter().filter_map(|heard| match heard {
            FetchedItem::Record(ImportedRecord::Activity(report)) => Some(report.key.id.clone()),
            _ => None,
        });
        told.collect()
    }

    /// Ids of the activities whose files were received.
    pub(crate) fn files(&self) -> Vec<String> {
        let files = self.items.iter().filter_map(|heard| match heard {
            FetchedItem::File { activity, .. } => Some(activity.id.clone()),
            FetchedItem::Record(_) => None,
        });
        files.collect()
    }

    /// Daily records of a dataset.
    pub(crate) fn days(&self, part: &str) -> Vec<&fitness_core::domain::source_record::DayRecord> {
        let days = self.items.iter().filter_map(|heard| match heard {
            FetchedItem::Record(ImportedRecord::Day(report)) if report.dataset == part => {
                Some(report.as_ref())
            }
            _ => None,
        });
        days.collect()
    }

    /// Time of the newest item.
    pub(crate) fn newest(&self) -> Option<Instant> {
        self.items.iter().filter_map(newest).max()
    }
}

fn newest(heard: &FetchedItem) -> Option<Instant> {
    match heard {
        FetchedItem::Record(ImportedRecord::Activity(report)) => {
            let activity = &report.parsed.activity;
            Some(activity.started_at + TimeDelta::milliseconds(activity.elapsed?.ms()))
        }
        FetchedItem::Record(ImportedRecord::Day(report)) => {
            let woke = report.wellness.sleep.as_ref().and_then(|sleep| sleep.ended_at);
            let raw: Value = serde_json::from_str(report.raw.as_ref()?).unwrap();
            let beats = raw["heartRateValues"].as_array().into_iter().flatten();
            let counted = beats.filter(|row| row[1].is_number()).filter_map(|row| row[0].as_i64());
            let last = counted.max().and_then(chrono::DateTime::from_timestamp_millis);
            woke.max(last)
        }
        _ => None,
    }
}

/// Invariants of every fetch.
#[track_caller]
pub(crate) fn assert_consistent(visit: &FetchOutcome, ear: &RecordingListener) {
    assert!(visit.newest_record <= ear.newest(), "{:?} is later than anything told", visit.newest_record);
    assert!(visit.newest_record <= Some(visit.polled_at));
    if !visit.activities_complete {
        assert!(!visit.missing.is_empty(), "incomplete without a word");
    }
}

/// A week in which the watch was worn from Saturday on.
pub(crate) fn garmin_week() -> GarminData {
    let mut data = GarminData { key: KEY.to_owned(), ..GarminData::default() };
    for (on, beats_until) in [("2026-06-13", "23:58"), ("2026-06-14", "23:58"), ("2026-06-15", "06:40")] {
        let time = |clock: &str| at(&format!("{on}T{clock}:00Z"));
        data.days.insert(
            day(on),
            GarminDay {
                steps: Some(9000),
                resting: Some(48),
                lowest: Some(44),
                beats: vec![(time("00:10"), Some(50)), (time(beats_until), Some(61)), (time("23:59"), None)],
                night: Some((time("00:00"), time("06:00"))),
                hrv: Some(62),
                stress: Some(27),
                battery: vec![(time("00:00"), 30), (time("06:00"), 92)],
                weight: Some(61_500.0),
            },
        );
    }
    data.activities = vec![
        garmin_activity(102, "running", "2026-06-14T08:00:00Z"),
        garmin_activity(101, "cycling", "2026-06-13T16:00:00Z"),
    ];
    data
}

pub(crate) fn garmin_activity(id: u64, kind: &'static str, started_at: &str) -> GarminActivity {
    let file = Some(format!("PK\u{3}\u{4} file {id}").into_bytes());
    GarminActivity { id, kind, started_at: at(started_at), offset_h: 0, seconds: 3600, file, leg_of: None }
}

pub(crate) fn garmin(fake: &FakeGarmin, time: &FakeClock) -> Garmin {
    Garmin::new(&fake.base_url(), KEY.into(), Tz::UTC, time.http_env()).unwrap()
}

pub(crate) async fn fetch_garmin(
    fake: &FakeGarmin,
    time: &FakeClock,
) -> (Result<FetchOutcome, FetchError>, RecordingListener) {
    let mut ear = RecordingListener::default();
    let visit = garmin(fake, time).fetch(week(), &mut ear).await;
    if let Ok(visit) = &visit {
        assert_consistent(visit, &ear);
    }
    assert_eq!(fake.violations(), Vec::<String>::new());
    (visit, ear)
}

/// A week at intervals.icu, with one activity from Strava.
pub(crate) fn intervals_week() -> IntervalsData {
    let activity = |id, kind, started_at: &str, source| IntervalsActivity {
        id,
        kind,
        started_at: at(started_at),
        offset_h: 0,
        seconds: 3600,
        source,
        file: (source != "STRAVA").then(|| b"\x1f\x8b\x08 packed".to_vec()),
    };
    IntervalsData {
        key: KEY.to_owned(),
        athlete: "i5".to_owned(),
        activities: vec![
            activity("i72", "Run", "2026-06-14T08:00:00Z", "GARMIN_CONNECT"),
            activity("71", "Ride", "2026-06-13T16:00:00Z", "STRAVA"),
            activity("i70", "Ride", "2026-06-12T16:00:00Z", "UPLOAD"),
        ],
        wellness: [
            (day("2026-06-14"), json!({"restingHR": 48, "weight": 61.5, "updated": "2026-06-15T06:59:00Z"})),
            (day("2026-06-15"), json!({"hrv": 61.0, "sleepSecs": 27_000, "ctl": 50.1})),
        ]
        .into(),
        ..IntervalsData::default()
    }
}

pub(crate) fn intervals(fake: &FakeIntervals, time: &FakeClock) -> Intervals {
    Intervals::new(&fake.base_url(), "0", KEY.into(), Tz::UTC, time.http_env()).unwrap()
}

pub(crate) async fn fetch_intervals(
    fake: &FakeIntervals,
    time: &FakeClock,
) -> (Result<FetchOutcome, FetchError>, RecordingListener) {
    let mut ear = RecordingListener::default();
    let visit = intervals(fake, time).fetch(week(), &mut ear).await;
    if let Ok(visit) = &visit {
        assert_consistent(visit, &ear);
    }
    (visit, ear)
}
