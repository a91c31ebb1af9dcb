//! Personal baselines: median and robust standard deviation of the days before.
//!
//! Every value is computed from the days of its own window, in order, and from nothing else, so a
//! changed day can be recomputed alone with identical results. Running sums would be faster but
//! break this.

use crate::metrics::{CountUnit, DataProgress, MetricResult, MissingReason, Quality, RequiredInput, finite};
use serde::{Deserialize, Serialize};

/// Minimum number of readings of a baseline.
pub const MIN_READINGS: usize = 14;
/// Below this a baseline is provisional.
pub const FIRM_READINGS: usize = 28;
pub(crate) const WEEK: usize = 7;
/// Minimum nights of a weekly value (Plews 2014).
pub(crate) const MIN_NIGHTS_OF_WEEK: usize = 3;
/// Ratio of standard deviation to median absolute deviation (MAD) of a normal distribution.
const MAD_TO_SD: f64 = 1.4826;

/// Usual value and variation of a measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    pub median: f64,
    /// Robust standard deviation: 1.4826 × MAD, at least the resolution of the device.
    pub spread: f64,
    pub n: u32,
    /// Provisional below 28 readings.
    pub quality: Quality,
}

/// A day's reading and its baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadingWithBaseline {
    pub value: MetricResult<f64>,
    pub baseline: MetricResult<Baseline>,
    /// Z-score: standard deviations above the median.
    pub z: MetricResult<f64>,
}

impl ReadingWithBaseline {
    /// For a day that is not over: keeps the baseline, drops the reading.
    #[must_use]
    pub fn into_pending(self) -> Self {
        Self { value: Err(MissingReason::NotYet), z: Err(MissingReason::NotYet), ..self }
    }
}

/// How the baseline of a series is computed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BaselineSpec {
    /// Reported as missing when there is no reading.
    pub(crate) need: RequiredInput,
    /// Unit in which readings are counted.
    pub(crate) count_unit: CountUnit,
    /// Lowest and highest valid reading.
    pub(crate) bounds: (f64, f64),
    /// Minimum standard deviation: the resolution of the device, so that after a quiet month a
    /// single step is not an outlier.
    pub(crate) min_sd: f64,
    /// Latest days excluded from the baseline, including the day itself.
    pub(crate) skip: usize,
    /// Days in the baseline window.
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
    pub(crate) fn valid(&self, reading: Option<f64>) -> Option<f64> {
        reading.filter(|value| (self.bounds.0..=self.bounds.1).contains(value))
    }

    pub(crate) fn baseline(&self, series: &[Option<f64>]) -> MetricResult<Baseline> {
        let values: Vec<f64> =
            window(series, self.skip, self.days).iter().filter_map(|reading| self.valid(*reading)).collect();
        let quality = baseline_quality(values.len(), self.need, self.count_unit)?;
        let median = median(&values).ok_or(MissingReason::missing(self.need))?;
        let deviations: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
        let spread = MAD_TO_SD * self::median(&deviations).ok_or(MissingReason::missing(self.need))?;
        Ok(Baseline { median, spread: spread.max(self.min_sd), n: to_u32(values.len()), quality })
    }

    pub(crate) fn reading(&self, series: &[Option<f64>]) -> ReadingWithBaseline {
        let today = series.last().copied().flatten();
        let value = self.valid(today).ok_or(MissingReason::missing(self.need));
        let baseline = self.baseline(series);
        let z = value.clone().and_then(|value| baseline.clone()?.z(value));
        ReadingWithBaseline { value, baseline, z }
    }
}

impl Baseline {
    /// Progress towards [`FIRM_READINGS`], while provisional.
    #[must_use]
    pub fn learning(&self, counted: CountUnit) -> Option<DataProgress> {
        DataProgress::new(self.n, to_u32(FIRM_READINGS), counted)
    }

    /// Z-score of a reading.
    ///
    /// # Errors
    /// When the reading is not finite.
    pub fn z(&self, reading: f64) -> MetricResult<f64> {
        finite((reading - self.median) / self.spread, "deviation from baseline")
    }
}

/// Quality of a baseline with `n` readings, or why there is none.
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

/// The `days` entries before the last `skip`; fewer if the series is shorter.
pub(crate) fn window<T>(series: &[T], skip: usize, days: usize) -> &[T] {
    let end = series.len().saturating_sub(skip);
    &series[end.saturating_sub(days)..end]
}

/// Mean of the two middle values if their number is even.
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

/// Summed in order; 0 if empty.
pub(crate) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// Sample standard deviation (n - 1); 0 for fewer than two values.
pub(crate) fn sample_sd(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    (squares / (values.len() - 1) as f64).sqrt()
}

pub(crate) fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
