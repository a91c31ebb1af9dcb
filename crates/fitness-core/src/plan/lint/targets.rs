//! Paces and times: only what a result supports.

use super::super::training_norms::{self, Class};
use super::super::{DatedPaces, Step, StepType, Support, Workout, WorkoutKind, finish_on_race_day, support};
use super::context::View;
use super::work::pace_range;
use super::{Remark, Report, Rule, Severity, Subject, TOLERANCE};
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, Pace};
use crate::metrics::predict::{Paces, Prediction};

pub(super) fn check(view: &View<'_>, report: &mut Report) {
    dated_paces(view, report);
    let Some((distance, _)) = view.race else { return };
    if distance > training_norms::BEYOND_EVIDENCE && view.subject.target.is_some() {
        let text = "Beyond 50 km nothing published supports a time to aim for; plan without one".to_owned();
        report.add(Remark::new(Rule::R32, Severity::Warning, text));
    }
    if let Some(prediction) = predicted(view, distance) {
        target_time(view, prediction, report);
        race_pace(view, prediction, distance, report);
    }
}

/// R31: without a result no pace, and with one none that is quicker than it supports.
fn dated_paces(view: &View<'_>, report: &mut Report) {
    // A result grows old, whether or not data came after it.
    let last = view.athlete.last_day();
    let recent = |paces: &DatedPaces| paces.result_on.until(last) <= training_norms::PACES_LAST;
    if let Some(dated) = view.athlete.paces.filter(recent) {
        return supported_paces(view, &dated, report);
    }
    for workout in view.subject.workouts.iter().filter(|workout| view.is_open(workout.date)) {
        if workout.steps.iter().any(|step| pace_range(step).is_some()) {
            let day = workout.date;
            let text = format!(
                "The workout on {day} asks for a pace, and no result of the last {} days supports one; go by effort",
                training_norms::PACES_LAST
            );
            report.add(Remark::new(Rule::R31, Severity::Error, text).on(day));
        }
    }
}

/// R31's value. A slower pace than the result gives is a wish for something easier, and fine.
fn supported_paces(view: &View<'_>, dated: &DatedPaces, report: &mut Report) {
    let open = view.subject.workouts.iter().filter(|workout| view.is_open(workout.date));
    for workout in open.filter(|workout| workout.sport == Sport::Running) {
        let limit = quickest(view, workout, dated);
        let Some(pace) = fastest(workout.steps.iter()) else { continue };
        if pace >= limit * (1.0 - training_norms::PACE_ROOM) - TOLERANCE {
            continue;
        }
        let day = workout.date;
        let text = format!(
            "The workout on {day} asks for {}; your result of {} supports {} and slower for it",
            shown(view, pace),
            dated.result_on,
            shown(view, limit)
        );
        report.add(Remark::new(Rule::R31, Severity::Error, text).part(1).on(day).measured(pace, limit));
    }
}

/// The quickest pace that a result supports for a workout, seconds per kilometre: what its kind is run at.
fn quickest(view: &View<'_>, workout: &Workout, dated: &DatedPaces) -> f64 {
    let Paces { marathon, threshold, interval, repetition, .. } = dated.paces;
    let between = |one: Pace, other: Pace| f64::midpoint(one.seconds_per_km(), other.seconds_per_km());
    match (workout.kind, view.race.map(|(_, class)| class)) {
        // Repetitions are intervals, too, and a short race may be run at their pace.
        (WorkoutKind::Intervals | WorkoutKind::Hills | WorkoutKind::Strides | WorkoutKind::Race, _) => {
            repetition.seconds_per_km()
        }
        (WorkoutKind::RacePace, Some(Class::FiveK) | None) => interval.seconds_per_km(),
        (WorkoutKind::RacePace, Some(Class::TenK)) => between(interval, threshold),
        (WorkoutKind::RacePace | WorkoutKind::Tempo | WorkoutKind::Long, _) => threshold.seconds_per_km(),
        // What is easy is slower than a marathon.
        _ => marathon.seconds_per_km(),
    }
}

/// The fastest pace that steps ask for.
fn fastest<'a>(steps: impl Iterator<Item = &'a Step>) -> Option<f64> {
    let ends = steps.filter_map(pace_range).flat_map(|range| [range.low, range.high]).flatten();
    ends.filter(|pace| pace.is_finite()).reduce(f64::min)
}

fn shown(view: &View<'_>, pace: f64) -> String {
    Pace::from_seconds_per_km(pace)
        .map_or_else(|| "no pace".to_owned(), |pace| view.units.pace(pace).to_string())
}

/// The prediction for the race's own distance.
fn predicted<'a>(view: &View<'a>, distance: Distance) -> Option<&'a Prediction> {
    let prediction = view.athlete.prediction_today()?;
    // `21.1 km` is how people write a half marathon.
    let near = (prediction.target.mm() - distance.mm()).abs() <= distance.mm() / 500;
    near.then_some(prediction)
}

/// R32 for the time hoped for, as of race day: training goes on at the pace predicted today, and the athlete is told.
fn target_time(view: &View<'_>, prediction: &Prediction, report: &mut Report) {
    let Subject { start, race, .. } = *view.subject;
    let Some((target, finish)) = view.subject.target.zip(finish_on_race_day(view.athlete, start, race))
    else {
        return;
    };
    let verdict = match support(target, finish) {
        Support::Supported => return,
        Support::Stretch => "a stretch: train at the predicted pace, and have a second plan for the race",
        Support::Unlikely => "unlikely: about 1 in 10 to 20 did it",
        Support::Unsupported => "not supported by your data: plan on the predicted time",
    };
    let text = format!(
        "The target of {} is {verdict} ({} is predicted today)",
        target.clock(),
        prediction.shown.time.clock()
    );
    let quarter = finish.first_quarter().seconds();
    report.add(Remark::new(Rule::R32, Severity::Warning, text).part(1).measured(target.seconds(), quarter));
}

/// R32 for what is asked for at race pace.
fn race_pace(view: &View<'_>, prediction: &Prediction, distance: Distance, report: &mut Report) {
    let limit = prediction.exact.first_quarter().seconds() / distance.km();
    let at_race_pace = |workout: &&Workout| {
        workout.kind == WorkoutKind::RacePace
            || (workout.kind == WorkoutKind::Race && workout.date == view.subject.race)
    };
    let open = view.subject.workouts.iter().filter(|workout| view.is_open(workout.date));
    for workout in open.filter(at_race_pace) {
        let fastest = fastest(workout.steps.iter().filter(|step| step.step_type == StepType::Active));
        let Some(pace) = fastest.filter(|pace| *pace < limit - TOLERANCE) else { continue };
        let day = workout.date;
        let text = format!(
            "The workout on {day} asks for {} at race pace; your results support {} and slower",
            shown(view, pace),
            shown(view, limit)
        );
        report.add(Remark::new(Rule::R32, Severity::Error, text).on(day).measured(pace, limit));
    }
}
