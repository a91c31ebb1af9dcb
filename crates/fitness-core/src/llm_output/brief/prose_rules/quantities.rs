//! Quantities that are spelled out: `forty-two`, `half an hour`, `twice`, `a couple of`, `VII`.
//!
//! The rule: a word that counts or measures is a quantity, and a quantity in a brief is a fact. Words that mostly mean
//! something else (`one`, `first`, `second`, `once`, `single`, `couple`) count only where they count something, and the
//! [`IDIOMS`] are left alone. Vague words (`a few`, `several`, `most`, `both`) are no numbers.

use super::amounts;
use super::tokens::{Token, tokens, words_at};

/// Words that are always a quantity.
#[rustfmt::skip]
const NUMBERS: &[&str] = &[
    "zero", "nil", "nought", "naught", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen", "twenty", "thirty", "forty", "fourty", "fifty", "sixty", "seventy", "eighty", "ninety",
    "hundred", "thousand", "million", "billion", "trillion", "dozen", "half", "halve", "halved", "halves",
    "quarter", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth",
    "nineteenth", "twentieth", "thirtieth", "fortieth", "fiftieth", "sixtieth", "seventieth", "eightieth",
    "ninetieth", "hundredth", "thousandth", "millionth", "twice", "thrice", "double", "doubled", "doubling",
    "triple", "tripled", "tripling", "treble", "trebled", "quadruple", "quadrupled", "quintuple",
    "quintupled", "teen", "twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties",
    "nineties", "fortnight", "decade", "duo", "trio", "quartet", "digit",
    "decile", "quintile", "quartile", "percentile", "umpteen", "umpteenth", "hattrick",
    // Those of other languages that are no words of English.
    "zwei", "drei", "vier", "funf", "sechs", "sieben", "neun", "zehn", "zwolf", "hundert", "deux", "trois",
    "quatre", "cinq", "huit", "neuf", "vingt", "cuatro", "cinco", "siete", "ocho", "nueve", "diez",
    "veinte",
];

/// What a number may be written together with: `tenk`, `fiveish`, `threefold`, `sixkm`.
const ENDINGS: &[&str] = &[
    "s", "es", "th", "ths", "ish", "fold", "some", "odd", "plus", "x", "k", "km", "kms", "m", "mi", "mile",
    "miles", "min", "mins", "minute", "minutes", "h", "hr", "hrs", "hour", "hours", "bpm", "kg", "w", "ms",
    "percent", "pct", "day", "days", "week", "weeks", "run", "runs",
];

/// What can be counted, and so makes a number of a `one`, a `first` or a `single` before it.
#[rustfmt::skip]
const COUNTED: &[&str] = &[
    "run", "runs", "ride", "rides", "swim", "swims", "session", "sessions", "workout", "workouts", "race",
    "races", "day", "days", "night", "nights", "week", "weeks", "month", "months", "year", "years", "hour",
    "hours", "minute", "minutes", "second", "seconds", "km", "kms", "k", "kilometre", "kilometres",
    "kilometer", "kilometers", "mile", "miles", "metre", "metres", "meter", "meters", "rep", "reps",
    "interval", "intervals", "lap", "laps", "beat", "beats", "bpm", "point", "points", "percent", "kilo",
    "kilos", "watt", "watts", "time", "times", "place",
];

/// Phrases with such a word in them that count nothing.
#[rustfmt::skip]
pub(crate) const IDIOMS: &[&str] = &[
    "half marathon", "half marathons", "half hearted", "half the battle", "second wind", "second nature",
    "second thought", "second thoughts", "second guess", "second guessing", "split second", "one of those",
    "one of these", "one of the", "one of your", "one thing", "one step at a time", "one day at a time",
    "one another", "one way or another", "no one", "this one", "that one", "which one", "each one",
    "every one", "the one", "another one", "easy one", "hard one", "good one", "big one", "long one",
    "short one", "quiet one", "tough one", "right one", "solid one", "light one", "steady one", "fine one",
    "thing or two", "zeroing in", "think twice", "double check", "double checking", "double down",
    "cloud nine", "once in a while", "once and for all", "first and foremost", "first things first",
];

/// A length, a weight or the like: `an hour` is as much a number as `one hour`.
#[rustfmt::skip]
const MEASURES: &[&str] = &[
    "hour", "minute", "mile", "kilometre", "kilometer", "km", "metre", "meter", "kilo", "kilogram", "kg", "stone",
    "pound", "gram", "litre", "liter", "degree", "watt", "percent", "yard", "inch", "beat",
];

/// What is spelled out in a text, each once, as it was written. Placeholders are no words.
#[must_use]
pub fn quantities(text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let idle = idle(&tokens);
    let mut found: Vec<String> = Vec::new();
    let mut note = |from: usize, to: usize| {
        let words: Vec<&str> = tokens[from..to]
            .iter()
            .filter_map(|token| match token {
                Token::Word { raw, .. } => Some(*raw),
                Token::Fact(_) | Token::Stop | Token::Mark(_) => None,
            })
            .collect();
        let phrase = words.join(" ");
        if !found.contains(&phrase) {
            found.push(phrase);
        }
    };
    for (at, token) in tokens.iter().enumerate() {
        let Token::Word { raw, plain, joined } = token else { continue };
        if idle[at] {
            continue;
        }
        let next = tokens.get(at + 1).and_then(Token::word);
        let counts = next.is_some_and(|next| COUNTED.contains(&next) || is_number(next));
        match word(plain) {
            "one" => note(at, (at + 1 + usize::from(counts)).min(tokens.len())),
            "first" | "single" if counts => note(at, at + 2),
            "second" | "couple" => note(at, at + 1),
            "hat" if words_at(&tokens, at, "hat trick") => note(at, at + 2),
            "once" if amounts::once_counts(&tokens, at) => note(at, at + 1),
            "pair" | "brace" | "handful" if next == Some("of") => note(at, at + 2),
            "score" | "scores" if amounts::is_twenty(&tokens, at) => note(at, at + 2),
            "a" | "an" if measures(&tokens, at) => note(at, at + 2),
            "a" | "an" | "whole" | "full" | "entire" if amounts::is_a_time(&tokens, at) => note(at, at + 2),
            "a" | "an" if amounts::is_a_race_run(&tokens, at) => note(at, at + 2),
            plain if is_number(plain) || is_roman(raw) => note(at, at + 1),
            plain if *joined => {
                let before = tokens[..at].last().and_then(Token::word).unwrap_or_default();
                if is_number(&format!("{before}{plain}")) {
                    note(at - 1, at + 1);
                }
            }
            _ => {}
        }
    }
    for (from, to) in spelled(&tokens) {
        note(from, to);
    }
    found
}

/// Whether a measure follows an article. `A degree of care` measures nothing.
fn measures(tokens: &[Token<'_>], at: usize) -> bool {
    let next = tokens.get(at + 1).and_then(Token::word);
    let degree_of = words_at(tokens, at + 1, "degree of");
    next.is_some_and(|next| MEASURES.contains(&next)) && !degree_of
}

/// A word without its possessive.
fn word(plain: &str) -> &str {
    plain.strip_suffix("'s").unwrap_or(plain)
}

/// The words that belong to an idiom. A `one` before something that is counted belongs to none.
fn idle(tokens: &[Token<'_>]) -> Vec<bool> {
    let mut idle = vec![false; tokens.len()];
    for at in 0..tokens.len() {
        for idiom in IDIOMS.iter().filter(|idiom| words_at(tokens, at, idiom)) {
            let end = at + idiom.split(' ').count();
            let next = tokens.get(end).and_then(Token::word);
            let ends_in_one = idiom.ends_with(" one");
            let counts = next.is_some_and(|next| CONCRETE.contains(&next) || is_number(next));
            if !(ends_in_one && counts) {
                idle[at..end].fill(true);
            }
        }
    }
    idle
}

/// What can be counted and follows no pronoun: `this one hour` is an hour.
#[rustfmt::skip]
const CONCRETE: &[&str] = &[
    "run", "ride", "swim", "session", "workout", "race", "day", "night", "week", "month", "year", "hour",
    "minute", "second", "km", "kilometre", "kilometer", "mile", "metre", "meter", "beat", "point",
    "percent", "per",
];

/// Whether a word is a number, alone or written together with another or with an ending.
fn is_number(word: &str) -> bool {
    // Nothing that long is a number; what is repeated without end is not looked at.
    word.len() <= 60 && parts(word, 0)
}

fn parts(word: &str, depth: usize) -> bool {
    if NUMBERS.contains(&word) {
        return true;
    }
    if depth > 3 {
        return false;
    }
    let heads = NUMBERS.iter().chain(&["one"]);
    heads.filter_map(|head| Some((*head, word.strip_prefix(head)?))).any(|(head, rest)| {
        let ending = ENDINGS.contains(&rest) && !(head == "one" && rest == "s");
        ending || (rest.len() > 2 && parts(rest, depth + 1)) || (head != "one" && rest == "one")
    })
}

/// Whether a word is a number in Roman numerals up to thirty-nine. A lone `I` is a word, and a small `v` or `x` may be.
fn is_roman(raw: &str) -> bool {
    if !raw.chars().all(|c| matches!(c, 'I' | 'V' | 'X' | 'i' | 'v' | 'x')) {
        return false;
    }
    let upper = raw.to_ascii_uppercase();
    let ones = upper.trim_start_matches('X');
    let tens = upper.len() - ones.len();
    let fits = ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"].contains(&ones);
    let is_word = raw.len() == 1 && !matches!(raw, "V" | "X");
    fits && tens <= 3 && !is_word
}

/// Words spelled letter by letter: `f i v e`, `f-i-v-e`, `f.i.v.e`.
fn spelled(tokens: &[Token<'_>]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut letters = String::new();
    let mut close = |letters: &mut String, start: usize, end: usize| {
        let within = |from: usize| letters.get(from..).unwrap_or_default();
        let hidden = (0..letters.len()).any(|from| {
            let rest = within(from);
            NUMBERS.iter().chain(&["one"]).any(|number| number.len() > 2 && rest.starts_with(number))
        });
        if letters.len() > 2 && hidden {
            found.push((start, end));
        }
        letters.clear();
    };
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Word { plain, .. } if plain.len() == 1 => {
                if letters.is_empty() {
                    start = at;
                }
                // A text of nothing but single letters is not kept whole.
                if letters.len() < 60 {
                    letters.push_str(plain);
                }
            }
            Token::Stop | Token::Mark(_) if !letters.is_empty() => {}
            _ => close(&mut letters, start, at),
        }
    }
    close(&mut letters, start, tokens.len());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_is_found() {
        for text in [
            "forty-two",
            "Forty two",
            "FIVE",
            "a dozen",
            "dozens",
            "half an hour",
            "twice",
            "a couple of runs",
            "a pair of runs",
            "the second run",
            "your first run back",
            "tenth",
            "two thirds",
            "a hundred",
            "doubled",
            "tripled",
            "twofold",
            "threeish",
            "fivekm",
            "tenk",
            "sixtyfive",
            "onehundred",
            "in the low fifties",
            "one hour",
            "one more hour",
            "recovery is one",
            "twenty-one",
            "an hour short",
            "a mile",
            "once a week",
            "VII",
            "vii",
            "a single run",
            "f i v e",
            "f-i-v-e",
            "f.i.v.e",
            "fi-ve",
            "Fívé",
            "this one hour",
            "fortnight",
            "zéro",
            "sevenths",
            "one's",
            "zwei",
            "fünf",
            "one hundred",
            "ones and twos",
            "X",
            "day one",
            "halved",
            "three-quarters",
            "double-digit",
            "a score of beats above usual",
            "scores of runs",
            "You ran once last week",
            "You ran once.",
            "You lost a kilo",
            "down a stone",
            "up a degree",
            "You missed a week",
            "a month since you ran",
            "a whole week without sleep",
            "in a week",
            "a day late",
            "a year ago",
            "A brace of runs",
            "You ran a marathon yesterday",
            "you finished a half marathon",
            "a handful of runs",
        ] {
            assert!(!quantities(text).is_empty(), "{text}");
        }
        assert_eq!(quantities("Two runs, TWO runs, one hour"), ["Two", "TWO", "one hour"]);
    }

    #[test]
    fn what_counts_nothing_is_left_alone() {
        for text in [
            "one of those days",
            "It is one of the easy ones.",
            "This one is easy; save the hard one.",
            "no one else",
            "first, sleep",
            "Sleep comes first.",
            "first thing in the morning",
            "a second wind",
            "second nature",
            "at once",
            "once you are warm",
            "think twice",
            "double-check your shoes",
            "a half marathon",
            "half-hearted",
            "a few easy runs",
            "several",
            "both",
            "most of the week",
            "I am",
            "often",
            "tendon",
            "attention",
            "content",
            "weight",
            "height",
            "freight",
            "someone",
            "everyone",
            "alone",
            "stone",
            "phone",
            "done",
            "tone",
            "tense",
            "forth",
            "fort",
            "a week",
            "a day off",
            "every other day",
            "an easy day",
            "in the middle",
            "{{load_7_days}}",
            "couples",
            "mix it up",
            "vitamin C",
            "x",
            "one step at a time",
            "the one to skip",
            "pair it with sleep",
            "a single thought",
            "well-rested",
            "a recovery score of {{recovery}}",
            "a score of {{recovery}}",
            "it moves by {{ramp}} a week",
            "What a week, and what a day",
            "after a week like this",
            "once the data is in",
            "once again",
            "for once",
            "once {{today_session}} is done",
            "a marathon in {{predicted_marathon}}",
            "a half marathon would take about {{predicted_half_marathon}}",
            "a degree of care",
            "a good week",
            "a stone's throw",
            "often-used",
        ] {
            assert_eq!(quantities(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn a_text_made_to_take_long_is_read_in_one_pass() {
        for text in
            ["a ".repeat(200_000), "one".repeat(200_000), "two-".repeat(100_000), "{{".repeat(200_000)]
        {
            assert!(quantities(&text).len() <= 2, "{}", quantities(&text).len());
        }
    }
}
