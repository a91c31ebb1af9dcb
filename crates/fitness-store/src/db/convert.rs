//! Conversion of stored values to core types.

use crate::db::error::{Error, Result};
use chrono::NaiveDate;
use fitness_core::domain::calendar::Day;
use sea_orm::prelude::Json;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Display;
use std::str::FromStr;

/// Parses a stored enum word, time zone or hash.
pub(crate) fn parse_text<T: FromStr<Err: Display>>(text: &str) -> Result<T> {
    text.parse().map_err(|error: T::Err| Error::Unreadable(error.to_string()))
}

pub(crate) fn day(date: NaiveDate) -> Result<Day> {
    Day::from_date(date).ok_or_else(|| Error::Unreadable(format!("{date} is not a training day")))
}

pub(crate) fn from_json<T: DeserializeOwned>(value: Json) -> Result<T> {
    serde_json::from_value(value).map_err(|error| Error::Unreadable(error.to_string()))
}

/// Converts a stored 64-bit integer to a smaller type.
pub(crate) fn narrow<T: TryFrom<i64>>(number: i64) -> Result<T> {
    T::try_from(number).map_err(|_| Error::Unreadable(format!("{number} is out of range")))
}

pub(crate) fn narrow_option<T: TryFrom<i64>>(number: Option<i64>) -> Result<Option<T>> {
    number.map(narrow).transpose()
}

pub(crate) fn to_json<T: Serialize>(value: &T) -> Json {
    serde_json::to_value(value).expect("core types are plain data, which always serializes")
}
