//! Typed reading of JSON fields that collects all errors.
//!
//! An invalid value is reported and read as absent. A response with any error is refused as a
//! whole, so a partly read value is never used.

use super::errors::{ValidationErrorCode, ValidationErrors, child_path, index_path, quote};
use super::json::Json;
use super::size_limits::MAX_TEXT_CHARS;
use crate::ParseEnumError;
use crate::domain::calendar::Day;
use crate::domain::untrusted_text::is_storable;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A value and its path.
pub(super) struct JsonNode<'j, 'f> {
    pub(super) json: &'j Json,
    pub(super) path: String,
    pub(super) errors: &'f mut ValidationErrors,
}

impl<'j, 'f> JsonNode<'j, 'f> {
    /// The last part of the path, as a message names it.
    fn name(&self) -> String {
        let last = self.path.rsplit('/').next().unwrap_or_default();
        if last.is_empty() { "the response".to_owned() } else { format!("`{last}`") }
    }

    fn add_error(self, code: ValidationErrorCode, message: &str) {
        self.errors.add(&self.path, code, message);
    }

    fn add_wrong_type(self, belongs: &str) {
        let is = match self.json {
            Json::Null => {
                let message =
                    format!("{} is null, but must be {belongs}. Omit a field without a value.", self.name());
                return self.add_error(ValidationErrorCode::WrongType, &message);
            }
            Json::Bool(value) => format!("{value}"),
            Json::Number(number) => format!("the number {number}"),
            Json::String(text) => format!("the string {}", quote(text)),
            Json::Array(_) => "an array".to_owned(),
            Json::Object(_) => "an object".to_owned(),
        };
        let message = format!("{} is {is}, but must be {belongs}.", self.name());
        self.add_error(ValidationErrorCode::WrongType, &message);
    }

    /// The fields of an object; unknown ones are errors.
    pub(super) fn fields(self, what: &str, known: &[&str]) -> Option<Fields<'j, 'f>> {
        let Json::Object(entries) = self.json else {
            self.add_wrong_type("an object");
            return None;
        };
        for (key, _) in entries.iter().filter(|(key, _)| !known.contains(&key.as_str())) {
            if self.errors.is_full() {
                break;
            }
            let message =
                format!("{} is not a field of {what}. Its fields are: {}.", quote(key), known.join(", "));
            self.errors.add(&child_path(&self.path, key), ValidationErrorCode::UnknownField, message);
        }
        Some(Fields { entries, path: self.path, errors: self.errors })
    }

    /// A text of at most `most` characters; not blank if `needed`.
    pub(super) fn text(self, most: usize, needed: bool) -> Option<String> {
        let Json::String(text) = self.json else {
            self.add_wrong_type("a string");
            return None;
        };
        let name = self.name();
        let length = text.chars().count();
        if needed && text.trim().is_empty() {
            self.add_error(ValidationErrorCode::EmptyText, &format!("{name} is empty, but required."));
        } else if length > most {
            let message = format!("{name} has {length} characters; it may have at most {most}.");
            self.add_error(ValidationErrorCode::TooLong, &message);
        } else if !is_storable(text) {
            let message = format!("{name} contains a NUL character (\\u0000). Remove it.");
            self.add_error(ValidationErrorCode::NotStorable, &message);
        } else {
            return Some(text.clone());
        }
        None
    }

    pub(super) fn number(self, bounds: &RangeInclusive<f64>, unit: &str) -> Option<f64> {
        let Json::Number(number) = *self.json else {
            self.add_wrong_type("a number");
            return None;
        };
        if bounds.contains(&number) {
            return Some(number);
        }
        let (low, high) = (bounds.start(), bounds.end());
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        let message = format!("{} is {number}; it must be between {low} and {high}{unit}.", self.name());
        self.add_error(ValidationErrorCode::OutOfRange, &message);
        None
    }
}

pub(super) fn read_number(spot: JsonNode<'_, '_>) -> Option<f64> {
    spot.number(&(f64::MIN..=f64::MAX), "")
}

/// A value of a string enum.
pub(super) fn read_word<T: FromStr<Err = ParseEnumError>>(spot: JsonNode<'_, '_>) -> Option<T> {
    let Json::String(text) = spot.json else {
        spot.add_wrong_type("a string");
        return None;
    };
    match text.parse() {
        Ok(word) => Some(word),
        Err(unknown) => {
            let message =
                format!("{} is {}; it must be one of: {}.", spot.name(), quote(text), unknown.expected);
            spot.add_error(ValidationErrorCode::UnknownWord, &message);
            None
        }
    }
}

pub(super) fn read_day(spot: JsonNode<'_, '_>) -> Option<Day> {
    let Json::String(text) = spot.json else {
        spot.add_wrong_type("a string");
        return None;
    };
    let day = text.parse().ok();
    if day.is_none() {
        let message = format!(
            "{} is {}, which is not a calendar date. Write it as YYYY-MM-DD, such as 2024-01-15.",
            spot.name(),
            quote(text)
        );
        spot.add_error(ValidationErrorCode::BadDate, &message);
    }
    day
}

/// The fields of one object.
pub(super) struct Fields<'j, 'f> {
    entries: &'j [(String, Json)],
    path: String,
    errors: &'f mut ValidationErrors,
}

impl<'j> Fields<'j, '_> {
    fn find(&self, name: &str) -> Option<&'j Json> {
        self.entries.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Whether a field is present, with any value.
    pub(super) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    pub(super) fn is_object(&self, name: &str) -> bool {
        matches!(self.find(name), Some(Json::Object(_)))
    }

    pub(super) fn is_zero(&self, name: &str) -> bool {
        matches!(self.find(name), Some(Json::Number(number)) if *number == 0.0)
    }

    pub(super) fn is_empty_list(&self, name: &str) -> bool {
        matches!(self.find(name), Some(Json::Array(entries)) if entries.is_empty())
    }

    /// Whether an object among the fields has a field.
    pub(super) fn has_nested(&self, name: &str, inner: &str) -> bool {
        matches!(self.find(name), Some(Json::Object(entries)) if entries.iter().any(|(key, _)| key == inner))
    }

    /// Whether an object among the fields has no field but one.
    pub(super) fn has_only_nested(&self, name: &str, inner: &str) -> bool {
        matches!(self.find(name), Some(Json::Object(entries)) if entries.iter().all(|(key, _)| key == inner))
    }

    /// Reports an error of the object itself.
    pub(super) fn add_error(&mut self, code: ValidationErrorCode, message: &str) {
        self.errors.add(&self.path, code, message);
    }

    /// Reports an error of a field.
    pub(super) fn add_error_at(&mut self, name: &str, code: ValidationErrorCode, message: &str) {
        self.errors.add(&child_path(&self.path, name), code, message);
    }

    /// Reports a missing field and why it is needed. The name may be a path into an object.
    pub(super) fn add_missing(&mut self, name: &str, why: &str) {
        let last = name.rsplit('/').next().unwrap_or(name);
        let why = if why.is_empty() { String::new() } else { format!(": {why}") };
        let message = format!("The required field `{last}` is missing{why}.");
        self.errors.add(&format!("{}/{name}", self.path), ValidationErrorCode::MissingField, message);
    }

    /// Reads a field if present.
    pub(super) fn optional<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(JsonNode<'j, '_>) -> Option<T>,
    ) -> Option<T> {
        let json = self.find(name)?;
        read(JsonNode { json, path: child_path(&self.path, name), errors: self.errors })
    }

    /// Reads a required field.
    pub(super) fn required<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(JsonNode<'j, '_>) -> Option<T>,
    ) -> Option<T> {
        if !self.has(name) {
            self.add_missing(name, "");
        }
        self.optional(name, read)
    }

    pub(super) fn number(&mut self, name: &str, bounds: &RangeInclusive<f64>, unit: &str) -> Option<f64> {
        self.optional(name, |spot| spot.number(bounds, unit))
    }

    pub(super) fn required_number(
        &mut self,
        name: &str,
        bounds: &RangeInclusive<f64>,
        unit: &str,
    ) -> Option<f64> {
        self.required(name, |spot| spot.number(bounds, unit))
    }

    pub(super) fn optional_text(&mut self, name: &str) -> Option<String> {
        self.optional(name, |spot| spot.text(MAX_TEXT_CHARS, false))
    }

    pub(super) fn object<T>(
        &mut self,
        name: &str,
        known: &[&str],
        read: impl FnOnce(Fields<'j, '_>) -> Option<T>,
    ) -> Option<T> {
        self.optional(name, |spot| spot.fields(&format!("`{name}`"), known).and_then(read))
    }

    /// An object of `from` and `to`.
    pub(super) fn optional_from_to<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(Fields<'j, '_>) -> Option<T>,
    ) -> Option<T> {
        self.optional(name, |spot| {
            if let Json::Number(_) | Json::String(_) = spot.json {
                let value = match spot.json {
                    Json::Number(number) => number.to_string(),
                    _ => "a string".to_owned(),
                };
                let message = format!(
                    "`{name}` is {value}, but must be an object: {{\"from\": old value, \"to\": new value}}."
                );
                spot.add_error(ValidationErrorCode::NeedsFromTo, &message);
                return None;
            }
            spot.fields(&format!("`{name}`"), &["from", "to"]).and_then(read)
        })
    }

    /// A list of at most `most` entries; the rest is not read.
    pub(super) fn list<T>(
        &mut self,
        name: &str,
        most: usize,
        mut read: impl FnMut(JsonNode<'j, '_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        self.optional(name, |spot| {
            let Json::Array(entries) = spot.json else {
                spot.add_wrong_type("an array");
                return None;
            };
            if entries.len() > most {
                let message = format!("`{name}` has {} entries; it may have at most {most}.", entries.len());
                spot.errors.add(&spot.path, ValidationErrorCode::TooMany, message);
            }
            let mut list = Vec::new();
            for (index, json) in entries.iter().take(most).enumerate() {
                let path = index_path(&spot.path, index);
                list.extend(read(JsonNode { json, path, errors: spot.errors }));
            }
            Some(list)
        })
    }
}
