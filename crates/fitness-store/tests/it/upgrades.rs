//! Databases and backups of released versions: each opens, migrates and restores with all its data.
//!
//! `tests/fixtures/releases` contains a compressed database file and a backup of every release.
//! They are never replaced.

use fitness_core::plan::{HumanActionKind, PlanStatus};
use fitness_store::testkit::{TestDb, now};
use fitness_store::{Location, MissingDatabasePolicy, Store, on_both_databases};
use secrecy::SecretString;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const RELEASES: [&str; 1] = ["0.1.0"];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/releases").join(name)
}

/// Content of every fixture: two athletes, one with files, wellness, a race and an active plan at
/// its third revision (one proposal applied, one edit), the other with a password.
async fn check(store: &Store, release: &str) {
    let users = store.list_users().await.unwrap();
    assert_eq!(users.iter().map(|user| user.name.as_str()).collect::<Vec<_>>(), ["Ann", "Ben"], "{release}");
    let (ann, ben) = (users[0].id, users[1].id);
    let plans = store.list_plans(ann).await.unwrap();
    let active: Vec<_> = plans.iter().filter(|plan| plan.status == PlanStatus::Active).collect();
    assert_eq!(plans.len(), 2);
    assert_eq!((active.len(), active[0].name.as_str(), active[0].revision), (1, "Spring 10k", 3));
    let workouts = store.list_workouts(ann, active[0].id, 3).await.unwrap();
    assert!(workouts.len() > 80, "{}", workouts.len());
    let actions = store.list_human_actions(ann, 10).await.unwrap();
    let mut kinds: Vec<HumanActionKind> = actions.iter().map(|action| action.kind).collect();
    kinds.sort_by_key(|kind| kind.as_str());
    assert_eq!(kinds, [HumanActionKind::Activate, HumanActionKind::Apply, HumanActionKind::Edit]);
    let day = |text: &str| text.parse().unwrap();
    let activities = store.list_activities(ann, day("2026-01-01"), day("2026-12-31")).await.unwrap();
    assert_eq!(activities.len(), 22);
    assert!(store.list_wellness(ann, day("2026-10-26"), day("2026-11-15")).await.unwrap().len() >= 20);
    assert_eq!(store.list_races(ann).await.unwrap().len(), 1);
    assert_eq!(store.list_notes(ann).await.unwrap().len(), 1);
    assert!(store.find_brief(ann, day("2026-11-17")).await.unwrap().is_some());
    assert_eq!(store.list_chats(ann).await.unwrap().len(), 3);
    for user in [ann, ben] {
        assert_eq!(store.find_tampering(user, None).await.unwrap(), [""; 0], "{release}");
    }
    assert_eq!(store.schema_differences().await.unwrap(), [""; 0], "{release}");
    let password = SecretString::from("correct horse battery");
    assert!(store.verify_password(ben, &password).await.unwrap());
    // It can be written to.
    let text = fitness_core::domain::note::NoteText::new("after the upgrade").unwrap();
    store.add_note(ann, fitness_core::domain::note::Author::Athlete, None, &text, now()).await.unwrap();
    store.facts(ann, day("2026-11-17")).await.unwrap();
}

#[tokio::test]
async fn sqlite_database_of_every_release_opens_and_migrates() {
    for release in RELEASES {
        let home = TempDir::new().unwrap();
        let path = home.path().join("fitness.db");
        let packed = std::fs::read(fixture(&format!("{release}.db.zst"))).unwrap();
        std::fs::write(&path, zstd::decode_all(packed.as_slice()).unwrap()).unwrap();
        let store = Store::open(Location::parse(path.as_os_str()).unwrap(), MissingDatabasePolicy::Refuse)
            .await
            .unwrap();
        check(&store, release).await;
        assert_eq!(store.find_damage().await.unwrap(), None);
        store.close().await;
    }
}

on_both_databases! {
    async fn backup_of_every_release_restores(db) {
        for release in RELEASES {
            let home = TempDir::new().unwrap();
            let place = fresh_location(&db, &home).await;
            let (store, _) = Store::restore(place, &fixture(&format!("{release}.backup"))).await.unwrap();
            check(&store, release).await;
            store.close().await;
        }
    }
}

async fn fresh_location(db: &TestDb, home: &TempDir) -> Location {
    if db.is_sqlite() {
        return Location::parse(home.path().join("restored.db").as_os_str()).unwrap();
    }
    let url = fitness_store::testkit::cluster().unwrap().empty_database().await;
    Location::parse(OsStr::new(&url)).unwrap()
}
