//! A fake Messages API.

mod response;
mod signature;
mod token_usage;
mod validate;

use super::{FakeClock, KEY, Script, ScriptRequest, ScriptResponse, start_time};
use crate::model::endpoint_url::EndpointUrl;
use fitness_http::testkit::{FakeServer, ReceivedRequest, RecordedRequest, RequestHandler, Response};
use serde_json::{Value, json};
use std::fmt;
use token_usage::PromptCache;
use validate::RequestError;

#[derive(Debug)]
pub struct FakeAnthropic {
    server: FakeServer<MessagesApi>,
    clock: FakeClock,
}

impl FakeAnthropic {
    pub async fn start<A: Into<ScriptResponse>>(
        mut script: impl FnMut(&ScriptRequest) -> A + Send + 'static,
    ) -> Self {
        let script: Script = Box::new(move |asked| script(asked).into());
        let service = MessagesApi {
            script,
            request_count: 0,
            issued_ids: 0,
            paused: Vec::new(),
            prompt_cache: PromptCache::default(),
        };
        let server = FakeServer::start(service).await;
        Self { clock: server.clock(start_time()), server }
    }

    #[must_use]
    pub fn address(&self) -> EndpointUrl {
        EndpointUrl::parse(self.server.address()).expect("loopback is allowed")
    }

    /// All requests, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.server.requests()
    }

    /// A fake clock whose timeouts this server fires.
    #[must_use]
    pub fn clock(&self) -> FakeClock {
        self.clock.clone()
    }

    /// Waits until a client disconnects before it has received everything.
    pub async fn wait_for_disconnect(&self) {
        self.server.wait_for_disconnect().await;
    }
}

struct MessagesApi {
    script: Script,
    request_count: usize,
    /// How many messages and calls were given out: each has a number.
    issued_ids: usize,
    /// What was said before a pause, which alone may be the last turn of a request.
    paused: Vec<Value>,
    prompt_cache: PromptCache,
}

impl fmt::Debug for MessagesApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Messages").finish_non_exhaustive()
    }
}

impl RequestHandler for MessagesApi {
    fn handle(&mut self, request: &ReceivedRequest) -> Response {
        let mut response =
            self.respond(request).unwrap_or_else(|refusal| Response::json(refusal.status, &refusal.json()));
        response.headers.push(("request-id", format!("req_{:04}", self.request_count)));
        response
    }
}

impl MessagesApi {
    fn respond(&mut self, request: &ReceivedRequest) -> Result<Response, RequestError> {
        if !matches!(request.path.as_str(), "/v1/messages" | "/v1/messages/count_tokens") {
            return Err(RequestError::new(404, "Not Found"));
        }
        if request.method != "POST" {
            return Err(RequestError::new(405, "Method Not Allowed"));
        }
        check_key(request)?;
        let header = |name: &str| request.headers.get(name).map(String::as_str).unwrap_or_default();
        if !header("content-type").starts_with("application/json") {
            return Err(RequestError::new(400, "content-type: must be application/json"));
        }
        let version = header("anthropic-version");
        if !matches!(version, "2023-06-01" | "2026-10-21") {
            return Err(RequestError::new(400, "anthropic-version: is required, and a known one"));
        }
        let body: Value = serde_json::from_slice(&request.body)
            .map_err(|_| RequestError::new(400, "The request body is not valid JSON"))?;
        if request.path.ends_with("count_tokens") {
            let mut counted = body;
            counted["max_tokens"] = 1.into();
            validate::validate_body(&counted, version, &self.paused)?;
            let count = self.prompt_cache.prompt_tokens(&counted);
            return Ok(Response::json(200, &json!({ "input_tokens": count })));
        }
        validate::validate_body(&body, version, &self.paused)?;
        self.request_count += 1;
        let asked = script_request(self.request_count, &body);
        match (self.script)(&asked) {
            ScriptResponse::Fail(fail) => {
                Ok(fail.response(|status| RequestError::new(status, "scripted").json(), spend_cap_error()))
            }
            ScriptResponse::Say(mut say) => {
                let usage = self.prompt_cache.count(&body);
                let said = response::build_message(&mut say, &body, &mut self.issued_ids, usage)?;
                if said["stop_reason"] == "pause_turn" {
                    self.paused.push(assistant_turn(&body, &said));
                }
                let streams = body["stream"].as_bool().unwrap_or(false);
                Ok(if streams { response::stream(&say, &said) } else { Response::json(200, &said) })
            }
        }
    }
}

/// What the assistant's turn is when it is sent back: what it was before, and what was said now.
fn assistant_turn(body: &Value, said: &Value) -> Value {
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
fn check_key(request: &ReceivedRequest) -> Result<(), RequestError> {
    let bearer = request.headers.get("authorization").map(String::as_str);
    let plain = request.headers.get("x-api-key").map(String::as_str);
    match (bearer.map(|key| key.strip_prefix("Bearer ").unwrap_or_default()), plain) {
        (Some(_), Some(_)) => {
            Err(RequestError::new(400, "send one of Authorization and x-api-key, not both"))
        }
        (Some(key), None) | (None, Some(key)) if key == KEY => Ok(()),
        _ => Err(RequestError::new(401, "invalid x-api-key")),
    }
}

fn spend_cap_error() -> Value {
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
fn script_request(number: usize, body: &Value) -> ScriptRequest {
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
    ScriptRequest {
        number,
        model: word(&body["model"]),
        system: texts(&body["system"], "text", "text").concat(),
        tools: body["tools"].as_array().into_iter().flatten().map(|tool| word(&tool["name"])).collect(),
        response_schema: format.is_object().then(|| format.clone()),
        results: texts(last, "tool_result", "content"),
        last_text: texts(last, "text", "text").join("\n"),
        body: body.clone(),
    }
}
