//! What is told about a service that does not answer as it should. Never a word of what it sent, or was sent.

use super::Setback;
use crate::model::{Failing, ModelError};
use reqwest::StatusCode;
use std::time::Duration;

/// A service, as the athlete knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::model) struct Who {
    /// What it is called at the beginning of a sentence.
    pub(in crate::model) service: String,
    /// Which model of it is asked.
    pub(in crate::model) model: String,
    /// What to do when it does not answer at all.
    pub(in crate::model) find: &'static str,
    /// What to do when it does not take the key.
    pub(in crate::model) key: &'static str,
}

impl Who {
    fn says(&self, kind: Failing, rest: impl AsRef<str>) -> ModelError {
        ModelError::new(kind, format!("{} {}", self.service, rest.as_ref()))
    }

    pub(in crate::model) fn unreachable(&self) -> ModelError {
        self.says(Failing::Unreachable, format!("cannot be reached; {}", self.find))
    }

    /// No answer began.
    pub(super) fn unanswered(&self, error: &reqwest::Error) -> Setback {
        if error.is_redirect() {
            return self.redirects();
        }
        if error.is_timeout() && !error.is_connect() {
            return Setback::never(self.says(Failing::Stalled, "does not answer; try again later"));
        }
        Setback::soon(self.unreachable())
    }

    /// An answer did not end.
    pub(super) fn broke(&self, error: &reqwest::Error, limit: Duration) -> Setback {
        if error.is_timeout() { self.stalled(limit) } else { self.ended() }
    }

    pub(super) fn ended(&self) -> Setback {
        Setback::soon(
            self.says(Failing::Unreachable, "broke off in the middle of its answer; try again in a moment"),
        )
    }

    pub(super) fn stalled(&self, limit: Duration) -> Setback {
        let rest = format!("wrote nothing for {} seconds; try again later", limit.as_secs());
        Setback::never(self.says(Failing::Stalled, rest))
    }

    pub(super) fn took_too_long(&self, limit: Duration) -> ModelError {
        let rest =
            format!("was not done after {} seconds; ask for less, or choose a faster model", limit.as_secs());
        self.says(Failing::Stalled, rest)
    }

    pub(super) fn redirects(&self) -> Setback {
        let rest = "answered with a redirect, which is not followed; correct the address in the settings";
        Setback::never(self.says(Failing::Request, rest))
    }

    pub(in crate::model) fn too_much(&self) -> ModelError {
        self.says(Failing::TooMuch, "sent more than an answer can be, and was cut off; try again")
    }

    pub(in crate::model) fn garbled(&self) -> ModelError {
        self.says(Failing::Garbled, "sent something that is not an answer; try again, or check its address")
    }

    pub(in crate::model) fn busy(&self, status: Option<StatusCode>) -> ModelError {
        let status = status.map(|status| format!(" (status {})", status.as_u16())).unwrap_or_default();
        self.says(
            Failing::Busy,
            format!("is overloaded or has a problem{status}; try again in a few minutes"),
        )
    }

    pub(in crate::model) fn loading(&self) -> ModelError {
        self.says(Failing::Busy, "is still loading its model; try again in a minute")
    }

    pub(in crate::model) fn key_refused(&self) -> ModelError {
        self.says(Failing::Key, format!("does not accept the key; {}", self.key))
    }

    pub(in crate::model) fn spend_cap(&self) -> ModelError {
        self.says(
            Failing::SpendCap,
            "will not answer until the account behind the key may spend more; raise its limit, or use the built-in coach",
        )
    }

    pub(in crate::model) fn unknown_model(&self) -> ModelError {
        let rest = format!("has no model called {}; choose another one in the settings", self.model);
        self.says(Failing::Request, rest)
    }

    pub(in crate::model) fn too_long(&self) -> ModelError {
        self.says(Failing::Request, "cannot read a conversation as long as this one; begin a new one")
    }

    pub(in crate::model) fn refused(&self, status: Option<StatusCode>) -> ModelError {
        let status = status.map(|status| format!(" (status {})", status.as_u16())).unwrap_or_default();
        let rest = format!("refused the request{status}; begin a new conversation, or choose another model");
        self.says(Failing::Request, rest)
    }
}
