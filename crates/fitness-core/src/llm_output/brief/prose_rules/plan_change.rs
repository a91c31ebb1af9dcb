//! Sentences that say a plan was changed. No fact tells of a change, and a brief is written before anybody decided about the
//! one that waits, so none may: not that the coach did it, not that it happened, not that the athlete did.

use super::plan_change_shape;
use super::tokens::{Token, sentences};
use crate::facts::FactName;

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
    ["scrap", "scrapped", "scrapping"],
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
    "unless", "until", "once", "when", "whether", "before", "nobody",
];

/// What, in the past, is done to nothing but a plan.
#[rustfmt::skip]
const DONE: &[&str] = &[
    "replaced", "swapped", "shortened", "rescheduled", "postponed", "cancelled", "canceled", "scrapped",
    "rewritten", "accepted", "approved", "exchanged",
];

/// What, in the past, is done to a plan when it is said of a part of one.
#[rustfmt::skip]
const DONE_TO_IT: &[&str] = &[
    "moved", "changed", "switched", "adjusted", "modified", "updated", "removed", "deleted", "trimmed",
    "lightened", "shifted", "traded", "rearranged", "dropped", "cut", "eased", "reduced", "lowered", "pushed",
];

/// Of those, what may be said of any number: `a short night lowered it`.
const OF_NUMBERS: &[&str] = &["dropped", "cut", "eased", "reduced", "lowered", "pushed"];

/// The parts of a plan that such a word may be said of.
#[rustfmt::skip]
const PARTS: &[&str] = &[
    "session", "workout", "run", "ride", "swim", "intervals", "tempo", "plan", "schedule", "today",
    "tomorrow", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
];

/// What may stand between the two.
const LEADS: &[&str] = &[
    "the",
    "your",
    "this",
    "that",
    "today's",
    "tomorrow's",
    "long",
    "whole",
    "planned",
    "hard",
    "easy",
    "monday's",
    "tuesday's",
    "wednesday's",
    "thursday's",
    "friday's",
    "saturday's",
    "sunday's",
];

/// What a day or a session would have become.
const QUIET: &[&str] =
    &["rest", "off", "easy", "easier", "shorter", "lighter", "gentler", "walk", "jog", "free", "cancelled"];

/// The first claim in a text that something of a plan was changed, in its words.
pub(crate) fn claimed_change(tokens: &[Token<'_>]) -> Option<String> {
    sentences(tokens).find_map(|sentence| {
        let other = |token: &Token<'_>| if matches!(token, Token::Fact(_)) { "{}" } else { "," };
        let words: Vec<&str> =
            sentence.iter().map(|token| token.word().unwrap_or_else(|| other(token))).collect();
        // Of facts, only today's session is a part of a plan that something can be done to.
        let session = |token: &Token<'_>| matches!(token, Token::Fact(id) if id.starts_with("today_session"));
        let shaped: Vec<&str> = (sentence.iter())
            .map(|token| token.word().unwrap_or(if session(token) { "session" } else { "," }))
            .collect();
        let claim = (0..words.len()).find_map(|at| {
            by_the_author(&words, at)
                .or_else(|| of_a_plan(&words, at))
                .or_else(|| plan_change_shape::done_by_the_author(&shaped, at))
        });
        let told_of_before =
            sentence.iter().any(|token| matches!(token, Token::Fact(id) if id.starts_with("last_")))
                || words.contains(&"yesterday");
        let happened = || {
            let here =
                |at| has_happened(&words, at).or_else(|| plan_change_shape::done_to_a_part(&shaped, at));
            (0..words.len()).find_map(here).filter(|_| !told_of_before)
        };
        let claim = claim.or_else(happened);
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

/// `A walk has replaced it`, `Consider it shortened`, `You moved the run`, `Today becomes a rest day`, `a rest day now`.
fn has_happened(words: &[&str], at: usize) -> Option<(usize, usize)> {
    let word = *words.get(at)?;
    let next = words.get(at + 1).copied().unwrap_or_default();
    let of_a_night = matches!(next, "night" | "nights" | "sleep" | "shoes");
    let sure = DONE.contains(&word) && !of_a_night;
    let done = sure || (DONE_TO_IT.contains(&word) && is_of_a_part(words, at));
    let subject = |word: &&str| PARTS.contains(word) || matches!(*word, "it" | "{}");
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    let becomes = matches!(word, "becomes" | "became") && before.is_some_and(subject);
    let quiet = || words.iter().any(|word| QUIET.contains(word)) && words.iter().any(subject);
    let now = word == "now"
        && !before.is_some_and(|word| matches!(*word, "right" | "for" | "until" | "by" | "just"))
        && (at > 0 || PARTS.contains(&next))
        && quiet();
    let made =
        LESS_MADE.contains(&word) && words.iter().skip(at + 1).take(3).any(|word| QUIET.contains(word));
    if !(done || becomes || now || made) || is_denied(words, at) {
        return None;
    }
    Some((at.saturating_sub(2), (at + 3).min(words.len())))
}

/// What makes something quiet, in the past.
const LESS_MADE: &[&str] = &["made", "turned"];

/// Whether what follows a word is a part of a plan.
fn is_of_a_part(words: &[&str], at: usize) -> bool {
    let mut rest = words.iter().skip(at + 1).skip_while(|word| LEADS.contains(word));
    rest.next().is_some_and(|word| {
        PARTS.contains(word)
            || *word == "{}" && words.len() > at + 2
            || (*word == "it" && !OF_NUMBERS.contains(&words[at]))
    })
}

/// Whether a claim was denied before it was made: `nothing in your plan was changed`.
fn is_denied(words: &[&str], at: usize) -> bool {
    let clause = words[..at].iter().rev().take_while(|word| !matches!(**word, "," | "but"));
    clause.into_iter().any(|word| DENIED.contains(word))
}

/// What tells that somebody still has to decide.
#[rustfmt::skip]
const WAITS: &[&str] = &[
    "wait", "decid", "decision", "yours", "open", "review", "look", "read", "would", "could", "whether",
    "choose", "choice", "until", "if", "nothing",
];

/// A proposal that is told as if it were decided: nothing beside it says that it waits, or something says that it does not.
pub(crate) fn decided_proposal(tokens: &[Token<'_>]) -> Option<String> {
    let all: Vec<&[Token<'_>]> = sentences(tokens).collect();
    all.iter().enumerate().find_map(|(at, sentence)| {
        let waiting = Token::Fact(FactName::PendingProposals.as_str());
        sentence.iter().position(|token| *token == waiting)?;
        let near = all.iter().skip(at).take(2).flat_map(|sentence| sentence.iter());
        let waits = near.filter_map(Token::word).any(|word| WAITS.iter().any(|stem| word.starts_with(stem)));
        let words: Vec<&str> = sentence.iter().map(|token| token.word().unwrap_or(",")).collect();
        let decided = words
            .iter()
            .position(|word| DECIDED.contains(word))
            .filter(|at| !is_denied_anywhere(&words[..*at]));
        match decided {
            Some(at) => Some(words[at].to_owned()),
            None => (!waits).then(|| "{{proposal_waiting}}".to_owned()),
        }
    })
}

/// What would be said of a proposal that does not wait any more.
const DECIDED: &[&str] = &[
    "accepted", "approved", "applied", "adopted", "agreed", "active", "done", "made", "live", "decided",
    "effect", "force", "place", "taken", "through", "declined", "rejected",
];

fn is_denied_anywhere(words: &[&str]) -> bool {
    words.iter().any(|word| DENIED.contains(word))
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
        let gone = *word == "gone" && !vague;
        gone || past && !(vague && ["made", "set", "put", "taken", "brought", "turned", "cut"].contains(word))
    };
    let done = words.get(end).is_some_and(changes);
    let now = now && !vague;
    if end == at + 1 || (!done && !now) {
        return None;
    }
    (!is_denied(words, at)).then_some((at, (end + usize::from(done)).min(words.len())))
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
            "You moved your run to Friday.",
            "The coach replaced it with a walk.",
            "An easier version has replaced it.",
            "Today is a rest day now.",
            "Consider it shortened.",
            "Tomorrow's session is gone.",
            "Today becomes a rest day.",
            "Your coach made it easier.",
            "The intervals were traded, and we changed the session.",
            "I took nothing lightly, but the plan was changed.",
            "I've tweaked today's run.",
            "Your plan has been tweaked.",
            "I toned down Thursday.",
            "Tomorrow's tempo has been softened.",
            "I rebalanced your week.",
            "I pared back the long run.",
            "I looked at your plan and softened Thursday.",
            "We've quietly reworked the rest of the week.",
            "Sunday's run was downgraded.",
            "The intervals have just been watered down.",
            "I split the long run.",
            "Thursday is slightly reshaped.",
            "I nudged {{today_session}} down.",
        ] {
            assert!(claim(text).is_some(), "{text}");
        }
        assert_eq!(claim("Well, I've just moved it.").as_deref(), Some("I've just moved"));
    }

    #[test]
    fn a_proposal_is_told_as_waiting_or_not_at_all() {
        let decided = |text: &str| decided_proposal(&tokens(text));
        for text in [
            "Proposal {{proposal_waiting}} is accepted.",
            "{{proposal_waiting}} makes today easier.",
            "{{proposal_waiting}} waited, and is applied.",
            "Your week follows {{proposal_waiting}}. Enjoy it.",
        ] {
            assert!(decided(text).is_some(), "{text}");
        }
        for text in [
            "{{proposal_waiting}} waits for you.",
            "Have a look at {{proposal_waiting}}; nothing is applied until you accept it.",
            "There is {{proposal_waiting}}. It is yours to decide.",
            "Nothing of {{proposal_waiting}} is done yet.",
        ] {
            assert_eq!(decided(text), None, "{text}");
        }
    }

    #[test]
    fn advice_and_what_the_athlete_did_is_no_claim() {
        for text in [
            "I would move the long run, if you like.",
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
            "A short night lowered it, and your resting heart rate dropped.",
            "What is gone is not caught up on.",
            "Your body has adapted to the load.",
            "On {{last_judged_day}} you cut the run short.",
            "Training turns into fitness.",
            "Sleep cannot be replaced.",
            "Your form has moved by a little.",
            "I looked at your week, and I liked the runs.",
            "I have your plan here.",
            "I noticed that your week was busy.",
            "Your run was well paced, and the session is planned for the evening.",
            "Today is packed, so the run is scheduled for the morning.",
            "The long run has been done, and the week has been logged.",
            "We planned the week around your race.",
            "Your training has helped, and the tempo is meant to be hard.",
            "I would have tweaked your run if you had asked.",
            "I have not tweaked your plan.",
            "No session was softened.",
            "Your plan is built around a steady week.",
            "The session is needed, and the legs are rested.",
            "You nailed the tempo and earned the rest.",
            "I compared this week with the last.",
            "Your {{sleep_last_night}} was interrupted, and I noted {{recovery}}.",
        ] {
            assert_eq!(claim(text), None, "{text}");
        }
    }
}
