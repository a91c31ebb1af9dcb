//! Activities entered by hand, and gear.

use chrono::NaiveTime;
use fitness_core::adherence::data_frontier::CoverageEvidence;
use fitness_core::adherence::grade::Verdict;
use fitness_core::domain::activity::Activity;
use fitness_core::domain::gear::{GearDefault, GearDetails, GearKind};
use fitness_core::domain::ids::UserId;
use fitness_core::domain::manual_activity::ManualActivity;
use fitness_core::domain::merge::Edit;
use fitness_core::domain::source_record::{ParsedActivity, RecordKey, SourceKind, SourceRecord};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_store::testkit::{TestDb, june, now};
use fitness_store::{Error, UpsertOutcome, on_both_databases};

fn entered(day: u32, start: Option<&str>, km: f64) -> ManualActivity {
    ManualActivity {
        sport: Sport::Running,
        day: june(day),
        start: start.map(|text| NaiveTime::parse_from_str(text, "%H:%M").unwrap()),
        time: TimeSpan::from_mins(50),
        distance: Distance::from_km(km),
        name: Some("Along the river".to_owned()),
    }
}

fn recorded(id: &str, start: &str, km: f64) -> SourceRecord {
    let activity = Activity {
        elapsed: Some(TimeSpan::from_mins(52)),
        distance: Distance::from_km(km),
        ..Activity::new(Sport::Running, start.parse().unwrap(), 0)
    };
    SourceRecord {
        key: RecordKey { kind: SourceKind::Gpx, id: id.to_owned() },
        parsed: ParsedActivity::without_samples(activity),
        raw: None,
    }
}

async fn count(db: &TestDb, user: UserId) -> usize {
    db.store.list_activities(user, june(1), june(30)).await.unwrap().len()
}

on_both_databases! {
    async fn entered_run_is_graded_like_a_recorded_one(db) {
        let ann = db.user("Ann").await;
        let plan = db.active_plan(ann, "Plan").await;
        db.finish_import(ann, CoverageEvidence::Activity { day: june(12), imported_at: now() }).await;
        let verdict = async |day: u32| {
            let graded = db.store.plan_adherence(ann, plan).await.unwrap().adherence.graded;
            graded.into_iter().find(|one| one.day == june(day)).map(|one| one.verdict)
        };
        let workouts = db.store.plan_adherence(ann, plan).await.unwrap().workouts;
        let planned = workouts.iter().find(|one| one.workout.date == june(11)).unwrap();
        assert_eq!(verdict(11).await, Some(Verdict::Missed));
        let km = planned.workout.distance.unwrap().km();
        let id = db.store.add_activity(ann, &entered(11, Some("07:00"), km), now()).await.unwrap();
        assert_eq!(verdict(11).await, Some(Verdict::Hit));
        let stored = db.store.find_activity(ann, id).await.unwrap().unwrap();
        assert!(stored.is_entered_by_hand());
        // It can be corrected and deleted.
        db.store.edit_activity(ann, id, Edit { distance: Distance::from_km(km / 2.0), ..Edit::default() }, now()).await.unwrap();
        assert_eq!(verdict(11).await, Some(Verdict::Short));
        db.store.delete_activity(ann, id, now()).await.unwrap();
        assert_eq!(verdict(11).await, Some(Verdict::Missed));
        let refused = db.store.add_activity(ann, &entered(11, Some("07:00"), 400.0), now()).await;
        assert!(matches!(refused, Err(Error::ManualActivity(_))), "{refused:?}");
        let refused = db.store.add_activity(ann, &entered(20, None, 8.0), now()).await;
        assert!(matches!(refused, Err(Error::ManualActivity(_))), "in the future: {refused:?}");
        let zone = db.store.profile(ann).await.unwrap().zone;
        assert_eq!(stored.activity, entered(11, Some("07:00"), km).to_parsed(zone, now()).unwrap().activity);
    }

    async fn later_import_of_an_entered_run_is_merged_with_it(db) {
        let ann = db.user("Ann").await;
        let id = db.store.add_activity(ann, &entered(11, Some("07:00"), 8.0), now()).await.unwrap();
        let put = db.import_record(ann, recorded("a#0", "2026-06-11T07:20:00Z", 8.4)).await;
        assert_eq!((put.outcome, put.activity), (UpsertOutcome::Merged, id));
        let stored = db.store.find_activity(ann, id).await.unwrap().unwrap();
        assert_eq!((stored.activity.distance, stored.is_entered_by_hand()), (Distance::from_km(8.4), false));
        assert_eq!(stored.activity.name.as_deref(), Some("Along the river"));
        // The evening run is another activity, even if only the day was entered.
        db.import_record(ann, recorded("b#0", "2026-06-11T18:00:00Z", 8.0)).await;
        assert_eq!(count(&db, ann).await, 2);
        let noon = db.store.add_activity(ann, &entered(12, None, 8.0), now()).await.unwrap();
        db.import_record(ann, recorded("c#0", "2026-06-12T06:00:00Z", 8.0)).await;
        db.import_record(ann, recorded("d#0", "2026-06-12T18:00:00Z", 8.0)).await;
        assert_eq!(count(&db, ann).await, 4, "an entry belongs to one recording and joins no two");
        let first = db.store.list_source_records(ann, noon).await.unwrap();
        assert_eq!(first.len(), 2, "{first:?}");
        // Entered after the import, it is the same activity too.
        let ben = db.user("Ben").await;
        let put = db.import_record(ben, recorded("a#0", "2026-06-11T07:20:00Z", 8.4)).await;
        assert_eq!(db.store.add_activity(ben, &entered(11, Some("07:00"), 8.0), now()).await.unwrap(), put.activity);
        // Two entries of one day are two activities; a deleted one hides no recording.
        let cleo = db.user("Cleo").await;
        let wrong = db.store.add_activity(cleo, &entered(11, Some("07:00"), 8.0), now()).await.unwrap();
        db.store.add_activity(cleo, &entered(11, Some("07:00"), 8.1), now()).await.unwrap();
        assert_eq!(count(&db, cleo).await, 2);
        db.store.delete_activity(cleo, wrong, now()).await.unwrap();
        let put = db.import_record(cleo, recorded("a#0", "2026-06-11T07:20:00Z", 8.4)).await;
        assert_ne!(put.activity, wrong);
        assert_eq!(count(&db, cleo).await, 1);
    }

    async fn gear_counts_kilometres_by_default_and_by_choice(db) {
        let (ann, ben) = (db.user("Ann").await, db.user("Ben").await);
        let shoes = GearDetails { kind: GearKind::Shoes, name: "Ghost 15".to_owned(), initial: Distance::from_km(690.0).unwrap(), retire_at: GearKind::Shoes.default_retire_at() };
        let old = db.store.add_gear(ann, &shoes, now()).await.unwrap();
        let new = db.store.add_gear(ann, &GearDetails { name: "Pegasus".to_owned(), initial: Distance::ZERO, ..shoes.clone() }, now()).await.unwrap();
        db.store.set_default_gear(ann, GearDefault { sport: Sport::Running, from: june(1), gear: Some(old) }, now()).await.unwrap();
        let first = db.import_record(ann, recorded("a#0", "2026-06-10T07:00:00Z", 8.0)).await.activity;
        db.import_record(ann, recorded("b#0", "2026-06-11T07:00:00Z", 6.0)).await;
        let km = async |user| {
            let all = db.store.list_gear(user, june(14)).await.unwrap();
            all.into_iter().map(|used| (used.distance.km().round() as i64, used.is_due())).collect::<Vec<_>>()
        };
        assert_eq!(km(ann).await, [(704, true), (0, false)]);
        db.store.assign_gear(ann, first, Some(new), now()).await.unwrap();
        assert_eq!(km(ann).await, [(696, false), (8, false)]);
        db.store.delete_activity(ann, first, now()).await.unwrap();
        assert_eq!(km(ann).await, [(696, false), (0, false)]);
        db.store.retire_gear(ann, old, Some(june(10)), now()).await.unwrap();
        assert_eq!(km(ann).await, [(690, false), (0, false)], "not the default after its last day");
        // Another athlete's gear is not found.
        assert!(db.store.list_gear(ben, june(14)).await.unwrap().is_empty());
        assert!(matches!(db.store.delete_gear(ben, old, now()).await, Err(Error::NotFound(_))));
        assert!(matches!(db.store.assign_gear(ben, first, Some(old), now()).await, Err(Error::NotFound(_))));
        db.store.delete_gear(ann, old, now()).await.unwrap();
        assert_eq!(db.store.list_gear(ann, june(14)).await.unwrap().len(), 1);
        assert_eq!(db.store.find_tampering(ann, None).await.unwrap(), [""; 0]);
    }
}
