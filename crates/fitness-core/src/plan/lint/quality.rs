//! Rules on intensity: number, spacing and amount of quality workouts.

use super::super::training_norms::{self, HardWorkoutClass, RaceClass};
use super::super::{Level, StepType, Workout, WorkoutKind};
use super::context::{LintContext, RecordedOrPlannedRun, WeekTotals};
use super::volume::format_percent;
use super::work::{HardPart, target_pace};
use super::{LintRule, RawFinding, RawFindings, Severity, TOLERANCE, exceeded_bound};

pub(super) fn check(view: &LintContext<'_>, report: &mut RawFindings) {
    check_quality_per_week(view, report);
    check_quality_spacing(view, report);
    check_quality_near_long_run(view, report);
    check_hard_share(view, report);
    check_workout_caps(view, report);
    check_marathon_pace_volume(view, report);
    check_injury_intensity(view, report);
}

fn is_master(view: &LintContext<'_>) -> bool {
    view.athlete.age.is_some_and(|age| age >= training_norms::MASTERS_AGE)
}

/// R11, and R30's limit of two quality workouts.
fn check_quality_per_week(view: &LintContext<'_>, report: &mut RawFindings) {
    for (index, week) in view.weeks.iter().enumerate().filter(|(_, week)| week.changeable) {
        let (warning, error) = training_norms::quality_sessions(view.level, index);
        let (count, first) = (week.quality, week.week.first);
        let remark = |rule, severity, limit: usize| {
            let text = format!("The week of {first} has {count} quality workouts; aim for at most {limit}");
            RawFinding::new(rule, severity, text).on_week(first).with_measurement(count as f64, limit as f64)
        };
        if count > error {
            report.add(remark(LintRule::QualityPerWeek, Severity::Error, error));
        } else if count > warning {
            report.add(remark(LintRule::QualityPerWeek, Severity::Warning, warning));
        } else if is_master(view) && count > training_norms::MASTERS_QUALITY.1 {
            report.add(
                remark(LintRule::MastersRecovery, Severity::Warning, training_norms::MASTERS_QUALITY.1)
                    .with_part(1),
            );
        }
    }
}

/// R12, and R30's 72 hours.
fn check_quality_spacing(view: &LintContext<'_>, report: &mut RawFindings) {
    let (warning, error) = training_norms::quality_gap_hours(view.level);
    let quality: Vec<&RecordedOrPlannedRun<'_>> =
        view.runs.iter().filter(|session| session.quality).collect();
    for pair in quality.windows(2) {
        let (before, day) = (pair[0].day, pair[1].day);
        if pair[1].workout.is_none() {
            continue;
        }
        let hours = before.days_until(day) as f64 * 24.0;
        let (rule, severity, limit) = match hours {
            _ if hours < error => (LintRule::QualitySpacing, Severity::Error, error),
            _ if hours < warning => (LintRule::QualitySpacing, Severity::Warning, warning),
            _ if is_master(view) && hours < training_norms::MASTERS_QUALITY.0 => {
                (LintRule::MastersRecovery, Severity::Warning, training_norms::MASTERS_QUALITY.0)
            }
            _ => continue,
        };
        let text = match before == day {
            true => format!("There are two quality workouts on {day}"),
            false => {
                format!("The quality workouts on {before} and {day} are less than {limit:.0} hours apart")
            }
        };
        report.add(
            RawFinding::new(rule, severity, text).with_part(2).on_day(day).with_measurement(hours, limit),
        );
    }
}

/// R13. A long run that is a quality workout itself is left to R12.
fn check_quality_near_long_run(view: &LintContext<'_>, report: &mut RawFindings) {
    let severity = if view.level == Level::Advanced { Severity::Note } else { Severity::Warning };
    let quality: std::collections::BTreeSet<_> =
        view.runs.iter().filter(|session| session.quality).map(|session| session.day).collect();
    for (session, _) in
        view.changeable_runs().filter(|(session, _)| session.is_kind(WorkoutKind::Long) && !session.quality)
    {
        let day = session.day;
        let neighbours = [(day.previous(), "before"), (day.next(), "after")];
        for (near, side) in neighbours.into_iter().filter(|(near, _)| quality.contains(near)) {
            let text = format!("There is a quality workout on {near}, the day {side} the long run");
            report.add(RawFinding::new(LintRule::QualityNearLongRun, severity, text).on_day(near));
        }
    }
}

/// Hard and total minutes of a week's runs; anything not known to be hard counts as easy.
fn hard_and_total_minutes(view: &LintContext<'_>, week: &WeekTotals) -> Option<(f64, f64)> {
    let from = view.runs.partition_point(|session| session.day < week.week.first);
    let runs = view.runs[from..].iter().take_while(|session| session.day <= week.week.last());
    runs.into_iter().try_fold((0.0, 0.0), |(hard, all), session| {
        let minutes = session.minutes?;
        let work = session
            .workout
            .filter(|_| session.quality)
            .and_then(|workout| HardPart::from_workout(workout, view.easy_pace).minutes);
        Some((hard + work.unwrap_or(0.0).min(minutes), all + minutes))
    })
}

/// R14: over any four consecutive weeks, or all weeks of a shorter plan.
fn check_hard_share(view: &LintContext<'_>, report: &mut RawFindings) {
    let limit = training_norms::max_hard_share(view.level);
    let each: Vec<Option<(f64, f64)>> =
        view.weeks.iter().map(|week| hard_and_total_minutes(view, week)).collect();
    let span = each.len().clamp(1, 4);
    for (window, weeks) in each.windows(span).zip(view.weeks.windows(span)) {
        let sum = window.iter().try_fold((0.0, 0.0), |(hard, all), week| {
            let (h, a) = (*week)?;
            Some((hard + h, all + a))
        });
        let Some((hard, all)) = sum.filter(|(_, all)| *all > 0.0) else { continue };
        let open = weeks.last().is_some_and(|week| week.changeable);
        if open && hard / all > limit + TOLERANCE {
            let first = weeks[0].week.first;
            let weeks = if span == 1 { "week".to_owned() } else { format!("{span} weeks") };
            let text = format!(
                "In the {weeks} from {first}, {} of the running is hard; aim for at most {}",
                format_percent(hard / all),
                format_percent(limit)
            );
            report.add(
                RawFinding::new(LintRule::HardRunningShare, Severity::Warning, text)
                    .on_week(first)
                    .with_measurement(hard / all, limit),
            );
        }
    }
}

/// Effort class of a workout's hard part, for its cap (R15).
fn workout_effort(view: &LintContext<'_>, workout: &Workout) -> Option<HardWorkoutClass> {
    let class = view.race.map(|(_, class)| class);
    Some(match workout.effective_kind(view.known_paces()) {
        WorkoutKind::Tempo => HardWorkoutClass::Threshold,
        WorkoutKind::Intervals if is_repetition(view, workout) => HardWorkoutClass::Repetition,
        WorkoutKind::Intervals | WorkoutKind::Hills => HardWorkoutClass::Interval,
        WorkoutKind::RacePace => match class {
            Some(RaceClass::FiveK) => HardWorkoutClass::Interval,
            Some(RaceClass::TenK) => HardWorkoutClass::Threshold,
            _ => HardWorkoutClass::Marathon,
        },
        WorkoutKind::Long => HardWorkoutClass::Marathon,
        _ => return None,
    })
}

/// Whether every active step is closer to the athlete's repetition pace than to interval pace.
fn is_repetition(view: &LintContext<'_>, workout: &Workout) -> bool {
    let Some(dated) = view.athlete.paces else { return false };
    let (interval, repetition) = (dated.paces.interval, dated.paces.repetition);
    let middle = f64::midpoint(interval.seconds_per_km(), repetition.seconds_per_km());
    let mut active = workout.steps.iter().filter(|step| step.step_type == StepType::Active);
    active.all(|step| target_pace(step).is_some_and(|pace| pace < middle))
}

fn check_workout_caps(view: &LintContext<'_>, report: &mut RawFindings) {
    for (session, workout) in view.changeable_runs().filter(|(session, _)| session.quality) {
        let Some(effort) = workout_effort(view, workout) else { continue };
        let (day, work) = (session.day, HardPart::from_workout(workout, view.easy_pace));
        let most = training_norms::workout_cap_km(effort, view.week_containing(day).and_then(|week| week.km));
        if let Some(km) = work.km.filter(|km| *km > most + TOLERANCE) {
            let text = format!(
                "The workout on {day} has {} of hard running; in a week of this size, keep it to {}",
                view.format_km(km),
                view.format_km(most)
            );
            report.add(
                RawFinding::new(LintRule::HardRunningPerWorkout, Severity::Warning, text)
                    .on_day(day)
                    .with_measurement(km, most),
            );
        } else if let Some(minutes) = work.minutes
            && effort == HardWorkoutClass::Marathon
            && minutes > training_norms::MAX_MARATHON_PACE_MINUTES + TOLERANCE
        {
            let most = training_norms::MAX_MARATHON_PACE_MINUTES;
            let text =
                format!("The workout on {day} has {minutes:.0} minutes at race pace; keep it to {most:.0}");
            report.add(
                RawFinding::new(LintRule::HardRunningPerWorkout, Severity::Warning, text)
                    .with_part(1)
                    .on_day(day)
                    .with_measurement(minutes, most),
            );
        }
    }
}

fn check_marathon_pace_volume(view: &LintContext<'_>, report: &mut RawFindings) {
    if view.race.is_none_or(|(_, class)| class != RaceClass::Full) {
        return;
    }
    let race = view.subject.race;
    let last_weeks = race.plus_days(-70)..race;
    let at_pace = |workout: &Workout| matches!(workout.kind, WorkoutKind::RacePace | WorkoutKind::Long);
    let (mut sum, mut longest) = (0.0, 0.0_f64);
    for (session, workout) in view.changeable_runs().filter(|(session, _)| last_weeks.contains(&session.day))
    {
        if !session.quality || !at_pace(workout) {
            continue;
        }
        let work = HardPart::from_workout(workout, view.easy_pace);
        let (Some(km), Some(block)) = (work.km, work.longest_km) else { return };
        sum += km;
        longest = longest.max(block);
    }
    let (total, block) = training_norms::marathon_pace_km(view.level);
    if let Some(limit) = exceeded_bound(sum, total) {
        let text = format!(
            "The last ten weeks have {} at marathon pace; {} to {} is typical",
            view.format_km(sum),
            view.format_km(total.0),
            view.format_km(total.1)
        );
        report.add(
            RawFinding::new(LintRule::MarathonPaceVolume, Severity::Note, text).with_measurement(sum, limit),
        );
    }
    if let Some(limit) = exceeded_bound(longest, block) {
        let text = format!(
            "The longest block at marathon pace is {}; {} to {} is typical",
            view.format_km(longest),
            view.format_km(block.0),
            view.format_km(block.1)
        );
        report.add(
            RawFinding::new(LintRule::MarathonPaceVolume, Severity::Note, text)
                .with_part(1)
                .with_measurement(longest, limit),
        );
    }
}

/// R35: no intervals during an injury and for two weeks after it.
fn check_injury_intensity(view: &LintContext<'_>, report: &mut RawFindings) {
    for (session, workout) in view.changeable_runs() {
        if !workout.has_fast_steps(view.known_paces()) {
            continue;
        }
        let day = session.day;
        let (severity, text) = if view.is_injured_on(day) {
            let text =
                format!("There are intervals on {day}, less than two weeks after an injury you reported");
            (Severity::Error, text)
        } else if view.athlete.is_injured_on(day).is_some() || !view.athlete.injured {
            continue;
        } else {
            let text = format!("There are intervals on {day}; do them only after two weeks without pain");
            (Severity::Warning, text)
        };
        report.add(RawFinding::new(LintRule::RunningInjured, severity, text).with_part(1).on_day(day));
    }
}
