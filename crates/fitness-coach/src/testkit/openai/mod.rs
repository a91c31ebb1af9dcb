//! A fake chat completions API that behaves like llama.cpp and Ollama.

mod response;
mod validate;

use super::scenario::tokens_of_bytes;
use super::{Block, FakeClock, KEY, Script, ScriptRequest, ScriptResponse, ScriptedReply, start_time};
use crate::model::endpoint_url::EndpointUrl;
use fitness_http::testkit::{FakeServer, ReceivedRequest, RecordedRequest, RequestHandler, Response};
use serde_json::{Value, json};
use std::fmt;
use validate::RequestError;

/// What a server does when it is handed tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolSupport {
    /// Its model calls them.
    Native,
    /// The same, as Ollama does it: whole calls, all of them number 0, without ids.
    Ollama,
    /// Its model writes calls as text.
    AsText,
    /// Its template does not know tools, and does not say so.
    Ignored,
    Rejected,
}

/// The fake. Its only model is called `local`.
#[derive(Debug)]
pub struct FakeOpenAi {
    server: FakeServer<CompletionsApi>,
    clock: FakeClock,
}

impl FakeOpenAi {
    /// Starts one that does this with tools, and answers like this. What a client asks to find out
    /// what it can do is not the script's business.
    pub async fn start<A: Into<ScriptResponse>>(
        ability: ToolSupport,
        mut script: impl FnMut(&ScriptRequest) -> A + Send + 'static,
    ) -> Self {
        let script: Script = Box::new(move |asked| script(asked).into());
        let service = CompletionsApi {
            tool_support: ability,
            script,
            request_count: 0,
            issued_ids: 0,
            last_prompt: String::new(),
        };
        let server = FakeServer::start(service).await;
        Self { clock: server.clock(start_time()), server }
    }

    #[must_use]
    pub fn address(&self) -> EndpointUrl {
        EndpointUrl::parse(&format!("{}/v1", self.server.address())).expect("loopback is allowed")
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

struct CompletionsApi {
    tool_support: ToolSupport,
    script: Script,
    request_count: usize,
    issued_ids: usize,
    /// The last prompt, of which a new one may reuse the beginning.
    last_prompt: String,
}

impl fmt::Debug for CompletionsApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Completions").field("ability", &self.tool_support).finish_non_exhaustive()
    }
}

impl RequestHandler for CompletionsApi {
    fn handle(&mut self, request: &ReceivedRequest) -> Response {
        self.respond(request).unwrap_or_else(|refusal| Response::json(refusal.status, &refusal.json()))
    }
}

impl CompletionsApi {
    fn respond(&mut self, request: &ReceivedRequest) -> Result<Response, RequestError> {
        if request.method == "GET" && request.path == "/v1/models" {
            let models = json!({ "object": "list", "data": [{ "id": "local", "object": "model" }] });
            return Ok(Response::json(200, &models));
        }
        if request.path != "/v1/chat/completions" || request.method != "POST" {
            return Err(RequestError::new(404, "File Not Found"));
        }
        let key = request.headers.get("authorization");
        if key.is_some_and(|key| key.strip_prefix("Bearer ") != Some(KEY)) {
            return Err(RequestError::new(401, "Invalid API Key"));
        }
        let body: Value = serde_json::from_slice(&request.body)
            .map_err(|_| RequestError::new(400, "the body is not valid JSON"))?;
        validate::validate_body(&body)?;
        let tools = body["tools"].as_array().map_or(0, Vec::len);
        if tools > 0 && self.tool_support == ToolSupport::Rejected {
            return Err(RequestError::new(400, "local does not support tools"));
        }
        let answer = self.probe_response(&body).unwrap_or_else(|| {
            self.request_count += 1;
            (self.script)(&script_request(self.request_count, &body))
        });
        match answer {
            ScriptResponse::Fail(fail) => {
                let cap =
                    json!({ "error": { "code": 429, "type": "insufficient_quota", "message": "scripted" } });
                Ok(fail.response(|status| RequestError::new(status, "scripted").json(), cap))
            }
            ScriptResponse::Say(mut say) => {
                let usage = self.count(&body);
                let ready = response::build_completion(
                    &mut say,
                    &body,
                    self.tool_support,
                    &mut self.issued_ids,
                    usage,
                );
                let streams = body["stream"].as_bool().unwrap_or(false);
                Ok(if streams { ready.stream(&say, &body) } else { Response::json(200, &ready.to_json()) })
            }
        }
    }

    /// A client that wants to know whether there are calls asks for one call of one tool.
    fn probe_response(&self, body: &Value) -> Option<ScriptResponse> {
        let tools = body["tools"].as_array().filter(|tools| tools.len() == 1)?;
        let name = tools[0]["function"]["name"].as_str().filter(|name| *name == "say_ready")?;
        let words = body["messages"][0]["content"].as_str().unwrap_or_default();
        let word = words.split("the word ").nth(1)?.split('.').next()?;
        let say = match self.tool_support {
            ToolSupport::Ignored | ToolSupport::Rejected => ScriptedReply::text(format!("You said: {word}")),
            _ => ScriptedReply::new(vec![Block::Call(name.to_owned(), json!({ "word": word }))]),
        };
        Some(say.into())
    }

    /// The size of the prompt, and how much of its beginning was there before.
    fn count(&mut self, body: &Value) -> (u64, u64) {
        let prompt = format!("{}{}", body["tools"], body["messages"]);
        let same = prompt.bytes().zip(self.last_prompt.bytes()).take_while(|(new, old)| new == old).count();
        self.last_prompt.clone_from(&prompt);
        (tokens_of_bytes(prompt.len()), (same / 4) as u64)
    }
}

/// What a script is told of a request.
fn script_request(number: usize, body: &Value) -> ScriptRequest {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let system: String =
        messages.iter().filter(|one| one["role"] == "system").map(|one| word(&one["content"])).collect();
    let spoken = messages.iter().rev().take_while(|one| one["role"] != "assistant");
    let (mut results, mut words) = (Vec::new(), String::new());
    for message in spoken {
        let content = word(&message["content"]);
        match message["role"].as_str() {
            Some("tool") => results.insert(0, content),
            Some("user") => {
                let told = content.starts_with("Result of ") || content.starts_with("Refused by ");
                if let Some((_, result)) = content.split_once('\n').filter(|_| told) {
                    results.push(result.to_owned());
                }
                words = content;
            }
            _ => {}
        }
    }
    let native = body["tools"].as_array().into_iter().flatten().map(|tool| word(&tool["function"]["name"]));
    let schema = &body["response_format"]["json_schema"]["schema"];
    let enveloped = schema["anyOf"].as_array().into_iter().flatten();
    let enveloped =
        enveloped.map(|one| word(&one["properties"]["tool"]["const"])).filter(|name| name != "final_answer");
    let shaped = schema.is_object() && !response::is_json_tools(body);
    ScriptRequest {
        number,
        model: word(&body["model"]),
        system,
        tools: native.chain(enveloped).collect(),
        response_schema: shaped.then(|| schema.clone()),
        results,
        last_text: words,
        body: body.clone(),
    }
}
