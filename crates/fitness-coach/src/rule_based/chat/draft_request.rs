//! A plan for a race, as an athlete asks for one: the race, its day, the time hoped for, and how used to running they are.

use super::days::spoken_date;
use super::{Intent, grammar, said_last};
use crate::model::{Message, ModelPart, UserPart};
use crate::tools::ToolName;
use fitness_core::domain::calendar::Day;
use fitness_core::plan::{GoalDistance, Level};
use serde_json::{Value, json};

/// The race that words name.
pub(super) fn goal(words: &[&str]) -> Option<GoalDistance> {
    words
        .iter()
        .find_map(|word| match *word {
            "5k" | "5km" => Some(GoalDistance::FiveK),
            "10k" | "10km" => Some(GoalDistance::TenK),
            "half" | "half-marathon" => Some(GoalDistance::Half),
            "full" => Some(GoalDistance::Full),
            _ => None,
        })
        .or_else(|| words.contains(&"marathon").then_some(GoalDistance::Full))
}

/// A distance that words name, in kilometres.
pub(super) fn distance_km(words: &[&str]) -> Option<f64> {
    amounts(words).find_map(|(number, unit)| match unit {
        "km" | "k" | "kilometre" | "kilometres" | "kilometer" | "kilometers" => Some(number),
        "mi" | "mile" | "miles" => Some((number * 1609.344).round() / 1000.0),
        "m" | "metre" | "metres" | "meter" | "meters" => Some(number / 1000.0),
        _ => None,
    })
}

/// Numbers with their units: `50 km`, `50km`.
fn amounts<'w>(words: &'w [&'w str]) -> impl Iterator<Item = (f64, &'w str)> {
    words.iter().enumerate().filter_map(|(at, word)| {
        let end = word.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(word.len());
        let number: f64 = word[..end].parse().ok()?;
        let glued = Some(&word[end..]).filter(|unit| !unit.is_empty());
        Some((number, glued.or_else(|| words.get(at + 1).copied())?))
    })
}

/// A plan that is asked for, or what is not said of it.
pub(super) fn draft(goal: Option<GoalDistance>, words: &[&str], today: Day) -> Intent {
    let Some(goal) = goal else {
        return Intent::DraftWhat { missing: "the race: 5K, 10K, half marathon or marathon" };
    };
    let Some(race) =
        words.iter().find_map(|word| word.parse::<Day>().ok()).or_else(|| spoken_date(words, today))
    else {
        return Intent::DraftWhat { missing: "the day of the race, with its month and year" };
    };
    let mut input = json!({ "goal": goal, "race_date": race });
    match target(words, goal) {
        Some(target) => input["target_time"] = json!(target),
        // A time that is not understood is not left out without a word.
        None if words.iter().any(|word| matches!(*word, "target" | "sub" | "under" | "hours" | "hour")) => {
            return Intent::DraftWhat { missing: TIME };
        }
        None => {}
    }
    put_level(words, &mut input);
    Intent::Draft { input }
}

/// How a time is to be written.
pub(super) const TIME: &str = "the time you hope for in hours, minutes and seconds, with colons between them";

/// Writes down how used to running somebody is, where words say so; whether they do.
fn put_level(words: &[&str], input: &mut Value) -> bool {
    let line = format!(" {} ", words.join(" "));
    let says = |any: &[&str]| any.iter().any(|phrase| line.contains(&format!(" {phrase} ")));
    let level = match () {
        () if says(&["new to it", "new to running", "new to this", "beginner", "novice", "a newcomer"]) => {
            Some(Level::Novice)
        }
        () if says(&["intermediate"]) => Some(Level::Intermediate),
        () if says(&["advanced", "experienced"]) => Some(Level::Advanced),
        () => None,
    };
    let weekly = words.windows(2).position(|two| matches!(two, ["a" | "per" | "each" | "every", "week"]));
    let weekly = weekly.and_then(|at| distance_km(words.get(at.saturating_sub(2)..at)?));
    if let Some(level) = level {
        input["level"] = json!(level);
    }
    if let Some(km) = weekly {
        input["weekly_km"] = json!(km);
    }
    level.is_some() || weekly.is_some()
}

/// The plan that was asked for right before, with what is said of the athlete now: `I am new to it`.
pub(super) fn with_level(said: &str, before: &[Message], today: Day) -> Option<Intent> {
    let (_, asked) = said_last(before)?;
    let Intent::Draft { mut input } = Intent::read(asked, today) else { return None };
    let lower = said.to_lowercase();
    put_level(&grammar::words(&lower), &mut input).then_some(Intent::Draft { input })
}

/// The draft that was made in this conversation last.
pub(super) fn made_before(messages: &[Message]) -> Option<i64> {
    let call = |message: &Message| match message {
        Message::Model { parts, .. } => parts.iter().find_map(|part| match part {
            ModelPart::Call { id, tool, .. } if tool == ToolName::DraftTrainingPlan.as_str() => {
                Some(id.clone())
            }
            _ => None,
        }),
        Message::Program { .. } => None,
    };
    let answered = |message: &Message, id: &str| match message {
        Message::Program { parts } => parts.iter().find_map(|part| match part {
            UserPart::Result { call, text, refused: false } if call == id => {
                serde_json::from_str::<Value>(text).ok()?.get("plan_id")?.as_i64()
            }
            _ => None,
        }),
        Message::Model { .. } => None,
    };
    messages.iter().enumerate().rev().find_map(|(at, message)| {
        let id = call(message)?;
        messages.iter().skip(at + 1).find_map(|later| answered(later, &id))
    })
}

/// The earlier draft of this conversation that another takes the place of: one that still waits, for the same race.
pub(super) fn instead_of(earlier: i64, input: &Value, progress: &Value) -> Option<i64> {
    let drafts = progress.get("drafts").and_then(Value::as_array)?;
    drafts
        .iter()
        .any(|draft| draft["plan_id"].as_i64() == Some(earlier) && draft["goal"] == input["goal"])
        .then_some(earlier)
}

/// The time that is hoped for: `1:45`, `98 minutes`, `1h45`, `2 hours and 5 minutes`.
fn target(words: &[&str], goal: GoalDistance) -> Option<String> {
    words.iter().find_map(|word| with_colons(word, goal)).or_else(|| in_words(words))
}

/// `1:45` means hours and minutes for a long race, minutes and seconds for a short one.
fn with_colons(word: &str, goal: GoalDistance) -> Option<String> {
    let parts: Vec<u32> = word.split(':').map(str::parse).collect::<Result<_, _>>().ok()?;
    match (parts.as_slice(), goal) {
        ([hours, minutes, seconds], _) => Some(format!("{hours:02}:{minutes:02}:{seconds:02}")),
        ([hours, minutes], GoalDistance::Half | GoalDistance::Full | GoalDistance::Custom) => {
            Some(format!("{hours:02}:{minutes:02}:00"))
        }
        ([minutes, seconds], _) => Some(format!("00:{minutes:02}:{seconds:02}")),
        _ => None,
    }
}

fn in_words(words: &[&str]) -> Option<String> {
    let rate =
        words.windows(2).any(|two| matches!(two, ["a" | "per" | "each" | "every", "week" | "day" | "run"]));
    if rate {
        return None;
    }
    // `1h45` is two amounts.
    let parted: Vec<String> = words.iter().map(|word| word.replace('h', "h ").trim().to_owned()).collect();
    let parted: Vec<&str> = words
        .iter()
        .zip(&parted)
        .flat_map(|(word, parted)| {
            let glued = word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('h');
            if glued { parted.split(' ').collect() } else { vec![*word] }
        })
        .collect();
    let seconds = |number: f64, unit: &str| match unit {
        "h" | "hr" | "hrs" | "hour" | "hours" => Some(number * 3600.0),
        "min" | "mins" | "minute" | "minutes" => Some(number * 60.0),
        _ => None,
    };
    let mut total: f64 = amounts(&parted).filter_map(|(number, unit)| seconds(number, unit)).sum();
    // The minutes of `1h45` have no unit of their own.
    let after_hours = parted
        .windows(2)
        .find(|two| two[0].strip_suffix('h').is_some_and(|number| number.parse::<u32>().is_ok()));
    if let Some(minutes) = after_hours.and_then(|two| two[1].trim_end_matches('m').parse::<u32>().ok()) {
        total += f64::from(minutes) * 60.0;
    }
    let total = (total > 0.0 && total < 360_000.0).then_some(total.round() as u64)?;
    Some(format!("{:02}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60))
}
