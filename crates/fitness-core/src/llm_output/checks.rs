//! What the contract implies and models get wrong: an accepted answer held against itself, the calendar and the plan.
//!
//! *Faults* refuse the answer, as those of the contract do. *Findings* do not: the athlete sees them beside the
//! proposal, and the model gets one chance to put them right. What the linter says about the outcome is added by
//! the caller, with [`Report::refuse`] and [`Report::note`].

use super::errors::{Finding, FindingCode, ValidationError, ValidationErrorCode, quote};
use super::week::DayName;
use super::{Action, Modification, NewWorkout, PlanModification, Response, Step, WeeklyPlan};
use crate::domain::calendar::Day;
use crate::domain::ids::WorkoutId;
use crate::domain::sport::Sport;
use crate::domain::untrusted_text::is_printable;
use crate::plan::{Plan, PlanStatus, PlannedWorkout, TargetType, Workout};
use std::collections::BTreeSet;

/// How far steps may be from the duration they add up to.
const STEPS_TOLERANCE: f64 = 0.05;
/// How far a rounded number of minutes, of TSS and of hours may be from what it stands for.
const MINUTES_TOLERANCE: f64 = 0.5;
const TSS_TOLERANCE: f64 = 1.0;
const HOURS_TOLERANCE: f64 = 0.1;

/// What an answer is held against besides itself.
#[derive(Debug, Clone, Copy)]
pub struct PlanContext<'a> {
    /// The athlete's active plan, with the days on which they cannot train.
    pub plan: &'a Plan,
    /// Its current workouts.
    pub workouts: &'a [PlannedWorkout],
    /// The athlete's local day.
    pub today: Day,
}

impl<'a> PlanContext<'a> {
    /// The workout an answer means; only the one spelling of its id is understood.
    #[must_use]
    pub fn find_workout(&self, id: &str) -> Option<&'a PlannedWorkout> {
        let wanted: WorkoutId = id.parse().ok()?;
        self.workouts.iter().find(|workout| workout.id == wanted && workout.id.to_string() == id)
    }
}

/// What was found out about an accepted answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// What refuses it.
    pub errors: Vec<ValidationError>,
    /// What is shown beside it.
    pub findings: Vec<Finding>,
}

impl CheckReport {
    /// Refuses the answer for a reason.
    pub fn add_error(
        &mut self,
        path: impl Into<String>,
        code: ValidationErrorCode,
        message: impl Into<String>,
    ) {
        self.errors.push(ValidationError { path: path.into(), code, message: message.into() });
    }

    /// Notes something that does not refuse it.
    pub fn add_finding(&mut self, path: impl Into<String>, code: FindingCode, message: impl Into<String>) {
        self.findings.push(Finding { path: path.into(), code, message: message.into() });
    }
}

/// Holds an answer against itself: everything that needs no plan and no clock.
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
                        "Workout {} is changed twice. Put both changes into one modification.",
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

/// Holds an answer against itself and against the athlete's plan.
#[must_use]
pub fn check_against_plan(response: &Response, ground: &PlanContext<'_>) -> CheckReport {
    let mut report = check_consistency(response);
    if ground.plan.status != PlanStatus::Active {
        let message = format!(
            "Plan {} is {}, not active. Only the active plan can be changed.",
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
                // What is there already takes on another form, and is not new to its day.
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
    if modification.action == Action::Skip
        && modification.changes.as_ref().is_some_and(super::Changes::has_changes)
    {
        let message = "`skip` takes the workout out; of `changes` only `notes` counts.";
        report.add_finding(format!("{path}/changes"), FindingCode::Ignored, message);
    }
}

fn check_single_week(week: &WeeklyPlan, report: &mut CheckReport) {
    let Some(monday) = week.monday() else { return };
    let sunday = monday.plus_days(6);
    if let Some(outside) = week.workouts.iter().map(|workout| workout.date).find(|day| *day > sunday) {
        let message = format!(
            "A weekly plan is about one week from Monday to Sunday. This one begins in the week of {monday} and has a workout on {outside}."
        );
        report.add_error("/workouts", ValidationErrorCode::NotOneWeek, message);
    }
}

fn check_totals(week: &WeeklyPlan, report: &mut CheckReport) {
    let Some(summary) = &week.plan_summary else { return };
    // A workout without an estimate leaves the sum unknown; a rest day brings nothing.
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

/// A name that is not what it seems.
fn check_name(path: &str, name: &str, report: &mut CheckReport) {
    if !is_printable(name) {
        let message = format!(
            "The name {} holds control characters, or characters that are not seen. Leave them out.",
            quote(name)
        );
        report.add_error(path, ValidationErrorCode::BadCharacter, message);
    }
}

fn check_steps_sum(path: &str, workout: &NewWorkout, report: &mut CheckReport) {
    for (i, step) in workout.steps.iter().enumerate() {
        let path = format!("{path}/steps/{i}");
        check_ignored_values(&path, step, report);
        if let Some(problem) = step.to_planned_step().infeasible_reason() {
            let message = format!("Nobody can hold this target: {problem}.");
            report.add_error(format!("{path}/target_type"), ValidationErrorCode::OutOfRange, message);
        }
    }
    if workout.steps.is_empty() {
        return;
    }
    // How long a step by distance takes depends on who runs it, and calories and an open end say nothing.
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
        "The steps {come_to} of {} minutes. Make them fit, or change `duration_minutes`.",
        round_sum(planned)
    );
    report.add_finding(format!("{path}/steps"), FindingCode::StepsDiffer, message);
}

fn check_ignored_values(path: &str, step: &Step, report: &mut CheckReport) {
    if step.is_open() && step.duration_value.is_some() {
        let message = "A step of duration_type `open` has no `duration_value`; it is left out.";
        report.add_finding(format!("{path}/duration_value"), FindingCode::Ignored, message);
    }
    let bounded = step.target_low.is_some() || step.target_high.is_some();
    match step.target_type {
        None | Some(TargetType::Open) if bounded => {
            let message =
                "`target_low` and `target_high` mean nothing without a `target_type`; they are left out.";
            report.add_finding(format!("{path}/target_type"), FindingCode::Ignored, message);
        }
        Some(kind) if kind != TargetType::Open && !bounded => {
            let message = format!(
                "A target of type `{kind}` needs `target_low` or `target_high`; the step goes by feel."
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
                format!(
                    "Workout {id} is not in this athlete's active plan. Use an id from `upcoming_workouts`."
                )
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
        let message = format!("Workout {} is the race itself, which stays as it is.", planned.id);
        report.add_error(format!("{path}/workout_id"), ValidationErrorCode::RaceDay, message);
    }
    // What is on a day already was put there by the athlete; only what comes to a day is held against their days off.
    let harder = |changes: &super::Changes| {
        changes.duration_minutes.is_some() || changes.intensity.is_some() || changes.estimated_tss.is_some()
    };
    if modification.action != Action::Skip
        && workout.is_rest()
        && modification.changes.as_ref().is_some_and(harder)
    {
        let message = "This is a rest day, which cannot become longer or harder. Skip it and add a workout with `new_workouts`.";
        report.add_error(format!("{path}/changes"), ValidationErrorCode::RestDay, message);
    }
    check_original_values(path, modification, workout, report);
}

/// `from` and `original_name` against the plan.
fn check_original_values(
    path: &str,
    modification: &Modification,
    workout: &Workout,
    report: &mut CheckReport,
) {
    let mut differs = |field: &str, said: String, is: Option<String>| {
        let is = is.map_or_else(|| "says nothing".to_owned(), |is| format!("says {is}"));
        let message = format!("{said} is not what is there: the plan {is}.");
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
    // Nothing to do takes no time and brings no load.
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

/// Whether a session that is planned by distance alone could take so many minutes. Nothing of it says how many it does.
fn is_plausible_duration(workout: &Workout, minutes: f64) -> bool {
    let by_distance = workout.duration.is_none() && workout.distance.is_some();
    by_distance
        && workout.as_single_step().first().is_some_and(|step| {
            let (least, most) = step.duration_bounds_seconds(workout.sport);
            (least..=most).contains(&(minutes * 60.0))
        })
}

/// What an answer puts on a day.
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
            "{day} is outside the plan, which leads to {}: its workouts may be from {} to {}, with the weeks after that day.",
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
            format!("{day} is in the past; today is {}. What is over is not changed.", ground.today);
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

/// The load of the week that is changed, or of the running one, against the plan.
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
    // A workout without an estimate leaves the sum unknown.
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

/// A sum without the dust of floating point.
fn round_sum(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}
