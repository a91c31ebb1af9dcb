//! Files that are not part of the repository, and tests that say so when they have to do without.

use std::io::Write;
use std::path::{Path, PathBuf};

/// A folder of files that lie beside the repository on some machines; `None` where they do not.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("FITNESS_SHARED").map_or(beside, PathBuf::from).join("data").join(name);
    folder.is_dir().then_some(folder)
}

/// Every file below a folder with one of these endings, in order.
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

/// Says that a test is skipped and why, and lets `./check` count it.
pub(crate) fn skip(name: &str, reason: &str) {
    eprintln!("SKIPPED {name}: {reason}");
    if let Some(path) = std::env::var_os("FITNESS_SKIPS") {
        let mut list = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        writeln!(list, "{name}: {reason}").unwrap();
    }
}
