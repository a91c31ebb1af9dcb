//! What comes back.
//!
//! Calls come whole or in fragments that are joined by their index; servers leave out ids, or use one twice, or number every
//! call with 0. `[DONE]` ends an answer, and so does the end of the stream once a reason was given.

use super::json_tools::written_call;
use super::partial_json::Peek;
use super::stop;
use crate::model::http::{Again, Heard, Reading, Setback, Who};
use crate::model::sse::Event;
use crate::model::{ModelError, Part, Stop, ToolSpec};
use reqwest::StatusCode;
use serde_json::{Value, json};

/// The most that is kept of one answer.
const MOST_KEPT: usize = 4 << 20;
/// The most calls in one answer.
const MOST_CALLS: usize = 64;

/// An answer, as far as it came.
#[derive(Debug)]
pub(super) struct Answer<'a> {
    who: &'a Who,
    text: String,
    telling: Telling,
    peek: Peek,
    calls: Vec<Fragments>,
    reason: Option<String>,
    done: bool,
    kept: usize,
}

/// Whether the listener hears the text as it comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Telling {
    At,
    /// Not yet clear: a text may turn out to be a call.
    Wary,
    /// What an envelope turns out to have in it.
    Peeking,
    Never,
}

#[derive(Debug, Default)]
struct Fragments {
    index: Option<u64>,
    id: String,
    tool: String,
    json: String,
}

impl<'a> Answer<'a> {
    /// An answer whose text is told as it comes, or not at all.
    pub(super) fn new(who: &'a Who, quiet: bool) -> Self {
        let telling = if quiet { Telling::Never } else { Telling::At };
        Self {
            who,
            text: String::new(),
            telling,
            peek: Peek::default(),
            calls: Vec::new(),
            reason: None,
            done: false,
            kept: 0,
        }
    }

    /// An answer whose text is told unless it looks like a call.
    pub(super) fn wary(who: &'a Who) -> Self {
        Self { telling: Telling::Wary, ..Self::new(who, false) }
    }

    /// An answer in an envelope.
    pub(super) fn peeking(who: &'a Who) -> Self {
        Self { telling: Telling::Peeking, ..Self::new(who, false) }
    }

    /// The calls in it.
    pub(super) fn calls(&self) -> Vec<Part> {
        self.calls.iter().filter(|call| !call.tool.is_empty()).map(Fragments::part).collect()
    }

    /// What was said, and why it ended. A call that was written as text is one when it is of one of these tools.
    pub(super) fn finish(
        self,
        heard: &mut Heard<'_>,
        tools: &[ToolSpec],
    ) -> Result<(Vec<Part>, Stop), ModelError> {
        let reason = self.reason.clone().ok_or_else(|| self.who.garbled())?;
        let mut parts = self.calls();
        if parts.is_empty() && reason == "stop" && self.telling != Telling::At {
            parts.extend(written_call(&self.text, tools));
            if let Some(Part::Call { tool, .. }) = parts.first() {
                heard.call(tool);
                return Ok((parts, Stop::Calls));
            }
        }
        if self.telling == Telling::Wary {
            heard.text(&self.text);
        }
        let stop = stop(&reason, !parts.is_empty()).ok_or_else(|| self.who.garbled())?;
        if !self.text.is_empty() {
            parts.insert(0, Part::Text { text: self.text });
        }
        Ok((parts, stop))
    }

    /// The text alone, why it ended, and what of an answer in it was told already.
    pub(super) fn content(self) -> Result<(String, String, String), ModelError> {
        let reason = self.reason.ok_or_else(|| self.who.garbled())?;
        Ok((self.text, reason, self.peek.told))
    }

    fn keep(&mut self, more: usize) -> Result<(), Setback> {
        self.kept = self.kept.saturating_add(more);
        if self.kept > MOST_KEPT { Err(Setback::never(self.who.too_much())) } else { Ok(()) }
    }

    fn say(&mut self, more: &str, heard: &mut Heard<'_>) {
        self.text.push_str(more);
        match self.telling {
            Telling::At => heard.text(more),
            Telling::Wary => {
                let begun = self.text.trim_start();
                if !begun.is_empty() && !begun.starts_with(['{', '[', '`', '<']) {
                    self.telling = Telling::At;
                    heard.text(&self.text);
                }
            }
            Telling::Peeking => heard.text(&self.peek.more(&self.text)),
            Telling::Never => {}
        }
    }

    fn fragment(&mut self, told: &Value, heard: &mut Heard<'_>) -> Result<(), Setback> {
        let function = &told["function"];
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (index, id, tool) = (told["index"].as_u64(), word(&told["id"]), word(&function["name"]));
        let json = match &function["arguments"] {
            Value::String(more) => more.clone(),
            whole @ Value::Object(_) => whole.to_string(),
            _ => String::new(),
        };
        self.keep(json.len() + id.len() + tool.len())?;
        heard.wrote(json.len() + tool.len());
        let place = match index {
            Some(_) => self.calls.iter().rposition(|call| call.index == index),
            None => self.calls.len().checked_sub(1),
        };
        // A name where there is one already begins another call, unless it only says the same again.
        let goes_on = place.and_then(|place| self.calls.get_mut(place)).filter(|call| {
            let same = tool == call.tool && !call.is_whole() && (id.is_empty() || id == call.id);
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
        if self.calls.len() >= MOST_CALLS {
            return Err(Setback::never(self.who.too_much()));
        }
        if !tool.is_empty() {
            heard.call(&tool);
        }
        self.calls.push(Fragments { index, id, tool, json });
        Ok(())
    }
}

impl Fragments {
    fn is_whole(&self) -> bool {
        self.json.trim_end().ends_with('}')
            && serde_json::from_str::<Value>(&self.json).is_ok_and(|json| json.is_object())
    }

    fn part(&self) -> Part {
        // What is not JSON is handed on as it is; the tool will not take it, and says so.
        let input =
            if self.json.trim().is_empty() { Ok(json!({})) } else { serde_json::from_str(&self.json) };
        let input = input.unwrap_or_else(|_| Value::String(self.json.clone()));
        Part::Call { id: self.id.clone(), tool: self.tool.clone(), input }
    }
}

impl Reading for Answer<'_> {
    fn event(&mut self, event: Event, heard: &mut Heard<'_>) -> Result<(), Setback> {
        if event.data.trim_ascii() == b"[DONE]" {
            self.done = true;
            return if self.reason.is_some() { Ok(()) } else { Err(Setback::never(self.who.garbled())) };
        }
        let garbled = |_| Setback::never(self.who.garbled());
        let data: Value = serde_json::from_slice(&event.data).map_err(garbled)?;
        if !data["error"].is_null() {
            return Err(failure(self.who, None, &data["error"]));
        }
        let usage = &data["usage"];
        if let (Some(read), Some(written)) =
            (usage["prompt_tokens"].as_u64(), usage["completion_tokens"].as_u64())
        {
            let cached = usage["prompt_tokens_details"]["cached_tokens"].as_u64().unwrap_or(0).min(read);
            heard.now.input = read - cached;
            heard.now.cache_read = cached;
            heard.now.output = written;
        }
        let choice = &data["choices"][0];
        let delta = &choice["delta"];
        let thought = delta["reasoning_content"].as_str().or(delta["reasoning"].as_str());
        heard.wrote(thought.unwrap_or_default().len());
        heard.thought(thought.unwrap_or_default());
        if let Some(more) = delta["content"].as_str() {
            self.keep(more.len())?;
            heard.wrote(more.len());
            self.say(more, heard);
        }
        for told in delta["tool_calls"].as_array().into_iter().flatten() {
            self.fragment(told, heard)?;
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.reason = Some(reason.to_owned());
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn may_end(&self) -> bool {
        self.reason.is_some()
    }

    fn refusal(who: &Who, status: StatusCode, body: &[u8]) -> Setback {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        failure(who, Some(status), &body["error"])
    }
}

/// An error of the server, as a status or in the middle of an answer.
fn failure(who: &Who, status: Option<StatusCode>, error: &Value) -> Setback {
    let kind = error["type"].as_str().unwrap_or_default();
    let code = status.map(|status| status.as_u16()).or_else(|| error["code"].as_u64()?.try_into().ok());
    match (code, kind) {
        (_, "exceed_context_size_error") | (Some(413), _) => Setback::never(who.too_long()),
        (_, "unavailable_error") | (Some(503), _) => Setback { error: who.loading(), again: Again::Loading },
        (Some(401 | 403), _) => Setback::never(who.key_refused()),
        (Some(402), _) | (_, "insufficient_quota") => Setback::never(who.spend_cap()),
        (Some(404), _) => Setback::never(who.unknown_model()),
        (Some(400..=499), _) if !matches!(code, Some(408 | 409 | 429)) => Setback::never(who.refused(status)),
        _ => Setback::soon(who.busy(status)),
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
            let mut answer = Answer::wary(&who);
            for (name, data) in events {
                if answer.event(Event { name, data }, &mut heard).is_err() {
                    break;
                }
            }
            let _ = answer.finish(&mut heard, &[]);
        }
    }
}
