//! Who is served: one athlete, and how far a client may reach.

use fitness_core::coach_api::{CoachApi, CoachFuture, Scope};
use std::fmt;
use std::sync::Arc;

/// What the program holds ready for one athlete. Whoever implements it binds the athlete; nothing here names one.
pub trait CoachApiProvider: Send + Sync {
    /// A desk for one call: the moment is bound in it, so it is never kept.
    fn coach_api(&self) -> CoachFuture<'_, Box<dyn CoachApi>>;

    /// The latest brief as Markdown; `None` before there is one.
    fn latest_brief(&self) -> CoachFuture<'_, Option<String>>;
}

/// A client that may ask: whose desk it sits at, and how far it may reach.
#[derive(Clone)]
pub struct McpClient {
    /// The athlete's side.
    pub provider: Arc<dyn CoachApiProvider>,
    /// How far it may reach.
    pub scope: Scope,
}

impl fmt::Debug for McpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guest").field("scope", &self.scope).finish_non_exhaustive()
    }
}
