//! Opening a database: looked at before anything about it is changed, made when it may be, and brought up to date.

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
/// How many connections exports and backups share; the next one waits.
const BACKUP_POOL_SIZE: u32 = 3;
/// How long it waits.
const BACKUP_TIMEOUT: Duration = Duration::from_secs(600);
/// Another program's migration may take long on a large database, and it ends.
const MIGRATION_TIMEOUT: Duration = Duration::from_secs(120);
/// The advisory lock under which one node migrates: "fitness" in ASCII.
const MIGRATION_LOCK: i64 = 0x0066_6974_6e65_7373;

/// Whether opening may make a database that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfMissing {
    /// Make it, in a directory that exists or is the default one.
    Create,
    /// Refuse, and leave nothing behind.
    Refuse,
}

/// What a database is, before anything is changed about it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum DatabaseContents {
    /// No table at all.
    Empty,
    /// Ours, with these migrations applied.
    Ours(Vec<String>),
}

/// A database that was opened as it is.
struct OpenedDatabase {
    store: Store,
    contents: DatabaseContents,
    /// The file that was made for it.
    created_file: Option<PathBuf>,
}

impl OpenedDatabase {
    /// What we made ourselves a moment ago and could not use is of use to nobody.
    async fn discard(self) {
        self.store.close().await;
        if let Some(path) = self.created_file {
            drop(fs::remove_file(path));
        }
    }
}

impl Store {
    /// Opens a database whose backups are kept beside it, and brings it up to date.
    ///
    /// # Errors
    /// As [`open_keeping`](Self::open_keeping).
    pub async fn open(location: Location, missing: IfMissing) -> Result<Self> {
        Self::open_with_backups(location, missing, BackupLocation::default()).await
    }

    /// Opens a database and brings it up to date, after a backup of what was there.
    ///
    /// # Errors
    /// When it cannot be reached, was written by something else or by a newer version, or does not exist and
    /// must not be made. In each of these cases nothing was created or changed.
    pub async fn open_with_backups(
        location: Location,
        missing: IfMissing,
        backups: BackupLocation,
    ) -> Result<Self> {
        let mut opened = open(location, missing).await?;
        opened.store.backup_location = backups;
        if is_up_to_date(&opened.contents) {
            // Where it does not work now, `doctor` says so and the next start tries again.
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

    /// Opens a database, made when there is none, and lets somebody fill it while nobody else can. What fails leaves
    /// everything as it was.
    pub(crate) async fn open_and_fill<F>(location: Location, fill: F) -> Result<Self>
    where
        F: AsyncFnOnce(&Self, &DatabaseTransaction, &[String]) -> Result<()>,
    {
        let opened = open(location, IfMissing::Create).await?;
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

    /// Begins what only one program does at a time.
    async fn begin_migration(&self) -> Result<DatabaseTransaction> {
        self.wait_for_locks(MIGRATION_TIMEOUT).await?;
        let tx = self.begin_write().await?;
        if self.backend() == DbBackend::Postgres {
            // Another node may be migrating: wait for it, however long it takes.
            tx.execute_unprepared("SET LOCAL statement_timeout = 0").await?;
            tx.execute_unprepared(&format!("SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")).await?;
        }
        Ok(tx)
    }

    /// What was applied, now that nobody else is at it.
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

    /// Keeps what is there before it is changed, unless the athlete wants no backups.
    async fn back_up_before_migration(&self, applied: &[String]) -> Result<()> {
        let Some(folder) = self.backup_directory()? else { return Ok(()) };
        let next = known_migrations().into_iter().nth(applied.len()).unwrap_or_default();
        folder.create()?;
        let db = self.for_backup().snapshot().await?;
        let stem = format!("before-{next}");
        self.back_up_snapshot(&db, applied.to_vec(), folder.candidate_paths(&stem), None, None).await?;
        Ok(())
    }

    /// How long the one writing connection of SQLite waits; PostgreSQL says it per transaction.
    async fn wait_for_locks(&self, time: Duration) -> Result<()> {
        if self.backend() == DbBackend::Sqlite {
            let text = format!("PRAGMA busy_timeout = {}", time.as_millis());
            self.writer().execute_unprepared(&text).await?;
        }
        Ok(())
    }
}

/// Applies so many more migrations, or all that are left.
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

async fn open(location: Location, missing: IfMissing) -> Result<OpenedDatabase> {
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

/// The migrations a database says were applied; none when it does not keep that record the way we do.
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
