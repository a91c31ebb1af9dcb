//! Finds and parses the numbers in a text.

use super::number_subject::month_after;
use super::spelled::spelled_amounts;
use std::ops::Range;

/// A number in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Number {
    /// Where it stands, with its sign and its unit.
    pub(super) range: Range<usize>,
    pub(super) digits: String,
    pub(super) sign: Sign,
    pub(super) unit: Option<&'static str>,
    /// The month it shares with a number behind it: `14 to 16 June`.
    pub(super) month: Option<u32>,
}

/// What stands before a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sign {
    None,
    Plus,
    Minus,
}

/// Every number of a text that speaks of an amount, in digits or in words. Names such as 5K and Z2,
/// addresses, paths and the numbers of a list do not.
pub(super) fn numbers(text: &str) -> Vec<Number> {
    let mut found = Vec::new();
    // What was looked at, also where it turned out to count nothing.
    let mut read: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    let mut line_start = true;
    let mut before: Option<char> = None;
    while let Some(rest) = text.get(at..) {
        let Some(c) = rest.chars().next() else { break };
        let begins = !before.is_some_and(char::is_alphanumeric);
        let length = if let Some(length) = address_len(rest, begins) {
            read.push(at..at + length);
            length
        } else if c.is_numeric() {
            let length = rest
                .find(|c: char| !(c.is_numeric() || matches!(c, '.' | ',' | ':' | '-')))
                .unwrap_or(rest.len());
            let token = rest.get(..length).unwrap_or_default().trim_end_matches(['.', ',', ':', '-']);
            let after = rest.get(token.len()..).unwrap_or_default();
            let of_a_list =
                line_start && token.bytes().all(|b| b.is_ascii_digit()) && after.starts_with(['.', ')']);
            if !of_a_list && !is_name(before, token, after) {
                found.extend(parse_token(text, at, token, after));
            }
            token.len().max(c.len_utf8())
        } else if c.is_alphabetic() && begins {
            let word = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
            match parse_spelled(rest) {
                Some((length, digits)) => {
                    read.push(at..at + length);
                    found.extend(spelled_number(text, at..at + length, digits));
                    length
                }
                None => word,
            }
        } else {
            c.len_utf8()
        };
        line_start = c == '\n' || (line_start && (c.is_whitespace() || matches!(c, '-' | '*' | '#')));
        before = rest.get(..length).and_then(|passed| passed.chars().next_back());
        at += length.max(1);
    }
    share_units(text, &mut found);
    read.extend(found.iter().map(|number| number.range.clone()));
    found.extend(spelled_amounts(text, &read));
    found.sort_by_key(|number| number.range.start);
    found
}

/// Gives a number the unit, or the month, that it shares with the next: `from 60 to 40 minutes`,
/// `14 to 16 June`.
fn share_units(text: &str, numbers: &mut [Number]) {
    for at in (1..numbers.len()).rev() {
        let (before, after) = numbers.split_at_mut(at);
        let (Some(one), Some(next)) = (before.last_mut(), after.first()) else { continue };
        let between = text.get(one.range.end..next.range.start).unwrap_or_default();
        let joined = match between.trim() {
            "to" | "or" | "-" | "–" | "through" => true,
            "and" => text.get(..one.range.start).is_some_and(|start| start.trim_end().ends_with("between")),
            _ => false,
        };
        if joined && one.unit.is_none() {
            one.unit = next.unit;
            let behind = text.get(next.range.end..).unwrap_or_default();
            one.month = next.month.or_else(|| month_after(behind).filter(|_| next.unit.is_none()));
        }
    }
}

/// How long an address or a path is that begins here: `http://…`, `/modifications/0/date`.
fn address_len(rest: &str, begins: bool) -> Option<usize> {
    let word = || rest.find(char::is_whitespace).unwrap_or(rest.len());
    if rest.starts_with("http://") || rest.starts_with("https://") {
        return Some(word());
    }
    let inside = rest.strip_prefix('/').filter(|inside| begins && inside.starts_with(char::is_alphabetic))?;
    inside.get(..word().saturating_sub(1)).filter(|path| path.contains('/')).map(|path| path.len() + 1)
}

/// Names of races and zones: `5K`, `10k`, `Z2`, `W3`; not `5kg`.
fn is_name(before: Option<char>, token: &str, after: &str) -> bool {
    let mut next = after.chars();
    let race = matches!(token, "5" | "10")
        && matches!(next.next(), Some('k' | 'K'))
        && !next.next().is_some_and(char::is_alphanumeric);
    race || before.is_some_and(char::is_alphabetic)
}

/// The numbers of a token: one, or two for `3-4`; a day is one.
fn parse_token(text: &str, at: usize, token: &str, after: &str) -> Vec<Number> {
    let (unit, length) = unit_after(after);
    let day: String = token.chars().map(to_ascii_digit).collect();
    if day.parse::<fitness_core::domain::calendar::Day>().is_ok() {
        return vec![Number {
            range: at..at + token.len(),
            digits: day,
            sign: Sign::None,
            unit: None,
            month: None,
        }];
    }
    let mut found = Vec::new();
    let mut from = 0;
    for part in token.split('-') {
        let last = from + part.len() == token.len();
        if part.chars().any(char::is_numeric) {
            let (sign, before) = if from == 0 { sign_before(text, at) } else { (Sign::None, 0) };
            let end = at + from + part.len() + if last { length } else { 0 };
            let digits = normalize_digits(&part.chars().map(to_ascii_digit).collect::<String>());
            found.push(Number { range: at + from - before..end, digits, sign, unit, month: None });
        }
        from += part.len() + 1;
    }
    found
}

/// The sign right before a number, as a character or a word, and how long it is with the space
/// behind it.
fn sign_before(text: &str, at: usize) -> (Sign, usize) {
    let before = text.get(..at).unwrap_or_default();
    let mut back = before.chars().rev();
    let sign = match back.next() {
        Some('+' | '＋') => Sign::Plus,
        Some('-' | '−' | '–' | '﹣' | '－' | '‐' | '‑') => Sign::Minus,
        _ => {
            let words = before.trim_end_matches([' ', '\u{a0}']);
            let word = words.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
            return match word.to_lowercase().as_str() {
                "minus" | "negative" => (Sign::Minus, before.len() - words.len() + word.len()),
                "plus" => (Sign::Plus, before.len() - words.len() + word.len()),
                _ => (Sign::None, 0),
            };
        }
    };
    // `week-2`, `3–4` and `sub-40` have no sign, and neither has what a dash only stands before.
    if back.next().is_some_and(|c| c.is_alphanumeric() || matches!(c, '%' | ')')) {
        return (Sign::None, 0);
    }
    (sign, before.chars().next_back().map_or(0, char::len_utf8))
}

/// The sign of a number that stands alone.
pub(super) fn parse_sign(digits: &str) -> Sign {
    match digits.chars().next() {
        Some('-' | '−') => Sign::Minus,
        Some('+') => Sign::Plus,
        _ => Sign::None,
    }
}

/// A decimal digit of any script as one of ours; anything else as it is, and so like no number that
/// was told.
fn to_ascii_digit(c: char) -> char {
    /// Where the digits of a script begin.
    #[rustfmt::skip]
    const ZEROS: &[char] = &[
        '０', '\u{660}', '\u{6f0}', '\u{7c0}', '\u{966}', '\u{9e6}', '\u{a66}', '\u{ae6}', '\u{b66}', '\u{be6}', '\u{c66}',
        '\u{ce6}', '\u{d66}', '\u{e50}', '\u{ed0}', '\u{f20}', '\u{1040}', '\u{17e0}', '\u{1810}', '\u{1d7ce}', '\u{1d7d8}',
        '\u{1d7e2}', '\u{1d7ec}', '\u{1d7f6}',
    ];
    let digit = ZEROS.iter().find_map(|zero| {
        let past = u32::from(c).checked_sub(u32::from(*zero))?;
        char::from_digit(past, 10)
    });
    digit.unwrap_or(c)
}

#[rustfmt::skip]
const SMALL_NUMBER_WORDS: &[&str] = &[
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
];
const TENS_WORDS: &[&str] = &["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/// What one word adds to a number.
#[derive(Clone, Copy)]
pub(super) enum NumberWord {
    Small(u64),
    Tens(u64),
    Multiplier(u64),
}

pub(super) fn number_word(word: &str) -> Option<NumberWord> {
    let place = |words: &[&str]| words.iter().position(|known| word.eq_ignore_ascii_case(known));
    if let Some(small) = place(SMALL_NUMBER_WORDS) {
        return Some(NumberWord::Small(small as u64));
    }
    if let Some(ten) = place(TENS_WORDS) {
        return Some(NumberWord::Tens(20 + 10 * ten as u64));
    }
    place(&["hundred", "thousand"]).map(|at| NumberWord::Multiplier([100, 1000][at.min(1)]))
}

/// A number in words that begins here: how long it is, and its digits. `forty-two`, `a hundred and
/// five`, `two and a half`.
fn parse_spelled(rest: &str) -> Option<(usize, String)> {
    let (mut sum, mut part, mut last): (u64, u64, Option<NumberWord>) = (0, 0, None);
    let (mut at, mut end) = (0, 0);
    loop {
        let here = rest.get(at..).unwrap_or_default();
        let length = here.find(|c: char| !c.is_alphanumeric()).unwrap_or(here.len());
        let word = here.get(..length).unwrap_or_default();
        let next = match (number_word(word), last) {
            // `two three` are two numbers, and so are `twenty thirty`.
            (Some(NumberWord::Small(small)), Some(NumberWord::Tens(_))) if !(1..10).contains(&small) => None,
            (Some(NumberWord::Small(_)), Some(NumberWord::Small(_)))
            | (Some(NumberWord::Tens(_)), Some(NumberWord::Small(_) | NumberWord::Tens(_))) => None,
            (next, _) => next,
        };
        match next {
            Some(NumberWord::Small(more) | NumberWord::Tens(more)) => part = part.saturating_add(more),
            Some(NumberWord::Multiplier(100)) => part = part.max(1).saturating_mul(100),
            Some(NumberWord::Multiplier(times)) => {
                sum = sum.saturating_add(part.max(1).saturating_mul(times));
                part = 0;
            }
            None if word.eq_ignore_ascii_case("and") && matches!(last, Some(NumberWord::Multiplier(_))) => {}
            None => break,
        }
        if next.is_some() {
            (last, end) = (next, at + length);
        }
        let after = here.get(length..).unwrap_or_default();
        if !after.starts_with([' ', '-']) {
            break;
        }
        at += length + 1;
    }
    last?;
    let whole = sum.saturating_add(part);
    let half = " and a half";
    let more = rest.get(end..end + half.len()).is_some_and(|more| more.eq_ignore_ascii_case(half));
    Some(if more { (end + half.len(), format!("{whole}.5")) } else { (end, whole.to_string()) })
}

/// A number in words, where it counts something: a small one only before a unit, for `two things`
/// and `this one` are no amounts, and nor are `one day` and `the last seven days`.
fn spelled_number(text: &str, range: Range<usize>, digits: String) -> Option<Number> {
    let (unit, length) = unit_after(text.get(range.end..).unwrap_or_default());
    let small = digits.parse::<f64>().is_ok_and(|value| value <= 12.0);
    let before = text.get(..range.start).unwrap_or_default().trim_end().to_lowercase();
    let span = before.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    let span = digits == "1" || matches!(span, "last" | "past" | "next" | "these" | "every");
    let idle = span && matches!(unit, Some("days" | "weeks" | "s"));
    if small && (unit.is_none() || idle) {
        return None;
    }
    let (sign, before) = sign_before(text, range.start);
    Some(Number { range: range.start - before..range.end + length, digits, sign, unit, month: None })
}

/// Without a sign, signs of thousands, leading zeros and trailing ones after the point.
pub(super) fn normalize_digits(digits: &str) -> String {
    let digits = digits.trim_start_matches(['-', '+', '−']);
    if digits.contains(':') {
        let trimmed = digits.trim_start_matches(['0', ':']);
        return if trimmed.is_empty() { "0".to_owned() } else { trimmed.to_owned() };
    }
    let groups: Vec<&str> = digits.split(',').collect();
    let thousands = groups.len() > 1
        && groups.iter().skip(1).all(|group| group.split('.').next().is_some_and(|g| g.len() == 3));
    let digits = if thousands { groups.concat() } else { digits.replace(',', ".") };
    let digits =
        if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { &digits };
    let digits = digits.trim_start_matches('0');
    match digits {
        "" => "0".to_owned(),
        after if after.starts_with('.') => format!("0{after}"),
        other => other.to_owned(),
    }
}

/// The unit right after a number, and how long it is with the space before it.
pub(super) fn unit_after(after: &str) -> (Option<&'static str>, usize) {
    let trimmed = after.trim_start_matches([' ', '\u{a0}']);
    let gap = after.len() - trimmed.len();
    if gap > 2 {
        return (None, 0);
    }
    let word: &str =
        trimmed.split(|c: char| !(c.is_alphabetic() || matches!(c, '/' | '%'))).next().unwrap_or_default();
    if let Some(unit) = parse_unit(word) {
        return (Some(unit), gap + word.len());
    }
    // `five easy runs` are as many runs.
    let behind = trimmed.get(word.len()..).unwrap_or_default();
    let second = behind.strip_prefix(' ').unwrap_or_default();
    let second = second.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    match count_unit(second) {
        Some(unit) if QUALIFIERS.contains(&word.to_lowercase().as_str()) => {
            (Some(unit), gap + word.len() + 1 + second.len())
        }
        _ => (None, 0),
    }
}

/// What may stand between a number and what it counts.
#[rustfmt::skip]
const QUALIFIERS: &[&str] = &[
    "easy", "hard", "long", "short", "key", "quality", "planned", "more", "good", "recent", "tempo", "steady", "strength", "solid",
    "missed", "full", "separate", "different", "other", "big", "small", "morning", "evening",
];

/// What is counted, one spelling for each. Only the same count backs such a number.
pub(super) fn count_unit(word: &str) -> Option<&'static str> {
    Some(match word.to_lowercase().as_str() {
        "runs" => "runs",
        "rides" => "rides",
        "swims" => "swims",
        "sessions" | "workouts" | "trainings" => "sessions",
        "times" => "times",
        "laps" => "laps",
        "reps" | "repeats" | "repetitions" | "intervals" => "reps",
        "activities" => "activities",
        "nights" => "nights",
        "months" => "months",
        "years" => "years",
        "races" => "races",
        _ => return None,
    })
}

/// One spelling for each unit.
pub(super) fn parse_unit(word: &str) -> Option<&'static str> {
    Some(match word.to_lowercase().as_str() {
        "km" | "kilometres" | "kilometers" | "kilometre" | "kilometer" => "km",
        "mi" | "miles" | "mile" => "mi",
        "/km" | "min/km" => "/km",
        "/mi" | "min/mi" => "/mi",
        "h" | "hours" | "hour" | "hrs" => "h",
        "m" | "min" | "mins" | "minutes" | "minute" => "min",
        "s" | "sec" | "seconds" | "second" => "s",
        "bpm" | "beats" => "bpm",
        "ms" => "ms",
        "%" | "percent" => "%",
        "w" | "watts" => "W",
        "kg" | "kgs" | "kilo" | "kilos" | "kilograms" => "kg",
        "lb" | "lbs" | "pounds" => "lb",
        "kcal" | "calories" | "cal" => "kcal",
        "steps" => "steps",
        "days" | "day" => "days",
        "weeks" | "week" => "weeks",
        "points" => "points",
        counted => return count_unit(counted),
    })
}

/// Whether a unit is a count of something.
pub(super) fn is_count_unit(unit: &str) -> bool {
    count_unit(unit) == Some(unit)
}

/// The unit that the name of a field gives its number.
pub(super) fn unit_from_key(key: &str) -> Option<&'static str> {
    if let Some(count) = count_unit(key) {
        return Some(count);
    }
    [("percent", "%"), ("miles", "mi"), ("minutes", "min"), ("days", "days"), ("hours", "h"), ("_km", "km")]
        .into_iter()
        .find_map(|(part, unit)| key.contains(part).then_some(unit))
}
