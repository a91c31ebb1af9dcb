//! Source records: imported once, in any order, with the athlete's edits kept.

use chrono::TimeDelta;
use fitness_core::domain::activity::{Activity, DeviceMetrics, Lap};
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{ActivityId, UserId};
use fitness_core::domain::merge::Edit;
use fitness_core::domain::note::Author;
use fitness_core::domain::observation::{ObservationData, ObservationKind};
use fitness_core::domain::source_record::{
    DayRecord, Details, Estimate, EstimateKind, EstimateValue, Flaw, ParsedActivity, RecordKey, SourceKind,
    SourceRecord, StrengthSet,
};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::stream::{Channel, Recording};
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::domain::wellness::{DailyWellness, Sleep};
use fitness_core::metrics::predict::ResultKind;
use fitness_store::testkit::{TestDb, june, now};
use fitness_store::{
    BatchOutcome, Error, FinishedFiles, ImportBatch, PackedOriginalFile, PackedRecord, RaceResult,
    RecordKind, SyncRunKind, SyncRunOutcome, SyncRunState, UpsertOutcome, on_both_databases,
};

/// A run with everything a watch records.
fn a_run() -> ParsedActivity {
    let started_at = "2026-06-13T16:04:07.123456Z".parse().unwrap();
    let lap = |km: f64| Lap {
        started_at,
        elapsed: Some(TimeSpan::from_mins(5)),
        moving: None,
        distance: Distance::from_km(km),
        avg_heart_rate: Some(150),
        max_heart_rate: Some(171),
        avg_power: None,
        avg_cadence: Some(178.5),
        kind: Some("interval".to_owned()),
    };
    let activity = Activity {
        sport: Sport::Running,
        sub_sport: Some("trail_running".to_owned()),
        name: Some("<b>Höhenweg</b>; DROP TABLE users".to_owned()),
        started_at,
        utc_offset_s: 7200,
        elapsed: Some(TimeSpan::from_ms(3_600_123)),
        moving: Some(TimeSpan::from_ms(3_500_456)),
        distance: Some(Distance::from_mm(10_012_345)),
        ascent: Distance::from_meters(312.4),
        descent: None,
        avg_heart_rate: Some(148),
        max_heart_rate: Some(181),
        avg_power: Some(251),
        max_power: None,
        avg_cadence: Some(171.25),
        energy_kcal: Some(702),
        device: Some("Forerunner 255".to_owned()),
        device_metrics: DeviceMetrics {
            aerobic_training_effect: Some(3.4),
            ground_contact_ms: Some(243.5),
            heart_rate_zone_s: vec![12.0, 600.5],
            ..DeviceMetrics::default()
        },
        laps: vec![lap(1.0), lap(0.4)],
        ..Activity::new(Sport::Running, started_at, 7200)
    };
    let mut recording = Recording::new((0..3600).map(|s| s * 1000).collect()).unwrap();
    recording
        .insert_column(Channel::HeartRate, (0..3600).map(|s| (s % 50 != 0).then_some(120 + s / 60)).collect())
        .unwrap();
    recording
        .insert_column(Channel::Latitude, (0..3600).map(|s| Some(471_234_567 + s * 13)).collect())
        .unwrap();
    let sets = vec![StrengthSet {
        started_at: None,
        elapsed: None,
        repetitions: Some(8),
        weight_kg: Some(62.5),
        exercise: Some("squat".to_owned()),
        active: true,
    }];
    ParsedActivity {
        recording: Some(recording),
        details: Details { sets, ..Details::default() },
        race: true,
        flaws: vec![Flaw::BadChecksum],
        ..ParsedActivity::without_samples(activity)
    }
}

fn new_source_record(kind: SourceKind, id: &str, recorded: ParsedActivity) -> SourceRecord {
    SourceRecord { key: RecordKey { kind, id: id.to_owned() }, parsed: recorded, raw: None }
}

fn at(text: &str) -> Instant {
    text.parse().unwrap()
}

/// An hour's run as in an activity list.
fn parsed_activity(start: &str, name: &str) -> ParsedActivity {
    ParsedActivity::without_samples(Activity {
        name: Some(name.to_owned()),
        elapsed: Some(TimeSpan::from_mins(60)),
        distance: Distance::from_km(12.0),
        ..Activity::new(Sport::Running, at(start), 0)
    })
}

/// A run at 12 km/h, recorded from some seconds after six o'clock.
fn device_recording(after_s: i64, seconds: i32, channels: &[Channel]) -> ParsedActivity {
    let mut recording = Recording::new((0..=seconds).map(|s| s * 1000).collect()).unwrap();
    for channel in channels {
        let sample = |s: i32| match channel {
            Channel::Distance => s * 10_000 / 3,
            Channel::HeartRate => 140,
            _ => 500_000,
        };
        recording.insert_column(*channel, (0..=seconds).map(|s| Some(sample(s))).collect()).unwrap();
    }
    ParsedActivity {
        recording: Some(recording),
        ..ParsedActivity::without_samples(Activity {
            elapsed: Some(TimeSpan::from_secs(i64::from(seconds))),
            distance: Some(Distance::from_mm(i64::from(seconds) * 10_000 / 3)),
            ..Activity::new(Sport::Running, at("2026-06-13T06:00:00Z") + TimeDelta::seconds(after_s), 0)
        })
    }
}

/// Every order of so many things.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let Some(last) = count.checked_sub(1) else { return vec![Vec::new()] };
    permutations(last)
        .into_iter()
        .flat_map(|order| {
            (0..=last).map(move |place| {
                let mut longer = order.clone();
                longer.insert(place, last);
                longer
            })
        })
        .collect()
}

async fn names(db: &TestDb, user: UserId) -> Vec<String> {
    let all = db.store.list_activities(user, june(1), june(30)).await.unwrap();
    all.into_iter().filter_map(|a| a.activity.name).collect()
}

on_both_databases! {
    async fn an_activity_is_stored_once_with_laps_streams_and_details(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let run = a_run();
        let put = db.import_record(ann, new_source_record(SourceKind::Fit, "abc#0", run.clone())).await;
        assert_eq!(put.outcome, UpsertOutcome::Added);
        let audited = db.store.audit_head(ann).await.unwrap();
        let again = db.import_record(ann, new_source_record(SourceKind::Fit, "abc#0", run.clone())).await;
        assert_eq!((again.outcome, again.activity), (UpsertOutcome::Unchanged, put.activity));
        assert_eq!(db.store.audit_head(ann).await.unwrap(), audited, "nothing changed, nothing logged");
        let other = db.import_record(bob, new_source_record(SourceKind::Fit, "abc#0", run.clone())).await;
        assert_eq!(other.outcome, UpsertOutcome::Added, "new to Bob");
        assert_ne!(put.activity, other.activity);

        let id = put.activity;
        let stored = db.store.find_activity(ann, id).await.unwrap().unwrap();
        assert_eq!(stored.activity, run.activity);
        assert_eq!((stored.day, stored.race, stored.flaws, stored.edited), (june(13), true, vec![Flaw::BadChecksum], false));
        assert_eq!(db.store.find_recording(ann, id).await.unwrap(), run.recording);
        assert_eq!(db.store.find_details(ann, id).await.unwrap(), Some(run.details));
        assert_eq!(db.store.find_activity(bob, id).await.unwrap(), None);
        assert_eq!(db.store.find_recording(bob, id).await.unwrap(), None);
        assert_eq!(db.store.find_details(bob, id).await.unwrap(), None);
        assert_eq!(db.store.list_activities(ann, june(13), june(13)).await.unwrap().len(), 1);
        assert!(db.store.list_activities(ann, june(14), june(30)).await.unwrap().is_empty());
        assert_eq!(db.store.count_activities(ann).await.unwrap(), (1, Some((june(13), june(13)))));
        let mut raw = crate::sql_shell::Raw::connect(&db).await;
        let packed = raw.number("SELECT CAST(SUM(LENGTH(packed)) AS BIGINT) FROM streams WHERE user_id = 1").await;
        assert!(packed < 2000, "an hour of three columns took {packed} bytes");
    }

    async fn records_of_three_sources_merge_into_one_run(db) {
        let ann = db.user("Ann").await;
        let watch = a_run();
        let start = watch.activity.started_at;
        let mut list = parsed_activity("2026-06-13T16:04:07Z", "Long run");
        list.activity.energy_kcal = Some(999);
        let mut track = a_run();
        track.activity.started_at = start + TimeDelta::seconds(1);
        track.activity.name = Some("Track".to_owned());
        track.recording = Some(Recording::new(vec![0, 1000]).unwrap());
        track.details = Details::default();
        let reports = [new_source_record(SourceKind::Gpx, "g#0", track), new_source_record(SourceKind::Fit, "f#0", watch.clone()), new_source_record(SourceKind::GarminExport, "17", list)];
        let mut seen = Vec::new();
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let user = db.user(&format!("user {order:?}")).await;
            let mut fates = Vec::new();
            for which in order {
                fates.push(db.import_record(user, reports[which].clone()).await.outcome);
            }
            assert_eq!(fates, [UpsertOutcome::Added, UpsertOutcome::Merged, UpsertOutcome::Merged]);
            let all = db.store.list_activities(user, june(1), june(30)).await.unwrap();
            assert_eq!(all.len(), 1, "{order:?}");
            let one = db.store.find_activity(user, all[0].id).await.unwrap().unwrap();
            assert_eq!(one.activity.name.as_deref(), Some("Long run"));
            assert_eq!(one.activity.energy_kcal, watch.activity.energy_kcal, "the watch measured it");
            assert_eq!(db.store.find_recording(user, one.id).await.unwrap(), watch.recording);
            assert_eq!(db.store.find_details(user, one.id).await.unwrap(), Some(watch.details.clone()));
            assert_eq!(db.store.list_source_records(user, one.id).await.unwrap().len(), 3);
            seen.push(one.activity);
        }
        assert!(seen.iter().all(|activity| *activity == seen[0]), "whatever the order");
        // The evening run is a different activity.
        db.import_record(ann, new_source_record(SourceKind::Garmin, "1", parsed_activity("2026-06-13T06:00:00Z", "Morning"))).await;
        db.import_record(ann, new_source_record(SourceKind::Garmin, "2", parsed_activity("2026-06-13T18:00:00Z", "Evening"))).await;
        assert_eq!(names(&db, ann).await, ["Morning", "Evening"]);
    }

    async fn devices_with_different_stop_times_are_one_activity_in_any_order(db) {
        // A watch for the whole hour without heart rate, a strap that was stopped after 40 minutes,
        // the phone's track, and the list of a service.
        let reports = [
            new_source_record(SourceKind::Fit, "watch#0", device_recording(0, 3600, &[Channel::Distance])),
            new_source_record(SourceKind::Fit, "strap#0", device_recording(20, 2400, &[Channel::Distance, Channel::HeartRate])),
            new_source_record(SourceKind::Gpx, "phone#0", device_recording(150, 3500, &[Channel::Distance, Channel::HeartRate, Channel::Altitude])),
            new_source_record(SourceKind::GarminExport, "17", parsed_activity("2026-06-13T06:00:00Z", "Long run")),
        ];
        let mut prints = std::collections::BTreeMap::new();
        for (case, order) in permutations(reports.len()).into_iter().enumerate() {
            let user = db.user(&format!("case {case}")).await;
            // In one batch for each, and in two.
            let cut = case % reports.len();
            for batch in [&order[..cut], &order[cut..]] {
                let batch = ImportBatch { records: batch.iter().map(|which| PackedRecord::pack(reports[*which].clone(), None, None).unwrap()).collect(), ..ImportBatch::default() };
                db.store.import_batch(user, batch, now()).await.unwrap();
            }
            let all = db.store.list_activities(user, june(1), june(30)).await.unwrap();
            assert_eq!(all.len(), 1, "{order:?}");
            assert_eq!(all[0].activity.elapsed, Some(TimeSpan::from_secs(3600)));
            assert_eq!(all[0].activity.distance, Distance::from_km(12.0));
            let recording = db.store.find_recording(user, all[0].id).await.unwrap().unwrap();
            assert_eq!(recording.offsets_ms().len(), 3601, "the watch's samples");
            let heart: Vec<_> = recording.column(Channel::HeartRate).unwrap().samples().collect();
            // The phone covers more than the strap, which is a part.
            assert_eq!((heart[100], heart[200], heart[3000]), (None, Some(140), Some(140)), "{order:?}");
            assert!(recording.column(Channel::Altitude).is_some());
            prints.entry(db.store.fingerprint(user).await.unwrap().to_string()).or_insert_with(Vec::new).push(order.clone());
            // Importing again changes nothing.
            for report in &reports {
                assert_eq!(db.import_record(user, report.clone()).await.outcome, UpsertOutcome::Unchanged);
            }
            assert!(prints.contains_key(&db.store.fingerprint(user).await.unwrap().to_string()));
        }
        assert_eq!(prints.len(), 1, "{prints:?}");
    }

    async fn legs_of_a_multisport_file_are_grouped_and_named_by_sport(db) {
        let ann = db.user("Ann").await;
        let legs = [(0, 30, Sport::Swimming, None), (30, 3, Sport::Other, Some("transition")), (33, 60, Sport::Cycling, None), (94, 40, Sport::Running, None)];
        let mut ids = Vec::new();
        for (place, (after, minutes, sport, sub)) in legs.into_iter().enumerate() {
            let leg = Activity {
                elapsed: Some(TimeSpan::from_mins(minutes)),
                sub_sport: sub.map(str::to_owned),
                ..Activity::new(sport, at("2026-06-13T06:00:00Z") + TimeDelta::minutes(after), 0)
            };
            ids.push(db.import_record(ann, new_source_record(SourceKind::Fit, &format!("tri#{place}"), ParsedActivity::without_samples(leg))).await.activity);
        }
        // Another file, and an activity of the same file in the evening.
        db.import_record(ann, new_source_record(SourceKind::Fit, "tried#0", parsed_activity("2026-06-13T12:00:00Z", "x"))).await;
        let evening = db.import_record(ann, new_source_record(SourceKind::Fit, "tri#4", parsed_activity("2026-06-13T18:00:00Z", "x"))).await.activity;
        for id in &ids {
            let found = db.store.list_multisport_legs(ann, *id).await.unwrap();
            assert_eq!(found.iter().map(|leg| leg.activity.leg_label()).collect::<Vec<_>>(), ["Swim", "Transition", "Ride", "Run"]);
            assert_eq!(found.iter().map(|leg| leg.id).collect::<Vec<_>>(), ids);
        }
        assert!(db.store.list_multisport_legs(ann, evening).await.unwrap().is_empty());
        let ben = db.user("Ben").await;
        assert!(db.store.list_multisport_legs(ben, ids[0]).await.unwrap().is_empty());
    }

    async fn records_of_an_older_version_are_grouped_by_the_current_rules_once(db) {
        let ann = db.user("Ann").await;
        let watch = db.import_record(ann, new_source_record(SourceKind::Fit, "watch#0", device_recording(0, 3600, &[Channel::Distance]))).await.activity;
        let strap = new_source_record(SourceKind::Gpx, "strap#0", device_recording(20, 2400, &[Channel::Distance, Channel::HeartRate]));
        // Imported as another activity by older rules: hide its start from the rules.
        let mut elsewhere = strap.clone();
        elsewhere.parsed.activity.started_at += TimeDelta::days(1);
        let other = db.import_record(ann, elsewhere).await.activity;
        assert_ne!(watch, other);
        assert_eq!(db.store.apply_merge_rules(ann, now()).await.unwrap(), None, "nothing to do for a new database");
        let mut raw = crate::sql_shell::Raw::connect(&db).await;
        raw.must_exec("UPDATE derivations SET merge_rules = 1").await;
        assert_eq!(db.store.apply_merge_rules(ann, now()).await.unwrap(), Some(vec![]), "they are a day apart");
        // The corrected start of the record now matches.
        db.import_record(ann, strap.clone()).await;
        assert_eq!(db.store.list_activities(ann, june(1), june(30)).await.unwrap().len(), 1, "an update is compared too");
        let recording = db.store.find_recording(ann, watch).await.unwrap().unwrap();
        assert_eq!(recording.column(Channel::HeartRate).unwrap().sample(200), Some(140));
        // The same as importing both.
        let ben = db.user("Ben").await;
        db.import_record(ben, strap).await;
        db.import_record(ben, new_source_record(SourceKind::Fit, "watch#0", device_recording(0, 3600, &[Channel::Distance]))).await;
        assert_eq!(db.store.fingerprint(ann).await.unwrap(), db.store.fingerprint(ben).await.unwrap());
    }

    async fn record_linking_two_activities_merges_them(db) {
        let ann = db.user("Ann").await;
        // 15 minutes apart they share three quarters and are two activities; a third recording in
        // between matches both.
        let at_start = |seconds: i64, name: &str| {
            let mut run = parsed_activity("2026-06-13T06:00:00Z", name);
            run.activity.started_at += TimeDelta::seconds(seconds);
            run
        };
        let first = db.import_record(ann, new_source_record(SourceKind::Garmin, "1", at_start(0, "First"))).await.activity;
        let mut second = at_start(900, "Second");
        second.recording = Some(Recording::new(vec![0, 1000, 2000]).unwrap());
        let second = db.import_record(ann, new_source_record(SourceKind::Gpx, "2", second)).await;
        assert_eq!(second.outcome, UpsertOutcome::Added);
        let rated = ObservationData::new(ObservationKind::Rpe, june(13), june(13), Some(7)).unwrap().for_activity(Some(second.activity));
        db.store.add_observation(ann, Author::Athlete, &rated, now()).await.unwrap();
        db.store.edit_activity(ann, second.activity, Edit { distance: Distance::from_km(12.5), ..Edit::default() }, now()).await.unwrap();
        let between = db.import_record(ann, new_source_record(SourceKind::Intervals, "3", at_start(450, "Between"))).await;
        assert_eq!((between.outcome, between.activity), (UpsertOutcome::Merged, first), "the older id stays");
        let all = db.store.list_activities(ann, june(1), june(30)).await.unwrap();
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].activity.name.as_deref(), Some("First"));
        assert_eq!(all[0].activity.distance, Distance::from_km(12.5), "what the athlete changed stays changed");
        assert_eq!(db.store.find_recording(ann, first).await.unwrap().unwrap().offsets_ms().len(), 3);
        let rated = &db.store.list_observations(ann, june(13), june(13)).await.unwrap()[0];
        assert_eq!(rated.data.activity(), Some(first));
    }

    async fn edit_and_deletion_survive_later_imports(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let one = db.import_record(ann, new_source_record(SourceKind::Garmin, "1", parsed_activity("2026-06-13T06:00:00Z", "Morning"))).await.activity;
        let edit = Edit { name: Some("My race".to_owned()), moving: Some(TimeSpan::from_mins(58)), ..Edit::default() };
        assert!(matches!(db.store.edit_activity(bob, one, edit.clone(), now()).await, Err(Error::NotFound(RecordKind::Activity))));
        db.store.edit_activity(ann, one, edit, now()).await.unwrap();
        assert_eq!(names(&db, ann).await, ["My race"]);
        // The same record again, a changed one, and another source.
        assert_eq!(db.import_record(ann, new_source_record(SourceKind::Garmin, "1", parsed_activity("2026-06-13T06:00:00Z", "Morning"))).await.outcome, UpsertOutcome::Unchanged);
        assert_eq!(db.import_record(ann, new_source_record(SourceKind::Garmin, "1", parsed_activity("2026-06-13T06:00:00Z", "Renamed"))).await.outcome, UpsertOutcome::Updated);
        let mut watch = parsed_activity("2026-06-13T06:00:00Z", "fit");
        watch.activity.moving = Some(TimeSpan::from_mins(59));
        assert_eq!(db.import_record(ann, new_source_record(SourceKind::Fit, "f#0", watch.clone())).await.outcome, UpsertOutcome::Merged);
        let stored = db.store.find_activity(ann, one).await.unwrap().unwrap();
        assert_eq!(stored.activity.name.as_deref(), Some("My race"));
        assert_eq!(stored.activity.moving, Some(TimeSpan::from_mins(58)));
        assert!(stored.activity.moving_is_edited);
        assert_eq!(stored.training_time(), stored.activity.moving);
        assert!(stored.edited);
        db.store.reset_activity(ann, one, now()).await.unwrap();
        let stored = db.store.find_activity(ann, one).await.unwrap().unwrap();
        assert_eq!((stored.activity.name.as_deref(), stored.edited), (Some("Renamed"), false));
        assert_eq!(stored.activity.moving, Some(TimeSpan::from_mins(59)));

        assert!(matches!(db.store.delete_activity(bob, one, now()).await, Err(Error::NotFound(RecordKind::Activity))));
        db.store.delete_activity(ann, one, now()).await.unwrap();
        assert!(matches!(db.store.delete_activity(ann, one, now()).await, Err(Error::NotFound(RecordKind::Activity))), "once");
        for report in [new_source_record(SourceKind::Garmin, "1", parsed_activity("2026-06-13T06:00:00Z", "Third name")), new_source_record(SourceKind::Tcx, "t#0", watch)] {
            db.import_record(ann, report).await;
            assert!(names(&db, ann).await.is_empty(), "what was deleted stays deleted");
            assert_eq!(db.store.find_activity(ann, one).await.unwrap(), None);
        }
        assert_eq!(db.store.count_activities(ann).await.unwrap(), (0, None));
        assert!(matches!(db.store.edit_activity(ann, one, Edit::default(), now()).await, Err(Error::NotFound(RecordKind::Activity))));
        db.store.restore_activity(ann, one, now()).await.unwrap();
        assert_eq!(names(&db, ann).await, ["Third name"]);
        assert!(matches!(db.store.restore_activity(ann, one, now()).await, Err(Error::NotFound(_))));
    }

    async fn deleted_activity_stays_deleted_when_linked(db) {
        let at_start = |seconds: i64, name: &str| {
            let mut run = parsed_activity("2026-06-13T06:00:00Z", name);
            run.activity.started_at += TimeDelta::seconds(seconds);
            run
        };
        for (name, order) in [("abc", [200, 100]), ("acb", [100, 200])] {
            let user = db.user(name).await;
            let first = db.import_record(user, new_source_record(SourceKind::Garmin, "1", at_start(0, "First"))).await.activity;
            db.store.delete_activity(user, first, now()).await.unwrap();
            for start in order {
                db.import_record(user, new_source_record(SourceKind::Gpx, &start.to_string(), at_start(start, "Later"))).await;
            }
            assert!(names(&db, user).await.is_empty(), "{name}");
        }
    }

    async fn original_files_are_stored_once_and_read_back(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let bytes = b"not really a FIT file ".repeat(100);
        let hash = ContentHash::hash_bytes(&bytes);
        let batch = || ImportBatch {
            originals: vec![PackedOriginalFile::pack("run.fit", hash, &bytes)],
            records: vec![PackedRecord::pack(new_source_record(SourceKind::Fit, &format!("{hash}#0"), a_run()), Some(hash), None).unwrap()],
            ..ImportBatch::default()
        };
        let taken = db.store.import_batch(ann, batch(), now()).await.unwrap();
        assert_eq!((taken.originals, taken.is_unchanged()), (1, false));
        let again = db.store.import_batch(ann, batch(), now()).await.unwrap();
        assert!(again.is_unchanged(), "{again:?}");
        assert_eq!(db.store.list_original_hashes(ann, "").await.unwrap(), [hash].into());
        assert_eq!(db.store.find_original_start(ann, hash).await.unwrap(), Some((at("2026-06-13T16:04:07.123456Z"), 7200)));
        assert_eq!(db.store.list_original_days(ann, &[hash]).await.unwrap(), [june(13)].into());
        assert!(db.store.list_original_days(bob, &[hash]).await.unwrap().is_empty());
        assert_eq!(db.store.find_original_start(bob, hash).await.unwrap(), None);
        assert!(db.store.list_original_hashes(bob, "").await.unwrap().is_empty());
        let kept = db.store.list_activity_originals(ann, taken.records[0].activity).await.unwrap();
        assert_eq!(kept, db.store.list_originals(ann, 0, 10).await.unwrap());
        assert_eq!((kept[0].name.as_str(), kept[0].size), ("run.fit", bytes.len() as u64));
        assert_eq!(db.store.read_original(ann, hash).await.unwrap(), bytes);
        assert!(matches!(db.store.read_original(bob, hash).await, Err(Error::NotFound(RecordKind::File))));

        // A newer parser version has not read it yet; afterwards it has.
        assert!(db.store.list_original_hashes(ann, "2").await.unwrap().is_empty());
        let newer = || ImportBatch { reader: "2".to_owned(), ..batch() };
        assert_eq!(db.store.import_batch(ann, newer(), now()).await.unwrap().originals, 1);
        assert!(db.store.import_batch(ann, newer(), now()).await.unwrap().is_unchanged());
        assert_eq!(db.store.list_original_hashes(ann, "2").await.unwrap(), [hash].into());
        assert_eq!(db.store.list_originals(ann, 0, 10).await.unwrap().len(), 1);

        assert!(!db.store.is_import_finished(ann, hash, "1").await.unwrap());
        for _ in 0..2 {
            let run = db.store.begin_sync_run(ann, SyncRunKind::File, None, now()).await.unwrap();
            let outcome = SyncRunOutcome {
                kind: None,
                state: SyncRunState::Done,
                evidence: Vec::new(),
                summary: serde_json::json!({}),
                problem: None,
                files: FinishedFiles { reader: "1".to_owned(), hashes: vec![hash] },
            };
            db.store.finish_sync_run(ann, run, outcome, now()).await.unwrap();
        }
        assert!(db.store.is_import_finished(ann, hash, "1").await.unwrap());
        assert!(!db.store.is_import_finished(ann, hash, "2").await.unwrap(), "another reader may find more");
        assert!(!db.store.is_import_finished(bob, hash, "1").await.unwrap());
    }

    async fn day_is_merged_from_its_source_records(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let night = Sleep { asleep: Some(TimeSpan::from_mins(444)), deep: Some(TimeSpan::from_mins(61)), score: Some(81), ..Sleep::default() };
        let report = |kind, part: &str, wellness| DayRecord { kind, dataset: part.to_owned(), wellness, as_of: None, readings: None, raw: Some("{}".to_owned()) };
        let blank = DailyWellness::empty(june(13));
        let slept = report(SourceKind::GarminExport, "sleep", DailyWellness { sleep: Some(night.clone()), ..blank.clone() });
        let walked = report(SourceKind::GarminExport, "uds", DailyWellness { steps: Some(9000), ..blank.clone() });
        let watch = report(SourceKind::Fit, "x", DailyWellness { steps: Some(9500), hrv_ms: Some(61.5), ..blank.clone() });
        let days = |days: &[&DayRecord]| ImportBatch { day_records: days.iter().map(|d| (*d).clone()).collect(), ..ImportBatch::default() };
        assert_eq!(db.store.import_batch(ann, days(&[&walked, &slept]), now()).await.unwrap().days.len(), 1);
        assert_eq!(db.store.import_batch(ann, days(&[&watch]), now()).await.unwrap().days.len(), 1);
        assert!(db.store.import_batch(ann, days(&[&watch, &walked, &slept]), now()).await.unwrap().is_unchanged());
        let expected = DailyWellness { sleep: Some(night), steps: Some(9500), hrv_ms: Some(61.5), ..blank.clone() };
        assert_eq!(db.store.list_wellness(ann, june(1), june(30)).await.unwrap(), [expected]);
        // Imported again with another value, the record is replaced, not added.
        let corrected = DayRecord { wellness: DailyWellness { hrv_ms: Some(60.0), ..watch.wellness.clone() }, ..watch.clone() };
        assert_eq!(db.store.import_batch(ann, days(&[&corrected]), now()).await.unwrap().days.len(), 1);
        assert_eq!(db.store.list_wellness(ann, june(1), june(30)).await.unwrap()[0].hrv_ms, Some(60.0));
        assert!(db.store.list_wellness(bob, june(1), june(30)).await.unwrap().is_empty());
        // An older export had only the morning of its last day; it does not override the newer one.
        let morning = DayRecord { wellness: DailyWellness { steps: Some(300), ..blank.clone() }, as_of: Some(at("2026-06-13T06:00:00Z")), ..walked.clone() };
        assert!(db.store.import_batch(ann, days(&[&morning]), now()).await.unwrap().is_unchanged());
        assert!(db.store.import_batch(ann, days(&[&walked, &morning]), now()).await.unwrap().is_unchanged());
        assert_eq!(db.store.import_batch(bob, days(&[&morning]), now()).await.unwrap().days.len(), 1);
        assert_eq!(db.store.import_batch(bob, days(&[&walked]), now()).await.unwrap().days.len(), 1);
        assert_eq!(db.store.list_wellness(bob, june(1), june(30)).await.unwrap()[0].steps, Some(9000));
    }

    async fn newer_export_wins_in_any_order(db) {
        let batch = |edition: u32, name: &str, resting: u16| {
            let report = PackedRecord::pack(new_source_record(SourceKind::GarminExport, "11", parsed_activity("2026-06-13T06:00:00Z", name)), None, None).unwrap();
            let wellness = DailyWellness { resting_heart_rate: Some(resting), ..DailyWellness::empty(june(13)) };
            let day = DayRecord { kind: SourceKind::GarminExport, dataset: "uds".to_owned(), wellness, as_of: None, readings: None, raw: None };
            ImportBatch { records: vec![report.with_export_day(Some(june(edition)))], day_records: vec![day], export_day: Some(june(edition)), ..ImportBatch::default() }
        };
        let mut prints = Vec::new();
        for (user, order) in [("up", [20, 21, 22]), ("down", [22, 21, 20]), ("mixed", [21, 22, 20])] {
            let user = db.user(user).await;
            // The first and last exports agree; the one in between does not win.
            for edition in order {
                let (name, resting) = if edition == 21 { ("Renamed", 47) } else { ("Morning", 48) };
                db.store.import_batch(user, batch(edition, name, resting), now()).await.unwrap();
            }
            for edition in order {
                let (name, resting) = if edition == 21 { ("Renamed", 47) } else { ("Morning", 48) };
                let again = db.store.import_batch(user, batch(edition, name, resting), now()).await.unwrap();
                assert!(again.is_unchanged(), "{order:?}, {edition} again: {again:?}");
            }
            assert_eq!(names(&db, user).await, ["Morning"], "{order:?}");
            assert_eq!(db.store.list_wellness(user, june(13), june(13)).await.unwrap()[0].resting_heart_rate, Some(48));
            prints.push(db.store.fingerprint(user).await.unwrap());
        }
        assert!(prints.iter().all(|print| *print == prints[0]));
    }

    async fn latest_estimate_wins(db) {
        let ann = db.user("Ann").await;
        let readiness = |value, told: &str| Estimate { day: june(13), kind: EstimateKind::TrainingReadiness, value: EstimateValue::Number(value), told_at: Some(at(told)) };
        let early = readiness(71.0, "2026-06-13T05:00:00Z");
        let late = readiness(64.0, "2026-06-13T06:00:00Z");
        let batch = |estimates: &[&Estimate]| ImportBatch { estimates: estimates.iter().map(|e| (*e).clone()).collect(), ..ImportBatch::default() };
        assert_eq!(db.store.import_batch(ann, batch(&[&late, &early]), now()).await.unwrap().estimates, 1);
        assert_eq!(db.store.import_batch(ann, batch(&[&early]), now()).await.unwrap(), BatchOutcome::default());
        assert_eq!(db.store.list_estimates(ann, june(1), june(30)).await.unwrap(), [late]);
    }

    async fn race_counts_only_after_athlete_confirms(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let race = db.import_record(ann, new_source_record(SourceKind::Fit, "f#0", a_run())).await.activity;
        let likely = db.store.list_unconfirmed_races(ann).await.unwrap();
        assert_eq!(likely.iter().map(|a| a.id).collect::<Vec<_>>(), [race]);
        assert!(db.store.list_races(ann).await.unwrap().is_empty());
        let result = RaceResult { activity: Some(race), day: june(13), name: "City 10k".to_owned(), distance: Distance::from_mm(10_000_000), time: TimeSpan::from_mins(42), effort: ResultKind::Race };
        assert!(matches!(db.store.put_race(bob, &result, now()).await, Err(Error::NotFound(RecordKind::Activity))));
        let id = db.store.put_race(ann, &result, now()).await.unwrap();
        let corrected = RaceResult { time: TimeSpan::from_ms(2_519_000), ..result.clone() };
        assert_eq!(db.store.put_race(ann, &corrected, now()).await.unwrap(), id);
        let typed = RaceResult { activity: None, day: june(1), ..result };
        let other = db.store.put_race(ann, &typed, now()).await.unwrap();
        assert_eq!(db.store.put_race(ann, &typed, now()).await.unwrap(), other, "typed in twice");
        db.store.delete_activity(ann, race, now()).await.unwrap();
        assert_eq!(db.store.list_races(ann).await.unwrap().len(), 1, "its activity is deleted");
        db.store.restore_activity(ann, race, now()).await.unwrap();
        let races = db.store.list_races(ann).await.unwrap();
        assert_eq!(races.iter().map(|r| r.result.clone()).collect::<Vec<_>>(), [typed, corrected]);
        assert!(db.store.list_unconfirmed_races(ann).await.unwrap().is_empty());
        assert!(matches!(db.store.remove_race(bob, id, now()).await, Err(Error::NotFound(RecordKind::Race))));
        db.store.remove_race(ann, other, now()).await.unwrap();
        db.store.remove_race(ann, id, now()).await.unwrap();
        assert_eq!(db.store.list_unconfirmed_races(ann).await.unwrap().len(), 1, "it is asked about again");
        db.store.decline_race(ann, race, now()).await.unwrap();
        assert!(db.store.list_unconfirmed_races(ann).await.unwrap().is_empty());
        assert!(db.store.list_races(ann).await.unwrap().is_empty());
        assert!(matches!(db.store.decline_race(ann, ActivityId::new(99), now()).await, Err(Error::NotFound(RecordKind::Activity))));
    }
}
