//! Rules on target paces and times: only what a result supports.

use super::super::training_norms::{self, RaceClass};
use super::super::{
    DatedPaces, GoalSupport, Step, StepType, Workout, WorkoutKind, finish_on_race_day, goal_support,
};
use super::context::LintContext;
use super::work::pace_range;
use super::{LintInput, LintRule, RawFinding, RawFindings, Severity, TOLERANCE};
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, Pace};
use crate::metrics::predict::{Prediction, TrainingPaces};

pub(super) fn check(view: &LintContext<'_>, report: &mut RawFindings) {
    check_paces_have_result(view, report);
    let Some((distance, _)) = view.race else { return };
    if distance > training_norms::MAX_EVIDENCE_DISTANCE && view.subject.target.is_some() {
        let text =
            "There is no published evidence for target times beyond 50 km; plan without one".to_owned();
        report.add(RawFinding::new(LintRule::RacePaceTooFast, Severity::Warning, text));
    }
    if let Some(prediction) = race_prediction(view, distance) {
        check_target_time(view, prediction, report);
        check_race_pace(view, prediction, distance, report);
    }
}

/// R31: no target pace without a result, and none faster than the result supports. A result that
/// was recent when the plan began and is no longer is a warning.
fn check_paces_have_result(view: &LintContext<'_>, report: &mut RawFindings) {
    let at_start = |dated: &DatedPaces| {
        dated.result_on.days_until(view.subject.start) <= training_norms::PACES_VALID_DAYS
    };
    let days = training_norms::PACES_VALID_DAYS;
    if let Some(dated) = view.athlete.current_paces() {
        return check_paces_supported(view, &dated, report);
    }
    let old = view.athlete.paces.filter(at_start);
    if let Some(dated) = old {
        check_paces_supported(view, &dated, report);
    }
    for workout in view.subject.workouts.iter().filter(|workout| view.is_changeable(workout.date)) {
        if !workout.steps.iter().any(|step| pace_range(step).is_some()) {
            continue;
        }
        let day = workout.date;
        let finding = match old {
            Some(dated) => {
                let text = format!(
                    "The target pace of the workout on {day} comes from your result of {}, which is more than {days} days \
                     old; a new race or time trial would update it",
                    dated.result_on
                );
                RawFinding::new(LintRule::UnsupportedPace, Severity::Warning, text).with_part(2)
            }
            None => {
                let text = format!(
                    "The workout on {day} has a target pace, but no race result from the last {days} days supports one; go \
                     by effort"
                );
                RawFinding::new(LintRule::UnsupportedPace, Severity::Error, text)
            }
        };
        report.add(finding.on_day(day));
    }
}

/// R31 with a result. A slower pace is always allowed.
fn check_paces_supported(view: &LintContext<'_>, dated: &DatedPaces, report: &mut RawFindings) {
    let open = view.subject.workouts.iter().filter(|workout| view.is_changeable(workout.date));
    for workout in open.filter(|workout| workout.sport == Sport::Running) {
        let limit = fastest_supported_pace(view, workout, dated);
        let Some(pace) = fastest_target_pace(workout.steps.iter()) else { continue };
        if pace >= limit * (1.0 - training_norms::PACE_TOLERANCE) - TOLERANCE {
            continue;
        }
        let day = workout.date;
        let text = format!(
            "The workout on {day} has a target of {}; your result from {} supports {} or slower",
            format_pace(view, pace),
            dated.result_on,
            format_pace(view, limit)
        );
        report.add(
            RawFinding::new(LintRule::UnsupportedPace, Severity::Error, text)
                .with_part(1)
                .on_day(day)
                .with_measurement(pace, limit),
        );
    }
}

/// The fastest pace that a result supports for a kind of workout, in seconds per kilometre.
fn fastest_supported_pace(view: &LintContext<'_>, workout: &Workout, dated: &DatedPaces) -> f64 {
    let TrainingPaces { marathon, threshold, interval, repetition, .. } = dated.paces;
    let between = |one: Pace, other: Pace| f64::midpoint(one.seconds_per_km(), other.seconds_per_km());
    match (workout.kind, view.race.map(|(_, class)| class)) {
        // Repetitions count as intervals, and a short race may be run at their pace.
        (WorkoutKind::Intervals | WorkoutKind::Hills | WorkoutKind::Strides | WorkoutKind::Race, _) => {
            repetition.seconds_per_km()
        }
        (WorkoutKind::RacePace, Some(RaceClass::FiveK) | None) => interval.seconds_per_km(),
        (WorkoutKind::RacePace, Some(RaceClass::TenK)) => between(interval, threshold),
        (WorkoutKind::RacePace | WorkoutKind::Tempo | WorkoutKind::Long, _) => threshold.seconds_per_km(),
        // Easy running is slower than marathon pace.
        _ => marathon.seconds_per_km(),
    }
}

fn fastest_target_pace<'a>(steps: impl Iterator<Item = &'a Step>) -> Option<f64> {
    let ends = steps.filter_map(pace_range).flat_map(|range| [range.low, range.high]).flatten();
    ends.filter(|pace| pace.is_finite()).reduce(f64::min)
}

fn format_pace(view: &LintContext<'_>, pace: f64) -> String {
    Pace::from_seconds_per_km(pace)
        .map_or_else(|| "no pace".to_owned(), |pace| view.units.format_pace(pace).to_string())
}

/// The current prediction, if it is for the distance of this race.
fn race_prediction<'a>(view: &LintContext<'a>, distance: Distance) -> Option<&'a Prediction> {
    let prediction = view.athlete.current_prediction()?;
    // People write a half marathon as `21.1 km`.
    let near = (prediction.target.mm() - distance.mm()).abs() <= distance.mm() / 500;
    near.then_some(prediction)
}

/// R32 for the target time, rated for race day. Workouts use today's predicted pace in any case.
fn check_target_time(view: &LintContext<'_>, prediction: &Prediction, report: &mut RawFindings) {
    let LintInput { start, race, .. } = *view.subject;
    let Some((target, finish)) = view.subject.target.zip(finish_on_race_day(view.athlete, start, race))
    else {
        return;
    };
    let verdict = match goal_support(target, finish) {
        GoalSupport::Supported => return,
        GoalSupport::Stretch => "a stretch: train at the predicted pace, and have a plan B for the race",
        GoalSupport::Unlikely => "unlikely: only 1 in 10 to 1 in 20 runners achieve it",
        GoalSupport::Unsupported => "not supported by your data: aim for the predicted time",
    };
    let text = format!(
        "The target of {} is {verdict} (today's prediction: {})",
        target.format_clock(),
        prediction.shown.time.format_clock()
    );
    let quarter = finish.first_quarter().seconds();
    report.add(
        RawFinding::new(LintRule::RacePaceTooFast, Severity::Warning, text)
            .with_part(1)
            .with_measurement(target.seconds(), quarter),
    );
}

/// R32 for steps at race pace.
fn check_race_pace(
    view: &LintContext<'_>,
    prediction: &Prediction,
    distance: Distance,
    report: &mut RawFindings,
) {
    let limit = prediction.exact.first_quarter().seconds() / distance.km();
    let at_race_pace = |workout: &&Workout| {
        workout.kind == WorkoutKind::RacePace
            || (workout.kind == WorkoutKind::Race && workout.date == view.subject.race)
    };
    let open = view.subject.workouts.iter().filter(|workout| view.is_changeable(workout.date));
    for workout in open.filter(at_race_pace) {
        let fastest =
            fastest_target_pace(workout.steps.iter().filter(|step| step.step_type == StepType::Active));
        let Some(pace) = fastest.filter(|pace| *pace < limit - TOLERANCE) else { continue };
        let day = workout.date;
        let text = format!(
            "The workout on {day} has a race pace of {}; your results support {} or slower",
            format_pace(view, pace),
            format_pace(view, limit)
        );
        report.add(
            RawFinding::new(LintRule::RacePaceTooFast, Severity::Error, text)
                .on_day(day)
                .with_measurement(pace, limit),
        );
    }
}
