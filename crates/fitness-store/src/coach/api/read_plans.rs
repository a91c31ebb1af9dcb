//! What is told of plans: progress, predictions, what waits.

use super::{CoachingDesk, failed};
use crate::plan::adherence::Progress;
use fitness_core::adherence::grade::Verdict;
use fitness_core::coach_api::DeskError;
use fitness_core::coach_api::requests::{AskPlan, AskPrediction};
use fitness_core::coach_api::responses::{PlanProgress, Predicted, ToldPlan, ToldWorkout, Waiting};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::ActivityId;
use fitness_core::domain::units::{Distance, TimeSpan, UnitSystem};
use fitness_core::domain::untrusted_text::visible;
use fitness_core::metrics::predict::{LOOK_BACK_DAYS, Prediction};
use fitness_core::metrics::{Absent, Found, Need};
use fitness_core::plan::{Plan, PlanStatus, Weekdays};

type Told<T> = Result<T, DeskError>;

impl CoachingDesk {
    async fn active(&self) -> Told<Option<Progress>> {
        let Some(plan) = self.store().find_active_plan(self.user()).await.map_err(failed)? else {
            return Ok(None);
        };
        self.store().progress(self.user(), plan.id).await.map(Some).map_err(failed)
    }

    pub(super) async fn tell_plan(&self, ask: AskPlan) -> Told<PlanProgress> {
        let plans = self.store().list_plans(self.user()).await.map_err(failed)?;
        let waits = |plan: &&Plan| plan.status == PlanStatus::Draft && plan.superseded_by.is_none();
        let drafts = plans.iter().filter(waits).map(told_plan).collect();
        let Some(progress) = self.active().await? else {
            return Ok(PlanProgress { drafts, ..PlanProgress::default() });
        };
        let within =
            |day: Day| ask.from.is_none_or(|from| from <= day) && ask.through.is_none_or(|last| day <= last);
        let Progress { plan, followed, .. } = &progress;
        let days = self.today.until(plan.race_date);
        let predicted = match plan.distance {
            Some(distance) => Some(self.predicted(distance).await?),
            None => None,
        };
        Ok(PlanProgress {
            plan: Some(told_plan(plan)),
            days_to_race: plan.distance.is_some().then_some(days).filter(|days| *days >= 0),
            adherence_percent: followed.adherence.current.percent.map(u32::from),
            key_sessions_percent: followed.key_sessions.current.percent.map(u32::from),
            predicted,
            workouts: (0..progress.workouts.len())
                .filter(|at| within(progress.workouts[*at].workout.date))
                .filter_map(|at| self.workout(&progress, at))
                .collect(),
            unavailable: unavailable(plan),
            waiting: self.waiting(plan).await?,
            drafts,
        })
    }

    /// The sessions of a day, the last ones before it that were judged, and what waits.
    pub(super) async fn around(&self, day: Day) -> Told<(Vec<ToldWorkout>, Vec<ToldWorkout>, Vec<Waiting>)> {
        let Some(progress) = self.active().await? else { return Ok(Default::default()) };
        let told: Vec<ToldWorkout> =
            (0..progress.workouts.len()).filter_map(|at| self.workout(&progress, at)).collect();
        let judged = |one: &&ToldWorkout| one.date < day && one.verdict.is_judged();
        let last = told.iter().filter(judged).map(|one| one.date).max();
        let of =
            |date: Option<Day>| told.iter().filter(|one| Some(one.date) == date).cloned().collect::<Vec<_>>();
        let last_judged = of(last).into_iter().filter(|one| one.verdict.is_judged()).collect();
        Ok((of(Some(day)), last_judged, self.waiting(&progress.plan).await?))
    }

    /// The workout that an activity counts towards.
    pub(super) async fn workout_of(&self, activity: ActivityId) -> Told<Option<ToldWorkout>> {
        let Some(progress) = self.active().await? else { return Ok(None) };
        let at = progress.followed.behind.iter().position(|behind| behind.activities.contains(&activity));
        Ok(at.and_then(|at| self.workout(&progress, at)))
    }

    fn workout(&self, progress: &Progress, at: usize) -> Option<ToldWorkout> {
        let (planned, graded) = (progress.workouts.get(at)?, progress.followed.graded.get(at));
        let workout = &planned.workout;
        Some(ToldWorkout {
            workout_id: planned.id,
            date: workout.date,
            weekday: workout.date.weekday().to_string(),
            sport: workout.sport,
            kind: workout.kind,
            name: visible(workout.name_beside_size(self.units)).to_string(),
            planned: workout.size(self.units),
            minutes: workout.duration.map(|time| time.whole_seconds() / 60),
            actual: graded.and_then(|graded| graded.actual).map(|amount| amount.shown(self.units)),
            verdict: graded.map_or(Verdict::Pending, |graded| graded.verdict),
            excused: graded.and_then(|graded| graded.excused),
        })
    }

    async fn waiting(&self, plan: &Plan) -> Told<Vec<Waiting>> {
        let proposals = self.store().list_proposals(self.user(), plan.id).await.map_err(failed)?;
        let open = proposals.iter().filter(|proposal| proposal.is_open(self.today));
        Ok(open
            .map(|proposal| Waiting {
                proposal_id: proposal.id,
                message: visible(&proposal.message).to_string(),
                review: self.review("proposals", proposal.id),
            })
            .collect())
    }

    pub(super) async fn tell_prediction(&self, ask: AskPrediction) -> Told<Predicted> {
        let distance = match (ask.goal.and_then(fitness_core::plan::Goal::distance), ask.distance_km) {
            (Some(distance), None) => distance,
            (None, Some(km)) => Distance::from_km(km)
                .filter(|distance| (1.0..=400.0).contains(&distance.km()))
                .ok_or_else(|| DeskError::refused("`distance_km` is 1 to 400."))?,
            (Some(_), Some(_)) => {
                return Err(DeskError::refused("Give `goal` or `distance_km`, not both."));
            }
            (None, None) => {
                let plan = self.store().find_active_plan(self.user()).await.map_err(failed)?;
                plan.and_then(|plan| plan.distance).ok_or_else(|| {
                    DeskError::refused("There is no active plan with a race; give `goal` or `distance_km`.")
                })?
            }
        };
        self.predicted(distance).await
    }

    async fn predicted(&self, distance: Distance) -> Told<Predicted> {
        let from = self.today.plus(-LOOK_BACK_DAYS);
        let log = self.store().training_log(self.user(), from).await.map_err(failed)?;
        let found: Found<Prediction> = match &log {
            Some(log) => log.predict(distance, log.latest(self.today)),
            None => Err(Absent::missing(Need::RaceOf5Km)),
        };
        let shown = self.units.distance(distance).to_string();
        Ok(match found {
            Ok(found) => Predicted {
                distance: shown,
                finish: Some(found.shown.time.clock()),
                fast: Some(found.shown.low.clock()),
                slow: Some(found.shown.high.clock()),
                basis: basis(&found, self.units),
            },
            Err(why) => Predicted {
                distance: shown,
                finish: None,
                fast: None,
                slow: None,
                basis: format!("none: {why}"),
            },
        })
    }
}

fn basis(found: &Prediction, units: UnitSystem) -> String {
    let races: Vec<String> = (found.sources.iter())
        .map(|raced| {
            format!(
                "{} in {}{}",
                units.distance(raced.mark.distance()),
                raced.mark.time().clock(),
                raced.on.map(|day| format!(" on {day}")).unwrap_or_default()
            )
        })
        .collect();
    if races.is_empty() { "training alone".to_owned() } else { races.join("; ") }
}

pub(super) fn told_plan(plan: &Plan) -> ToldPlan {
    ToldPlan {
        plan_id: plan.id,
        name: visible(&plan.name).to_string(),
        status: plan.status,
        goal: plan.goal,
        start_date: plan.start_date,
        race_date: plan.race_date,
        target_time: plan.target_time.map(TimeSpan::clock),
    }
}

fn unavailable(plan: &Plan) -> Option<String> {
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
