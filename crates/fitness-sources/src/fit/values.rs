//! The fields of a message in the units and types they are wanted in.

use super::messages::{Field, Message, TIMESTAMP};
use chrono::DateTime;
use fitness_core::domain::calendar::Instant;

/// Seconds from the start of 1970 to the last day of 1989, where FIT time begins.
const FIT_EPOCH: i64 = 631_065_600;
/// Below this a time counts from when the device was switched on, and says nothing about the day.
const FIRST_REAL_TIME: u32 = 0x1000_0000;

/// The fields of one message.
pub(super) struct Fields<'a>(&'a Message<'a>);

impl<'a> Fields<'a> {
    pub(super) const fn new(message: &'a Message<'a>) -> Self {
        Self(message)
    }

    pub(super) fn integer(&self, number: u8) -> Option<i64> {
        match number {
            TIMESTAMP => self.0.time().map(i64::from),
            _ => self.0.field(number)?.integer(),
        }
    }

    /// A whole number in a narrower type; `None` when it does not fit.
    pub(super) fn narrow<T: TryFrom<i64>>(&self, number: u8) -> Option<T> {
        self.integer(number).and_then(|value| T::try_from(value).ok())
    }

    /// A number divided by its scale.
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

/// A text without padding, control characters and endlessness; `None` when nothing is left.
pub(crate) fn clean_text(text: &str) -> Option<String> {
    let clean: String = text.chars().filter(|c| !c.is_control()).take(200).collect();
    let clean = clean.trim();
    (!clean.is_empty()).then(|| clean.to_owned())
}

/// A FIT time as an instant; `None` for a device whose clock was not set.
pub(super) fn instant(seconds: u32) -> Option<Instant> {
    (seconds >= FIRST_REAL_TIME && seconds != u32::MAX)
        .then(|| DateTime::from_timestamp(i64::from(seconds) + FIT_EPOCH, 0))
        .flatten()
}
