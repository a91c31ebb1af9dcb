//! Power: normalized power, intensity, variability and training stress.
//!
//! After Coggan, in Allen & Coggan, *Training and Racing with a Power Meter* (2003, 2010).

use crate::metrics::per_second::Segments;
use crate::metrics::{CountUnit, MetricResult, MissingReason, Quality, RequiredInput, finite};
use serde::{Deserialize, Serialize};

/// The rolling window of normalized power, seconds.
pub const WINDOW_S: usize = 30;
/// Under twenty minutes normalized power is unstable.
const MIN_STABLE_S: u32 = 20 * 60;

/// The fourth-power mean of a 30-second rolling mean, of power or of grade-adjusted speed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NormalizedMean {
    /// In the unit of the samples.
    pub value: f64,
    /// The plain mean over the same seconds.
    pub mean: f64,
    /// Seconds used, without pauses.
    pub seconds: u32,
}

impl NormalizedMean {
    /// Provisional under twenty minutes.
    #[must_use]
    pub fn quality(&self) -> Quality {
        if self.seconds < MIN_STABLE_S { Quality::Provisional } else { Quality::Ok }
    }

    /// Variability index, NP divided by the mean: 216.644 / 200 = 1.083.
    #[must_use]
    pub fn variability(&self) -> Option<f64> {
        Some(self.value / self.mean).filter(|index| index.is_finite())
    }
}

/// `NP = (mean of r⁴)^¼`, r the mean of the last 30 seconds, whole windows only, none across a
/// pause of more than 30 seconds; zeros count. 30 min at 150 W and 30 min at 250 W give 216.644 W.
///
/// # Errors
/// When there are fewer than 30 seconds in one piece.
pub fn normalize(runs: &Segments) -> MetricResult<NormalizedMean> {
    let seconds = u32::try_from(runs.values.len()).unwrap_or(u32::MAX);
    let (mut windows, mut fourths) = (0_u32, 0.0);
    for run in runs.iter().filter(|run| run.len() >= WINDOW_S) {
        let mut sum: f64 = run[..WINDOW_S - 1].iter().map(|value| f64::from(*value)).sum();
        for (entering, leaving) in run[WINDOW_S - 1..].iter().zip(run) {
            let mean = (sum + f64::from(*entering)) / WINDOW_S as f64;
            fourths += (mean * mean) * (mean * mean);
            // One dependent addition instead of two; exact either way, as these values are far
            // below 53 bits.
            sum += f64::from(*entering) - f64::from(*leaving);
            windows += 1;
        }
    }
    if windows == 0 {
        let have = runs.iter().map(<[f32]>::len).max().unwrap_or(0);
        return Err(MissingReason::TooFew {
            have: have as u32,
            needed: WINDOW_S as u32,
            what: CountUnit::Seconds,
        });
    }
    let value = (fourths / f64::from(windows)).max(0.0).sqrt().sqrt();
    let mean = runs.values.iter().map(|value| f64::from(*value)).sum::<f64>() / f64::from(seconds);
    Ok(NormalizedMean { value: finite(value, "normalized value")?, mean: finite(mean, "mean")?, seconds })
}

/// `IF = NP / FTP`: 216.644 W at a threshold of 250 W is 0.86658.
///
/// # Errors
/// When the threshold is not positive.
pub fn intensity_factor(normalized: f64, threshold: f64, need: RequiredInput) -> MetricResult<f64> {
    if !(threshold.is_finite() && threshold > 0.0) {
        return Err(MissingReason::missing(need));
    }
    finite(normalized / threshold, "intensity")
}

/// `TSS = 100 · hours · IF²`: an hour at threshold is 100, one at 0.86658 is 75.095.
///
/// # Errors
/// When it is not a number.
pub fn training_stress(seconds: f64, intensity: f64) -> MetricResult<f64> {
    finite(100.0 * seconds / 3600.0 * intensity * intensity, "training stress")
}

#[cfg(test)]
mod tests;
