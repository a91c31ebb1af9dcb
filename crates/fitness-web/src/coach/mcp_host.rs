//! The desk an athlete is served at, and MCP's side of it.

use fitness_core::coach_api::{CoachApi, CoachApiError, CoachFuture};
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::note::Author;
use fitness_mcp::CoachApiProvider;
use fitness_store::{Store, StoreCoachApi};
use std::sync::Arc;

/// A desk for now, with everything worked out that it may be asked for.
///
/// # Errors
/// When there is no such user, or the database does not answer.
pub async fn open_coach_api(
    store: &Store,
    user: UserId,
    author: Author,
    now: Instant,
    site: &str,
) -> Result<StoreCoachApi, fitness_ingest::Error> {
    fitness_ingest::recompute(store, user, &mut |_| {}, &fitness_ingest::StopSignal::default()).await?;
    Ok(store.coach_api(user, author, now, site).await?)
}

/// One athlete's side of MCP.
#[derive(Debug, Clone)]
pub struct UserCoachApiProvider {
    /// The data.
    pub store: Store,
    /// Whose.
    pub user: UserId,
    /// What time it is.
    pub clock: fn() -> Instant,
    /// Where they decide.
    pub site: Arc<str>,
}

impl CoachApiProvider for UserCoachApiProvider {
    fn coach_api(&self) -> CoachFuture<'_, Box<dyn CoachApi>> {
        Box::pin(async {
            let desk = open_coach_api(&self.store, self.user, Author::Mcp, (self.clock)(), &self.site).await;
            Ok(Box::new(desk.map_err(|_| CoachApiError::Internal)?) as Box<dyn CoachApi>)
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
