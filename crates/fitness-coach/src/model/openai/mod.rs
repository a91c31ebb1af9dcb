//! Models with OpenAI's chat completions API: Ollama, llama.cpp, LM Studio.
//!
//! Servers claim tool support for models that cannot use it, so a probe with a harmless tool
//! decides whether tools are passed natively. Otherwise a call is a JSON reply of a fixed schema,
//! which every such server can enforce. A reply that hits the token limit is an error.

mod json_tools;
mod partial_json;
mod request;
mod schema;
mod stream;

use super::endpoint_url::EndpointUrl;
use super::http::{self, Post, ServiceInfo, UsageCountingListener};
use super::{
    Cost, HttpEnv, Message, Model, ModelError, ModelErrorKind, ModelListener, ModelPart, Reply, ReplyFuture,
    Request, StopReason, Timeouts, Usage,
};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use stream::ResponseBuilder;
use tokio::sync::OnceCell;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolCallMode {
    /// As the server's own.
    Native,
    /// As answers of a certain shape.
    Enveloped,
}

/// What was found out about a server by trying it. It holds for this model at this address, and for
/// no other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerCapabilities {
    pub address: String,
    /// What it is called there.
    pub model: String,
    pub calls: ToolCallMode,
}

/// A model behind a server that speaks this dialect.
#[derive(Debug)]
pub struct OpenAiCompatible {
    address: EndpointUrl,
    key: Option<HeaderValue>,
    http_env: HttpEnv,
    timeouts: Timeouts,
    service: ServiceInfo,
    tool_call_mode: OnceCell<ToolCallMode>,
}

impl OpenAiCompatible {
    /// A model by the name that its server gives it. The address ends where `/chat/completions`
    /// would begin, usually in `/v1`.
    ///
    /// # Errors
    /// When there is a key and it has characters that no key has.
    pub fn new(
        model: impl Into<String>,
        address: EndpointUrl,
        key: Option<&SecretString>,
        http_env: HttpEnv,
        limits: Timeouts,
    ) -> Result<Self, ModelError> {
        let unusable = || {
            ModelError::new(
                ModelErrorKind::Key,
                "The API key is empty or has invalid characters; copy it again, or leave it empty",
            )
        };
        let key = key.map(|key| http::authorization(key).ok_or_else(unusable)).transpose()?;
        let who = ServiceInfo {
            name: "The model server".to_owned(),
            model: model.into(),
            unreachable_help: "check that it is running and that the address is correct",
            key_help: "correct the key in Settings",
        };
        Ok(Self { address, key, http_env, timeouts: limits, service: who, tool_call_mode: OnceCell::new() })
    }

    /// The same, with what was found out earlier. What is about another model or another address is
    /// passed over.
    #[must_use]
    pub fn with_capabilities(mut self, found: &[ServerCapabilities]) -> Self {
        let own = |found: &&ServerCapabilities| {
            found.address == self.address.to_string() && found.model == self.service.model
        };
        if let Some(found) = found.iter().find(own) {
            self.tool_call_mode = OnceCell::new_with(Some(found.calls));
        }
        self
    }

    /// How calls travel: found out by trying, once. A server that does not answer is not judged.
    pub async fn probe(&self) -> Result<ToolCallMode, ModelError> {
        let mut nobody = ();
        let work = async |heard: &mut UsageCountingListener<'_>| self.tool_call_mode(heard).await;
        http::with_timeout(
            &self.http_env,
            self.timeouts,
            &self.service,
            &mut UsageCountingListener::new(&mut nobody),
            work,
        )
        .await
    }

    async fn tool_call_mode(
        &self,
        heard: &mut UsageCountingListener<'_>,
    ) -> Result<ToolCallMode, ModelError> {
        let found = self.tool_call_mode.get_or_try_init(async || {
            let post = self.post(request::probe_body(&self.service.model));
            heard.begin_side_request(post.body.len());
            // Nobody listens to this.
            let mut nobody = ();
            let mut unheard = UsageCountingListener::new(&mut nobody);
            let new = || ResponseBuilder::new(&self.service, true);
            let answer =
                http::send_with_retries(&self.http_env, self.timeouts, &post, &mut unheard, new).await;
            heard.end_side_request(if answer.is_ok() {
                unheard.final_usage()
            } else {
                unheard.reported_usage()
            });
            match answer {
                Ok(answer) if answer.calls().iter().any(request::is_probe_call) => Ok(ToolCallMode::Native),
                Ok(_) => Ok(ToolCallMode::Enveloped),
                Err(error) => match error.kind {
                    ModelErrorKind::Request | ModelErrorKind::Garbled | ModelErrorKind::TooMuch => {
                        Ok(ToolCallMode::Enveloped)
                    }
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
        Post { service: &self.service, address: &self.address, path: "/chat/completions", headers, body }
    }

    async fn send(
        &self,
        request: &Request,
        heard: &mut UsageCountingListener<'_>,
    ) -> Result<Reply, ModelError> {
        let calls = if request.tools.is_empty() { None } else { Some(self.tool_call_mode(heard).await?) };
        let post = self.post(request::body(&self.service.model, request, calls));
        let new = || match calls {
            None => ResponseBuilder::new(&self.service, false),
            Some(ToolCallMode::Native) => ResponseBuilder::undecided(&self.service),
            Some(ToolCallMode::Enveloped) => ResponseBuilder::json_tools(&self.service),
        };
        let answer = http::send_with_retries(&self.http_env, self.timeouts, &post, heard, new).await?;
        let (mut parts, stop) = match calls {
            None => answer.finish(heard, &[])?,
            Some(ToolCallMode::Native) => answer.finish(heard, &request.tools)?,
            Some(ToolCallMode::Enveloped) => json_tools::parse_response(&self.service, answer, heard)?,
        };
        assign_call_ids(&request.messages, &mut parts);
        Ok(Reply { parts, stop_reason: stop, usage: heard.final_usage() })
    }
}

/// Gives every call an id that is used once in the conversation.
fn assign_call_ids(messages: &[Message], parts: &mut [ModelPart]) {
    let said = messages.iter().flat_map(|message| match message {
        Message::Model { parts, .. } => parts.as_slice(),
        Message::Program { .. } => &[],
    });
    let mut used: BTreeSet<String> = said
        .filter_map(|part| match part {
            ModelPart::Call { id, .. } => Some(id.clone()),
            ModelPart::Text { .. } | ModelPart::Sealed { .. } => None,
        })
        .collect();
    for part in parts {
        if let ModelPart::Call { id, .. } = part {
            let mut number = used.len();
            while id.is_empty() || used.contains(id.as_str()) {
                number += 1;
                *id = format!("call_{number}");
            }
            used.insert(id.clone());
        }
    }
}

impl Model for OpenAiCompatible {
    #[expect(clippy::misnamed_getters, reason = "the name of the model, not of the service")]
    fn name(&self) -> &str {
        &self.service.model
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

    /// While it is not known whether the server calls tools, what is sent to try it comes first,
    /// and both of what may follow.
    fn preview(&self, request: &Request) -> String {
        let sent = |calls| self.post(request::body(&self.service.model, request, calls)).preview();
        if request.tools.is_empty() {
            return sent(None);
        }
        let (native, enveloped) = ("the tools in the request", "tool calls as JSON in the reply");
        match self.tool_call_mode.get() {
            Some(ToolCallMode::Native) => {
                format!(
                    "With {native}, because the model can call them:\n{}",
                    sent(Some(ToolCallMode::Native))
                )
            }
            Some(ToolCallMode::Enveloped) => {
                format!(
                    "With {enveloped}, because the model cannot call tools itself:\n{}",
                    sent(Some(ToolCallMode::Enveloped))
                )
            }
            None => format!(
                "First, once, to find out whether the model can call tools:\n{}\n\nIf it can, with {native}:\n{}\n\nIf it \
                 cannot, with {enveloped}:\n{}",
                self.post(request::probe_body(&self.service.model)).preview(),
                sent(Some(ToolCallMode::Native)),
                sent(Some(ToolCallMode::Enveloped))
            ),
        }
    }

    fn server_capabilities(&self) -> Option<ServerCapabilities> {
        let calls = *self.tool_call_mode.get()?;
        Some(ServerCapabilities {
            address: self.address.to_string(),
            model: self.service.model.clone(),
            calls,
        })
    }

    /// Nobody is paid for it.
    fn cost(&self, _: &Usage) -> Option<Cost> {
        None
    }
}

/// Why it stopped, from what the server says and what it sent.
fn stop_reason(reason: &str, calls: bool) -> Option<StopReason> {
    match reason {
        "length" => Some(StopReason::Length),
        "content_filter" => Some(StopReason::Declined { reason: None }),
        "stop" | "tool_calls" | "function_call" if calls => Some(StopReason::ToolCalls),
        "stop" => Some(StopReason::Done),
        "tool_calls" | "function_call" => None,
        other => Some(StopReason::Other(other.to_owned())),
    }
}
