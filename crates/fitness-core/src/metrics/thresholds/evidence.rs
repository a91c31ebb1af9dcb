//! Threshold evidence of one activity. Nothing here sets a threshold.

use crate::domain::units::TimeSpan;
use crate::metrics::curve::{PeakValue, PrefixSums};
use crate::metrics::decoupling::variation;
use crate::metrics::per_second::{Segments, Series};
use crate::metrics::round_to_4_decimals;
use serde::{Deserialize, Serialize};

/// Each is `None` if the activity has no such evidence.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ActivityEvidence {
    /// The best mean power over 20 minutes, watts. Times 0.95 it estimates threshold power, after a
    /// hard five minutes (Allen & Coggan).
    pub power_20_min: Option<f64>,
    /// Heart rate of a steady effort of 30 to 60 minutes.
    pub threshold_heart_rate: Option<SteadyHeartRate>,
    /// Highest five-second mean heart rate, bpm.
    pub highest_heart_rate: Option<f64>,
}

/// The mean heart rate of a steady effort.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SteadyHeartRate {
    pub heart_rate: f64,
    #[serde(rename = "time_ms")]
    pub time: TimeSpan,
    /// Mean grade-adjusted speed, m/s.
    pub speed: f64,
    /// Coefficient of variation of that speed.
    pub variation: f64,
}

/// Durations tried for a steady effort, minutes.
const STEADY_MINUTES: [usize; 4] = [30, 40, 50, 60];
/// Maximum coefficient of variation of a steady pace.
const MAX_PACE_VARIATION: f64 = 0.06;

/// The fastest 30, 40, 50 and 60 minutes whose 30-second pace varies by less than 6 %; of those the
/// one with the highest mean heart rate. Comparing it with the athlete's history is left to
/// detection.
#[must_use]
pub fn find_steady_heart_rate(
    graded: &Series<u32>,
    speed: &PrefixSums,
    heart: &PrefixSums,
) -> Option<SteadyHeartRate> {
    let tried = STEADY_MINUTES.iter().filter_map(|minutes| {
        let PeakValue { start, mean } = speed.peak(minutes * 60)?;
        let window = start..start + minutes * 60;
        let runs = Segments::select_from([window.clone()], |index| graded[index].map(|speed| speed as f32));
        let variation = variation(&runs).filter(|variation| *variation < MAX_PACE_VARIATION)?;
        Some(SteadyHeartRate {
            heart_rate: round_to_4_decimals(heart.mean(window)?),
            time: TimeSpan::from_mins(*minutes as i64),
            speed: round_to_4_decimals(mean / 1000.0),
            variation: round_to_4_decimals(variation),
        })
    });
    tried.max_by(|one, other| one.heart_rate.total_cmp(&other.heart_rate))
}
