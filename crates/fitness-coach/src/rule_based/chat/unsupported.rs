//! What this coach does not do, so that it says so; and what it looks up beside a plan.

use super::Intent;
use super::days::{Doubt, Named, named};
use super::grammar::Clause;
use fitness_core::coach_api::requests::SeriesMetric;
use fitness_core::domain::calendar::Day;
use fitness_core::plan::HumanActionKind;
use serde_json::json;

/// Other words for what only the athlete does.
const DECIDES: &[&str] = &["accept", "commit", "confirm", "undo", "approve", "discard", "reject", "start"];

/// What is decided about.
const DECIDED: &[&str] =
    &["plan", "draft", "proposal", "proposals", "drafts", "plans", "suggestion", "account"];

/// Whether something is asked for that only the athlete does.
pub(super) fn is_a_decision(clauses: &[Clause<'_>]) -> bool {
    clauses.iter().any(|clause| {
        let human = |word: &&&str| HumanActionKind::ALL.iter().any(|action| action.as_str() == **word);
        let verb = clause.words.iter().find(|word| human(word) || DECIDES.contains(word));
        let it = clause.words.len() == 1 || clause.find(&["it", "that", "this", "them"]).is_some();
        // `Does this hold for me?` asks.
        let spoken_of = it && !clause.asks && verb.is_some_and(|verb| human(&verb));
        let thing = clause.find(DECIDED).is_some() || spoken_of;
        let begins = clause.words.first() == Some(&"start");
        let starts = verb == Some(&"start");
        verb.is_some() && thing && (!starts || begins) && clause.find(&["make", "write", "new"]).is_none()
    })
}

/// What changes a plan otherwise than by making it less.
#[rustfmt::skip]
const CHANGES: &[&str] = &[
    "move", "moving", "swap", "swapping", "switch", "exchange", "shift", "postpone", "reschedule", "add", "insert",
    "replace", "harder", "longer", "faster", "tougher", "increase", "extend", "lengthen", "change", "rearrange",
    "redo", "repeat", "bring", "push", "delay", "put",
];

#[rustfmt::skip]
const PARTS: &[&str] = &[
    "run", "runs", "session", "sessions", "workout", "workouts", "plan", "week", "rest", "day", "long", "intervals",
    "tempo", "hills", "race", "schedule", "ride", "swim", "it", "training", "mileage", "everything",
];

/// Whether a change is asked for that this coach cannot make.
pub(super) fn is_another_change(clauses: &[Clause<'_>], when: &Named) -> bool {
    clauses.iter().any(|clause| {
        let why = clause.words.first() == Some(&"why");
        // `Was it harder?` asks.
        let told = !clause.asks || clause.find(&["should", "can", "could", "shall"]).is_some();
        let part = *when != Named::Nothing || clause.find(PARTS).is_some();
        clause.find(CHANGES).is_some() && part && told && !why && !clause.is_past()
    })
}

/// What says that somebody is elsewhere.
const AWAY: &[&str] =
    &["away", "travelling", "traveling", "travel", "vacation", "holiday", "holidays", "abroad"];

/// Days on which the athlete will be away, to write down.
pub(super) fn away(clauses: &[Clause<'_>], words: &[&str], today: Day) -> Option<Intent> {
    let clause = clauses.iter().find(|clause| clause.find(AWAY).is_some())?;
    let at = clause.find(AWAY)?;
    let own = clause.find(&["i", "i'm", "im", "i'll", "we", "we're"]).is_some();
    if !own || clause.asks || clause.denies(at) || clause.is_about_others(at) || clause.is_past() {
        return None;
    }
    let (from, through) = match named(words, today, false) {
        Named::Week(monday) => (monday, monday.plus_days(6)),
        Named::Days(days) => (*days.first()?, *days.last()?),
        Named::Nothing => return Some(Intent::Unsure { doubt: Doubt::NoDay }),
        Named::Unsure(doubt) => return Some(Intent::Unsure { doubt }),
    };
    if through < today {
        return None;
    }
    Some(Intent::Away { observation: json!({ "kind": "away", "from": from.max(today), "through": through }) })
}

/// What a metric is called, and which it is.
#[rustfmt::skip]
const METRICS: &[(&str, &str, SeriesMetric)] = &[
    ("resting heart rate", "resting heart rate", SeriesMetric::RestingHeartRate),
    ("resting pulse", "resting heart rate", SeriesMetric::RestingHeartRate),
    ("heart rate variability", "heart rate variability", SeriesMetric::Hrv),
    ("hrv", "heart rate variability", SeriesMetric::Hrv),
    ("rhr", "resting heart rate", SeriesMetric::RestingHeartRate),
    ("stress", "stress", SeriesMetric::Stress),
    ("weight", "weight", SeriesMetric::Weight),
    ("weigh", "weight", SeriesMetric::Weight),
    ("sleep", "sleep", SeriesMetric::SleepMinutes),
    ("slept", "sleep", SeriesMetric::SleepMinutes),
    ("recovery", "recovery", SeriesMetric::Recovery),
];

/// A metric that is asked for. Sleep and recovery of today stand in what is said of today.
pub(super) fn metric(clauses: &[Clause<'_>], lower: &str, when: &Named, today: Day) -> Option<Intent> {
    if !clauses.iter().any(|clause| clause.asks) {
        return None;
    }
    let (_, called, metric) = METRICS.iter().find(|(said, ..)| {
        let whole = |at: usize| {
            let letter = |c: char| c.is_alphabetic();
            !lower[..at].ends_with(letter) && !lower[at + said.len()..].starts_with(letter)
        };
        lower.match_indices(said).any(|(at, _)| whole(at))
    })?;
    let in_the_day = matches!(metric, SeriesMetric::SleepMinutes | SeriesMetric::Recovery);
    let (from, through) = match when {
        Named::Days(days) if days.as_slice() == [today] && in_the_day => return None,
        Named::Nothing if in_the_day => return None,
        Named::Nothing => (today.plus_days(-6), today),
        Named::Days(days) => (*days.first()?, *days.last()?),
        Named::Week(monday) => (*monday, monday.plus_days(6)),
        Named::Unsure(doubt) => return Some(Intent::Unsure { doubt: *doubt }),
    };
    let through = through.min(today);
    (from <= through).then(|| Intent::Metric {
        input: json!({ "metric": metric, "from": from, "through": through }),
        called,
    })
}
