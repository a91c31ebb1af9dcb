//! Lenient access to JSON values. Absent, null and out-of-range values are `None`, never zero.

use chrono::{DateTime, NaiveDateTime};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::units::{Distance, TimeSpan};
use serde_json::Value;
use std::ops::RangeInclusive;

/// The value at a dotted path.
pub(crate) fn value_at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |value, name| value.get(name)).filter(|value| !value.is_null())
}

/// The first path with a number in range.
pub(crate) fn number(value: &Value, paths: &[&str], bounds: RangeInclusive<f64>) -> Option<f64> {
    paths.iter().find_map(|path| value_at(value, path)?.as_f64().filter(|number| bounds.contains(number)))
}

#[expect(clippy::cast_possible_truncation, reason = "a float beyond the bounds of i64 saturates")]
pub(crate) fn integer<T: TryFrom<i64>>(
    value: &Value,
    paths: &[&str],
    bounds: RangeInclusive<f64>,
) -> Option<T> {
    T::try_from(number(value, paths, bounds)?.round() as i64).ok()
}

/// Seconds; `None` for zero, which means not measured.
pub(crate) fn seconds(value: &Value, path: &str) -> Option<TimeSpan> {
    TimeSpan::from_seconds(value_at(value, path)?.as_f64()?).filter(|span| *span > TimeSpan::ZERO)
}

pub(crate) fn meters(value: &Value, path: &str) -> Option<Distance> {
    Distance::from_meters(value_at(value, path)?.as_f64()?)
}

/// Text without surrounding space and control characters, at most 200 characters.
pub(crate) fn text(value: &Value, path: &str) -> Option<String> {
    let clean: String =
        value_at(value, path)?.as_str()?.chars().filter(|c| !c.is_control()).take(200).collect();
    let clean = clean.trim();
    (!clean.is_empty()).then(|| clean.to_owned())
}

/// An id, as an integer or a string.
pub(crate) fn id(value: &Value, path: &str) -> Option<String> {
    let id = match value_at(value, path)? {
        Value::Number(number) => number.as_u64()?.to_string(),
        Value::String(text) => text.clone(),
        _ => return None,
    };
    // It becomes part of a URL.
    let sound = (1..=64).contains(&id.len())
        && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    sound.then_some(id)
}

/// A date, optionally followed by a time.
pub(crate) fn day(value: &Value, path: &str) -> Option<Day> {
    value_at(value, path)?.as_str()?.get(..10)?.parse().ok()
}

pub(crate) fn millis(value: &Value) -> Option<Instant> {
    DateTime::from_timestamp_millis(value.as_i64()?).filter(|at| at.timestamp() > 0)
}

/// A date and time without a zone, with a space or `T`, optionally with a fraction.
pub(crate) fn local_time(value: &Value, path: &str) -> Option<NaiveDateTime> {
    let text = value_at(value, path)?.as_str()?.trim_end_matches('Z');
    ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"]
        .iter()
        .find_map(|format| NaiveDateTime::parse_from_str(text, format).ok())
}

/// A list: bare, in `data`, or in the only field that is a list.
pub(crate) fn entries(value: &Value) -> Option<&[Value]> {
    match value {
        Value::Array(entries) => Some(entries),
        Value::Object(fields) => {
            let mut lists = fields.values().filter_map(Value::as_array);
            match (fields.get("data").and_then(Value::as_array), lists.next(), lists.next()) {
                (Some(entries), _, _) | (None, Some(entries), None) => Some(entries),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Range of UTC offsets in seconds.
pub(crate) const UTC_OFFSETS: RangeInclusive<i64> = -18 * 3600..=18 * 3600;

/// Local time minus UTC in seconds, rounded to 15 minutes.
pub(crate) fn offset(local: NaiveDateTime, utc: NaiveDateTime) -> Option<i32> {
    let apart = (local - utc).num_seconds();
    let rounded = (apart + 450).div_euclid(900) * 900;
    (UTC_OFFSETS.contains(&rounded) && (apart - rounded).abs() < 60)
        .then(|| i32::try_from(rounded).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn absent_null_and_out_of_range_are_none() {
        let value = json!({"a": {"b": 52.4, "n": null, "s": "52"}, "stress": -1});
        assert_eq!(integer::<u16>(&value, &["a.b"], 20.0..=250.0), Some(52));
        for path in ["a.n", "a.s", "a.c", "b.b", "stress"] {
            assert_eq!(integer::<u16>(&value, &[path], 0.0..=250.0), None, "{path}");
        }
        assert_eq!(integer::<u16>(&value, &["a.n", "a.b"], 0.0..=250.0), Some(52));
    }

    #[test]
    fn list_is_found_in_object() {
        for (envelope, count) in [
            (json!([1, 2]), Some(2)),
            (json!({"data": [1], "other": [1, 2]}), Some(1)),
            (json!({"nights": [1, 2, 3], "total": 3}), Some(3)),
            (json!({"a": [], "b": []}), None),
            (json!("text"), None),
        ] {
            assert_eq!(entries(&envelope).map(<[Value]>::len), count, "{envelope}");
        }
    }

    #[test]
    fn offset_is_rounded_to_quarter_hours() {
        let time = |text: &str| local_time(&json!({"t": text}), "t").unwrap();
        assert_eq!(offset(time("2026-01-08 08:10:21"), time("2026-01-08T14:10:21.0")), Some(-6 * 3600));
        assert_eq!(offset(time("2026-01-08 19:55:22"), time("2026-01-08 14:10:21")), Some(20_700));
        assert_eq!(offset(time("2026-01-10 08:10:21"), time("2026-01-08 14:10:21")), None);
    }

    #[test]
    fn id_is_safe_in_a_url() {
        for (value, expected) in [
            (json!(21), Some("21")),
            (json!("i55_a-b"), Some("i55_a-b")),
            (json!("a/../b"), None),
            (json!(1.5), None),
            (json!(""), None),
        ] {
            assert_eq!(id(&json!({"id": value}), "id").as_deref(), expected);
        }
    }
}
