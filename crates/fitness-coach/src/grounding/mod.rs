//! Verifies numbers in chat against tool results.
//!
//! Each number the coach writes is looked up among the numbers in tool results and the athlete's
//! messages, with its sign and unit; a number that is not found is marked as unverified. `72 hours`
//! does not match a recovery of 72, nor `-2` a form of `+2`.
//!
//! Tool results contain many small numbers, so the context matters: a number said of a metric must
//! be a value of that metric, parts of a date need a day, `plan 3` an id, a count the same count,
//! and a bare number a value without a unit.
//!
//! A tool that only repeats its input verifies nothing; see [`AllowedNumbers::record_tool_result`].

mod metric;
mod number_subject;
mod parse;
mod proposal_message;
mod spelled;
mod tool_argument_numbers;

use number_subject::{NumberContext, number_context};
use parse::{Number, Sign, count_unit, normalize_digits, numbers, parse_sign, parse_unit, unit_from_key};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ops::Range;

/// The most bytes of a text whose numbers are read at once: the time that takes grows with the
/// square of the length.
const MAX_CHUNK_BYTES: usize = 2 * 1024;
/// The most numbers of a text that are looked up; the others count as not backed.
const MAX_CHECKED_NUMBERS: usize = 500;

/// A text in pieces of bounded length, each with where it begins; where it can be, between lines,
/// sentences or words.
fn chunks(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let mut end = rest.len();
        if end > 2 * MAX_CHUNK_BYTES {
            let most = rest.get(..rest.floor_char_boundary(MAX_CHUNK_BYTES)).unwrap_or(rest);
            let breaks = ["\n", ". ", " "];
            end = breaks.iter().find_map(|one| most.rfind(one)).map_or(most.len(), |found| found + 1);
        }
        let (begin, piece) = (at, rest.get(..end)?);
        at += end;
        Some((begin, piece))
    })
}

/// The numbers a conversation may use.
#[derive(Debug, Clone, Default)]
pub struct AllowedNumbers {
    known: BTreeSet<KnownNumber>,
    /// What the coach itself put into a draft or a proposal: it backs what is said of that, and
    /// nothing else.
    proposed: BTreeSet<KnownNumber>,
}

/// A number as it was told.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct KnownNumber {
    digits: String,
    sign: Sign,
    unit: Option<&'static str>,
    kind: NumberKind,
}

/// What a known number is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum NumberKind {
    /// An amount, with the key of its metric where it is one's value.
    Amount(Option<String>),
    /// A day, or its month and day.
    Day,
    /// The year of a day.
    Year,
    /// A number by which something is known.
    Id,
}

impl AllowedNumbers {
    /// Takes down what a tool answered.
    pub fn record_result(&mut self, answer: &Value) {
        self.record_value(None, answer);
    }

    /// Takes down what the athlete wrote: repeating it is not inventing it.
    pub fn record_text(&mut self, text: &str) {
        for (_, piece) in chunks(text) {
            for number in numbers(piece) {
                // Who says `12 laps` may be told that 12 is right.
                let bare = Number { unit: None, ..number.clone() };
                if number.unit.is_some_and(parse::is_count_unit) {
                    self.insert_number(piece, bare, None);
                }
                self.insert_number(piece, number, None);
            }
        }
    }

    /// The numbers of a text that nothing backs, in order: where each stands, its unit with it.
    #[must_use]
    pub fn unverified_numbers(&self, text: &str) -> Vec<Range<usize>> {
        let (mut left, mut looked_up) = (Vec::new(), 0);
        for (at, piece) in chunks(text) {
            for number in numbers(piece) {
                looked_up += 1;
                if looked_up > MAX_CHECKED_NUMBERS || !self.contains(&number, piece) {
                    left.push(at + number.range.start..at + number.range.end);
                }
            }
        }
        left
    }

    fn contains(&self, number: &Number, text: &str) -> bool {
        let sentence = tool_argument_numbers::sentence(text, &number.range);
        let about = number_context(text, number);
        let backed = |known: &KnownNumber| known.matches(number, &about, &sentence);
        self.known.iter().any(backed)
            || (sentence.mentions_pending_change() && self.proposed.iter().any(backed))
    }

    /// Takes down a number of a text as what it is about there; `key` is the metric whose value the
    /// text is.
    fn insert_number(&mut self, text: &str, number: Number, key: Option<&str>) {
        let about = number_context(text, &number);
        let Number { digits, sign, unit, .. } = number;
        let (digits, what) = match about {
            NumberContext::Day(day) => {
                if let Some((year, _)) = day.split_once('-').filter(|(year, _)| year.len() == 4) {
                    let digits = year.to_owned();
                    self.known.insert(KnownNumber {
                        digits,
                        sign: Sign::None,
                        unit: None,
                        kind: NumberKind::Year,
                    });
                }
                (day, NumberKind::Day)
            }
            NumberContext::Year => (digits, NumberKind::Year),
            NumberContext::Id => (digits, NumberKind::Id),
            NumberContext::Metric(metrics) if key.is_none() => {
                let own = metrics.first().map(|metric| metric.key().to_owned());
                (digits, NumberKind::Amount(own))
            }
            NumberContext::Metric(_) | NumberContext::Amount => {
                (digits, NumberKind::Amount(key.map(str::to_owned)))
            }
        };
        self.known.insert(KnownNumber { digits, sign, unit, kind: what });
    }

    fn insert_digits(&mut self, digits: &str, key: Option<&str>, unit: Option<&'static str>) {
        let what = match key {
            Some(key) if is_id_key(key) => NumberKind::Id,
            key => NumberKind::Amount(key.filter(|key| metric::is_metric_key(key)).map(str::to_owned)),
        };
        self.known.insert(KnownNumber {
            digits: normalize_digits(digits),
            sign: parse_sign(digits),
            unit,
            kind: what,
        });
    }

    /// Takes down a text of a tool's answer.
    fn record_string(&mut self, key: Option<&str>, text: &str) {
        let key = key.unwrap_or_default();
        if is_id_key(key) {
            return;
        }
        // A name somebody gave and what a fact means in general are no values of a metric, whatever
        // they speak of.
        let general = matches!(key, "name" | "original_name" | "message" | "device" | "meaning" | "care");
        let metric = Some(key).filter(|key| metric::is_metric_key(key));
        let single_word = !text.trim().contains(' ');
        let numbers =
            chunks(text).flat_map(|(_, piece)| numbers(piece).into_iter().map(move |one| (piece, one)));
        for (piece, mut number) in numbers {
            // `half` as a goal is a race.
            if number.unit == Some("times") && single_word {
                continue;
            }
            if general {
                let day =
                    matches!(number_context(piece, &number), NumberContext::Day(_) | NumberContext::Year);
                if !day {
                    self.insert_digits(&number.digits, None, number.unit);
                    continue;
                }
            } else if number.unit.is_none() {
                number.unit = count_unit(key);
            }
            self.insert_number(piece, number, metric);
        }
    }

    fn record_value(&mut self, key: Option<&str>, value: &Value) {
        match value {
            Value::Number(number) => {
                self.insert_digits(&number.to_string(), key, key.and_then(unit_from_key))
            }
            Value::String(text) => self.record_string(key, text),
            Value::Array(items) => {
                if let Some(count) = key.and_then(unit_from_key) {
                    self.insert_digits(&items.len().to_string(), None, Some(count));
                }
                items.iter().for_each(|item| self.record_value(key, item));
            }
            Value::Object(fields) => self.record_object(key, fields),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn record_object(&mut self, key: Option<&str>, fields: &serde_json::Map<String, Value>) {
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        let series = text("metric").or(key);
        let unit = text("unit").and_then(parse_unit);
        // What a coach wrote beside a proposal that waits, or over a draft, is prose, and backs
        // nothing.
        let prose = match (fields.contains_key("proposal_id"), text("status") == Some("draft")) {
            (true, _) => Some("message"),
            (false, true) => Some("name"),
            (false, false) => None,
        };
        for (name, field) in fields.iter().filter(|(name, _)| Some(name.as_str()) != prose) {
            match (name.as_str(), field) {
                ("points", Value::Array(points)) => {
                    for point in points {
                        self.record_value(None, point.get(0).unwrap_or(&Value::Null));
                        if let Some(number) = point.get(1).and_then(Value::as_f64) {
                            self.insert_digits(&number.to_string(), series, unit);
                        }
                    }
                }
                (_, Value::Number(number)) if unit.is_some() => {
                    self.insert_digits(&number.to_string(), series, unit)
                }
                ("mean", Value::Number(number)) => self.insert_digits(&number.to_string(), series, unit),
                // A fact is what it shows.
                ("shown", _) => self.record_value(key, field),
                (name, _) => self.record_value(Some(name), field),
            }
        }
    }
}

/// Whether a field only says which one is meant, or is no number to anybody.
fn is_id_key(key: &str) -> bool {
    key == "id" || key.ends_with("_id") || key.ends_with("_ids") || key.ends_with("hash") || key == "position"
}

impl KnownNumber {
    fn matches(
        &self,
        number: &Number,
        about: &NumberContext,
        sentence: &tool_argument_numbers::Sentence,
    ) -> bool {
        match (about, &self.kind) {
            (NumberContext::Day(said), NumberKind::Day) => {
                self.digits == *said
                    || self.digits.ends_with(&format!("-{said}"))
                    || (said.starts_with('-') && self.digits.ends_with(said.as_str()))
            }
            (NumberContext::Year, NumberKind::Year) | (NumberContext::Id, NumberKind::Id) => {
                self.digits == number.digits
            }
            (NumberContext::Metric(metrics), NumberKind::Amount(Some(key))) => {
                let own = metrics.iter().any(|metric| metric.has_key(key) && metric.accepts_unit(self.unit));
                own && (number.unit.is_none() || same_unit(number, self))
                    && self.matches_value(number, sentence)
            }
            (NumberContext::Year | NumberContext::Id | NumberContext::Amount, NumberKind::Amount(_)) => {
                // What is written as a time is one, with or without `/km` behind it.
                let clock = number.unit.is_none() && number.digits.contains(':');
                (clock || same_unit(number, self)) && self.matches_value(number, sentence)
            }
            _ => false,
        }
    }

    fn matches_value(&self, number: &Number, sentence: &tool_argument_numbers::Sentence) -> bool {
        let same_sign = match (number.sign, self.sign) {
            (Sign::Minus, said) => said == Sign::Minus,
            (Sign::None, Sign::Minus) => sentence.mentions_decrease(),
            (Sign::Plus, Sign::Minus) => false,
            (Sign::None | Sign::Plus, Sign::None | Sign::Plus) => true,
        };
        same_sign && is_same_or_rounded(&number.digits, &self.digits)
    }
}

/// Whether both count the same. Points are what has no unit.
fn same_unit(number: &Number, known: &KnownNumber) -> bool {
    let counted = |unit: Option<&'static str>| unit.filter(|unit| *unit != "points");
    counted(number.unit) == counted(known.unit)
}

/// A text with each unverified number marked, for a reader without colours.
#[must_use]
pub fn mark_unverified(text: &str, unverified: &[Range<usize>]) -> String {
    let (mut marked, mut from) = (String::with_capacity(text.len()), 0);
    for range in unverified {
        marked.push_str(text.get(from..range.end).unwrap_or_default());
        marked.push_str(" [unverified]");
        from = range.end;
    }
    marked.push_str(text.get(from..).unwrap_or_default());
    marked
}

/// Whether a number in prose says what a known one does: the same, or the known one rounded.
fn is_same_or_rounded(said: &str, known: &str) -> bool {
    // `1:45` for a half marathon is `1:45:00`.
    let hours = |long: &str, short: &str| short.contains(':') && long.strip_suffix(":00") == Some(short);
    if said == known || hours(said, known) || hours(known, said) {
        return true;
    }
    let (Ok(value), Ok(exact)) = (said.parse::<f64>(), known.parse::<f64>()) else { return false };
    let decimals = |text: &str| text.split_once('.').map_or(0, |(_, after)| after.len());
    let (few, many) = (decimals(said), decimals(known));
    few < many && format!("{exact:.few$}").parse() == Ok(value)
}

#[cfg(test)]
mod tests;
