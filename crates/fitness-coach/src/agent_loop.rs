//! One turn of a conversation, as a machine without hands.
//!
//! [`Turn`] decides what happens next and says so as [`Effect`]s; whoever drives it performs them and tells it what came
//! of them. It cannot be talked out of its caps: they are counted here, not asked of a model.

use crate::model::{Cost, Failing, Message, ModelError, Part, Reply, Request, Stop, Told, Usage};
use crate::tools::{STOPPED, Tool, specs};
use fitness_core::coach_api::DeskError;
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
    pub answer_tokens: u32,
    /// Tools that may be called in one round; the rest is refused.
    pub calls: usize,
    /// What the whole day may take; `None` for a coach that takes nothing. Whoever performs the requests keeps it.
    pub day: Option<Budget>,
}

impl Caps {
    /// How often a model may be asked in a turn.
    pub const ROUNDS: u32 = 12;
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            rounds: Self::ROUNDS,
            tokens: 2_000_000,
            money: None,
            answer_tokens: 4096,
            calls: 8,
            day: None,
        }
    }
}

/// Something to do.
#[derive(Debug)]
pub enum Effect {
    /// Ask the model.
    Ask(Box<Request>),
    /// Call a tool.
    Call {
        /// What its answer refers to.
        id: String,
        /// Which.
        tool: &'static Tool,
        /// What is asked.
        input: Value,
    },
    /// The turn is over.
    End(Ending),
}

string_enum! {
    /// How a turn ended.
    pub enum Ended("end of a turn") {
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
pub struct Ending {
    /// How.
    pub ended: Ended,
    /// What the athlete is told; `None` when the answer stands for itself.
    pub notice: Option<String>,
}

impl Ending {
    fn badly(ended: Ended, notice: impl Into<String>) -> Self {
        Self { ended, notice: Some(notice.into()) }
    }

    /// The athlete left.
    #[must_use]
    pub fn cancelled() -> Self {
        Self::badly(Ended::Cancelled, "Stopped.")
    }

    /// It took too long.
    #[must_use]
    pub fn out_of_time() -> Self {
        Self::badly(Ended::Time, "This took longer than ten minutes and was stopped. Ask something smaller.")
    }
}

/// A call that waits for its answer.
#[derive(Debug)]
struct Waiting {
    id: String,
    answer: Option<Told>,
}

/// A turn under way.
#[derive(Debug)]
pub struct Turn {
    system: String,
    /// Everything said, the oldest first; what this turn added begins at `first`.
    messages: Vec<Message>,
    first: usize,
    caps: Caps,
    rounds: u32,
    usage: Usage,
    cost: Cost,
    waiting: Vec<Waiting>,
    /// What was added and not asked for yet, see `Turn::news`.
    news: Vec<Message>,
    over: bool,
}

impl Turn {
    /// Begins a turn with what was said before, what should be known today, and what is said now.
    #[must_use]
    pub fn begin(
        system: String,
        history: Vec<Message>,
        (context, said): (Option<String>, String),
        caps: Caps,
    ) -> (Self, Vec<Effect>) {
        let first = history.len();
        let mut messages = history;
        let parts = context.into_iter().chain([said]).map(|text| Told::Text { text }).collect();
        messages.push(Message::Program { parts });
        let mut turn = Self {
            system,
            messages,
            first,
            caps,
            rounds: 0,
            usage: Usage::default(),
            cost: Cost::default(),
            waiting: Vec::new(),
            news: Vec::new(),
            over: false,
        };
        let effects = turn.ask();
        (turn, effects)
    }

    /// What this turn added to the conversation, the athlete's words first.
    #[must_use]
    pub fn added(&self) -> &[Message] {
        self.messages.get(self.first..).unwrap_or_default()
    }

    /// What was added since this was last asked, without the athlete's words: each thing as soon as it is known, answers of
    /// tools one by one. Whoever keeps these has everything that was done, whatever happens next.
    pub fn news(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.news)
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
    pub fn took(&mut self, usage: Usage, cost: Option<Cost>) {
        self.usage = self.usage.and(usage);
        self.cost = Cost(self.cost.0.saturating_add(cost.unwrap_or_default().0));
    }

    /// The model answered, or did not; either may have cost something.
    pub fn heard(
        &mut self,
        model: &str,
        reply: Result<Reply, ModelError>,
        cost: Option<Cost>,
    ) -> Vec<Effect> {
        if self.over {
            return Vec::new();
        }
        let spent = reply.as_ref().map_or_else(|why| why.spent, |reply| reply.usage);
        self.took(spent, cost);
        let reply = match reply {
            Ok(reply) => reply,
            Err(why) if why.kind == Failing::Limit => {
                return self.end(Ending::badly(Ended::Tokens, why.message));
            }
            Err(why) => return self.end(Ending::badly(Ended::Failed, why.message)),
        };
        match reply.stop {
            Stop::Length => {
                return self.end(Ending::badly(
                    Ended::Length,
                    "The answer became too long and was cut off. Ask for less at once.",
                ));
            }
            Stop::Declined { why } => {
                let why = why.map(|why| format!(": {why}")).unwrap_or_default();
                return self
                    .end(Ending::badly(Ended::Declined, format!("The model declined to answer{why}")));
            }
            Stop::Other(_) | Stop::Done | Stop::Calls => {}
        }
        let calls: Vec<(String, String, Value)> = (reply.parts.iter())
            .filter_map(|part| match part {
                Part::Call { id, tool, input } => Some((id.clone(), tool.clone(), input.clone())),
                Part::Text { .. } | Part::Sealed { .. } => None,
            })
            .collect();
        let said_anything = !reply.text().trim().is_empty();
        self.says(model, reply.parts);
        if calls.is_empty() {
            return self.end(if said_anything {
                Ending { ended: Ended::Answered, notice: None }
            } else {
                Ending::badly(
                    Ended::Failed,
                    "The model answered with nothing. Ask again, or choose another one.",
                )
            });
        }
        self.call(calls)
    }

    /// A tool answered. When all have, the model is asked again.
    pub fn answered(&mut self, call: &str, answer: Result<Value, DeskError>) -> Vec<Effect> {
        if self.over {
            return Vec::new();
        }
        let waits = self.waiting.iter_mut().find(|waiting| waiting.id == call && waiting.answer.is_none());
        if let Some(waiting) = waits {
            let (text, refused) = match answer {
                Ok(value) => (value.to_string(), false),
                Err(why) => (why.to_string(), true),
            };
            let answer = Told::Result { call: call.to_owned(), text, refused };
            self.news.push(Message::Program { parts: vec![answer.clone()] });
            waiting.answer = Some(answer);
        }
        self.go_on()
    }

    /// What the model had said when it was stopped in the middle of it: it was heard, so it stays.
    pub fn broke_off(&mut self, model: &str, said: String) {
        if !self.over && !said.trim().is_empty() {
            self.says(model, vec![Part::Text { text: said }]);
        }
    }

    /// The turn ends here, whatever was under way.
    pub fn stop(&mut self, ending: Ending) -> Vec<Effect> {
        if self.over { Vec::new() } else { self.end(ending) }
    }

    fn says(&mut self, model: &str, parts: Vec<Part>) {
        let message = Message::Model { name: model.to_owned(), parts };
        self.news.push(message.clone());
        self.messages.push(message);
    }

    fn call(&mut self, calls: Vec<(String, String, Value)>) -> Vec<Effect> {
        let mut effects = Vec::new();
        for (at, (id, name, input)) in calls.into_iter().enumerate() {
            let refusal = match Tool::find(&name) {
                _ if at >= self.caps.calls => Some("Too many tools at once; call fewer.".to_owned()),
                Some(tool) => {
                    effects.push(Effect::Call { id: id.clone(), tool, input });
                    None
                }
                None => Some("There is no such tool. Use only those you were given.".to_owned()),
            };
            let answer = refusal.map(|text| Told::Result { call: id.clone(), text, refused: true });
            self.news.extend(answer.clone().map(|answer| Message::Program { parts: vec![answer] }));
            self.waiting.push(Waiting { id, answer });
        }
        if effects.is_empty() { self.go_on() } else { effects }
    }

    fn go_on(&mut self) -> Vec<Effect> {
        if self.waiting.is_empty() || self.waiting.iter().any(|waiting| waiting.answer.is_none()) {
            return Vec::new();
        }
        let parts = self.waiting.drain(..).filter_map(|waiting| waiting.answer).collect();
        self.messages.push(Message::Program { parts });
        self.ask()
    }

    fn ask(&mut self) -> Vec<Effect> {
        if self.rounds >= self.caps.rounds {
            let notice = "The coach looked things up for too long without an answer and was stopped. Ask something narrower.";
            return self.end(Ending::badly(Ended::Rounds, notice));
        }
        if self.usage.tokens() >= self.caps.tokens {
            let notice = "The tokens for today are used up. The built-in coach still answers; the limit is in the settings.";
            return self.end(Ending::badly(Ended::Tokens, notice));
        }
        if self.caps.money.is_some_and(|most| self.cost >= most) {
            let notice = "The money for today is spent. The built-in coach still answers; the limit is in the settings.";
            return self.end(Ending::badly(Ended::Money, notice));
        }
        self.rounds += 1;
        vec![Effect::Ask(Box::new(Request {
            system: self.system.clone(),
            tools: specs(),
            messages: self.messages.clone(),
            shape: None,
            max_tokens: self.caps.answer_tokens,
        }))]
    }

    /// Ends, and leaves a conversation that can be gone on with: no call stays without an answer.
    fn end(&mut self, ending: Ending) -> Vec<Effect> {
        self.over = true;
        if !self.waiting.is_empty() {
            let mut parts = Vec::new();
            for waiting in self.waiting.drain(..) {
                parts.push(waiting.answer.unwrap_or_else(|| {
                    let answer = stopped(&waiting.id);
                    self.news.push(Message::Program { parts: vec![answer.clone()] });
                    answer
                }));
            }
            self.messages.push(Message::Program { parts });
        }
        vec![Effect::End(ending)]
    }
}

/// What a call is answered with that was stopped before its tool had answered.
pub(crate) fn stopped(call: &str) -> Told {
    Told::Result { call: call.to_owned(), text: STOPPED.to_owned(), refused: true }
}

#[cfg(test)]
mod tests;
