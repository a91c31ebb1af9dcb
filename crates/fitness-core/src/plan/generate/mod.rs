//! Generates a periodized plan from the athlete's recent training.
//!
//! The volume starts at the base and grows within published limits ([`volume`]); every week gets
//! its days ([`weekdays`]) and workouts ([`week_layout`], each built in [`workouts`]). The linter
//! then checks the plan, and the generator adjusts it until there are no errors. Limitations are
//! stated as notes.

mod absences;
mod alternatives;
mod beginner;
mod blackouts;
mod error;
mod goal_time;
mod long_runs;
mod notes;
mod paces;
mod peak_volume;
mod quality_plan;
mod repair;
mod single_run_limit;
mod strength;
mod volume;
mod week_layout;
mod weekdays;
mod workout_selection;
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
    Availability, Draft, DraftError, GenerateOptions, GoalDistance, Level, PlanConstraints,
    SelfReportedTraining, TrainingBaseline, Workout, race_weeks,
};
use crate::domain::calendar::{Day, Weekday};
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan, UnitSystem};
use crate::metrics::predict::Performance;
use repair::Repairs;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use volume::PlanWeek;

/// What the athlete asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanRequest {
    /// Default: made from goal and date.
    pub name: Option<String>,
    pub goal: GoalDistance,
    /// Only for a custom goal.
    pub distance: Option<Distance>,
    /// First day of the plan.
    pub start: Day,
    pub race: Day,
    /// Target time; `None` to just finish.
    pub target: Option<TimeSpan>,
    /// When the athlete can train.
    pub availability: Availability,
    /// Weekday of the long run. Default: Sunday, else Saturday.
    pub long_day: Option<Weekday>,
    pub tune_up: Option<TuneUp>,
    /// Two short strength sessions a week.
    pub strength: bool,
    /// Another sport on a day without a run.
    pub cross: Option<Sport>,
    /// Units for rounding and for texts.
    pub units: UnitSystem,
}

impl PlanRequest {
    /// The part that is stored with the plan.
    fn constraints(&self, stated: SelfReportedTraining) -> PlanConstraints {
        let Self { long_day, tune_up, strength, cross, .. } = *self;
        let wished = GenerateOptions { named: self.name.is_some(), long_day, tune_up, strength, cross };
        PlanConstraints { availability: self.availability.clone(), stated, wished }
    }
}

/// A tune-up race: a hard day with easy days around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TuneUp {
    pub on: Day,
    #[serde(rename = "distance_mm")]
    pub distance: Distance,
}

/// A generated plan with its findings and notes.
#[derive(Debug, Clone, PartialEq)]
pub struct GeneratedPlan {
    pub draft: Draft,
    /// Lint findings; never errors.
    pub findings: Vec<Finding>,
    /// Notes for the athlete, one sentence each.
    pub notes: Vec<String>,
    pub weeks: Vec<WeekOutline>,
}

/// Phase of one week of a generated plan.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WeekOutline {
    pub first: Day,
    pub phase: Phase,
    /// Whether it is a cut-back week.
    pub cutback: bool,
}

/// Weeks needed from zero to a marathon.
const WEEKS_FROM_ZERO: i64 = 20;
/// Kilometres a week a marathon plan starts from.
const MARATHON_BASE: f64 = 20.0;
const MAX_PLAN_DAYS: i64 = 2 * 366;

/// Generates a plan.
///
/// # Errors
/// If the request cannot be planned for; the message says what to change.
pub fn generate(wish: &PlanRequest, athlete: &TrainingBaseline) -> Result<GeneratedPlan, GenerateError> {
    if let Some(mark) = absences::unavailable_on(athlete, wish.race) {
        return Err(GenerateError::RaceUnavailable { race: wish.race, why: mark.why });
    }
    wish.name.as_deref().map_or(Ok(()), super::draft::check_name)?;
    let free = absences::block_unavailable_days(wish, athlete);
    let race = validate_request(&free, athlete)?;
    let level = athlete.level().map_err(|_| GenerateError::MissingLevel)?;
    let brings = effective_baseline(athlete);
    let base = brings.base().map_or(0.0, Distance::km);
    check_base(wish, race, level, base, athlete)?;
    check_tune_up(wish, base, &absences::return_periods(wish, athlete))?;
    let (faults, mut made) = best_attempt(wish, &free, race, level, athlete)?;
    if let Some(longest) = too_short_longest_run(&made).filter(|_| faults > 0) {
        let shown =
            |km: f64| wish.units.format_distance(Distance::from_km(km).unwrap_or_default()).to_string();
        return Err(GenerateError::LongestRunTooShort {
            race: wish.race,
            longest: shown(longest),
            needed: shown(training_norms::MIN_MARATHON_LONGEST_KM),
            later: alternatives::earliest_date(wish, athlete),
            shorter: alternatives::longest_race(wish, athlete),
        });
    }
    if faults > 0 {
        let speaks = |finding: &&Finding| finding.severity != Severity::Note;
        let findings = made.findings.iter().filter(speaks).map(|finding| finding.text.clone()).collect();
        return Err(GenerateError::Unsafe { findings, change: alternatives::suggest_changes(wish, athlete) });
    }
    let mut remarks = goal_time::notes(wish, race, athlete);
    remarks.extend(notes::data_gap_note(athlete));
    remarks.extend(absences::notes(wish, athlete));
    remarks.append(&mut made.notes);
    Ok(GeneratedPlan { notes: remarks, ..made })
}

/// The longest run of a plan whose only fatal fault is that it is too short. Kilometres.
fn too_short_longest_run(made: &GeneratedPlan) -> Option<f64> {
    let mut errors = lint::errors(&made.findings);
    let only = errors.next().filter(|finding| finding.rule == lint::LintRule::LongRunTooShort)?;
    errors.next().is_none().then_some(only.value).flatten()
}

/// The baseline that a plan is built from. If the data ended long ago and the athlete entered no
/// base, this is as after a break. The linter still uses the recorded data.
fn effective_baseline(athlete: &TrainingBaseline) -> TrainingBaseline {
    if athlete.has_data_gap() { athlete.as_if_paused() } else { athlete.clone() }
}

/// Generates a plan and adjusts it to the lint findings until it is acceptable. Returns the best
/// attempt and its penalty. `free` is the request with absences blocked.
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

/// Attempts, and how much the plan shrinks when the findings suggest no other repair.
const MAX_ATTEMPTS: usize = 24;
const SHRINK_FACTOR: f64 = 0.95;
const MAX_WARNINGS: usize = 2;

/// Penalty of an attempt: every error, and every warning beyond two. An error outweighs all
/// warnings.
fn penalty(findings: &[Finding]) -> usize {
    let of = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    of(Severity::Error) * 100 + of(Severity::Warning).saturating_sub(MAX_WARNINGS)
}

/// Validates the request and returns the race distance.
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

/// The detail after the last colon of a prediction error.
fn error_detail(why: &str) -> String {
    why.rsplit_once(": ").map_or(why, |(_, what)| what).to_owned()
}

/// Refuses a race that is too far for the base and the time left.
fn check_base(
    wish: &PlanRequest,
    race: Distance,
    level: Level,
    base: f64,
    athlete: &TrainingBaseline,
) -> Result<(), GenerateError> {
    let left = (wish.start.days_until(wish.race) + 1) / 7;
    // Below this the stated level does not matter.
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
        GoalDistance::Custom => format!("a race of {}", shown(race.km())),
        goal => goal.with_article().to_owned(),
    };
    let unknown = !athlete.has_recorded_base() || athlete.days_without_data() >= DATA_GAP_DAYS;
    let ended = athlete.has_data_gap().then_some(athlete.as_of);
    Err(GenerateError::Base { race, base: shown(base), weeks, needed: shown(needed), ended, unknown })
}

/// A tune-up race must be a small part of a usual week.
fn check_tune_up(
    wish: &PlanRequest,
    base: f64,
    ways: &[absences::ReturnPeriod],
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

/// Largest share of a usual week that a tune-up race may be.
const TUNE_UP_SHARE: f64 = 0.8;

/// Whether an athlete can train on a day of the plan.
fn is_available(wish: &PlanRequest, day: Day) -> bool {
    day >= wish.start && wish.availability.allows(day)
}

/// A plan for somebody who already runs.
fn generate_from_base(
    wish: &PlanRequest,
    race: Distance,
    level: Level,
    athlete: &TrainingBaseline,
    shrink: f64,
    mending: &Repairs,
) -> (Vec<Workout>, Vec<WeekOutline>, Vec<String>) {
    let shape = volume::VolumeInput::new(wish, race, level, athlete, shrink);
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

/// Adds rest days from the Monday of the first week to the race, so that every day has an entry.
fn add_rest_days(workouts: &mut Vec<Workout>, wish: &PlanRequest, athlete: &TrainingBaseline) {
    let taken: BTreeSet<Day> = workouts.iter().map(|workout| workout.date).collect();
    let first = wish.start.iso_week().monday();
    workouts.extend(first.through(wish.race).filter(|day| !taken.contains(day)).map(|day| {
        let blocked = || wish.availability.blackouts.contains(&day).then(|| "Blocked day".to_owned());
        let marked = absences::unavailable_on(athlete, day).map(|mark| format!("Marked as {}", mark.why));
        let reason = marked.or_else(blocked);
        Workout { description: reason, ..Workout::rest(day) }
    }));
    workouts.sort_by_key(|workout| workout.date);
}

/// Full weeks of the plan, or a single race week if there are none.
fn plan_weeks(wish: &PlanRequest) -> Vec<super::Week> {
    let full = race_weeks(wish.start, wish.race);
    if full.is_empty() { vec![super::Week::ending(wish.race)] } else { full }
}

#[cfg(test)]
mod tests;
