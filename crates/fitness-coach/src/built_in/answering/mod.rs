//! The built-in coach in conversation: rules only, no key, no network.
//!
//! It is a [`Model`] like any other: it calls the same tools, within the same caps, and every number it says stands in
//! what a tool answered. It understands a small set of questions ([`Intent`]) and says so when it does not.

mod grammar;
mod intent;
#[cfg(test)]
mod tests;
mod wording;

pub use intent::{Intent, NotNow};

use super::NAME;
use crate::model::{Asking, Cost, Listener, Message, Model, Part, Reply, Request, Stop, Told, Usage};
use crate::tools::ToolName;
use fitness_core::calendar::Day;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The built-in coach.
#[derive(Debug, Clone, Copy)]
pub struct BuiltIn {
    /// The athlete's today.
    pub today: Day,
}

impl Model for BuiltIn {
    fn name(&self) -> &str {
        NAME
    }

    fn ask<'a>(&'a self, request: &'a Request, listener: &'a mut (dyn Listener + 'a)) -> Asking<'a> {
        Box::pin(async move {
            let (words, results) = last_exchange(&request.messages);
            let (part, stop) = match next(&Intent::read(words, self.today), &results, self.today) {
                Step::Call(tool, input) => {
                    listener.call(tool.as_str());
                    let id = format!("built-in-{}", results.len() + 1);
                    (Part::Call { id, tool: tool.as_str().to_owned(), input }, Stop::Calls)
                }
                Step::Say(text) => {
                    listener.text(&text);
                    (Part::Text { text }, Stop::Done)
                }
            };
            Ok(Reply { parts: vec![part], stop, usage: Usage::default() })
        })
    }

    fn preview(&self, _: &Request) -> String {
        "Nothing leaves this machine: the built-in coach answers here.".to_owned()
    }

    fn cost(&self, _: &Usage) -> Option<Cost> {
        Some(Cost(0))
    }
}

/// What a tool answered: its JSON, or why it refused.
type Results<'a> = BTreeMap<&'a str, Result<Value, &'a str>>;

/// What comes next.
#[derive(Debug, PartialEq)]
enum Step {
    Call(ToolName, Value),
    Say(String),
}

/// What the athlete said last, and what tools answered since.
fn last_exchange(messages: &[Message]) -> (&str, Results<'_>) {
    let said = |message: &Message| matches!(message, Message::Program { parts } if parts.iter().any(|part| matches!(part, Told::Text { .. })));
    let Some(at) = messages.iter().rposition(said) else { return ("", Results::new()) };
    let words = match messages.get(at) {
        Some(Message::Program { parts }) => parts
            .iter()
            .rev()
            .find_map(|part| if let Told::Text { text } = part { Some(text.as_str()) } else { None }),
        _ => None,
    };
    let (mut calls, mut results) = (BTreeMap::new(), Results::new());
    for message in messages.iter().skip(at + 1) {
        match message {
            Message::Model { parts, .. } => {
                for part in parts {
                    if let Part::Call { id, tool, .. } = part {
                        calls.insert(id.as_str(), tool.as_str());
                    }
                }
            }
            Message::Program { parts } => {
                for part in parts {
                    if let Told::Result { call, text, refused } = part
                        && let Some(tool) = calls.get(call.as_str())
                    {
                        let read = || serde_json::from_str(text).map_err(|_| text.as_str());
                        results.insert(*tool, if *refused { Err(text.as_str()) } else { read() });
                    }
                }
            }
        }
    }
    (words.unwrap_or_default(), results)
}

/// What to do about an intent, with what is known so far.
fn next(intent: &Intent, results: &Results<'_>, today: Day) -> Step {
    use ToolName as T;
    let known = |tool: T| results.get(tool.as_str());
    let ask = |tool: T, input: Value, say: &dyn Fn(&Value) -> String| match known(tool) {
        None => Step::Call(tool, input),
        Some(Ok(answer)) => Step::Say(say(answer)),
        Some(Err(why)) => Step::Say(wording::refused(why)),
    };
    match intent {
        Intent::Today => ask(T::DailySnapshot, json!({}), &wording::today),
        Intent::Why { day } if *day == today => ask(T::DailySnapshot, json!({}), &wording::why),
        Intent::Why { day } => {
            let said = |answer: &Value| wording::why_on(answer, *day);
            ask(T::PlanProgress, json!({ "from": day, "through": day }), &said)
        }
        Intent::NotUnwell { instead } => Step::Say(wording::not_unwell(*instead).to_owned()),
        Intent::Keep => Step::Say(wording::KEEP.to_owned()),
        Intent::Over { day } => Step::Say(wording::over(*day)),
        Intent::Should { day } => match (known(T::PlanProgress), known(T::DailySnapshot)) {
            (None, _) => Step::Call(T::PlanProgress, json!({ "from": day, "through": day })),
            (Some(Err(why)), _) | (_, Some(Err(why))) => Step::Say(wording::refused(why)),
            (Some(Ok(_)), None) => Step::Call(T::DailySnapshot, json!({})),
            (Some(Ok(progress)), Some(Ok(snapshot))) => Step::Say(wording::should(progress, snapshot, *day)),
        },
        Intent::Week => {
            let monday = today.iso_week().monday();
            ask(T::PlanProgress, json!({ "from": monday, "through": monday.plus(6) }), &wording::week)
        }
        Intent::Form => ask(T::TrainingLoad, json!({}), &wording::form),
        Intent::Predict { input } => ask(T::PredictFinish, input.clone(), &wording::prediction),
        Intent::IfUnwell => Step::Say(wording::IF_UNWELL.to_owned()),
        Intent::Unwell { observation } => ask(T::SuggestObservation, observation.clone(), &wording::unwell),
        Intent::Draft { input } => ask(T::DraftTrainingPlan, input.clone(), &wording::drafted),
        Intent::DraftWhat { missing } => Step::Say(wording::ask_for(missing)),
        Intent::Easier { day } | Intent::Skip { day } => match known(T::PlanProgress) {
            None => Step::Call(T::PlanProgress, json!({ "from": day, "through": day })),
            Some(Err(why)) => Step::Say(wording::refused(why)),
            Some(Ok(progress)) => match change(intent, progress, *day) {
                Ok(response) => ask(T::ProposeModification, response, &wording::proposed),
                Err(sentence) => Step::Say(sentence),
            },
        },
        Intent::Unclear => Step::Say(wording::HELP.to_owned()),
    }
}

/// The change that was asked for, as a plan modification response; or why there is nothing to change.
fn change(intent: &Intent, progress: &Value, day: Day) -> Result<Value, String> {
    if progress.get("plan").is_none() {
        return Err("There is no active plan to change.".to_owned());
    }
    let workouts = progress.get("workouts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let active: Vec<&Value> = workouts.iter().filter(|workout| workout["sport"] != "rest").collect();
    if active.is_empty() {
        return Err(format!("Nothing is planned for {} {day}.", day.weekday()));
    }
    if active.iter().any(|workout| workout["kind"] == "race") {
        return Err(format!(
            "{} {day} is the race. Whether to run it is yours alone to decide.",
            day.weekday()
        ));
    }
    let skip = matches!(intent, Intent::Skip { .. });
    let modifications: Vec<Value> = active
        .iter()
        .map(|workout| {
            let mut modification = json!({
                "workout_id": workout["workout_id"].to_string(),
                "date": day,
                "original_name": workout["name"],
                "action": if skip { "skip" } else { "modify" },
            });
            if !skip {
                let mut changes = json!({
                    "name": "Easy run",
                    "intensity": { "to": "easy" },
                    "notes": "Made easier because you asked for it.",
                });
                if workout["sport"] != "running" {
                    changes["name"] = json!("Easy session");
                }
                if let Some(minutes) = workout["minutes"].as_i64() {
                    // Three quarters of it, to five minutes.
                    let to = (minutes * 3 / 4 / 5 * 5).max(20).min(minutes.max(5));
                    changes["duration_minutes"] = json!({ "from": minutes, "to": to });
                }
                modification["changes"] = changes;
            }
            modification
        })
        .collect();
    let message = if skip { "Taken out, as you asked." } else { "Made shorter and easy, as you asked." };
    Ok(json!({ "modifications": modifications, "new_workouts": [], "athlete_message": message }))
}
