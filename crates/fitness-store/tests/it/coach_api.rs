//! The store's coach API: what it reads and writes, and that it has no other effect.

use fitness_core::adherence::data_frontier::CoverageEvidence;
use fitness_core::adherence::grade::Verdict;
use fitness_core::coach_api::requests::*;
use fitness_core::coach_api::responses::{PlanProgress, ProposalOrDraft};
use fitness_core::coach_api::{CoachApi, CoachApiError};
use fitness_core::domain::ids::{PlanId, UserId};
use fitness_core::domain::note::{Author, NoteText};
use fitness_core::domain::observation::{AbsenceReason, ObservationData, ObservationKind};
use fitness_core::plan::{GoalDistance, Level, PlanStatus, SelfReportedTraining};
use fitness_store::testkit::{TestDb, draft, june, now};
use fitness_store::{StoreCoachApi, on_both_databases};
use serde_json::json;

const BASE_URL: &str = "http://127.0.0.1:8787/";

async fn open_coach_api(db: &TestDb, user: UserId) -> StoreCoachApi {
    db.store.coach_api(user, Author::Coach, now(), BASE_URL).await.unwrap()
}

/// Ann ran on the first days of June and has a plan from the 9th on; today is the test kit's now.
async fn ann_with_plan(db: &TestDb) -> (UserId, PlanId) {
    let ann = db.user("Ann").await;
    for (day, km) in [(1, 8.0), (3, 10.0), (6, 14.0), (9, 8.2)] {
        db.import_run(ann, june(day), km).await;
    }
    let plan = db.active_plan(ann, "Plan").await;
    db.finish_import(ann, CoverageEvidence::Declared { day: june(9), declared_at: now() }).await;
    (ann, plan)
}

/// Runs all calls concurrently and returns their results.
async fn run_concurrently<T: Send + 'static>(
    calls: impl Iterator<Item = impl Future<Output = T> + Send + 'static>,
) -> Vec<T> {
    calls.collect::<tokio::task::JoinSet<T>>().join_all().await
}

fn refusal_message<T: std::fmt::Debug>(answer: Result<T, CoachApiError>) -> String {
    match answer {
        Err(CoachApiError::Refused(sentences)) => sentences.join(" "),
        other => panic!("not refused: {other:?}"),
    }
}

on_both_databases! {
    async fn load_of_week_without_activities_is_zero_without_sign(db) {
        let ann = db.user("Ann").await;
        let load = open_coach_api(&db, ann).await.training_load(DayRequest::default()).await.unwrap();
        let loads: Vec<Option<&str>> = load.weeks.iter().map(|week| week.load.as_deref()).collect();
        assert_eq!(loads, [Some("0"); 8]);
    }

    async fn coach_api_reads_days_activities_and_weeks(db) {
        let (ann, _) = ann_with_plan(&db).await;
        let desk = open_coach_api(&db, ann).await;
        let today = desk.today();
        let snapshot = desk.daily_snapshot(DayRequest::default()).await.unwrap();
        assert_eq!(snapshot.date, today);
        assert!(!snapshot.missing.is_empty(), "what is not known is listed");
        assert!(refusal_message(desk.daily_snapshot(DayRequest { date: Some(today.next()) }).await).contains("is in the future"));

        let all = ActivitiesRequest { from: Some(june(1)), through: Some(june(30)), limit: Some(2), ..ActivitiesRequest::default() };
        let told = desk.activities(all.clone()).await.unwrap();
        assert_eq!((told.activities.len(), told.left_off), (2, 2));
        assert_eq!(told.activities[0].distance.as_deref(), Some("8.2 km"));
        assert!(refusal_message(desk.activities(ActivitiesRequest { limit: Some(0), ..all.clone() }).await).contains("1 to 100"));
        assert!(refusal_message(desk.activities(ActivitiesRequest { from: Some(june(30)), through: Some(june(1)), ..all }).await).contains("is after `through`"));
        let detail = desk.activity_detail(ActivityRequest { activity_id: told.activities[0].activity_id }).await.unwrap();
        assert_eq!(detail.workout.map(|workout| workout.verdict), Some(Verdict::Hit));
        assert!(!detail.load_by.is_empty());

        for metric in SeriesMetric::ALL {
            let ask = SeriesRequest { metric: *metric, from: june(1), through: june(14) };
            let series = desk.metric_series(ask).await.unwrap();
            assert!(!series.unit.is_empty(), "{metric}");
        }
        let long = SeriesRequest { metric: SeriesMetric::Load, from: june(1).plus_days(-500), through: june(1) };
        assert!(refusal_message(desk.metric_series(long).await).contains("400 days"));

        let week = |from: u32| Period { from: june(from), through: june(from + 6) };
        let compared = desk.compare_periods(ComparisonRequest { this: week(8), that: week(1) }).await.unwrap();
        assert_eq!(compared.that.totals["run_distance"], "32.0 km");
        assert_eq!(compared.change["run_distance"], "−23.8 km");
        assert_eq!(compared.change["runs"], "−2");
        let load = desk.training_load(DayRequest::default()).await.unwrap();
        assert_eq!(load.weeks.len(), 8);
    }

    async fn coach_api_reads_plan_in_one_call(db) {
        let (ann, plan) = ann_with_plan(&db).await;
        let desk = open_coach_api(&db, ann).await;
        let progress = desk.plan_progress(PlanProgressRequest::default()).await.unwrap();
        assert_eq!(progress.plan.as_ref().map(|told| told.plan_id), Some(plan));
        assert!(progress.days_to_race.is_some() && progress.predicted.is_some());
        assert_eq!(progress.workouts[0].verdict, Verdict::Hit);
        assert_eq!(progress.adherence_percent, Some(100));
        let one = PlanProgressRequest { from: Some(june(9)), through: Some(june(9)) };
        assert_eq!(desk.plan_progress(one).await.unwrap().workouts.len(), 1);
        let bob = db.user("Bob").await;
        let empty = db.store.coach_api(bob, Author::Mcp, now(), BASE_URL).await.unwrap();
        assert_eq!(empty.plan_progress(PlanProgressRequest::default()).await.unwrap(), PlanProgress::default());
        assert!(refusal_message(empty.predict_finish(PredictionRequest::default()).await).contains("no active plan"));
        let both = PredictionRequest { goal: Some(GoalDistance::Half), distance_km: Some(3.0) };
        assert!(refusal_message(empty.predict_finish(both).await).contains("not both"));
        let half = empty.predict_finish(PredictionRequest { goal: Some(GoalDistance::Half), distance_km: None }).await.unwrap();
        assert!(half.finish.is_none() && half.basis.starts_with("none"));
    }

    async fn suggestions_have_no_effect_and_are_capped(db) {
        let (ann, _) = ann_with_plan(&db).await;
        let desk = open_coach_api(&db, ann).await;
        let before = desk.daily_snapshot(DayRequest::default()).await.unwrap();
        let note = NoteSuggestion { text: "Prefers mornings".to_owned(), date: None };
        let left = desk.suggest_note(note.clone()).await.unwrap();
        assert_eq!(left.review, "http://127.0.0.1:8787/settings/notes");
        let ill = ObservationSuggestion { kind: ObservationKind::Illness, from: desk.today(), through: None, value: Some(2), comment: Some("cold".to_owned()) };
        desk.suggest_observation(ill.clone()).await.unwrap();
        assert_eq!(desk.daily_snapshot(DayRequest::default()).await.unwrap(), before, "a suggestion changes nothing");
        let notes = desk.notes(NotesRequest::default()).await.unwrap();
        assert!(notes.notes.is_empty() && notes.observations.is_empty());
        assert!(refusal_message(desk.suggest_observation(ObservationSuggestion { value: Some(9), ..ill }).await).contains("3"));
        assert!(refusal_message(desk.suggest_note(NoteSuggestion { text: " ".to_owned(), date: None }).await).contains("empty"));
        for _ in 0..18 {
            desk.suggest_note(note.clone()).await.unwrap();
        }
        assert!(matches!(desk.suggest_note(note).await, Err(CoachApiError::TooMany(_))));
        let own = NoteText::new("my own").unwrap();
        db.store.add_note(ann, Author::Athlete, None, &own, now()).await.unwrap();
        assert_eq!(desk.notes(NotesRequest::default()).await.unwrap().notes[0].text, "my own");
    }

    async fn training_baseline_contains_confirmed_absences(db) {
        let (ann, _) = ann_with_plan(&db).await;
        let desk = open_coach_api(&db, ann).await;
        let today = desk.today();
        let hurt = ObservationSuggestion { kind: ObservationKind::Injury, from: today, through: None, value: Some(3), comment: None };
        desk.suggest_observation(hurt).await.unwrap();
        let marked = async || {
            let athlete = db.store.training_baseline(ann, None, today, SelfReportedTraining::default()).await.unwrap();
            (athlete.injured, athlete.unavailable_periods)
        };
        assert_eq!(marked().await, (false, Vec::new()), "a suggestion marks nothing");
        let put = async |kind, from: i64, through: i64, value| {
            let observed = ObservationData::new(kind, today.plus_days(from), today.plus_days(through), value).unwrap();
            db.store.add_observation(ann, Author::Athlete, &observed, now()).await.unwrap();
        };
        put(ObservationKind::Mood, 0, 0, Some(4)).await;
        put(ObservationKind::Injury, -60, -40, Some(2)).await;
        assert_eq!(marked().await, (false, Vec::new()), "long healed, and no mark at all");
        put(ObservationKind::Injury, -10, -6, Some(2)).await;
        put(ObservationKind::Away, 40, 50, None).await;
        let (injured, days) = marked().await;
        assert!(injured);
        let told: Vec<_> = days.iter().map(|mark| (mark.why, today.days_until(mark.from), mark.days(), mark.severity)).collect();
        assert_eq!(told, [(AbsenceReason::Injured, -10, 5, Some(2)), (AbsenceReason::Away, 40, 11, None)]);
    }

    async fn coach_drafts_and_proposals_have_no_effect_until_accepted(db) {
        let (ann, plan) = ann_with_plan(&db).await;
        let desk = open_coach_api(&db, ann).await;
        let before = desk.plan_progress(PlanProgressRequest::default()).await.unwrap();
        let ask: DraftPlanRequest = serde_json::from_value(json!({
            "goal": "half", "race_date": "2026-09-20", "start_date": "2026-06-16", "target_time": "01:45:00",
            "schedule": [{ "date": "2026-06-16", "planned_miles": 4.0, "kind": "easy" }],
        })).unwrap();
        let drafted = desk.draft_training_plan(ask.clone()).await.unwrap();
        assert_eq!(drafted.status, PlanStatus::Draft);
        assert!(drafted.review.ends_with(&format!("/plans/{}", drafted.plan_id)));
        let next = desk.draft_training_plan(DraftPlanRequest { instead_of: Some(drafted.plan_id), ..ask.clone() }).await.unwrap();
        let old = db.store.find_plan(ann, drafted.plan_id).await.unwrap().unwrap();
        assert_eq!(old.superseded_by, Some(next.plan_id), "the old one stays readable");
        assert!(matches!(desk.draft_training_plan(DraftPlanRequest { instead_of: Some(plan), ..ask.clone() }).await, Err(CoachApiError::NotFound(_))));
        let made: DraftPlanRequest = serde_json::from_value(json!({ "goal": "10k", "race_date": "2026-09-20" })).unwrap();
        let made = DraftPlanRequest { days: Some("mon,wed,fri,sun".to_owned()), ..made };
        // One week of history does not show a level, so it must be given.
        assert!(refusal_message(desk.draft_training_plan(made.clone()).await).contains("choose your running experience"));
        let novice = DraftPlanRequest { level: Some(Level::Novice), ..made.clone() };
        assert_eq!(desk.draft_training_plan(novice.clone()).await.unwrap().status, PlanStatus::Draft);
        let nowhere = DraftPlanRequest { weekly_km: Some(0.0), ..novice };
        assert!(refusal_message(desk.draft_training_plan(nowhere).await).contains("weekly_km"));
        let stated = DraftPlanRequest { level: Some(Level::Novice), ..ask.clone() };
        assert!(refusal_message(desk.draft_training_plan(stated).await).contains("schedule"));
        assert!(refusal_message(desk.draft_training_plan(DraftPlanRequest { days: Some("mon".to_owned()), ..ask.clone() }).await).contains("schedule"));

        let workout = before.workouts.iter().find(|w| w.date >= desk.today() && w.verdict == Verdict::Pending && w.planned.is_some()).unwrap();
        let response = json!({ "modifications": [{ "workout_id": workout.workout_id.to_string(), "date": workout.date, "action": "skip" }],
            "new_workouts": [], "athlete_message": "Rest." });
        let proposed = desk.propose_modification(response.clone()).await.unwrap();
        assert_eq!(proposed.status, Some(ProposalOrDraft::Open));
        assert_eq!(proposed.preview.len(), 1);
        let after = desk.plan_progress(PlanProgressRequest::default()).await.unwrap();
        assert_eq!((&after.plan, &after.workouts), (&before.plan, &before.workouts), "a proposal changes nothing");
        assert_eq!(after.waiting.len(), 1);
        let again = desk.propose_modification(response.clone()).await.unwrap();
        assert_eq!(again.review, proposed.review, "what waits already is linked, and not made again");
        assert_eq!(desk.plan_progress(PlanProgressRequest::default()).await.unwrap().waiting.len(), 1);
        let mut wrong = response;
        wrong["modifications"][0]["workout_id"] = json!("99999");
        assert!(!refusal_message(desk.propose_modification(wrong).await).is_empty());
        assert!(refusal_message(desk.propose_week(json!({})).await).contains("workouts"));
        let nothing = json!({ "modifications": [], "new_workouts": [], "athlete_message": "All good." });
        assert_eq!(desk.propose_modification(nothing).await.unwrap().review, None);
    }

    async fn proposed_week_without_active_plan_becomes_draft(db) {
        let ann = db.user("Ann").await;
        let week = json!({ "athlete_message": "A week.", "workouts": [
            { "day": "tuesday", "date": "2026-06-16", "name": "Easy", "sport": "running", "duration_minutes": 30 },
        ] });
        let left = open_coach_api(&db, ann).await.propose_week(week).await.unwrap();
        let plan = db.store.list_plans(ann).await.unwrap().remove(0);
        assert_eq!((left.plan_id, left.proposal_id, plan.status), (Some(plan.id), None, PlanStatus::Draft));
        assert_eq!(serde_json::to_value(left).unwrap()["status"], "draft");
    }

    async fn drafts_of_a_coach_are_capped(db) {
        let (ann, _) = ann_with_plan(&db).await;
        let desk = open_coach_api(&db, ann).await;
        let ask: DraftPlanRequest = serde_json::from_value(json!({
            "goal": "half", "race_date": "2026-09-20", "start_date": "2026-06-16",
            "schedule": [{ "date": "2026-06-16", "planned_miles": 4.0, "kind": "easy" }],
        })).unwrap();
        for _ in 0..20 {
            desk.draft_training_plan(ask.clone()).await.unwrap();
        }
        assert!(matches!(desk.draft_training_plan(ask).await, Err(CoachApiError::TooMany(_))));
    }

    async fn concurrent_calls_stay_within_quota(db) {
        let ann = db.user("Ann").await;
        let desk = open_coach_api(&db, ann).await;
        let ask: DraftPlanRequest = serde_json::from_value(json!({
            "goal": "half", "race_date": "2026-09-20", "start_date": "2026-06-16",
            "schedule": [{ "date": "2026-06-16", "planned_miles": 4.0, "kind": "easy" }],
        })).unwrap();
        let week = json!({ "athlete_message": "A week.", "workouts": [
            { "day": "tuesday", "date": "2026-06-16", "name": "Easy", "sport": "running", "duration_minutes": 30 },
        ] });
        let ill = ObservationSuggestion { kind: ObservationKind::Illness, from: desk.today(), through: None, value: Some(2), comment: None };
        let note = NoteSuggestion { text: "Prefers mornings".to_owned(), date: None };
        // A client that sends everything before it reads anything.
        let suggested = run_concurrently((0..30).map(|at| {
            let (desk, note, ill) = (desk.clone(), note.clone(), ill.clone());
            async move { if at % 2 == 0 { desk.suggest_note(note).await } else { desk.suggest_observation(ill).await } }
        })).await;
        let drafted = run_concurrently((0..30).map(|at| {
            let (desk, ask, week) = (desk.clone(), ask.clone(), week.clone());
            async move { if at % 2 == 0 { desk.draft_training_plan(ask).await.map(drop) } else { desk.propose_week(week).await.map(drop) } }
        })).await;
        assert_eq!(suggested.iter().filter(|left| left.is_ok()).count(), 20);
        assert_eq!(drafted.iter().filter(|left| left.is_ok()).count(), 20);
        for refused in suggested.into_iter().map(|left| left.map(drop)).chain(drafted).filter_map(Result::err) {
            assert!(matches!(refused, CoachApiError::TooMany(_)), "{refused:?}");
        }
        assert!(matches!(desk.propose_week(week).await, Err(CoachApiError::TooMany(_))), "a week without a plan is a draft");
        let drafts = db.store.list_plans(ann).await.unwrap();
        let replaced = DraftPlanRequest { instead_of: Some(drafts[0].id), ..ask };
        desk.draft_training_plan(replaced).await.expect("one in the place of another adds none");
    }

    async fn concurrent_proposals_are_capped(db) {
        let (ann, _) = ann_with_plan(&db).await;
        let desk = open_coach_api(&db, ann).await;
        let progress = desk.plan_progress(PlanProgressRequest::default()).await.unwrap();
        let ahead = progress.workouts.iter().find(|w| w.date >= desk.today() && w.verdict == Verdict::Pending && w.planned.is_some()).unwrap();
        let made = run_concurrently((0..15).map(|at| {
            // Each proposal changes something else.
            let changes = json!({ "name": format!("Run {at}"), "intensity": { "to": "easy" } });
            let response = json!({ "modifications": [{ "workout_id": ahead.workout_id.to_string(), "date": ahead.date,
                "action": "modify", "changes": changes }], "new_workouts": [], "athlete_message": "Another name." });
            let desk = desk.clone();
            async move { desk.propose_modification(response).await }
        })).await;
        assert_eq!(made.iter().filter(|left| left.is_ok()).count(), 10, "{made:?}");
    }

    async fn coach_draft_cannot_supersede_athlete_draft(db) {
        let ann = db.user("Ann").await;
        let ask: DraftPlanRequest = serde_json::from_value(json!({
            "goal": "half", "race_date": "2026-09-20", "start_date": "2026-06-16",
            "schedule": [{ "date": "2026-06-16", "planned_miles": 4.0, "kind": "easy" }],
        })).unwrap();
        let own = open_coach_api(&db, ann).await.draft_training_plan(ask.clone()).await.unwrap().plan_id;
        let by_hand = db.store.plan_writer(ann, Author::Athlete).put_draft(&draft("By hand"), None, now()).await.unwrap();
        for author in [Author::Coach, Author::Mcp] {
            let desk = db.store.coach_api(ann, author, now(), BASE_URL).await.unwrap();
            let instead = |plan| DraftPlanRequest { instead_of: Some(plan), ..ask.clone() };
            assert!(matches!(desk.draft_training_plan(instead(by_hand)).await, Err(CoachApiError::NotFound("draft"))));
            let kept = db.store.find_plan(ann, by_hand).await.unwrap().unwrap();
            assert_eq!(kept.superseded_by, None, "{author:?}");
        }
        let desk = open_coach_api(&db, ann).await;
        desk.draft_training_plan(DraftPlanRequest { instead_of: Some(own), ..ask }).await.unwrap();
        let again = db.store.plan_writer(ann, Author::Athlete).put_draft(&draft("By hand"), Some(by_hand), now()).await;
        again.expect("the athlete's own hand may");
    }

    async fn coach_api_cannot_read_other_users_data(db) {
        let (ann, plan) = ann_with_plan(&db).await;
        let bob = db.user("Bob").await;
        let told = open_coach_api(&db, ann).await.activities(ActivitiesRequest { from: Some(june(1)), ..ActivitiesRequest::default() }).await.unwrap();
        let of_bob = open_coach_api(&db, bob).await;
        let ask = ActivityRequest { activity_id: told.activities[0].activity_id };
        assert_eq!(of_bob.activity_detail(ask).await.unwrap_err(), CoachApiError::NotFound("activity"));
        let ask: DraftPlanRequest = serde_json::from_value(json!({
            "goal": "half", "race_date": "2026-09-20", "start_date": "2026-06-16", "instead_of": plan,
            "schedule": [{ "date": "2026-06-16", "planned_miles": 4.0, "kind": "easy" }],
        })).unwrap();
        assert!(matches!(of_bob.draft_training_plan(ask).await, Err(CoachApiError::NotFound(_))));
        assert!(of_bob.notes(NotesRequest::default()).await.unwrap().notes.is_empty());
    }
}
