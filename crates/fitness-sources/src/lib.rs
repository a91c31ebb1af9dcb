//! Where data comes from: files, exports and services, each turned into the types of `fitness-core`.
//!
//! This crate must never write to the database or know about users; it reads bytes and gives back values,
//! with a reason for everything it could not read. It is handed its HTTP client and its clock.
//!
//! Every reader gives back reports ([`fitness_core::domain::source_record`]). Start reading at [`fit`] and [`tracks`], then at
//! [`garmin_export`] and [`strava_export`]; [`files`] finds what there is to read, [`live`] asks services for what is
//! new, and `fitness-demo` makes something to read for those who have nothing yet. [`workouts`] goes the other way.

mod error;
pub mod files;
pub mod fit;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
pub mod garmin_export;
pub mod live;
mod outcome;
mod sports;
pub mod strava_export;
#[cfg(feature = "testkit")]
pub mod testkit;
pub mod tracks;
pub mod workouts;

pub use error::ParseError;
pub use outcome::ReadOutcome;
