//! The server's parts against a real store.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod activities;
mod addresses;
mod api;
mod chores;
mod cookies;
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
mod model_words;
mod named;
mod obedient;
mod obedient_calls;
mod obedient_elsewhere;
mod outside;
mod plan_decisions;
mod plan_pages;
mod proxy_files;
mod readiness;
mod session_confirmation;
mod settings;
mod sign_in_limits;
mod slow_clients;
mod sources;
mod talking;
mod trends;
mod world;
