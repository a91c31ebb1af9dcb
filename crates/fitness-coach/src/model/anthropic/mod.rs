//! Claude, over the Messages API of 2026-10-21.
//!
//! No tool is ever forced and nothing is sampled: this version refuses both. A shape that an answer must have goes through
//! `output_config.format`. Thinking is asked for in summary, so that a listener hears that something happens.

mod request;
mod schema;
mod stream;

use super::catalog::{ClaudeModel, ModelInfo};
use super::endpoint_url::EndpointUrl;
use super::http::{self, Post, ResponseTracker, ServiceInfo};
use super::{
    Cost, HttpEnv, Listener, Model, ModelError, ModelErrorKind, ModelPart, Reply, ReplyFuture, Request,
    StopReason, Timeouts, Usage,
};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use secrecy::SecretString;
use stream::ResponseBuilder;

/// The version of the API that is spoken.
pub const API_VERSION: &str = "2026-10-21";
/// Where the service is.
pub const BASE_URL: &str = "https://api.anthropic.com";
/// How often an answer that pauses is continued.
const MAX_PAUSES: usize = 4;

/// One of the three models.
#[derive(Debug)]
pub struct Claude {
    info: &'static ModelInfo,
    address: EndpointUrl,
    key: HeaderValue,
    http_env: HttpEnv,
    timeouts: Timeouts,
    service: ServiceInfo,
}

impl Claude {
    /// A model behind a key. The address is [`ADDRESS`] unless somebody speaks the same language elsewhere.
    ///
    /// # Errors
    /// When the key has characters that no key has.
    pub fn new(
        choice: ClaudeModel,
        address: EndpointUrl,
        key: &SecretString,
        means: HttpEnv,
        limits: Timeouts,
    ) -> Result<Self, ModelError> {
        let entry = choice.info();
        let key = http::authorization(key).ok_or_else(|| {
            ModelError::new(
                ModelErrorKind::Key,
                "The key cannot be right: it is empty or has characters that no key has; copy it again",
            )
        })?;
        let who = ServiceInfo {
            name: "Claude".to_owned(),
            model: entry.id.to_owned(),
            unreachable_help: "check the connection to the internet and try again",
            key_help: "make a new one in the Claude console and store it again",
        };
        Ok(Self { info: entry, address, key, http_env: means, timeouts: limits, service: who })
    }

    fn post(&self, body: String) -> Post<'_> {
        let headers = HeaderMap::from_iter([
            (CONTENT_TYPE, HeaderValue::from_static("application/json")),
            (HeaderName::from_static("anthropic-version"), HeaderValue::from_static(API_VERSION)),
            (AUTHORIZATION, self.key.clone()),
        ]);
        Post { service: &self.service, address: &self.address, path: "/v1/messages", headers, body }
    }

    async fn send(&self, request: &Request, heard: &mut ResponseTracker<'_>) -> Result<Reply, ModelError> {
        let mut parts: Vec<ModelPart> = Vec::new();
        for pauses in 0.. {
            let post = self.post(request::body(self.info, request, &parts));
            let answer = http::send_with_retries(&self.http_env, self.timeouts, &post, heard, || {
                ResponseBuilder::new(&self.service)
            })
            .await?;
            let (more, stop) = answer.finish()?;
            let paused = stop == StopReason::Other("pause_turn".to_owned());
            let went_on = paused && !more.is_empty() && pauses < MAX_PAUSES;
            parts.extend(more);
            if !went_on {
                return Ok(Reply { parts, stop_reason: stop, usage: heard.final_usage() });
            }
        }
        Err(self.service.invalid_response())
    }
}

impl Model for Claude {
    fn name(&self) -> &str {
        self.info.id
    }

    fn ask<'a>(&'a self, request: &'a Request, listener: &'a mut (dyn Listener + 'a)) -> ReplyFuture<'a> {
        Box::pin(async move {
            let mut heard = ResponseTracker::new(listener);
            let work = async |heard: &mut ResponseTracker<'_>| self.send(request, heard).await;
            http::with_timeout(&self.http_env, self.timeouts, &self.service, &mut heard, work).await
        })
    }

    fn preview(&self, request: &Request) -> String {
        self.post(request::body(self.info, request, &[])).preview()
    }

    fn cost(&self, usage: &Usage) -> Option<Cost> {
        Some(self.info.cost(usage))
    }
}
