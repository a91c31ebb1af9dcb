//! Opening and creating SQLite files.

use super::{
    APPLIED_MIGRATIONS_SQL, BACKUP_POOL_SIZE, BACKUP_TIMEOUT, BUSY_TIMEOUT, DatabaseContents,
    MissingDatabasePolicy, OpenedDatabase, applied_migrations, classify_contents, pool_options, refuse_newer,
};
use crate::backup::BackupLocation;
use crate::db::error::{Error, Result};
use crate::db::location::Location;
use crate::db::read_connection::ReadConnection;
use crate::db::store::Store;
use sea_orm::SqlxSqliteConnector;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, SqliteConnection};
use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Older versions can corrupt the WAL with concurrent writers (sqlite.org, "WAL-reset bug").
const MIN_SQLITE_VERSION: (u32, u32, u32) = (3, 51, 3);
/// Retry delay where SQLite's own busy timeout does not apply.
const BUSY_RETRY_DELAY: Duration = Duration::from_millis(20);
const READER_POOL_SIZE: u32 = 4;
const SQLITE_READONLY: i32 = 8;
pub(super) const TABLES_SQL: &str =
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";

pub(super) async fn open(
    location: Location,
    path: &Path,
    default: bool,
    missing: MissingDatabasePolicy,
) -> Result<OpenedDatabase> {
    refuse_old_sqlite().await?;
    let exists = path.try_exists().map_err(|e| Error::from_path(path, &e))?;
    let contents = if exists { inspect_sqlite(&location, path).await? } else { DatabaseContents::Empty };
    if contents == DatabaseContents::Empty && missing == MissingDatabasePolicy::Refuse {
        return Err(Error::NoDatabase(location.to_string()));
    }
    refuse_newer(&location, &contents)?;
    if exists {
        return set_up_sqlite(location, path, contents).await;
    }
    if !create_file(path, default)? {
        // Another process created it first; inspect what it created.
        let contents = inspect_sqlite(&location, path).await?;
        return set_up_sqlite(location, path, contents).await;
    }
    match set_up_sqlite(location, path, contents).await {
        Ok(opened) => Ok(OpenedDatabase { created_file: Some(path.to_owned()), ..opened }),
        Err(why) => {
            drop(fs::remove_file(path));
            Err(why)
        }
    }
}

async fn set_up_sqlite(
    location: Location,
    path: &Path,
    contents: DatabaseContents,
) -> Result<OpenedDatabase> {
    if contents == DatabaseContents::Empty {
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
    // An import updates every index and writes megabytes per batch: a larger page cache, and fewer
    // checkpoints. Every committed batch is still safe in the WAL.
    let writing = options.clone().pragma("cache_size", "-16384").pragma("wal_autocheckpoint", "4000");
    let writer = connect_writer(&location, path, writing).await?;
    let reader = discarding_open_transactions(pool_options())
        .max_connections(READER_POOL_SIZE)
        .min_connections(0)
        .connect_lazy_with(options.clone().read_only(true));
    let archive = discarding_open_transactions(pool_options())
        .max_connections(BACKUP_POOL_SIZE)
        .min_connections(0)
        // An export may have to wait for two others to finish.
        .acquire_timeout(BACKUP_TIMEOUT)
        .connect_lazy_with(options.clone().read_only(true));
    let connected = Arc::new(AtomicU64::new(0));
    let counting = Arc::clone(&connected);
    let witness = pool_options()
        .max_connections(1)
        .test_before_acquire(false)
        .after_connect(move |_, _| {
            counting.fetch_add(1, Ordering::Relaxed);
            Box::pin(async { Ok(()) })
        })
        .connect_lazy_with(options.read_only(true));
    let store = Store {
        location,
        backup_location: BackupLocation::default(),
        writer: SqlxSqliteConnector::from_sqlx_sqlite_pool(writer),
        reader: ReadConnection::Pool(SqlxSqliteConnector::from_sqlx_sqlite_pool(reader)),
        backup_reader: SqlxSqliteConnector::from_sqlx_sqlite_pool(archive),
        change_watcher: SqlxSqliteConnector::from_sqlx_sqlite_pool(witness),
        watcher_connections: connected,
    };
    Ok(OpenedDatabase { store, contents, created_file: None })
}

/// Connects the writer. Switching a new file to WAL needs exclusive access, and there SQLite
/// ignores the busy timeout and fails at once, so retry for as long as the timeout.
async fn connect_writer(
    location: &Location,
    path: &Path,
    options: SqliteConnectOptions,
) -> Result<sqlx::SqlitePool> {
    let until = tokio::time::Instant::now() + BUSY_TIMEOUT;
    loop {
        let connected = discarding_read_only(pool_options())
            .max_connections(1)
            .connect_with(options.clone())
            .await
            .map_err(|e| sqlite_error(location, path, e));
        match connected {
            Err(Error::Busy) if tokio::time::Instant::now() < until => {
                tokio::time::sleep(BUSY_RETRY_DELAY).await;
            }
            other => return other,
        }
    }
}

/// Closes a connection that has an open transaction instead of returning it to the pool.
///
/// If COMMIT fails because of the disk, SQLite rolls back, but sqlx still counts an open
/// transaction and turns the next BEGIN into a savepoint. After a second failure nothing written
/// through that connection is ever committed, although every commit is reported as successful. So a
/// connection with a non-zero count is never reused. (SQLite itself rejects the opposite case, a
/// BEGIN inside a transaction that sqlx does not know about.)
fn discarding_open_transactions(options: SqlitePoolOptions) -> SqlitePoolOptions {
    discard_unusable(options, SqliteConnection::is_in_transaction)
}

/// For the writer: also closes a connection that SQLite opened read-only, which it does silently if
/// the disk is read-only or fails at that moment. The next write gets a new connection.
fn discarding_read_only(options: SqlitePoolOptions) -> SqlitePoolOptions {
    let read_only = Arc::new(AtomicBool::new(false));
    let is_read_only = Arc::clone(&read_only);
    let unusable = move |connection: &SqliteConnection| {
        connection.is_in_transaction() || is_read_only.load(Ordering::Relaxed)
    };
    discard_unusable(options, unusable).after_connect(move |connection, _| {
        let read_only = Arc::clone(&read_only);
        Box::pin(async move {
            // A lock held by another process says nothing about the disk, so do not wait for it.
            connection.execute("PRAGMA busy_timeout = 0").await?;
            let refused = connection.execute("BEGIN IMMEDIATE; ROLLBACK").await.err();
            let wait = format!("PRAGMA busy_timeout = {}", BUSY_TIMEOUT.as_millis());
            connection.execute(AssertSqlSafe(wait)).await?;
            read_only.store(
                refused.is_some_and(|why| primary_code(&why) == Some(SQLITE_READONLY)),
                Ordering::Relaxed,
            );
            Ok(())
        })
    })
}

fn discard_unusable(
    options: SqlitePoolOptions,
    unusable: impl Fn(&SqliteConnection) -> bool + Clone + Send + Sync + 'static,
) -> SqlitePoolOptions {
    let before = unusable.clone();
    options
        .after_release(move |connection, _| {
            let unusable = unusable.clone();
            Box::pin(async move {
                // A rollback may still be queued; ping waits for it.
                connection.ping().await?;
                Ok(!unusable(connection))
            })
        })
        .before_acquire(move |connection, _| {
            let usable = !before(connection);
            Box::pin(async move { Ok(usable) })
        })
}

/// Checked on an in-memory database, before any file is touched.
async fn refuse_old_sqlite() -> Result<()> {
    let failed =
        |e: sqlx::Error| Error::Database(sea_orm::DbErr::Conn(sea_orm::RuntimeErr::SqlxError(e.into())));
    let mut memory = SqliteConnectOptions::new().in_memory(true).connect().await.map_err(failed)?;
    let version: String =
        sqlx::query_scalar("SELECT sqlite_version()").fetch_one(&mut memory).await.map_err(failed)?;
    let mut numbers = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let mut next = || numbers.next().unwrap_or(0);
    if (next(), next(), next()) < MIN_SQLITE_VERSION {
        return Err(Error::OldSqlite(version));
    }
    Ok(())
}

/// Inspects a file without changing it.
async fn inspect_sqlite(location: &Location, path: &Path) -> Result<DatabaseContents> {
    let metadata = fs::metadata(path).map_err(|e| Error::from_path(path, &e))?;
    if !metadata.is_file() {
        return Err(Error::Path { path: path.to_owned(), problem: "it is not a file".to_owned() });
    }
    let mut header = [0; 16];
    let mut file = fs::File::open(path).map_err(|e| Error::from_path(path, &e))?;
    let read = file.read(&mut header).map_err(|e| Error::from_path(path, &e))?;
    if read == 0 {
        return Ok(DatabaseContents::Empty);
    }
    if &header != b"SQLite format 3\0" {
        return Err(Error::Foreign(location.to_string()));
    }
    // Opening for writing shows a read-only file now and not in the middle of an import.
    fs::OpenOptions::new().append(true).open(path).map_err(|e| Error::from_path(path, &e))?;
    // Reading a WAL file creates -wal and -shm files, unless it is opened as immutable. Without a
    // -wal file nobody is writing; if somebody starts now, migrating sees it under its lock.
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
        let tables: Vec<String> = sqlx::query_scalar(TABLES_SQL).fetch_all(&mut connection).await?;
        let applied = applied_migrations(
            &tables,
            sqlx::query_scalar(APPLIED_MIGRATIONS_SQL).fetch_all(&mut connection),
        )
        .await;
        connection.close().await?;
        Ok((tables, applied))
    };
    let (tables, applied) = inspect.await.map_err(|e| sqlite_error(location, path, e))?;
    classify_contents(location, &tables, applied)
}

/// Creates the file before SQLite does, so that it is private from the start. `false` if another
/// process created it since the check.
fn create_file(path: &Path, default: bool) -> Result<bool> {
    if default && let Some(directory) = path.parent() {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(directory).map_err(|e| Error::from_path(directory, &e))?;
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(Error::from_path(path, &error)),
    }
}

/// An existing empty file may be readable by others; restrict it before writing data.
fn make_private(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))
            .map_err(|e| Error::from_path(path, &e))?;
    }
    Ok(())
}

/// SQLite's primary result code, without the extended bits.
fn primary_code(error: &sqlx::Error) -> Option<i32> {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code)?;
    Some(code.parse::<i32>().ok()? & 0xff)
}

fn sqlite_error(location: &Location, path: &Path, error: sqlx::Error) -> Error {
    match primary_code(&error) {
        // SQLITE_BUSY, SQLITE_LOCKED
        Some(5 | 6) => Error::Busy,
        // SQLITE_CORRUPT, SQLITE_NOTADB
        Some(11 | 26) => Error::Damaged(location.to_string(), error.to_string()),
        // SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN
        Some(SQLITE_READONLY | 10 | 13 | 14) => {
            Error::Path { path: path.to_owned(), problem: error.to_string() }
        }
        _ => Error::Database(sea_orm::DbErr::Conn(sea_orm::RuntimeErr::SqlxError(error.into()))),
    }
}
