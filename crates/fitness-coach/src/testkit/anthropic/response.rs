//! The response stream.

use super::signature;
use super::token_usage::TokenCount;
use super::validate::RequestError;
use crate::testkit::scenario::{self, Frame, SpecialFrames};
use crate::testkit::{Block, ScriptedReply, ScriptedStop};
use fitness_http::testkit::Response;
use serde_json::{Value, json};

pub(super) fn build_message(
    say: &mut ScriptedReply,
    body: &Value,
    issued: &mut usize,
    usage: TokenCount,
) -> Result<Value, RequestError> {
    let model = body["model"].as_str().unwrap_or_default();
    let cut = scenario::truncate_blocks(&mut say.blocks, body["max_tokens"].as_u64().unwrap_or(0));
    let mut content = Vec::new();
    for block in &say.blocks {
        *issued += 1;
        content.push(match block {
            Block::Text(text) => json!({ "type": "text", "text": text, "citations": null }),
            Block::Thought(thought) => {
                let signature = signature::sign(model, thought);
                json!({ "type": "thinking", "thinking": thought, "signature": signature })
            }
            Block::Call(tool, input) => {
                check_strict_tool(body, tool, input)?;
                json!({ "type": "tool_use", "id": format!("toolu_{issued:04}"), "name": tool, "input": input })
            }
            Block::BrokenCall(tool, text) => {
                let input = serde_json::from_str(text).unwrap_or_else(|_| json!({}));
                json!({ "type": "tool_use", "id": format!("toolu_{issued:04}"), "name": tool, "input": input })
            }
        });
    }
    let calls = say.blocks.iter().any(|block| matches!(block, Block::Call(..) | Block::BrokenCall(..)));
    let (reason, details) = match (&say.stop, cut) {
        (_, true) | (Some(ScriptedStop::Length), _) => ("max_tokens", Value::Null),
        (Some(ScriptedStop::Refusal(why)), _) => {
            ("refusal", json!({ "type": "refusal", "category": "general_harms", "explanation": why }))
        }
        (Some(ScriptedStop::Pause), _) => ("pause_turn", Value::Null),
        (Some(ScriptedStop::Unknown), _) => ("moonstruck", Value::Null),
        (None, false) if calls => ("tool_use", Value::Null),
        (None, false) => ("end_turn", Value::Null),
    };
    *issued += 1;
    Ok(json!({
        "id": format!("msg_{issued:04}"),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": reason,
        "stop_sequence": null,
        "stop_details": details,
        "usage": {
            "input_tokens": usage.input,
            "cache_creation_input_tokens": usage.cache_write,
            "cache_read_input_tokens": usage.cache_read,
            "cache_creation": { "ephemeral_5m_input_tokens": usage.cache_write, "ephemeral_1h_input_tokens": 0 },
            "output_tokens": scenario::output_tokens(&say.blocks),
            "service_tier": "standard",
        },
    }))
}

/// A strict tool is never called with anything else than its schema says, not even by a script.
fn check_strict_tool(body: &Value, tool: &str, input: &Value) -> Result<(), RequestError> {
    let tools = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    let spec = tools.iter().find(|spec| spec["name"] == tool && spec["strict"] == true);
    if spec.is_some_and(|spec| !jsonschema::is_valid(&spec["input_schema"], input)) {
        return Err(RequestError::new(500, "the script breaks the schema of a strict tool"));
    }
    Ok(())
}

/// The same as a stream.
pub(super) fn stream(say: &ScriptedReply, said: &Value) -> Response {
    let mut frames = Vec::new();
    let mut push = |name: &'static str, mut data: Value| {
        data["type"] = name.into();
        frames.push(Frame { name: Some(name), data: data.to_string() });
    };
    let mut start = said.clone();
    for (field, value) in
        [("content", json!([])), ("stop_reason", Value::Null), ("stop_details", Value::Null)]
    {
        start[field] = value;
    }
    start["usage"]["output_tokens"] = 1.into();
    push("message_start", json!({ "message": start }));
    let content = said["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    for (index, (block, whole)) in say.blocks.iter().zip(content).enumerate() {
        let mut begun = whole.clone();
        let mut deltas = Vec::new();
        let mut add = |kind: &str, field: &str, text: &str| {
            for piece in text_chunks(text) {
                deltas.push(json!({ "type": kind, field: piece }));
            }
        };
        match block {
            Block::Text(text) => {
                begun["text"] = "".into();
                add("text_delta", "text", text);
            }
            Block::Thought(thought) => {
                begun["thinking"] = "".into();
                begun["signature"] = "".into();
                add("thinking_delta", "thinking", thought);
                // In one piece: the official client keeps the last one.
                deltas.push(json!({ "type": "signature_delta", "signature": whole["signature"] }));
            }
            Block::Call(_, input) => {
                begun["input"] = json!({});
                add("input_json_delta", "partial_json", "");
                // Without arguments nothing more comes.
                if input.as_object().is_some_and(|input| !input.is_empty()) {
                    add("input_json_delta", "partial_json", &input.to_string());
                }
            }
            Block::BrokenCall(_, text) => {
                begun["input"] = json!({});
                add("input_json_delta", "partial_json", text);
            }
        }
        push("content_block_start", json!({ "index": index, "content_block": begun }));
        for delta in deltas {
            push("content_block_delta", json!({ "index": index, "delta": delta }));
        }
        push("content_block_stop", json!({ "index": index }));
    }
    let delta = json!({
        "stop_reason": said["stop_reason"],
        "stop_sequence": null,
        "stop_details": said["stop_details"],
    });
    push("message_delta", json!({ "delta": delta, "usage": said["usage"] }));
    push("message_stop", json!({}));
    Response::stream(scenario::steps(say, frames, &special_frames()))
}

/// Text in pieces of a few letters; one empty piece where there is none.
fn text_chunks(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let mut pieces: Vec<String> = letters.chunks(7).map(|letters| letters.iter().collect()).collect();
    if pieces.is_empty() {
        pieces.push(String::new());
    }
    pieces
}

fn special_frames() -> SpecialFrames {
    let frame = |name, data: Value| Frame { name: Some(name), data: data.to_string() };
    let delta = |delta: Value| json!({ "type": "content_block_delta", "index": 0, "delta": delta });
    SpecialFrames {
        ping: frame("ping", json!({ "type": "ping" })),
        unknown: vec![
            frame("moon_phase", json!({ "type": "moon_phase", "phase": "waxing" })),
            frame("content_block_delta", delta(json!({ "type": "moon_delta", "moon": "x" }))),
        ],
        flood: frame("content_block_delta", delta(json!({ "type": "text_delta", "text": "x".repeat(4000) }))),
        error: |kind| {
            let error = json!({ "type": "error", "error": { "type": kind, "message": "scripted" } });
            Frame { name: Some("error"), data: error.to_string() }
        },
    }
}
