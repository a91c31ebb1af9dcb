//! What an athlete wants of a plan, as a plan modification response. It says of a session only what becomes of it.

use super::{Less, Wanted};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::untrusted_text::capitalize;
use fitness_core::llm_output::size_limits::MAX_MINUTES;
use serde_json::{Value, json};

/// Why it is made less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Because {
    /// The athlete asked for it.
    Asked,
    /// The athlete said that they are tired.
    Tired,
}

/// What is proposed, and what there is to say of days on which nothing is.
#[derive(Debug, PartialEq)]
pub(super) struct Proposal {
    pub(super) response: Value,
    pub(super) asides: Vec<String>,
}

/// The least that a session is shortened to, in minutes.
const LEAST: f64 = 15.0;

/// The change that is wanted; or why there is nothing to change.
pub(super) fn proposal(wanted: &[Wanted], progress: &Value, because: Because) -> Result<Proposal, String> {
    if progress.get("plan").is_none() {
        return Err("There is no active plan to change.".to_owned());
    }
    let workouts = progress.get("workouts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let (mut modifications, mut phrases) = (Vec::new(), Vec::new());
    let (mut asides, mut free) = (Vec::new(), Vec::new());
    for one in wanted {
        let on_it = |workout: &&Value| {
            workout["date"] == one.day.to_string() && workout["sport"] != "rest" && workout["kind"] != "rest"
        };
        let sessions: Vec<&Value> = workouts.iter().filter(on_it).collect();
        if sessions.is_empty() {
            free.push(one.day);
        }
        for workout in sessions {
            match modification(workout, *one, because) {
                Ok(modification) => {
                    phrases.push(phrase(&modification, workout, one.day));
                    modifications.push(modification);
                }
                Err(aside) => asides.push(aside),
            }
        }
    }
    if !free.is_empty() {
        let days: Vec<String> = free.into_iter().map(spoken).collect();
        asides.insert(0, format!("Nothing is planned for {}.", days.join(", ")));
    }
    if modifications.is_empty() {
        return Err(asides.join(" "));
    }
    let message = message(&phrases, because);
    let response = json!({ "modifications": modifications, "new_workouts": [], "athlete_message": message });
    Ok(Proposal { response, asides })
}

pub(super) fn spoken(day: Day) -> String {
    format!("{} {day}", day.weekday())
}

/// What becomes of a session; or why it stays.
fn modification(workout: &Value, wanted: Wanted, because: Because) -> Result<Value, String> {
    let day = spoken(wanted.day);
    let session = super::replies::session(workout);
    if workout["kind"] == "race" {
        return Err(format!("{day} is the race. Whether to run it is yours alone to decide."));
    }
    if matches!(workout["verdict"].as_str(), Some("hit" | "short")) {
        return Err(format!("{session} on {day} is done already."));
    }
    let mut modification = json!({
        "workout_id": workout["workout_id"].to_string(),
        "date": wanted.day,
        "original_name": workout["name"],
        "action": if wanted.less == Less::Skip { "skip" } else { "modify" },
    });
    if wanted.less == Less::Skip {
        return Ok(modification);
    }
    let is_easy = matches!(workout["kind"].as_str(), Some("easy" | "recovery"));
    if because == Because::Tired && is_easy {
        return Err(format!(
            "{session} on {day} is easy as it is, and tired legs mostly wake up on the way. Say \"make today easier\" \
             or \"skip today\" when you want less."
        ));
    }
    let mut changes = json!({});
    if let Some((from, to)) = shorter(workout) {
        changes["duration_minutes"] = json!({ "from": from, "to": to });
    }
    if wanted.less == Less::Easier && !is_easy {
        let name = if workout["sport"] == "running" { "Easy run" } else { "Easy session" };
        changes["name"] = json!(name);
        changes["intensity"] = json!({ "to": "easy" });
    }
    if changes == json!({}) {
        let how = if is_easy { "easy and short" } else { "as short as I would make it" };
        return Err(format!(
            "{session} on {day} is {how} already. Say \"skip\" with the day to take it out."
        ));
    }
    let is_shorter = changes.get("duration_minutes").is_some();
    let is_easier = changes.get("intensity").is_some();
    changes["notes"] = json!(match because {
        Because::Asked if is_shorter && is_easier => "Shortened and made easy at your request.",
        Because::Asked if is_easier => "Made easy at your request.",
        Because::Asked => "Shortened at your request.",
        Because::Tired => "Made easier because you said you are tired.",
    });
    modification["changes"] = changes;
    Ok(modification)
}

/// Three quarters of a session, from how many minutes to how many; `None` where that would be too short to speak of.
///
/// The contract speaks of minutes. Where a plan speaks of distance, the minutes stand for it: only their share counts, and
/// what becomes shorter is the distance.
fn shorter(workout: &Value) -> Option<(f64, f64)> {
    let (from, to) = match workout["minutes"].as_f64() {
        // To five minutes, as people plan.
        Some(minutes) => (minutes, ((minutes * 0.75 / 5.0).floor() * 5.0).max(LEAST)),
        None => {
            let minutes = minutes_for(workout)?.round();
            (minutes, minutes * 0.75)
        }
    };
    (to < from && to >= LEAST).then_some((from, to))
}

/// About how many minutes a planned distance takes, up to the most that the contract knows.
fn minutes_for(workout: &Value) -> Option<f64> {
    let (number, unit) = workout["planned"].as_str()?.split_once(' ')?;
    let number: f64 = number.parse().ok()?;
    let km = match unit {
        "km" => number,
        "mi" => number * 1.609_344,
        "m" => number / 1000.0,
        "yd" => number * 0.000_914_4,
        _ => return None,
    };
    let per_km = match workout["sport"].as_str() {
        Some("cycling") => 2.5,
        Some("swimming") => 25.0,
        _ => 6.0,
    };
    Some((km * per_km).min(MAX_MINUTES))
}

/// What becomes of a workout: `shorten the long run on Sunday and make it easy`. Its name is not
/// used, because it may have been written by a model.
fn phrase(modification: &Value, workout: &Value, day: Day) -> String {
    let has = |key: &str| modification["changes"].get(key).is_some();
    let planned = match workout["kind"].as_str() {
        Some(kind @ ("easy" | "long" | "recovery" | "tempo")) if workout["sport"] == "running" => {
            format!("the {kind} run on {}", day.date().format("%A"))
        }
        _ => format!("the workout on {}", day.date().format("%A")),
    };
    match (has("duration_minutes"), has("intensity")) {
        _ if modification["action"] == "skip" => format!("skip {planned}"),
        (true, true) => format!("shorten {planned} and make it easy"),
        (false, true) => format!("make {planned} easy"),
        (_, false) => format!("shorten {planned}"),
    }
}

/// All changes in a sentence for the athlete.
fn message(phrases: &[String], because: Because) -> String {
    let what = capitalize(&phrases.join("; "));
    match because {
        Because::Asked => format!("{what}, as you asked."),
        Because::Tired => format!("{what}, because you said you are tired."),
    }
}
