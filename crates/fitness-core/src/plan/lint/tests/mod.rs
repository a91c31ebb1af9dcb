//! Each rule just inside and just outside its limits, for each level.

mod bad_plans;
mod documentation;
mod fixtures;
mod properties;
mod published_plans;
mod quality;
mod schedule;
mod taper;
mod targets;
mod volume;
