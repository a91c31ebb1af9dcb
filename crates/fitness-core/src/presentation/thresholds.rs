//! Limits, zones and nights as athletes write and read them.

use crate::domain::athlete::{ThresholdKind, ThresholdOrigin, ZoneKind, Zones};
use crate::domain::sport::Sport;
use crate::domain::units::{Speed, TimeSpan, UnitSystem};
use crate::metrics::Quality;
use crate::metrics::thresholds::in_force::ThresholdInForce;
use crate::metrics::zones::{ZoneSource, ZonesInForce};

/// Something written that is not what was asked for, and what to write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}: {help}")]
pub struct InputError {
    /// What is wrong with it.
    pub problem: String,
    /// What to write instead.
    pub help: String,
}

fn input_error(said: String, help: &str) -> InputError {
    InputError { problem: said, help: help.to_owned() }
}

impl ThresholdKind {
    /// What it is called in a sentence.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::MaxHeartRate => "highest heart rate",
            Self::RestingHeartRate => "resting heart rate",
            Self::ThresholdHeartRate => "threshold heart rate",
            Self::ThresholdSpeed => "threshold pace",
            Self::ThresholdPower => "threshold power",
            Self::SwimSpeed => "critical swim pace",
        }
    }

    /// A value as the athlete writes it.
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

    /// Reads a value as the athlete writes it.
    ///
    /// # Errors
    /// When it is none.
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
                    .and_then(|(length, time)| Speed::over(length, time));
                (speed.map(Speed::mps), "write a pace such as 4:15")
            }
            Self::SwimSpeed => {
                (clock().map(|seconds| 100.0 / seconds), "write the time for 100 m, such as 1:45")
            }
            Self::ThresholdPower => (number(), "write watts, such as 250"),
            _ => (number(), "write beats per minute, such as 168"),
        };
        value.ok_or_else(|| input_error(format!("`{text}` is no {}", self.label()), help))
    }

    /// What is said about a value that no body has.
    #[must_use]
    pub fn out_of_range_error(self, units: UnitSystem) -> InputError {
        let (low, high) = self.bounds();
        InputError {
            problem: format!("nobody has such a {}", self.label()),
            help: format!(
                "it is between {} and {}",
                self.format_value(low, units),
                self.format_value(high, units)
            ),
        }
    }
}

impl ThresholdInForce {
    /// Who says so, and whether it is getting old.
    #[must_use]
    pub fn origin_label(&self) -> String {
        if self.share_of.is_some() {
            return "88 % of your highest heart rate: set it when you know it".to_owned();
        }
        let who = self.threshold.origin.label();
        match self.quality {
            Quality::Provisional => format!("{who}; {} days in force", self.age_days),
            Quality::Stale => format!("{who}; {} days in force: test it again", self.age_days),
            _ => who.to_owned(),
        }
    }
}

impl ThresholdOrigin {
    /// Who says so.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Set => "you set it",
            Self::Reported => "your watch says so",
            Self::Estimated => "detected",
        }
    }
}

/// Where the lowest zone of a divided pace begins, which has no pace.
const STANDING: &str = "standing";

impl ZoneKind {
    /// What is divided, in a sentence.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::HeartRate => "heart rate",
            Self::Speed => "pace",
            Self::Power => "power",
        }
    }

    /// The limit whose division stands in for zones nobody gave.
    #[must_use]
    pub const fn threshold_kind(self) -> ThresholdKind {
        match self {
            Self::HeartRate => ThresholdKind::ThresholdHeartRate,
            Self::Speed => ThresholdKind::ThresholdSpeed,
            Self::Power => ThresholdKind::ThresholdPower,
        }
    }

    /// Where zones begin, as the athlete writes it.
    #[must_use]
    pub fn format_zones(self, zones: &Zones, units: UnitSystem) -> String {
        let bound = |value: &f64| match self {
            Self::Speed => ThresholdKind::ThresholdSpeed.format_value(*value, units),
            Self::HeartRate | Self::Power => format!("{value:.0}"),
        };
        let unit = match self {
            Self::HeartRate => " bpm",
            Self::Power => " W",
            Self::Speed => "",
        };
        let shown: Vec<String> = (zones.lower_bounds().iter())
            .map(|value| if *value > 0.0 || self != Self::Speed { bound(value) } else { STANDING.to_owned() })
            .collect();
        format!("{}{unit}", shown.join(", "))
    }

    /// Pace is divided for runners, power for riders; heart rate for everybody.
    ///
    /// # Errors
    /// When it is not divided for this sport.
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

    /// Reads where zones begin.
    ///
    /// # Errors
    /// When that does not divide anything.
    pub fn parse_zones<'a>(
        self,
        bounds: impl IntoIterator<Item = &'a str>,
        units: UnitSystem,
    ) -> Result<Zones, InputError> {
        let (most, help) = match self {
            Self::HeartRate => (250.0, "write beats per minute that rise, such as 120,140,160,170"),
            Self::Power => (3000.0, "write watts that rise, such as 0,140,190,225,260"),
            Self::Speed => (12.5, "write paces from slow to fast, such as 6:00,5:10,4:30"),
        };
        let bound = |text: &str| {
            let text = text.trim();
            let value = match self {
                Self::Speed if text == STANDING => Some(0.0),
                Self::Speed => {
                    let time = text.parse().ok().filter(|time| *time > TimeSpan::ZERO);
                    let speed = units.distance_from_number(1.0).zip(time);
                    speed.and_then(|(length, time)| Speed::over(length, time)).map(Speed::mps)
                }
                Self::HeartRate | Self::Power => text.parse::<f64>().ok(),
            };
            value.filter(|value| (0.0..=most).contains(value))
        };
        let bounds: Vec<&str> = bounds.into_iter().collect();
        let read = bounds.iter().map(|text| bound(text)).collect::<Option<Vec<f64>>>();
        read.and_then(|all| Zones::new(all).ok()).ok_or_else(|| {
            input_error(format!("`{}` does not divide {}", bounds.join(","), self.label()), help)
        })
    }
}

impl ZonesInForce {
    /// Who says so.
    #[must_use]
    pub fn origin_label(&self) -> String {
        match self.source {
            ZoneSource::Set => "you set them".to_owned(),
            ZoneSource::Reported => "your watch says so".to_owned(),
            ZoneSource::Threshold => format!("from your {}", self.kind.threshold_kind().label()),
        }
    }
}

/// Every division that is shown to somebody who runs, rides and does other things.
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

/// Whom zones are for: a sport, or everything else.
#[must_use]
pub fn zone_sport_label(sport: Sport) -> String {
    if sport == Sport::Other { "every sport without its own".to_owned() } else { sport.to_string() }
}

/// `8:00` as hours and minutes of a night.
///
/// # Errors
/// When nobody sleeps so long or so little.
pub fn parse_sleep_need(text: &str) -> Result<TimeSpan, InputError> {
    let parsed = text.split_once(':').and_then(|(hours, minutes)| {
        let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
        let all = hours.checked_mul(60)?.checked_add(minutes)?;
        Some(all).filter(|_| (0..60).contains(&minutes)).filter(|all| (240..=720).contains(all))
    });
    parsed.map(TimeSpan::from_mins).ok_or_else(|| {
        input_error(
            format!("`{text}` is no length of a night"),
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
