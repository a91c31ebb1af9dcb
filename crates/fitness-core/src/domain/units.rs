//! Quantities with their unit in the type, and their display in kilometres or miles.
//!
//! Distances are whole millimetres and times whole milliseconds, so that sums and comparisons are
//! exact: 8.1 of 9 miles is 90 %, not 0.8999999.

use crate::domain::sport::Sport;
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};
use std::str::FromStr;

const MM_PER_KM: f64 = 1_000_000.0;
/// The international mile, exactly.
const MM_PER_MILE: f64 = 1_609_344.0;
/// The international foot, exactly.
const METERS_PER_FOOT: f64 = 0.3048;
/// Longer than any activity, and sums of it stay far below the limit of an `i64` of millimetres.
const MAX_METERS: f64 = 100_000_000.0;

/// A distance in whole millimetres.
///
/// ```
/// use fitness_core::domain::units::{Distance, UnitSystem};
///
/// let ten_miles = Distance::from_miles(10.0).unwrap();
/// assert_eq!(ten_miles.mm(), 16_093_440);
/// assert_eq!(UnitSystem::Metric.format_distance(ten_miles).to_string(), "16.1 km");
/// assert_eq!(Distance::from_km(f64::NAN), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Distance(i64);

impl Distance {
    pub const ZERO: Self = Self(0);
    /// The official marathon, 42.195 km.
    pub const MARATHON: Self = Self(42_195_000);
    /// Half a marathon, 21.0975 km.
    pub const HALF_MARATHON: Self = Self(21_097_500);

    /// A distance as stored in the database.
    #[must_use]
    pub const fn from_mm(mm: i64) -> Self {
        Self(mm)
    }

    /// Unchecked input in metres; `None` if not finite, negative or above 100,000 km.
    #[must_use]
    pub fn from_meters(meters: f64) -> Option<Self> {
        Self::from_units(meters, 1000.0)
    }

    /// Unchecked input in kilometres; `None` if not finite, negative or above 100,000 km.
    #[must_use]
    pub fn from_km(km: f64) -> Option<Self> {
        Self::from_units(km, MM_PER_KM)
    }

    /// Unchecked input in miles; `None` if not finite, negative or above 100,000 km.
    #[must_use]
    pub fn from_miles(miles: f64) -> Option<Self> {
        Self::from_units(miles, MM_PER_MILE)
    }

    #[expect(clippy::cast_possible_truncation, reason = "bounded by MAX_METERS just before")]
    fn from_units(value: f64, mm_per_unit: f64) -> Option<Self> {
        let mm = value * mm_per_unit;
        (mm.is_finite() && (0.0..=MAX_METERS * 1000.0).contains(&mm)).then(|| Self(mm.round() as i64))
    }

    #[must_use]
    pub const fn mm(self) -> i64 {
        self.0
    }

    #[must_use]
    pub fn meters(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    #[must_use]
    pub fn km(self) -> f64 {
        self.0 as f64 / MM_PER_KM
    }

    #[must_use]
    pub fn miles(self) -> f64 {
        self.0 as f64 / MM_PER_MILE
    }
}

/// A duration in whole milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TimeSpan(i64);

/// Longer than any activity, night or goal time: 100 days.
const MAX_SECONDS: f64 = 8_640_000.0;

impl TimeSpan {
    pub const ZERO: Self = Self(0);

    /// A duration as stored in the database.
    #[must_use]
    pub const fn from_ms(ms: i64) -> Self {
        Self(ms)
    }

    #[must_use]
    pub const fn from_secs(seconds: i64) -> Self {
        Self(seconds * 1000)
    }

    #[must_use]
    pub const fn from_mins(minutes: i64) -> Self {
        Self(minutes * 60_000)
    }

    /// Unchecked input in seconds; `None` if not finite, negative or above 100 days.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "bounded by MAX_SECONDS just before")]
    pub fn from_seconds(seconds: f64) -> Option<Self> {
        (seconds.is_finite() && (0.0..=MAX_SECONDS).contains(&seconds))
            .then(|| Self((seconds * 1000.0).round() as i64))
    }

    #[must_use]
    pub const fn ms(self) -> i64 {
        self.0
    }

    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    /// Whole seconds, rounded to the nearest.
    #[must_use]
    pub const fn whole_seconds(self) -> i64 {
        (self.0 + 500).div_euclid(1000)
    }

    #[must_use]
    pub fn format_clock(self) -> String {
        let s = self.whole_seconds();
        let (h, m, s) = (s / 3600, s / 60 % 60, s % 60);
        if h > 0 { format!("{h}:{m:02}:{s:02}") } else { format!("{m}:{s:02}") }
    }

    /// `7h 24m` or `20 min`.
    #[must_use]
    pub fn format_hours_minutes(self) -> String {
        let minutes = (self.whole_seconds() + 30) / 60;
        if (0..60).contains(&minutes) {
            return format!("{minutes} min");
        }
        format!("{}h {:02}m", minutes / 60, minutes % 60)
    }
}

/// Text that is not a duration such as `1:45:00`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a time; write it as 1:45:00 or 45:30")]
pub struct ParseTimeError(pub String);

/// Parses `1:45:00`, `01:45:00` and `45:30` (minutes and seconds).
impl FromStr for TimeSpan {
    type Err = ParseTimeError;
    fn from_str(text: &str) -> Result<Self, ParseTimeError> {
        let bad = || ParseTimeError(text.to_owned());
        let parts: Vec<&str> = text.split(':').collect();
        if !(2..=3).contains(&parts.len())
            || parts.iter().any(|p| p.is_empty() || p.len() > 3 || !p.bytes().all(|b| b.is_ascii_digit()))
        {
            return Err(bad());
        }
        let numbers: Vec<i64> =
            parts.iter().map(|p| p.parse()).collect::<Result<_, _>>().map_err(|_| bad())?;
        let (leading, rest) = numbers.split_first().ok_or_else(bad)?;
        if rest.iter().any(|n| *n > 59) {
            return Err(bad());
        }
        Ok(Self::from_secs(rest.iter().fold(*leading, |sum, n| sum * 60 + n)))
    }
}

macro_rules! impl_arithmetic {
    ($($name:ident),+) => { $(
        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self { Self(self.0.saturating_add(other.0)) }
        }
        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) { *self = *self + other; }
        }
        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self { Self(self.0.saturating_sub(other.0)) }
        }
        impl Sum for $name {
            fn sum<I: Iterator<Item = Self>>(iter: I) -> Self { iter.fold(Self(0), Add::add) }
        }
    )+ };
}
impl_arithmetic!(Distance, TimeSpan);

#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Speed(f64);

impl Speed {
    /// Unchecked input in m/s; `None` if not finite or negative.
    #[must_use]
    pub fn from_mps(mps: f64) -> Option<Self> {
        (mps.is_finite() && mps >= 0.0).then_some(Self(mps))
    }

    /// Mean speed over a distance; `None` if the time is zero.
    #[must_use]
    pub fn from_distance_and_time(distance: Distance, time: TimeSpan) -> Option<Self> {
        (time.ms() > 0).then(|| Self(distance.meters() / time.seconds()))
    }

    #[must_use]
    pub const fn mps(self) -> f64 {
        self.0
    }

    /// `None` when standing still.
    #[must_use]
    pub fn pace(self) -> Option<Pace> {
        Pace::from_seconds_per_km(1000.0 / self.0)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Pace(f64);

impl Pace {
    /// Unchecked input in s/km; `None` if not finite or not positive.
    #[must_use]
    pub fn from_seconds_per_km(seconds: f64) -> Option<Self> {
        (seconds.is_finite() && seconds > 0.0).then_some(Self(seconds))
    }

    #[must_use]
    pub const fn seconds_per_km(self) -> f64 {
        self.0
    }

    #[must_use]
    pub fn seconds_per_mile(self) -> f64 {
        self.0 * MM_PER_MILE / MM_PER_KM
    }
}

string_enum! {
    /// Units for display. Stored values are always metric.
    pub enum UnitSystem("unit system") {
        /// Kilometres and minutes per kilometre.
        Metric = "metric",
        /// Miles and minutes per mile.
        Imperial = "imperial",
    }
}

impl UnitSystem {
    /// Input in the athlete's unit, kilometres or miles; `None` if not a positive distance.
    #[must_use]
    pub fn distance_from_number(self, number: f64) -> Option<Distance> {
        match self {
            Self::Metric => Distance::from_km(number),
            Self::Imperial => Distance::from_miles(number),
        }
        .filter(|distance| *distance > Distance::ZERO)
    }

    /// `42.3 km` or `26.3 mi`.
    #[must_use]
    pub fn format_distance(self, distance: Distance) -> FormattedQuantity {
        match self {
            Self::Metric => FormattedQuantity(format!("{:.1} km", distance.km())),
            Self::Imperial => FormattedQuantity(format!("{:.1} mi", distance.miles())),
        }
    }

    /// `5:12 /km` or `8:22 /mi`.
    #[must_use]
    pub fn format_pace(self, pace: Pace) -> FormattedQuantity {
        let (seconds, unit) = match self {
            Self::Metric => (pace.seconds_per_km(), "km"),
            Self::Imperial => (pace.seconds_per_mile(), "mi"),
        };
        let clock = TimeSpan::from_seconds(seconds).map_or_else(|| "—".to_owned(), TimeSpan::format_clock);
        FormattedQuantity(format!("{clock} /{unit}"))
    }
}

impl UnitSystem {
    /// `28.4 km/h` or `17.6 mph`.
    #[must_use]
    pub fn format_speed(self, speed: Speed) -> FormattedQuantity {
        let metres_an_hour = speed.mps() * 3600.0;
        match self {
            Self::Metric => FormattedQuantity(format!("{:.1} km/h", metres_an_hour * 1000.0 / MM_PER_KM)),
            Self::Imperial => FormattedQuantity(format!("{:.1} mph", metres_an_hour * 1000.0 / MM_PER_MILE)),
        }
    }

    /// Speed in the unit of the sport: `km/h` or `mph` for rides, time per 100 m for swims and per
    /// 500 m for rowing, pace for the rest. `None` when standing still.
    #[must_use]
    pub fn format_speed_for(self, sport: Sport, speed: Speed) -> Option<FormattedQuantity> {
        let over = |metres: f64| {
            let time = TimeSpan::from_seconds((metres / speed.mps()).round())?;
            Some(FormattedQuantity(format!("{} /{metres:.0} m", time.format_clock())))
        };
        match sport {
            Sport::Cycling => speed.pace().map(|_| self.format_speed(speed)),
            Sport::Swimming => over(100.0),
            Sport::Rowing => over(500.0),
            Sport::Running | Sport::Strength | Sport::Other | Sport::Rest => {
                speed.pace().map(|pace| self.format_pace(pace))
            }
        }
    }

    /// Distance in the unit of the sport: metres for swims, kilometres or miles for the rest.
    #[must_use]
    pub fn format_distance_for(self, sport: Sport, distance: Distance) -> FormattedQuantity {
        match sport {
            Sport::Swimming => FormattedQuantity(format!("{:.0} m", distance.meters())),
            _ => self.format_distance(distance),
        }
    }

    /// Name of a race distance: `half marathon`, `mile`, `800 m`, `5 km`, or `5 km (3.1 mi)` in
    /// imperial units. Other distances are formatted in the athlete's units.
    #[must_use]
    pub fn distance_name(self, distance: Distance) -> String {
        const MILE: i64 = 1_609_344;
        let mm = distance.mm();
        match distance {
            Distance::HALF_MARATHON => "half marathon".to_owned(),
            Distance::MARATHON => "marathon".to_owned(),
            _ if mm == MILE => "mile".to_owned(),
            _ if mm > 0 && mm % MILE == 0 => format!("{} miles", mm / MILE),
            _ if mm > 0 && mm < 2_000_000 && mm % 100_000 == 0 && mm % 1_000_000 != 0 => {
                format!("{} m", mm / 1000)
            }
            _ if mm > 0 && mm % 1_000_000 == 0 => match self {
                UnitSystem::Metric => format!("{} km", mm / 1_000_000),
                UnitSystem::Imperial => format!("{} km ({})", mm / 1_000_000, self.format_distance(distance)),
            },
            _ => self.format_distance(distance).to_string(),
        }
    }

    /// `33 m` or `108 ft`.
    #[must_use]
    pub fn format_climb(self, climb: Distance) -> FormattedQuantity {
        match self {
            Self::Metric => FormattedQuantity(format!("{:.0} m", climb.meters())),
            Self::Imperial => FormattedQuantity(format!("{:.0} ft", climb.meters() / METERS_PER_FOOT)),
        }
    }
}

/// A quantity formatted for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormattedQuantity(String);

impl fmt::Display for FormattedQuantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn miles_and_kilometres_are_exact_to_the_millimetre() {
        assert_eq!(Distance::from_miles(1.0).unwrap().mm(), 1_609_344);
        assert_eq!(Distance::from_km(42.195), Some(Distance::MARATHON));
        assert_eq!(UnitSystem::Metric.format_distance(Distance::MARATHON).to_string(), "42.2 km");
        assert_eq!(UnitSystem::Imperial.format_distance(Distance::MARATHON).to_string(), "26.2 mi");
    }

    #[test]
    fn invalid_numbers_give_none() {
        for bad in [f64::NAN, f64::INFINITY, -0.001, 1e300] {
            assert_eq!(Distance::from_meters(bad), None, "{bad}");
            assert_eq!(TimeSpan::from_seconds(bad), None, "{bad}");
            assert_eq!(Pace::from_seconds_per_km(bad).filter(|_| bad <= 0.0), None, "{bad}");
        }
        assert_eq!(Speed::from_distance_and_time(Distance::MARATHON, TimeSpan::ZERO), None);
        assert_eq!(Speed::from_mps(0.0).unwrap().pace(), None);
    }

    #[test]
    fn time_span_parses_and_formats_as_clock() {
        for (text, seconds, shown) in [
            ("1:45:00", 6300, "1:45:00"),
            ("01:45:00", 6300, "1:45:00"),
            ("45:30", 2730, "45:30"),
            ("0:59", 59, "0:59"),
        ] {
            let time: TimeSpan = text.parse().unwrap();
            assert_eq!(time, TimeSpan::from_secs(seconds));
            assert_eq!(time.format_clock(), shown);
        }
        for bad in ["", "105", "1:60:00", "1:2:3:4", "-1:00", "1:00:61", "a:b", "1::2", "9999:00:00"] {
            assert!(bad.parse::<TimeSpan>().is_err(), "{bad}");
        }
        assert_eq!(TimeSpan::from_mins(444).format_hours_minutes(), "7h 24m");
        assert_eq!(TimeSpan::from_mins(60).format_hours_minutes(), "1h 00m");
        assert_eq!(TimeSpan::from_mins(20).format_hours_minutes(), "20 min");
    }

    #[test]
    fn a_pace_shows_in_the_athletes_unit() {
        let pace = Pace::from_seconds_per_km(312.0).unwrap();
        assert_eq!(UnitSystem::Metric.format_pace(pace).to_string(), "5:12 /km");
        assert_eq!(UnitSystem::Imperial.format_pace(pace).to_string(), "8:22 /mi");
    }

    #[test]
    fn speed_and_distance_format_by_sport() {
        let (metric, imperial) = (UnitSystem::Metric, UnitSystem::Imperial);
        let speed = Speed::from_mps(8.0).unwrap();
        let said =
            |units: UnitSystem, sport, speed| units.format_speed_for(sport, speed).unwrap().to_string();
        assert_eq!(said(metric, Sport::Cycling, speed), "28.8 km/h");
        assert_eq!(said(imperial, Sport::Cycling, speed), "17.9 mph");
        let swum = Speed::from_mps(100.0 / 112.0).unwrap();
        assert_eq!(said(imperial, Sport::Swimming, swum), "1:52 /100 m");
        assert_eq!(said(metric, Sport::Rowing, Speed::from_mps(4.0).unwrap()), "2:05 /500 m");
        assert_eq!(said(metric, Sport::Running, Speed::from_mps(4.0).unwrap()), "4:10 /km");
        for sport in Sport::ALL {
            assert_eq!(metric.format_speed_for(*sport, Speed::from_mps(0.0).unwrap()), None, "{sport}");
        }
        let way = Distance::from_meters(1200.0).unwrap();
        assert_eq!(metric.format_distance_for(Sport::Swimming, way).to_string(), "1200 m");
        assert_eq!(metric.format_distance_for(Sport::Cycling, way).to_string(), "1.2 km");
        assert_eq!(imperial.format_climb(Distance::from_meters(100.0).unwrap()).to_string(), "328 ft");
    }

    #[test]
    fn distance_name_uses_runners_terms() {
        for (mm, metric, imperial) in [
            (400_000, "400 m", "400 m"),
            (1_500_000, "1500 m", "1500 m"),
            (1_609_344, "mile", "mile"),
            (3_218_688, "2 miles", "2 miles"),
            (5_000_000, "5 km", "5 km (3.1 mi)"),
            (21_097_500, "half marathon", "half marathon"),
            (21_200_000, "21.2 km", "13.2 mi"),
            (0, "0.0 km", "0.0 mi"),
        ] {
            let distance = Distance::from_mm(mm);
            assert_eq!(UnitSystem::Metric.distance_name(distance), metric);
            assert_eq!(UnitSystem::Imperial.distance_name(distance), imperial);
        }
    }
}
