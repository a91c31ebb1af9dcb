//! One import or sync: read, take in, move the frontier.
//!
//! This crate must never move the frontier past what is stored, and never decide anything about a plan. It
//! brings `fitness-sources` and `fitness-store` together; nobody else does. It reads no clock; it is handed one.
//!
//! Start reading at [`import()`]: a thread walks through what the athlete named (`walking.rs`), workers read the
//! files one by one (`reading.rs`), and one task writes what they found in batches (`gathering.rs`).

mod gathering;
mod import;
mod outcome;
mod reading;
mod walking;

pub use import::{Import, Progress, Stop, import};
pub use outcome::{Outcome, Skip};

use fitness_core::calendar::Instant;

/// What goes wrong outside the files themselves.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database refused; what was taken in before that is kept.
    #[error(transparent)]
    Store(#[from] fitness_store::Error),
}

/// How the time is told.
pub type Clock = fn() -> Instant;
