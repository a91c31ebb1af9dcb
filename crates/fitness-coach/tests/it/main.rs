//! Both dialects against fakes that refuse what the real services refuse and fail as they fail, and the fakes against the
//! official clients.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod anthropic;
mod faults;
mod harness;
mod official_clients;
mod openai_compatible;
mod real_model;
mod secrets;
