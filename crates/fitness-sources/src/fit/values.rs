//! Field values with their "not recorded" marks taken out.

use chrono::DateTime;
use fitness_core::calendar::Instant;
use rustyfit::profile::typedef::FitBaseType;
use rustyfit::proto::{Field, Message, Value};

/// Seconds from the start of 1970 to the last day of 1989, where FIT time begins.
const FIT_EPOCH: i64 = 631_065_600;
/// Below this a time counts from when the device was switched on, and says nothing about the day.
const FIRST_REAL_TIME: u32 = 0x1000_0000;

/// The fields of one message.
pub(super) struct Fields<'a>(&'a [Field]);

impl<'a> Fields<'a> {
    pub(super) fn of(message: &'a Message) -> Self {
        Self(&message.fields)
    }

    fn field(&self, number: u8) -> Option<&'a Field> {
        self.0.iter().find(|field| field.num == number)
    }

    pub(super) fn integer(&self, number: u8) -> Option<i64> {
        self.field(number).and_then(integer)
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
        match &self.field(number)?.value {
            Value::String(text) => tidy(text),
            Value::ArrayString(texts) => texts.iter().find_map(|text| tidy(text)),
            _ => None,
        }
    }

    pub(super) fn integers(&self, number: u8) -> Vec<i64> {
        self.field(number).map(integers).unwrap_or_default()
    }
}

/// A text without padding, control characters and endlessness; `None` when nothing is left.
pub(crate) fn tidy(text: &str) -> Option<String> {
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

/// A field's whole number; `None` where the device wrote "not recorded".
pub(super) fn integer(field: &Field) -> Option<i64> {
    let zero_is_nothing = matches!(
        field.base_type,
        FitBaseType::UINT8Z | FitBaseType::UINT16Z | FitBaseType::UINT32Z | FitBaseType::UINT64Z
    );
    let value = match &field.value {
        Value::Int8(v) if *v != i8::MAX => i64::from(*v),
        Value::Uint8(v) if *v != u8::MAX || zero_is_nothing => i64::from(*v),
        Value::Int16(v) if *v != i16::MAX => i64::from(*v),
        Value::Uint16(v) if *v != u16::MAX || zero_is_nothing => i64::from(*v),
        Value::Int32(v) if *v != i32::MAX => i64::from(*v),
        Value::Uint32(v) if *v != u32::MAX || zero_is_nothing => i64::from(*v),
        Value::Int64(v) if *v != i64::MAX => *v,
        Value::Uint64(v) => i64::try_from(*v).ok()?,
        Value::Float32(v) => from_float(f64::from(*v))?,
        Value::Float64(v) => from_float(*v)?,
        _ => return None,
    };
    (!(zero_is_nothing && value == 0)).then_some(value)
}

/// A developer field's number, which may well be a fraction.
pub(super) fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Int8(v) if *v != i8::MAX => f64::from(*v),
        Value::Uint8(v) if *v != u8::MAX => f64::from(*v),
        Value::Int16(v) if *v != i16::MAX => f64::from(*v),
        Value::Uint16(v) if *v != u16::MAX => f64::from(*v),
        Value::Int32(v) if *v != i32::MAX => f64::from(*v),
        Value::Uint32(v) if *v != u32::MAX => f64::from(*v),
        Value::Float32(v) => f64::from(*v),
        Value::Float64(v) => *v,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

#[expect(clippy::cast_possible_truncation, reason = "bounded just before")]
fn from_float(value: f64) -> Option<i64> {
    (value.is_finite() && value.abs() < 1e15).then(|| value.round() as i64)
}

fn integers(field: &Field) -> Vec<i64> {
    match &field.value {
        Value::ArrayUint8(values) => {
            values.iter().filter(|v| **v != u8::MAX).map(|v| i64::from(*v)).collect()
        }
        Value::ArrayUint16(values) => {
            values.iter().filter(|v| **v != u16::MAX).map(|v| i64::from(*v)).collect()
        }
        Value::ArrayUint32(values) => {
            values.iter().filter(|v| **v != u32::MAX).map(|v| i64::from(*v)).collect()
        }
        _ => integer(field).into_iter().collect(),
    }
}
