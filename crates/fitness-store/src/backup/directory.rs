//! The folder in which backups are kept, and which of them go.

use super::format::{BackupReader, Header};
use super::partial_file::{self, PartialFileInfo};
use crate::db::error::{Error, Result};
use crate::db::location::{Location, data_directory};
use fitness_core::domain::calendar::Day;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What every backup's name ends in.
pub const EXTENSION: &str = "fitness-backup";
/// How many nightly backups are kept.
pub const MAX_NIGHTLY_BACKUPS: usize = 7;
const NIGHTLY_PREFIX: &str = "nightly-";

/// Where the athlete wants backups.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum BackupLocation {
    /// In a folder `backups` beside the file, or in the data directory.
    #[default]
    Default,
    /// In a folder of their choosing.
    Directory(PathBuf),
    /// Nowhere.
    Off,
}

impl BackupLocation {
    /// Reads a folder, or `off`.
    ///
    /// # Errors
    /// When it is neither.
    pub fn parse(named: &OsStr) -> Result<Self> {
        if named == "off" {
            return Ok(Self::Off);
        }
        if named.is_empty() {
            return Err(Error::BadBackupDirectory("it is empty; name a folder, or say off"));
        }
        let path = std::path::absolute(named).map_err(|_| Error::BadBackupDirectory("it is no path"))?;
        Ok(Self::Directory(path))
    }
}

/// Where backups are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupDirectory(PathBuf);

/// A backup in the folder.
#[derive(Debug)]
pub struct BackupFile {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// What it says first, or why that cannot be read.
    pub header: Result<Header>,
}

/// A nightly backup. Ordered as they were made: by number, and those of version 0.1.0, which have none, before them by day.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NightlyBackup {
    pub(crate) number: Option<u64>,
    pub(crate) day: Day,
    pub(crate) path: PathBuf,
}

impl BackupFile {
    /// Whether it was written from this database.
    #[must_use]
    pub fn is_from(&self, database: &str) -> bool {
        self.header.as_ref().is_ok_and(|header| header.database.as_deref() == Some(database))
    }
}

impl BackupDirectory {
    /// The folder for a database; `None` where the athlete wants no backups.
    ///
    /// # Errors
    /// When there is no home directory to keep them in.
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
            beside.ok_or(Error::BadBackupDirectory("this account has no home directory: name a folder"))?;
        Ok(Some(Self(beside.join("backups"))))
    }

    /// The folder itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Makes the folder, for its owner alone, when there is none.
    pub(crate) fn create(&self) -> Result<()> {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.0).map_err(|why| Error::from_file(&self.0, &why))
    }

    /// What a backup can be called: the first of these that nothing has.
    pub(crate) fn candidate_paths(&self, stem: &str) -> impl Iterator<Item = PathBuf> {
        let named = |stem: &str| self.0.join(format!("{stem}.{EXTENSION}"));
        std::iter::once(named(stem)).chain((2..).map(move |number| named(&format!("{stem}-{number}"))))
    }

    /// What a night's backup is called.
    pub(crate) fn nightly_stem(day: Day) -> String {
        format!("{NIGHTLY_PREFIX}{day}")
    }

    /// The nightly backups of a database, in the order in which they were made.
    pub(crate) fn list_nightly(&self, database: &str) -> Result<Vec<NightlyBackup>> {
        let day = |path: &Path| {
            let day = path.file_stem()?.to_str()?.strip_prefix(NIGHTLY_PREFIX)?.get(..10)?;
            day.parse::<Day>().ok()
        };
        let kept = self.list()?.into_iter().filter(|kept| kept.is_from(database));
        let night = |kept: BackupFile| {
            let number = kept.header.ok()?.night;
            Some(NightlyBackup { number, day: day(&kept.path)?, path: kept.path })
        };
        let mut nights: Vec<NightlyBackup> = kept.filter_map(night).collect();
        nights.sort();
        Ok(nights)
    }

    /// Every backup in the folder, the newest last.
    ///
    /// # Errors
    /// When the folder cannot be read.
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

    /// Every file in the folder that is not whole.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn list_partial_files(&self) -> Result<Vec<PartialFileInfo>> {
        partial_file::list_partial_files(&self.0)
    }

    /// Removes the oldest nightly backups of a database; its last [`NIGHTS`] stay, and so does everything that is none of
    /// them.
    pub(crate) fn prune_nightly(&self, database: &str) -> Result<()> {
        let nights = self.list_nightly(database)?;
        for NightlyBackup { path, .. } in nights.iter().rev().skip(MAX_NIGHTLY_BACKUPS) {
            std::fs::remove_file(path).map_err(|why| Error::from_file(path, &why))?;
        }
        Ok(())
    }
}
