//! A model without a wire.

use crate::model::{
    Asking, Cost, Listener, Model, ModelError, Part, Reply, Request, Stop, Usage, catalog::Choice,
};
use std::fmt;
use std::sync::{Mutex, PoisonError};

type Function = Box<dyn FnMut(&Request) -> Result<Reply, ModelError> + Send>;

/// A model that is a function of what it is asked.
pub struct ScriptedModel {
    name: String,
    function: Mutex<Function>,
    asked: Mutex<Vec<Request>>,
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
        Self { name: name.into(), function: Mutex::new(Box::new(function)), asked: Mutex::default() }
    }

    /// What it was asked so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Request> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A reply of these parts, which takes a hundred tokens to read and ten to write.
    #[must_use]
    pub fn reply(parts: Vec<Part>) -> Reply {
        let calls = parts.iter().any(|part| matches!(part, Part::Call { .. }));
        let stop = if calls { Stop::Calls } else { Stop::Done };
        Reply { parts, stop, usage: Usage { input: 100, output: 10, ..Usage::default() } }
    }

    /// A reply of these words.
    #[must_use]
    pub fn says(text: impl Into<String>) -> Reply {
        Self::reply(vec![Part::Text { text: text.into() }])
    }
}

impl Model for ScriptedModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn ask<'a>(&'a self, request: &'a Request, listener: &'a mut (dyn Listener + 'a)) -> Asking<'a> {
        Box::pin(async move {
            self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
            let reply = (self.function.lock().unwrap_or_else(PoisonError::into_inner))(request)?;
            for part in &reply.parts {
                match part {
                    Part::Text { text } => listener.text(text),
                    Part::Call { tool, .. } => listener.call(tool),
                    Part::Sealed { .. } => {}
                }
            }
            Ok(reply)
        })
    }

    fn preview(&self, request: &Request) -> String {
        format!("{request:?}")
    }

    fn cost(&self, usage: &Usage) -> Option<Cost> {
        Some(Choice::default().entry().cost(usage))
    }
}
