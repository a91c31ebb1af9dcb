//! Plurals and lists in text.

pub(crate) use fitness_core::domain::untrusted_text::{join_with_and, pluralize};
