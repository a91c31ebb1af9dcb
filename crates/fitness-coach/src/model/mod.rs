//! The interface to a language model.
//!
//! [`Model`] is one trait for all providers, and a [`Request`] contains only what all of them
//! support. A reply is a list of [`ModelPart`]s; [`ModelPart::Sealed`] is opaque and only sent back
//! to the model that produced it.
//!
//! [`anthropic`] and [`openai`] are the implementations, [`catalog`] lists models and prices, and
//! [`endpoint_url`] decides which servers may be contacted. Clock, sleep and HTTP client come from
//! [`HttpEnv`].

pub mod anthropic;
#[cfg(test)]
mod arbitrary_json;
pub mod catalog;
pub mod endpoint_url;
mod http;
mod normalize_messages;
pub mod openai;
pub mod sse;
mod timeouts;

pub use fitness_http::{DelayReason, HttpEnv};
pub use timeouts::Timeouts;

use fitness_core::string_enum;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

pub type ReplyFuture<'a> = Pin<Box<dyn Future<Output = Result<Reply, ModelError>> + Send + 'a>>;

pub trait Model: Send + Sync {
    /// Name in stored briefs and messages, such as `claude-sonnet-5-5`.
    fn name(&self) -> &str;

    /// Sends a request and streams the reply to the listener. Dropping the future cancels the
    /// request.
    fn ask<'a>(&'a self, request: &'a Request, listener: &'a mut (dyn ModelListener + 'a))
    -> ReplyFuture<'a>;

    /// The HTTP request that [`Model::ask`] would send, without keys, for display.
    fn preview(&self, request: &Request) -> String;

    /// Cost of a reply; `None` if the price is unknown.
    fn cost(&self, usage: &Usage) -> Option<Cost>;

    /// Capabilities of the server found by probing, for the caller to store.
    fn server_capabilities(&self) -> Option<openai::ServerCapabilities> {
        None
    }
}

/// Receiver of a streamed reply.
pub trait ModelListener: Send {
    fn text(&mut self, more: &str);

    /// Summary of the model's thinking: a sign of progress, not part of the reply.
    fn on_thinking(&mut self, more: &str) {
        let _ = more;
    }

    fn tool_call(&mut self, tool: &str) {
        let _ = tool;
    }

    /// Usage so far, estimated if the service has not reported it yet. For callers that cancel
    /// before the reply, which has the final usage.
    fn usage(&mut self, so_far: Usage) {
        let _ = so_far;
    }
}

impl ModelListener for () {
    fn text(&mut self, _: &str) {}
}

/// A request to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// System prompt; the same for every athlete and day, so that it can be cached.
    pub system: String,
    pub tools: Vec<ToolSpec>,
    /// Messages, oldest first. Everything that changes daily is here, never in `system`.
    pub messages: Vec<Message>,
    /// Schema of the reply. Never together with tools.
    pub response_schema: Option<ResponseSchema>,
    /// Maximum tokens of the reply.
    pub max_tokens: u32,
}

/// Definition of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    pub name: &'static str,
    pub description: &'static str,
    /// JSON Schema of the input object.
    pub input_schema: Value,
}

/// Schema of a structured reply.
#[derive(Debug, Clone, PartialEq)]
pub struct ResponseSchema {
    pub name: &'static str,
    /// JSON Schema of a closed object.
    pub schema: Value,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Message {
    /// Message of the program: the athlete's text, context and tool results.
    Program {
        /// Tool results come first.
        parts: Vec<UserPart>,
    },
    Model {
        name: String,
        parts: Vec<ModelPart>,
    },
}

/// Part of a message to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum UserPart {
    Text {
        text: String,
    },
    /// Tool result. Every call gets exactly one, in the next message.
    Result {
        /// Id of the call.
        call: String,
        /// Compact JSON, or an error message.
        text: String,
        /// Whether the call failed.
        refused: bool,
    },
}

/// Part of a reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ModelPart {
    Text {
        text: String,
    },
    Call {
        /// Id for the tool result.
        id: String,
        /// Tool name; may be unknown.
        tool: String,
        /// Input; may be invalid.
        input: Value,
    },
    /// Opaque data, such as signed thinking, that only this model may get back, byte for byte.
    Sealed {
        raw: Value,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    pub parts: Vec<ModelPart>,
    pub stop_reason: StopReason,
    pub usage: Usage,
}

impl Reply {
    /// The text of all parts.
    #[must_use]
    pub fn text(&self) -> String {
        let words = |part: &ModelPart| match part {
            ModelPart::Text { text } => Some(text.clone()),
            ModelPart::Call { .. } | ModelPart::Sealed { .. } => None,
        };
        self.parts.iter().filter_map(words).collect()
    }
}

/// Why a reply ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    Done,
    ToolCalls,
    /// Token limit reached; the incomplete reply is not used.
    Length,
    Declined {
        /// Reason given by the model. Untrusted text.
        reason: Option<String>,
    },
    Other(String),
}

/// Token usage of a reply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub input: u64,
    /// Input written to the cache.
    pub cache_write: u64,
    /// Input read from the cache.
    pub cache_read: u64,
    pub output: u64,
}

impl Usage {
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            output: self.output.saturating_add(other.output),
        }
    }

    #[must_use]
    pub const fn total_tokens(self) -> u64 {
        self.input
            .saturating_add(self.cache_write)
            .saturating_add(self.cache_read)
            .saturating_add(self.output)
    }
}

/// Money in millionths of a US dollar, as an integer so that sums are exact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cost(pub u64);

impl std::fmt::Display for Cost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "${}.{:04}", self.0 / 1_000_000, self.0 % 1_000_000 / 100)
    }
}

string_enum! {
    /// Kind of a model error, for logs and metrics.
    pub enum ModelErrorKind("failure of a model") {
        /// No connection, or connection lost.
        Unreachable = "unreachable",
        Stalled = "stalled",
        /// Rate limited or overloaded for longer than we retry.
        Busy = "busy",
        /// Spending limit of the account reached.
        SpendCap = "spend_cap",
        Key = "key",
        Request = "request",
        Garbled = "garbled",
        TooMuch = "too_much",
        Address = "address",
        /// Not sent: the daily limit is used up or reserved by concurrent requests.
        Limit = "limit",
    }
}

/// Why a request failed. Never contains keys or request data.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    pub kind: ModelErrorKind,
    /// Sentence for the athlete that says what to do.
    pub message: String,
    /// Retry time given by the service.
    pub retry_after: Option<Duration>,
    /// Usage of the failed request, estimated if a reply had begun and the service did not report
    /// it.
    pub usage: Usage,
}

impl ModelError {
    #[must_use]
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retry_after: None, usage: Usage::default() }
    }
}
