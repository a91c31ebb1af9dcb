//! Numbers that the coach itself passed to a tool, and the sentences that may repeat them.

use super::parse::{Number, normalize_digits, numbers, unit_from_key};
use super::{AllowedNumbers, KnownNumber, NumberKind, is_same_or_rounded};
use serde_json::{Value, json};
use std::ops::Range;

/// Kilometres in a mile.
const KM_PER_MILE: f64 = 1.609_344;

impl AllowedNumbers {
    /// Takes down what a tool answered to this question. What the question said comes from the
    /// coach, so it backs nothing when it comes back; a draft or a proposal of the coach's own
    /// backs only what is said of it.
    pub fn record_tool_result(&mut self, asked: &Value, answer: &Value) {
        let has = |key: &str| answer.get(key).is_some_and(|id| !id.is_null());
        let scheduled = asked.get("schedule").is_some_and(|schedule| !schedule.is_null());
        let mut told = Self::default();
        if has("review") && (scheduled || has("proposal_id")) {
            let mut own = Self::default();
            own.record_value(None, answer);
            self.proposed.extend(own.known);
            // What the rules find in a proposal is worked out from the plan as well.
            let found = answer.get("findings").filter(|_| !scheduled);
            told.record_value(None, found.unwrap_or(&Value::Null));
        } else {
            told.record_value(None, answer);
        }
        let mut said = Vec::new();
        input_numbers(None, asked, &mut said);
        let echoes = |known: &KnownNumber| said.iter().any(|own| own.is_echoed_as(known));
        let (made, known): (Vec<KnownNumber>, Vec<KnownNumber>) = told.known.into_iter().partition(echoes);
        self.known.extend(known);
        if has("review") {
            self.proposed.extend(made);
        }
    }
}

impl AllowedNumbers {
    /// Takes down why a tool refused. Its limits are the program's own; what it repeats of the
    /// question backs nothing.
    pub fn record_refusal(&mut self, asked: &Value, why: &str) {
        self.record_tool_result(asked, &json!({ "refused": why }));
    }
}

/// A number of a question.
struct InputNumber {
    digits: String,
    unit: Option<&'static str>,
    /// Whether it only names something.
    id: bool,
}

fn input_numbers(key: Option<&str>, asked: &Value, found: &mut Vec<InputNumber>) {
    let id = key.is_some_and(|key| key.ends_with("_id") || matches!(key, "limit" | "instead_of"));
    match asked {
        Value::Number(number) => {
            let digits = normalize_digits(&number.to_string());
            found.push(InputNumber { digits, unit: key.and_then(unit_from_key), id });
        }
        // Days are asked for, not made up: which there are is for the tool to say.
        Value::String(text) if text.parse::<fitness_core::domain::calendar::Day>().is_ok() => {}
        Value::String(text) => {
            let said = numbers(text).into_iter();
            found.extend(said.map(|Number { digits, unit, .. }| InputNumber { digits, unit, id }));
        }
        Value::Array(items) => items.iter().for_each(|item| input_numbers(key, item, found)),
        Value::Object(fields) => {
            fields.iter().for_each(|(name, field)| input_numbers(Some(name), field, found));
        }
        Value::Null | Value::Bool(_) => {}
    }
}

impl InputNumber {
    fn is_echoed_as(&self, known: &KnownNumber) -> bool {
        // Days are asked for, and a number that only names something backs nothing else.
        if !matches!(known.kind, NumberKind::Amount(_)) {
            return false;
        }
        // Rounded to whole it may as well be another number.
        let rounded = |exact: &str| known.digits.contains('.') && is_same_or_rounded(&known.digits, exact);
        let same = self.digits == known.digits || rounded(&self.digits);
        let unit = known.unit.is_none() || self.unit == known.unit || (self.unit.is_none() && !self.id);
        if same && unit {
            return true;
        }
        let times = match (self.unit, known.unit) {
            (Some("km"), Some("mi")) => KM_PER_MILE.recip(),
            (Some("mi"), Some("km")) => KM_PER_MILE,
            _ => return false,
        };
        let converted = self.digits.parse::<f64>().map(|value| format!("{:.6}", value * times));
        converted.is_ok_and(|converted| rounded(&converted))
    }
}

/// The sentence a number stands in, in small letters.
pub(super) struct Sentence(String);

pub(super) fn sentence(text: &str, number: &Range<usize>) -> Sentence {
    Sentence(text.get(sentence_range(text, number)).unwrap_or_default().to_lowercase())
}

/// Where the sentence of a number stands.
pub(super) fn sentence_range(text: &str, number: &Range<usize>) -> Range<usize> {
    let ends = |(at, found): (usize, &str)| at + found.len();
    let before = text.get(..number.start).unwrap_or_default();
    let after = text.get(number.end..).unwrap_or_default();
    let marks = ["\n", ". ", "! ", "? "];
    let start = marks.iter().filter_map(|mark| before.rmatch_indices(mark).next().map(ends)).max();
    let end = marks.iter().filter_map(|mark| after.find(mark)).min();
    start.unwrap_or(0)..end.map_or(text.len(), |end| number.end + end)
}

impl Sentence {
    fn has_word(&self, words: &[&str]) -> bool {
        self.0.split(|c: char| !c.is_alphabetic()).any(|word| words.contains(&word))
    }

    /// Whether it says which way a number goes, so that the number needs no sign.
    pub(super) fn mentions_decrease(&self) -> bool {
        #[rustfmt::skip]
        const DECREASE_WORDS: &[&str] = &[
            "down", "lower", "lowered", "fell", "fall", "falls", "fallen", "falling", "drop", "drops", "dropped", "dropping", "less",
            "fewer", "below", "under", "lost", "behind", "short", "shorter", "decrease", "decreased", "decline", "declined", "reduced",
            "reduction", "faster", "slower", "slowed", "quicker", "earlier", "dip", "dipped", "off", "cut", "sank", "worse", "deficit",
            "change", "changed", "changes", "difference", "gap", "minus", "negative",
        ];
        self.has_word(DECREASE_WORDS)
    }

    /// Whether it speaks of what a coach left for the athlete, and not of what was.
    pub(super) fn mentions_pending_change(&self) -> bool {
        #[rustfmt::skip]
        const PENDING_WORDS: &[&str] = &[
            "proposal", "propose", "proposed", "proposes", "draft", "drafted", "drafts", "suggest", "suggested", "suggestion", "plan",
            "would", "will", "goes", "becomes", "instead", "easier", "shorter", "longer", "builds", "peaks",
        ];
        const PAST_WORDS: &[&str] =
            &["ran", "slept", "did", "was", "were", "had", "last", "yesterday", "covered", "managed"];
        // An arrow leads from what is planned to what would be.
        (self.has_word(PENDING_WORDS) || self.0.contains('→')) && !self.has_word(PAST_WORDS)
    }
}
