//! Rules on the last weeks: last long run, taper, final days.

use super::super::training_norms::{self, RaceClass};
use super::super::{Level, WorkoutKind};
use super::context::{LintContext, PeakWeek};
use super::volume::{format_percent, longest_before_race, preparation_start};
use super::{LATE_BREAK, LintRule, RawFinding, RawFindings, Severity, TOLERANCE, exceeded_bound};
use crate::domain::calendar::Day;

pub(super) fn check(view: &LintContext<'_>, report: &mut RawFindings) {
    let Some((_, class)) = view.race else { return };
    if view.subject.race <= view.athlete.as_of {
        return;
    }
    check_final_days(view, report);
    if let Some((days, end)) = view.late_break() {
        return report_late_break(days, end, report);
    }
    check_last_long_run(view, class, report);
    if let Some(peak) = &view.peak {
        check_taper_length(view, class, peak, report);
        check_taper_volume(view, class, peak, report);
        check_taper_decrease(view, class, peak, report);
        check_taper_frequency(view, peak, report);
    }
}

/// R22 when a late break leaves nothing to taper from: one finding replaces the other taper rules.
fn report_late_break(days: i64, end: Day, report: &mut RawFindings) {
    let without_run = if days == 1 { "is 1 day".to_owned() } else { format!("are {days} days") };
    let text = format!(
        "There {without_run} without a run before {end}; the time left before the race is needed to come back from them"
    );
    report.add(
        RawFinding::new(LintRule::TaperFrequency, Severity::Warning, text)
            .with_part(LATE_BREAK)
            .on_day(end)
            .with_measurement(days as f64, training_norms::BREAK_DAYS as f64)
            .with_short_text(format!("there {without_run} without a run before {end}")),
    );
}

fn check_last_long_run(view: &LintContext<'_>, class: RaceClass, report: &mut RawFindings) {
    let (low, high) = training_norms::last_long_run_days(class);
    // In a plan of a few weeks the long run may lie before the plan; then it cannot be too early.
    let short = view.weeks.len() <= training_norms::MAX_WEEKS_WITHOUT_BUILD;
    let (from, range) = match short {
        true => (preparation_start(view), (low, f64::MAX)),
        false => (view.first_run_after_last_break().unwrap_or(view.subject.start), (low, high)),
    };
    let Some((_, day)) = longest_before_race(view, from) else { return };
    // A recorded run cannot be moved.
    if day <= view.athlete.as_of {
        return;
    }
    let days = day.days_until(view.subject.race);
    if let Some(limit) = exceeded_bound(days as f64, range) {
        let text = format!(
            "The last long run, on {day}, is {} before the race; {low:.0} to {high:.0} days is typical",
            format_count(days, "day")
        );
        let aside = format!("the last long run is {} before the race", format_count(days, "day"));
        let remark = RawFinding::new(LintRule::LastLongRunTiming, Severity::Warning, text).on_day(day);
        report.add(remark.with_measurement(days as f64, limit).with_short_text(aside));
    }
}

/// R19 and R24. A taper that began before the plan has no known length.
fn check_taper_length(view: &LintContext<'_>, class: RaceClass, peak: &PeakWeek, report: &mut RawFindings) {
    let weeks = view.weeks.len();
    if peak.taper_start > 0 {
        let days = (weeks - peak.taper_start) as f64 * 7.0;
        let range = training_norms::taper_days(class);
        if let Some(limit) = exceeded_bound(days, range) {
            let text =
                format!("The taper lasts {days:.0} days; {:.0} to {:.0} days work best", range.0, range.1);
            let aside = format!("the taper lasts {days:.0} days instead of {:.0} to {:.0}", range.0, range.1);
            report.add(
                RawFinding::new(LintRule::TaperLength, Severity::Warning, text)
                    .with_measurement(days, limit)
                    .with_short_text(aside),
            );
        }
    }
    // Three weeks start with the last full one, so its position is fixed.
    let given = class == RaceClass::Full && weeks <= training_norms::MAX_WEEKS_WITHOUT_BUILD;
    if let Some(last) = peak.last_week.filter(|_| !given) {
        let (apart, range) = ((weeks - 1 - last) as f64, training_norms::peak_to_race_weeks(class));
        if let Some(limit) = exceeded_bound(apart, range) {
            let first = view.weeks[last].week.first;
            let text = format!(
                "The last peak week, the week of {first}, is {} before race week; {:.0} to {:.0} weeks is typical",
                format_count(apart as i64, "week"),
                range.0,
                range.1
            );
            let aside =
                format!("the last peak week is {} before race week", format_count(apart as i64, "week"));
            let remark = RawFinding::new(LintRule::PeakWeekTiming, Severity::Warning, text).on_week(first);
            report.add(remark.with_measurement(apart, limit).with_short_text(aside));
        }
    }
}

fn check_taper_volume(view: &LintContext<'_>, class: RaceClass, peak: &PeakWeek, report: &mut RawFindings) {
    // The first of three weeks is a full one.
    let tapering = if view.weeks.len() <= training_norms::MAX_WEEKS_WITHOUT_BUILD {
        training_norms::MAX_WEEKS_WITHOUT_BUILD - 1
    } else {
        usize::MAX
    };
    for (week, range) in view.weeks.iter().rev().zip(training_norms::taper_week_shares(class)).take(tapering)
    {
        let (Some(km), Some(range)) = (week.km, range) else { continue };
        if let Some(limit) = exceeded_bound(km / peak.km, range) {
            let first = week.week.first;
            let text = format!(
                "The week of {first} is {} of the peak week; {} to {} works best before a race",
                format_percent(km / peak.km),
                format_percent(range.0),
                format_percent(range.1)
            );
            report.add(
                RawFinding::new(LintRule::TaperVolume, Severity::Warning, text)
                    .on_week(first)
                    .with_measurement(km / peak.km, limit),
            );
        }
    }
}

fn check_taper_decrease(view: &LintContext<'_>, class: RaceClass, peak: &PeakWeek, report: &mut RawFindings) {
    let taper = view.weeks.get(peak.taper_start..).unwrap_or_default();
    for pair in taper.windows(2) {
        let (Some(before), Some(km)) = (pair[0].km, pair[1].km) else { continue };
        if km >= before - TOLERANCE {
            let first = pair[1].week.first;
            let text = format!("The taper week of {first} is not lighter than the week before it");
            let aside = format!("the week of {first} is not lighter than the week before it");
            let remark = RawFinding::new(LintRule::TaperDecrease, Severity::Warning, text).on_week(first);
            report.add(remark.with_measurement(km, before).with_short_text(aside));
        }
    }
    let last_two: Option<f64> = view.weeks.iter().rev().take(2).map(|week| week.km).sum();
    if let Some(sum) = last_two.filter(|_| class == RaceClass::Full && view.weeks.len() >= 2) {
        let lighter = 1.0 - sum / 2.0 / peak.km;
        if let Some(limit) = exceeded_bound(lighter, training_norms::TAPER_REDUCTION) {
            let text = format!(
                "The last two weeks are {} lighter than the peak week; {} to {} works best",
                format_percent(lighter),
                format_percent(training_norms::TAPER_REDUCTION.0),
                format_percent(training_norms::TAPER_REDUCTION.1)
            );
            let aside = format!("the last two weeks are {} lighter on average", format_percent(lighter));
            let remark = RawFinding::new(LintRule::TaperDecrease, Severity::Warning, text).with_part(1);
            report.add(remark.with_measurement(lighter, limit).with_short_text(aside));
        }
    }
}

/// R22. The race counts as a run. If nothing was fast before the taper, nothing has to be in it.
fn check_taper_frequency(view: &LintContext<'_>, peak: &PeakWeek, report: &mut RawFindings) {
    let build = view.build_weeks();
    let mut runs: Vec<usize> = build.iter().map(|week| week.runs).collect();
    runs.sort_unstable();
    let Some(usual) = runs.get(runs.len() / 2).copied() else { return };
    let quick = build.iter().any(|week| week.quality > 0);
    for week in view.weeks.get(peak.taper_start..).unwrap_or_default() {
        let first = week.week.first;
        let race_week = week.week.contains(view.subject.race);
        let count = week.runs + usize::from(race_week);
        let share = count as f64 / usual.max(1) as f64;
        if share < training_norms::MIN_TAPER_RUN_SHARE - TOLERANCE {
            let runs = format_count(count as i64, "run");
            let text = format!(
                "The taper week of {first} has {runs} instead of the usual {usual}; shorten runs instead of dropping them"
            );
            let aside = format!("the week of {first} has {runs} instead of the usual {usual}");
            let remark = RawFinding::new(LintRule::TaperFrequency, Severity::Warning, text).on_week(first);
            report.add(
                remark.with_measurement(share, training_norms::MIN_TAPER_RUN_SHARE).with_short_text(aside),
            );
        }
        let strides = || {
            view.changeable_runs()
                .any(|(session, _)| week.week.contains(session.day) && session.is_kind(WorkoutKind::Strides))
        };
        if quick && week.quality == 0 && !(race_week && strides()) {
            let text = format!("The taper week of {first} has no short workout at race pace");
            let aside = format!("the week of {first} has no workout at race pace");
            report.add(
                RawFinding::new(LintRule::TaperFrequency, Severity::Warning, text)
                    .with_part(1)
                    .on_week(first)
                    .with_short_text(aside),
            );
        }
    }
}

/// `1 run`, `3 runs`.
fn format_count(count: i64, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// Seconds per kilometre; nobody is faster for the better part of an hour.
const FASTEST_PACE: f64 = 160.0;

fn check_final_days(view: &LintContext<'_>, report: &mut RawFindings) {
    let severity = if view.level == Level::Advanced { Severity::Warning } else { Severity::Error };
    let (without_quality, without_long, most) = training_norms::FINAL_DAYS;
    for (session, _) in view.changeable_runs() {
        let day = session.day;
        let left = day.days_until(view.subject.race);
        if (1..=without_quality).contains(&left) && session.quality {
            let text = format!("There is a quality workout on {day}, in the last two days before the race");
            report.add(RawFinding::new(LintRule::FinalDays, severity, text).on_day(day));
        }
        // If the athlete's pace is unknown, use the shortest time it takes anyone.
        let quickest = || session.km.map(|km| km * FASTEST_PACE / 60.0);
        let Some(minutes) = session.minutes.or_else(quickest) else { continue };
        if (1..=without_long).contains(&left) && minutes > most + TOLERANCE {
            let takes = match (session.minutes, session.km) {
                (None, Some(km)) => format!("is {}, which takes anyone at least", view.format_km(km)),
                _ => "takes".to_owned(),
            };
            let text = format!(
                "The run on {day} {takes} {minutes:.0} minutes; in the last three days, keep runs to {most:.0} minutes"
            );
            report.add(
                RawFinding::new(LintRule::FinalDays, severity, text)
                    .with_part(1)
                    .on_day(day)
                    .with_measurement(minutes, most),
            );
        }
    }
}
