//! The server's parts against a real store.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod activities;
mod addresses;
mod api;
mod chores;
mod exports;
mod forged;
mod forms;
mod harness;
mod job_lanes;
mod leading;
mod leaving;
mod limits;
mod main_pages;
mod matrix;
mod named;
mod obedient;
mod obedient_calls;
mod obedient_elsewhere;
mod outside;
mod plan_decisions;
mod plan_pages;
mod settings;
mod sources;
mod talking;
mod trends;
mod world;
