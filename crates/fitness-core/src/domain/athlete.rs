//! The athlete's profile, thresholds and zones. Physiological values have no default: unset stays
//! unset.

use crate::domain::calendar::{Day, Weekday};
use crate::domain::units::{TimeSpan, UnitSystem};
use crate::string_enum::string_enum;
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

string_enum! {
    /// Used by a few heart-rate formulas, which give no value when it is unset.
    pub enum Sex("sex") {
        Female = "female",
        Male = "male",
    }
}

/// An athlete's own settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Time zone of the athlete's local days.
    pub zone: Tz,
    /// How distances and paces are shown.
    pub units: UnitSystem,
    /// First day of the week for display; ISO weeks always begin on Monday.
    pub week_start: Weekday,
    pub birth_year: Option<i32>,
    pub sex: Option<Sex>,
    /// Sleep goal per night.
    #[serde(rename = "sleep_need_ms")]
    pub sleep_need: Option<TimeSpan>,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            zone: Tz::UTC,
            units: UnitSystem::Metric,
            week_start: Weekday::Mon,
            birth_year: None,
            sex: None,
            sleep_need: None,
        }
    }
}

string_enum! {
    /// Physiological reference values that loads, zones and paces are computed from.
    pub enum ThresholdKind("threshold") {
        MaxHeartRate = "max_heart_rate",
        RestingHeartRate = "resting_heart_rate",
        /// Lactate threshold HR (LTHR), bpm.
        ThresholdHeartRate = "threshold_heart_rate",
        /// Speed sustainable for about an hour, m/s.
        ThresholdSpeed = "threshold_speed",
        /// Power sustainable for about an hour (FTP), watts.
        ThresholdPower = "threshold_power",
        /// Critical swim speed (CSS), m/s.
        SwimSpeed = "swim_speed",
    }
}

impl ThresholdKind {
    /// Lowest and highest plausible value, in the unit of the kind.
    #[must_use]
    pub const fn bounds(self) -> (f64, f64) {
        match self {
            Self::MaxHeartRate => (100.0, 240.0),
            Self::RestingHeartRate => (25.0, 120.0),
            Self::ThresholdHeartRate => (80.0, 230.0),
            Self::ThresholdSpeed => (1.0, 8.0),
            Self::ThresholdPower => (30.0, 700.0),
            Self::SwimSpeed => (0.3, 2.5),
        }
    }
}

string_enum! {
    /// Where a threshold came from. A set one takes precedence over an estimated one.
    pub enum ThresholdOrigin("threshold source") {
        /// The athlete set or confirmed it.
        Set = "set",
        /// A device or service reported it.
        Reported = "reported",
        /// Detected from the data and not yet confirmed.
        Estimated = "estimated",
    }
}

/// A threshold valid from a day. A new one never changes loads of earlier days.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Threshold {
    pub kind: ThresholdKind,
    /// In the unit of its kind.
    pub value: f64,
    /// First day it is valid.
    pub from: Day,
    pub origin: ThresholdOrigin,
}

string_enum! {
    /// Quantity that a set of zones divides.
    pub enum ZoneKind("kind of zones") {
        HeartRate = "heart_rate",
        Speed = "speed",
        Power = "power",
    }
}

/// Training zones as strictly rising lower bounds. Zone 1 begins at the first bound and the last
/// zone has no upper bound; a value below the first bound is in no zone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f64>", into = "Vec<f64>")]
pub struct Zones(Vec<f64>);

/// Lower bounds that are not valid zones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("zones need 1 to 10 finite lower bounds, each above the one before")]
pub struct ZonesError;

impl Zones {
    /// Checks the lower bounds.
    ///
    /// # Errors
    /// When they do not rise strictly, or there are none or too many.
    pub fn new(lower_bounds: Vec<f64>) -> Result<Self, ZonesError> {
        let rising = lower_bounds.windows(2).all(|pair| pair[0] < pair[1]);
        let sane =
            (1..=10).contains(&lower_bounds.len()) && lower_bounds.iter().all(|b| b.is_finite() && *b >= 0.0);
        (rising && sane).then_some(Self(lower_bounds)).ok_or(ZonesError)
    }

    /// The zone of a value, counted from 1. Zones are half-open: a value on a bound is in the upper
    /// one.
    #[must_use]
    pub fn zone_of(&self, value: f64) -> Option<usize> {
        if value.is_nan() {
            return None;
        }
        Some(self.0.partition_point(|bound| *bound <= value)).filter(|zone| *zone > 0)
    }

    /// The lower bounds, rising.
    #[must_use]
    pub fn lower_bounds(&self) -> &[f64] {
        &self.0
    }
}

impl TryFrom<Vec<f64>> for Zones {
    type Error = ZonesError;
    fn try_from(bounds: Vec<f64>) -> Result<Self, ZonesError> {
        Self::new(bounds)
    }
}

impl From<Zones> for Vec<f64> {
    fn from(zones: Zones) -> Self {
        zones.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_at_most_one_zone() {
        let zones = Zones::new(vec![95.0, 114.0, 133.0, 152.0, 171.0]).unwrap();
        for (value, zone) in [
            (94.9, None),
            (95.0, Some(1)),
            (113.9, Some(1)),
            (114.0, Some(2)),
            (171.0, Some(5)),
            (400.0, Some(5)),
            (f64::NAN, None),
        ] {
            assert_eq!(zones.zone_of(value), zone, "{value}");
        }
    }

    #[test]
    fn bounds_that_do_not_rise_are_refused() {
        for bad in [
            vec![],
            vec![1.0, 1.0],
            vec![2.0, 1.0],
            vec![f64::NAN],
            vec![-1.0],
            (0..11).map(f64::from).collect(),
        ] {
            assert_eq!(Zones::new(bad), Err(ZonesError));
        }
    }
}
