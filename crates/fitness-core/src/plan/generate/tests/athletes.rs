//! Generated athletes for tests, by weekly distance and weeks of history.

use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan, UnitSystem};
use crate::metrics::predict::{
    Performance, PredictionInputs, RaceResult, ResultKind, Vdot, WeeklyVolume, predict,
};
use crate::metrics::{MissingReason, RequiredInput};
use crate::plan::{Availability, DatedPaces, GoalDistance, PastRun, PlanRequest, TrainingBaseline};

pub(super) fn day(text: &str) -> Day {
    text.parse().unwrap()
}

/// The Sunday before every plan of these tests.
pub(super) fn as_of() -> Day {
    day("2026-03-01")
}

/// An athlete who has run `km` a week in `runs` runs for `weeks` weeks, every fourth of them less.
pub(super) fn runner(km: f64, runs: usize, weeks: i64) -> TrainingBaseline {
    let mut done = Vec::new();
    let long = if km < 30.0 { 0.42 } else { 0.32 };
    for back in 0..weeks {
        let volume = km * if back % 4 == 3 { 0.85 } else { 1.0 };
        for run in 0..runs {
            let share = if run == 0 { long } else { (1.0 - long) / (runs - 1) as f64 };
            let distance = Distance::from_km(volume * share).unwrap();
            let pace = 370.0 - km.min(100.0);
            done.push(PastRun {
                day: as_of().plus_days(-7 * back - run as i64),
                distance,
                duration: TimeSpan::from_seconds(distance.km() * pace),
                hard: run == 2,
            });
        }
    }
    done.sort_by_key(|run| run.day);
    TrainingBaseline {
        first_day: Some(as_of().plus_days(1 - 7 * weeks)),
        first_run: done.first().map(|run| run.day),
        runs: done,
        fitness: Some(km * 0.8),
        load_per_hour: Some(55.0),
        prediction: Err(MissingReason::missing(RequiredInput::Race)),
        ..TrainingBaseline::unknown(as_of())
    }
}

/// The same athlete with a 10 km race three weeks ago.
pub(super) fn with_result(athlete: TrainingBaseline, race: Distance) -> TrainingBaseline {
    let weekly = athlete.base().unwrap();
    let time = TimeSpan::from_seconds(3500.0 - weekly.km().min(100.0) * 11.0).unwrap();
    let on = as_of().plus_days(-21);
    let ten = Distance::from_km(10.0).unwrap();
    let result = RaceResult { distance: ten, time, on: Some(on), effort: ResultKind::Race };
    let inputs = PredictionInputs {
        results: &[result],
        weekly: Some(WeeklyVolume { distance: weekly, weeks: Some(8) }),
        training: None,
        sex: None,
        history: &[],
        as_of: as_of(),
    };
    let vdot = Vdot::from_race(Performance::new(ten, time).unwrap()).unwrap();
    let paces = vdot.paces(None).unwrap();
    TrainingBaseline {
        prediction: predict(race, &inputs),
        paces: Some(DatedPaces { paces, result_on: on }),
        vdot: Some(vdot.value()),
        ..athlete
    }
}

/// The same athlete without data for this many days before the plan.
pub(super) fn without_data_for(days: i64, athlete: TrainingBaseline) -> TrainingBaseline {
    let ago = |day: Day| day.plus_days(-days);
    let runs = athlete.runs.iter().map(|run| PastRun { day: ago(run.day), ..*run }).collect();
    let dated = |dated: DatedPaces| DatedPaces { result_on: ago(dated.result_on), ..dated };
    TrainingBaseline {
        as_of: ago(athlete.as_of),
        today: athlete.as_of.next(),
        first_day: athlete.first_day.map(ago),
        first_run: athlete.first_run.map(ago),
        runs,
        paces: athlete.paces.map(dated).filter(|dated| dated.result_on.days_until(athlete.as_of) <= 120),
        ..athlete
    }
}

/// A race this many days after the Monday after [`as_of`].
pub(super) fn plan_request(goal: GoalDistance, days: i64) -> PlanRequest {
    let start = as_of().next();
    PlanRequest {
        name: None,
        goal,
        distance: None,
        start,
        race: start.plus_days(days),
        target: None,
        long_day: None,
        availability: Availability::default(),
        tune_up: None,
        strength: false,
        cross: None,
        units: UnitSystem::Metric,
    }
}
