//! One turn of a conversation, as a machine without hands.
//!
//! [`Turn`] decides what happens next and says so as [`Effect`]s; whoever drives it performs them and tells it what came
//! of them. It cannot be talked out of its caps: they are counted here, not asked of a model.

use crate::model::{
    Cost, Message, ModelError, ModelErrorKind, ModelPart, Reply, Request, StopReason, Usage, UserPart,
};
use crate::tools::{STOPPED_MESSAGE, Tool, specs};
use fitness_core::coach_api::CoachApiError;
use fitness_core::string_enum;
use serde_json::Value;

/// The most that may be used in a day, by whatever is asked. Turns that run beside each other share it, so it is looked at
/// before every request; see `Caps::day`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Tokens.
    pub tokens: u64,
    /// Money; `None` where nothing costs.
    pub money: Option<Cost>,
}

/// The most a turn may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// How often the model may be asked.
    pub rounds: u32,
    /// Tokens the athlete may still use today.
    pub tokens: u64,
    /// Money the athlete may still spend today; `None` where nothing costs.
    pub money: Option<Cost>,
    /// The most one answer may be long, in tokens.
    pub response_tokens: u32,
    /// Tools that may be called in one round; the rest is refused.
    pub calls: usize,
    /// What the whole day may take; `None` for a coach that takes nothing. Whoever performs the requests keeps it.
    pub daily_budget: Option<Budget>,
}

impl Caps {
    /// How often a model may be asked in a turn.
    pub const MAX_ROUNDS: u32 = 12;
}

impl Default for Caps {
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

/// Something to do.
#[derive(Debug)]
pub enum TurnStep {
    /// Ask the model.
    SendRequest(Box<Request>),
    /// Call a tool.
    CallTool {
        /// What its answer refers to.
        id: String,
        /// Which.
        tool: &'static Tool,
        /// What is asked.
        input: Value,
    },
    /// The turn is over.
    End(TurnEnd),
}

string_enum! {
    /// How a turn ended.
    pub enum EndReason("end of a turn") {
        /// The model said what it had to say.
        Answered = "answered",
        /// It wanted to go on for longer than it may.
        Rounds = "rounds",
        /// The tokens of the day are used up.
        Tokens = "tokens",
        /// The money of the day is spent.
        Money = "money",
        /// Its answer was cut.
        Length = "length",
        /// It declined.
        Declined = "declined",
        /// It could not be reached, or made no sense.
        Failed = "failed",
        /// The athlete left.
        Cancelled = "cancelled",
        /// It took longer than it may.
        Time = "time",
    }
}

/// How a turn ended, and in which words the athlete is told where it did not end well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnEnd {
    /// How.
    pub reason: EndReason,
    /// What the athlete is told; `None` when the answer stands for itself.
    pub notice: Option<String>,
}

impl TurnEnd {
    fn with_notice(reason: EndReason, notice: impl Into<String>) -> Self {
        Self { reason, notice: Some(notice.into()) }
    }

    /// The athlete left.
    #[must_use]
    pub fn cancelled() -> Self {
        Self::with_notice(EndReason::Cancelled, "Stopped.")
    }

    /// It took too long.
    #[must_use]
    pub fn timed_out() -> Self {
        Self::with_notice(
            EndReason::Time,
            "This took longer than ten minutes and was stopped. Ask something smaller.",
        )
    }
}

/// A call that waits for its answer.
#[derive(Debug)]
struct PendingCall {
    id: String,
    result: Option<UserPart>,
}

/// A turn under way.
#[derive(Debug)]
pub struct Turn {
    system: String,
    /// Everything said, the oldest first; what this turn added begins at `first`.
    messages: Vec<Message>,
    first_added: usize,
    caps: Caps,
    rounds: u32,
    usage: Usage,
    cost: Cost,
    pending_calls: Vec<PendingCall>,
    /// What was added and not asked for yet, see `Turn::news`.
    new_messages: Vec<Message>,
    finished: bool,
}

impl Turn {
    /// Begins a turn with what was said before, what should be known today, and what is said now.
    #[must_use]
    pub fn start(
        system: String,
        history: Vec<Message>,
        (context, said): (Option<String>, String),
        caps: Caps,
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

    /// What this turn added to the conversation, the athlete's words first.
    #[must_use]
    pub fn added_messages(&self) -> &[Message] {
        self.messages.get(self.first_added..).unwrap_or_default()
    }

    /// What was added since this was last asked, without the athlete's words: each thing as soon as it is known, answers of
    /// tools one by one. Whoever keeps these has everything that was done, whatever happens next.
    pub fn take_new_messages(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.new_messages)
    }

    /// What it took so far.
    #[must_use]
    pub const fn usage(&self) -> Usage {
        self.usage
    }

    /// What it cost so far, as far as that is known.
    #[must_use]
    pub const fn cost(&self) -> Cost {
        self.cost
    }

    /// Something was taken, whatever came of it. What [`Turn::heard`] is told is counted there.
    pub fn add_usage(&mut self, usage: Usage, cost: Option<Cost>) {
        self.usage = self.usage.plus(usage);
        self.cost = Cost(self.cost.0.saturating_add(cost.unwrap_or_default().0));
    }

    /// The model answered, or did not; either may have cost something.
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
                    "The answer became too long and was cut off. Ask for less at once.",
                ));
            }
            StopReason::Declined { reason: why } => {
                let why = why.map(|why| format!(": {why}")).unwrap_or_default();
                return self.end(TurnEnd::with_notice(
                    EndReason::Declined,
                    format!("The model declined to answer{why}"),
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
                    "The model answered with nothing. Ask again, or choose another one.",
                )
            });
        }
        self.start_calls(calls)
    }

    /// A tool answered. When all have, the model is asked again.
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

    /// What the model had said when it was stopped in the middle of it: it was heard, so it stays.
    pub fn keep_partial_text(&mut self, model: &str, said: String) {
        if !self.finished && !said.trim().is_empty() {
            self.push_model_message(model, vec![ModelPart::Text { text: said }]);
        }
    }

    /// The turn ends here, whatever was under way.
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
                _ if at >= self.caps.calls => Some("Too many tools at once; call fewer.".to_owned()),
                Some(tool) => {
                    effects.push(TurnStep::CallTool { id: id.clone(), tool, input });
                    None
                }
                None => Some("There is no such tool. Use only those you were given.".to_owned()),
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
            let notice = "The coach looked things up for too long without an answer and was stopped. Ask something narrower.";
            return self.end(TurnEnd::with_notice(EndReason::Rounds, notice));
        }
        if self.usage.total_tokens() >= self.caps.tokens {
            let notice = "The tokens for today are used up. The built-in coach still answers; the limit is in the settings.";
            return self.end(TurnEnd::with_notice(EndReason::Tokens, notice));
        }
        if self.caps.money.is_some_and(|most| self.cost >= most) {
            let notice = "The money for today is spent. The built-in coach still answers; the limit is in the settings.";
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

    /// Ends, and leaves a conversation that can be gone on with: no call stays without an answer.
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

/// What a call is answered with that was stopped before its tool had answered.
pub(crate) fn stopped_result(call: &str) -> UserPart {
    UserPart::Result { call: call.to_owned(), text: STOPPED_MESSAGE.to_owned(), refused: true }
}

#[cfg(test)]
mod tests;
