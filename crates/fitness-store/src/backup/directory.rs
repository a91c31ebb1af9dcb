//! The backup directory: naming, listing and pruning backups.

use super::format::{BackupReader, Header};
use super::partial_file::{self, PartialFileInfo};
use crate::db::error::{Error, Result};
use crate::db::location::{Location, data_directory};
use fitness_core::domain::calendar::Day;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// File extension of a backup.
pub const EXTENSION: &str = "fitness-backup";
pub const MAX_NIGHTLY_BACKUPS: usize = 7;
const NIGHTLY_PREFIX: &str = "nightly-";

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum BackupLocation {
    /// A folder `backups` beside the database file; in the data directory for PostgreSQL.
    #[default]
    Default,
    Directory(PathBuf),
    Off,
}

impl BackupLocation {
    /// Parses a folder path, or `off`.
    pub fn parse(named: &OsStr) -> Result<Self> {
        if named == "off" {
            return Ok(Self::Off);
        }
        if named.is_empty() {
            return Err(Error::BadBackupDirectory("it is empty; name a folder, or use off"));
        }
        let path =
            std::path::absolute(named).map_err(|_| Error::BadBackupDirectory("it is not a valid path"))?;
        Ok(Self::Directory(path))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupDirectory(PathBuf);

#[derive(Debug)]
pub struct BackupFile {
    pub path: PathBuf,
    pub bytes: u64,
    /// The header, or the reason it cannot be read.
    pub header: Result<Header>,
}

/// A nightly backup. Ordered by number; backups of version 0.1.0 have no number, come first and are
/// ordered by day.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NightlyBackupFile {
    pub(crate) number: Option<u64>,
    pub(crate) day: Day,
    pub(crate) path: PathBuf,
}

impl BackupFile {
    #[must_use]
    pub fn is_from(&self, database: &str) -> bool {
        self.header.as_ref().is_ok_and(|header| header.database.as_deref() == Some(database))
    }
}

impl BackupDirectory {
    /// The directory for a database; `None` if backups are off.
    ///
    /// # Errors
    /// If there is no home directory to put it in.
    pub fn for_database(location: &Location, backups: &BackupLocation) -> Result<Option<Self>> {
        match backups {
            BackupLocation::Off => return Ok(None),
            BackupLocation::Directory(folder) => return Ok(Some(Self(folder.clone()))),
            BackupLocation::Default => {}
        }
        let beside = match location {
            Location::Sqlite { path, .. } => path.parent().map(Path::to_owned),
            Location::Postgres(_) if cfg!(feature = "testkit") => Some(std::env::temp_dir()),
            Location::Postgres(_) => data_directory(),
        };
        let beside =
            beside.ok_or(Error::BadBackupDirectory("this account has no home directory; name a folder"))?;
        Ok(Some(Self(beside.join("backups"))))
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Creates the directory if needed, readable only by its owner.
    pub(crate) fn create(&self) -> Result<()> {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.0).map_err(|why| Error::from_file(&self.0, &why))
    }

    /// Possible paths for a backup; the caller takes the first that is free.
    pub(crate) fn candidate_paths(&self, stem: &str) -> impl Iterator<Item = PathBuf> {
        let named = |stem: &str| self.0.join(format!("{stem}.{EXTENSION}"));
        std::iter::once(named(stem)).chain((2..).map(move |number| named(&format!("{stem}-{number}"))))
    }

    pub(crate) fn nightly_stem(day: Day) -> String {
        format!("{NIGHTLY_PREFIX}{day}")
    }

    /// The nightly backups of a database, oldest first.
    pub(crate) fn list_nightly(&self, database: &str) -> Result<Vec<NightlyBackupFile>> {
        let day = |path: &Path| {
            let day = path.file_stem()?.to_str()?.strip_prefix(NIGHTLY_PREFIX)?.get(..10)?;
            day.parse::<Day>().ok()
        };
        let kept = self.list()?.into_iter().filter(|kept| kept.is_from(database));
        let night = |kept: BackupFile| {
            let number = kept.header.ok()?.night;
            Some(NightlyBackupFile { number, day: day(&kept.path)?, path: kept.path })
        };
        let mut nights: Vec<NightlyBackupFile> = kept.filter_map(night).collect();
        nights.sort();
        Ok(nights)
    }

    /// All backups in the directory, newest last.
    pub fn list(&self) -> Result<Vec<BackupFile>> {
        let entries = match std::fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(why) => return Err(Error::from_file(&self.0, &why)),
        };
        let mut found = Vec::new();
        for entry in entries {
            let path = entry.map_err(|why| Error::from_file(&self.0, &why))?.path();
            if path.extension().is_some_and(|extension| extension == EXTENSION) {
                let metadata = std::fs::metadata(&path).map_err(|why| Error::from_file(&path, &why))?;
                let kept =
                    BackupFile { bytes: metadata.len(), header: BackupReader::read_header(&path), path };
                found.push((metadata.modified().ok(), kept));
            }
        }
        found.sort_by(|(a, kept), (b, other)| (a, &kept.path).cmp(&(b, &other.path)));
        Ok(found.into_iter().map(|(_, kept)| kept).collect())
    }

    /// Unfinished files in the directory.
    pub fn list_partial_files(&self) -> Result<Vec<PartialFileInfo>> {
        partial_file::list_partial_files(&self.0)
    }

    /// Removes old nightly backups of a database: the last [`MAX_NIGHTLY_BACKUPS`] stay, and so do
    /// all other backups.
    pub(crate) fn prune_nightly(&self, database: &str) -> Result<()> {
        let nights = self.list_nightly(database)?;
        for NightlyBackupFile { path, .. } in nights.iter().rev().skip(MAX_NIGHTLY_BACKUPS) {
            std::fs::remove_file(path).map_err(|why| Error::from_file(path, &why))?;
        }
        Ok(())
    }
}
