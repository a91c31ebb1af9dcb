//! Invalid responses, each with exactly the expected errors:
//! `tests/fixtures/contract_broken.jsonl`.

use super::error_codes;
use fitness_core::llm_output::size_limits::MAX_BYTES;
use fitness_core::llm_output::{MAX_VALIDATION_ERRORS, ResponseKind, ValidationErrorCode, parse_response};
use serde::Deserialize;
use std::collections::BTreeSet;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InvalidExample {
    pub(super) name: String,
    #[serde(default)]
    pub(super) kind: Option<ResponseKind>,
    pub(super) text: String,
    pub(super) faults: Vec<(String, ValidationErrorCode)>,
}

pub(super) fn corpus() -> Vec<InvalidExample> {
    let lines = include_str!("../../fixtures/contract_broken.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

#[test]
fn every_invalid_response_yields_exactly_its_errors() {
    let corpus = corpus();
    assert!(corpus.len() >= 150, "{}", corpus.len());
    let mut wrong = Vec::new();
    for broken in &corpus {
        let mut expected: Vec<(String, String)> =
            broken.faults.iter().map(|(path, code)| (path.clone(), code.to_string())).collect();
        let mut told = error_codes(&broken.text, broken.kind);
        expected.sort();
        told.sort();
        if told != expected || told.is_empty() {
            wrong.push(format!("{}:\n  expected {expected:?}\n  told     {told:?}", broken.name));
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), corpus.len(), wrong.join("\n"));
}

#[test]
fn corpus_covers_every_error_code() {
    let held: BTreeSet<ValidationErrorCode> =
        corpus().iter().flat_map(|broken| broken.faults.iter().map(|(_, code)| *code)).collect();
    // Only for raw bytes, very long text, or with a plan.
    let elsewhere = [
        ValidationErrorCode::TooLarge,
        ValidationErrorCode::NotText,
        ValidationErrorCode::MoreErrors,
        ValidationErrorCode::PlanNotActive,
        ValidationErrorCode::NoSuchWorkout,
        ValidationErrorCode::WrongDate,
        ValidationErrorCode::Duplicate,
        ValidationErrorCode::RestDay,
        ValidationErrorCode::RaceDay,
        ValidationErrorCode::PastDay,
        ValidationErrorCode::OutsidePlan,
        ValidationErrorCode::BlackoutDay,
        ValidationErrorCode::UnavailableDay,
        ValidationErrorCode::NotOneWeek,
        ValidationErrorCode::LintError,
    ];
    // Errors of briefs are tested separately.
    let of_a_brief = ValidationErrorCode::ALL.iter().filter(|code| {
        ValidationErrorCode::BadPlaceholder <= **code && **code <= ValidationErrorCode::MustAsk
    });
    let missing =
        ValidationErrorCode::ALL.iter().filter(|code| !held.contains(code) && !elsewhere.contains(code));
    let missing: Vec<_> = missing.filter(|code| !of_a_brief.clone().any(|other| other == *code)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn error_message_names_the_value_and_what_is_allowed() {
    let message = |text: &str| {
        let refused = parse_response(text.as_bytes(), Some(ResponseKind::Modification)).unwrap_err();
        refused.errors[0].message.clone()
    };
    let with = |changes: &str| {
        format!(
            r#"{{"modifications":[{{"workout_id":"7","date":"2026-06-16","action":"modify","changes":{changes}}}],"athlete_message":"x"}}"#
        )
    };
    for (text, says) in [
        (
            with("{\"duration_minutes\": 60}"),
            "`duration_minutes` is 60, but must be an object: {\"from\": old value, \"to\": new value}.",
        ),
        (with("{\"duration_minutes\": {\"to\": 3}}"), "`to` is 3; it must be between 5 and 480 minutes."),
        (with("{\"estimated_tss\": {\"to\": 501}}"), "`to` is 501; it must be between 0 and 500 TSS."),
        (
            with("{\"name\": null, \"notes\": \"x\"}"),
            "`name` is null, but must be a string. Omit a field without a value.",
        ),
        (
            with("{\"speed\": 3}"),
            "`speed` is not a field of `changes`. Its fields are: name, duration_minutes, intensity, estimated_tss, notes.",
        ),
        (
            with("{}").replace("\"modify\"", "\"change\""),
            "`action` is `change`; it must be one of: modify, skip, replace.",
        ),
        (
            with("{}").replace("2026-06-16", "2026-02-30"),
            "`date` is `2026-02-30`, which is not a calendar date. Write it as YYYY-MM-DD, such as 2024-01-15.",
        ),
        (
            "Sure!\n{\"modifications\": [], \"athlete_message\": \"x\"}".to_owned(),
            "The response is not valid JSON: expected value at line 1 column 1. Return one JSON object and nothing else: no code fence, comments or text around it.",
        ),
        (
            "{\"modifications\": [],\n \"athlete_message\": \"x\",}".to_owned(),
            "The response is not valid JSON: trailing comma at line 2 column 25. Return one JSON object and nothing else: no code fence, comments or text around it.",
        ),
    ] {
        assert_eq!(message(&text), says, "{text}");
    }
}

#[test]
fn ten_megabyte_response_is_refused_with_one_error() {
    let told = |bytes: &[u8]| {
        let refused = parse_response(bytes, None).unwrap_err();
        refused.errors.iter().map(|fault| fault.code).collect::<Vec<_>>()
    };
    let large = format!(r#"{{"modifications":[],"athlete_message":"{}"}}"#, "x".repeat(10 << 20));
    assert_eq!(told(large.as_bytes()), [ValidationErrorCode::TooLarge]);
    assert_eq!(told(&vec![b'['; 10 << 20]), [ValidationErrorCode::TooLarge]);
    assert_eq!(told(&[0xff; 100]), [ValidationErrorCode::NotText]);
    assert_eq!(told(&[0x1f, 0x8b, 8, 0]), [ValidationErrorCode::NotText]);
    // A response exactly at the limit is parsed.
    let mut text = r#"{"modifications":[],"athlete_message":"x"}"#.to_owned();
    text.push_str(&" ".repeat(MAX_BYTES - text.len()));
    assert!(parse_response(text.as_bytes(), None).is_ok());
    text.push(' ');
    assert_eq!(told(text.as_bytes()), [ValidationErrorCode::TooLarge]);
}

#[test]
fn number_of_errors_is_capped() {
    let keys: Vec<String> = (0..90_000).map(|i| format!("\"k{i}\":1")).collect();
    let text = format!("{{\"modifications\":[],{}}}", keys.join(","));
    let refused = parse_response(text.as_bytes(), None).unwrap_err();
    assert_eq!(refused.errors.len(), MAX_VALIDATION_ERRORS + 1);
    let last = refused.errors.last().unwrap();
    assert_eq!(last.code, ValidationErrorCode::MoreErrors);
    // A very long key is truncated in the message.
    let text = format!("{{\"modifications\":[],\"{}\":1}}", "k".repeat(500_000));
    let refused = parse_response(text.as_bytes(), None).unwrap_err();
    assert!(refused.errors.iter().all(|fault| fault.path.len() + fault.message.len() < 500));
}

#[test]
fn pathological_nesting_is_parsed_in_linear_time() {
    for piece in
        [" ", "[", "[],", "1,", "\"a\",", "{\"a\":", "{\"a\":1},", "\"a\":1,", "\\u0041", "\"\\", ",", "```"]
    {
        for before in ["", "[", "{", "{\"modifications\":[", "\"", "x "] {
            let text = format!("{before}{}", piece.repeat((MAX_BYTES - before.len()) / piece.len()));
            let refused = parse_response(text.as_bytes(), None).unwrap_err();
            assert!(refused.errors.iter().all(|fault| fault.message.len() < 1000), "{piece}");
        }
    }
}
