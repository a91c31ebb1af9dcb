//! Proptest strategy for JSON made of the words that the APIs use, to test that nothing panics.

use proptest::prelude::*;
use serde_json::{Value, json};

const WORDS: &[&str] = &[
    "type",
    "index",
    "content_block",
    "delta",
    "text",
    "text_delta",
    "partial_json",
    "input_json_delta",
    "thinking",
    "thinking_delta",
    "signature",
    "signature_delta",
    "tool_use",
    "id",
    "name",
    "input",
    "message",
    "usage",
    "input_tokens",
    "output_tokens",
    "stop_reason",
    "stop_details",
    "refusal",
    "error",
    "overloaded_error",
    "choices",
    "content",
    "tool_calls",
    "function",
    "arguments",
    "finish_reason",
    "stop",
    "length",
    "prompt_tokens",
    "completion_tokens",
    "prompt_tokens_details",
    "cached_tokens",
    "reasoning_content",
    "code",
    "properties",
    "items",
    "anyOf",
    "$ref",
    "#",
    "#/properties",
    "enum",
    "const",
    "string",
    "object",
    "array",
    "integer",
    "maxLength",
    "pattern",
];

fn word() -> impl Strategy<Value = String> {
    prop_oneof![prop::sample::select(WORDS).prop_map(str::to_owned), "[ -~äö{}\"]{0,6}"]
}

pub(super) fn arbitrary_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0_u64..4).prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        word().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((word(), inner), 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Something that looks like an event of either dialect, with anything in it.
pub(super) fn arbitrary_event() -> impl Strategy<Value = (String, Vec<u8>)> {
    let name = prop::sample::select(
        &[
            "",
            "message_start",
            "content_block_start",
            "content_block_delta",
            "message_delta",
            "message_stop",
            "ping",
        ][..],
    );
    let kind = prop::sample::select(
        &[
            "text",
            "tool_use",
            "thinking",
            "moon",
            "text_delta",
            "input_json_delta",
            "thinking_delta",
            "signature_delta",
        ][..],
    );
    (name, kind, 0_u64..3, arbitrary_json(), arbitrary_json()).prop_map(|(name, kind, index, one, other)| {
        let mut block = json!({
            "type": kind, "text": one, "partial_json": one, "thinking": other, "signature": one, "content": one,
            "tool_calls": [other, { "index": index, "id": one, "function": { "name": kind, "arguments": other } }],
        });
        if let Value::Object(more) = &other {
            block.as_object_mut().expect("it is one").extend(more.clone());
        }
        let whole = json!({
            "type": name, "index": index, "content_block": block, "delta": block, "message": other, "usage": one,
            "choices": [{ "delta": block, "finish_reason": one }], "stop_reason": one,
        });
        let data = if index == 2 { one.to_string() } else { whole.to_string() };
        (name.to_owned(), data.into_bytes())
    })
}
