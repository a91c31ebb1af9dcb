//! Parsers for activity files and account exports, and clients for live services. They return the
//! source records of `fitness-core` ([`fitness_core::domain::source_record`]).
//!
//! This crate does not write to the database and knows no users. The HTTP client and the clock are
//! passed in. Everything that cannot be read is reported with a reason.
//!
//! [`files`] finds files in folders and archives; [`fit`] and [`tracks`] parse recordings,
//! [`garmin_export`] and [`strava_export`] account exports; [`live`] fetches from services;
//! [`workouts`] writes planned workouts as FIT files.

pub mod archives;
mod entry_counts;
mod error;
pub mod files;
pub mod fit;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
pub mod garmin_export;
mod header_check;
pub mod live;
mod place;
mod sample_clock;
mod sports;
pub mod strava_export;
#[cfg(feature = "testkit")]
pub mod testkit;
pub mod tracks;
pub mod workouts;

pub use entry_counts::ReadOutcome;
pub use error::ParseError;
