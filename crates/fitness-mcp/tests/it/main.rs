//! The server as a client meets it: by its own wire, and by foreign programs.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod answers;
mod foreign;
mod guests;
mod kit;
mod registry;
mod stdio;
mod wire;
