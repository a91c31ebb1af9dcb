//! Cross-field checks of a parsed response: against itself, the calendar and the athlete's plan.
//!
//! *Errors* refuse the response. *Findings* do not: the athlete sees them next to the proposal, and the
//! model gets one chance to fix them. The caller adds the results of the plan linter with
//! [`CheckReport::add_error`] and [`CheckReport::add_finding`].

use super::errors::{Finding, FindingCode, ValidationError, ValidationErrorCode, quote};
use super::week::DayName;
use super::{Modification, NewWorkout, PlanModification, Response, Step, WeeklyPlan, WorkoutAction};
use crate::domain::calendar::Day;
use crate::domain::ids::WorkoutId;
use crate::domain::sport::Sport;
use crate::domain::untrusted_text::is_printable;
use crate::plan::{Plan, PlanStatus, PlannedWorkout, TargetType, Workout};
use std::collections::BTreeSet;

/// Allowed difference between the steps and the duration, as a share.
const STEPS_TOLERANCE: f64 = 0.05;
/// Allowed rounding differences in minutes, TSS and hours.
const MINUTES_TOLERANCE: f64 = 0.5;
const TSS_TOLERANCE: f64 = 1.0;
const HOURS_TOLERANCE: f64 = 0.1;

/// The plan and day a response is checked against.
#[derive(Debug, Clone, Copy)]
pub struct PlanContext<'a> {
    /// The active plan, with the athlete's availability.
    pub plan: &'a Plan,
    pub workouts: &'a [PlannedWorkout],
    /// The athlete's local day.
    pub today: Day,
}

impl<'a> PlanContext<'a> {
    /// The workout with this id; only the canonical spelling of the id matches.
    #[must_use]
    pub fn find_workout(&self, id: &str) -> Option<&'a PlannedWorkout> {
        let wanted: WorkoutId = id.parse().ok()?;
        self.workouts.iter().find(|workout| workout.id == wanted && workout.id.to_string() == id)
    }
}

/// Errors and findings of a parsed response.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckReport {
    pub errors: Vec<ValidationError>,
    pub findings: Vec<Finding>,
}

impl CheckReport {
    pub fn add_error(
        &mut self,
        path: impl Into<String>,
        code: ValidationErrorCode,
        message: impl Into<String>,
    ) {
        self.errors.push(ValidationError { path: path.into(), code, message: message.into() });
    }

    pub fn add_finding(&mut self, path: impl Into<String>, code: FindingCode, message: impl Into<String>) {
        self.findings.push(Finding { path: path.into(), code, message: message.into() });
    }
}

/// Checks a response against itself: everything that needs no plan and no clock.
#[must_use]
pub fn check_consistency(response: &Response) -> CheckReport {
    let mut report = CheckReport::default();
    match response {
        Response::Modification(response) => {
            let mut touched = BTreeSet::new();
            for (i, modification) in response.modifications.iter().enumerate() {
                let path = format!("/modifications/{i}");
                check_skip_has_no_changes(&path, modification, &mut report);
                if !touched.insert(&modification.workout_id) {
                    let message = format!(
                        "Workout {} is changed twice. Merge both changes into one modification.",
                        quote(&modification.workout_id)
                    );
                    report.add_error(format!("{path}/workout_id"), ValidationErrorCode::Duplicate, message);
                }
                let name = modification.changes.as_ref().and_then(|changes| changes.name.as_deref());
                check_name(&format!("{path}/changes/name"), name.unwrap_or_default(), &mut report);
            }
            for (i, workout) in response.new_workouts.iter().enumerate() {
                let path = format!("/new_workouts/{i}");
                check_name(&format!("{path}/name"), &workout.name, &mut report);
                check_steps_sum(&path, workout, &mut report);
            }
        }
        Response::Week(response) => {
            check_single_week(response, &mut report);
            check_totals(response, &mut report);
            for (i, workout) in response.workouts.iter().enumerate() {
                let path = format!("/workouts/{i}");
                let named = DayName::from_day(workout.date);
                if workout.day != named {
                    let message = format!("`day` is {}, but {} is a {named}.", workout.day, workout.date);
                    report.add_finding(format!("{path}/day"), FindingCode::WeekdayDiffers, message);
                }
                check_name(&format!("{path}/name"), &workout.name, &mut report);
                check_steps_sum(&path, &workout.to_new_workout(), &mut report);
            }
        }
    }
    report
}

/// Checks a response against itself and against the athlete's plan.
#[must_use]
pub fn check_against_plan(response: &Response, ground: &PlanContext<'_>) -> CheckReport {
    let mut report = check_consistency(response);
    if ground.plan.status != PlanStatus::Active {
        let message = format!(
            "Plan {} is {}. Only the active plan can be changed.",
            ground.plan.id, ground.plan.status
        );
        report.add_error("", ValidationErrorCode::PlanNotActive, message);
    }
    match response {
        Response::Modification(response) => {
            for (i, modification) in response.modifications.iter().enumerate() {
                check_modification(&format!("/modifications/{i}"), modification, ground, &mut report);
            }
            for (i, workout) in response.new_workouts.iter().enumerate() {
                let path = format!("/new_workouts/{i}/date");
                check_added_workout(&path, workout.date, workout.sport, ground, &mut report);
            }
            check_current_week(response, ground, &mut report);
        }
        Response::Week(response) => {
            for (i, workout) in response.workouts.iter().enumerate() {
                // A workout that replaces one of the same day and sport needs no availability
                // check.
                let there = |planned: &&PlannedWorkout| {
                    (planned.workout.date, planned.workout.sport) == (workout.date, workout.sport)
                };
                let sport = ground.workouts.iter().find(there).map_or(workout.sport, |_| Sport::Rest);
                check_added_workout(&format!("/workouts/{i}/date"), workout.date, sport, ground, &mut report);
            }
        }
    }
    report
}

fn check_skip_has_no_changes(path: &str, modification: &Modification, report: &mut CheckReport) {
    if modification.action == WorkoutAction::Skip
        && modification.changes.as_ref().is_some_and(super::Changes::has_changes)
    {
        let message = "`skip` removes the workout; in `changes`, only `notes` is used.";
        report.add_finding(format!("{path}/changes"), FindingCode::Ignored, message);
    }
}

fn check_single_week(week: &WeeklyPlan, report: &mut CheckReport) {
    let Some(monday) = week.monday() else { return };
    let sunday = monday.plus_days(6);
    if let Some(outside) = week.workouts.iter().map(|workout| workout.date).find(|day| *day > sunday) {
        let message = format!(
            "A weekly plan covers one week, Monday to Sunday. This one starts in the week of {monday} and has a workout on {outside}."
        );
        report.add_error("/workouts", ValidationErrorCode::NotOneWeek, message);
    }
}

fn check_totals(week: &WeeklyPlan, report: &mut CheckReport) {
    let Some(summary) = &week.plan_summary else { return };
    // The sum is unknown if a workout has no estimate; a rest day counts as 0.
    let tss: Option<f64> = (week.workouts.iter())
        .map(|workout| workout.estimated_tss.or((workout.sport == Sport::Rest).then_some(0.0)))
        .sum();
    let hours = week.workouts.iter().map(|workout| workout.duration_minutes).sum::<f64>() / 60.0;
    let wrong = |said: f64, sum: f64, within: f64| (said - sum).abs() > within + 1e-9;
    if let (Some(said), Some(sum)) = (summary.total_tss, tss)
        && wrong(said, sum, TSS_TOLERANCE)
    {
        let message = format!("`total_tss` is {said}, but the workouts add up to {}.", round_sum(sum));
        report.add_finding("/plan_summary/total_tss", FindingCode::TotalDiffers, message);
    }
    if let Some(said) = summary.total_hours
        && wrong(said, hours, HOURS_TOLERANCE)
    {
        let message =
            format!("`total_hours` is {said}, but the workouts add up to {} hours.", round_sum(hours));
        report.add_finding("/plan_summary/total_hours", FindingCode::TotalDiffers, message);
    }
}

fn check_name(path: &str, name: &str, report: &mut CheckReport) {
    if !is_printable(name) {
        let message =
            format!("The name {} contains control or invisible characters. Remove them.", quote(name));
        report.add_error(path, ValidationErrorCode::BadCharacter, message);
    }
}

fn check_steps_sum(path: &str, workout: &NewWorkout, report: &mut CheckReport) {
    for (i, step) in workout.steps.iter().enumerate() {
        let path = format!("{path}/steps/{i}");
        check_ignored_values(&path, step, report);
        if let Some(problem) = step.to_planned_step().infeasible_reason() {
            let message = format!("This target is not realistic: {problem}.");
            report.add_error(format!("{path}/target_type"), ValidationErrorCode::OutOfRange, message);
        }
    }
    if workout.steps.is_empty() {
        return;
    }
    // A step by distance takes a range of times; calories and open steps have no bounds.
    let within =
        workout.steps.iter().map(|step| step.to_planned_step().duration_bounds_seconds(workout.sport));
    let (least, most) = within.fold((0.0, 0.0), |(least, most), (low, high)| (least + low, most + high));
    let (least, most, planned) = (least / 60.0, most / 60.0, workout.duration_minutes);
    let room = planned * STEPS_TOLERANCE + 1e-9;
    let come_to = match () {
        () if least <= planned + room && most >= planned - room => return,
        () if least == most => format!("add up to {}", round_sum(least)),
        () if least > planned => format!("take at least {}", round_sum(least)),
        () => format!("take at most {}", round_sum(most)),
    };
    let message = format!(
        "The steps {come_to} minutes, but `duration_minutes` is {}. Change the steps or `duration_minutes`.",
        round_sum(planned)
    );
    report.add_finding(format!("{path}/steps"), FindingCode::StepsDiffer, message);
}

fn check_ignored_values(path: &str, step: &Step, report: &mut CheckReport) {
    if step.is_open() && step.duration_value.is_some() {
        let message = "A step of duration_type `open` has no `duration_value`; the value is ignored.";
        report.add_finding(format!("{path}/duration_value"), FindingCode::Ignored, message);
    }
    let bounded = step.target_low.is_some() || step.target_high.is_some();
    match step.target_type {
        None | Some(TargetType::Open) if bounded => {
            let message = "`target_low` and `target_high` need a `target_type`; they are ignored.";
            report.add_finding(format!("{path}/target_type"), FindingCode::Ignored, message);
        }
        Some(kind) if kind != TargetType::Open && !bounded => {
            let message = format!(
                "A target of type `{kind}` needs `target_low` or `target_high`; the step has no target."
            );
            report.add_finding(format!("{path}/target_type"), FindingCode::Ignored, message);
        }
        _ => {}
    }
}

fn check_modification(
    path: &str,
    modification: &Modification,
    ground: &PlanContext<'_>,
    report: &mut CheckReport,
) {
    let Some(planned) = ground.find_workout(&modification.workout_id) else {
        let id = quote(&modification.workout_id);
        let message = match ground.plan.status {
            PlanStatus::Active => {
                format!("Workout {id} is not in this athlete's active plan. Use an id from `plan_progress`.")
            }
            _ => format!("Workout {id} is not in plan {}.", ground.plan.id),
        };
        report.add_error(format!("{path}/workout_id"), ValidationErrorCode::NoSuchWorkout, message);
        check_not_past(&format!("{path}/date"), modification.date, ground, report);
        return;
    };
    let workout = &planned.workout;
    if workout.date != modification.date {
        let message = format!("Workout {} is on {}, not on {}.", planned.id, workout.date, modification.date);
        report.add_error(format!("{path}/date"), ValidationErrorCode::WrongDate, message);
    }
    check_not_past(&format!("{path}/date"), workout.date, ground, report);
    if ground.plan.is_race(workout) {
        let message = format!("Workout {} is the race, which cannot be changed.", planned.id);
        report.add_error(format!("{path}/workout_id"), ValidationErrorCode::RaceDay, message);
    }
    // Existing workouts were accepted by the athlete; only added ones are checked against
    // availability.
    let harder = |changes: &super::Changes| {
        changes.duration_minutes.is_some() || changes.intensity.is_some() || changes.estimated_tss.is_some()
    };
    if modification.action != WorkoutAction::Skip
        && workout.is_rest()
        && modification.changes.as_ref().is_some_and(harder)
    {
        let message =
            "A rest day cannot become longer or harder. Skip it and add a workout with `new_workouts`.";
        report.add_error(format!("{path}/changes"), ValidationErrorCode::RestDay, message);
    }
    check_original_values(path, modification, workout, report);
}

/// Compares `from` and `original_name` with the plan.
fn check_original_values(
    path: &str,
    modification: &Modification,
    workout: &Workout,
    report: &mut CheckReport,
) {
    let mut differs = |field: &str, said: String, is: Option<String>| {
        let is = is.unwrap_or_else(|| "no value".to_owned());
        let message = format!("{said} does not match the plan, which has {is}.");
        report.add_finding(format!("{path}/{field}"), FindingCode::FromDiffers, message);
    };
    if let Some(name) = &modification.original_name
        && name.trim() != workout.name.trim()
    {
        differs("original_name", quote(name), Some(quote(&workout.name)));
    }
    let Some(changes) = &modification.changes else { return };
    let is_off =
        |said: f64, is: Option<f64>, within: f64| is.is_none_or(|is| (said - is).abs() > within + 1e-9);
    // A rest day has a duration and load of 0.
    let idle = workout.is_rest().then_some(0.0);
    if let Some(said) = changes.duration_minutes.and_then(|change| change.from) {
        let is = workout.duration.map(|time| time.seconds() / 60.0).or(idle);
        if !is_plausible_duration(workout, said) && is_off(said, is, MINUTES_TOLERANCE) {
            differs(
                "changes/duration_minutes/from",
                format!("{said} minutes"),
                is.map(|is| format!("{} minutes", round_sum(is))),
            );
        }
    }
    if let Some(said) = changes.estimated_tss.and_then(|change| change.from) {
        let is = workout.load.or(idle);
        if is_off(said, is, TSS_TOLERANCE) {
            differs(
                "changes/estimated_tss/from",
                format!("{said} TSS"),
                is.map(|is| format!("{} TSS", round_sum(is))),
            );
        }
    }
    if let Some(said) = changes.intensity.as_ref().and_then(|change| change.from.as_ref()) {
        let is = workout.intensity.as_deref();
        if is.is_none_or(|is| !is.trim().eq_ignore_ascii_case(said.trim())) {
            differs("changes/intensity/from", quote(said), is.map(quote));
        }
    }
}

/// Whether a workout planned by distance alone could take this many minutes.
fn is_plausible_duration(workout: &Workout, minutes: f64) -> bool {
    let by_distance = workout.duration.is_none() && workout.distance.is_some();
    by_distance
        && workout.as_single_step().first().is_some_and(|step| {
            let (least, most) = step.duration_bounds_seconds(workout.sport);
            (least..=most).contains(&(minutes * 60.0))
        })
}

/// Checks the day of an added workout.
fn check_added_workout(
    path: &str,
    day: Day,
    sport: Sport,
    ground: &PlanContext<'_>,
    report: &mut CheckReport,
) {
    check_not_past(path, day, ground, report);
    let days = ground.plan.days();
    if !days.contains(&day) {
        let message = format!(
            "{day} is outside the plan for {}: its workouts can be from {} to {}, including the weeks after the race.",
            ground.plan.race_date,
            days.start(),
            days.end()
        );
        report.add_error(path, ValidationErrorCode::OutsidePlan, message);
    }
    if sport != Sport::Rest {
        check_available(path, day, ground, report);
    }
}

fn check_not_past(path: &str, day: Day, ground: &PlanContext<'_>, report: &mut CheckReport) {
    if day < ground.today {
        let message =
            format!("{day} is in the past; today is {}. Past days cannot be changed.", ground.today);
        report.add_error(path, ValidationErrorCode::PastDay, message);
    }
}

fn check_available(path: &str, day: Day, ground: &PlanContext<'_>, report: &mut CheckReport) {
    let (weekday, availability) = (DayName::from_day(day), &ground.plan.terms.availability);
    if availability.blackouts.contains(&day) {
        let message = format!("The athlete cannot train on {day}. Choose another day, or rest.");
        report.add_error(path, ValidationErrorCode::BlackoutDay, message);
    } else if !availability.days.allows(day) {
        let message =
            format!("{day} is a {weekday}, on which the athlete never trains. Choose another day, or rest.");
        report.add_error(path, ValidationErrorCode::UnavailableDay, message);
    }
}

/// Compares the stated load of the changed week, or of the current one, with the plan.
fn check_current_week(response: &PlanModification, ground: &PlanContext<'_>, report: &mut CheckReport) {
    let Some(said) = response.weekly_load_adjustment.as_ref().and_then(|week| week.current_weekly_tss) else {
        return;
    };
    let changed: BTreeSet<Day> = (response.modifications.iter().map(|modification| modification.date))
        .chain(response.new_workouts.iter().map(|workout| workout.date))
        .map(|day| day.iso_week().monday())
        .collect();
    let monday = match changed.first() {
        Some(monday) if changed.len() == 1 => *monday,
        _ => ground.today.iso_week().monday(),
    };
    // The sum is unknown if a workout has no estimate.
    let planned: Option<f64> = (ground.workouts.iter())
        .map(|planned| &planned.workout)
        .filter(|workout| (monday..=monday.plus_days(6)).contains(&workout.date))
        .map(|workout| workout.load.or(workout.is_rest().then_some(0.0)))
        .sum();
    if let Some(planned) = planned
        && (said - planned).abs() > TSS_TOLERANCE + 1e-9
    {
        let message = format!(
            "`current_weekly_tss` is {said}, but the plan has {} TSS in the week of {monday}.",
            round_sum(planned)
        );
        report.add_finding("/weekly_load_adjustment/current_weekly_tss", FindingCode::WeekDiffers, message);
    }
}

/// Rounds to two decimals, to remove floating-point noise.
fn round_sum(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}
