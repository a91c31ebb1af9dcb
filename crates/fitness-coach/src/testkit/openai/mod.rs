//! Chat completions on this machine, as llama.cpp and Ollama answer them.

mod response;
mod validate;

use super::scenario::tokens;
use super::server::{Received, Response, Seen, Server, Service};
use super::{Answer, Asked, Block, KEY, Say, Script, Time};
use crate::model::endpoint_url::Address;
use serde_json::{Value, json};
use std::fmt;
use validate::Refusal;

/// What a server does when it is handed tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ability {
    /// Its model calls them.
    Native,
    /// The same, as Ollama does it: whole calls, all of them number 0, without ids.
    Ollama,
    /// Its model writes calls as text.
    Writes,
    /// Its template does not know tools, and does not say so.
    Ignores,
    /// It refuses them.
    Refuses,
}

/// The fake. Its only model is called `local`.
#[derive(Debug)]
pub struct FakeOpenAi {
    server: Server<Completions>,
}

impl FakeOpenAi {
    /// Starts one that does this with tools, and answers like this. What a client asks to find out what it can do is not the
    /// script's business.
    pub async fn start<A: Into<Answer>>(
        ability: Ability,
        mut script: impl FnMut(&Asked) -> A + Send + 'static,
    ) -> Self {
        let script: Script = Box::new(move |asked| script(asked).into());
        let service = Completions { ability, script, asked: 0, issued: 0, last: String::new() };
        Self { server: Server::start(service).await }
    }

    /// Where it is.
    ///
    /// # Panics
    /// Never: it is on this machine.
    #[must_use]
    pub fn address(&self) -> Address {
        Address::parse(&format!("{}/v1", self.server.address())).expect("this machine may be contacted")
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

struct Completions {
    ability: Ability,
    script: Script,
    asked: usize,
    issued: usize,
    /// The last prompt, of which a new one may reuse the beginning.
    last: String,
}

impl fmt::Debug for Completions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Completions").field("ability", &self.ability).finish_non_exhaustive()
    }
}

impl Service for Completions {
    fn answer(&mut self, request: &Received) -> Response {
        self.respond(request).unwrap_or_else(|refusal| Response::json(refusal.status, &refusal.json()))
    }
}

impl Completions {
    fn respond(&mut self, request: &Received) -> Result<Response, Refusal> {
        if request.method == "GET" && request.path == "/v1/models" {
            let models = json!({ "object": "list", "data": [{ "id": "local", "object": "model" }] });
            return Ok(Response::json(200, &models));
        }
        if request.path != "/v1/chat/completions" || request.method != "POST" {
            return Err(Refusal::new(404, "File Not Found"));
        }
        let key = request.headers.get("authorization");
        if key.is_some_and(|key| key.strip_prefix("Bearer ") != Some(KEY)) {
            return Err(Refusal::new(401, "Invalid API Key"));
        }
        let body: Value = serde_json::from_slice(&request.body)
            .map_err(|_| Refusal::new(400, "the body is not valid JSON"))?;
        validate::body(&body)?;
        let tools = body["tools"].as_array().map_or(0, Vec::len);
        if tools > 0 && self.ability == Ability::Refuses {
            return Err(Refusal::new(400, "local does not support tools"));
        }
        let answer = self.probed(&body).unwrap_or_else(|| {
            self.asked += 1;
            (self.script)(&asked(self.asked, &body))
        });
        match answer {
            Answer::Fail(fail) => {
                let cap =
                    json!({ "error": { "code": 429, "type": "insufficient_quota", "message": "scripted" } });
                Ok(fail.response(|status| Refusal::new(status, "scripted").json(), cap))
            }
            Answer::Say(mut say) => {
                let usage = self.count(&body);
                let ready = response::ready(&mut say, &body, self.ability, &mut self.issued, usage);
                let streams = body["stream"].as_bool().unwrap_or(false);
                Ok(if streams { ready.stream(&say, &body) } else { Response::json(200, &ready.whole()) })
            }
        }
    }

    /// A client that wants to know whether there are calls asks for one call of one tool.
    fn probed(&self, body: &Value) -> Option<Answer> {
        let tools = body["tools"].as_array().filter(|tools| tools.len() == 1)?;
        let name = tools[0]["function"]["name"].as_str().filter(|name| *name == "say_ready")?;
        let words = body["messages"][0]["content"].as_str().unwrap_or_default();
        let word = words.split("the word ").nth(1)?.split('.').next()?;
        let say = match self.ability {
            Ability::Ignores | Ability::Refuses => Say::text(format!("You said: {word}")),
            _ => Say::these(vec![Block::Call(name.to_owned(), json!({ "word": word }))]),
        };
        Some(say.into())
    }

    /// The size of the prompt, and how much of its beginning was there before.
    fn count(&mut self, body: &Value) -> (u64, u64) {
        let prompt = format!("{}{}", body["tools"], body["messages"]);
        let same = prompt.bytes().zip(self.last.bytes()).take_while(|(new, old)| new == old).count();
        self.last.clone_from(&prompt);
        (tokens(prompt.len()), (same / 4) as u64)
    }
}

/// What a script is told of a request.
fn asked(number: usize, body: &Value) -> Asked {
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
    let shaped = schema.is_object() && !response::is_envelope(body);
    Asked {
        number,
        model: word(&body["model"]),
        system,
        tools: native.chain(enveloped).collect(),
        shape: shaped.then(|| schema.clone()),
        results,
        words,
        body: body.clone(),
    }
}
