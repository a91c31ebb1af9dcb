//! The daily brief, from facts to what the athlete reads.
//!
//! A model is asked once, told what was wrong once, and then the built-in coach writes it: there is a brief every time.
//! [`BriefFlow`] decides, without asking anybody; [`write_brief`] asks.

mod request;
#[cfg(test)]
mod tests;
mod write;

pub use request::{MAX_TOKENS, brief_request};
pub use write::{BriefFlow, Step};

use crate::model::{Cost, Listener, Model, Usage};
use crate::prompt::{Prompt, PromptName};
use crate::rule_based;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::units::UnitSystem;
use fitness_core::facts::Facts;
use fitness_core::llm_output::brief::{self, Briefing};

/// What a brief is written from.
#[derive(Debug, Clone, Copy)]
pub struct BriefInput<'a> {
    /// The day it is for.
    pub today: Day,
    /// The only numbers it may carry.
    pub facts: &'a Facts,
    /// What the athlete wants respected. Foreign text.
    pub notes: &'a [String],
    /// How the athlete reads lengths and paces.
    pub units: UnitSystem,
}

/// A brief, and how it came to be.
#[derive(Debug, Clone, PartialEq)]
pub struct BriefOutput {
    /// The brief, with facts in the place of numbers.
    pub briefing: Briefing,
    /// What the athlete reads.
    pub rendered: String,
    /// Who wrote it: a model's name, or [`rule_based::NAME`].
    pub author: String,
    /// Which model failed and why, in a sentence, where the built-in coach stepped in.
    pub fallback_reason: Option<String>,
    /// The prompt it was asked with; none where no model was asked.
    pub prompt: Option<String>,
    /// The version of the contract it keeps.
    pub schema: &'static str,
    /// What the model took, with every try.
    pub usage: Usage,
    /// What that cost; `None` where nobody knows.
    pub cost: Option<Cost>,
}

impl BriefOutput {
    /// Who wrote it, in a line for the athlete.
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

/// What the built-in coach writes of a morning.
#[must_use]
pub fn write_rule_based_brief(morning: &BriefInput<'_>, fell_back: Option<String>) -> BriefOutput {
    let briefing = rule_based::brief(morning.facts);
    let rendered = briefing.render(morning.facts, morning.units);
    // Any facts make a brief that renders, which the tests hold; a morning without one would be worse than this line.
    let rendered = rendered.unwrap_or_else(|bad| format!("There is no brief today: {bad}."));
    BriefOutput {
        briefing,
        rendered,
        author: rule_based::NAME.to_owned(),
        fallback_reason: fell_back,
        prompt: None,
        schema: brief::VERSION,
        usage: Usage::default(),
        cost: None,
    }
}

/// Writes a brief: by a model where there is one and it can, else by the built-in coach.
pub async fn write_brief(
    model: Option<&dyn Model>,
    morning: &BriefInput<'_>,
    listener: &mut (dyn Listener + '_),
) -> BriefOutput {
    let Some(model) = model else { return write_rule_based_brief(morning, None) };
    let (mut flow, mut request) = BriefFlow::start(*morning, model.name());
    loop {
        let heard = model.ask(&request, listener).await;
        match flow.handle_reply(heard) {
            Step::SendRequest(next) => request = *next,
            Step::Done(mut written) => {
                written.cost = model.cost(&written.usage);
                return *written;
            }
        }
    }
}

/// The prompt a brief is asked with.
fn prompt() -> Prompt {
    Prompt::current(PromptName::Brief)
}
