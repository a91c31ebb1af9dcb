//! Database health check: whether writes are really stored, and how much disk space is left.

use crate::db::error::{Error, Result};
use crate::db::location::Location;
use crate::db::migrations::database_id;
use crate::db::store::Store;
use sea_orm::ConnectionTrait as _;

/// Below this a nightly backup or an import may not fit.
pub const LOW_SPACE_BYTES: u64 = 200 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatabaseHealth {
    /// Free bytes on the disk of the database file; `None` for PostgreSQL.
    pub free_bytes: Option<u64>,
}

impl DatabaseHealth {
    #[must_use]
    pub fn is_low_on_space(self) -> bool {
        self.free_bytes.is_some_and(|free| free < LOW_SPACE_BYTES)
    }
}

impl Store {
    /// Commits a write that changes nothing and looks for it through another connection. Waits for
    /// the disk, so call it from a background task.
    ///
    /// # Errors
    /// If the write fails, or no other connection sees it.
    pub async fn check_health(&self) -> Result<DatabaseHealth> {
        let before = self.data_version().await?;
        let write = format!("UPDATE {table} SET identity = identity", table = database_id::TABLE);
        let tx = self.begin_write().await?;
        tx.execute_unprepared(&write).await?;
        tx.commit().await?;
        if self.data_version().await? == before {
            return Err(Error::NotStored);
        }
        let location = self.location.clone();
        let free_bytes = tokio::task::spawn_blocking(move || free_space(&location)).await;
        Ok(DatabaseHealth { free_bytes: free_bytes.ok().flatten() })
    }
}

#[cfg(unix)]
fn free_space(location: &Location) -> Option<u64> {
    let Location::Sqlite { path, .. } = location else { return None };
    let disk = rustix::fs::statvfs(path).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(unix))]
fn free_space(_: &Location) -> Option<u64> {
    None
}
