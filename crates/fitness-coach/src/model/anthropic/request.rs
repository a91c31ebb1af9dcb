//! The request body.
//!
//! Everything that is the same for every athlete and day comes first, byte for byte, and ends in a
//! cache breakpoint. A conversation with tools gets breakpoints at its last two turns.

use super::schema;
use crate::model::catalog::{ModelInfo, ThinkingMode};
use crate::model::normalize_messages::{ModelContent, ToolResult, Turn, normalize};
use crate::model::{ModelPart, Request};
use serde::Serialize;
use serde_json::{Value, json};

#[derive(Serialize)]
struct Body<'a> {
    model: &'static str,
    max_tokens: u32,
    stream: bool,
    thinking: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Value>,
    messages: Vec<WireMessage<'a>>,
}

#[derive(Serialize)]
struct WireMessage<'a> {
    role: &'a str,
    content: Vec<Value>,
}

/// The request as it is sent; `paused` is what the model said before it paused.
pub(super) fn body(entry: &ModelInfo, request: &Request, paused: &[ModelPart]) -> String {
    let mut tools: Vec<Value> = request
        .tools
        .iter()
        .map(|tool| {
            json!({
                "name": tool.name,
                "description": tool.description,
                "input_schema": tool.input_schema,
            })
        })
        .collect();
    let mut system = Vec::new();
    if !request.system.trim().is_empty() {
        system.push(json!({ "type": "text", "text": request.system }));
    }
    if let Some(last) = system.last_mut().or(tools.last_mut()) {
        set_cache_control(last);
    }
    let mut messages: Vec<WireMessage<'_>> =
        normalize(&request.messages, entry.id).iter().map(|turn| wire_message(turn)).collect();
    if !tools.is_empty() {
        let turns = messages.iter_mut().rev().filter(|turn| turn.role == "user").take(2);
        turns.filter_map(|turn| turn.content.last_mut()).for_each(set_cache_control);
    }
    if !paused.is_empty() {
        messages.push(WireMessage { role: "assistant", content: paused.iter().map(wire_part).collect() });
    }
    let thinking = match entry.thinking {
        ThinkingMode::Adaptive => json!({ "type": "adaptive", "display": "summarized" }),
    };
    let output_config = request
        .response_schema
        .as_ref()
        .map(|shape| json!({ "format": { "type": "json_schema", "schema": schema::strip_unsupported(&shape.schema) } }));
    let body = Body {
        model: entry.id,
        max_tokens: request.max_tokens.clamp(1, entry.max_output_tokens),
        stream: true,
        thinking,
        output_config,
        tools,
        system,
        messages,
    };
    serde_json::to_string(&body).expect("text, numbers and values are JSON")
}

fn wire_message(turn: &Turn<'_>) -> WireMessage<'static> {
    match turn {
        Turn::User { results: answers, texts } => {
            let answers = answers.iter().map(|ToolResult { call, text, refused }| {
                let mut block = json!({ "type": "tool_result", "tool_use_id": call, "content": text });
                if *refused {
                    block["is_error"] = true.into();
                }
                block
            });
            let texts = texts.iter().map(|text| json!({ "type": "text", "text": text }));
            WireMessage { role: "user", content: answers.chain(texts).collect() }
        }
        Turn::Model(said) => WireMessage {
            role: "assistant",
            content: said
                .iter()
                .map(|said| match said {
                    ModelContent::Text(text) => json!({ "type": "text", "text": text }),
                    ModelContent::Call { id, tool, input } => tool_use_block(id, tool, input),
                    ModelContent::Opaque(raw) => (*raw).clone(),
                })
                .collect(),
        },
    }
}

/// What the model said a moment ago, back to the same model.
fn wire_part(part: &ModelPart) -> Value {
    match part {
        ModelPart::Text { text } => json!({ "type": "text", "text": text }),
        ModelPart::Call { id, tool, input } => tool_use_block(id, tool, input),
        ModelPart::Sealed { raw } => raw.clone(),
    }
}

fn tool_use_block(id: &str, tool: &str, input: &Value) -> Value {
    // What is not an object was refused by its tool, and would be refused here.
    let input = if input.is_object() { input.clone() } else { json!({}) };
    json!({ "type": "tool_use", "id": id, "name": tool, "input": input })
}

fn set_cache_control(block: &mut Value) {
    block["cache_control"] = json!({ "type": "ephemeral" });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::catalog::ClaudeModel;
    use crate::model::{Message, ResponseSchema, ToolSpec, UserPart};

    fn request(messages: Vec<Message>) -> Request {
        Request {
            system: "You coach.".to_owned(),
            tools: vec![
                ToolSpec { name: "look", description: "Looks.", input_schema: json!({"type": "object"}) },
                ToolSpec { name: "ask", description: "Asks.", input_schema: json!({"type": "object"}) },
            ],
            messages,
            response_schema: None,
            max_tokens: 1000,
        }
    }

    fn user_message(text: &str) -> Message {
        Message::Program { parts: vec![UserPart::Text { text: text.to_owned() }] }
    }

    fn request_body(request: &Request) -> Value {
        serde_json::from_str(&body(ClaudeModel::Sonnet.info(), request, &[])).unwrap()
    }

    #[test]
    fn what_is_cached_is_the_same_for_every_athlete_and_every_day() {
        let prefix = |messages, max_tokens| {
            let whole = body(ClaudeModel::Sonnet.info(), &Request { max_tokens, ..request(messages) }, &[]);
            let cut = |text: &str| whole.find(text).unwrap();
            whole[cut("\"tools\":")..cut("\"messages\":")].to_owned()
        };
        let ann = prefix(vec![user_message("I am Ann. It is 2026-06-14.")], 100);
        let bob = prefix(
            vec![
                user_message("I am Bob. It is 2026-06-15."),
                Message::Model {
                    name: "claude-sonnet-5-5".to_owned(),
                    parts: vec![ModelPart::Call {
                        id: "x".to_owned(),
                        tool: "look".to_owned(),
                        input: json!({}),
                    }],
                },
                user_message("hm"),
            ],
            900,
        );
        assert_eq!(ann, bob);
        assert_eq!(
            ann,
            r#""tools":[{"description":"Looks.","input_schema":{"type":"object"},"name":"look"},{"description":"Asks.","input_schema":{"type":"object"},"name":"ask"}],"system":[{"cache_control":{"type":"ephemeral"},"text":"You coach.","type":"text"}],"#
        );
    }

    #[test]
    fn nothing_is_sent_that_this_version_refuses() {
        let sent = request_body(&request(vec![user_message("hello")]));
        let keys: Vec<&String> = sent.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["max_tokens", "messages", "model", "stream", "system", "thinking", "tools"]);
        assert_eq!(sent["thinking"], json!({"type": "adaptive", "display": "summarized"}));
    }

    #[test]
    fn there_are_never_more_than_four_breakpoints_and_none_in_a_single_question() {
        let mut messages = Vec::new();
        for number in 0..9 {
            messages.push(user_message(&format!("question {number}")));
            let parts = vec![ModelPart::Text { text: "answer".to_owned() }];
            messages.push(Message::Model { name: "x".to_owned(), parts });
        }
        messages.push(user_message("last"));
        let long = request(messages);
        assert_eq!(request_body(&long).to_string().matches("cache_control").count(), 3);
        let shaped = Request {
            tools: Vec::new(),
            response_schema: Some(ResponseSchema { name: "brief", schema: json!({"type": "object"}) }),
            ..request(vec![user_message("brief me")])
        };
        let shaped = request_body(&shaped);
        assert_eq!(shaped["messages"].to_string().matches("cache_control").count(), 0);
        assert_eq!(
            shaped["output_config"],
            json!({"format": {"type": "json_schema", "schema": {"type": "object", "additionalProperties": false}}})
        );
        let bare = Request { system: String::new(), ..request(vec![user_message("hello")]) };
        assert_eq!(request_body(&bare)["tools"][1]["cache_control"], json!({"type": "ephemeral"}));
        assert_eq!(request_body(&bare).get("system"), None);
    }

    #[test]
    fn more_than_a_model_can_write_is_not_asked_for() {
        let long = Request { max_tokens: u32::MAX, ..request(vec![user_message("hello")]) };
        assert_eq!(request_body(&long)["max_tokens"], 128_000);
        let none = Request { max_tokens: 0, ..request(vec![user_message("hello")]) };
        assert_eq!(request_body(&none)["max_tokens"], 1);
    }
}
