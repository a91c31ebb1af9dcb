//! Imports files and syncs services: parses with `fitness-sources`, stores with `fitness-store`,
//! updates the data frontier and computes metrics.
//!
//! The frontier must never be later than the stored data. This crate changes no plan and reads no
//! clock.
//!
//! Start at [`import()`]: one thread walks the given paths (`discover.rs`), others parse the files
//! (`parse.rs`), and one task stores them in batches (`batch.rs`). [`sync()`] does the same for a
//! live service, [`watch()`] for a folder. [`recompute()`] computes metrics afterwards.

mod batch;
mod discover;
pub mod export;
mod import;
mod merge_rules;
mod outcome;
mod parse;
mod receipt;
mod recompute;
mod sync;
mod watch;

pub use import::{ImportProgressListener, ImportRequest, StopSignal, import};
pub use merge_rules::{MergeRulesOutcome, MergedActivities, VerdictChange, apply_merge_rules};
pub use outcome::{ImportOutcome, SkippedFile};
pub use receipt::{ImportReceipt, ReceiptLine};
pub use recompute::{RecomputeCounts, recompute};
pub use sync::{SyncRequest, sync};
pub use watch::watch;

use fitness_core::domain::calendar::Instant;

/// Errors other than skipped files.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Everything stored before the error is kept.
    #[error(transparent)]
    Store(#[from] fitness_store::Error),
    #[error(transparent)]
    Service(fitness_sources::live::FetchError),
    #[error("could not write the export: {0}")]
    Export(String),
    #[error("could not watch the folder: {0}")]
    Watch(#[from] notify::Error),
}

/// Returns the current time.
pub type Clock = fn() -> Instant;
