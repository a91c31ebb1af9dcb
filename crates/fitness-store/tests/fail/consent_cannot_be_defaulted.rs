//! There is no consent by default.
use fitness_store::Consent;

fn main() {
    let _assumed = Consent::default();
}
