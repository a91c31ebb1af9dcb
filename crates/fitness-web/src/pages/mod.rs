//! The pages, one module for each room. A handler reads the store, makes a page of what it read, and decides nothing.

pub(crate) mod calendar;
pub(crate) mod found;
pub(crate) mod import;
pub(crate) mod settings;
pub(crate) mod setup;
pub(crate) mod sign_in;
pub(crate) mod sources;
pub(crate) mod today;
pub(crate) mod welcome;
