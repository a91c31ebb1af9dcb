//! Rules on the schedule: rest days, one run a day, one race, possible lengths.

use super::super::training_norms;
use super::super::weeks::filter_runs;
use super::super::{Level, WorkoutKind};
use super::context::{LintContext, planned_km};
use super::{LintRule, RawFinding, RawFindings, Severity, TOLERANCE, exceeded_bound};
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use std::collections::BTreeMap;

/// Days after the race that can still have workouts.
const MAX_DAYS_AFTER_RACE: i64 = 42;

pub(super) fn check(view: &LintContext<'_>, report: &mut RawFindings) {
    check_rest_days(view, report);
    check_runs_per_week(view, report);
    check_day_conflicts(view, report);
    check_race_day(view, report);
    check_day_lengths(view, report);
}

fn check_rest_days(view: &LintContext<'_>, report: &mut RawFindings) {
    let least = training_norms::min_rest_days(view.level);
    let severity = if view.level == Level::Advanced { Severity::Note } else { Severity::Warning };
    for week in view.weeks.iter().filter(|week| week.changeable && week.rest_days < least) {
        let (first, days) = (week.week.first, week.rest_days);
        let text = format!("The week of {first} has {}; plan at least {least}", format_rest_days(days));
        report.add(
            RawFinding::new(LintRule::RestDays, severity, text)
                .on_week(first)
                .with_measurement(days as f64, least as f64),
        );
    }
}

fn format_rest_days(count: usize) -> String {
    match count {
        0 => "no rest day".to_owned(),
        1 => "1 rest day".to_owned(),
        _ => format!("{count} rest days"),
    }
}

/// R18, for the weeks before the taper.
fn check_runs_per_week(view: &LintContext<'_>, report: &mut RawFindings) {
    let (low, high) = training_norms::weekly_runs(view.level);
    for week in view.build_weeks().iter().filter(|week| week.changeable) {
        let (first, runs) = (week.week.first, week.runs);
        if let Some(limit) = exceeded_bound(runs as f64, (low as f64, high as f64)) {
            let counted = if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") };
            let text = format!("The week of {first} has {counted}; {low} to {high} is typical");
            report.add(
                RawFinding::new(LintRule::RunsPerWeek, Severity::Note, text)
                    .on_week(first)
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

/// R33, except for the race itself.
fn check_day_conflicts(view: &LintContext<'_>, report: &mut RawFindings) {
    let (start, race) = (view.subject.start, view.subject.race);
    let (earliest, latest) = (start.iso_week().monday(), race.plus_days(MAX_DAYS_AFTER_RACE));
    let mut plans: BTreeMap<Day, DayCounts> = BTreeMap::new();
    for workout in view.subject.workouts {
        let day = workout.date;
        if !(earliest..=latest).contains(&day) {
            let text = format!("The workout on {day} is outside the dates of the plan");
            report.add(RawFinding::new(LintRule::DayConflict, Severity::Error, text).on_day(day));
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
            report
                .add(RawFinding::new(LintRule::DayConflict, Severity::Error, text).with_part(1).on_day(*day));
        }
        if plan.rests > 0 && plan.rests + plan.runs + plan.others > 1 {
            let text = format!("{day} has both a rest day and a workout; keep one of them");
            report
                .add(RawFinding::new(LintRule::DayConflict, Severity::Error, text).with_part(2).on_day(*day));
        }
    }
    for week in view.weeks.iter().filter(|week| view.race.is_some() && week.changeable) {
        let first = week.week.first;
        if plans.range(first..=week.week.last()).next().is_none() {
            let text = format!(
                "The week of {first} is empty; a race plan needs at least one entry in each week, even a rest day"
            );
            report.add(
                RawFinding::new(LintRule::DayConflict, Severity::Error, text).with_part(3).on_week(first),
            );
        }
    }
}

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
    report.add(RawFinding::new(LintRule::DayConflict, Severity::Error, text).with_part(4).on_day(race));
}

fn check_day_lengths(view: &LintContext<'_>, report: &mut RawFindings) {
    let mut days: BTreeMap<Day, f64> = BTreeMap::new();
    for (session, workout) in view.changeable_runs() {
        let day = session.day;
        match session.km {
            Some(km) if workout.kind != WorkoutKind::Race => *days.entry(day).or_default() += km,
            Some(_) => {}
            None => {
                let text =
                    format!("The distance of the run on {day} is unknown, so the distance checks skip it");
                report.add(
                    RawFinding::new(LintRule::ImplausibleDayLength, Severity::Note, text)
                        .with_part(1)
                        .on_day(day),
                );
            }
        }
    }
    // Other runs on race day.
    for workout in filter_runs(view.subject.workouts).filter(|workout| view.is_race_day(workout.date)) {
        if workout.kind != WorkoutKind::Race && view.is_changeable(workout.date) {
            *days.entry(workout.date).or_default() += planned_km(workout, view.easy_pace).unwrap_or(0.0);
        }
    }
    let most = training_norms::MAX_DAY_KM;
    for (day, km) in days.into_iter().filter(|(_, km)| *km > most + TOLERANCE) {
        let text = format!(
            "The running on {day} adds up to {}; keep a day of training to at most {}",
            view.format_km(km),
            view.format_km(most)
        );
        report.add(
            RawFinding::new(LintRule::ImplausibleDayLength, Severity::Error, text)
                .on_day(day)
                .with_measurement(km, most),
        );
    }
}
