//! Files that are not part of the repository, and tests that say so when they have to do without.

use std::io::Write;
use std::path::{Path, PathBuf};

/// A file that lies beside the repository on some machines; `None` where it does not.
pub(crate) fn file(name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let file = std::env::var_os("FITNESS_SHARED").map_or(beside, PathBuf::from).join("data").join(name);
    file.is_file().then_some(file)
}

/// Says that a test is skipped and why, and lets `./check` count it.
pub(crate) fn skip(name: &str, reason: &str) {
    eprintln!("SKIPPED {name}: {reason}");
    if let Some(path) = std::env::var_os("FITNESS_SKIPS") {
        let mut list = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        writeln!(list, "{name}: {reason}").unwrap();
    }
}
