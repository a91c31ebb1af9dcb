//! Fakes of the services on this machine, and a model that is a function, for tests that must not reach the real ones.
//!
//! The fakes refuse what the real ones refuse; a fake that only says yes proves nothing. What they say is a script's: a
//! function of the request that was seen, so that what they say can depend on what a tool answered. They also fail in every
//! way that services fail in ([`Fail`], [`After`]). [`Time`] is the clock and the waiting that goes with them: nothing in a
//! test ever really sleeps.

mod anthropic;
mod openai;
mod script;
mod scripted;
mod server;
mod time;

pub use anthropic::FakeAnthropic;
pub use openai::{Ability, FakeOpenAi};
pub use script::{After, Answer, Asked, Block, Fail, Manner, Say, Why};
pub use scripted::ScriptedModel;
pub use server::Seen;
pub use time::{Time, client};

/// The key that the fakes take.
pub const KEY: &str = "sk-fake-0123456789";

use script::Script;
