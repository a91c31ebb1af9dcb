//! Parts that several pages share.

pub(crate) mod chip;
pub(crate) mod counted;
pub(crate) mod form;
pub(crate) mod fresh;
pub(crate) mod icon;
pub(crate) mod missing;
pub(crate) mod time;
