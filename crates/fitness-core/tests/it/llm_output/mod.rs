//! The coach's JSON contract: every example of its document, a corpus of broken answers, its schemas, its laws.

mod brief;
mod examples;
mod fuzz_corpus;
mod invalid_responses;
mod plan;
mod properties;
mod schemas;

use fitness_core::llm_output::{Finding, Response, ResponseKind, ValidationError, parse_response};

/// The document's example of a fatigued athlete.
const FATIGUE: &str = include_str!("../contract/fatigue.json");
/// The document's example of an ill athlete.
const SKIP: &str = include_str!("../contract/skip.json");
/// The document's example of a week.
const WEEK: &str = include_str!("../contract/week.json");
/// The document's error form.
const ERROR: &str = include_str!("../contract/error.json");

/// What is wrong with an answer, as path and code.
fn error_codes(text: &str, kind: Option<ResponseKind>) -> Vec<(String, String)> {
    parse_response(text.as_bytes(), kind)
        .map_or_else(|refused| codes_of_errors(&refused.errors), |_| Vec::new())
}

fn codes_of_errors(faults: &[ValidationError]) -> Vec<(String, String)> {
    faults.iter().map(|fault| (fault.path.clone(), fault.code.to_string())).collect()
}

fn codes_of_findings(findings: &[Finding]) -> Vec<(&str, &str)> {
    findings.iter().map(|finding| (finding.path.as_str(), finding.code.as_str())).collect()
}

fn parse_valid(text: &str) -> Response {
    parse_response(text.as_bytes(), None).unwrap_or_else(|refused| panic!("{refused:#?}"))
}
