//! Claude, over the Messages API version 2026-10-21.
//!
//! This version refuses forced tool calls and sampling parameters, so neither is sent. A response
//! schema goes into `output_config.format`. ThinkingMode is requested as a summary, so that the
//! listener sees progress.

mod request;
mod schema;
mod stream;

use super::catalog::{ClaudeModel, ModelInfo};
use super::endpoint_url::EndpointUrl;
use super::http::{self, Post, ServiceInfo, UsageCountingListener};
use super::{
    Cost, HttpEnv, Model, ModelError, ModelErrorKind, ModelListener, ModelPart, Reply, ReplyFuture, Request,
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
    /// Creates a client. `address` is [`BASE_URL`], or a proxy with the same API.
    pub fn new(
        choice: ClaudeModel,
        address: EndpointUrl,
        key: &SecretString,
        http_env: HttpEnv,
        limits: Timeouts,
    ) -> Result<Self, ModelError> {
        let entry = choice.info();
        let key = http::authorization(key).ok_or_else(|| {
            ModelError::new(
                ModelErrorKind::Key,
                "The API key is empty or has invalid characters; copy it again",
            )
        })?;
        let who = ServiceInfo {
            name: "Claude".to_owned(),
            model: entry.id.to_owned(),
            unreachable_help: "check your internet connection and try again",
            key_help: "create a new one in the Claude console and save it here",
        };
        Ok(Self { info: entry, address, key, http_env, timeouts: limits, service: who })
    }

    fn post(&self, body: String) -> Post<'_> {
        let headers = HeaderMap::from_iter([
            (CONTENT_TYPE, HeaderValue::from_static("application/json")),
            (HeaderName::from_static("anthropic-version"), HeaderValue::from_static(API_VERSION)),
            (AUTHORIZATION, self.key.clone()),
        ]);
        Post { service: &self.service, address: &self.address, path: "/v1/messages", headers, body }
    }

    async fn send(
        &self,
        request: &Request,
        heard: &mut UsageCountingListener<'_>,
    ) -> Result<Reply, ModelError> {
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

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        listener: &'a mut (dyn ModelListener + 'a),
    ) -> ReplyFuture<'a> {
        Box::pin(async move {
            let mut heard = UsageCountingListener::new(listener);
            let work = async |heard: &mut UsageCountingListener<'_>| self.send(request, heard).await;
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
