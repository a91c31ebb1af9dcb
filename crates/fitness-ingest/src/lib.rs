//! One import or sync: read, take in, move the frontier.
//!
//! This crate must never move the frontier past what is stored, and never decide anything about a plan. It
//! brings `fitness-sources` and `fitness-store` together; nobody else does. It reads no clock; it is handed one.
//!
//! Start reading at [`import()`]: a thread walks through what the athlete named (`discover.rs`), workers read the
//! files one by one (`parse.rs`), and one task writes what they found in batches (`batch.rs`). [`sync()`] does
//! the same with what a live service says, [`watch()`] with what appears in a folder. When the data is in,
//! [`recompute()`] works out what it means.

mod batch;
mod discover;
pub mod export;
mod import;
mod outcome;
mod parse;
mod recompute;
mod sync;
mod watch;

pub use import::{Import, Progress, Stop, import};
pub use outcome::{Outcome, Skip};
pub use recompute::{Recomputed, recompute};
pub use sync::{Sync, sync};
pub use watch::watch;

use fitness_core::domain::calendar::Instant;

/// What goes wrong outside the files themselves.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database refused; what was taken in before that is kept.
    #[error(transparent)]
    Store(#[from] fitness_store::Error),
    /// A live service could not be read at all.
    #[error(transparent)]
    Service(fitness_sources::live::Fault),
    /// Everything of an athlete cannot be written down.
    #[error("the export cannot be written: {0}")]
    Takeout(String),
    /// A folder cannot be watched.
    #[error("the folder cannot be watched: {0}")]
    Watch(#[from] notify::Error),
}

/// How the time is told.
pub type Clock = fn() -> Instant;
