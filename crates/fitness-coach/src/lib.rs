//! The coach: brief, chat, drafts and proposals, by any model or by none.
//!
//! FENCED. This crate depends on `fitness-core` alone. It cannot name the store, not even in a test, so what
//! only a human may do cannot be reached from here: there is nothing an injected instruction could call.
//! `cargo xtask tidy` keeps it that way.
//!
//! Start at [`model`], which says what a model is here.

pub mod answering;
pub mod chat;
pub mod model;
pub mod numbers;
#[cfg(feature = "testkit")]
pub mod testkit;
pub mod tools;
pub mod turn;
