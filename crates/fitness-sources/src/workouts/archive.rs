//! File names for workouts, and ZIP archives of them.

use fitness_core::plan::Workout;
use std::collections::BTreeSet;
use std::io::{self, Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Maximum length of the part that comes from the workout's name.
const MAX_NAME_CHARS: usize = 40;

/// Generates unique file names.
#[derive(Debug, Default)]
pub struct FileNames {
    used: BTreeSet<String>,
}

impl FileNames {
    /// For example `2026-06-14-easy-run.fit`: only letters, digits and hyphens.
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

/// ASCII letters, digits and hyphens, which every watch supports.
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

/// A ZIP archive; the same files give the same bytes.
pub fn zip<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> io::Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in files {
        archive.start_file(name, options).map_err(io::Error::other)?;
        archive.write_all(bytes)?;
    }
    Ok(archive.finish().map_err(io::Error::other)?.into_inner())
}
