//! Names for workout files, and many of them in one ZIP.

use fitness_core::plan::Workout;
use std::collections::BTreeSet;
use std::io::{self, Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// The longest part of a name that comes from foreign words.
const MAX_NAME_CHARS: usize = 40;

/// Names that no two files share.
#[derive(Debug, Default)]
pub struct FileNames {
    used: BTreeSet<String>,
}

impl FileNames {
    /// A name such as `2026-06-14-easy-run.fit`: letters, digits and hyphens, whatever the workout is called.
    pub fn unique_name(&mut self, workout: &Workout) -> String {
        let words = slugify(&workout.name);
        let words = if words.is_empty() { workout.sport.to_string() } else { words };
        let stem = format!("{}-{words}", workout.date);
        let mut name = format!("{stem}.fit");
        for number in 2.. {
            if self.used.insert(name.clone()) {
                break;
            }
            name = format!("{stem}-{number}.fit");
        }
        name
    }
}

/// Foreign words as a part of a file's name. Watches and their cables know ASCII best.
#[must_use]
pub fn slugify(words: &str) -> String {
    let mut kept = String::new();
    for c in words.chars() {
        if c.is_ascii_alphanumeric() {
            kept.push(c.to_ascii_lowercase());
        } else if !kept.is_empty() && !kept.ends_with('-') {
            kept.push('-');
        }
        if kept.len() >= MAX_NAME_CHARS {
            break;
        }
    }
    kept.trim_end_matches('-').to_owned()
}

/// Files in a ZIP; the same files give the same bytes.
///
/// # Errors
/// When two of them have one name.
pub fn zip<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> io::Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in files {
        archive.start_file(name, options).map_err(io::Error::other)?;
        archive.write_all(bytes)?;
    }
    Ok(archive.finish().map_err(io::Error::other)?.into_inner())
}
