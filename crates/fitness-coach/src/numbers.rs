//! Numbers in a conversation, held against what tools answered in it.
//!
//! A brief carries facts by id; a conversation carries digits. So each number a coach writes is looked up among the
//! numbers that tools told it and the athlete wrote, with its unit where it has one, and what is not found there is
//! marked. `72 hours` is not backed by a recovery of 72.

mod answer;

use serde_json::Value;
use std::collections::BTreeSet;
use std::ops::Range;

/// The numbers a conversation may use.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    known: BTreeSet<Known>,
}

/// A number as it was told.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Known {
    digits: String,
    unit: Option<&'static str>,
}

/// A number in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Number {
    range: Range<usize>,
    digits: String,
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
            self.note(number.digits, number.unit);
        }
    }

    /// The numbers of a text that nothing backs, in order: where each stands, its unit with it.
    #[must_use]
    pub fn unverified(&self, text: &str) -> Vec<Range<usize>> {
        numbers(text).into_iter().filter(|number| !self.backs(number)).map(|number| number.range).collect()
    }

    fn backs(&self, number: &Number) -> bool {
        self.known.iter().any(|known| {
            let same_unit = number.unit.is_none() || number.unit == known.unit;
            same_unit && says_the_same(&number.digits, &known.digits)
        })
    }

    fn note(&mut self, digits: String, unit: Option<&'static str>) {
        self.known.insert(Known { digits, unit });
    }

    fn walk(&mut self, key: Option<&str>, value: &Value) {
        match value {
            Value::Number(number) => {
                self.note(plain(&number.to_string()), key.and_then(unit_of_key));
            }
            Value::String(text) => {
                self.hear_words(text);
                // A day is spoken of in many ways: 14 June, in 2026.
                if let Ok(day) = text.parse::<fitness_core::calendar::Day>() {
                    for part in day.to_string().split('-') {
                        self.note(plain(part), None);
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.walk(key, item)),
            Value::Object(fields) => {
                let unit = fields.get("unit").and_then(Value::as_str).and_then(unit_of);
                // What somebody wrote beside a proposal that waits is prose, and backs nothing.
                let prose = fields.contains_key("proposal_id").then_some("message");
                for (name, field) in fields.iter().filter(|(name, _)| Some(name.as_str()) != prose) {
                    match (unit, field) {
                        (Some(unit), Value::Number(number)) => {
                            self.note(plain(&number.to_string()), Some(unit))
                        }
                        (Some(unit), Value::Array(points)) => {
                            for number in points.iter().filter_map(|point| point.get(1)?.as_f64()) {
                                self.note(plain(&number.to_string()), Some(unit));
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
    if said == known {
        return true;
    }
    let (Ok(value), Ok(exact)) = (said.parse::<f64>(), known.parse::<f64>()) else { return false };
    let decimals = |text: &str| text.split_once('.').map_or(0, |(_, after)| after.len());
    let (few, many) = (decimals(said), decimals(known));
    few < many && format!("{exact:.few$}").parse() == Ok(value)
}

/// Without a sign, signs of thousands, leading zeros and trailing ones after the point.
fn plain(digits: &str) -> String {
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

/// Every number of a text that speaks of an amount. Names such as 5K and Z2, addresses and the numbers of a list do not.
fn numbers(text: &str) -> Vec<Number> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut line_start = true;
    while let Some(rest) = text.get(at..) {
        let Some(c) = rest.chars().next() else { break };
        if rest.starts_with("http://") || rest.starts_with("https://") {
            at += rest.find(char::is_whitespace).unwrap_or(rest.len());
            line_start = false;
            continue;
        }
        if c.is_ascii_digit() {
            let length = rest
                .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | ':' | '-')))
                .unwrap_or(rest.len());
            let token = rest.get(..length).unwrap_or_default().trim_end_matches(['.', ',', ':', '-']);
            let after = rest.get(token.len()..).unwrap_or_default();
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let of_a_list =
                line_start && token.bytes().all(|b| b.is_ascii_digit()) && after.starts_with(['.', ')']);
            if !of_a_list && !is_name(before, token, after) {
                found.extend(number(at, token, after));
            }
            at += token.len().max(1);
            line_start = false;
            continue;
        }
        line_start = c == '\n' || (line_start && (c.is_whitespace() || matches!(c, '-' | '*' | '#')));
        at += c.len_utf8();
    }
    found
}

/// Names of races and zones: `5K`, `10k`, `Z2`, `W3`.
fn is_name(before: Option<char>, token: &str, after: &str) -> bool {
    let next = after.chars().next();
    let race = matches!(token, "5" | "10")
        && matches!(next, Some('k' | 'K'))
        && !after.get(1..2).is_some_and(|c| matches!(c, "m" | "M"));
    race || before.is_some_and(char::is_alphabetic)
}

/// The numbers of a token: one, or two for `3-4`; a day is one.
fn number(at: usize, token: &str, after: &str) -> Vec<Number> {
    let (unit, length) = unit_after(after);
    if token.parse::<fitness_core::calendar::Day>().is_ok() {
        return vec![Number { range: at..at + token.len(), digits: token.to_owned(), unit: None }];
    }
    let mut found = Vec::new();
    let mut from = 0;
    for part in token.split('-') {
        let last = from + part.len() == token.len();
        if part.bytes().any(|b| b.is_ascii_digit()) {
            let end = at + from + part.len() + if last { length } else { 0 };
            found.push(Number { range: at + from..end, digits: plain(part), unit });
        }
        from += part.len() + 1;
    }
    found
}

/// The unit right after a number, and how long it is with the space before it.
fn unit_after(after: &str) -> (Option<&'static str>, usize) {
    let trimmed = after.trim_start_matches([' ', '\u{a0}']);
    let gap = after.len() - trimmed.len();
    if gap > 2 {
        return (None, 0);
    }
    let word: &str =
        trimmed.split(|c: char| !(c.is_alphabetic() || matches!(c, '/' | '%'))).next().unwrap_or_default();
    match unit_of(word) {
        Some(unit) => (Some(unit), gap + word.len()),
        None => (None, 0),
    }
}

/// One spelling for each unit.
fn unit_of(word: &str) -> Option<&'static str> {
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
        "kg" => "kg",
        "days" | "day" => "days",
        "weeks" | "week" => "weeks",
        "points" => "points",
        _ => return None,
    })
}

/// The unit that the name of a field gives its number.
fn unit_of_key(key: &str) -> Option<&'static str> {
    [("percent", "%"), ("minutes", "min"), ("days", "days"), ("hours", "h"), ("_km", "km")]
        .into_iter()
        .find_map(|(part, unit)| key.contains(part).then_some(unit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn ledger() -> Ledger {
        let mut ledger = Ledger::default();
        ledger.hear(&json!({
            "recovery": { "shown": "72" }, "distance": "12.4 km", "sleep": "7h 24m", "pace": "5:12 /km",
            "finish": "1:45:30", "days_to_race": 42, "adherence_percent": 91, "date": "2026-06-14",
            "series": { "unit": "ms", "points": [["2026-06-13", 61.3]], "mean": 60.0 },
        }));
        ledger
    }

    fn left(text: &str) -> Vec<String> {
        ledger().unverified(text).into_iter().map(|range| text[range].to_owned()).collect()
    }

    #[test]
    fn what_was_told_stands() {
        for text in [
            "Recovery is 72, you ran 12.4 km at 5:12 /km.",
            "About 12 km on 14 June 2026, 7h 24m of sleep.",
            "A finish of 1:45:30 in 42 days; 91 % done. HRV was 61.3 ms, about 61 ms.",
            "A 5K in Z2 feels easy.\n1. Rest\n2) Run\nSee http://127.0.0.1:8787/plan/318",
            "On 2026-06-14 you rested.",
        ] {
            assert_eq!(left(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn what_was_not_told_is_marked() {
        for (text, expected) in [
            ("Your recovery time was 72 hours.", vec!["72 hours"]),
            ("You ran 12.5 km.", vec!["12.5 km"]),
            ("You ran 12.4 miles.", vec!["12.4 miles"]),
            ("Run 3-4 km easy.", vec!["3", "4 km"]),
            ("Heart rate 148 bpm, pace 5:13 /km.", vec!["148 bpm", "5:13 /km"]),
            ("1,724 calories", vec!["1,724"]),
            ("On 2026-06-15.", vec!["2026-06-15"]),
        ] {
            assert_eq!(left(text), expected, "{text}");
        }
    }

    #[test]
    fn what_the_athlete_said_may_be_repeated() {
        let mut ledger = ledger();
        ledger.hear_words("I want 1:40 for the half, on 4 days a week");
        assert!(ledger.unverified("Aiming for 1:40 on 4 days").is_empty());
    }

    #[test]
    fn what_was_written_beside_a_proposal_backs_nothing() {
        let mut ledger = ledger();
        ledger.hear(&json!({ "waiting": [{
            "proposal_id": 9, "message": "Your lactate is 7.7.", "review": "http://127.0.0.1:8787/proposals/9",
        }]}));
        let text = "Your lactate is 7.7, see proposal 9.";
        assert_eq!(
            marked(text, &ledger.unverified(text)),
            "Your lactate is 7.7 [unverified], see proposal 9."
        );
    }

    #[test]
    fn marks_stand_behind_their_numbers() {
        let text = "72 hours and 12.4 km";
        assert_eq!(marked(text, &ledger().unverified(text)), "72 hours [unverified] and 12.4 km");
    }

    proptest::proptest! {
        #[test]
        fn no_text_breaks_it(text in ".{0,200}") {
            let ledger = ledger();
            let marks = ledger.unverified(&text);
            let _ = marked(&text, &marks);
        }
    }
}
