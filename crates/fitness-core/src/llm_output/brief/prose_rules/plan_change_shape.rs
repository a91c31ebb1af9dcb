//! Changes by their shape. Lists of what can be done to a plan leak: there is always one more verb. So here it is the other
//! way round: where somebody writes that they did something to a part of a plan, or that something was done to one, it is a
//! change, unless the verb is known to leave a plan as it is.

/// The parts of a plan.
#[rustfmt::skip]
const PARTS: &[&str] = &[
    "plan", "plans", "schedule", "session", "sessions", "workout", "workouts", "run", "runs", "ride", "rides", "swim",
    "intervals", "tempo", "hills", "strides", "reps", "week", "weekend", "mileage", "training", "today", "tomorrow",
    "today's", "tomorrow's", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "monday's",
    "tuesday's", "wednesday's", "thursday's", "friday's", "saturday's", "sunday's", "week's",
];

/// What may stand between a verb and the part of a plan it is done to.
#[rustfmt::skip]
const LEADS: &[&str] = &[
    "the", "your", "this", "that", "these", "all", "of", "a", "an", "some", "bit", "little", "long", "whole", "planned",
    "hard", "easy", "coming", "next", "back", "down", "up", "off", "out", "around", "about", "things", "in", "on", "for",
    "rest", "parts",
];

/// What makes a passive of the verb after it.
const HELPERS: &[&str] =
    &["has", "have", "had", "is", "are", "was", "were", "be", "been", "being", "gets", "got"];

/// What may stand beside it.
const BETWEEN: &[&str] =
    &["will", "now", "just", "already", "therefore", "also", "so", "a", "bit", "little", "all"];

/// Verbs in the past, as a coach may say them of a plan without having changed it; and words that only look like one.
#[rustfmt::skip]
const HARMLESS: &[&str] = &[
    "planned", "scheduled", "looked", "noticed", "checked", "compared", "counted", "liked", "loved", "enjoyed", "wanted",
    "hoped", "asked", "wondered", "watched", "followed", "reviewed", "considered", "weighed", "mentioned", "listed",
    "started", "finished", "ended", "completed", "logged", "recorded", "tracked", "missed", "judged", "graded", "rated",
    "marked", "called", "named", "meant", "supposed", "designed", "intended", "needed", "earned", "deserved", "expected",
    "based", "built", "made", "set", "put", "taken", "brought", "filled", "packed", "loaded", "crowded", "balanced", "paced",
    "focused", "aimed", "tired", "relaxed", "mixed", "varied", "limited", "excused", "required", "settled", "linked",
    "connected", "tied", "aligned", "suited", "placed", "spaced", "behaved", "stayed", "remained", "appeared", "seemed",
    "showed", "happened", "arrived", "passed", "turned", "helped", "worked", "paid", "added", "respected", "trusted",
    "rewarded", "rested", "recovered", "tested", "challenged", "dedicated", "devoted", "reserved", "kept", "left", "held",
    "found", "met", "spent", "done", "run", "said", "used", "need", "indeed", "speed", "feed", "bed", "red", "seed", "led",
    "exceed", "succeed", "proceed", "talked", "touched", "opened", "closed", "covered", "nailed", "handled", "managed",
    "absorbed", "received", "matched", "mapped", "laid", "explained", "described", "detailed", "believed", "concerned",
    "worried", "pleased", "delighted", "excited", "convinced", "surprised", "impressed", "armed", "interested", "moved",
];

/// The past of verbs that do not end in `ed`.
#[rustfmt::skip]
const IRREGULAR: &[&str] = &[
    "cut", "rewrote", "rewritten", "redid", "redone", "split", "spread", "shrank", "shrunk", "withdrew", "withdrawn", "undid",
    "undone", "threw", "thrown", "took", "gave", "drew", "swung", "wound", "stripped", "let",
];

/// Who would have done it.
const AUTHORS: &[&str] = &["i", "i've", "i'd", "we", "we've", "we'd"];

/// Where another clause begins.
const CLAUSE: &[&str] = &[
    ",", "that", "because", "when", "you", "which", "how", "if", "would", "could", "can", "might", "may",
    "see",
];

const DENIED: &[&str] =
    &["not", "never", "nothing", "no", "haven't", "hasn't", "didn't", "nobody", "neither", "nor"];

/// `I've tweaked today's run`, `we toned down Thursday`: where it stands.
pub(crate) fn done_by_the_author(words: &[&str], at: usize) -> Option<(usize, usize)> {
    words.get(at).filter(|word| AUTHORS.contains(word))?;
    for (ahead, word) in words.get(at + 1..)?.iter().take(10).enumerate() {
        if CLAUSE.contains(word) || DENIED.contains(word) {
            return None;
        }
        let here = at + 1 + ahead;
        if is_done(word)
            && let Some(end) = part_after(words, here)
        {
            return Some((at, end));
        }
    }
    None
}

/// `Your plan has been tweaked`, `Thursday was quietly softened`: where it stands.
pub(crate) fn done_to_a_part(words: &[&str], at: usize) -> Option<(usize, usize)> {
    words.get(at).filter(|word| PARTS.contains(word))?;
    let rest = words.get(at + 1..)?;
    let between = |word: &&&str| HELPERS.contains(word) || BETWEEN.contains(word) || word.ends_with("ly");
    let between = rest.iter().take_while(between).count();
    let helped = rest.iter().take(between).any(|word| HELPERS.contains(word));
    let denied = words[..at].iter().rev().take_while(|word| **word != ",").any(|word| DENIED.contains(word));
    let done = rest.get(between).is_some_and(|word| is_done(word));
    (helped && done && !denied).then_some((at, at + between + 2))
}

/// Whether a word tells of something done that is not known to be harmless.
fn is_done(word: &str) -> bool {
    (word.len() > 3 && word.ends_with("ed") || IRREGULAR.contains(&word)) && !HARMLESS.contains(&word)
}

/// Where the part of a plan ends that a verb is done to.
fn part_after(words: &[&str], verb: usize) -> Option<usize> {
    let rest = words.get(verb + 1..)?;
    let leads = rest.iter().take(5).take_while(|word| LEADS.contains(word)).count();
    rest.get(leads).filter(|word| PARTS.contains(word)).map(|_| verb + leads + 2)
}
