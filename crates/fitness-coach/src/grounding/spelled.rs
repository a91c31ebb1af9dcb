//! Amounts in words, such as `doubled` or `a dozen times`. Uses the word list of the brief, except
//! for ranks (`the second`), articles (`an hour`) and races (`the half`).

use super::metric::is_whole_word;
use super::parse::{Number, Sign, number_word, unit_after};
use fitness_core::llm_output::brief::quantities;
use std::ops::Range;

/// What a word with a factor in it comes to, by how it begins.
#[rustfmt::skip]
const FACTORS: &[(&str, &str)] = &[
    ("dozen", "12"), ("doubl", "2"), ("twice", "2"), ("twofold", "2"), ("couple", "2"), ("pair", "2"), ("brace", "2"),
    ("triple", "3"), ("tripl", "3"), ("treble", "3"), ("thrice", "3"), ("threefold", "3"), ("quadrupl", "4"), ("fourfold", "4"),
    ("half", "0.5"), ("halv", "0.5"), ("quarter", "0.25"), ("fortnight", "14"), ("decade", "10"), ("score", "20"),
];

/// Every such amount of a text that is not within one of these ranges.
pub(super) fn spelled_amounts(text: &str, read: &[Range<usize>]) -> Vec<Number> {
    let mut found: Vec<Number> = Vec::new();
    let mut looked: Vec<String> = Vec::new();
    for phrase in quantities(text) {
        let word = phrase.split(' ').next().unwrap_or_default().to_owned();
        if looked.contains(&word) || !is_amount_word(&word) {
            continue;
        }
        for (at, _) in text.match_indices(word.as_str()) {
            let range = at..at + word.len();
            let over = |other: &Range<usize>| other.start < range.end && range.start < other.end;
            if is_whole_word(text, &range)
                && !read.iter().any(over)
                && is_amount_in_context(text, &range, &word)
            {
                let (unit, length) = unit_after(text.get(range.end..).unwrap_or_default());
                let small = word.to_lowercase();
                let digits = FACTORS.iter().find(|(begins, _)| small.starts_with(begins));
                let digits = digits.map_or_else(|| small.clone(), |(_, digits)| (*digits).to_owned());
                let unit = Some(unit.unwrap_or("times"));
                found.push(Number {
                    range: at..range.end + length,
                    digits,
                    sign: Sign::None,
                    unit,
                    month: None,
                });
            }
        }
        looked.push(word);
    }
    found
}

/// Whether a word can be an amount in conversation. Numerals are read as numbers.
fn is_amount_word(word: &str) -> bool {
    let small = word.to_lowercase();
    let rank =
        small.ends_with("th") || matches!(small.as_str(), "first" | "second" | "third" | "digit" | "teen");
    let article =
        matches!(small.as_str(), "a" | "an" | "whole" | "full" | "entire" | "one" | "single" | "once");
    let roman = word.chars().all(|c| matches!(c, 'I' | 'V' | 'X' | 'i' | 'v' | 'x'));
    !(rank || article || roman || number_word(&small).is_some())
}

/// Whether it is one here: not within a phrase that counts nothing, and before something that makes
/// it an amount where the word has other uses.
fn is_amount_in_context(text: &str, range: &Range<usize>, word: &str) -> bool {
    let before: Vec<&str> =
        text.get(..range.start).unwrap_or_default().split_whitespace().rev().take(2).collect();
    let after: Vec<&str> = text.get(range.end..).unwrap_or_default().split_whitespace().take(4).collect();
    let (near, word) = (before.iter().rev(), text.get(range.clone()).unwrap_or(word));
    let gap = if text.get(range.end..).is_some_and(|after| after.starts_with('-')) { "" } else { " " };
    let around = format!("{} {word}{gap}{}", near.copied().collect::<Vec<_>>().join(" "), after.join(" "));
    if !quantities(&around).iter().any(|phrase| phrase.split(' ').next() == Some(word)) {
        return false;
    }
    let next = after.first().copied().unwrap_or_default();
    let next: String = next.chars().take_while(|c| c.is_alphabetic()).collect();
    match word.to_lowercase().as_str() {
        "half" => matches!(
            next.as_str(),
            "of" | "as"
                | "an"
                | "a"
                | "the"
                | "your"
                | "that"
                | "what"
                | "this"
                | "again"
                | "more"
                | "less"
                | "hour"
        ),
        "twice" | "thrice" | "double" | "triple" => matches!(
            next.as_str(),
            "a" | "as"
                | "the"
                | "that"
                | "this"
                | "your"
                | "what"
                | "in"
                | "last"
                | "per"
                | "over"
                | "daily"
                | "weekly"
        ),
        "quarter" | "quarters" => next == "of",
        _ => true,
    }
}
