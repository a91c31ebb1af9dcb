//! Claude, over the Messages API of 2026-10-21.
//!
//! No tool is ever forced and nothing is sampled: this version refuses both. A shape that an answer must have goes through
//! `output_config.format`. Thinking is asked for in summary, so that a listener hears that something happens.

mod request;
mod schema;
mod stream;

use super::catalog::{Choice, Entry};
use super::endpoint_url::Address;
use super::http::{self, Heard, Post, Who};
use super::{
    Asking, Cost, Failing, Limits, Listener, Means, Model, ModelError, Part, Reply, Request, Stop, Usage,
};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use secrecy::SecretString;
use stream::Answer;

/// The version of the API that is spoken.
pub const VERSION: &str = "2026-10-21";
/// Where the service is.
pub const ADDRESS: &str = "https://api.anthropic.com";
/// How often an answer that pauses is continued.
const MOST_PAUSES: usize = 4;

/// One of the three models.
#[derive(Debug)]
pub struct Claude {
    entry: &'static Entry,
    address: Address,
    key: HeaderValue,
    means: Means,
    limits: Limits,
    who: Who,
}

impl Claude {
    /// A model behind a key. The address is [`ADDRESS`] unless somebody speaks the same language elsewhere.
    ///
    /// # Errors
    /// When the key has characters that no key has.
    pub fn new(
        choice: Choice,
        address: Address,
        key: &SecretString,
        means: Means,
        limits: Limits,
    ) -> Result<Self, ModelError> {
        let entry = choice.entry();
        let key = http::authorization(key).ok_or_else(|| {
            ModelError::new(
                Failing::Key,
                "The key cannot be right: it is empty or has characters that no key has; copy it again",
            )
        })?;
        let who = Who {
            service: "Claude".to_owned(),
            model: entry.id.to_owned(),
            find: "check the connection to the internet and try again",
            key: "make a new one in the Claude console and store it again",
        };
        Ok(Self { entry, address, key, means, limits, who })
    }

    fn post(&self, body: String) -> Post<'_> {
        let headers = HeaderMap::from_iter([
            (CONTENT_TYPE, HeaderValue::from_static("application/json")),
            (HeaderName::from_static("anthropic-version"), HeaderValue::from_static(VERSION)),
            (AUTHORIZATION, self.key.clone()),
        ]);
        Post { who: &self.who, address: &self.address, path: "/v1/messages", headers, body }
    }

    async fn answer(&self, request: &Request, heard: &mut Heard<'_>) -> Result<Reply, ModelError> {
        let mut parts: Vec<Part> = Vec::new();
        for pauses in 0.. {
            let post = self.post(request::body(self.entry, request, &parts));
            let answer = http::ask(&self.means, self.limits, &post, heard, || Answer::new(&self.who)).await?;
            let (more, stop) = answer.finish()?;
            let paused = stop == Stop::Other("pause_turn".to_owned());
            let went_on = paused && !more.is_empty() && pauses < MOST_PAUSES;
            parts.extend(more);
            if !went_on {
                return Ok(Reply { parts, stop, usage: heard.whole() });
            }
        }
        Err(self.who.garbled())
    }
}

impl Model for Claude {
    fn name(&self) -> &str {
        self.entry.id
    }

    fn ask<'a>(&'a self, request: &'a Request, listener: &'a mut (dyn Listener + 'a)) -> Asking<'a> {
        Box::pin(async move {
            let mut heard = Heard::new(listener);
            let work = async |heard: &mut Heard<'_>| self.answer(request, heard).await;
            http::within(&self.means, self.limits, &self.who, &mut heard, work).await
        })
    }

    fn preview(&self, request: &Request) -> String {
        self.post(request::body(self.entry, request, &[])).preview()
    }

    fn cost(&self, usage: &Usage) -> Option<Cost> {
        Some(self.entry.cost(usage))
    }
}
