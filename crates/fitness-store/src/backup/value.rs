//! One value of one row: as JSON, which is the same for both databases, and as the database wants it.

use super::schema::{Column, ColumnKind};
use crate::db::error::{Error, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use sea_orm::{QueryResult, Value as Bound};
use serde_json::Value;

/// A row, one value a column.
pub(crate) type Row = Vec<Value>;

/// Bytes as a value.
pub(crate) fn bytes(bytes: &[u8]) -> Value {
    BASE64.encode(bytes).into()
}

/// Reads a value out of a row of a query.
pub(crate) fn read(row: &QueryResult, column: &Column) -> Result<Value> {
    let name = column.name.as_str();
    Ok(match column.kind {
        ColumnKind::Id | ColumnKind::Int => row.try_get::<Option<i64>>("", name)?.into(),
        ColumnKind::Real => match row.try_get::<Option<f64>>("", name)? {
            Some(value) if !value.is_finite() => {
                return Err(Error::Unreadable(format!("{name} is {value}, which is no number")));
            }
            other => other.into(),
        },
        ColumnKind::Bool => row.try_get::<Option<bool>>("", name)?.into(),
        ColumnKind::Bytes => row.try_get::<Option<Vec<u8>>>("", name)?.map(|found| bytes(&found)).into(),
        // As text: whether there is a value and whether the value is `null` are two questions.
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

/// The same value with its numbers as PostgreSQL tells them: it knows no negative zero, and writes large numbers out.
fn normalize_numbers(json: Value) -> Value {
    match json {
        Value::Number(number) if number.is_f64() => {
            let value = number.as_f64().unwrap_or_default();
            // From here on a float is printed with an exponent, and up to there it fits into an integer.
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

/// What a value is bound as. `None` when it is not what the column holds.
pub(crate) fn bind(value: &Value, kind: ColumnKind) -> Option<Bound> {
    /// Absent, or read from a text.
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
