//! Paces and times: only what a result supports.

use super::super::limits;
use super::super::{StepType, Support, Workout, WorkoutKind, finish_on_race_day, support};
use super::amounts::pace_range;
use super::view::View;
use super::{Remark, Report, Rule, Severity, Subject, TOLERANCE};
use crate::metrics::predict::Prediction;
use crate::units::{Distance, Pace};

pub(super) fn check(view: &View<'_>, report: &mut Report) {
    dated_paces(view, report);
    let Some((distance, _)) = view.race else { return };
    if distance > limits::BEYOND_EVIDENCE && view.subject.target.is_some() {
        let text = "Beyond 50 km nothing published supports a time to aim for; plan without one".to_owned();
        report.add(Remark::new(Rule::R32, Severity::Warning, text));
    }
    if let Some(prediction) = predicted(view, distance) {
        target_time(view, prediction, report);
        race_pace(view, prediction, distance, report);
    }
}

/// R31.
fn dated_paces(view: &View<'_>, report: &mut Report) {
    let as_of = view.athlete.as_of;
    let supported =
        view.athlete.paces.is_some_and(|paces| paces.result_on.until(as_of) <= limits::PACES_LAST);
    if supported {
        return;
    }
    for workout in view.subject.workouts.iter().filter(|workout| view.is_open(workout.date)) {
        if workout.steps.iter().any(|step| pace_range(step).is_some()) {
            let day = workout.date;
            let text = format!(
                "The workout on {day} asks for a pace, and no result of the last {} days supports one; go by effort",
                limits::PACES_LAST
            );
            report.add(Remark::new(Rule::R31, Severity::Error, text).on(day));
        }
    }
}

/// The prediction for the race's own distance.
fn predicted<'a>(view: &View<'a>, distance: Distance) -> Option<&'a Prediction> {
    let prediction = view.athlete.prediction.as_ref().ok()?;
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
        let active = workout.steps.iter().filter(|step| step.step_type == StepType::Active);
        // The lower end of a pace is its fast one.
        let fastest = active
            .filter_map(pace_range)
            .filter_map(|range| range.low.or(range.high))
            .filter(|pace| pace.is_finite())
            .reduce(f64::min);
        let Some(pace) = fastest.filter(|pace| *pace < limit - TOLERANCE) else { continue };
        let day = workout.date;
        let shown = |pace: f64| {
            Pace::from_seconds_per_km(pace)
                .map_or_else(|| "no pace".to_owned(), |pace| view.units.pace(pace).to_string())
        };
        let text = format!(
            "The workout on {day} asks for {} at race pace; your results support {} and slower",
            shown(pace),
            shown(limit)
        );
        report.add(Remark::new(Rule::R32, Severity::Error, text).on(day).measured(pace, limit));
    }
}
