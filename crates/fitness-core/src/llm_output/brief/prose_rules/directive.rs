//! What a brief tells the athlete to do today, held against what today's session is.
//!
//! On a day with something hard, the hard parts are run: whatever else is done to them makes less of them, and the verbs for
//! that have no end. So the few that run them are known here, and every other is refused. The same goes for a pace that is
//! none of theirs: `jog`, `walk`, `gently` belong to the way in and out.

use super::tokens::Token;

/// What is hard of a session.
const HARD: &[&str] =
    &["hard", "fast", "quick", "intense", "tough", "speedy", "demanding", "faster", "harder", "quicker"];

/// Pieces of a session.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "part", "parts", "bit", "bits", "rep", "reps", "interval", "intervals", "repeat", "repeats", "effort", "efforts",
    "section", "sections", "stretch", "stretches", "piece", "pieces", "stuff", "work", "running", "ones", "portion",
    "portions", "segments", "minutes", "kilometres", "miles",
];

/// What may stand before them.
#[rustfmt::skip]
const LEADS: &[&str] =
    &["the", "your", "those", "these", "its", "all", "some", "any", "of", "today's", "few", "most", "really", "and", "planned"];

/// What is done to the hard parts without making less of them, and what only stands before them.
#[rustfmt::skip]
const RUNS: &[&str] = &[
    "run", "running", "do", "doing", "hit", "hitting", "nail", "attack", "enjoy", "hold", "keep", "take", "start", "open",
    "begin", "finish", "make", "give", "trust", "meet", "love", "like", "want", "need", "have", "has", "had", "respect", "save",
    "bring", "get", "face", "own", "tackle", "spread", "pace", "control", "build", "carry", "sharpen", "complete", "handle",
    "use", "expect", "welcome", "earn", "count", "is", "are", "was", "were", "in", "on", "after", "before", "between",
    "during", "for", "with", "through", "to", "at", "from", "into", "until", "than", "about", "over", "by", "let", "where",
    "when", "that", "while", "but", "as", "how", "know", "absorb", "absorbed", "did", "ran", "ask", "asks", "holds", "brings",
    "includes", "contains", "means", "makes", "helps", "support", "supports", "fuel", "fuels", "not", "no", "never", "don't",
];

/// What is done slowly.
const SLOWLY: &[&str] = &["jog", "jogging", "walk", "stroll", "shuffle", "gently", "lightly", "slowly"];

/// What the way in and out is told with, and what tells how something is or was.
#[rustfmt::skip]
const AROUND: &[&str] = &[
    "start", "starting", "begin", "beginning", "first", "warm", "warming", "cool", "cooling", "between", "after", "afterwards",
    "before", "pauses", "recoveries", "evening", "tonight", "breakfast", "breath", "breathe", "stretch", "is", "was", "are",
    "were", "been", "feel", "feels", "felt", "rises", "rising", "rose", "falls", "falling", "climbs", "climbing", "grows",
    "moves", "moved", "came", "comes", "building", "builds", "build", "yesterday", "eat", "drink", "wake", "settle", "ease",
    "up", "dog", "talk", "not", "no", "never", "don't", "nothing", "without",
];

/// What a brief says of the hard parts of a hard day that makes less of them, in its words.
pub(crate) fn makes_less_of_the_hard_parts(sentence: &[Token<'_>]) -> Option<String> {
    let words: Vec<&str> = sentence.iter().map(|token| token.word().unwrap_or(",")).collect();
    (0..words.len()).find_map(|at| {
        let hard = HARD.contains(&words[at]) && words.get(at + 1).is_some_and(|word| PIECES.contains(word));
        if !hard {
            return None;
        }
        let verb = words[..at].iter().rposition(|word| !LEADS.contains(word))?;
        let runs = RUNS.contains(&words[verb]) || words[verb] == ",";
        (!runs).then(|| words[verb..at + 2].join(" "))
    })
}

/// A pace that is none of a hard session's, where nothing says that the way in and out is meant.
pub(crate) fn goes_slowly(sentence: &[Token<'_>]) -> Option<String> {
    let words: Vec<&str> = sentence.iter().filter_map(Token::word).collect();
    let at = words.iter().position(|word| SLOWLY.contains(word))?;
    let around = words.iter().any(|word| AROUND.contains(word));
    (!around).then(|| words[at..(at + 3).min(words.len())].join(" "))
}
