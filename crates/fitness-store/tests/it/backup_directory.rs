//! One folder of backups: of several databases, written by several programs at once, one of them killed.

use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::note::{Author, NoteText};
use fitness_core::plan::ActionKind;
use fitness_store::backup::{self, Backups, Folder, NIGHTS, Part};
use fitness_store::testkit::{self, Backend, TestDb, consent, june, now};
use fitness_store::{Location, Missing, Remains, Store, on_both_databases};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A database whose backups are kept in a folder.
async fn keeping(url: &str, folder: &Path) -> Store {
    let location = Location::parse(OsStr::new(url)).unwrap();
    Store::open_keeping(location, Missing::Create, Backups::In(folder.to_owned())).await.unwrap()
}

/// A database as it is, and another of the same kind, that keep their backups in one folder.
async fn two_in_one(db: &TestDb, home: &TempDir) -> (Store, Store, PathBuf) {
    let folder = home.path().join("backups");
    let other = if db.is_sqlite() {
        home.path().join("other.db").display().to_string()
    } else {
        testkit::cluster().unwrap().fresh_database().await
    };
    (keeping(db.url(), &folder).await, keeping(&other, &folder).await, folder)
}

async fn add(store: &Store, name: &str) -> UserId {
    store.add_user(name, &fitness_core::domain::athlete::Profile::default(), now()).await.unwrap().id
}

async fn leave(store: &Store, user: UserId, name: &str) -> Vec<Remains> {
    let seen = ContentHash::of_bytes(name.as_bytes());
    let consent = consent(store, user, ActionKind::DeleteUser, None, seen).await.unwrap();
    store.remove_user(consent, None).await.unwrap().remains
}

/// The files in a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

on_both_databases! {
    async fn uploads_of_others_and_those_that_arrive_or_wait_are_no_leftovers(db) {
        let home = TempDir::new().unwrap();
        let (here, there, _) = two_in_one(&db, &home).await;
        let ann = add(&here, "Ann").await;
        let (own, other) = (here.uploads().await.unwrap(), there.uploads().await.unwrap());
        let (waits, arrives) = (own.begin().unwrap(), own.begin().unwrap());
        let (left, elsewhere) = (own.begin().unwrap(), other.begin().unwrap());
        let path = left.path().to_owned();
        here.enqueue(ann, "import", waits.payload(), now(), now()).await.unwrap();
        for upload in [waits, left, elsewhere] {
            upload.keep();
        }
        assert_eq!(here.leftover_uploads(now()).await.unwrap(), std::slice::from_ref(&path));
        assert_eq!(here.remove_leftover_uploads(now()).await.unwrap(), std::slice::from_ref(&path));
        assert!(!path.exists() && arrives.path().exists());
        assert_eq!((own.list().unwrap().len(), other.list().unwrap().len()), (2, 1));
        // Whoever leaves takes their uploads along.
        leave(&here, ann, "Ann").await;
        assert_eq!(own.list().unwrap().len(), 1, "what arrives is still there");
        drop(arrives);
        assert!(own.list().unwrap().is_empty(), "what breaks off removes itself");
        there.remove_leftover_uploads(now()).await.unwrap();
    }

    async fn nightly_backups_follow_their_order_and_not_the_clock(db) {
        let home = TempDir::new().unwrap();
        let (here, _, _) = two_in_one(&db, &home).await;
        add(&here, "Ann").await;
        let make = async |day| here.back_up_nightly(june(day), now()).await.unwrap().unwrap();
        let mut before = Vec::new();
        for day in 1..=5 {
            before.push(make(day).await);
        }
        // For two nights the clock is weeks ahead.
        let ahead = [make(29).await, make(30).await];
        let mut after = Vec::new();
        for day in 6..=9 {
            let path = make(day).await;
            assert!(path.exists() && !after.contains(&path), "{path:?} was made");
            after.push(path);
        }
        assert_eq!(before.iter().filter(|path| path.exists()).count(), 1, "the oldest went");
        assert!(before[4].exists() && ahead.iter().all(|path| path.exists()), "seven are kept, in their order");
        // The night the clock once showed comes, and has its own backup.
        let real = make(29).await;
        assert!(!ahead.contains(&real), "{real:?}");
        for day in [10, 11, 12] {
            make(day).await;
        }
        assert!(ahead.iter().all(|path| !path.exists()), "what is dated ahead goes when it is the oldest");
        assert!(after.iter().rev().take(3).all(|path| path.exists()));
    }

    async fn each_database_in_a_folder_has_nights_of_its_own(db) {
        let home = TempDir::new().unwrap();
        let (here, there, folder) = two_in_one(&db, &home).await;
        add(&here, "Ann").await;
        add(&there, "Bob").await;
        for day in 1..=10 {
            let hers = here.back_up_nightly(june(day), now()).await.unwrap().unwrap();
            let his = there.back_up_nightly(june(day), now()).await.unwrap().unwrap();
            assert_ne!(hers, his, "one database took the other's backup for its own");
            for (path, name) in [(&hers, "Ann"), (&his, "Bob")] {
                assert_eq!(backup::inspect(path).await.unwrap().header.people[0].name, name);
            }
            assert_eq!(there.back_up_nightly(june(day), now()).await.unwrap(), Some(his), "once a night");
        }
        let kept: Vec<String> = files(&folder).iter().map(|path| backup::header(path).unwrap().people[0].name.clone()).collect();
        for name in ["Ann", "Bob"] {
            assert_eq!(kept.iter().filter(|kept| *kept == name).count(), NIGHTS, "{kept:?}");
        }
    }

    async fn nobody_is_told_that_backups_of_another_database_are_theirs(db) {
        let home = TempDir::new().unwrap();
        let (here, there, folder) = two_in_one(&db, &home).await;
        let (ann, demo) = (add(&here, "Ann").await, add(&there, "Demo").await);
        assert_eq!(ann, demo, "they have the same number");
        here.back_up_nightly(june(1), now()).await.unwrap();
        here.back_up_nightly(june(2), now()).await.unwrap();
        let own = there.back_up_nightly(june(1), now()).await.unwrap().unwrap();
        let told = leave(&there, demo, "Demo").await;
        let paths: Vec<&PathBuf> = told.iter().map(|remains| &remains.path).collect();
        assert_eq!(paths, [&own], "of {:?}", files(&folder));
        assert!(told[0].is_theirs_alone());
    }

    async fn what_may_be_of_another_database_is_told_and_is_nobodys_to_remove(db) {
        let home = TempDir::new().unwrap();
        let (here, there, folder) = two_in_one(&db, &home).await;
        drop(there);
        add(&here, "Ann").await;
        let file = here.back_up_nightly(june(1), now()).await.unwrap().unwrap();
        // A database that was restored is one of its own, with nights of its own.
        let (restored, _) = Store::restore(Location::parse(home.path().join("restored.db").as_os_str()).unwrap(), &file).await.unwrap();
        let identity = restored.identity().await.unwrap();
        assert_ne!(identity, here.identity().await.unwrap());
        assert_eq!(restored.logical_hash().await.unwrap(), here.logical_hash().await.unwrap());
        restored.close().await;
        let restored = keeping(home.path().join("restored.db").to_str().unwrap(), &folder).await;
        assert_eq!(restored.identity().await.unwrap(), identity, "it keeps it");
        let own = restored.back_up_nightly(june(1), now()).await.unwrap().unwrap();
        assert_ne!(own, file);
        // What is Ann's in it is Ann's, but the other database may have no other backup.
        let ann = restored.find_user("Ann").await.unwrap().unwrap().id;
        let told = leave(&restored, ann, "Ann").await;
        let alone: Vec<(&PathBuf, bool)> = told.iter().map(|remains| (&remains.path, remains.is_theirs_alone())).collect();
        assert_eq!(alone, [(&file, false), (&own, true)]);
        assert!(file.exists() && own.exists());
    }

    async fn every_one_of_several_backups_at_once_is_whole(db) {
        let home = TempDir::new().unwrap();
        let ann = db.user("Ann").await;
        for number in 0..200 {
            let text = NoteText::new(&format!("{number} {}", "x".repeat(300))).unwrap();
            db.store.add_note(ann, Author::Athlete, None, &text, now()).await.unwrap();
        }
        for round in 0..5 {
            let file = home.path().join(format!("{round}.fitness-backup"));
            let mut tasks = Vec::new();
            for _ in 0..4 {
                let (store, file) = (db.another_store().await, file.clone());
                tasks.push(tokio::spawn(async move { store.back_up(&file, None).await }));
            }
            let mut made = 0;
            for task in tasks {
                match task.await.unwrap() {
                    Ok(backup) => {
                        made += 1;
                        assert_eq!(backup::inspect(&file).await.unwrap(), backup, "round {round}");
                    }
                    Err(why) => assert!(why.to_string().contains("is not written over"), "{why}"),
                }
            }
            assert_eq!(made, 1, "round {round}");
            assert_eq!(files(home.path()).len(), round + 1, "something is left behind");
        }
        // Where they may have a number each has one.
        let home = TempDir::new().unwrap();
        let store = keeping(db.url(), home.path()).await;
        let folder = store.backups().unwrap().unwrap();
        let mut tasks = Vec::new();
        for _ in 0..4 {
            let (store, folder) = (db.another_store().await, folder.clone());
            tasks.push(tokio::spawn(async move { store.back_up_in(&folder, "fitness", None).await }));
        }
        for task in tasks {
            let backup = task.await.unwrap().unwrap();
            assert_eq!(backup::inspect(&backup.path).await.unwrap(), backup);
        }
        assert_eq!(files(home.path()).len(), 4);
    }
}

/// Set for the process that is to be killed: the file it is to write.
const VICTIM: &str = "FITNESS_TEST_UNFINISHED";

/// The process that is killed: it begins a file, says so, and never ends it.
#[test]
fn begins_and_never_ends() {
    let Some(target) = std::env::var_os(VICTIM) else { return };
    let part = Part::begin(Path::new(&target)).unwrap();
    // As much of a backup as tells whose it is.
    let whole = std::fs::read(Path::new(&target).with_file_name("whole.fitness-backup")).unwrap();
    part.writer().unwrap().write_all(&whole[..whole.len() - 32]).unwrap();
    println!("\nbegun");
    std::thread::park();
}

/// A process that is killed, at the latest when this is dropped.
struct Victim(Child);

impl Drop for Victim {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Begins a file beside a whole backup, in a process of its own.
fn victim(folder: &Folder) -> Victim {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["backup_directory::begins_and_never_ends", "--exact", "--nocapture", "--test-threads=1"])
        .env(VICTIM, folder.path().join("never.fitness-backup"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let child = Victim(child);
    assert!(lines.any(|line| line.unwrap() == "begun"), "it did not begin");
    child
}

#[tokio::test]
async fn what_a_killed_backup_left_is_told_and_goes_with_the_next() {
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let ann = db.user("Ann").await;
    let folder = db.store.backups().unwrap().unwrap();
    let whole = db.store.back_up_in(&folder, "whole", None).await.unwrap().path;
    let child = victim(&folder);
    let unfinished = || folder.unfinished().unwrap();
    let begun = unfinished();
    assert!(begun.len() == 1 && begun[0].being_written && begun[0].bytes > 0, "{begun:?}");
    // Somebody is at it: it stays, and whoever leaves is told that it will hold them.
    db.store.back_up_in(&folder, "another", None).await.unwrap();
    assert_eq!(unfinished(), begun);
    let gone = db.user("Gone").await;
    assert!(leave(&db.store, gone, "Gone").await.is_empty(), "it holds nobody of that name");
    let told = leave(&db.store, ann, "Ann").await;
    let of_it = told.iter().find(|remains| remains.path == begun[0].path).expect("it is told");
    assert!(of_it.unfinished && !of_it.is_theirs_alone(), "{of_it:?}");
    drop(child);
    let left = unfinished();
    assert!(left.len() == 1 && !left[0].being_written, "{left:?}");
    assert_eq!(folder.list().unwrap().len(), 2, "it is no backup");
    db.store.back_up_in(&folder, "next", None).await.unwrap();
    assert_eq!(unfinished(), []);
    // And with whoever leaves.
    drop(victim(&folder));
    assert_eq!(unfinished().len(), 1);
    let bob = db.user("Bob").await;
    leave(&db.store, bob, "Bob").await;
    assert_eq!(unfinished(), []);
    assert!(whole.exists());
}
