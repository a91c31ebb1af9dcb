//! Tanda's formula (2011): marathon time from training volume and pace.

use super::race::to_time_span;
use super::weekly_volume::MIN_WEEKS;
use crate::domain::units::{Distance, Pace, TimeSpan};
use crate::metrics::{CountUnit, MetricResult, MissingReason};
use serde::Serialize;

/// Training volume and pace over the weeks that end one week before the reference day.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RecentTraining {
    /// Weeks with data, at most eight.
    pub weeks: u32,
    #[serde(rename = "weekly_mm")]
    pub weekly: Distance,
    /// Mean pace of all runs.
    pub pace: Pace,
}

/// Weekly distance (km) and pace (s/km) it was fitted on.
const VALID_WEEKLY_KM: std::ops::RangeInclusive<f64> = 40.0..=120.0;
const VALID_PACE: std::ops::RangeInclusive<f64> = 240.0..=400.0;

/// Marathon pace in s/km = 17.1 + 140·e^(−0.0053·K) + 0.55·P, with K km a week and P the mean
/// training pace in s/km (Tanda 2011, J Hum Sport Exerc 6:511; fitted on men).
///
/// 60 km a week at 5:30 /km gives 3:31:18. London Marathon runners were slower than it predicts, so
/// it is only one of several estimates and never used alone.
///
/// # Errors
/// With fewer than six weeks, or training outside 40 to 120 km a week at 4:00 to 6:40 per
/// kilometre.
pub fn tanda(training: &RecentTraining) -> MetricResult<TimeSpan> {
    if training.weeks < MIN_WEEKS {
        return Err(MissingReason::TooFew {
            have: training.weeks,
            needed: MIN_WEEKS,
            what: CountUnit::Weeks,
        });
    }
    let (km, pace) = (training.weekly.km(), training.pace.seconds_per_km());
    if !VALID_WEEKLY_KM.contains(&km) || !VALID_PACE.contains(&pace) {
        let what = "the formula for it (Tanda) covers only 40 to 120 km a week at 4:00 to 6:40 per kilometre"
            .to_owned();
        return Err(MissingReason::OutOfRange { what });
    }
    to_time_span((17.1 + 140.0 * (-0.0053 * km).exp() + 0.55 * pace) * Distance::MARATHON.km())
}
