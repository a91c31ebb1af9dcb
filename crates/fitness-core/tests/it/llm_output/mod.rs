//! LLM output validation: documented examples, a corpus of invalid responses, schemas and
//! properties.

mod brief;
mod examples;
mod fuzz_corpus;
mod invalid_responses;
mod plan;
mod properties;
mod schemas;

use fitness_core::llm_output::{Finding, Response, ResponseKind, ValidationError, parse_response};

/// Documented example of a fatigued athlete.
const FATIGUE: &str = include_str!("../contract/fatigue.json");
/// Documented example of an ill athlete.
const SKIP: &str = include_str!("../contract/skip.json");
/// Documented example of a week.
const WEEK: &str = include_str!("../contract/week.json");
/// Documented error response.
const ERROR: &str = include_str!("../contract/error.json");

/// Errors of a response, as path and code.
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
