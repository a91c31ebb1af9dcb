//! HTML components shared by several pages.

pub(crate) mod author_label;
pub(crate) mod calendar;
pub(crate) mod chip;
pub(crate) mod confirm;
pub(crate) mod core_message;
pub(crate) mod diff;
pub(crate) mod findings;
pub(crate) mod form;
pub(crate) mod freshness;
pub(crate) mod icon;
pub(crate) mod matched_workouts;
pub(crate) mod missing_value;
pub(crate) mod time;
pub(crate) mod workout;
