//! Writes the ends of the audit logs to a file outside the database while the server runs.

use crate::clock;
use fitness_store::db::location;
use fitness_store::{AuditCheckpoints, Location, Store};
use std::time::Duration;

/// A checkpoint is written only if something was logged since the last one.
const INTERVAL: Duration = Duration::from_secs(3600);

/// Next to the database file, or for PostgreSQL in the data directory; `None` without a home
/// directory.
pub(crate) fn checkpoint_file(location: &Location) -> Option<AuditCheckpoints> {
    let path = match location {
        Location::Sqlite { path, .. } => {
            let mut path = path.clone().into_os_string();
            path.push(".audit-checkpoints.jsonl");
            path.into()
        }
        Location::Postgres(_) => location::data_directory()?.join("postgres.audit-checkpoints.jsonl"),
    };
    Some(AuditCheckpoints::at(path))
}

/// Writes checkpoints until cancelled.
pub(crate) async fn run(store: &Store) {
    let Some(file) = checkpoint_file(store.location()) else { return std::future::pending().await };
    loop {
        if let Err(why) = file.append(store, clock::now()).await {
            tracing::warn!(%why, "audit checkpoint failed");
        }
        tokio::time::sleep(INTERVAL).await;
    }
}
