//! The request body.

use super::ToolCallMode;
use super::json_tools;
use super::schema;
use crate::model::normalize_messages::{ModelContent, Turn, normalize};
use crate::model::{ModelPart, Request, ToolSpec};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    stream_options: Value,
    max_tokens: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
    messages: Vec<Value>,
}

#[derive(Serialize)]
struct ResponseFormat<'a> {
    r#type: &'static str,
    json_schema: JsonSchemaFormat<'a>,
}

#[derive(Serialize)]
struct JsonSchemaFormat<'a> {
    name: &'a str,
    strict: bool,
    schema: Box<RawValue>,
}

impl<'a> ResponseFormat<'a> {
    fn new(name: &'a str, schema: Box<RawValue>) -> Self {
        Self { r#type: "json_schema", json_schema: JsonSchemaFormat { name, strict: true, schema } }
    }
}

impl Body<'_> {
    fn to_json(&self) -> String {
        serde_json::to_string(self).expect("text, numbers and values are JSON")
    }
}

/// The request as it is sent; how calls travel is `None` where there are no tools.
pub(super) fn body(model: &str, request: &Request, calls: Option<ToolCallMode>) -> String {
    let mut system = request.system.clone();
    let mut body = Body {
        model,
        stream: true,
        stream_options: json!({ "include_usage": true }),
        max_tokens: request.max_tokens.max(1),
        tools: Vec::new(),
        response_format: None,
        messages: Vec::new(),
    };
    match (calls, &request.response_schema) {
        (Some(ToolCallMode::Native), _) => body.tools = request.tools.iter().map(function_spec).collect(),
        (Some(ToolCallMode::Enveloped), _) => {
            system.push_str(&json_tools::instructions(&request.tools));
            body.response_format =
                Some(ResponseFormat::new("call", json_tools::response_schema(&request.tools)));
        }
        (None, Some(shape)) => {
            let schema = to_raw_value(&schema::simplify(&shape.schema)).expect("a value is JSON");
            body.response_format = Some(ResponseFormat::new(shape.name, schema));
        }
        (None, None) => {}
    }
    if !system.trim().is_empty() {
        body.messages.push(json!({ "role": "system", "content": system }));
    }
    let mut tools = BTreeMap::new();
    for turn in normalize(&request.messages, model) {
        match calls {
            Some(ToolCallMode::Native) => push_native_messages(&turn, &mut body.messages),
            _ => body.messages.push(text_message(&turn, &mut tools, calls.is_some())),
        }
    }
    body.to_json()
}

fn function_spec(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": schema::simplify(&tool.input_schema),
        },
    })
}

/// A turn in the server's own words.
fn push_native_messages(turn: &Turn<'_>, messages: &mut Vec<Value>) {
    match turn {
        Turn::User { results: answers, texts } => {
            for answer in answers {
                let content = if answer.refused {
                    format!("Refused: {}", answer.text)
                } else {
                    answer.text.to_string()
                };
                messages.push(json!({ "role": "tool", "tool_call_id": answer.call, "content": content }));
            }
            if !texts.is_empty() {
                messages.push(json!({ "role": "user", "content": texts.join("\n\n") }));
            }
        }
        Turn::Model(said) => {
            let (mut content, mut calls) = (String::new(), Vec::new());
            for said in said {
                match said {
                    ModelContent::Text(text) => content.push_str(text),
                    ModelContent::Call { id, tool, input } => calls.push(json!({
                        "id": id,
                        "type": "function",
                        "function": { "name": tool, "arguments": object_or_empty(input).to_string() },
                    })),
                    ModelContent::Opaque(_) => {}
                }
            }
            let mut message = json!({ "role": "assistant", "content": content });
            if !calls.is_empty() {
                message["tool_calls"] = calls.into();
            }
            messages.push(message);
        }
    }
}

/// A turn as text. One message for each, since some models want the sides to take turns.
fn text_message<'a>(turn: &Turn<'a>, tools: &mut BTreeMap<String, &'a str>, enveloped: bool) -> Value {
    match turn {
        Turn::User { results: answers, texts } => {
            let results = answers.iter().map(|answer| {
                let tool = tools.get(&answer.call).copied().unwrap_or("a tool");
                let what = if answer.refused { "Refused by" } else { "Result of" };
                format!("{what} {tool}:\n{}", answer.text)
            });
            let all: Vec<String> = results.chain(texts.iter().map(|text| (*text).to_owned())).collect();
            json!({ "role": "user", "content": all.join("\n\n") })
        }
        Turn::Model(said) => {
            let called = said.iter().any(|said| matches!(said, ModelContent::Call { .. }));
            let mut lines = Vec::new();
            for said in said {
                match said {
                    ModelContent::Text(text) if enveloped && !called => {
                        lines.push(json_tools::encode_call(
                            json_tools::FINAL_ANSWER_TOOL,
                            &json!({ "text": text }),
                        ));
                    }
                    ModelContent::Text(text) => lines.push((*text).to_owned()),
                    ModelContent::Call { id, tool, input } => {
                        tools.insert(id.clone(), tool);
                        lines.push(json_tools::encode_call(tool, &object_or_empty(input)));
                    }
                    ModelContent::Opaque(_) => {}
                }
            }
            json!({ "role": "assistant", "content": lines.join("\n") })
        }
    }
}

fn object_or_empty(input: &Value) -> Value {
    if input.is_object() { input.clone() } else { json!({}) }
}

/// The tool with which a server is tried.
const PROBE_TOOL: &str = "say_ready";
const PROBE_WORD: &str = "heron";

/// Asks for one harmless call.
pub(super) fn probe_body(model: &str) -> String {
    let parameters = json!({
        "type": "object",
        "properties": { "word": { "type": "string", "maxLength": 20 } },
        "required": ["word"],
        "additionalProperties": false,
    });
    let body = Body {
        model,
        stream: true,
        stream_options: json!({ "include_usage": true }),
        max_tokens: 512,
        tools: vec![json!({
            "type": "function",
            "function": { "name": PROBE_TOOL, "description": "Says that you are ready.", "parameters": parameters },
        })],
        response_format: None,
        messages: vec![json!({
            "role": "user",
            "content": format!("Call the tool {PROBE_TOOL} with the word {PROBE_WORD}. Do not write anything else."),
        })],
    };
    body.to_json()
}

/// Whether this is the call that was asked for.
pub(super) fn is_probe_call(part: &ModelPart) -> bool {
    matches!(part, ModelPart::Call { tool, input, .. } if tool == PROBE_TOOL && input["word"] == PROBE_WORD)
}
