//! Integration tests of imports, syncs, exports and metrics on SQLite and PostgreSQL.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod data_frontier;
mod duplicate_sources;
mod export;
mod fit_thresholds;
mod fixtures;
mod idempotence;
mod live_sync;
mod malicious_files;
mod parse_counts;
mod receipt;
mod recompute;
mod seeded_morning;
mod wellness_files;
