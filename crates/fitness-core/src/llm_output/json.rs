//! Parses model output with `serde_json` into a value that keeps the order of keys.
//!
//! A syntax error ends parsing, so it is reported alone or after the duplicate keys before it.

use super::errors::{ValidationErrorCode, ValidationErrors, child_path, index_path, quote};
use super::size_limits::{MAX_BYTES, MAX_DEPTH};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt;

/// A JSON value with keys in their original order.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Number(f64),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// Parses one JSON value. `None` if it cannot be read, with the reason in `errors`.
pub(super) fn parse(bytes: &[u8], errors: &mut ValidationErrors) -> Option<Json> {
    let (code, reason) = match std::str::from_utf8(bytes) {
        _ if bytes.len() > MAX_BYTES => {
            (ValidationErrorCode::TooLarge, format!("larger than {} KiB", MAX_BYTES >> 10))
        }
        Err(_) => (ValidationErrorCode::NotText, "not UTF-8 text".to_owned()),
        Ok(text) if text.trim().is_empty() => (ValidationErrorCode::EmptyInput, "empty".to_owned()),
        Ok(text) => match parse_text(text, errors) {
            Ok(value) => return Some(value),
            // The depth limit, which is already reported.
            Err(error) if error.is_data() => return None,
            Err(error) => (ValidationErrorCode::Syntax, format!("not valid JSON: {error}")),
        },
    };
    let message = format!(
        "The response is {reason}. Return one JSON object and nothing else: no code fence, comments or text around it."
    );
    errors.add("", code, message);
    None
}

fn parse_text(text: &str, errors: &mut ValidationErrors) -> serde_json::Result<Json> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = ValueSeed { path: String::new(), depth: 0, errors }.deserialize(&mut deserializer)?;
    deserializer.end().map(|()| value)
}

/// Reads the value at a path.
struct ValueSeed<'a> {
    path: String,
    /// Number of arrays and objects around the value.
    depth: usize,
    errors: &'a mut ValidationErrors,
}

impl ValueSeed<'_> {
    fn child(&mut self, path: String) -> ValueSeed<'_> {
        ValueSeed { path, depth: self.depth + 1, errors: self.errors }
    }

    fn check_depth<E: Error>(&mut self) -> Result<(), E> {
        if self.depth < MAX_DEPTH {
            return Ok(());
        }
        let message = format!("The value is nested more than {MAX_DEPTH} levels deep. Follow the schema.");
        self.errors.add(&self.path, ValidationErrorCode::TooDeep, message);
        Err(E::custom("too deep"))
    }
}

impl<'de> DeserializeSeed<'de> for ValueSeed<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(Json::Number(number as f64))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(Json::Number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json, E> {
        Ok(Json::Number(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::String(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<Json, A::Error> {
        self.check_depth()?;
        let mut entries = Vec::new();
        while let Some(entry) = seq.next_element_seed(self.child(index_path(&self.path, entries.len())))? {
            entries.push(entry);
        }
        Ok(Json::Array(entries))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Json, A::Error> {
        self.check_depth()?;
        let (mut fields, mut seen) = (Vec::new(), BTreeSet::new());
        while let Some(key) = map.next_key::<String>()? {
            let path = child_path(&self.path, &key);
            let value = map.next_value_seed(self.child(path.clone()))?;
            if seen.insert(key.clone()) {
                fields.push((key, value));
            } else {
                let message = format!("Duplicate key {} in an object. Write it once.", quote(&key));
                self.errors.add(&path, ValidationErrorCode::DuplicateKey, message);
            }
        }
        Ok(Json::Object(fields))
    }
}
