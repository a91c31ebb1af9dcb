//! Resting heart rate compared with the athlete's own baseline.
//!
//! The baseline is the median of the 60 days before the last seven, its standard deviation 1.4826 ×
//! MAD, at least 1 bpm. Within one person it varies by 2.1 to 2.3 bpm (PMData, LifeSnaps).

use crate::domain::athlete::ThresholdKind;
use crate::metrics::recovery::baseline::{
    BaselineSpec, MIN_NIGHTS_OF_WEEK, ReadingWithBaseline, WEEK, median, to_u32, window,
};
use crate::metrics::{CountUnit, MetricResult, MissingReason, RequiredInput};
use serde::{Deserialize, Serialize};

/// The last seven days are compared with the 60 before them.
pub(crate) const RESTING: BaselineSpec = BaselineSpec {
    need: RequiredInput::RestingHeartRate,
    count_unit: CountUnit::Nights,
    bounds: ThresholdKind::RestingHeartRate.bounds(),
    min_sd: 1.0,
    skip: WEEK,
    days: 60,
};

/// Resting heart rate of a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RestingHr {
    pub reading: ReadingWithBaseline,
    /// Median of the last seven days, of which at least three are required.
    pub week: MetricResult<f64>,
    /// Two standard deviations above baseline on the day, or 1.5 on two of the last three days.
    pub raised: MetricResult<bool>,
}

/// Resting heart rate of the last day, from daily values in bpm.
///
/// Baseline 50 with SD 2: 54 is raised at once; 53 is raised on two of three days.
#[must_use]
pub fn resting(days: &[Option<f64>]) -> RestingHr {
    let reading = RESTING.reading(days);
    let last_week: Vec<f64> = window(days, 0, WEEK).iter().filter_map(|day| RESTING.valid(*day)).collect();
    let week = match median(&last_week) {
        Some(median) if last_week.len() >= MIN_NIGHTS_OF_WEEK => Ok(median),
        Some(_) => Err(MissingReason::TooFew {
            have: to_u32(last_week.len()),
            needed: to_u32(MIN_NIGHTS_OF_WEEK),
            what: CountUnit::Nights,
        }),
        None => Err(MissingReason::missing(RequiredInput::RestingHeartRate)),
    };
    let raised = is_raised(days, &reading);
    RestingHr { reading, week, raised }
}

/// The three days are compared with the last day's baseline, so that one window decides.
fn is_raised(days: &[Option<f64>], reading: &ReadingWithBaseline) -> MetricResult<bool> {
    let baseline = reading.baseline.clone()?;
    let three: Vec<f64> = window(days, 0, 3)
        .iter()
        .filter_map(|day| RESTING.valid(*day))
        .map(|bpm| baseline.z(bpm))
        .collect::<MetricResult<_>>()?;
    if three.is_empty() {
        return Err(MissingReason::missing(RequiredInput::RestingHeartRate));
    }
    let today = reading.z.clone().is_ok_and(|z| z >= 2.0);
    Ok(today || three.iter().filter(|z| **z >= 1.5).count() >= 2)
}

#[cfg(test)]
mod tests;
