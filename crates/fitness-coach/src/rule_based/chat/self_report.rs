//! What an athlete says of themselves: ill, hurt, tired; now, and not somebody else.

use super::days::{Named, named};
use super::grammar::{self, Clause};
use super::{Intent, NotNow};
use fitness_core::domain::calendar::Day;
use serde_json::{Value, json};

/// What says that somebody is tired.
#[rustfmt::skip]
const TIRED: &[&str] = &[
    "tired", "exhausted", "fatigued", "drained", "knackered", "shattered", "weary", "wrecked", "worn-out",
];

/// What says so of how one feels, or of the legs.
#[rustfmt::skip]
const LOW: &[&str] = &[
    "awful", "terrible", "horrible", "lousy", "rubbish", "flat", "heavy", "sore", "stiff", "rough", "bad", "low",
    "empty", "weak", "sluggish", "worn", "miserable", "dead", "cooked", "spent", "worse",
];

/// What may feel so.
const FEELS: &[&str] = &["feel", "feeling", "feels", "legs", "body", "i'm", "im", "am"];

/// Said of how one feels, and denied: `I don't feel good`.
const FINE: &[&str] = &["good", "great", "fresh", "fine", "rested", "right"];

/// Whether the athlete says that they are tired; asked about it, whether to train.
pub(super) fn tired(clauses: &[Clause<'_>], today: Day) -> Option<Intent> {
    clauses.iter().find_map(|clause| {
        let feels = clause.find(FEELS).is_some();
        let not_fine = || clause.find(FINE).filter(|at| clause.denies(*at) && feels).map(|_| 0);
        let of = |at: &usize| clause.words.get(at + 1) != Some(&"of");
        let at =
            clause.find(TIRED).filter(of).or_else(|| clause.find(LOW).filter(|_| feels)).or_else(not_fine)?;
        if clause.is_about_others(at) || clause.is_past() {
            return None;
        }
        Some(match () {
            () if clause.asks && clause.find(&["should", "shall", "can", "could"]).is_some() => {
                Intent::Should { days: vec![today] }
            }
            () if clause.asks => return None,
            () if clause.denies(at) => Intent::NotUnwell { instead: NotNow::Denied },
            () => Intent::Tired,
        })
    })
}

/// What says that somebody is ill.
#[rustfmt::skip]
const ILL: &[&str] = &[
    "ill", "sick", "fever", "feverish", "flu", "unwell", "infection", "cough", "coughing", "vomiting", "vomited",
    "nausea", "nauseous", "diarrhoea", "diarrhea", "throat", "sniffles", "sneezing", "covid", "bronchitis",
    "pneumonia", "tonsillitis", "sinusitis", "chills", "shivering",
];
/// Of those, what is more than a cold.
#[rustfmt::skip]
const BADLY: &[&str] = &[
    "fever", "feverish", "flu", "infection", "stomach", "chest", "cannot", "can't", "badly", "temperature", "vomiting",
    "vomited", "nausea", "nauseous", "diarrhoea", "diarrhea", "covid", "bronchitis", "pneumonia", "chills", "shivering",
];
const HURT: &[&str] = &["hurt", "hurts", "injured", "injury", "pain", "niggle", "strained", "sprained"];

/// What is said of an illness or an injury: the athlete's own and now, if any clause says so.
pub(super) fn unwell_of(clauses: &[Clause<'_>], lower: &str, today: Day) -> Option<Intent> {
    let mut instead = None;
    for clause in clauses {
        let Some((at, kind)) = unwell(clause) else { continue };
        // `If I am ill` is a thought; `it hurts when I run` is a complaint.
        let thought = clause.words[..at].iter().any(|word| matches!(*word, "if" | "when"));
        if thought || clause.asks || lower.contains("should i") {
            return Some(Intent::IfUnwell);
        }
        let not_now = if clause.is_about_others(at) {
            NotNow::SomebodyElse
        } else if clause.denies(at) {
            NotNow::Denied
        } else if clause.is_past() {
            NotNow::Past
        } else {
            return Some(Intent::Unwell { observation: observation(kind, &grammar::words(lower), today) });
        };
        instead.get_or_insert(not_now);
    }
    instead.map(|instead| Intent::NotUnwell { instead })
}

/// The illness or injury a clause speaks of, and where. The weather may be cold, and one may be sick of something.
fn unwell(clause: &Clause<'_>) -> Option<(usize, &'static str)> {
    let words = &clause.words;
    let is_ill = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| words.get(before)).copied().unwrap_or_default();
        match words[at] {
            "cold" => {
                matches!(
                    before,
                    "a" | "my" | "bad" | "head" | "heavy" | "slight" | "nasty" | "with" | "have" | "no"
                )
            }
            "sick" => words.get(at + 1) != Some(&"of"),
            // The weather has one as well.
            "temperature" => {
                clause.find(&["i", "i've", "i'm", "im", "my", "have", "having", "running"]).is_some()
            }
            // `I'm not feeling well` is said where the denial stands, which is not itself denied.
            "well" => false,
            word => ILL.contains(&word),
        }
    };
    let not_well = || {
        let well = clause.find(&["well"]).filter(|at| clause.denies(*at))?;
        clause.find(&["feel", "feeling"]).filter(|at| *at < well)?;
        words[..well].iter().position(|word| grammar::denies(word))
    };
    let ill = (0..words.len()).find(|at| is_ill(*at)).or_else(not_well).map(|at| (at, "illness"));
    ill.or_else(|| clause.find(HURT).map(|at| (at, "injury")))
}

pub(super) fn observation(kind: &str, words: &[&str], today: Day) -> Value {
    let has = |any: &[&str]| words.iter().any(|word| any.contains(word));
    let value = if has(BADLY) {
        3
    } else if has(&["niggle", "slightly", "cold", "bit", "sniffles", "sneezing", "throat", "well"]) {
        1
    } else {
        2
    };
    let since = words.iter().position(|word| *word == "since").and_then(|at| words.get(at + 1..));
    let from = match since.map(|words| named(words, today, true)) {
        Some(Named::Days(days)) if days.len() == 1 && (0..=14).contains(&days[0].days_until(today)) => {
            days[0]
        }
        _ if has(&["yesterday"]) => today.previous(),
        _ => today,
    };
    json!({ "kind": kind, "from": from, "through": today.plus_days(2), "value": value })
}
