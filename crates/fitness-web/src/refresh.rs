//! Updates what is computed from an athlete's data: metrics, the proposals of the adaptation rules
//! and today's built-in brief. Runs after every form, import and sync and once a day, so that pages
//! only read.

use crate::app::App;
use crate::coach::brief::{facts_differ, new_brief, stored_facts};
use fitness_coach::brief::{BriefInput, write_rule_based_brief};
use fitness_coach::rule_based;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::UserId;
use fitness_core::domain::units::UnitSystem;
use fitness_ingest::{StopSignal, apply_merge_rules, recompute};
use fitness_store::{DataVersion, Store};
use std::time::Duration;

/// How long the response to a form waits; after that the refresh continues in the background.
const INLINE_TIMEOUT: Duration = Duration::from_secs(3);

/// Recomputes stale metrics, runs the adaptation rules, and rewrites today's built-in brief if its
/// facts changed.
pub async fn refresh(store: &Store, user: UserId, now: Instant) -> Result<(), fitness_ingest::Error> {
    apply_merge_rules(store, user, now).await?;
    recompute(store, user, &mut |_| {}, &StopSignal::default()).await?;
    let profile = store.profile(user).await?;
    let today = Day::at(now, profile.zone);
    store.adapt_plan(user, today, now).await?;
    rewrite_built_in_brief(store, user, (today, profile.units), now).await
}

async fn rewrite_built_in_brief(
    store: &Store,
    user: UserId,
    (today, units): (Day, UnitSystem),
    now: Instant,
) -> Result<(), fitness_ingest::Error> {
    let Some(brief) = store.find_brief(user, today).await?.filter(|brief| brief.model == rule_based::NAME)
    else {
        return Ok(());
    };
    let facts = store.facts(user, today).await?;
    if stored_facts(&brief).is_some_and(|then| !facts_differ(&then, &facts, units)) {
        return Ok(());
    }
    let input = BriefInput { today, facts: &facts, notes: &[], units };
    let written = write_rule_based_brief(&input, brief.fell_back);
    store.put_brief(user, new_brief(&written, &facts, today), now).await?;
    Ok(())
}

/// Refreshes if anything was written since `before`; waits at most [`INLINE_TIMEOUT`].
pub(crate) async fn refresh_after_write(app: &App, user: UserId, before: &DataVersion) {
    if app.store.data_version().await.is_ok_and(|version| version == *before) {
        return;
    }
    let (store, now) = (app.store.clone(), (app.clock)());
    let refreshing = tokio::spawn(async move {
        match refresh(&store, user, now).await {
            // The account was just deleted.
            Ok(()) | Err(fitness_ingest::Error::Store(fitness_store::Error::NotFound(_))) => {}
            // What is still stale is refreshed by the worker.
            Err(why) => tracing::warn!(%why, "refresh failed"),
        }
    });
    drop(tokio::time::timeout(INLINE_TIMEOUT, refreshing).await);
}
