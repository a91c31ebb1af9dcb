//! Backups and exports: the whole database in one file, which can be restored into SQLite or
//! PostgreSQL.
//!
//! A backup is written from one snapshot while others keep writing. Restoring first verifies the
//! whole file, and commits only if the restored database has the same hash.

pub(crate) mod deleted_users;
mod directory;
mod dump;
mod format;
mod partial_file;
mod restore;
mod schema;
#[cfg(all(test, feature = "testkit"))]
mod tests;
mod user_rows;
mod value;

pub use directory::{BackupDirectory, BackupFile, BackupLocation, EXTENSION, MAX_NIGHTLY_BACKUPS};
pub use dump::{Checksums, TableChecksum};
pub use format::{AuditLogEnd, BackupUser, Header, Manifest};
pub use partial_file::{PARTIAL_EXTENSION, PartialFile, PartialFileInfo};
pub use user_rows::{Fields, RowCollector, RowImporter, compress_file};

use crate::db::audit;
use crate::db::connect::migrate_to;
use crate::db::entities::users;
use crate::db::error::{Error, Result};
use crate::db::location::Location;
use crate::db::migrations::database_id;
use crate::db::store::{Store, engine, migrations};
use crate::settings::{COACH_KEY_SETTING, SHARED_COACH_KEY_SETTING};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::UserId;
use format::{BackupItem, BackupReader, BackupWriter};
use sea_orm::{
    ConnectionTrait, DatabaseTransaction, DbBackend, EntityTrait, PaginatorTrait, QueryOrder, Statement,
};
use std::path::{Path, PathBuf};
use tokio::sync::mpsc;
use value::Row;

/// Batch size for restoring, in rows and in bytes.
const BATCH_ROWS: usize = 1000;
const BATCH_BYTES: usize = 8 << 20;

/// A backup that was written or inspected.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Backup {
    pub path: PathBuf,
    pub bytes: u64,
    pub header: Header,
    pub manifest: Manifest,
}

impl Store {
    /// Writes a backup to a new file. Others can keep writing; their later writes are not included.
    ///
    /// # Errors
    /// If the file cannot be written or already exists. No file is left behind.
    pub async fn back_up(&self, path: &Path, now: Option<Instant>) -> Result<Backup> {
        if path.try_exists().map_err(|why| Error::from_file(path, &why))? {
            return Err(Error::from_file(path, &std::io::ErrorKind::AlreadyExists.into()));
        }
        let db = self.for_backup().snapshot().await?;
        self.back_up_snapshot(&db, migrations(&db).await?, [path.to_owned()], now, None).await
    }

    /// Writes a backup to a new file in a directory, with a number added to the name if it is
    /// taken.
    ///
    /// # Errors
    /// If the file cannot be written. No file is left behind.
    pub async fn back_up_in(
        &self,
        folder: &BackupDirectory,
        stem: &str,
        now: Option<Instant>,
    ) -> Result<Backup> {
        self.back_up_numbered(folder, stem, now, None).await
    }

    async fn back_up_numbered(
        &self,
        folder: &BackupDirectory,
        stem: &str,
        now: Option<Instant>,
        night: Option<u64>,
    ) -> Result<Backup> {
        folder.create()?;
        let db = self.for_backup().snapshot().await?;
        self.back_up_snapshot(&db, migrations(&db).await?, folder.candidate_paths(stem), now, night).await
    }

    pub(crate) async fn back_up_snapshot(
        &self,
        db: &DatabaseTransaction,
        migrations: Vec<String>,
        names: impl IntoIterator<Item = PathBuf>,
        now: Option<Instant>,
        night: Option<u64>,
    ) -> Result<Backup> {
        let (engine, version) = engine(db).await?;
        let people = list_backup_users(db).await?;
        let tables = schema::tables(migrations.len());
        let header = Header {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            engine: format!("{engine} {version}"),
            database: read_identity(db, &migrations).await?,
            made_at: now.map(crate::db::store::truncate_to_micros),
            night,
            migrations,
            people,
        };
        let mut names = names.into_iter().peekable();
        let writing = BackupWriter::begin(names.peek().expect("there is at least one name"), &header)?;
        let (writing, sums) = dump::dump_rows(db, &tables, None, writing).await?;
        let manifest = build_manifest(db, &tables, &header.people, sums).await?;
        let (path, bytes) = writing.finish(names, &manifest)?;
        Ok(Backup { path, bytes, header, manifest })
    }

    /// Unique id of this database; a restored copy gets its own.
    pub async fn database_identity(&self) -> Result<String> {
        let told = read_identity(self.reader(), &self.migrations().await?).await?;
        told.ok_or_else(|| Error::Unreadable("the database identity is missing".to_owned()))
    }

    /// Hash of all rows that an export contains, without credentials. Equal for a database with one
    /// user and a database restored from that user's export.
    pub async fn export_hash(&self) -> Result<ContentHash> {
        let db = self.snapshot().await?;
        let tables = ArchiveKind::Export.tables(self.migrations().await?.len());
        let ((), sums) = dump::dump_rows(&db, &tables, None, ()).await?;
        Ok(dump::combined_hash(&sums))
    }

    /// Hash of all rows of all tables: equal for two databases with the same content, on either
    /// engine.
    pub async fn logical_hash(&self) -> Result<ContentHash> {
        let db = self.for_backup().snapshot().await?;
        let tables = schema::tables(migrations(&db).await?.len());
        let ((), sums) = dump::dump_rows(&db, &tables, None, ()).await?;
        Ok(dump::combined_hash(&sums))
    }

    /// Restores a backup into an empty database, in one transaction.
    ///
    /// # Errors
    /// If the backup is truncated, modified or from a newer version, or the database is not empty.
    /// Nothing was created or changed.
    pub async fn restore(location: Location, path: &Path) -> Result<(Self, Backup)> {
        let backup = inspect(path).await?;
        let file = backup.path.clone();
        let source = move |send: &RowSender| read_batches(&file, send);
        let store = Self::open_and_fill(location, async |store, tx, applied| {
            fill(store, tx, applied, &backup.header, &backup.manifest, ArchiveKind::Backup, source).await
        })
        .await?;
        Ok((store, backup))
    }

    /// Writes the nightly backup unless the newest one is from that day, and prunes old ones. The
    /// newest is determined by sequence number, not by date, so a clock that was wrong neither
    /// blocks new backups nor decides which ones are deleted. `None` if backups are off.
    ///
    /// # Errors
    /// If it cannot be written. Older backups are still there.
    pub async fn back_up_nightly(&self, day: Day, now: Instant) -> Result<Option<PathBuf>> {
        let Some(folder) = self.backup_directory()? else { return Ok(None) };
        let database = self.database_identity().await?;
        let newest = folder.list_nightly(&database)?.pop();
        if let Some(made) = newest.as_ref().filter(|newest| newest.day == day) {
            return Ok(Some(made.path.clone()));
        }
        let number = newest.and_then(|newest| newest.number).unwrap_or(0) + 1;
        let made = self
            .back_up_numbered(&folder, &BackupDirectory::nightly_stem(day), Some(now), Some(number))
            .await?;
        folder.prune_nightly(&database)?;
        Ok(Some(made.path))
    }
}

/// The database id; `None` for schema versions that have none.
async fn read_identity(db: &impl ConnectionTrait, migrations: &[String]) -> Result<Option<String>> {
    if !migrations.iter().any(|name| name == database_id::NAME) {
        return Ok(None);
    }
    let sql = format!("SELECT identity FROM {}", database_id::TABLE);
    let row = db.query_one_raw(Statement::from_string(db.get_database_backend(), sql)).await?;
    Ok(row.map(|row| row.try_get("", "identity")).transpose()?)
}

/// Sends rows in batches of one table.
type RowSender = mpsc::Sender<(String, Vec<Row>)>;

/// Tables with credentials: included in backups, never in an export.
const CREDENTIAL_TABLES: &[&str] = &[
    "credentials",
    "invites",
    "sign_ins",
    "sessions",
    "session_codes",
    "api_tokens",
    "calendar_feeds",
    "source_secrets",
];

/// SQL condition for the rows of `settings` that contain an encrypted API key, which an export
/// never includes.
pub(crate) fn credential_settings() -> String {
    format!("key IN ('{COACH_KEY_SETTING}', '{SHARED_COACH_KEY_SETTING}')")
}

/// A backup contains everything. An export has imported files beside the rows instead of in them,
/// and no credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArchiveKind {
    Backup,
    Export,
}

impl ArchiveKind {
    /// The tables as they are hashed.
    fn tables(self, level: usize) -> Vec<schema::Table> {
        let mut tables = schema::tables(level);
        if self == Self::Export {
            tables.retain(|table| !CREDENTIAL_TABLES.contains(&table.name.as_str()));
            if let Some(settings) = tables.iter_mut().find(|table| table.name == "settings") {
                settings.excluded = Some(credential_settings());
            }
        }
        let originals = tables.iter_mut().find(|table| table.name == "originals");
        if self == Self::Export
            && let Some(at) = originals.as_ref().and_then(|table| table.position("packed"))
            && let Some(table) = originals
        {
            table.columns[at].kind = schema::ColumnKind::External;
        }
        tables
    }
}

/// Inserts rows into an empty database, in one transaction.
async fn fill(
    store: &Store,
    tx: &DatabaseTransaction,
    applied: &[String],
    header: &Header,
    manifest: &Manifest,
    packed: ArchiveKind,
    source: impl FnOnce(&RowSender) -> Result<()> + std::marker::Send + 'static,
) -> Result<()> {
    let level = header.migrations.len();
    if applied.is_empty() {
        let steps = u32::try_from(level).expect("there are few migrations");
        migrate_to(tx, &store.location, Some(steps)).await?;
    } else if applied.len() != level || users::Entity::find().count(tx).await? > 0 {
        // Not empty, or at another schema version.
        return Err(Error::NotEmpty(store.location.to_string()));
    }
    let tables = schema::tables(level);
    let mut loading = restore::RowLoader::new(tx, &tables).await?;
    let (send, mut batches) = mpsc::channel(2);
    let reader = tokio::task::spawn_blocking(move || source(&send));
    while let Some((name, rows)) = batches.recv().await {
        let table = tables.iter().find(|table| table.name == name);
        let table = table.ok_or_else(|| Error::BadBackup(format!("unknown table {name}")))?;
        loading.load_rows(table, rows).await?;
    }
    reader.await.map_err(|why| Error::Unreadable(why.to_string()))??;
    loading.finish(&manifest.counters).await?;
    let mut shown = packed.tables(level);
    // Exports of 0.1.0 contained encrypted API keys among the settings, and their checksums include
    // them.
    shown.iter_mut().for_each(|table| table.excluded = None);
    let ((), sums) = dump::dump_rows(tx, &shown, None, ()).await?;
    if let Some(name) = sums.keys().find(|name| sums.get(*name) != manifest.tables.get(*name)) {
        return Err(Error::BadBackup(format!("table {name} does not match the backup after restoring")));
    }
    for end in &manifest.audit {
        if let Some(line) = audit::first_broken(tx, UserId::new(end.user)).await? {
            let whose = end.user;
            return Err(Error::BadBackup(format!(
                "the audit log of user {whose} was altered at line {line}"
            )));
        }
    }
    if packed == ArchiveKind::Export {
        tx.execute_unprepared(&format!("DELETE FROM settings WHERE {}", credential_settings())).await?;
    }
    if store.backend() == DbBackend::Postgres {
        // PostgreSQL cannot alter a table with pending foreign key checks.
        tx.execute_unprepared("SET CONSTRAINTS ALL IMMEDIATE").await?;
    }
    migrate_to(tx, &store.location, None).await
}

/// Verifies a backup and returns its header and manifest.
///
/// # Errors
/// If it is truncated, modified, from a newer version, or not a backup.
pub async fn inspect(path: &Path) -> Result<Backup> {
    let path = path.to_owned();
    let looked = tokio::task::spawn_blocking(move || {
        let (header, manifest) = format::verify(&path)?;
        let bytes = std::fs::metadata(&path).map_err(|why| Error::from_file(&path, &why))?.len();
        Ok(Backup { path, bytes, header, manifest })
    });
    looked.await.map_err(|why| Error::Unreadable(why.to_string()))?
}

/// Reads only the header of a backup.
///
/// # Errors
/// If it is not a backup of a known version.
pub fn read_header(path: &Path) -> Result<Header> {
    BackupReader::read_header(path)
}

async fn list_backup_users(db: &DatabaseTransaction) -> Result<Vec<BackupUser>> {
    let rows = users::Entity::find().order_by_asc(users::Column::Id).all(db).await?;
    Ok(rows
        .into_iter()
        .map(|row| BackupUser { id: row.id, name: row.name, since: Some(row.created_at) })
        .collect())
}

async fn build_manifest(
    db: &DatabaseTransaction,
    tables: &[schema::Table],
    people: &[BackupUser],
    sums: Checksums,
) -> Result<Manifest> {
    let mut ends = Vec::new();
    for person in people {
        let head = audit::head(db, UserId::new(person.id)).await?;
        ends.push(AuditLogEnd { user: person.id, lines: head.seq, hash: head.hash });
    }
    let counters = dump::read_counters(db, tables).await?;
    Ok(Manifest { hash: dump::combined_hash(&sums), tables: sums, audit: ends, counters })
}

/// Sends the rows of a backup in batches of one table.
fn read_batches(path: &Path, send: &RowSender) -> Result<()> {
    let (mut reading, _) = BackupReader::open_verified(path)?;
    let (mut table, mut rows, mut bytes) = (String::new(), Vec::new(), 0);
    // If the receiver is gone, it has already reported its error.
    let hand_over = |table: &str, rows: &mut Vec<Row>| {
        rows.is_empty() || send.blocking_send((table.to_owned(), std::mem::take(rows))).is_ok()
    };
    loop {
        match reading.next_item()? {
            BackupItem::Table(name, _) => {
                if !hand_over(&table, &mut rows) {
                    return Ok(());
                }
                (table, bytes) = (name, 0);
            }
            BackupItem::Row(row, line) => {
                bytes += line.len();
                rows.push(row);
                if rows.len() >= BATCH_ROWS || bytes >= BATCH_BYTES {
                    bytes = 0;
                    if !hand_over(&table, &mut rows) {
                        return Ok(());
                    }
                }
            }
            BackupItem::End(_) => {
                hand_over(&table, &mut rows);
                return Ok(());
            }
        }
    }
}
