//! The server's parts against a real store.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod api;
mod harness;
mod morning;
mod obedient;
mod settings;
mod sources;
