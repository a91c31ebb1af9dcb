//! Coach API: plan progress, predictions and pending proposals.

use super::{StoreCoachApi, to_coach_error};
use crate::plan::adherence::PlanAdherence;
use fitness_core::adherence::grade::Verdict;
use fitness_core::coach_api::CoachApiError;
use fitness_core::coach_api::requests::{PlanProgressRequest, PredictionRequest};
use fitness_core::coach_api::responses::{
    FinishPrediction, PendingProposal, PlanItem, PlanProgress, WorkoutItem,
};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::ActivityId;
use fitness_core::domain::units::{Distance, TimeSpan, UnitSystem};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::metrics::predict::{LOOK_BACK_DAYS, Prediction};
use fitness_core::metrics::{MetricResult, MissingReason, RequiredInput};
use fitness_core::plan::{Plan, PlanStatus, Weekdays};

type CoachResult<T> = Result<T, CoachApiError>;

impl StoreCoachApi {
    async fn active_plan(&self) -> CoachResult<Option<PlanAdherence>> {
        let Some(plan) = self.store().find_active_plan(self.user()).await.map_err(to_coach_error)? else {
            return Ok(None);
        };
        self.store().plan_adherence(self.user(), plan.id).await.map(Some).map_err(to_coach_error)
    }

    pub(super) async fn read_plan_progress(&self, ask: PlanProgressRequest) -> CoachResult<PlanProgress> {
        let plans = self.store().list_plans(self.user()).await.map_err(to_coach_error)?;
        let waits = |plan: &&Plan| plan.status == PlanStatus::Draft && plan.superseded_by.is_none();
        let drafts = plans.iter().filter(waits).map(describe_plan).collect();
        let Some(progress) = self.active_plan().await? else {
            return Ok(PlanProgress { drafts, ..PlanProgress::default() });
        };
        let within =
            |day: Day| ask.from.is_none_or(|from| from <= day) && ask.through.is_none_or(|last| day <= last);
        let PlanAdherence { plan, adherence: followed, .. } = &progress;
        let days = self.today.days_until(plan.race_date);
        let predicted = match plan.distance {
            Some(distance) => Some(self.predict(distance).await?),
            None => None,
        };
        Ok(PlanProgress {
            plan: Some(describe_plan(plan)),
            days_to_race: plan.distance.is_some().then_some(days).filter(|days| *days >= 0),
            adherence_percent: followed.adherence.current.percent.map(u32::from),
            key_sessions_percent: followed.key_sessions.current.percent.map(u32::from),
            predicted,
            workouts: (0..progress.workouts.len())
                .filter(|at| within(progress.workouts[*at].workout.date))
                .filter_map(|at| self.describe_workout(&progress, at))
                .collect(),
            unavailable: describe_availability(plan),
            waiting: self.list_pending_proposals(plan).await?,
            drafts,
        })
    }

    /// Workouts of a day, the last graded ones before it, and pending proposals.
    pub(super) async fn workouts_around(
        &self,
        day: Day,
    ) -> CoachResult<(Vec<WorkoutItem>, Vec<WorkoutItem>, Vec<PendingProposal>)> {
        let Some(progress) = self.active_plan().await? else { return Ok(Default::default()) };
        let told: Vec<WorkoutItem> =
            (0..progress.workouts.len()).filter_map(|at| self.describe_workout(&progress, at)).collect();
        let judged = |one: &&WorkoutItem| one.date < day && one.verdict.is_graded();
        let last = told.iter().filter(judged).map(|one| one.date).max();
        let of =
            |date: Option<Day>| told.iter().filter(|one| Some(one.date) == date).cloned().collect::<Vec<_>>();
        let last_judged = of(last).into_iter().filter(|one| one.verdict.is_graded()).collect();
        Ok((of(Some(day)), last_judged, self.list_pending_proposals(&progress.plan).await?))
    }

    pub(super) async fn find_workout_for_activity(
        &self,
        activity: ActivityId,
    ) -> CoachResult<Option<WorkoutItem>> {
        let Some(progress) = self.active_plan().await? else { return Ok(None) };
        let at = progress.adherence.behind.iter().position(|behind| behind.activities.contains(&activity));
        Ok(at.and_then(|at| self.describe_workout(&progress, at)))
    }

    fn describe_workout(&self, progress: &PlanAdherence, at: usize) -> Option<WorkoutItem> {
        let (planned, graded) = (progress.workouts.get(at)?, progress.adherence.graded.get(at));
        let workout = &planned.workout;
        Some(WorkoutItem {
            workout_id: planned.id,
            date: workout.date,
            weekday: workout.date.weekday().to_string(),
            sport: workout.sport,
            kind: workout.kind,
            name: escape_invisible(workout.name_without_size(self.units)).to_string(),
            planned: workout.size_label(self.units),
            minutes: workout.duration.map(|time| time.whole_seconds() / 60),
            actual: graded.and_then(|graded| graded.actual).map(|amount| amount.format(self.units)),
            verdict: graded.map_or(Verdict::Pending, |graded| graded.verdict),
            excused: graded.and_then(|graded| graded.excused),
        })
    }

    async fn list_pending_proposals(&self, plan: &Plan) -> CoachResult<Vec<PendingProposal>> {
        let proposals = self.store().list_proposals(self.user(), plan.id).await.map_err(to_coach_error)?;
        let open = proposals.iter().filter(|proposal| proposal.is_open(self.today));
        Ok(open
            .map(|proposal| PendingProposal {
                proposal_id: proposal.id,
                message: escape_invisible(&proposal.message).to_string(),
                review: self.review_url("proposals", proposal.id),
            })
            .collect())
    }

    pub(super) async fn read_prediction(&self, ask: PredictionRequest) -> CoachResult<FinishPrediction> {
        let distance = match (ask.goal.and_then(fitness_core::plan::GoalDistance::distance), ask.distance_km)
        {
            (Some(distance), None) => distance,
            (None, Some(km)) => Distance::from_km(km)
                .filter(|distance| (1.0..=400.0).contains(&distance.km()))
                .ok_or_else(|| CoachApiError::invalid("`distance_km` must be 1 to 400."))?,
            (Some(_), Some(_)) => {
                return Err(CoachApiError::invalid("Give `goal` or `distance_km`, not both."));
            }
            (None, None) => {
                let plan = self.store().find_active_plan(self.user()).await.map_err(to_coach_error)?;
                plan.and_then(|plan| plan.distance).ok_or_else(|| {
                    CoachApiError::invalid(
                        "There is no active plan with a race; give `goal` or `distance_km`.",
                    )
                })?
            }
        };
        self.predict(distance).await
    }

    async fn predict(&self, distance: Distance) -> CoachResult<FinishPrediction> {
        let from = self.today.plus_days(-LOOK_BACK_DAYS);
        let log = self.store().training_log(self.user(), from).await.map_err(to_coach_error)?;
        let found: MetricResult<Prediction> = match &log {
            Some(log) => log.predict(distance, log.latest(self.today)),
            None => Err(MissingReason::missing(RequiredInput::RaceOf5Km)),
        };
        let shown = self.units.format_distance(distance).to_string();
        Ok(match found {
            Ok(found) => FinishPrediction {
                distance: shown,
                finish: Some(found.shown.time.format_clock()),
                fast: Some(found.shown.low.format_clock()),
                slow: Some(found.shown.high.format_clock()),
                basis: format_basis(&found, self.units),
            },
            Err(why) => FinishPrediction {
                distance: shown,
                finish: None,
                fast: None,
                slow: None,
                basis: format!("none: {why}"),
            },
        })
    }
}

fn format_basis(found: &Prediction, units: UnitSystem) -> String {
    let races: Vec<String> = (found.sources.iter())
        .map(|raced| {
            format!(
                "{} in {}{}",
                units.format_distance(raced.mark.distance()),
                raced.mark.time().format_clock(),
                raced.on.map(|day| format!(" on {day}")).unwrap_or_default()
            )
        })
        .collect();
    if races.is_empty() { "training only, no race".to_owned() } else { races.join("; ") }
}

pub(super) fn describe_plan(plan: &Plan) -> PlanItem {
    PlanItem {
        plan_id: plan.id,
        name: escape_invisible(&plan.name).to_string(),
        status: plan.status,
        goal: plan.goal,
        start_date: plan.start_date,
        race_date: plan.race_date,
        target_time: plan.target_time.map(TimeSpan::format_clock),
    }
}

fn describe_availability(plan: &Plan) -> Option<String> {
    let availability = &plan.terms.availability;
    let mut told = Vec::new();
    if availability.days != Weekdays::ALL {
        told.push(format!("trains on {} only", availability.days));
    }
    if !availability.blackouts.is_empty() {
        let days: Vec<String> = availability.blackouts.iter().map(ToString::to_string).collect();
        told.push(format!("cannot train on {}", days.join(", ")));
    }
    (!told.is_empty()).then(|| told.join("; "))
}
