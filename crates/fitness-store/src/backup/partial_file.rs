//! Atomic file writes: a file gets its final name only when it is complete, and never replaces
//! another file.
//!
//! The writer holds a lock on the partial file. An unlocked partial file was left by a killed
//! process.

use crate::auth::secret::random_hex;
use crate::db::error::{Error, Result};
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// File extension of a partial file.
pub const PARTIAL_EXTENSION: &str = "fitness-part";

/// A file being written; removed on drop unless it was finished.
#[derive(Debug)]
pub struct PartialFile {
    file: File,
    path: PathBuf,
    /// The final path, which error messages name.
    target: PathBuf,
    finished: bool,
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if !self.finished {
            drop(std::fs::remove_file(&self.path));
        }
    }
}

impl PartialFile {
    /// Starts a file in the directory of `target`, readable only by its owner. Also removes partial
    /// files that killed processes left there.
    pub fn create(target: &Path) -> Result<Self> {
        let folder = parent_directory(target);
        for left in list_partial_files(folder).unwrap_or_default().iter().filter(|found| !found.being_written)
        {
            left.remove();
        }
        let named: String =
            target.file_name().unwrap_or_default().to_string_lossy().chars().take(60).collect();
        loop {
            let path = folder.join(format!("{named}.{}.{PARTIAL_EXTENSION}", random_hex::<16>()));
            let file = create_locked(&path).map_err(|why| Error::from_file(target, &why))?;
            // On file systems without locks, other processes never treat it as abandoned.
            let taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
            let part = Self { file, path, target: target.to_owned(), finished: false };
            // A concurrent cleanup may have removed it before we held the lock.
            if !taken && part.path.exists() {
                return Ok(part);
            }
        }
    }

    pub(crate) fn file_error(&self, why: &io::Error) -> Error {
        Error::from_file(&self.target, why)
    }

    pub fn writer(&self) -> Result<File> {
        self.file.try_clone().map_err(|why| self.file_error(&why))
    }

    /// Syncs the file and renames it to the first path that is free.
    ///
    /// # Errors
    /// If all paths are taken. Existing files are not touched.
    pub fn persist(mut self, names: impl IntoIterator<Item = PathBuf>) -> Result<PathBuf> {
        self.file.sync_all().map_err(|why| self.file_error(&why))?;
        let mut taken = None;
        for name in names {
            match link_exclusive(&self.path, &name) {
                Ok(()) => {
                    self.finished = true;
                    #[cfg(unix)]
                    // Sync the directory too, so that the name survives a crash.
                    drop(File::open(parent_directory(&name)).and_then(|folder| folder.sync_all()));
                    return Ok(name);
                }
                Err(why) if why.kind() == io::ErrorKind::AlreadyExists => {
                    taken = Some(Error::from_file(&name, &why));
                }
                Err(why) => return Err(Error::from_file(&name, &why)),
            }
        }
        Err(taken.expect("there is at least one name"))
    }
}

fn create_locked(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Renames a file without replacing an existing one.
fn link_exclusive(from: &Path, to: &Path) -> io::Result<()> {
    match std::fs::hard_link(from, to) {
        // If this fails, the next writer in this directory removes it.
        Ok(()) => drop(std::fs::remove_file(from)),
        Err(why) if matches!(why.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound) => {
            return Err(why);
        }
        Err(_) => {
            // No hard links, as on most USB sticks: reserve the name, then rename over it.
            drop(create_locked(to)?);
            if let Err(why) = std::fs::rename(from, to) {
                drop(std::fs::remove_file(to));
                return Err(why);
            }
        }
    }
    Ok(())
}

fn parent_directory(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A partial file on disk.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct PartialFileInfo {
    pub path: PathBuf,
    pub bytes: u64,
    /// Whether a process is writing it. If not, the next backup removes it.
    pub being_written: bool,
}

impl PartialFileInfo {
    /// Removes the file unless a process is writing it. Returns whether it is gone.
    pub(crate) fn remove(&self) -> bool {
        match lock_partial_file(&self.path) {
            // Hold the lock until the file is gone.
            Ok(_lock) => std::fs::remove_file(&self.path).is_ok(),
            Err(_) => !self.path.exists(),
        }
    }
}

pub(crate) fn list_partial_files(folder: &Path) -> Result<Vec<PartialFileInfo>> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(why) => return Err(Error::from_file(folder, &why)),
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut found: Vec<PartialFileInfo> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == PARTIAL_EXTENSION))
        .filter_map(|path| {
            // The writer may finish and rename it meanwhile.
            let bytes = std::fs::metadata(&path).ok()?.len();
            let being_written = lock_partial_file(&path).is_err();
            Some(PartialFileInfo { path, bytes, being_written })
        })
        .collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// Fails if a writer holds the lock.
fn lock_partial_file(path: &Path) -> Result<File> {
    let no = |why: io::Error| Error::from_file(path, &why);
    let file = File::options().read(true).write(true).open(path).map_err(no)?;
    file.try_lock().map_err(|why| no(why.into()))?;
    Ok(file)
}
