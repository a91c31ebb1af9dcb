//! Small words around numbers.

pub(crate) use fitness_core::domain::untrusted_text::{counted, listed};
