//! Drafts: plans that are not active. The only plans a model can write.

mod json;

use super::{Availability, GoalDistance, PlanConstraints, Workout, WorkoutError, WorkoutKind};
use crate::domain::calendar::Day;
use crate::domain::content_hash::ContentHash;
use crate::domain::units::{Distance, TimeSpan};
use crate::domain::untrusted_text::{escape_invisible, is_printable, is_storable};
use serde::Serialize;

pub use json::{DraftRequest, DraftRequestError, ScheduleItem};

/// Two years of training twice a day.
pub const MAX_WORKOUTS: usize = 1500;
const MAX_PLAN_DAYS: i64 = 2 * 366;
const MAX_DAYS_AFTER_RACE: i64 = 42;
const MAX_NAME: usize = 120;

/// A complete, valid and immutable plan without an id or status. It has no effect.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Draft {
    name: String,
    goal: GoalDistance,
    distance: Option<Distance>,
    start_date: Day,
    race_date: Day,
    target_time: Option<TimeSpan>,
    workouts: Vec<Workout>,
    // Not part of the hash of a plan without constraints.
    #[serde(skip_serializing_if = "PlanConstraints::is_empty")]
    terms: PlanConstraints,
}

/// Why a plan is invalid. Each message says what to change.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DraftError {
    #[error("the plan's name must have 1 to {MAX_NAME} characters, none of them NUL")]
    Name,
    #[error("a custom goal needs a distance between 1 and 400 km; every other goal has a fixed distance")]
    Distance,
    #[error("the race on {race} must be 1 to {MAX_PLAN_DAYS} days after the start on {start}")]
    Dates { start: Day, race: Day },
    /// Impossible for the distance.
    #[error("a goal time of {0} is not possible for this distance")]
    Target(String),
    #[error("a plan must have 1 to {MAX_WORKOUTS} workouts, not {0}")]
    Count(usize),
    #[error("the workout on {day} is outside the plan, which covers {first} to {last}")]
    Outside { day: Day, first: Day, last: Day },
    #[error("a workout cannot be on {day}, which is {problem}; move the workout, or free the day")]
    Unavailable { day: Day, problem: &'static str },
    #[error("the race on {0} is not in the future; choose a later date")]
    RaceInPast(Day),
    #[error("the race on {0} is tomorrow, which is too soon to plan for; choose a later date")]
    RaceTooSoon(Day),
    /// Invisible or bidirectional control characters.
    #[error(
        "the name \"{0}\" contains invisible characters or characters that change the text direction; remove them"
    )]
    HiddenCharacters(String),
    #[error("the plan ended on {0}; a plan must end today or later")]
    PlanInPast(Day),
    #[error("at most {MAX_PLAN_DAYS} days can be blocked")]
    Blackouts,
    #[error("the workout on {day}: {problem}")]
    Workout { day: Day, problem: WorkoutError },
}

impl Draft {
    /// Validates a plan and sorts its workouts by day.
    pub fn new(
        name: &str,
        goal: GoalDistance,
        distance: Option<Distance>,
        start_date: Day,
        race_date: Day,
        target_time: Option<TimeSpan>,
        mut workouts: Vec<Workout>,
    ) -> Result<Self, DraftError> {
        let name = name.trim().to_owned();
        if !(1..=MAX_NAME).contains(&name.chars().count()) || !is_storable(&name) {
            return Err(DraftError::Name);
        }
        let distance = match (goal.distance(), distance) {
            (Some(own), None) => own,
            (Some(own), Some(given)) if own == given => own,
            (None, Some(given)) if (1.0..=400.0).contains(&given.km()) => given,
            _ => return Err(DraftError::Distance),
        };
        if !(1..=MAX_PLAN_DAYS).contains(&start_date.days_until(race_date)) {
            return Err(DraftError::Dates { start: start_date, race: race_date });
        }
        // 1:30 per km is faster than any human has raced; 30 minutes per km is a slow walk.
        if let Some(target) = target_time
            && !(90.0..=1800.0).contains(&(target.seconds() / distance.km()))
        {
            return Err(DraftError::Target(target.format_clock()));
        }
        if !(1..=MAX_WORKOUTS).contains(&workouts.len()) {
            return Err(DraftError::Count(workouts.len()));
        }
        check_workouts(&workouts, start_date, race_date)?;
        workouts.sort_by_key(|workout| workout.date);
        let (distance, terms) = (Some(distance), PlanConstraints::default());
        Ok(Self { name, goal, distance, start_date, race_date, target_time, workouts, terms })
    }

    /// A plan from a file: with a race, or without one if it is custom and has no distance.
    /// Workouts on excluded days are kept: the athlete put them there.
    pub fn from_parts(
        name: &str,
        (goal, distance): (GoalDistance, Option<Distance>),
        (start_date, race_date): (Day, Day),
        target_time: Option<TimeSpan>,
        terms: PlanConstraints,
        workouts: Vec<Workout>,
    ) -> Result<Self, DraftError> {
        let draft = match distance {
            None if goal == GoalDistance::Custom => {
                Self::without_race(name, start_date, race_date, workouts)?
            }
            distance => Self::new(name, goal, distance, start_date, race_date, target_time, workouts)?,
        };
        draft.set_constraints(terms)
    }

    /// Training without a race, until its last day.
    pub fn without_race(
        name: &str,
        start_date: Day,
        last: Day,
        workouts: Vec<Workout>,
    ) -> Result<Self, DraftError> {
        // The distance is only needed for validation and is not stored.
        let distance = Some(Distance::from_mm(5_000_000));
        let draft = Self::new(name, GoalDistance::Custom, distance, start_date, last, None, workouts)?;
        if let Some(after) = draft.workouts.iter().find(|workout| workout.date > last) {
            return Err(DraftError::Outside { day: after.date, first: start_date.iso_week().monday(), last });
        }
        Ok(Self { distance: None, ..draft })
    }

    /// Sets the constraints.
    ///
    /// # Errors
    /// If a workout other than a race is on an excluded day.
    pub fn with_constraints(self, terms: PlanConstraints) -> Result<Self, DraftError> {
        check_availability(&self.workouts, &terms.availability)?;
        self.set_constraints(terms)
    }

    fn set_constraints(self, terms: PlanConstraints) -> Result<Self, DraftError> {
        if terms.availability.blackouts.len() > MAX_PLAN_DAYS as usize {
            return Err(DraftError::Blackouts);
        }
        Ok(Self { terms, ..self })
    }

    /// Warnings for workouts on excluded days, which a file may contain.
    #[must_use]
    pub fn describe_days_off_used(&self) -> Vec<String> {
        let busy = self.workouts.iter().filter(|w| !w.is_rest() && w.kind != WorkoutKind::Race);
        busy.filter_map(|workout| {
            let problem = self.terms.availability.unavailable_reason(workout.date)?;
            let day = workout.date;
            let name = escape_invisible(&workout.name);
            Some(format!("{name} is on {} {day}, which is {problem}.", day.weekday()))
        })
        .collect()
    }

    /// Checks that apply only to new plans: it is in the future, its names have no hidden
    /// characters, and its steps are possible.
    pub fn check_new(&self, today: Day) -> Result<(), DraftError> {
        self.check_in_future(today)?;
        for name in self.workouts.iter().map(|workout| &workout.name).chain([&self.name]) {
            check_name(name)?;
        }
        for workout in &self.workouts {
            for (at, step) in workout.steps.iter().enumerate() {
                if let Some(problem) = step.infeasible_reason() {
                    let problem = WorkoutError::Step { number: at + 1, problem };
                    return Err(DraftError::Workout { day: workout.date, problem });
                }
            }
        }
        Ok(())
    }

    /// Checks that the race is after tomorrow or, without a race, that the plan has not ended.
    fn check_in_future(&self, today: Day) -> Result<(), DraftError> {
        if self.distance.is_some() {
            return match today.days_until(self.race_date) {
                ..=0 => Err(DraftError::RaceInPast(self.race_date)),
                1 => Err(DraftError::RaceTooSoon(self.race_date)),
                _ => Ok(()),
            };
        }
        let last = self.workouts.iter().map(|workout| workout.date).max().unwrap_or(self.race_date);
        let last = last.max(self.race_date);
        if last < today { Err(DraftError::PlanInPast(last)) } else { Ok(()) }
    }

    #[must_use]
    pub const fn constraints(&self) -> &PlanConstraints {
        &self.terms
    }

    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    #[must_use]
    pub const fn goal(&self) -> GoalDistance {
        self.goal
    }

    #[must_use]
    pub const fn distance(&self) -> Option<Distance> {
        self.distance
    }

    #[must_use]
    pub const fn start_date(&self) -> Day {
        self.start_date
    }

    #[must_use]
    pub const fn race_date(&self) -> Day {
        self.race_date
    }

    #[must_use]
    pub const fn target_time(&self) -> Option<TimeSpan> {
        self.target_time
    }

    #[must_use]
    pub fn workouts(&self) -> &[Workout] {
        &self.workouts
    }

    /// Hash of the content that the athlete reviews before activating.
    #[must_use]
    pub fn content_hash(&self) -> ContentHash {
        ContentHash::hash_json(self)
    }
}

/// Checks a new name for hidden characters. HTML and any script are allowed and escaped when shown.
pub(super) fn check_name(name: &str) -> Result<(), DraftError> {
    if is_printable(name) {
        Ok(())
    } else {
        Err(DraftError::HiddenCharacters(escape_invisible(name).to_string()))
    }
}

/// Days that a plan's workouts can be on.
pub(super) fn allowed_days(start: Day, race: Day) -> std::ops::RangeInclusive<Day> {
    // Days from Monday to the start are `not_started`; recovery may follow the race.
    start.iso_week().monday()..=race.plus_days(MAX_DAYS_AFTER_RACE)
}

/// Checks that every workout is valid and within the plan's dates.
pub(super) fn check_workouts(workouts: &[Workout], start: Day, race: Day) -> Result<(), DraftError> {
    let (first, last) = allowed_days(start, race).into_inner();
    for workout in workouts {
        let day = workout.date;
        if !(first..=last).contains(&day) {
            return Err(DraftError::Outside { day, first, last });
        }
        workout.check().map_err(|problem| DraftError::Workout { day, problem })?;
    }
    Ok(())
}

/// Checks that only races are on days the athlete cannot train on.
pub(super) fn check_availability(
    workouts: &[Workout],
    availability: &Availability,
) -> Result<(), DraftError> {
    for workout in workouts.iter().filter(|workout| !workout.is_rest() && workout.kind != WorkoutKind::Race) {
        if let Some(problem) = availability.unavailable_reason(workout.date) {
            return Err(DraftError::Unavailable { day: workout.date, problem });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
