//! The life cycle of a plan: drafted, activated, replaced, changed, reverted, archived, deleted.

use fitness_core::adherence::data_frontier::CoverageEvidence;
use fitness_core::adherence::grade::Verdict;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{PlanId, ProposalId, UserId, WorkoutId};
use fitness_core::domain::note::Author;
use fitness_core::domain::observation::{AbsenceReason, ObservationData, ObservationKind};
use fitness_core::plan::{
    self, ApplyError, Change, DraftError, HumanActionKind, NextRevisionWorkout, PlanStatus, ProposalOrigin,
    ProposalState, ProposalStatus, RevisionOrigin,
};
use fitness_store::plan::human_actions::{self, Activation, ActivationRequest, apply_hash, change_hash};
use fitness_store::testkit::{self, TestDb, all_rules, consent, draft, easy_run, june, now};
use fitness_store::{Error, RecordKind, Result, Store, on_both_databases};
use std::collections::BTreeSet;

async fn statuses(db: &TestDb, user: UserId) -> Vec<(i64, PlanStatus)> {
    let mut plans = db.store.list_plans(user).await.unwrap();
    plans.sort_by_key(|plan| plan.id);
    plans.into_iter().map(|plan| (plan.id.get(), plan.status)).collect()
}

async fn verdicts(db: &TestDb, user: UserId, plan: PlanId) -> Vec<Verdict> {
    db.store.graded_plan(user, plan).await.unwrap().graded.iter().map(|g| g.verdict).collect()
}

/// Applies chosen changes of a proposal to the current revision, through any store.
pub(crate) async fn apply(
    store: &Store,
    user: UserId,
    proposal: ProposalId,
    chosen: &[usize],
) -> Result<i64> {
    let chosen: BTreeSet<usize> = chosen.iter().copied().collect();
    let found = store.find_proposal(user, proposal).await?.ok_or(Error::NotFound(RecordKind::Proposal))?;
    let plan = store.find_plan(user, found.plan).await?.ok_or(Error::NotFound(RecordKind::Plan))?;
    let current = store.list_workouts(user, plan.id, plan.revision).await?;
    let next = plan::apply(&plan, &current, &found.changes, &chosen, june(8))?;
    let seen = apply_hash(plan.id, plan.revision, &next, &all_rules());
    let consent = consent(store, user, HumanActionKind::Apply, Some(plan.id), seen).await?;
    testkit::apply(store, consent, proposal, &chosen).await
}

/// Three changes to the seeded plan: the 9th shorter, the 11th skipped, a run on the 12th added.
pub(crate) async fn three_changes(store: &Store, user: UserId, plan: PlanId, revision: i64) -> Vec<Change> {
    let workouts = store.list_workouts(user, plan, revision).await.unwrap();
    vec![
        Change::Modify {
            workout_id: workouts[0].id,
            on: None,
            workout: easy_run(june(9), 5.0),
            asked: None,
            notes: Some("tired".to_owned()),
        },
        Change::Skip { workout_id: workouts[2].id, on: None, notes: None },
        Change::Add { workout: easy_run(june(12), 4.0) },
    ]
}

on_both_databases! {
    async fn plan_goes_from_draft_to_active_to_archived_to_deleted(db) {
        let ann = db.user("Ann").await;
        let first = db.draft(ann, "Spring 10k").await;
        assert_eq!(statuses(&db, ann).await, [(first.get(), PlanStatus::Draft)]);

        assert_eq!(db.activate(ann, first, None).await.unwrap(), Activation::Activated);
        assert_eq!(db.store.find_active_plan(ann).await.unwrap().unwrap().id, first);
        assert_eq!(db.activate(ann, first, None).await.unwrap(), Activation::NoDraft, "it is no draft any more");

        let second = db.draft(ann, "Autumn half").await;
        let refused = db.activate(ann, second, None).await.unwrap_err();
        assert_eq!(refused.to_string(), "you already have an active plan");
        assert!(matches!(refused, Error::AlreadyActive { active: Some(id) } if id == first));
        let refused = db.activate(ann, second, Some(second)).await.unwrap_err();
        assert!(matches!(refused, Error::AlreadyActive { active: Some(id) } if id == first));

        assert_eq!(db.activate(ann, second, Some(first)).await.unwrap(), Activation::Activated);
        assert_eq!(statuses(&db, ann).await, [(first.get(), PlanStatus::Archived), (second.get(), PlanStatus::Active)]);

        let third = db.draft(ann, "Nothing to replace").await;
        human_actions::archive(db.consent_to(ann, HumanActionKind::Archive, second).await.unwrap(), second).await.unwrap();
        let refused = db.activate(ann, third, Some(second)).await.unwrap_err();
        assert!(matches!(refused, Error::NothingToReplace));

        for plan in [first, third] {
            human_actions::delete(db.consent_to(ann, HumanActionKind::Delete, plan).await.unwrap(), plan).await.unwrap();
        }
        assert_eq!(statuses(&db, ann).await, [(second.get(), PlanStatus::Archived)]);
        let fourth = db.draft(ann, "Next").await;
        assert!(fourth > third, "an id is never reused");

        let actions: Vec<HumanActionKind> = db.store.list_human_actions(ann, 100).await.unwrap().iter().rev().map(|a| a.kind).collect();
        use HumanActionKind::{Activate, Archive, Delete};
        assert_eq!(actions, [Activate, Activate, Archive, Delete, Delete]);
        assert_eq!(db.store.first_broken_audit_entry(ann).await.unwrap(), None);
        let audited: Vec<String> = db.store.list_audit(ann, 100).await.unwrap().into_iter().rev().map(|line| line.action).collect();
        assert_eq!(
            audited,
            ["user.add", "plan.draft", "plan.activate", "plan.draft", "plan.activate", "plan.draft", "plan.archive", "plan.delete", "plan.delete", "plan.draft"]
        );
    }

    async fn an_active_plan_cannot_be_deleted_nor_a_draft_archived(db) {
        let ann = db.user("Ann").await;
        let active = db.active_plan(ann, "Plan").await;
        let consent = db.consent_to(ann, HumanActionKind::Delete, active).await.unwrap();
        assert!(matches!(human_actions::delete(consent, active).await, Err(Error::WrongStatus(PlanStatus::Active))));
        let draft = db.draft(ann, "Draft").await;
        let consent = db.consent_to(ann, HumanActionKind::Archive, draft).await.unwrap();
        assert!(matches!(human_actions::archive(consent, draft).await, Err(Error::WrongStatus(PlanStatus::Draft))));
        assert_eq!(statuses(&db, ann).await, [(active.get(), PlanStatus::Active), (draft.get(), PlanStatus::Draft)]);
    }

    async fn another_users_plan_does_not_exist(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let plan = db.draft(ann, "Ann's").await;
        assert_eq!(db.store.find_plan(bob, plan).await.unwrap(), None);
        assert!(db.store.list_plans(bob).await.unwrap().is_empty());
        assert!(db.store.list_workouts(bob, plan, 1).await.unwrap().is_empty());
        assert!(db.store.list_revisions(bob, plan).await.unwrap().is_empty());
        assert!(matches!(db.store.graded_plan(bob, plan).await, Err(Error::NotFound(RecordKind::Plan))));
        let content = db.store.find_plan(ann, plan).await.unwrap().unwrap().content_hash;
        let seen = testkit::activation_request(plan, None).hash(content);
        let consent = db.consent(bob, HumanActionKind::Activate, Some(plan), seen).await.unwrap();
        assert_eq!(testkit::activate(&db.store, consent, plan, None).await.unwrap(), Activation::NoDraft);
        let changes = [Change::Add { workout: easy_run(june(12), 4.0) }];
        let proposed = db.store.plan_writer(bob, Author::Coach).propose(plan, 1, "", &changes, june(8), now()).await;
        assert!(matches!(proposed, Err(Error::NotFound(RecordKind::Plan))));
    }

    async fn a_workout_is_found_with_the_plan_that_has_it_now(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let plan = db.active_plan(ann, "Half").await;
        let workouts = db.store.list_workouts(ann, plan, 1).await.unwrap();
        let found = |user, id| { let store = db.store.clone(); async move { store.find_plan_with_workout(user, id).await.unwrap().map(|plan| plan.id) } };
        assert_eq!(found(ann, workouts[2].id).await, Some(plan));
        assert_eq!(found(bob, workouts[2].id).await, None);
        assert_eq!(found(ann, WorkoutId::new(4242)).await, None);
        let changes = three_changes(&db.store, ann, plan, 1).await;
        let desk = db.store.plan_writer(ann, Author::Coach);
        let proposal = desk.propose(plan, 1, "", &changes, june(8), now()).await.unwrap();
        apply(&db.store, ann, proposal, &[1]).await.unwrap();
        assert_eq!(found(ann, workouts[2].id).await, None, "it was taken out");
        assert_eq!(found(ann, workouts[0].id).await, Some(plan));
    }

    async fn a_draft_comes_back_as_it_was_written(db) {
        let ann = db.user("Ann").await;
        let written = draft("Half 2026");
        let id = db.draft(ann, "Half 2026").await;
        let plan = db.store.find_plan(ann, id).await.unwrap().unwrap();
        assert_eq!(plan.content_hash, written.content_hash());
        let workouts = db.store.list_workouts(ann, id, 1).await.unwrap();
        assert_eq!(workouts.iter().map(|w| w.workout.clone()).collect::<Vec<_>>(), written.workouts());
        assert_eq!((plan.revision, plan.author, plan.created_at), (1, Author::Coach, now()));
        let newer = db.store.plan_writer(ann, Author::Coach).put_draft(&draft("Better"), Some(id), now()).await.unwrap();
        assert_eq!(db.store.find_plan(ann, id).await.unwrap().unwrap().superseded_by, Some(newer));
        // A second time, or a plan of someone else: nothing is written.
        for (user, old) in [(ann, id), (ann, PlanId::new(999))] {
            let refused = db.store.plan_writer(user, Author::Coach).put_draft(&draft("Third"), Some(old), now()).await;
            assert!(matches!(refused, Err(Error::NotFound(RecordKind::Draft))));
        }
        assert_eq!(db.store.list_plans(ann).await.unwrap().len(), 2);
        assert!(db.store.graded_plan(ann, id).await.unwrap().graded.is_empty(), "a draft is never graded");
        // Once the newer draft is deleted, the first can be superseded again.
        human_actions::delete(db.consent_to(ann, HumanActionKind::Delete, newer).await.unwrap(), newer).await.unwrap();
        assert_eq!(db.store.find_plan(ann, id).await.unwrap().unwrap().superseded_by, None);
        db.store.plan_writer(ann, Author::Coach).put_draft(&draft("Third"), Some(id), now()).await.unwrap();
    }

    async fn draft_in_the_past_is_refused(db) {
        let ann = db.user("Ann").await;
        let desk = db.store.plan_writer(ann, Author::Coach);
        let last = draft("Late").race_date();
        let at = |day: Day| day.date().and_hms_opt(12, 0, 0).unwrap().and_utc();
        let refused = desk.put_draft(&draft("Late"), None, at(last.next())).await.unwrap_err();
        assert!(matches!(refused, Error::Draft(DraftError::RaceInPast(day)) if day == last), "{refused}");
        let tomorrow = desk.put_draft(&draft("Late"), None, at(last.previous())).await.unwrap_err();
        assert!(matches!(tomorrow, Error::Draft(DraftError::RaceTooSoon(day)) if day == last), "{tomorrow}");
        assert!(db.store.list_plans(ann).await.unwrap().is_empty());
        desk.put_draft(&draft("Late"), None, at(last.plus_days(-2))).await.unwrap();
    }

    async fn text_author_is_coach_after_its_draft_or_applied_proposal(db) {
        let ann = db.user("Ann").await;
        let drafted = db.draft(ann, "The coach's").await;
        let plan = db.store.plan_writer(ann, Author::Athlete).put_draft(&testkit::draft("Own"), None, now()).await.unwrap();
        db.activate(ann, plan, None).await.unwrap();
        let author = async |id| {
            let plan = db.store.find_plan(ann, id).await.unwrap().unwrap();
            db.store.find_text_author(ann, &plan).await.unwrap()
        };
        assert_eq!((author(drafted).await, author(plan).await), (Some(Author::Coach), None));
        let changes = three_changes(&db.store, ann, plan, 1).await;
        let proposal = db.store.plan_writer(ann, Author::Mcp).propose(plan, 1, "", &changes, june(8), now()).await.unwrap();
        assert_eq!(author(plan).await, None, "it was only proposed");
        apply(&db.store, ann, proposal, &[0]).await.unwrap();
        assert_eq!(author(plan).await, Some(Author::Mcp));
    }

    async fn revision_without_changes_is_refused(db) {
        let ann = db.user("Ann").await;
        let plan = db.active_plan(ann, "Plan").await;
        let now_there = db.store.list_workouts(ann, plan, 1).await.unwrap();
        let same: Vec<NextRevisionWorkout> = now_there.iter().map(|w| NextRevisionWorkout { id: Some(w.id), workout: w.workout.clone() }).collect();
        let consent = db.consent(ann, HumanActionKind::Edit, Some(plan), change_hash(plan, 1, &same)).await.unwrap();
        assert!(matches!(human_actions::edit(consent, plan, 1, &same, "").await, Err(Error::Unchanged)));
        let changes = three_changes(&db.store, ann, plan, 1).await;
        let proposal = db.store.plan_writer(ann, Author::Coach).propose(plan, 1, "", &changes, june(8), now()).await.unwrap();
        assert_eq!(apply(&db.store, ann, proposal, &[0]).await.unwrap(), 2);
        let consent = db.consent(ann, HumanActionKind::Revert, Some(plan), change_hash(plan, 2, &same)).await.unwrap();
        assert_eq!(human_actions::revert(consent, plan, 2, 1, june(8)).await.unwrap(), 3);
        // Reverting to the current content.
        let consent = db.consent(ann, HumanActionKind::Revert, Some(plan), change_hash(plan, 3, &same)).await.unwrap();
        assert!(matches!(human_actions::revert(consent, plan, 3, 1, june(8)).await, Err(Error::Unchanged)));
        assert_eq!(db.store.list_revisions(ann, plan).await.unwrap().len(), 3);
        assert_eq!(db.store.list_human_actions(ann, 9).await.unwrap().len(), 3, "activated, applied, reverted");
    }

    async fn a_plan_is_graded_as_soon_as_it_is_activated(db) {
        let ann = db.user("Ann").await;
        db.import_run(ann, june(9), 8.0).await;
        db.finish_import(ann, CoverageEvidence::Declared { day: june(12), declared_at: now() }).await;
        let plan = db.draft(ann, "Plan").await;
        assert_eq!(verdicts(&db, ann, plan).await, []);
        assert_eq!(db.activate(ann, plan, None).await.unwrap(), Activation::Activated);
        use Verdict::{Hit, Missed, Pending, Rest};
        assert_eq!(verdicts(&db, ann, plan).await, [Hit, Rest, Missed, Pending]);
    }

    async fn activation_of_changed_draft_is_refused(db) {
        let ann = db.user("Ann").await;
        let plan = db.draft(ann, "Plan").await;
        let consent = db.consent(ann, HumanActionKind::Activate, Some(plan), ContentHash::hash_bytes(b"another draft")).await.unwrap();
        assert!(matches!(testkit::activate(&db.store, consent, plan, None).await, Err(Error::Stale)));
        // Nor can a plan other than the named one be replaced.
        let active = db.active_plan(ann, "Active").await;
        let consent = db.consent_to(ann, HumanActionKind::Activate, plan).await.unwrap();
        assert!(matches!(testkit::activate(&db.store, consent, plan, Some(active)).await, Err(Error::Stale)));
        assert_eq!(statuses(&db, ann).await, [(plan.get(), PlanStatus::Draft), (active.get(), PlanStatus::Active)]);
        assert_eq!(db.store.list_human_actions(ann, 9).await.unwrap().len(), 1, "what failed left nothing behind");
    }

    async fn the_chosen_part_of_a_proposal_applies_whole_and_can_be_reverted(db) {
        let ann = db.user("Ann").await;
        let plan = db.active_plan(ann, "Plan").await;
        let desk = db.store.plan_writer(ann, Author::Coach);
        let changes = three_changes(&db.store, ann, plan, 1).await;
        let proposal = desk.propose(plan, 1, "Ease off.", &changes, june(8), now()).await.unwrap();
        let before = db.store.list_workouts(ann, plan, 1).await.unwrap();

        assert_eq!(apply(&db.store, ann, proposal, &[0, 2]).await.unwrap(), 2);
        let after = db.store.list_workouts(ann, plan, 2).await.unwrap();
        let ids = |workouts: &[fitness_core::plan::PlannedWorkout]| workouts.iter().map(|w| w.id).collect::<Vec<WorkoutId>>();
        assert_eq!(after.len(), before.len() + 1);
        assert_eq!(after[0].id, before[0].id, "a workout keeps its id across revisions");
        assert_eq!(after[0].workout, easy_run(june(9), 5.0));
        assert!(ids(&after).contains(&before[2].id), "what was not chosen stays");
        assert_eq!(db.store.find_proposal(ann, proposal).await.unwrap().unwrap().status, ProposalStatus::Applied);
        assert_eq!(db.store.list_workouts(ann, plan, 1).await.unwrap(), before, "the old revision is still there");

        // Already applied, or the plan has changed: both fail and change nothing.
        assert!(matches!(apply(&db.store, ann, proposal, &[1]).await, Err(Error::ProposalClosed { state: ProposalState::Applied, .. })));
        assert!(matches!(desk.propose(plan, 1, "late", &changes, june(8), now()).await, Err(Error::Stale)));

        let next: Vec<NextRevisionWorkout> = before.iter().map(|w| NextRevisionWorkout { id: Some(w.id), workout: w.workout.clone() }).collect();
        let consent = db.consent(ann, HumanActionKind::Revert, Some(plan), change_hash(plan, 2, &next)).await.unwrap();
        assert_eq!(human_actions::revert(consent, plan, 2, 1, june(8)).await.unwrap(), 3);
        assert_eq!(db.store.list_workouts(ann, plan, 3).await.unwrap(), before);
        let revisions = db.store.list_revisions(ann, plan).await.unwrap();
        let origins: Vec<RevisionOrigin> = revisions.iter().rev().map(|r| r.origin).collect();
        assert_eq!(origins, [RevisionOrigin::Draft, RevisionOrigin::Apply, RevisionOrigin::Revert]);
        assert_eq!(revisions[1].reason.as_deref(), Some("Ease off."));
        let by: Vec<_> = revisions.iter().rev().map(|r| (r.proposal, r.proposed_by)).collect();
        assert_eq!(by, [(None, None), (Some(proposal), Some(ProposalOrigin::ModelResponse)), (None, None)]);
    }

    async fn revert_keeps_past_days(db) {
        let ann = db.user("Ann").await;
        let plan = db.active_plan(ann, "Plan").await;
        let before = db.store.list_workouts(ann, plan, 1).await.unwrap();
        let mut next: Vec<NextRevisionWorkout> = before.iter().map(|w| NextRevisionWorkout { id: Some(w.id), workout: w.workout.clone() }).collect();
        next[0].workout = easy_run(june(9), 4.0);
        next[3].workout = easy_run(june(14), 12.0);
        let consent = db.consent(ann, HumanActionKind::Edit, Some(plan), change_hash(plan, 1, &next)).await.unwrap();
        assert_eq!(human_actions::edit(consent, plan, 1, &next, "less").await.unwrap(), 2);
        db.import_run(ann, june(9), 4.0).await;
        db.finish_import(ann, CoverageEvidence::Declared { day: june(9), declared_at: now() }).await;
        let judged = verdicts(&db, ann, plan).await;
        assert_eq!(judged[0], Verdict::Hit);

        // The result differs from the whole old revision, even if that was confirmed.
        let all: Vec<NextRevisionWorkout> = before.iter().map(|w| NextRevisionWorkout { id: Some(w.id), workout: w.workout.clone() }).collect();
        let consent = db.consent(ann, HumanActionKind::Revert, Some(plan), change_hash(plan, 2, &all)).await.unwrap();
        assert!(matches!(human_actions::revert(consent, plan, 2, 1, june(10)).await, Err(Error::Stale)));

        let found = db.store.find_plan(ann, plan).await.unwrap().unwrap();
        let current = db.store.list_workouts(ann, plan, 2).await.unwrap();
        let next = plan::revert(&found, &current, &before, june(10)).unwrap();
        let consent = db.consent(ann, HumanActionKind::Revert, Some(plan), change_hash(plan, 2, &next)).await.unwrap();
        assert_eq!(human_actions::revert(consent, plan, 2, 1, june(10)).await.unwrap(), 3);
        let now = db.store.list_workouts(ann, plan, 3).await.unwrap();
        assert_eq!(now[0], current[0], "the 9th is over");
        assert_eq!(now[1..], before[1..]);
        assert_eq!(verdicts(&db, ann, plan).await, judged, "and stays as it was judged");
    }

    async fn a_plan_whose_start_has_passed_may_begin_on_the_day_it_is_activated(db) {
        let ann = db.user("Ann").await;
        db.finish_import(ann, CoverageEvidence::Declared { day: june(12), declared_at: now() }).await;
        let (late, plain) = (db.draft(ann, "Late").await, db.draft(ann, "Plain").await);
        let content = db.store.find_plan(ann, late).await.unwrap().unwrap().content_hash;
        let activate = async |shown: Option<Day>, begin: Option<Day>| {
            let review = db.store.lint_plan(ann, late, june(11)).await.unwrap();
            let request = |begin| ActivationRequest { begin, ..testkit::activation_request(late, None) };
            let seen = request(shown).hash(content);
            let consent = db.consent(ann, HumanActionKind::Activate, Some(late), seen).await.unwrap();
            human_actions::activate(consent, &request(begin), &review).await
        };
        // Only a day after the plan's first, and only as confirmed.
        for day in [june(8), june(7), Day::new(2026, 9, 21).unwrap()] {
            assert!(matches!(activate(Some(day), Some(day)).await, Err(Error::BadStartDay { .. })), "{day}");
        }
        assert!(matches!(activate(None, Some(june(11))).await, Err(Error::Stale)));
        assert_eq!(activate(Some(june(11)), Some(june(11))).await.unwrap(), Activation::Activated);
        let found = db.store.find_active_plan(ann).await.unwrap().unwrap();
        assert_eq!((found.start_date, found.begun_on, found.graded_from()), (june(8), Some(june(11)), june(11)));
        use Verdict::{Missed, NotStarted, Pending, Rest};
        assert_eq!(verdicts(&db, ann, late).await, [NotStarted, NotStarted, Missed, Pending]);
        let followed = db.store.plan_adherence(ann, late).await.unwrap().adherence;
        assert_eq!(followed.graded[0].verdict, NotStarted, "wherever it is told");
        assert_eq!(db.store.list_human_actions(ann, 1).await.unwrap()[0].detail["begin"], "2026-06-11");
        // Without a later start, missed workouts count as missed.
        let consent = db.consent_to(ann, HumanActionKind::Archive, late).await.unwrap();
        human_actions::archive(consent, late).await.unwrap();
        db.activate(ann, plain, None).await.unwrap();
        assert_eq!(verdicts(&db, ann, plain).await, [Missed, Rest, Missed, Pending]);
    }

    async fn a_stale_base_a_second_tab_and_a_different_outcome_are_refused(db) {
        let ann = db.user("Ann").await;
        let plan = db.active_plan(ann, "Plan").await;
        let desk = db.store.plan_writer(ann, Author::Coach);
        let changes = three_changes(&db.store, ann, plan, 1).await;
        let (one, two) =
            (desk.propose(plan, 1, "one", &changes, june(8), now()).await.unwrap(), desk.propose(plan, 1, "two", &changes, june(8), now()).await.unwrap());
        // Two tabs show the same base revision; the first wins, the second gets `Stale`.
        let chosen = BTreeSet::from([0]);
        let found = db.store.find_plan(ann, plan).await.unwrap().unwrap();
        let current = db.store.list_workouts(ann, plan, 1).await.unwrap();
        let outcome = apply_hash(plan, 1, &plan::apply(&found, &current, &changes, &chosen, june(8)).unwrap(), &all_rules());
        let consent = db.consent(ann, HumanActionKind::Apply, Some(plan), outcome).await.unwrap();
        assert_eq!(testkit::apply(&db.store, consent, one, &chosen).await.unwrap(), 2);
        let consent = db.consent(ann, HumanActionKind::Apply, Some(plan), outcome).await.unwrap();
        let moved = ProposalState::Stale { base: 1, now: 2 };
        assert!(matches!(testkit::apply(&db.store, consent, two, &chosen).await, Err(Error::ProposalClosed { state, .. }) if state == moved));
        assert_eq!(db.store.find_proposal(ann, two).await.unwrap().unwrap().status, ProposalStatus::Open);

        // Confirmed one result, applied another.
        let three = desk.propose(plan, 2, "three", &[Change::Add { workout: easy_run(june(13), 3.0) }], june(8), now()).await.unwrap();
        let consent = db.consent(ann, HumanActionKind::Apply, Some(plan), outcome).await.unwrap();
        assert!(matches!(testkit::apply(&db.store, consent, three, &BTreeSet::from([0])).await, Err(Error::Stale)));
        db.store.decline_proposal(ann, three, now()).await.unwrap();
        let discarded = |error: Error| matches!(error, Error::ProposalClosed { state: ProposalState::Discarded, .. });
        assert!(discarded(apply(&db.store, ann, three, &[0]).await.unwrap_err()));
        assert!(discarded(db.store.decline_proposal(ann, three, now()).await.unwrap_err()));
        assert_eq!(db.store.find_plan(ann, plan).await.unwrap().unwrap().revision, 2);
    }

    async fn an_edit_by_hand_makes_a_revision_and_names_only_own_workouts(db) {
        let ann = db.user("Ann").await;
        let plan = db.active_plan(ann, "Plan").await;
        let other = db.draft(ann, "Other").await;
        let stranger = db.store.list_workouts(ann, other, 1).await.unwrap()[0].id;
        let workouts = db.store.list_workouts(ann, plan, 1).await.unwrap();
        let mut next: Vec<NextRevisionWorkout> = workouts.iter().map(|w| NextRevisionWorkout { id: Some(w.id), workout: w.workout.clone() }).collect();
        next[0].workout.date = june(8);

        let hash = change_hash(plan, 1, &next);
        let consent = db.consent(ann, HumanActionKind::Edit, Some(plan), hash).await.unwrap();
        assert_eq!(human_actions::edit(consent, plan, 1, &next, "moved Tuesday to Monday").await.unwrap(), 2);

        for (id, expected) in [(Some(stranger), ApplyError::NoSuchWorkout(stranger)), (next[1].id, ApplyError::DuplicateChange(next[1].id.unwrap()))] {
            let mut bad = next.clone();
            bad[2].id = id;
            let consent = db.consent(ann, HumanActionKind::Edit, Some(plan), change_hash(plan, 2, &bad)).await.unwrap();
            match human_actions::edit(consent, plan, 2, &bad, "").await {
                Err(Error::Apply(error)) => assert_eq!(error, expected),
                other => panic!("{other:?}"),
            }
        }
        // The right result on the wrong base revision.
        let consent = db.consent(ann, HumanActionKind::Edit, Some(plan), change_hash(plan, 2, &next)).await.unwrap();
        assert!(matches!(human_actions::edit(consent, plan, 1, &next, "").await, Err(Error::Stale)));
        assert_eq!(db.store.list_revisions(ann, plan).await.unwrap().len(), 2);
    }

    async fn day_is_graded_only_when_its_data_is_complete(db) {
        use Verdict::{Hit, Missed, Pending, Rest, Short};
        let ann = db.user("Ann").await;
        let plan = db.active_plan(ann, "Plan").await;
        assert_eq!(verdicts(&db, ann, plan).await, [Pending, Pending, Pending, Pending], "nothing was imported yet");
        db.import_run(ann, june(9), 8.0).await;
        db.import_run(ann, june(11), 6.0).await;
        assert_eq!(verdicts(&db, ann, plan).await, [Pending, Pending, Pending, Pending], "no run has proved anything yet");
        db.finish_import(ann, CoverageEvidence::Activity { day: june(9), imported_at: now() }).await;
        assert_eq!(verdicts(&db, ann, plan).await, [Hit, Pending, Pending, Pending]);
        db.finish_import(ann, CoverageEvidence::Activity { day: june(11), imported_at: now() }).await;
        assert_eq!(verdicts(&db, ann, plan).await, [Hit, Rest, Short, Pending]);
        // The 14th is today: a run below plan has no verdict yet, one above it is a hit.
        db.import_run(ann, june(14), 5.0).await;
        db.finish_import(ann, CoverageEvidence::Activity { day: june(14), imported_at: now() }).await;
        assert_eq!(verdicts(&db, ann, plan).await, [Hit, Rest, Short, Pending]);
        db.store.declare_day_complete(ann, june(14), now()).await.unwrap();
        assert_eq!(verdicts(&db, ann, plan).await, [Hit, Rest, Short, Short]);
        // Late data changes the verdict.
        db.import_run(ann, june(11), 4.0).await;
        assert_eq!(verdicts(&db, ann, plan).await, [Hit, Rest, Hit, Short]);
        let standing = db.store.graded_plan(ann, plan).await.unwrap();
        assert_eq!((standing.tally.hit, standing.tally.short, standing.tally.missed), (2, 1, 0));
        assert!(!standing.graded.iter().any(|g| g.verdict == Missed));
    }

    async fn a_day_marked_ill_keeps_its_verdict_and_leaves_the_tally(db) {
        let ann = db.user("Ann").await;
        let plan = db.active_plan(ann, "Plan").await;
        db.store.declare_day_complete(ann, june(13), now()).await.unwrap();
        let ill = ObservationData::new(ObservationKind::Illness, june(9), june(10), Some(2)).unwrap();
        let id = db.store.add_observation(ann, Author::Coach, &ill, now()).await.unwrap();
        let standing = db.store.graded_plan(ann, plan).await.unwrap();
        assert_eq!((standing.tally.missed, standing.tally.excused), (2, 0), "a suggestion excuses nothing");
        db.store.accept_observation(ann, id, now()).await.unwrap();
        let standing = db.store.graded_plan(ann, plan).await.unwrap();
        assert_eq!((standing.tally.missed, standing.tally.excused), (1, 1));
        assert_eq!((standing.graded[0].verdict, standing.graded[0].excused), (Verdict::Missed, Some(AbsenceReason::Ill)));
    }

    async fn hundred_drafts_and_proposals_do_not_change_grading(db) {
        let ann = db.user("Ann").await;
        let plan = db.active_plan(ann, "Plan").await;
        db.import_run(ann, june(9), 8.0).await;
        db.finish_import(ann, CoverageEvidence::Activity { day: june(11), imported_at: now() }).await;
        let everything = async || {
            let standing = db.store.graded_plan(ann, plan).await.unwrap();
            let frontier = db.store.frontier(ann).await.unwrap();
            let active = db.store.find_active_plan(ann).await.unwrap();
            serde_json::to_string(&(standing, frontier, active)).unwrap()
        };
        let before = everything().await;
        let changes = three_changes(&db.store, ann, plan, 1).await;
        for i in 0..100 {
            db.draft(ann, &format!("Draft {i}")).await;
            db.store.plan_writer(ann, Author::Coach).propose(plan, 1, "more", &changes, june(8), now()).await.unwrap();
        }
        assert_eq!(everything().await, before);
        // Control: applying the same changes does change it.
        let proposal = db.store.list_proposals(ann, plan).await.unwrap()[0].id;
        apply(&db.store, ann, proposal, &[0, 1, 2]).await.unwrap();
        assert_ne!(everything().await, before);
    }
}
