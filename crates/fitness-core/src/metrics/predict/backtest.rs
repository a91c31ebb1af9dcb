//! What the predictions would have been worth: every past race, predicted from what was known two days before it.

use super::{
    EffortKind, Method, MethodEstimate, PastPrediction, Prediction, PredictionInputs, RaceResult,
    TrainingPace, WeeklyVolume, predict,
};
use crate::domain::athlete::Sex;
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan};
use crate::metrics::{CountUnit, MetricResult, MissingReason};
use serde::Serialize;

/// Races below which nothing is claimed about a method.
const MIN_RACES: u32 = 5;
/// Between the last day a prediction may look at and the race: data strictly before the eve.
const DATA_CUTOFF_DAYS: i64 = 2;

/// What was known about the training at the end of a day. Whoever makes it must look at nothing later.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TrainingContext {
    /// Measured weekly distance.
    pub weekly: Option<WeeklyVolume>,
    /// Measured training.
    pub training: Option<TrainingPace>,
    /// The athlete's sex, as far as they said.
    pub sex: Option<Sex>,
}

/// A past race and what would have been predicted for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BacktestEvent {
    /// The race.
    pub race: RaceResult,
    /// Its day.
    pub on: Day,
    /// The prediction, from two days before.
    pub prediction: MetricResult<Prediction>,
}

/// One method's prediction of one race.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BacktestRow {
    /// The day of the race.
    pub on: Day,
    /// How far.
    #[serde(rename = "distance_mm")]
    pub distance: Distance,
    /// Which method.
    pub method: Method,
    /// What it said.
    #[serde(rename = "predicted_ms")]
    pub predicted: TimeSpan,
    /// The ends of its band; only what is shown to the athlete has one.
    #[serde(rename = "band_ms")]
    pub band: Option<(TimeSpan, TimeSpan)>,
    /// What it became.
    #[serde(rename = "actual_ms")]
    pub actual: TimeSpan,
}

/// Pinball loss in seconds, the mean over the races: what a quantile costs that lies too low or too high.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Pinball {
    /// Of the fast end of the band.
    pub tenth: Option<f64>,
    /// Of the point.
    pub half: f64,
    /// Of the slow end.
    pub ninetieth: Option<f64>,
}

/// How a method did over the races that every compared method predicted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MethodScore {
    /// Which method.
    pub method: Method,
    /// Over how many races.
    pub n: u32,
    /// Mean absolute error.
    #[serde(rename = "mae_ms")]
    pub mae: TimeSpan,
    /// Mean absolute error in percent of the actual time.
    pub mape: f64,
    /// Mean error in percent of the actual time; below zero it promised too fast a race.
    pub bias: f64,
    /// Percent of the races that fell within the band.
    pub coverage: Option<f64>,
    /// Pinball loss.
    pub pinball: Pinball,
}

/// Everything a backtest found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Backtest {
    /// The races in the order they were run, predicted or not.
    pub events: Vec<BacktestEvent>,
    /// What each method said about each.
    pub rows: Vec<BacktestRow>,
    /// What is shown to the athlete beside Riegel and VDOT, on the same races; nothing is claimed from fewer than five.
    pub scores: MetricResult<Vec<MethodScore>>,
}

/// Predicts every past race and time trial from what was known before its eve, and compares.
///
/// Results without a day are left out, for they cannot be put before or after anything. `context` is asked for the state
/// at the end of a day.
pub fn backtest(results: &[RaceResult], context: impl Fn(Day) -> TrainingContext) -> Backtest {
    let events = replay(results, &context);
    let rows: Vec<BacktestRow> = events.iter().flat_map(method_rows).collect();
    let scores = compare(&rows);
    Backtest { events, rows, scores }
}

/// What would have been predicted for a race on a day, from what was known two days before; the athlete's own earlier
/// events correct it as they would have.
///
/// # Errors
/// As [`predict`].
pub fn predict_as_of(
    target: Distance,
    on: Day,
    results: &[RaceResult],
    context: impl Fn(Day) -> TrainingContext,
) -> MetricResult<Prediction> {
    let as_of = on.plus_days(-DATA_CUTOFF_DAYS);
    let known = dated_until(results, as_of);
    let history: Vec<PastPrediction> = replay(&known, &context).iter().filter_map(past_prediction).collect();
    run_prediction(target, as_of, &known, &history, &context)
}

fn dated_until(results: &[RaceResult], last: Day) -> Vec<RaceResult> {
    results.iter().filter(|result| result.on.is_some_and(|on| on <= last)).copied().collect()
}

fn run_prediction(
    target: Distance,
    as_of: Day,
    results: &[RaceResult],
    history: &[PastPrediction],
    context: &impl Fn(Day) -> TrainingContext,
) -> MetricResult<Prediction> {
    let TrainingContext { weekly, training, sex } = context(as_of);
    predict(target, &PredictionInputs { results, weekly, training, sex, history, as_of })
}

/// Goes through the races in time, each predicted from those before it.
fn replay(results: &[RaceResult], context: &impl Fn(Day) -> TrainingContext) -> Vec<BacktestEvent> {
    let mut races: Vec<(Day, RaceResult)> =
        results.iter().filter_map(|result| Some((result.on?, *result))).collect();
    races.sort_unstable();
    races.dedup();
    let mut events: Vec<BacktestEvent> = Vec::new();
    for (on, race) in races.iter().copied().filter(|(_, race)| race.effort != EffortKind::Training) {
        let as_of = on.plus_days(-DATA_CUTOFF_DAYS);
        let known = dated_until(results, as_of);
        let history: Vec<PastPrediction> = events.iter().filter_map(past_prediction).collect();
        let prediction = run_prediction(race.distance, as_of, &known, &history, context);
        events.push(BacktestEvent { race, on, prediction });
    }
    events
}

pub(super) fn past_prediction(event: &BacktestEvent) -> Option<PastPrediction> {
    let prediction = event.prediction.as_ref().ok()?;
    // A result no human ran teaches nothing about the next one.
    let mark = super::Performance::new(event.race.distance, event.race.time).ok()?;
    Some(PastPrediction {
        on: event.on,
        distance: mark.distance(),
        predicted: prediction.uncorrected,
        actual: mark.time(),
    })
}

fn method_rows(event: &BacktestEvent) -> Vec<BacktestRow> {
    let (Ok(prediction), Ok(mark)) =
        (&event.prediction, super::Performance::new(event.race.distance, event.race.time))
    else {
        return Vec::new();
    };
    let row = |method, predicted, band| BacktestRow {
        on: event.on,
        distance: mark.distance(),
        method,
        predicted,
        band,
        actual: mark.time(),
    };
    let shown = prediction.exact;
    let mut rows = vec![row(Method::Combined, shown.time, Some((shown.low, shown.high)))];
    rows.extend(prediction.members.iter().map(|MethodEstimate { method, time }| row(*method, *time, None)));
    let baselines = &prediction.baselines;
    for (method, time) in [
        (Method::Riegel, &baselines.riegel),
        (Method::Vdot, &baselines.vdot),
        (Method::VickersOne, &baselines.vickers_one),
        (Method::VickersTwo, &baselines.vickers_two),
    ] {
        rows.extend(time.iter().map(|time| row(method, *time, None)));
    }
    rows
}

/// The compared methods, over the races that all of them predicted.
fn compare(rows: &[BacktestRow]) -> MetricResult<Vec<MethodScore>> {
    const COMPARED: [Method; 3] = [Method::Combined, Method::Riegel, Method::Vdot];
    let same_race =
        |a: &BacktestRow, b: &BacktestRow| (a.on, a.distance, a.actual) == (b.on, b.distance, b.actual);
    let said = |race: &BacktestRow, method: Method| {
        rows.iter().any(|row| row.method == method && same_race(row, race))
    };
    let common: Vec<BacktestRow> = rows
        .iter()
        .filter(|row| COMPARED.contains(&row.method) && COMPARED.iter().all(|method| said(row, *method)))
        .copied()
        .collect();
    let of = |method: Method| common.iter().filter(|row| row.method == method).copied().collect::<Vec<_>>();
    COMPARED.iter().map(|method| score(*method, &of(*method))).collect()
}

/// One method's score over its rows.
fn score(method: Method, rows: &[BacktestRow]) -> MetricResult<MethodScore> {
    let n = u32::try_from(rows.len()).unwrap_or(u32::MAX);
    if n < MIN_RACES {
        return Err(MissingReason::TooFew { have: n, needed: MIN_RACES, what: CountUnit::Races });
    }
    let mean = |f: &dyn Fn(&BacktestRow) -> f64| rows.iter().map(f).sum::<f64>() / f64::from(n);
    let miss = |row: &BacktestRow| row.predicted.seconds() - row.actual.seconds();
    let percent = |row: &BacktestRow| 100.0 * miss(row) / row.actual.seconds();
    let banded = rows.iter().all(|row| row.band.is_some());
    let end = |pick: fn((TimeSpan, TimeSpan)) -> TimeSpan, q: f64| {
        banded.then(|| mean(&|row| row.band.map_or(0.0, |band| pinball(q, pick(band), row.actual))))
    };
    let inside = |row: &BacktestRow| row.band.is_some_and(|(low, high)| (low..=high).contains(&row.actual));
    Ok(MethodScore {
        method,
        n,
        mae: TimeSpan::from_seconds(mean(&|row| miss(row).abs()))
            .ok_or_else(|| MissingReason::OutOfRange { what: "errors longer than any race".to_owned() })?,
        mape: mean(&|row| percent(row).abs()),
        bias: mean(&percent),
        coverage: banded.then(|| mean(&|row| if inside(row) { 100.0 } else { 0.0 })),
        pinball: Pinball {
            tenth: end(|band| band.0, 0.1),
            half: mean(&|row| pinball(0.5, row.predicted, row.actual)),
            ninetieth: end(|band| band.1, 0.9),
        },
    })
}

/// q·(actual − predicted) when the race was slower, (1 − q)·(predicted − actual) when it was faster.
fn pinball(q: f64, predicted: TimeSpan, actual: TimeSpan) -> f64 {
    let slower = actual.seconds() - predicted.seconds();
    if slower >= 0.0 { q * slower } else { (q - 1.0) * slower }
}
