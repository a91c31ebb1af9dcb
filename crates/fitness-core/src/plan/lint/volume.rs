//! How much: single runs, weeks and the plan as a whole, against what the athlete comes from.

use super::super::training_norms;
use super::super::{Level, WorkoutKind};
use super::context::{FirstDays, View, WeekSum};
use super::{Remark, Report, Rule, Severity, TOLERANCE, above, beyond};
use crate::domain::calendar::Day;
use crate::domain::units::Distance;
use crate::metrics::fitness::{FITNESS_DAYS, moved};
use std::collections::BTreeMap;

/// Days before the race in which a long run still prepares for it, and days without a run after which it does no more.
const PREPARES: i64 = 70;
const LONG_BREAK: i64 = 14;

pub(super) fn check(view: &View<'_>, report: &mut Report) {
    known_level(view, report);
    spikes(view, report);
    weeks(view, report);
    first_days(view, report);
    first_week(view, report);
    cutbacks(view, report);
    longest_share(view, report);
    hours(view, report);
    longest_for_race(view, report);
    runway_and_base(view, report);
    peak(view, report);
    fitness_rise(view, report);
}

fn known_level(view: &View<'_>, report: &mut Report) {
    if !view.level_known {
        let text = "Your level is not known yet, so the limits for novices were used; say what you run in a usual week";
        report.add(Remark::new(Rule::R3, Severity::Note, text.to_owned()).part(1));
    }
}

/// R1, and R35 for an athlete with an injury.
fn spikes(view: &View<'_>, report: &mut Report) {
    for (session, workout) in view.planned() {
        let day = session.day;
        let Some(km) = session.km.filter(|km| *km > training_norms::SHORT_RUN + TOLERANCE) else { continue };
        if workout.kind == WorkoutKind::Race {
            continue;
        }
        let Some(before) = view.longest_before(day) else { continue };
        let run = format!("The run of {} on {day}", view.shown(km));
        if before <= 0.0 {
            let text = format!(
                "{} follows 30 days without a run; begin with at most {}",
                run,
                view.shown(training_norms::SHORT_RUN)
            );
            report.add(
                Remark::new(Rule::R1, Severity::Error, text)
                    .part(1)
                    .on(day)
                    .measured(km, training_norms::SHORT_RUN),
            );
            continue;
        }
        let ratio = km / before;
        let longer = format!(
            "{} is {} longer than the longest of the 30 days before, {}",
            run,
            // Just beyond the limit is not told as the limit.
            percent(
                if ratio > training_norms::SESSION_SPIKE.0 {
                    ratio.max(training_norms::SESSION_SPIKE.0 + 0.01)
                } else {
                    ratio
                } - 1.0
            ),
            view.shown(before)
        );
        if let Some((severity, limit)) = above(ratio, training_norms::SESSION_SPIKE) {
            let text = format!(
                "{longer}; beyond {} injuries become more frequent",
                percent(training_norms::SESSION_SPIKE.0 - 1.0)
            );
            report.add(Remark::new(Rule::R1, severity, text).on(day).measured(ratio, limit));
        }
        let flagged = view.is_hurt(day);
        if flagged && ratio > 1.0 + TOLERANCE {
            let text = format!("{longer}; with an injury stay within it until two weeks without pain");
            report.add(Remark::new(Rule::R35, Severity::Error, text).on(day).measured(ratio, 1.0));
        }
    }
}

/// How a week stands to what was before it: with how much severity, and against which limit.
fn growth(km: f64, before: f64, limits: (f64, f64)) -> Option<(Severity, f64)> {
    let (by, below) = training_norms::SMALL_WEEK;
    if km < below && km <= before + by + TOLERANCE {
        return None;
    }
    above(km / before, limits)
}

/// R2.
fn weeks(view: &View<'_>, report: &mut Report) {
    let allowed = training_norms::week_over_before(view.level, view.athlete.age);
    for (index, week) in view.weeks.iter().enumerate().filter(|(_, week)| week.open) {
        let (Some(km), Some(before)) = (week.km, view.fullest_before(week.week)) else { continue };
        let first = week.week.first;
        if before <= 0.0 {
            // R3 has the first week when the base is nothing.
            if index > 0 || view.athlete.base() != Ok(Distance::ZERO) {
                from_nothing(view, report, Rule::R2, first, km);
            }
            continue;
        }
        if let Some((severity, limit)) = growth(km, before, allowed) {
            let text = format!(
                "The week from {first} has {}, {} more than the fullest of the four before it, {}",
                view.shown(km),
                percent(km / before - 1.0),
                view.shown(before)
            );
            report.add(Remark::new(Rule::R2, severity, text).on(first).measured(km / before, limit));
        }
    }
}

/// R2 for the days before the first full week. What was run before them is not judged: they are too much only where they
/// are by themselves, too.
fn first_days(view: &View<'_>, report: &mut Report) {
    let Some(FirstDays { week, first, days, planned, all }) = view.first_days() else { return };
    let Some(before) = view.fullest_before(week) else { return };
    if before <= 0.0 {
        return from_nothing(view, report, Rule::R2, first, planned);
    }
    let km = all.min(planned * 7.0 / days as f64);
    let allowed = training_norms::week_over_before(view.level, view.athlete.age);
    if let Some((severity, limit)) = growth(km, before, allowed) {
        let text = format!(
            "The days from {first} to the first full week have {}, and with what was run just before them it is {} more \
             than the fullest of the four weeks before, {}",
            view.shown(planned),
            percent(km / before - 1.0),
            view.shown(before)
        );
        report.add(Remark::new(Rule::R2, severity, text).part(1).on(first).measured(km / before, limit));
    }
}

fn from_nothing(view: &View<'_>, report: &mut Report, rule: Rule, first: Day, km: f64) {
    let most = training_norms::FIRST_WEEK_FROM_ZERO;
    if km > most + TOLERANCE {
        let text = format!(
            "The week from {first} has {} after weeks without a run; begin with at most {}",
            view.shown(km),
            view.shown(most)
        );
        report.add(Remark::new(rule, Severity::Error, text).part(2).on(first).measured(km, most));
    }
}

/// R3.
fn first_week(view: &View<'_>, report: &mut Report) {
    let Some(week) = view.weeks.first().filter(|week| week.open) else { return };
    let (Some(km), Ok(base)) = (week.km, view.athlete.base()) else { return };
    let first = week.week.first;
    if base == Distance::ZERO {
        return from_nothing(view, report, Rule::R3, first, km);
    }
    if let Some((severity, limit)) = growth(km, base.km(), training_norms::FIRST_WEEK) {
        let ratio = km / base.km();
        let text = format!(
            "The first full week has {}, {} more than your usual {}",
            view.shown(km),
            percent(ratio - 1.0),
            view.shown(base.km())
        );
        report.add(Remark::new(Rule::R3, severity, text).on(first).measured(ratio, limit));
    }
}

/// R5, and R30's lighter week in three.
fn cutbacks(view: &View<'_>, report: &mut Report) {
    let masters = view.athlete.age.is_some_and(|age| age >= training_norms::MASTERS);
    let (rule, span) = if masters { (Rule::R30, 3) } else { (Rule::R5, 4) };
    let most = training_norms::cutback(view.level);
    for window in view.build().windows(span) {
        let Some(km) = window.iter().map(|week| week.km).collect::<Option<Vec<f64>>>() else { continue };
        let (least, full) =
            km.iter().fold((f64::MAX, 0.0_f64), |(low, high), km| (low.min(*km), high.max(*km)));
        let open = window.last().is_some_and(|week| week.open);
        if !open || full <= 0.0 || least <= most * full + TOLERANCE {
            continue;
        }
        let first = window[0].week.first;
        let text = format!(
            "The {span} weeks from {first} have no lighter one: the lightest should be at most {} of the fullest",
            percent(most)
        );
        report.add(Remark::new(rule, Severity::Warning, text).on(first).measured(least / full, most));
    }
}

/// The longest run of the plan that is no race, in a week.
fn longest_in(view: &View<'_>, week: &WeekSum) -> f64 {
    let from = view.sessions.partition_point(|session| session.day < week.week.first);
    view.sessions[from..]
        .iter()
        .take_while(|session| session.day <= week.week.last())
        .filter(|session| !session.is(WorkoutKind::Race))
        .filter_map(|session| session.km)
        .fold(0.0, f64::max)
}

/// R6. A lighter week may lean on its long run, as published plans do: there it is a warning at most.
fn longest_share(view: &View<'_>, report: &mut Report) {
    for week in view.weeks.iter().filter(|week| week.open) {
        let Some(whole) = week.km.filter(|whole| *whole >= training_norms::SHARED_WEEK - TOLERANCE) else {
            continue;
        };
        // Race week has no long run to speak of.
        if view.race.is_some() && week.week.contains(view.subject.race) {
            continue;
        }
        let (km, first) = (longest_in(view, week), week.week.first);
        let Some((severity, limit)) = above(km / whole, training_norms::long_share(view.level)) else {
            continue;
        };
        let lighter = view
            .fullest_before(week.week)
            .is_some_and(|before| whole <= training_norms::cutback(view.level) * before + TOLERANCE);
        let (severity, limit) = match lighter {
            true => (Severity::Warning, training_norms::long_share(view.level).0),
            false => (severity, limit),
        };
        let text = format!(
            "The longest run, {}, is {} of its week from {first}; {} would be the most",
            view.shown(km),
            percent(km / whole),
            percent(training_norms::long_share(view.level).0)
        );
        report.add(Remark::new(Rule::R6, severity, text).on(first).measured(km / whole, limit));
    }
}

/// R7.
fn hours(view: &View<'_>, report: &mut Report) {
    for (session, workout) in view.planned().filter(|(_, workout)| workout.kind != WorkoutKind::Race) {
        let by_pace = || Some(workout.distance?.km() * view.easy?.seconds_per_km() / 3600.0);
        let by_time = || workout.duration.map(|duration| duration.seconds() / 3600.0);
        let Some(hours) = by_pace().or_else(by_time).filter(|hours| hours.is_finite()) else { continue };
        if let Some((severity, limit)) = above(hours, training_norms::long_hours(view.level)) {
            let day = session.day;
            let text =
                format!("The run on {day} takes about {}, longer than {limit} hours", hours_minutes(hours));
            report.add(Remark::new(Rule::R7, severity, text).on(day).measured(hours, limit));
        }
    }
}

fn hours_minutes(hours: f64) -> String {
    crate::domain::units::TimeSpan::from_seconds(hours * 3600.0)
        .map_or_else(|| format!("{hours:.1} hours"), crate::domain::units::TimeSpan::hours_minutes)
}

/// R8 and R9.
fn longest_for_race(view: &View<'_>, report: &mut Report) {
    let Some((race, _)) = view.race else { return };
    // What was run before a long break prepares no more.
    let from =
        view.after_break(LONG_BREAK).map_or(preparing_since(view), |day| day.max(preparing_since(view)));
    if let Some((km, day)) = longest_before_race(view, from) {
        let least = training_norms::longest_at_least(view.level, race);
        if km < least - TOLERANCE {
            let text = format!(
                "The longest run before the race is {}; for this distance it should reach {}",
                view.shown(km),
                view.shown(least)
            );
            let aside =
                format!("the longest run reaches {} of the {} it should", view.shown(km), view.shown(least));
            report
                .add(Remark::new(Rule::R8, Severity::Warning, text).on(day).measured(km, least).aside(aside));
        }
    }
    let most = training_norms::longest_at_most(view.level, race);
    for (session, workout) in view.planned().filter(|(session, _)| session.day < view.subject.race) {
        let Some(km) = session.km.filter(|km| *km > most + TOLERANCE) else { continue };
        if workout.kind != WorkoutKind::Race {
            let day = session.day;
            let text = format!(
                "The run of {} on {day} is longer than this race asks for; {} is enough",
                view.shown(km),
                view.shown(most)
            );
            report.add(Remark::new(Rule::R9, Severity::Warning, text).on(day).measured(km, most));
        }
    }
}

/// The longest run from a day to the race, and the last day of one at least nine tenths as long. `None` when a run's
/// distance is unknown, or there is no run.
pub(super) fn longest_before_race(view: &View<'_>, from: Day) -> Option<(f64, Day)> {
    let runs = || view.sessions.iter().filter(|run| (from..view.subject.race).contains(&run.day));
    let longest = runs().try_fold(0.0_f64, |longest, run| Some(longest.max(run.km?)))?;
    let last = runs().rfind(|run| run.km.is_some_and(|km| km >= 0.9 * longest - TOLERANCE))?;
    Some((longest, last.day))
}

/// The first day of the plan or of the ten weeks before the race, whichever is earlier: a short plan knows the long runs
/// before it.
pub(super) fn preparing_since(view: &View<'_>) -> Day {
    view.subject.start.min(view.subject.race.plus(-PREPARES))
}

/// R25 and R26.
fn runway_and_base(view: &View<'_>, report: &mut Report) {
    let Some((_, class)) = view.race else { return };
    let weeks = i64::try_from(view.weeks.len()).unwrap_or(i64::MAX);
    let needed = training_norms::runway_weeks(view.level, class);
    if weeks < needed {
        let text = format!("Full weeks until the race: {weeks}; building up for it takes {needed}");
        report.add(Remark::new(Rule::R25, Severity::Warning, text).measured(weeks as f64, needed as f64));
    }
    let least = training_norms::base_at_least(class);
    let never_ran = view.athlete.runs.is_empty() && view.athlete.stated.base.is_none();
    let base = match view.athlete.base() {
        Ok(base) => base.km(),
        Err(_) if never_ran => 0.0,
        Err(_) => return,
    };
    if base >= least - TOLERANCE {
        return;
    }
    let marathon = class == training_norms::Class::Full && weeks < training_norms::FROM_NO_BASE;
    let severity = match view.level {
        // From nothing is from nothing, whatever level is claimed.
        _ if marathon && base < training_norms::NOTHING => Severity::Error,
        Level::Novice if marathon => Severity::Error,
        Level::Novice | Level::Intermediate => Severity::Warning,
        Level::Advanced => Severity::Note,
    };
    let start = view.shown(least);
    let (now, aside) = match never_ran {
        true => {
            let unknown = "no run of yours is known";
            (unknown.to_owned(), format!("{unknown}, where a usual week of {start} is to start from"))
        }
        false => {
            let base = view.shown(base);
            (format!("you run {base}"), format!("your usual week has {base} of the {start} to start from"))
        }
    };
    let text = format!("Before a plan for this race you should run {start} in a usual week; {now}");
    report.add(Remark::new(Rule::R26, severity, text).measured(base, least).aside(aside));
}

/// R27 and R28.
fn peak(view: &View<'_>, report: &mut Report) {
    let Some((race, _)) = view.race else { return };
    let Some(weeks) = view.weeks.iter().map(|week| week.km).collect::<Option<Vec<f64>>>() else { return };
    let Some(peak) = weeks.iter().copied().reduce(f64::max).filter(|peak| *peak > 0.0) else { return };
    let bracket = training_norms::peak_bracket(view.level, race);
    if let Some(limit) = beyond(peak, bracket) {
        let text = format!(
            "The fullest week has {}; published plans for this race peak between {} and {}",
            view.shown(peak),
            view.shown(bracket.0),
            view.shown(bracket.1)
        );
        report.add(Remark::new(Rule::R27, Severity::Note, text).measured(peak, limit));
    }
    // How often next to nothing fits into a week says nothing about it.
    let best = view.athlete.best_four_weeks().filter(|best| best.km() >= training_norms::NOTHING);
    let Some(best) = best else { return };
    let (ratio, limit) = (peak / best.km(), training_norms::peak_over_best(view.level));
    if ratio > limit + TOLERANCE {
        let text = format!(
            "The fullest week has {}, {} more than your best four weeks of the last year had on average, {}",
            view.shown(peak),
            percent(ratio - 1.0),
            view.shown(best.km())
        );
        report.add(Remark::new(Rule::R28, Severity::Warning, text).measured(ratio, limit));
    }
}

/// R29: fitness from day to day, held where it is until the plan begins. Silent from the first unknown load on.
fn fitness_rise(view: &View<'_>, report: &mut Report) {
    let Some(mut fitness) = view.athlete.fitness.filter(|fitness| fitness.is_finite()) else { return };
    let mut loads: BTreeMap<Day, Option<f64>> = BTreeMap::new();
    for workout in
        view.subject.workouts.iter().filter(|workout| view.is_open(workout.date) && !workout.is_rest())
    {
        let sum = loads.entry(workout.date).or_insert(Some(0.0));
        *sum = sum.zip(workout.load.filter(|load| load.is_finite())).map(|(sum, load)| sum + load);
    }
    let last = if view.race.is_some() { view.subject.race.previous() } else { view.subject.race };
    if loads.range(..=last).any(|(_, load)| load.is_none()) {
        return;
    }
    let limit = training_norms::fitness_rise(view.level);
    let mut week = [fitness; 7];
    let first = view.athlete.as_of.next().max(view.subject.start);
    // After the last load fitness only falls.
    let last = loads.keys().next_back().map_or(first, |end| last.min(*end));
    for day in (0..=first.until(last)).map(|offset| first.plus(offset)) {
        let load = loads.get(&day).copied().flatten().unwrap_or(0.0);
        fitness = moved(fitness, load, FITNESS_DAYS);
        let rise = fitness - week[0];
        week.rotate_left(1);
        week[6] = fitness;
        if rise > limit + TOLERANCE {
            let text = format!(
                "By {day} fitness would rise by {rise:.1} points in seven days; more than {limit:.0} is hard to recover from"
            );
            report.add(Remark::new(Rule::R29, Severity::Warning, text).on(day).measured(rise, limit));
        }
    }
}

/// A share in whole percent.
pub(super) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
