//! Walking through a value: a spot in it, the fields of an object, and a fault for whatever does not belong.
//!
//! A bad value is noted and read as absent; an answer with any fault is refused as a whole, so nothing made from a
//! half-read value is ever used.

use super::errors::{FaultCode, Faults, below, entry, quoted};
use super::json::Json;
use super::size_limits::MAX_WORDS;
use crate::UnknownWord;
use crate::domain::calendar::Day;
use crate::domain::untrusted_text::is_storable;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// One value and where it is.
pub(super) struct Spot<'j, 'f> {
    pub(super) json: &'j Json,
    pub(super) path: String,
    pub(super) faults: &'f mut Faults,
}

impl<'j, 'f> Spot<'j, 'f> {
    /// The last part of the path, as a message names it.
    fn name(&self) -> String {
        let last = self.path.rsplit('/').next().unwrap_or_default();
        if last.is_empty() { "the answer".to_owned() } else { format!("`{last}`") }
    }

    fn refuse(self, code: FaultCode, message: &str) {
        self.faults.add(&self.path, code, message);
    }

    /// A value of another type than belongs here. What could not be read at all has its fault already.
    fn wrong_type(self, belongs: &str) {
        let is = match self.json {
            Json::Broken => return,
            Json::Null => {
                let message = format!(
                    "{} is null, but must be {belongs}. A field without a value is left out.",
                    self.name()
                );
                return self.refuse(FaultCode::WrongType, &message);
            }
            Json::Bool(value) => format!("{value}"),
            Json::Number(number) => format!("the number {number}"),
            Json::String(text) => format!("the string {}", quoted(text)),
            Json::Array(_) => "an array".to_owned(),
            Json::Object(_) => "an object".to_owned(),
        };
        let message = format!("{} is {is}, but must be {belongs}.", self.name());
        self.refuse(FaultCode::WrongType, &message);
    }

    /// The fields of an object; every one that is not known is a fault.
    pub(super) fn fields(self, what: &str, known: &[&str]) -> Option<Fields<'j, 'f>> {
        let Json::Object(entries) = self.json else {
            self.wrong_type("an object");
            return None;
        };
        for (key, _) in entries.iter().filter(|(key, _)| !known.contains(&key.as_str())) {
            if self.faults.enough_already() {
                break;
            }
            let message =
                format!("{} is not a field of {what}. Its fields are: {}.", quoted(key), known.join(", "));
            self.faults.add(&below(&self.path, key), FaultCode::UnknownField, message);
        }
        Some(Fields { entries, path: self.path, faults: self.faults })
    }

    /// A text of at most so many characters, which may have to say something.
    pub(super) fn text(self, most: usize, needed: bool) -> Option<String> {
        let Json::String(text) = self.json else {
            self.wrong_type("a string");
            return None;
        };
        let name = self.name();
        let length = text.chars().count();
        if needed && text.trim().is_empty() {
            self.refuse(FaultCode::EmptyText, &format!("{name} is empty; it must say something."));
        } else if length > most {
            let message = format!("{name} has {length} characters; it may have at most {most}.");
            self.refuse(FaultCode::TooLong, &message);
        } else if !is_storable(text) {
            let message = format!("{name} holds a NUL character (\\u0000). Leave it out.");
            self.refuse(FaultCode::NotStorable, &message);
        } else {
            return Some(text.clone());
        }
        None
    }

    /// A number within bounds.
    pub(super) fn number(self, bounds: &RangeInclusive<f64>, unit: &str) -> Option<f64> {
        let Json::Number(number) = *self.json else {
            self.wrong_type("a number");
            return None;
        };
        if bounds.contains(&number) {
            return Some(number);
        }
        let (low, high) = (bounds.start(), bounds.end());
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        let message = format!("{} is {number}; it must be between {low} and {high}{unit}.", self.name());
        self.refuse(FaultCode::OutOfRange, &message);
        None
    }
}

/// A number of any size.
pub(super) fn any_number(spot: Spot<'_, '_>) -> Option<f64> {
    spot.number(&(f64::MIN..=f64::MAX), "")
}

/// One of the words of a list.
pub(super) fn word<T: FromStr<Err = UnknownWord>>(spot: Spot<'_, '_>) -> Option<T> {
    let Json::String(text) = spot.json else {
        spot.wrong_type("a string");
        return None;
    };
    match text.parse() {
        Ok(word) => Some(word),
        Err(unknown) => {
            let message =
                format!("{} is {}; it must be one of: {}.", spot.name(), quoted(text), unknown.expected);
            spot.refuse(FaultCode::UnknownWord, &message);
            None
        }
    }
}

/// A calendar day.
pub(super) fn calendar_day(spot: Spot<'_, '_>) -> Option<Day> {
    let Json::String(text) = spot.json else {
        spot.wrong_type("a string");
        return None;
    };
    let day = text.parse().ok();
    if day.is_none() {
        let message = format!(
            "{} is {}, which is not a calendar date. Write it as YYYY-MM-DD, such as 2024-01-15.",
            spot.name(),
            quoted(text)
        );
        spot.refuse(FaultCode::BadDate, &message);
    }
    day
}

/// The fields of one object.
pub(super) struct Fields<'j, 'f> {
    entries: &'j [(String, Json)],
    path: String,
    faults: &'f mut Faults,
}

impl<'j> Fields<'j, '_> {
    fn find(&self, name: &str) -> Option<&'j Json> {
        self.entries.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Whether a field is there, whatever it holds.
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
    pub(super) fn has_below(&self, name: &str, inner: &str) -> bool {
        matches!(self.find(name), Some(Json::Object(entries)) if entries.iter().any(|(key, _)| key == inner))
    }

    /// Whether an object among the fields has no field but one.
    pub(super) fn holds_only(&self, name: &str, inner: &str) -> bool {
        matches!(self.find(name), Some(Json::Object(entries)) if entries.iter().all(|(key, _)| key == inner))
    }

    /// A fault of the object itself.
    pub(super) fn refuse(&mut self, code: FaultCode, message: &str) {
        self.faults.add(&self.path, code, message);
    }

    /// A fault of one of its fields.
    pub(super) fn refuse_at(&mut self, name: &str, code: FaultCode, message: &str) {
        self.faults.add(&below(&self.path, name), code, message);
    }

    /// Notes that a field is missing, and why it is needed. The name may lead into an object.
    pub(super) fn miss(&mut self, name: &str, why: &str) {
        let last = name.rsplit('/').next().unwrap_or(name);
        let why = if why.is_empty() { String::new() } else { format!(": {why}") };
        let message = format!("The required field `{last}` is missing{why}.");
        self.faults.add(&format!("{}/{name}", self.path), FaultCode::MissingField, message);
    }

    /// Reads a field where it is there.
    pub(super) fn optional<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(Spot<'j, '_>) -> Option<T>,
    ) -> Option<T> {
        let json = self.find(name)?;
        read(Spot { json, path: below(&self.path, name), faults: self.faults })
    }

    /// Reads a field that must be there.
    pub(super) fn needed<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(Spot<'j, '_>) -> Option<T>,
    ) -> Option<T> {
        if !self.has(name) {
            self.miss(name, "");
        }
        self.optional(name, read)
    }

    pub(super) fn number(&mut self, name: &str, bounds: &RangeInclusive<f64>, unit: &str) -> Option<f64> {
        self.optional(name, |spot| spot.number(bounds, unit))
    }

    pub(super) fn needed_number(
        &mut self,
        name: &str,
        bounds: &RangeInclusive<f64>,
        unit: &str,
    ) -> Option<f64> {
        self.needed(name, |spot| spot.number(bounds, unit))
    }

    /// A description, a note, a reason.
    pub(super) fn words(&mut self, name: &str) -> Option<String> {
        self.optional(name, |spot| spot.text(MAX_WORDS, false))
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
    pub(super) fn before_after<T>(
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
                    "`{name}` is {value}, but must be an object: {{\"from\": what it was, \"to\": what it becomes}}."
                );
                spot.refuse(FaultCode::NeedsFromTo, &message);
                return None;
            }
            spot.fields(&format!("`{name}`"), &["from", "to"]).and_then(read)
        })
    }

    /// A list of at most so many entries; those beyond are not looked at.
    pub(super) fn list<T>(
        &mut self,
        name: &str,
        most: usize,
        mut read: impl FnMut(Spot<'j, '_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        self.optional(name, |spot| {
            let Json::Array(entries) = spot.json else {
                spot.wrong_type("an array");
                return None;
            };
            if entries.len() > most {
                let message = format!("`{name}` has {} entries; it may have at most {most}.", entries.len());
                spot.faults.add(&spot.path, FaultCode::TooMany, message);
            }
            let mut list = Vec::new();
            for (index, json) in entries.iter().take(most).enumerate() {
                let path = entry(&spot.path, index);
                list.extend(read(Spot { json, path, faults: spot.faults }));
            }
            Some(list)
        })
    }
}
