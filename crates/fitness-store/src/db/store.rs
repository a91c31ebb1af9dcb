//! The open store: one writer, many readers, migrated.

use crate::backup::{BackupDirectory, BackupLocation};
use crate::db::connect::APPLIED_MIGRATIONS_SQL;
use crate::db::error::Result;
use crate::db::location::Location;
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
    pub(crate) reader: DatabaseConnection,
    /// For reading everything, which takes long: exports and backups leave the connections of pages alone.
    pub(crate) backup_reader: DatabaseConnection,
    /// Sees what others write and writes nothing itself: see [`version`](crate::db::change_counter).
    pub(crate) change_watcher: DatabaseConnection,
    /// How often the witness had to connect: what it counts begins anew with each connection.
    pub(crate) watcher_connections: Arc<AtomicU64>,
}

impl Store {
    /// Where it is.
    #[must_use]
    pub const fn location(&self) -> &Location {
        &self.location
    }

    /// Where its backups are kept; `None` where the athlete wants none.
    ///
    /// # Errors
    /// When there is no home directory to keep them in.
    pub fn backup_directory(&self) -> Result<Option<BackupDirectory>> {
        BackupDirectory::for_database(&self.location, &self.backup_location)
    }

    /// `sqlite` or `postgres`, with the version of the library or server.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn engine(&self) -> Result<(&'static str, String)> {
        engine(&self.reader).await
    }

    /// What is wrong with the file itself, as SQLite finds it; PostgreSQL looks after its own.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn find_damage(&self) -> Result<Option<String>> {
        if self.backend() != DbBackend::Sqlite {
            return Ok(None);
        }
        let row = self.reader.query_one_raw(self.sql("PRAGMA quick_check(1)")).await?;
        let said = row.map(|row| row.try_get_by_index::<String>(0)).transpose()?;
        Ok(said.filter(|said| said != "ok"))
    }

    /// The migrations that have been applied, in order.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn migrations(&self) -> Result<Vec<String>> {
        migrations(&self.reader).await
    }

    /// The same database for reading everything of somebody: over connections of its own.
    #[must_use]
    pub fn for_backup(&self) -> Self {
        Self { reader: self.backup_reader.clone(), ..self.clone() }
    }

    pub(crate) fn backend(&self) -> DbBackend {
        self.writer.get_database_backend()
    }

    /// For what is no transaction.
    pub(crate) const fn writer(&self) -> &DatabaseConnection {
        &self.writer
    }

    /// For reading outside a transaction.
    pub(crate) const fn reader(&self) -> &DatabaseConnection {
        &self.reader
    }

    /// For asking whether anything was written.
    pub(crate) const fn change_watcher(&self) -> &DatabaseConnection {
        &self.change_watcher
    }

    /// How often the witness had to connect.
    pub(crate) fn watcher_connections(&self) -> u64 {
        self.watcher_connections.load(Ordering::Relaxed)
    }

    /// A consistent view: everything read through it was true at one moment.
    pub(crate) async fn snapshot(&self) -> Result<DatabaseTransaction> {
        let options = match self.backend() {
            DbBackend::Postgres => TransactionOptions {
                isolation_level: Some(IsolationLevel::RepeatableRead),
                access_mode: Some(AccessMode::ReadOnly),
                sqlite_transaction_mode: None,
            },
            _ => TransactionOptions::default(),
        };
        Ok(self.reader.begin_with_options(options).await?)
    }

    /// The one way to begin writing: at once on SQLite, so that a read-then-write never has to give up.
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

    /// The writing connection, for tests that try raw SQL.
    #[cfg(feature = "testkit")]
    #[must_use]
    pub const fn raw(&self) -> &DatabaseConnection {
        &self.writer
    }

    /// Lets go of every connection.
    pub async fn close(self) {
        // Readers first, so that the writer is the last to leave and can fold the write-ahead log in.
        drop(self.change_watcher.close().await);
        drop(self.backup_reader.close().await);
        drop(self.reader.close().await);
        drop(self.writer.close().await);
    }
}

/// What kind of database it is, and which version. Asked where the question comes from: somebody who holds a connection and
/// waits for a second one may wait for ever.
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

/// The migrations that have been applied, in order. Asked where the question comes from, as [`engine`].
pub(crate) async fn migrations(db: &impl ConnectionTrait) -> Result<Vec<String>> {
    let rows = db
        .query_all_raw(sea_orm::Statement::from_string(db.get_database_backend(), APPLIED_MIGRATIONS_SQL))
        .await?;
    Ok(rows.iter().map(|row| row.try_get_by_index::<String>(0)).collect::<Result<_, _>>()?)
}

/// Postgres keeps microseconds and SQLite nanoseconds; a value must not change by being stored.
pub(crate) fn truncate_to_micros(at: Instant) -> Instant {
    use chrono::SubsecRound;
    at.trunc_subsecs(6)
}
