//! What happens to an answer: it is taken, it is sent back once, or the built-in coach writes the brief.

use super::{Morning, Written, ask_for, prompt, written_by_rules};
use crate::model::{Message, ModelError, Reply, Request, Stop, Told, Usage};
use fitness_core::domain::untrusted_text::visible;
use fitness_core::llm_output::Fault;
use fitness_core::llm_output::brief::{self, check};

/// The most faults a model is told of at once.
const MOST_FAULTS: usize = 30;

/// A brief on its way. It asks nobody: it is told what a model answered, and says what to do next.
#[derive(Debug)]
pub struct BriefFlow<'a> {
    morning: Morning<'a>,
    model: String,
    request: Request,
    repairing: bool,
    usage: Usage,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Ask the model this.
    Ask(Box<Request>),
    /// Nothing: this is the brief.
    Written(Box<Written>),
}

impl<'a> BriefFlow<'a> {
    /// Begins with the first request.
    #[must_use]
    pub fn begin(morning: Morning<'a>, model: &str) -> (Self, Request) {
        let request = ask_for(&morning);
        let flow = Self {
            morning,
            model: model.to_owned(),
            request: request.clone(),
            repairing: false,
            usage: Usage::default(),
        };
        (flow, request)
    }

    /// Takes what the model answered.
    pub fn hear(&mut self, heard: Result<Reply, ModelError>) -> Step {
        let reply = match heard {
            Ok(reply) => reply,
            Err(error) => {
                self.usage = self.usage.and(error.spent);
                return self.fall_back(&sentence(&error.message));
            }
        };
        self.usage = self.usage.and(reply.usage);
        match &reply.stop {
            Stop::Done => {}
            Stop::Length => return self.fall_back("its answer was cut off before it was whole"),
            Stop::Declined { why: Some(why) } => {
                return self.fall_back(&format!("it declined: {}", sentence(why)));
            }
            Stop::Declined { why: None } => return self.fall_back("it declined"),
            Stop::Calls => return self.fall_back("it called a tool, and a brief has none"),
            Stop::Other(why) => return self.fall_back(&format!("it stopped: {}", sentence(why))),
        }
        let text = reply.text();
        match check(text.as_bytes(), self.morning.facts) {
            Ok(briefing) => match briefing.rendered(self.morning.facts, self.morning.units) {
                Ok(rendered) => Step::Written(Box::new(Written {
                    briefing,
                    rendered,
                    by: self.model.clone(),
                    fell_back: None,
                    prompt: Some(prompt().id()),
                    schema: brief::VERSION,
                    usage: self.usage,
                    cost: None,
                })),
                Err(bad) => self.fall_back(&sentence(&bad.to_string())),
            },
            Err(faults) if self.repairing => {
                let first = faults.first().map(|fault| sentence(&fault.message)).unwrap_or_default();
                self.fall_back(&format!("its brief broke the rules again after a second try ({first})"))
            }
            Err(faults) => self.send_back(reply, &faults),
        }
    }

    fn send_back(&mut self, reply: Reply, faults: &[Fault]) -> Step {
        self.repairing = true;
        let listed: Vec<String> = faults
            .iter()
            .take(MOST_FAULTS)
            .map(|fault| {
                format!("- {}: {}", if fault.path.is_empty() { "/" } else { &fault.path }, fault.message)
            })
            .collect();
        let text = format!(
            "That brief cannot be shown. Write it anew, whole, as one JSON object, with all of this mended:\n{}",
            listed.join("\n")
        );
        // A turn without words would be no turn.
        if !reply.text().trim().is_empty() {
            self.request.messages.push(Message::Model { name: self.model.clone(), parts: reply.parts });
            self.request.messages.push(Message::Program { parts: vec![Told::Text { text }] });
        } else if let Some(Message::Program { parts }) = self.request.messages.last_mut() {
            parts.push(Told::Text { text });
        }
        Step::Ask(Box::new(self.request.clone()))
    }

    fn fall_back(&self, why: &str) -> Step {
        let why = why.trim_end_matches('.');
        let told = format!("{} was asked and did not write it: {why}.", visible(&self.model));
        let written = written_by_rules(&self.morning, Some(told));
        Step::Written(Box::new(Written { prompt: Some(prompt().id()), usage: self.usage, ..written }))
    }
}

/// A foreign sentence for the athlete: on one line, visible, cut, without its full stop.
fn sentence(text: &str) -> String {
    let cut: String = text.chars().take(200).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    format!("{}{more}", visible(cut.trim_end_matches('.')))
}
