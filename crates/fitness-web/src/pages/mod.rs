//! The pages, one module for each room. A handler reads the store, makes a page of what it read, and decides nothing.

pub(crate) mod calendar;
pub(crate) mod settings;
pub(crate) mod setup;
pub(crate) mod sign_in;
pub(crate) mod today;
