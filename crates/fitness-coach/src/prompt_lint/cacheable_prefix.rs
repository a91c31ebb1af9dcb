//! Checks of the cacheable part of a prompt, which must be the same for every athlete and day.

use super::sentences::{has_any_phrase, sentences};
use super::{NOTES_PLACEHOLDER, identifiers, single_line};
use crate::prompt::CACHE_BOUNDARY;

/// What changes from day to day and stands in the part that is kept in a cache.
pub(super) fn find_variable_content(prompt: &str) -> Vec<String> {
    let (prefix, marked) = match prompt.split_once(CACHE_BOUNDARY) {
        Some((prefix, _)) => (prefix, true),
        None => (prompt.split(NOTES_PLACEHOLDER).next().unwrap_or(prompt), false),
    };
    let mut failures = Vec::new();
    for (word, before, after) in identifiers(prefix) {
        let placeholder = before.ends_with('{') && !before.ends_with("{{") && after.starts_with('}');
        if placeholder && marked {
            failures.push(format!("prompt has what changes from day to day in its cached part: {{{word}}}"));
        }
        let year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
        let date = year && word.bytes().all(|byte| byte.is_ascii_digit());
        let hour = word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
        let clock = hour
            && after.strip_prefix(':').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if date || clock || is_date_word(&word, before, after) {
            failures.push(format!("prompt has a date or a time in its cached part: `{word}`"));
        }
        let number =
            word.bytes().all(|byte| byte.is_ascii_digit()) && UNIT_WORDS.contains(&next_word(after).as_str());
        let glued = UNIT_WORDS.iter().any(|unit| {
            word.strip_suffix(unit)
                .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
        });
        if number || glued {
            failures.push(format!("prompt has a number of somebody's in its cached part: `{word}`"));
        }
    }
    for sentence in sentences(prefix) {
        if has_any_phrase(&sentence.words, PERSONAL_WORDS) {
            let said = single_line(prefix, sentence.range);
            failures.push(format!("prompt tells of one athlete or one day in its cached part: `{said}`"));
        }
    }
    if let Some(at) = prefix.split_whitespace().find(|word| word.contains('@') && word.contains('.')) {
        failures.push(format!("prompt has an address in its cached part: `{at}`"));
    }
    failures
}

/// What a number of somebody's is counted in.
#[rustfmt::skip]
const UNIT_WORDS: &[&str] = &[
    "kg", "kgs", "kilos", "kilograms", "lb", "lbs", "pounds", "stone", "cm", "km", "kilometres", "kilometers", "mi",
    "miles", "bpm", "beats", "ms", "watts",
];

/// What is said of one athlete, or of one day.
#[rustfmt::skip]
const PERSONAL_WORDS: &[&str] = &[
    "is called", "is named", "name is", "athlete's name", "their name", "her name", "his name", "weighs", "was born",
    "were born", "years old", "lives in", "works as", "is married", "today is", "today was", "yesterday was",
    "tomorrow is", "it is now", "this morning they", "this morning she", "this morning he", "last night they",
    "last night she", "last night he",
];

fn next_word(after: &str) -> String {
    let rest = after.trim_start_matches([' ', '\n', '-']);
    rest.chars().take_while(char::is_ascii_alphabetic).collect::<String>().to_lowercase()
}

/// A weekday, or a month beside its day.
fn is_date_word(word: &str, before: &str, after: &str) -> bool {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let is_month = |word: &str| {
        word.len() >= 3
            && MONTHS.iter().any(|month| *month == word || (word.len() <= 4 && month.starts_with(word)))
    };
    let is_day = |word: &str| {
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        digits.parse::<u32>().is_ok_and(|day| (1..=31).contains(&day))
    };
    let last =
        before.trim_end().rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    let next: String = after.trim_start().chars().take_while(char::is_ascii_alphanumeric).collect();
    let weekday = word.len() > 3 && fitness_core::plan::parse_weekday(word.trim_end_matches('s')).is_ok();
    weekday || (is_month(word) && (is_day(&last) || is_day(&next)))
}
