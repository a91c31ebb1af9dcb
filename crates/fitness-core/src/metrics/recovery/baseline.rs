//! What is usual for an athlete: medians and spreads of the days before.
//!
//! Every value is computed from the days of its own window, in their order, and from nothing else. A walk that began
//! years ago and one that began at the window's first day give the same bits, so a changed day can be recomputed
//! alone. Running sums would be faster and are absent for this reason.

use crate::metrics::{CountUnit, Learning, MetricResult, MissingReason, Quality, RequiredInput, finite};
use serde::{Deserialize, Serialize};

/// Fewer readings than this are no baseline.
pub const MIN_READINGS: usize = 14;
/// Fewer than this, and the baseline is provisional.
pub const FIRM_READINGS: usize = 28;
/// The days of a week.
pub(crate) const WEEK: usize = 7;
/// The nights of seven a weekly value needs (Plews 2014).
pub(crate) const MIN_NIGHTS_OF_WEEK: usize = 3;
/// Makes the median absolute deviation of a normal distribution its standard deviation.
const MAD_TO_SD: f64 = 1.4826;

/// The usual value of something, and how far it usually strays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// The middle value.
    pub median: f64,
    /// Robust standard deviation: 1.4826 × the median absolute deviation, at least the step the device reports in.
    pub spread: f64,
    /// How many readings are behind it.
    pub n: u32,
    /// Provisional below 28 readings.
    pub quality: Quality,
}

/// A day's reading against its baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The reading itself.
    pub value: MetricResult<f64>,
    /// What is usual.
    pub baseline: MetricResult<Baseline>,
    /// How many spreads above the usual it is.
    pub z: MetricResult<f64>,
}

impl Reading {
    /// The same while the day goes on: what is usual is known, what the day will have been is not.
    #[must_use]
    pub fn into_pending(self) -> Self {
        Self { value: Err(MissingReason::NotYet), z: Err(MissingReason::NotYet), ..self }
    }
}

/// What a series is, and which days before a reading are its baseline.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BaselineSpec {
    /// What is asked for when there is none.
    pub(crate) need: RequiredInput,
    /// What its readings are counted as.
    pub(crate) count_unit: CountUnit,
    /// Lowest and highest reading that can be one.
    pub(crate) bounds: (f64, f64),
    /// The least spread: the step the device reports in, so that a quiet month does not make every step an alarm.
    pub(crate) min_sd: f64,
    /// How many of the latest days, the day itself among them, are not part of the baseline.
    pub(crate) skip: usize,
    /// How many days before those are.
    pub(crate) days: usize,
}

/// Mean stress of a day, 0 to 100.
pub(crate) const STRESS: BaselineSpec = BaselineSpec {
    need: RequiredInput::Stress,
    count_unit: CountUnit::Days,
    bounds: (0.0, 100.0),
    min_sd: 1.0,
    skip: 1,
    days: 60,
};
/// Highest body battery of a day, 0 to 100.
pub(crate) const BODY_BATTERY: BaselineSpec = BaselineSpec { need: RequiredInput::BodyBattery, ..STRESS };
/// Body weight, kilograms.
pub(crate) const WEIGHT: BaselineSpec =
    BaselineSpec { need: RequiredInput::Weight, bounds: (20.0, 350.0), min_sd: 0.1, ..STRESS };
/// Breaths per minute asleep.
pub(crate) const RESPIRATION: BaselineSpec = BaselineSpec {
    need: RequiredInput::Respiration,
    count_unit: CountUnit::Nights,
    bounds: (4.0, 60.0),
    min_sd: 0.5,
    ..STRESS
};

impl BaselineSpec {
    /// A reading only if it can be one.
    pub(crate) fn valid(&self, reading: Option<f64>) -> Option<f64> {
        reading.filter(|value| (self.bounds.0..=self.bounds.1).contains(value))
    }

    /// The baseline of the series' last day.
    pub(crate) fn baseline(&self, series: &[Option<f64>]) -> MetricResult<Baseline> {
        let values: Vec<f64> =
            window(series, self.skip, self.days).iter().filter_map(|reading| self.valid(*reading)).collect();
        let quality = baseline_quality(values.len(), self.need, self.count_unit)?;
        let median = median(&values).ok_or(MissingReason::missing(self.need))?;
        let deviations: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
        let spread = MAD_TO_SD * self::median(&deviations).ok_or(MissingReason::missing(self.need))?;
        Ok(Baseline { median, spread: spread.max(self.min_sd), n: to_u32(values.len()), quality })
    }

    /// The series' last day against its baseline.
    pub(crate) fn reading(&self, series: &[Option<f64>]) -> Reading {
        let today = series.last().copied().flatten();
        let value = self.valid(today).ok_or(MissingReason::missing(self.need));
        let baseline = self.baseline(series);
        let z = value.clone().and_then(|value| baseline.clone()?.z(value));
        Reading { value, baseline, z }
    }
}

impl Baseline {
    /// How many readings are behind it while they are too few for a firm one.
    #[must_use]
    pub fn learning(&self, counted: CountUnit) -> Option<Learning> {
        Learning::new(self.n, to_u32(FIRM_READINGS), counted)
    }

    /// How many spreads a reading is above the usual.
    ///
    /// # Errors
    /// When the reading is not a number.
    pub fn z(&self, reading: f64) -> MetricResult<f64> {
        finite((reading - self.median) / self.spread, "distance from the usual")
    }
}

/// Whether so many readings make a baseline, and how firm.
pub(crate) fn baseline_quality(
    readings: usize,
    need: RequiredInput,
    counted: CountUnit,
) -> MetricResult<Quality> {
    match readings {
        0 => Err(MissingReason::missing(need)),
        n if n < MIN_READINGS => {
            Err(MissingReason::TooFew { have: to_u32(n), needed: to_u32(MIN_READINGS), what: counted })
        }
        n if n < FIRM_READINGS => Ok(Quality::Provisional),
        _ => Ok(Quality::Ok),
    }
}

/// The `days` entries before the last `skip`; fewer where the series does not reach so far back.
pub(crate) fn window<T>(series: &[T], skip: usize, days: usize) -> &[T] {
    let end = series.len().saturating_sub(skip);
    &series[end.saturating_sub(days)..end]
}

/// The middle value; the mean of the two in the middle when their number is even.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    let lower = sorted[sorted.len() / 2 - 1];
    Some(lower + (upper - lower) / 2.0)
}

/// The mean, added up in order; zero of nothing.
pub(crate) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// The sample standard deviation (n - 1); zero of fewer than two.
pub(crate) fn sample_sd(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    (squares / (values.len() - 1) as f64).sqrt()
}

/// How many, as it is told.
pub(crate) fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
