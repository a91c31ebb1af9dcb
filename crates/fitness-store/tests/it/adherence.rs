//! Adherence from the database: matches, absences, and verdicts replayed from recorded syncs.

use chrono::TimeDelta;
use fitness_core::adherence::data_frontier::CoverageEvidence;
use fitness_core::adherence::grade::{GradedWorkout, Verdict};
use fitness_core::adherence::{MatchDecision, MatchError, WorkoutNoteKind};
use fitness_core::domain::activity::Activity;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{ActivityId, PlanId, UserId, WorkoutId};
use fitness_core::domain::note::Author;
use fitness_core::domain::observation::{AbsenceReason, ObservationData, ObservationKind};
use fitness_core::domain::source_record::{ParsedActivity, RecordKey, SourceKind, SourceRecord};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::plan::{HumanActionKind, NextRevisionWorkout, PlanStatus};
use fitness_store::plan::human_actions::{self, change_hash};
use fitness_store::testkit::{TestDb, consent_at, easy_run, june, now};
use fitness_store::{
    Error, FinishedFiles, ImportBatch, PackedRecord, RecordKind, SyncRunKind, SyncRunOutcome, SyncRunState,
    on_both_databases,
};

/// The test kit's plan has 8 km on the 9th, rest on the 10th, 10 km on the 11th, 16 km on the 14th.
async fn ann_with_a_plan(db: &TestDb) -> (UserId, PlanId, Vec<WorkoutId>) {
    let ann = db.user("Ann").await;
    let plan = db.active_plan(ann, "Plan").await;
    let workouts = db.store.list_workouts(ann, plan, 1).await.unwrap();
    (ann, plan, workouts.iter().map(|w| w.id).collect())
}

async fn verdicts(db: &TestDb, user: UserId, plan: PlanId) -> Vec<Verdict> {
    let progress = db.store.plan_adherence(user, plan).await.unwrap();
    let standing = db.store.graded_plan(user, plan).await.unwrap();
    assert_eq!(progress.adherence.graded, standing.graded, "one rule, read twice");
    standing.graded.iter().map(|graded| graded.verdict).collect()
}

async fn activities(db: &TestDb, user: UserId) -> Vec<ActivityId> {
    let all = db.store.list_activities(user, june(1), june(30)).await.unwrap();
    all.iter().map(|stored| stored.id).collect()
}

/// Imports a run at a point in time.
async fn import_run_at(db: &TestDb, user: UserId, day: Day, km: f64, at: Instant) {
    let activity = Activity {
        moving: Some(TimeSpan::from_mins(50)),
        distance: Distance::from_km(km),
        ..Activity::new(Sport::Running, format!("{day}T06:00:00Z").parse().unwrap(), 0)
    };
    let key = RecordKey { kind: SourceKind::Garmin, id: format!("{day}-{km}") };
    let report = SourceRecord { key, parsed: ParsedActivity::without_samples(activity), raw: None };
    let reports = vec![PackedRecord::pack(report, None, None).unwrap()];
    db.store
        .import_batch(user, ImportBatch { records: reports, ..ImportBatch::default() }, at)
        .await
        .unwrap();
}

async fn finish_sync_run_at(db: &TestDb, user: UserId, evidence: Option<CoverageEvidence>, at: Instant) {
    let run = db.store.begin_sync_run(user, SyncRunKind::File, None, at).await.unwrap();
    let state = if evidence.is_some() { SyncRunState::Done } else { SyncRunState::Failed };
    let outcome = SyncRunOutcome {
        kind: None,
        state,
        evidence: evidence.into_iter().collect(),
        summary: serde_json::json!({}),
        problem: None,
        files: FinishedFiles::default(),
    };
    db.store.finish_sync_run(user, run, outcome, at).await.unwrap();
}

on_both_databases! {
    async fn facts_contain_todays_workout_last_verdict_and_absences(db) {
        let (ann, _, workouts) = ann_with_a_plan(&db).await;
        db.import_run(ann, june(9), 8.0).await;
        db.finish_import(ann, CoverageEvidence::Activity { day: june(10), imported_at: now() }).await;
        let told = async |day: Day, id: &str| {
            let facts = db.store.facts(ann, day).await.unwrap();
            facts.find(id).map(|fact| fact.format(fitness_core::domain::units::UnitSystem::Metric))
        };
        assert_eq!(told(june(14), "last_verdict").await.as_deref(), Some("hit"));
        assert_eq!(told(june(14), "last_judged_day").await.as_deref(), Some("Tue 9 Jun"));
        assert_eq!(told(june(14), "today_session_distance").await.as_deref(), Some("16.0 km"));
        assert_eq!(told(june(14), "today_session_state").await.as_deref(), Some("pending"));
        assert_eq!(told(june(14), "plan_name").await.as_deref(), Some("Plan"));
        let source = db.store.facts(ann, june(14)).await.unwrap().find("today_session").unwrap().sources[0];
        assert_eq!(source.to_string(), format!("workout:{}", workouts[3]));
        assert_eq!(told(june(14), "marked_today").await, None);
        let ill = ObservationData::new(ObservationKind::Illness, june(14), june(14), Some(1)).unwrap();
        db.store.add_observation(ann, Author::Athlete, &ill, now()).await.unwrap();
        assert_eq!(told(june(14), "marked_today").await.as_deref(), Some("ill"));
        // A user without a plan gets nothing.
        let bob = db.user("Bob").await;
        assert!(db.store.facts(bob, june(14)).await.unwrap().find("today_session").is_none());
    }

    async fn run_on_another_day_counts_only_after_match_is_accepted(db) {
        use Verdict::{Hit, Missed, Pending, Rest};
        let (ann, plan, workouts) = ann_with_a_plan(&db).await;
        db.import_run(ann, june(9), 8.0).await;
        db.import_run(ann, june(12), 9.5).await;
        db.finish_import(ann, CoverageEvidence::Activity { day: june(13), imported_at: now() }).await;
        let late = activities(&db, ann).await[1];

        let progress = db.store.plan_adherence(ann, plan).await.unwrap();
        assert_eq!(verdicts(&db, ann, plan).await, [Hit, Rest, Missed, Pending], "offered, not taken");
        let offers: Vec<_> = progress.adherence.offers.iter().map(|offer| (offer.workout, offer.activity)).collect();
        assert_eq!(offers, [(workouts[2], late)]);
        assert_eq!(progress.adherence.unplanned, [late]);
        assert_eq!(progress.adherence.adherence.current.percent, Some(44), "8 of 18 km");
        assert_eq!(progress.activities.len(), 2);

        db.store.put_match(ann, plan, workouts[2], late, true, now()).await.unwrap();
        db.store.put_match(ann, plan, workouts[2], late, true, now()).await.unwrap();
        assert_eq!(verdicts(&db, ann, plan).await, [Hit, Rest, Hit, Pending]);
        let progress = db.store.plan_adherence(ann, plan).await.unwrap();
        assert_eq!(progress.adherence.behind[2].matched, Some(late));
        assert_eq!(progress.adherence.adherence.current.percent, Some(97), "17.5 of 18 km");
        assert_eq!(progress.adherence.notes[0].kind, WorkoutNoteKind::Moved);
        assert!(progress.adherence.offers.is_empty());
        assert_eq!(db.store.list_matches(ann, plan).await.unwrap(), [MatchDecision { workout: workouts[2], activity: late, accepted: true }]);

        // One activity per workout, and one workout per activity.
        let refused = db.store.put_match(ann, plan, workouts[3], late, true, now()).await;
        assert!(matches!(refused, Err(Error::AlreadyMatched { workout, activity }) if workout == workouts[2] && activity == late), "{refused:?}");
        db.import_run(ann, june(13), 10.0).await;
        let other = activities(&db, ann).await[2];
        let refused = db.store.put_match(ann, plan, workouts[2], other, true, now()).await;
        assert!(matches!(refused, Err(Error::AlreadyMatched { .. })), "{refused:?}");

        db.store.remove_match(ann, plan, workouts[2], now()).await.unwrap();
        assert_eq!(verdicts(&db, ann, plan).await, [Hit, Rest, Missed, Pending]);
        assert!(matches!(db.store.remove_match(ann, plan, workouts[2], now()).await, Err(Error::NotFound(RecordKind::Match))));
        // A declined match is remembered, and the next best is suggested.
        db.store.put_match(ann, plan, workouts[2], late, false, now()).await.unwrap();
        let offers = db.store.plan_adherence(ann, plan).await.unwrap().adherence.offers;
        assert!(offers.iter().all(|offer| offer.activity != late || offer.workout != workouts[2]), "{offers:?}");

        let audited: Vec<String> = db.store.list_audit(ann, 100).await.unwrap().into_iter().rev().map(|line| line.action).collect();
        let about: Vec<&str> = audited.iter().map(String::as_str).filter(|action| action.starts_with("match.")).collect();
        assert_eq!(about, ["match.accept", "match.remove", "match.decline"], "the same answer twice is one");
        assert_eq!(db.store.first_broken_audit_entry(ann).await.unwrap(), None);
    }

    async fn invalid_match_is_refused_and_not_stored(db) {
        let (ann, plan, workouts) = ann_with_a_plan(&db).await;
        let bob = db.user("Bob").await;
        let (bobs, draft) = (db.active_plan(bob, "Bob's").await, db.draft(ann, "Draft").await);
        for day in [9, 10, 13] {
            db.import_run(ann, june(day), 8.0).await;
        }
        db.import_run(bob, june(10), 8.0).await;
        let (all, bobs_run) = (activities(&db, ann).await, activities(&db, bob).await[0]);
        let bobs_workout = db.store.list_workouts(bob, bobs, 1).await.unwrap()[0].id;
        let drafted = db.store.list_workouts(ann, draft, 1).await.unwrap()[0].id;
        let put = async |user, plan, workout, activity| db.store.put_match(user, plan, workout, activity, true, now()).await;
        assert!(matches!(put(ann, plan, workouts[0], bobs_run).await, Err(Error::NotFound(RecordKind::Activity))));
        assert!(matches!(put(ann, plan, bobs_workout, all[1]).await, Err(Error::NotFound(RecordKind::Workout))));
        assert!(matches!(put(ann, bobs, bobs_workout, all[1]).await, Err(Error::NotFound(RecordKind::Plan))));
        assert!(matches!(put(bob, plan, workouts[0], bobs_run).await, Err(Error::NotFound(RecordKind::Plan))));
        assert!(matches!(put(ann, draft, drafted, all[1]).await, Err(Error::WrongStatus(PlanStatus::Draft))));
        assert!(matches!(put(ann, plan, workouts[0], all[0]).await, Err(Error::NoMatch(MatchError::SameDay))));
        assert!(matches!(put(ann, plan, workouts[0], all[2]).await, Err(Error::NoMatch(MatchError::Apart { .. }))));
        assert!(matches!(put(ann, plan, workouts[1], all[0]).await, Err(Error::NoMatch(MatchError::Rest))));
        db.store.delete_activity(ann, all[1], now()).await.unwrap();
        assert!(matches!(put(ann, plan, workouts[0], all[1]).await, Err(Error::NotFound(RecordKind::Activity))));
        assert!(db.store.list_matches(ann, plan).await.unwrap().is_empty());
        assert!(db.store.list_matches(bob, plan).await.unwrap().is_empty());
        assert!(matches!(db.store.plan_adherence(bob, plan).await, Err(Error::NotFound(RecordKind::Plan))));
        assert!(matches!(db.store.replay_adherence(bob, plan).await, Err(Error::NotFound(RecordKind::Plan))));
    }

    async fn match_is_deleted_with_plan_or_user_and_follows_merged_activity(db) {
        let (ann, plan, workouts) = ann_with_a_plan(&db).await;
        db.store.declare_day_complete(ann, june(13), now()).await.unwrap();
        // Two sources recorded two runs; a third record merges them.
        let told = async |kind, id: &str, minute: i64| {
            let started_at: Instant = "2026-06-12T06:00:00Z".parse().unwrap();
            let run = Activity {
                elapsed: Some(TimeSpan::from_mins(52)),
                distance: Distance::from_km(9.5),
                ..Activity::new(Sport::Running, started_at + TimeDelta::seconds(minute), 0)
            };
            let key = RecordKey { kind, id: id.to_owned() };
            db.import_record(ann, SourceRecord { key, parsed: ParsedActivity::without_samples(run), raw: None }).await.activity
        };
        told(SourceKind::Garmin, "1", 0).await;
        let second = told(SourceKind::Gpx, "2", 200).await;
        db.store.put_match(ann, plan, workouts[2], second, true, now()).await.unwrap();
        told(SourceKind::Intervals, "3", 100).await;
        let left = activities(&db, ann).await;
        assert_eq!(left.len(), 1);
        assert_eq!(db.store.list_matches(ann, plan).await.unwrap()[0].activity, left[0], "the answer follows");
        assert_eq!(verdicts(&db, ann, plan).await[2], Verdict::Hit);
        // A deleted activity does not count until it is restored.
        db.store.delete_activity(ann, left[0], now()).await.unwrap();
        assert_eq!(verdicts(&db, ann, plan).await[2], Verdict::Missed);
        db.store.restore_activity(ann, left[0], now()).await.unwrap();
        assert_eq!(verdicts(&db, ann, plan).await[2], Verdict::Hit);

        human_actions::archive(db.consent_to(ann, HumanActionKind::Archive, plan).await.unwrap(), plan).await.unwrap();
        human_actions::delete(db.consent_to(ann, HumanActionKind::Delete, plan).await.unwrap(), plan).await.unwrap();
        assert!(db.store.list_matches(ann, plan).await.unwrap().is_empty());
        let again = db.active_plan(ann, "Again").await;
        let workout = db.store.list_workouts(ann, again, 1).await.unwrap()[2].id;
        db.store.put_match(ann, again, workout, left[0], true, now()).await.unwrap();
        let consent = db.consent(ann, HumanActionKind::DeleteUser, None, ContentHash::hash_bytes(b"ann")).await.unwrap();
        db.store.remove_user(consent, None).await.unwrap();
    }

    async fn adherence_is_reported_for_current_and_activated_revision(db) {
        let (ann, plan, workouts) = ann_with_a_plan(&db).await;
        db.import_run(ann, june(9), 4.0).await;
        db.import_run(ann, june(11), 10.0).await;
        db.store.declare_day_complete(ann, june(13), now()).await.unwrap();
        let next: Vec<NextRevisionWorkout> = db.store.list_workouts(ann, plan, 1).await.unwrap().into_iter()
            .map(|w| NextRevisionWorkout { id: Some(w.id), workout: if w.id == workouts[0] { easy_run(june(9), 4.0) } else { w.workout } })
            .collect();
        let consent = db.consent(ann, HumanActionKind::Edit, Some(plan), change_hash(plan, 1, &next)).await.unwrap();
        human_actions::edit(consent, plan, 1, &next, "shorter").await.unwrap();
        let both = db.store.plan_adherence(ann, plan).await.unwrap().adherence.adherence;
        assert_eq!((both.current.percent, both.original.percent), (Some(100), Some(77)), "14 of 14 km, and 14 of 18");
        // The 11th falls into an illness: the workout leaves both sums.
        let ill = ObservationData::new(ObservationKind::Illness, june(11), june(11), None).unwrap();
        db.store.add_observation(ann, Author::Athlete, &ill, now()).await.unwrap();
        let progress = db.store.plan_adherence(ann, plan).await.unwrap();
        let both = progress.adherence.adherence;
        assert_eq!((both.current.percent, both.original.percent), (Some(100), Some(50)));
        assert_eq!((both.current.excused, both.original.excused, progress.adherence.tally.excused), (1, 1, 1));
        assert_eq!((progress.adherence.graded[2].verdict, progress.adherence.graded[2].excused), (Verdict::Hit, Some(AbsenceReason::Ill)));
        let draft = db.draft(ann, "Draft").await;
        let progress = db.store.plan_adherence(ann, draft).await.unwrap();
        assert!(progress.adherence.graded.is_empty() && progress.adherence.weeks.is_empty(), "a draft is never graded");
    }

    async fn verdicts_replay_identically_from_the_stored_sync_runs(db) {
        let (ann, plan, workouts) = ann_with_a_plan(&db).await;
        let minutes = |n: i64| now() + TimeDelta::minutes(n);
        let mut given: Vec<(Instant, Vec<GradedWorkout>)> = Vec::new();
        let judge = async |given: &mut Vec<(Instant, Vec<GradedWorkout>)>, at| {
            given.push((at, db.store.graded_plan(ann, plan).await.unwrap().graded));
        };
        // One sync per morning: a run, a skipped day, a failed sync, late data, a match, an
        // absence, a revision.
        import_run_at(&db, ann, june(9), 8.0, minutes(1)).await;
        finish_sync_run_at(&db, ann, Some(CoverageEvidence::Activity { day: june(9), imported_at: minutes(2) }), minutes(2)).await;
        judge(&mut given, minutes(2)).await;
        finish_sync_run_at(&db, ann, None, minutes(4)).await;
        judge(&mut given, minutes(4)).await;
        import_run_at(&db, ann, june(12), 10.0, minutes(5)).await;
        finish_sync_run_at(&db, ann, Some(CoverageEvidence::Activity { day: june(12), imported_at: minutes(6) }), minutes(6)).await;
        judge(&mut given, minutes(6)).await;
        let late = activities(&db, ann).await[1];
        db.store.put_match(ann, plan, workouts[2], late, true, minutes(7)).await.unwrap();
        finish_sync_run_at(&db, ann, Some(CoverageEvidence::Declared { day: june(13), declared_at: minutes(8) }), minutes(8)).await;
        judge(&mut given, minutes(8)).await;
        // 12 of 16 km is short; after the athlete edits the plan to 12 km it is a hit.
        import_run_at(&db, ann, june(14), 12.0, minutes(9)).await;
        finish_sync_run_at(&db, ann, Some(CoverageEvidence::Declared { day: june(14), declared_at: minutes(10) }), minutes(10)).await;
        judge(&mut given, minutes(10)).await;
        let next: Vec<NextRevisionWorkout> = db.store.list_workouts(ann, plan, 1).await.unwrap().into_iter()
            .map(|w| NextRevisionWorkout { id: Some(w.id), workout: if w.id == workouts[3] { easy_run(june(14), 12.0) } else { w.workout } })
            .collect();
        let consent = consent_at(&db.store, ann, HumanActionKind::Edit, Some(plan), change_hash(plan, 1, &next), minutes(11)).await.unwrap();
        human_actions::edit(consent, plan, 1, &next, "shorter").await.unwrap();
        finish_sync_run_at(&db, ann, None, minutes(12)).await;
        judge(&mut given, minutes(12)).await;
        let ill = ObservationData::new(ObservationKind::Illness, june(9), june(9), None).unwrap();
        db.store.add_observation(ann, Author::Athlete, &ill, minutes(13)).await.unwrap();
        finish_sync_run_at(&db, ann, None, minutes(14)).await;
        judge(&mut given, minutes(14)).await;

        let replayed = db.store.replay_adherence(ann, plan).await.unwrap();
        assert_eq!(replayed.len(), given.len(), "every run since the activation");
        for pair in replayed.windows(2) {
            for (before, after) in pair[0].graded.iter().zip(&pair[1].graded) {
                assert!(!before.verdict.is_graded() || after.verdict.is_graded(), "{before:?} was judged and is not any more");
            }
        }
        for (replayed, (at, graded)) in replayed.iter().zip(&given) {
            assert_eq!(replayed.at, *at);
            assert_eq!(&replayed.graded, graded, "at {at}");
        }
        // Match, revision and absence change verdicts from the time they were made on.
        let seen = |run: usize, workout: usize| (replayed[run].graded[workout].verdict, replayed[run].graded[workout].excused);
        use Verdict::{Hit, Missed, Short};
        assert_eq!((seen(2, 2), seen(3, 2)), ((Missed, None), (Hit, None)), "the match");
        assert_eq!((seen(4, 3), seen(5, 3)), ((Short, None), (Hit, None)), "the revision");
        assert_eq!((seen(5, 0), seen(6, 0)), ((Hit, None), (Hit, Some(AbsenceReason::Ill))), "the mark");
    }

    /// Limit documented in docs/adherence.md: removed decisions are not replayed.
    async fn replay_uses_current_state_of_retracted_inputs(db) {
        use Verdict::{Hit, Missed};
        let (ann, plan, workouts) = ann_with_a_plan(&db).await;
        let minutes = |n: i64| now() + TimeDelta::minutes(n);
        import_run_at(&db, ann, june(12), 10.0, minutes(1)).await;
        let late = activities(&db, ann).await[0];
        db.store.put_match(ann, plan, workouts[2], late, true, minutes(2)).await.unwrap();
        let ill = ObservationData::new(ObservationKind::Illness, june(9), june(9), None).unwrap();
        let mark = db.store.add_observation(ann, Author::Athlete, &ill, minutes(2)).await.unwrap();
        finish_sync_run_at(&db, ann, Some(CoverageEvidence::Declared { day: june(13), declared_at: minutes(3) }), minutes(3)).await;
        let told = async || {
            let graded = db.store.graded_plan(ann, plan).await.unwrap().graded;
            (graded[0].excused, graded[2].verdict)
        };
        assert_eq!(told().await, (Some(AbsenceReason::Ill), Hit));
        db.store.remove_match(ann, plan, workouts[2], minutes(4)).await.unwrap();
        db.store.delete_observation(ann, mark, minutes(4)).await.unwrap();
        finish_sync_run_at(&db, ann, None, minutes(5)).await;
        assert_eq!(told().await, (None, Missed));
        for replayed in db.store.replay_adherence(ann, plan).await.unwrap() {
            let graded = &replayed.graded;
            assert_eq!((graded[0].excused, graded[2].verdict), (None, Missed), "at {}", replayed.at);
        }
    }
}
