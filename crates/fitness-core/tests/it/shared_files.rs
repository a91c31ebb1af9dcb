//! Optional data files outside the repository; tests without them are reported as skipped.

use std::io::Write;
use std::path::{Path, PathBuf};

/// `None` if the file is not on this machine.
pub(crate) fn file(name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let file = std::env::var_os("FITNESS_SHARED").map_or(beside, PathBuf::from).join("data").join(name);
    file.is_file().then_some(file)
}

/// Reports a skipped test, so that `./check` can count it.
pub(crate) fn skip(name: &str, reason: &str) {
    eprintln!("SKIPPED {name}: {reason}");
    if let Some(path) = std::env::var_os("FITNESS_SKIPS") {
        let mut list = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        writeln!(list, "{name}: {reason}").unwrap();
    }
}
