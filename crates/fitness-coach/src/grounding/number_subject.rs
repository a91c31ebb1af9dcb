//! What a number is about, from the words around it: a day, an id, a metric or a plain amount.

use super::metric::{MetricNames, metrics_of_number};
use super::parse::Number;

/// What a number is about.
pub(super) enum NumberContext {
    /// A day: `2026-06-14`, or its month and day as `06-14`, or its day alone as `-14`.
    Day(String),
    /// What may be a year.
    Year,
    /// Which proposal, plan or workout: `proposal 9`.
    Id,
    /// A metric, or several that are named together.
    Metric(Vec<&'static MetricNames>),
    /// An amount of something.
    Amount,
}

/// What is known by a number.
const ID_NOUNS: &[&str] = &["proposal", "plan", "draft", "workout", "activity", "note", "suggestion"];

/// What comes one after another.
const ORDINAL_NOUNS: &[&str] =
    &["week", "day", "zone", "lap", "set", "rep", "phase", "block", "part", "round"];

#[rustfmt::skip]
const MONTHS: &[&str] = &[
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
];

#[rustfmt::skip]
const WEEKDAYS: &[&str] = &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

pub(super) fn number_context(text: &str, number: &Number) -> NumberContext {
    if number.digits.parse::<fitness_core::domain::calendar::Day>().is_ok() {
        return NumberContext::Day(number.digits.clone());
    }
    let before = text.get(..number.range.start).unwrap_or_default();
    let after = text.get(number.range.end..).unwrap_or_default();
    let whole = number.digits.parse::<u32>().ok().filter(|_| number.unit.is_none());
    if let Some(day) = whole.filter(|day| (1..=31).contains(day)) {
        let ordinal = ["st", "nd", "rd", "th"].iter().find_map(|end| after.strip_prefix(end));
        let ordinal = ordinal.filter(|rest| !rest.starts_with(char::is_alphanumeric));
        let month = month(first_word(ordinal.unwrap_or(after))).or_else(|| month(last_word(before)));
        if let Some(month) = month.or(number.month) {
            return NumberContext::Day(format!("{month:02}-{day:02}"));
        }
        if ordinal.is_some() || is_weekday(last_word(before)) {
            return NumberContext::Day(format!("-{day:02}"));
        }
    }
    let named = before.trim_end().trim_end_matches(['#', ' ']);
    let named = named.strip_suffix("number").unwrap_or(named);
    let word = last_word(named).to_lowercase();
    if whole.is_some() && ID_NOUNS.contains(&word.as_str()) {
        return NumberContext::Id;
    }
    // No metric has values that high.
    if whole.is_some_and(|year| (1990..=2100).contains(&year)) {
        return NumberContext::Year;
    }
    // `Recovery week 3` speaks of a week.
    if ORDINAL_NOUNS.contains(&word.as_str()) {
        return NumberContext::Amount;
    }
    match metrics_of_number(text, &number.range, number.unit) {
        metrics if metrics.is_empty() => NumberContext::Amount,
        metrics => NumberContext::Metric(metrics),
    }
}

/// The word right before, with nothing but a space between.
fn last_word(before: &str) -> &str {
    let near = before.trim_end_matches([' ', '\u{a0}']);
    near.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default()
}

/// The word right behind: `14 June`, `14 of June`.
fn first_word(after: &str) -> &str {
    let near = after.trim_start_matches([' ', '\u{a0}']);
    let near = near.strip_prefix("of ").unwrap_or(near);
    near.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default()
}

/// A month by its name or its first three letters. A capital tells `27 May` from `27 may be`.
pub(super) fn month(word: &str) -> Option<u32> {
    if !word.starts_with(char::is_uppercase) {
        return None;
    }
    let word = word.to_lowercase();
    let is = |name: &&str| {
        **name == word || (name.get(..3) == Some(word.as_str())) || word == "sept" && name.starts_with("sept")
    };
    (1..).zip(MONTHS).find(|(_, name)| is(name)).map(|(month, _)| month)
}

fn is_weekday(word: &str) -> bool {
    let word = word.to_lowercase();
    word.len() >= 3 && WEEKDAYS.iter().any(|name| name.starts_with(word.as_str()))
}

/// The month behind a number, for a number that shares it: `14 to 16 June`.
pub(super) fn month_after(after: &str) -> Option<u32> {
    month(first_word(after))
}
