//! What the real service refuses.

use super::signature;
use serde_json::{Value, json};

/// A refusal.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: u16,
    message: String,
}

impl Refusal {
    pub(super) fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    /// In the real envelope.
    pub(super) fn json(&self) -> Value {
        let kind = match self.status {
            401 => "authentication_error",
            402 => "billing_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            504 => "timeout_error",
            529 => "overloaded_error",
            500.. => "api_error",
            _ => "invalid_request_error",
        };
        json!({
            "type": "error",
            "error": { "type": kind, "message": self.message },
            "request_id": "req_fake",
        })
    }
}

fn bad(message: impl Into<String>) -> Refusal {
    Refusal::new(400, message)
}

fn must(holds: bool, message: &str) -> Result<(), Refusal> {
    if holds { Ok(()) } else { Err(bad(message)) }
}

const FIELDS: &[&str] = &[
    "model",
    "max_tokens",
    "messages",
    "system",
    "tools",
    "tool_choice",
    "thinking",
    "output_config",
    "cache_control",
    "stream",
    "stop_sequences",
    "metadata",
    "service_tier",
    "speed",
    "inference_geo",
    "diagnostics",
    "container",
];
const MODELS: &[&str] = &["claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5"];

/// Everything that can be wrong with a request. `paused` is what was said before pauses.
pub(super) fn body(body: &Value, version: &str, paused: &[Value]) -> Result<(), Refusal> {
    let fields = body.as_object().ok_or_else(|| bad("the body must be an object"))?;
    for field in fields.keys() {
        let sampled = matches!(field.as_str(), "temperature" | "top_p" | "top_k");
        if sampled && version == "2026-10-21" {
            return Err(bad(format!("{field}: is not supported")));
        }
        must(
            sampled || FIELDS.contains(&field.as_str()),
            &format!("{field}: Extra inputs are not permitted"),
        )?;
    }
    let model = body["model"].as_str().ok_or_else(|| bad("model: Field required"))?;
    if !MODELS.contains(&model) {
        return Err(Refusal::new(404, format!("model: {model}")));
    }
    let most = body["max_tokens"].as_u64().ok_or_else(|| bad("max_tokens: Field required"))?;
    must(most <= 128_000, "max_tokens: is more than 128000, which is the maximum")?;
    let sampled = ["temperature", "top_p", "top_k"].iter().any(|word| fields.contains_key(*word));
    must(!sampled, "temperature, top_p and top_k are not supported by this model")?;
    thinking(body, model)?;
    tools(body, model)?;
    shape(body)?;
    must(breakpoints(body) <= 4, "A maximum of 4 blocks with cache_control may be provided")?;
    system(&body["system"])?;
    messages(body, model, version, paused)
}

fn thinking(body: &Value, model: &str) -> Result<(), Refusal> {
    let thinking = &body["thinking"];
    if thinking.is_null() {
        return Ok(());
    }
    must(thinking.get("budget_tokens").is_none(), "thinking.budget_tokens: is not supported by this model")?;
    let haiku = model.starts_with("claude-haiku");
    match thinking["type"].as_str() {
        Some("adaptive") => {}
        Some("between_tools") if model.starts_with("claude-sonnet") => {}
        Some("disabled") if haiku => {}
        _ => return Err(bad("thinking.type: is not supported by this model")),
    }
    must(
        thinking.get("display").is_none_or(|display| display == "summarized" || display == "omitted"),
        "thinking.display: is neither summarized nor omitted",
    )
}

fn tools(body: &Value, model: &str) -> Result<(), Refusal> {
    let choice = body["tool_choice"]["type"].as_str().unwrap_or("auto");
    must(matches!(choice, "auto" | "any" | "tool" | "none"), "tool_choice.type: is unknown")?;
    let forced = matches!(choice, "any" | "tool");
    must(
        !forced || model.starts_with("claude-haiku"),
        "tool_choice: forcing tools is not supported by this model",
    )?;
    let mut names = Vec::new();
    for tool in body["tools"].as_array().into_iter().flatten() {
        let name = tool["name"].as_str().unwrap_or_default();
        let sound = (1..=128).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        must(sound, "tools.name: must match ^[a-zA-Z0-9_-]{1,128}$")?;
        must(!names.contains(&name), "tools: Tool names must be unique")?;
        names.push(name);
        let schema = &tool["input_schema"];
        must(schema["type"] == "object", "tools.input_schema.type: must be object")?;
        must(jsonschema::validator_for(schema).is_ok(), "tools.input_schema: JSON schema is invalid")?;
    }
    Ok(())
}

fn shape(body: &Value) -> Result<(), Refusal> {
    let config = &body["output_config"];
    for field in config.as_object().into_iter().flat_map(|config| config.keys()) {
        must(matches!(field.as_str(), "format" | "effort"), "output_config: Extra inputs are not permitted")?;
    }
    let effort = config["effort"].as_str().unwrap_or("high");
    must(matches!(effort, "low" | "medium" | "high" | "xhigh" | "max"), "output_config.effort: is unknown")?;
    if config["format"].is_null() {
        return Ok(());
    }
    must(config["format"]["type"] == "json_schema", "output_config.format.type: must be json_schema")?;
    let schema = &config["format"]["schema"];
    must(jsonschema::validator_for(schema).is_ok(), "output_config.format.schema: is invalid")?;
    subset(schema)
}

/// No bounds, and nothing beyond the named keys.
fn subset(schema: &Value) -> Result<(), Refusal> {
    let Some(words) = schema.as_object() else { return Ok(()) };
    const REFUSED: &[&str] = &[
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "maxItems",
        "oneOf",
        "if",
        "then",
        "else",
        "not",
    ];
    for word in REFUSED {
        must(!words.contains_key(*word), &format!("output_config.format.schema: '{word}' is not supported"))?;
    }
    if schema["type"] == "object" {
        must(
            schema["additionalProperties"] == false,
            "output_config.format.schema: 'additionalProperties' must be false",
        )?;
    }
    for named in ["properties", "$defs"] {
        for inner in words.get(named).and_then(Value::as_object).into_iter().flat_map(|all| all.values()) {
            subset(inner)?;
        }
    }
    for inner in ["anyOf", "allOf"].iter().filter_map(|word| words.get(*word)?.as_array()).flatten() {
        subset(inner)?;
    }
    words.get("items").map_or(Ok(()), subset)
}

/// How many there are, wherever they are.
fn breakpoints(value: &Value) -> usize {
    match value {
        Value::Object(fields) => {
            let own = usize::from(fields.get("cache_control").is_some_and(|control| !control.is_null()));
            own + fields.values().map(breakpoints).sum::<usize>()
        }
        Value::Array(all) => all.iter().map(breakpoints).sum(),
        _ => 0,
    }
}

fn system(system: &Value) -> Result<(), Refusal> {
    for block in system.as_array().into_iter().flatten() {
        let text = block["text"].as_str().unwrap_or_default();
        must(block["type"] == "text" && !text.is_empty(), "system: text content blocks must be non-empty")?;
    }
    Ok(())
}

fn messages(body: &Value, model: &str, version: &str, paused: &[Value]) -> Result<(), Refusal> {
    let messages = body["messages"].as_array().ok_or_else(|| bad("messages: Field required"))?;
    must(!messages.is_empty(), "messages: at least one message is required")?;
    must(messages[0]["role"] == "user", "messages: first message must use the user role")?;
    // The ids that the turn before left open.
    let mut open: Vec<String> = Vec::new();
    for (number, turn) in messages.iter().enumerate() {
        let whole = [json!({ "type": "text", "text": turn["content"] })];
        let blocks = turn["content"].as_array().map_or(&whole[..], Vec::as_slice);
        must(!blocks.is_empty(), "messages: content must be non-empty")?;
        match turn["role"].as_str() {
            Some("user") => user(blocks, &mut open, version)?,
            Some("assistant") => {
                must(open.is_empty(), "messages: tool_use ids were found without tool_result blocks")?;
                assistant(blocks, &mut open, model, version)?;
                let last = number + 1 == messages.len();
                must(
                    !last || paused.contains(&turn["content"]),
                    "messages: This model does not support assistant message prefill",
                )?;
            }
            _ => return Err(bad("messages.role: must be user or assistant")),
        }
    }
    must(open.is_empty(), "messages: tool_use ids were found without tool_result blocks")
}

fn text(block: &Value) -> Result<(), Refusal> {
    let words = block["text"].as_str().unwrap_or_default();
    must(!words.is_empty(), "messages: text content blocks must be non-empty")
}

fn user(blocks: &[Value], open: &mut Vec<String>, version: &str) -> Result<(), Refusal> {
    let mut past_results = false;
    for block in blocks {
        match block["type"].as_str() {
            Some("text") => {
                past_results = true;
                text(block)?;
                let cites = block["citations"].as_array().is_some_and(|cites| !cites.is_empty());
                must(!cites || version != "2026-10-21", "messages: citations are not permitted here")?;
            }
            Some("tool_result") => {
                must(!past_results, "messages: tool_result blocks must come first")?;
                let id = block["tool_use_id"].as_str().unwrap_or_default();
                let place = open.iter().position(|open| open == id);
                let place = place.ok_or_else(|| bad("messages: unexpected `tool_use_id` in tool_result"))?;
                open.remove(place);
            }
            _ => return Err(bad("messages: this block is not permitted in a user message")),
        }
    }
    must(open.is_empty(), "messages: tool_use ids were found without tool_result blocks")
}

fn assistant(blocks: &[Value], open: &mut Vec<String>, model: &str, version: &str) -> Result<(), Refusal> {
    for block in blocks {
        let word = |name: &str| block[name].as_str().unwrap_or_default();
        match word("type") {
            "text" => text(block)?,
            "tool_use" => {
                let id = word("id");
                let sound = !id.is_empty()
                    && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
                must(sound, "messages: tool_use.id must match ^[a-zA-Z0-9_-]+$")?;
                must(!open.iter().any(|open| open == id), "messages: tool_use ids must be unique")?;
                must(block["input"].is_object(), "messages: tool_use.input must be a dictionary")?;
                open.push(id.to_owned());
            }
            "thinking" => {
                let keys = block.as_object().map_or(0, serde_json::Map::len);
                let own = word("signature") == signature::sign(model, word("thinking")) && keys == 3;
                must(own, "messages: Invalid `signature` in `thinking` block")?;
            }
            "document" if version == "2026-10-21" => {
                return Err(bad("messages: document blocks are not permitted in an assistant message"));
            }
            _ => return Err(bad("messages: this block is not permitted in an assistant message")),
        }
    }
    Ok(())
}
