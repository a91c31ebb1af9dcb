//! Sentences that say a plan was changed. A brief is written before anybody decided anything, so none may.

use super::tokens::{Token, sentences};

/// Who would have done it.
const AUTHORS: &[&str] = &["i", "i've", "i'll", "i'd", "i'm", "we", "we've", "we'll", "we'd", "we're"];

/// What is done to a plan: what it is in the present, in the past, and while it happens.
const CHANGES: &[[&str; 3]] = &[
    ["move", "moved", "moving"],
    ["shorten", "shortened", "shortening"],
    ["lengthen", "lengthened", "lengthening"],
    ["extend", "extended", "extending"],
    ["change", "changed", "changing"],
    ["cut", "cut", "cutting"],
    ["trim", "trimmed", "trimming"],
    ["swap", "swapped", "swapping"],
    ["switch", "switched", "switching"],
    ["adjust", "adjusted", "adjusting"],
    ["adapt", "adapted", "adapting"],
    ["update", "updated", "updating"],
    ["modify", "modified", "modifying"],
    ["reschedule", "rescheduled", "rescheduling"],
    ["rearrange", "rearranged", "rearranging"],
    ["replace", "replaced", "replacing"],
    ["remove", "removed", "removing"],
    ["drop", "dropped", "dropping"],
    ["skip", "skipped", "skipping"],
    ["cancel", "cancelled", "cancelling"],
    ["cancel", "canceled", "canceling"],
    ["delete", "deleted", "deleting"],
    ["add", "added", "adding"],
    ["insert", "inserted", "inserting"],
    ["reduce", "reduced", "reducing"],
    ["lower", "lowered", "lowering"],
    ["raise", "raised", "raising"],
    ["increase", "increased", "increasing"],
    ["ease", "eased", "easing"],
    ["lighten", "lightened", "lightening"],
    ["scale", "scaled", "scaling"],
    ["dial", "dialled", "dialling"],
    ["dial", "dialed", "dialing"],
    ["shift", "shifted", "shifting"],
    ["push", "pushed", "pushing"],
    ["pull", "pulled", "pulling"],
    ["postpone", "postponed", "postponing"],
    ["delay", "delayed", "delaying"],
    ["convert", "converted", "converting"],
    ["turn", "turned", "turning"],
    ["make", "made", "making"],
    ["set", "set", "setting"],
    ["put", "put", "putting"],
    ["rewrite", "rewritten", "rewriting"],
    ["redo", "redone", "redoing"],
    ["activate", "activated", "activating"],
    ["apply", "applied", "applying"],
    ["archive", "archived", "archiving"],
    ["revert", "reverted", "reverting"],
    ["edit", "edited", "editing"],
    ["take", "taken", "taking"],
    ["bring", "brought", "bringing"],
];

/// What would have been changed.
#[rustfmt::skip]
const CHANGED: &[&str] = &[
    "plan", "plans", "session", "sessions", "workout", "workouts", "run", "runs", "ride", "swim", "week",
    "schedule", "intervals", "tempo", "strength", "race", "today", "tomorrow", "today's", "tomorrow's",
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "everything", "things",
    "it",
];

/// What stands between a plan and what was done to it.
#[rustfmt::skip]
const BETWEEN: &[&str] = &[
    "has", "have", "had", "is", "are", "was", "were", "be", "been", "being", "now", "just", "already",
    "therefore", "also", "so", "gets", "got", "will", "accordingly",
];

/// Words that turn a claim into its opposite, or into a wish.
const DENIED: &[&str] = &[
    "not", "never", "nothing", "no", "haven't", "hasn't", "isn't", "wasn't", "weren't", "aren't", "won't",
    "cannot", "can't", "would", "could", "can", "might", "may", "should", "suggest", "propose", "if",
    "unless", "until",
];

/// The first claim in a text that something of a plan was changed, in its words.
pub(super) fn claimed_change(tokens: &[Token<'_>]) -> Option<String> {
    sentences(tokens).find_map(|sentence| {
        let other = |token: &Token<'_>| if matches!(token, Token::Fact(_)) { "{}" } else { "," };
        let words: Vec<&str> =
            sentence.iter().map(|token| token.word().unwrap_or_else(|| other(token))).collect();
        let claim =
            (0..words.len()).find_map(|at| by_the_author(&words, at).or_else(|| of_a_plan(&words, at)));
        claim.map(|(from, to)| {
            let shown = |token: &Token<'_>| match token {
                Token::Word { raw, .. } => (*raw).to_owned(),
                Token::Fact(id) => format!("{{{{{id}}}}}"),
                Token::Mark(c) => c.to_string(),
                Token::Stop => String::new(),
            };
            sentence[from..to].iter().map(shown).collect::<Vec<_>>().join(" ")
        })
    })
}

/// `I have moved`, `we've just shortened`, `I will cut`.
fn by_the_author(words: &[&str], at: usize) -> Option<(usize, usize)> {
    let author = *words.get(at).filter(|word| AUTHORS.contains(word))?;
    let reach = words.get(at + 1..)?.iter().take(6);
    for (ahead, word) in reach.enumerate() {
        let end = at + ahead + 2;
        let before = &words[at + 1..end - 1];
        if DENIED.contains(word) {
            return None;
        }
        let happened = CHANGES.iter().any(|[_, past, ongoing]| word == past || word == ongoing);
        let will =
            author.ends_with("'ll") || before.iter().any(|word| matches!(*word, "will" | "and" | "going"));
        let to_come = will && CHANGES.iter().any(|[base, ..]| word == base);
        if happened || to_come {
            return Some((at, end));
        }
        // Another clause begins.
        if matches!(*word, "that" | "because" | "when" | "you" | "your" | "which" | "{}" | "see" | "know") {
            return None;
        }
    }
    None
}

/// `Your plan has been updated`, `Thursday's run is now`, `the plan now`.
fn of_a_plan(words: &[&str], at: usize) -> Option<(usize, usize)> {
    words.get(at).filter(|word| CHANGED.contains(word))?;
    let mut end = at + 1;
    let mut now = false;
    while let Some(word) = words.get(end).filter(|word| BETWEEN.contains(word)) {
        now |= *word == "now";
        end += 1;
    }
    let vague = ["it", "things", "everything"].contains(&words[at]);
    let changes = |word: &&str| {
        let past = CHANGES.iter().any(|[_, past, _]| word == past);
        past && !(vague && ["made", "set", "put", "taken", "brought", "turned", "cut"].contains(word))
    };
    let done = words.get(end).is_some_and(changes);
    let now = now && !vague;
    if end == at + 1 || (!done && !now) {
        return None;
    }
    // What has not been changed was denied before it was named: `nothing in your plan was changed`.
    let clause = words[..at].iter().rev().take_while(|word| !matches!(**word, "," | "but"));
    let denied = clause.into_iter().any(|word| DENIED.contains(word));
    (!denied).then_some((at, (end + usize::from(done)).min(words.len())))
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    fn claim(text: &str) -> Option<String> {
        claimed_change(&tokens(text))
    }

    #[test]
    fn a_change_that_nobody_made_is_noticed() {
        for text in [
            "I moved your long run to Saturday.",
            "I've shortened today's run.",
            "I have already cut the intervals.",
            "So I went ahead and swapped the days.",
            "We've just eased the week.",
            "I will shorten it for you.",
            "I'll move it to Friday.",
            "I'm moving the tempo.",
            "Your plan now has an easy day.",
            "Your plan has been updated.",
            "Thursday's run is now an easy jog.",
            "Today is now a rest day.",
            "The session was replaced.",
            "Sleep was short. The workout has therefore been shortened.",
            "Your week has been adjusted accordingly.",
            "The race was moved.",
            "I took nothing lightly, but the plan was changed.",
        ] {
            assert!(claim(text).is_some(), "{text}");
        }
        assert_eq!(claim("Well, I've just moved it.").as_deref(), Some("I've just moved"));
    }

    #[test]
    fn advice_and_what_the_athlete_did_is_no_claim() {
        for text in [
            "I would move the long run, if you like.",
            "You moved your run to Friday.",
            "I have not changed anything.",
            "Nothing in your plan was changed.",
            "I suggest an easy day; moving it is your call.",
            "If the legs are heavy, could we swap the days?",
            "Recovery is now back to normal.",
            "It is now up to you, and it is made of patience.",
            "Keep the session as it is.",
            "Today is a rest day.",
            "Your run was a good one.",
            "I see that you moved well.",
            "Your training load is now lower.",
            "The plan asks for an easy run.",
            "Right now the plan is simple.",
        ] {
            assert_eq!(claim(text), None, "{text}");
        }
    }
}
