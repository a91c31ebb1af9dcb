//! Days that hold together: rest, one run a day, one race, lengths that can be.

use super::super::training_norms;
use super::super::weeks::running;
use super::super::{Level, WorkoutKind};
use super::context::{View, planned_km};
use super::{Remark, Report, Rule, Severity, TOLERANCE, beyond};
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use std::collections::BTreeMap;

/// Days after the race that may still be planned.
const AFTER_RACE: i64 = 42;

pub(super) fn check(view: &View<'_>, report: &mut Report) {
    rest_days(view, report);
    runs_a_week(view, report);
    days(view, report);
    race_day(view, report);
    lengths(view, report);
}

/// R17.
fn rest_days(view: &View<'_>, report: &mut Report) {
    let least = training_norms::rest_days(view.level);
    let severity = if view.level == Level::Advanced { Severity::Note } else { Severity::Warning };
    for week in view.weeks.iter().filter(|week| week.open && week.rest_days < least) {
        let (first, days) = (week.week.first, week.rest_days);
        let text =
            format!("The week from {first} has {} without training; {least} would be good", days_of(days));
        report.add(Remark::new(Rule::R17, severity, text).on(first).measured(days as f64, least as f64));
    }
}

fn days_of(count: usize) -> String {
    match count {
        0 => "no day".to_owned(),
        1 => "1 day".to_owned(),
        _ => format!("{count} days"),
    }
}

/// R18, before the taper.
fn runs_a_week(view: &View<'_>, report: &mut Report) {
    let (low, high) = training_norms::weekly_runs(view.level);
    for week in view.build().iter().filter(|week| week.open) {
        let (first, runs) = (week.week.first, week.runs);
        if let Some(limit) = beyond(runs as f64, (low as f64, high as f64)) {
            let counted = if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") };
            let text = format!("The week from {first} has {counted}; {low} to {high} are usual");
            report.add(Remark::new(Rule::R18, Severity::Note, text).on(first).measured(runs as f64, limit));
        }
    }
}

#[derive(Default)]
struct Plan {
    runs: usize,
    rests: usize,
    others: usize,
}

/// R33, but for the race.
fn days(view: &View<'_>, report: &mut Report) {
    let (start, race) = (view.subject.start, view.subject.race);
    let (earliest, latest) = (start.iso_week().monday(), race.plus(AFTER_RACE));
    let mut plans: BTreeMap<Day, Plan> = BTreeMap::new();
    for workout in view.subject.workouts {
        let day = workout.date;
        if !(earliest..=latest).contains(&day) {
            let text = format!("The workout on {day} is outside the plan");
            report.add(Remark::new(Rule::R33, Severity::Error, text).on(day));
        }
        let plan = plans.entry(day).or_default();
        match workout.sport {
            _ if workout.is_rest() => plan.rests += 1,
            Sport::Running => plan.runs += 1,
            _ => plan.others += 1,
        }
    }
    for (day, plan) in plans.iter().filter(|(day, _)| view.is_open(**day)) {
        if plan.runs > 1 {
            let text = format!("There are {} runs on {day}; keep one", plan.runs);
            report.add(Remark::new(Rule::R33, Severity::Error, text).part(1).on(*day));
        }
        if plan.rests > 0 && plan.rests + plan.runs + plan.others > 1 {
            let text = format!("{day} is a rest day with something else on it; keep one of them");
            report.add(Remark::new(Rule::R33, Severity::Error, text).part(2).on(*day));
        }
    }
    for week in view.weeks.iter().filter(|week| view.race.is_some() && week.open) {
        let first = week.week.first;
        if plans.range(first..=week.week.last()).next().is_none() {
            let text = format!(
                "Nothing is planned in the week from {first}, not even a day off; a plan for a race says what each week holds"
            );
            report.add(Remark::new(Rule::R33, Severity::Error, text).part(3).on(first));
        }
    }
}

/// R33's race.
fn race_day(view: &View<'_>, report: &mut Report) {
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
    report.add(Remark::new(Rule::R33, Severity::Error, text).part(4).on(race));
}

/// R34.
fn lengths(view: &View<'_>, report: &mut Report) {
    let mut days: BTreeMap<Day, f64> = BTreeMap::new();
    for (session, workout) in view.planned() {
        let day = session.day;
        match session.km {
            Some(km) if workout.kind != WorkoutKind::Race => *days.entry(day).or_default() += km,
            Some(_) => {}
            None => {
                let text = format!(
                    "How far the run on {day} goes is not known, so rules about distance did not look at it"
                );
                report.add(Remark::new(Rule::R34, Severity::Note, text).part(1).on(day));
            }
        }
    }
    // Beside the race.
    for workout in running(view.subject.workouts).filter(|workout| view.is_race_day(workout.date)) {
        if workout.kind != WorkoutKind::Race && view.is_open(workout.date) {
            *days.entry(workout.date).or_default() += planned_km(workout, view.easy).unwrap_or(0.0);
        }
    }
    let most = training_norms::LONGEST_DAY;
    for (day, km) in days.into_iter().filter(|(_, km)| *km > most + TOLERANCE) {
        let text = format!(
            "There are {} of running on {day}; more than {} is no training",
            view.shown(km),
            view.shown(most)
        );
        report.add(Remark::new(Rule::R34, Severity::Error, text).on(day).measured(km, most));
    }
}
