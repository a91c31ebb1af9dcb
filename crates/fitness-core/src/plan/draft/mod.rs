//! Drafts: a plan that nobody has committed. The only plan a model can write.

mod json;

use super::{Availability, Goal, PlanConstraints, Workout, WorkoutError, WorkoutKind};
use crate::domain::calendar::Day;
use crate::domain::content_hash::ContentHash;
use crate::domain::units::{Distance, TimeSpan};
use crate::domain::untrusted_text::{escape_invisible, is_printable, is_storable};
use serde::Serialize;

pub use json::{DraftRequest, DraftRequestError, ScheduleItem};

/// More workouts than two years of training twice a day would need is not a plan.
pub const MAX_WORKOUTS: usize = 1500;
const MAX_PLAN_DAYS: i64 = 2 * 366;
const MAX_DAYS_AFTER_RACE: i64 = 42;
const MAX_NAME: usize = 120;

/// A plan as proposed: whole, valid, immutable and inert. It has no id and no status.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Draft {
    name: String,
    goal: Goal,
    distance: Option<Distance>,
    start_date: Day,
    race_date: Day,
    target_time: Option<TimeSpan>,
    workouts: Vec<Workout>,
    // Absent from the hash of a plan that was made under none.
    #[serde(skip_serializing_if = "PlanConstraints::is_empty")]
    terms: PlanConstraints,
}

/// Why something is not a plan. Each says what to change.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DraftError {
    /// Empty or overlong.
    #[error("the plan's name has 1 to {MAX_NAME} characters, none of them NUL")]
    Name,
    /// A custom goal says how far; a named one already does.
    #[error("a custom goal needs a distance between 1 and 400 km, and a named goal takes none of its own")]
    Distance,
    /// The race must come after the start, within two years.
    #[error("the race on {race} must be 1 to {MAX_PLAN_DAYS} days after the start on {start}")]
    Dates {
        /// The first day.
        start: Day,
        /// The day of the race.
        race: Day,
    },
    /// A target nobody can mean.
    #[error("a target time of {0} for this distance is not possible")]
    Target(String),
    /// Nothing to do, or far too much.
    #[error("a plan has 1 to {MAX_WORKOUTS} workouts, not {0}")]
    Count(usize),
    /// A workout outside the plan's weeks.
    #[error("the workout on {day} is outside the plan, whose workouts may be from {first} to {last}")]
    Outside {
        /// Where the workout is.
        day: Day,
        /// The Monday of the first week.
        first: Day,
        /// The last day a workout may be on.
        last: Day,
    },
    /// A workout on a day the athlete cannot train on.
    #[error("the workout on {day} cannot be: {day} {problem}; move it, or free the day")]
    Unavailable {
        /// Where it is.
        day: Day,
        /// Why not.
        problem: &'static str,
    },
    /// A race of the past.
    #[error("the race on {0} is not in the future; give a later day")]
    RaceInPast(Day),
    /// A race that nobody can prepare for any more.
    #[error("the race on {0} is tomorrow, too near to plan for; give a later day")]
    RaceTooSoon(Day),
    /// A name that is not what it seems.
    #[error(
        "the name \"{0}\" has characters in it that are not seen, or that turn a line around; write it without them"
    )]
    HiddenCharacters(String),
    /// A plan of the past.
    #[error("the plan ended on {0}, and that day is over; give a plan that ends today or later")]
    PlanInPast(Day),
    /// More blocked days than a plan has.
    #[error("at most {MAX_PLAN_DAYS} days can be blocked")]
    Blackouts,
    /// A workout that breaks a bound.
    #[error("the workout on {day}: {problem}")]
    Workout {
        /// Where it is.
        day: Day,
        /// What is wrong with it.
        problem: WorkoutError,
    },
}

impl Draft {
    /// Checks a plan and puts its workouts in order of their days.
    ///
    /// # Errors
    /// Names the first thing that must change.
    pub fn new(
        name: &str,
        goal: Goal,
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
        // 1:30 per km is faster than any human has run any race distance; 30 minutes per km is a slow walk.
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

    /// A plan as it was written down: with a race, or without one when it is custom and has no distance. Whatever stands in
    /// it on a day that its terms rule out was put there by the athlete's hand, and stands.
    ///
    /// # Errors
    /// Names the first thing that must change.
    pub fn from_parts(
        name: &str,
        (goal, distance): (Goal, Option<Distance>),
        (start_date, race_date): (Day, Day),
        target_time: Option<TimeSpan>,
        terms: PlanConstraints,
        workouts: Vec<Workout>,
    ) -> Result<Self, DraftError> {
        let draft = match distance {
            None if goal == Goal::Custom => Self::without_race(name, start_date, race_date, workouts)?,
            distance => Self::new(name, goal, distance, start_date, race_date, target_time, workouts)?,
        };
        draft.set_constraints(terms)
    }

    /// A stretch of training without a race: it ends on its last day.
    ///
    /// # Errors
    /// Names the first thing that must change.
    pub fn without_race(
        name: &str,
        start_date: Day,
        last: Day,
        workouts: Vec<Workout>,
    ) -> Result<Self, DraftError> {
        // Any distance will do to be checked by; it is not kept.
        let distance = Some(Distance::from_mm(5_000_000));
        let draft = Self::new(name, Goal::Custom, distance, start_date, last, None, workouts)?;
        if let Some(after) = draft.workouts.iter().find(|workout| workout.date > last) {
            return Err(DraftError::Outside { day: after.date, first: start_date.iso_week().monday(), last });
        }
        Ok(Self { distance: None, ..draft })
    }

    /// The same plan, made under terms.
    ///
    /// # Errors
    /// Names the first workout that is on another day; a race is where it is.
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

    /// What of it is on a day that its terms rule out, to be told: a file may hold what was put there by hand.
    #[must_use]
    pub fn describe_days_off_used(&self) -> Vec<String> {
        let busy = self.workouts.iter().filter(|w| !w.is_rest() && w.kind != WorkoutKind::Race);
        busy.filter_map(|workout| {
            let problem = self.terms.availability.unavailable_reason(workout.date)?;
            let day = workout.date;
            Some(format!("{} {day} {problem}: {}", day.weekday(), escape_invisible(&workout.name)))
        })
        .collect()
    }

    /// Checks what a plan is held to when it is written down anew, and no longer when it stands: it is still to come, its
    /// names are what they seem, and its steps can be followed.
    ///
    /// # Errors
    /// Names the first thing that must change.
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

    /// Checks that its race is after tomorrow, or that something of it is still to come where it has none.
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

    /// What it was made under.
    #[must_use]
    pub const fn constraints(&self) -> &PlanConstraints {
        &self.terms
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it trains for.
    #[must_use]
    pub const fn goal(&self) -> Goal {
        self.goal
    }

    /// The race distance.
    #[must_use]
    pub const fn distance(&self) -> Option<Distance> {
        self.distance
    }

    /// The first day that counts.
    #[must_use]
    pub const fn start_date(&self) -> Day {
        self.start_date
    }

    /// The day of the race.
    #[must_use]
    pub const fn race_date(&self) -> Day {
        self.race_date
    }

    /// The time hoped for.
    #[must_use]
    pub const fn target_time(&self) -> Option<TimeSpan> {
        self.target_time
    }

    /// In order of their days.
    #[must_use]
    pub fn workouts(&self) -> &[Workout] {
        &self.workouts
    }

    /// What an athlete sees before committing, in 32 bytes.
    #[must_use]
    pub fn content_hash(&self) -> ContentHash {
        ContentHash::hash_json(self)
    }
}

/// Checks that a new name is what it seems. HTML and any script are text, and escaped where they are shown.
pub(super) fn check_name(name: &str) -> Result<(), DraftError> {
    if is_printable(name) {
        Ok(())
    } else {
        Err(DraftError::HiddenCharacters(escape_invisible(name).to_string()))
    }
}

/// The days a plan's workouts may be on.
pub(super) fn allowed_days(start: Day, race: Day) -> std::ops::RangeInclusive<Day> {
    // The days from Monday to the start are listed, as `not_started`; recovery may follow the race.
    start.iso_week().monday()..=race.plus_days(MAX_DAYS_AFTER_RACE)
}

/// Checks that every workout is sound and within the plan's weeks.
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

/// Checks that nothing but a race is on a day the athlete cannot train on.
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
