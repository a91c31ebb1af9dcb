//! Incremental recomputation gives the same result as a full one.

use crate::fixtures::{clock, demo_export, recompute_from_scratch, reimport};
use fitness_core::domain::athlete::{
    Profile, Sex, Threshold, ThresholdKind, ThresholdOrigin, ZoneKind, Zones,
};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::merge::Edit;
use fitness_core::domain::note::Author;
use fitness_core::domain::observation::{ObservationData, ObservationKind};
use fitness_core::domain::source_record::{DayRecord, SourceKind};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::domain::wellness::DailyWellness;
use fitness_core::metrics::activity::measure;
use fitness_core::metrics::pipeline::{MEASURES_VERSION, threshold_evidence};
use fitness_core::metrics::predict::ResultKind;
use fitness_core::metrics::zones::DatedZones;
use fitness_ingest::{ImportRequest, RecomputeCounts, StopSignal, import, recompute};
use fitness_store::{ImportBatch, RaceResult, Store, on_both_databases};

async fn recompute_all(store: &Store, user: UserId) -> RecomputeCounts {
    recompute(store, user, &mut |_| {}, &StopSignal::default()).await.unwrap()
}

async fn assert_equals_full_recompute(store: &Store, user: UserId, after: &str) {
    recompute_all(store, user).await;
    let worked = store.derived_fingerprint(user).await.unwrap();
    assert_eq!(
        recompute_all(store, user).await,
        RecomputeCounts::default(),
        "nothing is left to do after {after}"
    );
    recompute_from_scratch(store, user).await;
    assert_eq!(store.derived_fingerprint(user).await.unwrap(), worked, "after {after}");
}

on_both_databases! {
    async fn incremental_recompute_equals_full_recompute(db) {
        let ann = db.user("Ann").await;
        let store = &db.store;
        let outcome = reimport(store, ann, &[demo_export().zip.clone()]).await;
        assert_eq!(outcome.worked_out.measured, outcome.added);
        assert_equals_full_recompute(store, ann, "an import").await;

        let (_, span) = store.count_activities(ann).await.unwrap();
        let (first, last) = span.unwrap();
        let all = store.list_activities(ann, first, last).await.unwrap();
        let run = all.iter().rev().find(|one| one.activity.sport == Sport::Running).unwrap();
        let middle = all[all.len() / 2].day;

        let edit = Edit { distance: Distance::from_km(31.0), ..Edit::default() };
        store.edit_activity(ann, run.id, edit, clock()).await.unwrap();
        assert_equals_full_recompute(store, ann, "a corrected distance").await;
        store.edit_activity(ann, run.id, Edit { sport: Some(Sport::Other), ..Edit::default() }, clock()).await.unwrap();
        assert_equals_full_recompute(store, ann, "another sport").await;
        store.reset_activity(ann, run.id, clock()).await.unwrap();
        assert_equals_full_recompute(store, ann, "a reset").await;
        store.delete_activity(ann, all[0].id, clock()).await.unwrap();
        assert_equals_full_recompute(store, ann, "the first activity is gone").await;
        store.restore_activity(ann, all[0].id, clock()).await.unwrap();
        assert_equals_full_recompute(store, ann, "it is back").await;

        let set = |kind, value, from| Threshold { kind, value, from, origin: ThresholdOrigin::Set };
        store.put_threshold(ann, &set(ThresholdKind::ThresholdSpeed, 3.7, middle), clock()).await.unwrap();
        assert_equals_full_recompute(store, ann, "a threshold from the middle on").await;
        store.remove_threshold(ann, ThresholdKind::ThresholdSpeed, middle, clock()).await.unwrap();
        assert_equals_full_recompute(store, ann, "a threshold is forgotten").await;
        let profile = store.profile(ann).await.unwrap();
        let other = if profile.sex == Some(Sex::Male) { Sex::Female } else { Sex::Male };
        let changed = Profile { sex: Some(other), sleep_need: Some(TimeSpan::from_mins(500)), ..profile };
        store.put_profile(ann, &changed, clock()).await.unwrap();
        assert_equals_full_recompute(store, ann, "another profile").await;

        let zones = |from, low: f64| DatedZones { kind: ZoneKind::HeartRate, sport: Sport::Running, from, origin: ThresholdOrigin::Set, zones: Zones::new(vec![low, low + 20.0, low + 40.0]).unwrap() };
        store.put_zones(ann, &zones(middle, 110.0), clock()).await.unwrap();
        assert_equals_full_recompute(store, ann, "zones from the middle on").await;
        store.put_zones(ann, &zones(middle, 115.0), clock()).await.unwrap();
        assert_equals_full_recompute(store, ann, "other zones from the same day").await;
        store.remove_zones(ann, ZoneKind::HeartRate, Sport::Running, middle, clock()).await.unwrap();
        assert_equals_full_recompute(store, ann, "zones are forgotten").await;

        let felt = |kind, value| ObservationData::new(kind, run.day, run.day, Some(value)).unwrap();
        store.add_observation(ann, Author::Athlete, &felt(ObservationKind::Mood, 2), clock()).await.unwrap();
        let rated = felt(ObservationKind::Rpe, 7).for_activity(Some(run.id));
        store.add_observation(ann, Author::Athlete, &rated, clock()).await.unwrap();
        assert_equals_full_recompute(store, ann, "how it felt").await;
        let race = RaceResult { activity: None, day: middle, name: "10k".to_owned(), distance: Distance::from_mm(10_000_000), time: TimeSpan::from_mins(39), effort: ResultKind::Race };
        let race = store.put_race(ann, &race, clock()).await.unwrap();
        assert_equals_full_recompute(store, ann, "a race").await;
        store.remove_race(ann, race, clock()).await.unwrap();
        assert_equals_full_recompute(store, ann, "no race after all").await;
    }

    async fn concurrent_recomputes_agree(db) {
        let ann = db.user("Ann").await;
        reimport(&db.store, ann, &[demo_export().zip.clone()]).await;
        let alone = db.store.derived_fingerprint(ann).await.unwrap();
        let (_, span) = db.store.count_activities(ann).await.unwrap();
        let (_, last) = span.unwrap();
        let newest = db.store.list_activities(ann, last, last).await.unwrap().pop().unwrap();
        for round in 0..4 {
            db.store.delete_computed_metrics(ann, clock()).await.unwrap();
            let mut workers = tokio::task::JoinSet::new();
            for worker in 0..4_u64 {
                let store = db.store.clone();
                workers.spawn(async move {
                    // Some start when others are almost done.
                    for _ in 0..worker * 50 * round {
                        tokio::task::yield_now().await;
                    }
                    recompute_all(&store, ann).await
                });
            }
            // A concurrent change that is reverted.
            db.store.delete_activity(ann, newest.id, clock()).await.unwrap();
            db.store.restore_activity(ann, newest.id, clock()).await.unwrap();
            workers.join_all().await;
            recompute_all(&db.store, ann).await;
            assert_eq!(db.store.derived_fingerprint(ann).await.unwrap(), alone, "round {round}");
        }
    }

    async fn late_measures_do_not_overwrite_computed_metrics(db) {
        let ann = db.user("Ann").await;
        let store = &db.store;
        reimport(store, ann, &[demo_export().zip.clone()]).await;
        // A slow process stores its measures after another has computed everything.
        store.delete_computed_metrics(ann, clock()).await.unwrap();
        let stale = store.recompute_state(ann).await.unwrap();
        let ids = store.list_unmeasured(ann, MEASURES_VERSION).await.unwrap();
        let slow: Vec<_> = store.read_unmeasured(ann, &ids).await.unwrap().iter().map(|new| {
            let (recording, lengths) = new.unpack();
            let measures = measure(&new.activity, recording.as_ref(), &lengths);
            let clues = threshold_evidence(&new.activity, &measures);
            (new.id, new.activity.day(), measures, clues)
        }).collect();
        recompute_all(store, ann).await;
        let before = store.derived_fingerprint(ann).await.unwrap();
        assert!(store.put_measures(ann, MEASURES_VERSION, stale, slow).await.unwrap());
        assert_eq!(store.derived_fingerprint(ann).await.unwrap(), before, "nothing that was judged is lost");
        assert_eq!(recompute_all(store, ann).await, RecomputeCounts::default());
    }

    async fn unaccepted_suggestions_change_no_metric(db) {
        let ann = db.user("Ann").await;
        reimport(&db.store, ann, &[demo_export().zip.clone()]).await;
        let before = db.store.derived_fingerprint(ann).await.unwrap();
        let day: Day = db.store.frontier(ann).await.unwrap().complete_through().unwrap();
        let low = ObservationData::new(ObservationKind::Mood, day, day, Some(1)).unwrap();
        let id = db.store.add_observation(ann, Author::Coach, &low, clock()).await.unwrap();
        assert_eq!(recompute_all(&db.store, ann).await, RecomputeCounts::default());
        assert_eq!(db.store.derived_fingerprint(ann).await.unwrap(), before);
        db.store.accept_observation(ann, id, clock()).await.unwrap();
        assert_ne!(recompute_all(&db.store, ann).await, RecomputeCounts::default(), "once accepted, it counts");
        assert_equals_full_recompute(&db.store, ann, "a suggestion was accepted").await;
    }

    async fn new_threshold_does_not_change_older_loads(db) {
        let ann = db.user("Ann").await;
        let store = &db.store;
        reimport(store, ann, &[demo_export().zip.clone()]).await;
        let (_, span) = store.count_activities(ann).await.unwrap();
        let (first, last) = span.unwrap();
        let loads = async || store.list_activities(ann, first, last).await.unwrap().into_iter().map(|one| (one.day, one.activity.sport, one.load)).collect::<Vec<_>>();
        let before = loads().await;
        assert!(before.iter().filter(|(_, _, load)| load.is_some()).count() > 5, "{before:?}");
        let from = last.plus_days(-5);
        let set = Threshold { kind: ThresholdKind::ThresholdSpeed, value: 5.5, from, origin: ThresholdOrigin::Set };
        store.put_threshold(ann, &set, clock()).await.unwrap();
        recompute_all(store, ann).await;
        for ((day, sport, was), (_, _, is)) in before.into_iter().zip(loads().await) {
            if day < from {
                assert_eq!(is, was, "{day}");
            } else if sport == Sport::Running {
                assert!(is.unwrap() < was.unwrap(), "{day}: a faster threshold makes the same run cost less");
            }
        }
    }

    async fn new_zones_do_not_change_older_zone_times(db) {
        let ann = db.user("Ann").await;
        let store = &db.store;
        reimport(store, ann, &[demo_export().zip.clone()]).await;
        let (_, span) = store.count_activities(ann).await.unwrap();
        let (first, last) = span.unwrap();
        let judged = async || store.list_activity_metrics(ann, first, last).await.unwrap().into_iter().map(|(_, activity, _, judged)| (activity.day(), activity.sport, judged)).collect::<Vec<_>>();
        let before = judged().await;
        let from = last.plus_days(-6);
        let bounds = Zones::new(vec![61.0, 62.0]).unwrap();
        let set = DatedZones { kind: ZoneKind::HeartRate, sport: Sport::Running, from, origin: ThresholdOrigin::Set, zones: bounds };
        store.put_zones(ann, &set, clock()).await.unwrap();
        recompute_all(store, ann).await;
        let mut changed = 0;
        for ((day, sport, was), (_, _, is)) in before.into_iter().zip(judged().await) {
            if day < from || sport != Sport::Running {
                assert_eq!(is, was, "{day}");
            } else if let Some(zones) = is.heart_zones {
                assert_eq!(zones.seconds.len(), 2, "{day}");
                assert_eq!(is.load, was.load, "{day}: zones make no load");
                changed += 1;
            }
        }
        assert!(changed > 0);
    }

    async fn reported_thresholds_apply_from_the_export_date(db) {
        let ann = db.user("Ann").await;
        let store = &db.store;
        // Imported days after the export was created.
        let wanted = ImportRequest { user: ann, paths: vec![demo_export().zip.clone()], reimport: true, count_first: false };
        import(store, wanted, || clock() + chrono::TimeDelta::days(5), &mut (), &StopSignal::default()).await.unwrap();
        let reported = async || store.list_thresholds(ann).await.unwrap().into_iter().filter(|one| one.origin == ThresholdOrigin::Reported).collect::<Vec<_>>();
        let told = reported().await;
        let kinds: Vec<ThresholdKind> = told.iter().map(|one| one.kind).collect();
        assert_eq!(kinds, [ThresholdKind::MaxHeartRate, ThresholdKind::RestingHeartRate, ThresholdKind::ThresholdHeartRate]);
        // The last day in the export's file names.
        let edition = demo_export().files.iter().filter_map(|file| file.file_stem()?.to_str()?.strip_prefix("UDSFile_")?.rsplit('_').next()?.parse::<Day>().ok()).max().unwrap();
        assert!(told.iter().all(|one| one.from == edition), "{told:?}");
        let zones = store.list_zones(ann).await.unwrap();
        assert!(!zones.is_empty() && zones.iter().all(|one| one.from == edition && one.origin == ThresholdOrigin::Reported), "{zones:?}");

        // A later export applies from its own date, in whichever order they are imported.
        let mut later = told.clone();
        later[0].value += 2.0;
        later[0].from = edition.next();
        let batch = |thresholds: &[Threshold], export_day| ImportBatch { thresholds: thresholds.to_vec(), export_day, ..ImportBatch::default() };
        let bob = db.user("Bob").await;
        for (user, order) in [(ann, [&told, &later]), (bob, [&later, &told])] {
            for thresholds in order {
                store.import_batch(user, batch(thresholds, Some(edition)), clock()).await.unwrap();
            }
        }
        assert_eq!(reported().await.len(), 4, "beside the one before");
        let bobs = store.list_thresholds(bob).await.unwrap();
        let (mut anns, mut bobs) = (reported().await, bobs);
        for all in [&mut anns, &mut bobs] {
            all.sort_by_key(|one| (one.kind, one.from));
        }
        assert_eq!(anns, bobs);
        // Unchanged values from a service add nothing.
        let mut tomorrow = later.clone();
        tomorrow.iter_mut().for_each(|one| one.from = edition.plus_days(9));
        assert!(store.import_batch(ann, batch(&tomorrow, None), clock()).await.unwrap().is_unchanged());
        assert_equals_full_recompute(store, ann, "a newer export").await;
    }

    async fn late_or_moved_records_are_recomputed_incrementally(db) {
        let ann = db.user("Ann").await;
        let store = &db.store;
        reimport(store, ann, &[demo_export().zip.clone()]).await;
        let (_, span) = store.count_activities(ann).await.unwrap();
        let (first, last) = span.unwrap();
        let all = store.list_activities(ann, first, last).await.unwrap();
        let (early, late) = (&all[all.len() / 3], &all[2 * all.len() / 3]);
        assert!(early.day < late.day);

        let night = DailyWellness { resting_heart_rate: Some(41), hrv_ms: Some(93.0), ..DailyWellness::empty(early.day) };
        let report = DayRecord { kind: SourceKind::GarminExport, dataset: "late".to_owned(), wellness: night, as_of: None, readings: None, raw: None };
        store.import_batch(ann, ImportBatch { day_records: vec![report], ..ImportBatch::default() }, clock()).await.unwrap();
        assert_equals_full_recompute(store, ann, "a night that came late").await;

        let race = |activity, day, minutes| RaceResult { effort: ResultKind::Race, activity: Some(activity), day, name: "10k".to_owned(), distance: Distance::from_mm(10_000_000), time: TimeSpan::from_mins(minutes) };
        store.put_race(ann, &race(late.id, early.day, 33), clock()).await.unwrap();
        assert_equals_full_recompute(store, ann, "a race of an earlier day than its activity").await;
        store.delete_activity(ann, late.id, clock()).await.unwrap();
        assert_equals_full_recompute(store, ann, "its activity is gone, and the race with it").await;
        assert_eq!(store.list_unmeasured(ann, MEASURES_VERSION).await.unwrap(), [], "what is gone is not asked for again");
        store.restore_activity(ann, late.id, clock()).await.unwrap();
        assert_equals_full_recompute(store, ann, "both are back").await;
        store.put_race(ann, &race(late.id, late.day, 33), clock()).await.unwrap();
        assert_equals_full_recompute(store, ann, "the race is on a later day").await;
        store.decline_race(ann, late.id, clock()).await.unwrap();
        assert_equals_full_recompute(store, ann, "it was none").await;

        // A rating of another day than its activity.
        let rated = |day, value| ObservationData::new(ObservationKind::Rpe, day, day, Some(value)).unwrap().for_activity(Some(early.id));
        let elsewhere = store.add_observation(ann, Author::Athlete, &rated(late.day, 9), clock()).await.unwrap();
        assert!(store.recompute_state(ann).await.unwrap().stale_from.is_some_and(|from| from <= early.day), "the activity's day counts");
        assert_equals_full_recompute(store, ann, "a rating of another day").await;
        store.delete_observation(ann, elsewhere, clock()).await.unwrap();
        assert!(store.recompute_state(ann).await.unwrap().stale_from.is_some_and(|from| from <= early.day));
        assert_equals_full_recompute(store, ann, "no rating after all").await;

        // Only the frontier moves.
        let complete = store.frontier(ann).await.unwrap().complete_through().unwrap();
        assert_eq!(store.find_day_state(ann, complete.next()).await.unwrap(), None);
        store.declare_day_complete(ann, complete.next(), clock()).await.unwrap();
        let worked = recompute_all(store, ann).await;
        assert!(worked.measured == 0 && worked.days > 0, "{worked:?}");
        assert!(store.find_day_state(ann, complete.next()).await.unwrap().is_some());
        assert_equals_full_recompute(store, ann, "the frontier moved").await;
    }
}
