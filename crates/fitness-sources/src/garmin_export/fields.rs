//! Typed access to the fields of a JSON object. A field of the wrong type counts as absent.

use crate::fit::clean_text;
use crate::tracks::{parse_time, plausible};
use chrono::{DateTime, Datelike, NaiveDate};
use fitness_core::domain::calendar::{Day, Instant};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

pub(super) const NO_DATE: &str = "no date";
pub(super) const IMPOSSIBLE_DATE: &str = "date outside 1990 to 2100";
const PLAUSIBLE_YEARS: RangeInclusive<i32> = 1990..=2100;

/// A JSON object, parsed one level deep; values are parsed on access.
pub(super) struct Object<'a>(BTreeMap<String, &'a RawValue>);

impl<'a> Object<'a> {
    /// `None` if it is not an object.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok().map(Self)
    }

    fn get<T: Deserialize<'a>>(&self, key: &str) -> Option<T> {
        // An invalid value affects only its own field.
        serde_json::from_str(self.0.get(key)?.get()).ok()
    }

    pub(super) fn object(&self, key: &str) -> Option<Self> {
        self.get(key).map(Self)
    }

    /// The objects of a list; other elements are ignored.
    pub(super) fn list(&self, key: &str) -> impl Iterator<Item = Self> {
        let raw: Vec<&'a RawValue> = self.get(key).unwrap_or_default();
        raw.into_iter().filter(|raw| raw.get().starts_with('{')).filter_map(|raw| Self::parse(raw.get()))
    }

    pub(super) fn number(&self, key: &str) -> Option<f64> {
        self.get(key).filter(|number: &f64| number.is_finite())
    }

    /// A number in range. Garmin writes -1, -2, 0 and 511 for "not measured".
    pub(super) fn within(&self, key: &str, range: RangeInclusive<f64>) -> Option<f64> {
        self.number(key).filter(|number| range.contains(number))
    }

    pub(super) fn integer(&self, key: &str, range: RangeInclusive<u32>) -> Option<u32> {
        let range = f64::from(*range.start())..=f64::from(*range.end());
        self.within(key, range).map(|number| number.round() as u32)
    }

    pub(super) fn small_integer(&self, key: &str, range: RangeInclusive<u16>) -> Option<u16> {
        self.integer(key, u32::from(*range.start())..=u32::from(*range.end()))
            .and_then(|number| u16::try_from(number).ok())
    }

    pub(super) fn flag(&self, key: &str) -> bool {
        self.get(key).unwrap_or(false)
    }

    /// A string as it is, for comparing.
    pub(super) fn word(&self, key: &str) -> Option<String> {
        self.get(key)
    }

    /// A cleaned string for display.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        self.word(key).as_deref().and_then(clean_text)
    }

    /// A numeric id, as a number or a string.
    pub(super) fn id(&self, key: &str) -> Option<String> {
        let digits = match self.get::<u64>(key) {
            Some(number) => number.to_string(),
            // Some exports write every number with a decimal point.
            None => match self.within(key, 1.0..=9e15) {
                Some(number) => format!("{number:.0}"),
                None => self.word(key)?,
            },
        };
        let digits = digits.trim().trim_start_matches('0');
        let is_id = (1..=20).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_id.then(|| digits.to_owned())
    }

    fn date(&self, key: &str) -> Option<Date> {
        self.get(key)
    }

    /// The day of an element, or why it has none.
    pub(super) fn day(&self, key: &str) -> Result<Day, &'static str> {
        let day = self.any_day(key).ok_or(NO_DATE)?;
        if PLAUSIBLE_YEARS.contains(&day.date().year()) { Ok(day) } else { Err(IMPOSSIBLE_DATE) }
    }

    /// A day of any year, such as a birth date.
    pub(super) fn any_day(&self, key: &str) -> Option<Day> {
        self.date(key).and_then(|date| date.day())
    }

    /// A time in UTC; `None` if implausible.
    pub(super) fn instant(&self, key: &str) -> Option<Instant> {
        self.millis(key).and_then(plausible)
    }

    /// Milliseconds since the Unix epoch, without a plausibility check.
    pub(super) fn millis(&self, key: &str) -> Option<i64> {
        self.date(key).and_then(|date| date.millis())
    }
}

/// A date or time in one of the three formats of an export.
#[derive(Deserialize)]
#[serde(untagged)]
enum Date {
    Text(String),
    /// Milliseconds since the Unix epoch; for a day, its midnight in UTC.
    Millis(f64),
    /// Year, month, day, optionally hour, minute, second, nanosecond.
    Parts(Vec<f64>),
}

impl Date {
    fn day(&self) -> Option<Day> {
        match self {
            Self::Text(text) => {
                let (date, time) = text.trim().split_at_checked(10)?;
                (time.is_empty() || time.starts_with(['T', ' '])).then(|| date.parse().ok()).flatten()
            }
            _ => {
                DateTime::from_timestamp_millis(self.millis()?).and_then(|at| Day::from_date(at.date_naive()))
            }
        }
    }

    fn millis(&self) -> Option<i64> {
        match self {
            Self::Text(text) if text.trim().len() == 10 => {
                let midnight = self.day()?.date().and_time(chrono::NaiveTime::MIN);
                Some(midnight.and_utc().timestamp_millis())
            }
            Self::Text(text) => parse_time(text.trim()),
            Self::Millis(millis) => (millis.abs() < 1e14).then(|| millis.round() as i64),
            Self::Parts(parts) => {
                let part = |at: usize| {
                    let whole =
                        parts.get(at).filter(|part| part.fract() == 0.0 && (0.0..=1e9).contains(*part));
                    whole.map(|part| *part as u32)
                };
                let date = NaiveDate::from_ymd_opt(i32::try_from(part(0)?).ok()?, part(1)?, part(2)?)?;
                let or_zero = |at| if parts.len() > at { part(at) } else { Some(0) };
                let time = date.and_hms_opt(or_zero(3)?, or_zero(4)?, or_zero(5)?)?;
                Some(time.and_utc().timestamp_millis())
            }
        }
    }
}
