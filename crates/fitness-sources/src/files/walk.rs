//! Walks the given paths and visits every file in folders and archives, in a fixed order.

use super::budget::{BoundedReader, ReadBudget, ReadLimits, StreamKind};
use super::skipped::SkipError;
use flate2::read::GzDecoder;
use std::fs::{self, File, FileType};
use std::io::Read;
use std::ops::ControlFlow::{self, Continue};
use std::path::Path;

/// Deeper than real folders, and safe for the stack.
const MAX_FOLDER_DEPTH: u32 = 64;

/// A file found by [`walk`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileEntry<'a> {
    /// Path for display, such as `export.zip!/DI_CONNECT/a.zip!/1.fit`. Never a path to open.
    pub path: &'a str,
    /// File name, without `.gz`, because the visitor gets unpacked bytes.
    pub name: &'a str,
    /// Declared size in bytes; unknown for gzip files.
    pub size: Option<u64>,
}

impl<'a> FileEntry<'a> {
    pub(crate) fn new(path: &'a str, size: u64) -> Self {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        match without_suffix(name, ".gz") {
            Some(name) => Self { path, name, size: None },
            None => Self { path, name, size: Some(size) },
        }
    }

    /// Whether to open it without asking the visitor.
    pub(crate) fn is_named_zip(&self) -> bool {
        without_suffix(self.name, ".zip").is_some()
    }
}

/// Receives the files found by [`walk`].
pub trait Visitor {
    /// Whether to read this file. Others are not unpacked.
    fn should_read(&mut self, found: &FileEntry<'_>) -> bool;

    /// Reads the file, or part of it. If the reader fails, [`on_skipped`](Self::on_skipped) gets the
    /// reason afterwards. `Break` ends the walk.
    fn visit(&mut self, found: &FileEntry<'_>, reader: &mut dyn Read) -> ControlFlow<()>;

    /// A file, folder, archive or the rest of an archive was skipped.
    fn on_skipped(&mut self, path: &str, reason: SkipError);
}

/// Visits every file at `paths`: folders sorted by name, archives in their own order, gzip files
/// unpacked. Files that cannot be read are skipped with a reason.
///
/// Never uses a name from an archive as a path in the file system.
pub fn walk(paths: &[impl AsRef<Path>], limits: &ReadLimits, visitor: &mut dyn Visitor) -> ControlFlow<()> {
    let mut walker = Walker { limits, visitor };
    for path in paths {
        walker.visit_named(path.as_ref())?;
    }
    Continue(())
}

pub(crate) struct Walker<'a> {
    pub(crate) limits: &'a ReadLimits,
    pub(crate) visitor: &'a mut dyn Visitor,
}

impl Walker<'_> {
    /// A path given by the user. Symbolic links are followed only here.
    fn visit_named(&mut self, path: &Path) -> ControlFlow<()> {
        match fs::metadata(path) {
            Ok(metadata) => self.visit_path(path, metadata.file_type(), 0),
            Err(error) => self.skip(path, SkipError::from_io(&error)),
        }
    }

    fn visit_path(&mut self, path: &Path, kind: FileType, depth: u32) -> ControlFlow<()> {
        if kind.is_dir() {
            self.visit_folder(path, depth)
        } else if kind.is_file() {
            self.visit_file(path)
        } else if kind.is_symlink() {
            self.skip(path, SkipError::Link)
        } else {
            self.skip(path, SkipError::NotAFile)
        }
    }

    fn visit_folder(&mut self, path: &Path, depth: u32) -> ControlFlow<()> {
        if depth > MAX_FOLDER_DEPTH {
            return self.skip(path, SkipError::NestedTooDeeply);
        }
        let mut entries: Vec<_> = match fs::read_dir(path).and_then(Iterator::collect) {
            Ok(entries) => entries,
            Err(error) => return self.skip(path, SkipError::from_io(&error)),
        };
        entries.sort_by_cached_key(fs::DirEntry::file_name);
        for entry in entries {
            match entry.file_type() {
                Ok(kind) => self.visit_path(&entry.path(), kind, depth + 1)?,
                Err(error) => self.skip(&entry.path(), SkipError::from_io(&error))?,
            }
        }
        Continue(())
    }

    fn visit_file(&mut self, path: &Path) -> ControlFlow<()> {
        self.open_file(path).unwrap_or_else(|reason| self.skip(path, reason))
    }

    fn open_file(&mut self, path: &Path) -> Result<ControlFlow<()>, SkipError> {
        let mut file = File::open(path).map_err(|error| SkipError::from_io(&error))?;
        let size = file.metadata().map_err(|error| SkipError::from_io(&error))?.len();
        let path = printable(&path.to_string_lossy());
        let found = FileEntry::new(&path, size);
        let mut reader = BoundedReader::new(&mut file, self.limits, None, None);
        match reader.kind()? {
            StreamKind::Zip => self.visit_archive(&path, file, size, None),
            kind if self.visitor.should_read(&found) => self.pass_to_visitor(&found, kind, &mut reader, None),
            _ => Ok(Continue(())),
        }
    }

    /// Passes a file to the visitor, unpacked if it is gzip.
    pub(crate) fn pass_to_visitor(
        &mut self,
        found: &FileEntry<'_>,
        kind: StreamKind,
        reader: &mut BoundedReader<'_>,
        budget: Option<&ReadBudget<'_>>,
    ) -> Result<ControlFlow<()>, SkipError> {
        if kind == StreamKind::Gzip {
            let packed = reader.bytes_read();
            let mut decoder = GzDecoder::new(reader);
            let mut unpacked = BoundedReader::new(&mut decoder, self.limits, Some(packed), budget);
            // Nested compression is how a few bytes become a full disk.
            if unpacked.kind()? != StreamKind::Plain {
                return Err(SkipError::NestedTooDeeply);
            }
            let found = FileEntry { size: None, ..*found };
            return self.pass_to_visitor(&found, StreamKind::Plain, &mut unpacked, budget);
        }
        self.check_size(found.size)?;
        let flow = self.visitor.visit(found, reader);
        match reader.error() {
            Some(reason) if flow.is_continue() => Err(reason),
            _ => Ok(flow),
        }
    }

    /// Rejects files whose declared size is too large.
    pub(crate) fn check_size(&self, size: Option<u64>) -> Result<(), SkipError> {
        let limit = self.limits.entry_bytes;
        if size.is_some_and(|size| size > limit) { Err(SkipError::TooLarge { limit }) } else { Ok(()) }
    }

    fn skip(&mut self, path: &Path, reason: SkipError) -> ControlFlow<()> {
        self.visitor.on_skipped(&printable(&path.to_string_lossy()), reason);
        Continue(())
    }
}

/// The name without control characters, safe to print on a terminal.
pub(crate) fn printable(name: &str) -> String {
    name.replace(char::is_control, "\u{fffd}")
}

/// Strips a suffix, ignoring case.
fn without_suffix<'a>(name: &'a str, suffix: &str) -> Option<&'a str> {
    let (stem, end) = name.split_at_checked(name.len().checked_sub(suffix.len())?)?;
    (!stem.is_empty() && end.eq_ignore_ascii_case(suffix)).then_some(stem)
}
