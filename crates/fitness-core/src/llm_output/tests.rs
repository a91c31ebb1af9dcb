//! The text reader against `serde_json`: what has no fault here is JSON there, and the other way round.

use super::errors::ValidationErrors;
use super::json::{self, Json};
use super::{ResponseKind, ValidationErrorCode, parse_response};
use proptest::prelude::*;
use serde_json::Value;

/// What our reader says a text is; `None` where it finds a fault.
fn parse_with_our_reader(text: &str) -> Option<Json> {
    let mut faults = ValidationErrors::default();
    let value = json::parse(text.as_bytes(), "athlete_message", &mut faults);
    value.filter(|_| faults.is_empty())
}

/// The same value as the other parser holds it, without the order of its keys.
fn to_serde_value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => (*value).into(),
        Json::Number(number) => (*number).into(),
        Json::String(text) => text.clone().into(),
        Json::Array(entries) => entries.iter().map(to_serde_value).collect(),
        Json::Object(fields) => {
            fields.iter().map(|(key, value)| (key.clone(), to_serde_value(value))).collect()
        }
        Json::Broken => panic!("a value without a fault is whole"),
    }
}

fn as_floats(value: &Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().unwrap().into(),
        Value::Array(entries) => entries.iter().map(as_floats).collect(),
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), as_floats(value))).collect(),
        other => other.clone(),
    }
}

#[test]
fn valid_json_is_parsed_and_invalid_json_is_refused() {
    for text in [
        "0",
        "-0",
        "10",
        "1.5",
        "-1.5e-3",
        "1E5",
        "1e+5",
        "true",
        "null",
        "\"\"",
        "[]",
        "{}",
        " [ 1 , 2 ] ",
        "{\"a\":{\"b\":[{}]}}",
        r#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#,
        "\"\u{7f}\u{2028}\"",
        "\r\n\t 1 \n",
        "9007199254740993",
        "1e-400",
        // Not JSON.
        "01",
        "-",
        "-01",
        "1.",
        ".1",
        "1e",
        "1e+",
        "+1",
        "1e999",
        "tru",
        "True",
        "nul",
        "\"",
        "\"\\x\"",
        "\"\u{1}\"",
        "\"\\ud800\"",
        "\"\\ud800\\u0041\"",
        "[1,]",
        "[,]",
        "{\"a\"}",
        "{\"a\":}",
        "{,}",
        "{\"a\":1,}",
        "[1 2]",
        "1 2",
        "[]]",
        "{}{}",
        "\u{a0}1",
        "\u{feff}{}",
        "{}\u{a0}",
        "//x\n{}",
        "{}/**/",
        "'a'",
        "NaN",
        "Infinity",
        "-Infinity",
        "",
        "```{}```",
        "[1e]",
    ] {
        let theirs = serde_json::from_str::<Value>(text).ok();
        assert_eq!(
            parse_with_our_reader(text).as_ref().map(to_serde_value),
            theirs.as_ref().map(as_floats),
            "{text}"
        );
    }
}

#[test]
fn duplicate_keys_and_excessive_depth_are_refused() {
    assert!(parse_with_our_reader(r#"{"a":1,"b":2}"#).is_some());
    assert!(parse_with_our_reader(r#"{"a":1,"a":1}"#).is_none());
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(parse_with_our_reader(&nested(16)).is_some());
    assert!(parse_with_our_reader(&nested(17)).is_none());
}

/// Pieces that JSON and near-JSON are made of.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"a\"",
        "\"b\"",
        "'c'",
        "d",
        "1",
        "-2.5",
        "0",
        "1e9",
        "true",
        "null",
        " ",
        "\n",
        "//",
        "/*",
        "*/",
        "```",
        "json",
        "...",
        "NaN",
        "\"",
        "\\",
        "\\u0041",
        "\u{a0}",
        "é",
        "\"modifications\"",
    ]);
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn both_readers_agree_on_anything(text in pieces()) {
        // One key twice is JSON, and refused all the same.
        let theirs = serde_json::from_str::<Value>(&text).ok();
        match (parse_with_our_reader(&text), theirs) {
            (Some(json), Some(value)) => prop_assert_eq!(to_serde_value(&json), as_floats(&value)),
            (None, Some(_)) => {
                let told = parse_response(text.as_bytes(), Some(ResponseKind::Week)).unwrap_err().errors;
                prop_assert!(told.iter().any(|fault| fault.code == ValidationErrorCode::DuplicateKey), "{} {:?}", text, told);
            }
            (Some(json), None) => prop_assert!(false, "{} is no JSON, but {:?}", text, json),
            (None, None) => {}
        }
    }
}
