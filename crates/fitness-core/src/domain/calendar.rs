//! An athlete's local days and ISO weeks.
//!
//! A day is the calendar day where the athlete was, never the server's. Instants are UTC; a time
//! zone turns one into a day.

use chrono::{DateTime, Datelike, Days, NaiveDate, Offset, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

pub use chrono::Weekday;

/// A point in time, in UTC.
pub type Instant = DateTime<Utc>;

/// UTC offset of a time zone at an instant, in seconds (local minus UTC).
#[must_use]
pub fn utc_offset_seconds(zone: Tz, at: Instant) -> i32 {
    zone.offset_from_utc_datetime(&at.naive_utc()).fix().local_minus_utc()
}

/// One local calendar day, written `2026-06-14`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Day(NaiveDate);

/// Text that is not a date such as `2026-06-14`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a date; write dates as year-month-day, such as 2026-06-14")]
pub struct ParseDayError(pub String);

/// Years accepted for a day. Anything else is a broken device clock or a typing error.
const VALID_YEARS: std::ops::RangeInclusive<i32> = 1900..=2200;

impl Day {
    /// `None` for dates such as 30 February and for years outside 1900 to 2200.
    #[must_use]
    pub fn new(year: i32, month: u32, day: u32) -> Option<Self> {
        NaiveDate::from_ymd_opt(year, month, day).and_then(Self::from_date)
    }

    /// `None` for years outside 1900 to 2200.
    #[must_use]
    pub fn from_date(date: NaiveDate) -> Option<Self> {
        VALID_YEARS.contains(&date.year()).then_some(Self(date))
    }

    /// The local day an instant falls on in a zone.
    #[must_use]
    pub fn at(instant: Instant, zone: Tz) -> Self {
        Self(instant.with_timezone(&zone).date_naive())
    }

    /// The plain date, for the database.
    #[must_use]
    pub const fn date(self) -> NaiveDate {
        self.0
    }

    /// For use in a sentence: `9 May 2027`.
    #[must_use]
    pub fn format_long(self) -> String {
        self.0.format("%-d %b %Y").to_string()
    }

    /// Adds days, or subtracts them when negative.
    #[must_use]
    pub fn plus_days(self, days: i64) -> Self {
        let moved = if days >= 0 {
            self.0.checked_add_days(Days::new(days.unsigned_abs()))
        } else {
            self.0.checked_sub_days(Days::new(days.unsigned_abs()))
        };
        Self(moved.unwrap_or(if days >= 0 { NaiveDate::MAX } else { NaiveDate::MIN }))
    }

    #[must_use]
    pub fn next(self) -> Self {
        self.plus_days(1)
    }

    #[must_use]
    pub fn previous(self) -> Self {
        self.plus_days(-1)
    }

    /// Days from this one to another; negative when the other is earlier.
    #[must_use]
    pub fn days_until(self, other: Self) -> i64 {
        other.0.signed_duration_since(self.0).num_days()
    }

    #[must_use]
    pub fn weekday(self) -> Weekday {
        self.0.weekday()
    }

    /// The ISO week this day belongs to.
    #[must_use]
    pub fn iso_week(self) -> IsoWeek {
        let week = self.0.iso_week();
        IsoWeek { year: week.year(), week: week.week() }
    }

    /// The instant at which this day is over in a zone: the first moment of the next local day.
    ///
    /// If a clock change skips midnight, the day ends right after the gap; if midnight happens
    /// twice, at the first of the two.
    #[must_use]
    pub fn end(self, zone: Tz) -> Instant {
        let midnight = self.next().0.and_time(chrono::NaiveTime::MIN);
        for minutes in (0..=26 * 60).step_by(15) {
            let local = midnight + TimeDelta::minutes(minutes);
            if let Some(instant) = zone.from_local_datetime(&local).earliest() {
                return instant.with_timezone(&Utc);
            }
        }
        Utc.from_utc_datetime(&midnight)
    }

    /// Every day from this one through `last`; none when `last` is earlier.
    pub fn through(self, last: Self) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self), |day| Some(day.next())).take_while(move |day| *day <= last)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0.format("%Y-%m-%d").to_string())
    }
}

impl FromStr for Day {
    type Err = ParseDayError;
    fn from_str(text: &str) -> Result<Self, ParseDayError> {
        // chrono also accepts `2026-6-4` and ` 2026-06-04`; we accept one spelling only.
        let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().and_then(Self::from_date);
        day.filter(|day| day.to_string() == text).ok_or_else(|| ParseDayError(text.to_owned()))
    }
}

impl TryFrom<String> for Day {
    type Error = ParseDayError;
    fn try_from(text: String) -> Result<Self, ParseDayError> {
        text.parse()
    }
}

impl From<Day> for String {
    fn from(day: Day) -> Self {
        day.to_string()
    }
}

/// An ISO 8601 week, Monday to Sunday, written `2026-W24`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IsoWeek {
    year: i32,
    week: u32,
}

impl IsoWeek {
    /// ISO week year, which can differ from the calendar year of some of its days.
    #[must_use]
    pub const fn year(self) -> i32 {
        self.year
    }

    #[must_use]
    pub const fn week(self) -> u32 {
        self.week
    }

    #[must_use]
    pub fn monday(self) -> Day {
        Day(NaiveDate::from_isoywd_opt(self.year, self.week, Weekday::Mon)
            .expect("an IsoWeek is only made from a real day"))
    }
}

impl fmt::Display for IsoWeek {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-W{:02}", self.year, self.week)
    }
}

impl Serialize for IsoWeek {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn day(text: &str) -> Day {
        text.parse().unwrap()
    }

    fn instant(text: &str) -> Instant {
        text.parse().unwrap()
    }

    #[test]
    fn day_parse_accepts_only_iso_dates() {
        for bad in [
            "2026-6-14",
            "2026-02-30",
            " 2026-06-14",
            "14.06.2026",
            "2026-06-14T00:00",
            "0026-06-14",
            "9999-01-01",
            "",
        ] {
            assert_eq!(bad.parse::<Day>(), Err(ParseDayError(bad.to_owned())));
        }
        assert_eq!(serde_json::to_string(&day("2024-02-29")).unwrap(), "\"2024-02-29\"");
    }

    #[test]
    fn an_instant_falls_on_the_local_day() {
        let late = instant("2026-06-14T23:30:00Z");
        for (zone, expected) in [
            (Tz::UTC, "2026-06-14"),
            (Tz::Europe__Berlin, "2026-06-15"),
            (Tz::America__Los_Angeles, "2026-06-14"),
            (Tz::Pacific__Kiritimati, "2026-06-15"),
            (Tz::Asia__Kathmandu, "2026-06-15"),
        ] {
            assert_eq!(Day::at(late, zone), day(expected), "{zone}");
        }
    }

    #[test]
    fn a_day_ends_when_the_next_one_begins_there() {
        for (zone, on, end) in [
            (Tz::UTC, "2026-06-14", "2026-06-15T00:00:00Z"),
            // 23 hours long: the clock went forward.
            (Tz::Europe__Berlin, "2026-03-29", "2026-03-29T22:00:00Z"),
            // Half-hour clock change.
            (Tz::Australia__Lord_Howe, "2026-04-05", "2026-04-05T13:30:00Z"),
            // Midnight itself was skipped.
            (Tz::America__Sao_Paulo, "2018-11-03", "2018-11-04T03:00:00Z"),
            // The whole of 30 December 2011 was skipped when the date line moved.
            (Tz::Pacific__Apia, "2011-12-29", "2011-12-30T10:00:00Z"),
        ] {
            assert_eq!(day(on).end(zone), instant(end), "{zone}");
        }
    }

    #[test]
    fn iso_week_year_follows_the_thursday() {
        for (on, week, monday) in [
            ("2026-01-01", "2026-W01", "2025-12-29"),
            ("2021-01-03", "2020-W53", "2020-12-28"),
            ("2026-06-14", "2026-W24", "2026-06-08"),
        ] {
            assert_eq!(day(on).iso_week().to_string(), week);
            assert_eq!(day(on).iso_week().monday(), day(monday));
        }
    }

    #[test]
    fn a_range_of_days_holds_both_ends() {
        let days: Vec<String> = day("2024-02-28").through(day("2024-03-01")).map(|d| d.to_string()).collect();
        assert_eq!(days, ["2024-02-28", "2024-02-29", "2024-03-01"]);
        assert_eq!(day("2024-03-01").through(day("2024-02-28")).count(), 0);
        assert_eq!(day("2024-02-28").days_until(day("2024-03-01")), 2);
    }

    proptest! {
        #[test]
        fn an_instant_is_before_the_end_of_its_day_and_not_before_its_start(
            seconds in 0_i64..4_000_000_000, zone in prop::sample::select(chrono_tz::TZ_VARIANTS.to_vec())
        ) {
            let at = DateTime::from_timestamp(seconds, 0).unwrap();
            let on = Day::at(at, zone);
            prop_assert!(at < on.end(zone) || Day::at(on.end(zone), zone) == on);
            // Where clocks change at midnight a local day can begin twice; it never begins after
            // its instants.
            prop_assert!(on.previous().end(zone) <= at);
        }
    }
}
