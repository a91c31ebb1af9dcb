//! The built-in, rule-based coach, which is the default. It needs no API key and no network.
//!
//! Its briefs pass the same validation as those of a model. The byline names it, not every
//! sentence.

mod brief;
mod chat;
#[cfg(test)]
pub(crate) mod fixtures;
#[cfg(test)]
mod tests;

pub use brief::brief;
pub use chat::{Before, BuiltInCoach, Doubt, Intent, Less, NotNow, Wanted};

/// Name in stored briefs and messages.
pub const NAME: &str = "built-in";
/// Byline of its briefs.
pub const BYLINE: &str = "Written by the built-in coach (rules, no AI).";
