//! Athletes to plan for, made up: so many kilometres a week, for so many weeks.

use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan, UnitSystem};
use crate::metrics::predict::{Effort, Inputs, Mark, RaceResult, Vdot, WeeklyVolume, predict};
use crate::metrics::{Absent, Need};
use crate::plan::{Availability, Background, DatedPaces, Goal, PastRun, Wish};

pub(super) fn day(text: &str) -> Day {
    text.parse().unwrap()
}

/// The Sunday before every plan of these tests.
pub(super) fn as_of() -> Day {
    day("2026-03-01")
}

/// An athlete who has run `km` a week in `runs` runs for `weeks` weeks, every fourth of them less.
pub(super) fn runner(km: f64, runs: usize, weeks: i64) -> Background {
    let mut done = Vec::new();
    let long = if km < 30.0 { 0.42 } else { 0.32 };
    for back in 0..weeks {
        let volume = km * if back % 4 == 3 { 0.85 } else { 1.0 };
        for run in 0..runs {
            let share = if run == 0 { long } else { (1.0 - long) / (runs - 1) as f64 };
            let distance = Distance::from_km(volume * share).unwrap();
            let pace = 370.0 - km.min(100.0);
            done.push(PastRun {
                day: as_of().plus(-7 * back - run as i64),
                distance,
                duration: TimeSpan::from_seconds(distance.km() * pace),
                hard: run == 2,
            });
        }
    }
    done.sort_by_key(|run| run.day);
    Background {
        first: Some(as_of().plus(1 - 7 * weeks)),
        first_run: done.first().map(|run| run.day),
        runs: done,
        fitness: Some(km * 0.8),
        load_per_hour: Some(55.0),
        prediction: Err(Absent::missing(Need::Race)),
        ..Background::unknown(as_of())
    }
}

/// The same with a 10 km race three weeks ago, and what follows from it for a race.
pub(super) fn with_result(athlete: Background, race: Distance) -> Background {
    let weekly = athlete.base().unwrap();
    let time = TimeSpan::from_seconds(3500.0 - weekly.km().min(100.0) * 11.0).unwrap();
    let on = as_of().plus(-21);
    let ten = Distance::from_km(10.0).unwrap();
    let result = RaceResult { distance: ten, time, on: Some(on), effort: Effort::Race };
    let inputs = Inputs {
        results: &[result],
        weekly: Some(WeeklyVolume { distance: weekly, weeks: Some(8) }),
        training: None,
        sex: None,
        history: &[],
        as_of: as_of(),
    };
    let paces = Vdot::of(Mark::new(ten, time).unwrap()).unwrap().paces(None).unwrap();
    Background {
        prediction: predict(race, &inputs),
        paces: Some(DatedPaces { paces, result_on: on }),
        ..athlete
    }
}

/// The same athlete of whom nothing arrived for so many days before the plans of these tests.
pub(super) fn silent_for(days: i64, athlete: Background) -> Background {
    let ago = |day: Day| day.plus(-days);
    let runs = athlete.runs.iter().map(|run| PastRun { day: ago(run.day), ..*run }).collect();
    let dated = |dated: DatedPaces| DatedPaces { result_on: ago(dated.result_on), ..dated };
    Background {
        as_of: ago(athlete.as_of),
        seen_on: athlete.as_of.next(),
        first: athlete.first.map(ago),
        first_run: athlete.first_run.map(ago),
        runs,
        paces: athlete.paces.map(dated).filter(|dated| dated.result_on.until(athlete.as_of) <= 120),
        ..athlete
    }
}

/// A race so many days after the Monday after [`as_of`].
pub(super) fn wish(goal: Goal, days: i64) -> Wish {
    let start = as_of().next();
    Wish {
        name: None,
        goal,
        distance: None,
        start,
        race: start.plus(days),
        target: None,
        long_day: None,
        availability: Availability::default(),
        tune_up: None,
        strength: false,
        cross: None,
        units: UnitSystem::Metric,
    }
}
