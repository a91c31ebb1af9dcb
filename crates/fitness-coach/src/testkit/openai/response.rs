//! The response stream.

use super::ToolSupport;
use crate::testkit::scenario::{self, Frame, SpecialFrames};
use crate::testkit::{Block, ScriptedReply, ScriptedStop};
use fitness_http::testkit::Response;
use serde_json::{Value, json};

/// Whether a call is to be an answer of a certain shape.
pub(super) fn is_json_tools(body: &Value) -> bool {
    let any = &body["response_format"]["json_schema"]["schema"]["anyOf"][0];
    any["properties"]["tool"].is_object() && any["properties"]["arguments"].is_object()
}

/// An answer in the words of this dialect.
pub(super) struct Completion {
    number: usize,
    content: String,
    thought: String,
    calls: Vec<(String, String)>,
    reason: &'static str,
    usage: Value,
    ollama: bool,
}

/// Turns what a script says into what this server would send.
pub(super) fn build_completion(
    say: &mut ScriptedReply,
    body: &Value,
    ability: ToolSupport,
    issued: &mut usize,
    (prompt, cached): (u64, u64),
) -> Completion {
    let cut = scenario::truncate_blocks(&mut say.blocks, body["max_tokens"].as_u64().unwrap_or(u64::MAX));
    *issued += 1;
    let mut ready = Completion {
        number: *issued,
        content: String::new(),
        thought: String::new(),
        calls: Vec::new(),
        reason: "stop",
        usage: json!({}),
        ollama: ability == ToolSupport::Ollama,
    };
    let native = body["tools"].is_array() && matches!(ability, ToolSupport::Native | ToolSupport::Ollama);
    let envelope = is_json_tools(body);
    let put = |tool: &str, arguments: &str| format!(r#"{{"tool":{},"arguments":{arguments}}}"#, json!(tool));
    for block in &say.blocks {
        let (tool, arguments) = match block {
            Block::Text(text) if envelope => {
                ready.content = put("final_answer", &json!({ "text": text }).to_string());
                continue;
            }
            Block::Text(text) => {
                ready.content.push_str(text);
                continue;
            }
            Block::Thought(thought) => {
                ready.thought.push_str(thought);
                continue;
            }
            Block::Call(tool, input) => (tool, input.to_string()),
            Block::BrokenCall(tool, text) => (tool, text.clone()),
        };
        if native {
            ready.calls.push((tool.clone(), arguments));
        } else if envelope {
            // One at a time.
            ready.content = put(tool, &arguments);
            break;
        } else {
            ready.content.push_str(&format!(r#"{{"name":{},"arguments":{arguments}}}"#, json!(tool)));
        }
    }
    ready.reason = match (&say.stop, cut) {
        (_, true) | (Some(ScriptedStop::Length), _) => "length",
        (Some(ScriptedStop::Refusal(_)), _) => "content_filter",
        (Some(ScriptedStop::Pause | ScriptedStop::Unknown), _) => "moonstruck",
        (None, false) if !ready.calls.is_empty() && !ready.ollama => "tool_calls",
        (None, false) => "stop",
    };
    let written = scenario::output_tokens(&say.blocks);
    ready.usage = json!({
        "prompt_tokens": prompt,
        "completion_tokens": written,
        "total_tokens": prompt + written,
        "prompt_tokens_details": { "cached_tokens": cached },
    });
    ready
}

impl Completion {
    pub(super) fn to_json(&self) -> Value {
        let mut message = json!({ "role": "assistant", "content": self.content });
        if !self.calls.is_empty() {
            let calls = self.calls.iter().enumerate();
            message["tool_calls"] =
                calls.map(|(index, (tool, json))| self.call(index, tool, json, false)).collect();
        }
        json!({
            "id": format!("chatcmpl-{}", self.number),
            "object": "chat.completion",
            "created": 1_781_420_400,
            "model": "local",
            "choices": [{ "index": 0, "message": message, "finish_reason": self.reason, "logprobs": null }],
            "usage": self.usage,
        })
    }

    fn call(&self, index: usize, tool: &str, arguments: &str, streamed: bool) -> Value {
        let mut call = json!({ "type": "function", "function": { "name": tool, "arguments": arguments } });
        if streamed {
            call["index"] = if self.ollama { 0 } else { index }.into();
        }
        if !self.ollama {
            call["id"] = format!("call{}x{index}", self.number).into();
        }
        call
    }

    pub(super) fn stream(&self, say: &ScriptedReply, body: &Value) -> Response {
        let mut frames = vec![frame(&json!({ "role": "assistant", "content": null }), None)];
        for piece in text_chunks(&self.thought) {
            frames.push(frame(&json!({ "reasoning_content": piece }), None));
        }
        for piece in text_chunks(&self.content) {
            frames.push(frame(&json!({ "content": piece }), None));
        }
        for (index, (tool, arguments)) in self.calls.iter().enumerate() {
            if self.ollama {
                let call = self.call(index, tool, arguments, true);
                frames.push(frame(&json!({ "content": "", "tool_calls": [call] }), None));
                continue;
            }
            frames.push(frame(&json!({ "tool_calls": [self.call(index, tool, "", true)] }), None));
            for piece in text_chunks(arguments) {
                let more = json!({ "index": index, "function": { "arguments": piece } });
                frames.push(frame(&json!({ "tool_calls": [more] }), None));
            }
        }
        frames.push(frame(&json!({}), Some(self.reason)));
        if body["stream_options"]["include_usage"] == true && !say.format.omit_usage {
            let usage = json!({
                "id": "chatcmpl", "object": "chat.completion.chunk", "created": 1_781_420_400,
                "model": "local", "choices": [], "usage": self.usage,
            });
            frames.push(Frame { name: None, data: usage.to_string() });
        }
        frames.push(Frame { name: None, data: "[DONE]".to_owned() });
        Response::stream(scenario::steps(say, frames, &special_frames()))
    }
}

fn frame(delta: &Value, reason: Option<&str>) -> Frame {
    let chunk = json!({
        "id": "chatcmpl",
        "object": "chat.completion.chunk",
        "created": 1_781_420_400,
        "model": "local",
        "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }],
    });
    Frame { name: None, data: chunk.to_string() }
}

fn text_chunks(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(7).map(|letters| letters.iter().collect()).collect()
}

fn special_frames() -> SpecialFrames {
    SpecialFrames {
        ping: Frame { name: None, data: String::new() },
        unknown: vec![
            Frame { name: Some("moon_phase"), data: json!({ "phase": "waxing" }).to_string() },
            frame(&json!({ "moon": "x" }), None),
        ],
        flood: frame(&json!({ "content": "x".repeat(4000) }), None),
        error: |kind| {
            let code = match kind {
                "overloaded_error" => 529,
                "api_error" => 500,
                _ => 400,
            };
            let error = json!({ "error": { "code": code, "message": "scripted", "type": kind } });
            Frame { name: None, data: error.to_string() }
        },
    }
}
