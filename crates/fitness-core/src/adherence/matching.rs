//! Assigns activities to workouts.

use super::{AdherenceData, CompletedActivity};
use crate::adherence::data_frontier::{DataFrontier, DayCoverage};
use crate::adherence::grade::{self, ActualAmounts, CompletedByDayAndSport, GradedWorkout, Verdict};
use crate::domain::calendar::Day;
use crate::domain::ids::{ActivityId, WorkoutId};
use crate::domain::sport::Sport;
use crate::plan::{PlannedWorkout, Workout};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Maximum days between an activity and the workout it is matched to.
pub const MATCH_DAYS: i64 = 2;

/// Why an activity cannot be matched to a workout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MatchError {
    #[error("a rest day has no workout to match")]
    Rest,
    #[error("the workout is {planned}, but the activity is {done}")]
    Sport { planned: Sport, done: Sport },
    #[error("the activity is on the day of the workout, where it already counts")]
    SameDay,
    #[error("the activity on {done} is more than {MATCH_DAYS} days from the workout on {planned}")]
    Apart { planned: Day, done: Day },
}

/// Checks whether an activity can be matched to a workout of another day.
pub fn check_match(workout: &Workout, day: Day, sport: Sport) -> Result<(), MatchError> {
    if workout.is_rest() {
        return Err(MatchError::Rest);
    }
    if workout.sport != sport {
        return Err(MatchError::Sport { planned: workout.sport, done: sport });
    }
    match workout.date.days_until(day).abs() {
        0 => Err(MatchError::SameDay),
        1..=MATCH_DAYS => Ok(()),
        _ => Err(MatchError::Apart { planned: workout.date, done: day }),
    }
}

/// An activity and the day it counts for.
#[derive(Debug, Clone, Copy)]
pub(super) struct AssignedActivity<'a> {
    pub(super) activity: &'a CompletedActivity,
    pub(super) day: Day,
    /// The workout of another day that the athlete matched it to.
    pub(super) matched_workout: Option<WorkoutId>,
}

/// Assigns each activity to its own day, or to the workout that the athlete matched it to. A match
/// that no longer fits (workout moved or removed, activity corrected) or lies after the data
/// frontier is ignored.
pub(super) fn assign_activities<'a>(
    workouts: &[PlannedWorkout],
    data: &AdherenceData<'a>,
) -> Vec<AssignedActivity<'a>> {
    let mut said: BTreeMap<ActivityId, WorkoutId> = BTreeMap::new();
    let mut taken = BTreeSet::new();
    for answer in data.matches.iter().filter(|answer| answer.accepted) {
        if !said.contains_key(&answer.activity) && taken.insert(answer.workout) {
            said.insert(answer.activity, answer.workout);
        }
    }
    let planned: BTreeMap<WorkoutId, &Workout> = workouts.iter().map(|w| (w.id, &w.workout)).collect();
    data.activities
        .iter()
        .map(|activity| {
            let moved = said
                .get(&activity.id)
                .filter(|_| data.frontier.day_coverage(activity.day) != DayCoverage::Beyond)
                .and_then(|id| Some((*id, *planned.get(id)?)))
                .filter(|(_, workout)| check_match(workout, activity.day, activity.sport).is_ok());
            AssignedActivity {
                activity,
                day: moved.map_or(activity.day, |(_, workout)| workout.date),
                matched_workout: moved.map(|(id, _)| id),
            }
        })
        .collect()
}

/// Totals by day and sport, after matching.
pub(super) fn day_totals(placed: &[AssignedActivity<'_>]) -> CompletedByDayAndSport {
    let mut totals = CompletedByDayAndSport::default();
    for one in placed {
        totals.add(one.day, one.activity.sport, one.activity.amounts);
    }
    totals
}

/// The activities behind a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct WorkoutActivities {
    /// By start time. An activity that is split between two workouts of a day is listed for both.
    pub activities: Vec<ActivityId>,
    /// The one done on another day, as matched by the athlete.
    pub matched: Option<ActivityId>,
}

/// The activities behind each workout. Workouts of one sport and day share activities in order, as
/// in grading: each but the last takes what it needs, the last takes the rest. A missed workout has
/// none; a completed one has at least the last activity of its day.
pub(super) fn activities_by_workout(
    workouts: &[PlannedWorkout],
    graded: &[GradedWorkout],
    placed: &[AssignedActivity<'_>],
    frontier: DataFrontier,
) -> Vec<WorkoutActivities> {
    let mut left: BTreeMap<(Day, Sport), VecDeque<(ActivityId, ActualAmounts)>> = BTreeMap::new();
    let mut matched = BTreeMap::new();
    for one in placed {
        left.entry((one.day, one.activity.sport))
            .or_default()
            .push_back((one.activity.id, one.activity.amounts));
        matched.extend(one.matched_workout.map(|workout| (workout, one.activity.id)));
    }
    let all: BTreeMap<(Day, Sport), Vec<ActivityId>> =
        left.iter().map(|(key, done)| (*key, done.iter().map(|(id, _)| *id).collect())).collect();
    let mut sharing: BTreeMap<(Day, Sport), usize> = BTreeMap::new();
    for PlannedWorkout { workout, .. } in
        workouts.iter().filter(|w| grade::planned_amount(&w.workout).is_some())
    {
        *sharing.entry((workout.date, workout.sport)).or_default() += 1;
    }
    let of = |(PlannedWorkout { id, workout }, graded): (&PlannedWorkout, &GradedWorkout)| {
        let key = (workout.date, workout.sport);
        let mut activities = match grade::planned_amount(workout) {
            _ if workout.is_rest() || frontier.day_coverage(workout.date) == DayCoverage::Beyond => {
                Vec::new()
            }
            None => all.get(&key).cloned().unwrap_or_default(),
            Some(asked) => {
                let others = sharing.entry(key).or_default();
                *others = others.saturating_sub(1);
                let last = *others == 0;
                left.get_mut(&key).map(|left| take_activities(left, asked, last)).unwrap_or_default()
            }
        };
        match graded.verdict {
            Verdict::Missed => activities.clear(),
            Verdict::Hit | Verdict::Short if activities.is_empty() => {
                activities.extend(all.get(&key).and_then(|all| all.last()));
            }
            _ => {}
        }
        WorkoutActivities {
            matched: matched.get(id).copied().filter(|id| activities.contains(id)),
            activities,
        }
    };
    workouts.iter().zip(graded).map(of).collect()
}

/// Takes activities until there is enough, or all for the last workout.
fn take_activities(
    left: &mut VecDeque<(ActivityId, ActualAmounts)>,
    asked: grade::PlannedAmount,
    last: bool,
) -> Vec<ActivityId> {
    let mut taken = Vec::new();
    let mut wanted = asked.value;
    while let Some((id, done)) = left.pop_front() {
        taken.push(id);
        let available = asked.measure.actual(&done).unwrap_or(0);
        if !last && available > wanted {
            left.push_front((id, grade::subtract_share(done, wanted, available)));
            break;
        }
        wanted -= available;
        if !last && wanted == 0 {
            break;
        }
    }
    taken
}
