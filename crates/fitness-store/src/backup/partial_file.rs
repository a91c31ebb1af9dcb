//! A file that is being written: under a name of its own until it is whole, and then under one that nobody has.
//!
//! Whoever writes it holds a lock on it. What nobody holds was left by a program that was killed.

use crate::auth::secret::random_hex;
use crate::db::error::{Error, Result};
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// What the name of every unfinished file ends in.
pub const PARTIAL_EXTENSION: &str = "fitness-part";

/// An unfinished file, which goes when it is not finished.
#[derive(Debug)]
pub struct PartialFile {
    file: File,
    path: PathBuf,
    /// What it is to be called, which is what whoever wants it knows it by.
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
    /// Begins what will be called so, in the same folder and readable by nobody else. What was left unfinished there by a
    /// program that was killed goes.
    ///
    /// # Errors
    /// When nothing can be written there.
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
            // Where files cannot be locked nobody takes it for one that was left.
            let taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
            let part = Self { file, path, target: target.to_owned(), finished: false };
            // Whoever was clearing away in this very moment took it for one that was left.
            if !taken && part.path.exists() {
                return Ok(part);
            }
        }
    }

    /// What went wrong with it.
    pub(crate) fn file_error(&self, why: &io::Error) -> Error {
        Error::from_file(&self.target, why)
    }

    /// A way to write to it.
    ///
    /// # Errors
    /// When the system has no more of them.
    pub fn writer(&self) -> Result<File> {
        self.file.try_clone().map_err(|why| self.file_error(&why))
    }

    /// Gives it the first of these names that nobody has, once it is on the disk.
    ///
    /// # Errors
    /// When each of them is taken. Then what has the name stays as it is.
    pub fn persist(mut self, names: impl IntoIterator<Item = PathBuf>) -> Result<PathBuf> {
        self.file.sync_all().map_err(|why| self.file_error(&why))?;
        let mut taken = None;
        for name in names {
            match link_exclusive(&self.path, &name) {
                Ok(()) => {
                    self.finished = true;
                    #[cfg(unix)]
                    // The name is as safe as the file once its folder is on the disk, too.
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

/// Another name for a file, unless something has it.
fn link_exclusive(from: &Path, to: &Path) -> io::Result<()> {
    match std::fs::hard_link(from, to) {
        // What cannot be removed now is cleared away by whoever writes here next.
        Ok(()) => drop(std::fs::remove_file(from)),
        Err(why) if matches!(why.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound) => {
            return Err(why);
        }
        Err(_) => {
            // A file has one name here, as on most USB sticks: the name is taken first, and then given.
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

/// A file that is not whole.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct PartialFileInfo {
    /// The file.
    pub path: PathBuf,
    /// How much of it there is.
    pub bytes: u64,
    /// Whether somebody is at it. Else it was left, and goes with the next backup.
    pub being_written: bool,
}

impl PartialFileInfo {
    /// Removes it, unless somebody has begun to write it. Says whether it is gone.
    pub(crate) fn remove(&self) -> bool {
        match lock_partial_file(&self.path) {
            // The lock is held until the file is gone.
            Ok(_lock) => std::fs::remove_file(&self.path).is_ok(),
            Err(_) => !self.path.exists(),
        }
    }
}

/// Every unfinished file in a folder.
///
/// # Errors
/// When the folder cannot be read.
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
            // Whoever finishes takes it away meanwhile.
            let bytes = std::fs::metadata(&path).ok()?.len();
            let being_written = lock_partial_file(&path).is_err();
            Some(PartialFileInfo { path, bytes, being_written })
        })
        .collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// Takes the lock of an unfinished file, which nobody has who writes.
fn lock_partial_file(path: &Path) -> Result<File> {
    let no = |why: io::Error| Error::from_file(path, &why);
    let file = File::options().read(true).write(true).open(path).map_err(no)?;
    file.try_lock().map_err(|why| no(why.into()))?;
    Ok(file)
}
