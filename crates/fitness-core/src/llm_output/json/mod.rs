//! From text to a JSON value, with everything that is wrong with the text.
//!
//! A strict parser stops at the first fault. A model that is told of one fault in each round never gets done, so
//! this reader goes on behind everything whose meaning is plain: prose around the value, fences, comments,
//! trailing commas, single quotes, `NaN`. Each is a fault; none is forgiven. What has no fault here is JSON by
//! any parser's standard, which the tests and the fuzz target hold against `serde_json`.

mod string;
mod surrounding_text;

use super::errors::{ValidationErrorCode, ValidationErrors, child_path, index_path, quote};
use super::size_limits::{MAX_BYTES, MAX_DEPTH};
use std::collections::BTreeSet;

/// A JSON value that keeps its keys in order.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Number(f64),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
    /// Something unreadable, about which a fault has been noted.
    Broken,
}

/// The value in a text; `None` when not enough of it can be read to say what it means. What the athlete should read
/// belongs in the field that is named, not around the value.
pub(super) fn parse(bytes: &[u8], words_in: &'static str, faults: &mut ValidationErrors) -> Option<Json> {
    if bytes.len() > MAX_BYTES {
        let message = format!("The answer is larger than {} KiB. Write one JSON object.", MAX_BYTES >> 10);
        faults.add("", ValidationErrorCode::TooLarge, message);
        return None;
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        faults.add("", ValidationErrorCode::NotText, "The answer is not UTF-8 text. Write one JSON object.");
        return None;
    };
    if text.trim().is_empty() {
        faults.add("", ValidationErrorCode::EmptyInput, "The answer is empty. Write one JSON object.");
        return None;
    }
    let mut reader = Reader { text, position: 0, message_field: words_in, errors: faults, stopped: false };
    let value = reader.document();
    if reader.stopped { None } else { value }
}

struct Reader<'a> {
    text: &'a str,
    position: usize,
    message_field: &'static str,
    errors: &'a mut ValidationErrors,
    /// What follows cannot be made sense of.
    stopped: bool,
}

impl<'a> Reader<'a> {
    fn value(&mut self, path: &str, depth: usize) -> Json {
        match self.peek() {
            Some('{' | '[') if depth >= MAX_DEPTH => {
                let message =
                    format!("The value is nested more than {MAX_DEPTH} deep; nothing in the contract is.");
                self.errors.add(path, ValidationErrorCode::TooDeep, message);
                self.stopped = true;
                Json::Broken
            }
            Some('{') => self.object(path, depth),
            Some('[') => self.array(path, depth),
            Some('"') => self.string(path).map_or(Json::Broken, Json::String),
            Some('\'') => self.single_quoted(path),
            Some('.' | '…') if self.placeholder(path) => Json::Broken,
            Some(c) if c.is_alphanumeric() || "+-.$_".contains(c) => self.literal(path),
            Some(c) => self.stop(path, &format!("There is {} where a value belongs.", quote(&c.to_string()))),
            None => self.unfinished(path),
        }
    }

    fn object(&mut self, path: &str, depth: usize) -> Json {
        self.position += 1;
        let mut fields = Vec::new();
        let mut seen = BTreeSet::new();
        let mut whole = true;
        let mut comma = false;
        loop {
            self.skip_whitespace(path);
            match self.peek() {
                Some('}') => {
                    self.position += 1;
                    if comma {
                        self.trailing_comma(path, "}");
                    }
                    // What a placeholder stands for is unknown, and so is what is missing.
                    return if whole { Json::Object(fields) } else { Json::Broken };
                }
                Some('.' | '…') if self.placeholder(path) => {
                    whole = false;
                    comma = self.comma_or_end(path, '}');
                    if self.stopped {
                        return Json::Broken;
                    }
                    continue;
                }
                None => return self.unfinished(path),
                _ => {}
            }
            let Some(key) = self.key(path) else { return Json::Broken };
            let here = child_path(path, &key);
            self.skip_whitespace(&here);
            if self.peek() != Some(':') {
                return self.stop(&here, &format!("After the key {} there must be `:`.", quote(&key)));
            }
            self.position += 1;
            self.skip_whitespace(&here);
            let value = self.value(&here, depth + 1);
            if self.stopped {
                return Json::Broken;
            }
            if seen.insert(key.clone()) {
                fields.push((key, value));
            } else {
                let message = format!("The key {} is there twice in one object. Write it once.", quote(&key));
                self.errors.add(&here, ValidationErrorCode::DuplicateKey, message);
            }
            comma = self.comma_or_end(path, '}');
            if self.stopped {
                return Json::Broken;
            }
        }
    }

    fn array(&mut self, path: &str, depth: usize) -> Json {
        self.position += 1;
        let mut entries = Vec::new();
        let mut comma = false;
        loop {
            self.skip_whitespace(path);
            match self.peek() {
                Some(']') => {
                    self.position += 1;
                    if comma {
                        self.trailing_comma(path, "]");
                    }
                    return Json::Array(entries);
                }
                None => return self.unfinished(path),
                _ => {}
            }
            let value = self.value(&index_path(path, entries.len()), depth + 1);
            if self.stopped {
                return Json::Broken;
            }
            entries.push(value);
            comma = self.comma_or_end(path, ']');
            if self.stopped {
                return Json::Broken;
            }
        }
    }

    /// Goes past the comma after an entry; says whether there was one.
    fn comma_or_end(&mut self, path: &str, end: char) -> bool {
        self.skip_whitespace(path);
        if self.stopped || self.errors.is_full() {
            self.stopped = true;
            return false;
        }
        match self.peek() {
            Some(',') => {
                self.position += 1;
                self.skip_whitespace(path);
                while self.peek() == Some(',') {
                    self.position += 1;
                    self.trailing_comma(path, ",");
                    self.skip_whitespace(path);
                }
                true
            }
            Some(c) if c == end => false,
            Some(c) if c == '"' || (end == ']' && "{[".contains(c)) => {
                let message = format!("Before {} a comma is missing.", quote(self.line()));
                self.errors.add(path, ValidationErrorCode::MissingComma, message);
                true
            }
            Some(_) => {
                let message = format!("There is {} where `,` or `{end}` belongs.", quote(self.line()));
                self.stop(path, &message);
                false
            }
            None => {
                self.unfinished(path);
                false
            }
        }
    }

    fn key(&mut self, path: &str) -> Option<String> {
        match self.peek() {
            Some('"') => self.string(path),
            Some('\'') => match self.single_quoted(path) {
                Json::String(key) => Some(key),
                _ => None,
            },
            Some(c) if c.is_alphabetic() || c == '_' || c == '$' => {
                let key = self.take_while(|c| c.is_alphanumeric() || c == '_' || c == '-' || c == '$');
                let message = format!("The key {} needs double quotes around it.", quote(key));
                self.errors.add(&child_path(path, key), ValidationErrorCode::UnquotedKey, message);
                Some(key.to_owned())
            }
            _ => {
                let message =
                    format!("There is {} where a key in double quotes belongs.", quote(self.line()));
                self.stop(path, &message);
                None
            }
        }
    }

    /// A number, `true`, `false` or `null`; or what was meant as one.
    fn literal(&mut self, path: &str) -> Json {
        let word = self.take_while(|c| c.is_alphanumeric() || "+-._$%".contains(c));
        match word {
            "true" => return Json::Bool(true),
            "false" => return Json::Bool(false),
            "null" => return Json::Null,
            _ => {}
        }
        let bare = word.trim_start_matches(['+', '-']).to_ascii_lowercase();
        let (code, message) = match word.parse::<f64>() {
            Ok(number) if is_json_number(word) && number.is_finite() => return Json::Number(number),
            _ if ["nan", "inf", "infinity"].contains(&bare.as_str()) => (
                ValidationErrorCode::NotFinite,
                format!("{} is not a number in JSON. Write a number, or leave the field out.", quote(word)),
            ),
            Ok(_) if is_json_number(word) => {
                (ValidationErrorCode::NotFinite, format!("{} is too large for a number.", quote(word)))
            }
            _ if word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) => (
                ValidationErrorCode::BadNumber,
                format!(
                    "{} is not a number as JSON writes it, such as 60 or 7.5, without a unit.",
                    quote(word)
                ),
            ),
            _ => (
                ValidationErrorCode::BadLiteral,
                format!("{} is not JSON. Write text in double quotes, or true, false, null.", quote(word)),
            ),
        };
        self.errors.add(path, code, message);
        Json::Broken
    }

    fn placeholder(&mut self, path: &str) -> bool {
        let Some(dots) = ["...", "…"].into_iter().find(|dots| self.rest().starts_with(dots)) else {
            return false;
        };
        self.position += dots.len();
        self.errors.add(
            path,
            ValidationErrorCode::Placeholder,
            "`...` is a placeholder. Write everything out.",
        );
        true
    }

    fn single_quoted(&mut self, path: &str) -> Json {
        let inside = &self.rest()[1..];
        let Some(end) = inside.find(['\'', '\n']).filter(|end| inside[*end..].starts_with('\'')) else {
            return self
                .stop(path, "A single quote opens a string that does not end. Write it in double quotes.");
        };
        let text = inside[..end].to_owned();
        self.position += end + 2;
        let message = format!("{} is in single quotes. JSON has double quotes only.", quote(&text));
        self.errors.add(path, ValidationErrorCode::SingleQuotes, message);
        Json::String(text)
    }

    fn trailing_comma(&mut self, path: &str, before: &str) {
        let message = format!("There is a comma too many before `{before}`.");
        self.errors.add(path, ValidationErrorCode::TrailingComma, message);
    }

    fn unfinished(&mut self, path: &str) -> Json {
        let message =
            "The answer ends in the middle: something that was opened is not closed. Write it whole.";
        self.errors.add(path, ValidationErrorCode::Unfinished, message);
        self.stopped = true;
        Json::Broken
    }

    fn stop(&mut self, path: &str, message: &str) -> Json {
        self.errors.add(path, ValidationErrorCode::Syntax, message);
        self.stopped = true;
        Json::Broken
    }

    /// Goes past white space, and past comments, which are a fault.
    fn skip_whitespace(&mut self, path: &str) {
        loop {
            self.take_while(|c| WHITESPACE.contains(&c));
            let rest = self.rest();
            let length = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                return;
            };
            self.position += length;
            if self.errors.is_full() {
                self.stopped = true;
                return;
            }
            let message = format!("{} is a comment. JSON has none.", quote(&rest[..length]));
            self.errors.add(path, ValidationErrorCode::Comment, message);
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.position..).unwrap_or_default()
    }

    /// The rest of the line, or as much of it as is ever quoted.
    fn line(&self) -> &'a str {
        let rest = self.rest();
        let end = rest.char_indices().enumerate().find(|(n, (_, c))| *n == MAX_LINE_CHARS || *c == '\n');
        &rest[..end.map_or(rest.len(), |(_, (at, _))| at)]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.position += end;
        &rest[..end]
    }
}

/// More than is quoted. Looking for the end of a line that has none, again and again, would take for ever.
const MAX_LINE_CHARS: usize = 100;

/// What JSON calls white space. Others, such as a no-break space, are not.
const WHITESPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// A number after the grammar of JSON: no leading zero, no plus, digits around the point.
fn is_json_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|e| digits(e.strip_prefix(['+', '-']).unwrap_or(e)))
}
