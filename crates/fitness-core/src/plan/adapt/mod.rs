//! Built-in rules that propose plan changes after illness, injury, missed days, an unplanned race,
//! or when the plan no longer fits recent training. The athlete decides on each proposal.
//!
//! Only the athlete's own reports and days with complete data count. Missed training is never
//! doubled up.

pub(super) mod downgrade;
mod missed_days;
mod return_to_training;
mod self_report;

use super::lint::{LintInput, LintRule, Severity, lint};
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
    /// Why the rules propose a change.
    pub enum Cause("proposal cause") {
        /// The athlete reported an injury.
        Injury = "injury",
        /// The athlete reported an illness.
        Illness = "illness",
        /// The athlete feels bad today.
        LowFeeling = "low_feeling",
        MissedDays = "missed_days",
        MissedQuality = "missed_quality",
        UnplannedRace = "unplanned_race",
        /// The rest of the plan is too big a step from recent training.
        TooMuch = "too_much",
    }
}

/// A proposal of the rules, and what it is based on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Adaptation {
    pub cause: Cause,
    /// Explanation for the athlete.
    pub message: String,
    /// Proposed changes; empty if there is only a message.
    pub changes: Vec<Change>,
    /// Key of the facts behind it: a discarded proposal is not repeated for the same facts.
    pub follows_from: String,
}

impl Adaptation {
    /// The first day that it would change.
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

    /// Keeps the changes that the plan can take; the message says how many were left out.
    #[must_use]
    pub fn retain_applicable(mut self, plan: &Plan, current: &[PlannedWorkout], today: Day) -> Self {
        let all: BTreeSet<usize> = (0..self.changes.len()).collect();
        if self.changes.is_empty() {
            return self;
        }
        let Err(why) = apply(plan, current, &self.changes, &all, today) else { return self };
        let fitting = applicable_changes(plan, current, &self.changes, today);
        let left_out = pluralize((all.len() - fitting.len()) as u64, "change", "changes");
        self.message = format!("{} Left out: {left_out} ({why}).", self.message);
        let kept = self.changes.into_iter().enumerate().filter(|(at, _)| fitting.contains(at));
        self.changes = kept.map(|(_, change)| change).collect();
        self
    }
}

/// A plan and everything the rules look at.
#[derive(Debug, Clone, Copy)]
pub struct AdaptInput<'a> {
    pub plan: &'a Plan,
    /// Current workouts, by date.
    pub workouts: &'a [PlannedWorkout],
    /// Verdict of each workout, in the same order.
    pub graded: &'a [GradedWorkout],
    /// Observations about days; only accepted ones count.
    pub observations: &'a [Observation],
    /// Recorded races: day and distance.
    pub races: &'a [(Day, Distance)],
    pub athlete: &'a TrainingBaseline,
    pub today: Day,
    pub units: UnitSystem,
}

/// How many days ahead a change reaches, unless it is about the whole plan.
const LOOKAHEAD_DAYS: i64 = 14;

/// The most important proposal now; `None` if the plan can stay as it is.
#[must_use]
pub fn adapt(situation: &AdaptInput<'_>) -> Option<Adaptation> {
    adaptations(situation).next()
}

/// All proposals of the rules, most important first. A later one counts only if the athlete
/// discarded those before it.
pub fn adaptations(situation: &AdaptInput<'_>) -> impl Iterator<Item = Adaptation> {
    let over = situation.today > situation.plan.race_date;
    let rules = [injury, illness, low_feeling, missed_days, unplanned_race, missed_quality, too_much];
    rules.into_iter().filter(move |_| !over).filter_map(|rule| rule(situation))
}

impl<'a> AdaptInput<'a> {
    /// Workouts in a period that can still be changed; races and workouts done today are excluded.
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

    /// The newest accepted observation of a kind that covers today or ended less than `days` ago.
    fn latest_observation(&self, kind: ObservationKind, days: i64) -> Option<&'a Observation> {
        let recent = |o: &&Observation| {
            o.accepted
                && o.data.kind() == kind
                && o.data.from() <= self.today
                && o.data.through().days_until(self.today) < days
        };
        self.observations.iter().filter(recent).max_by_key(|o| (o.data.through(), o.id))
    }

    /// Days with a run since a day, including today if the data shows one.
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

/// Whether something was recorded for a workout.
fn is_done(graded: &GradedWorkout) -> bool {
    matches!(graded.verdict, Verdict::Hit | Verdict::Short)
        || graded.actual.is_some_and(|actual| actual.value() > 0)
}

/// A change to a workout; `None` if nothing would change.
fn modify(planned: &PlannedWorkout, workout: Workout, notes: &str) -> Option<Change> {
    (planned.workout != workout).then(|| Change::modify(planned, workout, Some(notes.to_owned())))
}

fn skip(planned: &PlannedWorkout, notes: &str) -> Change {
    Change::skip(planned, Some(notes.to_owned()))
}

/// Identifies a cause and its facts for one plan.
fn fact_key(cause: Cause, plan: PlanId, facts: &impl Serialize) -> String {
    ContentHash::hash_json(&(cause, plan, facts)).to_string()
}

/// An unplanned race: one easy day for each 5 km.
fn unplanned_race(s: &AdaptInput<'_>) -> Option<Adaptation> {
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
        "You raced {} on {day}, which was not in the plan. Take one easy day for each 5 km, until {}.",
        s.units.format_distance(*distance),
        day.plus_days(easy)
    );
    (!changes.is_empty()).then(|| s.adaptation(Cause::UnplannedRace, &(day, distance), message, changes))
}

/// A missed hard workout replaces an easy run within three days, two days from anything hard;
/// otherwise it is dropped.
fn missed_quality(s: &AdaptInput<'_>) -> Option<Adaptation> {
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
    let changes = vec![modify(place, moved, "Replaces the easy run")?];
    let message = format!(
        "You missed \"{}\" on {}. It can replace the easy run on {}, at least two days from any hard workout. The \
         easy run is dropped, so you do not run twice that day.",
        planned.workout.name, graded.day, place.workout.date
    );
    Some(s.adaptation(Cause::MissedQuality, &(planned.id, graded.day), message, changes))
}

/// The rest of the plan breaks R1 or R2 given recent training: shortens runs and weeks until it
/// does not.
fn too_much(s: &AdaptInput<'_>) -> Option<Adaptation> {
    let mut workouts: Vec<Workout> = s.workouts.iter().map(|w| w.workout.clone()).collect();
    let mut shares = vec![1.0; workouts.len()];
    let too_big = |workouts: &[Workout]| -> Vec<super::lint::Finding> {
        let subject = LintInput::from_plan(s.plan, workouts);
        let steps = |rule: LintRule| matches!(rule, LintRule::LongestRunJump | LintRule::WeeklyVolumeJump);
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
    // Which findings there are; another day without news is not a new fact.
    let facts: Vec<(LintRule, Option<Day>)> =
        first.iter().map(|finding| (finding.rule, finding.day)).collect();
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
                LintRule::LongestRunJump => (day..=day, 1.10 / value),
                _ => (day..=day.plus_days(6), 1.10 / value),
            };
            for ((planned, workout), left) in s.workouts.iter().zip(&mut workouts).zip(&mut shares) {
                let planned = &planned.workout;
                if days.contains(&planned.date)
                    && planned.date >= s.today
                    && planned.sport == Sport::Running
                    && planned.kind != WorkoutKind::Race
                {
                    // Scale the original workout, so that rounding does not lose repetitions.
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
        .filter_map(|(planned, next)| modify(planned, next, "Reduced to what your last weeks allow"))
        .collect();
    let message = format!("The rest of the plan is too big a step up from your recent running. {text}");
    (!changes.is_empty()).then(|| s.adaptation(Cause::TooMuch, &facts, message, changes))
}

const MAX_ROUNDS: usize = 12;

/// Scales a workout to a share of its length.
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
