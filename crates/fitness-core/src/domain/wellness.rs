//! Daily wellness: sleep, resting heart rate, HRV and other values measured by a device.

use crate::domain::calendar::{Day, Instant};
use crate::domain::units::TimeSpan;
use serde::{Deserialize, Serialize};

/// One day's wellness. A missing value is `None`, never zero: a watch that was not worn is not a
/// night without sleep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DailyWellness {
    /// The local day; a night belongs to the day of waking.
    pub day: Day,
    /// The night that ended on this day.
    pub sleep: Option<Sleep>,
    pub resting_heart_rate: Option<u16>,
    /// Last night's mean rMSSD, milliseconds.
    pub hrv_ms: Option<f64>,
    /// Mean stress level, 0 to 100.
    pub stress_avg: Option<u16>,
    /// Highest stress level, 0 to 100.
    pub stress_max: Option<u16>,
    /// Highest body battery, 0 to 100.
    pub body_battery_high: Option<u16>,
    /// Lowest body battery, 0 to 100.
    pub body_battery_low: Option<u16>,
    /// Breaths per minute, asleep where known.
    pub respiration: Option<f64>,
    /// Blood oxygen saturation, percent.
    pub spo2: Option<f64>,
    pub weight_kg: Option<f64>,
    pub steps: Option<u32>,
    /// The device's estimate of maximal oxygen uptake, ml/kg/min.
    pub vo2max: Option<f64>,
}

impl DailyWellness {
    /// A day without any values.
    #[must_use]
    pub const fn empty(day: Day) -> Self {
        Self {
            day,
            sleep: None,
            resting_heart_rate: None,
            hrv_ms: None,
            stress_avg: None,
            stress_max: None,
            body_battery_high: None,
            body_battery_low: None,
            respiration: None,
            spo2: None,
            weight_kg: None,
            steps: None,
            vo2max: None,
        }
    }

    /// Overwrites values with those of a newer record; values it lacks are kept.
    pub fn merge(&mut self, newer: Self) {
        macro_rules! take { ($($field:ident),+) => { $( if newer.$field.is_some() { self.$field = newer.$field; } )+ } }
        take!(
            sleep,
            resting_heart_rate,
            hrv_ms,
            stress_avg,
            stress_max,
            body_battery_high,
            body_battery_low,
            respiration,
            spo2,
            weight_kg,
            steps,
            vo2max
        );
    }
}

/// A night and its stages.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Sleep {
    pub began_at: Option<Instant>,
    pub ended_at: Option<Instant>,
    /// Time asleep, without the time awake.
    #[serde(rename = "asleep_ms")]
    pub asleep: Option<TimeSpan>,
    #[serde(rename = "deep_ms")]
    pub deep: Option<TimeSpan>,
    #[serde(rename = "light_ms")]
    pub light: Option<TimeSpan>,
    #[serde(rename = "rem_ms")]
    pub rem: Option<TimeSpan>,
    /// Awake within the night.
    #[serde(rename = "awake_ms")]
    pub awake: Option<TimeSpan>,
    /// The device's score, 0 to 100.
    pub score: Option<u16>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merge_adds_values_and_keeps_missing_ones() {
        let day: Day = "2026-06-14".parse().unwrap();
        let mut stored =
            DailyWellness { steps: Some(9000), resting_heart_rate: Some(50), ..DailyWellness::empty(day) };
        stored.merge(DailyWellness { steps: Some(9500), hrv_ms: Some(61.0), ..DailyWellness::empty(day) });
        assert_eq!(
            (stored.steps, stored.resting_heart_rate, stored.hrv_ms),
            (Some(9500), Some(50), Some(61.0))
        );
    }
}
