//! Database change counter, used to invalidate cached pages.

use crate::db::error::Result;
use crate::db::store::Store;
use sea_orm::{ConnectionTrait, DbBackend};

/// State of the database at one moment. Equal versions from one [`Store`] mean equal data;
/// different versions may have equal data too.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DataVersion(u64, String);

impl Store {
    /// Reads the current version with one short query, whatever the database size.
    pub async fn data_version(&self) -> Result<DataVersion> {
        let sql = match self.backend() {
            // Changes whenever any node starts or ends a writing transaction.
            DbBackend::Postgres => "SELECT pg_current_snapshot()::text AS version",
            // Counts commits of other connections and processes; this connection never writes.
            _ => "SELECT CAST(data_version AS TEXT) AS version FROM pragma_data_version",
        };
        let row = self.change_watcher().query_one_raw(self.sql(sql)).await?;
        let version = row.map(|row| row.try_get::<String>("", "version")).transpose()?;
        Ok(DataVersion(self.watcher_connections(), version.unwrap_or_default()))
    }
}
