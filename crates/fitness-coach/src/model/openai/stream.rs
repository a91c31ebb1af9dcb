//! Parser of the response stream.
//!
//! Calls come whole or in fragments that are joined by index; servers omit ids, repeat them, or
//! number every call 0. A reply ends with `[DONE]`, or with the stream after a finish reason.

use super::json_tools::parse_text_call;
use super::partial_json::PartialJson;
use super::stop_reason;
use crate::model::http::{AttemptError, ResponseReader, Retry, ServiceInfo, UsageCountingListener};
use crate::model::sse::SseEvent;
use crate::model::{ModelError, ModelPart, StopReason, ToolSpec};
use reqwest::StatusCode;
use serde_json::{Value, json};

/// The most calls in one answer.
const MAX_CALLS: usize = 64;

/// An answer, as far as it came.
#[derive(Debug)]
pub(super) struct ResponseBuilder<'a> {
    service: &'a ServiceInfo,
    text: String,
    text_mode: TextDelivery,
    partial_json: PartialJson,
    calls: Vec<CallFragments>,
    stop_reason: Option<String>,
    done: bool,
    bytes: usize,
}

/// Whether the listener hears the text as it comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextDelivery {
    Immediate,
    /// Not yet clear: a text may turn out to be a call.
    Undecided,
    /// What an envelope turns out to have in it.
    FromJson,
    Hidden,
}

#[derive(Debug, Default)]
struct CallFragments {
    index: Option<u64>,
    id: String,
    tool: String,
    json: String,
}

impl<'a> ResponseBuilder<'a> {
    /// An answer whose text is told as it comes, or not at all.
    pub(super) fn new(service: &'a ServiceInfo, quiet: bool) -> Self {
        let text_mode = if quiet { TextDelivery::Hidden } else { TextDelivery::Immediate };
        Self {
            service,
            text: String::new(),
            text_mode,
            partial_json: PartialJson::default(),
            calls: Vec::new(),
            stop_reason: None,
            done: false,
            bytes: 0,
        }
    }

    /// An answer whose text is told unless it looks like a call.
    pub(super) fn undecided(who: &'a ServiceInfo) -> Self {
        Self { text_mode: TextDelivery::Undecided, ..Self::new(who, false) }
    }

    /// An answer in an envelope.
    pub(super) fn json_tools(who: &'a ServiceInfo) -> Self {
        Self { text_mode: TextDelivery::FromJson, ..Self::new(who, false) }
    }

    /// The calls in it.
    pub(super) fn calls(&self) -> Vec<ModelPart> {
        self.calls.iter().filter(|call| !call.tool.is_empty()).map(CallFragments::to_part).collect()
    }

    /// What was said, and why it ended. A call that was written as text is one when it is of one of
    /// these tools.
    pub(super) fn finish(
        self,
        heard: &mut UsageCountingListener<'_>,
        tools: &[ToolSpec],
    ) -> Result<(Vec<ModelPart>, StopReason), ModelError> {
        let reason = self.stop_reason.clone().ok_or_else(|| self.service.invalid_response())?;
        let mut parts = self.calls();
        if parts.is_empty() && reason == "stop" && self.text_mode != TextDelivery::Immediate {
            parts.extend(parse_text_call(&self.text, tools));
            if let Some(ModelPart::Call { tool, .. }) = parts.first() {
                heard.call(tool);
                return Ok((parts, StopReason::ToolCalls));
            }
        }
        if self.text_mode == TextDelivery::Undecided {
            heard.text(&self.text);
        }
        let stop = stop_reason(&reason, !parts.is_empty()).ok_or_else(|| self.service.invalid_response())?;
        if !self.text.is_empty() {
            parts.insert(0, ModelPart::Text { text: self.text });
        }
        Ok((parts, stop))
    }

    /// The text alone, why it ended, and what of an answer in it was told already.
    pub(super) fn into_content(self) -> Result<(String, String, String), ModelError> {
        let reason = self.stop_reason.ok_or_else(|| self.service.invalid_response())?;
        Ok((self.text, reason, self.partial_json.emitted))
    }

    fn count_bytes(&mut self, more: usize) -> Result<(), AttemptError> {
        self.service.count_reply_bytes(&mut self.bytes, more)
    }

    fn add_text(&mut self, more: &str, heard: &mut UsageCountingListener<'_>) {
        self.text.push_str(more);
        match self.text_mode {
            TextDelivery::Immediate => heard.text(more),
            TextDelivery::Undecided => {
                let begun = self.text.trim_start();
                if !begun.is_empty() && !begun.starts_with(['{', '[', '`', '<']) {
                    self.text_mode = TextDelivery::Immediate;
                    heard.text(&self.text);
                }
            }
            TextDelivery::FromJson => heard.text(&self.partial_json.read_more(&self.text)),
            TextDelivery::Hidden => {}
        }
    }

    fn add_call_fragment(
        &mut self,
        told: &Value,
        heard: &mut UsageCountingListener<'_>,
    ) -> Result<(), AttemptError> {
        let function = &told["function"];
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (index, id, tool) = (told["index"].as_u64(), word(&told["id"]), word(&function["name"]));
        let json = match &function["arguments"] {
            Value::String(more) => more.clone(),
            whole @ Value::Object(_) => whole.to_string(),
            _ => String::new(),
        };
        self.count_bytes(json.len() + id.len() + tool.len())?;
        heard.add_output_bytes(json.len() + tool.len());
        let place = match index {
            Some(_) => self.calls.iter().rposition(|call| call.index == index),
            None => self.calls.len().checked_sub(1),
        };
        // A name where there is one already begins another call, unless it only says the same
        // again.
        let goes_on = place.and_then(|place| self.calls.get_mut(place)).filter(|call| {
            let same = tool == call.tool && !call.is_complete() && (id.is_empty() || id == call.id);
            tool.is_empty() || call.tool.is_empty() || same
        });
        if let Some(call) = goes_on {
            if call.tool.is_empty() && !tool.is_empty() {
                heard.call(&tool);
                call.tool = tool;
            }
            if call.id.is_empty() {
                call.id = id;
            }
            call.json.push_str(&json);
            return Ok(());
        }
        if self.calls.len() >= MAX_CALLS {
            return Err(AttemptError::permanent(self.service.too_large()));
        }
        if !tool.is_empty() {
            heard.call(&tool);
        }
        self.calls.push(CallFragments { index, id, tool, json });
        Ok(())
    }
}

impl CallFragments {
    fn is_complete(&self) -> bool {
        self.json.trim_end().ends_with('}')
            && serde_json::from_str::<Value>(&self.json).is_ok_and(|json| json.is_object())
    }

    fn to_part(&self) -> ModelPart {
        // What is not JSON is handed on as it is; the tool will not take it, and says so.
        let input =
            if self.json.trim().is_empty() { Ok(json!({})) } else { serde_json::from_str(&self.json) };
        let input = input.unwrap_or_else(|_| Value::String(self.json.clone()));
        ModelPart::Call { id: self.id.clone(), tool: self.tool.clone(), input }
    }
}

impl ResponseReader for ResponseBuilder<'_> {
    fn handle_event(
        &mut self,
        event: SseEvent,
        heard: &mut UsageCountingListener<'_>,
    ) -> Result<(), AttemptError> {
        if event.data.trim_ascii() == b"[DONE]" {
            self.done = true;
            return if self.stop_reason.is_some() {
                Ok(())
            } else {
                Err(AttemptError::permanent(self.service.invalid_response()))
            };
        }
        let garbled = |_| AttemptError::permanent(self.service.invalid_response());
        let data: Value = serde_json::from_slice(&event.data).map_err(garbled)?;
        if !data["error"].is_null() {
            return Err(service_error(self.service, None, &data["error"]));
        }
        let usage = &data["usage"];
        if let (Some(read), Some(written)) =
            (usage["prompt_tokens"].as_u64(), usage["completion_tokens"].as_u64())
        {
            let cached = usage["prompt_tokens_details"]["cached_tokens"].as_u64().unwrap_or(0).min(read);
            heard.usage.input = read - cached;
            heard.usage.cache_read = cached;
            heard.usage.output = written;
        }
        let choice = &data["choices"][0];
        let delta = &choice["delta"];
        let thought = delta["reasoning_content"].as_str().or(delta["reasoning"].as_str());
        heard.add_output_bytes(thought.unwrap_or_default().len());
        heard.on_thinking(thought.unwrap_or_default());
        if let Some(more) = delta["content"].as_str() {
            self.count_bytes(more.len())?;
            heard.add_output_bytes(more.len());
            self.add_text(more, heard);
        }
        for told in delta["tool_calls"].as_array().into_iter().flatten() {
            self.add_call_fragment(told, heard)?;
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.stop_reason = Some(reason.to_owned());
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn can_end(&self) -> bool {
        self.stop_reason.is_some()
    }

    fn status_error(who: &ServiceInfo, status: StatusCode, body: &[u8]) -> AttemptError {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        service_error(who, Some(status), &body["error"])
    }
}

/// An error of the server, as a status or in the middle of an answer.
fn service_error(who: &ServiceInfo, status: Option<StatusCode>, error: &Value) -> AttemptError {
    let kind = error["type"].as_str().unwrap_or_default();
    let code = status.map(|status| status.as_u16()).or_else(|| error["code"].as_u64()?.try_into().ok());
    match (code, kind) {
        (_, "exceed_context_size_error") | (Some(413), _) => AttemptError::permanent(who.context_too_long()),
        (_, "unavailable_error") | (Some(503), _) => {
            AttemptError { error: who.model_loading(), retry: Retry::WhenLoaded }
        }
        (Some(401 | 403), _) => AttemptError::permanent(who.key_refused()),
        (Some(402), _) | (_, "insufficient_quota") => AttemptError::permanent(who.spend_cap()),
        (Some(404), _) => AttemptError::permanent(who.unknown_model()),
        (Some(400..=499), _) if !matches!(code, Some(408 | 409 | 429)) => {
            AttemptError::permanent(who.request_refused(status))
        }
        _ => AttemptError::retryable(who.busy(status)),
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
            let mut answer = ResponseBuilder::undecided(&who);
            for (name, data) in events {
                if answer.handle_event(SseEvent { name, data }, &mut heard).is_err() {
                    break;
                }
            }
            let _ = answer.finish(&mut heard, &[]);
        }
    }
}
