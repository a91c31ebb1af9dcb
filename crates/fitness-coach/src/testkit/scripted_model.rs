//! A model without network, driven by a function.

use crate::model::{
    Cost, Model, ModelError, ModelListener, ModelPart, Reply, ReplyFuture, Request, StopReason, Usage,
    catalog::ClaudeModel,
};
use std::fmt;
use std::sync::{Mutex, PoisonError};

type ReplyFn = Box<dyn FnMut(&Request) -> Result<Reply, ModelError> + Send>;

/// A model that is a function of what it is asked.
pub struct ScriptedModel {
    name: String,
    function: Mutex<ReplyFn>,
    requests: Mutex<Vec<Request>>,
}

impl fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedModel").field("name", &self.name).finish_non_exhaustive()
    }
}

impl ScriptedModel {
    /// A model that answers like this.
    pub fn new(
        name: impl Into<String>,
        function: impl FnMut(&Request) -> Result<Reply, ModelError> + Send + 'static,
    ) -> Self {
        Self { name: name.into(), function: Mutex::new(Box::new(function)), requests: Mutex::default() }
    }

    /// What it was asked so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A reply of these parts, which takes a hundred tokens to read and ten to write.
    #[must_use]
    pub fn reply(parts: Vec<ModelPart>) -> Reply {
        let calls = parts.iter().any(|part| matches!(part, ModelPart::Call { .. }));
        let stop = if calls { StopReason::ToolCalls } else { StopReason::Done };
        Reply { parts, stop_reason: stop, usage: Usage { input: 100, output: 10, ..Usage::default() } }
    }

    /// A reply of these words.
    #[must_use]
    pub fn text_reply(text: impl Into<String>) -> Reply {
        Self::reply(vec![ModelPart::Text { text: text.into() }])
    }
}

impl Model for ScriptedModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        listener: &'a mut (dyn ModelListener + 'a),
    ) -> ReplyFuture<'a> {
        Box::pin(async move {
            self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
            let reply = (self.function.lock().unwrap_or_else(PoisonError::into_inner))(request)?;
            for part in &reply.parts {
                match part {
                    ModelPart::Text { text } => listener.text(text),
                    ModelPart::Call { tool, .. } => listener.tool_call(tool),
                    ModelPart::Sealed { .. } => {}
                }
            }
            Ok(reply)
        })
    }

    fn preview(&self, request: &Request) -> String {
        format!("{request:?}")
    }

    fn cost(&self, usage: &Usage) -> Option<Cost> {
        Some(ClaudeModel::default().info().cost(usage))
    }
}
