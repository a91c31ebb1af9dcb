//! Fakes of the services on this machine, and a model that is a function, for tests that must not reach the real ones.
//!
//! The fakes refuse what the real ones refuse; a fake that only says yes proves nothing. What they say is a script's: a
//! function of the request that was seen, so that what they say can depend on what a tool answered. They also fail in every
//! way that services fail in ([`Fail`], [`After`]). [`Time`] is the clock and the waiting that goes with them: nothing in a
//! test ever really sleeps.

mod anthropic;
mod fake_clock;
mod openai;
mod scenario;
mod scripted_model;
mod server;

pub use anthropic::FakeAnthropic;
pub use fake_clock::{FakeClock, client};
pub use openai::{FakeOpenAi, ToolSupport};
pub use scenario::{
    Block, ScriptRequest, ScriptResponse, ScriptedFailure, ScriptedReply, ScriptedStop, StreamEnd, WireFormat,
};
pub use scripted_model::ScriptedModel;
pub use server::RecordedRequest;

/// The key that the fakes take.
pub const KEY: &str = "sk-fake-0123456789";

use scenario::Script;
