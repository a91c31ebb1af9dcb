//! Resting heart rate against the athlete's own.
//!
//! Usual is the median of the 60 days before the last seven, and the spread 1.4826 × their median absolute deviation,
//! at least 1 bpm. Within one person it strays by 2.1 to 2.3 bpm (PMData, LifeSnaps).

use crate::domain::athlete::ThresholdKind;
use crate::metrics::recovery::baseline::{LEAST_OF_WEEK, Reading, Scale, WEEK, count, median, window};
use crate::metrics::{Absent, Counted, Found, Need};
use serde::{Deserialize, Serialize};

/// The scale of resting heart rates. The last seven days are compared with the 60 before them.
pub(crate) const RESTING: Scale = Scale {
    need: Need::RestingHeartRate,
    counted: Counted::Nights,
    bounds: ThresholdKind::RestingHeartRate.bounds(),
    floor: 1.0,
    skip: WEEK,
    days: 60,
};

/// What is known about the resting heart rate of a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Resting {
    /// The day's reading against the usual.
    pub reading: Reading,
    /// Median of the last seven days, of which three must be there.
    pub week: Found<f64>,
    /// Whether it is raised: two spreads above the usual on the day, or one and a half on two of the last three.
    pub raised: Found<bool>,
}

/// What the days, beats per minute, say about the last of them.
///
/// A usual of 50 with spread 2: 54 is two spreads above and raised at once; 53 on two of three days is raised too.
#[must_use]
pub fn resting(days: &[Option<f64>]) -> Resting {
    let reading = RESTING.reading(days);
    let last_week: Vec<f64> = window(days, 0, WEEK).iter().filter_map(|day| RESTING.valid(*day)).collect();
    let week = match median(&last_week) {
        Some(median) if last_week.len() >= LEAST_OF_WEEK => Ok(median),
        Some(_) => Err(Absent::TooFew {
            have: count(last_week.len()),
            needed: count(LEAST_OF_WEEK),
            what: Counted::Nights,
        }),
        None => Err(Absent::missing(Need::RestingHeartRate)),
    };
    let raised = raised(days, &reading);
    Resting { reading, week, raised }
}

/// The three days are measured by the last day's baseline, so that one window decides.
fn raised(days: &[Option<f64>], reading: &Reading) -> Found<bool> {
    let baseline = reading.baseline.clone()?;
    let three: Vec<f64> = window(days, 0, 3)
        .iter()
        .filter_map(|day| RESTING.valid(*day))
        .map(|bpm| baseline.z(bpm))
        .collect::<Found<_>>()?;
    if three.is_empty() {
        return Err(Absent::missing(Need::RestingHeartRate));
    }
    let today = reading.z.clone().is_ok_and(|z| z >= 2.0);
    Ok(today || three.iter().filter(|z| **z >= 1.5).count() >= 2)
}

#[cfg(test)]
mod tests;
