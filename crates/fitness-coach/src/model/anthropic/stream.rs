//! Parser of the response stream.
//!
//! Blocks are matched by type and deltas by index. Unknown events, blocks and stop reasons are
//! ignored, because the API may add new ones. Only `message_stop` marks a complete reply.

use crate::model::http::{AttemptError, ResponseReader, ServiceInfo, UsageCountingListener};
use crate::model::sse::SseEvent;
use crate::model::{ModelError, ModelPart, StopReason, Usage};
use reqwest::StatusCode;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// An answer, as far as it came.
#[derive(Debug)]
pub(super) struct ResponseBuilder<'a> {
    service: &'a ServiceInfo,
    blocks: BTreeMap<u64, Block>,
    bytes: usize,
    started: bool,
    stop: Option<StopReason>,
    done: bool,
}

#[derive(Debug)]
enum Block {
    Text(String),
    Call {
        id: String,
        tool: String,
        json: String,
    },
    /// What is handed back to this model as it came; `whole` unless something of it was not
    /// understood.
    Opaque {
        raw: Map<String, Value>,
        complete: bool,
    },
}

impl<'a> ResponseBuilder<'a> {
    pub(super) fn new(service: &'a ServiceInfo) -> Self {
        Self { service, blocks: BTreeMap::new(), bytes: 0, started: false, stop: None, done: false }
    }

    /// What was said, and why it ended.
    pub(super) fn finish(self) -> Result<(Vec<ModelPart>, StopReason), ModelError> {
        let stop =
            self.stop.filter(|_| self.done && self.started).ok_or_else(|| self.service.invalid_response())?;
        let parts: Vec<ModelPart> = self.blocks.into_values().filter_map(Block::into_part).collect();
        let calls = parts.iter().any(|part| matches!(part, ModelPart::Call { .. }));
        match (&stop, calls) {
            (StopReason::ToolCalls, false) => Err(self.service.invalid_response()),
            (StopReason::Done, true) => Ok((parts, StopReason::ToolCalls)),
            _ => Ok((parts, stop)),
        }
    }

    fn start_block(
        &mut self,
        data: &Value,
        heard: &mut UsageCountingListener<'_>,
    ) -> Result<(), AttemptError> {
        let (Some(index), Some(block)) = (data["index"].as_u64(), data["content_block"].as_object()) else {
            return Err(AttemptError::permanent(self.service.invalid_response()));
        };
        let word = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default();
        // A call begins with its name, a thought nobody may read comes whole.
        heard.add_output_bytes(word("text").len() + word("name").len() + word("data").len());
        let block = match word("type") {
            "text" => {
                heard.text(word("text"));
                Block::Text(word("text").to_owned())
            }
            "tool_use" => {
                heard.call(word("name"));
                // The whole input may be here already; then no delta adds to it.
                let input = block.get("input").and_then(Value::as_object).filter(|input| !input.is_empty());
                let json = input.map(|input| Value::Object(input.clone()).to_string()).unwrap_or_default();
                Block::Call { id: word("id").to_owned(), tool: word("name").to_owned(), json }
            }
            _ => Block::Opaque { raw: block.clone(), complete: true },
        };
        self.count_bytes(data["content_block"].to_string().len())?;
        self.blocks.insert(index, block);
        Ok(())
    }

    fn apply_delta(
        &mut self,
        data: &Value,
        heard: &mut UsageCountingListener<'_>,
    ) -> Result<(), AttemptError> {
        let delta = &data["delta"];
        let word = |name: &str| delta[name].as_str().unwrap_or_default();
        let more = match delta["type"].as_str().unwrap_or_default() {
            "text_delta" => word("text"),
            "input_json_delta" => word("partial_json"),
            "thinking_delta" => word("thinking"),
            "signature_delta" => word("signature"),
            _ => "",
        };
        self.count_bytes(more.len())?;
        heard.add_output_bytes(more.len());
        let Some(block) = data["index"].as_u64().and_then(|index| self.blocks.get_mut(&index)) else {
            return Ok(());
        };
        match (block, delta["type"].as_str().unwrap_or_default()) {
            (Block::Text(text), "text_delta") => {
                heard.text(more);
                text.push_str(more);
            }
            (Block::Call { json, .. }, "input_json_delta") => json.push_str(more),
            (Block::Opaque { raw, .. }, "thinking_delta") => {
                heard.on_thinking(more);
                append_thinking(raw, more);
            }
            // It comes in one piece; the official client keeps the last one as well.
            (Block::Opaque { raw, .. }, "signature_delta") => {
                raw.insert("signature".to_owned(), more.into());
            }
            (Block::Opaque { complete: whole, .. }, _) => *whole = false,
            (Block::Text(_) | Block::Call { .. }, _) => {}
        }
        Ok(())
    }

    fn count_bytes(&mut self, more: usize) -> Result<(), AttemptError> {
        self.service.count_reply_bytes(&mut self.bytes, more)
    }
}

impl Block {
    fn into_part(self) -> Option<ModelPart> {
        match self {
            Self::Text(text) => (!text.is_empty()).then_some(ModelPart::Text { text }),
            Self::Call { id, tool, json } => {
                // What is not JSON is handed on as it is; the tool will not take it, and says so.
                let input = if json.trim().is_empty() { Ok(json!({})) } else { serde_json::from_str(&json) };
                Some(ModelPart::Call { id, tool, input: input.unwrap_or(Value::String(json)) })
            }
            Self::Opaque { raw, complete: whole } => {
                whole.then_some(ModelPart::Sealed { raw: Value::Object(raw) })
            }
        }
    }
}

fn append_thinking(raw: &mut Map<String, Value>, more: &str) {
    if let Value::String(text) = raw.entry("thinking").or_insert_with(|| "".into()) {
        text.push_str(more);
    }
}

impl ResponseReader for ResponseBuilder<'_> {
    fn handle_event(
        &mut self,
        event: SseEvent,
        heard: &mut UsageCountingListener<'_>,
    ) -> Result<(), AttemptError> {
        let known = matches!(
            event.name.as_str(),
            "" | "message_start"
                | "content_block_start"
                | "content_block_delta"
                | "content_block_stop"
                | "message_delta"
                | "message_stop"
                | "error"
        );
        if !known {
            return Ok(());
        }
        let garbled = |_| AttemptError::permanent(self.service.invalid_response());
        let data: Value = serde_json::from_slice(&event.data).map_err(garbled)?;
        let name =
            if event.name.is_empty() { data["type"].as_str().unwrap_or_default() } else { &event.name };
        match name {
            "message_start" => {
                self.started = true;
                update_usage(&mut heard.usage, &data["message"]["usage"]);
            }
            "content_block_start" => self.start_block(&data, heard)?,
            "content_block_delta" => self.apply_delta(&data, heard)?,
            "message_delta" => {
                update_usage(&mut heard.usage, &data["usage"]);
                if let Some(reason) = data["delta"]["stop_reason"].as_str() {
                    self.stop = Some(stop_reason(reason, &data["delta"]["stop_details"]));
                }
            }
            "message_stop" => self.done = true,
            "error" => return Err(service_error(self.service, None, &data["error"])),
            _ => {}
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn status_error(who: &ServiceInfo, status: StatusCode, body: &[u8]) -> AttemptError {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        service_error(who, Some(status), &body["error"])
    }
}

fn stop_reason(reason: &str, details: &Value) -> StopReason {
    match reason {
        "end_turn" | "stop_sequence" => StopReason::Done,
        "tool_use" => StopReason::ToolCalls,
        "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
        "refusal" => {
            let why = details["explanation"].as_str().or(details["category"].as_str());
            StopReason::Declined { reason: why.map(str::to_owned) }
        }
        other => StopReason::Other(other.to_owned()),
    }
}

/// Usage is cumulative: what is told later replaces what was told before.
fn update_usage(usage: &mut Usage, told: &Value) {
    let set = |field: &mut u64, name: &str| {
        if let Some(tokens) = told[name].as_u64() {
            *field = tokens;
        }
    };
    set(&mut usage.input, "input_tokens");
    set(&mut usage.cache_write, "cache_creation_input_tokens");
    set(&mut usage.cache_read, "cache_read_input_tokens");
    set(&mut usage.output, "output_tokens");
}

/// An error of the service, as a status or in the middle of an answer.
fn service_error(who: &ServiceInfo, status: Option<StatusCode>, error: &Value) -> AttemptError {
    let kind = error["type"].as_str().unwrap_or_default();
    if error["details"]["error_code"].as_str() == Some("enforced_spend_limit_reached")
        || kind == "billing_error"
    {
        return AttemptError::permanent(who.spend_cap());
    }
    match (status.map(|status| status.as_u16()), kind) {
        (Some(401 | 403), _) | (None, "authentication_error" | "permission_error") => {
            AttemptError::permanent(who.key_refused())
        }
        (Some(404), _) | (None, "not_found_error") => AttemptError::permanent(who.unknown_model()),
        (Some(413), _) | (None, "request_too_large") => AttemptError::permanent(who.context_too_long()),
        (Some(408 | 409 | 429 | 500..), _) => AttemptError::retryable(who.busy(status)),
        (None, "overloaded_error" | "api_error" | "rate_limit_error" | "timeout_error") => {
            AttemptError::retryable(who.busy(None))
        }
        _ => AttemptError::permanent(who.request_refused(status)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::arbitrary_json::arbitrary_event;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn event_never_panics(events in prop::collection::vec(arbitrary_event(), 0..12)) {
            let who = ServiceInfo { name: "It".to_owned(), model: "m".to_owned(), unreachable_help: "", key_help: "" };
            let mut nobody = ();
            let mut heard = UsageCountingListener::new(&mut nobody);
            let mut answer = ResponseBuilder::new(&who);
            for (name, data) in events {
                if answer.handle_event(SseEvent { name, data }, &mut heard).is_err() {
                    break;
                }
            }
            let _ = answer.finish();
        }
    }
}
