//! What no verdict says: notes, and activities of another day that may have been a workout.

use super::matching::{Behind, Placed, check_match};
use super::{Data, Match};
use crate::adherence::data_frontier::{Frontier, Reach};
use crate::adherence::grade::{self, Amount, Graded, Verdict};
use crate::domain::calendar::Day;
use crate::domain::ids::{ActivityId, WorkoutId};
use crate::domain::sport::Sport;
use crate::domain::units::TimeSpan;
use crate::plan::{PlannedWorkout, Workout};
use crate::string_enum::string_enum;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// More than this much of what was asked, in percent, is noted. The linter's rule R1 has the same limit for the step from
/// one longest run to the next: beyond it more runners were hurt.
pub const OVER_PERCENT: i64 = 130;
/// A longer run on a rest day is noted.
pub const REST_DAY_RUN: TimeSpan = TimeSpan::from_mins(30);
/// An activity is offered for a workout when it was between so much and so much of what was asked, in percent.
const FITTING_PERCENT: std::ops::RangeInclusive<i128> = 50..=150;

string_enum! {
    /// A note on a workout. No verdict: it changes nothing.
    pub enum NoteKind("note on a workout") {
        /// More than 130 % of what was asked. Rule R1 says why that matters.
        Over = "over",
        /// Done, or perhaps done, on another day.
        Moved = "moved",
        /// More than half an hour of running on a rest day.
        RestDayRun = "rest_day_run",
    }
}

impl NoteKind {
    /// In a sentence; `None` where the offer that goes with it says it.
    #[must_use]
    pub const fn spoken(self) -> Option<&'static str> {
        match self {
            Self::Over => Some("More than 130 % of what was asked; sudden steps are what hurts (rule R1)."),
            Self::RestDayRun => Some("A run of more than half an hour on a rest day."),
            Self::Moved => None,
        }
    }
}

/// A note with what it rests on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Note {
    /// What is noted.
    pub kind: NoteKind,
    /// About which workout.
    pub workout: WorkoutId,
    /// Its day.
    pub day: Day,
    /// The activities it rests on.
    pub activities: Vec<ActivityId>,
}

/// An activity of another day that may have been a workout. Nothing counts until the athlete says so.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Offer {
    /// The workout that was missed or is still open.
    pub workout: WorkoutId,
    /// The activity that belongs to no workout of its own day.
    pub activity: ActivityId,
    /// The day it was planned for.
    pub planned_day: Day,
    /// The day it was done.
    pub done_day: Day,
    /// What was asked.
    pub planned: Option<Amount>,
    /// What was done, in the same measure.
    pub done: Option<Amount>,
}

/// Activities from the start on, within the data's reach, that belong to no workout; with their place in the list.
pub(super) fn unplanned<'p, 'a>(
    start: Day,
    workouts: &[PlannedWorkout],
    placed: &'p [Placed<'a>],
    frontier: Frontier,
) -> impl Iterator<Item = (usize, &'p Placed<'a>)> {
    let planned: BTreeSet<(Day, Sport)> =
        workouts.iter().filter(|w| !w.workout.is_rest()).map(|w| (w.workout.date, w.workout.sport)).collect();
    placed.iter().enumerate().filter(move |(_, one)| {
        one.taken_for.is_none()
            && one.day >= start
            && frontier.reach(one.day) != Reach::Beyond
            && !planned.contains(&(one.day, one.activity.sport))
    })
}

/// Activities that may have been a workout within two days of their own. Each activity and each workout is offered once:
/// the nearest day first, then the nearest length. What was declined is not offered again; what is excused needs nothing.
pub(super) fn offers(
    start: Day,
    workouts: &[PlannedWorkout],
    graded: &[Graded],
    placed: &[Placed<'_>],
    data: &Data<'_>,
) -> Vec<Offer> {
    let mut free: BTreeMap<(Day, Sport), Vec<(usize, &Placed<'_>)>> = BTreeMap::new();
    for (index, one) in unplanned(start, workouts, placed, data.frontier) {
        free.entry((one.day, one.activity.sport)).or_default().push((index, one));
    }
    let declined: BTreeSet<(WorkoutId, ActivityId)> = data
        .matches
        .iter()
        .filter(|said| !said.accepted)
        .map(|Match { workout, activity, .. }| (*workout, *activity))
        .collect();
    let taken: BTreeSet<WorkoutId> = placed.iter().filter_map(|one| one.taken_for).collect();
    let mut pairs = Vec::new();
    for (index, (PlannedWorkout { id, workout }, graded)) in workouts.iter().zip(graded).enumerate() {
        let open = matches!(graded.verdict, Verdict::Missed | Verdict::Pending) && graded.excused.is_none();
        if !open || taken.contains(id) || workout.is_rest() {
            continue;
        }
        let near = workout.date.plus(-super::MATCH_DAYS).through(workout.date.plus(super::MATCH_DAYS));
        for (at, one) in near.filter_map(|day| free.get(&(day, workout.sport))).flatten() {
            let fits = check_match(workout, one.day, one.activity.sport).is_ok()
                && !declined.contains(&(*id, one.activity.id));
            if let Some(off) = off_by(workout, one).filter(|_| fits) {
                pairs.push((workout.date.until(one.day).abs(), off, index, *at));
            }
        }
    }
    pairs.sort_unstable();
    let (mut given, mut used) = (BTreeSet::new(), BTreeSet::new());
    let mut offered: Vec<(usize, Offer)> = Vec::new();
    for (_, _, index, at) in pairs {
        if given.contains(&index) || used.contains(&at) {
            continue;
        }
        given.insert(index);
        used.insert(at);
        let (planned, one) = (&workouts[index], &placed[at]);
        let measure = grade::asked(&planned.workout).map(|asked| asked.measure);
        let done = measure.and_then(|measure| Some(measure.amount(measure.done(&one.activity.done)?)));
        offered.push((
            index,
            Offer {
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

/// How far an activity is from what was asked, in percent; `None` when it is too short, too long or unmeasured.
fn off_by(workout: &Workout, one: &Placed<'_>) -> Option<i128> {
    let Some(asked) = grade::asked(workout) else { return Some(0) };
    let done = i128::from(asked.measure.done(&one.activity.done)?);
    let percent = done * 100 / i128::from(asked.units);
    FITTING_PERCENT.contains(&percent).then(|| (percent - 100).abs())
}

/// The notes on each workout, in order.
pub(super) fn notes(
    start: Day,
    workouts: &[PlannedWorkout],
    graded: &[Graded],
    behind: &[Behind],
    placed: &[Placed<'_>],
    offers: &[Offer],
    frontier: Frontier,
) -> Vec<Note> {
    let offered: BTreeMap<WorkoutId, ActivityId> =
        offers.iter().map(|offer| (offer.workout, offer.activity)).collect();
    let mut runs: BTreeMap<Day, (TimeSpan, Vec<ActivityId>)> = BTreeMap::new();
    for (_, one) in unplanned(start, workouts, placed, frontier) {
        if one.activity.sport == Sport::Running {
            let (time, activities) = runs.entry(one.day).or_default();
            *time += one.activity.done.duration.unwrap_or_default();
            activities.push(one.activity.id);
        }
    }
    let mut notes = Vec::new();
    for ((PlannedWorkout { id, workout }, graded), behind) in workouts.iter().zip(graded).zip(behind) {
        let mut note = |kind, activities: Vec<ActivityId>| {
            notes.push(Note { kind, workout: *id, day: workout.date, activities });
        };
        if workout.date < start {
            continue;
        }
        if is_over(graded) {
            note(NoteKind::Over, behind.activities.clone());
        }
        if let Some(activity) = behind.matched.or_else(|| offered.get(id).copied()) {
            note(NoteKind::Moved, vec![activity]);
        }
        if workout.is_rest()
            && let Some((time, activities)) = runs.get(&workout.date)
            && *time > REST_DAY_RUN
        {
            note(NoteKind::RestDayRun, activities.clone());
        }
    }
    notes
}

fn is_over(graded: &Graded) -> bool {
    let (Some(planned), Some(actual)) = (graded.planned, graded.actual) else { return false };
    i128::from(actual.units()) * 100 > i128::from(planned.units()) * i128::from(OVER_PERCENT)
}
