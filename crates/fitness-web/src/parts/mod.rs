//! Parts that several pages share.

pub(crate) mod chip;
pub(crate) mod form;
pub(crate) mod fresh;
pub(crate) mod icon;
pub(crate) mod time;
pub(crate) mod workout;
