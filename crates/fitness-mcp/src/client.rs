//! An MCP client: its athlete's data and its scope.

use fitness_core::coach_api::{CoachApi, CoachFuture, Scope};
use std::fmt;
use std::sync::Arc;

/// Access to one athlete's data. The implementation is bound to the athlete; no method takes one.
pub trait CoachApiProvider: Send + Sync {
    /// A [`CoachApi`] for one call. It is bound to the current time, so never cache it.
    fn coach_api(&self) -> CoachFuture<'_, Box<dyn CoachApi>>;

    /// Latest brief as Markdown, if any.
    fn latest_brief(&self) -> CoachFuture<'_, Option<String>>;
}

#[derive(Clone)]
pub struct McpClient {
    pub provider: Arc<dyn CoachApiProvider>,
    pub scope: Scope,
}

impl fmt::Debug for McpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpClient").field("scope", &self.scope).finish_non_exhaustive()
    }
}
