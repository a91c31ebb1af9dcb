//! What comes back.
//!
//! Blocks are picked by their type, deltas by the index of their block. What is unknown is passed over: the service promises to
//! add kinds of events, blocks and reasons to stop. Only `message_stop` says that an answer is whole.

use crate::model::http::{Heard, Reading, Setback, Who};
use crate::model::sse::Event;
use crate::model::{ModelError, Part, Stop, Usage};
use reqwest::StatusCode;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The most that is kept of one answer: several times what a model may write.
const MOST_KEPT: usize = 4 << 20;

/// An answer, as far as it came.
#[derive(Debug)]
pub(super) struct Answer<'a> {
    who: &'a Who,
    blocks: BTreeMap<u64, Block>,
    kept: usize,
    begun: bool,
    stop: Option<Stop>,
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
    /// What is handed back to this model as it came; `whole` unless something of it was not understood.
    Sealed {
        raw: Map<String, Value>,
        whole: bool,
    },
}

impl<'a> Answer<'a> {
    pub(super) fn new(who: &'a Who) -> Self {
        Self { who, blocks: BTreeMap::new(), kept: 0, begun: false, stop: None, done: false }
    }

    /// What was said, and why it ended.
    pub(super) fn finish(self) -> Result<(Vec<Part>, Stop), ModelError> {
        let stop = self.stop.filter(|_| self.done && self.begun).ok_or_else(|| self.who.garbled())?;
        let parts: Vec<Part> = self.blocks.into_values().filter_map(Block::part).collect();
        let calls = parts.iter().any(|part| matches!(part, Part::Call { .. }));
        match (&stop, calls) {
            (Stop::Calls, false) => Err(self.who.garbled()),
            (Stop::Done, true) => Ok((parts, Stop::Calls)),
            _ => Ok((parts, stop)),
        }
    }

    fn start(&mut self, data: &Value, heard: &mut Heard<'_>) -> Result<(), Setback> {
        let (Some(index), Some(block)) = (data["index"].as_u64(), data["content_block"].as_object()) else {
            return Err(Setback::never(self.who.garbled()));
        };
        let word = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default();
        // A call begins with its name, a thought nobody may read comes whole.
        heard.wrote(word("text").len() + word("name").len() + word("data").len());
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
            _ => Block::Sealed { raw: block.clone(), whole: true },
        };
        self.keep(data["content_block"].to_string().len())?;
        self.blocks.insert(index, block);
        Ok(())
    }

    fn delta(&mut self, data: &Value, heard: &mut Heard<'_>) -> Result<(), Setback> {
        let delta = &data["delta"];
        let word = |name: &str| delta[name].as_str().unwrap_or_default();
        let more = match delta["type"].as_str().unwrap_or_default() {
            "text_delta" => word("text"),
            "input_json_delta" => word("partial_json"),
            "thinking_delta" => word("thinking"),
            "signature_delta" => word("signature"),
            _ => "",
        };
        self.keep(more.len())?;
        heard.wrote(more.len());
        let Some(block) = data["index"].as_u64().and_then(|index| self.blocks.get_mut(&index)) else {
            return Ok(());
        };
        match (block, delta["type"].as_str().unwrap_or_default()) {
            (Block::Text(text), "text_delta") => {
                heard.text(more);
                text.push_str(more);
            }
            (Block::Call { json, .. }, "input_json_delta") => json.push_str(more),
            (Block::Sealed { raw, .. }, "thinking_delta") => {
                heard.thought(more);
                think(raw, more);
            }
            // It comes in one piece; the official client keeps the last one as well.
            (Block::Sealed { raw, .. }, "signature_delta") => {
                raw.insert("signature".to_owned(), more.into());
            }
            (Block::Sealed { whole, .. }, _) => *whole = false,
            (Block::Text(_) | Block::Call { .. }, _) => {}
        }
        Ok(())
    }

    fn keep(&mut self, more: usize) -> Result<(), Setback> {
        self.kept = self.kept.saturating_add(more);
        if self.kept > MOST_KEPT { Err(Setback::never(self.who.too_much())) } else { Ok(()) }
    }
}

impl Block {
    fn part(self) -> Option<Part> {
        match self {
            Self::Text(text) => (!text.is_empty()).then_some(Part::Text { text }),
            Self::Call { id, tool, json } => {
                // What is not JSON is handed on as it is; the tool will not take it, and says so.
                let input = if json.trim().is_empty() { Ok(json!({})) } else { serde_json::from_str(&json) };
                Some(Part::Call { id, tool, input: input.unwrap_or(Value::String(json)) })
            }
            Self::Sealed { raw, whole } => whole.then_some(Part::Sealed { raw: Value::Object(raw) }),
        }
    }
}

fn think(raw: &mut Map<String, Value>, more: &str) {
    if let Value::String(text) = raw.entry("thinking").or_insert_with(|| "".into()) {
        text.push_str(more);
    }
}

impl Reading for Answer<'_> {
    fn event(&mut self, event: Event, heard: &mut Heard<'_>) -> Result<(), Setback> {
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
        let garbled = |_| Setback::never(self.who.garbled());
        let data: Value = serde_json::from_slice(&event.data).map_err(garbled)?;
        let name =
            if event.name.is_empty() { data["type"].as_str().unwrap_or_default() } else { &event.name };
        match name {
            "message_start" => {
                self.begun = true;
                count(&mut heard.now, &data["message"]["usage"]);
            }
            "content_block_start" => self.start(&data, heard)?,
            "content_block_delta" => self.delta(&data, heard)?,
            "message_delta" => {
                count(&mut heard.now, &data["usage"]);
                if let Some(reason) = data["delta"]["stop_reason"].as_str() {
                    self.stop = Some(stop(reason, &data["delta"]["stop_details"]));
                }
            }
            "message_stop" => self.done = true,
            "error" => return Err(failure(self.who, None, &data["error"])),
            _ => {}
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn refusal(who: &Who, status: StatusCode, body: &[u8]) -> Setback {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        failure(who, Some(status), &body["error"])
    }
}

fn stop(reason: &str, details: &Value) -> Stop {
    match reason {
        "end_turn" | "stop_sequence" => Stop::Done,
        "tool_use" => Stop::Calls,
        "max_tokens" | "model_context_window_exceeded" => Stop::Length,
        "refusal" => {
            let why = details["explanation"].as_str().or(details["category"].as_str());
            Stop::Declined { why: why.map(str::to_owned) }
        }
        other => Stop::Other(other.to_owned()),
    }
}

/// Usage is cumulative: what is told later replaces what was told before.
fn count(usage: &mut Usage, told: &Value) {
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
fn failure(who: &Who, status: Option<StatusCode>, error: &Value) -> Setback {
    let kind = error["type"].as_str().unwrap_or_default();
    if error["details"]["error_code"].as_str() == Some("enforced_spend_limit_reached")
        || kind == "billing_error"
    {
        return Setback::never(who.spend_cap());
    }
    match (status.map(|status| status.as_u16()), kind) {
        (Some(401 | 403), _) | (None, "authentication_error" | "permission_error") => {
            Setback::never(who.key_refused())
        }
        (Some(404), _) | (None, "not_found_error") => Setback::never(who.unknown_model()),
        (Some(413), _) | (None, "request_too_large") => Setback::never(who.too_long()),
        (Some(408 | 409 | 429 | 500..), _) => Setback::soon(who.busy(status)),
        (None, "overloaded_error" | "api_error" | "rate_limit_error" | "timeout_error") => {
            Setback::soon(who.busy(None))
        }
        _ => Setback::never(who.refused(status)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::arbitrary_json::event;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_event_is_too_odd(events in prop::collection::vec(event(), 0..12)) {
            let who = Who { service: "It".to_owned(), model: "m".to_owned(), find: "", key: "" };
            let mut nobody = ();
            let mut heard = Heard::new(&mut nobody);
            let mut answer = Answer::new(&who);
            for (name, data) in events {
                if answer.event(Event { name, data }, &mut heard).is_err() {
                    break;
                }
            }
            let _ = answer.finish();
        }
    }
}
