//! From the paths an athlete names to the files in them, one after the other and always in the same order.

use super::budget::{BoundedReader, Budget, ReadLimits, StreamKind};
use super::skipped::SkipError;
use flate2::read::GzDecoder;
use std::fs::{self, File, FileType};
use std::io::Read;
use std::ops::ControlFlow::{self, Continue};
use std::path::Path;

/// Deeper than any folder people make, and shallow enough for the stack.
const MAX_FOLDER_DEPTH: u32 = 64;

/// Something the walk came upon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileEntry<'a> {
    /// Where it is, for people: `export.zip!/DI_CONNECT/a.zip!/1.fit`. Never a path to open.
    pub path: &'a str,
    /// Its file name. That of a gzip file is without `.gz`, as what is handed over is unpacked.
    pub name: &'a str,
    /// How large it says it is, unless it is a gzip file, which does not say.
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

    /// Whether to look inside without asking whether it is wanted.
    pub(crate) fn is_named_zip(&self) -> bool {
        without_suffix(self.name, ".zip").is_some()
    }
}

/// Who takes what is found.
pub trait Visitor {
    /// Whether to read this. What is not wanted is not unpacked and costs next to nothing.
    fn wants(&mut self, found: &FileEntry<'_>) -> bool;

    /// Takes the bytes. What is left unread is dropped. When the reader fails, the reason follows in
    /// [`skipped`](Self::skipped), and what was read so far is all there is. A break ends the walk.
    fn visit(&mut self, found: &FileEntry<'_>, reader: &mut dyn Read) -> ControlFlow<()>;

    /// Something was left out: a file, a folder, an archive or the rest of one.
    fn skipped(&mut self, path: &str, reason: SkipError);
}

/// Visits every file at `paths`: in folders by name, in archives in their own order, gzip files unpacked.
/// What cannot be read is skipped with a reason and the walk goes on; it breaks off only when the visitor
/// does.
///
/// Absent on purpose: anything that takes a name out of an archive to the file system.
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
    /// A path the athlete named. Links are followed here and nowhere else: they meant what it leads to.
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
            kind if self.visitor.wants(&found) => self.pass_to_visitor(&found, kind, &mut reader, None),
            _ => Ok(Continue(())),
        }
    }

    /// Gives the visitor a file it wants, unpacked if it is a gzip file.
    pub(crate) fn pass_to_visitor(
        &mut self,
        found: &FileEntry<'_>,
        kind: StreamKind,
        reader: &mut BoundedReader<'_>,
        budget: Option<&Budget<'_>>,
    ) -> Result<ControlFlow<()>, SkipError> {
        if kind == StreamKind::Gzip {
            let packed = reader.bytes_read();
            let mut decoder = GzDecoder::new(reader);
            let mut unpacked = BoundedReader::new(&mut decoder, self.limits, Some(packed), budget);
            // A gzip file holds a file. Layers of packing are how a few bytes become a full disk.
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

    /// Refuses at once what already says that it is too large.
    pub(crate) fn check_size(&self, size: Option<u64>) -> Result<(), SkipError> {
        let limit = self.limits.entry_bytes;
        if size.is_some_and(|size| size > limit) { Err(SkipError::TooLarge { limit }) } else { Ok(()) }
    }

    fn skip(&mut self, path: &Path, reason: SkipError) -> ControlFlow<()> {
        self.visitor.skipped(&printable(&path.to_string_lossy()), reason);
        Continue(())
    }
}

/// A name that does nothing to the terminal it is printed on.
pub(crate) fn printable(name: &str) -> String {
    name.replace(char::is_control, "\u{fffd}")
}

/// What stands before a suffix, in whatever case it is written.
fn without_suffix<'a>(name: &'a str, suffix: &str) -> Option<&'a str> {
    let (stem, end) = name.split_at_checked(name.len().checked_sub(suffix.len())?)?;
    (!stem.is_empty() && end.eq_ignore_ascii_case(suffix)).then_some(stem)
}
