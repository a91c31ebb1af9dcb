//! Where data comes from: files, exports and services, each turned into the types of `fitness-core`.
//!
//! This crate must never write to the database or know about users; it reads bytes and gives back values,
//! with a reason for everything it could not read. It is handed its HTTP client and its clock.
//!
//! Start reading at [`recorded`], which is what every reader gives back, then [`fit`] and [`tracks`]; [`files`]
//! finds what there is to read.

pub mod files;
pub mod fit;
pub mod recorded;
mod sports;
pub mod tracks;
