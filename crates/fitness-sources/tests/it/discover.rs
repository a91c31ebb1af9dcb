//! What an athlete has: files, folders, gzip files, exports.

use crate::archive_fixtures::{Entry, Folder, Memory, forged, gzip, left_out, noise, read, seen_in, zip};
use fitness_sources::files::{Found, Limits, Refused, Visitor, read_all, walk};
use std::io::Read;
use std::ops::ControlFlow::{self, Continue};

fn limits() -> Limits {
    Limits::default()
}

#[test]
fn everything_is_found_in_the_same_order_every_time() {
    let parts = zip(&[("1.fit", b"part one"), ("2.fit.gz", &gzip(b"part two"))]);
    let export = zip(&[("z.json", b"json"), ("DI_CONNECT/parts.zip", &parts), ("a.csv", b"csv")]);
    let folder = Folder::new(&[
        ("runs/b.fit", b"bee"),
        ("runs/a.fit", b"ay"),
        ("export.zip", &export),
        ("run.gpx.gz", &gzip(b"<gpx/>")),
        ("Zwift.fit", b"zed"),
        ("empty.fit", b""),
    ]);
    let expected = [
        read("Zwift.fit", "zed"),
        read("empty.fit", ""),
        read("export.zip!/z.json", "json"),
        read("export.zip!/DI_CONNECT/parts.zip!/1.fit", "part one"),
        read("export.zip!/DI_CONNECT/parts.zip!/2.fit.gz", "part two"),
        read("export.zip!/a.csv", "csv"),
        read("run.gpx.gz", "<gpx/>"),
        read("runs/a.fit", "ay"),
        read("runs/b.fit", "bee"),
    ];
    assert_eq!(folder.walk(&limits()), expected);
    assert_eq!(folder.walk(&limits()), expected);
}

#[test]
fn paths_are_walked_in_the_order_they_were_named() {
    let folder = Folder::new(&[("a", b"1"), ("b", b"2")]);
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    let mut memory = Memory::default();
    assert!(walk(&[b, a], &limits(), &mut memory).is_continue());
    assert_eq!(memory.names, ["b", "a"]);
}

#[test]
fn a_gzip_file_is_named_for_what_is_in_it() {
    let packed = gzip(b"text");
    let folder = Folder::new(&[
        ("a.fit.gz", &packed),
        ("b.TCX.GZ", &packed),
        (".gz", &packed),
        ("d.zip", &zip(&[("c.gpx.gz", &packed)])),
        ("e.fit.gz", b"some browsers unpack and keep the name"),
    ]);
    let mut memory = Memory::default();
    assert!(walk(&[folder.path()], &limits(), &mut memory).is_continue());
    assert_eq!(memory.names, [".gz", "a.fit", "b.TCX", "c.gpx", "e.fit"]);
}

#[test]
fn content_decides_and_not_the_name() {
    let folder = Folder::new(&[
        ("archive.fit", &zip(&[("inner.fit", &zip(&[("run.fit", b"run")]))])),
        ("packed.fit", &gzip(b"unpacked")),
        ("plain.zip", b"not an archive at all"),
        ("void.zip", &zip(&[])),
    ]);
    let expected = [
        read("archive.fit!/inner.fit!/run.fit", "run"),
        read("packed.fit", "unpacked"),
        read("plain.zip", "not an archive at all"),
    ];
    assert_eq!(folder.walk(&limits()), expected);
}

#[test]
fn what_is_not_wanted_is_neither_read_nor_complained_about() {
    let mut locked = Entry::stored(b"photo.jpg", b"?");
    locked.flags = 1;
    let export = forged(&[locked, Entry::stored(b"run.fit", b"run")]);
    let outer =
        zip(&[("export.zip", &export), ("notes.zip", b"just text"), ("a.jpg.gz", b"\x1f\x8b broken")]);
    let folder = Folder::new(&[("outer.bin", &outer), ("movie.mp4", b"?")]);
    let mut memory = Memory { wants: |found| found.name.ends_with(".fit"), ..Memory::default() };
    assert!(walk(&[folder.path()], &limits(), &mut memory).is_continue());
    assert_eq!(folder.shorten(memory.seen), [read("outer.bin!/export.zip!/run.fit", "run")]);
}

#[test]
fn sizes_are_told_where_they_are_known() {
    #[derive(Default)]
    struct Sizes {
        asked: Vec<Option<u64>>,
        visited: Vec<Option<u64>>,
    }
    impl Visitor for Sizes {
        fn wants(&mut self, found: &Found<'_>) -> bool {
            self.asked.push(found.size);
            true
        }
        fn visit(&mut self, found: &Found<'_>, _: &mut dyn Read) -> ControlFlow<()> {
            self.visited.push(found.size);
            Continue(())
        }
        fn skipped(&mut self, path: &str, reason: Refused) {
            panic!("{path}: {reason}")
        }
    }
    let packed = gzip(b"text");
    let archive = zip(&[("c.fit", b"1234567"), ("d.fit.gz", &packed)]);
    let folder =
        Folder::new(&[("a.fit", b"12345"), ("b.zip", &archive), ("e.fit.gz", &packed), ("f.fit", &packed)]);
    let mut sizes = Sizes::default();
    assert!(walk(&[folder.path()], &limits(), &mut sizes).is_continue());
    assert_eq!(sizes.asked, [Some(5), Some(7), None, None, Some(packed.len() as u64)]);
    assert_eq!(sizes.visited, [Some(5), Some(7), None, None, None]);
}

#[test]
fn a_visitor_that_stops_is_asked_nothing_more() {
    let parts = zip(&[("1", b"1"), ("2", b"2"), ("3", b"3")]);
    let folder = Folder::new(&[("a.zip", &zip(&[("parts.zip", &parts), ("4", b"4")])), ("b", b"5")]);
    for (stop_after, stopped) in [(1, true), (2, true), (3, true), (4, true), (5, true), (6, false)] {
        let mut memory = Memory { stop_after, ..Memory::default() };
        assert_eq!(walk(&[folder.path()], &limits(), &mut memory).is_break(), stopped);
        assert_eq!(memory.names.len(), stop_after.min(5));
    }
}

#[test]
fn a_visitor_may_leave_bytes_unread() {
    struct Lazy(Vec<u8>);
    impl Visitor for Lazy {
        fn wants(&mut self, _: &Found<'_>) -> bool {
            true
        }
        fn visit(&mut self, _: &Found<'_>, reader: &mut dyn Read) -> ControlFlow<()> {
            let mut first = [0];
            assert_eq!(reader.read(&mut first).unwrap(), 1);
            self.0.extend(first);
            Continue(())
        }
        fn skipped(&mut self, path: &str, reason: Refused) {
            panic!("{path}: {reason}")
        }
    }
    let long = |first: u8| [vec![first], noise(1 << 20)].concat();
    let archive = zip(&[("1", &long(b'1')), ("2.gz", &gzip(&long(b'2'))), ("3", &long(b'3'))]);
    let folder = Folder::new(&[("a.zip", &archive), ("b", &long(b'4')), ("c.gz", &gzip(&long(b'5')))]);
    let mut lazy = Lazy(Vec::new());
    assert!(walk(&[folder.path()], &limits(), &mut lazy).is_continue());
    assert_eq!(lazy.0, b"12345");
}

#[test]
fn a_large_archive_in_an_archive_goes_through_a_temporary_file() {
    let noise = noise(17 << 20);
    let inner = forged(&[Entry::stored(b"noise.fit", &noise), Entry::stored(b"last.fit", b"last")]);
    let outer = forged(&[Entry::stored(b"inner.zip", &inner)]);
    let expected = [
        read("x!/inner.zip!/noise.fit", &format!("{} bytes", noise.len())),
        read("x!/inner.zip!/last.fit", "last"),
    ];
    assert_eq!(seen_in(&outer, &limits()), expected);
}

#[test]
fn names_in_other_letters_are_shown_as_well_as_they_can_be() {
    let archive = forged(&[
        Entry::stored("Läufe/früh.fit".as_bytes(), b"1"),
        Entry::stored(b"fr\x81h.fit", b"2"),
        Entry::stored(b"Runs\\2024\\a.fit", b"3"),
        Entry::stored(b"bell\x07\x1b[31m.fit", b"4"),
        Entry::stored(b"a:b.fit/..fit...", b"5"),
    ]);
    let expected = [
        read("x!/Läufe/früh.fit", "1"),
        read("x!/früh.fit", "2"),
        read("x!/Runs/2024/a.fit", "3"),
        read("x!/bell\u{fffd}\u{fffd}[31m.fit", "4"),
        left_out("x!/a:b.fit/..fit...", Refused::LeadsOut),
    ];
    assert_eq!(seen_in(&archive, &limits()), expected);
}

#[test]
fn an_archive_at_the_limit_is_read() {
    let archive = zip(&[("1", b"one"), ("2", b"two"), ("3", b"three")]);
    assert_eq!(seen_in(&archive, &Limits { entries: 3, ..limits() }).len(), 3);
    let over = seen_in(&archive, &Limits { entries: 2, ..limits() });
    assert_eq!(over, [left_out("x", Refused::TooManyEntries { limit: 2 })]);
}

#[test]
fn a_file_of_exactly_the_limit_is_read_and_one_byte_more_is_not() {
    let ten = Limits { entry_bytes: 10, ..limits() };
    let too_large = Refused::TooLarge { limit: 10 };
    let (fits, over): (&[u8], &[u8]) = (b"0123456789", b"0123456789+");
    let folder = Folder::new(&[
        ("a", fits),
        ("b", over),
        ("c.zip", &forged(&[Entry::stored(b"d", fits), Entry::stored(b"e", over)])),
    ]);
    let expected = [
        read("a", "0123456789"),
        left_out("b", too_large),
        read("c.zip!/d", "0123456789"),
        left_out("c.zip!/e", too_large),
    ];
    assert_eq!(folder.walk(&ten), expected);
    assert_eq!(read_all(&mut &fits[..], 10), Ok(fits.to_vec()));
    assert_eq!(read_all(&mut &over[..], 10), Err(too_large));
    assert_eq!(read_all(&mut &over[..], u64::MAX), Ok(over.to_vec()));
}

#[test]
fn a_short_file_may_grow_as_much_as_it_likes() {
    let line = vec![b'a'; 1 << 20];
    let folder = Folder::new(&[("a.zip", &zip(&[("b", &line)])), ("c.gz", &gzip(&line))]);
    let expected = ["a.zip!/b", "c.gz"].map(|path| read(path, "1048576 bytes"));
    assert_eq!(folder.walk(&limits()), expected);
}

#[test]
fn what_is_not_there_is_said_and_the_rest_goes_on() {
    let folder = Folder::new(&[("here", b"1")]);
    let (gone, here) = (folder.path().join("gone"), folder.path().join("here"));
    let mut memory = Memory::default();
    assert!(walk(&[gone, here], &limits(), &mut memory).is_continue());
    assert_eq!(folder.shorten(memory.seen), [left_out("gone", Refused::Missing), read("here", "1")]);
}

#[test]
fn folders_without_end_end() {
    let deep = format!("{}a.fit", "d/".repeat(64));
    let deeper = format!("{}b.fit", "e/".repeat(65));
    let folder = Folder::new(&[(&deep, b"1"), (&deeper, b"2")]);
    let seen = folder.walk(&limits());
    let cut = format!("{}e", "e/".repeat(64));
    assert_eq!(seen, [read(&deep, "1"), left_out(&cut, Refused::NestedTooDeeply)]);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::fs::{self, File, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;

    #[test]
    fn links_are_followed_where_the_athlete_named_them_and_nowhere_else() {
        let elsewhere = Folder::new(&[("secret.fit", b"secret")]);
        let folder = Folder::new(&[("run.fit", b"run")]);
        symlink(elsewhere.path(), folder.path().join("a-folder")).unwrap();
        symlink(elsewhere.path().join("secret.fit"), folder.path().join("b-file")).unwrap();
        symlink("nowhere", folder.path().join("c-nothing")).unwrap();
        symlink(".", folder.path().join("d-loop")).unwrap();
        let links = ["a-folder", "b-file", "c-nothing", "d-loop"].map(|path| left_out(path, Refused::Link));
        assert_eq!(folder.walk(&limits()), [&links[..], &[read("run.fit", "run")]].concat());

        let mut memory = Memory::default();
        assert!(walk(&[folder.path().join("a-folder")], &limits(), &mut memory).is_continue());
        assert_eq!(folder.shorten(memory.seen), [read("a-folder/secret.fit", "secret")]);
    }

    #[test]
    fn what_is_neither_a_file_nor_a_folder_is_not_opened() {
        let folder = Folder::new(&[("run.fit", b"run")]);
        let _listener = UnixListener::bind(folder.path().join("a.sock")).unwrap();
        let expected = [left_out("a.sock", Refused::NotAFile), read("run.fit", "run")];
        assert_eq!(folder.walk(&limits()), expected);
    }

    #[test]
    fn what_may_not_be_read_is_said_and_the_rest_goes_on() {
        let folder = Folder::new(&[("a/run.fit", b"1"), ("b.fit", b"2"), ("c.fit", b"3")]);
        for path in ["a", "b.fit"] {
            fs::set_permissions(folder.path().join(path), Permissions::from_mode(0o000)).unwrap();
        }
        // Nothing is forbidden to root.
        if File::open(folder.path().join("b.fit")).is_err() {
            let expected = [
                left_out("a", Refused::NotAllowed),
                left_out("b.fit", Refused::NotAllowed),
                read("c.fit", "3"),
            ];
            assert_eq!(folder.walk(&limits()), expected);
        }
        fs::set_permissions(folder.path().join("a"), Permissions::from_mode(0o700)).unwrap();
    }
}
