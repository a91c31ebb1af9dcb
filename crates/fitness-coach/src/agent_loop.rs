//! Agent loop as a sans-IO state machine: one turn of a conversation.
//!
//! [`Turn`] returns the next [`TurnStep`]s; the caller performs them and reports the results. The
//! limits ([`TurnLimits`]) are counted here, so a model cannot talk its way around them.

use crate::model::{
    Cost, Message, ModelError, ModelErrorKind, ModelPart, Reply, Request, StopReason, Usage, UserPart,
};
use crate::tools::{STOPPED_MESSAGE, Tool, specs};
use fitness_core::coach_api::CoachApiError;
use fitness_core::string_enum;
use serde_json::Value;

/// Daily limit of a user. Concurrent turns share it, so it is checked before every request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DailyBudget {
    pub tokens: u64,
    /// `None` if the model is free.
    pub money: Option<Cost>,
}

/// Limits of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnLimits {
    /// Maximum number of model requests.
    pub rounds: u32,
    pub tokens: u64,
    /// Money left today; `None` if the model is free.
    pub money: Option<Cost>,
    /// Maximum tokens of one reply.
    pub response_tokens: u32,
    /// Maximum tool calls per reply; further ones are refused.
    pub calls: usize,
    /// Daily limit, enforced by the caller that sends the requests; `None` for the built-in coach.
    pub daily_budget: Option<DailyBudget>,
}

impl TurnLimits {
    /// Default maximum of model requests per turn.
    pub const MAX_ROUNDS: u32 = 12;
}

impl Default for TurnLimits {
    fn default() -> Self {
        Self {
            rounds: Self::MAX_ROUNDS,
            tokens: 2_000_000,
            money: None,
            response_tokens: 4096,
            calls: 8,
            daily_budget: None,
        }
    }
}

#[derive(Debug)]
pub enum TurnStep {
    SendRequest(Box<Request>),
    CallTool {
        /// Id for the tool result.
        id: String,
        tool: &'static Tool,
        input: Value,
    },
    End(TurnEnd),
}

string_enum! {
    /// How a turn ended.
    pub enum EndReason("end of a turn") {
        Answered = "answered",
        /// Too many model requests.
        Rounds = "rounds",
        /// Daily token limit reached.
        Tokens = "tokens",
        /// Daily spending limit reached.
        Money = "money",
        /// Reply cut off at its maximum length.
        Length = "length",
        Declined = "declined",
        /// Model unreachable or reply unusable.
        Failed = "failed",
        Cancelled = "cancelled",
        Time = "time",
    }
}

/// End of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnEnd {
    pub reason: EndReason,
    /// Message to the athlete; `None` after a normal reply.
    pub notice: Option<String>,
}

impl TurnEnd {
    fn with_notice(reason: EndReason, notice: impl Into<String>) -> Self {
        Self { reason, notice: Some(notice.into()) }
    }

    #[must_use]
    pub fn cancel() -> Self {
        Self::with_notice(EndReason::Cancelled, "Stopped.")
    }

    #[must_use]
    pub fn timed_out() -> Self {
        Self::with_notice(EndReason::Time, "Stopped after ten minutes. Try a smaller question.")
    }
}

/// A tool call without a result yet.
#[derive(Debug)]
struct PendingCall {
    id: String,
    result: Option<UserPart>,
}

/// A turn in progress.
#[derive(Debug)]
pub struct Turn {
    system: String,
    /// All messages, oldest first; those of this turn start at `first_added`.
    messages: Vec<Message>,
    first_added: usize,
    caps: TurnLimits,
    rounds: u32,
    usage: Usage,
    cost: Cost,
    pending_calls: Vec<PendingCall>,
    /// Added and not yet taken with [`Turn::take_new_messages`].
    new_messages: Vec<Message>,
    finished: bool,
}

impl Turn {
    /// Starts a turn with the history, today's context and the athlete's message.
    #[must_use]
    pub fn start(
        system: String,
        history: Vec<Message>,
        (context, said): (Option<String>, String),
        caps: TurnLimits,
    ) -> (Self, Vec<TurnStep>) {
        let first = history.len();
        let mut messages = history;
        let parts = context.into_iter().chain([said]).map(|text| UserPart::Text { text }).collect();
        messages.push(Message::Program { parts });
        let mut turn = Self {
            system,
            messages,
            first_added: first,
            caps,
            rounds: 0,
            usage: Usage::default(),
            cost: Cost::default(),
            pending_calls: Vec::new(),
            new_messages: Vec::new(),
            finished: false,
        };
        let effects = turn.request_reply();
        (turn, effects)
    }

    /// Messages of this turn, the athlete's first.
    #[must_use]
    pub fn added_messages(&self) -> &[Message] {
        self.messages.get(self.first_added..).unwrap_or_default()
    }

    /// Messages added since the last call, without the athlete's; tool results come one by one. A
    /// caller that stores them loses nothing if the process stops.
    pub fn take_new_messages(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.new_messages)
    }

    #[must_use]
    pub const fn usage(&self) -> Usage {
        self.usage
    }

    /// Known cost so far.
    #[must_use]
    pub const fn cost(&self) -> Cost {
        self.cost
    }

    /// Adds usage of a request without a reply. [`Turn::handle_reply`] counts its own.
    pub fn add_usage(&mut self, usage: Usage, cost: Option<Cost>) {
        self.usage = self.usage.plus(usage);
        self.cost = Cost(self.cost.0.saturating_add(cost.unwrap_or_default().0));
    }

    /// Handles a reply or failure of the model.
    pub fn handle_reply(
        &mut self,
        model: &str,
        reply: Result<Reply, ModelError>,
        cost: Option<Cost>,
    ) -> Vec<TurnStep> {
        if self.finished {
            return Vec::new();
        }
        let spent = reply.as_ref().map_or_else(|why| why.usage, |reply| reply.usage);
        self.add_usage(spent, cost);
        let reply = match reply {
            Ok(reply) => reply,
            Err(why) if why.kind == ModelErrorKind::Limit => {
                return self.end(TurnEnd::with_notice(EndReason::Tokens, why.message));
            }
            Err(why) => return self.end(TurnEnd::with_notice(EndReason::Failed, why.message)),
        };
        match reply.stop_reason {
            StopReason::Length => {
                return self.end(TurnEnd::with_notice(
                    EndReason::Length,
                    "The reply was too long and was cut off. Ask for less at a time.",
                ));
            }
            StopReason::Declined { reason: why } => {
                let why = why.map(|why| format!(": {why}")).unwrap_or_default();
                return self.end(TurnEnd::with_notice(
                    EndReason::Declined,
                    format!("The model declined to reply{why}"),
                ));
            }
            StopReason::Other(_) | StopReason::Done | StopReason::ToolCalls => {}
        }
        let calls: Vec<(String, String, Value)> = (reply.parts.iter())
            .filter_map(|part| match part {
                ModelPart::Call { id, tool, input } => Some((id.clone(), tool.clone(), input.clone())),
                ModelPart::Text { .. } | ModelPart::Sealed { .. } => None,
            })
            .collect();
        let said_anything = !reply.text().trim().is_empty();
        self.push_model_message(model, reply.parts);
        if calls.is_empty() {
            return self.end(if said_anything {
                TurnEnd { reason: EndReason::Answered, notice: None }
            } else {
                TurnEnd::with_notice(
                    EndReason::Failed,
                    "The model sent an empty reply. Try again, or choose another model.",
                )
            });
        }
        self.start_calls(calls)
    }

    /// Handles a tool result. After the last one, the model gets the next request.
    pub fn handle_tool_result(&mut self, call: &str, answer: Result<Value, CoachApiError>) -> Vec<TurnStep> {
        if self.finished {
            return Vec::new();
        }
        let waits =
            self.pending_calls.iter_mut().find(|waiting| waiting.id == call && waiting.result.is_none());
        if let Some(waiting) = waits {
            let (text, refused) = match answer {
                Ok(value) => (value.to_string(), false),
                Err(why) => (why.to_string(), true),
            };
            let answer = UserPart::Result { call: call.to_owned(), text, refused };
            self.new_messages.push(Message::Program { parts: vec![answer.clone()] });
            waiting.result = Some(answer);
        }
        self.continue_when_answered()
    }

    /// Keeps the text that the athlete saw before the reply was stopped.
    pub fn keep_partial_text(&mut self, model: &str, said: String) {
        if !self.finished && !said.trim().is_empty() {
            self.push_model_message(model, vec![ModelPart::Text { text: said }]);
        }
    }

    pub fn stop(&mut self, ending: TurnEnd) -> Vec<TurnStep> {
        if self.finished { Vec::new() } else { self.end(ending) }
    }

    fn push_model_message(&mut self, model: &str, parts: Vec<ModelPart>) {
        let message = Message::Model { name: model.to_owned(), parts };
        self.new_messages.push(message.clone());
        self.messages.push(message);
    }

    fn start_calls(&mut self, calls: Vec<(String, String, Value)>) -> Vec<TurnStep> {
        let mut effects = Vec::new();
        for (at, (id, name, input)) in calls.into_iter().enumerate() {
            let refusal = match Tool::find(&name) {
                _ if at >= self.caps.calls => {
                    Some("Too many tool calls at once. Call fewer tools.".to_owned())
                }
                Some(tool) => {
                    effects.push(TurnStep::CallTool { id: id.clone(), tool, input });
                    None
                }
                None => Some("Unknown tool. Use only the tools you were given.".to_owned()),
            };
            let answer = refusal.map(|text| UserPart::Result { call: id.clone(), text, refused: true });
            self.new_messages.extend(answer.clone().map(|answer| Message::Program { parts: vec![answer] }));
            self.pending_calls.push(PendingCall { id, result: answer });
        }
        if effects.is_empty() { self.continue_when_answered() } else { effects }
    }

    fn continue_when_answered(&mut self) -> Vec<TurnStep> {
        if self.pending_calls.is_empty() || self.pending_calls.iter().any(|waiting| waiting.result.is_none())
        {
            return Vec::new();
        }
        let parts = self.pending_calls.drain(..).filter_map(|waiting| waiting.result).collect();
        self.messages.push(Message::Program { parts });
        self.request_reply()
    }

    fn request_reply(&mut self) -> Vec<TurnStep> {
        if self.rounds >= self.caps.rounds {
            let notice = "The coach made too many lookups and was stopped. Try a more specific question.";
            return self.end(TurnEnd::with_notice(EndReason::Rounds, notice));
        }
        if self.usage.total_tokens() >= self.caps.tokens {
            let notice = "Today's token limit is used up. The built-in coach still works; you can change the limit in Settings.";
            return self.end(TurnEnd::with_notice(EndReason::Tokens, notice));
        }
        if self.caps.money.is_some_and(|most| self.cost >= most) {
            let notice = "Today's spending limit is used up. The built-in coach still works; you can change the limit in Settings.";
            return self.end(TurnEnd::with_notice(EndReason::Money, notice));
        }
        self.rounds += 1;
        vec![TurnStep::SendRequest(Box::new(Request {
            system: self.system.clone(),
            tools: specs(),
            messages: self.messages.clone(),
            response_schema: None,
            max_tokens: self.caps.response_tokens,
        }))]
    }

    /// Ends the turn and gives every open tool call a result, so that the conversation can
    /// continue.
    fn end(&mut self, ending: TurnEnd) -> Vec<TurnStep> {
        self.finished = true;
        if !self.pending_calls.is_empty() {
            let mut parts = Vec::new();
            for waiting in self.pending_calls.drain(..) {
                parts.push(waiting.result.unwrap_or_else(|| {
                    let answer = stopped_result(&waiting.id);
                    self.new_messages.push(Message::Program { parts: vec![answer.clone()] });
                    answer
                }));
            }
            self.messages.push(Message::Program { parts });
        }
        vec![TurnStep::End(ending)]
    }
}

/// Result of a call that was cancelled.
pub(crate) fn stopped_result(call: &str) -> UserPart {
    UserPart::Result { call: call.to_owned(), text: STOPPED_MESSAGE.to_owned(), refused: true }
}

#[cfg(test)]
mod tests;
