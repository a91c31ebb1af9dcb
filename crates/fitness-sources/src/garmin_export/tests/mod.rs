//! Tests of the export parsers.

mod corrupt_files;
mod days;
mod rows;

use super::*;
use fitness_core::domain::source_record::{DayRecord, Estimate, SourceRecord};

/// Records and outcome of a file.
fn records_in(dataset: GarminDataset, json: &str, zone: Tz) -> (Vec<ImportedRecord>, ReadOutcome) {
    let mut told = Vec::new();
    let summary = read(dataset, &mut json.as_bytes(), zone, &mut |one| told.push(one)).unwrap();
    (told, summary)
}

fn records(dataset: GarminDataset, json: &str) -> Vec<ImportedRecord> {
    records_in(dataset, json, Tz::UTC).0
}

fn skip_reasons(dataset: GarminDataset, json: &str) -> Vec<&'static str> {
    records_in(dataset, json, Tz::UTC).1.skip_reasons.into_keys().collect()
}

fn days(dataset: GarminDataset, json: &str) -> Vec<DayRecord> {
    let day = |told| if let ImportedRecord::Day(report) = told { *report } else { panic!("{told:?}") };
    records(dataset, json).into_iter().map(day).collect()
}

fn day(dataset: GarminDataset, json: &str) -> DayRecord {
    let mut days = days(dataset, json);
    assert_eq!(days.len(), 1, "{json}");
    days.remove(0)
}

fn estimates(dataset: GarminDataset, json: &str) -> Vec<Estimate> {
    let estimate =
        |told| if let ImportedRecord::Estimate(estimate) = told { estimate } else { panic!("{told:?}") };
    records(dataset, json).into_iter().map(estimate).collect()
}

/// An activity with these fields besides its id, type and start.
fn activity_in(fields: &str, zone: Tz) -> SourceRecord {
    let json = format!(
        r#"[{{"summarizedActivitiesExport":[{{"activityId":7,"activityType":"running","beginTimestamp":1777615200000{fields}}}]}}]"#
    );
    match records_in(GarminDataset::Activities, &json, zone).0.pop() {
        Some(ImportedRecord::Activity(report)) => *report,
        other => panic!("{other:?} in {json}"),
    }
}

fn activity(fields: &str) -> SourceRecord {
    activity_in(fields, Tz::UTC)
}

#[test]
fn dataset_is_recognised_by_file_name() {
    use GarminDataset as D;
    for (path, dataset) in [
        (
            "x.zip!/uuid_1/DI_CONNECT/DI-Connect-Wellness/2026-05-01_2026-05-10_1_sleepData.json",
            Some(D::Sleep),
        ),
        ("DI_CONNECT/DI-Connect-Aggregator/UDSFile_2026-05-01_2026-05-06.json", Some(D::DailySummaries)),
        ("old.zip!/DI_CONNECT/DI-Connect-User/UDSFile_2019-05-01_2019-05-06.json", Some(D::DailySummaries)),
        ("me@example.com_0_summarizedActivities.json", Some(D::Activities)),
        ("C:\\Export\\me_1001_summarizedActivities.JSON", Some(D::Activities)),
        ("summarizedActivities.json", Some(D::Activities)),
        ("a_summarizedActivities.json.gz", Some(D::Activities)),
        ("1_healthStatusData.json", Some(D::HealthStatus)),
        ("TrainingReadinessDTO_20260501_20260510_1.json", Some(D::TrainingReadiness)),
        ("MetricsAcuteTrainingLoad_20260501_20260510_1.json", Some(D::AcuteLoad)),
        ("TrainingHistory_20260501_20260510_1.json", Some(D::TrainingHistory)),
        ("MetricsMaxMetData_20260501_20260510_1.json", Some(D::MaxMet)),
        ("ActivityVo2Max_20260501_20260510_1.json", Some(D::ActivityVo2Max)),
        ("RunRacePredictions_20260501_20260510_1.json", Some(D::RacePredictions)),
        ("EnduranceScore_20260501_20260510_1.json", Some(D::EnduranceScore)),
        ("HillScore_20260501_20260510_1.json", Some(D::HillScore)),
        ("123_userBioMetrics.json", Some(D::BioMetrics)),
        ("123_bioMetrics_latest.json", Some(D::LatestBioMetrics)),
        ("123_userBioMetricProfileData.json", Some(D::BioMetricProfile)),
        ("123_heartRateZones.json", Some(D::HeartRateZones)),
        ("123_powerZones.json", Some(D::PowerZones)),
        ("DI_CONNECT/DI-Connect-User/user_profile.json", Some(D::UserProfile)),
        ("me_gear.json", None),
        ("me_personalRecord.json", None),
        ("user_settings.json", None),
        ("123_wellnessActivities.json", None),
        ("UDSFile_2026.csv", None),
        ("UDSFile_2026.json/", None),
        ("", None),
    ] {
        assert_eq!(recognise(path), dataset, "{path}");
    }
}

#[test]
fn athlete_and_zones_are_parsed() {
    use fitness_core::domain::athlete::{Sex, ThresholdKind, ZoneKind, Zones};
    use fitness_core::domain::source_record::AccountProfile;
    use fitness_core::domain::sport::Sport;
    let person = |json| records(GarminDataset::UserProfile, json);
    let ann = AccountProfile { birth_year: Some(1990), sex: Some(Sex::Female) };
    assert_eq!(
        person(r#"{"birthDate":"1990-01-01","gender":"FEMALE"}"#),
        [ImportedRecord::Person(ann.clone())]
    );
    assert_eq!(person(r#"[{"birthDate":[1990,1,1],"gender":"female"}]"#), [ImportedRecord::Person(ann)]);
    let shy = AccountProfile { birth_year: None, sex: Some(Sex::Male) };
    assert_eq!(person(r#"{"birthDate":null,"gender":"MALE"}"#), [ImportedRecord::Person(shy)]);
    assert_eq!(skip_reasons(GarminDataset::UserProfile, r#"{"gender":7}"#), ["no birth year and no sex"]);

    let zones = r#"[{"zone1Floor":95,"zone2Floor":114,"zone3Floor":133,"zone4Floor":152,"zone5Floor":171,
        "sport":"DEFAULT"},{"zone1Floor":100,"zone2Floor":120,"sport":"CYCLING"},
        {"zone1Floor":0,"zone2Floor":0,"sport":"RUNNING"},{"zone1Floor":100,"zone3Floor":120,"sport":"SWIMMING"}]"#;
    let expected = |sport, bounds: &[f64], kind| ImportedRecord::Zones {
        kind,
        sport,
        zones: Zones::new(bounds.to_vec()).unwrap(),
    };
    assert_eq!(
        records(GarminDataset::HeartRateZones, zones),
        [
            expected(Sport::Other, &[95.0, 114.0, 133.0, 152.0, 171.0], ZoneKind::HeartRate),
            expected(Sport::Cycling, &[100.0, 120.0], ZoneKind::HeartRate)
        ]
    );
    assert_eq!(skip_reasons(GarminDataset::HeartRateZones, zones), ["zones missing or not increasing"]);

    // Thresholds are read with or without zones; null and 0 mean none.
    let limits = r#"[{"trainingMethod":"HR_MAX","restingHeartRateUsed":48,"lactateThresholdHeartRateUsed":171,
        "maxHeartRateUsed":190,"sport":"DEFAULT"},
        {"restingHeartRateUsed":null,"lactateThresholdHeartRateUsed":0,"maxHeartRateUsed":184,"sport":"CYCLING"}]"#;
    let limit = |kind, value, sport| ImportedRecord::Threshold {
        kind,
        value,
        sport,
        basis: ThresholdBasis::Zones,
        from: None,
    };
    assert_eq!(
        records(GarminDataset::HeartRateZones, limits),
        [
            limit(ThresholdKind::MaxHeartRate, 190.0, Sport::Other),
            limit(ThresholdKind::RestingHeartRate, 48.0, Sport::Other),
            limit(ThresholdKind::ThresholdHeartRate, 171.0, Sport::Other),
            limit(ThresholdKind::MaxHeartRate, 184.0, Sport::Cycling),
        ]
    );
    assert_eq!(
        records(
            GarminDataset::PowerZones,
            r#"[{"zone1Floor":0,"zone2Floor":150,"zone3Floor":200,"sport":"CYCLING"}]"#
        ),
        [expected(Sport::Cycling, &[0.0, 150.0, 200.0], ZoneKind::Power)]
    );
}

#[test]
fn thresholds_of_bio_metrics_and_power_zones_are_read_with_their_dates() {
    use fitness_core::domain::athlete::ThresholdKind as Kind;
    use fitness_core::domain::sport::Sport;
    let read = |dataset, json: &str| -> Vec<(Kind, f64, Sport, ThresholdBasis, Option<String>)> {
        let threshold = |told| match told {
            ImportedRecord::Threshold { kind, value, sport, basis, from } => {
                Some((kind, value, sport, basis, from.map(|day| day.to_string())))
            }
            _ => None,
        };
        records(dataset, json).into_iter().filter_map(threshold).collect()
    };
    let latest = r#"{"lactateThresholdSpeed":0.395,"lactateThresholdHeartRate":164,"functionalThresholdPower":251,"maxHeartRate":0}"#;
    let basis = ThresholdBasis::Measured;
    assert_eq!(
        read(GarminDataset::LatestBioMetrics, latest),
        [
            (Kind::ThresholdHeartRate, 164.0, Sport::Other, basis, None),
            (Kind::ThresholdSpeed, 3.95, Sport::Running, basis, None),
            (Kind::ThresholdPower, 251.0, Sport::Cycling, basis, None),
        ]
    );
    let history = r#"[{"metaData":{"calendarDate":"2026-05-01T00:00:00.0"},"weight":{"weight":70419.0,"timestampGMT":"2026-05-01T06:01:21.0"},"functionalThresholdPower":240},
        {"metaData":{"calendarDate":"2026-07-12T00:00:00.0"},"lactateThresholdSpeed":0.386},
        {"metaData":{"calendarDate":"2026-07-13T00:00:00.0"},"lactateThresholdSpeed":38.6}]"#;
    assert_eq!(
        read(GarminDataset::BioMetrics, history),
        [
            (Kind::ThresholdSpeed, 3.86, Sport::Running, basis, Some("2026-07-12".to_owned())),
            (Kind::ThresholdPower, 240.0, Sport::Cycling, basis, Some("2026-05-01".to_owned())),
        ]
    );
    let profile = r#"[{"height":178.0,"weight":70419.0,"vo2Max":52.0,"lactateThresholdHeartRate":165}]"#;
    assert_eq!(
        read(GarminDataset::BioMetricProfile, profile),
        [(Kind::ThresholdHeartRate, 165.0, Sport::Other, ThresholdBasis::Profile, None)]
    );
    // The power of running is not the FTP.
    let zones = r#"[{"sport":"RUNNING","functionalThresholdPower":401.0,"zone1Floor":200,"zone2Floor":300},
        {"sport":"CYCLING","functionalThresholdPower":235.0}]"#;
    assert_eq!(
        read(GarminDataset::PowerZones, zones),
        [(Kind::ThresholdPower, 235.0, Sport::Cycling, ThresholdBasis::Zones, None)]
    );
}
