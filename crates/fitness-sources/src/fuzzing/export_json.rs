//! Fuzzes account exports with known keys and invalid values, and Strava's `activities.csv`.

use super::{ZONE, check_activity, check_day, check_reason, check_wellness, one_in, pick, raw, up_to};
use crate::entry_counts::ReadOutcome;
use crate::error::ParseError;
use crate::garmin_export::{GarminDataset, read};
use crate::strava_export;
use arbitrary::Unstructured;
use chrono::Datelike;
use fitness_core::domain::source_record::{EstimateValue, ImportedRecord};

const DATASETS: [GarminDataset; 18] = [
    GarminDataset::Activities,
    GarminDataset::DailySummaries,
    GarminDataset::Sleep,
    GarminDataset::HealthStatus,
    GarminDataset::TrainingReadiness,
    GarminDataset::AcuteLoad,
    GarminDataset::TrainingHistory,
    GarminDataset::MaxMet,
    GarminDataset::ActivityVo2Max,
    GarminDataset::RacePredictions,
    GarminDataset::EnduranceScore,
    GarminDataset::HillScore,
    GarminDataset::BioMetrics,
    GarminDataset::LatestBioMetrics,
    GarminDataset::BioMetricProfile,
    GarminDataset::HeartRateZones,
    GarminDataset::PowerZones,
    GarminDataset::UserProfile,
];
/// Known keys, the most common first.
const KEYS: [&str; 80] = [
    "calendarDate",
    "calendarDate",
    "calendarDate",
    "activityId",
    "beginTimestamp",
    "startTimeLocal",
    "startTimeGmt",
    "activityType",
    "typeKey",
    "sportType",
    "name",
    "distance",
    "duration",
    "elapsedDuration",
    "movingDuration",
    "elevationGain",
    "elevationLoss",
    "avgHr",
    "maxHr",
    "avgPower",
    "maxPower",
    "avgDoubleCadence",
    "avgRunCadence",
    "avgBikeCadence",
    "calories",
    "eventTypeId",
    "parent",
    "splits",
    "startTimeGMT",
    "endTimeGMT",
    "measurements",
    "fieldEnum",
    "unitEnum",
    "value",
    "type",
    "totalSteps",
    "restingHeartRate",
    "minHeartRate",
    "maxHeartRate",
    "allDayStress",
    "aggregatorList",
    "averageStressLevel",
    "maxStressLevel",
    "bodyBattery",
    "bodyBatteryStatList",
    "bodyBatteryStatType",
    "statsValue",
    "respiration",
    "avgWakingRespirationValue",
    "wellnessEndTimeGmt",
    "wellnessEndTimeLocal",
    "dailySleepDTO",
    "sleepWindowConfirmationType",
    "deepSleepSeconds",
    "lightSleepSeconds",
    "remSleepSeconds",
    "awakeSleepSeconds",
    "sleepTimeSeconds",
    "sleepScores",
    "overallScore",
    "overall",
    "sleepStartTimestampGMT",
    "sleepEndTimestampGMT",
    "averageRespiration",
    "spo2SleepSummary",
    "averageSPO2",
    "metrics",
    "updateTimestampUTC",
    "vo2MaxValue",
    "sport",
    "metaData",
    "weight",
    "timestamp",
    "score",
    "dailyTrainingLoadAcute",
    "trainingStatus",
    "raceTime5K",
    "zone1Floor",
    "zone2Floor",
    "birthDate",
];
const VALUES: [&str; 44] = [
    "\"2026-05-01\"",
    "\"2026-05-02\"",
    "1777593600000",
    "[2026,5,1]",
    "[2026,5,1,6,30,0,5]",
    "\"2026-05-01T06:00:00.0\"",
    "\"1066-10-14\"",
    "\"9999-12-31\"",
    "\"+12026-05-01\"",
    "9223372036854775807",
    "-9223372036854775808",
    "1e14",
    "-1e14",
    "1e308",
    "-1e308",
    "1e400",
    "-0",
    "0",
    "-1",
    "1",
    "511",
    "42",
    "60.5",
    "12345678901234567890",
    "null",
    "true",
    "\"\"",
    "\"RUNNING\"",
    "\"TOTAL\"",
    "\"HIGHEST\"",
    "\"HRV\"",
    "\"SUM_DISTANCE\"",
    "\"METER\"",
    "\"male\"",
    "\"\\u0000\\ud800\"",
    "\"\\ud83d\\ude00\"",
    "[]",
    "{}",
    "[null,1,\"x\"]",
    "[1e400]",
    "70000",
    "250",
    "0.000001",
    "\"24:60:61\"",
];

/// Reads an export file generated from fuzzer input.
pub fn export_json(bytes: &[u8]) {
    let [which, how, rest @ ..] = bytes else { return };
    let which = usize::from(*which) % (DATASETS.len() + 1);
    let Some(dataset) = DATASETS.get(which) else { return check_list(rest, *how) };
    let text = if how % 4 == 0 { rest.to_vec() } else { list(&mut Unstructured::new(rest), *dataset) };
    let mut told = 0;
    let outcome = read(*dataset, &mut text.as_slice(), ZONE, &mut |thing| {
        told += 1;
        check_record(&thing);
    });
    check_outcome(outcome, told);
}

fn check_outcome(outcome: Result<ReadOutcome, ParseError>, told: usize) {
    match outcome {
        Err(why) => check_reason(&why.0),
        Ok(summary) => {
            assert_eq!(
                summary.skip_reasons.values().sum::<usize>(),
                summary.skipped,
                "every entry has its reason"
            );
            assert!(summary.accepted <= told, "an entry tells at least one thing");
            summary.skip_reasons.keys().for_each(|reason| check_reason(reason));
            summary.read_error.iter().for_each(|why| check_reason(&why.0));
            summary.last_daily_summary.into_iter().for_each(check_day);
        }
    }
}

fn check_record(told: &ImportedRecord) {
    match told {
        ImportedRecord::Activity(report) => {
            assert!(!report.key.id.is_empty());
            check_activity(&report.parsed);
        }
        ImportedRecord::Day(report) => {
            assert!(!report.dataset.is_empty());
            check_wellness(&report.wellness);
        }
        ImportedRecord::Estimate(estimate) => {
            check_day(estimate.day);
            match &estimate.value {
                EstimateValue::Number(number) => assert!(number.is_finite()),
                EstimateValue::Word(word) => assert!(!word.is_empty()),
            }
        }
        ImportedRecord::Threshold { kind, value, .. } => {
            assert!((kind.bounds().0..=kind.bounds().1).contains(value), "{kind} {value}");
        }
        ImportedRecord::Zones { zones, .. } => assert!(format!("{zones:?}").len() > 1),
        ImportedRecord::Person(person) => {
            assert!(person.birth_year.is_none_or(|year| (1..=9999).contains(&year)), "{person:?}");
        }
    }
}

fn check_list(rest: &[u8], how: u8) {
    let text = if how.is_multiple_of(4) { rest.to_vec() } else { rows(&mut Unstructured::new(rest)) };
    let mut told = 0;
    let outcome = strava_export::read(&mut text.as_slice(), ZONE, &mut |row| {
        told += 1;
        assert!(!row.id.is_empty());
        assert!((1980..=2140).contains(&row.activity.activity.day().date().year()));
        check_activity(&row.activity);
    });
    check_outcome(outcome, told);
}

fn list(u: &mut Unstructured<'_>, dataset: GarminDataset) -> Vec<u8> {
    let mut text = String::new();
    let wrapped = dataset == GarminDataset::Activities && !one_in(u, 4);
    text.push_str(if wrapped { "[{\"summarizedActivitiesExport\":[" } else { "[" });
    for place in 0..=up_to(u, 6) {
        if place > 0 {
            text.push(',');
        }
        object(u, 0, &mut text);
    }
    text.push_str(if wrapped { "]}]" } else { "]" });
    match up_to(u, 12) {
        1 => {
            let end = text.floor_char_boundary(up_to(u, text.len()));
            text.truncate(end);
        }
        2 => text.insert(0, '\u{feff}'),
        3 => text.push_str(&String::from_utf8_lossy(raw(u, 10))),
        _ => {}
    }
    text.into_bytes()
}

fn object(u: &mut Unstructured<'_>, depth: u8, text: &mut String) {
    text.push('{');
    // Required by most datasets.
    if depth == 0 && !one_in(u, 6) {
        let number = up_to(u, 5);
        text.push_str(&format!("\"calendarDate\":\"2026-05-0{}\",\"activityId\":{number},", number + 1));
        text.push_str("\"beginTimestamp\":1777593600000,");
    }
    for _ in 0..up_to(u, 12) {
        text.push_str(&format!("\"{}\":", pick(u, &KEYS)));
        match up_to(u, 9) {
            0 if depth < 3 => object(u, depth + 1, text),
            1 if depth < 3 => {
                text.push('[');
                object(u, depth + 1, text);
                text.push(',');
                object(u, depth + 1, text);
                text.push(']');
            }
            2 => text.push_str(&u.arbitrary::<f64>().unwrap_or(0.0).to_string()),
            3 => text.push_str(&u.arbitrary::<i64>().unwrap_or(0).to_string()),
            _ => text.push_str(pick(u, &VALUES)),
        }
        text.push(',');
    }
    text.push_str("\"z\":0}");
}

/// Rows of a Strava list, mostly valid.
fn rows(u: &mut Unstructured<'_>) -> Vec<u8> {
    const CELLS: [&str; 14] = [
        "7",
        "12345678901",
        "\"May 1, 2026, 6:30:00 AM\"",
        "2026-05-01 06:30:00",
        "Run",
        "\"a\nb\"",
        "activities/1.fit.gz",
        "1e308",
        "-1",
        "NaN",
        "inf",
        "",
        "\"",
        "60.5",
    ];
    let mut text = (0..40).map(|n| format!("column {n}")).collect::<Vec<_>>().join(",");
    for id in 0..=up_to(u, 5) {
        text.push_str(&format!("\n{id},\"May {}, 2026, 6:30:00 AM\",x,Run", up_to(u, 31)));
        for _ in 0..up_to(u, 40) {
            text.push(',');
            text.push_str(pick(u, &CELLS));
        }
    }
    text.into_bytes()
}
