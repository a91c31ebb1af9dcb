//! A `Consent` is not a struct anybody can fill in.
use fitness_store::Consent;

fn main() {
    let _forged = Consent { tx: unreachable!(), request: unreachable!(), confirmation: 1, at: unreachable!() };
}
