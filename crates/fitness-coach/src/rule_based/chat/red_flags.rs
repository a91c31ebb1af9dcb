//! Complaints with which nobody should train before a doctor has looked at them. They are heard however they are said: as
//! a question, of the past, of somebody else, with a reason. Only what is plainly denied is not.

use super::Intent;
use super::grammar::{self, Clause};
use super::self_report::observation;
use fitness_core::domain::calendar::Day;
use serde_json::json;

/// What hurts or presses.
#[rustfmt::skip]
const PAINS: &[&str] = &[
    "pain", "pains", "painful", "hurt", "hurts", "hurting", "tight", "tightness", "pressure", "ache", "aches", "aching",
    "stabbing", "burning", "burns", "squeezing", "sore",
];

/// What is broken where a bone is.
const BROKEN: &[&str] =
    &["broke", "broken", "fracture", "fractured", "dislocated", "cracked", "snapped", "ruptured"];

/// What can be broken of somebody.
#[rustfmt::skip]
const BONES: &[&str] = &[
    "leg", "legs", "arm", "foot", "feet", "ankle", "wrist", "toe", "toes", "finger", "rib", "ribs", "hip", "knee", "shin",
    "bone", "bones", "hand", "shoulder", "collarbone", "pelvis", "back", "neck", "elbow", "heel", "tibia", "fibula", "femur",
    "metatarsal", "kneecap", "jaw", "skull", "nose", "achilles", "tendon", "acl", "stress",
];

/// What is enough by itself.
#[rustfmt::skip]
const ALARMS: &[&str] = &[
    "fainted", "faint", "fainting", "unconscious", "breathless", "breathlessness", "palpitations", "palpitation",
    "seizure", "stroke", "concussion", "concussed", "collapsed", "suicidal", "angina", "myocarditis", "embolism",
    "fracture", "fractured",
];

/// The same in several words.
#[rustfmt::skip]
const PHRASES: &[&str] = &[
    "passed out", "passing out", "pass out", "blacked out", "black out", "lost consciousness", "short of breath",
    "shortness of breath", "can't breathe", "cannot breathe", "can not breathe", "cant breathe", "hard to breathe",
    "trouble breathing", "difficulty breathing", "out of breath at rest", "heart attack", "coughing up blood",
    "coughing blood", "cough up blood", "blood in my", "vomiting blood", "hit my head", "irregular heartbeat",
    "heart skips", "heart is racing", "heart races", "slurred speech", "heat stroke", "heatstroke", "numb arm",
    "arm is numb", "face is numb", "left arm hurts", "pain in my left arm", "hurt myself on purpose",
];

/// A red flag in what an athlete says, with what there is to write down where it is the athlete's own and now.
pub(super) fn alarm_of(clauses: &[Clause<'_>], lower: &str, today: Day) -> Option<Intent> {
    let (clause, at) = clauses.iter().find_map(|clause| Some((clause, alarm(clause)?)))?;
    let told = !clause.asks && !clause.is_about_others(at) && !clause.is_past();
    let suggestion = told.then(|| {
        let bone = clause.find(BROKEN).is_some();
        let mut observed =
            observation(if bone { "injury" } else { "illness" }, &grammar::words(lower), today);
        observed["value"] = json!(3);
        observed
    });
    Some(Intent::Alarm { suggestion })
}

/// Where a clause tells of a red flag that it does not deny right there.
fn alarm(clause: &Clause<'_>) -> Option<usize> {
    let words = &clause.words;
    let line = words.join(" ");
    let chest = clause.find(&["chest", "chest's"]).filter(|_| clause.find(PAINS).is_some());
    // `I broke my record` breaks no bone.
    let bone = clause.find(BROKEN).filter(|at| words[*at..].iter().take(5).any(|word| BONES.contains(word)));
    let bone = bone.or_else(|| {
        let at = clause.find(BONES)?;
        words[at..].iter().take(4).any(|word| BROKEN.contains(word)).then_some(at)
    });
    let phrase = || {
        let phrase = PHRASES.iter().find(|phrase| format!(" {line} ").contains(&format!(" {phrase} ")))?;
        let first = phrase.split(' ').next()?;
        words.iter().position(|word| *word == first)
    };
    // `A different stroke` is a swimmer's.
    let alone = clause.find(ALARMS).filter(|at| {
        let swims = || clause.find(&["swim", "swimming", "pool", "arm", "breast", "per", "rate"]).is_some();
        words[*at] != "stroke" || !swims()
    });
    let at = chest.or(bone).or_else(phrase).or(alone)?;
    let near = &words[at.saturating_sub(3)..at];
    (!near.iter().any(|word| grammar::denies(word))).then_some(at)
}
