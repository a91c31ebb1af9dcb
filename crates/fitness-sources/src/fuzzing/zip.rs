//! Fuzzes ZIP archives, written byte by byte, because ZIP writers refuse to write invalid ones.

use super::{check_reason, one_in, pick, raw, up_to};
use crate::files::{FileEntry, ReadLimits, SkipError, Visitor, walk};
use arbitrary::Unstructured;
use flate2::write::{DeflateEncoder, GzEncoder};
use flate2::{Compression, Crc};
use std::io::{Read, Write};
use std::ops::ControlFlow::{self, Continue};

/// Small enough for a fuzzer to exceed.
const LIMITS: ReadLimits = ReadLimits {
    entry_bytes: 32 << 10,
    total_bytes: 128 << 10,
    nested_bytes: 64 << 10,
    entries: 16,
    total_entries: 40,
    ratio: 200,
    depth: 1,
};
/// Maximum read-ahead of buffered readers.
const READ_AHEAD: u64 = 64 << 10;
const NAMES: [&[u8]; 14] = [
    b"a.fit",
    b"DI_CONNECT/b.fit",
    b"../../etc/passwd",
    b"/etc/passwd",
    b"C:\\x.fit",
    b"..\\up.gpx",
    b"folder/",
    b"in.zip",
    b"x.json.gz",
    b"",
    b"a\0b.fit",
    b"\x1b[2J.fit",
    b"\xff\xfe.tcx",
    b"a/./b/../../../c.fit",
];

/// Walks an archive generated from fuzzer input.
pub fn zip(bytes: &[u8]) {
    let Some((how, rest)) = bytes.split_first() else { return };
    let archive = if how % 4 == 0 { rest.to_vec() } else { archive(&mut Unstructured::new(rest), 0) };
    let first = walk_archive(&archive);
    assert_eq!(first, walk_archive(&archive), "the same archive is the same every time");
}

fn walk_archive(archive: &[u8]) -> CheckingVisitor {
    let mut file = tempfile::NamedTempFile::new().expect("there is a temporary directory");
    file.write_all(archive).expect("there is room for a small file");
    let mut checking =
        CheckingVisitor { root: file.path().display().to_string(), ..CheckingVisitor::default() };
    assert!(walk(&[file.path()], &LIMITS, &mut checking).is_continue());
    assert!(checking.bytes <= LIMITS.total_bytes + READ_AHEAD, "{} bytes", checking.bytes);
    assert!(checking.visits <= LIMITS.total_entries + 1, "{} files", checking.visits);
    checking.root.clear();
    checking
}

#[derive(Debug, Default, PartialEq)]
struct CheckingVisitor {
    root: String,
    bytes: u64,
    visits: u64,
    paths: Vec<String>,
}

impl CheckingVisitor {
    fn check_path(&mut self, path: &str) {
        assert!(!path.contains(char::is_control), "{path:?}");
        let within = path.strip_prefix(&self.root).expect("everything is in the one file that was named");
        self.paths.push(within.to_owned());
    }
}

impl Visitor for CheckingVisitor {
    fn should_read(&mut self, found: &FileEntry<'_>) -> bool {
        !found.name.ends_with(".tcx")
    }

    fn visit(&mut self, found: &FileEntry<'_>, reader: &mut dyn Read) -> ControlFlow<()> {
        self.check_path(found.path);
        let within = self.paths.last().map(String::as_str).unwrap_or_default();
        let parts = within.trim_start_matches("!/").split(['/', '\\']);
        assert!(!parts.into_iter().any(|part| part == ".."), "{within}");
        assert!(!found.name.contains(['/', '\\']), "{:?}", found.name);
        let read = std::io::copy(&mut reader.take(1 << 30), &mut std::io::sink());
        let read = read.unwrap_or(0);
        assert!(read <= LIMITS.entry_bytes, "{read} bytes of one file");
        self.bytes += read;
        self.visits += 1;
        self.paths.push(read.to_string());
        Continue(())
    }

    fn on_skipped(&mut self, path: &str, reason: SkipError) {
        self.check_path(path);
        check_reason(&reason.to_string());
        self.paths.push(reason.to_string());
    }
}

fn archive(u: &mut Unstructured<'_>, depth: u8) -> Vec<u8> {
    let mut file = Vec::new();
    let mut central = Vec::new();
    let mut count = 0_u16;
    if one_in(u, 8) {
        // Data before the archive, as in a self-extracting one.
        file.extend(raw(u, 40));
    }
    let most = if one_in(u, 10) { 60 } else { 6 };
    for _ in 0..up_to(u, most) {
        entry(u, depth, &mut file, &mut central);
        count += 1;
    }
    let mut at = file.len() as u32;
    let mut size = central.len() as u32;
    file.extend(&central);
    match up_to(u, 20) {
        1 => at = u.arbitrary().unwrap_or(0),
        2 => size = u.arbitrary().unwrap_or(0),
        3 => count = u.arbitrary().unwrap_or(0),
        4 => (at, size, count) = (u32::MAX, u32::MAX, u16::MAX),
        _ => {}
    }
    file.extend(b"PK\x05\x06\0\0\0\0");
    file.extend(count.to_le_bytes());
    file.extend(count.to_le_bytes());
    file.extend(size.to_le_bytes());
    file.extend(at.to_le_bytes());
    let comment = if one_in(u, 6) { raw(u, 30) } else { &[] };
    file.extend((comment.len() as u16).to_le_bytes());
    file.extend(comment);
    if one_in(u, 8) {
        let end = up_to(u, file.len());
        file.truncate(end);
    }
    if one_in(u, 8) && !file.is_empty() {
        let at = up_to(u, file.len() - 1);
        file[at] = u.arbitrary().unwrap_or(0);
    }
    file
}

fn entry(u: &mut Unstructured<'_>, depth: u8, file: &mut Vec<u8>, central: &mut Vec<u8>) {
    let name = if one_in(u, 6) { raw(u, 20) } else { pick(u, &NAMES) };
    let content = content(u, depth);
    let mut method: u16 = pick(u, &[0, 8, 8]);
    let packed = if method == 8 { deflate(&content) } else { content.clone() };
    let mut crc = Crc::new();
    crc.update(&content);
    let (mut sum, mut small, mut large) = (crc.sum(), packed.len() as u32, content.len() as u32);
    let mut flags: u16 = pick(u, &[0, 0, 0x800, 8]);
    let mut at = file.len() as u32;
    match up_to(u, 24) {
        1 => sum ^= 1,
        2 => large = u.arbitrary().unwrap_or(0),
        3 => small = u.arbitrary().unwrap_or(0),
        4 => (small, large) = (u32::MAX, u32::MAX),
        5 => flags = u.arbitrary().unwrap_or(1),
        6 => method = u.arbitrary().unwrap_or(12),
        // Overlapping entry.
        7 => at = up_to(u, file.len()) as u32,
        8 => large = 0,
        _ => {}
    }
    let extra: &[u8] = match up_to(u, 10) {
        1 => b"\x01\0\x10\0\xff\xff\xff\xff\xff\xff\xff\x7f\0\0\0\0\0\0\0\0",
        2 => raw(u, 24),
        _ => &[],
    };
    let shared = |out: &mut Vec<u8>| {
        out.extend(flags.to_le_bytes());
        out.extend(method.to_le_bytes());
        out.extend([0; 4]);
        out.extend(sum.to_le_bytes());
        out.extend(small.to_le_bytes());
        out.extend(large.to_le_bytes());
        out.extend((name.len() as u16).to_le_bytes());
        out.extend((extra.len() as u16).to_le_bytes());
    };
    file.extend(b"PK\x03\x04\x14\0");
    shared(file);
    // The local name may differ from the name in the directory.
    let mut local = name.to_vec();
    if one_in(u, 12) {
        local.iter_mut().for_each(|byte| *byte = b'/');
    }
    file.extend(local);
    file.extend(extra);
    file.extend(&packed);
    let link = one_in(u, 16);
    central.extend(b"PK\x01\x02\x14\x03\x14\0");
    shared(central);
    central.extend([0; 6]);
    central.extend(if link { 0o120_777_u32 << 16 } else { 0 }.to_le_bytes());
    central.extend(at.to_le_bytes());
    central.extend(name);
    central.extend(extra);
}

fn content(u: &mut Unstructured<'_>, depth: u8) -> Vec<u8> {
    match up_to(u, 7) {
        0 if depth < 3 => archive(u, depth + 1),
        1 => vec![u.arbitrary().unwrap_or(0); up_to(u, 100_000)],
        2 => gzip(raw(u, 100)),
        3 => gzip(&vec![0; up_to(u, 100_000)]),
        4 if depth < 3 => gzip(&archive(u, depth + 1)),
        _ => raw(u, 200).to_vec(),
    }
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("a vector takes it")
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("a vector takes it")
}
