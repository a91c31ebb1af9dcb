//! Where data comes from: files, exports and services, each turned into the types of `fitness-core`.
//!
//! This crate must never write to the database or know about users; it reads bytes and gives back values,
//! with a reason for everything it could not read. It is handed its HTTP client and its clock.
//!
//! Every reader gives back reports ([`fitness_core::report`]). Start reading at [`fit`] and [`tracks`]; [`files`]
//! finds what there is to read.

pub mod files;
pub mod fit;
mod sports;
pub mod tracks;
mod unreadable;

pub use unreadable::Unreadable;
