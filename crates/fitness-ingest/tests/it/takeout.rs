//! Everything out, in open formats, and in again: an equal database, or none.

use crate::made::{clock, made, take};
use fitness_core::note::{Author, NoteText};
use fitness_ingest::takeout::{export, take_over};
use fitness_store::testkit::{self, Backend, TestDb, now};
use fitness_store::{Location, on_both_databases};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use tempfile::TempDir;

fn names(path: &Path) -> BTreeSet<String> {
    zip::ZipArchive::new(File::open(path).unwrap())
        .unwrap()
        .file_names()
        .map(|name| name.unwrap().into_owned())
        .collect()
}

fn member(path: &Path, name: &str) -> String {
    let mut text = String::new();
    let mut zip = zip::ZipArchive::new(File::open(path).unwrap()).unwrap();
    zip.by_name(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

/// The same ZIP with some members changed or left out.
fn spoiled(from: &Path, to: &Path, change: impl Fn(&str, Vec<u8>) -> Option<Vec<u8>>) {
    let mut old = zip::ZipArchive::new(File::open(from).unwrap()).unwrap();
    let mut new = zip::ZipWriter::new(File::create(to).unwrap());
    for at in 0..old.len() {
        let mut part = old.by_index(at).unwrap();
        let (name, mut bytes) = (part.name().unwrap().into_owned(), Vec::new());
        part.read_to_end(&mut bytes).unwrap();
        if let Some(bytes) = change(&name, bytes) {
            new.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            new.write_all(&bytes).unwrap();
        }
    }
    new.finish().unwrap();
}

on_both_databases! {
    async fn what_is_taken_out_makes_an_equal_database(db) {
        let home = TempDir::new().unwrap();
        let ann = db.user("Ann").await;
        take(&db.store, ann, &[made().zip.clone()]).await;
        db.active_plan(ann, "Spring").await;
        let text = NoteText::new("=HYPERLINK(\"x\") calf, \"tight\"").unwrap();
        db.store.add_note(ann, Author::Athlete, None, &text, now()).await.unwrap();
        let path = home.path().join("ann.zip");
        let (_, contents) = export(&db.store, ann, File::create(&path).unwrap(), clock()).await.unwrap();

        let found = names(&path);
        for wanted in ["README.txt", "manifest.json", "activities.csv", "days.csv", "notes.md", "briefs.md", "conversations.md", "data/activities.jsonl", "data/audit_log.jsonl"] {
            assert!(found.contains(wanted), "{wanted} is missing in {found:?}");
        }
        for kind in ["files/", "recordings/", "plans/"] {
            assert!(found.iter().any(|name| name.starts_with(kind)), "no {kind} in {found:?}");
        }
        // Every file is as it was imported; every recording has its moments.
        assert!(contents.files.len() > 10);
        let lines = member(&path, "activities.csv").lines().count() as u64;
        assert_eq!(lines, made().activities + 1);
        let recording = found.iter().find(|name| name.starts_with("recordings/")).unwrap();
        let recording = member(&path, recording);
        assert!(recording.starts_with("seconds,") && recording.lines().count() > 100, "{}", &recording[..200]);
        assert!(member(&path, "notes.md").contains("calf, \"tight\""));

        let before = db.store.logical_hash().await.unwrap();
        for backend in [Backend::Sqlite, Backend::Postgres] {
            let location = match backend {
                Backend::Sqlite => home.path().join("new.db").into_os_string(),
                Backend::Postgres => match testkit::cluster() {
                    Some(cluster) => cluster.empty_database().await.into(),
                    None => continue,
                },
            };
            let (store, _) = take_over(Location::parse(&location).unwrap(), &path).await.unwrap();
            assert_eq!(store.logical_hash().await.unwrap(), before, "{backend:?}");
            assert_eq!(store.derived_fingerprint(ann).await.unwrap(), db.store.derived_fingerprint(ann).await.unwrap());
            store.close().await;
        }
    }

    async fn nobody_elses_data_leaves(db) {
        let home = TempDir::new().unwrap();
        let (ann, bob) = (db.user("Ann").await, db.user("Bob the other").await);
        for (user, text) in [(ann, "mine-7391"), (bob, "theirs-5512")] {
            db.active_plan(user, text).await;
            db.store.add_note(user, Author::Athlete, None, &NoteText::new(text).unwrap(), now()).await.unwrap();
        }
        let path = home.path().join("ann.zip");
        export(&db.store, ann, File::create(&path).unwrap(), clock()).await.unwrap();
        let all: String = names(&path).iter().map(|name| member(&path, name)).collect();
        assert!(all.contains("mine-7391"));
        assert!(!all.contains("theirs-5512") && !all.contains("Bob the other"));
        let (store, _) = take_over(Location::parse(home.path().join("ann.db").as_os_str()).unwrap(), &path).await.unwrap();
        assert_eq!(store.list_users().await.unwrap().len(), 1);
        assert_eq!(store.find_active_plan(ann).await.unwrap().unwrap().name, "mine-7391");
    }
}

#[tokio::test]
async fn an_export_that_was_changed_is_refused_and_nothing_is_made() {
    let home = TempDir::new().unwrap();
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let ann = db.user("Ann").await;
    take(&db.store, ann, &[made().zip.clone()]).await;
    db.store.add_note(ann, Author::Athlete, None, &NoteText::new("a note").unwrap(), now()).await.unwrap();
    let whole = home.path().join("whole.zip");
    export(&db.store, ann, File::create(&whole).unwrap(), clock()).await.unwrap();
    let (bad, there) = (home.path().join("bad.zip"), home.path().join("there.db"));
    let refused = async |what: &str| {
        let location = Location::parse(there.as_os_str()).unwrap();
        let why = take_over(location, &bad).await.map(|_| ()).unwrap_err().to_string();
        assert!(!there.exists(), "{what}: {why}");
        why
    };
    let text = |bytes: Vec<u8>, from: &str, to: &str| {
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains(from), "{text}");
        Some(text.replace(from, to).into_bytes())
    };
    spoiled(&whole, &bad, |name, bytes| match name {
        "data/notes.jsonl" => text(bytes, "a note", "another"),
        _ => Some(bytes),
    });
    assert!(refused("a changed note").await.contains("what came out of notes is not what went in"));
    spoiled(&whole, &bad, |name, bytes| (name != "data/laps.jsonl").then_some(bytes));
    assert!(refused("a missing table").await.contains("data/laps.jsonl is missing"));
    spoiled(
        &whole,
        &bad,
        |name, bytes| if name.starts_with("files/") { Some(b"FIT".to_vec()) } else { Some(bytes) },
    );
    assert!(refused("another file").await.contains("is missing or damaged"));
    spoiled(&whole, &bad, |name, bytes| match name {
        "notes.md" => text(bytes, "a note", "another"),
        _ => Some(bytes),
    });
    assert!(refused("another text").await.contains("notes.md was changed"));
    spoiled(&whole, &bad, |name, bytes| (name != "activities.csv").then_some(bytes));
    assert!(refused("a missing table for people").await.contains("activities.csv is missing"));
    spoiled(&whole, &bad, |name, bytes| match name {
        "data/users.jsonl" => text(bytes, "\"name\"", "\"rank\""),
        _ => Some(bytes),
    });
    assert!(refused("an unknown column").await.contains("there is no column rank"));
    spoiled(&whole, &bad, |name, bytes| match name {
        "manifest.json" => text(bytes, "m0001_foundation\"", "m0001_foundation\", \"m9999_later\""),
        _ => Some(bytes),
    });
    assert!(refused("a newer one").await.contains("newer version"));
    spoiled(&whole, &bad, |name, bytes| (name != "manifest.json").then_some(bytes));
    assert!(refused("no export").await.contains("no export of local-fitness"));
    let bytes = std::fs::read(&whole).unwrap();
    for part in [0, 1, 10, 50, 99] {
        std::fs::write(&bad, &bytes[..bytes.len() * part / 100]).unwrap();
        refused(&format!("cut at {part} percent")).await;
    }
    // Where one bit is another, either nothing is made, or it was in what the ZIP notes of its parts and not in them.
    let parts = |path: &Path| -> Option<BTreeMap<String, Vec<u8>>> {
        let mut zip = zip::ZipArchive::new(File::open(path).ok()?).ok()?;
        let count = zip.len();
        let read = |index| {
            let mut part = zip.by_index(index).ok()?;
            let mut bytes = Vec::new();
            part.read_to_end(&mut bytes).ok()?;
            Some((part.name().ok()?.into_owned(), bytes))
        };
        (0..count).map(read).collect()
    };
    let said = parts(&whole).unwrap();
    for step in 0..60 {
        let mut flipped = bytes.clone();
        let place = bytes.len() * step / 60;
        flipped[place] ^= 1 << (step % 8);
        std::fs::write(&bad, &flipped).unwrap();
        let taken = take_over(Location::parse(there.as_os_str()).unwrap(), &bad).await;
        if let Ok((store, _)) = taken {
            store.close().await;
            assert_eq!(parts(&bad).as_ref(), Some(&said), "a bit of byte {place}");
            std::fs::remove_file(&there).unwrap();
        }
        assert!(!there.exists(), "a bit of byte {place}");
    }
    let location = |url: &str| Location::parse(OsStr::new(url)).unwrap();
    let why = take_over(location(db.url()), &whole).await.map(|_| ()).unwrap_err().to_string();
    assert!(why.contains("is not empty"), "{why}");
    take_over(Location::parse(there.as_os_str()).unwrap(), &whole).await.unwrap();
}
