//! Loads the input for an athlete's facts on a day.

use crate::db::error::Result;
use crate::db::store::Store;
use fitness_core::domain::athlete::ThresholdKind;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::UserId;
use fitness_core::domain::observation::AbsenceReasonByDay;
use fitness_core::domain::units::Distance;
use fitness_core::facts::{
    ActivePlanInput, Facts, PastActivity, PastRace, RaceDistance, Snapshot, build_facts,
};
use fitness_core::metrics::predict::{LOOK_BACK_DAYS, RaceResult};
use fitness_core::metrics::thresholds::in_force::in_force;
use fitness_core::metrics::{MetricResult, MissingReason, predict::Prediction};
use fitness_core::plan::{Plan, PlanStatus, Proposal};

/// Covers the longest run of 30 days and the day before them.
const HISTORY_DAYS: i64 = 45;

impl Store {
    /// All facts about an athlete on a day. The caller must have recomputed stale metrics before.
    ///
    /// # Errors
    /// `Unreadable` if stored data is damaged.
    pub async fn facts(&self, user: UserId, today: Day) -> Result<Facts> {
        // One snapshot: facts of two moments could contradict each other.
        self.at_snapshot().await?.read_facts(user, today).await
    }

    async fn read_facts(&self, user: UserId, today: Day) -> Result<Facts> {
        let from = today.plus_days(-HISTORY_DAYS);
        let frontier = self.frontier(user).await?;
        let profile = self.profile(user).await?;
        let days = self.list_day_metrics(user, from, today).await?;
        let measured = self.list_activity_metrics(user, from, today).await?;
        let sessions: Vec<PastActivity<'_>> = (measured.iter())
            .map(|(id, activity, measures, judged)| PastActivity {
                id: *id,
                activity,
                measures,
                metrics: judged,
            })
            .collect();
        let thresholds = self.list_thresholds(user).await?;
        let thresholds: Vec<_> =
            ThresholdKind::ALL.iter().filter_map(|kind| in_force(&thresholds, *kind, today).ok()).collect();
        let races: Vec<PastRace> = (self.list_races(user).await?.into_iter())
            .map(|race| PastRace {
                id: race.id,
                result: RaceResult {
                    distance: race.result.distance,
                    time: race.result.time,
                    on: Some(race.result.day),
                    effort: race.result.effort,
                },
            })
            .collect();
        let plan = self.find_plan_active_on(user, today).await?;
        let goal = plan.as_ref().and_then(|plan| plan.distance);
        let predictions = self.predictions(user, today, goal).await?;
        let progress = match &plan {
            Some(plan) => Some(self.plan_adherence(user, plan.id).await?),
            None => None,
        };
        let waiting = match &plan {
            Some(plan) => self.list_proposals(user, plan.id).await?,
            None => Vec::new(),
        };
        // Newest first, without proposals made after that day.
        let was_there = |proposal: &&Proposal| {
            proposal.is_open(today) && Day::at(proposal.made_at, profile.zone) <= today
        };
        let waiting: Vec<_> = waiting.iter().filter(was_there).map(|proposal| proposal.id).collect();
        let following = progress.as_ref().map(|progress| ActivePlanInput {
            workouts: &progress.workouts,
            graded: &progress.adherence.graded,
            pending_proposals: &waiting,
        });
        let observed = self.list_observations(user, today, today).await?;
        Ok(build_facts(&Snapshot {
            today,
            frontier,
            days: &days,
            activities: &sessions,
            activities_from: from,
            thresholds: &thresholds,
            predictions: &predictions,
            races: &races,
            plan: plan.as_ref(),
            adherence: following,
            absence: AbsenceReasonByDay::from_observations(&observed).reason(today),
            profile: &profile,
        }))
    }

    /// The plan that was active at the end of a day, whatever happened to it since. Drafts and
    /// plans activated later do not count.
    async fn find_plan_active_on(&self, user: UserId, day: Day) -> Result<Option<Plan>> {
        let zone = self.profile(user).await?.zone;
        let by_then = |at: Option<Instant>| at.is_some_and(|at| Day::at(at, zone) <= day);
        let tracked = |plan: &Plan| by_then(plan.activated_at) && !by_then(plan.archived_at);
        let plans = self.list_plans(user).await?;
        let latest = plans.into_iter().filter(tracked).max_by_key(|plan| (plan.activated_at, plan.id));
        Ok(latest.map(|plan| Plan { status: PlanStatus::Active, ..plan }))
    }

    /// Predictions for the standard distances and the plan's.
    async fn predictions(
        &self,
        user: UserId,
        today: Day,
        goal: Option<Distance>,
    ) -> Result<Vec<(RaceDistance, MetricResult<Prediction>)>> {
        let log = self.training_log(user, today.plus_days(-LOOK_BACK_DAYS)).await?;
        let targets = RaceDistance::ALL.iter().filter_map(|race| Some((*race, race.distance().or(goal)?)));
        Ok(targets
            .map(|(race, target)| {
                let found = log.as_ref().ok_or(MissingReason::NotYet);
                (race, found.and_then(|log| log.predict(target, log.latest(today))))
            })
            .collect())
    }
}
