//! A Messages API on this machine.

mod response;
mod signature;
mod token_usage;
mod validate;

use super::server::{Received, Response, Seen, Server, Service};
use super::{Answer, Asked, KEY, Script, Time};
use crate::model::endpoint_url::Address;
use serde_json::{Value, json};
use std::fmt;
use token_usage::Book;
use validate::Refusal;

/// The fake.
#[derive(Debug)]
pub struct FakeAnthropic {
    server: Server<Messages>,
}

impl FakeAnthropic {
    /// Starts one that answers like this.
    pub async fn start<A: Into<Answer>>(mut script: impl FnMut(&Asked) -> A + Send + 'static) -> Self {
        let script: Script = Box::new(move |asked| script(asked).into());
        let service = Messages { script, asked: 0, issued: 0, paused: Vec::new(), book: Book::default() };
        Self { server: Server::start(service).await }
    }

    /// Where it is.
    ///
    /// # Panics
    /// Never: it is on this machine.
    #[must_use]
    pub fn address(&self) -> Address {
        Address::parse(self.server.address()).expect("this machine may be contacted")
    }

    /// What it was asked, the oldest first.
    #[must_use]
    pub fn seen(&self) -> Vec<Seen> {
        self.server.seen()
    }

    /// The clock and the waiting that goes with it.
    #[must_use]
    pub fn time(&self) -> Time {
        self.server.time.clone()
    }

    /// Waits until a client has gone before it was sent everything.
    pub async fn left(&self) {
        self.server.left().await;
    }
}

struct Messages {
    script: Script,
    asked: usize,
    /// How many messages and calls were given out: each has a number.
    issued: usize,
    /// What was said before a pause, which alone may be the last turn of a request.
    paused: Vec<Value>,
    book: Book,
}

impl fmt::Debug for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Messages").finish_non_exhaustive()
    }
}

impl Service for Messages {
    fn answer(&mut self, request: &Received) -> Response {
        let mut response =
            self.respond(request).unwrap_or_else(|refusal| Response::json(refusal.status, &refusal.json()));
        response.headers.push(("request-id", format!("req_{:04}", self.asked)));
        response
    }
}

impl Messages {
    fn respond(&mut self, request: &Received) -> Result<Response, Refusal> {
        if !matches!(request.path.as_str(), "/v1/messages" | "/v1/messages/count_tokens") {
            return Err(Refusal::new(404, "Not Found"));
        }
        if request.method != "POST" {
            return Err(Refusal::new(405, "Method Not Allowed"));
        }
        key(request)?;
        let header = |name: &str| request.headers.get(name).map(String::as_str).unwrap_or_default();
        if !header("content-type").starts_with("application/json") {
            return Err(Refusal::new(400, "content-type: must be application/json"));
        }
        let version = header("anthropic-version");
        if !matches!(version, "2023-06-01" | "2026-10-21") {
            return Err(Refusal::new(400, "anthropic-version: is required, and a known one"));
        }
        let body: Value = serde_json::from_slice(&request.body)
            .map_err(|_| Refusal::new(400, "The request body is not valid JSON"))?;
        if request.path.ends_with("count_tokens") {
            let mut counted = body;
            counted["max_tokens"] = 1.into();
            validate::body(&counted, version, &self.paused)?;
            let count = self.book.prompt(&counted);
            return Ok(Response::json(200, &json!({ "input_tokens": count })));
        }
        validate::body(&body, version, &self.paused)?;
        self.asked += 1;
        let asked = asked(self.asked, &body);
        match (self.script)(&asked) {
            Answer::Fail(fail) => Ok(fail.response(|status| Refusal::new(status, "scripted").json(), cap())),
            Answer::Say(mut say) => {
                let usage = self.book.count(&body);
                let said = response::said(&mut say, &body, &mut self.issued, usage)?;
                if said["stop_reason"] == "pause_turn" {
                    self.paused.push(told_so_far(&body, &said));
                }
                let streams = body["stream"].as_bool().unwrap_or(false);
                Ok(if streams { response::stream(&say, &said) } else { Response::json(200, &said) })
            }
        }
    }
}

/// What the assistant's turn is when it is sent back: what it was before, and what was said now.
fn told_so_far(body: &Value, said: &Value) -> Value {
    let last =
        body["messages"].as_array().and_then(|all| all.last()).filter(|turn| turn["role"] == "assistant");
    let before = last.and_then(|turn| turn["content"].as_array()).cloned().unwrap_or_default();
    let now = said["content"].as_array().cloned().unwrap_or_default();
    let bare = |mut block: Value| {
        block.as_object_mut().map(|fields| fields.remove("citations"));
        block
    };
    before.into_iter().chain(now.into_iter().map(bare)).collect()
}

/// One of the two headers, with the right key.
fn key(request: &Received) -> Result<(), Refusal> {
    let bearer = request.headers.get("authorization").map(String::as_str);
    let plain = request.headers.get("x-api-key").map(String::as_str);
    match (bearer.map(|key| key.strip_prefix("Bearer ").unwrap_or_default()), plain) {
        (Some(_), Some(_)) => Err(Refusal::new(400, "send one of Authorization and x-api-key, not both")),
        (Some(key), None) | (None, Some(key)) if key == KEY => Ok(()),
        _ => Err(Refusal::new(401, "invalid x-api-key")),
    }
}

fn cap() -> Value {
    json!({
        "type": "error",
        "error": {
            "type": "rate_limit_error",
            "message": "You have reached your spend limit.",
            "details": { "error_code": "enforced_spend_limit_reached" },
        },
    })
}

/// What a script is told of a request.
fn asked(number: usize, body: &Value) -> Asked {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let texts = |content: &Value, kind: &str, key: &str| -> Vec<String> {
        if let (Some(text), "text") = (content.as_str(), kind) {
            return vec![text.to_owned()];
        }
        let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
        blocks
            .iter()
            .filter(|block| block["type"] == kind)
            .map(|block| match &block[key] {
                Value::Array(inner) => inner.iter().map(|inner| word(&inner["text"])).collect(),
                text => word(text),
            })
            .collect()
    };
    let last = body["messages"].as_array().and_then(|all| all.last()).map(|turn| &turn["content"]);
    let last = last.unwrap_or(&Value::Null);
    let format = &body["output_config"]["format"]["schema"];
    Asked {
        number,
        model: word(&body["model"]),
        system: texts(&body["system"], "text", "text").concat(),
        tools: body["tools"].as_array().into_iter().flatten().map(|tool| word(&tool["name"])).collect(),
        shape: format.is_object().then(|| format.clone()),
        results: texts(last, "tool_result", "content"),
        words: texts(last, "text", "text").join("\n"),
        body: body.clone(),
    }
}
