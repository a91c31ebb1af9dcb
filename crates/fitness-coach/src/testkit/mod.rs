//! Fake model services for tests.
//!
//! The fakes reject what the real services reject, and can fail in every way that services fail.
//! Their replies are a function of the request, so they can depend on tool results. With the fake
//! clock, tests never really sleep.

mod anthropic;
mod openai;
mod scenario;
mod scripted_model;

pub use anthropic::FakeAnthropic;
pub use fitness_http::testkit::{FakeClock, RecordedRequest, client};
pub use openai::{FakeOpenAi, ToolSupport};
pub use scenario::{
    Block, ScriptRequest, ScriptResponse, ScriptedFailure, ScriptedReply, ScriptedStop, StreamEnd, WireFormat,
};
pub use scripted_model::ScriptedModel;

/// The key that the fakes accept.
pub const KEY: &str = "sk-fake-0123456789";

use fitness_core::domain::calendar::Instant;
use scenario::Script;

/// Time of the fake clocks when a test begins.
fn start_time() -> Instant {
    "2026-06-14T07:00:00Z".parse().expect("a valid time")
}
