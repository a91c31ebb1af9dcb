//! Whoever writes the prose: a model behind a service, or none.
//!
//! [`Model`] is one trait for every dialect. A [`Request`] holds what all of them understand and nothing that only one
//! does. What a model said is kept as [`Part`]s; a part that only its own model may read again ([`Part::Sealed`])
//! is never shown to another one.
//!
//! [`anthropic::Claude`] speaks one dialect, [`openai::Compatible`] the other; [`catalog`] says which models there are
//! and what they cost; [`endpoint_url`] says what may be contacted at all. Nothing here reads the clock, sleeps or builds a
//! client: they come as [`Means`].

pub mod anthropic;
#[cfg(test)]
mod arbitrary_json;
pub mod catalog;
pub mod endpoint_url;
mod http;
mod http_env;
pub mod openai;
pub mod sse;
mod transcript;

pub use http_env::{Delay, HttpEnv, Timeouts};

use fitness_core::string_enum;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// Something a model is doing, until it is done.
pub type ReplyFuture<'a> = Pin<Box<dyn Future<Output = Result<Reply, ModelError>> + Send + 'a>>;

/// A model that can be asked.
pub trait Model: Send + Sync {
    /// What it is called where briefs and messages are stored, such as `claude-sonnet-5-5`.
    fn name(&self) -> &str;

    /// Asks it. What it says is told to the listener as it comes; the reply holds all of it again.
    /// Dropping the future ends the request.
    fn ask<'a>(&'a self, request: &'a Request, listener: &'a mut (dyn Listener + 'a)) -> ReplyFuture<'a>;

    /// The bytes that [`Model::ask`] would send, without keys: for whoever wants to see them first.
    fn preview(&self, request: &Request) -> String;

    /// What a reply cost; `None` where nobody knows.
    fn cost(&self, usage: &Usage) -> Option<Cost>;

    /// What it found out about its server by trying, for who keeps it until the next time.
    fn server_capabilities(&self) -> Option<openai::ServerCapabilities> {
        None
    }
}

/// Who hears a model while it speaks.
pub trait Listener: Send {
    /// More of the text.
    fn text(&mut self, more: &str);

    /// More of what it says to itself, in summary: a sign that it works, never a part of its answer.
    fn thought(&mut self, more: &str) {
        let _ = more;
    }

    /// It began to call a tool.
    fn tool_call(&mut self, tool: &str) {
        let _ = tool;
    }

    /// What the request took so far: as the service tells, and estimated where it has not told yet. What counts in the end
    /// is in the reply; this is for who leaves before it.
    fn usage(&mut self, so_far: Usage) {
        let _ = so_far;
    }
}

/// Nobody.
impl Listener for () {
    fn text(&mut self, _: &str) {}
}

/// What a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// What it is and what it must keep to; the same for every athlete and every day, and kept in a cache.
    pub system: String,
    /// What may be called.
    pub tools: Vec<ToolSpec>,
    /// What was said, the oldest first. What changes from day to day is in here, never in `system`.
    pub messages: Vec<Message>,
    /// The shape its answer must have, where it must have one. Never together with tools.
    pub response_schema: Option<ResponseSchema>,
    /// The most it may write.
    pub max_tokens: u32,
}

/// A tool as a model is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Its name.
    pub name: &'static str,
    /// What it does, and when to use it.
    pub description: &'static str,
    /// The JSON Schema of its input: an object.
    pub input_schema: Value,
}

/// A shape for an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ResponseSchema {
    /// What it is called.
    pub name: &'static str,
    /// Its JSON Schema: an object without unknown keys.
    pub schema: Value,
}

/// One side's turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Message {
    /// The program, for the athlete: words, data, and what tools answered.
    Program {
        /// What was said; what tools answered comes first.
        parts: Vec<UserPart>,
    },
    /// The model.
    Model {
        /// Which one.
        name: String,
        /// What it said.
        parts: Vec<ModelPart>,
    },
}

/// Something a model is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum UserPart {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// What a tool answered. Every call is answered once, in the next turn.
    Result {
        /// The call it answers.
        call: String,
        /// The answer, compact JSON or a sentence.
        text: String,
        /// Whether the tool refused.
        refused: bool,
    },
}

/// Something a model said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ModelPart {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// A call of a tool.
    Call {
        /// What its answer refers to.
        id: String,
        /// Which tool; not necessarily one there is.
        tool: String,
        /// What was asked; not necessarily what the tool takes.
        input: Value,
    },
    /// What only this model may be shown again, byte for byte.
    Sealed {
        /// As it came.
        raw: Value,
    },
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// What it said, in order.
    pub parts: Vec<ModelPart>,
    /// Why it stopped.
    pub stop_reason: StopReason,
    /// What it took.
    pub usage: Usage,
}

impl Reply {
    /// All of its words.
    #[must_use]
    pub fn text(&self) -> String {
        let words = |part: &ModelPart| match part {
            ModelPart::Text { text } => Some(text.clone()),
            ModelPart::Call { .. } | ModelPart::Sealed { .. } => None,
        };
        self.parts.iter().filter_map(words).collect()
    }
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// It was done.
    Done,
    /// It waits for what its tools answer.
    ToolCalls,
    /// It may not write any more. What it wrote is cut somewhere, and is not used.
    Length,
    /// It declines.
    Declined {
        /// Why, where it says so. Foreign text.
        reason: Option<String>,
    },
    /// For a reason this program does not know.
    Other(String),
}

/// What a reply took, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Read anew.
    pub input: u64,
    /// Written to the cache.
    pub cache_write: u64,
    /// Read from the cache.
    pub cache_read: u64,
    /// Written as an answer.
    pub output: u64,
}

impl Usage {
    /// The two together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            output: self.output.saturating_add(other.output),
        }
    }

    /// Everything read and written.
    #[must_use]
    pub const fn total_tokens(self) -> u64 {
        self.input
            .saturating_add(self.cache_write)
            .saturating_add(self.cache_read)
            .saturating_add(self.output)
    }
}

/// Money, in millionths of a US dollar: whole, so that sums are exact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cost(pub u64);

impl std::fmt::Display for Cost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "${}.{:04}", self.0 / 1_000_000, self.0 % 1_000_000 / 100)
    }
}

string_enum! {
    /// What went wrong, in a word: for the log, and for whoever counts.
    pub enum ModelErrorKind("failure of a model") {
        /// No connection, or one that broke.
        Unreachable = "unreachable",
        /// Nothing came for too long.
        Stalled = "stalled",
        /// It asks for patience, longer than there is.
        Busy = "busy",
        /// The account may not spend any more.
        SpendCap = "spend_cap",
        /// The key is refused.
        Key = "key",
        /// The request is refused.
        Request = "request",
        /// What it sent is not what it should be.
        Garbled = "garbled",
        /// It sent more than anybody reads.
        TooMuch = "too_much",
        /// Its address is one that is never contacted.
        Address = "address",
        /// It was not asked: what may be used in a day is used, or set aside for others that are being asked.
        Limit = "limit",
    }
}

/// Why a model did not answer. Holds no key, and no word of what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What went wrong.
    pub kind: ModelErrorKind,
    /// In a sentence for the athlete that says what to do.
    pub message: String,
    /// When to try again, where the service says so.
    pub retry_after: Option<Duration>,
    /// What it took all the same, as far as the service told; estimated where an answer had begun and it did not tell.
    pub usage: Usage,
}

impl ModelError {
    /// One without a time to try again, that took nothing.
    #[must_use]
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retry_after: None, usage: Usage::default() }
    }
}
