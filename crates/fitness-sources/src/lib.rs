//! Where data comes from: files, exports and services, each turned into the types of `fitness-core`.
//!
//! This crate must never write to the database or know about users; it reads bytes and gives back values,
//! with a reason for everything it could not read. It is handed its HTTP client and its clock.
//!
//! Empty in this version: the readers for FIT, TCX, GPX, exports and live services are the next thing to be
//! built, and this is the place where they go. The fence around the crate stands already.
