//! What must not compile: every other way to a `Consent` than a human's answer.

#[test]
fn consent_cannot_be_obtained_without_confirmation() {
    trybuild::TestCases::new().compile_fail("tests/fail/*.rs");
}
