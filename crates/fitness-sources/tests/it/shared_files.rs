//! Test files that are not part of the repository, and skipping tests without them.

use std::io::Write;
use std::path::{Path, PathBuf};

/// A folder next to the repository; `None` if it does not exist.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("FITNESS_SHARED").map_or(beside, PathBuf::from).join("data").join(name);
    folder.is_dir().then_some(folder)
}

/// All files below a folder with one of these extensions, sorted.
pub(crate) fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if endings.contains(&ending.as_str()) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Reports a skipped test to `./check`.
pub(crate) fn skip(name: &str, reason: &str) {
    eprintln!("SKIPPED {name}: {reason}");
    if let Some(path) = std::env::var_os("FITNESS_SKIPS") {
        let mut list = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        writeln!(list, "{name}: {reason}").unwrap();
    }
}
