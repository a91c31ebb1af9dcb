//! Notes on workouts, and suggested matches with activities of other days.

use super::matching::{AssignedActivity, WorkoutActivities, check_match};
use super::{AdherenceData, MatchDecision};
use crate::adherence::data_frontier::{DataFrontier, DayCoverage};
use crate::adherence::grade::{self, Amount, GradedWorkout, Verdict};
use crate::domain::calendar::Day;
use crate::domain::ids::{ActivityId, WorkoutId};
use crate::domain::sport::Sport;
use crate::domain::units::TimeSpan;
use crate::plan::{PlannedWorkout, Workout};
use crate::string_enum::string_enum;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A workout above this percentage of its planned amount gets a note. Rule R1 uses the same limit
/// for the longest run: beyond it injuries are more common (Frandsen 2025).
pub const OVERSHOOT_PERCENT: i64 = 130;
/// A longer run on a rest day gets a note.
pub const MIN_REST_DAY_RUN: TimeSpan = TimeSpan::from_mins(30);
/// An activity is suggested for a workout if its amount is within this percentage range of the
/// planned one.
const MATCH_PERCENT_RANGE: std::ops::RangeInclusive<i128> = 50..=150;

string_enum! {
    /// A note on a workout; it does not change the verdict.
    pub enum WorkoutNoteKind("workout note") {
        /// More than 130% of the planned amount (see rule R1).
        Over = "over",
        /// Done, or possibly done, on another day.
        Moved = "moved",
        /// More than half an hour of running on a rest day.
        RestDayRun = "rest_day_run",
    }
}

impl WorkoutNoteKind {
    /// As a sentence; `None` if the suggested match explains it.
    #[must_use]
    pub const fn message(self) -> Option<&'static str> {
        match self {
            Self::Over => {
                Some("More than 130% of the planned amount; sudden jumps raise the risk of injury (rule R1).")
            }
            Self::RestDayRun => Some("You ran for more than half an hour on a rest day."),
            Self::Moved => None,
        }
    }
}

/// A note and the activities behind it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkoutNote {
    pub kind: WorkoutNoteKind,
    pub workout: WorkoutId,
    pub day: Day,
    pub activities: Vec<ActivityId>,
}

/// A suggested match with an activity of another day. It counts only once the athlete accepts it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MatchSuggestion {
    /// A workout that is missed or pending.
    pub workout: WorkoutId,
    /// An activity that matches no workout of its own day.
    pub activity: ActivityId,
    pub planned_day: Day,
    pub done_day: Day,
    pub planned: Option<Amount>,
    /// Completed amount in the same measure.
    pub done: Option<Amount>,
}

/// Activities since the start, up to the data frontier, that match no workout; with their index.
pub(super) fn unplanned_activities<'p, 'a>(
    start: Day,
    workouts: &[PlannedWorkout],
    placed: &'p [AssignedActivity<'a>],
    frontier: DataFrontier,
) -> impl Iterator<Item = (usize, &'p AssignedActivity<'a>)> {
    let planned: BTreeSet<(Day, Sport)> =
        workouts.iter().filter(|w| !w.workout.is_rest()).map(|w| (w.workout.date, w.workout.sport)).collect();
    placed.iter().enumerate().filter(move |(_, one)| {
        one.matched_workout.is_none()
            && one.day >= start
            && frontier.day_coverage(one.day) != DayCoverage::Beyond
            && !planned.contains(&(one.day, one.activity.sport))
    })
}

/// Suggests matches within two days. Each activity and each workout is suggested once: the nearest
/// day first, then the closest amount. Declined matches and workouts in an absence are left out.
pub(super) fn suggest_matches(
    start: Day,
    workouts: &[PlannedWorkout],
    graded: &[GradedWorkout],
    placed: &[AssignedActivity<'_>],
    data: &AdherenceData<'_>,
) -> Vec<MatchSuggestion> {
    let mut free: BTreeMap<(Day, Sport), Vec<(usize, &AssignedActivity<'_>)>> = BTreeMap::new();
    for (index, one) in unplanned_activities(start, workouts, placed, data.frontier) {
        free.entry((one.day, one.activity.sport)).or_default().push((index, one));
    }
    let declined: BTreeSet<(WorkoutId, ActivityId)> = data
        .matches
        .iter()
        .filter(|said| !said.accepted)
        .map(|MatchDecision { workout, activity, .. }| (*workout, *activity))
        .collect();
    let taken: BTreeSet<WorkoutId> = placed.iter().filter_map(|one| one.matched_workout).collect();
    let mut pairs = Vec::new();
    for (index, (PlannedWorkout { id, workout }, graded)) in workouts.iter().zip(graded).enumerate() {
        let open = matches!(graded.verdict, Verdict::Missed | Verdict::Pending) && graded.excused.is_none();
        if !open || taken.contains(id) || workout.is_rest() {
            continue;
        }
        let near =
            workout.date.plus_days(-super::MATCH_DAYS).through(workout.date.plus_days(super::MATCH_DAYS));
        for (at, one) in near.filter_map(|day| free.get(&(day, workout.sport))).flatten() {
            let fits = check_match(workout, one.day, one.activity.sport).is_ok()
                && !declined.contains(&(*id, one.activity.id));
            if let Some(off) = length_difference_percent(workout, one).filter(|_| fits) {
                pairs.push((workout.date.days_until(one.day).abs(), off, index, *at));
            }
        }
    }
    pairs.sort_unstable();
    let (mut given, mut used) = (BTreeSet::new(), BTreeSet::new());
    let mut offered: Vec<(usize, MatchSuggestion)> = Vec::new();
    for (_, _, index, at) in pairs {
        if given.contains(&index) || used.contains(&at) {
            continue;
        }
        given.insert(index);
        used.insert(at);
        let (planned, one) = (&workouts[index], &placed[at]);
        let measure = grade::planned_amount(&planned.workout).map(|asked| asked.measure);
        let done = measure.and_then(|measure| Some(measure.amount(measure.actual(&one.activity.amounts)?)));
        offered.push((
            index,
            MatchSuggestion {
                workout: planned.id,
                activity: one.activity.id,
                planned_day: planned.workout.date,
                done_day: one.day,
                planned: graded[index].planned,
                done,
            },
        ));
    }
    offered.sort_by_key(|(index, _)| *index);
    offered.into_iter().map(|(_, offer)| offer).collect()
}

/// Difference from the planned amount in percent; `None` if it is too far off or not measured.
fn length_difference_percent(workout: &Workout, one: &AssignedActivity<'_>) -> Option<i128> {
    let Some(asked) = grade::planned_amount(workout) else { return Some(0) };
    let done = i128::from(asked.measure.actual(&one.activity.amounts)?);
    let percent = done * 100 / i128::from(asked.value);
    MATCH_PERCENT_RANGE.contains(&percent).then(|| (percent - 100).abs())
}

/// The notes on each workout, in order.
pub(super) fn workout_notes(
    start: Day,
    workouts: &[PlannedWorkout],
    graded: &[GradedWorkout],
    behind: &[WorkoutActivities],
    placed: &[AssignedActivity<'_>],
    offers: &[MatchSuggestion],
    frontier: DataFrontier,
) -> Vec<WorkoutNote> {
    let offered: BTreeMap<WorkoutId, ActivityId> =
        offers.iter().map(|offer| (offer.workout, offer.activity)).collect();
    let mut runs: BTreeMap<Day, (TimeSpan, Vec<ActivityId>)> = BTreeMap::new();
    for (_, one) in unplanned_activities(start, workouts, placed, frontier) {
        if one.activity.sport == Sport::Running {
            let (time, activities) = runs.entry(one.day).or_default();
            *time += one.activity.amounts.duration.unwrap_or_default();
            activities.push(one.activity.id);
        }
    }
    let mut notes = Vec::new();
    for ((PlannedWorkout { id, workout }, graded), behind) in workouts.iter().zip(graded).zip(behind) {
        let mut note = |kind, activities: Vec<ActivityId>| {
            notes.push(WorkoutNote { kind, workout: *id, day: workout.date, activities });
        };
        if workout.date < start {
            continue;
        }
        if exceeds_planned(graded) {
            note(WorkoutNoteKind::Over, behind.activities.clone());
        }
        if let Some(activity) = behind.matched.or_else(|| offered.get(id).copied()) {
            note(WorkoutNoteKind::Moved, vec![activity]);
        }
        if workout.is_rest()
            && let Some((time, activities)) = runs.get(&workout.date)
            && *time > MIN_REST_DAY_RUN
        {
            note(WorkoutNoteKind::RestDayRun, activities.clone());
        }
    }
    notes
}

fn exceeds_planned(graded: &GradedWorkout) -> bool {
    let (Some(planned), Some(actual)) = (graded.planned, graded.actual) else { return false };
    i128::from(actual.value()) * 100 > i128::from(planned.value()) * i128::from(OVERSHOOT_PERCENT)
}
