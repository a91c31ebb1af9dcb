//! The JSON parser: compared with `serde_json::Value`, and its own errors.

use super::ValidationErrorCode;
use super::errors::ValidationErrors;
use super::json::{self, Json};
use proptest::prelude::*;
use serde_json::Value;

/// The value, or all errors as path and code.
fn parse(text: &str) -> Result<Json, Vec<(String, ValidationErrorCode)>> {
    let mut errors = ValidationErrors::default();
    let value = json::parse(text.as_bytes(), &mut errors);
    let errors: Vec<_> = errors.into_list().into_iter().map(|error| (error.path, error.code)).collect();
    if errors.is_empty() { Ok(value.unwrap()) } else { Err(errors) }
}

/// Converts to a `serde_json` value, without the order of keys.
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
        assert_eq!(parse(text).ok().as_ref().map(to_serde_value), theirs.as_ref().map(as_floats), "{text}");
    }
}

#[test]
fn keys_keep_their_order() {
    let number = |key: &str, number| (key.to_owned(), Json::Number(number));
    assert_eq!(parse(r#"{"b":1,"a":2}"#), Ok(Json::Object(vec![number("b", 1.0), number("a", 2.0)])));
}

#[test]
fn every_duplicate_key_is_reported_with_its_path() {
    let expected = |paths: &[&str]| {
        Err(paths.iter().map(|path| ((*path).to_owned(), ValidationErrorCode::DuplicateKey)).collect())
    };
    assert_eq!(parse(r#"{"a":1,"a":1}"#), expected(&["/a"]));
    let text = r#"{"a":[{"b":1,"b":2},{"b":1,"b":2,"b":3}],"c/d":{},"c/d":{"e":1,"e":2},"a":[]}"#;
    assert_eq!(parse(text), expected(&["/a/0/b", "/a/1/b", "/a/1/b", "/c~1d/e", "/c~1d", "/a"]));
}

#[test]
fn depth_over_the_limit_is_refused_with_its_path() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(parse(&nested(16)).is_ok());
    let too_deep = Err(vec![("/0".repeat(16), ValidationErrorCode::TooDeep)]);
    assert_eq!(parse(&nested(17)), too_deep);
    assert_eq!(parse(&"[".repeat(1000)), too_deep);
    let objects = format!("{}1{}", r#"{"a":"#.repeat(17), "}".repeat(17));
    assert_eq!(parse(&objects), Err(vec![("/a".repeat(16), ValidationErrorCode::TooDeep)]));
}

#[test]
fn syntax_error_is_reported_after_the_duplicate_keys_before_it() {
    assert_eq!(
        parse(r#"{"a":1,"a":2,}"#),
        Err(vec![
            ("/a".to_owned(), ValidationErrorCode::DuplicateKey),
            (String::new(), ValidationErrorCode::Syntax),
        ])
    );
}

/// Random text from pieces of JSON and near-JSON.
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

    /// Duplicate keys are valid JSON, but refused.
    #[test]
    fn parser_accepts_what_serde_json_accepts_except_duplicate_keys(text in pieces()) {
        let theirs = serde_json::from_str::<Value>(&text).ok();
        match (parse(&text), theirs) {
            (Ok(json), Some(value)) => prop_assert_eq!(to_serde_value(&json), as_floats(&value)),
            (Err(errors), Some(_)) => {
                let duplicates = errors.iter().all(|(_, code)| *code == ValidationErrorCode::DuplicateKey);
                prop_assert!(duplicates, "{} {:?}", text, errors);
            }
            (Ok(json), None) => prop_assert!(false, "{} is not JSON, but {:?}", text, json),
            (Err(_), None) => {}
        }
    }
}
