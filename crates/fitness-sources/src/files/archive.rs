//! The files in a ZIP archive, and in the archives in it, without ever unpacking one to its name.
//!
//! `zip::ZipArchive` is absent on purpose: it keeps the list of entries in memory, where a hostile one takes
//! ten times its length (39 MB become 385 MB). `ZipIterable` holds one entry at a time.

use super::budget::{BoundedReader, Budget, ByteCount, RATIO_MIN_BYTES, StreamKind};
use super::discover::{FileEntry, Walker, printable};
use super::skipped::SkipError;
use std::cell::Cell;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow::{self, Continue};
use std::rc::Rc;
use tempfile::SpooledTempFile;
use zip::read::{Config, ZipFileEntry};
use zip::result::ZipError;
use zip::unstable::read::ZipIterable;
use zip::{SUPPORTED_COMPRESSION_METHODS, ZipReadOptions};

/// The longest archive in an archive that is kept in memory; a longer one goes to an anonymous file.
const MAX_IN_MEMORY_BYTES: usize = 16 << 20;

/// The least an entry takes up besides its bytes: a header in front of them and one in the list.
const MIN_HEADER_BYTES: u64 = 30 + 46;

impl Walker<'_> {
    /// Visits the files of an archive of `len` bytes. An error is about the archive, or the rest of it.
    pub(crate) fn visit_archive<R: Read + Seek>(
        &mut self,
        path: &str,
        source: R,
        len: u64,
        outer: Option<&Budget<'_>>,
    ) -> Result<ControlFlow<()>, SkipError> {
        let budget = Budget::new(self.limits, len, outer);
        let meter = ReadMeter::default();
        let source = MeteredReader { inner: source, len, at: 0, meter: meter.clone() };
        let mut zip =
            ZipIterable::try_new(source, Config::default()).map_err(|error| to_skip_error(&error))?;
        if zip.len() as u64 > self.limits.entries {
            return Err(SkipError::TooManyEntries { limit: self.limits.entries });
        }
        budget.take_entries(zip.len() as u64)?;
        meter.set(ReadGate::Open);

        let mut listed = 0_u64;
        let entries = zip.files().map_err(|error| to_skip_error(&error))?;
        while let Some(entry) = entries.next() {
            let entry = entry.map_err(|error| to_skip_error(&error))?;
            let name = entry_name(&entry);
            let path = format!("{path}!/{}", printable(&name));
            let takes = entry.compressed_size().saturating_add(MIN_HEADER_BYTES);
            if takes > len {
                self.visitor.skipped(&path, SkipError::Damaged);
                continue;
            }
            // Entries that share no bytes fit in side by side. Of those that do, the first few are read.
            listed = listed.saturating_add(takes);
            if listed > len {
                return Err(SkipError::Overlapping);
            }
            let result = check_entry_name(&name)
                .and_then(|()| self.visit_entry(&path, entry, entries.reader_mut(), &budget));
            meter.set(ReadGate::Open);
            match result {
                Ok(flow) if flow.is_break() => return Ok(flow),
                Ok(_) => {}
                Err(reason) => match budget.exhausted() {
                    Some(spent) => return Err(spent),
                    None => self.visitor.skipped(&path, reason),
                },
            }
        }
        Ok(Continue(()))
    }

    fn visit_entry<R: Read + Seek>(
        &mut self,
        path: &str,
        entry: ZipFileEntry<'_>,
        source: &mut MeteredReader<R>,
        budget: &Budget<'_>,
    ) -> Result<ControlFlow<()>, SkipError> {
        let found = FileEntry::new(path, entry.size());
        // An archive is looked into whether it is wanted or not; looking costs unpacking its first bytes.
        let asked = !found.is_named_zip();
        if entry.is_dir() || asked && !self.visitor.wants(&found) {
            return Ok(Continue(()));
        }
        if entry.is_symlink() {
            return Err(SkipError::Link);
        }
        if entry.encrypted() {
            return Err(SkipError::Encrypted);
        }
        if !SUPPORTED_COMPRESSION_METHODS.contains(&entry.compression()) {
            return Err(SkipError::UnsupportedCompression);
        }
        self.check_size(Some(entry.size()))?;
        let ratio = self.limits.ratio;
        if entry.size() > RATIO_MIN_BYTES && entry.size() > entry.compressed_size().saturating_mul(ratio) {
            return Err(SkipError::CompressionRatioTooHigh { limit: ratio });
        }

        let meter = source.meter.clone();
        meter.read.set(0);
        let mut unpacked =
            entry.with_reader(source, ZipReadOptions::new()).map_err(|error| to_skip_error(&error))?;
        let mut reader =
            BoundedReader::new(&mut unpacked, self.limits, Some(Rc::clone(&meter.read)), Some(budget));
        let result = self.visit_content(&found, asked, &mut reader, budget);
        // Dropping `unpacked` reads on to the end of its packed bytes, however many, unless that fails.
        meter.set(ReadGate::Shut);
        result
    }

    fn visit_content(
        &mut self,
        found: &FileEntry<'_>,
        asked: bool,
        reader: &mut BoundedReader<'_>,
        budget: &Budget<'_>,
    ) -> Result<ControlFlow<()>, SkipError> {
        match reader.kind()? {
            StreamKind::Zip if budget.depth() >= self.limits.depth => Err(SkipError::NestedTooDeeply),
            StreamKind::Zip => {
                let mut copy = SpooledTempFile::new(MAX_IN_MEMORY_BYTES);
                let len = io::copy(reader, &mut copy)
                    .map_err(|error| reader.error().unwrap_or(SkipError::NoTempSpace(error.kind())))?;
                self.visit_archive(found.path, copy, len, Some(budget))
            }
            kind if asked || self.visitor.wants(found) => {
                self.pass_to_visitor(found, kind, reader, Some(budget))
            }
            _ => Ok(Continue(())),
        }
    }
}

/// An entry's name as it is shown. Old archives are in the letters of DOS, some in the slashes of Windows.
fn entry_name(entry: &ZipFileEntry<'_>) -> String {
    let name = entry.name().unwrap_or_else(|_| String::from_utf8_lossy(entry.name_raw()));
    name.replace('\\', "/")
}

/// Refuses names made to harm whoever unpacks them. Nobody does here; what comes with them is not to be
/// trusted either.
fn check_entry_name(name: &str) -> Result<(), SkipError> {
    let drive = matches!(name.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    if name.contains('\0') {
        Err(SkipError::InvalidName)
    } else if drive || name.starts_with('/') || name.split('/').any(|part| part == "..") {
        Err(SkipError::PathTraversal)
    } else {
        Ok(())
    }
}

fn to_skip_error(error: &ZipError) -> SkipError {
    match error {
        ZipError::Io(error) => SkipError::from_io(error),
        _ => SkipError::Damaged,
    }
}

/// Which reads of an archive are let through.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ReadGate {
    /// Those that find the list of entries. Everything about it is at the end, but for the first bytes of
    /// the list itself; a search through the whole file, or a record as long as one, is a trap.
    #[default]
    DirectoryOnly,
    /// All.
    Open,
    /// None.
    Shut,
}

/// How much was read of an archive, and whether more may be.
#[derive(Debug, Clone, Default)]
struct ReadMeter {
    read: ByteCount,
    gate: Rc<Cell<ReadGate>>,
}

impl ReadMeter {
    fn set(&self, gate: ReadGate) {
        self.gate.set(gate);
    }
}

/// An archive whose reads are counted.
struct MeteredReader<R> {
    inner: R,
    len: u64,
    at: u64,
    meter: ReadMeter,
}

impl<R> MeteredReader<R> {
    /// How much of the end is read to find the list: 16 times the longest comment that can stand there.
    const DIRECTORY_SEARCH_BYTES: u64 = 1 << 20;
    /// The mark at the start of the list, which may be anywhere.
    const SIGNATURE_BYTES: usize = 4;

    fn allows_read(&self, bytes: usize) -> bool {
        match self.meter.gate.get() {
            ReadGate::DirectoryOnly => {
                let at_end = self.at >= self.len.saturating_sub(Self::DIRECTORY_SEARCH_BYTES);
                self.meter.read.get() < Self::DIRECTORY_SEARCH_BYTES
                    && (at_end || bytes <= Self::SIGNATURE_BYTES)
            }
            ReadGate::Open => true,
            ReadGate::Shut => false,
        }
    }
}

impl<R: Read> Read for MeteredReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if !self.allows_read(buf.len()) {
            return Err(SkipError::Damaged.into());
        }
        let read = self.inner.read(buf)?;
        self.at = self.at.saturating_add(read as u64);
        self.meter.read.set(self.meter.read.get().saturating_add(read as u64));
        Ok(read)
    }
}

impl<R: Seek> Seek for MeteredReader<R> {
    fn seek(&mut self, pos: SeekFrom) -> io::Result<u64> {
        self.at = self.inner.seek(pos)?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ReadLimits, Visitor};
    use super::*;
    use std::io::{Cursor, Write};
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    /// Reads one byte of each file.
    struct FirstByte(Vec<SkipError>);

    impl Visitor for FirstByte {
        fn wants(&mut self, _: &FileEntry<'_>) -> bool {
            true
        }

        fn visit(&mut self, _: &FileEntry<'_>, reader: &mut dyn Read) -> ControlFlow<()> {
            assert_eq!(reader.read(&mut [0]).unwrap(), 1);
            Continue(())
        }

        fn skipped(&mut self, _: &str, reason: SkipError) {
            self.0.push(reason);
        }
    }

    /// How much of an archive is read in all.
    fn bytes_read(bytes: Vec<u8>) -> (Result<ControlFlow<()>, SkipError>, u64) {
        let (meter, len) = (ReadMeter::default(), bytes.len() as u64);
        meter.set(ReadGate::Open);
        let source = MeteredReader { inner: Cursor::new(bytes), len, at: 0, meter: meter.clone() };
        let mut visitor = FirstByte(Vec::new());
        let result = Walker { limits: &ReadLimits::default(), visitor: &mut visitor }
            .visit_archive("a.zip", source, len, None);
        assert_eq!(visitor.0, []);
        (result, meter.read.get())
    }

    #[test]
    fn what_the_visitor_leaves_unread_is_not_read() {
        // Random enough to stay long when packed.
        let bytes: Vec<u8> = (0..1 << 20).map(|n: u32| (n.wrapping_mul(n) >> 11) as u8).collect();
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        for (name, options) in [("stored", stored), ("deflated", SimpleFileOptions::default())] {
            writer.start_file(name, options).unwrap();
            writer.write_all(&bytes).unwrap();
        }
        let archive = writer.finish().unwrap().into_inner();
        assert!(archive.len() > bytes.len() * 3 / 2, "{}", archive.len());
        let (result, read) = bytes_read(archive);
        assert_eq!(result, Ok(Continue(())));
        assert!(read < 50_000, "{read}");
    }

    #[test]
    fn the_list_is_not_searched_for_without_end() {
        // Each mark could be the end of an archive, with a comment of 19 kB behind it.
        let (result, read) = bytes_read(b"PK\x05\x06".repeat(50_000));
        assert_eq!(result, Err(SkipError::Damaged));
        assert!(read < 2 << 20, "{read}");
    }
}
