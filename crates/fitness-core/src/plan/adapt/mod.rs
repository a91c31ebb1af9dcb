//! What the rules propose when life came between: illness, injury, missed days, a race nobody planned, or a plan that no
//! longer fits what was run. A proposal like any other: inert until the athlete takes some of it.
//!
//! Only what the athlete said and what the data shows counts; nothing is read out of a day whose data has not arrived.
//! Missed training is never doubled up.

pub(super) mod downgrade;
mod missed_days;
mod return_to_training;
mod self_report;

use super::lint::{LintInput, Rule, Severity, lint};
use super::{
    Change, Plan, PlannedWorkout, Size, TrainingBaseline, Workout, WorkoutKind, applicable_changes, apply,
};
use crate::adherence::grade::{GradedWorkout, Verdict};
use crate::domain::calendar::Day;
use crate::domain::content_hash::ContentHash;
use crate::domain::ids::PlanId;
use crate::domain::observation::{Observation, ObservationKind};
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, UnitSystem};
use crate::domain::untrusted_text::pluralize;
use crate::string_enum::string_enum;
use downgrade::downgrade;
use missed_days::missed_days;
pub use self_report::{fact_key_for_observation, is_low_feeling};
use self_report::{illness, injury, low_feeling};
use serde::Serialize;
use std::collections::BTreeSet;

string_enum! {
    /// Why the rules propose something.
    pub enum Cause("cause of a proposal") {
        /// The athlete said they are hurt.
        Injury = "injury",
        /// The athlete said they are ill.
        Illness = "illness",
        /// The athlete said that they feel bad today.
        LowFeeling = "low_feeling",
        /// Days without training.
        MissedDays = "missed_days",
        /// A hard session was missed.
        MissedQuality = "missed_quality",
        /// A race that was not in the plan.
        UnplannedRace = "unplanned_race",
        /// The rest of the plan is too much for what was really run.
        TooMuch = "too_much",
    }
}

/// What the rules propose, and what it follows from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Adaptation {
    /// Why.
    pub cause: Cause,
    /// In words, for the athlete.
    pub message: String,
    /// What would change; empty when there is only something to say.
    pub changes: Vec<Change>,
    /// The facts behind it: the same facts are not proposed again once they were discarded.
    pub follows_from: String,
}

impl Adaptation {
    /// The first day that would change.
    #[must_use]
    pub fn first_day(&self, current: &[PlannedWorkout]) -> Option<Day> {
        let day = |change: &Change| match change {
            Change::Add { workout } => Some(workout.date),
            Change::Modify { workout_id, .. } | Change::Skip { workout_id, .. } => {
                current.iter().find(|w| w.id == *workout_id).map(|w| w.workout.date)
            }
        };
        self.changes.iter().filter_map(day).min()
    }

    /// As much of it as the plan can take. What it cannot is left out, and said.
    #[must_use]
    pub fn retain_applicable(mut self, plan: &Plan, current: &[PlannedWorkout], today: Day) -> Self {
        let all: BTreeSet<usize> = (0..self.changes.len()).collect();
        if self.changes.is_empty() {
            return self;
        }
        let Err(why) = apply(plan, current, &self.changes, &all, today) else { return self };
        let fitting = applicable_changes(plan, current, &self.changes, today);
        let left_out = pluralize((all.len() - fitting.len()) as u64, "change", "changes");
        self.message =
            format!("{} Left out, because the plan cannot take it: {left_out} ({why}).", self.message);
        let kept = self.changes.into_iter().enumerate().filter(|(at, _)| fitting.contains(at));
        self.changes = kept.map(|(_, change)| change).collect();
        self
    }
}

/// A plan and what happened.
#[derive(Debug, Clone, Copy)]
pub struct Situation<'a> {
    /// The active plan.
    pub plan: &'a Plan,
    /// Its workouts now, in order.
    pub workouts: &'a [PlannedWorkout],
    /// The verdict on each, in the same order.
    pub graded: &'a [GradedWorkout],
    /// What the athlete said about days; only what they stand behind counts.
    pub observations: &'a [Observation],
    /// Races that were run: the day, and how far.
    pub races: &'a [(Day, Distance)],
    /// What they bring.
    pub athlete: &'a TrainingBaseline,
    /// The day it is.
    pub today: Day,
    /// How distances are spoken.
    pub units: UnitSystem,
}

/// How far ahead a change reaches that is not about the whole plan.
const LOOKAHEAD_DAYS: i64 = 14;

/// What the rules propose now; `None` when the plan can stand. What weighs most comes first.
#[must_use]
pub fn adapt(situation: &Situation<'_>) -> Option<Adaptation> {
    adaptations(situation).next()
}

/// Everything the rules have to say now, each rule for itself. What weighs most comes first; the next counts only where the
/// athlete said no to what comes before it.
pub fn adaptations(situation: &Situation<'_>) -> impl Iterator<Item = Adaptation> {
    let over = situation.today > situation.plan.race_date;
    let rules = [injury, illness, low_feeling, missed_days, unplanned_race, missed_quality, too_much];
    rules.into_iter().filter(move |_| !over).filter_map(|rule| rule(situation))
}

impl<'a> Situation<'a> {
    /// What is planned from a day through another and can still be changed; races stand, and what was done today.
    fn changeable_workouts(&self, from: Day, through: Day) -> impl Iterator<Item = &'a PlannedWorkout> {
        let from = from.max(self.today);
        let open = move |(planned, graded): &(&PlannedWorkout, &GradedWorkout)| {
            let workout = &planned.workout;
            (from..=through).contains(&workout.date)
                && !workout.is_rest()
                && workout.kind != WorkoutKind::Race
                && !is_done(graded)
        };
        self.workouts.iter().zip(self.graded).filter(open).map(|(planned, _)| planned)
    }

    /// The newest thing the athlete said of a kind that touches the days ahead, or ended less than `days` ago.
    fn latest_observation(&self, kind: ObservationKind, days: i64) -> Option<&'a Observation> {
        let recent = |o: &&Observation| {
            o.accepted
                && o.data.kind() == kind
                && o.data.from() <= self.today
                && o.data.through().days_until(self.today) < days
        };
        self.observations.iter().filter(recent).max_by_key(|o| (o.data.through(), o.id))
    }

    /// The days on which something was run, from one on; today as well where the data says so.
    fn run_days_since(&self, from: Day) -> Vec<Day> {
        let known = self.athlete.runs.iter().map(|run| run.day).filter(|day| *day <= self.athlete.as_of);
        let today = self.workouts.iter().zip(self.graded).filter(|(planned, graded)| {
            let workout = &planned.workout;
            workout.date == self.today && workout.sport == Sport::Running && is_done(graded)
        });
        let mut days: Vec<Day> = known.chain(today.map(|(planned, _)| planned.workout.date)).collect();
        days.retain(|day| *day >= from);
        days.dedup();
        days
    }

    fn adaptation(
        &self,
        cause: Cause,
        facts: &impl Serialize,
        message: String,
        changes: Vec<Change>,
    ) -> Adaptation {
        Adaptation { cause, message, changes, follows_from: fact_key(cause, self.plan.id, facts) }
    }
}

/// Whether something was done for a workout, as far as the data reaches.
fn is_done(graded: &GradedWorkout) -> bool {
    matches!(graded.verdict, Verdict::Hit | Verdict::Short)
        || graded.actual.is_some_and(|actual| actual.value() > 0)
}

/// A change to a workout, or none when it is like that already.
fn modify(planned: &PlannedWorkout, workout: Workout, notes: &str) -> Option<Change> {
    (planned.workout != workout).then(|| Change::modify(planned, workout, Some(notes.to_owned())))
}

fn skip(planned: &PlannedWorkout, notes: &str) -> Change {
    Change::skip(planned, Some(notes.to_owned()))
}

/// The same cause and the same facts about the same plan have the same key.
fn fact_key(cause: Cause, plan: PlanId, facts: &impl Serialize) -> String {
    ContentHash::hash_json(&(cause, plan, facts)).to_string()
}

/// A race nobody planned: a day of easy running for each 5 km.
fn unplanned_race(s: &Situation<'_>) -> Option<Adaptation> {
    let planned =
        |day: Day| s.workouts.iter().any(|w| w.workout.date == day && w.workout.kind == WorkoutKind::Race);
    let (day, distance) = s
        .races
        .iter()
        .filter(|(day, _)| {
            (0..7).contains(&day.days_until(s.today)) && *day >= s.plan.graded_from() && !planned(*day)
        })
        .max_by_key(|(day, _)| *day)?;
    let easy = (distance.km() / 5.0).ceil() as i64;
    let changes: Vec<Change> = s
        .changeable_workouts(day.next(), day.plus_days(easy))
        .filter(|w| w.workout.kind.is_quality() || w.workout.kind == WorkoutKind::Long)
        .filter_map(|w| modify(w, downgrade(&w.workout, 0.7, s.athlete), "Easy after the race"))
        .collect();
    let message = format!(
        "You raced {} on {day}, which was not in the plan. A day of easy running for each 5 km of it: until {}.",
        s.units.format_distance(*distance),
        day.plus_days(easy)
    );
    (!changes.is_empty()).then(|| s.adaptation(Cause::UnplannedRace, &(day, distance), message, changes))
}

/// A hard session was missed: it takes the place of an easy run within three days where it lies two days from everything
/// hard, else it is gone.
fn missed_quality(s: &Situation<'_>) -> Option<Adaptation> {
    let complete = s.athlete.as_of;
    let (planned, graded) = s.workouts.iter().zip(s.graded).rev().find(|(w, g)| {
        g.verdict == Verdict::Missed
            && g.excused.is_none()
            && w.workout.kind.is_quality()
            && g.day.days_until(complete) < 3
    })?;
    let hard = |day: Day| {
        s.workouts.iter().any(|w| {
            w.id != planned.id
                && (w.workout.kind.is_quality()
                    || matches!(w.workout.kind, WorkoutKind::Long | WorkoutKind::Race))
                && w.workout.date.days_until(day).abs() < 2
        })
    };
    let done = |day: Day| s.athlete.runs.iter().any(|run| run.hard && run.day.days_until(day).abs() < 2);
    let place = s.changeable_workouts(s.today, graded.day.plus_days(3)).find(|w| {
        matches!(w.workout.kind, WorkoutKind::Easy | WorkoutKind::Strides)
            && w.workout.sport == planned.workout.sport
            && !hard(w.workout.date)
            && !done(w.workout.date)
            && w.workout.date.days_until(s.plan.race_date) > 3
    })?;
    let moved = Workout { date: place.workout.date, ..planned.workout.clone() };
    let changes = vec![modify(place, moved, "In place of the easy run")?];
    let message = format!(
        "You missed \"{}\" on {}. It fits in place of the easy run on {}, two days from everything hard; the easy run is \
         dropped, nothing is doubled up.",
        planned.workout.name, graded.day, place.workout.date
    );
    Some(s.adaptation(Cause::MissedQuality, &(planned.id, graded.day), message, changes))
}

/// The rest of the plan breaks the rules on steps, held against what was really run: runs and weeks shrink to where they
/// do not.
fn too_much(s: &Situation<'_>) -> Option<Adaptation> {
    let mut workouts: Vec<Workout> = s.workouts.iter().map(|w| w.workout.clone()).collect();
    let mut shares = vec![1.0; workouts.len()];
    let too_big = |workouts: &[Workout]| -> Vec<super::lint::Finding> {
        let subject = LintInput::from_plan(s.plan, workouts);
        let steps = |rule: Rule| matches!(rule, Rule::LongestRunJump | Rule::WeeklyVolumeJump);
        lint(&subject, s.athlete, s.units)
            .into_iter()
            .filter(|f| {
                f.severity == Severity::Error
                    && steps(f.rule)
                    && f.day.is_some_and(|day| day.plus_days(6) >= s.today)
            })
            .collect()
    };
    let first = too_big(&workouts);
    let text = first.first()?.text.clone();
    // Which steps are too big; another day on which nothing new happened is no new fact.
    let facts: Vec<(Rule, Option<Day>)> = first.iter().map(|finding| (finding.rule, finding.day)).collect();
    let mut left = first;
    for _ in 0..MAX_ROUNDS {
        if left.is_empty() {
            break;
        }
        for finding in &left {
            let (Some(day), Some(value)) = (finding.day, finding.value.filter(|value| *value > 1.0)) else {
                continue;
            };
            let (days, share) = match finding.rule {
                Rule::LongestRunJump => (day..=day, 1.10 / value),
                _ => (day..=day.plus_days(6), 1.10 / value),
            };
            for ((planned, workout), left) in s.workouts.iter().zip(&mut workouts).zip(&mut shares) {
                let planned = &planned.workout;
                if days.contains(&planned.date)
                    && planned.date >= s.today
                    && planned.sport == Sport::Running
                    && planned.kind != WorkoutKind::Race
                {
                    // From what was planned, so that no repetition is lost to rounding on the way.
                    *left *= share.clamp(0.3, 0.99);
                    *workout = scale_workout(planned, *left);
                }
            }
        }
        left = too_big(&workouts);
    }
    if !left.is_empty() {
        return None;
    }
    let changes: Vec<Change> = s
        .workouts
        .iter()
        .zip(workouts)
        .filter_map(|(planned, next)| modify(planned, next, "No bigger step than the last weeks allow"))
        .collect();
    let message = format!("The rest of the plan is too big a step from what you ran. {text}");
    (!changes.is_empty()).then(|| s.adaptation(Cause::TooMuch, &facts, message, changes))
}

const MAX_ROUNDS: usize = 12;

/// A share of a workout, the same otherwise.
fn scale_workout(workout: &Workout, share: f64) -> Workout {
    match (workout.distance, workout.duration) {
        (Some(distance), _) if distance > Distance::ZERO => {
            let steps = (distance.km() * share * 10.0 + 1e-6).floor().max(1.0) / 10.0;
            Distance::from_km(steps).map_or_else(|| workout.clone(), |to| workout.resized(Size::Distance(to)))
        }
        (_, Some(duration)) => {
            let minutes = (duration.seconds() * share / 60.0).round().max(5.0);
            let to = crate::domain::units::TimeSpan::from_seconds(minutes * 60.0);
            to.map_or_else(|| workout.clone(), |to| workout.resized(Size::Duration(to)))
        }
        _ => workout.clone(),
    }
}

#[cfg(test)]
mod tests;
