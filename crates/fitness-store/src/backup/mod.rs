//! Keeping and moving: everything in one file, and back out of it into either database.
//!
//! A backup is written from one snapshot while others go on writing. It is read to its last bit before anything is made
//! from it, and what is made from it must come to the same hash before it is kept.

mod directory;
mod dump;
mod format;
mod partial_file;
mod restore;
mod schema;
#[cfg(all(test, feature = "testkit"))]
mod tests;
pub(crate) mod user_references;
mod user_rows;
mod value;

pub use directory::{Backups, EXTENSION, Folder, Kept, NIGHTS};
pub use dump::{Sums, TableSum};
pub use format::{Header, LogEnd, Manifest, Person};
pub use partial_file::{Part, UNFINISHED, Unfinished};
pub use user_rows::{Collector, Fields, HandOver, packed};

use crate::db::audit;
use crate::db::connect::bring_up_to;
use crate::db::entities::users;
use crate::db::error::{Error, Result};
use crate::db::location::Location;
use crate::db::migrations::identity;
use crate::db::store::{Store, engine, migrations};
use crate::settings::{COACH_KEY_SETTING, SHARED_COACH_KEY_SETTING};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::UserId;
use format::{Next, Reading, Writing};
use sea_orm::{
    ConnectionTrait, DatabaseTransaction, DbBackend, EntityTrait, PaginatorTrait, QueryOrder, Statement,
};
use std::path::{Path, PathBuf};
use tokio::sync::mpsc;
use value::Row;

/// How many rows go from the file to the database at once, and how many bytes of them.
const BATCH_ROWS: usize = 1000;
const BATCH_BYTES: usize = 8 << 20;

/// A backup that was written or looked at.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Backup {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// What it says first.
    pub header: Header,
    /// What it says last.
    pub manifest: Manifest,
}

impl Store {
    /// Writes everything to a new file. Others may go on writing meanwhile; what they write after it has begun is not in it.
    ///
    /// # Errors
    /// When the file cannot be written, or is there already. Then no file is left behind.
    pub async fn back_up(&self, path: &Path, now: Option<Instant>) -> Result<Backup> {
        if path.try_exists().map_err(|why| Error::of_file(path, &why))? {
            return Err(Error::of_file(path, &std::io::ErrorKind::AlreadyExists.into()));
        }
        let db = self.for_archiving().snapshot().await?;
        self.back_up_snapshot(&db, migrations(&db).await?, [path.to_owned()], now, None).await
    }

    /// Writes everything to a new file in a folder: under this name, or with a number where something has it.
    ///
    /// # Errors
    /// When the file cannot be written. Then none is left behind.
    pub async fn back_up_in(&self, folder: &Folder, stem: &str, now: Option<Instant>) -> Result<Backup> {
        self.back_up_night(folder, stem, now, None).await
    }

    async fn back_up_night(
        &self,
        folder: &Folder,
        stem: &str,
        now: Option<Instant>,
        night: Option<u64>,
    ) -> Result<Backup> {
        folder.make()?;
        let db = self.for_archiving().snapshot().await?;
        self.back_up_snapshot(&db, migrations(&db).await?, folder.names(stem), now, night).await
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
        let people = people(db).await?;
        let tables = schema::tables(migrations.len());
        let header = Header {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            engine: format!("{engine} {version}"),
            database: identity_in(db, &migrations).await?,
            made_at: now.map(crate::db::store::stamp),
            night,
            migrations,
            people,
        };
        let mut names = names.into_iter().peekable();
        let writing = Writing::begin(names.peek().expect("there is at least one name"), &header)?;
        let (writing, sums) = dump::walk(db, &tables, None, writing).await?;
        let manifest = manifest(db, &tables, &header.people, sums).await?;
        let (path, bytes) = writing.finish(names, &manifest)?;
        Ok(Backup { path, bytes, header, manifest })
    }

    /// Which database this is. No other has this, whatever was restored into it.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn identity(&self) -> Result<String> {
        let told = identity_in(self.reader(), &self.migrations().await?).await?;
        told.ok_or_else(|| Error::Unreadable("it does not say which database it is".to_owned()))
    }

    /// The hash of every row that an export holds: equal for a database and one made from its export, when one athlete has all of
    /// it. Credentials are not in it.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn exported_hash(&self) -> Result<ContentHash> {
        let db = self.snapshot().await?;
        let tables = Packed::Elsewhere.tables(self.migrations().await?.len());
        let ((), sums) = dump::walk(&db, &tables, None, ()).await?;
        Ok(dump::hash_of(&sums))
    }

    /// The hash of every row of every table: equal for two databases that hold the same, whichever they are.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn logical_hash(&self) -> Result<ContentHash> {
        let db = self.for_archiving().snapshot().await?;
        let tables = schema::tables(migrations(&db).await?.len());
        let ((), sums) = dump::walk(&db, &tables, None, ()).await?;
        Ok(dump::hash_of(&sums))
    }

    /// Makes a database out of a backup: whole, or not at all.
    ///
    /// # Errors
    /// When the backup is cut, altered or newer than this program, or the database holds anything. Then nothing was
    /// made or changed.
    pub async fn restore(location: Location, path: &Path) -> Result<(Self, Backup)> {
        let backup = inspect(path).await?;
        let file = backup.path.clone();
        let source = move |send: &Send| read_batches(&file, send);
        let store = Self::open_and_fill(location, async |store, tx, applied| {
            fill(store, tx, applied, &backup.header, &backup.manifest, Packed::Here, source).await
        })
        .await?;
        Ok((store, backup))
    }

    /// The backup of a night: made unless this database's newest is of that night, and its older nights forgotten. Which one is
    /// newer is said by the number in it, not by a date: a clock that was ahead neither keeps new ones from being made nor
    /// decides which go. `None` where no backups are wanted.
    ///
    /// # Errors
    /// When it cannot be written. Then every older one is still there.
    pub async fn back_up_nightly(&self, day: Day, now: Instant) -> Result<Option<PathBuf>> {
        let Some(folder) = self.backups()? else { return Ok(None) };
        let database = self.identity().await?;
        let newest = folder.nights(&database)?.pop();
        if let Some(made) = newest.as_ref().filter(|newest| newest.day == day) {
            return Ok(Some(made.path.clone()));
        }
        let number = newest.and_then(|newest| newest.number).unwrap_or(0) + 1;
        let made = self.back_up_night(&folder, &Folder::nightly_stem(day), Some(now), Some(number)).await?;
        folder.forget_old_nights(&database)?;
        Ok(Some(made.path))
    }
}

/// Which database this is, where its tables are those of a version that says so.
async fn identity_in(db: &impl ConnectionTrait, migrations: &[String]) -> Result<Option<String>> {
    if !migrations.iter().any(|name| name == identity::NAME) {
        return Ok(None);
    }
    let sql = format!("SELECT identity FROM {}", identity::TABLE);
    let row = db.query_one_raw(Statement::from_string(db.get_database_backend(), sql)).await?;
    Ok(row.map(|row| row.try_get("", "identity")).transpose()?)
}

/// Where rows are handed over, in batches of one table.
type Send = mpsc::Sender<(String, Vec<Row>)>;

/// Tables of what signs somebody in or opens a service: backups keep them, an export never holds them.
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

/// The rows of `settings` that hold an encrypted API key. An export never holds them either.
pub(crate) fn credential_settings() -> String {
    format!("key IN ('{COACH_KEY_SETTING}', '{SHARED_COACH_KEY_SETTING}')")
}

/// Whether it is a backup, with everything in its rows; or an export, with the files that were imported apart from their rows
/// and without credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packed {
    Here,
    Elsewhere,
}

impl Packed {
    /// The tables, as they are summed up.
    fn tables(self, level: usize) -> Vec<schema::Table> {
        let mut tables = schema::tables(level);
        if self == Self::Elsewhere {
            tables.retain(|table| !CREDENTIAL_TABLES.contains(&table.name.as_str()));
            if let Some(settings) = tables.iter_mut().find(|table| table.name == "settings") {
                settings.excluded = Some(credential_settings());
            }
        }
        let originals = tables.iter_mut().find(|table| table.name == "originals");
        if self == Self::Elsewhere
            && let Some(at) = originals.as_ref().and_then(|table| table.position("packed"))
            && let Some(table) = originals
        {
            table.columns[at].kind = schema::Kind::Elsewhere;
        }
        tables
    }
}

/// Puts rows into a database that holds nothing, in one transaction.
async fn fill(
    store: &Store,
    tx: &DatabaseTransaction,
    applied: &[String],
    header: &Header,
    manifest: &Manifest,
    packed: Packed,
    source: impl FnOnce(&Send) -> Result<()> + std::marker::Send + 'static,
) -> Result<()> {
    let level = header.migrations.len();
    if applied.is_empty() {
        let steps = u32::try_from(level).expect("there are few migrations");
        bring_up_to(tx, &store.location, Some(steps)).await?;
    } else if applied.len() != level || users::Entity::find().count(tx).await? > 0 {
        // There is something, or its tables are those of another version.
        return Err(Error::NotEmpty(store.location.to_string()));
    }
    let tables = schema::tables(level);
    let mut loading = restore::Loading::new(tx, &tables).await?;
    let (send, mut batches) = mpsc::channel(2);
    let reader = tokio::task::spawn_blocking(move || source(&send));
    while let Some((name, rows)) = batches.recv().await {
        let table = tables.iter().find(|table| table.name == name);
        let table = table.ok_or_else(|| Error::BadArchive(format!("there is no table {name}")))?;
        loading.rows(table, rows).await?;
    }
    reader.await.map_err(|why| Error::Unreadable(why.to_string()))??;
    loading.finish(&manifest.counters).await?;
    let mut shown = packed.tables(level);
    // An export of 0.1.0 holds keys among the settings: its sums count them.
    shown.iter_mut().for_each(|table| table.excluded = None);
    let ((), sums) = dump::walk(tx, &shown, None, ()).await?;
    if let Some(name) = sums.keys().find(|name| sums.get(*name) != manifest.tables.get(*name)) {
        return Err(Error::BadArchive(format!("what came out of {name} is not what went in")));
    }
    for end in &manifest.audit {
        if let Some(line) = audit::first_broken(tx, UserId::new(end.user)).await? {
            let whose = end.user;
            return Err(Error::BadArchive(format!(
                "the audit log of user {whose} was altered at line {line}"
            )));
        }
    }
    if packed == Packed::Elsewhere {
        tx.execute_unprepared(&format!("DELETE FROM settings WHERE {}", credential_settings())).await?;
    }
    if store.backend() == DbBackend::Postgres {
        // The rows of a foreign key that is still to be checked keep their table from being altered.
        tx.execute_unprepared("SET CONSTRAINTS ALL IMMEDIATE").await?;
    }
    bring_up_to(tx, &store.location, None).await
}

/// Reads a backup to its end and says what it holds.
///
/// # Errors
/// When it is cut, altered, newer than this program, or no backup.
pub async fn inspect(path: &Path) -> Result<Backup> {
    let path = path.to_owned();
    let looked = tokio::task::spawn_blocking(move || {
        let (header, manifest) = format::verify(&path)?;
        let bytes = std::fs::metadata(&path).map_err(|why| Error::of_file(&path, &why))?.len();
        Ok(Backup { path, bytes, header, manifest })
    });
    looked.await.map_err(|why| Error::Unreadable(why.to_string()))?
}

/// What a backup says first, without reading the rest of it.
///
/// # Errors
/// When it is no backup of a version that is known here.
pub fn header(path: &Path) -> Result<Header> {
    Reading::header_of(path)
}

async fn people(db: &DatabaseTransaction) -> Result<Vec<Person>> {
    let rows = users::Entity::find().order_by_asc(users::Column::Id).all(db).await?;
    Ok(rows
        .into_iter()
        .map(|row| Person { id: row.id, name: row.name, since: Some(row.created_at) })
        .collect())
}

async fn manifest(
    db: &DatabaseTransaction,
    tables: &[schema::Table],
    people: &[Person],
    sums: Sums,
) -> Result<Manifest> {
    let mut ends = Vec::new();
    for person in people {
        let head = audit::head(db, UserId::new(person.id)).await?;
        ends.push(LogEnd { user: person.id, lines: head.seq, hash: head.hash });
    }
    let counters = dump::counters(db, tables).await?;
    Ok(Manifest { hash: dump::hash_of(&sums), tables: sums, audit: ends, counters })
}

/// Hands over the rows of a backup in batches of one table.
fn read_batches(path: &Path, send: &Send) -> Result<()> {
    let (mut reading, _) = Reading::open_whole(path)?;
    let (mut table, mut rows, mut bytes) = (String::new(), Vec::new(), 0);
    // Whoever no longer listens has said why.
    let hand_over = |table: &str, rows: &mut Vec<Row>| {
        rows.is_empty() || send.blocking_send((table.to_owned(), std::mem::take(rows))).is_ok()
    };
    loop {
        match reading.next()? {
            Next::Table(name, _) => {
                if !hand_over(&table, &mut rows) {
                    return Ok(());
                }
                (table, bytes) = (name, 0);
            }
            Next::Row(row, line) => {
                bytes += line.len();
                rows.push(row);
                if rows.len() >= BATCH_ROWS || bytes >= BATCH_BYTES {
                    bytes = 0;
                    if !hand_over(&table, &mut rows) {
                        return Ok(());
                    }
                }
            }
            Next::End(_) => {
                hand_over(&table, &mut rows);
                return Ok(());
            }
        }
    }
}
