//! Parsing of distances typed at the terminal or into a form.

use crate::domain::units::{Distance, TimeSpan, UnitSystem};
use crate::metrics::predict::Performance;
use crate::plan::{GoalDistance, Size};

/// Input that is not a distance, with help on how to write one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct ParseDistanceError {
    problem: String,
    help: String,
}

impl ParseDistanceError {
    fn new(text: &str, what: &str, example: &str, help: impl Into<String>) -> Self {
        // Input may be arbitrarily long.
        let shown: String = text.trim().chars().take(40).collect();
        let problem = match shown.as_str() {
            "" => format!("enter a {what}, such as {example}"),
            _ => format!("`{shown}` is not a valid {what}"),
        };
        Self { problem, help: help.into() }
    }

    /// Advice on how to write it.
    #[must_use]
    pub fn help(&self) -> &str {
        &self.help
    }
}

/// At or above this, a number without a unit means metres: 400 m is the shortest race that is
/// stored, and no race is 400 km long.
const BARE_METRES_MIN: f64 = 400.0;

/// Parses a race distance: `half`, `full`, `mile`, `10k`, `1500m`, `10mi`, `15 km`, or a number,
/// which is in the athlete's units below 400 and in metres from 400.
pub fn parse_race_distance(text: &str, units: UnitSystem) -> Result<Distance, ParseDistanceError> {
    let bare = |number: f64| match number {
        BARE_METRES_MIN.. => Distance::from_meters(number),
        _ => units.distance_from_number(number),
    };
    parse_distance(text, bare).ok_or_else(|| {
        let help = "enter a distance such as 15 km, 10 mi, 1500 m or half";
        ParseDistanceError::new(text, "distance", "10k", help)
    })
}

/// Parses the distance of an activity, where a number without a unit is always in the athlete's
/// units.
pub fn parse_activity_distance(text: &str, units: UnitSystem) -> Result<Distance, ParseDistanceError> {
    parse_distance(text, |number| units.distance_from_number(number)).ok_or_else(|| {
        let example = if units == UnitSystem::Metric { "21.1" } else { "13.1" };
        let help =
            format!("write {}, such as {example}, or add the unit, as in 21.1km or 13.1mi", unit_name(units));
        ParseDistanceError::new(text, "distance", "5km", help)
    })
}

/// Parses the planned size of a workout: `5km`, `3mi` or `30min`.
pub fn parse_workout_size(text: &str, units: UnitSystem) -> Result<Size, ParseDistanceError> {
    let text = text.trim();
    if let Some(minutes) = text.strip_suffix("min") {
        let minutes = minutes.trim().parse::<f64>().ok().and_then(|m| TimeSpan::from_seconds(m * 60.0));
        let time = minutes.filter(|time| *time > TimeSpan::ZERO);
        return time
            .map(Size::Duration)
            .ok_or_else(|| ParseDistanceError::new(text, "time", "30min", "write it as 30min"));
    }
    parse_distance(text, |number| units.distance_from_number(number)).map(Size::Distance).ok_or_else(|| {
        let forms = if text.is_empty() { "" } else { "write 5km, 3mi or 30min; " };
        let help = format!("{forms}a number without a unit is in {}", unit_name(units));
        ParseDistanceError::new(text, "distance or time", "5km or 30min", help)
    })
}

/// Reads a race time as `hours:minutes` where minutes and seconds would be impossibly fast: `1:45`
/// for a half marathon becomes `1:45:00`. `None` if the time is possible as written, or impossible
/// either way.
#[must_use]
pub fn suggest_hours_minutes(race: Distance, text: &str) -> Option<String> {
    let possible =
        |text: &str| text.parse::<TimeSpan>().ok().map(|time| Performance::new(race, time).is_ok());
    let meant = format!("{}:00", text.trim());
    let hours = text.matches(':').count() == 1 && possible(text) == Some(false);
    (hours && possible(&meant) == Some(true)).then_some(meant)
}

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
        other => other.parse::<GoalDistance>().ok().and_then(GoalDistance::distance),
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
            // 5:00 is too fast and 5:00:00 too slow for 5 km.
            (Distance::from_mm(5_000_000), "5:00", None),
            (Distance::HALF_MARATHON, "soon", None),
            (Distance::HALF_MARATHON, ":", None),
        ] {
            assert_eq!(suggest_hours_minutes(race, text).as_deref(), meant, "{text}");
        }
    }

    #[test]
    fn race_distance_formats_parse() {
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
