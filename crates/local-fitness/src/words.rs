//! Small words around numbers.

pub(crate) use fitness_core::text::{counted, listed};
