//! The open store: one writer, many readers, migrated.

use crate::error::{Error, Result, sqlx_code};
use crate::location::Location;
use crate::migrations::{FIRST, Migrator};
use fitness_core::calendar::Instant;
use sea_orm::{
    AccessMode, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, IsolationLevel,
    SqliteTransactionMode, SqlxPostgresConnector, SqlxSqliteConnector, TransactionOptions, TransactionTrait,
};
use sea_orm_migration::MigratorTrait;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection};
use std::fs;
use std::future::Future;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Below this, concurrent writers could corrupt a WAL (sqlite.org, "WAL-reset bug").
const SQLITE_FLOOR: (u32, u32, u32) = (3, 51, 3);
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Between two tries where SQLite itself does not wait.
const BUSY_PAUSE: Duration = Duration::from_millis(20);
/// Another program's migration may take long on a large database, and it ends.
const MIGRATION_TIMEOUT: Duration = Duration::from_secs(120);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const STATEMENT_TIMEOUT: &str = "30s";
const READERS: u32 = 4;
const POSTGRES_POOL: u32 = 10;
/// The advisory lock under which one node migrates: "fitness" in ASCII.
const MIGRATION_LOCK: i64 = 0x0066_6974_6e65_7373;

/// Whether opening may make a database that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Make it, in a directory that exists or is the default one.
    Create,
    /// Refuse, and leave nothing behind.
    Refuse,
}

/// An open database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) location: Location,
    writer: DatabaseConnection,
    reader: DatabaseConnection,
    /// Sees what others write and writes nothing itself: see [`version`](crate::version).
    witness: DatabaseConnection,
    /// How often the witness had to connect: what it counts begins anew with each connection.
    connected: Arc<AtomicU64>,
}

/// What a database is, before anything is changed about it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Contents {
    /// No table at all.
    Empty,
    /// Ours, with these migrations applied.
    Ours(Vec<String>),
}

impl Store {
    /// Opens a database and brings it up to date.
    ///
    /// # Errors
    /// When it cannot be reached, was written by something else or by a newer version, or does not exist and
    /// must not be made. In each of these cases nothing was created or changed.
    pub async fn open(location: Location, missing: Missing) -> Result<Self> {
        #[cfg(feature = "testkit")]
        crate::testkit::forbid_real_data(&location);
        match &location {
            Location::Sqlite { path, default } => {
                let (path, default) = (path.clone(), *default);
                open_sqlite(location, &path, default, missing).await
            }
            Location::Postgres(options) => {
                let options = options.as_ref().clone();
                open_postgres(location, options, missing).await
            }
        }
    }

    /// Where it is.
    #[must_use]
    pub const fn location(&self) -> &Location {
        &self.location
    }

    /// `sqlite` or `postgres`, with the version of the library or server.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn engine(&self) -> Result<(&'static str, String)> {
        let (name, sql) = match self.backend() {
            DbBackend::Postgres => ("postgres", "SELECT current_setting('server_version') AS version"),
            _ => ("sqlite", "SELECT sqlite_version() AS version"),
        };
        let row = self.reader.query_one_raw(self.sql(sql)).await?;
        let version = row.map(|row| row.try_get::<String>("", "version")).transpose()?;
        Ok((name, version.unwrap_or_default()))
    }

    /// The migrations that have been applied, in order.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn migrations(&self) -> Result<Vec<String>> {
        let applied = Migrator::get_applied_migrations_read_only(&self.reader).await?;
        Ok(applied.iter().map(|migration| migration.name().to_owned()).collect())
    }

    pub(crate) fn backend(&self) -> DbBackend {
        self.writer.get_database_backend()
    }

    /// For reading outside a transaction.
    pub(crate) const fn reader(&self) -> &DatabaseConnection {
        &self.reader
    }

    /// For asking whether anything was written.
    pub(crate) const fn witness(&self) -> &DatabaseConnection {
        &self.witness
    }

    /// How often the witness had to connect.
    pub(crate) fn connected(&self) -> u64 {
        self.connected.load(Ordering::Relaxed)
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
        drop(self.witness.close().await);
        drop(self.reader.close().await);
        drop(self.writer.close().await);
    }

    async fn migrate(self) -> Result<Self> {
        self.wait_for_locks(MIGRATION_TIMEOUT).await?;
        let tx = self.begin_write().await?;
        if self.backend() == DbBackend::Postgres {
            // Another node may be migrating: wait for it, however long it takes.
            tx.execute_unprepared("SET LOCAL statement_timeout = 0").await?;
            tx.execute_unprepared(&format!("SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")).await?;
        }
        Migrator::up(&tx, None).await.map_err(|error| match sqlx_code(&error).as_deref() {
            // insufficient_privilege
            Some("42501") => Error::NotAllowed(self.location.to_string()),
            _ => Error::from(error),
        })?;
        tx.commit().await?;
        self.wait_for_locks(BUSY_TIMEOUT).await?;
        Ok(self)
    }

    /// How long the one writing connection of SQLite waits; PostgreSQL says it per transaction.
    async fn wait_for_locks(&self, time: Duration) -> Result<()> {
        if self.backend() == DbBackend::Sqlite {
            let text = format!("PRAGMA busy_timeout = {}", time.as_millis());
            self.writer.execute_unprepared(&text).await?;
        }
        Ok(())
    }
}

/// Postgres keeps microseconds and SQLite nanoseconds; a value must not change by being stored.
pub(crate) fn stamp(at: Instant) -> Instant {
    use chrono::SubsecRound;
    at.trunc_subsecs(6)
}

// ---- SQLite ----

async fn open_sqlite(location: Location, path: &Path, default: bool, missing: Missing) -> Result<Store> {
    refuse_old_sqlite().await?;
    let exists = path.try_exists().map_err(|e| path_error(path, &e))?;
    let contents = if exists { inspect_sqlite(&location, path).await? } else { Contents::Empty };
    if contents == Contents::Empty && missing == Missing::Refuse {
        return Err(Error::NoDatabase(location.to_string()));
    }
    refuse_newer(&location, &contents)?;
    if exists {
        return set_up_sqlite(location, path, contents).await;
    }
    if !create_file(path, default)? {
        // Another process was faster. What it made is looked at like anything else.
        let contents = inspect_sqlite(&location, path).await?;
        return set_up_sqlite(location, path, contents).await;
    }
    let store = set_up_sqlite(location, path, contents).await;
    if store.is_err() {
        // What we made ourselves a moment ago and could not use is of use to nobody.
        drop(fs::remove_file(path));
    }
    store
}

async fn set_up_sqlite(location: Location, path: &Path, contents: Contents) -> Result<Store> {
    if contents == Contents::Empty {
        make_private(path)?;
    }
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(false)
        .foreign_keys(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY_TIMEOUT)
        .pragma("trusted_schema", "OFF")
        .pragma("cell_size_check", "ON")
        .disable_statement_logging();
    // An import touches every index over and over and writes megabytes at a time: room for the pages in between, and
    // for a few batches before they are moved from the log to the file. Each batch is safe in the log all the same.
    let writing = options.clone().pragma("cache_size", "-16384").pragma("wal_autocheckpoint", "4000");
    let writer = connect_writer(&location, path, writing).await?;
    let reader = SqlitePoolOptions::new()
        .max_connections(READERS)
        .min_connections(0)
        .connect_lazy_with(options.clone().read_only(true));
    let connected = Arc::new(AtomicU64::new(0));
    let counting = Arc::clone(&connected);
    let witness = SqlitePoolOptions::new()
        .max_connections(1)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .after_connect(move |_, _| {
            counting.fetch_add(1, Ordering::Relaxed);
            Box::pin(async { Ok(()) })
        })
        .connect_lazy_with(options.read_only(true));
    let store = Store {
        location,
        writer: SqlxSqliteConnector::from_sqlx_sqlite_pool(writer),
        reader: SqlxSqliteConnector::from_sqlx_sqlite_pool(reader),
        witness: SqlxSqliteConnector::from_sqlx_sqlite_pool(witness),
        connected,
    };
    if up_to_date(&contents) { Ok(store) } else { store.migrate().await }
}

/// Turning a new file to a write-ahead log needs it alone, and there SQLite does not wait for others that are at the
/// same: it says "busy" at once. So it is asked again, for as long as any other write would have waited.
async fn connect_writer(
    location: &Location,
    path: &Path,
    options: SqliteConnectOptions,
) -> Result<sqlx::SqlitePool> {
    let until = tokio::time::Instant::now() + BUSY_TIMEOUT;
    loop {
        let connected = SqlitePoolOptions::new()
            .max_connections(1)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_with(options.clone())
            .await
            .map_err(|e| sqlite_error(location, path, e));
        match connected {
            Err(Error::Busy) if tokio::time::Instant::now() < until => {
                tokio::time::sleep(BUSY_PAUSE).await;
            }
            other => return other,
        }
    }
}

/// Asked of a database in memory, before any file is touched.
async fn refuse_old_sqlite() -> Result<()> {
    let failed =
        |e: sqlx::Error| Error::Database(sea_orm::DbErr::Conn(sea_orm::RuntimeErr::SqlxError(e.into())));
    let mut memory = SqliteConnectOptions::new().in_memory(true).connect().await.map_err(failed)?;
    let version: String =
        sqlx::query_scalar("SELECT sqlite_version()").fetch_one(&mut memory).await.map_err(failed)?;
    let mut numbers = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let mut next = || numbers.next().unwrap_or(0);
    if (next(), next(), next()) < SQLITE_FLOOR {
        return Err(Error::OldSqlite(version));
    }
    Ok(())
}

/// Looks into a file without changing it.
async fn inspect_sqlite(location: &Location, path: &Path) -> Result<Contents> {
    let metadata = fs::metadata(path).map_err(|e| path_error(path, &e))?;
    if !metadata.is_file() {
        return Err(Error::Path { path: path.to_owned(), problem: "it is not a file".to_owned() });
    }
    let mut header = [0; 16];
    let mut file = fs::File::open(path).map_err(|e| path_error(path, &e))?;
    let read = file.read(&mut header).map_err(|e| path_error(path, &e))?;
    if read == 0 {
        return Ok(Contents::Empty);
    }
    if &header != b"SQLite format 3\0" {
        return Err(Error::Foreign(location.to_string()));
    }
    // Opening for writing tells now, and not in the middle of an import, that the file is read-only.
    fs::OpenOptions::new().append(true).open(path).map_err(|e| path_error(path, &e))?;
    // Merely reading a file in WAL mode leaves a -wal and a -shm beside it, unless SQLite is told that nobody
    // writes. Without a -wal nobody does; what somebody begins to write now, migrating sees under its lock.
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    let options = SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .immutable(!Path::new(&wal).exists())
        .busy_timeout(BUSY_TIMEOUT)
        .disable_statement_logging();
    let inspect = async {
        let mut connection = options.connect().await?;
        let tables: Vec<String> = sqlx::query_scalar(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
        )
        .fetch_all(&mut connection)
        .await?;
        let applied = applied(&tables, sqlx::query_scalar(APPLIED).fetch_all(&mut connection)).await;
        connection.close().await?;
        Ok((tables, applied))
    };
    let (tables, applied) = inspect.await.map_err(|e| sqlite_error(location, path, e))?;
    contents(location, &tables, applied)
}

/// Makes the file before SQLite does, so that it is private from its first moment on. `false` when somebody
/// else has made it since we looked.
fn create_file(path: &Path, default: bool) -> Result<bool> {
    if default && let Some(directory) = path.parent() {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(directory).map_err(|e| path_error(directory, &e))?;
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(path_error(path, &error)),
    }
}

/// An empty file that somebody else made may be open to everybody; what we put into it must not be.
fn make_private(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(|e| path_error(path, &e))?;
    }
    Ok(())
}

fn path_error(path: &Path, error: &std::io::Error) -> Error {
    let problem = match error.kind() {
        std::io::ErrorKind::NotFound => "it, or its directory, does not exist".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    };
    Error::Path { path: path.to_owned(), problem }
}

fn sqlite_error(location: &Location, path: &Path, error: sqlx::Error) -> Error {
    let code = error
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::code)
        .map(std::borrow::Cow::into_owned);
    let primary = code.and_then(|code| code.parse::<i32>().ok()).map(|code| code & 0xff);
    match primary {
        // SQLITE_BUSY, SQLITE_LOCKED
        Some(5 | 6) => Error::Busy,
        // SQLITE_CORRUPT, SQLITE_NOTADB
        Some(11 | 26) => Error::Damaged(location.to_string(), error.to_string()),
        // SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN
        Some(8 | 10 | 13 | 14) => Error::Path { path: path.to_owned(), problem: error.to_string() },
        _ => Error::Database(sea_orm::DbErr::Conn(sea_orm::RuntimeErr::SqlxError(error.into()))),
    }
}

// ---- PostgreSQL ----

async fn open_postgres(location: Location, options: PgConnectOptions, missing: Missing) -> Result<Store> {
    let options = options
        .application_name("local-fitness")
        .options([("statement_timeout", STATEMENT_TIMEOUT)])
        .disable_statement_logging();
    let contents =
        tokio::time::timeout(CONNECT_TIMEOUT, inspect_postgres(&location, &options)).await.map_err(
            |_| Error::Unreachable(location.to_string(), "it did not answer within 5 seconds".to_owned()),
        )??;
    if contents == Contents::Empty && missing == Missing::Refuse {
        return Err(Error::NoDatabase(location.to_string()));
    }
    refuse_newer(&location, &contents)?;
    let pool = PgPoolOptions::new()
        .max_connections(POSTGRES_POOL)
        .acquire_timeout(Duration::from_secs(30))
        .connect_lazy_with(options);
    let connection = SqlxPostgresConnector::from_sqlx_postgres_pool(pool);
    let store = Store {
        location,
        writer: connection.clone(),
        reader: connection.clone(),
        witness: connection,
        connected: Arc::default(),
    };
    if up_to_date(&contents) { Ok(store) } else { store.migrate().await }
}

async fn inspect_postgres(location: &Location, options: &PgConnectOptions) -> Result<Contents> {
    let inspect = async {
        let mut connection = options.connect().await?;
        let tables: Vec<String> = sqlx::query_scalar(RELATIONS).fetch_all(&mut connection).await?;
        let applied = applied(&tables, sqlx::query_scalar(APPLIED).fetch_all(&mut connection)).await;
        connection.close().await?;
        Ok((tables, applied))
    };
    let (tables, applied) = inspect.await.map_err(|e| postgres_error(location, &e))?;
    contents(location, &tables, applied)
}

fn postgres_error(location: &Location, error: &sqlx::Error) -> Error {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    match (code.as_deref(), error.as_database_error()) {
        // invalid_password, invalid_authorization, invalid_catalog_name (no such database), insufficient_privilege
        (Some("28P01" | "28000" | "3D000" | "42501"), Some(database)) => {
            Error::LoginRefused(location.to_string(), database.message().to_owned())
        }
        _ => Error::Unreachable(location.to_string(), error.to_string()),
    }
}

// ---- both ----

const MIGRATIONS_TABLE: &str = "seaql_migrations";
const APPLIED: &str = "SELECT version FROM seaql_migrations ORDER BY version";

/// Tables and views of the current PostgreSQL schema, except those an extension brought.
const RELATIONS: &str = "SELECT c.relname::text FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')";

/// The migrations a database says were applied; none when it does not keep that record the way we do.
async fn applied(
    tables: &[String],
    read: impl Future<Output = Result<Vec<String>, sqlx::Error>>,
) -> Vec<String> {
    if tables.iter().any(|name| name == MIGRATIONS_TABLE) {
        read.await.unwrap_or_default()
    } else {
        Vec::new()
    }
}

fn contents(location: &Location, tables: &[String], applied: Vec<String>) -> Result<Contents> {
    if tables.is_empty() {
        return Ok(Contents::Empty);
    }
    if !applied.iter().any(|name| name == FIRST) {
        return Err(Error::Foreign(location.to_string()));
    }
    Ok(Contents::Ours(applied))
}

fn known_migrations() -> Vec<String> {
    Migrator::migrations().iter().map(|migration| migration.name().to_owned()).collect()
}

fn refuse_newer(location: &Location, contents: &Contents) -> Result<()> {
    let known = known_migrations();
    if let Contents::Ours(applied) = contents
        && let Some(unknown) = applied.iter().find(|name| !known.contains(name))
    {
        return Err(Error::Newer(location.to_string(), unknown.clone()));
    }
    Ok(())
}

fn up_to_date(contents: &Contents) -> bool {
    matches!(contents, Contents::Ours(applied) if applied.len() == known_migrations().len())
}
