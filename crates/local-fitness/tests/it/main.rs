//! The real binary, in a temporary home, on both databases.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod adherence;
mod bad_input;
mod browser;
mod chat_api;
mod coach;
mod coach_left;
mod coach_numbers;
mod contract;
mod demo;
mod described;
mod exports;
mod first_run;
mod harness;
mod human;
mod imports;
mod keeping;
mod mcp;
mod metrics;
mod moved_on;
mod nodes;
mod plan_words;
mod planning;
mod prompts;
mod pushes;
mod quoted;
mod reaching;
mod running;
mod services;
mod serving;
mod set;
mod sharing;
mod standing;
mod stranger;
mod uploads;
