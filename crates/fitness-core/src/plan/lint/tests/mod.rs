//! Each rule at its edge: just inside it is silent, just outside it speaks, for each level as strictly as it should.

mod documentation;
mod fixtures;
mod properties;
mod published_plans;
mod quality;
mod schedule;
mod taper;
mod targets;
mod volume;
