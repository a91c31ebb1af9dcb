//! State machine of a brief: accept the reply, request one repair, or fall back to the built-in
//! coach.

use super::{BriefInput, FinishedBrief, brief_request, prompt, write_rule_based_brief};
use crate::model::{Message, ModelError, Reply, Request, StopReason, Usage, UserPart};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::llm_output::ValidationError;
use fitness_core::llm_output::brief::{self, parse_brief};

/// Maximum number of errors in a repair request.
const MAX_REPORTED_ERRORS: usize = 30;

/// A brief in progress, without I/O: takes a reply and returns the next step.
#[derive(Debug)]
pub struct BriefFlow<'a> {
    input: BriefInput<'a>,
    model: String,
    request: Request,
    is_repair: bool,
    usage: Usage,
}

#[derive(Debug, Clone, PartialEq)]
pub enum BriefStep {
    SendRequest(Box<Request>),
    Done(Box<FinishedBrief>),
}

impl<'a> BriefFlow<'a> {
    /// Returns the flow and its first request.
    #[must_use]
    pub fn start(morning: BriefInput<'a>, model: &str) -> (Self, Request) {
        let request = brief_request(&morning);
        let flow = Self {
            input: morning,
            model: model.to_owned(),
            request: request.clone(),
            is_repair: false,
            usage: Usage::default(),
        };
        (flow, request)
    }

    /// Handles the reply or failure of the model.
    pub fn handle_reply(&mut self, heard: Result<Reply, ModelError>) -> BriefStep {
        let reply = match heard {
            Ok(reply) => reply,
            Err(error) => {
                self.usage = self.usage.plus(error.usage);
                let brief = self.fallback_brief(&to_sentence(&error.message));
                return BriefStep::Done(Box::new(FinishedBrief { is_unanswered: true, ..brief }));
            }
        };
        self.usage = self.usage.plus(reply.usage);
        match &reply.stop_reason {
            StopReason::Done => {}
            StopReason::Length => return self.fall_back("its reply was cut off"),
            StopReason::Declined { reason: Some(why) } => {
                return self.fall_back(&format!("it declined: {}", to_sentence(why)));
            }
            StopReason::Declined { reason: None } => return self.fall_back("it declined"),
            StopReason::ToolCalls => return self.fall_back("it called a tool, which a brief does not allow"),
            StopReason::Other(why) => return self.fall_back(&format!("it stopped: {}", to_sentence(why))),
        }
        let text = reply.text();
        match parse_brief(text.as_bytes(), self.input.facts) {
            Ok(briefing) => match briefing.render(self.input.facts, self.input.units) {
                Ok(rendered) => BriefStep::Done(Box::new(FinishedBrief {
                    briefing,
                    rendered,
                    author: self.model.clone(),
                    fallback_reason: None,
                    is_unanswered: false,
                    prompt: Some(prompt().id()),
                    schema: brief::VERSION,
                    usage: self.usage,
                    cost: None,
                })),
                Err(bad) => self.fall_back(&to_sentence(&bad.to_string())),
            },
            Err(faults) if self.is_repair => {
                let first = faults.first().map(|fault| to_sentence(&fault.message)).unwrap_or_default();
                self.fall_back(&format!("its brief was still invalid after a retry ({first})"))
            }
            Err(faults) => self.request_repair(reply, &faults),
        }
    }

    fn request_repair(&mut self, reply: Reply, faults: &[ValidationError]) -> BriefStep {
        self.is_repair = true;
        let listed: Vec<String> = faults
            .iter()
            .take(MAX_REPORTED_ERRORS)
            .map(|fault| {
                format!("- {}: {}", if fault.path.is_empty() { "/" } else { &fault.path }, fault.message)
            })
            .collect();
        let text = format!(
            "The brief is invalid. Write all of it again as one JSON object and fix these errors:\n{}",
            listed.join("\n")
        );
        // Providers reject an empty message.
        if !reply.text().trim().is_empty() {
            self.request.messages.push(Message::Model { name: self.model.clone(), parts: reply.parts });
            self.request.messages.push(Message::Program { parts: vec![UserPart::Text { text }] });
        } else if let Some(Message::Program { parts }) = self.request.messages.last_mut() {
            parts.push(UserPart::Text { text });
        }
        BriefStep::SendRequest(Box::new(self.request.clone()))
    }

    fn fall_back(&self, why: &str) -> BriefStep {
        BriefStep::Done(Box::new(self.fallback_brief(why)))
    }

    fn fallback_brief(&self, why: &str) -> FinishedBrief {
        let why = why.trim_end_matches('.');
        let reason = format!("{} failed: {why}.", escape_invisible(&self.model));
        let written = write_rule_based_brief(&self.input, Some(reason));
        FinishedBrief { prompt: Some(prompt().id()), usage: self.usage, ..written }
    }
}

/// A foreign sentence for the athlete: on one line, visible, cut, without its full stop.
fn to_sentence(text: &str) -> String {
    let cut: String = text.chars().take(200).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    format!("{}{more}", escape_invisible(cut.trim_end_matches('.')))
}
