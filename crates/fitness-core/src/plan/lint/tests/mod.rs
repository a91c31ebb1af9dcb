//! Each rule at its edge: just inside it is silent, just outside it speaks, for each level as strictly as it should.

mod made;
mod volume;
