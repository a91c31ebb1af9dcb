//! What must not compile: every other way to a `Consent` than a human's answer.

#[test]
fn there_is_no_other_way_to_a_consent() {
    trybuild::TestCases::new().compile_fail("tests/fail/*.rs");
}
