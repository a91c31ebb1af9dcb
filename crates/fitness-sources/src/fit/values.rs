//! Typed access to the fields of a message.

use super::messages::{Field, Message, TIMESTAMP};
use chrono::DateTime;
use fitness_core::domain::calendar::Instant;

/// Seconds from the Unix epoch to the FIT epoch, 31 December 1989.
const FIT_EPOCH: i64 = 631_065_600;
/// Smaller values count seconds since the device was switched on.
const FIRST_REAL_TIME: u32 = 0x1000_0000;

pub(super) struct FitFields<'a>(&'a Message<'a>);

impl<'a> FitFields<'a> {
    pub(super) const fn new(message: &'a Message<'a>) -> Self {
        Self(message)
    }

    pub(super) fn integer(&self, number: u8) -> Option<i64> {
        match number {
            TIMESTAMP => self.0.time().map(i64::from),
            _ => self.0.field(number)?.integer(),
        }
    }

    /// An integer in a narrower type; `None` if it does not fit.
    pub(super) fn narrow<T: TryFrom<i64>>(&self, number: u8) -> Option<T> {
        self.integer(number).and_then(|value| T::try_from(value).ok())
    }

    /// The number divided by `scale`.
    pub(super) fn scaled(&self, number: u8, scale: f64) -> Option<f64> {
        self.integer(number).map(|value| value as f64 / scale)
    }

    pub(super) fn time(&self, number: u8) -> Option<Instant> {
        self.narrow(number).and_then(instant)
    }

    pub(super) fn text(&self, number: u8) -> Option<String> {
        self.0.field(number)?.strings().find_map(|text| clean_text(&text))
    }

    pub(super) fn integers(&self, number: u8) -> Vec<i64> {
        self.0.field(number).into_iter().flat_map(Field::integers).collect()
    }
}

/// Text without surrounding space and control characters, at most 200 characters; `None` if empty.
pub(crate) fn clean_text(text: &str) -> Option<String> {
    let clean: String = text.chars().filter(|c| !c.is_control()).take(200).collect();
    let clean = clean.trim();
    (!clean.is_empty()).then(|| clean.to_owned())
}

/// FIT time as an instant; `None` if the device clock was not set.
pub(super) fn instant(seconds: u32) -> Option<Instant> {
    unix_ms(seconds).and_then(DateTime::from_timestamp_millis)
}

/// FIT time in milliseconds since the Unix epoch; `None` if the device clock was not set.
pub(super) fn unix_ms(seconds: u32) -> Option<i64> {
    (seconds >= FIRST_REAL_TIME && seconds != u32::MAX).then(|| (i64::from(seconds) + FIT_EPOCH) * 1000)
}
