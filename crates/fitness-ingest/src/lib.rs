//! One sync: fetch, map, upsert, move the frontier, recompute.
//!
//! This crate must never move the frontier past what is stored, and never decide anything about a plan. It
//! brings `fitness-sources` and `fitness-store` together; nobody else does.
//!
//! Empty in this version: it comes with the readers of `fitness-sources`. What a sync proves about days is
//! already in `fitness_core::frontier`, and where it is recorded in `fitness_store`.
