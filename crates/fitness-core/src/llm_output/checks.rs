//! What the contract implies and models get wrong: an accepted answer held against itself, the calendar and the plan.
//!
//! *Faults* refuse the answer, as those of the contract do. *Findings* do not: the athlete sees them beside the
//! proposal, and the model gets one chance to put them right. What the linter says about the outcome is added by
//! the caller, with [`Report::refuse`] and [`Report::note`].

use super::errors::{Fault, FaultCode, Finding, FindingCode, quoted};
use super::week::DayName;
use super::{Action, Modification, NewWorkout, PlanModification, Response, Step, WeeklyPlan};
use crate::domain::calendar::Day;
use crate::domain::ids::WorkoutId;
use crate::domain::sport::Sport;
use crate::domain::untrusted_text::is_seen;
use crate::plan::{Plan, PlanStatus, PlannedWorkout, TargetType, Workout};
use std::collections::BTreeSet;

/// How far steps may be from the duration they add up to.
const STEPS_WITHIN: f64 = 0.05;
/// How far a rounded number of minutes, of TSS and of hours may be from what it stands for.
const MINUTES_WITHIN: f64 = 0.5;
const TSS_WITHIN: f64 = 1.0;
const HOURS_WITHIN: f64 = 0.1;

/// What an answer is held against besides itself.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'a> {
    /// The athlete's active plan, with the days on which they cannot train.
    pub plan: &'a Plan,
    /// Its current workouts.
    pub workouts: &'a [PlannedWorkout],
    /// The athlete's local day.
    pub today: Day,
}

impl<'a> Ground<'a> {
    /// The workout an answer means; only the one spelling of its id is understood.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&'a PlannedWorkout> {
        let wanted: WorkoutId = id.parse().ok()?;
        self.workouts.iter().find(|workout| workout.id == wanted && workout.id.to_string() == id)
    }
}

/// What was found out about an accepted answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// What refuses it.
    pub faults: Vec<Fault>,
    /// What is shown beside it.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Refuses the answer for a reason.
    pub fn refuse(&mut self, path: impl Into<String>, code: FaultCode, message: impl Into<String>) {
        self.faults.push(Fault { path: path.into(), code, message: message.into() });
    }

    /// Notes something that does not refuse it.
    pub fn note(&mut self, path: impl Into<String>, code: FindingCode, message: impl Into<String>) {
        self.findings.push(Finding { path: path.into(), code, message: message.into() });
    }
}

/// Holds an answer against itself: everything that needs no plan and no clock.
#[must_use]
pub fn within(response: &Response) -> Report {
    let mut report = Report::default();
    match response {
        Response::Modification(response) => {
            let mut touched = BTreeSet::new();
            for (i, modification) in response.modifications.iter().enumerate() {
                let path = format!("/modifications/{i}");
                skip_changes_nothing(&path, modification, &mut report);
                if !touched.insert(&modification.workout_id) {
                    let message = format!(
                        "Workout {} is changed twice. Put both changes into one modification.",
                        quoted(&modification.workout_id)
                    );
                    report.refuse(format!("{path}/workout_id"), FaultCode::Twice, message);
                }
                let name = modification.changes.as_ref().and_then(|changes| changes.name.as_deref());
                seen_name(&format!("{path}/changes/name"), name.unwrap_or_default(), &mut report);
            }
            for (i, workout) in response.new_workouts.iter().enumerate() {
                let path = format!("/new_workouts/{i}");
                seen_name(&format!("{path}/name"), &workout.name, &mut report);
                steps_add_up(&path, workout, &mut report);
            }
        }
        Response::Week(response) => {
            one_week(response, &mut report);
            totals(response, &mut report);
            for (i, workout) in response.workouts.iter().enumerate() {
                let path = format!("/workouts/{i}");
                let named = DayName::of(workout.date);
                if workout.day != named {
                    let message = format!("`day` is {}, but {} is a {named}.", workout.day, workout.date);
                    report.note(format!("{path}/day"), FindingCode::WeekdayDiffers, message);
                }
                seen_name(&format!("{path}/name"), &workout.name, &mut report);
                steps_add_up(&path, &workout.as_new(), &mut report);
            }
        }
    }
    report
}

/// Holds an answer against itself and against the athlete's plan.
#[must_use]
pub fn against(response: &Response, ground: &Ground<'_>) -> Report {
    let mut report = within(response);
    if ground.plan.status != PlanStatus::Active {
        let message = format!(
            "Plan {} is {}, not active. Only the active plan can be changed.",
            ground.plan.id, ground.plan.status
        );
        report.refuse("", FaultCode::PlanNotActive, message);
    }
    match response {
        Response::Modification(response) => {
            for (i, modification) in response.modifications.iter().enumerate() {
                modified(&format!("/modifications/{i}"), modification, ground, &mut report);
            }
            for (i, workout) in response.new_workouts.iter().enumerate() {
                let path = format!("/new_workouts/{i}/date");
                added(&path, workout.date, workout.sport, ground, &mut report);
            }
            current_week(response, ground, &mut report);
        }
        Response::Week(response) => {
            for (i, workout) in response.workouts.iter().enumerate() {
                // What is there already takes on another form, and is not new to its day.
                let there = |planned: &&PlannedWorkout| {
                    (planned.workout.date, planned.workout.sport) == (workout.date, workout.sport)
                };
                let sport = ground.workouts.iter().find(there).map_or(workout.sport, |_| Sport::Rest);
                added(&format!("/workouts/{i}/date"), workout.date, sport, ground, &mut report);
            }
        }
    }
    report
}

fn skip_changes_nothing(path: &str, modification: &Modification, report: &mut Report) {
    if modification.action == Action::Skip
        && modification.changes.as_ref().is_some_and(super::Changes::changes_something)
    {
        let message = "`skip` takes the workout out; of `changes` only `notes` counts.";
        report.note(format!("{path}/changes"), FindingCode::Ignored, message);
    }
}

fn one_week(week: &WeeklyPlan, report: &mut Report) {
    let Some(monday) = week.monday() else { return };
    let sunday = monday.plus(6);
    if let Some(outside) = week.workouts.iter().map(|workout| workout.date).find(|day| *day > sunday) {
        let message = format!(
            "A weekly plan is about one week from Monday to Sunday. This one begins in the week of {monday} and has a workout on {outside}."
        );
        report.refuse("/workouts", FaultCode::NotOneWeek, message);
    }
}

fn totals(week: &WeeklyPlan, report: &mut Report) {
    let Some(summary) = &week.plan_summary else { return };
    // A workout without an estimate leaves the sum unknown; a rest day brings nothing.
    let tss: Option<f64> = (week.workouts.iter())
        .map(|workout| workout.estimated_tss.or((workout.sport == Sport::Rest).then_some(0.0)))
        .sum();
    let hours = week.workouts.iter().map(|workout| workout.duration_minutes).sum::<f64>() / 60.0;
    let wrong = |said: f64, sum: f64, within: f64| (said - sum).abs() > within + 1e-9;
    if let (Some(said), Some(sum)) = (summary.total_tss, tss)
        && wrong(said, sum, TSS_WITHIN)
    {
        let message = format!("`total_tss` is {said}, but the workouts add up to {}.", tidy(sum));
        report.note("/plan_summary/total_tss", FindingCode::TotalDiffers, message);
    }
    if let Some(said) = summary.total_hours
        && wrong(said, hours, HOURS_WITHIN)
    {
        let message = format!("`total_hours` is {said}, but the workouts add up to {} hours.", tidy(hours));
        report.note("/plan_summary/total_hours", FindingCode::TotalDiffers, message);
    }
}

/// A name that is not what it seems.
fn seen_name(path: &str, name: &str, report: &mut Report) {
    if !is_seen(name) {
        let message = format!(
            "The name {} holds control characters, or characters that are not seen. Leave them out.",
            quoted(name)
        );
        report.refuse(path, FaultCode::BadCharacter, message);
    }
}

fn steps_add_up(path: &str, workout: &NewWorkout, report: &mut Report) {
    for (i, step) in workout.steps.iter().enumerate() {
        let path = format!("{path}/steps/{i}");
        without_effect(&path, step, report);
        if let Some(problem) = step.as_planned().impossible() {
            let message = format!("Nobody can hold this target: {problem}.");
            report.refuse(format!("{path}/target_type"), FaultCode::OutOfRange, message);
        }
    }
    if workout.steps.is_empty() {
        return;
    }
    // How long a step by distance takes depends on who runs it, and calories and an open end say nothing.
    let within = workout.steps.iter().map(|step| step.as_planned().seconds_within(workout.sport));
    let (least, most) = within.fold((0.0, 0.0), |(least, most), (low, high)| (least + low, most + high));
    let (least, most, planned) = (least / 60.0, most / 60.0, workout.duration_minutes);
    let room = planned * STEPS_WITHIN + 1e-9;
    let come_to = match () {
        () if least <= planned + room && most >= planned - room => return,
        () if least == most => format!("add up to {}", tidy(least)),
        () if least > planned => format!("take at least {}", tidy(least)),
        () => format!("take at most {}", tidy(most)),
    };
    let message = format!(
        "The steps {come_to} of {} minutes. Make them fit, or change `duration_minutes`.",
        tidy(planned)
    );
    report.note(format!("{path}/steps"), FindingCode::StepsDiffer, message);
}

fn without_effect(path: &str, step: &Step, report: &mut Report) {
    if step.is_open() && step.duration_value.is_some() {
        let message = "A step of duration_type `open` has no `duration_value`; it is left out.";
        report.note(format!("{path}/duration_value"), FindingCode::Ignored, message);
    }
    let bounded = step.target_low.is_some() || step.target_high.is_some();
    match step.target_type {
        None | Some(TargetType::Open) if bounded => {
            let message =
                "`target_low` and `target_high` mean nothing without a `target_type`; they are left out.";
            report.note(format!("{path}/target_type"), FindingCode::Ignored, message);
        }
        Some(kind) if kind != TargetType::Open && !bounded => {
            let message = format!(
                "A target of type `{kind}` needs `target_low` or `target_high`; the step goes by feel."
            );
            report.note(format!("{path}/target_type"), FindingCode::Ignored, message);
        }
        _ => {}
    }
}

fn modified(path: &str, modification: &Modification, ground: &Ground<'_>, report: &mut Report) {
    let Some(planned) = ground.find(&modification.workout_id) else {
        let id = quoted(&modification.workout_id);
        let message = match ground.plan.status {
            PlanStatus::Active => {
                format!(
                    "Workout {id} is not in this athlete's active plan. Use an id from `upcoming_workouts`."
                )
            }
            _ => format!("Workout {id} is not in plan {}.", ground.plan.id),
        };
        report.refuse(format!("{path}/workout_id"), FaultCode::NoSuchWorkout, message);
        not_past(&format!("{path}/date"), modification.date, ground, report);
        return;
    };
    let workout = &planned.workout;
    if workout.date != modification.date {
        let message = format!("Workout {} is on {}, not on {}.", planned.id, workout.date, modification.date);
        report.refuse(format!("{path}/date"), FaultCode::WrongDate, message);
    }
    not_past(&format!("{path}/date"), workout.date, ground, report);
    if ground.plan.is_race(workout) {
        let message = format!("Workout {} is the race itself, which stays as it is.", planned.id);
        report.refuse(format!("{path}/workout_id"), FaultCode::RaceDay, message);
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
        report.refuse(format!("{path}/changes"), FaultCode::RestDay, message);
    }
    what_was_there(path, modification, workout, report);
}

/// `from` and `original_name` against the plan.
fn what_was_there(path: &str, modification: &Modification, workout: &Workout, report: &mut Report) {
    let mut differs = |field: &str, said: String, is: Option<String>| {
        let is = is.map_or_else(|| "says nothing".to_owned(), |is| format!("says {is}"));
        let message = format!("{said} is not what is there: the plan {is}.");
        report.note(format!("{path}/{field}"), FindingCode::FromDiffers, message);
    };
    if let Some(name) = &modification.original_name
        && name.trim() != workout.name.trim()
    {
        differs("original_name", quoted(name), Some(quoted(&workout.name)));
    }
    let Some(changes) = &modification.changes else { return };
    let is_off =
        |said: f64, is: Option<f64>, within: f64| is.is_none_or(|is| (said - is).abs() > within + 1e-9);
    // Nothing to do takes no time and brings no load.
    let idle = workout.is_rest().then_some(0.0);
    if let Some(said) = changes.duration_minutes.and_then(|change| change.from) {
        let is = workout.duration.map(|time| time.seconds() / 60.0).or(idle);
        if !could_take(workout, said) && is_off(said, is, MINUTES_WITHIN) {
            differs(
                "changes/duration_minutes/from",
                format!("{said} minutes"),
                is.map(|is| format!("{} minutes", tidy(is))),
            );
        }
    }
    if let Some(said) = changes.estimated_tss.and_then(|change| change.from) {
        let is = workout.load.or(idle);
        if is_off(said, is, TSS_WITHIN) {
            differs(
                "changes/estimated_tss/from",
                format!("{said} TSS"),
                is.map(|is| format!("{} TSS", tidy(is))),
            );
        }
    }
    if let Some(said) = changes.intensity.as_ref().and_then(|change| change.from.as_ref()) {
        let is = workout.intensity.as_deref();
        if is.is_none_or(|is| !is.trim().eq_ignore_ascii_case(said.trim())) {
            differs("changes/intensity/from", quoted(said), is.map(quoted));
        }
    }
}

/// Whether a session that is planned by distance alone could take so many minutes. Nothing of it says how many it does.
fn could_take(workout: &Workout, minutes: f64) -> bool {
    let by_distance = workout.duration.is_none() && workout.distance.is_some();
    by_distance
        && workout.one_step().first().is_some_and(|step| {
            let (least, most) = step.seconds_within(workout.sport);
            (least..=most).contains(&(minutes * 60.0))
        })
}

/// What an answer puts on a day.
fn added(path: &str, day: Day, sport: Sport, ground: &Ground<'_>, report: &mut Report) {
    not_past(path, day, ground, report);
    let days = ground.plan.days();
    if !days.contains(&day) {
        let message = format!(
            "{day} is outside the plan, which leads to {}: its workouts may be from {} to {}, with the weeks after that day.",
            ground.plan.race_date,
            days.start(),
            days.end()
        );
        report.refuse(path, FaultCode::OutsidePlan, message);
    }
    if sport != Sport::Rest {
        available(path, day, ground, report);
    }
}

fn not_past(path: &str, day: Day, ground: &Ground<'_>, report: &mut Report) {
    if day < ground.today {
        let message =
            format!("{day} is in the past; today is {}. What is over is not changed.", ground.today);
        report.refuse(path, FaultCode::PastDay, message);
    }
}

fn available(path: &str, day: Day, ground: &Ground<'_>, report: &mut Report) {
    let (weekday, availability) = (DayName::of(day), &ground.plan.terms.availability);
    if availability.blackouts.contains(&day) {
        let message = format!("The athlete cannot train on {day}. Choose another day, or rest.");
        report.refuse(path, FaultCode::BlackoutDay, message);
    } else if !availability.days.allows(day) {
        let message =
            format!("{day} is a {weekday}, on which the athlete never trains. Choose another day, or rest.");
        report.refuse(path, FaultCode::UnavailableDay, message);
    }
}

/// The load of the week that is changed, or of the running one, against the plan.
fn current_week(response: &PlanModification, ground: &Ground<'_>, report: &mut Report) {
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
        .filter(|workout| (monday..=monday.plus(6)).contains(&workout.date))
        .map(|workout| workout.load.or(workout.is_rest().then_some(0.0)))
        .sum();
    if let Some(planned) = planned
        && (said - planned).abs() > TSS_WITHIN + 1e-9
    {
        let message = format!(
            "`current_weekly_tss` is {said}, but the plan has {} TSS in the week of {monday}.",
            tidy(planned)
        );
        report.note("/weekly_load_adjustment/current_weekly_tss", FindingCode::WeekDiffers, message);
    }
}

/// A sum without the dust of floating point.
fn tidy(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}
