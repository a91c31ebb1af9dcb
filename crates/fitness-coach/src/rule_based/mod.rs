//! The built-in coach: rules only. It needs no key and no network, and is the default.
//!
//! It keeps the same contract as a model does. That it is the built-in one is said in its byline, not in every sentence.

mod brief;
mod chat;
#[cfg(test)]
pub(crate) mod fixtures;
#[cfg(test)]
mod tests;

pub use brief::brief;
pub use chat::{Before, BuiltIn, Doubt, Intent, Less, NotNow, Wanted};

/// What it is called where briefs and messages are stored.
pub const NAME: &str = "built-in";
/// Who it is, in a line for the athlete.
pub const BYLINE: &str = "Written by the built-in coach: rules, no model.";
