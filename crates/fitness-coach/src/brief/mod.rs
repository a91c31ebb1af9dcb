//! Writes the daily brief.
//!
//! The model gets one request and one retry with its errors; after that the built-in coach writes
//! the brief, so there is always one. [`BriefFlow`] is the state machine without I/O;
//! [`write_brief`] runs it.

mod request;
#[cfg(test)]
mod tests;
mod write;

pub use request::{MAX_TOKENS, brief_request};
pub use write::{BriefFlow, BriefStep};

use crate::model::{Cost, Model, ModelListener, Usage};
use crate::prompt::{Prompt, PromptName};
use crate::rule_based;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::units::UnitSystem;
use fitness_core::facts::Facts;
use fitness_core::llm_output::brief::{self, Briefing};

/// Input of a brief.
#[derive(Debug, Clone, Copy)]
pub struct BriefInput<'a> {
    /// The day it is for.
    pub today: Day,
    /// The only numbers it may use.
    pub facts: &'a Facts,
    /// Notes of the athlete. Untrusted text.
    pub notes: &'a [String],
    pub units: UnitSystem,
}

/// A brief with its author and cost.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedBrief {
    /// With placeholders for facts.
    pub briefing: Briefing,
    /// Text for the athlete.
    pub rendered: String,
    /// Name of the model, or [`rule_based::NAME`].
    pub author: String,
    /// Why the built-in coach replaced the model, as a sentence.
    pub fallback_reason: Option<String>,
    /// Whether the model failed before it sent a reply, so that it could not break a rule.
    pub is_unanswered: bool,
    /// Id of the prompt; `None` without a model.
    pub prompt: Option<String>,
    /// Version of the brief format.
    pub schema: &'static str,
    /// Token usage of all attempts.
    pub usage: Usage,
    /// `None` if the price is unknown.
    pub cost: Option<Cost>,
}

impl FinishedBrief {
    /// Author line for the athlete.
    #[must_use]
    pub fn byline(&self) -> String {
        let by = if self.author == rule_based::NAME {
            rule_based::BYLINE.to_owned()
        } else {
            format!("Written by {}.", self.author)
        };
        self.fallback_reason.as_ref().map_or(by.clone(), |why| format!("{by} {why}"))
    }
}

/// Brief of the built-in coach.
#[must_use]
pub fn write_rule_based_brief(morning: &BriefInput<'_>, fell_back: Option<String>) -> FinishedBrief {
    let briefing = rule_based::brief(morning.facts);
    let rendered = briefing.render(morning.facts, morning.units);
    // The tests check that any facts render; this text is the last resort.
    let rendered = rendered.unwrap_or_else(|bad| format!("Today's brief could not be written: {bad}."));
    FinishedBrief {
        briefing,
        rendered,
        author: rule_based::NAME.to_owned(),
        fallback_reason: fell_back,
        is_unanswered: false,
        prompt: None,
        schema: brief::VERSION,
        usage: Usage::default(),
        cost: None,
    }
}

/// Writes a brief with the model, or with the built-in coach if there is none or it fails.
pub async fn write_brief(
    model: Option<&dyn Model>,
    morning: &BriefInput<'_>,
    listener: &mut (dyn ModelListener + '_),
) -> FinishedBrief {
    let Some(model) = model else { return write_rule_based_brief(morning, None) };
    let (mut flow, mut request) = BriefFlow::start(*morning, model.name());
    loop {
        let heard = model.ask(&request, listener).await;
        match flow.handle_reply(heard) {
            BriefStep::SendRequest(next) => request = *next,
            BriefStep::Done(mut written) => {
                written.cost = model.cost(&written.usage);
                return *written;
            }
        }
    }
}

fn prompt() -> Prompt {
    Prompt::current(PromptName::Brief)
}
