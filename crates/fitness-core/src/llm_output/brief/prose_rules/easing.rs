//! Sentences that ease what a plan asks. Only the athlete's own word is a reason to: what they answered, an illness or an
//! injury. A device is none, however low its numbers are; it makes a brief ask.
//!
//! What is noticed is a list of stems and short phrases. Some are what is done to a plan ([`DEEDS`]) and need that word on
//! every day; others ([`REST`]) only name a quiet day, which is right where the day is one.

use super::directive::{goes_slowly, makes_less_of_the_hard_parts};
use super::tokens::{Token, sentences, words_at};
use crate::adherence::grade::Verdict;
use crate::domain::observation::AbsenceReason;
use crate::facts::{FactName, FactValue, FactWord, Facts};
use crate::plan::WorkoutKind;

/// What makes less of a session, whatever stands beside it. A `*` stands for any ending.
#[rustfmt::skip]
const DEEDS: &[&str] = &[
    "skip*", "shorten*", "postpon*", "cancel*", "instead", "reschedul*", "scrap", "scrapping", "bail", "halve*",
    "swap*", "lighten*", "ease off", "ease up", "ease back", "ease down", "easing off", "easing up",
    "easing back", "easing down", "back off", "backing off", "dial back", "dial down", "dialing back",
    "dialling back", "scale back", "scale down", "scaling back", "tone down", "tone it down", "turn it down",
    "water it down", "slow it down", "cut short", "cut back", "cut down", "cut out", "cutting back",
    "cutting short", "switch to", "push it back", "push it to", "put it off", "put off", "hold off", "hold back",
    "call it off", "call off", "calling it off", "call it a day", "leave it out", "leave out", "leave it for",
    "leave it today", "leave today*", "leave the session", "leave the run", "leave the intervals",
    "leave the tempo", "let it go", "sit it out", "sit out", "sit this", "sit today*", "it a miss", "today a miss",
    "it a pass", "pass on", "do less", "run less", "train less", "less today", "less hard", "less intense",
    "fewer reps", "fewer intervals", "stop early", "finish early", "don't run", "don't train", "don't race",
    "don't do it", "do not run", "do not train", "do not race", "do not do it", "should not run",
    "should not train", "shouldn't run", "shouldn't train", "better not run", "better not to run",
    "no running today", "no training today", "no run today", "no session today", "avoid running",
    "avoid training", "avoid hard", "stay in bed", "stay home", "stay at home", "stay in today",
    "on the sofa", "on the couch", "today off", "take the day", "take the week", "take a day", "take a break",
    "yourself a break", "body a break", "legs a break", "not the day", "no day for", "too much today",
    "too much for today", "too hard today", "too hard for today", "for another day",
];

/// What makes less of a session when it is done to one.
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "ease", "easing", "cut", "cutting", "trim", "trimming", "reduce", "reducing", "lower", "lowering", "drop",
    "dropping", "move", "moving", "replace", "replacing", "switch", "switching", "avoid", "avoiding", "dial",
    "dialing", "dialling", "scale", "scaling", "change", "changing", "soften", "softening",
];

/// What may stand between it and what it is done to.
#[rustfmt::skip]
const BETWEEN: &[&str] = &[
    "the", "your", "this", "that", "some", "of", "a", "part", "today's", "tomorrow's", "long", "whole",
    "planned", "hard", "back", "down", "off",
];

/// What it is done to.
#[rustfmt::skip]
const DONE_TO: &[&str] = &[
    "it", "session", "sessions", "run", "runs", "ride", "swim", "intervals", "interval", "tempo", "hills",
    "workout", "workouts", "pace", "effort", "intensity", "distance", "volume", "today", "tomorrow", "week",
    "plan", "reps", "training", "things", "miles", "kilometres", "monday", "tuesday", "wednesday",
    "thursday", "friday", "saturday", "sunday",
];

/// What says that a day is quiet, and so makes one of a day that is not.
#[rustfmt::skip]
const REST: &[&str] = &[
    "rest day", "day of rest", "day off", "time off", "a rest", "just rest", "should rest", "to rest",
    "must rest", "better rest", "need rest", "needs rest", "rest today", "rest up",
    "rest your", "rest the", "rest it", "complete rest", "full rest", "feet up", "take it easy",
    "take things easy", "take today easy", "taking it easy", "go easy", "going easy", "run easy", "run it easy",
    "running easy", "jog easy", "keep it easy", "keep today easy", "keep things easy", "keep it light",
    "keep it gentle", "make it easy", "make today easy", "easy run", "easy jog", "easy day", "easy spin",
    "easy walk", "gentle run", "gentle jog", "gentle day", "light run", "light jog", "light day",
    "recovery run", "recovery jog", "recovery day", "as recovery", "as rest", "today for recovery", "it for recovery",
    "call it recovery", "as an easy", "as a rest", "into an easy", "into a rest", "quiet day", "a walk", "stroll", "take a nap", "can wait",
];

/// What makes nothing of a session, and so of an easy one as well.
#[rustfmt::skip]
const NOTHING: &[&str] = &[
    "rest day", "day of rest", "day off", "time off", "just rest", "should rest", "must rest", "better rest", "rest today",
    "complete rest", "full rest", "as rest", "as a rest", "into a rest", "feet up today", "no run",
];

/// What is less than it was; counts where something is made so.
const LESS: &[&str] = &["easier", "lighter", "shorter", "gentler", "slower", "softer"];

/// Before such a word: it is told how something is, and nothing is made so.
#[rustfmt::skip]
const TOLD: &[&str] = &[
    "is", "was", "are", "were", "been", "be", "feel", "feels", "felt", "get", "gets", "got", "getting",
    "slept", "sleep", "night", "bit", "much", "little", "looks", "look", "becomes", "become",
];

/// What turns the words after it into their opposite, within the same clause.
const DENIED: &[&str] = &[
    "not",
    "no",
    "never",
    "nothing",
    "don't",
    "won't",
    "needn't",
    "shouldn't",
    "without",
    "nor",
    "neither",
    "isn't",
    "doesn't",
    "cannot",
    "can't",
];

/// The first words of a body that ease what an active plan asks of an athlete who has said nothing that calls for it.
pub(crate) fn eased(tokens: &[Token<'_>], facts: &Facts) -> Option<String> {
    if facts.find(FactName::PlanName.as_str()).is_none() || has_their_word(facts) {
        return None;
    }
    let quiet = is_quiet(facts);
    sentences(tokens).find_map(|sentence| {
        let deed = || DEEDS.iter().find_map(|phrase| undenied(sentence, phrase));
        let done = || (0..sentence.len()).find_map(|at| done_to_a_session(sentence, at));
        let less = || (0..sentence.len()).find_map(|at| made_less(sentence, at));
        let rest = || REST.iter().find_map(|phrase| undenied(sentence, phrase));
        let told_of_before = || {
            sentence.iter().filter_map(Token::word).any(|word| matches!(word, "yesterday" | "was" | "were"))
        };
        let nothing = || {
            let asked = !asks_nothing(facts) && !told_of_before();
            asked.then(|| NOTHING.iter().find_map(|phrase| undenied(sentence, phrase))).flatten()
        };
        deed().or_else(done).or_else(less).or_else(nothing).or_else(|| {
            if quiet || told_of_before() {
                return None;
            }
            rest()
                .or_else(|| told_to_rest(sentence))
                .or_else(|| makes_less_of_the_hard_parts(sentence))
                .or_else(|| goes_slowly(sentence))
        })
    })
}

/// Whether the athlete said what makes easing right: ill, hurt, or feeling worse than in the middle.
pub(crate) fn has_their_word(facts: &Facts) -> bool {
    let marked = matches!(
        word(facts, FactName::AbsenceToday),
        Some(FactWord::Mark(AbsenceReason::Ill | AbsenceReason::Injured))
    );
    let feel = facts.find(FactName::RecoveryFromFeel.as_str()).map(|fact| &fact.value);
    marked || matches!(feel, Some(FactValue::Number(added)) if *added < 0.0)
}

/// Whether the day has nothing hard in it anyway.
fn is_quiet(facts: &Facts) -> bool {
    let kind = word(facts, FactName::TodayWorkoutKind);
    asks_nothing(facts) || matches!(kind, Some(FactWord::Kind(WorkoutKind::Easy | WorkoutKind::Recovery)))
}

/// Whether the day has nothing left to do.
fn asks_nothing(facts: &Facts) -> bool {
    let kind = word(facts, FactName::TodayWorkoutKind);
    let state = word(facts, FactName::TodayWorkoutVerdict);
    facts.find(FactName::TodayWorkout.as_str()).is_none()
        || kind == Some(FactWord::Kind(WorkoutKind::Rest))
        || matches!(state, Some(FactWord::Verdict(Verdict::Hit | Verdict::Rest)))
        || word(facts, FactName::AbsenceToday) == Some(FactWord::Mark(AbsenceReason::Away))
}

pub(crate) fn word(facts: &Facts, name: FactName) -> Option<FactWord> {
    match facts.find(name.as_str()).map(|fact| &fact.value) {
        Some(FactValue::Word(word)) => Some(*word),
        _ => None,
    }
}

/// A phrase where it stands and nothing before it in its clause takes it back.
fn undenied(sentence: &[Token<'_>], phrase: &str) -> Option<String> {
    let found = |at: &usize| phrase_at(sentence, *at, phrase) && !is_denied(&sentence[..*at]);
    let at = (0..sentence.len()).find(found)?;
    let said = sentence[at..].iter().take(phrase.split(' ').count()).filter_map(Token::word);
    Some(said.collect::<Vec<_>>().join(" "))
}

fn phrase_at(sentence: &[Token<'_>], at: usize, phrase: &str) -> bool {
    if !phrase.contains('*') {
        return words_at(sentence, at, phrase);
    }
    phrase.split(' ').enumerate().all(|(ahead, part)| {
        let word = sentence.get(at + ahead).and_then(Token::word);
        word.is_some_and(|word| match part.strip_suffix('*') {
            Some(stem) => word.starts_with(stem),
            None => word == part,
        })
    })
}

/// Whether the last few words before something deny it; `why not` does not.
fn is_denied(before: &[Token<'_>]) -> bool {
    let clause: Vec<&str> = before.iter().rev().map_while(Token::word).take(5).collect();
    clause.iter().enumerate().any(|(back, word)| {
        let after_why = clause.get(back + 1).is_some_and(|before| matches!(*before, "why" | "or" | "if"));
        DENIED.contains(word) && !after_why
    })
}

/// `drop the intervals`, `ease {{today_session}}`, and not `drop the shoulders`, `a lower pace`.
fn done_to_a_session(sentence: &[Token<'_>], at: usize) -> Option<String> {
    let verb = sentence.get(at)?.word().filter(|word| VERBS.contains(word))?;
    let before = at.checked_sub(1).and_then(|before| sentence.get(before)).and_then(Token::word);
    if is_denied(&sentence[..at]) || before.is_some_and(|word| matches!(word, "a" | "the" | "your" | "is")) {
        return None;
    }
    for token in sentence.get(at + 1..)?.iter().take(5) {
        match token {
            Token::Fact(id) if id.starts_with("today_session") => {
                return Some(format!("{verb} {{{{{id}}}}}"));
            }
            Token::Word { plain, .. } if DONE_TO.contains(&plain.as_str()) => {
                return Some(format!("{verb} {plain}"));
            }
            Token::Word { plain, .. } if BETWEEN.contains(&plain.as_str()) => {}
            _ => return None,
        }
    }
    None
}

/// `make it easier`, `an easier version`, and not `it feels easier`, `shorter than usual`.
fn made_less(sentence: &[Token<'_>], at: usize) -> Option<String> {
    let word = sentence.get(at)?.word().filter(|word| LESS.contains(word))?;
    let before = at.checked_sub(1).and_then(|before| sentence.get(before)).and_then(Token::word);
    let compared = sentence.get(at + 1).and_then(Token::word) == Some("than");
    let told = before.is_some_and(|before| TOLD.contains(&before));
    (!compared && !told && !is_denied(&sentence[..at])).then(|| word.to_owned())
}

/// `Rest.`, `Rest well.`; not `Rest is training too.`, `The rest of the week`.
fn told_to_rest(sentence: &[Token<'_>]) -> Option<String> {
    let begins = sentence.first().and_then(Token::word) == Some("rest");
    let noun = sentence.get(1).and_then(Token::word).is_some_and(|next| {
        matches!(
            next,
            "is" | "of" | "days" | "and" | "was" | "has" | "does" | "matters" | "counts" | "assured"
        )
    });
    (begins && !noun).then(|| "rest".to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    fn deed(text: &str) -> bool {
        let tokens = tokens(text);
        let found = |sentence: &[Token<'_>]| {
            DEEDS.iter().any(|phrase| undenied(sentence, phrase).is_some())
                || (0..sentence.len())
                    .any(|at| done_to_a_session(sentence, at).is_some() || made_less(sentence, at).is_some())
        };
        sentences(&tokens).any(found)
    }

    #[test]
    fn what_makes_less_of_a_session_is_noticed() {
        for text in [
            "Skip it today.",
            "Why not skip it?",
            "Cut it short and run easy instead.",
            "Ease off, since your watch says you are tired.",
            "Make it easier.",
            "Drop the intervals.",
            "Dropping {{today_session}} would be wise.",
            "Reduce the pace.",
            "Not to worry, shorten it.",
            "I would move today's session.",
            "Take the day off.",
            "Don't run today.",
            "Cut some of the hard reps.",
        ] {
            assert!(deed(text), "{text}");
        }
    }

    #[test]
    fn what_only_sounds_like_it_is_left_alone() {
        for text in [
            "Do not skip it.",
            "There is no reason to cut it short.",
            "Drop the shoulders and breathe.",
            "Your resting heart rate is dropping.",
            "The legs feel lighter, and the night was shorter.",
            "You slept shorter than usual.",
            "Nothing here asks you to ease off.",
            "A lower number today.",
            "Leave it there; what is gone is gone.",
            "Ease into the first minutes.",
            "Move well.",
        ] {
            assert!(!deed(text), "{text}");
        }
    }
}
