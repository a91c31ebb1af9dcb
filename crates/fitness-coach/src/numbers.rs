//! Numbers in a conversation, held against what tools answered in it.
//!
//! A brief carries facts by id; a conversation carries digits. So each number a coach writes is looked up among the
//! numbers that tools told it and the athlete wrote, with its sign and its unit where it has one, and what is not found
//! there is marked. `72 hours` is not backed by a recovery of 72, nor `-2` by a form of `+2`.
//!
//! A tool that repeats what it was asked backs nothing by that: see [`Ledger::hear_answer`].

mod answer;
mod echo;
mod read;

use read::{Number, Sign, numbers, plain, sign_of, unit_of, unit_of_key};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ops::Range;

/// The numbers a conversation may use.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    known: BTreeSet<Known>,
    /// What the coach itself put into a draft or a proposal: it backs what is said of that, and nothing else.
    made: BTreeSet<Known>,
}

/// A number as it was told.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Known {
    digits: String,
    sign: Sign,
    unit: Option<&'static str>,
}

impl Ledger {
    /// Takes down what a tool answered.
    pub fn hear(&mut self, answer: &Value) {
        self.walk(None, answer);
    }

    /// Takes down what the athlete wrote: repeating it is not inventing it.
    pub fn hear_words(&mut self, text: &str) {
        for number in numbers(text) {
            self.known.insert(Known { digits: number.digits, sign: number.sign, unit: number.unit });
        }
    }

    /// The numbers of a text that nothing backs, in order: where each stands, its unit with it.
    #[must_use]
    pub fn unverified(&self, text: &str) -> Vec<Range<usize>> {
        let left = numbers(text).into_iter().filter(|number| !self.backs(number, text));
        left.map(|number| number.range).collect()
    }

    fn backs(&self, number: &Number, text: &str) -> bool {
        let sentence = echo::sentence(text, &number.range);
        let backed = |known: &Known| known.backs(number, &sentence);
        self.known.iter().any(backed) || (sentence.speaks_of_what_waits() && self.made.iter().any(backed))
    }

    fn note(&mut self, digits: &str, unit: Option<&'static str>) {
        self.known.insert(Known { digits: plain(digits), sign: sign_of(digits), unit });
    }

    fn walk(&mut self, key: Option<&str>, value: &Value) {
        match value {
            Value::Number(number) => self.note(&number.to_string(), key.and_then(unit_of_key)),
            Value::String(text) => {
                self.hear_words(text);
                // A day is spoken of in many ways: 14 June, in 2026.
                if let Ok(day) = text.parse::<fitness_core::calendar::Day>() {
                    for part in day.to_string().split('-') {
                        self.note(part, None);
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.walk(key, item)),
            Value::Object(fields) => {
                let unit = fields.get("unit").and_then(Value::as_str).and_then(unit_of);
                // What a coach wrote beside a proposal that waits, or over a draft, is prose, and backs nothing.
                let is_draft = fields.get("status").and_then(Value::as_str) == Some("draft");
                let prose = match (fields.contains_key("proposal_id"), is_draft) {
                    (true, _) => Some("message"),
                    (false, true) => Some("name"),
                    (false, false) => None,
                };
                for (name, field) in fields.iter().filter(|(name, _)| Some(name.as_str()) != prose) {
                    match (unit, field) {
                        (Some(unit), Value::Number(number)) => self.note(&number.to_string(), Some(unit)),
                        (Some(unit), Value::Array(points)) => {
                            for number in points.iter().filter_map(|point| point.get(1)?.as_f64()) {
                                self.note(&number.to_string(), Some(unit));
                            }
                            self.walk(Some(name), field);
                        }
                        _ => self.walk(Some(name), field),
                    }
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }
}

impl Known {
    fn backs(&self, number: &Number, sentence: &echo::Sentence) -> bool {
        let same_unit = number.unit.is_none() || number.unit == self.unit;
        let same_sign = match (number.sign, self.sign) {
            (Sign::Minus, said) => said == Sign::Minus,
            (Sign::None, Sign::Minus) => sentence.speaks_of_less(),
            (Sign::Plus, Sign::Minus) => false,
            (Sign::None | Sign::Plus, Sign::None | Sign::Plus) => true,
        };
        same_unit && same_sign && says_the_same(&number.digits, &self.digits)
    }
}

/// A text with each unverified number marked, for a reader without colours.
#[must_use]
pub fn marked(text: &str, unverified: &[Range<usize>]) -> String {
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
fn says_the_same(said: &str, known: &str) -> bool {
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
