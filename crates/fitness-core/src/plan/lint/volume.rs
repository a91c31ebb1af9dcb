//! Rules on volume: single runs, weeks and the whole plan, compared with recent training.

use super::super::training_norms;
use super::super::{Level, WorkoutKind};
use super::context::{LintContext, PartialFirstWeek, WeekTotals};
use super::{LintRule, RawFinding, RawFindings, Severity, TOLERANCE, exceeded_bound, severity_above};
use crate::domain::calendar::Day;
use crate::domain::units::Distance;
use crate::domain::untrusted_text::pluralize;
use crate::metrics::fitness::{FITNESS_DAYS, ewma_step};
use std::collections::BTreeMap;

/// Days before the race in which a long run counts as preparation, and days without a run after
/// which earlier runs no longer do.
const PREPARATION_DAYS: i64 = 70;
const LONG_BREAK_DAYS: i64 = 14;

pub(super) fn check(view: &LintContext<'_>, report: &mut RawFindings) {
    check_known_level(view, report);
    check_longest_run_jumps(view, report);
    check_weekly_jumps(view, report);
    check_partial_first_week(view, report);
    check_first_week(view, report);
    check_cutback_weeks(view, report);
    check_long_run_share(view, report);
    check_long_run_duration(view, report);
    check_longest_run_for_race(view, report);
    check_plan_length_and_base(view, report);
    check_peak_volume(view, report);
    check_fitness_ramp(view, report);
}

fn check_known_level(view: &LintContext<'_>, report: &mut RawFindings) {
    if !view.is_level_known {
        let text = "Your level is not known yet, so the limits for novices apply; enter what you run in a typical week";
        report.add(RawFinding::new(LintRule::FirstWeekVolume, Severity::Note, text.to_owned()).with_part(1));
    }
}

/// R1, and R35 for an athlete with an injury.
fn check_longest_run_jumps(view: &LintContext<'_>, report: &mut RawFindings) {
    for (session, workout) in view.changeable_runs() {
        let day = session.day;
        let Some(km) = session.km.filter(|km| *km > training_norms::SHORT_RUN_KM + TOLERANCE) else {
            continue;
        };
        if workout.kind == WorkoutKind::Race {
            continue;
        }
        let Some(before) = view.longest_run_before(day) else { continue };
        let run = format!("The run of {} on {day}", view.format_km(km));
        if before <= 0.0 {
            let text = format!(
                "{} follows 30 days without a run; start with at most {}",
                run,
                view.format_km(training_norms::SHORT_RUN_KM)
            );
            report.add(
                RawFinding::new(LintRule::LongestRunJump, Severity::Error, text)
                    .with_part(1)
                    .on_day(day)
                    .with_measurement(km, training_norms::SHORT_RUN_KM),
            );
            continue;
        }
        let ratio = km / before;
        // A value just above a limit must not be shown as the limit, and not as 0%.
        let limit =
            if ratio > training_norms::SESSION_SPIKE.0 { training_norms::SESSION_SPIKE.0 } else { 1.0 };
        let longer = format!(
            "{} is {} longer than your longest run of the 30 days before ({})",
            run,
            format_percent(ratio.max(limit + 0.01) - 1.0),
            view.format_km(before)
        );
        if let Some((severity, limit)) = severity_above(ratio, training_norms::SESSION_SPIKE) {
            let text = format!(
                "{longer}; beyond {}, injuries become more common",
                format_percent(training_norms::SESSION_SPIKE.0 - 1.0)
            );
            report.add(
                RawFinding::new(LintRule::LongestRunJump, severity, text)
                    .on_day(day)
                    .with_measurement(ratio, limit),
            );
        }
        let flagged = view.is_injured_on(day);
        if flagged && ratio > 1.0 + TOLERANCE {
            let text = format!(
                "{longer}; with an injury, do not exceed that until you have had two weeks without pain"
            );
            report.add(
                RawFinding::new(LintRule::RunningInjured, Severity::Error, text)
                    .on_day(day)
                    .with_measurement(ratio, 1.0),
            );
        }
    }
}

/// Severity and limit of a week compared with the volume before it.
fn increase_severity(km: f64, before: f64, limits: (f64, f64)) -> Option<(Severity, f64)> {
    let (by, below) = training_norms::SMALL_WEEK_INCREASE_KM;
    if km < below && km <= before + by + TOLERANCE {
        return None;
    }
    severity_above(km / before, limits)
}

fn check_weekly_jumps(view: &LintContext<'_>, report: &mut RawFindings) {
    let allowed = training_norms::max_weekly_increase(view.level, view.athlete.age);
    for (index, week) in view.weeks.iter().enumerate().filter(|(_, week)| week.changeable) {
        let (Some(km), Some(before)) = (week.km, view.max_week_before(week.week)) else { continue };
        let first = week.week.first;
        if before <= 0.0 {
            // R3 covers the first week when the base is zero.
            if index > 0 || view.athlete.base() != Ok(Distance::ZERO) {
                check_volume_from_zero(view, report, LintRule::WeeklyVolumeJump, first, km);
            }
            continue;
        }
        if let Some((severity, limit)) = increase_severity(km, before, allowed) {
            let done = if first <= view.athlete.as_of { " with the runs you have done" } else { "" };
            let text = format!(
                "The week of {first} is {}{done}, {} more than the biggest of the four weeks before it ({})",
                view.format_km(km),
                format_percent(km / before - 1.0),
                view.format_km(before)
            );
            report.add(
                RawFinding::new(LintRule::WeeklyVolumeJump, severity, text)
                    .on_week(first)
                    .with_measurement(km / before, limit),
            );
        }
    }
}

/// R2 for the days before the first full week. Earlier runs are not reported: the planned days must
/// be too much on their own as well.
fn check_partial_first_week(view: &LintContext<'_>, report: &mut RawFindings) {
    let Some(PartialFirstWeek { week, first, days, planned, total: all }) = view.partial_first_week() else {
        return;
    };
    let Some(before) = view.max_week_before(week) else { return };
    if before <= 0.0 {
        return check_volume_from_zero(view, report, LintRule::WeeklyVolumeJump, first, planned);
    }
    let km = all.min(planned * 7.0 / days as f64);
    let allowed = training_norms::max_weekly_increase(view.level, view.athlete.age);
    if let Some((severity, limit)) = increase_severity(km, before, allowed) {
        let text = format!(
            "The first days of the plan ({}) and the runs just before them add up to {} more than the biggest of the four \
             weeks before ({})",
            view.format_km(planned),
            format_percent(km / before - 1.0),
            view.format_km(before)
        );
        report.add(
            RawFinding::new(LintRule::WeeklyVolumeJump, severity, text)
                .with_part(1)
                .on_week(first)
                .with_measurement(km / before, limit),
        );
    }
}

fn check_volume_from_zero(
    view: &LintContext<'_>,
    report: &mut RawFindings,
    rule: LintRule,
    first: Day,
    km: f64,
) {
    let most = training_norms::FIRST_WEEK_FROM_ZERO;
    if km > most + TOLERANCE {
        let text = format!(
            "The week of {first} is {} after weeks without a run; start with at most {}",
            view.format_km(km),
            view.format_km(most)
        );
        report.add(
            RawFinding::new(rule, Severity::Error, text)
                .with_part(2)
                .on_week(first)
                .with_measurement(km, most),
        );
    }
}

fn check_first_week(view: &LintContext<'_>, report: &mut RawFindings) {
    let Some(week) = view.weeks.first().filter(|week| week.changeable) else { return };
    let (Some(km), Ok(base)) = (week.km, view.athlete.base()) else { return };
    let first = week.week.first;
    if base == Distance::ZERO {
        return check_volume_from_zero(view, report, LintRule::FirstWeekVolume, first, km);
    }
    if let Some((severity, limit)) = increase_severity(km, base.km(), training_norms::MAX_FIRST_WEEK_INCREASE)
    {
        let ratio = km / base.km();
        let text = format!(
            "The first full week is {}, {} more than your typical week ({})",
            view.format_km(km),
            format_percent(ratio - 1.0),
            view.format_km(base.km())
        );
        report.add(
            RawFinding::new(LintRule::FirstWeekVolume, severity, text)
                .on_week(first)
                .with_measurement(ratio, limit),
        );
    }
}

/// R5, and R30's cut-back week in three.
fn check_cutback_weeks(view: &LintContext<'_>, report: &mut RawFindings) {
    let masters = view.athlete.age.is_some_and(|age| age >= training_norms::MASTERS_AGE);
    let (rule, span) =
        if masters { (LintRule::MastersRecovery, 3) } else { (LintRule::MissingCutbackWeek, 4) };
    let most = training_norms::cutback_share(view.level);
    for window in view.build_weeks().windows(span) {
        let Some(km) = window.iter().map(|week| week.km).collect::<Option<Vec<f64>>>() else { continue };
        let (least, full) =
            km.iter().fold((f64::MAX, 0.0_f64), |(low, high), km| (low.min(*km), high.max(*km)));
        let open = window.last().is_some_and(|week| week.changeable);
        if !open || full <= 0.0 || least <= most * full + TOLERANCE {
            continue;
        }
        let first = window[0].week.first;
        let text = format!(
            "The {span} weeks from {first} have no cut-back week: the lightest should be at most {} of the biggest",
            format_percent(most)
        );
        report.add(
            RawFinding::new(rule, Severity::Warning, text)
                .on_week(first)
                .with_measurement(least / full, most),
        );
    }
}

/// The longest run of a week, without races.
fn longest_run_in_week(view: &LintContext<'_>, week: &WeekTotals) -> f64 {
    let from = view.runs.partition_point(|session| session.day < week.week.first);
    view.runs[from..]
        .iter()
        .take_while(|session| session.day <= week.week.last())
        .filter(|session| !session.is_kind(WorkoutKind::Race))
        .filter_map(|session| session.km)
        .fold(0.0, f64::max)
}

/// R6. In published plans the long run dominates cut-back weeks, so there it is at most a warning.
fn check_long_run_share(view: &LintContext<'_>, report: &mut RawFindings) {
    for week in view.weeks.iter().filter(|week| week.changeable) {
        let Some(whole) = week.km.filter(|whole| *whole >= training_norms::MIN_WEEK_FOR_SHARE_KM - TOLERANCE)
        else {
            continue;
        };
        // Race week has no long run.
        if view.race.is_some() && week.week.contains(view.subject.race) {
            continue;
        }
        let (km, first) = (longest_run_in_week(view, week), week.week.first);
        let Some((severity, limit)) = severity_above(km / whole, training_norms::long_share(view.level))
        else {
            continue;
        };
        let lighter = view
            .max_week_before(week.week)
            .is_some_and(|before| whole <= training_norms::cutback_share(view.level) * before + TOLERANCE);
        let (severity, limit) = match lighter {
            true => (Severity::Warning, training_norms::long_share(view.level).0),
            false => (severity, limit),
        };
        let text = format!(
            "The longest run ({}) is {} of the week of {first}; aim for at most {}",
            view.format_km(km),
            format_percent(km / whole),
            format_percent(training_norms::long_share(view.level).0)
        );
        report.add(
            RawFinding::new(LintRule::LongRunShare, severity, text)
                .on_week(first)
                .with_measurement(km / whole, limit),
        );
    }
}

fn check_long_run_duration(view: &LintContext<'_>, report: &mut RawFindings) {
    for (session, workout) in view.changeable_runs().filter(|(_, workout)| workout.kind != WorkoutKind::Race)
    {
        let by_pace = || Some(workout.distance?.km() * view.easy_pace?.seconds_per_km() / 3600.0);
        let by_time = || workout.duration.map(|duration| duration.seconds() / 3600.0);
        let at_pace = if by_pace().is_some() { " at your easy pace" } else { "" };
        let Some(hours) = by_pace().or_else(by_time).filter(|hours| hours.is_finite()) else { continue };
        if let Some((severity, limit)) = severity_above(hours, training_norms::long_hours(view.level)) {
            let day = session.day;
            let text = format!(
                "The run on {day} takes about {}{at_pace}; keep it under {limit} hours",
                format_hours(hours)
            );
            report.add(
                RawFinding::new(LintRule::LongRunDuration, severity, text)
                    .on_day(day)
                    .with_measurement(hours, limit),
            );
        }
    }
}

fn format_hours(hours: f64) -> String {
    crate::domain::units::TimeSpan::from_seconds(hours * 3600.0)
        .map_or_else(|| format!("{hours:.1} hours"), crate::domain::units::TimeSpan::format_hours_minutes)
}

fn check_longest_run_for_race(view: &LintContext<'_>, report: &mut RawFindings) {
    let Some((race, _)) = view.race else { return };
    // Runs before a long break no longer count.
    let from = view
        .first_run_after_break(LONG_BREAK_DAYS)
        .map_or(preparation_start(view), |day| day.max(preparation_start(view)));
    if let Some((km, day)) = longest_before_race(view, from) {
        let least = training_norms::min_longest_run(view.level, race);
        if km < least - TOLERANCE {
            let text = format!(
                "The longest run before the race is {} on {day}; for this distance it should reach {}",
                view.format_km(km),
                view.format_km(least)
            );
            let aside = format!(
                "the longest run is {} on {day} and should reach {}",
                view.format_km(km),
                view.format_km(least)
            );
            report.add(
                RawFinding::new(LintRule::LongRunTooShort, Severity::Warning, text)
                    .on_day(day)
                    .with_measurement(km, least)
                    .with_short_text(aside),
            );
        }
    }
    let most = training_norms::max_longest_run(view.level, race);
    for (session, workout) in view.changeable_runs().filter(|(session, _)| session.day < view.subject.race) {
        let Some(km) = session.km.filter(|km| *km > most + TOLERANCE) else { continue };
        if workout.kind != WorkoutKind::Race {
            let day = session.day;
            let text = format!(
                "The run of {} on {day} is longer than this race requires; {} is enough",
                view.format_km(km),
                view.format_km(most)
            );
            report.add(
                RawFinding::new(LintRule::LongRunTooLong, Severity::Warning, text)
                    .on_day(day)
                    .with_measurement(km, most),
            );
        }
    }
}

/// The longest run from a day to the race, and the last day with a run at least 90 % as long.
/// `None` without runs or if a distance is unknown.
pub(super) fn longest_before_race(view: &LintContext<'_>, from: Day) -> Option<(f64, Day)> {
    let runs = || view.runs.iter().filter(|run| (from..view.subject.race).contains(&run.day));
    let longest = runs().try_fold(0.0_f64, |longest, run| Some(longest.max(run.km?)))?;
    let last = runs().rfind(|run| run.km.is_some_and(|km| km >= 0.9 * longest - TOLERANCE))?;
    Some((longest, last.day))
}

/// Start of the plan or of the last ten weeks before the race, whichever is earlier: a short plan
/// includes the long runs before it.
pub(super) fn preparation_start(view: &LintContext<'_>) -> Day {
    view.subject.start.min(view.subject.race.plus_days(-PREPARATION_DAYS))
}

fn check_plan_length_and_base(view: &LintContext<'_>, report: &mut RawFindings) {
    let Some((_, class)) = view.race else { return };
    let weeks = i64::try_from(view.weeks.len()).unwrap_or(i64::MAX);
    let needed = training_norms::min_plan_weeks(view.level, class);
    if weeks < needed {
        let full = pluralize(view.weeks.len() as u64, "full week", "full weeks");
        let text = format!("The plan has {full} before the race; building up for it takes {needed}");
        report.add(
            RawFinding::new(LintRule::PlanTooShort, Severity::Warning, text)
                .with_measurement(weeks as f64, needed as f64),
        );
    }
    let least = training_norms::min_base_km(class);
    let never_ran = view.athlete.runs.is_empty() && view.athlete.self_reported.base.is_none();
    let base = match view.athlete.base() {
        Ok(base) => base.km(),
        Err(_) if never_ran => 0.0,
        Err(_) => return,
    };
    if base >= least - TOLERANCE {
        return;
    }
    let marathon = class == training_norms::RaceClass::Full && weeks < training_norms::MIN_WEEKS_WITHOUT_BASE;
    let severity = match view.level {
        // Below 5 km a week the stated level does not matter.
        _ if marathon && base < training_norms::ZERO_BASE_KM => Severity::Error,
        Level::Novice if marathon => Severity::Error,
        Level::Novice | Level::Intermediate => Severity::Warning,
        Level::Advanced => Severity::Note,
    };
    let start = view.format_km(least);
    let (now, aside) = match never_ran {
        true => {
            let unknown = "you have no recorded runs";
            (unknown.to_owned(), format!("{unknown}; you should run {start} a week before you start"))
        }
        false => {
            let base = view.format_km(base);
            (
                format!("you run {base}"),
                format!("you run {base} a week and should run {start} before you start"),
            )
        }
    };
    let text = format!("Before you start a plan for this race, you should run {start} a week; {now}");
    report.add(
        RawFinding::new(LintRule::BaseTooLow, severity, text)
            .with_measurement(base, least)
            .with_short_text(aside),
    );
}

fn check_peak_volume(view: &LintContext<'_>, report: &mut RawFindings) {
    let Some((race, _)) = view.race else { return };
    let Some(weeks) = view.weeks.iter().map(|week| week.km).collect::<Option<Vec<f64>>>() else { return };
    let Some(peak) = weeks.iter().copied().reduce(f64::max).filter(|peak| *peak > 0.0) else { return };
    let bracket = training_norms::peak_bracket(view.level, race);
    if let Some(limit) = exceeded_bound(peak, bracket) {
        let text = format!(
            "The peak week is {}; published plans for this race peak between {} and {}",
            view.format_km(peak),
            view.format_km(bracket.0),
            view.format_km(bracket.1)
        );
        report.add(
            RawFinding::new(LintRule::UnusualPeakVolume, Severity::Note, text).with_measurement(peak, limit),
        );
    }
    // A ratio to almost nothing means nothing.
    let best = view.athlete.best_four_weeks().filter(|best| best.km() >= training_norms::ZERO_BASE_KM);
    let Some(best) = best else { return };
    let (ratio, limit) = (peak / best.km(), training_norms::max_peak_over_best(view.level));
    if ratio > limit + TOLERANCE {
        let text = format!(
            "The peak week is {}, {} more than the average of your best four weeks of the last year ({})",
            view.format_km(peak),
            format_percent(ratio - 1.0),
            view.format_km(best.km())
        );
        report.add(
            RawFinding::new(LintRule::PeakAboveOwnBest, Severity::Warning, text)
                .with_measurement(ratio, limit),
        );
    }
}

/// R29: fitness from day to day, constant until the plan begins. Silent if a load is unknown.
fn check_fitness_ramp(view: &LintContext<'_>, report: &mut RawFindings) {
    let Some(mut fitness) = view.athlete.fitness.filter(|fitness| fitness.is_finite()) else { return };
    let mut loads: BTreeMap<Day, Option<f64>> = BTreeMap::new();
    for workout in
        view.subject.workouts.iter().filter(|workout| view.is_changeable(workout.date) && !workout.is_rest())
    {
        let sum = loads.entry(workout.date).or_insert(Some(0.0));
        *sum = sum.zip(workout.load.filter(|load| load.is_finite())).map(|(sum, load)| sum + load);
    }
    let last = if view.race.is_some() { view.subject.race.previous() } else { view.subject.race };
    if loads.range(..=last).any(|(_, load)| load.is_none()) {
        return;
    }
    let limit = training_norms::max_fitness_ramp(view.level);
    let mut week = [fitness; 7];
    let first = view.athlete.as_of.next().max(view.subject.start);
    // After the last workout fitness only falls.
    let last = loads.keys().next_back().map_or(first, |end| last.min(*end));
    for day in (0..=first.days_until(last)).map(|offset| first.plus_days(offset)) {
        let load = loads.get(&day).copied().flatten().unwrap_or(0.0);
        fitness = ewma_step(fitness, load, FITNESS_DAYS);
        let rise = fitness - week[0];
        week.rotate_left(1);
        week[6] = fitness;
        if rise > limit + TOLERANCE {
            let text = format!(
                "By {day}, fitness would rise by {rise:.1} points in seven days; more than {limit:.0} is hard to recover from"
            );
            report.add(
                RawFinding::new(LintRule::FitnessRampRate, Severity::Warning, text)
                    .on_day(day)
                    .with_measurement(rise, limit),
            );
        }
    }
}

pub(super) fn format_percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}
