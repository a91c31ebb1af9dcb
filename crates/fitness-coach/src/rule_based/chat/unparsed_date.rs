//! Words that name a day which cannot be read: it is asked for, and never another day.

/// Whether a word is written like a date or a weekday, and is none: `2026-11-31`, `19.11.2026`, `11/19`, `w48`, `thurday`.
pub(super) fn is_misread(word: &str) -> bool {
    let numbers = |mark: char| {
        word.matches(mark).count() > 0
            && word.split(mark).all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let whole = |mark: char| numbers(mark) && word.matches(mark).count() == 2;
    let date = numbers('/') || whole('-') || whole('.');
    let week = ["kw", "wk", "cw", "w"].iter().any(|begin| {
        word.strip_prefix(begin)
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    });
    let name = || {
        let most = if word.len() < 7 { 1 } else { 2 };
        word.len() > 4 && !ALIKE.contains(&word) && SPELT.iter().any(|name| letters_apart(word, name) <= most)
    };
    date || week || name()
}

/// Names of days that are often misspelt.
#[rustfmt::skip]
const SPELT: &[&str] = &[
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "tomorrow", "yesterday",
];

/// What is close to one of them and is another word.
const ALIKE: &[&str] = &["sundays", "sunny", "saturdays", "money", "midday", "borrow", "sorrow"];

/// How many letters one word takes to become another; one that is left out, added or wrong is one.
fn letters_apart(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.chars().enumerate() {
        let mut before = at;
        let mut last = at + 1;
        for (to, same) in other.iter().enumerate() {
            let changed = before + usize::from(letter != *same);
            before = row[to + 1];
            last = changed.min(last + 1).min(before + 1);
            row[to + 1] = last;
        }
        row[0] = at + 1;
    }
    row.last().copied().unwrap_or_default()
}

/// Days that have a name and no place here.
#[rustfmt::skip]
const FEASTS: &[&str] = &[
    "christmas", "xmas", "easter", "thanksgiving", "halloween", "pentecost", "ramadan", "eid", "hanukkah", "diwali",
    "birthday", "holiday", "holidays", "anniversary", "payday", "wedding", "vacation", "eve",
];

/// What picks one of several that were named elsewhere.
const PICKED: &[&str] = &["first", "second", "third", "latter", "former", "earlier", "later", "other"];

/// Whether words may well name a day that `named` does not read: a feast, one of several, or a number that counts nothing.
pub(super) fn may_be_named(words: &[&str]) -> bool {
    let feast =
        words.iter().any(|word| FEASTS.contains(&word.trim_end_matches("'s")) || PICKED.contains(word));
    let number = |at: usize| words[at].starts_with(|c: char| c.is_ascii_digit());
    let counted = |at: usize| words.get(at + 1).is_some_and(|next| next.chars().all(char::is_alphabetic));
    feast || (0..words.len()).any(|at| number(at) && words[at].parse::<f64>().is_ok() && !counted(at))
}
