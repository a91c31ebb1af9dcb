//! A single column value: as JSON, the same for both databases, and as a bound parameter.

use super::schema::{Column, ColumnKind};
use crate::db::error::{Error, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use sea_orm::{QueryResult, Value as Bound};
use serde_json::Value;

/// One value per column.
pub(crate) type Row = Vec<Value>;

pub(crate) fn bytes(bytes: &[u8]) -> Value {
    BASE64.encode(bytes).into()
}

pub(crate) fn read(row: &QueryResult, column: &Column) -> Result<Value> {
    let name = column.name.as_str();
    Ok(match column.kind {
        ColumnKind::Id | ColumnKind::Int => row.try_get::<Option<i64>>("", name)?.into(),
        ColumnKind::Real => match row.try_get::<Option<f64>>("", name)? {
            Some(value) if !value.is_finite() => {
                return Err(Error::Unreadable(format!("{name} is {value}, not a number")));
            }
            other => other.into(),
        },
        ColumnKind::Bool => row.try_get::<Option<bool>>("", name)?.into(),
        ColumnKind::Bytes => row.try_get::<Option<Vec<u8>>>("", name)?.map(|found| bytes(&found)).into(),
        // Read as text, to tell SQL NULL from JSON `null`.
        ColumnKind::Json => {
            row.try_get::<Option<Value>>("", name)?.map(|json| normalize_numbers(json).to_string()).into()
        }
        ColumnKind::Day => row.try_get::<Option<NaiveDate>>("", name)?.map(|day| day.to_string()).into(),
        ColumnKind::Instant => row
            .try_get::<Option<DateTime<Utc>>>("", name)?
            .map(|at| at.to_rfc3339_opts(SecondsFormat::Micros, true))
            .into(),
        ColumnKind::Text => row.try_get::<Option<String>>("", name)?.into(),
        ColumnKind::External => Value::Null,
    })
}

/// Normalizes numbers to PostgreSQL's form: no negative zero, and large numbers without an
/// exponent.
fn normalize_numbers(json: Value) -> Value {
    match json {
        Value::Number(number) if number.is_f64() => {
            let value = number.as_f64().unwrap_or_default();
            // From 1e16 on a float is printed with an exponent; below 1.8e19 it fits into an
            // integer.
            let large = (1e16..1.8e19).contains(&value.abs()) && value > -9.2e18;
            match value {
                0.0 => Value::from(0.0),
                _ if large && value > 0.0 => Value::from(value as u64),
                _ if large => Value::from(value as i64),
                _ => Value::Number(number),
            }
        }
        Value::Array(items) => items.into_iter().map(normalize_numbers).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, normalize_numbers(value))).collect()
        }
        other => other,
    }
}

/// The parameter to bind. `None` if the value does not fit the column.
pub(crate) fn bind(value: &Value, kind: ColumnKind) -> Option<Bound> {
    /// NULL, or parsed from text.
    fn text<T>(value: &Value, read: impl FnOnce(&str) -> Option<T>) -> Option<Option<T>> {
        match value {
            Value::Null => Some(None),
            Value::String(text) => read(text).map(Some),
            _ => None,
        }
    }
    Some(match kind {
        ColumnKind::Id | ColumnKind::Int => match value {
            Value::Null => Bound::from(None::<i64>),
            other => other.as_i64()?.into(),
        },
        ColumnKind::Real => match value {
            Value::Null => Bound::from(None::<f64>),
            other => other.as_f64()?.into(),
        },
        ColumnKind::Bool => match value {
            Value::Null => Bound::from(None::<bool>),
            other => other.as_bool()?.into(),
        },
        ColumnKind::Bytes | ColumnKind::External => text(value, |text| BASE64.decode(text).ok())?.into(),
        ColumnKind::Json => text(value, |text| serde_json::from_str::<Value>(text).ok())?.into(),
        ColumnKind::Day => text(value, |text| text.parse::<NaiveDate>().ok())?.into(),
        ColumnKind::Instant => text(value, |text| text.parse::<DateTime<Utc>>().ok())?.into(),
        ColumnKind::Text => text(value, |text| Some(text.to_owned()))?.into(),
    })
}
