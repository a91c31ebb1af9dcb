//! Uploaded files that wait for their import: one folder for each upload, named in the payload of its job.
//!
//! While files arrive, a lock file beside the folder is held. A folder that is neither locked nor needed by a job was
//! left by a server that was killed, and is removed when the next one starts. The files of a failed import are kept for a week.

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
pub const IMPORT_JOB: &str = "import";
/// The field of its payload that names the folder.
const FOLDER_FIELD: &str = "upload";
const LOCK_EXTENSION: &str = "lock";
/// How version 0.1.0 named its folders, beside the database and without a lock.
const LEGACY_PREFIX: &str = "fitness-upload-";
/// How long the files of a failed import are kept, so that it can be retried.
const RETRY_WINDOW: TimeDelta = TimeDelta::days(7);
/// Nobody uploads for longer than this.
const MAX_UPLOAD_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// Where the uploads of a database are.
#[derive(Debug, Clone)]
pub struct UploadDirectory {
    folder: PathBuf,
    /// What the names of this database's begin with: others may have theirs in the same folder.
    prefix: String,
    /// Where version 0.1.0 left its own.
    legacy_directory: Option<PathBuf>,
}

/// Files that are arriving. Dropped before [`keep`](Self::keep), they are removed.
#[derive(Debug)]
pub struct PendingUpload {
    folder: PathBuf,
    name: String,
    lock: PathBuf,
    /// Held until the job is in the queue.
    _lock_file: File,
    is_persisted: bool,
}

impl Store {
    /// Where uploads wait for their import: beside the database file, or in the data directory of this account.
    ///
    /// # Errors
    /// When there is no such directory, or the database does not answer.
    pub async fn upload_directory(&self) -> Result<UploadDirectory> {
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
            folder.ok_or_else(|| Error::from_file(Path::new("uploads"), &io::ErrorKind::NotFound.into()))?;
        // A copy of a database has the same identity, and other jobs: it goes by another name.
        let name = ContentHash::hash_bytes(name.as_bytes()).to_string();
        let prefix = format!("{}-{}-", self.database_identity().await?, &name[..8]);
        Ok(UploadDirectory { folder: folder.join("uploads"), prefix, legacy_directory: beside })
    }

    /// Removes the folders of uploads that no open job names. Gives back which.
    ///
    /// # Errors
    /// When the database does not answer, or the folder cannot be read.
    pub async fn remove_leftover_uploads(&self, now: Instant) -> Result<Vec<PathBuf>> {
        let uploads = self.upload_directory().await?;
        let mut removed = uploads.remove_legacy_leftovers(now);
        for name in uploads.list()? {
            // Locked first: whoever enqueues a job for it does so before it lets go of the lock.
            let Some(_held) = uploads.try_lock(&name) else { continue };
            if !self.list_needed_uploads(now).await?.contains(&name) {
                removed.extend(uploads.remove(&name));
            }
        }
        uploads.remove_stray_locks();
        Ok(removed)
    }

    /// The folders of uploads that are left over: no open job names them, and nobody is writing to them.
    ///
    /// # Errors
    /// When the database does not answer, or the folder cannot be read.
    pub async fn list_leftover_uploads(&self, now: Instant) -> Result<Vec<PathBuf>> {
        let uploads = self.upload_directory().await?;
        let mut left = uploads.legacy_leftovers(now);
        let found = uploads.list()?.into_iter().filter(|name| uploads.try_lock(name).is_some());
        let found: Vec<String> = found.collect();
        let named = self.list_needed_uploads(now).await?;
        left.extend(found.iter().filter(|name| !named.contains(*name)).map(|name| uploads.folder.join(name)));
        Ok(left)
    }

    /// The folders of jobs that are open, or that failed a short time ago and can be retried.
    async fn list_needed_uploads(&self, now: Instant) -> Result<BTreeSet<String>> {
        let mut jobs = self.list_open_jobs(IMPORT_JOB).await?;
        jobs.extend(self.list_failed_jobs(IMPORT_JOB, now - RETRY_WINDOW).await?);
        Ok(jobs.iter().filter_map(|job| payload_folder(&job.payload).map(str::to_owned)).collect())
    }
}

/// The name of the folder in the payload of a job.
fn payload_folder(payload: &serde_json::Value) -> Option<&str> {
    payload.get(FOLDER_FIELD)?.as_str()
}

impl UploadDirectory {
    /// Makes a folder for files that arrive, which only this account can read.
    ///
    /// # Errors
    /// When nothing can be written there.
    pub fn begin_upload(&self) -> io::Result<PendingUpload> {
        create_private_directory(&self.folder)?;
        loop {
            let name = format!("{}{}", self.prefix, random_hex::<16>());
            let lock = self.lock_path(&name);
            let held = File::options().write(true).create_new(true).open(&lock)?;
            let locked = held.try_lock().is_ok();
            // Whoever was clearing away in this very moment may have taken it for one that was left.
            if locked && lock.exists() {
                let folder = self.folder.join(&name);
                create_private_directory(&folder)?;
                return Ok(PendingUpload { folder, name, lock, _lock_file: held, is_persisted: false });
            }
        }
    }

    /// The folder a job names, when it is here. A payload may have come from elsewhere, so it can name nothing but a folder
    /// of this database.
    #[must_use]
    pub fn find(&self, payload: &serde_json::Value) -> Option<PathBuf> {
        let name = payload_folder(payload).filter(|name| self.is_ours(name))?;
        Some(self.folder.join(name)).filter(|path| path.is_dir())
    }

    /// The names of this database's folders.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn list(&self) -> Result<Vec<String>> {
        let names = list_names(&self.folder).map_err(|why| Error::from_file(&self.folder, &why))?;
        Ok(names.into_iter().filter(|name| self.is_ours(name)).collect())
    }

    fn is_ours(&self, name: &str) -> bool {
        let rest = name.strip_prefix(&self.prefix);
        rest.is_some_and(|rest| rest.len() == 32 && rest.bytes().all(|byte| byte.is_ascii_hexdigit()))
    }

    fn lock_path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.{LOCK_EXTENSION}"))
    }

    /// The lock of a folder; `None` while files arrive in it.
    fn try_lock(&self, name: &str) -> Option<Option<File>> {
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
        for name in list_names(&self.folder).unwrap_or_default() {
            let stem = name.strip_suffix(LOCK_EXTENSION).and_then(|name| name.strip_suffix('.'));
            let Some(stem) = stem.filter(|stem| self.is_ours(stem) && !self.folder.join(stem).exists())
            else {
                continue;
            };
            if let Some(Some(_held)) = self.try_lock(stem) {
                drop(fs::remove_file(self.folder.join(&name)));
            }
        }
    }

    /// What version 0.1.0 left. It held no lock, so only what is older than any upload takes counts.
    fn legacy_leftovers(&self, now: Instant) -> Vec<PathBuf> {
        let Some(beside) = &self.legacy_directory else { return Vec::new() };
        let names = list_names(beside).unwrap_or_default().into_iter();
        let paths = names.filter(|name| name.starts_with(LEGACY_PREFIX)).map(|name| beside.join(name));
        paths.filter(|path| path.is_dir() && is_old(path, now)).collect()
    }

    fn remove_legacy_leftovers(&self, now: Instant) -> Vec<PathBuf> {
        self.legacy_leftovers(now).into_iter().filter(|path| fs::remove_dir_all(path).is_ok()).collect()
    }
}

impl PendingUpload {
    /// Where to write.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// The payload of the job that imports it.
    #[must_use]
    pub fn payload(&self) -> serde_json::Value {
        serde_json::json!({ FOLDER_FIELD: self.name })
    }

    /// Lets the job have the files, once it is in the queue.
    pub fn persist(mut self) {
        self.is_persisted = true;
    }
}

impl Drop for PendingUpload {
    fn drop(&mut self) {
        if !self.is_persisted {
            // What cannot be removed now is removed by the next start.
            drop(fs::remove_dir_all(&self.folder));
        }
        drop(fs::remove_file(&self.lock));
    }
}

fn list_names(folder: &Path) -> io::Result<Vec<String>> {
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
    modified.is_ok_and(|at| SystemTime::from(now).duration_since(at).is_ok_and(|age| age > MAX_UPLOAD_AGE))
}

fn create_private_directory(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}
