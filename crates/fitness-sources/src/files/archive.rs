//! The files in a ZIP archive, and in the archives in it, without ever unpacking one to its name.
//!
//! `zip::ZipArchive` is absent on purpose: it keeps the list of entries in memory, where a hostile one takes
//! ten times its length (39 MB become 385 MB). `ZipIterable` holds one entry at a time.

use super::budget::{Bounded, Budget, Count, Kind, RATIO_FROM};
use super::discover::{Found, Walker, printable};
use super::skipped::Refused;
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
const IN_MEMORY: usize = 16 << 20;

/// The least an entry takes up besides its bytes: a header in front of them and one in the list.
const HEADERS: u64 = 30 + 46;

impl Walker<'_> {
    /// Visits the files of an archive of `len` bytes. An error is about the archive, or the rest of it.
    pub(crate) fn archive<R: Read + Seek>(
        &mut self,
        path: &str,
        source: R,
        len: u64,
        outer: Option<&Budget<'_>>,
    ) -> Result<ControlFlow<()>, Refused> {
        let budget = Budget::new(self.limits, len, outer);
        let meter = Meter::default();
        let source = Metered { inner: source, len, at: 0, meter: meter.clone() };
        let mut zip = ZipIterable::try_new(source, Config::default()).map_err(|error| refusal(&error))?;
        if zip.len() as u64 > self.limits.entries {
            return Err(Refused::TooManyEntries { limit: self.limits.entries });
        }
        budget.take_entries(zip.len() as u64)?;
        meter.set(Gate::Open);

        let mut listed = 0_u64;
        let entries = zip.files().map_err(|error| refusal(&error))?;
        while let Some(entry) = entries.next() {
            let entry = entry.map_err(|error| refusal(&error))?;
            let name = entry_name(&entry);
            let path = format!("{path}!/{}", printable(&name));
            let takes = entry.compressed_size().saturating_add(HEADERS);
            if takes > len {
                self.visitor.skipped(&path, Refused::Damaged);
                continue;
            }
            // Entries that share no bytes fit in side by side. Of those that do, the first few are read.
            listed = listed.saturating_add(takes);
            if listed > len {
                return Err(Refused::Overlapping);
            }
            let result =
                acceptable(&name).and_then(|()| self.entry(&path, entry, entries.reader_mut(), &budget));
            meter.set(Gate::Open);
            match result {
                Ok(flow) if flow.is_break() => return Ok(flow),
                Ok(_) => {}
                Err(reason) => match budget.spent() {
                    Some(spent) => return Err(spent),
                    None => self.visitor.skipped(&path, reason),
                },
            }
        }
        Ok(Continue(()))
    }

    fn entry<R: Read + Seek>(
        &mut self,
        path: &str,
        entry: ZipFileEntry<'_>,
        source: &mut Metered<R>,
        budget: &Budget<'_>,
    ) -> Result<ControlFlow<()>, Refused> {
        let found = Found::new(path, entry.size());
        // An archive is looked into whether it is wanted or not; looking costs unpacking its first bytes.
        let asked = !found.is_named_zip();
        if entry.is_dir() || asked && !self.visitor.wants(&found) {
            return Ok(Continue(()));
        }
        if entry.is_symlink() {
            return Err(Refused::Link);
        }
        if entry.encrypted() {
            return Err(Refused::Locked);
        }
        if !SUPPORTED_COMPRESSION_METHODS.contains(&entry.compression()) {
            return Err(Refused::UnknownPacking);
        }
        self.refuse_larger(Some(entry.size()))?;
        let ratio = self.limits.ratio;
        if entry.size() > RATIO_FROM && entry.size() > entry.compressed_size().saturating_mul(ratio) {
            return Err(Refused::TooDense { limit: ratio });
        }

        let meter = source.meter.clone();
        meter.read.set(0);
        let mut unpacked =
            entry.with_reader(source, ZipReadOptions::new()).map_err(|error| refusal(&error))?;
        let mut reader = Bounded::new(&mut unpacked, self.limits, Some(Rc::clone(&meter.read)), Some(budget));
        let result = self.content(&found, asked, &mut reader, budget);
        // Dropping `unpacked` reads on to the end of its packed bytes, however many, unless that fails.
        meter.set(Gate::Shut);
        result
    }

    fn content(
        &mut self,
        found: &Found<'_>,
        asked: bool,
        reader: &mut Bounded<'_>,
        budget: &Budget<'_>,
    ) -> Result<ControlFlow<()>, Refused> {
        match reader.kind()? {
            Kind::Zip if budget.depth() >= self.limits.depth => Err(Refused::NestedTooDeeply),
            Kind::Zip => {
                let mut copy = SpooledTempFile::new(IN_MEMORY);
                let len = io::copy(reader, &mut copy)
                    .map_err(|error| reader.refused().unwrap_or(Refused::NoRoom(error.kind())))?;
                self.archive(found.path, copy, len, Some(budget))
            }
            kind if asked || self.visitor.wants(found) => self.hand_over(found, kind, reader, Some(budget)),
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
fn acceptable(name: &str) -> Result<(), Refused> {
    let drive = matches!(name.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    if name.contains('\0') {
        Err(Refused::BadName)
    } else if drive || name.starts_with('/') || name.split('/').any(|part| part == "..") {
        Err(Refused::LeadsOut)
    } else {
        Ok(())
    }
}

fn refusal(error: &ZipError) -> Refused {
    match error {
        ZipError::Io(error) => Refused::of(error),
        _ => Refused::Damaged,
    }
}

/// Which reads of an archive are let through.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Gate {
    /// Those that find the list of entries. Everything about it is at the end, but for the first bytes of
    /// the list itself; a search through the whole file, or a record as long as one, is a trap.
    #[default]
    Finding,
    /// All.
    Open,
    /// None.
    Shut,
}

/// How much was read of an archive, and whether more may be.
#[derive(Debug, Clone, Default)]
struct Meter {
    read: Count,
    gate: Rc<Cell<Gate>>,
}

impl Meter {
    fn set(&self, gate: Gate) {
        self.gate.set(gate);
    }
}

/// An archive whose reads are counted.
struct Metered<R> {
    inner: R,
    len: u64,
    at: u64,
    meter: Meter,
}

impl<R> Metered<R> {
    /// How much of the end is read to find the list: 16 times the longest comment that can stand there.
    const END: u64 = 1 << 20;
    /// The mark at the start of the list, which may be anywhere.
    const MARK: usize = 4;

    fn lets_through(&self, bytes: usize) -> bool {
        match self.meter.gate.get() {
            Gate::Finding => {
                let at_end = self.at >= self.len.saturating_sub(Self::END);
                self.meter.read.get() < Self::END && (at_end || bytes <= Self::MARK)
            }
            Gate::Open => true,
            Gate::Shut => false,
        }
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if !self.lets_through(buf.len()) {
            return Err(Refused::Damaged.into());
        }
        let read = self.inner.read(buf)?;
        self.at = self.at.saturating_add(read as u64);
        self.meter.read.set(self.meter.read.get().saturating_add(read as u64));
        Ok(read)
    }
}

impl<R: Seek> Seek for Metered<R> {
    fn seek(&mut self, pos: SeekFrom) -> io::Result<u64> {
        self.at = self.inner.seek(pos)?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Limits, Visitor};
    use super::*;
    use std::io::{Cursor, Write};
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    /// Reads one byte of each file.
    struct FirstByte(Vec<Refused>);

    impl Visitor for FirstByte {
        fn wants(&mut self, _: &Found<'_>) -> bool {
            true
        }

        fn visit(&mut self, _: &Found<'_>, reader: &mut dyn Read) -> ControlFlow<()> {
            assert_eq!(reader.read(&mut [0]).unwrap(), 1);
            Continue(())
        }

        fn skipped(&mut self, _: &str, reason: Refused) {
            self.0.push(reason);
        }
    }

    /// How much of an archive is read in all.
    fn read_of(bytes: Vec<u8>) -> (Result<ControlFlow<()>, Refused>, u64) {
        let (meter, len) = (Meter::default(), bytes.len() as u64);
        meter.set(Gate::Open);
        let source = Metered { inner: Cursor::new(bytes), len, at: 0, meter: meter.clone() };
        let mut visitor = FirstByte(Vec::new());
        let result =
            Walker { limits: &Limits::default(), visitor: &mut visitor }.archive("a.zip", source, len, None);
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
        let (result, read) = read_of(archive);
        assert_eq!(result, Ok(Continue(())));
        assert!(read < 50_000, "{read}");
    }

    #[test]
    fn the_list_is_not_searched_for_without_end() {
        // Each mark could be the end of an archive, with a comment of 19 kB behind it.
        let (result, read) = read_of(b"PK\x05\x06".repeat(50_000));
        assert_eq!(result, Err(Refused::Damaged));
        assert!(read < 2 << 20, "{read}");
    }
}
