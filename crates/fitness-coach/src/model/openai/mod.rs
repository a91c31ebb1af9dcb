//! A model of one's own, over chat completions: Ollama, llama.cpp, LM Studio.
//!
//! Servers say that they can call tools when their models cannot, so they are tried once ([`Compatible::probe`]): only when a
//! call of a harmless tool came back as one are tools handed to the server. Otherwise a call is an answer of a certain
//! shape, an envelope, which every such server can force. Reaching the limit of tokens is never an answer.

mod json_tools;
mod partial_json;
mod request;
mod schema;
mod stream;

use super::endpoint_url::Address;
use super::http::{self, Heard, Post, Who};
use super::{
    Asking, Cost, Failing, Limits, Listener, Means, Message, Model, ModelError, Part, Reply, Request, Stop,
    Usage,
};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use stream::Answer;
use tokio::sync::OnceCell;

/// How calls travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Calls {
    /// As the server's own.
    Native,
    /// As answers of a certain shape.
    Enveloped,
}

/// What was found out about a server by trying it. It holds for this model at this address, and for no other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Where it is.
    pub address: String,
    /// What it is called there.
    pub model: String,
    /// How calls travel.
    pub calls: Calls,
}

/// A model behind a server that speaks this dialect.
#[derive(Debug)]
pub struct Compatible {
    address: Address,
    key: Option<HeaderValue>,
    means: Means,
    limits: Limits,
    who: Who,
    calls: OnceCell<Calls>,
}

impl Compatible {
    /// A model by the name that its server gives it. The address ends where `/chat/completions` would begin, usually
    /// in `/v1`.
    ///
    /// # Errors
    /// When there is a key and it has characters that no key has.
    pub fn new(
        model: impl Into<String>,
        address: Address,
        key: Option<&SecretString>,
        means: Means,
        limits: Limits,
    ) -> Result<Self, ModelError> {
        let unusable = || {
            ModelError::new(
                Failing::Key,
                "The key cannot be right: it is empty or has characters that no key has; copy it again, or leave it out",
            )
        };
        let key = key.map(|key| http::authorization(key).ok_or_else(unusable)).transpose()?;
        let who = Who {
            service: "The model's server".to_owned(),
            model: model.into(),
            find: "check that it is running and that its address is right",
            key: "correct the key in the settings",
        };
        Ok(Self { address, key, means, limits, who, calls: OnceCell::new() })
    }

    /// The same, with what was found out earlier. What is about another model or another address is passed over.
    #[must_use]
    pub fn knowing(mut self, found: &[Found]) -> Self {
        let own = |found: &&Found| found.address == self.address.to_string() && found.model == self.who.model;
        if let Some(found) = found.iter().find(own) {
            self.calls = OnceCell::new_with(Some(found.calls));
        }
        self
    }

    /// How calls travel: found out by trying, once. A server that does not answer is not judged.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn probe(&self) -> Result<Calls, ModelError> {
        let mut nobody = ();
        let work = async |heard: &mut Heard<'_>| self.how(heard).await;
        http::within(&self.means, self.limits, &self.who, &mut Heard::new(&mut nobody), work).await
    }

    async fn how(&self, heard: &mut Heard<'_>) -> Result<Calls, ModelError> {
        let found = self.calls.get_or_try_init(async || {
            let post = self.post(request::probe(&self.who.model));
            heard.asks(post.body.len());
            // Nobody listens to this.
            let mut nobody = ();
            let mut unheard = Heard::new(&mut nobody);
            let new = || Answer::new(&self.who, true);
            let answer = http::ask(&self.means, self.limits, &post, &mut unheard, new).await;
            heard.also(if answer.is_ok() { unheard.whole() } else { unheard.spent() });
            match answer {
                Ok(answer) if answer.calls().iter().any(request::is_the_probe) => Ok(Calls::Native),
                Ok(_) => Ok(Calls::Enveloped),
                Err(error) => match error.kind {
                    Failing::Request | Failing::Garbled | Failing::TooMuch => Ok(Calls::Enveloped),
                    _ => Err(error),
                },
            }
        });
        found.await.copied()
    }

    fn post(&self, body: String) -> Post<'_> {
        let mut headers =
            HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
        if let Some(key) = &self.key {
            headers.insert(AUTHORIZATION, key.clone());
        }
        Post { who: &self.who, address: &self.address, path: "/chat/completions", headers, body }
    }

    async fn answer(&self, request: &Request, heard: &mut Heard<'_>) -> Result<Reply, ModelError> {
        let calls = if request.tools.is_empty() { None } else { Some(self.how(heard).await?) };
        let post = self.post(request::body(&self.who.model, request, calls));
        let new = || match calls {
            None => Answer::new(&self.who, false),
            Some(Calls::Native) => Answer::wary(&self.who),
            Some(Calls::Enveloped) => Answer::peeking(&self.who),
        };
        let answer = http::ask(&self.means, self.limits, &post, heard, new).await?;
        let (mut parts, stop) = match calls {
            None => answer.finish(heard, &[])?,
            Some(Calls::Native) => answer.finish(heard, &request.tools)?,
            Some(Calls::Enveloped) => json_tools::open(&self.who, answer, heard)?,
        };
        mint(&request.messages, &mut parts);
        Ok(Reply { parts, stop, usage: heard.whole() })
    }
}

/// Gives every call an id that is used once in the conversation.
fn mint(messages: &[Message], parts: &mut [Part]) {
    let said = messages.iter().flat_map(|message| match message {
        Message::Model { parts, .. } => parts.as_slice(),
        Message::Program { .. } => &[],
    });
    let mut used: BTreeSet<String> = said
        .filter_map(|part| match part {
            Part::Call { id, .. } => Some(id.clone()),
            Part::Text { .. } | Part::Sealed { .. } => None,
        })
        .collect();
    for part in parts {
        if let Part::Call { id, .. } = part {
            let mut number = used.len();
            while id.is_empty() || used.contains(id.as_str()) {
                number += 1;
                *id = format!("call_{number}");
            }
            used.insert(id.clone());
        }
    }
}

impl Model for Compatible {
    fn name(&self) -> &str {
        &self.who.model
    }

    fn ask<'a>(&'a self, request: &'a Request, listener: &'a mut (dyn Listener + 'a)) -> Asking<'a> {
        Box::pin(async move {
            let mut heard = Heard::new(listener);
            let work = async |heard: &mut Heard<'_>| self.answer(request, heard).await;
            http::within(&self.means, self.limits, &self.who, &mut heard, work).await
        })
    }

    /// While it is not known whether the server calls tools, what is sent to try it comes first, and both of what may follow.
    fn preview(&self, request: &Request) -> String {
        let sent = |calls| self.post(request::body(&self.who.model, request, calls)).preview();
        if request.tools.is_empty() {
            return sent(None);
        }
        let (native, enveloped) =
            ("tools handed to the server, to call them itself", "calls as answers of a certain shape");
        match self.calls.get() {
            Some(Calls::Native) => {
                format!("With {native}, as it was found to do:\n{}", sent(Some(Calls::Native)))
            }
            Some(Calls::Enveloped) => {
                format!(
                    "With {enveloped}, for it was found not to call tools itself:\n{}",
                    sent(Some(Calls::Enveloped))
                )
            }
            None => format!(
                "First, once, to find out whether it calls tools itself:\n{}\n\nThen, if it does, with {native}:\n{}\n\nOr, if it \
                 does not, with {enveloped}:\n{}",
                self.post(request::probe(&self.who.model)).preview(),
                sent(Some(Calls::Native)),
                sent(Some(Calls::Enveloped))
            ),
        }
    }

    fn found(&self) -> Option<Found> {
        let calls = *self.calls.get()?;
        Some(Found { address: self.address.to_string(), model: self.who.model.clone(), calls })
    }

    /// Nobody is paid for it.
    fn cost(&self, _: &Usage) -> Option<Cost> {
        None
    }
}

/// Why it stopped, from what the server says and what it sent.
fn stop(reason: &str, calls: bool) -> Option<Stop> {
    match reason {
        "length" => Some(Stop::Length),
        "content_filter" => Some(Stop::Declined { why: None }),
        "stop" | "tool_calls" | "function_call" if calls => Some(Stop::Calls),
        "stop" => Some(Stop::Done),
        "tool_calls" | "function_call" => None,
        other => Some(Stop::Other(other.to_owned())),
    }
}
