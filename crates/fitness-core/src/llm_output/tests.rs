//! The text reader against `serde_json`: what has no fault here is JSON there, and the other way round.

use super::errors::Faults;
use super::json::{self, Json};
use super::{FaultCode, Kind, check};
use proptest::prelude::*;
use serde_json::Value;

/// What our reader says a text is; `None` where it finds a fault.
fn ours(text: &str) -> Option<Json> {
    let mut faults = Faults::default();
    let value = json::read(text.as_bytes(), "athlete_message", &mut faults);
    value.filter(|_| faults.is_empty())
}

/// The same value as the other parser holds it, without the order of its keys.
fn plain(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => (*value).into(),
        Json::Number(number) => (*number).into(),
        Json::String(text) => text.clone().into(),
        Json::Array(entries) => entries.iter().map(plain).collect(),
        Json::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), plain(value))).collect(),
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
fn what_is_json_is_read_and_what_is_not_is_refused() {
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
        assert_eq!(ours(text).as_ref().map(plain), theirs.as_ref().map(as_floats), "{text}");
    }
}

#[test]
fn a_key_is_there_once_and_depth_has_an_end() {
    assert!(ours(r#"{"a":1,"b":2}"#).is_some());
    assert!(ours(r#"{"a":1,"a":1}"#).is_none());
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(ours(&nested(16)).is_some());
    assert!(ours(&nested(17)).is_none());
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
        match (ours(&text), theirs) {
            (Some(json), Some(value)) => prop_assert_eq!(plain(&json), as_floats(&value)),
            (None, Some(_)) => {
                let told = check(text.as_bytes(), Some(Kind::Week)).unwrap_err().faults;
                prop_assert!(told.iter().any(|fault| fault.code == FaultCode::DuplicateKey), "{} {:?}", text, told);
            }
            (Some(json), None) => prop_assert!(false, "{} is no JSON, but {:?}", text, json),
            (None, None) => {}
        }
    }
}
