//! Parsing and formatting of thresholds, zones and the sleep goal.

use crate::domain::athlete::{ThresholdKind, ThresholdOrigin, ZoneKind, Zones};
use crate::domain::sport::Sport;
use crate::domain::units::{Speed, TimeSpan, UnitSystem};
use crate::metrics::Quality;
use crate::metrics::thresholds::in_force::ThresholdInForce;
use crate::metrics::zones::{ZoneSource, ZonesInForce};

/// Invalid user input, with advice on what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}: {help}")]
pub struct InputError {
    pub problem: String,
    pub help: String,
}

fn input_error(problem: String, help: &str) -> InputError {
    InputError { problem, help: help.to_owned() }
}

impl ThresholdKind {
    /// Lower-case name for use in a sentence.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::MaxHeartRate => "max HR",
            Self::RestingHeartRate => "resting heart rate",
            Self::ThresholdHeartRate => "threshold heart rate",
            Self::ThresholdSpeed => "threshold pace",
            Self::ThresholdPower => "threshold power",
            Self::SwimSpeed => "critical swim speed (CSS)",
        }
    }

    /// Formats a value with its unit; speeds as a pace.
    #[must_use]
    pub fn format_value(self, value: f64, units: UnitSystem) -> String {
        match self {
            Self::MaxHeartRate | Self::RestingHeartRate | Self::ThresholdHeartRate => {
                format!("{value:.0} bpm")
            }
            Self::ThresholdPower => format!("{value:.0} W"),
            Self::ThresholdSpeed => {
                let pace = Speed::from_mps(value).and_then(Speed::pace);
                pace.map_or_else(|| "–".to_owned(), |pace| units.format_pace(pace).to_string())
            }
            Self::SwimSpeed => {
                let time = TimeSpan::from_seconds((100.0 / value).round());
                time.map_or_else(|| "–".to_owned(), |time| format!("{} /100 m", time.format_clock()))
            }
        }
    }

    /// Parses user input in the unit [`format_value`](Self::format_value) shows.
    pub fn parse_value(self, text: &str, units: UnitSystem) -> Result<f64, InputError> {
        let number = || text.parse::<f64>().ok().filter(|value| value.is_finite());
        let clock =
            || text.parse::<TimeSpan>().ok().filter(|time| *time > TimeSpan::ZERO).map(TimeSpan::seconds);
        let (value, help) = match self {
            Self::ThresholdSpeed => {
                let time = text.parse().ok().filter(|time| *time > TimeSpan::ZERO);
                let speed = units
                    .distance_from_number(1.0)
                    .zip(time)
                    .and_then(|(length, time)| Speed::from_distance_and_time(length, time));
                (speed.map(Speed::mps), "write a pace such as 4:15")
            }
            Self::SwimSpeed => {
                (clock().map(|seconds| 100.0 / seconds), "write the time for 100 m, such as 1:45")
            }
            Self::ThresholdPower => (number(), "write a value in watts, such as 250"),
            _ => (number(), "write a value in bpm, such as 168"),
        };
        if text.trim().is_empty() {
            return Err(input_error("no value was entered".to_owned(), help));
        }
        value.ok_or_else(|| input_error(format!("`{text}` is not a valid {}", self.label()), help))
    }

    /// The error for a value outside [`bounds`](Self::bounds).
    #[must_use]
    pub fn out_of_range_error(self, units: UnitSystem) -> InputError {
        let (low, high) = self.bounds();
        InputError {
            problem: format!("{} is out of range", self.label()),
            help: format!(
                "enter a value between {} and {}",
                self.format_value(low, units),
                self.format_value(high, units)
            ),
        }
    }
}

impl ThresholdInForce {
    /// Where the value comes from, and its age when it is no longer fresh.
    #[must_use]
    pub fn origin_label(&self) -> String {
        if self.share_of.is_some() {
            return "estimated as 88% of max HR; set your own if you know it".to_owned();
        }
        let who = self.threshold.origin.label();
        match self.quality {
            Quality::Provisional => format!("{who}, {} days ago", self.age_days),
            Quality::Stale => format!("{who}, {} days ago: time for a new test", self.age_days),
            _ => who.to_owned(),
        }
    }
}

impl ThresholdOrigin {
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Set => "set by you",
            Self::Reported => "from your watch",
            Self::Estimated => "estimated",
        }
    }
}

/// Input word for a lower bound of zero speed, which has no pace.
const STANDING: &str = "standing";

impl ZoneKind {
    /// Lower-case name for use in a sentence.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::HeartRate => "heart rate",
            Self::Speed => "pace",
            Self::Power => "power",
        }
    }

    /// The threshold that default zones are derived from.
    #[must_use]
    pub const fn threshold_kind(self) -> ThresholdKind {
        match self {
            Self::HeartRate => ThresholdKind::ThresholdHeartRate,
            Self::Speed => ThresholdKind::ThresholdSpeed,
            Self::Power => ThresholdKind::ThresholdPower,
        }
    }

    /// `Z1 from 94 bpm, Z2 from 112 bpm`, or for paces `Z1 slower than 6:10 /km, Z2 from 6:10 /km`.
    #[must_use]
    pub fn format_zones(self, zones: &Zones, units: UnitSystem) -> String {
        let bound = |value: &f64| match self {
            Self::Speed => ThresholdKind::ThresholdSpeed.format_value(*value, units),
            Self::HeartRate => format!("{value:.0} bpm"),
            Self::Power => format!("{value:.0} W"),
        };
        let below = if self == Self::Speed { "slower than" } else { "below" };
        let bounds = zones.lower_bounds();
        let zone = |(number, value): (usize, &f64)| match (*value > 0.0, bounds.get(number)) {
            (true, _) => format!("Z{number} from {}", bound(value)),
            (false, Some(next)) => format!("Z{number} {below} {}", bound(next)),
            (false, None) => format!("Z{number} at any {}", self.label()),
        };
        (1..).zip(bounds).map(zone).collect::<Vec<_>>().join(", ")
    }

    /// Pace zones are for running, power zones for cycling, heart rate zones for any sport.
    pub fn check_sport(self, sport: Sport) -> Result<(), InputError> {
        let fits = match self {
            Self::HeartRate => sport != Sport::Rest,
            Self::Speed => matches!(sport, Sport::Running | Sport::Other),
            Self::Power => matches!(sport, Sport::Cycling | Sport::Other),
        };
        if fits {
            return Ok(());
        }
        let help = "pace zones are for running, power zones for cycling, heart rate zones for any sport";
        Err(input_error(format!("there are no {} zones for {sport}", self.label()), help))
    }

    /// Parses the lower bounds of zones.
    pub fn parse_zones<'a>(
        self,
        bounds: impl IntoIterator<Item = &'a str>,
        units: UnitSystem,
    ) -> Result<Zones, InputError> {
        let (most, help) = match self {
            Self::HeartRate => (250.0, "enter values in bpm from low to high, such as 120,140,160,170"),
            Self::Power => (3000.0, "enter values in watts from low to high, such as 0,140,190,225,260"),
            Self::Speed => (12.5, "enter paces from slow to fast, such as 6:00,5:10,4:30"),
        };
        let bound = |text: &str| {
            let text = text.trim();
            let value = match self {
                Self::Speed if text == STANDING => Some(0.0),
                Self::Speed => {
                    let time = text.parse().ok().filter(|time| *time > TimeSpan::ZERO);
                    let speed = units.distance_from_number(1.0).zip(time);
                    speed
                        .and_then(|(length, time)| Speed::from_distance_and_time(length, time))
                        .map(Speed::mps)
                }
                Self::HeartRate | Self::Power => text.parse::<f64>().ok(),
            };
            value.filter(|value| (0.0..=most).contains(value))
        };
        let bounds: Vec<&str> = bounds.into_iter().collect();
        if bounds.iter().all(|text| text.trim().is_empty()) {
            return Err(input_error("no zones were entered".to_owned(), help));
        }
        let read = bounds.iter().map(|text| bound(text)).collect::<Option<Vec<f64>>>();
        read.and_then(|all| Zones::new(all).ok()).ok_or_else(|| {
            input_error(format!("`{}` is not a valid list of {} zones", bounds.join(","), self.label()), help)
        })
    }
}

impl ZonesInForce {
    #[must_use]
    pub fn origin_label(&self) -> String {
        match self.source {
            ZoneSource::Set => "set by you".to_owned(),
            ZoneSource::Reported => "from your watch".to_owned(),
            ZoneSource::Threshold => format!("from your {}", self.kind.threshold_kind().label()),
        }
    }
}

/// Every combination of zone type and sport that the settings show.
pub const ZONE_SETS: &[(ZoneKind, Sport)] = &[
    (ZoneKind::HeartRate, Sport::Running),
    (ZoneKind::HeartRate, Sport::Cycling),
    (ZoneKind::HeartRate, Sport::Swimming),
    (ZoneKind::HeartRate, Sport::Rowing),
    (ZoneKind::HeartRate, Sport::Strength),
    (ZoneKind::HeartRate, Sport::Other),
    (ZoneKind::Speed, Sport::Running),
    (ZoneKind::Power, Sport::Cycling),
];

/// The sport, or `sports without their own zones` for [`Sport::Other`].
#[must_use]
pub fn zone_sport_label(sport: Sport) -> String {
    if sport == Sport::Other { "sports without their own zones".to_owned() } else { sport.to_string() }
}

/// Parses a sleep goal such as `8:00` (hours and minutes), 4:00 to 12:00.
pub fn parse_sleep_need(text: &str) -> Result<TimeSpan, InputError> {
    let parsed = text.split_once(':').and_then(|(hours, minutes)| {
        let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
        let all = hours.checked_mul(60)?.checked_add(minutes)?;
        Some(all).filter(|_| (0..60).contains(&minutes)).filter(|all| (240..=720).contains(all))
    });
    parsed.map(TimeSpan::from_mins).ok_or_else(|| {
        input_error(
            format!("`{text}` is not a valid sleep goal"),
            "write hours and minutes between 4:00 and 12:00",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threshold_round_trips_through_text() {
        for units in [UnitSystem::Metric, UnitSystem::Imperial] {
            for (kind, text) in [
                (ThresholdKind::ThresholdSpeed, "4:15"),
                (ThresholdKind::SwimSpeed, "1:45"),
                (ThresholdKind::ThresholdPower, "250"),
                (ThresholdKind::MaxHeartRate, "190"),
            ] {
                let shown = kind.format_value(kind.parse_value(text, units).unwrap(), units);
                assert!(shown.starts_with(text), "{kind}: {shown}");
            }
        }
        for bad in ["", "x", "NaN", "inf", "0:00", "-4:15", "1e999"] {
            for kind in ThresholdKind::ALL {
                assert!(kind.parse_value(bad, UnitSystem::Metric).is_err(), "{kind} {bad}");
            }
        }
    }

    #[test]
    fn parse_zones_requires_rising_bounds() {
        let read = |kind: ZoneKind, text: &str| kind.parse_zones(text.split(','), UnitSystem::Metric);
        assert!(read(ZoneKind::HeartRate, "120, 140,160").is_ok());
        assert!(read(ZoneKind::Speed, "6:00,5:10,4:30").is_ok());
        for bad in ["", "140,120", "120,,140", "x", "300", "-1,5"] {
            assert!(read(ZoneKind::HeartRate, bad).is_err(), "{bad}");
        }
        assert!(read(ZoneKind::Speed, "4:30,6:00").is_err());
        assert!(ZoneKind::Power.check_sport(Sport::Running).is_err());
    }

    #[test]
    fn parse_sleep_need_accepts_4_to_12_hours() {
        assert_eq!(parse_sleep_need("8:00"), Ok(TimeSpan::from_mins(480)));
        for bad in ["3:59", "12:01", "8", "8:60", "8:-1", ":", "99999999999999999:00"] {
            assert!(parse_sleep_need(bad).is_err(), "{bad}");
        }
    }
}
