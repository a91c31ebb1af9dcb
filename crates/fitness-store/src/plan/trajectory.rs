//! Fitness trajectory to race day.

use crate::db::error::Result;
use crate::db::store::Store;
use crate::plan::adherence::PlanAdherence;
use crate::training::activities::StoredActivity;
use fitness_core::adherence::grade::Verdict;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{ActivityId, PlanId, UserId};
use fitness_core::domain::sport::Sport;
use fitness_core::metrics::trajectory::{
    ActivitySample, AdherenceRate, PlannedAndActualLoad, Trajectory, TrajectoryInput, TypicalLoads,
    planned_load, project,
};
use fitness_core::metrics::{MetricResult, MissingReason};
use fitness_core::plan::{PlannedWorkout, Workout, WorkoutKind};
use std::collections::{BTreeMap, BTreeSet};

impl Store {
    /// Projects fitness to race day: following the plan, at the recent adherence, and without
    /// training.
    ///
    /// # Errors
    /// `NotFound` when the user has no such plan.
    pub async fn plan_trajectory(&self, user: UserId, plan: PlanId) -> Result<MetricResult<Trajectory>> {
        let PlanAdherence { plan, workouts, frontier, activities, adherence: followed } =
            self.plan_adherence(user, plan).await?;
        let Some(complete) = frontier.complete_through() else { return Ok(Err(MissingReason::NotYet)) };
        let Some(state) = self.find_day_state(user, complete).await? else {
            return Ok(Err(MissingReason::NotYet));
        };
        let first = self.first_data_day(user).await?.unwrap_or(complete);
        let stored = self.list_activities(user, complete.plus_days(-90), complete).await?;
        let done: Vec<ActivitySample> = (stored.iter())
            .filter_map(|one| {
                let alone = |other: &&StoredActivity| {
                    (other.day, other.activity.sport) == (one.day, one.activity.sport)
                };
                let alone = stored.iter().filter(alone).count() == 1;
                Some(ActivitySample {
                    day: one.day,
                    sport: one.activity.sport,
                    kind: planned_kind(&workouts, one.day, one.activity.sport).filter(|_| alone),
                    load: one.load?,
                    duration: one.activity.training_time()?,
                    distance: one.activity.distance,
                })
            })
            .collect();
        let typical = TypicalLoads::measure(&done, first, complete);
        let workouts: Vec<Workout> = workouts.into_iter().map(|planned| planned.workout).collect();
        let loads: BTreeMap<ActivityId, f64> =
            activities.iter().filter_map(|one| Some((one.id, one.amounts.load?))).collect();
        let mut planned: BTreeMap<Day, PlannedAndActualLoad> = BTreeMap::new();
        // Count the activities matched to a day's workouts, each once.
        let mut counted: BTreeSet<ActivityId> = BTreeSet::new();
        for ((workout, graded), behind) in workouts.iter().zip(&followed.graded).zip(&followed.behind) {
            if graded.verdict == Verdict::NotStarted {
                continue;
            }
            let day = workout.date;
            let new = behind.activities.iter().filter(|id| counted.insert(**id));
            let done: f64 = new.filter_map(|id| loads.get(id)).sum();
            let Ok(load) = planned_load(workout, &typical) else { continue };
            let entry = planned.entry(day).or_insert_with(|| PlannedAndActualLoad {
                day,
                planned: 0.0,
                actual: 0.0,
                is_absent: false,
            });
            entry.planned += load.value;
            entry.actual += done;
            entry.is_absent |= graded.excused.is_some();
        }
        let planned: Vec<PlannedAndActualLoad> = planned.into_values().collect();
        let adherence = AdherenceRate::measure(&planned, complete);
        let outlook = TrajectoryInput {
            from: complete,
            state: &state.fitness,
            plan_start: plan.start_date,
            race_day: plan.race_date,
            workouts: &workouts,
            typical_loads: &typical,
        };
        Ok(project(&outlook, &adherence))
    }
}

/// The planned kind for a sport on a day; `None` if there are two workouts.
fn planned_kind(workouts: &[PlannedWorkout], day: Day, sport: Sport) -> Option<WorkoutKind> {
    let mut asked =
        workouts.iter().filter(|planned| (planned.workout.date, planned.workout.sport) == (day, sport));
    let only = asked.next()?;
    asked.next().is_none().then_some(only.workout.kind)
}
