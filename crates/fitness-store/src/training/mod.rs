//! Athletes' data: activities and their source records, wellness, observations, notes, races and
//! profile.

pub(crate) mod activities;
pub mod activity_search;
pub(crate) mod gear;
pub(crate) mod notes;
pub(crate) mod observations;
pub(crate) mod original_files;
pub(crate) mod overview;
pub(crate) mod profile;
pub(crate) mod races;
pub(crate) mod source_records;
pub(crate) mod streams;
pub(crate) mod wellness;
