//! Resting heart rate against the athlete's own.
//!
//! Usual is the median of the 60 days before the last seven, and the spread 1.4826 × their median absolute deviation,
//! at least 1 bpm. Within one person it strays by 2.1 to 2.3 bpm (PMData, LifeSnaps).

use crate::domain::athlete::ThresholdKind;
use crate::metrics::recovery::baseline::{
    BaselineSpec, MIN_NIGHTS_OF_WEEK, Reading, WEEK, median, to_u32, window,
};
use crate::metrics::{CountUnit, MetricResult, MissingReason, RequiredInput};
use serde::{Deserialize, Serialize};

/// The scale of resting heart rates. The last seven days are compared with the 60 before them.
pub(crate) const RESTING: BaselineSpec = BaselineSpec {
    need: RequiredInput::RestingHeartRate,
    count_unit: CountUnit::Nights,
    bounds: ThresholdKind::RestingHeartRate.bounds(),
    min_sd: 1.0,
    skip: WEEK,
    days: 60,
};

/// What is known about the resting heart rate of a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RestingHr {
    /// The day's reading against the usual.
    pub reading: Reading,
    /// Median of the last seven days, of which three must be there.
    pub week: MetricResult<f64>,
    /// Whether it is raised: two spreads above the usual on the day, or one and a half on two of the last three.
    pub raised: MetricResult<bool>,
}

/// What the days, beats per minute, say about the last of them.
///
/// A usual of 50 with spread 2: 54 is two spreads above and raised at once; 53 on two of three days is raised too.
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

/// The three days are measured by the last day's baseline, so that one window decides.
fn is_raised(days: &[Option<f64>], reading: &Reading) -> MetricResult<bool> {
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
