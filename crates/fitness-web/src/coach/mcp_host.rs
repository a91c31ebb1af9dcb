//! The desk an athlete is served at, and MCP's side of it.

use fitness_core::coach_api::{Answer, CoachDesk, DeskError};
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::note::Author;
use fitness_mcp::Host;
use fitness_store::{CoachingDesk, Store};
use std::sync::Arc;

/// A desk for now, with everything worked out that it may be asked for.
///
/// # Errors
/// When there is no such user, or the database does not answer.
pub async fn settled_desk(
    store: &Store,
    user: UserId,
    author: Author,
    now: Instant,
    site: &str,
) -> Result<CoachingDesk, fitness_ingest::Error> {
    fitness_ingest::recompute(store, user, &mut |_| {}, &fitness_ingest::Stop::default()).await?;
    Ok(store.coaching_desk(user, author, now, site).await?)
}

/// One athlete's side of MCP.
#[derive(Debug, Clone)]
pub struct AthletesHost {
    /// The data.
    pub store: Store,
    /// Whose.
    pub user: UserId,
    /// What time it is.
    pub clock: fn() -> Instant,
    /// Where they decide.
    pub site: Arc<str>,
}

impl Host for AthletesHost {
    fn desk(&self) -> Answer<'_, Box<dyn CoachDesk>> {
        Box::pin(async {
            let desk = settled_desk(&self.store, self.user, Author::Mcp, (self.clock)(), &self.site).await;
            Ok(Box::new(desk.map_err(|_| DeskError::Broken)?) as Box<dyn CoachDesk>)
        })
    }

    fn latest_brief(&self) -> Answer<'_, Option<String>> {
        Box::pin(async {
            let brief = self.store.latest_brief(self.user).await.map_err(|_| DeskError::Broken)?;
            let rendered =
                brief.and_then(|brief| Some((brief.day, brief.body.get("rendered")?.as_str()?.to_owned())));
            Ok(rendered.map(|(day, text)| format!("# Brief of {day}\n\n{text}\n")))
        })
    }
}
