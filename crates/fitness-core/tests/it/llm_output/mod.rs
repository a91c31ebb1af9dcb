//! The coach's JSON contract: every example of its document, a corpus of broken answers, its schemas, its laws.

mod brief;
mod examples;
mod fuzz_corpus;
mod invalid_responses;
mod plan;
mod properties;
mod schemas;

use fitness_core::llm_output::{Fault, Finding, Kind, Response, check};

/// The document's example of a fatigued athlete.
const FATIGUE: &str = include_str!("../contract/fatigue.json");
/// The document's example of an ill athlete.
const SKIP: &str = include_str!("../contract/skip.json");
/// The document's example of a week.
const WEEK: &str = include_str!("../contract/week.json");
/// The document's error form.
const ERROR: &str = include_str!("../contract/error.json");

/// What is wrong with an answer, as path and code.
fn faults(text: &str, kind: Option<Kind>) -> Vec<(String, String)> {
    check(text.as_bytes(), kind).map_or_else(|refused| told(&refused.faults), |_| Vec::new())
}

fn told(faults: &[Fault]) -> Vec<(String, String)> {
    faults.iter().map(|fault| (fault.path.clone(), fault.code.to_string())).collect()
}

fn found(findings: &[Finding]) -> Vec<(&str, &str)> {
    findings.iter().map(|finding| (finding.path.as_str(), finding.code.as_str())).collect()
}

fn accepted(text: &str) -> Response {
    check(text.as_bytes(), None).unwrap_or_else(|refused| panic!("{refused:#?}"))
}
