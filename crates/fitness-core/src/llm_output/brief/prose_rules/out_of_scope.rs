//! What a brief has no fact of. Lists of ways to tell a change leak, so with an active plan it is the other way round: its
//! facts are of today, of what was, and of the race, and whatever speaks of another day, of the week to come, of another
//! kind of session or of a draft speaks of something nobody told it.

use super::easing::{has_their_word, word};
use super::tokens::{Token, sentences};
use crate::facts::{FactName, FactWord, Facts};
use crate::plan::WorkoutKind;

/// Days that are not today.
#[rustfmt::skip]
const DAYS: &[&str] = &[
    "tomorrow", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mondays", "tuesdays",
    "wednesdays", "thursdays", "fridays", "saturdays", "sundays", "weekend", "weekends", "weekend's",
    "overmorrow",
];

/// What before a week makes it one that was, or none in particular.
const PAST_WEEK: &[&str] = &["last", "past", "previous", "a", "per", "each", "every", "of", "{}"];

/// Kinds of sessions that have a name of their own.
const KINDS: &[&str] = &["hills", "hill", "tempo", "intervals", "strides", "fartlek", "threshold", "repeats"];

/// The first words of a body with an active plan that speak of what no fact of the brief tells.
pub(crate) fn untold(tokens: &[Token<'_>], facts: &Facts) -> Option<String> {
    let kind = match word(facts, FactName::TodayWorkoutKind) {
        Some(FactWord::Kind(kind)) => Some(kind),
        _ => None,
    };
    let hard = kind.is_some_and(|kind| kind.is_quality() || kind == WorkoutKind::Race);
    sentences(tokens).find_map(|sentence| {
        let words: Vec<&str> = sentence
            .iter()
            .map(|token| token.word().unwrap_or(if matches!(token, Token::Fact(_)) { "{}" } else { "," }))
            .collect();
        let before = |at: usize, back: usize| at.checked_sub(back).map_or("", |at| words[at]);
        let after = |at: usize, ahead: usize| words.get(at + ahead).copied().unwrap_or_default();
        // What was, may have been on any day.
        let was = sentence.iter().any(|token| matches!(token, Token::Fact(id) if id.starts_with("last_")))
            || words.iter().any(|word| matches!(*word, "yesterday" | "yesterday's"));
        let waits = sentence.contains(&Token::Fact(FactName::PendingProposals.as_str()));
        (0..words.len()).find_map(|at| {
            let bare = words[at].trim_end_matches("'s");
            let other = match bare {
                _ if DAYS.contains(&bare) => !was,
                "week" => {
                    let told = PAST_WEEK.contains(&before(at, 1))
                        || (matches!(after(at, 1), "before" | "has" | "was") && before(at, 1) == "the");
                    // `It would help the rest of the week` says nothing of how it is.
                    let says_how = !matches!(after(at, 1), "" | "," | "and");
                    !told && says_how && !waits
                }
                "draft" | "drafts" | "drafted" => true,
                "long" => after(at, 1) == "run" && kind != Some(WorkoutKind::Long) && !was,
                _ => KINDS.contains(&bare) && !hard && !was,
            };
            other.then(|| if bare == "long" { "long run".to_owned() } else { words[at].to_owned() })
        })
    })
}

/// Illnesses and injuries, which only the athlete knows of.
#[rustfmt::skip]
const DIAGNOSES: &[&str] = &[
    "fever", "feverish", "flu", "infection", "virus", "covid", "ill", "sick", "unwell", "illness", "injured", "injury",
    "overtrained", "overtraining", "fracture", "bronchitis", "inflammation", "anaemic", "anemic", "contagious",
];

/// What makes a thought of a sentence, or its opposite.
#[rustfmt::skip]
const THOUGHTS: &[&str] = &[
    "if", "whether", "when", "unless", "no", "not", "nothing", "never", "don't", "aren't", "isn't", "without", "before",
    "marked", "said", "often", "sign", "signs", "should", "could", "may", "might", "can",
];

/// A sentence that tells the athlete they are ill or hurt, where they have not said so themselves.
pub(crate) fn diagnosed(body: &str, facts: &Facts) -> Option<String> {
    if has_their_word(facts) {
        return None;
    }
    body.split_inclusive(['.', '!', '?', ';', '…', '\n']).find_map(|sentence| {
        if sentence.ends_with('?') {
            return None;
        }
        let tokens = super::tokens::tokens(sentence);
        let words: Vec<&str> = tokens.iter().map(|token| token.word().unwrap_or(",")).collect();
        let at = words.iter().position(|word| DIAGNOSES.contains(word))?;
        let of_them = words[..at]
            .iter()
            .any(|word| matches!(*word, "you" | "you're" | "you've" | "you'll" | "your" | "yourself"));
        let thought = words[..at].iter().any(|word| THOUGHTS.contains(word));
        (of_them && !thought).then(|| words[at].to_owned())
    })
}

/// How much something moved, without saying how much.
#[rustfmt::skip]
const DRAMATIC: &[&str] = &[
    "collapsed", "collapsing", "plummeted", "plummeting", "crashed", "crashing", "tanked", "cratered", "plunged",
    "nosedived", "soared", "soaring", "skyrocketed", "exploded", "imploded", "tumbled", "slumped", "rocketed", "surged",
];

/// A sentence that tells of a great move and holds no fact that says it.
pub(crate) fn dramatic(tokens: &[Token<'_>]) -> Option<String> {
    sentences(tokens).find_map(|sentence| {
        let backed = sentence.iter().any(|token| matches!(token, Token::Fact(_)));
        let said = sentence.iter().filter_map(Token::word).find(|word| DRAMATIC.contains(word));
        said.filter(|_| !backed).map(str::to_owned)
    })
}
