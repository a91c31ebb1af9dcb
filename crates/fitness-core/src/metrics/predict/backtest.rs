//! Backtest: every past race, predicted from the data of two days before it.

use super::{
    MethodEstimate, PastPrediction, Prediction, PredictionInputs, PredictionMethod, RaceResult,
    RecentTraining, ResultKind, WeeklyVolume, predict,
};
use crate::domain::athlete::Sex;
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan};
use crate::metrics::{CountUnit, MetricResult, MissingReason};
use serde::Serialize;

/// Minimum number of races for a score.
const MIN_RACES: u32 = 5;
/// Days between the last day of data used and the race.
const DATA_CUTOFF_DAYS: i64 = 2;

/// Training data at the end of a day. Must not include anything later.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TrainingContext {
    pub weekly: Option<WeeklyVolume>,
    pub training: Option<RecentTraining>,
    pub sex: Option<Sex>,
}

/// A past race and its prediction.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BacktestRace {
    pub race: RaceResult,
    pub on: Day,
    /// From the data of two days before.
    pub prediction: MetricResult<Prediction>,
}

/// One method's prediction of one race.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BacktestRow {
    pub on: Day,
    #[serde(rename = "distance_mm")]
    pub distance: Distance,
    pub method: PredictionMethod,
    #[serde(rename = "predicted_ms")]
    pub predicted: TimeSpan,
    /// Prediction interval; only the combined method has one.
    #[serde(rename = "band_ms")]
    pub band: Option<(TimeSpan, TimeSpan)>,
    #[serde(rename = "actual_ms")]
    pub actual: TimeSpan,
}

/// Mean pinball loss over the races, seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Pinball {
    /// Of the lower bound.
    pub tenth: Option<f64>,
    pub half: f64,
    /// Of the upper bound.
    pub ninetieth: Option<f64>,
}

/// Score of a method over the races that all compared methods predicted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MethodScore {
    pub method: PredictionMethod,
    pub n: u32,
    #[serde(rename = "mae_ms")]
    pub mae: TimeSpan,
    /// Mean absolute error in percent of the actual time.
    pub mape: f64,
    /// Mean error in percent of the actual time; negative if predictions were too fast.
    pub bias: f64,
    /// Percent of the races within the interval.
    pub coverage: Option<f64>,
    pub pinball: Pinball,
}

/// Result of a backtest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Backtest {
    /// The races in the order they were run, predicted or not.
    pub events: Vec<BacktestRace>,
    /// Prediction of each method for each race.
    pub rows: Vec<BacktestRow>,
    /// The combined method compared with Riegel and VDOT on the same races; missing with fewer than
    /// five.
    pub scores: MetricResult<Vec<MethodScore>>,
}

/// Predicts every past race and time trial from the data of two days before, and compares with the
/// result.
///
/// Results without a date are ignored. `context` returns the training data at the end of a day.
pub fn backtest(results: &[RaceResult], context: impl Fn(Day) -> TrainingContext) -> Backtest {
    let events = replay(results, &context);
    let rows: Vec<BacktestRow> = events.iter().flat_map(method_rows).collect();
    let scores = compare(&rows);
    Backtest { events, rows, scores }
}

/// The prediction for a race on a day from the data of two days before, including the correction
/// from the athlete's earlier races.
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

/// Predicts the races in chronological order, each from those before it.
fn replay(results: &[RaceResult], context: &impl Fn(Day) -> TrainingContext) -> Vec<BacktestRace> {
    let mut races: Vec<(Day, RaceResult)> =
        results.iter().filter_map(|result| Some((result.on?, *result))).collect();
    races.sort_unstable();
    races.dedup();
    let mut events: Vec<BacktestRace> = Vec::new();
    for (on, race) in races.iter().copied().filter(|(_, race)| race.effort != ResultKind::Training) {
        let as_of = on.plus_days(-DATA_CUTOFF_DAYS);
        let known = dated_until(results, as_of);
        let history: Vec<PastPrediction> = events.iter().filter_map(past_prediction).collect();
        let prediction = run_prediction(race.distance, as_of, &known, &history, context);
        events.push(BacktestRace { race, on, prediction });
    }
    events
}

pub(super) fn past_prediction(event: &BacktestRace) -> Option<PastPrediction> {
    let prediction = event.prediction.as_ref().ok()?;
    // Impossible results are not used for the correction.
    let mark = super::Performance::new(event.race.distance, event.race.time).ok()?;
    Some(PastPrediction {
        on: event.on,
        distance: mark.distance(),
        predicted: prediction.uncorrected,
        actual: mark.time(),
    })
}

fn method_rows(event: &BacktestRace) -> Vec<BacktestRow> {
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
    let mut rows = vec![row(PredictionMethod::Combined, shown.time, Some((shown.low, shown.high)))];
    rows.extend(prediction.members.iter().map(|MethodEstimate { method, time }| row(*method, *time, None)));
    let baselines = &prediction.baselines;
    for (method, time) in [
        (PredictionMethod::Riegel, &baselines.riegel),
        (PredictionMethod::Vdot, &baselines.vdot),
        (PredictionMethod::VickersOne, &baselines.vickers_one),
        (PredictionMethod::VickersTwo, &baselines.vickers_two),
    ] {
        rows.extend(time.iter().map(|time| row(method, *time, None)));
    }
    rows
}

/// The compared methods, over the races that all of them predicted.
fn compare(rows: &[BacktestRow]) -> MetricResult<Vec<MethodScore>> {
    const COMPARED: [PredictionMethod; 3] =
        [PredictionMethod::Combined, PredictionMethod::Riegel, PredictionMethod::Vdot];
    let same_race =
        |a: &BacktestRow, b: &BacktestRow| (a.on, a.distance, a.actual) == (b.on, b.distance, b.actual);
    let said = |race: &BacktestRow, method: PredictionMethod| {
        rows.iter().any(|row| row.method == method && same_race(row, race))
    };
    let common: Vec<BacktestRow> = rows
        .iter()
        .filter(|row| COMPARED.contains(&row.method) && COMPARED.iter().all(|method| said(row, *method)))
        .copied()
        .collect();
    let of = |method: PredictionMethod| {
        common.iter().filter(|row| row.method == method).copied().collect::<Vec<_>>()
    };
    COMPARED.iter().map(|method| score(*method, &of(*method))).collect()
}

/// One method's score over its rows.
fn score(method: PredictionMethod, rows: &[BacktestRow]) -> MetricResult<MethodScore> {
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
            .ok_or_else(|| MissingReason::OutOfRange { what: "prediction error out of range".to_owned() })?,
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

/// q·(actual − predicted) when the race was slower, (1 − q)·(predicted − actual) when it was
/// faster.
fn pinball(q: f64, predicted: TimeSpan, actual: TimeSpan) -> f64 {
    let slower = actual.seconds() - predicted.seconds();
    if slower >= 0.0 { q * slower } else { (q - 1.0) * slower }
}
