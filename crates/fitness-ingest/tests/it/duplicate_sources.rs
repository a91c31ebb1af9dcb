//! The same activity from several sources is merged; different activities of a day are not.

use crate::fixtures::{clock, demo_export, reimport, today};
use fitness_core::domain::source_record::SourceKind;
use fitness_store::on_both_databases;
use std::io::Write as _;

on_both_databases! {
    async fn strava_rows_are_merged_with_their_files(db) {
        let ann = db.user("Ann").await;
        let fit = demo_export().files.iter().rfind(|path| path.extension().is_some_and(|e| e == "fit") && std::fs::metadata(path).unwrap().len() > 20_000).unwrap();
        let alone = reimport(&db.store, ann, std::slice::from_ref(fit)).await;
        assert_eq!(alone.added, 1);
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("strava.zip");
        let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file("activities.csv", options).unwrap();
        // The row's date is off by hours, as in exports with local times; the file's time wins.
        zip.write_all(b"Activity ID,Activity Date,Activity Name,Activity Type,Activity Description,Elapsed Time,Distance,Max Heart Rate,Relative Effort,Commute,Activity Private Note,Activity Gear,Filename\n\
            77,\"Jan 2, 2026, 6:52:17 AM\",Named on Strava,Run,,1800,5.0,,,false,,,activities/77.fit.gz\n").unwrap();
        zip.start_file("activities/77.fit.gz", options).unwrap();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(&std::fs::read(fit).unwrap()).unwrap();
        zip.write_all(&gzip.finish().unwrap()).unwrap();
        zip.finish().unwrap();
        for _ in 0..2 {
            reimport(&db.store, ann, std::slice::from_ref(&path)).await;
            let all = db.store.list_activities(ann, today().plus_days(-400), today()).await.unwrap();
            assert_eq!(all.len(), 1, "{all:?}");
            assert_eq!(all[0].activity.name.as_deref(), Some("Named on Strava"));
            let kinds: Vec<SourceKind> = db.store.list_source_records(ann, all[0].id).await.unwrap().into_iter().map(|(key, _)| key.kind).collect();
            assert_eq!(kinds, [SourceKind::Fit, SourceKind::StravaExport]);
        }
        // Also if the file was imported earlier.
        let known = fitness_ingest::ImportRequest { user: ann, paths: vec![folder.path().to_owned()], reimport: false, count_first: false };
        let outcome = fitness_ingest::import(&db.store, known, clock, &mut (), &fitness_ingest::StopSignal::default()).await.unwrap();
        assert!(outcome.is_unchanged(), "{outcome:?}");
    }

    async fn original_files_are_stored_unchanged(db) {
        let ann = db.user("Ann").await;
        reimport(&db.store, ann, &demo_export().files).await;
        let kept = db.store.list_originals(ann, 0, 1000).await.unwrap();
        assert!(kept.len() > 10);
        for original in kept {
            let bytes = db.store.read_original(ann, original.sha256).await.unwrap();
            let file = demo_export().files.iter().find(|path| path.file_name().unwrap().to_str() == Some(&original.name)).unwrap();
            assert_eq!(bytes, std::fs::read(file).unwrap(), "{}", original.name);
        }
    }

    async fn upgrade_that_merges_activities_lists_them_and_changed_verdicts(db) {
        use fitness_core::domain::activity::Activity;
        use fitness_core::domain::source_record::{ParsedActivity, RecordKey, SourceRecord};
        use fitness_core::domain::sport::Sport;
        use fitness_core::domain::units::{Distance, TimeSpan};
        let ann = db.user("Ann").await;
        let plan = db.active_plan(ann, "Plan").await;
        let first = db.store.plan_adherence(ann, plan).await.unwrap();
        let workout = first.workouts.iter().find(|planned| planned.workout.sport == Sport::Running && planned.workout.date < today()).unwrap();
        let planned_km = workout.workout.distance.map_or(10.0, Distance::km);
        // Each of two devices recorded three quarters of the workout; both counted before.
        let started_at = chrono::DateTime::from_naive_utc_and_offset(workout.workout.date.date().and_hms_opt(9, 0, 0).unwrap(), chrono::Utc);
        let record = |id: &str, after: i64| SourceRecord {
            key: RecordKey { kind: SourceKind::Gpx, id: id.to_owned() },
            parsed: ParsedActivity::without_samples(Activity {
                elapsed: Some(TimeSpan::from_mins(60)),
                distance: Distance::from_km(planned_km * 0.75),
                ..Activity::new(Sport::Running, started_at + chrono::TimeDelta::minutes(after), 0)
            }),
            raw: None,
        };
        db.import_record(ann, record("a#0", 0)).await;
        db.import_record(ann, record("b#0", 70)).await;
        db.finish_import(ann, fitness_core::adherence::data_frontier::CoverageEvidence::Activity { day: today(), imported_at: clock() }).await;
        let nothing = fitness_ingest::apply_merge_rules(&db.store, ann, clock()).await.unwrap();
        assert!(nothing.is_unchanged(), "a new database has the current rules");
        // As an older version stored them: the second record started ten minutes after the first.
        db.move_record_as_older_version(ann, "b#0", started_at + chrono::TimeDelta::minutes(10)).await;
        let changed = fitness_ingest::apply_merge_rules(&db.store, ann, clock()).await.unwrap();
        assert_eq!(changed.activities.len(), 1, "{changed:?}");
        assert_eq!(changed.verdicts.len(), 1, "{changed:?}");
        assert_eq!(changed.verdicts[0].workout, workout.id);
        assert!(changed.summary_sentences().iter().any(|line| line.contains("was hit, and is short")), "{:?}", changed.summary_sentences());
        assert!(fitness_ingest::apply_merge_rules(&db.store, ann, clock()).await.unwrap().is_unchanged(), "once");
        let runs = db.store.list_sync_runs(ann, 5).await.unwrap();
        assert!(format!("{runs:?}").contains("verdicts"), "{runs:?}");
    }

    async fn thresholds_of_an_account_export_are_stored_with_their_dates_in_any_file_order(db) {
        use fitness_core::domain::athlete::{ThresholdKind, ThresholdOrigin};
        let folder = tempfile::TempDir::new().unwrap();
        let files = [
            ("UDSFile_2026-06-01_2026-06-10.json", r#"[{"calendarDate":"2026-06-10","totalSteps":900,"restingHeartRate":50}]"#),
            ("7_userBioMetrics.json", r#"[{"metaData":{"calendarDate":"2026-03-01"},"functionalThresholdPower":230},
                {"metaData":{"calendarDate":"2026-03-02"},"functionalThresholdPower":230},
                {"metaData":{"calendarDate":"2026-05-01"},"functionalThresholdPower":240,"lactateThresholdSpeed":0.386}]"#),
            ("7_bioMetrics_latest.json", r#"[{"functionalThresholdPower":251,"lactateThresholdHeartRate":164,"lactateThresholdSpeed":0.395}]"#),
            ("7_userBioMetricProfileData.json", r#"[{"functionalThresholdPower":290,"lactateThresholdHeartRate":171}]"#),
            ("7_powerZones.json", r#"[{"sport":"CYCLING","functionalThresholdPower":260,"zone1Floor":100,"zone2Floor":150}]"#),
            ("7_heartRateZones.json", r#"[{"sport":"DEFAULT","maxHeartRateUsed":188,"lactateThresholdHeartRateUsed":168,"zone1Floor":100,"zone2Floor":120}]"#),
        ];
        let mut prints = std::collections::BTreeSet::new();
        for turn in 0..files.len() {
            let ann = db.user(&format!("turn {turn}")).await;
            let mut paths: Vec<_> = files.iter().map(|(name, json)| {
                let path = folder.path().join(name);
                std::fs::write(&path, json).unwrap();
                path
            }).collect();
            paths.rotate_left(turn);
            reimport(&db.store, ann, &paths).await;
            let mut found: Vec<(ThresholdKind, f64, String)> = db.store.list_thresholds(ann).await.unwrap().into_iter()
                .filter(|threshold| threshold.origin == ThresholdOrigin::Reported)
                .map(|threshold| (threshold.kind, threshold.value, threshold.from.to_string())).collect();
            found.sort_by(|a, b| (a.0, &a.2).cmp(&(b.0, &b.2)));
            let exported = "2026-06-10".to_owned();
            assert_eq!(found, [
                (ThresholdKind::MaxHeartRate, 188.0, exported.clone()),
                (ThresholdKind::ThresholdHeartRate, 164.0, exported.clone()),
                (ThresholdKind::ThresholdSpeed, 3.86, "2026-05-01".to_owned()),
                (ThresholdKind::ThresholdSpeed, 3.95, exported.clone()),
                (ThresholdKind::ThresholdPower, 230.0, "2026-03-01".to_owned()),
                (ThresholdKind::ThresholdPower, 240.0, "2026-05-01".to_owned()),
                (ThresholdKind::ThresholdPower, 251.0, exported),
            ]);
            prints.insert(db.store.fingerprint(ann).await.unwrap().to_string());
            reimport(&db.store, ann, &paths).await;
            prints.insert(db.store.fingerprint(ann).await.unwrap().to_string());
        }
        assert_eq!(prints.len(), 1, "whatever the order, and importing again changes nothing");
    }
}
