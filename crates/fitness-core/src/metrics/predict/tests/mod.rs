//! Published figures of every formula, and properties that hold for any athlete.

mod no_future_data;
mod prediction;
mod properties;
mod published_figures;

use super::*;

fn km(km: f64) -> Distance {
    Distance::from_km(km).unwrap()
}

fn miles(miles: f64) -> Distance {
    Distance::from_miles(miles).unwrap()
}

/// `3:54:10.0` or `5:23.7` in seconds.
fn seconds(clock: &str) -> f64 {
    clock.split(':').map(|part| part.parse::<f64>().unwrap()).fold(0.0, |sum, part| sum * 60.0 + part)
}

fn performance(distance: Distance, clock: &str) -> Performance {
    Performance::new(distance, TimeSpan::from_seconds(seconds(clock)).unwrap()).unwrap()
}

fn day(text: &str) -> Day {
    text.parse().unwrap()
}

fn result(distance: Distance, clock: &str, on: &str, effort: ResultKind) -> RaceResult {
    let time = TimeSpan::from_seconds(seconds(clock)).unwrap();
    RaceResult { distance, time, on: Some(day(on)), effort }
}

fn inputs<'a>(results: &'a [RaceResult], weekly_miles: Option<f64>) -> PredictionInputs<'a> {
    let weekly = weekly_miles.map(|weekly| WeeklyVolume { distance: miles(weekly), weeks: Some(8) });
    PredictionInputs { results, weekly, training: None, sex: None, history: &[], as_of: day("2026-11-15") }
}

/// Within the precision of the figure's last digit; whole seconds may be truncated or rounded.
fn assert_near(got: MetricResult<TimeSpan>, clock: &str) {
    let tolerance = if clock.contains('.') { 0.051 } else { 1.0 };
    let got = got.unwrap().seconds();
    assert!((got - seconds(clock)).abs() < tolerance, "{got} is not {clock}");
}
