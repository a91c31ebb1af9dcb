//! Uploaded files that wait for their import: one folder for each upload, named in the payload of its job.
//!
//! While files arrive, a lock file beside the folder is held. A folder that is neither locked nor needed by a job was
//! left by a server that was killed, and is removed when a server
//! starts and every hour. The files of a failed import are kept for a week.

use crate::auth::secret::random_hex;
use crate::db::error::{Error, Result};
use crate::db::location::{Location, data_directory};
use crate::db::store::Store;
use chrono::TimeDelta;
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::content_hash::ContentHash;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The kind of job that imports an upload.
pub const IMPORT: &str = "import";
/// The field of its payload that names the folder.
const FOLDER: &str = "upload";
const LOCK: &str = "lock";
/// How version 0.1.0 named its folders, beside the database and without a lock.
const OLD_PREFIX: &str = "fitness-upload-";
/// How long the files of a failed import are kept, so that it can be retried.
const RETRYABLE: TimeDelta = TimeDelta::days(7);
/// Nobody uploads for longer than this.
const OLD_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// Where the uploads of a database are.
#[derive(Debug, Clone)]
pub struct Uploads {
    folder: PathBuf,
    /// What the names of this database's begin with: others may have theirs in the same folder.
    prefix: String,
    /// Where version 0.1.0 left its own.
    beside: Option<PathBuf>,
}

/// Files that are arriving. Dropped before [`keep`](Self::keep), they are removed.
#[derive(Debug)]
pub struct Arriving {
    folder: PathBuf,
    name: String,
    lock: PathBuf,
    /// Held until the job is in the queue.
    _held: File,
    kept: bool,
}

impl Store {
    /// Where uploads wait for their import: beside the database file, or in the data directory of this account.
    ///
    /// # Errors
    /// When there is no such directory, or the database does not answer.
    pub async fn uploads(&self) -> Result<Uploads> {
        let (beside, name) = match &self.location {
            Location::Sqlite { path, .. } => {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                (path.parent().map(Path::to_owned), name)
            }
            Location::Postgres(options) => (None, options.get_database().unwrap_or_default().to_owned()),
        };
        let folder = match &beside {
            Some(folder) => Some(folder.clone()),
            None if cfg!(feature = "testkit") => Some(std::env::temp_dir()),
            None => data_directory(),
        };
        let folder =
            folder.ok_or_else(|| Error::of_file(Path::new("uploads"), &io::ErrorKind::NotFound.into()))?;
        // A copy of a database has the same identity, and other jobs: it goes by another name.
        let name = ContentHash::of_bytes(name.as_bytes()).to_string();
        let prefix = format!("{}-{}-", self.identity().await?, &name[..8]);
        Ok(Uploads { folder: folder.join("uploads"), prefix, beside })
    }

    /// Removes the folders of uploads that no open job names. Gives back which.
    ///
    /// # Errors
    /// When the database does not answer, or the folder cannot be read.
    pub async fn remove_leftover_uploads(&self, now: Instant) -> Result<Vec<PathBuf>> {
        let uploads = self.uploads().await?;
        let mut removed = uploads.remove_old_leftovers(now);
        // Locked before the jobs are read: an upload enqueues its job before it releases the lock.
        let locked: Vec<_> = (uploads.list()?.into_iter())
            .filter_map(|name| uploads.lock_of(&name).map(|lock| (name, lock)))
            .collect();
        let needed = self.needed_uploads(now).await?;
        let leftover = locked.iter().map(|(name, _)| name).filter(|name| !needed.contains(*name));
        removed.extend(leftover.filter_map(|name| uploads.remove(name)));
        drop(locked);
        uploads.remove_stray_locks();
        Ok(removed)
    }

    /// The folders of uploads that are left over: no open job names them, and nobody is writing to them.
    ///
    /// # Errors
    /// When the database does not answer, or the folder cannot be read.
    pub async fn leftover_uploads(&self, now: Instant) -> Result<Vec<PathBuf>> {
        let uploads = self.uploads().await?;
        let mut left = uploads.old_leftovers(now);
        let found = uploads.list()?.into_iter().filter(|name| uploads.lock_of(name).is_some());
        let found: Vec<String> = found.collect();
        let named = self.needed_uploads(now).await?;
        left.extend(found.iter().filter(|name| !named.contains(*name)).map(|name| uploads.folder.join(name)));
        Ok(left)
    }

    /// The folders of jobs that are open, or that failed a short time ago and can be retried.
    async fn needed_uploads(&self, now: Instant) -> Result<BTreeSet<String>> {
        let mut jobs = self.list_open_jobs(IMPORT).await?;
        jobs.extend(self.list_failed_jobs(IMPORT, now - RETRYABLE).await?);
        Ok(jobs.iter().filter_map(|job| folder_in(&job.payload).map(str::to_owned)).collect())
    }
}

/// The name of the folder in the payload of a job.
fn folder_in(payload: &serde_json::Value) -> Option<&str> {
    payload.get(FOLDER)?.as_str()
}

impl Uploads {
    /// Makes a folder for files that arrive, which only this account can read.
    ///
    /// # Errors
    /// When nothing can be written there.
    pub fn begin(&self) -> io::Result<Arriving> {
        private_folder(&self.folder)?;
        loop {
            let name = format!("{}{}", self.prefix, random_hex::<16>());
            let lock = self.lock_path(&name);
            let held = File::options().write(true).create_new(true).open(&lock)?;
            let locked = held.try_lock().is_ok();
            // Whoever was clearing away in this very moment may have taken it for one that was left.
            if locked && lock.exists() {
                let folder = self.folder.join(&name);
                private_folder(&folder)?;
                return Ok(Arriving { folder, name, lock, _held: held, kept: false });
            }
        }
    }

    /// The folder a job names, when it is here. A payload may have come from elsewhere, so it can name nothing but a folder
    /// of this database.
    #[must_use]
    pub fn find(&self, payload: &serde_json::Value) -> Option<PathBuf> {
        let name = folder_in(payload).filter(|name| self.is_ours(name))?;
        Some(self.folder.join(name)).filter(|path| path.is_dir())
    }

    /// The names of this database's folders.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn list(&self) -> Result<Vec<String>> {
        let names = names_in(&self.folder).map_err(|why| Error::of_file(&self.folder, &why))?;
        Ok(names.into_iter().filter(|name| self.is_ours(name)).collect())
    }

    fn is_ours(&self, name: &str) -> bool {
        let rest = name.strip_prefix(&self.prefix);
        rest.is_some_and(|rest| rest.len() == 32 && rest.bytes().all(|byte| byte.is_ascii_hexdigit()))
    }

    fn lock_path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.{LOCK}"))
    }

    /// The lock of a folder; `None` while files arrive in it.
    fn lock_of(&self, name: &str) -> Option<Option<File>> {
        match File::options().write(true).open(self.lock_path(name)) {
            Ok(file) => file.try_lock().is_ok().then_some(Some(file)),
            // It was complete: its lock file is gone.
            Err(why) if why.kind() == io::ErrorKind::NotFound => Some(None),
            Err(_) => None,
        }
    }

    fn remove(&self, name: &str) -> Option<PathBuf> {
        let path = self.folder.join(name);
        fs::remove_dir_all(&path).ok()?;
        drop(fs::remove_file(self.lock_path(name)));
        Some(path)
    }

    /// Locks whose folder was never made.
    fn remove_stray_locks(&self) {
        for name in names_in(&self.folder).unwrap_or_default() {
            let stem = name.strip_suffix(LOCK).and_then(|name| name.strip_suffix('.'));
            let Some(stem) = stem.filter(|stem| self.is_ours(stem) && !self.folder.join(stem).exists())
            else {
                continue;
            };
            if let Some(Some(_held)) = self.lock_of(stem) {
                drop(fs::remove_file(self.folder.join(&name)));
            }
        }
    }

    /// What version 0.1.0 left. It held no lock, so only what is older than any upload takes counts.
    fn old_leftovers(&self, now: Instant) -> Vec<PathBuf> {
        let Some(beside) = &self.beside else { return Vec::new() };
        let names = names_in(beside).unwrap_or_default().into_iter();
        let paths = names.filter(|name| name.starts_with(OLD_PREFIX)).map(|name| beside.join(name));
        paths.filter(|path| path.is_dir() && is_old(path, now)).collect()
    }

    fn remove_old_leftovers(&self, now: Instant) -> Vec<PathBuf> {
        self.old_leftovers(now).into_iter().filter(|path| fs::remove_dir_all(path).is_ok()).collect()
    }
}

impl Arriving {
    /// Where to write.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// The payload of the job that imports it.
    #[must_use]
    pub fn payload(&self) -> serde_json::Value {
        serde_json::json!({ FOLDER: self.name })
    }

    /// Lets the job have the files, once it is in the queue.
    pub fn keep(mut self) {
        self.kept = true;
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        if !self.kept {
            // What cannot be removed now is removed by the next start.
            drop(fs::remove_dir_all(&self.folder));
        }
        drop(fs::remove_file(&self.lock));
    }
}

fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(why) => return Err(why),
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry?.file_name().into_string().ok());
    }
    names.sort();
    Ok(names)
}

fn is_old(path: &Path, now: Instant) -> bool {
    let modified = path.metadata().and_then(|metadata| metadata.modified());
    modified.is_ok_and(|at| SystemTime::from(now).duration_since(at).is_ok_and(|age| age > OLD_AGE))
}

fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}
