//! Quantities with their unit in the type: SI inside, kilometres or miles outside.
//!
//! Lengths are whole millimetres and times whole milliseconds, so that sums and comparisons are exact:
//! 8.1 of 9 miles is nine tenths, not 0.8999999.

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
/// Longer than any training session and far inside what an `i64` of millimetres can sum.
const MAX_METERS: f64 = 100_000_000.0;

/// A length in whole millimetres.
///
/// ```
/// use fitness_core::domain::units::{Distance, UnitSystem};
///
/// let ten_miles = Distance::from_miles(10.0).unwrap();
/// assert_eq!(ten_miles.mm(), 16_093_440);
/// assert_eq!(UnitSystem::Metric.distance(ten_miles).to_string(), "16.1 km");
/// assert_eq!(Distance::from_km(f64::NAN), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Distance(i64);

impl Distance {
    /// No length at all.
    pub const ZERO: Self = Self(0);
    /// The official marathon, 42.195 km.
    pub const MARATHON: Self = Self(42_195_000);
    /// Half a marathon, 21.0975 km.
    pub const HALF_MARATHON: Self = Self(21_097_500);

    /// A length from the millimetres the database holds.
    #[must_use]
    pub const fn from_mm(mm: i64) -> Self {
        Self(mm)
    }

    /// Metres from outside; `None` when not finite, negative or absurd.
    #[must_use]
    pub fn from_meters(meters: f64) -> Option<Self> {
        Self::from_units(meters, 1000.0)
    }

    /// Kilometres from outside; `None` when not finite, negative or absurd.
    #[must_use]
    pub fn from_km(km: f64) -> Option<Self> {
        Self::from_units(km, MM_PER_KM)
    }

    /// Miles from outside; `None` when not finite, negative or absurd.
    #[must_use]
    pub fn from_miles(miles: f64) -> Option<Self> {
        Self::from_units(miles, MM_PER_MILE)
    }

    #[expect(clippy::cast_possible_truncation, reason = "bounded by MAX_METERS just before")]
    fn from_units(value: f64, mm_per_unit: f64) -> Option<Self> {
        let mm = value * mm_per_unit;
        (mm.is_finite() && (0.0..=MAX_METERS * 1000.0).contains(&mm)).then(|| Self(mm.round() as i64))
    }

    /// Whole millimetres.
    #[must_use]
    pub const fn mm(self) -> i64 {
        self.0
    }

    /// Metres, for formulas.
    #[must_use]
    pub fn meters(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    /// Kilometres, for showing.
    #[must_use]
    pub fn km(self) -> f64 {
        self.0 as f64 / MM_PER_KM
    }

    /// Miles, for showing.
    #[must_use]
    pub fn miles(self) -> f64 {
        self.0 as f64 / MM_PER_MILE
    }
}

/// A length of time in whole milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TimeSpan(i64);

/// Longer than any session, night or plan target: 100 days.
const MAX_SECONDS: f64 = 8_640_000.0;

impl TimeSpan {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// A span from the milliseconds the database holds.
    #[must_use]
    pub const fn from_ms(ms: i64) -> Self {
        Self(ms)
    }

    /// Whole seconds.
    #[must_use]
    pub const fn from_secs(seconds: i64) -> Self {
        Self(seconds * 1000)
    }

    /// Whole minutes.
    #[must_use]
    pub const fn from_mins(minutes: i64) -> Self {
        Self(minutes * 60_000)
    }

    /// Seconds from outside; `None` when not finite, negative or absurd.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "bounded by MAX_SECONDS just before")]
    pub fn from_seconds(seconds: f64) -> Option<Self> {
        (seconds.is_finite() && (0.0..=MAX_SECONDS).contains(&seconds))
            .then(|| Self((seconds * 1000.0).round() as i64))
    }

    /// Whole milliseconds.
    #[must_use]
    pub const fn ms(self) -> i64 {
        self.0
    }

    /// Seconds, for formulas.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    /// Whole seconds, rounded to the nearest.
    #[must_use]
    pub const fn whole_seconds(self) -> i64 {
        (self.0 + 500).div_euclid(1000)
    }

    /// As a clock shows it, `1:02:07` or `45:12`.
    #[must_use]
    pub fn format_clock(self) -> String {
        let s = self.whole_seconds();
        let (h, m, s) = (s / 3600, s / 60 % 60, s % 60);
        if h > 0 { format!("{h}:{m:02}:{s:02}") } else { format!("{m}:{s:02}") }
    }

    /// As a night's sleep or a run is told, `7h 24m`, `20 min`.
    #[must_use]
    pub fn format_hours_minutes(self) -> String {
        let minutes = (self.whole_seconds() + 30) / 60;
        if (0..60).contains(&minutes) {
            return format!("{minutes} min");
        }
        format!("{}h {:02}m", minutes / 60, minutes % 60)
    }
}

/// A time that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a time; write hours, minutes and seconds as 1:45:00")]
pub struct ParseTimeError(pub String);

/// Reads `1:45:00`, `01:45:00`, `45:30` (minutes and seconds).
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

/// Metres per second.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Speed(f64);

impl Speed {
    /// A speed from outside; `None` when not finite or negative.
    #[must_use]
    pub fn from_mps(mps: f64) -> Option<Self> {
        (mps.is_finite() && mps >= 0.0).then_some(Self(mps))
    }

    /// The mean speed over a distance; `None` for no time.
    #[must_use]
    pub fn over(distance: Distance, time: TimeSpan) -> Option<Self> {
        (time.ms() > 0).then(|| Self(distance.meters() / time.seconds()))
    }

    /// Metres per second.
    #[must_use]
    pub const fn mps(self) -> f64 {
        self.0
    }

    /// The same as a pace; `None` when standing still.
    #[must_use]
    pub fn pace(self) -> Option<Pace> {
        Pace::from_seconds_per_km(1000.0 / self.0)
    }
}

/// Seconds per kilometre, the unit of the coach's contract.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Pace(f64);

impl Pace {
    /// A pace from outside; `None` when not finite or not positive.
    #[must_use]
    pub fn from_seconds_per_km(seconds: f64) -> Option<Self> {
        (seconds.is_finite() && seconds > 0.0).then_some(Self(seconds))
    }

    /// Seconds per kilometre.
    #[must_use]
    pub const fn seconds_per_km(self) -> f64 {
        self.0
    }

    /// Seconds per mile.
    #[must_use]
    pub fn seconds_per_mile(self) -> f64 {
        self.0 * MM_PER_MILE / MM_PER_KM
    }
}

string_enum! {
    /// How an athlete wants distances and paces shown. Nothing is stored in it.
    pub enum UnitSystem("unit system") {
        /// Kilometres and minutes per kilometre.
        Metric = "metric",
        /// Miles and minutes per mile.
        Imperial = "imperial",
    }
}

impl UnitSystem {
    /// What an athlete means by a number of kilometres or miles; `None` when it is no length.
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

/// What a sport measures its speed in.
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

    /// A speed as its sport tells it: rides in `km/h` or `mph`, swims per `100 m`, rowing per `500 m`, the rest as a pace;
    /// `None` when standing still.
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

    /// A distance as its sport tells it: swims in metres, the rest in kilometres or miles.
    #[must_use]
    pub fn format_distance_for(self, sport: Sport, distance: Distance) -> FormattedQuantity {
        match sport {
            Sport::Swimming => FormattedQuantity(format!("{:.0} m", distance.meters())),
            _ => self.format_distance(distance),
        }
    }

    /// What runners call a distance: `half marathon`, `mile`, `800 m`, `5 km`; for whoever counts in miles `5 km (3.1 mi)`.
    /// What has no name is told in the athlete's units.
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

/// A quantity made ready for an athlete's eyes; not a number any more.
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
    fn invalid_numbers_are_no_quantity() {
        for bad in [f64::NAN, f64::INFINITY, -0.001, 1e300] {
            assert_eq!(Distance::from_meters(bad), None, "{bad}");
            assert_eq!(TimeSpan::from_seconds(bad), None, "{bad}");
            assert_eq!(Pace::from_seconds_per_km(bad).filter(|_| bad <= 0.0), None, "{bad}");
        }
        assert_eq!(Speed::over(Distance::MARATHON, TimeSpan::ZERO), None);
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
