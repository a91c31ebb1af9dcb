//! The coach: daily brief, chat, drafts and proposals, with or without a language model.
//!
//! This crate may depend on `fitness-core` only, also in tests, which `cargo xtask tidy` checks.
//! The actions that only the athlete may take are in the store, so there is nothing here that an
//! injected instruction could call.
//!
//! Start at [`model`], the interface to a language model; then [`prompt`], its instructions,
//! [`prompt_lint`], which checks them, and [`brief`]. [`rule_based`] is the coach without a model.

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
