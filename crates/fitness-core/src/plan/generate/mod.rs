//! Drafts a periodized plan from what an athlete really runs.
//!
//! The volume starts at their base and grows no faster than the evidence allows ([`volume`]); every week gets its days
//! ([`days`]) and its sessions ([`session`], each made in [`workouts`]); then the linter reads the whole, and what it calls an error makes the plan
//! smaller until nothing is one. What the athlete should know is said in plain sentences, never hidden in a bigger number.

mod days;
mod from_zero;
mod paces;
mod pauses;
mod remarks;
mod session;
mod strength;
mod target;
mod volume;
mod workouts;

pub use target::{PaceCard, Split, Support, finish_on_race_day, pace_card, support, told_target};
pub use volume::Phase;

use super::limits::{self, Class};
use super::lint::{self, Finding, Severity, Subject};
use super::{Availability, Background, BadDraft, Draft, Goal, Level, Terms, Weekdays, Workout, race_weeks};
use crate::calendar::{Day, Weekday};
use crate::metrics::predict::Mark;
use crate::sport::Sport;
use crate::units::{Distance, TimeSpan, UnitSystem};
use serde::Serialize;
use std::collections::BTreeSet;
use volume::PlanWeek;

/// What an athlete asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Wish {
    /// What to call the plan; made from goal and date when absent.
    pub name: Option<String>,
    /// The race.
    pub goal: Goal,
    /// How far, for a custom goal.
    pub distance: Option<Distance>,
    /// The first day that counts.
    pub start: Day,
    /// The day of the race.
    pub race: Day,
    /// The time hoped for; `None` to just finish.
    pub target: Option<TimeSpan>,
    /// When the athlete can train.
    pub availability: Availability,
    /// The weekday of the long run; the weekend when not said.
    pub long_day: Option<Weekday>,
    /// A race along the way.
    pub tune_up: Option<TuneUp>,
    /// Two short strength sessions a week.
    pub strength: bool,
    /// Another sport on a day without a run.
    pub cross: Option<Sport>,
    /// How distances are rounded and spoken.
    pub units: UnitSystem,
}

/// A race along the way: a hard day with a few easy ones around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TuneUp {
    /// When.
    pub on: Day,
    /// How far.
    #[serde(rename = "distance_mm")]
    pub distance: Distance,
}

/// A drafted plan and what to know about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Generated {
    /// The plan, inert.
    pub draft: Draft,
    /// What the linter says; no errors.
    pub findings: Vec<Finding>,
    /// What the athlete should know, one plain sentence each.
    pub remarks: Vec<String>,
    /// Its weeks in outline.
    pub weeks: Vec<Outline>,
}

/// A week of a drafted plan in outline.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Outline {
    /// Its first day.
    pub first: Day,
    /// What it is for.
    pub phase: Phase,
    /// Whether it is an easier one.
    pub cutback: bool,
}

/// Why no plan was drafted. Each says what to change.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadWish {
    /// The race was.
    #[error("the race on {0} is not in the future; give a later day")]
    Past(Day),
    /// Nothing can be trained any more.
    #[error(
        "the race on {0} is too near to plan for: training needs at least 5 days to show; rest, and run easy if you run"
    )]
    TooNear(Day),
    /// Longer than anybody plans.
    #[error("the race on {0} is more than two years away; give a day within two years")]
    TooFar(Day),
    /// No human runs that.
    #[error("{0}; give a slower target, or none")]
    Target(String),
    /// Beyond 50 km nothing published supports a time.
    #[error("beyond 50 km there is no evidence to plan a time from; leave the target out")]
    TargetBeyondEvidence,
    /// A race cannot be trained for on so few days.
    #[error("{needed} days a week are needed for this race, and {given} are free; free another weekday")]
    TooFewDays {
        /// Days it takes.
        needed: usize,
        /// Days there are.
        given: usize,
    },
    /// The weekday of the long run is not one to train on.
    #[error("the long run's weekday is not one of the days you train on ({0}); name one of them")]
    LongDay(Weekdays),
    /// The level is asked for, not guessed.
    #[error("your history is shorter than 28 days; say how much you run: novice, inter or adv")]
    AskLevel,
    /// The step from here to there is too big for the time.
    #[error(
        "a {race} from {base} a week needs at least {weeks} weeks; choose a later race or a shorter one, or build up to {needed} a week first"
    )]
    Base {
        /// The race.
        race: &'static str,
        /// What is run now.
        base: String,
        /// Weeks it takes.
        weeks: i64,
        /// What a week should hold before.
        needed: String,
    },
    /// A race along the way that does not fit.
    #[error(
        "the race along the way must lie between the start and ten days before the main race, and be no longer than it"
    )]
    TuneUp,
    /// The day of the race is one without training.
    #[error("the race on {0} is one of the days you cannot train; take it out of the blocked days")]
    RaceBlocked(Day),
    /// So much is blocked that nothing is left.
    #[error("too many days are blocked: {0} free days are left before the race; unblock some")]
    Blocked(usize),
    /// The rules contradict each other for this athlete.
    #[error(
        "no plan without a safety error can be made for this: {0} Choose a later race or a shorter one, or free more days \
         to train"
    )]
    Unsafe(String),
    /// The parts do not make a plan.
    #[error(transparent)]
    Draft(#[from] BadDraft),
}

/// Weeks from nothing to a marathon.
const WEEKS_FROM_ZERO: i64 = 20;
/// Kilometres a week a marathon plan starts from.
const MARATHON_BASE: f64 = 20.0;
/// A week whose athlete runs less than this starts from nothing.
const NOTHING: f64 = 5.0;
const MAX_PLAN_DAYS: i64 = 2 * 366;

/// Drafts a plan.
///
/// # Errors
/// When what is asked for cannot be planned for; each says what to change.
pub fn generate(wish: &Wish, athlete: &Background) -> Result<Generated, BadWish> {
    let race = check(wish, athlete)?;
    let level = athlete.level().map_err(|_| BadWish::AskLevel)?;
    let base = athlete.base().map_or(0.0, Distance::km);
    check_base(wish, race, level, base)?;
    let from_zero = base < NOTHING;
    let mut remarks = target::remarks(wish, race, athlete);
    let (mut shrink, mut last) = (1.0, Vec::new());
    for _ in 0..MAX_TRIES {
        let (workouts, weeks, said) = if from_zero {
            from_zero::plan(wish, race, athlete)
        } else {
            from_base(wish, race, level, athlete, shrink)
        };
        let name = wish.name.clone().unwrap_or_else(|| format!("{} {}", wish.goal.spoken(), wish.race));
        let draft =
            Draft::new(&name, wish.goal, wish.distance, wish.start, wish.race, wish.target, workouts)?
                .under(Terms { availability: wish.availability.clone(), stated: athlete.stated })?;
        let findings = lint::lint(&Subject::of_draft(&draft), athlete, wish.units);
        last = findings.iter().filter(|f| f.severity == Severity::Error).cloned().collect();
        if last.is_empty() {
            remarks.extend(said);
            return Ok(Generated { draft, findings, remarks, weeks });
        }
        shrink *= SMALLER;
    }
    Err(BadWish::Unsafe(last.iter().map(|f| f.text.as_str()).collect::<Vec<_>>().join(" ")))
}

/// How often a plan with errors is made smaller, and by how much.
const MAX_TRIES: usize = 10;
const SMALLER: f64 = 0.95;

/// Checks what is asked for, and gives the race's distance.
fn check(wish: &Wish, athlete: &Background) -> Result<Distance, BadWish> {
    let left = wish.start.until(wish.race);
    match left {
        ..=0 => return Err(BadWish::Past(wish.race)),
        1..5 => return Err(BadWish::TooNear(wish.race)),
        MAX_PLAN_DAYS.. => return Err(BadWish::TooFar(wish.race)),
        _ => {}
    }
    if wish.race <= athlete.as_of {
        return Err(BadWish::Past(wish.race));
    }
    let race = match (wish.goal.distance(), wish.distance) {
        (Some(own), _) => own,
        (None, Some(given)) if (1.0..=400.0).contains(&given.km()) => given,
        _ => return Err(BadDraft::Distance.into()),
    };
    if let Some(target) = wish.target {
        if race > limits::BEYOND_EVIDENCE {
            return Err(BadWish::TargetBeyondEvidence);
        }
        Mark::new(race, target).map_err(|why| BadWish::Target(unspoken(&why.to_string())))?;
    }
    let class = Class::of(race);
    let needed = if class == Class::Full && left < 12 * 7 { 4 } else { 3 };
    if wish.availability.days.len() < needed {
        return Err(BadWish::TooFewDays { needed, given: wish.availability.days.len() });
    }
    if wish.long_day.is_some_and(|day| !wish.availability.days.contains(day)) {
        return Err(BadWish::LongDay(wish.availability.days));
    }
    if wish.availability.blackouts.contains(&wish.race) {
        return Err(BadWish::RaceBlocked(wish.race));
    }
    let free = wish.start.through(wish.race).filter(|day| is_open(wish, *day)).count();
    if free < 3 {
        return Err(BadWish::Blocked(free));
    }
    if let Some(tune_up) = wish.tune_up {
        let fits = tune_up.on >= wish.start
            && tune_up.on.until(wish.race) >= 10
            && (1.0..=race.km()).contains(&tune_up.distance.km())
            && !wish.availability.blackouts.contains(&tune_up.on);
        if !fits {
            return Err(BadWish::TuneUp);
        }
    }
    Ok(race)
}

/// What follows "outside what the formula was made for: ".
fn unspoken(why: &str) -> String {
    why.rsplit_once(": ").map_or(why, |(_, what)| what).to_owned()
}

/// A marathon is not begun from nothing in a few weeks.
fn check_base(wish: &Wish, race: Distance, level: Level, base: f64) -> Result<(), BadWish> {
    let weeks = (wish.start.until(wish.race) + 1) / 7;
    let refuse = |race, weeks, needed: f64| {
        let shown = |km: f64| wish.units.distance(Distance::from_km(km).unwrap_or_default()).to_string();
        Err(BadWish::Base { race, base: shown(base), weeks, needed: shown(needed) })
    };
    match Class::of(race) {
        Class::Full if level == Level::Novice && base < MARATHON_BASE && weeks < WEEKS_FROM_ZERO => {
            refuse("marathon", WEEKS_FROM_ZERO, MARATHON_BASE)
        }
        Class::Half if base < NOTHING && weeks < 12 => refuse("half marathon", 12, 15.0),
        Class::TenK if base < NOTHING && weeks < 8 => refuse("10K", 8, 10.0),
        Class::FiveK if base < NOTHING && weeks < 6 => refuse("5K", 6, 6.0),
        _ => Ok(()),
    }
}

/// Whether an athlete can train on a day.
fn is_open(wish: &Wish, day: Day) -> bool {
    wish.availability.allows(day)
}

/// A plan for somebody who runs.
fn from_base(
    wish: &Wish,
    race: Distance,
    level: Level,
    athlete: &Background,
    shrink: f64,
) -> (Vec<Workout>, Vec<Outline>, Vec<String>) {
    let shape = volume::Shape::new(wish, race, level, athlete, shrink);
    let (weeks, remarks) = volume::outline(&shape, wish, athlete);
    let mut workouts = session::fill(&shape, wish, athlete, &weeks);
    complete(&mut workouts, wish);
    (workouts, outlined(&weeks), remarks)
}

fn outlined(weeks: &[PlanWeek]) -> Vec<Outline> {
    weeks
        .iter()
        .map(|week| Outline { first: week.week.first, phase: week.phase, cutback: week.cutback })
        .collect()
}

/// Writes down the days off, from the Monday of the first week to the race, so that every day says what it is.
fn complete(workouts: &mut Vec<Workout>, wish: &Wish) {
    let taken: BTreeSet<Day> = workouts.iter().map(|workout| workout.date).collect();
    let first = wish.start.iso_week().monday();
    workouts.extend(first.through(wish.race).filter(|day| !taken.contains(day)).map(|day| {
        let reason = wish.availability.blackouts.contains(&day).then(|| "Blocked day".to_owned());
        Workout { description: reason, ..Workout::rest(day) }
    }));
    workouts.sort_by_key(|workout| workout.date);
}

/// The full weeks of the plan.
fn weeks_of(wish: &Wish) -> Vec<super::Week> {
    race_weeks(wish.start, wish.race)
}

#[cfg(test)]
mod tests;
