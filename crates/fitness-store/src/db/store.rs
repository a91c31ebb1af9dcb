//! The [`Store`]: connection pools and transactions.

use crate::backup::{BackupDirectory, BackupLocation};
use crate::db::connect::APPLIED_MIGRATIONS_SQL;
use crate::db::error::Result;
use crate::db::location::Location;
use crate::db::read_connection::ReadConnection;
use fitness_core::domain::calendar::Instant;
use sea_orm::{
    AccessMode, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, IsolationLevel,
    SqliteTransactionMode, TransactionOptions, TransactionTrait,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An open database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) location: Location,
    pub(crate) backup_location: BackupLocation,
    pub(crate) writer: DatabaseConnection,
    pub(crate) reader: ReadConnection,
    /// Separate connections for exports and backups, so that long reads do not block pages.
    pub(crate) backup_reader: DatabaseConnection,
    /// Read-only connection for [`change_counter`](crate::db::change_counter).
    pub(crate) change_watcher: DatabaseConnection,
    /// Number of connects of the change watcher; its counter restarts with each connection.
    pub(crate) watcher_connections: Arc<AtomicU64>,
}

impl Store {
    #[must_use]
    pub const fn location(&self) -> &Location {
        &self.location
    }

    /// The backup directory; `None` if backups are off.
    ///
    /// # Errors
    /// If there is no home directory to put it in.
    pub fn backup_directory(&self) -> Result<Option<BackupDirectory>> {
        BackupDirectory::for_database(&self.location, &self.backup_location)
    }

    /// `sqlite` or `postgres`, with the version of the library or server.
    pub async fn engine(&self) -> Result<(&'static str, String)> {
        engine(&self.reader).await
    }

    /// Result of SQLite's quick check if it found damage; always `None` for PostgreSQL.
    pub async fn find_damage(&self) -> Result<Option<String>> {
        if self.backend() != DbBackend::Sqlite {
            return Ok(None);
        }
        let row = self.reader.query_one_raw(self.sql("PRAGMA quick_check(1)")).await?;
        let said = row.map(|row| row.try_get_by_index::<String>(0)).transpose()?;
        Ok(said.filter(|said| said != "ok"))
    }

    /// Applied migrations, in order.
    pub async fn migrations(&self) -> Result<Vec<String>> {
        migrations(&self.reader).await
    }

    /// A store that reads over the backup connections.
    #[must_use]
    pub fn for_backup(&self) -> Self {
        Self { reader: ReadConnection::Pool(self.backup_reader.clone()), ..self.clone() }
    }

    pub(crate) fn backend(&self) -> DbBackend {
        self.writer.get_database_backend()
    }

    /// For single statements outside a transaction.
    pub(crate) const fn writer(&self) -> &DatabaseConnection {
        &self.writer
    }

    pub(crate) const fn reader(&self) -> &ReadConnection {
        &self.reader
    }

    pub(crate) const fn change_watcher(&self) -> &DatabaseConnection {
        &self.change_watcher
    }

    pub(crate) fn watcher_connections(&self) -> u64 {
        self.watcher_connections.load(Ordering::Relaxed)
    }

    pub(crate) async fn snapshot(&self) -> Result<DatabaseTransaction> {
        let options = match self.backend() {
            DbBackend::Postgres => TransactionOptions {
                isolation_level: Some(IsolationLevel::RepeatableRead),
                access_mode: Some(AccessMode::ReadOnly),
                sqlite_transaction_mode: None,
            },
            _ => TransactionOptions::default(),
        };
        Ok(self.reader.begin(options).await?)
    }

    /// The same database as it is now: every read of the returned store sees this moment, whatever is
    /// written meanwhile. It holds a connection until it is dropped.
    pub(crate) async fn at_snapshot(&self) -> Result<Self> {
        Ok(Self { reader: ReadConnection::Snapshot(Arc::new(self.snapshot().await?)), ..self.clone() })
    }

    /// Starts a write transaction. On SQLite it takes the write lock at once, so that a read
    /// followed by a write never fails.
    pub(crate) async fn begin_write(&self) -> Result<DatabaseTransaction> {
        let options = TransactionOptions {
            sqlite_transaction_mode: (self.backend() == DbBackend::Sqlite)
                .then_some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        Ok(self.writer.begin_with_options(options).await?)
    }

    pub(crate) fn sql(&self, text: &str) -> sea_orm::Statement {
        sea_orm::Statement::from_string(self.backend(), text)
    }

    /// The writer connection, for tests with raw SQL.
    #[cfg(feature = "testkit")]
    #[must_use]
    pub const fn raw(&self) -> &DatabaseConnection {
        &self.writer
    }

    pub async fn close(self) {
        // Close the readers first, so that the writer is last and checkpoints the write-ahead log.
        drop(self.change_watcher.close().await);
        drop(self.backup_reader.close().await);
        if let ReadConnection::Pool(reader) = self.reader {
            drop(reader.close().await);
        }
        drop(self.writer.close().await);
    }
}

/// Engine name and version. Takes the caller's connection: waiting for a second one while holding
/// the first could deadlock.
pub(crate) async fn engine(db: &impl ConnectionTrait) -> Result<(&'static str, String)> {
    let backend = db.get_database_backend();
    let (name, sql) = match backend {
        DbBackend::Postgres => ("postgres", "SELECT current_setting('server_version') AS version"),
        _ => ("sqlite", "SELECT sqlite_version() AS version"),
    };
    let row = db.query_one_raw(sea_orm::Statement::from_string(backend, sql)).await?;
    let version = row.map(|row| row.try_get::<String>("", "version")).transpose()?;
    Ok((name, version.unwrap_or_default()))
}

/// Applied migrations, in order. Takes the caller's connection, as [`engine`].
pub(crate) async fn migrations(db: &impl ConnectionTrait) -> Result<Vec<String>> {
    let rows = db
        .query_all_raw(sea_orm::Statement::from_string(db.get_database_backend(), APPLIED_MIGRATIONS_SQL))
        .await?;
    Ok(rows.iter().map(|row| row.try_get_by_index::<String>(0)).collect::<Result<_, _>>()?)
}

/// PostgreSQL stores microseconds and SQLite nanoseconds; truncating makes both equal.
pub(crate) fn truncate_to_micros(at: Instant) -> Instant {
    use chrono::SubsecRound;
    at.trunc_subsecs(6)
}
