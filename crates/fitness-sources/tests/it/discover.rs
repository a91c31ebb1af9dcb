//! Walking files, folders, gzip files and archives.

use crate::archive_fixtures::{
    Entry, RecordingVisitor, TempFolder, build_archive, gzip, noise, read_record, skipped_record, walk_bytes,
    zip,
};
use fitness_sources::files::{FileEntry, ReadLimits, SkipError, Visitor, read_all, walk};
use std::io::Read;
use std::ops::ControlFlow::{self, Continue};

fn limits() -> ReadLimits {
    ReadLimits::default()
}

#[test]
fn files_are_visited_in_a_fixed_order() {
    let parts = zip(&[("1.fit", b"part one"), ("2.fit.gz", &gzip(b"part two"))]);
    let export = zip(&[("z.json", b"json"), ("DI_CONNECT/parts.zip", &parts), ("a.csv", b"csv")]);
    let folder = TempFolder::new(&[
        ("runs/b.fit", b"bee"),
        ("runs/a.fit", b"ay"),
        ("export.zip", &export),
        ("run.gpx.gz", &gzip(b"<gpx/>")),
        ("Zwift.fit", b"zed"),
        ("empty.fit", b""),
    ]);
    let expected = [
        read_record("Zwift.fit", "zed"),
        read_record("empty.fit", ""),
        read_record("export.zip!/z.json", "json"),
        read_record("export.zip!/DI_CONNECT/parts.zip!/1.fit", "part one"),
        read_record("export.zip!/DI_CONNECT/parts.zip!/2.fit.gz", "part two"),
        read_record("export.zip!/a.csv", "csv"),
        read_record("run.gpx.gz", "<gpx/>"),
        read_record("runs/a.fit", "ay"),
        read_record("runs/b.fit", "bee"),
    ];
    assert_eq!(folder.walk(&limits()), expected);
    assert_eq!(folder.walk(&limits()), expected);
}

#[test]
fn paths_are_walked_in_the_order_they_were_named() {
    let folder = TempFolder::new(&[("a", b"1"), ("b", b"2")]);
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    let mut memory = RecordingVisitor::default();
    assert!(walk(&[b, a], &limits(), &mut memory).is_continue());
    assert_eq!(memory.names, ["b", "a"]);
}

#[test]
fn gzip_file_is_named_without_suffix() {
    let packed = gzip(b"text");
    let folder = TempFolder::new(&[
        ("a.fit.gz", &packed),
        ("b.TCX.GZ", &packed),
        (".gz", &packed),
        ("d.zip", &zip(&[("c.gpx.gz", &packed)])),
        ("e.fit.gz", b"some browsers unpack and keep the name"),
    ]);
    let mut memory = RecordingVisitor::default();
    assert!(walk(&[folder.path()], &limits(), &mut memory).is_continue());
    assert_eq!(memory.names, [".gz", "a.fit", "b.TCX", "c.gpx", "e.fit"]);
}

#[test]
fn content_decides_archive_type() {
    let folder = TempFolder::new(&[
        ("archive.fit", &zip(&[("inner.fit", &zip(&[("run.fit", b"run")]))])),
        ("packed.fit", &gzip(b"unpacked")),
        ("plain.zip", b"not an archive at all"),
        ("void.zip", &zip(&[])),
    ]);
    let expected = [
        read_record("archive.fit!/inner.fit!/run.fit", "run"),
        read_record("packed.fit", "unpacked"),
        read_record("plain.zip", "not an archive at all"),
    ];
    assert_eq!(folder.walk(&limits()), expected);
}

#[test]
fn unwanted_file_is_ignored() {
    let mut locked = Entry::stored(b"photo.jpg", b"?");
    locked.flags = 1;
    let export = build_archive(&[locked, Entry::stored(b"run.fit", b"run")]);
    let outer =
        zip(&[("export.zip", &export), ("notes.zip", b"just text"), ("a.jpg.gz", b"\x1f\x8b broken")]);
    let folder = TempFolder::new(&[("outer.bin", &outer), ("movie.mp4", b"?")]);
    let mut memory =
        RecordingVisitor { wants: |found| found.name.ends_with(".fit"), ..RecordingVisitor::default() };
    assert!(walk(&[folder.path()], &limits(), &mut memory).is_continue());
    assert_eq!(folder.shorten(memory.visits), [read_record("outer.bin!/export.zip!/run.fit", "run")]);
}

#[test]
fn declared_sizes_are_passed_on() {
    #[derive(Default)]
    struct Sizes {
        asked: Vec<Option<u64>>,
        visited: Vec<Option<u64>>,
    }
    impl Visitor for Sizes {
        fn should_read(&mut self, found: &FileEntry<'_>) -> bool {
            self.asked.push(found.size);
            true
        }
        fn visit(&mut self, found: &FileEntry<'_>, _: &mut dyn Read) -> ControlFlow<()> {
            self.visited.push(found.size);
            Continue(())
        }
        fn on_skipped(&mut self, path: &str, reason: SkipError) {
            panic!("{path}: {reason}")
        }
    }
    let packed = gzip(b"text");
    let archive = zip(&[("c.fit", b"1234567"), ("d.fit.gz", &packed)]);
    let folder = TempFolder::new(&[
        ("a.fit", b"12345"),
        ("b.zip", &archive),
        ("e.fit.gz", &packed),
        ("f.fit", &packed),
    ]);
    let mut sizes = Sizes::default();
    assert!(walk(&[folder.path()], &limits(), &mut sizes).is_continue());
    assert_eq!(sizes.asked, [Some(5), Some(7), None, None, Some(packed.len() as u64)]);
    assert_eq!(sizes.visited, [Some(5), Some(7), None, None, None]);
}

#[test]
fn visitor_break_ends_the_walk() {
    let parts = zip(&[("1", b"1"), ("2", b"2"), ("3", b"3")]);
    let folder = TempFolder::new(&[("a.zip", &zip(&[("parts.zip", &parts), ("4", b"4")])), ("b", b"5")]);
    for (stop_after, stopped) in [(1, true), (2, true), (3, true), (4, true), (5, true), (6, false)] {
        let mut memory = RecordingVisitor { stop_after, ..RecordingVisitor::default() };
        assert_eq!(walk(&[folder.path()], &limits(), &mut memory).is_break(), stopped);
        assert_eq!(memory.names.len(), stop_after.min(5));
    }
}

#[test]
fn visitor_may_skip_bytes() {
    struct PartialReader(Vec<u8>);
    impl Visitor for PartialReader {
        fn should_read(&mut self, _: &FileEntry<'_>) -> bool {
            true
        }
        fn visit(&mut self, _: &FileEntry<'_>, reader: &mut dyn Read) -> ControlFlow<()> {
            let mut first = [0];
            assert_eq!(reader.read(&mut first).unwrap(), 1);
            self.0.extend(first);
            Continue(())
        }
        fn on_skipped(&mut self, path: &str, reason: SkipError) {
            panic!("{path}: {reason}")
        }
    }
    let long = |first: u8| [vec![first], noise(1 << 20)].concat();
    let archive = zip(&[("1", &long(b'1')), ("2.gz", &gzip(&long(b'2'))), ("3", &long(b'3'))]);
    let folder = TempFolder::new(&[("a.zip", &archive), ("b", &long(b'4')), ("c.gz", &gzip(&long(b'5')))]);
    let mut lazy = PartialReader(Vec::new());
    assert!(walk(&[folder.path()], &limits(), &mut lazy).is_continue());
    assert_eq!(lazy.0, b"12345");
}

#[test]
fn large_nested_archive_is_read() {
    let noise = noise(17 << 20);
    let inner = build_archive(&[Entry::stored(b"noise.fit", &noise), Entry::stored(b"last.fit", b"last")]);
    let outer = build_archive(&[Entry::stored(b"inner.zip", &inner)]);
    let expected = [
        read_record("x!/inner.zip!/noise.fit", &format!("{} bytes", noise.len())),
        read_record("x!/inner.zip!/last.fit", "last"),
    ];
    assert_eq!(walk_bytes(&outer, &limits()), expected);
}

#[test]
fn non_utf8_names_are_shown() {
    let archive = build_archive(&[
        Entry::stored("Läufe/früh.fit".as_bytes(), b"1"),
        Entry::stored(b"fr\x81h.fit", b"2"),
        Entry::stored(b"Runs\\2024\\a.fit", b"3"),
        Entry::stored(b"bell\x07\x1b[31m.fit", b"4"),
        Entry::stored(b"a:b.fit/..fit...", b"5"),
    ]);
    let expected = [
        read_record("x!/Läufe/früh.fit", "1"),
        read_record("x!/früh.fit", "2"),
        read_record("x!/Runs/2024/a.fit", "3"),
        read_record("x!/bell\u{fffd}\u{fffd}[31m.fit", "4"),
        skipped_record("x!/a:b.fit/..fit...", SkipError::PathTraversal),
    ];
    assert_eq!(walk_bytes(&archive, &limits()), expected);
}

#[test]
fn an_archive_at_the_limit_is_read() {
    let archive = zip(&[("1", b"one"), ("2", b"two"), ("3", b"three")]);
    assert_eq!(walk_bytes(&archive, &ReadLimits { entries: 3, ..limits() }).len(), 3);
    let over = walk_bytes(&archive, &ReadLimits { entries: 2, ..limits() });
    assert_eq!(over, [skipped_record("x", SkipError::TooManyEntries { limit: 2 })]);
}

#[test]
fn size_limit_is_exact() {
    let ten = ReadLimits { entry_bytes: 10, ..limits() };
    let too_large = SkipError::TooLarge { limit: 10 };
    let (fits, over): (&[u8], &[u8]) = (b"0123456789", b"0123456789+");
    let folder = TempFolder::new(&[
        ("a", fits),
        ("b", over),
        ("c.zip", &build_archive(&[Entry::stored(b"d", fits), Entry::stored(b"e", over)])),
    ]);
    let expected = [
        read_record("a", "0123456789"),
        skipped_record("b", too_large),
        read_record("c.zip!/d", "0123456789"),
        skipped_record("c.zip!/e", too_large),
    ];
    assert_eq!(folder.walk(&ten), expected);
    assert_eq!(read_all(&mut &fits[..], 10), Ok(fits.to_vec()));
    assert_eq!(read_all(&mut &over[..], 10), Err(too_large));
    assert_eq!(read_all(&mut &over[..], u64::MAX), Ok(over.to_vec()));
}

#[test]
fn ratio_is_not_checked_below_one_mebibyte() {
    let line = vec![b'a'; 1 << 20];
    let folder = TempFolder::new(&[("a.zip", &zip(&[("b", &line)])), ("c.gz", &gzip(&line))]);
    let expected = ["a.zip!/b", "c.gz"].map(|path| read_record(path, "1048576 bytes"));
    assert_eq!(folder.walk(&limits()), expected);
}

#[test]
fn missing_path_is_reported_and_the_rest_read() {
    let folder = TempFolder::new(&[("here", b"1")]);
    let (gone, here) = (folder.path().join("gone"), folder.path().join("here"));
    let mut memory = RecordingVisitor::default();
    assert!(walk(&[gone, here], &limits(), &mut memory).is_continue());
    assert_eq!(
        folder.shorten(memory.visits),
        [skipped_record("gone", SkipError::Missing), read_record("here", "1")]
    );
}

#[test]
fn folder_depth_is_limited() {
    let deep = format!("{}a.fit", "d/".repeat(64));
    let deeper = format!("{}b.fit", "e/".repeat(65));
    let folder = TempFolder::new(&[(&deep, b"1"), (&deeper, b"2")]);
    let seen = folder.walk(&limits());
    let cut = format!("{}e", "e/".repeat(64));
    assert_eq!(seen, [read_record(&deep, "1"), skipped_record(&cut, SkipError::NestedTooDeeply)]);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::fs::{self, File, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;

    #[test]
    fn only_named_links_are_followed() {
        let elsewhere = TempFolder::new(&[("secret.fit", b"secret")]);
        let folder = TempFolder::new(&[("run.fit", b"run")]);
        symlink(elsewhere.path(), folder.path().join("a-folder")).unwrap();
        symlink(elsewhere.path().join("secret.fit"), folder.path().join("b-file")).unwrap();
        symlink("nowhere", folder.path().join("c-nothing")).unwrap();
        symlink(".", folder.path().join("d-loop")).unwrap();
        let links =
            ["a-folder", "b-file", "c-nothing", "d-loop"].map(|path| skipped_record(path, SkipError::Link));
        assert_eq!(folder.walk(&limits()), [&links[..], &[read_record("run.fit", "run")]].concat());

        let mut memory = RecordingVisitor::default();
        assert!(walk(&[folder.path().join("a-folder")], &limits(), &mut memory).is_continue());
        assert_eq!(folder.shorten(memory.visits), [read_record("a-folder/secret.fit", "secret")]);
    }

    #[test]
    fn special_file_is_not_opened() {
        let folder = TempFolder::new(&[("run.fit", b"run")]);
        let _listener = UnixListener::bind(folder.path().join("a.sock")).unwrap();
        let expected = [skipped_record("a.sock", SkipError::NotAFile), read_record("run.fit", "run")];
        assert_eq!(folder.walk(&limits()), expected);
    }

    #[test]
    fn unreadable_file_is_reported_and_the_rest_read() {
        let folder = TempFolder::new(&[("a/run.fit", b"1"), ("b.fit", b"2"), ("c.fit", b"3")]);
        for path in ["a", "b.fit"] {
            fs::set_permissions(folder.path().join(path), Permissions::from_mode(0o000)).unwrap();
        }
        // root may read everything.
        if File::open(folder.path().join("b.fit")).is_err() {
            let expected = [
                skipped_record("a", SkipError::PermissionDenied),
                skipped_record("b.fit", SkipError::PermissionDenied),
                read_record("c.fit", "3"),
            ];
            assert_eq!(folder.walk(&limits()), expected);
        }
        fs::set_permissions(folder.path().join("a"), Permissions::from_mode(0o700)).unwrap();
    }
}
