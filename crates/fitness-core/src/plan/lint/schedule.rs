//! Days that hold together: rest, one run a day, one race, lengths that can be.

use super::super::training_norms;
use super::super::weeks::filter_runs;
use super::super::{Level, WorkoutKind};
use super::context::{LintContext, planned_km};
use super::{RawFinding, RawFindings, Rule, Severity, TOLERANCE, exceeded_bound};
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use std::collections::BTreeMap;

/// Days after the race that may still be planned.
const MAX_DAYS_AFTER_RACE: i64 = 42;

pub(super) fn check(view: &LintContext<'_>, report: &mut RawFindings) {
    check_rest_days(view, report);
    check_runs_per_week(view, report);
    check_day_conflicts(view, report);
    check_race_day(view, report);
    check_day_lengths(view, report);
}

/// R17.
fn check_rest_days(view: &LintContext<'_>, report: &mut RawFindings) {
    let least = training_norms::min_rest_days(view.level);
    let severity = if view.level == Level::Advanced { Severity::Note } else { Severity::Warning };
    for week in view.weeks.iter().filter(|week| week.changeable && week.rest_days < least) {
        let (first, days) = (week.week.first, week.rest_days);
        let text = format!(
            "The week from {first} has {} without training; {least} would be good",
            format_days(days)
        );
        report.add(
            RawFinding::new(Rule::RestDays, severity, text)
                .on_day(first)
                .with_measurement(days as f64, least as f64),
        );
    }
}

fn format_days(count: usize) -> String {
    match count {
        0 => "no day".to_owned(),
        1 => "1 day".to_owned(),
        _ => format!("{count} days"),
    }
}

/// R18, before the taper.
fn check_runs_per_week(view: &LintContext<'_>, report: &mut RawFindings) {
    let (low, high) = training_norms::weekly_runs(view.level);
    for week in view.build_weeks().iter().filter(|week| week.changeable) {
        let (first, runs) = (week.week.first, week.runs);
        if let Some(limit) = exceeded_bound(runs as f64, (low as f64, high as f64)) {
            let counted = if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") };
            let text = format!("The week from {first} has {counted}; {low} to {high} are usual");
            report.add(
                RawFinding::new(Rule::RunsPerWeek, Severity::Note, text)
                    .on_day(first)
                    .with_measurement(runs as f64, limit),
            );
        }
    }
}

#[derive(Default)]
struct DayCounts {
    runs: usize,
    rests: usize,
    others: usize,
}

/// R33, but for the race.
fn check_day_conflicts(view: &LintContext<'_>, report: &mut RawFindings) {
    let (start, race) = (view.subject.start, view.subject.race);
    let (earliest, latest) = (start.iso_week().monday(), race.plus_days(MAX_DAYS_AFTER_RACE));
    let mut plans: BTreeMap<Day, DayCounts> = BTreeMap::new();
    for workout in view.subject.workouts {
        let day = workout.date;
        if !(earliest..=latest).contains(&day) {
            let text = format!("The workout on {day} is outside the plan");
            report.add(RawFinding::new(Rule::DayConflict, Severity::Error, text).on_day(day));
        }
        let plan = plans.entry(day).or_default();
        match workout.sport {
            _ if workout.is_rest() => plan.rests += 1,
            Sport::Running => plan.runs += 1,
            _ => plan.others += 1,
        }
    }
    for (day, plan) in plans.iter().filter(|(day, _)| view.is_changeable(**day)) {
        if plan.runs > 1 {
            let text = format!("There are {} runs on {day}; keep one", plan.runs);
            report.add(RawFinding::new(Rule::DayConflict, Severity::Error, text).with_part(1).on_day(*day));
        }
        if plan.rests > 0 && plan.rests + plan.runs + plan.others > 1 {
            let text = format!("{day} is a rest day with something else on it; keep one of them");
            report.add(RawFinding::new(Rule::DayConflict, Severity::Error, text).with_part(2).on_day(*day));
        }
    }
    for week in view.weeks.iter().filter(|week| view.race.is_some() && week.changeable) {
        let first = week.week.first;
        if plans.range(first..=week.week.last()).next().is_none() {
            let text = format!(
                "Nothing is planned in the week from {first}, not even a day off; a plan for a race says what each week holds"
            );
            report.add(RawFinding::new(Rule::DayConflict, Severity::Error, text).with_part(3).on_day(first));
        }
    }
}

/// R33's race.
fn check_race_day(view: &LintContext<'_>, report: &mut RawFindings) {
    let race = view.subject.race;
    if view.race.is_none() {
        return;
    }
    let on_the_day = view.subject.workouts.iter().filter(|workout| workout.date == race);
    let text = match on_the_day.filter(|workout| workout.kind == WorkoutKind::Race).count() {
        1 => return,
        0 => format!("There is no race on race day, {race}"),
        _ => format!("There is more than one race on race day, {race}"),
    };
    report.add(RawFinding::new(Rule::DayConflict, Severity::Error, text).with_part(4).on_day(race));
}

/// R34.
fn check_day_lengths(view: &LintContext<'_>, report: &mut RawFindings) {
    let mut days: BTreeMap<Day, f64> = BTreeMap::new();
    for (session, workout) in view.changeable_runs() {
        let day = session.day;
        match session.km {
            Some(km) if workout.kind != WorkoutKind::Race => *days.entry(day).or_default() += km,
            Some(_) => {}
            None => {
                let text = format!(
                    "How far the run on {day} goes is not known, so rules about distance did not look at it"
                );
                report.add(
                    RawFinding::new(Rule::ImplausibleDayLength, Severity::Note, text)
                        .with_part(1)
                        .on_day(day),
                );
            }
        }
    }
    // Beside the race.
    for workout in filter_runs(view.subject.workouts).filter(|workout| view.is_race_day(workout.date)) {
        if workout.kind != WorkoutKind::Race && view.is_changeable(workout.date) {
            *days.entry(workout.date).or_default() += planned_km(workout, view.easy_pace).unwrap_or(0.0);
        }
    }
    let most = training_norms::MAX_DAY_KM;
    for (day, km) in days.into_iter().filter(|(_, km)| *km > most + TOLERANCE) {
        let text = format!(
            "There are {} of running on {day}; more than {} is no training",
            view.format_km(km),
            view.format_km(most)
        );
        report.add(
            RawFinding::new(Rule::ImplausibleDayLength, Severity::Error, text)
                .on_day(day)
                .with_measurement(km, most),
        );
    }
}
