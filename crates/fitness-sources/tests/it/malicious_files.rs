//! Malicious and damaged archives: each is skipped with a reason, and other files are still read.

use crate::archive_fixtures::{
    Entry, RecordingVisitor, TempFolder, archive_of_entries, build_archive, deflate, gzip, noise, put16,
    read_record, skipped_record, walk_bytes, zip,
};
use fitness_sources::files::{FileEntry, ReadLimits, SkipError, Visitor, walk};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow::{self, Continue};

fn limits() -> ReadLimits {
    ReadLimits::default()
}

const DENSE: SkipError = SkipError::CompressionRatioTooHigh { limit: 200 };

/// The error for an invalid entry between two valid ones.
fn skip_error_between_valid_entries(strange: Entry<'_>) -> SkipError {
    let path =
        format!("x!/{}", String::from_utf8_lossy(strange.name).replace('\\', "/").replace('\0', "\u{fffd}"));
    let archive = build_archive(&[Entry::stored(b"a", b"1"), strange, Entry::stored(b"z", b"2")]);
    let seen = walk_bytes(&archive, &limits());
    let [first, (at, Err(reason)), last] = &seen[..] else { panic!("{seen:?}") };
    assert_eq!((first, at, last), (&read_record("x!/a", "1"), &path, &read_record("x!/z", "2")));
    *reason
}

#[test]
fn path_traversal_is_refused() {
    for name in [
        "../evil.fit",
        "..",
        "a/../../evil.fit",
        "a/..",
        "..\\evil.fit",
        "a\\..\\..\\evil.fit",
        "/etc/passwd",
        "\\evil.fit",
        "\\\\server\\share\\evil.fit",
        "//server/evil.fit",
        "C:\\evil.fit",
        "c:evil.fit",
        "C:/evil.fit",
        "../evil/",
    ] {
        assert_eq!(
            skip_error_between_valid_entries(Entry::stored(name.as_bytes(), b"evil")),
            SkipError::PathTraversal,
            "{name}"
        );
    }
}

#[test]
fn name_with_nul_is_refused() {
    assert_eq!(
        skip_error_between_valid_entries(Entry::stored(b"run.fit\0.exe", b"evil")),
        SkipError::InvalidName
    );
}

#[test]
fn walk_writes_no_files() {
    let inner = zip(&[("inner.fit", b"2"), ("../inner.fit", b"3")]);
    let outer = zip(&[("run.fit", b"1"), ("../evil.fit", b"4"), ("sub/inner.zip", &inner)]);
    let folder = TempFolder::new(&[("here/outer.zip", &outer)]);
    assert_eq!(folder.walk(&limits()).len(), 4);
    let names = |path| {
        let entries = fs::read_dir(path).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>()
    };
    assert_eq!(names(folder.path().to_owned()), ["here"]);
    assert_eq!(names(folder.path().join("here")), ["outer.zip"]);
}

#[test]
fn link_in_archive_is_refused() {
    let link = Entry { mode: 0o120_777, ..Entry::stored(b"link.fit", b"/etc/passwd") };
    assert_eq!(skip_error_between_valid_entries(link), SkipError::Link);
}

#[test]
fn encrypted_entry_is_refused() {
    assert_eq!(
        skip_error_between_valid_entries(Entry { flags: 1, ..Entry::stored(b"locked.fit", b"?") }),
        SkipError::Encrypted
    );
}

#[test]
fn unknown_compression_is_refused() {
    for method in [1, 6, 9, 12, 14, 93, 95, 99, 65_535] {
        let entry = Entry { method, ..Entry::stored(b"odd.fit", b"?") };
        assert_eq!(skip_error_between_valid_entries(entry), SkipError::UnsupportedCompression, "{method}");
    }
}

#[test]
fn declared_size_of_four_gigabytes_is_refused_unread() {
    let entry = Entry { declared_unpacked: u32::MAX - 1, ..Entry::stored(b"huge.fit", b"?") };
    assert_eq!(skip_error_between_valid_entries(entry), SkipError::TooLarge { limit: 512 << 20 });
    let entry = Entry { declared_packed: u32::MAX - 1, ..Entry::stored(b"huge.fit", b"?") };
    assert_eq!(skip_error_between_valid_entries(entry), SkipError::Damaged);
}

#[test]
fn more_bytes_than_declared_are_refused() {
    let packed = deflate(&[7; 5_000]);
    let entry = Entry {
        method: 8,
        declared_packed: packed.len() as u32,
        declared_unpacked: 10,
        packed: &packed,
        ..Entry::stored(b"lies.fit", b"")
    };
    assert_eq!(skip_error_between_valid_entries(entry), SkipError::Damaged);
}

#[test]
fn wrong_checksum_is_reported() {
    assert_eq!(
        skip_error_between_valid_entries(Entry { crc: 1, ..Entry::stored(b"bad.fit", b"bytes") }),
        SkipError::Damaged
    );
}

#[test]
fn local_header_name_is_ignored() {
    let cloaked = Entry { local_name: b"../../evil.exe", ..Entry::stored(b"run.fit", b"run") };
    let archive = build_archive(&[cloaked, Entry::stored(b"z", b"2")]);
    assert_eq!(walk_bytes(&archive, &limits()), [read_record("x!/run.fit", "run"), read_record("x!/z", "2")]);
}

#[test]
fn declared_bomb_is_not_opened() {
    let zeros = vec![0; 200 << 20];
    let archive = zip(&[("a", b"1"), ("zeros.json", &zeros), ("z", b"2")]);
    let folder = TempFolder::new(&[("x.zip", &archive), ("y.fit", &[0; 3_000])]);
    let mut memory = RecordingVisitor::default();
    let small = ReadLimits { entry_bytes: 2_000, ..limits() };
    assert!(walk(&[folder.path().join("x.zip")], &limits(), &mut memory).is_continue());
    assert!(walk(&[folder.path().join("y.fit")], &small, &mut memory).is_continue());
    assert_eq!(memory.names, ["a", "z"]);
    let expected = [
        read_record("x.zip!/a", "1"),
        skipped_record("x.zip!/zeros.json", DENSE),
        read_record("x.zip!/z", "2"),
        skipped_record("y.fit", SkipError::TooLarge { limit: 2_000 }),
    ];
    assert_eq!(folder.shorten(memory.visits), expected);
}

#[test]
fn bomb_with_false_sizes_is_refused() {
    // 2 MB of padding behind a 20 kB bomb make the declared sizes plausible; a valid entry before
    // it does not raise its limit.
    let (honest, padded) = (noise(200_000), [deflate(&vec![0; 20 << 20]), vec![0; 2 << 20]].concat());
    let bomb = Entry {
        method: 8,
        declared_packed: padded.len() as u32,
        declared_unpacked: 20 << 20,
        packed: &padded,
        ..Entry::stored(b"bomb.fit", b"")
    };
    let archive = build_archive(&[Entry::stored(b"a", &honest), bomb, Entry::stored(b"z", b"2")]);
    let expected =
        [read_record("x!/a", "200000 bytes"), skipped_record("x!/bomb.fit", DENSE), read_record("x!/z", "2")];
    assert_eq!(walk_bytes(&archive, &limits()), expected);
}

#[test]
fn gzip_bomb_is_refused_anywhere() {
    let bomb = gzip(&vec![0; 64 << 20]);
    let archive = build_archive(&[Entry::stored(b"c.gz", &bomb), Entry::stored(b"d", b"2")]);
    let folder = TempFolder::new(&[("a.gz", &bomb), ("b.zip", &archive), ("run.fit", b"run")]);
    let seen = folder.walk(&limits());
    let expected = [
        skipped_record("a.gz", DENSE),
        skipped_record("b.zip!/c.gz", DENSE),
        read_record("b.zip!/d", "2"),
        read_record("run.fit", "run"),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn gzip_file_stops_at_the_size_limit() {
    let ten = ReadLimits { entry_bytes: 40, ..limits() };
    let seen = walk_bytes(&gzip(&[b'a'; 41]), &ten);
    assert_eq!(seen, [skipped_record("x", SkipError::TooLarge { limit: 40 })]);
}

#[test]
fn nested_gzip_is_refused() {
    let folder = TempFolder::new(&[
        ("a.gz", &gzip(&gzip(b"deep"))),
        ("b.gz", &gzip(&zip(&[("run.fit", b"run")]))),
        ("c.zip", &zip(&[("d.gz", &gzip(&gzip(b"deep")))])),
    ]);
    let expected =
        ["a.gz", "b.gz", "c.zip!/d.gz"].map(|path| skipped_record(path, SkipError::NestedTooDeeply));
    assert_eq!(folder.walk(&limits()), expected);
}

#[test]
fn third_level_archive_is_refused() {
    let third = zip(&[("run.fit", b"run")]);
    let second = zip(&[("third.zip", &third), ("beside.fit", b"2")]);
    let first = zip(&[("second.zip", &second), ("last.fit", b"1")]);
    let expected = [
        skipped_record("x!/second.zip!/third.zip", SkipError::NestedTooDeeply),
        read_record("x!/second.zip!/beside.fit", "2"),
        read_record("x!/last.fit", "1"),
    ];
    assert_eq!(walk_bytes(&first, &limits()), expected);
    let deeper = walk_bytes(&first, &ReadLimits { depth: 2, ..limits() });
    assert_eq!(deeper[0], read_record("x!/second.zip!/third.zip!/run.fit", "run"));
    let flat = walk_bytes(&first, &ReadLimits { depth: 0, ..limits() });
    assert_eq!(
        flat,
        [skipped_record("x!/second.zip", SkipError::NestedTooDeeply), read_record("x!/last.fit", "1")]
    );
}

#[test]
fn archive_with_a_million_entries_is_refused() {
    let folder = TempFolder::new(&[("z.fit", b"run")]);
    archive_of_entries(&folder, 1_000_000);
    let expected = [
        skipped_record("many.zip", SkipError::TooManyEntries { limit: 100_000 }),
        read_record("z.fit", "run"),
    ];
    assert_eq!(folder.walk(&limits()), expected);
}

#[test]
fn entries_of_inner_archives_count_together() {
    let inner = zip(&[("1", b"1"), ("2", b"2"), ("3", b"3")]);
    let outer = zip(&[("a.zip", &inner), ("b.zip", &inner), ("c", b"4")]);
    let folder = TempFolder::new(&[("x", &outer), ("y", b"5")]);
    assert_eq!(folder.walk(&ReadLimits { total_entries: 9, ..limits() }).len(), 8);
    let seen = folder.walk(&ReadLimits { total_entries: 8, ..limits() });
    let names: Vec<_> = seen.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(names, ["x!/a.zip!/1", "x!/a.zip!/2", "x!/a.zip!/3", "x", "y"]);
    assert_eq!(seen[3].1, Err(SkipError::TooManyEntries { limit: 8 }));
}

#[test]
fn archive_stops_at_its_total_size() {
    let eight = [b'8'; 8];
    let inner = build_archive(&[
        Entry::stored(b"1", &eight),
        Entry::stored(b"2", &eight),
        Entry::stored(b"3", &eight),
    ]);
    let outer = build_archive(&[Entry::stored(b"a.zip", &inner), Entry::stored(b"b", &eight)]);
    let folder = TempFolder::new(&[("x", &outer), ("y", b"next")]);

    let nested = folder.walk(&ReadLimits { nested_bytes: 20, ..limits() });
    let expected = [
        read_record("x!/a.zip!/1", "88888888"),
        read_record("x!/a.zip!/2", "88888888"),
        skipped_record("x!/a.zip", SkipError::ArchiveTooLarge { limit: 20 }),
        read_record("x!/b", "88888888"),
        read_record("y", "next"),
    ];
    assert_eq!(nested, expected);

    // The content of the inner archive and its own bytes count for the outer one.
    let total = inner.len() as u64 + 20;
    let outermost = folder.walk(&ReadLimits { total_bytes: total, ..limits() });
    let expected = [
        read_record("x!/a.zip!/1", "88888888"),
        read_record("x!/a.zip!/2", "88888888"),
        skipped_record("x", SkipError::ArchiveTooLarge { limit: total }),
        read_record("y", "next"),
    ];
    assert_eq!(outermost, expected);
}

#[test]
fn many_small_bombs_are_refused() {
    // Each is below the size at which the ratio is checked.
    let packed = deflate(&vec![0; 1 << 20]);
    let mut crc = flate2::Crc::new();
    crc.update(&vec![0; 1 << 20]);
    let names: Vec<_> = (0..100).map(|number| format!("{number}.fit")).collect();
    let entries: Vec<_> = names
        .iter()
        .map(|name| Entry {
            method: 8,
            declared_packed: packed.len() as u32,
            declared_unpacked: 1 << 20,
            packed: &packed,
            crc: crc.sum(),
            ..Entry::stored(name.as_bytes(), b"")
        })
        .collect();
    let seen = walk_bytes(&build_archive(&entries), &limits());
    assert!(seen.len() < 50, "{}", seen.len());
    assert_eq!(seen.last(), Some(&skipped_record("x", DENSE)));
}

#[test]
fn overlapping_entries_are_refused() {
    let bytes = vec![b'a'; 10_000];
    let first = Entry::stored(b"0.fit", &bytes);
    let names: Vec<_> = (1..200).map(|number| format!("{number}.fit")).collect();
    let mut entries = vec![first];
    entries.extend(names.iter().map(|name| Entry {
        declared_offset: Some(0),
        packed: b"",
        declared_packed: 10_000,
        declared_unpacked: 10_000,
        crc: Entry::stored(b"", &bytes).crc,
        ..Entry::stored(name.as_bytes(), b"")
    }));
    let folder = TempFolder::new(&[("x", &build_archive(&entries)), ("y", b"next")]);
    let seen = folder.walk(&limits());
    assert_eq!(seen[0], read_record("x!/0.fit", "10000 bytes"));
    assert!(seen.len() < 10, "{}", seen.len());
    assert_eq!(
        seen[seen.len() - 2..],
        [skipped_record("x", SkipError::Overlapping), read_record("y", "next")]
    );
}

#[test]
fn truncated_archive_is_reported_once() {
    let whole = zip(&[("1.fit", b"one"), ("2.fit", b"two")]);
    for len in 4..whole.len() {
        let folder = TempFolder::new(&[("a.zip", &whole[..len]), ("b.fit", b"next")]);
        assert_eq!(
            folder.walk(&limits()),
            [skipped_record("a.zip", SkipError::Damaged), read_record("b.fit", "next")],
            "{len}"
        );
    }
}

#[test]
fn truncated_gzip_gives_its_beginning_and_a_reason() {
    struct ReadAllVisitor(Vec<u8>, Option<SkipError>);
    impl Visitor for ReadAllVisitor {
        fn should_read(&mut self, _: &FileEntry<'_>) -> bool {
            true
        }
        fn visit(&mut self, _: &FileEntry<'_>, reader: &mut dyn Read) -> ControlFlow<()> {
            let error = reader.read_to_end(&mut self.0).unwrap_err();
            assert_eq!(SkipError::from_io(&error), SkipError::Damaged);
            Continue(())
        }
        fn on_skipped(&mut self, _: &str, reason: SkipError) {
            assert_eq!(self.1.replace(reason), None, "one line");
        }
    }
    let bytes = noise(100_000);
    let whole = gzip(&bytes);
    for len in [2, 9, 50, 1_000, 50_000, whole.len() - 1] {
        let folder = TempFolder::new(&[("a.gz", &whole[..len])]);
        let mut patient = ReadAllVisitor(Vec::new(), None);
        assert!(walk(&[folder.path()], &limits(), &mut patient).is_continue());
        assert_eq!(patient.1, Some(SkipError::Damaged), "{len}");
        assert!(bytes.starts_with(&patient.0), "{len}");
        assert!(patient.0.len() + 40_000 > len, "{len}: {}", patient.0.len());
    }
}

#[test]
fn garbage_with_zip_signature_is_damaged() {
    let ends = b"PK\x05\x06".repeat(50_000);
    let lists = b"PK\x01\x02".repeat(50_000);
    let mut searched = [&b"PK\x03\x04"[..], &lists].concat();
    searched.extend_from_slice(b"PK\x05\x06");
    put16(&mut searched, &[0, 0, 9, 9, 1, 0, 1, 0, 0]);
    for garbage in [&b"PK\x03\x04"[..], b"PK\x05\x06", b"PK\x03\x04 and nothing more", &ends, &searched] {
        let folder = TempFolder::new(&[("a", garbage), ("b", b"next")]);
        assert_eq!(
            folder.walk(&limits()),
            [skipped_record("a", SkipError::Damaged), read_record("b", "next")]
        );
    }
    let bytes = gzip(b"text");
    assert_eq!(
        walk_bytes(&[&bytes[..10], &[0xff; 90]].concat(), &limits()),
        [skipped_record("x", SkipError::Damaged)]
    );
}

#[test]
fn huge_file_is_not_searched_for_a_directory() {
    // A sparse file of 64 GiB, which would take minutes to search, with an end record that points
    // to its start: once without a directory, once with a record as long as the file.
    let end = |zip64: bool| {
        let mut out = Vec::new();
        if zip64 {
            out.extend_from_slice(b"PK\x06\x07\0\0\0\0");
            out.extend_from_slice(&4_u64.to_le_bytes());
            out.extend_from_slice(&1_u32.to_le_bytes());
        }
        out.extend_from_slice(b"PK\x05\x06\0\0\0\0");
        out.extend_from_slice(if zip64 { &[0xff; 12] } else { b"\x01\0\x01\0\x2e\0\0\0\x01\0\0\0" });
        [&out[..], &[0, 0]].concat()
    };
    let size = 64_u64 << 30;
    let mut record = b"PK\x03\x04PK\x06\x06".to_vec();
    record.extend_from_slice(&(size - 4 - 12).to_le_bytes());
    for zip64 in [false, true] {
        let folder = TempFolder::new(&[("a.zip", &record), ("b.fit", b"next")]);
        let mut file = File::options().write(true).open(folder.path().join("a.zip")).unwrap();
        if file.seek(SeekFrom::Start(size)).and_then(|_| file.write_all(&end(zip64))).is_err() {
            return; // The file system does not support such large files.
        }
        assert_eq!(
            folder.walk(&limits()),
            [skipped_record("a.zip", SkipError::Damaged), read_record("b.fit", "next")]
        );
    }
}

#[test]
fn damaged_archive_never_panics_and_next_file_is_read() {
    let inner = zip(&[("2.fit.gz", &gzip(&[b'2'; 300])), ("3.fit", b"three")]);
    let whole = zip(&[("1.fit", &[b'1'; 300]), ("inner.zip", &inner), ("dir/4.fit", b"four")]);
    let folder = TempFolder::new(&[("b.fit", b"next")]);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for round in 0..3_000 {
        let mut bytes = whole.clone();
        if round % 3 == 0 {
            bytes.truncate(random(whole.len()));
        }
        for _ in 0..random(4) {
            if let Some(byte) = bytes.len().checked_sub(1).map(|last| random(last + 1)) {
                bytes[byte] = random(256) as u8;
            }
        }
        fs::write(folder.path().join("a.zip"), &bytes).unwrap();
        let seen = folder.walk(&limits());
        assert_eq!(seen.last(), Some(&read_record("b.fit", "next")), "round {round}");
        assert!(seen.len() <= 7, "round {round}: {seen:?}");
    }
}
