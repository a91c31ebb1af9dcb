//! Words that are an amount only where they state one: `once`, `a week`, `a score of`, `a marathon`.

use super::tokens::{Token, words_at};

fn word_at<'t>(tokens: &'t [Token<'_>], at: usize) -> Option<&'t str> {
    tokens.get(at).and_then(Token::word)
}

fn word_before<'t>(tokens: &'t [Token<'_>], at: usize, back: usize) -> Option<&'t str> {
    at.checked_sub(back).and_then(|before| word_at(tokens, before))
}

/// What after a `once` begins a clause: `once you are warm`.
#[rustfmt::skip]
const CLAUSE: &[&str] = &[
    "you", "you're", "you've", "your", "the", "it", "it's", "we", "we've", "they", "that", "there", "i", "my",
    "our", "all", "everything", "things", "these", "those", "both", "again", "more", "warm", "awake", "done",
    "up", "out", "home", "rested", "recovered", "sleep", "recovery", "training", "fitness", "data", "today's",
    "tomorrow's", "tomorrow", "and",
];

/// Whether a `once` says how often, and not when.
pub(crate) fn once_counts(tokens: &[Token<'_>], at: usize) -> bool {
    let idle = matches!(word_before(tokens, at, 1), Some("at" | "for"));
    match tokens.get(at + 1) {
        _ if idle => false,
        Some(Token::Fact(_)) => false,
        // `once this week` counts, `once this week is over` does not.
        Some(token) if token.word() == Some("this") => {
            !matches!(word_at(tokens, at + 3), Some("is" | "has" | "ends" | "passes"))
        }
        Some(token) => token.word().is_none_or(|next| !CLAUSE.contains(&next)),
        None => true,
    }
}

/// Whether a `score` is twenty of something: `a score of runs`, and not `a score of {{recovery}}`.
pub(crate) fn is_twenty(tokens: &[Token<'_>], at: usize) -> bool {
    let counted = word_at(tokens, at + 1) == Some("of") && word_at(tokens, at + 2).is_some();
    let of_a_metric = word_before(tokens, at, 1).is_some_and(|before| !matches!(before, "a" | "the"));
    let plural = word_at(tokens, at) == Some("scores");
    counted && (plural || !of_a_metric)
}

/// A stretch of time that `a` may count.
const TIMES: &[&str] = &["day", "night", "week", "month", "year", "season"];

/// Before such a stretch: it is as long as that.
#[rustfmt::skip]
const FOR: &[&str] = &[
    "for", "in", "within", "over", "about", "almost", "nearly", "by", "missed", "lost", "miss", "lose", "took",
    "spent", "gained", "skipped", "needs", "only", "just", "than", "under", "roughly", "exactly", "around",
];

/// Behind it: the same.
#[rustfmt::skip]
const LONG: &[&str] = &[
    "since", "ago", "without", "away", "earlier", "later", "early", "late", "behind", "ahead", "left", "until",
    "before", "after", "longer", "of", "from", "to",
];

/// Whether `a week` says how long, and not how it was: `you missed a week`, `a month since`, `a whole week`; and neither
/// `what a week` nor `a week like this`.
pub(crate) fn is_a_time(tokens: &[Token<'_>], at: usize) -> bool {
    let article = matches!(word_at(tokens, at), Some("a" | "an"));
    if !word_at(tokens, at + 1).is_some_and(|next| TIMES.contains(&next)) {
        return false;
    }
    if !article {
        return matches!(word_before(tokens, at, 1), Some("a" | "an" | "one"));
    }
    // `{{ramp}} a week` is a rate.
    let rate = at.checked_sub(1).is_some_and(|before| matches!(tokens.get(before), Some(Token::Fact(_))));
    let before = word_before(tokens, at, 1);
    let like = matches!(word_at(tokens, at + 2), Some("like" | "that" | "when" | "with" | "off"));
    let how_long = before.is_some_and(|before| FOR.contains(&before))
        || word_at(tokens, at + 2).is_some_and(|after| LONG.contains(&after));
    // `A day to enjoy` is no length.
    let to_do = words_at(tokens, at + 2, "to") && !matches!(word_at(tokens, at + 3), Some("go" | "race"));
    how_long && !rate && !like && !to_do
}

/// Whether `a marathon` tells how far somebody ran: `you ran a marathon`, and not `a marathon would take`.
pub(crate) fn is_a_race_run(tokens: &[Token<'_>], at: usize) -> bool {
    let race = ["marathon", "half marathon", "ultra", "ultramarathon", "parkrun"];
    let named = race.iter().any(|race| words_at(tokens, at + 1, race));
    let run = [1, 2].iter().filter_map(|back| word_before(tokens, at, *back)).any(|word| {
        matches!(word, "ran" | "raced" | "finished" | "completed" | "did" | "covered" | "run" | "walked")
    });
    named && run
}
