//! Gives MCP clients the coach API of their athlete.

use crate::refresh::refresh;
use fitness_core::coach_api::{CoachApi, CoachApiError, CoachFuture};
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::note::Author;
use fitness_mcp::CoachApiProvider;
use fitness_store::Store;
use std::sync::Arc;

/// Opens the coach API for one user's MCP client.
#[derive(Debug, Clone)]
pub struct UserCoachApiProvider {
    pub store: Store,
    pub user: UserId,
    pub clock: fn() -> Instant,
    pub site: Arc<str>,
    /// Whether to refresh before each call: for a process without a worker, such as MCP over stdio.
    pub refresh_first: bool,
}

impl CoachApiProvider for UserCoachApiProvider {
    fn coach_api(&self) -> CoachFuture<'_, Box<dyn CoachApi>> {
        Box::pin(async {
            let (user, now) = (self.user, (self.clock)());
            if self.refresh_first {
                refresh(&self.store, user, now).await.map_err(|_| CoachApiError::Internal)?;
            }
            let api = self.store.coach_api(user, Author::Mcp, now, &self.site).await;
            Ok(Box::new(api.map_err(|_| CoachApiError::Internal)?) as Box<dyn CoachApi>)
        })
    }

    fn latest_brief(&self) -> CoachFuture<'_, Option<String>> {
        Box::pin(async {
            let brief = self.store.latest_brief(self.user).await.map_err(|_| CoachApiError::Internal)?;
            let rendered =
                brief.and_then(|brief| Some((brief.day, brief.body.get("rendered")?.as_str()?.to_owned())));
            Ok(rendered.map(|(day, text)| format!("# Brief of {day}\n\n{text}\n")))
        })
    }
}
