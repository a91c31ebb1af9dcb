//! Real responses of Garmin's private API, recorded outside the repository.

use crate::live_fixtures::*;
use crate::shared_files::{folder, skip};
use chrono_tz::Tz;
use fitness_core::domain::source_record::ImportedRecord;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::TimeSpan;
use fitness_sources::live::{FetchOutcome, FetchedItem, Garmin, Source};
use fitness_sources::testkit::{FakeGarmin, GarminData, Misbehavior};

/// Fetches from an account in which one path returns a recorded body.
async fn fetch_with_response(
    part: &'static str,
    body: Vec<u8>,
    days: (&str, &str),
    not_offered: &[&'static str],
) -> (FetchOutcome, RecordingListener) {
    let data = GarminData { key: KEY.to_owned(), unavailable: not_offered.to_vec(), ..GarminData::default() };
    let fake = FakeGarmin::start(data).await;
    fake.misbehave_on(part, usize::MAX, Misbehavior::Body { bytes: body, gzip: false });
    let time = fake.clock(at("2031-01-01T00:00:00Z"));
    let mut account =
        Garmin::new(&fake.base_url(), KEY.into(), Tz::America__Costa_Rica, time.http_env()).unwrap();
    let mut ear = RecordingListener::default();
    let visit = account.fetch(span(days.0, days.1), &mut ear).await.unwrap();
    assert_consistent(&visit, &ear);
    (visit, ear)
}

fn read_recorded(kind: &str, name: &str) -> Option<Vec<u8>> {
    let folder = folder("garmin-connect")?.join(kind);
    Some(std::fs::read(folder.join(format!("{name}.json"))).unwrap())
}

/// Skips the test without the recorded responses.
macro_rules! recorded {
    ($test:literal, $kind:literal, $name:literal) => {
        match read_recorded($kind, $name) {
            Some(bytes) => bytes,
            None => return skip($test, "the recorded answers of Garmin are not here"),
        }
    };
}

#[tokio::test]
async fn recorded_ranges_are_parsed() {
    let steps = recorded!("recorded_ranges_are_parsed", "garth", "stats_steps_daily");
    let july = ("2023-07-01", "2023-07-20");
    let (visit, ear) = fetch_with_response("stats/steps", steps, july, &[]).await;
    assert_eq!((visit.missing, visit.newest_record), (vec![], None));
    let days = ear.days("steps");
    assert_eq!((days.len(), days[0].wellness.steps, days[0].as_of), (20, Some(12_413), None));

    let stress = recorded!("recorded_ranges_are_parsed", "garth", "stats_stress_daily");
    let (_, ear) = fetch_with_response("stats/stress", stress, july, &[]).await;
    assert_eq!((ear.days("stress").len(), ear.days("stress")[19].wellness.stress_avg), (20, Some(38)));

    let hrv = recorded!("recorded_ranges_are_parsed", "garth", "hrv_daily_range");
    let (_, ear) = fetch_with_response("hrv/daily", hrv, july, &[]).await;
    assert_eq!((ear.days("hrv").len(), ear.days("hrv")[19].wellness.hrv_ms), (20, Some(42.0)));

    let weight = recorded!("recorded_ranges_are_parsed", "garth", "weight_range_includeAll");
    let (visit, ear) = fetch_with_response("weight/range", weight, ("2025-06-01", "2025-06-30"), &[]).await;
    let kilograms: Vec<f64> =
        ear.days("weight").iter().filter_map(|report| report.wellness.weight_kg).collect();
    assert_eq!(kilograms, [59.72, 59.5, 59.189]);
    // A scale proves nothing about the watch.
    assert_eq!(visit.newest_record, None);
    let none = recorded!("recorded_ranges_are_parsed", "garth", "weight_range.empty");
    let (visit, ear) = fetch_with_response("weight/range", none, ("2019-12-18", "2020-01-01"), &[]).await;
    assert_eq!((visit.missing, ear.days("weight").len()), (vec![], 0));
}

#[tokio::test]
async fn recorded_days_and_nights_are_parsed() {
    let beats = recorded!("recorded_days_and_nights_are_parsed", "garth", "dailyHeartRate");
    let (visit, ear) = fetch_with_response("dailyHeartRate", beats, ("2026-01-07", "2026-01-07"), &[]).await;
    assert_eq!(ear.days("daily_heart_rate")[0].wellness.resting_heart_rate, Some(52));
    assert_eq!(visit.newest_record.unwrap().timestamp_millis(), 1_767_851_880_000);

    let flat = recorded!("recorded_days_and_nights_are_parsed", "garth", "usersummary_daily");
    let no_range = ["dailysummaries", "dailySleepSummariesByDate"];
    let (_, ear) =
        fetch_with_response("usersummary/daily?", flat, ("2025-06-14", "2025-06-14"), &no_range).await;
    let day = &ear.days("daily_summary")[0].wellness;
    assert_eq!(
        (day.steps, day.resting_heart_rate, day.stress_avg, day.stress_max),
        (Some(5459), Some(51), Some(24), Some(99))
    );
    assert_eq!(
        (day.body_battery_high, day.body_battery_low, day.respiration, day.spo2),
        (Some(92), Some(32), Some(14.0), None)
    );

    let night = recorded!("recorded_days_and_nights_are_parsed", "garth", "dailySleepData");
    let (visit, ear) =
        fetch_with_response("dailySleepData", night, ("2025-07-07", "2025-07-07"), &no_range).await;
    let day = &ear.days("sleep")[0].wellness;
    let sleep = day.sleep.as_ref().unwrap();
    assert_eq!(
        (sleep.asleep, sleep.rem, sleep.score),
        (Some(TimeSpan::from_secs(24_180)), Some(TimeSpan::from_secs(5460)), Some(83))
    );
    assert_eq!((day.spo2, day.respiration, day.resting_heart_rate), (Some(93.0), Some(13.0), Some(44)));
    assert_eq!(visit.newest_record.unwrap().timestamp_millis(), 1_751_888_248_000);

    let none = recorded!("recorded_days_and_nights_are_parsed", "garth", "dailySleepData.nodata");
    let (visit, ear) =
        fetch_with_response("dailySleepData", none, ("2030-01-01", "2030-01-01"), &no_range).await;
    assert_eq!((visit.missing, ear.days("sleep").len(), visit.newest_record), (vec![], 0, None));
}

#[tokio::test]
async fn recorded_list_is_parsed() {
    let list = recorded!("recorded_list_is_parsed", "garth", "activities_search.limit3");
    let (visit, ear) =
        fetch_with_response("search/activities", list, ("2026-01-01", "2026-01-31"), &[]).await;
    assert!(visit.activities_complete);
    let activities: Vec<_> = ear
        .items
        .iter()
        .filter_map(|heard| match heard {
            FetchedItem::Record(ImportedRecord::Activity(report)) => Some(&report.parsed.activity),
            _ => None,
        })
        .collect();
    assert_eq!(activities.len(), 3);
    let run = activities[0];
    assert_eq!((run.sport, run.sub_sport.as_deref()), (Sport::Running, Some("trail_running")));
    assert_eq!((run.started_at, run.utc_offset_s), (at("2026-01-08T14:10:21Z"), -6 * 3600));
    assert_eq!((run.distance.unwrap().mm(), run.moving.unwrap().ms()), (4_261_190, 2_216_000));
    assert_eq!((run.avg_heart_rate, run.avg_power, run.energy_kcal), (Some(142), Some(194), Some(390)));
    assert_eq!(activities[1].sport, Sport::Other);
    assert_eq!(visit.newest_record, Some(at("2026-01-08T14:47:26.441Z")));
}

#[tokio::test]
async fn undocumented_formats_are_parsed_as_described() {
    let days = ("2026-10-20", "2026-10-22");
    let v2 = recorded!(
        "undocumented_formats_are_parsed_as_described",
        "synthetic",
        "v2_dailysummaries.UNVERIFIED"
    );
    let (_, ear) = fetch_with_response("dailysummaries", v2, days, &[]).await;
    let told = ear.days("summaries");
    // The third day is an empty placeholder.
    assert_eq!(
        (told.len(), told[0].wellness.steps, told[0].wellness.resting_heart_rate),
        (2, Some(11_234), Some(46))
    );

    let nights = recorded!(
        "undocumented_formats_are_parsed_as_described",
        "synthetic",
        "dailySleepSummariesByDate.UNVERIFIED"
    );
    let (_, ear) = fetch_with_response("dailySleepSummariesByDate", nights, days, &[]).await;
    let told: Vec<String> =
        ear.days("sleep_summaries").iter().map(|report| report.wellness.day.to_string()).collect();
    assert_eq!(told, ["2026-10-20", "2026-10-22"]);

    let battery =
        recorded!("undocumented_formats_are_parsed_as_described", "synthetic", "bodyBattery_reports_daily");
    let (_, ear) = fetch_with_response("bodyBattery", battery, days, &[]).await;
    let day = &ear.days("body_battery")[0].wellness;
    assert_eq!((day.body_battery_high, day.body_battery_low), (Some(91), Some(33)));

    let zones = recorded!("undocumented_formats_are_parsed_as_described", "synthetic", "heartRateZones");
    let (_, ear) = fetch_with_response("heartRateZones", zones, days, &[]).await;
    let zones = ear.items.iter().find_map(|heard| match heard {
        FetchedItem::Record(ImportedRecord::Zones { sport: Sport::Other, zones, .. }) => {
            Some(zones.lower_bounds().to_vec())
        }
        _ => None,
    });
    assert_eq!(zones.unwrap(), [93.0, 111.0, 130.0, 148.0, 167.0]);
}
