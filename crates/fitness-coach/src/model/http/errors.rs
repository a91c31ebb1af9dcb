//! Error messages about a model service. They never contain request or response data.

use super::AttemptError;
use crate::model::{ModelError, ModelErrorKind};
use reqwest::StatusCode;
use std::time::Duration;

/// A model service, for error messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::model) struct ServiceInfo {
    /// Name at the start of a sentence.
    pub(in crate::model) name: String,
    pub(in crate::model) model: String,
    /// Help if it cannot be reached.
    pub(in crate::model) unreachable_help: &'static str,
    /// Help if it rejects the key.
    pub(in crate::model) key_help: &'static str,
}

/// Text, thinking and tool calls of one reply together.
const MAX_REPLY_BYTES: usize = 4 << 20;

impl ServiceInfo {
    fn error(&self, kind: ModelErrorKind, rest: impl AsRef<str>) -> ModelError {
        ModelError::new(kind, format!("{} {}", self.name, rest.as_ref()))
    }

    pub(in crate::model) fn unreachable(&self) -> ModelError {
        self.error(ModelErrorKind::Unreachable, format!("cannot be reached; {}", self.unreachable_help))
    }

    pub(super) fn send_failed(&self, error: &reqwest::Error) -> AttemptError {
        if error.is_redirect() {
            return self.redirect_error();
        }
        if error.is_timeout() && !error.is_connect() {
            return AttemptError::permanent(
                self.error(ModelErrorKind::Stalled, "does not respond; try again later"),
            );
        }
        AttemptError::retryable(self.unreachable())
    }

    pub(super) fn body_failed(&self, error: &reqwest::Error, limit: Duration) -> AttemptError {
        if error.is_timeout() { self.stalled_error(limit) } else { self.truncated_error() }
    }

    pub(super) fn truncated_error(&self) -> AttemptError {
        AttemptError::retryable(self.error(
            ModelErrorKind::Unreachable,
            "closed the connection during its reply; try again in a moment",
        ))
    }

    pub(super) fn stalled_error(&self, limit: Duration) -> AttemptError {
        let rest = format!("sent nothing for {} seconds; try again later", limit.as_secs());
        AttemptError::permanent(self.error(ModelErrorKind::Stalled, rest))
    }

    pub(super) fn timed_out(&self, limit: Duration) -> ModelError {
        let rest = format!(
            "did not finish within {} seconds; ask for less, or choose a faster model",
            limit.as_secs()
        );
        self.error(ModelErrorKind::Stalled, rest)
    }

    pub(super) fn redirect_error(&self) -> AttemptError {
        let rest = "responded with a redirect, which is not followed; correct the address in Settings";
        AttemptError::permanent(self.error(ModelErrorKind::Request, rest))
    }

    /// Adds to the size of a reply and refuses one over [`MAX_REPLY_BYTES`].
    pub(in crate::model) fn count_reply_bytes(
        &self,
        total: &mut usize,
        more: usize,
    ) -> Result<(), AttemptError> {
        *total = total.saturating_add(more);
        if *total > MAX_REPLY_BYTES { Err(AttemptError::permanent(self.too_large())) } else { Ok(()) }
    }

    pub(in crate::model) fn too_large(&self) -> ModelError {
        self.error(ModelErrorKind::TooMuch, "sent a reply that is too large; try again")
    }

    pub(in crate::model) fn invalid_response(&self) -> ModelError {
        self.error(ModelErrorKind::Garbled, "sent an invalid reply; try again, or check its address")
    }

    pub(in crate::model) fn busy(&self, status: Option<StatusCode>) -> ModelError {
        let status = status.map(|status| format!(" (status {})", status.as_u16())).unwrap_or_default();
        self.error(
            ModelErrorKind::Busy,
            format!("is overloaded or has a problem{status}; try again in a few minutes"),
        )
    }

    pub(in crate::model) fn model_loading(&self) -> ModelError {
        self.error(ModelErrorKind::Busy, "is still loading its model; try again in a minute")
    }

    pub(in crate::model) fn key_refused(&self) -> ModelError {
        self.error(ModelErrorKind::Key, format!("rejected the API key; {}", self.key_help))
    }

    pub(in crate::model) fn spend_cap(&self) -> ModelError {
        self.error(
            ModelErrorKind::SpendCap,
            "has reached the spending limit of the account; raise the limit, or use the built-in coach",
        )
    }

    pub(in crate::model) fn unknown_model(&self) -> ModelError {
        let rest = format!("has no model called {}; choose another one in Settings", self.model);
        self.error(ModelErrorKind::Request, rest)
    }

    pub(in crate::model) fn context_too_long(&self) -> ModelError {
        self.error(ModelErrorKind::Request, "cannot handle a conversation this long; start a new one")
    }

    pub(in crate::model) fn request_refused(&self, status: Option<StatusCode>) -> ModelError {
        let status = status.map(|status| format!(" (status {})", status.as_u16())).unwrap_or_default();
        let rest = format!("refused the request{status}; start a new conversation, or choose another model");
        self.error(ModelErrorKind::Request, rest)
    }
}
