//! Drafts a periodized plan from what an athlete really runs.
//!
//! The volume starts at their base and grows no faster than the evidence allows ([`volume`]); every week gets its days
//! ([`days`]) and its sessions ([`session`], each made in [`workouts`]); then the linter reads the whole, and what it calls an error makes the plan
//! smaller until nothing is one. What the athlete should know is said in plain sentences, never hidden in a bigger number.

mod alternatives;
mod beginner;
mod blackouts;
mod error;
mod goal_time;
mod long_runs;
mod longest_run;
mod notes;
mod paces;
mod repair;
mod strength;
mod unavailable_days;
mod volume;
mod week_layout;
mod weekdays;
mod workouts;

pub use error::GenerateError;
pub use goal_time::{
    GoalSupport, PaceCard, Split, describe_target, finish_on_race_day, goal_support, pace_card,
};
pub use volume::Phase;

use super::baseline::DATA_GAP_DAYS;
use super::lint::{self, Finding, LintInput, Severity};
use super::training_norms::{self, RaceClass, ZERO_BASE_KM};
use super::{
    Availability, Draft, DraftError, GenerateOptions, Goal, Level, PlanConstraints, SelfReported,
    TrainingBaseline, Workout, race_weeks,
};
use crate::domain::calendar::{Day, Weekday};
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan, UnitSystem};
use crate::metrics::predict::Performance;
use repair::Repairs;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use volume::PlanWeek;

/// What an athlete asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanRequest {
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

impl PlanRequest {
    /// What a plan keeps of it.
    fn constraints(&self, stated: SelfReported) -> PlanConstraints {
        let Self { long_day, tune_up, strength, cross, .. } = *self;
        let wished = GenerateOptions { named: self.name.is_some(), long_day, tune_up, strength, cross };
        PlanConstraints { availability: self.availability.clone(), stated, wished }
    }
}

/// A race along the way: a hard day with a few easy ones around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TuneUp {
    /// When.
    pub on: Day,
    /// How far.
    #[serde(rename = "distance_mm")]
    pub distance: Distance,
}

/// A drafted plan and what to know about it.
#[derive(Debug, Clone, PartialEq)]
pub struct GeneratedPlan {
    /// The plan, inert.
    pub draft: Draft,
    /// What the linter says; no errors.
    pub findings: Vec<Finding>,
    /// What the athlete should know, one plain sentence each.
    pub notes: Vec<String>,
    /// Its weeks in outline.
    pub weeks: Vec<WeekOutline>,
}

/// A week of a drafted plan in outline.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WeekOutline {
    /// Its first day.
    pub first: Day,
    /// What it is for.
    pub phase: Phase,
    /// Whether it is an easier one.
    pub cutback: bool,
}

/// Weeks from nothing to a marathon.
const WEEKS_FROM_ZERO: i64 = 20;
/// Kilometres a week a marathon plan starts from.
const MARATHON_BASE: f64 = 20.0;
const MAX_PLAN_DAYS: i64 = 2 * 366;

/// Drafts a plan.
///
/// # Errors
/// When what is asked for cannot be planned for; each says what to change.
pub fn generate(wish: &PlanRequest, athlete: &TrainingBaseline) -> Result<GeneratedPlan, GenerateError> {
    if let Some(mark) = unavailable_days::unavailable_on(athlete, wish.race) {
        return Err(GenerateError::RaceUnavailable { race: wish.race, why: mark.why });
    }
    wish.name.as_deref().map_or(Ok(()), super::draft::check_name)?;
    let free = unavailable_days::block_unavailable_days(wish, athlete);
    let race = validate_request(&free, athlete)?;
    let level = athlete.level().map_err(|_| GenerateError::MissingLevel)?;
    let brings = effective_baseline(athlete);
    let base = brings.base().map_or(0.0, Distance::km);
    check_base(wish, race, level, base, athlete)?;
    check_tune_up(wish, base, &unavailable_days::return_periods(wish, athlete))?;
    let (faults, mut made) = best_attempt(wish, &free, race, level, athlete)?;
    if faults > 0 {
        let speaks = |finding: &&Finding| finding.severity != Severity::Note;
        let said = made.findings.iter().filter(speaks).map(|finding| finding.text.as_str());
        let said = said.collect::<Vec<_>>().join(" ");
        return Err(GenerateError::Unsafe { said, change: alternatives::suggest_changes(wish, athlete) });
    }
    let mut remarks = goal_time::notes(wish, race, athlete);
    remarks.extend(notes::data_gap_note(athlete));
    remarks.extend(unavailable_days::notes(wish, athlete));
    remarks.append(&mut made.notes);
    Ok(GeneratedPlan { notes: remarks, ..made })
}

/// What a plan is made from. Where the data ended long ago and the athlete says nothing of what they run, it is as for a
/// pause: nobody knows that they ran. The linter goes on to look at what is known.
fn effective_baseline(athlete: &TrainingBaseline) -> TrainingBaseline {
    if athlete.has_data_gap() { athlete.as_if_paused() } else { athlete.clone() }
}

/// Makes a plan, and makes it anew from what the linter says until that is fit to be shown; gives the best, and how much is
/// wrong with it. `free` is the wish without the days that are marked.
fn best_attempt(
    wish: &PlanRequest,
    free: &PlanRequest,
    race: Distance,
    level: Level,
    athlete: &TrainingBaseline,
) -> Result<(usize, GeneratedPlan), GenerateError> {
    let brings = effective_baseline(athlete);
    let from_zero = volume::starting_base(&brings) < ZERO_BASE_KM;
    let (mut shrink, mut mending) = (1.0, Repairs::default());
    let mut best: Option<(usize, GeneratedPlan)> = None;
    for _ in 0..MAX_ATTEMPTS {
        let (workouts, weeks, remarks) = if from_zero {
            beginner::plan(free, race, &brings, athlete.has_data_gap())
        } else {
            generate_from_base(free, race, level, &brings, shrink, &mending)
        };
        let name = wish
            .name
            .clone()
            .unwrap_or_else(|| format!("{} on {}", wish.goal.label(), wish.race.format_long()));
        let draft =
            Draft::new(&name, wish.goal, wish.distance, wish.start, wish.race, wish.target, workouts)?
                .with_constraints(wish.constraints(athlete.self_reported))?;
        let findings = lint::lint(&LintInput::from_draft(&draft), athlete, wish.units);
        let faults = penalty(&findings);
        let mut next = mending.clone();
        if faults > 0 {
            let every = lint::lint_each_day(&LintInput::from_draft(&draft), athlete, wish.units);
            next.add_findings(&every, wish, draft.workouts());
        }
        let made = GeneratedPlan { draft, findings, notes: remarks, weeks };
        if faults == 0 {
            return Ok((0, made));
        }
        if best.as_ref().is_none_or(|(fewest, _)| faults < *fewest) {
            best = Some((faults, made));
        }
        if next == mending {
            shrink *= SHRINK_FACTOR;
        }
        mending = next;
    }
    Ok(best.expect("there is at least one try"))
}

/// How often a plan is made anew from what the linter said, and by how much it shrinks when that says nothing new.
const MAX_ATTEMPTS: usize = 24;
const SHRINK_FACTOR: f64 = 0.95;
/// As many warnings a plan may have.
const MAX_WARNINGS: usize = 2;

/// What keeps a plan from being shown: every error, and every warning beyond two. An error weighs more than any warning.
fn penalty(findings: &[Finding]) -> usize {
    let of = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    of(Severity::Error) * 100 + of(Severity::Warning).saturating_sub(MAX_WARNINGS)
}

/// Checks what is asked for, and gives the race's distance.
fn validate_request(wish: &PlanRequest, athlete: &TrainingBaseline) -> Result<Distance, GenerateError> {
    let left = wish.start.days_until(wish.race);
    if wish.race > athlete.as_of && left < 0 {
        return Err(GenerateError::StartsTooLate { start: wish.start, race: wish.race });
    }
    match left {
        ..=0 => return Err(GenerateError::Past(wish.race)),
        1..5 => return Err(GenerateError::TooNear(wish.race)),
        MAX_PLAN_DAYS.. => return Err(GenerateError::TooFar(wish.race)),
        _ => {}
    }
    if wish.race <= athlete.as_of {
        return Err(GenerateError::Past(wish.race));
    }
    let race = match (wish.goal.distance(), wish.distance) {
        (Some(own), _) => own,
        (None, Some(given)) if (1.0..=400.0).contains(&given.km()) => given,
        _ => return Err(DraftError::Distance.into()),
    };
    if let Some(target) = wish.target {
        if race > training_norms::MAX_EVIDENCE_DISTANCE {
            return Err(GenerateError::TargetBeyondEvidence);
        }
        Performance::new(race, target)
            .map_err(|why| GenerateError::Target(error_detail(&why.to_string())))?;
    }
    let class = RaceClass::for_distance(race);
    let needed = if class == RaceClass::Full && left < 12 * 7 { 4 } else { 3 };
    if wish.availability.days.len() < needed {
        return Err(GenerateError::TooFewDays { needed, given: wish.availability.days.len() });
    }
    if wish.long_day.is_some_and(|day| !wish.availability.days.contains(day)) {
        return Err(GenerateError::LongDay(wish.availability.days));
    }
    if wish.availability.blackouts.contains(&wish.race) {
        return Err(GenerateError::RaceBlocked(wish.race));
    }
    let free = wish.start.through(wish.race).filter(|day| is_available(wish, *day)).count();
    if free < 3 {
        return Err(GenerateError::TooFewTrainingDays(free));
    }
    if let Some(tune_up) = wish.tune_up {
        let fits = tune_up.on >= wish.start
            && tune_up.on.days_until(wish.race) >= 10
            && (1.0..=race.km()).contains(&tune_up.distance.km())
            && !wish.availability.blackouts.contains(&tune_up.on);
        if !fits {
            return Err(GenerateError::TuneUp);
        }
    }
    Ok(race)
}

/// What follows "outside what the formula was made for: ".
fn error_detail(why: &str) -> String {
    why.rsplit_once(": ").map_or(why, |(_, what)| what).to_owned()
}

/// A marathon is not begun from nothing in a few weeks.
fn check_base(
    wish: &PlanRequest,
    race: Distance,
    level: Level,
    base: f64,
    athlete: &TrainingBaseline,
) -> Result<(), GenerateError> {
    let left = (wish.start.days_until(wish.race) + 1) / 7;
    // Below this the level that is claimed does not count: nobody who runs nothing is advanced.
    let nothing = base < ZERO_BASE_KM;
    let (weeks, needed) = match RaceClass::for_distance(race) {
        RaceClass::Full if nothing || (level == Level::Novice && base < MARATHON_BASE) => {
            (WEEKS_FROM_ZERO, MARATHON_BASE)
        }
        RaceClass::Half if nothing => (12, 15.0),
        RaceClass::TenK if nothing => (8, 10.0),
        RaceClass::FiveK if nothing => (6, 6.0),
        _ => return Ok(()),
    };
    if left >= weeks {
        return Ok(());
    }
    let shown = |km: f64| wish.units.format_distance(Distance::from_km(km).unwrap_or_default()).to_string();
    let race = match wish.goal {
        Goal::FiveK => "a 5K".to_owned(),
        Goal::TenK => "a 10K".to_owned(),
        Goal::Half => "a half marathon".to_owned(),
        Goal::Full => "a marathon".to_owned(),
        Goal::Custom => format!("a race of {}", shown(race.km())),
    };
    let unknown = !athlete.has_recorded_base() || athlete.days_without_data() >= DATA_GAP_DAYS;
    let ended = athlete.has_data_gap().then_some(athlete.as_of);
    Err(GenerateError::Base { race, base: shown(base), weeks, needed: shown(needed), ended, unknown })
}

/// A race along the way is one run among others.
fn check_tune_up(
    wish: &PlanRequest,
    base: f64,
    ways: &[unavailable_days::ReturnPeriod],
) -> Result<(), GenerateError> {
    let Some(TuneUp { on, distance }) = wish.tune_up else { return Ok(()) };
    if ways.iter().any(|way| way.contains(on)) {
        return Err(GenerateError::TuneUp);
    }
    let most = (TUNE_UP_SHARE * base).max(training_norms::SHORT_RUN_KM);
    if distance.km() <= most {
        return Ok(());
    }
    let shown = |km: f64| wish.units.format_distance(Distance::from_km(km).unwrap_or_default()).to_string();
    Err(GenerateError::TuneUpTooLong { race: shown(distance.km()), base: shown(base), most: shown(most) })
}

/// The share of a usual week that a race along the way may be.
const TUNE_UP_SHARE: f64 = 0.8;

/// Whether an athlete can train on a day of the plan.
fn is_available(wish: &PlanRequest, day: Day) -> bool {
    day >= wish.start && wish.availability.allows(day)
}

/// A plan for somebody who runs.
fn generate_from_base(
    wish: &PlanRequest,
    race: Distance,
    level: Level,
    athlete: &TrainingBaseline,
    shrink: f64,
    mending: &Repairs,
) -> (Vec<Workout>, Vec<WeekOutline>, Vec<String>) {
    let shape = volume::VolumeProfile::new(wish, race, level, athlete, shrink);
    let (mut weeks, pause) = volume::outline_weeks(&shape, wish, athlete);
    mending.apply_to_weeks(&shape, &mut weeks);
    let mut workouts = week_layout::build_workouts(&shape, wish, athlete, &weeks, mending);
    add_rest_days(&mut workouts, wish, athlete);
    let mut remarks = notes::volume_notes(&shape, wish, athlete, &workouts);
    remarks.extend(pause);
    (workouts, week_outlines(&weeks), remarks)
}

fn week_outlines(weeks: &[PlanWeek]) -> Vec<WeekOutline> {
    weeks
        .iter()
        .map(|week| WeekOutline { first: week.week.first, phase: week.phase, cutback: week.cutback })
        .collect()
}

/// Writes down the days off, from the Monday of the first week to the race, so that every day says what it is.
fn add_rest_days(workouts: &mut Vec<Workout>, wish: &PlanRequest, athlete: &TrainingBaseline) {
    let taken: BTreeSet<Day> = workouts.iter().map(|workout| workout.date).collect();
    let first = wish.start.iso_week().monday();
    workouts.extend(first.through(wish.race).filter(|day| !taken.contains(day)).map(|day| {
        let blocked = || wish.availability.blackouts.contains(&day).then(|| "Blocked day".to_owned());
        let marked =
            unavailable_days::unavailable_on(athlete, day).map(|mark| format!("Marked as {}", mark.why));
        let reason = marked.or_else(blocked);
        Workout { description: reason, ..Workout::rest(day) }
    }));
    workouts.sort_by_key(|workout| workout.date);
}

/// The weeks of the plan: the full ones, or the days there are as race week.
fn plan_weeks(wish: &PlanRequest) -> Vec<super::Week> {
    let full = race_weeks(wish.start, wish.race);
    if full.is_empty() { vec![super::Week::ending(wish.race)] } else { full }
}

#[cfg(test)]
mod tests;
