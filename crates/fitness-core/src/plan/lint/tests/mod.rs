//! Each rule at its edge: just inside it is silent, just outside it speaks, for each level as strictly as it should.

mod documented;
mod laws;
mod made;
mod published;
mod quality;
mod schedule;
mod taper;
mod targets;
mod volume;
