//! Both model APIs against fake services, and the fakes against the official clients.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod anthropic;
mod data_sent;
mod faults;
mod harness;
mod official_clients;
mod openai_compatible;
mod real_model;
