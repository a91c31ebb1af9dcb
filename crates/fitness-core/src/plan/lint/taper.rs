//! The way to the start line: last long run, taper, last days.

use super::super::training_norms::{self, Class};
use super::super::{Level, WorkoutKind};
use super::context::{Peak, View};
use super::volume::{longest_before_race, percent, preparing_since};
use super::{LATE_BREAK, Remark, Report, Rule, Severity, TOLERANCE, beyond};
use crate::domain::calendar::Day;

pub(super) fn check(view: &View<'_>, report: &mut Report) {
    let Some((_, class)) = view.race else { return };
    if view.subject.race <= view.athlete.as_of {
        return;
    }
    last_days(view, report);
    if let Some((days, end)) = view.late_break() {
        return without_running(days, end, report);
    }
    last_long_run(view, class, report);
    if let Some(peak) = &view.peak {
        length(view, class, peak, report);
        last_weeks(view, class, peak, report);
        falling(view, class, peak, report);
        kept(view, peak, report);
    }
}

/// R22 where there is nothing to taper from: one word about it is enough.
fn without_running(days: i64, end: Day, report: &mut Report) {
    let text = format!(
        "There are {days} days without a run before {end}: what is left until the race is for coming back from them"
    );
    report.add(
        Remark::new(Rule::R22, Severity::Warning, text)
            .part(LATE_BREAK)
            .on(end)
            .measured(days as f64, training_norms::BREAK as f64)
            .aside(format!("{days} days before {end} are without a run")),
    );
}

/// R10.
fn last_long_run(view: &View<'_>, class: Class, report: &mut Report) {
    let (low, high) = training_norms::last_long_run(class);
    // A plan of a few weeks may leave the long run to the weeks before it; then it cannot come too early.
    let short = view.weeks.len() <= training_norms::NO_BUILD;
    let (from, range) = match short {
        true => (preparing_since(view), (low, f64::MAX)),
        false => (view.running_again().unwrap_or(view.subject.start), (low, high)),
    };
    let Some((_, day)) = longest_before_race(view, from) else { return };
    // What was run cannot be run earlier.
    if day <= view.athlete.as_of {
        return;
    }
    let days = day.until(view.subject.race);
    if let Some(limit) = beyond(days as f64, range) {
        let text = format!(
            "The last long run, on {day}, is {} before the race; {low:.0} to {high:.0} are usual",
            counted(days, "day")
        );
        let aside = format!("the last long run is {} before the race", counted(days, "day"));
        let remark = Remark::new(Rule::R10, Severity::Warning, text).on(day);
        report.add(remark.measured(days as f64, limit).aside(aside));
    }
}

/// R19 and R24. A taper that began before the plan has no length here.
fn length(view: &View<'_>, class: Class, peak: &Peak, report: &mut Report) {
    let weeks = view.weeks.len();
    if peak.taper > 0 {
        let days = (weeks - peak.taper) as f64 * 7.0;
        let range = training_norms::taper_days(class);
        if let Some(limit) = beyond(days, range) {
            let text = format!(
                "The taper has {days:.0} days; before this race {:.0} to {:.0} days with less running are best",
                range.0, range.1
            );
            let aside =
                format!("the taper has {days:.0} days where {:.0} to {:.0} are best", range.0, range.1);
            report.add(Remark::new(Rule::R19, Severity::Warning, text).measured(days, limit).aside(aside));
        }
    }
    // Three weeks begin with the last full one; where it lies is no choice.
    let given = class == Class::Full && weeks <= training_norms::NO_BUILD;
    if let Some(last) = peak.last.filter(|_| !given) {
        let (apart, range) = ((weeks - 1 - last) as f64, training_norms::peak_to_race(class));
        if let Some(limit) = beyond(apart, range) {
            let first = view.weeks[last].week.first;
            let text = format!(
                "The last peak week, from {first}, is {} before race week; {:.0} to {:.0} are usual",
                counted(apart as i64, "week"),
                range.0,
                range.1
            );
            let aside = format!("the last peak week is {} before race week", counted(apart as i64, "week"));
            let remark = Remark::new(Rule::R24, Severity::Warning, text).on(first);
            report.add(remark.measured(apart, limit).aside(aside));
        }
    }
}

/// R20.
fn last_weeks(view: &View<'_>, class: Class, peak: &Peak, report: &mut Report) {
    // Of three weeks the first is a full one.
    let tapering =
        if view.weeks.len() <= training_norms::NO_BUILD { training_norms::NO_BUILD - 1 } else { usize::MAX };
    for (week, range) in view.weeks.iter().rev().zip(training_norms::last_weeks(class)).take(tapering) {
        let (Some(km), Some(range)) = (week.km, range) else { continue };
        if let Some(limit) = beyond(km / peak.km, range) {
            let first = week.week.first;
            let text = format!(
                "The week from {first} has {} of the fullest week; so close to the race {} to {} are best",
                percent(km / peak.km),
                percent(range.0),
                percent(range.1)
            );
            report
                .add(Remark::new(Rule::R20, Severity::Warning, text).on(first).measured(km / peak.km, limit));
        }
    }
}

/// R21.
fn falling(view: &View<'_>, class: Class, peak: &Peak, report: &mut Report) {
    let taper = view.weeks.get(peak.taper..).unwrap_or_default();
    for pair in taper.windows(2) {
        let (Some(before), Some(km)) = (pair[0].km, pair[1].km) else { continue };
        if km >= before - TOLERANCE {
            let first = pair[1].week.first;
            let text =
                format!("The week from {first} is in the taper and not lighter than the one before it");
            let aside = format!("the week from {first} is not lighter than the one before it");
            let remark = Remark::new(Rule::R21, Severity::Warning, text).on(first);
            report.add(remark.measured(km, before).aside(aside));
        }
    }
    let last_two: Option<f64> = view.weeks.iter().rev().take(2).map(|week| week.km).sum();
    if let Some(sum) = last_two.filter(|_| class == Class::Full && view.weeks.len() >= 2) {
        let lighter = 1.0 - sum / 2.0 / peak.km;
        if let Some(limit) = beyond(lighter, training_norms::LIGHTER) {
            let text = format!(
                "The last two weeks are {} lighter than the fullest week; {} to {} are best",
                percent(lighter),
                percent(training_norms::LIGHTER.0),
                percent(training_norms::LIGHTER.1)
            );
            let aside = format!("the last two are {} lighter on average", percent(lighter));
            let remark = Remark::new(Rule::R21, Severity::Warning, text).part(1);
            report.add(remark.measured(lighter, limit).aside(aside));
        }
    }
}

/// R22. The race counts as a run; where nothing was quick before the taper, nothing needs to be kept.
fn kept(view: &View<'_>, peak: &Peak, report: &mut Report) {
    let build = view.build();
    let mut runs: Vec<usize> = build.iter().map(|week| week.runs).collect();
    runs.sort_unstable();
    let Some(usual) = runs.get(runs.len() / 2).copied() else { return };
    let quick = build.iter().any(|week| week.quality > 0);
    for week in view.weeks.get(peak.taper..).unwrap_or_default() {
        let first = week.week.first;
        let race_week = week.week.contains(view.subject.race);
        let count = week.runs + usize::from(race_week);
        let share = count as f64 / usual.max(1) as f64;
        if share < training_norms::TAPER_RUNS - TOLERANCE {
            let runs = counted(count as i64, "run");
            let text = format!(
                "The week from {first} is in the taper and has {runs}, where {usual} were usual; make runs shorter instead"
            );
            let aside = format!("the week from {first} has {runs} where {usual} were usual");
            let remark = Remark::new(Rule::R22, Severity::Warning, text).on(first);
            report.add(remark.measured(share, training_norms::TAPER_RUNS).aside(aside));
        }
        let strides = || {
            view.planned()
                .any(|(session, _)| week.week.contains(session.day) && session.is(WorkoutKind::Strides))
        };
        if quick && week.quality == 0 && !(race_week && strides()) {
            let text = format!("The week from {first} is in the taper and has no short session at race pace");
            let aside = format!("the week from {first} has no session at race pace");
            report.add(Remark::new(Rule::R22, Severity::Warning, text).part(1).on(first).aside(aside));
        }
    }
}

/// `1 run`, `3 runs`.
fn counted(count: i64, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// Seconds per kilometre that nobody is faster than over the better part of an hour and more.
const FASTEST: f64 = 160.0;

/// R23.
fn last_days(view: &View<'_>, report: &mut Report) {
    let severity = if view.level == Level::Advanced { Severity::Warning } else { Severity::Error };
    let (without_quality, without_long, most) = training_norms::LAST_DAYS;
    for (session, _) in view.planned() {
        let day = session.day;
        let left = day.until(view.subject.race);
        if (1..=without_quality).contains(&left) && session.quality {
            let text = format!("There is a quality session on {day}, in the last two days before the race");
            report.add(Remark::new(Rule::R23, severity, text).on(day));
        }
        // Where nobody knows how fast the athlete runs, it takes at least as long as it would take anybody.
        let quickest = || session.km.map(|km| km * FASTEST / 60.0);
        let Some(minutes) = session.minutes.or_else(quickest) else { continue };
        if (1..=without_long).contains(&left) && minutes > most + TOLERANCE {
            let takes = match (session.minutes, session.km) {
                (None, Some(km)) => format!("has {}, for which nobody takes less than", view.shown(km)),
                _ => "takes".to_owned(),
            };
            let text = format!(
                "The run on {day} {takes} {minutes:.0} minutes; keep the last three days to {most:.0}"
            );
            report.add(Remark::new(Rule::R23, severity, text).part(1).on(day).measured(minutes, most));
        }
    }
}
