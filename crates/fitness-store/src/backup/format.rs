//! The backup file format: eight magic bytes, a zstd stream of JSON lines, and the SHA-256 of
//! everything before it.
//!
//! The first line is the header. Then each table follows with its rows, and the last line is the
//! manifest. To read a backup without this program: `tail -c +9 FILE | head -c -32 | zstd -d`.

use super::dump::{ChecksumBuilder, Checksums, RowSink, TableChecksum, combined_hash};
use super::partial_file::PartialFile;
use super::schema::{Table, tables};
use super::value::Row;
use crate::db::error::{Error, Result};
use crate::db::migrations::SCRIPTS;
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::content_hash::ContentHash;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"FITNESS\x01";
const DIGEST_BYTES: u64 = 32;
/// Saves half as much as the strongest level in a tenth of the time.
const COMPRESSION_LEVEL: i32 = 3;
/// Upper bound for a row, which contains at most one imported file. A longer line is not ours.
const MAX_LINE_BYTES: u64 = 1 << 30;

/// A user whose data is in a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackupUser {
    pub id: i64,
    pub name: String,
    /// When the user was added, if the header says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Instant>,
}

/// The first line of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Version of local-fitness that wrote it.
    pub program: String,
    /// Database engine and version, for example `sqlite 3.51.3`.
    pub engine: String,
    /// Identity of the database, which tells apart backups in one directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<String>,
    pub made_at: Option<Instant>,
    /// Sequence number of a nightly backup: one more than the previous one's, whatever the clock
    /// says. Orders the nightly backups of a database.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub night: Option<u64>,
    /// Migrations that had been applied.
    pub migrations: Vec<String>,
    pub people: Vec<BackupUser>,
}

/// The last entry of a user's audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditLogEnd {
    pub user: i64,
    pub lines: i64,
    pub hash: String,
}

/// The last line of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub tables: Checksums,
    /// Combined hash of all tables.
    pub hash: ContentHash,
    pub audit: Vec<AuditLogEnd>,
    /// The highest id each table has assigned.
    pub counters: BTreeMap<String, i64>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Line {
    Backup(Header),
    Table { name: String, columns: Vec<String> },
    End(Manifest),
}

pub(crate) struct BackupWriter {
    out: zstd::Encoder<'static, HashingWriter<BufWriter<File>>>,
    partial_file: PartialFile,
}

impl BackupWriter {
    /// Starts a backup that will get this path. An existing file at the path is not touched.
    pub(crate) fn begin(path: &Path, header: &Header) -> Result<Self> {
        let part = PartialFile::create(path)?;
        let file = part.writer()?;
        let begin = || {
            let mut hashing = HashingWriter { inner: BufWriter::new(file), hasher: Sha256::new() };
            hashing.write_all(MAGIC)?;
            let mut out = zstd::Encoder::new(hashing, COMPRESSION_LEVEL)?;
            write_line(&mut out, &Line::Backup(header.clone()))?;
            // Flush the header, so that it can be read even if the backup is never finished.
            out.flush()?;
            Ok(out)
        };
        let out = begin().map_err(|why: io::Error| part.file_error(&why))?;
        Ok(Self { out, partial_file: part })
    }

    /// Writes the manifest and the hash, then renames the file to the first path that is free.
    pub(crate) fn finish(
        self,
        names: impl IntoIterator<Item = PathBuf>,
        manifest: &Manifest,
    ) -> Result<(PathBuf, u64)> {
        let out = self.out;
        let finish = || {
            let mut out = out;
            write_line(&mut out, &Line::End(manifest.clone()))?;
            let mut hashing = out.finish()?;
            hashing.flush()?;
            let digest: [u8; 32] = hashing.hasher.finalize().into();
            let mut file = hashing.inner.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.write_all(&digest)?;
            file.metadata().map(|metadata| metadata.len())
        };
        let size = finish().map_err(|why: io::Error| self.partial_file.file_error(&why))?;
        Ok((self.partial_file.persist(names)?, size))
    }
}

impl RowSink for BackupWriter {
    fn table(&mut self, table: &Table) -> Result<()> {
        let columns = table.columns.iter().map(|column| column.name.clone()).collect();
        write_line(&mut self.out, &Line::Table { name: table.name.clone(), columns })
            .map_err(|why| self.partial_file.file_error(&why))
    }

    fn row(&mut self, _: &Table, _: &Row, line: &[u8]) -> Result<()> {
        self.out.write_all(line).map_err(|why| self.partial_file.file_error(&why))
    }
}

fn write_line(out: &mut impl Write, line: &Line) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}

/// Counts and hashes the bytes written.
#[derive(Debug)]
struct HashingWriter<W> {
    inner: W,
    hasher: Sha256,
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(buffer)?;
        self.hasher.update(&buffer[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Reads a backup line by line.
pub(crate) struct BackupReader {
    lines: BufReader<zstd::Decoder<'static, BufReader<io::Take<File>>>>,
    path: PathBuf,
}

pub(crate) enum BackupItem {
    /// The following rows belong to this table.
    Table(String, Vec<String>),
    /// A row and its JSON line.
    Row(Row, Vec<u8>),
    End(Manifest),
}

impl BackupReader {
    /// Opens a backup after checking its SHA-256.
    pub(crate) fn open_verified(path: &Path) -> Result<(Self, Header)> {
        let mut file = File::open(path).map_err(|why| Error::from_file(path, &why))?;
        let size = file.metadata().map_err(|why| Error::from_file(path, &why))?.len();
        let mut magic = [0; 8];
        let ours = file.read_exact(&mut magic).is_ok() && magic[..7] == MAGIC[..7];
        if !ours {
            return Err(Error::BadBackup(format!("{} is not a local-fitness backup", path.display())));
        }
        let damaged = || Error::BadBackup(format!("{} is truncated or was modified", path.display()));
        let body = size.checked_sub(MAGIC.len() as u64 + DIGEST_BYTES).ok_or_else(damaged)?;
        let mut hasher = Sha256::new();
        hasher.update(magic);
        let mut buffer = vec![0; 1 << 16];
        let mut rest = BufReader::new(&file).take(body);
        loop {
            let read = rest.read(&mut buffer).map_err(|why| Error::from_file(path, &why))?;
            if read == 0 {
                break;
            }
            hasher.update(&buffer[..read]);
        }
        let mut told = [0; DIGEST_BYTES as usize];
        rest.into_inner().read_exact(&mut told).map_err(|_| damaged())?;
        if <[u8; 32]>::from(hasher.finalize()) != told {
            return Err(damaged());
        }
        if &magic != MAGIC {
            return Err(newer_backup(path, "unknown file format"));
        }
        Self::open(path, file, body)
    }

    /// Reads only the header; the rest of the backup may be damaged.
    pub(crate) fn read_header(path: &Path) -> Result<Header> {
        let mut file = File::open(path).map_err(|why| Error::from_file(path, &why))?;
        let mut magic = [0; 8];
        if file.read_exact(&mut magic).is_err() || &magic != MAGIC {
            return Err(Error::BadBackup(format!("{} is not a local-fitness backup", path.display())));
        }
        Ok(Self::open(path, file, u64::MAX)?.1)
    }

    fn open(path: &Path, mut file: File, body: u64) -> Result<(Self, Header)> {
        file.seek(SeekFrom::Start(MAGIC.len() as u64)).map_err(|why| Error::from_file(path, &why))?;
        let decoder = zstd::Decoder::new(file.take(body)).map_err(|why| Error::from_file(path, &why))?;
        let mut reading = Self { lines: BufReader::with_capacity(1 << 17, decoder), path: path.to_owned() };
        let line = reading.read_line()?;
        match serde_json::from_slice(&line) {
            Ok(Line::Backup(header)) => Ok((reading, header)),
            _ => Err(reading.bad_backup("the header line is missing")),
        }
    }

    fn read_line(&mut self) -> Result<Vec<u8>> {
        let mut line = Vec::new();
        let read = (&mut self.lines).take(MAX_LINE_BYTES).read_until(b'\n', &mut line);
        read.map_err(|why| {
            Error::BadBackup(format!("{} cannot be decompressed: {why}", self.path.display()))
        })?;
        if line.last() == Some(&b'\n') { Ok(line) } else { Err(self.bad_backup("unexpected end of file")) }
    }

    pub(crate) fn next_item(&mut self) -> Result<BackupItem> {
        let line = self.read_line()?;
        if line.first() == Some(&b'[') {
            let row = serde_json::from_slice(&line).map_err(|_| self.bad_backup("unreadable row"))?;
            return Ok(BackupItem::Row(row, line));
        }
        match serde_json::from_slice(&line) {
            Ok(Line::Table { name, columns }) => Ok(BackupItem::Table(name, columns)),
            Ok(Line::End(manifest)) => Ok(BackupItem::End(manifest)),
            _ => Err(self.bad_backup("unreadable line")),
        }
    }

    fn bad_backup(&self, problem: &str) -> Error {
        Error::BadBackup(format!("{}: {problem}", self.path.display()))
    }
}

/// Reads the whole backup and compares it with its manifest.
pub(crate) fn verify(path: &Path) -> Result<(Header, Manifest)> {
    let (mut reading, header) = BackupReader::open_verified(path)?;
    let expected = known_tables(path, &header)?;
    let mut sums = Checksums::new();
    let mut current: Option<(String, ChecksumBuilder)> = None;
    let settle = |current: Option<(String, ChecksumBuilder)>, sums: &mut Checksums| {
        if let Some((name, summing)) = current {
            sums.insert(name, summing.finish());
        }
    };
    loop {
        match reading.next_item()? {
            BackupItem::Table(name, columns) => {
                settle(current.take(), &mut sums);
                let fits = expected.get(sums.len()).is_some_and(|table| {
                    table.name == name && table.columns.iter().map(|column| &column.name).eq(&columns)
                });
                if !fits {
                    return Err(
                        reading.bad_backup(&format!("table {name} does not match the version that wrote it"))
                    );
                }
                current = Some((name, ChecksumBuilder::default()));
            }
            BackupItem::Row(_, line) => match &mut current {
                Some((_, summing)) => summing.add_line(&line),
                None => return Err(reading.bad_backup("a row appears before its table")),
            },
            BackupItem::End(manifest) => {
                settle(current.take(), &mut sums);
                let whole = sums.len() == expected.len()
                    && sums == manifest.tables
                    && combined_hash(&sums) == manifest.hash;
                return if whole {
                    Ok((header, manifest))
                } else {
                    Err(reading.bad_backup("the contents do not match the checksums"))
                };
            }
        }
    }
}

/// The tables of the version that wrote a backup.
pub(crate) fn known_tables(path: &Path, header: &Header) -> Result<Vec<Table>> {
    let known = SCRIPTS.iter().map(|(name, _)| *name);
    if let Some(unknown) = header.migrations.iter().find(|name| known.clone().all(|known| known != *name)) {
        return Err(newer_backup(
            path,
            &format!("local-fitness {} does not know its migration {unknown}", env!("CARGO_PKG_VERSION")),
        ));
    }
    if header.migrations.is_empty() || !known.zip(&header.migrations).all(|(known, told)| known == told) {
        return Err(Error::BadBackup(format!("{}: unknown migrations", path.display())));
    }
    Ok(tables(header.migrations.len()))
}

fn newer_backup(path: &Path, why: &str) -> Error {
    Error::NewerBackup(format!("{} was written by a newer version: {why}", path.display()))
}

impl Manifest {
    /// Number of rows in all tables.
    #[must_use]
    pub fn row_count(&self) -> u64 {
        self.tables.values().map(|TableChecksum { rows, .. }| rows).sum()
    }
}
