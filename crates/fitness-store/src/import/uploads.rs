//! Uploaded files waiting for import: one folder per upload, named in the payload of its job.
//!
//! While files arrive, the server holds a lock file beside the folder. A folder that is neither
//! locked nor needed by a job was left by a killed server; it is removed on start and every hour.
//! The files of a failed import are kept for a week.

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

pub const IMPORT_JOB: &str = "import";
/// Payload field with the folder name.
const FOLDER_FIELD: &str = "upload";
const LOCK_EXTENSION: &str = "lock";
/// Folder names of version 0.1.0, which were beside the database and had no lock.
const LEGACY_PREFIX: &str = "fitness-upload-";
/// How long the files of a failed import are kept for a retry.
const RETRY_WINDOW: TimeDelta = TimeDelta::days(7);
/// Upper bound for the duration of an upload.
const MAX_UPLOAD_AGE: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Debug, Clone)]
pub struct UploadDirectory {
    folder: PathBuf,
    /// Prefix of this database's folders; other databases may use the same directory.
    prefix: String,
    /// Upload directory of version 0.1.0.
    legacy_directory: Option<PathBuf>,
}

/// An upload in progress. Its files are removed on drop, unless [`persist`](Self::persist) was
/// called.
#[derive(Debug)]
pub struct PendingUpload {
    folder: PathBuf,
    name: String,
    lock: PathBuf,
    /// Locked until the job is enqueued.
    _lock_file: File,
    is_persisted: bool,
}

impl Store {
    /// The upload directory: beside the database file, or in the data directory for PostgreSQL.
    ///
    /// # Errors
    /// If there is no home directory, or the database does not respond.
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
        // A copied database has the same identity but different jobs, so the file name is part of
        // the prefix.
        let name = ContentHash::hash_bytes(name.as_bytes()).to_string();
        let prefix = format!("{}-{}-", self.database_identity().await?, &name[..8]);
        Ok(UploadDirectory { folder: folder.join("uploads"), prefix, legacy_directory: beside })
    }

    /// Removes upload folders that no job needs, and returns them.
    pub async fn remove_leftover_uploads(&self, now: Instant) -> Result<Vec<PathBuf>> {
        let uploads = self.upload_directory().await?;
        let mut removed = uploads.remove_legacy_leftovers(now);
        // Lock before reading the jobs: an upload enqueues its job before it releases the lock.
        let locked: Vec<_> = (uploads.list()?.into_iter())
            .filter_map(|name| uploads.try_lock(&name).map(|lock| (name, lock)))
            .collect();
        let needed = self.list_needed_uploads(now).await?;
        let leftover = locked.iter().map(|(name, _)| name).filter(|name| !needed.contains(*name));
        removed.extend(leftover.filter_map(|name| uploads.remove(name)));
        drop(locked);
        uploads.remove_stray_locks();
        Ok(removed)
    }

    /// Upload folders that no job needs and nobody is writing to.
    pub async fn list_leftover_uploads(&self, now: Instant) -> Result<Vec<PathBuf>> {
        let uploads = self.upload_directory().await?;
        let mut left = uploads.legacy_leftovers(now);
        let found = uploads.list()?.into_iter().filter(|name| uploads.try_lock(name).is_some());
        let found: Vec<String> = found.collect();
        let named = self.list_needed_uploads(now).await?;
        left.extend(found.iter().filter(|name| !named.contains(*name)).map(|name| uploads.folder.join(name)));
        Ok(left)
    }

    /// Folders of open jobs, and of failed jobs that can still be retried.
    async fn list_needed_uploads(&self, now: Instant) -> Result<BTreeSet<String>> {
        let mut jobs = self.list_open_jobs(IMPORT_JOB).await?;
        jobs.extend(self.list_failed_jobs(IMPORT_JOB, now - RETRY_WINDOW).await?);
        Ok(jobs.iter().filter_map(|job| payload_folder(&job.payload).map(str::to_owned)).collect())
    }
}

fn payload_folder(payload: &serde_json::Value) -> Option<&str> {
    payload.get(FOLDER_FIELD)?.as_str()
}

impl UploadDirectory {
    /// Creates a folder for incoming files, readable only by this account.
    pub fn begin_upload(&self) -> io::Result<PendingUpload> {
        create_private_directory(&self.folder)?;
        loop {
            let name = format!("{}{}", self.prefix, random_hex::<16>());
            let lock = self.lock_path(&name);
            let held = File::options().write(true).create_new(true).open(&lock)?;
            let locked = held.try_lock().is_ok();
            // A concurrent cleanup may have removed it before we held the lock.
            if locked && lock.exists() {
                let folder = self.folder.join(&name);
                create_private_directory(&folder)?;
                return Ok(PendingUpload { folder, name, lock, _lock_file: held, is_persisted: false });
            }
        }
    }

    /// The folder of a job, if it exists. A payload may be untrusted, so only folders of this
    /// database are accepted.
    #[must_use]
    pub fn find(&self, payload: &serde_json::Value) -> Option<PathBuf> {
        let name = payload_folder(payload).filter(|name| self.is_ours(name))?;
        Some(self.folder.join(name)).filter(|path| path.is_dir())
    }

    /// Names of this database's upload folders.
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

    /// Locks a folder; `None` while files arrive in it.
    fn try_lock(&self, name: &str) -> Option<Option<File>> {
        match File::options().write(true).open(self.lock_path(name)) {
            Ok(file) => file.try_lock().is_ok().then_some(Some(file)),
            // The upload is complete, so its lock file is gone.
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

    /// Removes lock files without a folder.
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

    /// Folders left by version 0.1.0. It used no locks, so only folders older than any upload
    /// count.
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
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Payload for the import job.
    #[must_use]
    pub fn payload(&self) -> serde_json::Value {
        serde_json::json!({ FOLDER_FIELD: self.name })
    }

    /// Keeps the files; call it when the job is enqueued.
    pub fn persist(mut self) {
        self.is_persisted = true;
    }
}

impl Drop for PendingUpload {
    fn drop(&mut self) {
        if !self.is_persisted {
            // The next start removes what cannot be removed now.
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
