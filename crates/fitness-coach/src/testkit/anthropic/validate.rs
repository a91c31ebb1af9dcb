//! Request validation like that of the real API.

use super::signature;
use serde_json::{Value, json};

#[derive(Debug)]
pub(super) struct RequestError {
    pub(super) status: u16,
    message: String,
}

impl RequestError {
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

fn bad_request(message: impl Into<String>) -> RequestError {
    RequestError::new(400, message)
}

fn ensure(holds: bool, message: &str) -> Result<(), RequestError> {
    if holds { Ok(()) } else { Err(bad_request(message)) }
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
pub(super) fn validate_body(body: &Value, version: &str, paused: &[Value]) -> Result<(), RequestError> {
    let fields = body.as_object().ok_or_else(|| bad_request("the body must be an object"))?;
    for field in fields.keys() {
        let sampled = matches!(field.as_str(), "temperature" | "top_p" | "top_k");
        if sampled && version == "2026-10-21" {
            return Err(bad_request(format!("{field}: is not supported")));
        }
        ensure(
            sampled || FIELDS.contains(&field.as_str()),
            &format!("{field}: Extra inputs are not permitted"),
        )?;
    }
    let model = body["model"].as_str().ok_or_else(|| bad_request("model: Field required"))?;
    if !MODELS.contains(&model) {
        return Err(RequestError::new(404, format!("model: {model}")));
    }
    let most = body["max_tokens"].as_u64().ok_or_else(|| bad_request("max_tokens: Field required"))?;
    ensure(most <= 128_000, "max_tokens: is more than 128000, which is the maximum")?;
    let sampled = ["temperature", "top_p", "top_k"].iter().any(|word| fields.contains_key(*word));
    ensure(!sampled, "temperature, top_p and top_k are not supported by this model")?;
    validate_thinking(body, model)?;
    validate_tools(body, model)?;
    validate_output_format(body)?;
    ensure(count_breakpoints(body) <= 4, "A maximum of 4 blocks with cache_control may be provided")?;
    validate_system(&body["system"])?;
    validate_messages(body, model, version, paused)
}

fn validate_thinking(body: &Value, model: &str) -> Result<(), RequestError> {
    let thinking = &body["thinking"];
    if thinking.is_null() {
        return Ok(());
    }
    ensure(
        thinking.get("budget_tokens").is_none(),
        "thinking.budget_tokens: is not supported by this model",
    )?;
    let haiku = model.starts_with("claude-haiku");
    match thinking["type"].as_str() {
        Some("adaptive") => {}
        Some("between_tools") if model.starts_with("claude-sonnet") => {}
        Some("disabled") if haiku => {}
        _ => return Err(bad_request("thinking.type: is not supported by this model")),
    }
    ensure(
        thinking.get("display").is_none_or(|display| display == "summarized" || display == "omitted"),
        "thinking.display: is neither summarized nor omitted",
    )
}

fn validate_tools(body: &Value, model: &str) -> Result<(), RequestError> {
    let choice = body["tool_choice"]["type"].as_str().unwrap_or("auto");
    ensure(matches!(choice, "auto" | "any" | "tool" | "none"), "tool_choice.type: is unknown")?;
    let forced = matches!(choice, "any" | "tool");
    ensure(
        !forced || model.starts_with("claude-haiku"),
        "tool_choice: forcing tools is not supported by this model",
    )?;
    let mut names = Vec::new();
    for tool in body["tools"].as_array().into_iter().flatten() {
        let name = tool["name"].as_str().unwrap_or_default();
        let sound = (1..=128).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        ensure(sound, "tools.name: must match ^[a-zA-Z0-9_-]{1,128}$")?;
        ensure(!names.contains(&name), "tools: Tool names must be unique")?;
        names.push(name);
        let schema = &tool["input_schema"];
        ensure(schema["type"] == "object", "tools.input_schema.type: must be object")?;
        ensure(jsonschema::validator_for(schema).is_ok(), "tools.input_schema: JSON schema is invalid")?;
    }
    Ok(())
}

fn validate_output_format(body: &Value) -> Result<(), RequestError> {
    let config = &body["output_config"];
    for field in config.as_object().into_iter().flat_map(|config| config.keys()) {
        ensure(
            matches!(field.as_str(), "format" | "effort"),
            "output_config: Extra inputs are not permitted",
        )?;
    }
    let effort = config["effort"].as_str().unwrap_or("high");
    ensure(
        matches!(effort, "low" | "medium" | "high" | "xhigh" | "max"),
        "output_config.effort: is unknown",
    )?;
    if config["format"].is_null() {
        return Ok(());
    }
    ensure(config["format"]["type"] == "json_schema", "output_config.format.type: must be json_schema")?;
    let schema = &config["format"]["schema"];
    ensure(jsonschema::validator_for(schema).is_ok(), "output_config.format.schema: is invalid")?;
    validate_schema(schema)
}

/// No bounds, and nothing beyond the named keys.
fn validate_schema(schema: &Value) -> Result<(), RequestError> {
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
        ensure(
            !words.contains_key(*word),
            &format!("output_config.format.schema: '{word}' is not supported"),
        )?;
    }
    if schema["type"] == "object" {
        ensure(
            schema["additionalProperties"] == false,
            "output_config.format.schema: 'additionalProperties' must be false",
        )?;
    }
    for named in ["properties", "$defs"] {
        for inner in words.get(named).and_then(Value::as_object).into_iter().flat_map(|all| all.values()) {
            validate_schema(inner)?;
        }
    }
    for inner in ["anyOf", "allOf"].iter().filter_map(|word| words.get(*word)?.as_array()).flatten() {
        validate_schema(inner)?;
    }
    words.get("items").map_or(Ok(()), validate_schema)
}

/// How many there are, wherever they are.
fn count_breakpoints(value: &Value) -> usize {
    match value {
        Value::Object(fields) => {
            let own = usize::from(fields.get("cache_control").is_some_and(|control| !control.is_null()));
            own + fields.values().map(count_breakpoints).sum::<usize>()
        }
        Value::Array(all) => all.iter().map(count_breakpoints).sum(),
        _ => 0,
    }
}

fn validate_system(system: &Value) -> Result<(), RequestError> {
    for block in system.as_array().into_iter().flatten() {
        let text = block["text"].as_str().unwrap_or_default();
        ensure(block["type"] == "text" && !text.is_empty(), "system: text content blocks must be non-empty")?;
    }
    Ok(())
}

fn validate_messages(body: &Value, model: &str, version: &str, paused: &[Value]) -> Result<(), RequestError> {
    let messages = body["messages"].as_array().ok_or_else(|| bad_request("messages: Field required"))?;
    ensure(!messages.is_empty(), "messages: at least one message is required")?;
    ensure(messages[0]["role"] == "user", "messages: first message must use the user role")?;
    // The ids that the turn before left open.
    let mut open: Vec<String> = Vec::new();
    for (number, turn) in messages.iter().enumerate() {
        let whole = [json!({ "type": "text", "text": turn["content"] })];
        let blocks = turn["content"].as_array().map_or(&whole[..], Vec::as_slice);
        ensure(!blocks.is_empty(), "messages: content must be non-empty")?;
        match turn["role"].as_str() {
            Some("user") => validate_user(blocks, &mut open, version)?,
            Some("assistant") => {
                ensure(open.is_empty(), "messages: tool_use ids were found without tool_result blocks")?;
                validate_assistant(blocks, &mut open, model, version)?;
                let last = number + 1 == messages.len();
                ensure(
                    !last || paused.contains(&turn["content"]),
                    "messages: This model does not support assistant message prefill",
                )?;
            }
            _ => return Err(bad_request("messages.role: must be user or assistant")),
        }
    }
    ensure(open.is_empty(), "messages: tool_use ids were found without tool_result blocks")
}

fn validate_text(block: &Value) -> Result<(), RequestError> {
    let words = block["text"].as_str().unwrap_or_default();
    ensure(!words.is_empty(), "messages: text content blocks must be non-empty")
}

fn validate_user(blocks: &[Value], open: &mut Vec<String>, version: &str) -> Result<(), RequestError> {
    let mut past_results = false;
    for block in blocks {
        match block["type"].as_str() {
            Some("text") => {
                past_results = true;
                validate_text(block)?;
                let cites = block["citations"].as_array().is_some_and(|cites| !cites.is_empty());
                ensure(!cites || version != "2026-10-21", "messages: citations are not permitted here")?;
            }
            Some("tool_result") => {
                ensure(!past_results, "messages: tool_result blocks must come first")?;
                let id = block["tool_use_id"].as_str().unwrap_or_default();
                let place = open.iter().position(|open| open == id);
                let place =
                    place.ok_or_else(|| bad_request("messages: unexpected `tool_use_id` in tool_result"))?;
                open.remove(place);
            }
            _ => return Err(bad_request("messages: this block is not permitted in a user message")),
        }
    }
    ensure(open.is_empty(), "messages: tool_use ids were found without tool_result blocks")
}

fn validate_assistant(
    blocks: &[Value],
    open: &mut Vec<String>,
    model: &str,
    version: &str,
) -> Result<(), RequestError> {
    for block in blocks {
        let word = |name: &str| block[name].as_str().unwrap_or_default();
        match word("type") {
            "text" => validate_text(block)?,
            "tool_use" => {
                let id = word("id");
                let sound = !id.is_empty()
                    && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
                ensure(sound, "messages: tool_use.id must match ^[a-zA-Z0-9_-]+$")?;
                ensure(!open.iter().any(|open| open == id), "messages: tool_use ids must be unique")?;
                ensure(block["input"].is_object(), "messages: tool_use.input must be a dictionary")?;
                open.push(id.to_owned());
            }
            "thinking" => {
                let keys = block.as_object().map_or(0, serde_json::Map::len);
                let own = word("signature") == signature::sign(model, word("thinking")) && keys == 3;
                ensure(own, "messages: Invalid `signature` in `thinking` block")?;
            }
            "document" if version == "2026-10-21" => {
                return Err(bad_request(
                    "messages: document blocks are not permitted in an assistant message",
                ));
            }
            _ => return Err(bad_request("messages: this block is not permitted in an assistant message")),
        }
    }
    Ok(())
}
