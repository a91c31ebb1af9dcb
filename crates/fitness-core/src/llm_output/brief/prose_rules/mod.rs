//! What the body of a brief may not do, one rule after the other.

pub(crate) mod amounts;
pub(crate) mod directive;
pub(crate) mod easing;
pub(crate) mod out_of_scope;
pub(crate) mod plan_change;
pub(crate) mod plan_change_shape;
pub(crate) mod quantities;
pub(crate) mod question;
pub(crate) mod tokens;

use super::prose_rules::easing::eased;
use super::prose_rules::out_of_scope::{diagnosed, dramatic, untold};
use super::prose_rules::plan_change::{claimed_change, decided_proposal};
use super::prose_rules::quantities::quantities;
use super::prose_rules::question::device_data_asks;
use super::prose_rules::tokens::{Token, letter, sentences, tokens, words_at};
use super::{MIN_BODY_CHARS, Metric};
use crate::domain::units::UnitSystem;
use crate::domain::untrusted_text::escape_invisible;
use crate::facts::{FactName, FactValue, FactWord, Facts, ProseError};
use crate::llm_output::errors::{ValidationErrorCode, quote};
use crate::plan::WorkoutKind;

/// Where a fault is, what kind it is, and what to do about it.
pub(super) type Broken = (&'static str, ValidationErrorCode, String);

/// The most faults of one kind that are told of one body.
const MOST_OF_A_KIND: usize = 20;

/// Every rule a body breaks.
pub(super) fn broken(body: &str, listed: &[Metric], facts: &Facts) -> Vec<Broken> {
    let tokens = tokens(body);
    let mut broken = Vec::new();
    length(body, &mut broken);
    placeholders(body, facts, &mut broken);
    numbers_in_words(body, &mut broken);
    beside_facts(&tokens, facts, &mut broken);
    characters(body, &mut broken);
    jargon(&tokens, &mut broken);
    metrics(&tokens, listed, facts, &mut broken);
    plan(&tokens, facts, &mut broken);
    concluded(body, &tokens, facts, &mut broken);
    device_data_asks(body, facts, &mut broken);
    broken
}

fn length(body: &str, broken: &mut Vec<Broken>) {
    let length = body.trim().chars().count();
    if (1..MIN_BODY_CHARS).contains(&length) {
        let message = format!("`body` has {length} characters; a brief has at least {MIN_BODY_CHARS}.");
        broken.push(("body", ValidationErrorCode::TooShort, message));
    }
}

fn placeholders(body: &str, facts: &Facts, broken: &mut Vec<Broken>) {
    let Err(bad) = facts.render(body, UnitSystem::Metric) else { return };
    for fault in bad.errors() {
        let (code, message) = match fault {
            ProseError::Unknown(id) => (
                ValidationErrorCode::UnknownFact,
                format!("`{id}` is not a fact. Use only ids from the list of facts."),
            ),
            ProseError::Missing { id, why } => (
                ValidationErrorCode::MissingFact,
                format!("`{id}` is not known ({why}). Leave it out, and say plainly what is missing."),
            ),
            ProseError::Braces => (ValidationErrorCode::BadPlaceholder, format!("{}.", sentence(fault))),
            ProseError::Digit(c) => (
                ValidationErrorCode::UngroundedNumber,
                format!(
                    "There is `{c}` in `body`. Every number is a fact, written as {{{{fact_id}}}}; write no digits."
                ),
            ),
            ProseError::Hidden(_) => {
                (ValidationErrorCode::BadCharacter, format!("{}; leave it out.", sentence(fault)))
            }
            ProseError::Glued(_) => (ValidationErrorCode::GluedFact, format!("{}.", sentence(fault))),
            ProseError::WithoutBand(_) => (ValidationErrorCode::WithoutBand, format!("{}.", sentence(fault))),
        };
        broken.push(("body", code, message));
    }
}

/// A fault with a capital letter, as a sentence begins.
fn sentence(fault: &ProseError) -> String {
    let text = fault.to_string();
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn numbers_in_words(body: &str, broken: &mut Vec<Broken>) {
    for words in quantities(body).into_iter().take(MOST_OF_A_KIND) {
        let message = format!(
            "{} is a number in words. Write the fact that says it as {{{{fact_id}}}}, or say it without a number.",
            quote(&words)
        );
        broken.push(("body", ValidationErrorCode::UngroundedNumber, message));
    }
}

/// Units, which a fact shows itself; after a number they make another one of it.
#[rustfmt::skip]
const UNITS: &[&str] = &[
    "km", "kms", "kilometre", "kilometres", "kilometer", "kilometers", "mile", "miles", "mi", "m", "metre",
    "metres", "meter", "meters", "minute", "minutes", "min", "mins", "hour", "hours", "hr", "hrs", "h",
    "seconds", "secs", "s", "days", "weeks", "months", "years", "nights", "bpm", "beats", "ms",
    "milliseconds", "watts", "w", "kg", "kilos", "kilograms", "pounds", "lbs", "percent", "pct", "runs",
    "sessions", "breaths", "times", "fold", "x", "k", "tss",
];

fn beside_facts(tokens: &[Token<'_>], facts: &Facts, broken: &mut Vec<Broken>) {
    let numbers = tokens.iter().enumerate().filter_map(|(at, token)| match token {
        Token::Fact(id) => facts.find(id).filter(|fact| fact.unit.is_number()).map(|_| (at, *id)),
        Token::Word { .. } | Token::Stop | Token::Mark(_) => None,
    });
    for (at, id) in numbers.take(MOST_OF_A_KIND * 10) {
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let sign = match before {
            Some(Token::Mark(c)) => matches!(c, '-' | '–' | '‐' | '‑' | '+' | '/' | '=' | '<' | '>' | '^'),
            Some(token) => token.word().is_some_and(|word| ["minus", "negative", "plus"].contains(&word)),
            None => false,
        };
        let unit = match tokens.get(at + 1) {
            Some(Token::Mark(c)) => matches!(c, '%' | '/' | '+' | '-' | '–' | '=' | '°' | '^'),
            Some(token) => token.word().is_some_and(|word| UNITS.contains(&word)),
            None => false,
        } || words_at(tokens, at + 1, "per cent");
        if sign || unit {
            let message = format!(
                "What stands beside `{id}` makes another number of it. A fact shows its own sign and unit; write a word such as `is` or `about` before it, and no unit after it."
            );
            broken.push(("body", ValidationErrorCode::GluedFact, message));
        }
    }
}

/// Letters and terms of the trade, each of which has a plain word.
#[rustfmt::skip]
const JARGON: &[&str] = &[
    "ctl", "atl", "tsb", "tss", "rtss", "hrtss", "acwr", "trimp", "rmssd", "hrv4", "ewma", "acute chronic",
    "acute load", "chronic load", "chronic training", "training stress", "impulse response",
];

fn jargon(tokens: &[Token<'_>], broken: &mut Vec<Broken>) {
    let found = JARGON.iter().find(|term| (0..tokens.len()).any(|at| words_at(tokens, at, term)));
    if let Some(term) = found {
        let message = format!(
            "{} is jargon. Say it in plain words: fitness, fatigue, form, load, and what it means for today.",
            quote(term)
        );
        broken.push(("body", ValidationErrorCode::Jargon, message));
    }
}

/// What is not for plain prose.
const MARKUP: &[char] = &['*', '_', '`', '#', '<', '>', '|', '~', '\\'];

fn characters(body: &str, broken: &mut Vec<Broken>) {
    let outside = outside(body);
    let lower = outside.to_lowercase();
    let address = ["](", "![", "://", "www.", "mailto:", "javascript:", "data:"]
        .into_iter()
        .find(|mark| lower.contains(mark));
    let listed = body.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with(['-', '–', '•', '+', '·']) && line.chars().nth(1).is_none_or(char::is_whitespace)
    });
    let mark = outside.chars().find(|c| MARKUP.contains(c)).map(|c| c.to_string());
    let mark = address.map(str::to_owned).or(mark).or_else(|| listed.then(|| "-".to_owned()));
    if let Some(mark) = mark {
        let message = format!(
            "There is {} in `body`. Write plain sentences: no markdown, no HTML, no lists, no links.",
            quote(&mark)
        );
        broken.push(("body", ValidationErrorCode::Markup, message));
    }
    let mut strange: Vec<char> = outside.chars().filter(|c| !is_plain(*c)).collect();
    strange.sort_unstable();
    strange.dedup();
    if !strange.is_empty() {
        let named: Vec<String> = strange
            .iter()
            .take(MOST_OF_A_KIND)
            .map(|c| format!("{} (U+{:04X})", escape_invisible(&c.to_string()), u32::from(*c)))
            .collect();
        let message = format!(
            "`body` is plain English prose: leave out {}. No other scripts, and no emoji.",
            named.join(", ")
        );
        broken.push(("body", ValidationErrorCode::BadCharacter, message));
    }
}

/// Whether a character is of plain English prose. Another script's letters can look like ours and spell a number.
fn is_plain(c: char) -> bool {
    matches!(c, '\n' | ' '..='~') || letter(c).is_some() || matches!(c, '‘' | '“' | '”' | '–' | '—' | '…')
        // These have a fault of their own.
        || c.is_numeric() || c.is_control()
}

/// Prose without its placeholders.
fn outside(body: &str) -> String {
    let mut rest = String::new();
    for (at, part) in body.split("{{").enumerate() {
        rest.push_str(if at == 0 { part } else { part.split_once("}}").map_or(part, |(_, after)| after) });
    }
    rest
}

fn used(tokens: &[Token<'_>]) -> impl Iterator<Item = (usize, FactName)> {
    tokens.iter().enumerate().filter_map(|(at, token)| match token {
        Token::Fact(id) => id.parse().ok().map(|name| (at, name)),
        Token::Word { .. } | Token::Stop | Token::Mark(_) => None,
    })
}

/// What names a metric in a sentence that says it is missing.
const fn names(metric: Metric) -> &'static [&'static str] {
    match metric {
        Metric::Recovery => &["recovery", "recovered", "recovering"],
        Metric::Sleep => &["sleep", "slept", "asleep", "night", "night's"],
        Metric::TrainingLoad => &["load", "training", "fitness", "form"],
    }
}

/// How a sentence says that something is missing.
#[rustfmt::skip]
const ABSENCE: &[&str] = &[
    "missing", "unknown", "unavailable", "absent", "lacking", "nothing", "no data", "no reading",
    "no readings", "no record", "no recording", "no score", "no number", "no numbers", "no figure",
    "no figures", "no sleep data", "no recovery data", "no training data", "not arrived", "hasn't arrived",
    "haven't arrived", "not in yet", "isn't in", "aren't in", "not available", "isn't available",
    "not known", "isn't known", "not enough", "too little", "cannot see", "can't see", "cannot tell",
    "can't tell", "cannot say", "can't say", "don't have", "do not have", "don't know", "do not know",
    "have no", "has no", "there is no", "there's no", "without data", "not yet", "still learning",
    "hasn't come", "not come", "not here", "not there", "nor",
];

fn metrics(tokens: &[Token<'_>], listed: &[Metric], facts: &Facts, broken: &mut Vec<Broken>) {
    for metric in Metric::ALL.iter().copied() {
        let known = |name: FactName| facts.find(name.as_str()).is_some();
        let told = used(tokens).any(|(_, name)| Metric::from_fact(name) == Some(metric) && known(name));
        if listed.contains(&metric) && !told {
            let message = format!(
                "`metrics` lists `{metric}`, but `body` uses no fact of it. Use one, or leave it out of `metrics`."
            );
            broken.push(("metrics", ValidationErrorCode::UnusedMetric, message));
        }
        let said = || {
            sentences(tokens).any(|sentence| {
                let named = sentence.iter().filter_map(Token::word).any(|word| names(metric).contains(&word));
                let absent = |phrase: &str| (0..sentence.len()).any(|at| words_at(sentence, at, phrase));
                named && ABSENCE.iter().any(|phrase| absent(phrase))
            })
        };
        if metric.is_missing(facts) && !said() {
            let message = format!(
                "There is no data on {0} today, and `body` does not say so. Say it plainly, such as: `There is no data on your {0} yet.`",
                metric.label()
            );
            broken.push(("body", ValidationErrorCode::UnmentionedGap, message));
        }
    }
}

fn plan(tokens: &[Token<'_>], facts: &Facts, broken: &mut Vec<Broken>) {
    let known = |name: FactName| facts.find(name.as_str()).is_some();
    if let Some(claim) = claimed_change(tokens) {
        let message = format!(
            "{} says that something was changed. Nothing was: only the athlete changes a plan. Leave it out, or ask.",
            quote(&claim)
        );
        broken.push(("body", ValidationErrorCode::ClaimsChange, message));
    }
    if let Some(words) = eased(tokens, facts) {
        let message = format!(
            "{} makes less of what the plan asks, and the athlete has said nothing that calls for it. Leave the session as it is; write instead how the athlete could answer, such as: `How do you feel? I go by your word.`",
            quote(&words)
        );
        broken.push(("body", ValidationErrorCode::UnrequestedEasing, message));
    }
    let told_already = broken.iter().any(|(_, code, _)| {
        matches!(code, ValidationErrorCode::ClaimsChange | ValidationErrorCode::UnrequestedEasing)
    });
    if let Some(words) = untold(tokens, facts).filter(|_| known(FactName::PlanName) && !told_already) {
        let message = format!(
            "{} speaks of another day, a week to come, another session or a draft, and no fact tells of that: it may be a change that nobody decided. Keep to today's session, to what was judged, and to the facts.",
            quote(&words)
        );
        broken.push(("body", ValidationErrorCode::ClaimsChange, message));
    }
    if let Some(words) = decided_proposal(tokens).filter(|_| known(FactName::PendingProposals)) {
        let message = format!(
            "{} tells a proposal as if it were decided. It waits for the athlete: write so, such as: `{{{{proposal_waiting}}}} waits for your decision.`",
            quote(&words)
        );
        broken.push(("body", ValidationErrorCode::ClaimsChange, message));
    }
    let proposes = tokens.iter().filter_map(Token::word).find(|word| word.starts_with("propos"));
    let linked = used(tokens).any(|(_, name)| name == FactName::PendingProposals);
    if let Some(word) = proposes.filter(|_| !linked) {
        let message = if known(FactName::PendingProposals) {
            format!(
                "{} speaks of a proposal. Name it as {{{{proposal_waiting}}}}, so that the athlete can open it.",
                quote(word)
            )
        } else {
            format!("{} speaks of a proposal, but none waits. Leave it out.", quote(word))
        };
        broken.push(("body", ValidationErrorCode::UnlinkedProposal, message));
    }
    if known(FactName::PlanName) {
        opening(tokens, facts, broken);
    } else if let Some(words) = plan_words(tokens) {
        let message =
            format!("{} speaks of a plan, but the athlete has no active plan. Leave it out.", quote(&words));
        broken.push(("body", ValidationErrorCode::NoPlan, message));
    }
}

/// What no device and no coach can know, and a size that no fact has.
fn concluded(body: &str, tokens: &[Token<'_>], facts: &Facts, broken: &mut Vec<Broken>) {
    if let Some(words) = diagnosed(body, facts) {
        let message = format!(
            "{} tells the athlete that they are ill or hurt, which only they can say. Ask with a question, such as `How do you feel today?`; conclude nothing.",
            quote(&words)
        );
        broken.push(("body", ValidationErrorCode::MustAsk, message));
    }
    if let Some(words) = dramatic(tokens) {
        let message = format!(
            "{} says how far something moved, and no fact stands beside it. Write the fact that says it as {{{{fact_id}}}}, or leave it out.",
            quote(&words)
        );
        broken.push(("body", ValidationErrorCode::UngroundedNumber, message));
    }
}

/// What before a `plan` makes a thing of it, and not something to do.
const OWNERS: &[&str] =
    &["your", "the", "active", "training", "current", "a", "no", "this", "that", "any", "our", "my"];

/// What only a plan has, and what is another word for one.
#[rustfmt::skip]
const OF_A_PLAN: &[&str] = &[
    "session", "sessions", "session's", "workout", "workouts", "workout's", "programme", "programmes",
    "programme's", "program", "programs", "program's", "planned", "scheduled",
];

fn plan_words(tokens: &[Token<'_>]) -> Option<String> {
    let words: Vec<&str> = tokens.iter().map(|token| token.word().unwrap_or_default()).collect();
    words.iter().enumerate().find_map(|(at, word)| {
        let before = at.checked_sub(1).map_or("", |before| words[before]);
        let thing = matches!(*word, "plan" | "plan's" | "plans" | "schedule" | "schedule's" | "schedules")
            && OWNERS.contains(&before);
        let todays = matches!(*word, "tempo" | "intervals" | "hills") && before == "today's";
        let own = OF_A_PLAN.contains(word);
        if thing || todays { Some(format!("{before} {word}")) } else { own.then(|| (*word).to_owned()) }
    })
}

/// With an active plan: the day's session in the first sentence, its state by the second, then the last verdict, before
/// any other number. On a rest day the kind of the session is enough.
fn opening(tokens: &[Token<'_>], facts: &Facts, broken: &mut Vec<Broken>) {
    let known = |name: FactName| facts.find(name.as_str()).is_some();
    // A good morning is no sentence yet.
    let tokens = after_greeting(tokens);
    let place = |wanted: FactName| used(tokens).find(|(_, name)| *name == wanted).map(|(at, _)| at);
    let sentence =
        |at: usize| sentences(&tokens[..at]).count().saturating_sub(1) + usize::from(ends_before(tokens, at));
    let mut refuse = |message: &str| broken.push(("body", ValidationErrorCode::Opening, message.to_owned()));
    let kind = facts.find(FactName::TodayWorkoutKind.as_str()).map(|fact| &fact.value);
    let rest = kind == Some(&FactValue::Word(FactWord::Kind(WorkoutKind::Rest)))
        && place(FactName::TodayWorkoutKind).is_some_and(|at| sentence(at) == 0);
    if rest {
        // `Today is a {{today_session_kind}} day` says it all.
    } else if known(FactName::TodayWorkout) {
        if place(FactName::TodayWorkout).is_none_or(|at| sentence(at) > 0) {
            refuse("Name today's session as {{today_session}} in the first sentence.");
        }
        if known(FactName::TodayWorkoutVerdict)
            && place(FactName::TodayWorkoutVerdict).is_none_or(|at| sentence(at) > 1)
        {
            refuse(
                "Say what became of today's session as {{today_session_state}} in the first or second sentence.",
            );
        }
    } else {
        let first = sentences(tokens).next().unwrap_or_default();
        let named = |token: &Token<'_>| {
            *token == Token::Fact(FactName::PlanName.as_str())
                || token.word().is_some_and(|word| word.starts_with("plan"))
        };
        if !first.iter().any(named) {
            refuse("The plan has nothing for today: say so in the first sentence, with the word `plan`.");
        }
    }
    let verdict = place(FactName::LastVerdict);
    let number = used(tokens).find(|(_, name)| Metric::from_fact(*name).is_some()).map(|(at, _)| at);
    if known(FactName::LastVerdict)
        && verdict.is_none_or(|verdict| number.is_some_and(|number| number < verdict))
    {
        refuse(
            "Say the verdict on the last judged day as {{last_verdict}} right after today's session, before any fact of recovery, sleep or training load.",
        );
    }
}

/// The tokens behind a greeting: a first sentence of at most three words and nothing else.
fn after_greeting<'t, 'a>(tokens: &'t [Token<'a>]) -> &'t [Token<'a>] {
    let first = sentences(tokens).next().unwrap_or_default();
    let greets = first.len() <= 3 && first.iter().all(|token| token.word().is_some());
    let end = tokens.iter().position(|token| *token == Token::Stop).filter(|_| greets);
    end.and_then(|end| tokens.get(end + 1..)).unwrap_or(tokens)
}

/// Whether a sentence ends right before a token.
fn ends_before(tokens: &[Token<'_>], at: usize) -> bool {
    at > 0
        && tokens.get(at - 1) == Some(&Token::Stop)
        && tokens[..at].iter().any(|token| *token != Token::Stop)
}
