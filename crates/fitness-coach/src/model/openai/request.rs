//! What is sent.

use super::Calls;
use super::json_tools;
use super::schema;
use crate::model::transcript::{Said, Turn, tidy};
use crate::model::{Part, Request, ToolSpec};
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
    response_format: Option<Format<'a>>,
    messages: Vec<Value>,
}

#[derive(Serialize)]
struct Format<'a> {
    r#type: &'static str,
    json_schema: Named<'a>,
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
    strict: bool,
    schema: Box<RawValue>,
}

impl<'a> Format<'a> {
    fn new(name: &'a str, schema: Box<RawValue>) -> Self {
        Self { r#type: "json_schema", json_schema: Named { name, strict: true, schema } }
    }
}

impl Body<'_> {
    fn text(&self) -> String {
        serde_json::to_string(self).expect("text, numbers and values are JSON")
    }
}

/// The request as it is sent; how calls travel is `None` where there are no tools.
pub(super) fn body(model: &str, request: &Request, calls: Option<Calls>) -> String {
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
    match (calls, &request.shape) {
        (Some(Calls::Native), _) => body.tools = request.tools.iter().map(function).collect(),
        (Some(Calls::Enveloped), _) => {
            system.push_str(&json_tools::explain(&request.tools));
            body.response_format = Some(Format::new("call", json_tools::shape(&request.tools)));
        }
        (None, Some(shape)) => {
            let schema = to_raw_value(&schema::plain(&shape.schema)).expect("a value is JSON");
            body.response_format = Some(Format::new(shape.name, schema));
        }
        (None, None) => {}
    }
    if !system.trim().is_empty() {
        body.messages.push(json!({ "role": "system", "content": system }));
    }
    let mut tools = BTreeMap::new();
    for turn in tidy(&request.messages, model) {
        match calls {
            Some(Calls::Native) => native(&turn, &mut body.messages),
            _ => body.messages.push(as_text(&turn, &mut tools, calls.is_some())),
        }
    }
    body.text()
}

fn function(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": schema::plain(&tool.input_schema),
        },
    })
}

/// A turn in the server's own words.
fn native(turn: &Turn<'_>, messages: &mut Vec<Value>) {
    match turn {
        Turn::Program { answers, texts } => {
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
                    Said::Text(text) => content.push_str(text),
                    Said::Call { id, tool, input } => calls.push(json!({
                        "id": id,
                        "type": "function",
                        "function": { "name": tool, "arguments": object(input).to_string() },
                    })),
                    Said::Sealed(_) => {}
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
fn as_text<'a>(turn: &Turn<'a>, tools: &mut BTreeMap<String, &'a str>, enveloped: bool) -> Value {
    match turn {
        Turn::Program { answers, texts } => {
            let results = answers.iter().map(|answer| {
                let tool = tools.get(&answer.call).copied().unwrap_or("a tool");
                let what = if answer.refused { "Refused by" } else { "Result of" };
                format!("{what} {tool}:\n{}", answer.text)
            });
            let all: Vec<String> = results.chain(texts.iter().map(|text| (*text).to_owned())).collect();
            json!({ "role": "user", "content": all.join("\n\n") })
        }
        Turn::Model(said) => {
            let called = said.iter().any(|said| matches!(said, Said::Call { .. }));
            let mut lines = Vec::new();
            for said in said {
                match said {
                    Said::Text(text) if enveloped && !called => {
                        lines.push(json_tools::seal(json_tools::FINAL, &json!({ "text": text })));
                    }
                    Said::Text(text) => lines.push((*text).to_owned()),
                    Said::Call { id, tool, input } => {
                        tools.insert(id.clone(), tool);
                        lines.push(json_tools::seal(tool, &object(input)));
                    }
                    Said::Sealed(_) => {}
                }
            }
            json!({ "role": "assistant", "content": lines.join("\n") })
        }
    }
}

fn object(input: &Value) -> Value {
    if input.is_object() { input.clone() } else { json!({}) }
}

/// The tool with which a server is tried.
const PROBE: &str = "say_ready";
const WORD: &str = "heron";

/// Asks for one harmless call.
pub(super) fn probe(model: &str) -> String {
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
            "function": { "name": PROBE, "description": "Says that you are ready.", "parameters": parameters },
        })],
        response_format: None,
        messages: vec![json!({
            "role": "user",
            "content": format!("Call the tool {PROBE} with the word {WORD}. Do not write anything else."),
        })],
    };
    body.text()
}

/// Whether this is the call that was asked for.
pub(super) fn is_the_probe(part: &Part) -> bool {
    matches!(part, Part::Call { tool, input, .. } if tool == PROBE && input["word"] == WORD)
}
