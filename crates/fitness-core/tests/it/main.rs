//! Integration tests: prediction accuracy on survey data (if available) and synthetic runners, the
//! worked examples of `docs/metrics.md`, and validation of LLM output.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod documentation;
mod llm_output;
mod prediction_accuracy;
mod runner_survey;
mod shared_files;
