//! Builds valid and invalid archives, and a visitor that records what it sees.

use fitness_sources::files::{FileEntry, ReadLimits, SkipError, Visitor, read_all, walk};
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use std::fs;
use std::io::{Cursor, Read, Write};
use std::ops::ControlFlow::{self, Break, Continue};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// A path, and the content or why it was skipped.
pub(crate) type VisitRecord = (String, Result<String, SkipError>);

/// Records everything, and wants every file by default.
pub(crate) struct RecordingVisitor {
    pub(crate) visits: Vec<VisitRecord>,
    pub(crate) names: Vec<String>,
    pub(crate) wants: fn(&FileEntry<'_>) -> bool,
    pub(crate) stop_after: usize,
}

impl Default for RecordingVisitor {
    fn default() -> Self {
        Self { visits: Vec::new(), names: Vec::new(), wants: |_| true, stop_after: usize::MAX }
    }
}

impl Visitor for RecordingVisitor {
    fn should_read(&mut self, found: &FileEntry<'_>) -> bool {
        (self.wants)(found)
    }

    fn visit(&mut self, found: &FileEntry<'_>, reader: &mut dyn Read) -> ControlFlow<()> {
        self.names.push(found.name.to_owned());
        if let Ok(bytes) = read_all(reader, 1 << 30) {
            let text = match bytes.len() {
                0..100 => String::from_utf8_lossy(&bytes).into_owned(),
                many => format!("{many} bytes"),
            };
            self.visits.push((found.path.to_owned(), Ok(text)));
        }
        if self.names.len() < self.stop_after { Continue(()) } else { Break(()) }
    }

    fn on_skipped(&mut self, path: &str, reason: SkipError) {
        self.visits.push((path.to_owned(), Err(reason)));
    }
}

/// A temporary folder with files.
pub(crate) struct TempFolder(TempDir);

impl TempFolder {
    pub(crate) fn new(files: &[(&str, &[u8])]) -> Self {
        let folder = Self(TempDir::new().unwrap());
        for (name, bytes) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Walks the folder; paths are relative to it.
    pub(crate) fn walk(&self, limits: &ReadLimits) -> Vec<VisitRecord> {
        let mut memory = RecordingVisitor::default();
        assert!(walk(&[self.path()], limits, &mut memory).is_continue());
        self.shorten(memory.visits)
    }

    pub(crate) fn shorten(&self, seen: Vec<VisitRecord>) -> Vec<VisitRecord> {
        let here = format!("{}{}", self.path().display(), std::path::MAIN_SEPARATOR);
        seen.into_iter().map(|(path, what)| (path.replacen(&here, "", 1), what)).collect()
    }
}

/// Walks one file called `x` with the given bytes.
pub(crate) fn walk_bytes(bytes: &[u8], limits: &ReadLimits) -> Vec<VisitRecord> {
    TempFolder::new(&[("x", bytes)]).walk(limits)
}

pub(crate) fn read_record(path: &str, text: &str) -> VisitRecord {
    (path.to_owned(), Ok(text.to_owned()))
}

pub(crate) fn skipped_record(path: &str, reason: SkipError) -> VisitRecord {
    (path.to_owned(), Err(reason))
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Incompressible bytes.
pub(crate) fn noise(len: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    std::iter::repeat_with(next).take(len).collect()
}

/// A valid archive.
pub(crate) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// An entry whose header fields can be wrong.
pub(crate) struct Entry<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) local_name: &'a [u8],
    pub(crate) flags: u16,
    pub(crate) method: u16,
    pub(crate) packed: &'a [u8],
    pub(crate) declared_packed: u32,
    pub(crate) declared_unpacked: u32,
    pub(crate) crc: u32,
    pub(crate) mode: u32,
    /// Wrong offset in the directory.
    pub(crate) declared_offset: Option<u32>,
}

impl<'a> Entry<'a> {
    pub(crate) fn stored(name: &'a [u8], bytes: &'a [u8]) -> Self {
        let len = bytes.len() as u32;
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        Self {
            name,
            local_name: name,
            flags: 0,
            method: 0,
            packed: bytes,
            declared_packed: len,
            declared_unpacked: len,
            crc: crc.sum(),
            mode: 0o100_644,
            declared_offset: None,
        }
    }

    /// Local header and content.
    pub(crate) fn local_record(&self) -> Vec<u8> {
        let mut out = b"PK\x03\x04".to_vec();
        put16(&mut out, &[20, self.flags, self.method, 0, 0x21]);
        put32(&mut out, &[self.crc, self.declared_packed, self.declared_unpacked]);
        put16(&mut out, &[self.local_name.len() as u16, 0]);
        [&out, self.local_name, self.packed].concat()
    }

    /// Central directory header.
    pub(crate) fn central_record(&self, at: u32) -> Vec<u8> {
        let mut out = b"PK\x01\x02".to_vec();
        put16(&mut out, &[0x0314, 20, self.flags, self.method, 0, 0x21]);
        put32(&mut out, &[self.crc, self.declared_packed, self.declared_unpacked]);
        put16(&mut out, &[self.name.len() as u16, 0, 0, 0, 0]);
        put32(&mut out, &[self.mode << 16, self.declared_offset.unwrap_or(at)]);
        [&out, self.name].concat()
    }
}

/// Writes an archive byte by byte.
pub(crate) fn build_archive(entries: &[Entry<'_>]) -> Vec<u8> {
    let (mut out, mut list) = (Vec::new(), Vec::new());
    for entry in entries {
        list.extend(entry.central_record(out.len() as u32));
        out.extend(entry.local_record());
    }
    let (start, count) = (out.len() as u32, entries.len() as u16);
    out.extend_from_slice(&list);
    out.extend_from_slice(b"PK\x05\x06");
    put16(&mut out, &[0, 0, count, count]);
    put32(&mut out, &[list.len() as u32, start]);
    put16(&mut out, &[0]);
    out
}

/// An archive with `count` directory entries and no content.
pub(crate) fn archive_of_entries(folder: &TempFolder, count: u64) -> PathBuf {
    let path = folder.path().join("many.zip");
    let mut out = std::io::BufWriter::new(fs::File::create(&path).unwrap());
    let first = Entry::stored(b"0", b"").local_record();
    out.write_all(&first).unwrap();
    let mut listed = Entry::stored(b"0000000", b"").central_record(0);
    let (start, size) = (first.len() as u64, count * listed.len() as u64);
    for number in 0..count {
        listed.truncate(46);
        write!(listed, "{number:07}").unwrap();
        out.write_all(&listed).unwrap();
    }
    let mut end = b"PK\x06\x06".to_vec();
    put64(&mut end, &[44]);
    put16(&mut end, &[45, 45]);
    put32(&mut end, &[0, 0]);
    put64(&mut end, &[count, count, size, start]);
    end.extend_from_slice(b"PK\x06\x07");
    put32(&mut end, &[0]);
    put64(&mut end, &[start + size]);
    put32(&mut end, &[1]);
    end.extend_from_slice(b"PK\x05\x06");
    put16(&mut end, &[0, 0, u16::MAX, u16::MAX]);
    put32(&mut end, &[u32::MAX, u32::MAX]);
    put16(&mut end, &[0]);
    out.write_all(&end).unwrap();
    out.flush().unwrap();
    path
}

pub(crate) fn put16(out: &mut Vec<u8>, numbers: &[u16]) {
    out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

pub(crate) fn put32(out: &mut Vec<u8>, numbers: &[u32]) {
    out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

pub(crate) fn put64(out: &mut Vec<u8>, numbers: &[u64]) {
    out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}
