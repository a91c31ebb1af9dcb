//! How hard: quality sessions, the time between them, and how much of them there is.

use super::super::training_norms::{self, Class, Effort};
use super::super::{Level, StepType, Workout, WorkoutKind};
use super::context::{Session, View, WeekSum};
use super::volume::percent;
use super::work::{Work, target_pace};
use super::{Remark, Report, Rule, Severity, TOLERANCE, beyond};

pub(super) fn check(view: &View<'_>, report: &mut Report) {
    sessions_a_week(view, report);
    gaps(view, report);
    beside_the_long_run(view, report);
    hard_share(view, report);
    caps(view, report);
    marathon_pace(view, report);
    injury(view, report);
}

fn is_master(view: &View<'_>) -> bool {
    view.athlete.age.is_some_and(|age| age >= training_norms::MASTERS)
}

/// R11, and R30's two sessions.
fn sessions_a_week(view: &View<'_>, report: &mut Report) {
    for (index, week) in view.weeks.iter().enumerate().filter(|(_, week)| week.open) {
        let (warning, error) = training_norms::quality_sessions(view.level, index);
        let (count, first) = (week.quality, week.week.first);
        let remark = |rule, severity, limit: usize| {
            let text = format!("The week from {first} has {count} quality sessions; {limit} would be enough");
            Remark::new(rule, severity, text).on(first).measured(count as f64, limit as f64)
        };
        if count > error {
            report.add(remark(Rule::R11, Severity::Error, error));
        } else if count > warning {
            report.add(remark(Rule::R11, Severity::Warning, warning));
        } else if is_master(view) && count > training_norms::MASTERS_QUALITY.1 {
            report.add(remark(Rule::R30, Severity::Warning, training_norms::MASTERS_QUALITY.1).part(1));
        }
    }
}

/// R12, and R30's 72 hours.
fn gaps(view: &View<'_>, report: &mut Report) {
    let (warning, error) = training_norms::quality_gap(view.level);
    let quality: Vec<&Session<'_>> = view.sessions.iter().filter(|session| session.quality).collect();
    for pair in quality.windows(2) {
        let (before, day) = (pair[0].day, pair[1].day);
        if pair[1].workout.is_none() {
            continue;
        }
        let hours = before.until(day) as f64 * 24.0;
        let (rule, severity, limit) = match hours {
            _ if hours < error => (Rule::R12, Severity::Error, error),
            _ if hours < warning => (Rule::R12, Severity::Warning, warning),
            _ if is_master(view) && hours < training_norms::MASTERS_QUALITY.0 => {
                (Rule::R30, Severity::Warning, training_norms::MASTERS_QUALITY.0)
            }
            _ => continue,
        };
        let text = match before == day {
            true => format!("There are two quality sessions on {day}"),
            false => {
                format!("The quality sessions on {before} and {day} are less than {limit:.0} hours apart")
            }
        };
        report.add(Remark::new(rule, severity, text).part(2).on(day).measured(hours, limit));
    }
}

/// R13. A long run that is a quality session itself is meant to be one; R12 looks at it.
fn beside_the_long_run(view: &View<'_>, report: &mut Report) {
    let severity = if view.level == Level::Advanced { Severity::Note } else { Severity::Warning };
    let quality: std::collections::BTreeSet<_> =
        view.sessions.iter().filter(|session| session.quality).map(|session| session.day).collect();
    for (session, _) in
        view.planned().filter(|(session, _)| session.is(WorkoutKind::Long) && !session.quality)
    {
        let day = session.day;
        let neighbours = [(day.previous(), "before"), (day.next(), "after")];
        for (near, side) in neighbours.into_iter().filter(|(near, _)| quality.contains(near)) {
            let text = format!("There is a quality session on {near}, the day {side} the long run");
            report.add(Remark::new(Rule::R13, severity, text).on(near));
        }
    }
}

/// Hard and all minutes of a week's runs; what is not known to be hard counts as easy.
fn minutes(view: &View<'_>, week: &WeekSum) -> Option<(f64, f64)> {
    let from = view.sessions.partition_point(|session| session.day < week.week.first);
    let runs = view.sessions[from..].iter().take_while(|session| session.day <= week.week.last());
    runs.into_iter().try_fold((0.0, 0.0), |(hard, all), session| {
        let minutes = session.minutes?;
        let work = session
            .workout
            .filter(|_| session.quality)
            .and_then(|workout| Work::of(workout, view.easy).minutes);
        Some((hard + work.unwrap_or(0.0).min(minutes), all + minutes))
    })
}

/// R14: over four weeks in a row, or all there are.
fn hard_share(view: &View<'_>, report: &mut Report) {
    let limit = training_norms::hard_share(view.level);
    let each: Vec<Option<(f64, f64)>> = view.weeks.iter().map(|week| minutes(view, week)).collect();
    let span = each.len().clamp(1, 4);
    for (window, weeks) in each.windows(span).zip(view.weeks.windows(span)) {
        let sum = window.iter().try_fold((0.0, 0.0), |(hard, all), week| {
            let (h, a) = (*week)?;
            Some((hard + h, all + a))
        });
        let Some((hard, all)) = sum.filter(|(_, all)| *all > 0.0) else { continue };
        let open = weeks.last().is_some_and(|week| week.open);
        if open && hard / all > limit + TOLERANCE {
            let first = weeks[0].week.first;
            let weeks = if span == 1 { "week".to_owned() } else { format!("{span} weeks") };
            let text = format!(
                "In the {weeks} from {first} {} of the running is hard; {} is enough",
                percent(hard / all),
                percent(limit)
            );
            report.add(Remark::new(Rule::R14, Severity::Warning, text).on(first).measured(hard / all, limit));
        }
    }
}

/// What the work of a session counts as.
fn effort(view: &View<'_>, workout: &Workout) -> Option<Effort> {
    let class = view.race.map(|(_, class)| class);
    Some(match workout.kind_as_read(view.known()) {
        WorkoutKind::Tempo => Effort::Threshold,
        WorkoutKind::Intervals if is_repetition(view, workout) => Effort::Repetition,
        WorkoutKind::Intervals | WorkoutKind::Hills => Effort::Interval,
        WorkoutKind::RacePace => match class {
            Some(Class::FiveK) => Effort::Interval,
            Some(Class::TenK) => Effort::Threshold,
            _ => Effort::Marathon,
        },
        WorkoutKind::Long => Effort::Marathon,
        _ => return None,
    })
}

/// Whether every stretch is nearer to the athlete's pace for repetitions than to that for intervals.
fn is_repetition(view: &View<'_>, workout: &Workout) -> bool {
    let Some(dated) = view.athlete.paces else { return false };
    let (interval, repetition) = (dated.paces.interval, dated.paces.repetition);
    let middle = f64::midpoint(interval.seconds_per_km(), repetition.seconds_per_km());
    let mut active = workout.steps.iter().filter(|step| step.step_type == StepType::Active);
    active.all(|step| target_pace(step).is_some_and(|pace| pace < middle))
}

/// R15.
fn caps(view: &View<'_>, report: &mut Report) {
    for (session, workout) in view.planned().filter(|(session, _)| session.quality) {
        let Some(effort) = effort(view, workout) else { continue };
        let (day, work) = (session.day, Work::of(workout, view.easy));
        let most = training_norms::session_cap(effort, view.week_of(day).and_then(|week| week.km));
        if let Some(km) = work.km.filter(|km| *km > most + TOLERANCE) {
            let text = format!(
                "The session on {day} has {} of hard running; in such a week {} is enough",
                view.shown(km),
                view.shown(most)
            );
            report.add(Remark::new(Rule::R15, Severity::Warning, text).on(day).measured(km, most));
        } else if let Some(minutes) = work.minutes
            && effort == Effort::Marathon
            && minutes > training_norms::MARATHON_MINUTES + TOLERANCE
        {
            let most = training_norms::MARATHON_MINUTES;
            let text =
                format!("The session on {day} has {minutes:.0} minutes at race pace; {most:.0} are enough");
            report
                .add(Remark::new(Rule::R15, Severity::Warning, text).part(1).on(day).measured(minutes, most));
        }
    }
}

/// R16.
fn marathon_pace(view: &View<'_>, report: &mut Report) {
    if view.race.is_none_or(|(_, class)| class != Class::Full) {
        return;
    }
    let race = view.subject.race;
    let last_weeks = race.plus(-70)..race;
    let at_pace = |workout: &Workout| matches!(workout.kind, WorkoutKind::RacePace | WorkoutKind::Long);
    let (mut sum, mut longest) = (0.0, 0.0_f64);
    for (session, workout) in view.planned().filter(|(session, _)| last_weeks.contains(&session.day)) {
        if !session.quality || !at_pace(workout) {
            continue;
        }
        let work = Work::of(workout, view.easy);
        let (Some(km), Some(block)) = (work.km, work.longest_km) else { return };
        sum += km;
        longest = longest.max(block);
    }
    let (total, block) = training_norms::marathon_pace(view.level);
    if let Some(limit) = beyond(sum, total) {
        let text = format!(
            "The last ten weeks have {} at marathon pace; {} to {} are usual",
            view.shown(sum),
            view.shown(total.0),
            view.shown(total.1)
        );
        report.add(Remark::new(Rule::R16, Severity::Note, text).measured(sum, limit));
    }
    if let Some(limit) = beyond(longest, block) {
        let text = format!(
            "The longest stretch at marathon pace is {}; {} to {} are usual",
            view.shown(longest),
            view.shown(block.0),
            view.shown(block.1)
        );
        report.add(Remark::new(Rule::R16, Severity::Note, text).part(1).measured(longest, limit));
    }
}

/// R35's intervals: none while the injury lasts, and later only without pain.
fn injury(view: &View<'_>, report: &mut Report) {
    for (session, workout) in view.planned() {
        if !workout.is_fast(view.known()) {
            continue;
        }
        let day = session.day;
        let (severity, text) = if view.is_hurt(day) {
            let text =
                format!("There are intervals on {day}, less than two weeks after an injury you marked");
            (Severity::Error, text)
        } else if view.athlete.is_hurt(day).is_some() || !view.athlete.injured {
            continue;
        } else {
            let text = format!("There are intervals on {day}; run them only after two weeks without pain");
            (Severity::Warning, text)
        };
        report.add(Remark::new(Rule::R35, severity, text).part(1).on(day));
    }
}
