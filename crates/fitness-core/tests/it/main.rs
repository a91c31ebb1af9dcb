//! The predictions against a survey of runners, where it lies beside the repository, and against made-up runners
//! everywhere; and every worked example of `docs/metrics.md`, recomputed.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod documented;
mod replication;
mod shared;
mod survey;
