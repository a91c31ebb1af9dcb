//! Compile-fail tests: no code can get a `Consent` except from a human's confirmation.

#[test]
fn consent_cannot_be_obtained_without_confirmation() {
    trybuild::TestCases::new().compile_fail("tests/fail/*.rs");
}
