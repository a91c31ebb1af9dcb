//! Daily datasets.

use super::*;
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::units::TimeSpan;
use fitness_core::domain::wellness::DailyWellness;

fn on(day: &str) -> DailyWellness {
    DailyWellness::empty(day.parse().unwrap())
}

#[test]
fn three_date_formats_are_parsed() {
    for date in [
        "\"2026-05-01\"",
        "\"2026-05-01T00:00:00.0\"",
        "\"2026-05-01 00:00:00\"",
        "1777593600000",
        "1777593600000.0",
        "1.7775936e12",
        "[2026,5,1]",
        "[2026,5,1,0,0]",
        "[2026,5,1,6,30,15,120000000]",
    ] {
        let report =
            day(GarminDataset::DailySummaries, &format!(r#"[{{"calendarDate":{date},"totalSteps":100}}]"#));
        assert_eq!(report.wellness.day.to_string(), "2026-05-01", "{date}");
    }
    for date in [
        "null",
        "\"1 May 2026\"",
        "\"2026-05-011\"",
        "[2026,5]",
        "[2026,13,1]",
        "[2026,5,1,\"x\"]",
        "{}",
        "1e300",
    ] {
        let json = format!(r#"[{{"calendarDate":{date},"totalSteps":100}}]"#);
        assert_eq!(skip_reasons(GarminDataset::DailySummaries, &json), ["no date"], "{date}");
    }
    for date in ["\"1989-12-31\"", "0", "[1970,1,1]", "\"2101-01-01\""] {
        let json = format!(r#"[{{"calendarDate":{date},"totalSteps":100}}]"#);
        assert_eq!(
            skip_reasons(GarminDataset::DailySummaries, &json),
            ["date outside 1990 to 2100"],
            "{date}"
        );
    }
}

#[test]
fn unmeasured_daily_values_are_none() {
    let report = day(
        GarminDataset::DailySummaries,
        r#"[{"calendarDate":"2026-05-01","totalSteps":12000,"restingHeartRate":48,"currentDayRestingHeartRate":47,
        "allDayStress":{"aggregatorList":[{"type":"AWAKE","averageStressLevel":31,"maxStressLevel":99},
        {"type":"TOTAL","averageStressLevel":25,"maxStressLevel":92}]},"bodyBattery":{"bodyBatteryStatList":[
        {"bodyBatteryStatType":"HIGHEST","statsValue":92},{"bodyBatteryStatType":"LOWEST","statsValue":18}]},
        "respiration":{"avgWakingRespirationValue":14.0}}]"#,
    );
    let expected = DailyWellness {
        steps: Some(12_000),
        resting_heart_rate: Some(48),
        stress_avg: Some(25),
        stress_max: Some(92),
        body_battery_high: Some(92),
        body_battery_low: Some(18),
        respiration: Some(14.0),
        ..on("2026-05-01")
    };
    assert_eq!((report.dataset.as_str(), report.as_of, report.wellness), ("uds", None, expected));
    for level in ["-1", "-2", "null", "101"] {
        let json = format!(
            r#"[{{"calendarDate":"2026-05-01","totalSteps":0,"minHeartRate":44,"currentDayRestingHeartRate":47,
            "allDayStress":{{"aggregatorList":[{{"type":"TOTAL","averageStressLevel":{level},"maxStressLevel":{level}}}]}},
            "respiration":{{"avgWakingRespirationValue":{level}}}}}]"#
        );
        // Worn all day without a step: zero steps is a value.
        let expected = DailyWellness { steps: Some(0), ..on("2026-05-01") };
        assert_eq!(day(GarminDataset::DailySummaries, &json).wellness, expected, "{level}");
    }
}

#[test]
fn unworn_watch_does_not_advance_the_data_frontier() {
    let json = r#"[{"calendarDate":"2026-05-02","totalSteps":100,"minHeartRate":44},
        {"calendarDate":"2026-05-01","totalSteps":200},{"calendarDate":"2026-05-03","totalSteps":0}]"#;
    let (told, summary) = records_in(GarminDataset::DailySummaries, json, Tz::UTC);
    assert_eq!(told.len(), 2);
    assert_eq!(summary.skip_reasons["no data for the day"], 1);
    assert_eq!(summary.last_daily_summary, "2026-05-02".parse().ok());
    let night = r#"[{"calendarDate":"2026-05-01","deepSleepSeconds":60}]"#;
    assert_eq!(records_in(GarminDataset::Sleep, night, Tz::UTC).1.last_daily_summary, None);
}

#[test]
fn partial_day_has_its_end_time() {
    let noon: Option<Instant> = "2026-05-01T10:00:00Z".parse().ok();
    for (end, as_of) in [
        (r#""wellnessEndTimeGmt":"2026-05-01T10:00:00.0""#, noon),
        (
            r#""wellnessEndTimeGmt":"2026-05-01T10:00:00.0","wellnessEndTimeLocal":"2026-05-01T12:00:00.0""#,
            noon,
        ),
        (r#""wellnessEndTimeGmt":"2026-05-01T22:00:00.0""#, None),
        (
            r#""wellnessEndTimeGmt":"2026-05-01T22:00:00.0","wellnessEndTimeLocal":"2026-05-02T00:00:00.0""#,
            None,
        ),
        // Auckland's day ends before noon in Berlin.
        (
            r#""wellnessEndTimeGmt":"2026-05-01T10:00:00.0","wellnessEndTimeLocal":"2026-05-01T23:59:59.0""#,
            None,
        ),
        (r#""wellnessEndTimeGmt":null,"wellnessEndTimeLocal":"2026-05-01T12:00:00.0""#, None),
        // The day on which one file ends and the next starts is in both, and complete only in the
        // second.
        (r#""durationInMilliseconds":43200000"#, noon),
        (r#""durationInMilliseconds":82800000"#, None),
        (r#""durationInMilliseconds":86400000"#, None),
        (r#""durationInMilliseconds":-1"#, None),
    ] {
        let json = format!(r#"[{{"calendarDate":"2026-05-01","totalSteps":100,{end}}}]"#);
        let (mut told, _) = records_in(GarminDataset::DailySummaries, &json, Tz::Europe__Berlin);
        let Some(ImportedRecord::Day(report)) = told.pop() else { panic!() };
        assert_eq!(report.as_of, as_of, "{end}");
    }
}

#[test]
fn flat_and_nested_nights_are_parsed() {
    let plain = r#"[{"retro":false},{"calendarDate":"2026-05-01","sleepStartTimestampGMT":"2026-04-30T21:30:00.0",
        "sleepEndTimestampGMT":"2026-05-01T05:20:00.0","sleepWindowConfirmationType":"ENHANCED_CONFIRMED_FINAL",
        "deepSleepSeconds":5400,"lightSleepSeconds":15600,"remSleepSeconds":6000,"awakeSleepSeconds":1200,
        "averageRespiration":13.0,"sleepScores":{"overallScore":84},"spo2SleepSummary":{"averageSPO2":95.0}}]"#;
    let nested = r#"[{"dailySleepDTO":{"calendarDate":"2026-05-01","sleepStartTimestampGMT":1777584600000,
        "sleepEndTimestampGMT":1777612800000,"sleepTimeSeconds":27000,"deepSleepSeconds":5400,"lightSleepSeconds":15600,
        "remSleepSeconds":6000,"awakeSleepSeconds":1200,"averageRespirationValue":13.0,"averageSpO2Value":95.0,
        "sleepScores":{"overall":{"value":84,"qualifierKey":"GOOD"}}},"sleepLevels":null}]"#;
    assert_eq!(skip_reasons(GarminDataset::Sleep, plain), ["no date"]);
    let (plain, nested) = (day(GarminDataset::Sleep, plain), day(GarminDataset::Sleep, nested));
    assert_eq!(plain.wellness, nested.wellness);
    assert_eq!(
        (plain.dataset.as_str(), plain.wellness.respiration, plain.wellness.spo2),
        ("sleep", Some(13.0), Some(95.0))
    );
    let night = plain.wellness.sleep.unwrap();
    assert_eq!(night.began_at, "2026-04-30T21:30:00Z".parse().ok());
    assert_eq!(night.ended_at, "2026-05-01T05:20:00Z".parse().ok());
    assert_eq!(night.asleep, Some(TimeSpan::from_secs(27_000)));
    assert_eq!((night.awake, night.score), (Some(TimeSpan::from_secs(1200)), Some(84)));
}

#[test]
fn longest_night_of_a_day_is_kept() {
    let json = r#"[{"calendarDate":"2026-05-01","deepSleepSeconds":600,"nap":"first"},
        {"calendarDate":"2026-05-01","deepSleepSeconds":9000,"night":true},
        {"calendarDate":"2026-05-01","deepSleepSeconds":700,"nap":"second"},
        {"calendarDate":"2026-05-02","deepSleepSeconds":8000}]"#;
    let nights = days(GarminDataset::Sleep, json);
    assert_eq!(nights.len(), 2);
    assert_eq!(nights[0].wellness.sleep.as_ref().unwrap().asleep, Some(TimeSpan::from_secs(9000)));
    assert!(nights[0].raw.as_ref().unwrap().contains("\"night\":true"));
    let (_, summary) = records_in(GarminDataset::Sleep, json, Tz::UTC);
    assert_eq!((summary.accepted, summary.skipped, summary.skip_reasons[NOT_BEST_OF_DAY]), (2, 2, 2));
}

#[test]
fn unworn_watch_gives_no_night() {
    for (fields, why) in [
        (
            r#""sleepWindowConfirmationType":"OFF_WRIST","deepSleepSeconds":0,"lightSleepSeconds":0"#,
            "watch not worn during the night",
        ),
        (
            r#""sleepWindowConfirmationType":"UNCONFIRMED","sleepStartTimestampGMT":"2026-05-08T20:00:00.0",
            "sleepEndTimestampGMT":"2026-05-09T06:00:00.0""#,
            "sleep not detected",
        ),
        (
            r#""deepSleepSeconds":0,"lightSleepSeconds":0,"sleepScores":{"overallScore":0}"#,
            "night without sleep: watch not worn",
        ),
        (r#""deepSleepSeconds":"5400""#, "night without sleep: watch not worn"),
    ] {
        let json = format!(r#"[{{"calendarDate":"2026-05-09",{fields}}}]"#);
        assert_eq!(skip_reasons(GarminDataset::Sleep, &json), [why], "{fields}");
    }
}

#[test]
fn unknown_health_status_values_are_none() {
    let json = |hrv: &str| {
        format!(
            r#"[{{"calendarDate":"2026-05-01","metrics":[{{"type":"HRV",{hrv}}},{{"type":"HR","value":48.0}},
            {{"type":"SPO2","value":95.0}},{{"type":"SKIN_TEMP_C","value":-0.2}},{{"type":"RESPIRATION","value":13.0}}]}}]"#
        )
    };
    let known = day(GarminDataset::HealthStatus, &json(r#""value":62.0,"status":"IN_RANGE""#));
    let expected =
        DailyWellness { hrv_ms: Some(62.0), spo2: Some(95.0), respiration: Some(13.0), ..on("2026-05-01") };
    // The night's mean heart rate is not the resting heart rate.
    assert_eq!((known.dataset.as_str(), known.wellness), ("health_status", expected));
    for missing in
        [r#""value":0,"status":"UNKNOWN""#, r#""value":511"#, r#""value":null"#, r#""status":"NONE""#]
    {
        assert_eq!(day(GarminDataset::HealthStatus, &json(missing)).wellness.hrv_ms, None, "{missing}");
    }
    let nothing =
        r#"[{"calendarDate":"2026-05-01","metrics":[{"type":"HRV","value":0,"status":"UNKNOWN"}]}]"#;
    assert_eq!(skip_reasons(GarminDataset::HealthStatus, nothing), ["no data for the day"]);
}

#[test]
fn last_weight_of_a_day_counts() {
    let json = r#"[{"metaData":{"calendarDate":"2026-05-01T00:00:00.0"},"weight":{"weight":70419.0,
        "timestampGMT":"2026-05-01T06:01:21.0"},"height":178.0},
        {"metaData":{"calendarDate":[2026,5,1,0,0]},"weight":{"weight":71000,"timestampGMT":"2026-05-01T05:00:00.0"}},
        {"metaData":{"calendarDate":"2026-05-02"},"height":178.0},
        {"metaData":{"calendarDate":"2026-05-03"},"weight":{"weight":0}},{"weight":{"weight":70000}}]"#;
    let report = day(GarminDataset::BioMetrics, json);
    assert_eq!((report.dataset.as_str(), report.wellness.weight_kg), ("weight", Some(70.419)));
    let reasons = skip_reasons(GarminDataset::BioMetrics, json);
    assert_eq!(reasons, [NOT_BEST_OF_DAY, "no data for the day", "no date", "no weight and no thresholds"]);
}

#[test]
fn running_vo2max_is_preferred_to_cycling() {
    let json = r#"[{"calendarDate":"2026-05-01","sport":"RUNNING","vo2MaxValue":52.0},
        {"calendarDate":"2026-05-01","sport":"CYCLING","vo2MaxValue":58.0},
        {"calendarDate":"2026-05-02","sport":"CYCLING","vo2MaxValue":58.0},
        {"calendarDate":"2026-05-03","sport":"RUNNING","vo2MaxValue":0}]"#;
    for (dataset, part) in
        [(GarminDataset::MaxMet, "max_met"), (GarminDataset::ActivityVo2Max, "activity_vo2max")]
    {
        let found: Vec<_> = days(dataset, json).into_iter().map(|r| (r.dataset, r.wellness.vo2max)).collect();
        assert_eq!(found, [(part.to_owned(), Some(52.0)), (part.to_owned(), Some(58.0))]);
    }
}
