//! Connecting to a database: inspect it, create it if allowed, migrate it.

mod postgres;
mod sqlite;

use crate::backup::BackupLocation;
use crate::db::error::{Error, Result, sqlx_code};
use crate::db::location::Location;
use crate::db::migrations::{FIRST_MIGRATION, Migrator};
use crate::db::store::Store;
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend};
use sea_orm_migration::MigratorTrait;
use std::fs;
use std::future::Future;
use std::path::PathBuf;
use std::time::Duration;

const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Connections for exports and backups; further ones wait.
const BACKUP_POOL_SIZE: u32 = 3;
/// How long an export or backup waits for a connection.
const BACKUP_TIMEOUT: Duration = Duration::from_secs(600);
/// How long to wait for another process that is migrating.
const MIGRATION_TIMEOUT: Duration = Duration::from_secs(120);
/// PostgreSQL advisory lock for migrations: "fitness" in ASCII.
const MIGRATION_LOCK: i64 = 0x0066_6974_6e65_7373;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingDatabasePolicy {
    /// Create it, in a directory that exists or is the default one.
    Create,
    /// Fail, and create nothing.
    Refuse,
}

/// Content of a database before anything is changed.
#[derive(Debug, Clone, PartialEq, Eq)]
enum DatabaseContents {
    Empty,
    /// Created by local-fitness, with these migrations applied.
    Ours(Vec<String>),
}

/// An open database that has not been migrated yet.
struct OpenedDatabase {
    store: Store,
    contents: DatabaseContents,
    /// The file, if this call created it.
    created_file: Option<PathBuf>,
}

impl OpenedDatabase {
    /// Closes it, and removes the file if this call created it.
    async fn discard(self) {
        self.store.close().await;
        if let Some(path) = self.created_file {
            drop(fs::remove_file(path));
        }
    }
}

/// Pool options without idle timeout and maximum lifetime.
///
/// sqlx 0.9 runs a task for them that loops over its count of idle connections. That count wraps
/// below zero for a moment when a connection is taken while it is being returned (`pool/inner.rs`,
/// `release`), and the loop then blocks a thread for good.
fn pool_options<DB: sqlx::Database>() -> sqlx::pool::PoolOptions<DB> {
    sqlx::pool::PoolOptions::new().idle_timeout(None).max_lifetime(None)
}

impl Store {
    /// Opens and migrates a database with the default backup directory.
    ///
    /// # Errors
    /// As [`open_with_backups`](Self::open_with_backups).
    pub async fn open(location: Location, missing: MissingDatabasePolicy) -> Result<Self> {
        Self::open_with_backups(location, missing, BackupLocation::default()).await
    }

    /// Opens a database, and backs it up before migrating it.
    ///
    /// # Errors
    /// If it cannot be reached, was not written by local-fitness, was written by a newer version,
    /// or does not exist and must not be created. Nothing was created or changed.
    pub async fn open_with_backups(
        location: Location,
        missing: MissingDatabasePolicy,
        backups: BackupLocation,
    ) -> Result<Self> {
        let mut opened = open(location, missing).await?;
        opened.store.backup_location = backups;
        if is_up_to_date(&opened.contents) {
            // If this fails, `doctor` reports it and the next start tries again.
            drop(opened.store.finish_pending_vacuum().await);
            return Ok(opened.store);
        }
        match opened.store.migrate().await {
            Ok(()) => {
                drop(opened.store.finish_pending_vacuum().await);
                Ok(opened.store)
            }
            Err(why) => {
                opened.discard().await;
                Err(why)
            }
        }
    }

    /// Opens or creates a database and fills it in one exclusive transaction. An error leaves
    /// everything unchanged.
    pub(crate) async fn open_and_fill<F>(location: Location, fill: F) -> Result<Self>
    where
        F: AsyncFnOnce(&Self, &DatabaseTransaction, &[String]) -> Result<()>,
    {
        let opened = open(location, MissingDatabasePolicy::Create).await?;
        let filled = async {
            let tx = opened.store.begin_migration().await?;
            let applied = applied_migrations_in(&opened.contents);
            fill(&opened.store, &tx, applied).await?;
            tx.commit().await?;
            opened.store.wait_for_locks(BUSY_TIMEOUT).await
        };
        match filled.await {
            Ok(()) => Ok(opened.store),
            Err(why) => {
                opened.discard().await;
                Err(why)
            }
        }
    }

    async fn migrate(&self) -> Result<()> {
        let tx = self.begin_migration().await?;
        let applied = self.read_applied_migrations(&tx).await?;
        if !applied.is_empty() && applied.len() < known_migrations().len() {
            self.back_up_before_migration(&applied)
                .await
                .map_err(|why| Error::BackupFailed(Box::new(why)))?;
        }
        migrate_to(&tx, &self.location, None).await?;
        tx.commit().await?;
        self.wait_for_locks(BUSY_TIMEOUT).await
    }

    /// Starts a transaction that excludes other migrations.
    async fn begin_migration(&self) -> Result<DatabaseTransaction> {
        self.wait_for_locks(MIGRATION_TIMEOUT).await?;
        let tx = self.begin_write().await?;
        if self.backend() == DbBackend::Postgres {
            // Another node may be migrating; wait without a limit.
            tx.execute_unprepared("SET LOCAL statement_timeout = 0").await?;
            tx.execute_unprepared(&format!("SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")).await?;
        }
        Ok(tx)
    }

    /// The applied migrations, read under the migration lock.
    async fn read_applied_migrations(&self, tx: &DatabaseTransaction) -> Result<Vec<String>> {
        let tables = match self.backend() {
            DbBackend::Postgres => postgres::RELATIONS_SQL,
            _ => sqlite::TABLES_SQL,
        };
        let found = tx.query_all_raw(self.sql(tables)).await?;
        let ours = found
            .iter()
            .any(|row| row.try_get_by_index::<String>(0).is_ok_and(|name| name == MIGRATIONS_TABLE));
        if !ours {
            return Ok(Vec::new());
        }
        let rows = tx.query_all_raw(self.sql(APPLIED_MIGRATIONS_SQL)).await?;
        Ok(rows.iter().map(|row| row.try_get_by_index::<String>(0)).collect::<Result<_, _>>()?)
    }

    /// Backs up the database, unless backups are off.
    async fn back_up_before_migration(&self, applied: &[String]) -> Result<()> {
        let Some(folder) = self.backup_directory()? else { return Ok(()) };
        let next = known_migrations().into_iter().nth(applied.len()).unwrap_or_default();
        folder.create()?;
        let db = self.for_backup().snapshot().await?;
        let stem = format!("before-{next}");
        self.back_up_snapshot(&db, applied.to_vec(), folder.candidate_paths(&stem), None, None).await?;
        Ok(())
    }

    /// Sets the busy timeout of SQLite's writer; PostgreSQL sets it per transaction.
    async fn wait_for_locks(&self, time: Duration) -> Result<()> {
        if self.backend() == DbBackend::Sqlite {
            let text = format!("PRAGMA busy_timeout = {}", time.as_millis());
            self.writer().execute_unprepared(&text).await?;
        }
        Ok(())
    }
}

/// Applies the next `steps` migrations, or all.
pub(crate) async fn migrate_to(
    tx: &DatabaseTransaction,
    location: &Location,
    steps: Option<u32>,
) -> Result<()> {
    Migrator::up(tx, steps).await.map_err(|error| match sqlx_code(&error).as_deref() {
        // insufficient_privilege
        Some("42501") => Error::NotAllowed(location.to_string()),
        _ => Error::from(error),
    })
}

async fn open(location: Location, missing: MissingDatabasePolicy) -> Result<OpenedDatabase> {
    #[cfg(feature = "testkit")]
    crate::testkit::forbid_real_data(&location);
    match &location {
        Location::Sqlite { path, default } => {
            let (path, default) = (path.clone(), *default);
            sqlite::open(location, &path, default, missing).await
        }
        Location::Postgres(options) => {
            let options = options.as_ref().clone();
            postgres::open(location, options, missing).await
        }
    }
}

const MIGRATIONS_TABLE: &str = "seaql_migrations";
pub(crate) const APPLIED_MIGRATIONS_SQL: &str = "SELECT version FROM seaql_migrations ORDER BY version";

/// The applied migrations; empty if the record is not in our format.
async fn applied_migrations(
    tables: &[String],
    read: impl Future<Output = Result<Vec<String>, sqlx::Error>>,
) -> Vec<String> {
    if tables.iter().any(|name| name == MIGRATIONS_TABLE) {
        read.await.unwrap_or_default()
    } else {
        Vec::new()
    }
}

fn classify_contents(
    location: &Location,
    tables: &[String],
    applied: Vec<String>,
) -> Result<DatabaseContents> {
    if tables.is_empty() {
        return Ok(DatabaseContents::Empty);
    }
    if !applied.iter().any(|name| name == FIRST_MIGRATION) {
        return Err(Error::Foreign(location.to_string()));
    }
    Ok(DatabaseContents::Ours(applied))
}

fn applied_migrations_in(contents: &DatabaseContents) -> &[String] {
    match contents {
        DatabaseContents::Empty => &[],
        DatabaseContents::Ours(applied) => applied,
    }
}

fn known_migrations() -> Vec<String> {
    Migrator::migrations().iter().map(|migration| migration.name().to_owned()).collect()
}

fn refuse_newer(location: &Location, contents: &DatabaseContents) -> Result<()> {
    let known = known_migrations();
    if let DatabaseContents::Ours(applied) = contents
        && let Some(unknown) = applied.iter().find(|name| !known.contains(name))
    {
        return Err(Error::Newer(location.to_string(), unknown.clone()));
    }
    Ok(())
}

fn is_up_to_date(contents: &DatabaseContents) -> bool {
    matches!(contents, DatabaseContents::Ours(applied) if applied.len() == known_migrations().len())
}
