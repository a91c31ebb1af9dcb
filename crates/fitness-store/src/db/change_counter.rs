//! Whether anything was written since: what makes it safe to show again what was made before.

use crate::db::error::Result;
use crate::db::store::Store;
use sea_orm::{ConnectionTrait, DbBackend};

/// What the database was at one moment. Equal versions of one [`Store`] hold equal data; unequal ones may, too.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DataVersion(u64, String);

impl Store {
    /// What the database is now. Costs one short question, whatever its size.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn data_version(&self) -> Result<DataVersion> {
        let sql = match self.backend() {
            // Changes with every transaction that writes, begun or ended, of any node.
            DbBackend::Postgres => "SELECT pg_current_snapshot()::text AS version",
            // Counts what other connections wrote, in this process or another; its own connection writes nothing.
            _ => "SELECT CAST(data_version AS TEXT) AS version FROM pragma_data_version",
        };
        let row = self.change_watcher().query_one_raw(self.sql(sql)).await?;
        let version = row.map(|row| row.try_get::<String>("", "version")).transpose()?;
        Ok(DataVersion(self.watcher_connections(), version.unwrap_or_default()))
    }
}
