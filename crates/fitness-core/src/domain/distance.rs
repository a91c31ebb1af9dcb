//! A distance as an athlete types it, at the terminal or into a form, and as runners call it.

use crate::domain::units::{Distance, TimeSpan, UnitSystem};
use crate::metrics::predict::Performance;
use crate::plan::{Goal, Size};

/// What was typed is none; and how to write one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no {what}")]
pub struct ParseDistanceError {
    text: String,
    what: &'static str,
    help: String,
}

impl ParseDistanceError {
    fn new(text: &str, what: &'static str, help: impl Into<String>) -> Self {
        // What cannot be a distance may be a book.
        Self { text: text.chars().take(40).collect(), what, help: help.into() }
    }

    /// How to write it.
    #[must_use]
    pub fn help(&self) -> &str {
        &self.help
    }
}

/// From here on a bare number means metres: nobody runs a race of 400 km, and 400 m is the shortest that is kept.
const BARE_METRES_MIN: f64 = 400.0;

/// Reads the distance of a race: `half`, `full`, `mile`, `10k`, `1500m`, `10mi`, `15 km`, or a bare number, which is in the athlete's
/// units below 400 and in metres from there on.
///
/// # Errors
/// When it is none, with how to write one.
pub fn parse_race_distance(text: &str, units: UnitSystem) -> Result<Distance, ParseDistanceError> {
    let bare = |number: f64| match number {
        BARE_METRES_MIN.. => Distance::from_meters(number),
        _ => units.distance_from_number(number),
    };
    parse_distance(text, bare).ok_or_else(|| {
        let help = "write half, full, mile, 5k, 1500m, 10mi, or a number in your units such as 15 (from 400 on in metres)";
        ParseDistanceError::new(text, "distance", help)
    })
}

/// The same for an activity, where a bare number is always in the athlete's units.
///
/// # Errors
/// When it is none, with how to write one.
pub fn parse_activity_distance(text: &str, units: UnitSystem) -> Result<Distance, ParseDistanceError> {
    parse_distance(text, |number| units.distance_from_number(number)).ok_or_else(|| {
        let help =
            format!("write {}, such as 21.1, or say the unit as in 21.1km or 13.1mi", unit_name(units));
        ParseDistanceError::new(text, "distance", help)
    })
}

/// How far or how long a workout is to be: `5km`, `3mi` or `30min`.
///
/// # Errors
/// When it is neither, with how to write one.
pub fn parse_workout_size(text: &str, units: UnitSystem) -> Result<Size, ParseDistanceError> {
    let text = text.trim();
    if let Some(minutes) = text.strip_suffix("min") {
        let minutes = minutes.trim().parse::<f64>().ok().and_then(|m| TimeSpan::from_seconds(m * 60.0));
        let time = minutes.filter(|time| *time > TimeSpan::ZERO);
        return time
            .map(Size::Duration)
            .ok_or_else(|| ParseDistanceError::new(text, "length of time", "write it like 30min"));
    }
    parse_activity_distance(text, units).map(Size::Distance)
}

/// What was meant by a time for a race where only `hours:minutes` makes sense: `1:45:00` for a half marathon in `1:45`, which
/// is a minute and 45 seconds. `None` where the time is one that somebody can run, or makes no sense either way.
#[must_use]
pub fn suggest_hours_minutes(race: Distance, text: &str) -> Option<String> {
    let possible =
        |text: &str| text.parse::<TimeSpan>().ok().map(|time| Performance::new(race, time).is_ok());
    let meant = format!("{}:00", text.trim());
    let hours = text.matches(':').count() == 1 && possible(text) == Some(false);
    (hours && possible(&meant) == Some(true)).then_some(meant)
}

/// What the athlete's unit of length is called.
#[must_use]
pub const fn unit_name(units: UnitSystem) -> &'static str {
    match units {
        UnitSystem::Metric => "kilometres",
        UnitSystem::Imperial => "miles",
    }
}

fn parse_distance(text: &str, bare: impl Fn(f64) -> Option<Distance>) -> Option<Distance> {
    let text = text.trim().to_ascii_lowercase();
    let named = match text.as_str() {
        "marathon" => Some(Distance::MARATHON),
        "half marathon" | "half-marathon" => Some(Distance::HALF_MARATHON),
        "mile" => Distance::from_miles(1.0),
        other => other.parse::<Goal>().ok().and_then(Goal::distance),
    };
    let number = |text: &str| text.trim_end().parse::<f64>().ok();
    let with_unit = || {
        let before = |unit: &str| number(text.strip_suffix(unit)?);
        let miles = before("miles").or_else(|| before("mile")).or_else(|| before("mi"));
        let km = before("km").or_else(|| before("k"));
        miles
            .and_then(Distance::from_miles)
            .or_else(|| km.and_then(Distance::from_km))
            .or_else(|| before("m").and_then(Distance::from_meters))
    };
    let told = named.or_else(with_unit).or_else(|| number(&text).and_then(bare));
    told.filter(|distance| *distance > Distance::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggest_hours_minutes_depends_on_the_race_distance() {
        for (race, text, meant) in [
            (Distance::HALF_MARATHON, "1:45", Some("1:45:00")),
            (Distance::MARATHON, "3:30", Some("3:30:00")),
            (Distance::HALF_MARATHON, "1:45:00", None),
            (Distance::HALF_MARATHON, "105:00", None),
            (Distance::from_mm(5_000_000), "19:30", None),
            // Neither five minutes nor five hours are a 5K.
            (Distance::from_mm(5_000_000), "5:00", None),
            (Distance::HALF_MARATHON, "soon", None),
            (Distance::HALF_MARATHON, ":", None),
        ] {
            assert_eq!(suggest_hours_minutes(race, text).as_deref(), meant, "{text}");
        }
    }

    #[test]
    fn every_way_to_write_a_race_is_read() {
        for (text, mm) in [
            ("1500m", 1_500_000),
            ("1500", 1_500_000),
            ("mile", 1_609_344),
            ("3k", 3_000_000),
            ("5k", 5_000_000),
            ("5K", 5_000_000),
            ("10k", 10_000_000),
            ("15k", 15_000_000),
            ("15", 15_000_000),
            ("15 km", 15_000_000),
            ("10mi", 16_093_440),
            ("10 miles", 16_093_440),
            ("half", 21_097_500),
            ("full", 42_195_000),
            ("marathon", 42_195_000),
            ("30k", 30_000_000),
            ("50k", 50_000_000),
            ("400", 400_000),
            ("399", 399_000_000),
        ] {
            assert_eq!(
                parse_race_distance(text, UnitSystem::Metric).ok().map(Distance::mm),
                Some(mm),
                "{text}"
            );
        }
        assert_eq!(parse_race_distance("10", UnitSystem::Imperial).ok().map(Distance::mm), Some(16_093_440));
        assert_eq!(parse_race_distance("10k", UnitSystem::Imperial).ok().map(Distance::mm), Some(10_000_000));
        assert_eq!(
            parse_activity_distance("1500", UnitSystem::Metric).ok().map(Distance::mm),
            Some(1_500_000_000)
        );
        for bad in
            ["", "k", "moon", "-3", "0", "0k", "NaN", "NaNkm", "inf", "5kk", "1e300mi", "half full", "custom"]
        {
            assert!(parse_race_distance(bad, UnitSystem::Metric).is_err(), "{bad}");
        }
    }
}
