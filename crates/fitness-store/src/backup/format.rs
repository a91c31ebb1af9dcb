//! A backup as a file: eight bytes that say what it is, a zstd stream of JSON lines, and the SHA-256 of all before it.
//!
//! The first line says what was written and by whom, then follows every table with its rows, and the last line sums up.
//! Without this program: `tail -c +9 FILE | head -c -32 | zstd -d`.

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
/// Half of what the strongest level saves, in a tenth of its time.
const COMPRESSION_LEVEL: i32 = 3;
/// A row holds at most one file that was imported; what is longer was not written here.
const MAX_LINE_BYTES: u64 = 1 << 30;

/// Who is in a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackupUser {
    /// Their number.
    pub id: i64,
    /// Their name.
    pub name: String,
    /// When they were added, where whoever wrote it said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Instant>,
}

/// What a backup says about itself before anything else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The version of the program that wrote it.
    pub program: String,
    /// The kind of database it was written from.
    pub engine: String,
    /// Which database that was, where it can be told: those of one folder are told apart by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<String>,
    /// When, where whoever wrote it knew.
    pub made_at: Option<Instant>,
    /// The number of a nightly backup: one more than that of the night before, whatever the clock says. Those of one database
    /// follow each other by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub night: Option<u64>,
    /// What the tables were.
    pub migrations: Vec<String>,
    /// Whose data it holds.
    pub people: Vec<BackupUser>,
}

/// The end of an athlete's audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditLogEnd {
    /// Whose.
    pub user: i64,
    /// How many lines.
    pub lines: i64,
    /// The hash of the last one.
    pub hash: String,
}

/// What a backup says when everything was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// What every table holds.
    pub tables: Checksums,
    /// The hash of everything.
    pub hash: ContentHash,
    /// Where everybody's audit log ends.
    pub audit: Vec<AuditLogEnd>,
    /// The highest numbers that were given out.
    pub counters: BTreeMap<String, i64>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Line {
    Backup(Header),
    Table { name: String, columns: Vec<String> },
    End(Manifest),
}

/// A backup that is being written.
pub(crate) struct BackupWriter {
    out: zstd::Encoder<'static, HashingWriter<BufWriter<File>>>,
    partial_file: PartialFile,
}

impl BackupWriter {
    /// Begins a backup that will be called so. What is already there under its name stays.
    pub(crate) fn begin(path: &Path, header: &Header) -> Result<Self> {
        let part = PartialFile::create(path)?;
        let file = part.writer()?;
        let begin = || {
            let mut hashing = HashingWriter { inner: BufWriter::new(file), hasher: Sha256::new() };
            hashing.write_all(MAGIC)?;
            let mut out = zstd::Encoder::new(hashing, COMPRESSION_LEVEL)?;
            write_line(&mut out, &Line::Backup(header.clone()))?;
            // Whose it is can be read from the first moment on, also when it is never finished.
            out.flush()?;
            Ok(out)
        };
        let out = begin().map_err(|why: io::Error| part.file_error(&why))?;
        Ok(Self { out, partial_file: part })
    }

    /// The last line, the hash, and the first of these names that nobody has.
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

/// Counts what goes through.
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

/// A backup that is being read, line by line.
pub(crate) struct BackupReader {
    lines: BufReader<zstd::Decoder<'static, BufReader<io::Take<File>>>>,
    path: PathBuf,
}

/// What comes next in a backup.
pub(crate) enum BackupItem {
    /// Rows of this table follow.
    Table(String, Vec<String>),
    /// A row, and the line it is.
    Row(Row, Vec<u8>),
    /// There is no more.
    End(Manifest),
}

impl BackupReader {
    /// Opens a backup that is as it was written, to the last bit.
    pub(crate) fn open_verified(path: &Path) -> Result<(Self, Header)> {
        let mut file = File::open(path).map_err(|why| Error::from_file(path, &why))?;
        let size = file.metadata().map_err(|why| Error::from_file(path, &why))?.len();
        let mut magic = [0; 8];
        let ours = file.read_exact(&mut magic).is_ok() && magic[..7] == MAGIC[..7];
        if !ours {
            return Err(Error::BadBackup(format!("{} is no backup of local-fitness", path.display())));
        }
        let damaged = || Error::BadBackup(format!("{} is cut off or was altered", path.display()));
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
            return Err(newer_backup(path, "its format is not known here"));
        }
        Self::open(path, file, body)
    }

    /// Reads the first line alone, of a backup that may be damaged further on.
    pub(crate) fn read_header(path: &Path) -> Result<Header> {
        let mut file = File::open(path).map_err(|why| Error::from_file(path, &why))?;
        let mut magic = [0; 8];
        if file.read_exact(&mut magic).is_err() || &magic != MAGIC {
            return Err(Error::BadBackup(format!("{} is no backup of local-fitness", path.display())));
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
            _ => Err(reading.bad_backup("its first line is not the one of a backup")),
        }
    }

    fn read_line(&mut self) -> Result<Vec<u8>> {
        let mut line = Vec::new();
        let read = (&mut self.lines).take(MAX_LINE_BYTES).read_until(b'\n', &mut line);
        read.map_err(|why| Error::BadBackup(format!("{} cannot be unpacked: {why}", self.path.display())))?;
        if line.last() == Some(&b'\n') { Ok(line) } else { Err(self.bad_backup("it ends too early")) }
    }

    /// The next line.
    pub(crate) fn next_item(&mut self) -> Result<BackupItem> {
        let line = self.read_line()?;
        if line.first() == Some(&b'[') {
            let row = serde_json::from_slice(&line).map_err(|_| self.bad_backup("a row cannot be read"))?;
            return Ok(BackupItem::Row(row, line));
        }
        match serde_json::from_slice(&line) {
            Ok(Line::Table { name, columns }) => Ok(BackupItem::Table(name, columns)),
            Ok(Line::End(manifest)) => Ok(BackupItem::End(manifest)),
            _ => Err(self.bad_backup("a line cannot be read")),
        }
    }

    fn bad_backup(&self, problem: &str) -> Error {
        Error::BadBackup(format!("{}: {problem}", self.path.display()))
    }
}

/// Reads a backup to its end and holds it against what it says about itself.
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
                    return Err(reading.bad_backup(&format!("the table {name} is not what its version had")));
                }
                current = Some((name, ChecksumBuilder::default()));
            }
            BackupItem::Row(_, line) => match &mut current {
                Some((_, summing)) => summing.add_line(&line),
                None => return Err(reading.bad_backup("a row belongs to no table")),
            },
            BackupItem::End(manifest) => {
                settle(current.take(), &mut sums);
                let whole = sums.len() == expected.len()
                    && sums == manifest.tables
                    && combined_hash(&sums) == manifest.hash;
                return if whole {
                    Ok((header, manifest))
                } else {
                    Err(reading.bad_backup("it does not hold what it says it holds"))
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
            &format!("it has {unknown}, which local-fitness {} does not know", env!("CARGO_PKG_VERSION")),
        ));
    }
    if header.migrations.is_empty() || !known.zip(&header.migrations).all(|(known, told)| known == told) {
        return Err(Error::BadBackup(format!("{}: its migrations are not ours", path.display())));
    }
    Ok(tables(header.migrations.len()))
}

fn newer_backup(path: &Path, why: &str) -> Error {
    Error::NewerBackup(format!("{} was written by a newer version: {why}", path.display()))
}

/// How many rows a backup holds.
impl Manifest {
    /// All rows of all tables.
    #[must_use]
    pub fn row_count(&self) -> u64 {
        self.tables.values().map(|TableChecksum { rows, .. }| rows).sum()
    }
}
