//! Activities and estimates.

use super::*;
use fitness_core::domain::source_record::{EstimateKind as Kind, EstimateValue as Value};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};

#[test]
fn units_are_converted() {
    let report = activity(
        r#","name":"Tempo","duration":3386583.0,"elapsedDuration":3400000.0,"movingDuration":3380000.0,
        "distance":577502.0,"avgSpeed":0.1705,"elevationGain":2400.0,"elevationLoss":0.0,"avgHr":140.4,"maxHr":170,
        "avgPower":260.0,"calories":1692.7680799999998"#,
    );
    assert_eq!(report.key.to_string(), "garmin_export:7");
    let run = &report.parsed.activity;
    assert_eq!((run.sport, run.name.as_deref()), (Sport::Running, Some("Tempo")));
    assert_eq!(run.distance, Distance::from_meters(5775.02));
    assert_eq!(run.elapsed, Some(TimeSpan::from_ms(3_400_000)));
    assert_eq!(run.moving, Some(TimeSpan::from_ms(3_380_000)));
    assert_eq!((run.ascent, run.descent), (Distance::from_meters(24.0), Some(Distance::ZERO)));
    assert_eq!((run.avg_heart_rate, run.max_heart_rate, run.avg_power), (Some(140), Some(170), Some(260)));
    assert_eq!(run.energy_kcal, Some(404));
    // The exported speed in cm/ms equals distance over timer time.
    assert!((5775.02_f64 / 3386.583 - 0.1705 * 10.0).abs() < 0.001);
    assert!(report.raw.unwrap().contains("\"avgSpeed\":0.1705"));
}

#[test]
fn running_cadence_counts_both_legs() {
    for (fields, cadence) in [
        (r#","avgRunCadence":86.0"#, Some(172.0)),
        (r#","avgDoubleCadence":172.0"#, Some(172.0)),
        (r#","avgRunCadence":86.0,"avgDoubleCadence":173.0"#, Some(173.0)),
        (r#","avgBikeCadence":90"#, Some(90.0)),
        (r#","avgRunCadence":0"#, None),
    ] {
        assert_eq!(activity(fields).parsed.activity.avg_cadence, cadence, "{fields}");
    }
}

#[test]
fn plausible_local_time_gives_the_offset() {
    // The athlete's zone is UTC+2 on that day.
    for (fields, offset, told) in [
        (r#","startTimeGmt":1777615200000.0,"startTimeLocal":1777622400000.0"#, 7200, true),
        (r#","startTimeLocal":1777595400000"#, -19800, true),
        (r#","startTimeGmt":1777615200000,"startTimeLocal":1777635900000"#, 20700, true),
        // Device times differ by a few seconds.
        (r#","startTimeGmt":1777615200000,"startTimeLocal":1777615203000"#, 0, true),
        (r#","startTimeLocal":null"#, 7200, false),
        (r#","startTimeLocal":0"#, 7200, false),
        (r#","startTimeLocal":1777615200000000"#, 7200, false),
        ("", 7200, false),
    ] {
        let recorded = activity_in(fields, Tz::Europe__Berlin).parsed;
        assert_eq!((recorded.activity.utc_offset_s, recorded.has_local_time), (offset, told), "{fields}");
    }
}

#[test]
fn activity_type_is_string_or_object_or_sport() {
    let of = |fields: &str| {
        let json = format!(r#"[{{"activityId":1,"beginTimestamp":1777615200000,{fields}}}]"#);
        let Some(ImportedRecord::Activity(report)) = records(GarminDataset::Activities, &json).pop() else {
            panic!("{json}")
        };
        (report.parsed.activity.sport, report.parsed.activity.sub_sport)
    };
    let trail = (Sport::Running, Some("trail_running".to_owned()));
    assert_eq!(of(r#""activityType":"trail_running","sportType":"RUNNING""#), trail);
    assert_eq!(of(r#""activityType":{"typeId":6,"typeKey":"trail_running"}"#), trail);
    assert_eq!(of(r#""activityType":null,"sportType":"CYCLING""#), (Sport::Cycling, None));
    assert_eq!(of(r#""activityType":17"#), (Sport::Other, None));
}

#[test]
fn a_race_is_an_event_of_type_one() {
    assert!(activity(r#","eventTypeId":1"#).parsed.race);
    for other in [r#","eventTypeId":9"#, r#","eventTypeId":null"#, r#","eventTypeId":"1""#, ""] {
        assert!(!activity(other).parsed.race, "{other}");
    }
}

#[test]
fn triathlon_legs_are_imported_instead_of_the_event() {
    let json = r#"[{"summarizedActivitiesExport":[
        {"activityId":1,"activityType":"multi_sport","parent":true,"beginTimestamp":1777615200000},
        {"activityId":2,"activityType":"open_water_swimming","parentId":1,"beginTimestamp":1777615200000},
        {"activityId":3,"activityType":"transition_v2","parentId":1,"beginTimestamp":1777616000000},
        {"activityId":4,"activityType":"road_biking","parentId":1,"parent":false,"beginTimestamp":1777617000000},
        {"activityId":5,"activityType":"multi_sport","beginTimestamp":1777615200000},
        {"activityId":6,"activityType":"running","parent":true,"beginTimestamp":1777615200000}]}]"#;
    let (told, summary) = records_in(GarminDataset::Activities, json, Tz::UTC);
    let ids: Vec<String> = told
        .iter()
        .map(
            |told| if let ImportedRecord::Activity(report) = told { report.key.id.clone() } else { panic!() },
        )
        .collect();
    assert_eq!(ids, ["2", "4"]);
    assert_eq!((summary.accepted, summary.skipped), (2, 4));
    assert_eq!(summary.skip_reasons["multisport event: its legs are imported instead"], 3);
    assert_eq!(summary.skip_reasons["transition between two legs"], 1);
}

#[test]
fn invalid_value_affects_only_its_field() {
    for bad in [
        "null",
        "\"140\"",
        "NaN",
        "-Infinity",
        "Infinity",
        "1e999",
        "-1",
        "0",
        "true",
        "[140]",
        "{\"value\":140}",
        "123456789012345678901234567890",
        "99999999999999999999999999999e999",
        "\"\\ud83d\"",
        "65536",
    ] {
        let report = activity(&format!(
            r#","avgHr":{bad},"avgPower":{bad},"calories":{bad},"duration":{bad},"distance":{bad},
            "avgRunCadence":{bad},"name":{bad},"maxHr":171,"startTimeLocal":{bad}"#
        ));
        let run = report.parsed.activity;
        assert_eq!(run.max_heart_rate, Some(171), "{bad}");
        assert_eq!((run.avg_heart_rate, run.avg_power, run.avg_cadence), (None, None, None), "{bad}");
        let number = bad.parse::<f64>().is_ok_and(|value| value == 65536.0);
        if !number {
            assert_eq!(
                (run.distance, run.elapsed, run.moving, run.energy_kcal),
                (None, None, None, None),
                "{bad}"
            );
        }
        assert!(!report.parsed.has_local_time, "{bad}");
    }
}

#[test]
fn nan_inside_a_string_is_kept() {
    let report = activity(r#","name":"NaN \"Infinity\" -N \\","avgHr":NaN,"locationName":"N\\\"I""#);
    assert_eq!(report.parsed.activity.name.as_deref(), Some(r#"NaN "Infinity" -N \"#));
    let raw = report.raw.unwrap();
    assert!(raw.contains(r#""avgHr":null"#) && raw.contains(r#""N\\\"I""#), "{raw}");
}

#[test]
fn activity_without_id_or_plausible_date_is_skipped() {
    for (row, why) in [
        (r#"{"beginTimestamp":1777615200000}"#, "no activity id"),
        (r#"{"activityId":0,"beginTimestamp":1777615200000}"#, "no activity id"),
        (r#"{"activityId":"seven","beginTimestamp":1777615200000}"#, "no activity id"),
        (r#"{"activityId":1}"#, "no date"),
        (r#"{"activityId":1,"beginTimestamp":0}"#, "date outside 1990 to 2100"),
        (r#"{"activityId":1,"beginTimestamp":7e13}"#, "date outside 1990 to 2100"),
    ] {
        assert_eq!(skip_reasons(GarminDataset::Activities, &format!("[{row}]")), [why], "{row}");
    }
    for id in ["20000000000", "20000000000.0", "\"20000000000\"", "2e10"] {
        let json = format!(
            r#"{{"summarizedActivitiesExport":[{{"activityId":{id},"startTimeGmt":1777615200000}}]}}"#
        );
        let Some(ImportedRecord::Activity(report)) = records(GarminDataset::Activities, &json).pop() else {
            panic!("{id}")
        };
        assert_eq!(report.key.id, "20000000000");
    }
}

#[test]
fn split_units_are_converted_and_overlapping_splits_ignored() {
    let split = |start: i64, end: i64, value: &str| {
        format!(
            r#"{{"startTimeGMT":{start},"endTimeGMT":{end},"type":"INTERVAL_ACTIVE","measurements":[
            {{"fieldEnum":"SUM_DISTANCE",{value}}},{{"fieldEnum":"WEIGHTED_MEAN_HEARTRATE","value":138.0,
            "unitEnum":"BPM"}},{{"fieldEnum":"SUM_MOVING_DURATION","value":290,"unitEnum":"SECOND"}}]}}"#
        )
    };
    let (begun, five, ten) = (1_777_615_200_000, 1_777_615_500_000, 1_777_615_800_000);
    let laps =
        |splits: &[String]| activity(&format!(r#","splits":[{}]"#, splits.join(","))).parsed.activity.laps;
    for (value, meters) in [
        (r#""value":100000.0,"unitEnum":"CENTIMETER""#, Some(1000.0)),
        (r#""value":1000.0,"unitEnum":"METER""#, Some(1000.0)),
        (r#""value":1.0,"unitEnum":"KILOMETER""#, Some(1000.0)),
        (r#""value":100000.0"#, Some(1000.0)),
        (r#""value":1.0,"unitEnum":"FURLONG""#, None),
    ] {
        let laps = laps(&[split(five, ten, value), split(begun, five, value)]);
        assert_eq!(laps.len(), 2);
        assert_eq!(laps[0].started_at.timestamp_millis(), begun);
        assert_eq!(laps[0].elapsed, Some(TimeSpan::from_mins(5)));
        assert_eq!(laps[0].distance, meters.and_then(Distance::from_meters), "{value}");
        assert_eq!((laps[0].avg_heart_rate, laps[0].moving), (Some(138), Some(TimeSpan::from_secs(290))));
        assert_eq!(laps[0].kind.as_deref(), Some("INTERVAL_ACTIVE"));
    }
    let km = r#""value":100000.0"#;
    assert_eq!(laps(&[split(begun, ten, km), split(five, ten, km)]), []);
    assert_eq!(laps(&["7".to_owned(), "{}".to_owned(), split(ten, five, km)]), []);
}

#[test]
fn one_estimate_per_day_is_kept() {
    let readiness = r#"[
        {"calendarDate":"2026-05-01","timestamp":"2026-05-01T18:00:00.0","inputContext":"AFTER_POST_EXERCISE_RESET",
         "score":40},
        {"calendarDate":"2026-05-01","timestamp":"2026-05-01T05:30:00.0","inputContext":"AFTER_WAKEUP_RESET",
         "score":81,"hrvWeeklyAverage":511},
        {"calendarDate":"2026-05-02","timestamp":"2026-05-02T18:00:00.0","score":30},
        {"calendarDate":"2026-05-02","timestamp":"2026-05-02T05:30:00.0","inputContext":null,"score":70},
        {"calendarDate":"2026-05-03","inputContext":"AFTER_POST_EXERCISE_RESET","score":10},
        {"calendarDate":"2026-05-04","inputContext":"AFTER_WAKEUP_RESET","score":-1}]"#;
    let found: Vec<(String, Value)> = estimates(GarminDataset::TrainingReadiness, readiness)
        .into_iter()
        .map(|e| (e.day.to_string(), e.value))
        .collect();
    assert_eq!(
        found,
        [("2026-05-01".to_owned(), Value::Number(81.0)), ("2026-05-02".to_owned(), Value::Number(70.0))]
    );

    let load = r#"[
        {"calendarDate":1777593600000,"timestamp":1777622400000,"dailyTrainingLoadAcute":430,"dailyTrainingLoadChronic":350},
        {"calendarDate":1777593600000,"timestamp":1777618800000,"dailyTrainingLoadAcute":380,"dailyTrainingLoadChronic":340}]"#;
    let found: Vec<_> =
        estimates(GarminDataset::AcuteLoad, load).into_iter().map(|e| (e.kind, e.value)).collect();
    assert_eq!(found, [(Kind::AcuteLoad, Value::Number(430.0)), (Kind::ChronicLoad, Value::Number(350.0))]);
    assert_eq!(skip_reasons(GarminDataset::AcuteLoad, load), [NOT_BEST_OF_DAY]);
}

#[test]
fn statuses_race_times_and_scores_are_parsed() {
    let history = r#"[{"calendarDate":"2026-05-01","timestamp":"2026-05-01T06:00:00.0","trainingStatus":"PRODUCTIVE"},
        {"calendarDate":"2026-05-02","trainingStatus":"NO_STATUS"}]"#;
    let status = estimates(GarminDataset::TrainingHistory, history).pop().unwrap();
    assert_eq!((status.kind, status.value), (Kind::TrainingStatus, Value::Word("PRODUCTIVE".to_owned())));
    assert_eq!(status.told_at, Some("2026-05-01T06:00:00Z".parse().unwrap()));

    let races = r#"[{"calendarDate":"2026-05-01","raceTime5K":1180,"raceTime10K":2460,"raceTimeHalf":0,
        "raceTimeMarathon":11700.5}]"#;
    let found: Vec<_> =
        estimates(GarminDataset::RacePredictions, races).into_iter().map(|e| (e.kind, e.value)).collect();
    assert_eq!(
        found,
        [
            (Kind::Race5k, Value::Number(1180.0)),
            (Kind::Race10k, Value::Number(2460.0)),
            (Kind::RaceFull, Value::Number(11700.5))
        ]
    );
    let hill = r#"[{"calendarDate":1777593600000,"overallScore":50,"strengthScore":40,"enduranceScore":45}]"#;
    assert_eq!(estimates(GarminDataset::HillScore, hill)[0].value, Value::Number(50.0));
    let endurance = r#"[{"calendarDate":1777593600000,"overallScore":6900}]"#;
    let score = estimates(GarminDataset::EnduranceScore, endurance).pop().unwrap();
    assert_eq!((score.day.to_string().as_str(), score.value), ("2026-05-01", Value::Number(6900.0)));
    assert_eq!(
        skip_reasons(GarminDataset::HillScore, r#"[{"calendarDate":1777593600000,"overallScore":0}]"#),
        ["no value"]
    );
}
