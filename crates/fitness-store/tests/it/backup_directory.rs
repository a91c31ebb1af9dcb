//! A shared backup directory: several databases, concurrent processes, and a killed one.

use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::note::{Author, NoteText};
use fitness_core::plan::HumanActionKind;
use fitness_store::backup::{self, BackupDirectory, BackupLocation, MAX_NIGHTLY_BACKUPS, PartialFile};
use fitness_store::testkit::{self, Backend, TestDb, consent, june, now};
use fitness_store::{BackupReference, Location, MissingDatabasePolicy, Store, on_both_databases};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

async fn open_with_backups_in(url: &str, folder: &Path) -> Store {
    let location = Location::parse(OsStr::new(url)).unwrap();
    Store::open_with_backups(
        location,
        MissingDatabasePolicy::Create,
        BackupLocation::Directory(folder.to_owned()),
    )
    .await
    .unwrap()
}

/// Two databases of the same kind that share a backup directory.
async fn two_stores_in_one_directory(db: &TestDb, home: &TempDir) -> (Store, Store, PathBuf) {
    let folder = home.path().join("backups");
    let other = if db.is_sqlite() {
        home.path().join("other.db").display().to_string()
    } else {
        testkit::cluster().unwrap().fresh_database().await
    };
    (open_with_backups_in(db.url(), &folder).await, open_with_backups_in(&other, &folder).await, folder)
}

async fn add(store: &Store, name: &str) -> UserId {
    store.add_user(name, &fitness_core::domain::athlete::Profile::default(), now()).await.unwrap().id
}

async fn remove_user_and_list_backups(store: &Store, user: UserId, name: &str) -> Vec<BackupReference> {
    let seen = ContentHash::hash_bytes(name.as_bytes());
    let consent = consent(store, user, HumanActionKind::DeleteUser, None, seen).await.unwrap();
    store.remove_user(consent, None).await.unwrap().backup_references
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

on_both_databases! {
    async fn active_pending_and_other_databases_uploads_are_not_leftovers(db) {
        let home = TempDir::new().unwrap();
        let (here, there, _) = two_stores_in_one_directory(&db, &home).await;
        let ann = add(&here, "Ann").await;
        let (own, other) = (here.upload_directory().await.unwrap(), there.upload_directory().await.unwrap());
        let (waits, arrives) = (own.begin_upload().unwrap(), own.begin_upload().unwrap());
        let (left, elsewhere) = (own.begin_upload().unwrap(), other.begin_upload().unwrap());
        let path = left.path().to_owned();
        here.enqueue(ann, "import", waits.payload(), now(), now()).await.unwrap();
        for upload in [waits, left, elsewhere] {
            upload.persist();
        }
        assert_eq!(here.list_leftover_uploads(now()).await.unwrap(), std::slice::from_ref(&path));
        assert_eq!(here.remove_leftover_uploads(now()).await.unwrap(), std::slice::from_ref(&path));
        assert!(!path.exists() && arrives.path().exists());
        assert_eq!((own.list().unwrap().len(), other.list().unwrap().len()), (2, 1));
        // Removing a user also removes their uploads.
        remove_user_and_list_backups(&here, ann, "Ann").await;
        assert_eq!(own.list().unwrap().len(), 1, "what arrives is still there");
        drop(arrives);
        assert!(own.list().unwrap().is_empty(), "what breaks off removes itself");
        there.remove_leftover_uploads(now()).await.unwrap();
    }

    async fn nightly_backups_follow_their_order_and_not_the_clock(db) {
        let home = TempDir::new().unwrap();
        let (here, _, _) = two_stores_in_one_directory(&db, &home).await;
        add(&here, "Ann").await;
        let make = async |day| here.back_up_nightly(june(day), now()).await.unwrap().unwrap();
        let mut before = Vec::new();
        for day in 1..=5 {
            before.push(make(day).await);
        }
        // The clock is weeks ahead for two nights.
        let ahead = [make(29).await, make(30).await];
        let mut after = Vec::new();
        for day in 6..=9 {
            let path = make(day).await;
            assert!(path.exists() && !after.contains(&path), "{path:?} was made");
            after.push(path);
        }
        assert_eq!(before.iter().filter(|path| path.exists()).count(), 1, "the oldest went");
        assert!(before[4].exists() && ahead.iter().all(|path| path.exists()), "seven are kept, in their order");
        // When the clock's wrong date really comes, that night gets its own backup.
        let real = make(29).await;
        assert!(!ahead.contains(&real), "{real:?}");
        for day in [10, 11, 12] {
            make(day).await;
        }
        assert!(ahead.iter().all(|path| !path.exists()), "what is dated ahead goes when it is the oldest");
        assert!(after.iter().rev().take(3).all(|path| path.exists()));
    }

    async fn each_database_has_its_own_nightly_backups(db) {
        let home = TempDir::new().unwrap();
        let (here, there, folder) = two_stores_in_one_directory(&db, &home).await;
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
        let kept: Vec<String> = files(&folder).iter().map(|path| backup::read_header(path).unwrap().people[0].name.clone()).collect();
        for name in ["Ann", "Bob"] {
            assert_eq!(kept.iter().filter(|kept| *kept == name).count(), MAX_NIGHTLY_BACKUPS, "{kept:?}");
        }
    }

    async fn backup_references_exclude_other_databases(db) {
        let home = TempDir::new().unwrap();
        let (here, there, folder) = two_stores_in_one_directory(&db, &home).await;
        let (ann, demo) = (add(&here, "Ann").await, add(&there, "Demo").await);
        assert_eq!(ann, demo, "they have the same number");
        here.back_up_nightly(june(1), now()).await.unwrap();
        here.back_up_nightly(june(2), now()).await.unwrap();
        let own = there.back_up_nightly(june(1), now()).await.unwrap().unwrap();
        let told = remove_user_and_list_backups(&there, demo, "Demo").await;
        let paths: Vec<&PathBuf> = told.iter().map(|remains| &remains.path).collect();
        assert_eq!(paths, [&own], "of {:?}", files(&folder));
        assert!(told[0].has_no_other_users());
    }

    async fn backup_of_unknown_database_is_listed_but_not_removable(db) {
        let home = TempDir::new().unwrap();
        let (here, there, folder) = two_stores_in_one_directory(&db, &home).await;
        drop(there);
        add(&here, "Ann").await;
        let file = here.back_up_nightly(june(1), now()).await.unwrap().unwrap();
        // A restored database has its own identity and its own nightly backups.
        let (restored, _) = Store::restore(Location::parse(home.path().join("restored.db").as_os_str()).unwrap(), &file).await.unwrap();
        let identity = restored.database_identity().await.unwrap();
        assert_ne!(identity, here.database_identity().await.unwrap());
        assert_eq!(restored.logical_hash().await.unwrap(), here.logical_hash().await.unwrap());
        restored.close().await;
        let restored = open_with_backups_in(home.path().join("restored.db").to_str().unwrap(), &folder).await;
        assert_eq!(restored.database_identity().await.unwrap(), identity, "it keeps it");
        let own = restored.back_up_nightly(june(1), now()).await.unwrap().unwrap();
        assert_ne!(own, file);
        // Ann's data is in it, but it may be the other database's only backup.
        let ann = restored.find_user("Ann").await.unwrap().unwrap().id;
        let told = remove_user_and_list_backups(&restored, ann, "Ann").await;
        let alone: Vec<(&PathBuf, bool)> = told.iter().map(|remains| (&remains.path, remains.has_no_other_users())).collect();
        assert_eq!(alone, [(&file, false), (&own, true)]);
        assert!(file.exists() && own.exists());
    }

    async fn concurrent_backups_are_all_complete(db) {
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
                    Err(why) => assert!(why.to_string().contains("the file already exists"), "{why}"),
                }
            }
            assert_eq!(made, 1, "round {round}");
            assert_eq!(files(home.path()).len(), round + 1, "something is left behind");
        }
        // With numbers allowed, each gets its own name.
        let home = TempDir::new().unwrap();
        let store = open_with_backups_in(db.url(), home.path()).await;
        let folder = store.backup_directory().unwrap().unwrap();
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

/// Set for the child process: the file to write.
const CHILD_ENV: &str = "FITNESS_TEST_UNFINISHED";

/// The child process: starts a file, says so, and never finishes it.
#[test]
fn child_leaves_partial_file() {
    let Some(target) = std::env::var_os(CHILD_ENV) else { return };
    let part = PartialFile::create(Path::new(&target)).unwrap();
    // Enough of a backup to contain its header.
    let whole = std::fs::read(Path::new(&target).with_file_name("whole.fitness-backup")).unwrap();
    part.writer().unwrap().write_all(&whole[..whole.len() - 32]).unwrap();
    println!("\nbegun");
    std::thread::park();
}

/// A child process, killed on drop at the latest.
struct KilledChild(Child);

impl Drop for KilledChild {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Starts a file beside a complete backup, in a child process.
fn spawn_child(folder: &BackupDirectory) -> KilledChild {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["backup_directory::child_leaves_partial_file", "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD_ENV, folder.path().join("never.fitness-backup"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let child = KilledChild(child);
    assert!(lines.any(|line| line.unwrap() == "begun"), "it did not begin");
    child
}

#[tokio::test]
async fn partial_file_of_killed_backup_is_listed_and_removed_by_next_backup() {
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let ann = db.user("Ann").await;
    let folder = db.store.backup_directory().unwrap().unwrap();
    let whole = db.store.back_up_in(&folder, "whole", None).await.unwrap().path;
    let child = spawn_child(&folder);
    let unfinished = || folder.list_partial_files().unwrap();
    let begun = unfinished();
    assert!(begun.len() == 1 && begun[0].being_written && begun[0].bytes > 0, "{begun:?}");
    // While it is being written it stays, and removing a user reports it.
    db.store.back_up_in(&folder, "another", None).await.unwrap();
    assert_eq!(unfinished(), begun);
    let gone = db.user("Gone").await;
    assert!(
        remove_user_and_list_backups(&db.store, gone, "Gone").await.is_empty(),
        "it holds nobody of that name"
    );
    let told = remove_user_and_list_backups(&db.store, ann, "Ann").await;
    let of_it = told.iter().find(|remains| remains.path == begun[0].path).expect("it is told");
    assert!(of_it.unfinished && !of_it.has_no_other_users(), "{of_it:?}");
    drop(child);
    let left = unfinished();
    assert!(left.len() == 1 && !left[0].being_written, "{left:?}");
    assert_eq!(folder.list().unwrap().len(), 2, "it is no backup");
    db.store.back_up_in(&folder, "next", None).await.unwrap();
    assert_eq!(unfinished(), []);
    // Removing a user removes it as well.
    drop(spawn_child(&folder));
    assert_eq!(unfinished().len(), 1);
    let bob = db.user("Bob").await;
    remove_user_and_list_backups(&db.store, bob, "Bob").await;
    assert_eq!(unfinished(), []);
    assert!(whole.exists());
}
