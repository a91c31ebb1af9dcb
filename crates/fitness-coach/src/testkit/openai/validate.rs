//! What real servers refuse.

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

fn must(holds: bool, message: &str) -> Result<(), Refusal> {
    if holds { Ok(()) } else { Err(Refusal::new(400, message)) }
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
pub(super) fn body(body: &Value) -> Result<(), Refusal> {
    let fields = body.as_object().ok_or_else(|| Refusal::new(400, "the body must be an object"))?;
    for field in fields.keys() {
        must(FIELDS.contains(&field.as_str()), &format!("{field} is not a field of a request"))?;
    }
    if body["model"] != "local" {
        return Err(Refusal::new(404, "model not found, try pulling it first"));
    }
    let tools = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    for tool in tools {
        let parameters = &tool["function"]["parameters"];
        must(tool["type"] == "function" && tool["function"]["name"].is_string(), "a tool is a function")?;
        must(parameters["type"] == "object", "parameters must be an object")?;
        grammar(parameters)?;
    }
    let format = &body["response_format"];
    if !format.is_null() {
        must(tools.is_empty(), "Cannot use custom grammar constraints with tools.")?;
        must(format["type"] == "json_schema", "response_format type must be json_schema")?;
        grammar(&format["json_schema"]["schema"])?;
    }
    messages(body)
}

/// What can be turned into a grammar, with an end to everything that repeats.
fn grammar(schema: &Value) -> Result<(), Refusal> {
    let words = schema.as_object().ok_or_else(|| Refusal::new(400, "a schema is an object"))?;
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
        must(KNOWN.contains(&word.as_str()), &format!("failed to parse grammar: {word}"))?;
    }
    let most = schema["maxLength"].as_u64().unwrap_or(0);
    must(most <= 2000, "number of repetitions exceeds sane defaults")?;
    let fixed = words.contains_key("enum") || words.contains_key("const") || words.contains_key("pattern");
    let endless = schema["type"] == "string" && most == 0 && !fixed;
    must(!endless, "this fake wants an end to every text")?;
    if let Some(pattern) = schema["pattern"].as_str() {
        must(
            pattern.starts_with('^') && pattern.ends_with('$'),
            "Pattern must start with '^' and end with '$'",
        )?;
    }
    for inner in schema["properties"].as_object().into_iter().flat_map(|all| all.values()) {
        grammar(inner)?;
    }
    for inner in schema["anyOf"].as_array().into_iter().flatten() {
        grammar(inner)?;
    }
    words.get("items").map_or(Ok(()), grammar)
}

fn messages(body: &Value) -> Result<(), Refusal> {
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    must(!messages.is_empty(), "'messages' is required")?;
    let (mut open, mut last): (Vec<&str>, &str) = (Vec::new(), "");
    for (number, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        let content = &message["content"];
        let calls = message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
        must(content.is_string() || (content.is_null() && !calls.is_empty()), "content must be a text")?;
        match role {
            "system" => must(number == 0, "System message must be at the beginning.")?,
            "tool" => {
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                let place = open.iter().position(|open| *open == id);
                let place = place.ok_or_else(|| Refusal::new(400, "tool_call_id answers no call"))?;
                open.remove(place);
            }
            "user" | "assistant" => {
                must(open.is_empty(), "every call must be answered")?;
                let turns = last != role && (role == "user" || !last.is_empty());
                must(turns, "Conversation roles must alternate user/assistant/user/assistant/...")?;
                for call in calls {
                    let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
                    let sound = serde_json::from_str::<Value>(arguments).is_ok_and(|json| json.is_object());
                    must(call["type"] == "function" && sound, "arguments must be a text of JSON")?;
                    let id = call["id"].as_str().unwrap_or_default();
                    must(!id.is_empty() && !open.contains(&id), "every call has an id of its own")?;
                    open.push(id);
                }
            }
            _ => return Err(Refusal::new(400, "unknown role")),
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
    must(open.is_empty(), "every call must be answered")?;
    must(last != "assistant", "Cannot have an assistant message at the end")
}
