//! Domain types: activities, athletes, days, distances, notes, sports, units.

pub mod activity;
pub mod athlete;
pub mod calendar;
pub mod content_hash;
pub mod gear;
pub mod ids;
pub mod manual_activity;
pub mod merge;
pub mod note;
pub mod observation;
pub mod parse_distance;
pub mod source_record;
pub mod sport;
pub mod stream;
pub mod units;
pub mod untrusted_text;
pub mod wellness;
