//! The predictions against a survey of runners, where it lies beside the repository, and against made-up runners
//! everywhere; every worked example of `docs/metrics.md`, recomputed; and the contract of the coach.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod documentation;
mod llm_output;
mod prediction_accuracy;
mod runner_survey;
mod shared_files;
