//! Visits the files in a ZIP archive and in nested archives. Nothing is ever written under a name
//! from the archive.
//!
//! `zip::ZipArchive` is not used because it keeps all entries in memory, where a malicious list
//! takes ten times its size (39 MB become 385 MB). `ZipIterable` holds one entry at a time.

use super::budget::{BoundedReader, RATIO_MIN_BYTES, ReadBudget, SharedByteCount, StreamKind};
use super::skipped::SkipError;
use super::walk::{FileEntry, Walker, printable};
use std::cell::Cell;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow::{self, Continue};
use std::rc::Rc;
use tempfile::SpooledTempFile;
use zip::read::{Config, ZipFileEntry};
use zip::result::ZipError;
use zip::unstable::read::ZipIterable;
use zip::{SUPPORTED_COMPRESSION_METHODS, ZipReadOptions};

/// Largest nested archive that is kept in memory; larger ones go to an unnamed temporary file.
const MAX_IN_MEMORY_BYTES: usize = 16 << 20;

/// Smallest local header plus smallest central directory header.
const MIN_HEADER_BYTES: u64 = 30 + 46;

impl Walker<'_> {
    /// Visits the files of an archive of `len` bytes. An error is about the archive, or its
    /// remainder.
    pub(crate) fn visit_archive<R: Read + Seek>(
        &mut self,
        path: &str,
        source: R,
        len: u64,
        outer: Option<&ReadBudget<'_>>,
    ) -> Result<ControlFlow<()>, SkipError> {
        let budget = ReadBudget::new(self.limits, len, outer);
        let meter = ReadCounter::default();
        let source = MeteredReader { inner: source, len, at: 0, meter: meter.clone() };
        let mut zip =
            ZipIterable::try_new(source, Config::default()).map_err(|error| to_skip_error(&error))?;
        if zip.len() as u64 > self.limits.entries {
            return Err(SkipError::TooManyEntries { limit: self.limits.entries });
        }
        budget.take_entries(zip.len() as u64)?;
        meter.set(AllowedReads::Open);

        let mut listed = 0_u64;
        let entries = zip.files().map_err(|error| to_skip_error(&error))?;
        while let Some(entry) = entries.next() {
            let entry = entry.map_err(|error| to_skip_error(&error))?;
            let name = entry_name(&entry);
            let path = format!("{path}!/{}", printable(&name));
            let takes = entry.compressed_size().saturating_add(MIN_HEADER_BYTES);
            if takes > len {
                self.visitor.on_skipped(&path, SkipError::Damaged);
                continue;
            }
            // Without overlaps, all entries together fit into the archive.
            listed = listed.saturating_add(takes);
            if listed > len {
                return Err(SkipError::Overlapping);
            }
            let result = check_entry_name(&name)
                .and_then(|()| self.visit_entry(&path, entry, entries.reader_mut(), &budget));
            meter.set(AllowedReads::Open);
            match result {
                Ok(flow) if flow.is_break() => return Ok(flow),
                Ok(_) => {}
                Err(reason) => match budget.exhausted_error() {
                    Some(spent) => return Err(spent),
                    None => self.visitor.on_skipped(&path, reason),
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
        budget: &ReadBudget<'_>,
    ) -> Result<ControlFlow<()>, SkipError> {
        let found = FileEntry::new(path, entry.size());
        // Nested archives are opened without asking the visitor.
        let asked = !found.is_named_zip();
        if entry.is_dir() || asked && !self.visitor.should_read(&found) {
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
        // Dropping `unpacked` reads the remaining compressed bytes unless reads fail.
        meter.set(AllowedReads::Shut);
        result
    }

    fn visit_content(
        &mut self,
        found: &FileEntry<'_>,
        asked: bool,
        reader: &mut BoundedReader<'_>,
        budget: &ReadBudget<'_>,
    ) -> Result<ControlFlow<()>, SkipError> {
        match reader.kind()? {
            StreamKind::Zip if budget.depth() >= self.limits.depth => Err(SkipError::NestedTooDeeply),
            StreamKind::Zip => {
                let mut copy = SpooledTempFile::new(MAX_IN_MEMORY_BYTES);
                let len = io::copy(reader, &mut copy)
                    .map_err(|error| reader.error().unwrap_or(SkipError::NoTempSpace(error.kind())))?;
                self.visit_archive(found.path, copy, len, Some(budget))
            }
            kind if asked || self.visitor.should_read(found) => {
                self.pass_to_visitor(found, kind, reader, Some(budget))
            }
            _ => Ok(Continue(())),
        }
    }
}

/// The name for display. Old archives use DOS code pages, some use backslashes.
fn entry_name(entry: &ZipFileEntry<'_>) -> String {
    let name = entry.name().unwrap_or_else(|_| String::from_utf8_lossy(entry.name_raw()));
    name.replace('\\', "/")
}

/// Rejects names that are meant to attack programs that unpack them. We never do, but such entries
/// are not trustworthy.
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

/// Which reads of an archive are allowed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum AllowedReads {
    /// Only reads that locate the central directory, which are near the end of the file except for
    /// the directory's signature. An archive that needs a search of the whole file is malicious.
    #[default]
    DirectoryOnly,
    Open,
    Shut,
}

#[derive(Debug, Clone, Default)]
struct ReadCounter {
    read: SharedByteCount,
    gate: Rc<Cell<AllowedReads>>,
}

impl ReadCounter {
    fn set(&self, gate: AllowedReads) {
        self.gate.set(gate);
    }
}

/// Counts reads, and refuses those that the gate does not allow.
struct MeteredReader<R> {
    inner: R,
    len: u64,
    at: u64,
    meter: ReadCounter,
}

impl<R> MeteredReader<R> {
    /// Bytes at the end that may be searched for the directory: 16 times the longest ZIP comment.
    const DIRECTORY_SEARCH_BYTES: u64 = 1 << 20;
    /// The directory may start anywhere, so its signature may be read anywhere.
    const SIGNATURE_BYTES: usize = 4;

    fn allows_read(&self, bytes: usize) -> bool {
        match self.meter.gate.get() {
            AllowedReads::DirectoryOnly => {
                let at_end = self.at >= self.len.saturating_sub(Self::DIRECTORY_SEARCH_BYTES);
                self.meter.read.get() < Self::DIRECTORY_SEARCH_BYTES
                    && (at_end || bytes <= Self::SIGNATURE_BYTES)
            }
            AllowedReads::Open => true,
            AllowedReads::Shut => false,
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
        fn should_read(&mut self, _: &FileEntry<'_>) -> bool {
            true
        }

        fn visit(&mut self, _: &FileEntry<'_>, reader: &mut dyn Read) -> ControlFlow<()> {
            assert_eq!(reader.read(&mut [0]).unwrap(), 1);
            Continue(())
        }

        fn on_skipped(&mut self, _: &str, reason: SkipError) {
            self.0.push(reason);
        }
    }

    fn bytes_read(bytes: Vec<u8>) -> (Result<ControlFlow<()>, SkipError>, u64) {
        let (meter, len) = (ReadCounter::default(), bytes.len() as u64);
        meter.set(AllowedReads::Open);
        let source = MeteredReader { inner: Cursor::new(bytes), len, at: 0, meter: meter.clone() };
        let mut visitor = FirstByte(Vec::new());
        let result = Walker { limits: &ReadLimits::default(), visitor: &mut visitor }
            .visit_archive("a.zip", source, len, None);
        assert_eq!(visitor.0, []);
        (result, meter.read.get())
    }

    #[test]
    fn bytes_the_visitor_skips_are_not_read() {
        // Incompressible.
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
    fn search_for_the_directory_is_bounded() {
        // Each signature could be the end of an archive, followed by a comment of 19 kB.
        let (result, read) = bytes_read(b"PK\x05\x06".repeat(50_000));
        assert_eq!(result, Err(SkipError::Damaged));
        assert!(read < 2 << 20, "{read}");
    }
}
