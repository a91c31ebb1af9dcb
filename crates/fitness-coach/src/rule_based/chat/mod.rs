//! The built-in coach in conversation: rules only, no key, no network.
//!
//! It is a [`Model`] like any other: it calls the same tools, within the same caps, and every number it says stands in
//! what a tool answered. It understands a small set of questions ([`Intent`]) and says so when it does not.

mod advice;
mod context;
mod days;
mod draft_request;
mod ease_request;
mod grammar;
mod intent;
mod plan_change;
mod red_flags;
mod replies;
mod self_report;
#[cfg(test)]
mod tests;
mod unparsed_date;
mod unsupported;

pub use context::Before;
pub use days::Doubt;
pub use intent::{Intent, Less, NotNow, Wanted};

use super::NAME;
use crate::model::{
    Cost, Message, Model, ModelListener, ModelPart, Reply, ReplyFuture, Request, StopReason, Usage, UserPart,
};
use crate::tools::ToolName;
use fitness_core::domain::calendar::Day;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy)]
pub struct BuiltInCoach {
    pub today: Day,
}

impl Model for BuiltInCoach {
    fn name(&self) -> &str {
        NAME
    }

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        listener: &'a mut (dyn ModelListener + 'a),
    ) -> ReplyFuture<'a> {
        Box::pin(async move {
            let (at, words) = said_last(&request.messages).unwrap_or_default();
            let results = results_since(&request.messages, at);
            let earlier = &request.messages[..at];
            let intent = match Intent::after(words, self.today, &Before::of(earlier, self.today)) {
                Intent::Unclear => {
                    draft_request::with_level(words, earlier, self.today).unwrap_or(Intent::Unclear)
                }
                intent => intent,
            };
            let step = match &intent {
                Intent::Draft { input } => {
                    drafted(input, draft_request::made_before(earlier), &results, self.today)
                }
                intent => next(intent, &results, self.today),
            };
            let (part, stop) = match step {
                Step::Call(tool, input) => {
                    listener.tool_call(tool.as_str());
                    let id = format!("built-in-{}", results.len() + 1);
                    (ModelPart::Call { id, tool: tool.as_str().to_owned(), input }, StopReason::ToolCalls)
                }
                Step::Say(text) => {
                    let text = introduced(text, &request.messages);
                    listener.text(&text);
                    (ModelPart::Text { text }, StopReason::Done)
                }
            };
            Ok(Reply { parts: vec![part], stop_reason: stop, usage: Usage::default() })
        })
    }

    fn preview(&self, _: &Request) -> String {
        "Nothing leaves this machine: the built-in coach answers here.".to_owned()
    }

    fn cost(&self, _: &Usage) -> Option<Cost> {
        Some(Cost(0))
    }
}

/// What it says, with who it is before the first answer of a conversation.
fn introduced(text: String, messages: &[Message]) -> String {
    let spoke = |message: &Message| match message {
        Message::Model { name, parts } => {
            name == NAME && parts.iter().any(|part| matches!(part, ModelPart::Text { .. }))
        }
        Message::Program { .. } => false,
    };
    if messages.iter().any(spoke) || text.starts_with(replies::WHO) {
        return text;
    }
    format!("{}\n{text}", replies::WHO)
}

/// What a tool answered: its JSON, or why it refused.
type Results<'a> = BTreeMap<&'a str, Result<Value, &'a str>>;

#[derive(Debug, PartialEq)]
enum Step {
    Call(ToolName, Value),
    Say(String),
}

/// What the athlete said last, and where.
fn said_last(messages: &[Message]) -> Option<(usize, &str)> {
    messages.iter().enumerate().rev().find_map(|(at, message)| {
        let Message::Program { parts } = message else { return None };
        parts.iter().rev().find_map(|part| match part {
            UserPart::Text { text } => Some((at, text.as_str())),
            UserPart::Result { .. } => None,
        })
    })
}

/// What tools answered since a message.
fn results_since(messages: &[Message], at: usize) -> Results<'_> {
    let (mut calls, mut results) = (BTreeMap::new(), Results::new());
    for message in messages.iter().skip(at + 1) {
        match message {
            Message::Model { parts, .. } => {
                for part in parts {
                    if let ModelPart::Call { id, tool, .. } = part {
                        calls.insert(id.as_str(), tool.as_str());
                    }
                }
            }
            Message::Program { parts } => {
                for part in parts {
                    if let UserPart::Result { call, text, refused } = part
                        && let Some(tool) = calls.get(call.as_str())
                    {
                        let read = || serde_json::from_str(text).map_err(|_| text.as_str());
                        results.insert(*tool, if *refused { Err(text.as_str()) } else { read() });
                    }
                }
            }
        }
    }
    results
}

/// What to do about an intent, with what is known so far.
fn next(intent: &Intent, results: &Results<'_>, today: Day) -> Step {
    use ToolName as T;
    let known = |tool: T| results.get(tool.as_str());
    let ask = |tool: T, input: Value, say: &dyn Fn(&Value) -> String| match known(tool) {
        None => Step::Call(tool, input),
        Some(Ok(answer)) => Step::Say(say(answer)),
        Some(Err(why)) => Step::Say(replies::refused(why)),
    };
    match intent {
        Intent::Today => ask(T::DailySnapshot, json!({}), &|answer| replies::today(answer, today)),
        Intent::Why { day } if *day == today => ask(T::DailySnapshot, json!({}), &replies::why),
        Intent::Why { day } => {
            let said = |answer: &Value| replies::why_on(answer, *day, today);
            ask(T::PlanProgress, json!({ "from": day, "through": day }), &said)
        }
        Intent::NotUnwell { instead } => Step::Say(replies::not_unwell(*instead).to_owned()),
        Intent::Keep => Step::Say(replies::KEEP.to_owned()),
        Intent::Over { .. } => Step::Say(replies::OVER.to_owned()),
        Intent::Unsure { doubt } => Step::Say(replies::unsure(*doubt)),
        Intent::Should { days } => match (known(T::PlanProgress), known(T::DailySnapshot)) {
            (None, _) => Step::Call(T::PlanProgress, span(days)),
            (Some(Err(why)), _) | (_, Some(Err(why))) => Step::Say(replies::refused(why)),
            (Some(Ok(_)), None) => Step::Call(T::DailySnapshot, json!({})),
            (Some(Ok(progress)), Some(Ok(snapshot))) => Step::Say(advice::should(progress, snapshot, days)),
        },
        Intent::Week { monday } => {
            let said = |answer: &Value| replies::week(answer, *monday, today);
            ask(T::PlanProgress, json!({ "from": monday, "through": monday.plus_days(6) }), &said)
        }
        Intent::Days { days } => {
            ask(T::PlanProgress, span(days), &|answer| replies::days(answer, days, today))
        }
        Intent::Form { of_another_day } => {
            let said = |answer: &Value| replies::form(answer, *of_another_day);
            ask(T::TrainingLoad, json!({}), &said)
        }
        Intent::Predict { input } => ask(T::PredictFinish, input.clone(), &replies::prediction),
        Intent::IfUnwell => Step::Say(replies::IF_UNWELL.to_owned()),
        Intent::Alarm { suggestion: None } => Step::Say(advice::ALARM.to_owned()),
        Intent::Alarm { suggestion: Some(suggestion) } => match known(T::SuggestObservation) {
            None => Step::Call(T::SuggestObservation, suggestion.clone()),
            Some(answer) => Step::Say(advice::alarm(answer.as_ref().ok())),
        },
        Intent::Unwell { observation } => ask(T::SuggestObservation, observation.clone(), &replies::unwell),
        Intent::Away { observation } => ask(T::SuggestObservation, observation.clone(), &advice::away),
        Intent::Metric { input, called } => {
            ask(T::MetricSeries, input.clone(), &|answer| advice::metric(answer, called))
        }
        Intent::Decide => Step::Say(advice::decide()),
        Intent::Beyond => Step::Say(advice::beyond()),
        Intent::Draft { input } => drafted(input, None, results, today),
        Intent::DraftWhat { missing } => Step::Say(replies::ask_for(missing)),
        Intent::Change { wanted } => propose(wanted, plan_change::Because::Asked, results),
        Intent::Tired => {
            let easier = Wanted { day: today, less: Less::Easier };
            propose(&[easier], plan_change::Because::Tired, results)
        }
        Intent::Unclear => Step::Say(replies::HELP.to_owned()),
    }
}

/// Makes a draft; in the place of the one this conversation made before, where that still waits.
fn drafted(input: &Value, earlier: Option<i64>, results: &Results<'_>, today: Day) -> Step {
    let mut input = input.clone();
    if let Some(earlier) = earlier {
        match results.get(ToolName::PlanProgress.as_str()) {
            None => return Step::Call(ToolName::PlanProgress, span(&[today])),
            Some(Ok(progress)) => {
                if let Some(plan) = draft_request::instead_of(earlier, &input, progress) {
                    input["instead_of"] = json!(plan);
                }
            }
            Some(Err(_)) => {}
        }
    }
    match results.get(ToolName::DraftTrainingPlan.as_str()) {
        None => Step::Call(ToolName::DraftTrainingPlan, input),
        Some(Ok(answer)) => Step::Say(replies::drafted(answer, input.get("instead_of").is_some())),
        Some(Err(why)) => Step::Say(replies::refused(why)),
    }
}

/// Looks at the plan, proposes what is wanted of it, and says what came of it.
fn propose(wanted: &[Wanted], because: plan_change::Because, results: &Results<'_>) -> Step {
    let days: Vec<Day> = wanted.iter().map(|one| one.day).collect();
    let progress = match results.get(ToolName::PlanProgress.as_str()) {
        None => return Step::Call(ToolName::PlanProgress, span(&days)),
        Some(Err(why)) => return Step::Say(replies::refused(why)),
        Some(Ok(progress)) => progress,
    };
    let proposal = match plan_change::proposal(wanted, progress, because) {
        Ok(proposal) => proposal,
        Err(sentence) if because == plan_change::Because::Tired => {
            return Step::Say(replies::nothing_to_ease(&sentence));
        }
        Err(sentence) => return Step::Say(sentence),
    };
    match results.get(ToolName::ProposeModification.as_str()) {
        None => Step::Call(ToolName::ProposeModification, proposal.response),
        Some(Ok(answer)) => Step::Say(replies::proposed(answer, &proposal.asides, because)),
        Some(Err(why)) => Step::Say(replies::refused(why)),
    }
}

/// What `plan_progress` is asked to tell of these days and those between.
fn span(days: &[Day]) -> Value {
    json!({ "from": days.iter().min(), "through": days.iter().max() })
}
