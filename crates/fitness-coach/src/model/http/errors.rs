//! What is told about a service that does not answer as it should. Never a word of what it sent, or was sent.

use super::AttemptError;
use crate::model::{ModelError, ModelErrorKind};
use reqwest::StatusCode;
use std::time::Duration;

/// A service, as the athlete knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::model) struct ServiceInfo {
    /// What it is called at the beginning of a sentence.
    pub(in crate::model) name: String,
    /// Which model of it is asked.
    pub(in crate::model) model: String,
    /// What to do when it does not answer at all.
    pub(in crate::model) unreachable_help: &'static str,
    /// What to do when it does not take the key.
    pub(in crate::model) key_help: &'static str,
}

impl ServiceInfo {
    fn error(&self, kind: ModelErrorKind, rest: impl AsRef<str>) -> ModelError {
        ModelError::new(kind, format!("{} {}", self.name, rest.as_ref()))
    }

    pub(in crate::model) fn unreachable(&self) -> ModelError {
        self.error(ModelErrorKind::Unreachable, format!("cannot be reached; {}", self.unreachable_help))
    }

    /// No answer began.
    pub(super) fn send_failed(&self, error: &reqwest::Error) -> AttemptError {
        if error.is_redirect() {
            return self.redirected();
        }
        if error.is_timeout() && !error.is_connect() {
            return AttemptError::permanent(
                self.error(ModelErrorKind::Stalled, "does not answer; try again later"),
            );
        }
        AttemptError::retryable(self.unreachable())
    }

    /// An answer did not end.
    pub(super) fn body_failed(&self, error: &reqwest::Error, limit: Duration) -> AttemptError {
        if error.is_timeout() { self.stalled(limit) } else { self.truncated() }
    }

    pub(super) fn truncated(&self) -> AttemptError {
        AttemptError::retryable(self.error(
            ModelErrorKind::Unreachable,
            "broke off in the middle of its answer; try again in a moment",
        ))
    }

    pub(super) fn stalled(&self, limit: Duration) -> AttemptError {
        let rest = format!("wrote nothing for {} seconds; try again later", limit.as_secs());
        AttemptError::permanent(self.error(ModelErrorKind::Stalled, rest))
    }

    pub(super) fn timed_out(&self, limit: Duration) -> ModelError {
        let rest =
            format!("was not done after {} seconds; ask for less, or choose a faster model", limit.as_secs());
        self.error(ModelErrorKind::Stalled, rest)
    }

    pub(super) fn redirected(&self) -> AttemptError {
        let rest = "answered with a redirect, which is not followed; correct the address in the settings";
        AttemptError::permanent(self.error(ModelErrorKind::Request, rest))
    }

    pub(in crate::model) fn too_large(&self) -> ModelError {
        self.error(ModelErrorKind::TooMuch, "sent more than an answer can be, and was cut off; try again")
    }

    pub(in crate::model) fn invalid_response(&self) -> ModelError {
        self.error(
            ModelErrorKind::Garbled,
            "sent something that is not an answer; try again, or check its address",
        )
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
        self.error(ModelErrorKind::Key, format!("does not accept the key; {}", self.key_help))
    }

    pub(in crate::model) fn spend_cap(&self) -> ModelError {
        self.error(
            ModelErrorKind::SpendCap,
            "will not answer until the account behind the key may spend more; raise its limit, or use the built-in coach",
        )
    }

    pub(in crate::model) fn unknown_model(&self) -> ModelError {
        let rest = format!("has no model called {}; choose another one in the settings", self.model);
        self.error(ModelErrorKind::Request, rest)
    }

    pub(in crate::model) fn context_too_long(&self) -> ModelError {
        self.error(ModelErrorKind::Request, "cannot read a conversation as long as this one; begin a new one")
    }

    pub(in crate::model) fn request_refused(&self, status: Option<StatusCode>) -> ModelError {
        let status = status.map(|status| format!(" (status {})", status.as_u16())).unwrap_or_default();
        let rest = format!("refused the request{status}; begin a new conversation, or choose another model");
        self.error(ModelErrorKind::Request, rest)
    }
}
