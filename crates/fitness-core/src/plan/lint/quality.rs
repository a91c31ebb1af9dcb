//! Rules on intensity: number, spacing and amount of quality workouts.

use super::super::training_norms::{self, HardWorkoutClass, RaceClass};
use super::super::weeks::filter_runs;
use super::super::{Level, Step, StepType, Workout, WorkoutKind};
use super::context::{LintContext, RecordedOrPlannedRun, WeekTotals};
use super::volume::format_percent;
use super::work::{HardPart, target_pace};
use super::{LintRule, RawFinding, RawFindings, Severity, TOLERANCE, exceeded_bound};
use crate::domain::calendar::Day;
use crate::domain::untrusted_text::{capitalize, pluralize};
use std::collections::BTreeMap;

pub(super) fn check(view: &LintContext<'_>, report: &mut RawFindings) {
    check_quality_per_week(view, report);
    check_quality_spacing(view, report);
    check_demanding_days_together(view, report);
    check_missing_quality(view, report);
    check_missing_race_pace(view, report);
    check_repeated_workouts(view, report);
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

/// R40. The long run of a week, a second long run and hard runs do not follow each other, and none
/// is next to a tune-up race. Race pace on the day before a long run is a known weekend of half
/// marathon and marathon training.
fn check_demanding_days_together(view: &LintContext<'_>, report: &mut RawFindings) {
    let severity = match view.level {
        Level::Novice => Severity::Error,
        Level::Intermediate => Severity::Warning,
        Level::Advanced => Severity::Note,
    };
    let mut longest: BTreeMap<Day, f64> = BTreeMap::new();
    for run in &view.runs {
        let most = longest.entry(view.week_start(run.day)).or_default();
        *most = most.max(run.minutes.unwrap_or(0.0));
    }
    let mut demanding: BTreeMap<Day, Demand> = BTreeMap::new();
    for run in &view.runs {
        let most = longest.get(&view.week_start(run.day)).copied().unwrap_or(0.0);
        if let Some(demand) = Demand::for_run(run, most) {
            let day = demanding.entry(run.day).or_insert(demand);
            *day = demand.max(*day);
        }
    }
    let is_long_race = view.race.is_some_and(|(_, class)| matches!(class, RaceClass::Half | RaceClass::Full));
    for (day, demand) in &demanding {
        let Some(next) = demanding.get(&day.next()).filter(|_| view.is_changeable(day.next())) else {
            continue;
        };
        let severity = match (demand, next) {
            // Two hard days in a row are R12's.
            (Demand::Hard | Demand::RacePace, Demand::Hard | Demand::RacePace) => continue,
            (Demand::RacePace, Demand::Long) if is_long_race => Severity::Note,
            _ => severity,
        };
        let day = day.next();
        let text = format!("{} on {day} is the day after {}", capitalize(next.label()), demand.label());
        report.add(RawFinding::new(LintRule::DemandingDaysTogether, severity, text).on_day(day));
    }
}

/// Why a day is demanding; of two runs on a day the later in this order counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Demand {
    RacePace,
    Hard,
    Long,
    Race,
}

impl Demand {
    /// `longest`: minutes of the longest run of its week.
    fn for_run(run: &RecordedOrPlannedRun<'_>, longest: f64) -> Option<Self> {
        let is_long_time = |minutes: f64| {
            minutes >= training_norms::LONG_RUN_MINUTES - TOLERANCE
                && minutes >= training_norms::LONG_RUN_OF_LONGEST * longest - TOLERANCE
        };
        match () {
            () if run.is_kind(WorkoutKind::Race) => Some(Self::Race),
            () if run.is_kind(WorkoutKind::Long) || run.minutes.is_some_and(is_long_time) => Some(Self::Long),
            () if run.is_kind(WorkoutKind::RacePace) => Some(Self::RacePace),
            () if run.quality => Some(Self::Hard),
            () => None,
        }
    }

    const fn label(self) -> &'static str {
        match self {
            Self::Long => "a long run",
            Self::Hard | Self::RacePace => "a quality workout",
            Self::Race => "a tune-up race",
        }
    }
}

/// R37: only for a plan with a target time.
fn check_missing_quality(view: &LintContext<'_>, report: &mut RawFindings) {
    if view.subject.target.is_none() || view.race.is_none() {
        return;
    }
    let skipped = if view.level == Level::Novice { training_norms::NOVICE_EASY_WEEKS } else { 0 };
    let weeks = view.weeks.get(skipped..).unwrap_or_default();
    for window in weeks.windows(training_norms::MAX_WEEKS_WITHOUT_QUALITY) {
        let known_return = view.first_run_after_last_break().is_some_and(|day| day >= window[0].week.first);
        let injured = window.iter().any(|week| week.week.days().any(|day| view.is_injured_on(day)));
        if window.iter().any(|week| week.quality > 0 || !week.changeable) || known_return || injured {
            continue;
        }
        let first = window[0].week.first;
        let text = format!(
            "The {} weeks from {first} have no quality workout, which a target time needs",
            window.len()
        );
        report.add(RawFinding::new(LintRule::MissingQuality, Severity::Warning, text).on_week(first));
        return;
    }
}

/// R38: workouts with race pace before a half marathon or marathon with a target time.
fn check_missing_race_pace(view: &LintContext<'_>, report: &mut RawFindings) {
    let Some((_, class)) = view.race.filter(|_| view.subject.target.is_some()) else { return };
    let Some((days, needed)) = training_norms::min_race_pace_workouts(class) else { return };
    let first = view.subject.race.plus_days(-days);
    // A plan that begins later has no time for them.
    if view.subject.start > first || view.late_break().is_some() {
        return;
    }
    let race_pace = view.subject.target.zip(view.race).map(|(time, (far, _))| time.seconds() / far.km());
    let at_race_pace = |step: &Step| match target_pace(step) {
        Some(pace) => race_pace.is_some_and(|race| pace <= race * LONG_RUN_PACE_TOLERANCE),
        None => step.notes.as_ref().is_some_and(|notes| notes.to_lowercase().contains("race pace")),
    };
    let in_long_run = |workout: &Workout| {
        let mut active = workout.steps.iter().filter(|step| step.step_type == StepType::Active);
        workout.steps.len() > 1 && active.any(at_race_pace)
    };
    let at_pace = |workout: &&Workout| match workout.kind {
        WorkoutKind::RacePace => true,
        WorkoutKind::Long => in_long_run(workout),
        _ => false,
    };
    // Past ones count as planned: a record does not show whether it was at race pace.
    let last_weeks = first..view.subject.race;
    let planned = filter_runs(view.subject.workouts).filter(|workout| last_weeks.contains(&workout.date));
    let count = planned.filter(at_pace).count();
    if count >= needed {
        return;
    }
    let severity = if view.level == Level::Novice { Severity::Note } else { Severity::Warning };
    let text = format!(
        "The last {} weeks have {} with race pace; {needed} or more prepare you for your target",
        days / 7,
        pluralize(count as u64, "workout", "workouts")
    );
    report.add(
        RawFinding::new(LintRule::MissingRacePace, severity, text)
            .with_measurement(count as f64, needed as f64),
    );
}

/// R38: a block in a long run counts up to this multiple of the target pace: training follows what
/// results support, which can be slower.
const LONG_RUN_PACE_TOLERANCE: f64 = 1.12;

/// R39: the same quality workout, step by step.
fn check_repeated_workouts(view: &LintContext<'_>, report: &mut RawFindings) {
    let mut seen: BTreeMap<String, (usize, &Workout)> = BTreeMap::new();
    let quality =
        view.changeable_runs().filter(|(run, workout)| run.quality && workout.kind != WorkoutKind::Race);
    for (_, workout) in quality.filter(|(_, workout)| workout.kind != WorkoutKind::Long) {
        let around = |step: &&Step| matches!(step.step_type, StepType::Warmup | StepType::Cooldown);
        let work: Vec<&Step> = workout.steps.iter().filter(|step| !around(step)).collect();
        // Without steps only its length tells it from another.
        let length = work.is_empty().then_some((workout.distance, workout.duration));
        let seen = seen.entry(format!("{:?} {work:?} {length:?}", workout.kind)).or_insert((0, workout));
        seen.0 += 1;
    }
    for (count, workout) in seen.into_values().filter(|(count, _)| *count > training_norms::MAX_SAME_WORKOUT)
    {
        let text =
            format!("“{}” occurs {count} times; a harder or different one would train more", workout.name);
        report.add(
            RawFinding::new(LintRule::RepeatedWorkout, Severity::Note, text)
                .with_measurement(count as f64, training_norms::MAX_SAME_WORKOUT as f64),
        );
    }
}

/// Hard and total minutes of a week's runs; anything not known to be hard counts as easy.
fn hard_and_total_minutes(view: &LintContext<'_>, week: &WeekTotals) -> Option<(f64, f64)> {
    view.runs_in(week).try_fold((0.0, 0.0), |(hard, all), session| {
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
    let Some(dated) = view.athlete.current_paces() else { return false };
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
