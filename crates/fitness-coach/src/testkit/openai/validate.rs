//! Request validation like that of real servers.

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

    /// As llama.cpp says it.
    pub(super) fn json(&self) -> Value {
        let kind = match self.status {
            401 => "authentication_error",
            404 => "not_found_error",
            429 => "rate_limit_error",
            503 => "unavailable_error",
            500.. => "server_error",
            _ => "invalid_request_error",
        };
        json!({ "error": { "code": self.status, "message": self.message, "type": kind } })
    }
}

fn ensure(holds: bool, message: &str) -> Result<(), RequestError> {
    if holds { Ok(()) } else { Err(RequestError::new(400, message)) }
}

const FIELDS: &[&str] = &[
    "model",
    "messages",
    "max_tokens",
    "temperature",
    "seed",
    "stop",
    "stream",
    "stream_options",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "response_format",
];

/// Everything that can be wrong with a request.
pub(super) fn validate_body(body: &Value) -> Result<(), RequestError> {
    let fields = body.as_object().ok_or_else(|| RequestError::new(400, "the body must be an object"))?;
    for field in fields.keys() {
        ensure(FIELDS.contains(&field.as_str()), &format!("{field} is not a field of a request"))?;
    }
    if body["model"] != "local" {
        return Err(RequestError::new(404, "model not found, try pulling it first"));
    }
    let tools = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    for tool in tools {
        let parameters = &tool["function"]["parameters"];
        ensure(tool["type"] == "function" && tool["function"]["name"].is_string(), "a tool is a function")?;
        ensure(parameters["type"] == "object", "parameters must be an object")?;
        validate_grammar(parameters)?;
    }
    let format = &body["response_format"];
    if !format.is_null() {
        ensure(tools.is_empty(), "Cannot use custom grammar constraints with tools.")?;
        ensure(format["type"] == "json_schema", "response_format type must be json_schema")?;
        validate_grammar(&format["json_schema"]["schema"])?;
    }
    validate_messages(body)
}

/// What can be turned into a grammar, with an end to everything that repeats.
fn validate_grammar(schema: &Value) -> Result<(), RequestError> {
    let words = schema.as_object().ok_or_else(|| RequestError::new(400, "a schema is an object"))?;
    const KNOWN: &[&str] = &[
        "type",
        "enum",
        "const",
        "anyOf",
        "required",
        "properties",
        "items",
        "additionalProperties",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "pattern",
        "minimum",
        "maximum",
    ];
    for word in words.keys() {
        ensure(KNOWN.contains(&word.as_str()), &format!("failed to parse grammar: {word}"))?;
    }
    let most = schema["maxLength"].as_u64().unwrap_or(0);
    ensure(most <= 2000, "number of repetitions exceeds sane defaults")?;
    let fixed = words.contains_key("enum") || words.contains_key("const") || words.contains_key("pattern");
    let endless = schema["type"] == "string" && most == 0 && !fixed;
    ensure(!endless, "this fake wants an end to every text")?;
    if let Some(pattern) = schema["pattern"].as_str() {
        ensure(
            pattern.starts_with('^') && pattern.ends_with('$'),
            "Pattern must start with '^' and end with '$'",
        )?;
    }
    for inner in schema["properties"].as_object().into_iter().flat_map(|all| all.values()) {
        validate_grammar(inner)?;
    }
    for inner in schema["anyOf"].as_array().into_iter().flatten() {
        validate_grammar(inner)?;
    }
    words.get("items").map_or(Ok(()), validate_grammar)
}

fn validate_messages(body: &Value) -> Result<(), RequestError> {
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    ensure(!messages.is_empty(), "'messages' is required")?;
    let (mut open, mut last): (Vec<&str>, &str) = (Vec::new(), "");
    for (number, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        let content = &message["content"];
        let calls = message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
        ensure(content.is_string() || (content.is_null() && !calls.is_empty()), "content must be a text")?;
        match role {
            "system" => ensure(number == 0, "System message must be at the beginning.")?,
            "tool" => {
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                let place = open.iter().position(|open| *open == id);
                let place = place.ok_or_else(|| RequestError::new(400, "tool_call_id answers no call"))?;
                open.remove(place);
            }
            "user" | "assistant" => {
                ensure(open.is_empty(), "every call must be answered")?;
                let turns = last != role && (role == "user" || !last.is_empty());
                ensure(turns, "Conversation roles must alternate user/assistant/user/assistant/...")?;
                for call in calls {
                    let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
                    let sound = serde_json::from_str::<Value>(arguments).is_ok_and(|json| json.is_object());
                    ensure(call["type"] == "function" && sound, "arguments must be a text of JSON")?;
                    let id = call["id"].as_str().unwrap_or_default();
                    ensure(!id.is_empty() && !open.contains(&id), "every call has an id of its own")?;
                    open.push(id);
                }
            }
            _ => return Err(RequestError::new(400, "unknown role")),
        }
        // After calls and their answers it is either side's turn.
        last = if role == "tool" {
            "tool"
        } else if role == "system" {
            ""
        } else {
            role
        };
    }
    ensure(open.is_empty(), "every call must be answered")?;
    ensure(last != "assistant", "Cannot have an assistant message at the end")
}
