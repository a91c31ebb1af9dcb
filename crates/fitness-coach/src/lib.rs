//! The coach: brief, chat, drafts and proposals, by any model or by none.
//!
//! FENCED. This crate depends on `fitness-core` alone. It cannot name the store, not even in a test, so what
//! only a human may do cannot be reached from here: there is nothing an injected instruction could call.
//! `cargo xtask tidy` keeps it that way.
//!
//! Start at [`model`], which says what a model is here; then [`prompt`], what it is told, [`prompt_lint`], which reads that as a
//! compiler would, and [`brief`], what becomes of it every morning. [`rule_based`] is the coach without any model.

pub mod agent_loop;
pub mod brief;
pub mod chat;
pub mod eval;
pub mod grounding;
pub mod model;
pub mod prompt;
pub mod prompt_lint;
pub mod rule_based;
pub mod settings;
#[cfg(feature = "testkit")]
pub mod testkit;
pub mod tools;
