//! Parts that several pages share.

pub(crate) mod asking;
pub(crate) mod calendar;
pub(crate) mod chip;
pub(crate) mod counted;
pub(crate) mod diff;
pub(crate) mod findings;
pub(crate) mod form;
pub(crate) mod fresh;
pub(crate) mod icon;
pub(crate) mod missing;
pub(crate) mod time;
pub(crate) mod words_author;
pub(crate) mod workout;
