//! What MCP serves one athlete with.

use fitness_core::calendar::Instant;
use fitness_core::desk::{Answer, CoachDesk, DeskError};
use fitness_core::ids::UserId;
use fitness_core::note::Author;
use fitness_mcp::Host;
use fitness_store::Store;
use std::sync::Arc;

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
            let stop = fitness_ingest::Stop::default();
            fitness_ingest::recompute(&self.store, self.user, &mut |_| {}, &stop)
                .await
                .map_err(|_| DeskError::Broken)?;
            let desk = self.store.coaching_desk(self.user, Author::Mcp, (self.clock)(), &self.site).await;
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
