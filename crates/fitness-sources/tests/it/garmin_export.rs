//! Reads a shared Garmin account export from its ZIP.

use crate::shared_files::{folder, skip};
use chrono_tz::Tz;
use fitness_core::domain::source_record::{
    DayRecord, Estimate, EstimateKind, EstimateValue, ImportedRecord, SourceRecord,
};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_sources::ReadOutcome;
use fitness_sources::files::{FileEntry, ReadLimits, SkipError, Visitor, walk};
use fitness_sources::garmin_export::{GarminDataset, read, recognise};
use std::fmt::Debug;
use std::io::Read;
use std::ops::ControlFlow::{self, Continue};

/// All records of an export.
#[derive(Default)]
struct Export {
    records: Vec<ImportedRecord>,
    files: Vec<(GarminDataset, ReadOutcome)>,
}

impl Visitor for Export {
    fn should_read(&mut self, found: &FileEntry<'_>) -> bool {
        recognise(found.path).is_some()
    }

    fn visit(&mut self, found: &FileEntry<'_>, reader: &mut dyn Read) -> ControlFlow<()> {
        let dataset = recognise(found.path).unwrap();
        let summary = read(dataset, reader, Tz::Europe__Berlin, &mut |told| self.records.push(told)).unwrap();
        self.files.push((dataset, summary));
        Continue(())
    }

    fn on_skipped(&mut self, path: &str, reason: SkipError) {
        panic!("{path}: {reason}");
    }
}

impl Export {
    fn summary(&self, dataset: GarminDataset) -> ReadOutcome {
        let of = self.files.iter().filter(|(of, _)| *of == dataset).map(|(_, summary)| summary.clone());
        of.reduce(|a, b| ReadOutcome {
            accepted: a.accepted + b.accepted,
            skipped: a.skipped + b.skipped,
            ..b
        })
        .unwrap()
    }

    fn activity(&self, id: &str) -> &SourceRecord {
        let mut all = self
            .records
            .iter()
            .filter_map(|told| if let ImportedRecord::Activity(one) = told { Some(one) } else { None });
        all.find(|report| report.key.id == id).unwrap()
    }

    /// The last record of a dataset for a day, which the importer would keep.
    fn day(&self, part: &str, day: &str) -> Option<&DayRecord> {
        let mut all = self
            .records
            .iter()
            .filter_map(|told| if let ImportedRecord::Day(one) = told { Some(one) } else { None });
        all.rfind(|report| report.dataset == part && report.wellness.day.to_string() == day).map(|one| &**one)
    }

    fn estimates(&self, kind: EstimateKind, day: &str) -> Vec<&EstimateValue> {
        let all = self
            .records
            .iter()
            .filter_map(|told| if let ImportedRecord::Estimate(one) = told { Some(one) } else { None });
        let about = |one: &&Estimate| one.kind == kind && one.day.to_string() == day;
        all.filter(about).map(|one| &one.value).collect()
    }
}

/// Records a difference for a named case.
fn check_trap(wrong: &mut Vec<String>, name: &str, found: impl Debug, expected: impl Debug) {
    let (found, expected) = (format!("{found:?}"), format!("{expected:?}"));
    if found != expected {
        wrong.push(format!("{name}: {found} instead of {expected}"));
    }
}

#[test]
fn shared_export_is_read_correctly() {
    let test = "shared_export_is_read_correctly";
    let Some(path) = folder("garmin-export").map(|f| f.join("gdpr-export.zip")).filter(|path| path.is_file())
    else {
        return skip(test, "the shared account export is not here");
    };
    let mut export = Export::default();
    assert!(walk(&[path], &ReadLimits::default(), &mut export).is_continue());
    assert!(export.files.iter().all(|(_, summary)| summary.read_error.is_none()));
    let mut wrong = Vec::new();
    macro_rules! traps { ($($name:literal: $found:expr => $expected:expr;)+) => { $( check_trap(&mut wrong, $name, $found, $expected); )+ } }

    let report = export.activity("20000000000");
    let run = &report.parsed.activity;
    let speed = run.distance.unwrap().meters() / 3386.583;
    let seconds = |s: i64| Some(TimeSpan::from_secs(s));
    traps! {
        "all activities out of the nested list": export.summary(GarminDataset::Activities).accepted => 5;
        "a key that stays the same": report.key.to_string() => "garmin_export:20000000000";
        "distance in centimetres": run.distance => Distance::from_meters(10_002.0);
        "climbing in centimetres": (run.ascent, run.descent) => (Distance::from_meters(24.0), Distance::from_meters(21.0));
        "times in milliseconds": (run.elapsed, run.moving) => (seconds(3400), seconds(3380));
        "speed in centimetres per millisecond": (speed * 1000.0).round() => 2953.0;
        "energy in kilojoules": run.energy_kcal => Some(404);
        "cadence of both legs": run.avg_cadence => Some(172.0);
        "a type that is a word": (run.sport, &run.sub_sport) => (Sport::Running, None::<String>);
        "a local clock shifted from UTC": (run.utc_offset_s, report.parsed.has_local_time) => (7200, true);
        "the day where the athlete was": run.day().to_string() => "2026-05-01";
        "no race by event type 9": report.parsed.race => false;
        "heart rate and power": (run.avg_heart_rate, run.max_heart_rate, run.avg_power, run.max_power) => (Some(140), Some(170), Some(260), None::<u16>);
        "the row's own text": report.raw.as_ref().is_some_and(|raw| raw.contains("\"activityTrainingLoad\"")) => true;
    }

    let uds = |day| export.day("uds", day).map(|report| report.wellness.clone()).unwrap();
    let (first, last) = (uds("2026-05-01"), uds("2026-05-10"));
    traps! {
        "days of overlapping files": export.summary(GarminDataset::DailySummaries).accepted => 11;
        "the newest daily summary": export.files.iter().filter_map(|(_, s)| s.last_daily_summary).max().map(|d| d.to_string()) => Some("2026-05-10");
        "steps": (first.steps, last.steps) => (Some(12_000), Some(12_009));
        "the settled resting heart rate": (first.resting_heart_rate, uds("2026-05-02").resting_heart_rate) => (Some(48), Some(49));
        "stress of the whole day": (first.stress_avg, first.stress_max) => (Some(25), Some(92));
        "stress that could not be told, -1": last.stress_avg => None::<u16>;
        "body battery": (first.body_battery_high, first.body_battery_low) => (Some(92), Some(18));
        "breathing awake": first.respiration => Some(14.0);
        "a day that speaks for itself whole": export.day("uds", "2026-05-01").map(|report| report.as_of) => Some(None::<bool>);
    }

    let night = export.day("sleep", "2026-05-01").map(|report| report.wellness.clone()).unwrap();
    let sleep = night.sleep.clone().unwrap();
    let slept = export.summary(GarminDataset::Sleep);
    traps! {
        "a first element without a date": slept.skip_reasons.get("no date") => Some(1);
        "nights": (slept.accepted, slept.skipped) => (8, 3);
        "time asleep": (sleep.asleep, sleep.deep, sleep.light, sleep.rem, sleep.awake) => (seconds(27_000), seconds(5400), seconds(15_600), seconds(6000), seconds(1200));
        "a night in UTC": (sleep.began_at, sleep.ended_at).0.map(|at| at.to_rfc3339()) => Some("2026-04-30T21:30:00+00:00");
        "the overall score": sleep.score => Some(84);
        "breathing and oxygen asleep": (night.respiration, night.spo2) => (Some(13.0), Some(95.0));
        "an unconfirmed window": export.day("sleep", "2026-05-09").is_none() => true;
        "a watch off the wrist": export.day("sleep", "2026-05-10").is_none() => true;
    }

    let hrv = |day: &str| export.day("health_status", day).and_then(|report| report.wellness.hrv_ms);
    let unknown: Vec<String> =
        (1..=10).map(|day| format!("2026-05-{day:02}")).filter(|day| hrv(day).is_none()).collect();
    let status = export.day("health_status", "2026-05-01").map(|report| report.wellness.clone()).unwrap();
    traps! {
        "last night's variability": hrv("2026-05-01") => Some(62.0);
        "variability 0 with status UNKNOWN": unknown => ["2026-05-10"];
        "the night's mean heart rate is not the resting one": status.resting_heart_rate => None::<u16>;
        "weight in grams": export.day("weight", "2026-05-01").and_then(|report| report.wellness.weight_kg) => Some(70.419);
        "oxygen uptake": export.day("max_met", "2026-05-01").and_then(|report| report.wellness.vo2max) => Some(52.0);
    }

    let estimates = |kind| format!("{:?}", export.estimates(kind, "2026-05-01"));
    let number = |value: f64| format!("[Number({value:?})]");
    let mut estimated = |name: &str, kind, expected: String| {
        let found = estimates(kind);
        if found != expected {
            wrong.push(format!("{name}: {found} instead of {expected}"));
        }
    };
    estimated("the morning's readiness", EstimateKind::TrainingReadiness, number(81.0));
    estimated("the last of a day's loads", EstimateKind::AcuteLoad, number(430.0));
    estimated("the chronic load of a date in epoch milliseconds", EstimateKind::ChronicLoad, number(350.0));
    estimated("training status", EstimateKind::TrainingStatus, "[Word(\"PRODUCTIVE\")]".to_owned());
    estimated("five kilometres", EstimateKind::Race5k, number(1180.0));
    estimated("the marathon", EstimateKind::RaceFull, number(11_700.0));
    estimated("endurance", EstimateKind::EnduranceScore, number(6900.0));
    estimated("hills, and not their strength or endurance", EstimateKind::HillScore, number(50.0));

    let zones = export.records.iter().find_map(|told| {
        if let ImportedRecord::Zones { sport, zones, .. } = told {
            Some((sport, zones.lower_bounds()))
        } else {
            None
        }
    });
    let person = export
        .records
        .iter()
        .find_map(|told| if let ImportedRecord::Person(person) = told { Some(person) } else { None });
    traps! {
        "zones for every sport": zones => Some((Sport::Other, [95.0, 114.0, 133.0, 152.0, 171.0]));
        "year of birth": person.and_then(|person| person.birth_year) => Some(1990);
        "sex": person.and_then(|person| person.sex).map(|sex| sex.to_string()) => Some("male");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
