//! Linter checks before human actions, proposals of the rules, and responses of models.

use chrono::TimeDelta;
use fitness_core::adherence::data_frontier::CoverageEvidence;
use fitness_core::domain::ids::{PlanId, UserId};
use fitness_core::domain::note::Author;
use fitness_core::domain::observation::{ObservationData, ObservationKind};
use fitness_core::llm_output::{FindingCode, ValidationErrorCode};
use fitness_core::plan::lint::LintRule;
use fitness_core::plan::{
    Cause, Change, Draft, GoalDistance, HumanActionKind, NextRevisionWorkout, PlanStatus, ProposalOrigin,
    ProposalState, Workout,
};
use fitness_store::plan::human_actions::{self, Activation, ActivationRequest, apply_hash};
use fitness_store::testkit::{self, TestDb, all_rules, easy_run, june, now};
use fitness_store::{Error, LlmResponseOutcome, on_both_databases};
use std::collections::BTreeSet;

/// A half marathon plan without its race, which is a lint error.
async fn plan_without_race(db: &TestDb, user: UserId) -> PlanId {
    db.draft(user, "No race in it").await
}

/// A runner with 10 km on every day of May and data through 13 June; a plan from 8 June.
async fn runner_with_plan(db: &TestDb) -> (UserId, PlanId) {
    let ann = db.user("Ann").await;
    for back in 0..40 {
        db.import_run(ann, june(13).plus_days(-back), 10.0).await;
    }
    let evidence = CoverageEvidence::Declared { day: june(13), declared_at: now() };
    db.finish_import(ann, evidence).await;
    let mut workouts: Vec<Workout> = (9..=13).map(|day| easy_run(june(day), 8.0)).collect();
    workouts.extend((14..=28).map(|day| easy_run(june(day), 9.0)));
    let race = Workout { kind: fitness_core::plan::WorkoutKind::Race, ..easy_run(june(30), 10.0) };
    workouts.push(race);
    let draft = Draft::new("Ten", GoalDistance::TenK, None, june(8), june(30), None, workouts).unwrap();
    let plan = db.store.plan_writer(ann, Author::Athlete).put_draft(&draft, None, now()).await.unwrap();
    assert_eq!(db.activate(ann, plan, None).await.unwrap(), Activation::Activated);
    (ann, plan)
}

fn llm_response(id: i64, date: &str, minutes: u32) -> String {
    format!(
        r#"{{"modifications":[{{"workout_id":"{id}","date":"{date}","action":"modify","changes":{{"duration_minutes":{{"to":{minutes}}}}}}}],"athlete_message":"Less."}}"#
    )
}

on_both_databases! {
    async fn an_error_of_the_linter_blocks_activation_until_it_is_overridden_by_name(db) {
        let ann = db.user("Ann").await;
        let plan = plan_without_race(&db, ann).await;
        let content = db.store.find_plan(ann, plan).await.unwrap().unwrap().content_hash;
        let review = db.store.lint_plan(ann, plan, june(8)).await.unwrap();
        let blocking: BTreeSet<LintRule> = review.blocking_findings().iter().map(|finding| finding.rule).collect();
        assert!(blocking.contains(&LintRule::DayConflict), "{blocking:?}");

        let activate = async |overrides: BTreeSet<LintRule>, review: &fitness_store::LintReview| {
            let request = ActivationRequest { overrides, ..testkit::activation_request(plan, None) };
            let seen = request.hash(content);
            let consent = db.consent(ann, HumanActionKind::Activate, Some(plan), seen).await.unwrap();
            human_actions::activate(consent, &request, review).await
        };
        assert!(matches!(activate(BTreeSet::new(), &review).await, Err(Error::BlockingFindings(left)) if left.iter().any(|f| f.rule == LintRule::DayConflict)));
        let mut some = blocking.clone();
        some.remove(&LintRule::DayConflict);
        assert!(matches!(activate(some, &review).await, Err(Error::BlockingFindings(left)) if left.iter().all(|f| f.rule == LintRule::DayConflict)));

        // A review of another plan is rejected.
        let other = db.draft(ann, "Other").await;
        let of_other = db.store.lint_plan(ann, other, june(8)).await.unwrap();
        assert!(matches!(activate(blocking.clone(), &of_other).await, Err(Error::Stale)));

        // Overrides are part of the confirmed content and cannot be added later.
        let request = |overrides| ActivationRequest { overrides, ..testkit::activation_request(plan, None) };
        let seen = request(BTreeSet::new()).hash(content);
        let consent = db.consent(ann, HumanActionKind::Activate, Some(plan), seen).await.unwrap();
        assert!(matches!(human_actions::activate(consent, &request(blocking.clone()), &review).await, Err(Error::Stale)));
        assert_eq!(db.store.find_active_plan(ann).await.unwrap(), None);

        assert_eq!(activate(blocking.clone(), &review).await.unwrap(), Activation::Activated);
        let action = &db.store.list_human_actions(ann, 1).await.unwrap()[0];
        assert_eq!(action.detail["overrides"], serde_json::to_value(&blocking).unwrap());
    }

    async fn adaptation_is_proposed_once_superseded_and_not_repeated_after_decline(db) {
        let (ann, plan) = runner_with_plan(&db).await;
        assert_eq!(db.store.adapt_plan(ann, june(14), now()).await.unwrap(), None);
        let ill = |through| ObservationData::new(ObservationKind::Illness, june(14), june(through), Some(1)).unwrap();
        db.store.add_observation(ann, Author::Athlete, &ill(16), now()).await.unwrap();

        let first = db.store.adapt_plan(ann, june(14), now()).await.unwrap().unwrap();
        assert_eq!(first.adaptation.cause, Cause::Illness);
        let id = first.proposal.unwrap();
        assert_eq!(db.store.adapt_plan(ann, june(14), now()).await.unwrap().unwrap().proposal, Some(id), "the same waits");
        assert_eq!(db.store.list_proposals(ann, plan).await.unwrap().len(), 1);

        // A longer illness: a newer proposal supersedes the older one.
        db.store.add_observation(ann, Author::Athlete, &ill(18), now()).await.unwrap();
        let newer = db.store.adapt_plan(ann, june(14), now()).await.unwrap().unwrap().proposal.unwrap();
        assert_ne!(newer, id);
        let old = db.store.find_proposal(ann, id).await.unwrap().unwrap();
        assert_eq!((old.superseded_by, old.is_open(june(14))), (Some(newer), false));
        let gave_way = ProposalState::Superseded(newer);
        let over = |answer: Error| matches!(answer, Error::ProposalClosed { state, .. } if state == gave_way);
        assert!(over(db.store.decline_proposal(ann, id, now()).await.unwrap_err()));
        assert!(over(db.store.preview_proposal(ann, id, &BTreeSet::from([0]), june(14)).await.unwrap_err()), "and it is said which");
        let open = db.store.list_proposals(ann, plan).await.unwrap().into_iter().filter(|p| p.is_open(june(14))).count();
        assert_eq!(open, 1);

        // It expires at the end of its first day.
        let found = db.store.find_proposal(ann, newer).await.unwrap().unwrap();
        assert_eq!(found.expires_on, Some(june(15)));
        assert!(found.is_open(june(14)) && !found.is_open(june(15)));
        let all: BTreeSet<usize> = (0..found.changes.len()).collect();
        let late = db.store.preview_proposal(ann, newer, &all, june(15)).await.unwrap_err();
        assert!(matches!(late, Error::ProposalClosed { state: ProposalState::Expired(day), .. } if day == june(15)));

        // It was not discarded, so the next day it is proposed for the remaining days.
        let left = db.store.adapt_plan(ann, june(15), now()).await.unwrap().unwrap().proposal.unwrap();
        assert!(left != newer && db.store.find_proposal(ann, left).await.unwrap().unwrap().is_open(june(15)));
        let newer = left;

        // A discarded proposal is not repeated for the same facts.
        db.store.decline_proposal(ann, newer, now()).await.unwrap();
        let said_no = db.store.preview_proposal(ann, newer, &all, june(15)).await.unwrap_err();
        assert_eq!(said_no.to_string(), "this proposal is no longer open: you discarded it");
        assert_eq!(db.store.adapt_plan(ann, june(14), now()).await.unwrap(), None);
        db.store.add_observation(ann, Author::Athlete, &ill(20), now()).await.unwrap();
        assert!(db.store.adapt_plan(ann, june(14), now()).await.unwrap().is_some(), "new facts");
    }

    async fn bad_feeling_proposes_easy_day_and_better_feeling_withdraws_it(db) {
        let ann = db.user("Ann").await;
        for back in 0..40 {
            db.import_run(ann, june(13).plus_days(-back), 10.0).await;
        }
        db.finish_import(ann, CoverageEvidence::Declared { day: june(13), declared_at: now() }).await;
        let tempo = Workout { kind: fitness_core::plan::WorkoutKind::Tempo, ..easy_run(june(14), 9.0) };
        let race = Workout { kind: fitness_core::plan::WorkoutKind::Race, ..easy_run(june(30), 10.0) };
        let workouts = vec![easy_run(june(12), 8.0), easy_run(june(13), 8.0), tempo, easy_run(june(15), 9.0), race];
        let draft = Draft::new("Ten", GoalDistance::TenK, None, june(8), june(30), None, workouts).unwrap();
        let plan = db.store.plan_writer(ann, Author::Athlete).put_draft(&draft, None, now()).await.unwrap();
        assert_eq!(db.activate(ann, plan, None).await.unwrap(), Activation::Activated);
        let feels = async |value| {
            let felt = ObservationData::new(ObservationKind::Mood, june(14), june(14), Some(value)).unwrap();
            db.store.add_observation(ann, Author::Athlete, &felt, now()).await.unwrap();
            db.store.adapt_plan(ann, june(14), now()).await.unwrap()
        };
        let bad = feels(1).await.unwrap();
        assert_eq!((bad.adaptation.cause, bad.adaptation.changes.len()), (Cause::LowFeeling, 1));
        let id = bad.proposal.unwrap();
        assert!(feels(4).await.is_none_or(|one| one.adaptation.cause != Cause::LowFeeling));
        let found = db.store.find_proposal(ann, id).await.unwrap().unwrap();
        assert_eq!(found.state(1, june(14)), ProposalState::Withdrawn, "they feel better");
        let again = feels(2).await.unwrap();
        assert!(again.adaptation.cause == Cause::LowFeeling && again.proposal != Some(id));
    }

    async fn llm_response_becomes_proposal_draft_or_validation_errors(db) {
        let ann = db.user("Ann").await;
        let desk = db.store.plan_writer(ann, Author::Coach);
        let today = june(14);
        let week = r#"{"workouts":[{"day":"monday","date":"2026-06-15","name":"Easy","sport":"running","duration_minutes":40}],"athlete_message":"Go."}"#;
        let LlmResponseOutcome::Drafted { plan, .. } = desk.submit_llm_response(week.as_bytes(), None, today, now()).await.unwrap() else {
            panic!("a week without a plan is a draft")
        };
        let drafted = db.store.find_plan(ann, plan).await.unwrap().unwrap();
        assert_eq!((drafted.status, drafted.distance, drafted.race_date), (PlanStatus::Draft, None, june(21)));
        assert_eq!(db.activate(ann, plan, None).await.unwrap(), Activation::Activated, "a plan without a race comes back as it was written");
        let consent = db.consent_to(ann, HumanActionKind::Archive, plan).await.unwrap();
        human_actions::archive(consent, plan).await.unwrap();

        let refused = desk.submit_llm_response(llm_response(1, "2026-06-15", 40).as_bytes(), None, today, now()).await.unwrap();
        assert!(matches!(refused, LlmResponseOutcome::Refused { faults } if faults[0].code == ValidationErrorCode::PlanNotActive));

        let (bob, active) = {
            let bob = db.user("Bob").await;
            (bob, db.active_plan(bob, "Bob's").await)
        };
        let stranger = db.store.list_workouts(bob, active, 1).await.unwrap()[0].id.get();
        let plan = db.active_plan(ann, "Ann's").await;
        let desk = db.store.plan_writer(ann, Author::Coach);
        let own = db.store.list_workouts(ann, plan, 1).await.unwrap();
        let today = june(8);
        let faults = desk.submit_llm_response(llm_response(stranger, "2026-06-09", 40).as_bytes(), None, today, now()).await.unwrap();
        assert!(matches!(faults, LlmResponseOutcome::Refused { faults } if faults[0].code == ValidationErrorCode::NoSuchWorkout), "another athlete's workout does not exist");
        let late = desk.submit_llm_response(llm_response(own[0].id.get(), "2026-06-09", 40).as_bytes(), None, june(10), now()).await.unwrap();
        assert!(matches!(late, LlmResponseOutcome::Refused { faults } if faults.iter().any(|f| f.code == ValidationErrorCode::PastDay)));
        let same = r#"{"modifications":[],"new_workouts":[],"athlete_message":"Stay the course."}"#;
        assert_eq!(
            desk.submit_llm_response(same.as_bytes(), None, today, now()).await.unwrap(),
            LlmResponseOutcome::Unchanged { message: "Stay the course.".to_owned() }
        );
        let before = db.store.graded_plan(ann, plan).await.unwrap();
        let taken = desk.submit_llm_response(llm_response(own[0].id.get(), "2026-06-09", 30).as_bytes(), None, today, now()).await.unwrap();
        let LlmResponseOutcome::Proposed { proposal, .. } = taken else { panic!("{taken:?}") };
        assert_eq!(db.store.graded_plan(ann, plan).await.unwrap(), before, "a proposal is inert");
        let found = db.store.find_proposal(ann, proposal).await.unwrap().unwrap();
        assert_eq!((found.message.as_str(), found.changes.len()), ("Less.", 1));
        assert_eq!(found.origin, ProposalOrigin::ModelResponse);
        assert!(matches!(found.changes[0], Change::Modify { .. }));
    }

    async fn deleting_absence_withdraws_its_proposal(db) {
        let (ann, plan) = runner_with_plan(&db).await;
        let ill = |from, value| ObservationData::new(ObservationKind::Illness, june(from), june(16), Some(value)).unwrap();
        let older = db.store.add_observation(ann, Author::Athlete, &ill(13, 2), now()).await.unwrap();
        let mark = db.store.add_observation(ann, Author::Athlete, &ill(14, 1), now()).await.unwrap();
        let twin = db.store.add_observation(ann, Author::Athlete, &ill(14, 1), now()).await.unwrap();
        let id = db.store.adapt_plan(ann, june(14), now()).await.unwrap().unwrap().proposal.unwrap();
        assert_eq!(db.store.find_proposal(ann, id).await.unwrap().unwrap().origin, ProposalOrigin::Rules);

        // Removing another absence, or a duplicate, leaves it open.
        assert_eq!(db.store.delete_observation(ann, twin, now()).await.unwrap(), []);
        assert_eq!(db.store.delete_observation(ann, older, now()).await.unwrap(), []);
        assert_eq!(db.store.delete_observation(ann, mark, now()).await.unwrap(), [id]);
        let found = db.store.find_proposal(ann, id).await.unwrap().unwrap();
        assert_eq!((found.is_open(june(14)), found.state(1, june(14))), (false, ProposalState::Withdrawn));
        let all: BTreeSet<usize> = (0..found.changes.len()).collect();
        let gone = db.store.preview_proposal(ann, id, &all, june(14)).await.unwrap_err();
        assert!(gone.to_string().contains("withdrawn because you removed the absence"), "{gone}");
        assert!(matches!(db.store.decline_proposal(ann, id, now()).await, Err(Error::ProposalClosed { .. })));
        assert_eq!(db.store.adapt_plan(ann, june(14), now()).await.unwrap(), None);

        // A proposal superseded by facts that no longer hold comes back.
        let shorter = ill(14, 2);
        db.store.add_observation(ann, Author::Athlete, &shorter, now()).await.unwrap();
        let first = db.store.adapt_plan(ann, june(14), now()).await.unwrap().unwrap().proposal.unwrap();
        let longer = ObservationData::new(ObservationKind::Illness, june(14), june(19), Some(2)).unwrap();
        let longer = db.store.add_observation(ann, Author::Athlete, &longer, now()).await.unwrap();
        let second = db.store.adapt_plan(ann, june(14), now()).await.unwrap().unwrap().proposal.unwrap();
        assert_eq!(db.store.delete_observation(ann, longer, now()).await.unwrap(), [second]);
        let back = db.store.adapt_plan(ann, june(14), now()).await.unwrap().unwrap().proposal.unwrap();
        assert!(back != first && back != second);
        for mark in db.store.list_observations(ann, june(1), june(30)).await.unwrap() {
            db.store.delete_observation(ann, mark.id, now()).await.unwrap();
        }

        // Marked as ill again, it is proposed again.
        db.store.add_observation(ann, Author::Athlete, &ill(14, 1), now()).await.unwrap();
        let again = db.store.adapt_plan(ann, june(14), now()).await.unwrap().unwrap().proposal.unwrap();
        assert_ne!(again, id);
        assert_eq!(db.store.find_proposal(ann, id).await.unwrap().unwrap().superseded_by, None);
        assert_eq!(db.store.list_proposals(ann, plan).await.unwrap().len(), 5);
    }

    async fn findings_of_llm_response_are_stored_with_proposal(db) {
        let (ann, plan) = runner_with_plan(&db).await;
        let own = db.store.list_workouts(ann, plan, 1).await.unwrap();
        let run = own.iter().find(|w| w.workout.date == june(16)).unwrap().id.get();
        let text = llm_response(run, "2026-06-16", 40).replace(r#"{"to":40}"#, r#"{"from":99,"to":40}"#);
        let desk = db.store.plan_writer(ann, Author::Coach);
        let taken = desk.submit_llm_response(text.as_bytes(), None, june(14), now()).await.unwrap();
        let LlmResponseOutcome::Proposed { proposal, findings } = taken else { panic!("{taken:?}") };
        assert!(findings.iter().any(|found| found.code == FindingCode::FromDiffers), "{findings:?}");
        assert_eq!(db.store.find_proposal(ann, proposal).await.unwrap().unwrap().findings, findings);
        let preview = db.store.preview_proposal(ann, proposal, &BTreeSet::from([0]), june(14)).await.unwrap();
        assert_eq!(preview.proposal.findings, findings, "and is there before the decision");
    }

    async fn two_tabs_on_one_base_and_one_of_them_wins(db) {
        let ann = db.user("Ann").await;
        let plan = db.active_plan(ann, "Plan").await;
        let desk = db.store.plan_writer(ann, Author::Coach);
        let own = db.store.list_workouts(ann, plan, 1).await.unwrap();
        let today = june(8);
        let mut made = Vec::new();
        for minutes in [30, 25] {
            let taken = desk.submit_llm_response(llm_response(own[0].id.get(), "2026-06-09", minutes).as_bytes(), None, today, now()).await.unwrap();
            let LlmResponseOutcome::Proposed { proposal, .. } = taken else { panic!("{taken:?}") };
            made.push(proposal);
        }
        let all = BTreeSet::from([0]);
        let one = db.store.preview_proposal(ann, made[0], &all, today).await.unwrap();
        let other = db.store.preview_proposal(ann, made[1], &all, today).await.unwrap();
        let seen = |preview: &fitness_store::ProposalPreview| apply_hash(plan, 1, &preview.next, &all_rules());
        let (first, second) = (
            db.consent(ann, HumanActionKind::Apply, Some(plan), seen(&one)).await.unwrap(),
            // The second tab confirmed too; its transaction starts when the first is done.
            seen(&other),
        );
        assert_eq!(testkit::apply(&db.store, first, made[0], &all).await.unwrap(), 2);
        let second = db.consent(ann, HumanActionKind::Apply, Some(plan), second).await.unwrap();
        assert!(matches!(human_actions::apply(second, made[1], &all, today, &other.review, &all_rules()).await, Err(Error::ProposalClosed { state: ProposalState::Stale { .. }, .. })));
        let anew = db.store.preview_proposal(ann, made[1], &all, today).await.unwrap();
        assert_eq!((anew.proposal.base_revision, anew.revision, anew.has_plan_changed()), (1, 2, true), "and sees why");
        let applied = db.store.preview_proposal(ann, made[0], &all, today).await.unwrap_err();
        assert!(matches!(applied, Error::ProposalClosed { state: ProposalState::Applied, .. }));
        let revisions = db.store.list_revisions(ann, plan).await.unwrap();
        assert_eq!(revisions.len(), 2);
        assert!(revisions[0].made_at <= now() + TimeDelta::seconds(1));
    }

    async fn stale_proposal_is_rebased_and_applied_on_the_current_revision(db) {
        let ann = db.user("Ann").await;
        let plan = db.active_plan(ann, "Plan").await;
        let own = db.store.list_workouts(ann, plan, 1).await.unwrap();
        let today = june(10);
        let modify = |at: usize, date, km| Change::Modify { workout_id: own[at].id, on: None, workout: easy_run(june(date), km), asked: None, notes: None };
        let changes = [modify(0, 9, 5.0), modify(2, 11, 6.0), modify(3, 14, 9.0), Change::Add { workout: easy_run(june(12), 4.0) }];
        let desk = db.store.plan_writer(ann, Author::Coach);
        let id = desk.propose(plan, 1, "Less.", &changes, june(8), now()).await.unwrap();

        // Since then the athlete skipped the 11th and made the 14th longer; the 9th is past.
        let next: Vec<NextRevisionWorkout> = own.iter().enumerate().filter(|(at, _)| *at != 2)
            .map(|(at, w)| NextRevisionWorkout { id: Some(w.id), workout: if at == 3 { easy_run(june(14), 18.0) } else { w.workout.clone() } })
            .collect();
        let consent = db.consent(ann, HumanActionKind::Edit, Some(plan), human_actions::change_hash(plan, 1, &next)).await.unwrap();
        assert_eq!(human_actions::edit(consent, plan, 1, &next, "by hand").await.unwrap(), 2);

        let fresh = db.store.preview_applicable_changes(ann, id, today).await.unwrap();
        assert_eq!((fresh.revision, fresh.has_plan_changed(), &fresh.chosen), (2, true, &BTreeSet::from([2, 3])));
        let problem = |at: usize| fresh.fits[at].problem.clone().unwrap_or_default();
        assert!(problem(0).contains("2026-06-09 is in the past"), "{}", problem(0));
        assert!(problem(1).contains("is no longer in the plan"), "{}", problem(1));
        assert!(fresh.fits[2].since.as_deref().unwrap().contains("(16.0 km) on 2026-06-14 when this was proposed"), "{:?}", fresh.fits[2]);
        assert_eq!((&fresh.fits[2].problem, &fresh.fits[3]), (&None, &Default::default()));
        assert_eq!(fresh.changes[2].now.as_ref().unwrap().distance.unwrap().km(), 18.0, "as it is now");
        assert!(!fresh.weeks.is_empty());
        let all = (0..4).collect();
        assert!(matches!(db.store.preview_proposal(ann, id, &all, today).await, Err(Error::Apply(_))), "what does not fit is not taken silently");

        // A consent for the old revision cannot apply it; one for the current revision can.
        let apply = async |revision: i64| {
            let seen = apply_hash(plan, revision, &fresh.next, &all_rules());
            let consent = db.consent(ann, HumanActionKind::Apply, Some(plan), seen).await.unwrap();
            human_actions::apply(consent, id, &fresh.chosen, today, &fresh.review, &all_rules()).await
        };
        assert!(matches!(apply(1).await, Err(Error::ProposalClosed { state: ProposalState::Stale { base: 1, now: 2 }, .. })));
        assert_eq!(db.store.find_plan(ann, plan).await.unwrap().unwrap().revision, 2);
        assert_eq!(apply(2).await.unwrap(), 3);
        let days: Vec<_> = db.store.list_workouts(ann, plan, 3).await.unwrap().iter().map(|w| w.workout.date).collect();
        assert_eq!(days, [june(9), june(10), june(12), june(14)]);
        // The record names both revisions.
        let action = &db.store.list_human_actions(ann, 1).await.unwrap()[0];
        assert_eq!((&action.detail["made_for"], &action.detail["seen_on"]), (&1.into(), &2.into()));
        let line = &db.store.list_audit(ann, 1).await.unwrap()[0];
        assert_eq!(line.object, format!("plan:{plan} revision:3 from proposal:{id} made for revision:1 seen on revision:2"));
    }

    async fn same_facts_with_different_changes_are_proposed_again(db) {
        let (ann, plan) = runner_with_plan(&db).await;
        let hurt = ObservationData::new(ObservationKind::Injury, june(14), june(14), Some(1)).unwrap();
        db.store.add_observation(ann, Author::Athlete, &hurt, now()).await.unwrap();
        let first = db.store.adapt_plan(ann, june(14), now()).await.unwrap().unwrap();
        let id = first.proposal.unwrap();
        let today = |change: &Change| matches!(change, Change::Modify { workout, .. } if workout.date == june(14));
        assert!(first.adaptation.changes.iter().any(today), "{first:?}");
        assert_eq!(db.store.adapt_plan(ann, june(14), now()).await.unwrap().unwrap().proposal, Some(id));
        // Today's run is done, so the same facts lead to a proposal without it.
        db.import_run(ann, june(14), 9.0).await;
        db.finish_import(ann, CoverageEvidence::Activity { day: june(14), imported_at: now() }).await;
        let second = db.store.adapt_plan(ann, june(14), now()).await.unwrap().unwrap();
        assert_eq!(second.adaptation.follows_from, first.adaptation.follows_from);
        assert!(!second.adaptation.changes.iter().any(today), "{second:?}");
        assert_eq!(db.store.find_proposal(ann, id).await.unwrap().unwrap().superseded_by, second.proposal);
        db.store.decline_proposal(ann, second.proposal.unwrap(), now()).await.unwrap();
        assert_eq!(db.store.adapt_plan(ann, june(15), now()).await.unwrap(), None, "discarded, it does not come back");
        assert_eq!(db.store.list_proposals(ann, plan).await.unwrap().len(), 2);
    }

    async fn workout_moved_to_unavailable_day_does_not_block_later_changes(db) {
        let ann = db.user("Ann").await;
        for back in 0..40 {
            db.import_run(ann, june(13).plus_days(-back), 10.0).await;
        }
        db.finish_import(ann, CoverageEvidence::Declared { day: june(13), declared_at: now() }).await;
        // No Fridays: 19 and 26 June 2026.
        let free = (15..=28).filter(|day| ![19, 26].contains(day));
        let mut workouts: Vec<Workout> = free.map(|day| easy_run(june(day), 9.0)).collect();
        workouts.push(Workout { kind: fitness_core::plan::WorkoutKind::Race, ..easy_run(june(30), 10.0) });
        let mut terms = fitness_core::plan::PlanConstraints::default();
        terms.availability.days = "mon,tue,wed,thu,sat,sun".parse().unwrap();
        let draft = Draft::new("Ten", GoalDistance::TenK, None, june(15), june(30), None, workouts).unwrap().with_constraints(terms).unwrap();
        let plan = db.store.plan_writer(ann, Author::Athlete).put_draft(&draft, None, now()).await.unwrap();
        assert_eq!(db.activate(ann, plan, None).await.unwrap(), Activation::Activated);
        let found = db.store.find_plan(ann, plan).await.unwrap().unwrap();
        let own = db.store.list_workouts(ann, plan, 1).await.unwrap();
        let moved = fitness_core::plan::Edit::Move { workout: own[4].id, to: june(19) };
        let next = fitness_core::plan::edit(&found, &own, &[moved], june(14)).unwrap();
        let consent = db.consent(ann, HumanActionKind::Edit, Some(plan), human_actions::change_hash(plan, 1, &next)).await.unwrap();
        assert_eq!(human_actions::edit(consent, plan, 1, &next, "by hand").await.unwrap(), 2);

        assert!(db.store.lint_plan(ann, plan, june(14)).await.is_ok(), "the linter reads it");
        // A model can still change the workout itself.
        let desk = db.store.plan_writer(ann, Author::Coach);
        let answered = desk.submit_llm_response(llm_response(own[4].id.get(), "2026-06-19", 30).as_bytes(), None, june(14), now()).await.unwrap();
        assert!(matches!(answered, LlmResponseOutcome::Proposed { .. }), "{answered:?}");
        // The rules also see the other absence.
        let hurt = ObservationData::new(ObservationKind::Injury, june(14), june(16), Some(3)).unwrap();
        db.store.add_observation(ann, Author::Athlete, &hurt, now()).await.unwrap();
        let adapted = db.store.adapt_plan(ann, june(14), now()).await.unwrap().unwrap();
        assert!(adapted.proposal.is_some(), "{adapted:?}");
        assert!(!adapted.adaptation.message.contains("Left out"), "{}", adapted.adaptation.message);
    }

    async fn declined_proposal_does_not_hide_other_rules(db) {
        let (ann, _) = runner_with_plan(&db).await;
        let hurt = ObservationData::new(ObservationKind::Injury, june(14), june(14), Some(1)).unwrap();
        db.store.add_observation(ann, Author::Athlete, &hurt, now()).await.unwrap();
        let first = db.store.adapt_plan(ann, june(14), now()).await.unwrap().unwrap();
        assert_eq!(first.adaptation.cause, Cause::Injury);
        let ill = ObservationData::new(ObservationKind::Illness, june(14), june(16), Some(1)).unwrap();
        db.store.add_observation(ann, Author::Athlete, &ill, now()).await.unwrap();
        assert_eq!(db.store.adapt_plan(ann, june(14), now()).await.unwrap().unwrap().proposal, first.proposal, "what weighs more");
        db.store.decline_proposal(ann, first.proposal.unwrap(), now()).await.unwrap();
        let next = db.store.adapt_plan(ann, june(14), now()).await.unwrap().unwrap();
        assert_eq!(next.adaptation.cause, Cause::Illness);
        assert!(next.proposal.is_some());
    }
}
