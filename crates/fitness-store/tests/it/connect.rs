//! Opening a database: private from the start, migrated once, and never one of another program.

use crate::sql_shell::Raw;
use fitness_store::testkit::{self, TestDb, now};
use fitness_store::{Error, Location, MissingDatabasePolicy, Store, on_both_databases};
use std::ffi::OsStr;
use std::path::Path;
use tempfile::TempDir;

fn sqlite_location(path: &Path) -> Location {
    Location::parse(path.as_os_str()).unwrap()
}

fn parse(url: &str) -> Location {
    Location::parse(OsStr::new(url)).unwrap()
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn files(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[cfg(unix)]
#[tokio::test]
async fn a_new_file_and_its_directory_are_private() {
    let home = TempDir::new().unwrap();
    let path = home.path().join("a/b/fitness.db");
    let location = Location::Sqlite { path: path.clone(), default: true };
    let store = Store::open(location, MissingDatabasePolicy::Create).await.unwrap();
    store.add_user("Ann", &fitness_core::domain::athlete::Profile::default(), now()).await.unwrap();
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    for name in files(path.parent().unwrap()) {
        assert_eq!(mode(&path.with_file_name(&name)), 0o600, "{name}");
    }
    assert_eq!(files(path.parent().unwrap()), ["fitness.db", "fitness.db-shm", "fitness.db-wal"]);
    store.close().await;
    assert_eq!(files(path.parent().unwrap()), ["fitness.db"], "closing folds the write-ahead log in");
}

#[tokio::test]
async fn unopenable_location_is_refused_without_creating_files() {
    let home = TempDir::new().unwrap();
    let garbage = home.path().join("garbage.db");
    std::fs::write(&garbage, "this is no database, it is a shopping list").unwrap();
    let cut = home.path().join("cut.db");
    std::fs::write(&cut, [b"SQLite format 3\0".as_slice(), &[0; 100]].concat()).unwrap();
    let before = files(home.path());
    for (path, missing, expected) in [
        (home.path().join("none.db"), MissingDatabasePolicy::Refuse, "no database at"),
        (
            home.path().join("no/such/dir/x.db"),
            MissingDatabasePolicy::Create,
            "the file or its directory does not exist",
        ),
        (garbage.join("x.db"), MissingDatabasePolicy::Create, "cannot use"),
        (garbage.clone(), MissingDatabasePolicy::Create, "was not written by local-fitness"),
        (cut, MissingDatabasePolicy::Create, "is damaged"),
    ] {
        let error = Store::open(sqlite_location(&path), missing).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{}: {error}", path.display());
        assert!(error.contains(&path.display().to_string()), "{error}");
    }
    assert_eq!(files(home.path()), before);
    assert_eq!(std::fs::read_to_string(&garbage).unwrap(), "this is no database, it is a shopping list");
}

#[tokio::test]
async fn sqlite_is_set_up_for_a_crash_and_for_two_writers() {
    let db = TestDb::new(testkit::Backend::Sqlite).await.unwrap();
    use sea_orm::ConnectionTrait;
    let pragma = async |name: &str| {
        let sql = sea_orm::Statement::from_string(
            sea_orm::DbBackend::Sqlite,
            format!("SELECT CAST({name} AS TEXT) AS v FROM pragma_{name}"),
        );
        db.store.raw().query_one_raw(sql).await.unwrap().unwrap().try_get::<String>("", "v").unwrap()
    };
    assert_eq!(pragma("journal_mode").await, "wal");
    assert_eq!(pragma("synchronous").await, "2", "FULL");
    assert_eq!(pragma("foreign_keys").await, "1");
    assert_eq!(pragma("trusted_schema").await, "0");
    let (name, version) = db.store.engine().await.unwrap();
    assert_eq!(name, "sqlite");
    let parts: Vec<u32> = version.split('.').map(|p| p.parse().unwrap()).collect();
    assert!((parts[0], parts[1], parts[2]) >= (3, 51, 3), "{version}");
}

/// A database with a migration of a later version.
async fn apply_unknown_migration(db: &TestDb) {
    let mut raw = Raw::connect(db).await;
    raw.must_exec("INSERT INTO seaql_migrations (version, applied_at) VALUES ('m9999_from_the_future', 0)")
        .await;
}

/// In order. A released migration is never removed or renamed.
const MIGRATIONS: &[&str] = &[
    "m0001_foundation",
    "m0002_reports",
    "m0003_readers",
    "m0004_metrics",
    "m0005_zones",
    "m0006_time_trials",
    "m0007_plans",
    "m0008_matches",
    "m0009_decisions",
    "m0010_coach",
    "m0011_web",
    "m0012_identity",
    "m0013_accounts",
    "m0014_gear_and_recordings",
    "m0015_activity_measures",
];

on_both_databases! {
    async fn a_database_from_a_newer_version_is_refused_untouched(db) {
        apply_unknown_migration(&db).await;
        let bytes = |db: &TestDb| db.is_sqlite().then(|| std::fs::read(db.url()).unwrap());
        let url = db.url().to_owned();
        let before = {
            // Checkpoint the log, so that the file contains everything.
            let mut raw = Raw::connect(&db).await;
            if raw.is_sqlite() {
                raw.must_exec("PRAGMA wal_checkpoint(TRUNCATE)").await;
            }
            bytes(&db)
        };
        let error = Store::open(parse(&url), MissingDatabasePolicy::Create).await.unwrap_err();
        assert!(matches!(&error, Error::Newer(_, name) if name == "m9999_from_the_future"), "{error}");
        assert!(error.to_string().contains("was written by a newer version of local-fitness"), "{error}");
        assert_eq!(bytes(&db), before);
    }

    async fn a_database_of_something_else_is_refused(db) {
        let mut raw = Raw::connect(&db).await;
        raw.must_exec("DELETE FROM seaql_migrations").await;
        let error = Store::open(parse(db.url()), MissingDatabasePolicy::Create).await.unwrap_err();
        assert!(matches!(error, Error::Foreign(_)), "{error}");
        raw.must_exec("DROP TABLE seaql_migrations").await;
        let error = Store::open(parse(db.url()), MissingDatabasePolicy::Create).await.unwrap_err();
        assert!(matches!(error, Error::Foreign(_)), "{error}");
    }

    async fn opening_again_migrates_nothing(db) {
        let before = db.store.migrations().await.unwrap();
        let again = db.another_store().await;
        assert_eq!(again.migrations().await.unwrap(), before);
        assert_eq!(before, MIGRATIONS);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_nodes_that_start_at_once_migrate_once() {
    let Some(cluster) = testkit::cluster() else {
        return testkit::skip("eight_nodes_that_start_at_once_migrate_once", "no PostgreSQL is installed");
    };
    let url = cluster.empty_database().await;
    let starts: Vec<_> =
        (0..8).map(|_| tokio::spawn(Store::open(parse(&url), MissingDatabasePolicy::Create))).collect();
    for start in starts {
        let store = start.await.unwrap().unwrap();
        assert_eq!(store.migrations().await.unwrap(), MIGRATIONS);
        store.close().await;
    }
    // On SQLite the file lock serializes migrations.
    let home = TempDir::new().unwrap();
    let path = home.path().join("fitness.db");
    Store::open(sqlite_location(&path), MissingDatabasePolicy::Create).await.unwrap().close().await;
    let starts: Vec<_> = (0..8)
        .map(|_| tokio::spawn(Store::open(sqlite_location(&path), MissingDatabasePolicy::Create)))
        .collect();
    for start in starts {
        start.await.unwrap().unwrap();
    }
}

/// Longer than the busy timeout: another process migrates a large database, or the disk is slow.
#[tokio::test(flavor = "multi_thread")]
async fn open_during_migration_waits_for_it() {
    use sqlx::{ConnectOptions, Connection, Executor, sqlite::SqliteConnectOptions};
    let home = TempDir::new().unwrap();
    let path = home.path().join("fitness.db");
    let mut other = SqliteConnectOptions::new()
        .filename(&path)
        .create_if_missing(true)
        .journal_mode(sqlx::sqlite::SqliteJournalMode::Wal)
        .connect()
        .await
        .unwrap();
    other.execute("BEGIN IMMEDIATE").await.unwrap();
    let opening = tokio::spawn(Store::open(sqlite_location(&path), MissingDatabasePolicy::Create));
    tokio::time::sleep(std::time::Duration::from_secs(6)).await;
    assert!(!opening.is_finished(), "it waits");
    other.execute("ROLLBACK").await.unwrap();
    let store = opening.await.unwrap().unwrap();
    assert_eq!(store.migrations().await.unwrap(), MIGRATIONS);
    store.close().await;
    other.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn unreachable_or_refusing_postgres_error_names_the_server() {
    // Nothing listens on a port that was just free.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = Store::open(
        parse(&format!("postgres://ann:s3cret@127.0.0.1:{port}/fit")),
        MissingDatabasePolicy::Create,
    )
    .await
    .unwrap_err();
    assert!(matches!(error, Error::Unreachable(..)), "{error}");
    assert!(
        error.to_string().contains(&format!("127.0.0.1:{port}/fit")) && !error.to_string().contains("s3cret"),
        "{error}"
    );

    let Some(cluster) = testkit::cluster() else {
        return testkit::skip(
            "unreachable_or_refusing_postgres_error_names_the_server",
            "no PostgreSQL is installed",
        );
    };
    let good = cluster.empty_database().await;
    let wrong = good.replace("throw-away", "guessed");
    let error = Store::open(parse(&wrong), MissingDatabasePolicy::Create).await.unwrap_err();
    assert!(matches!(error, Error::LoginRefused(..)), "{error}");
    assert!(!error.to_string().contains("guessed"), "{error}");
    let error =
        Store::open(parse(&cluster.url("nosuchdatabase")), MissingDatabasePolicy::Create).await.unwrap_err();
    assert!(matches!(error, Error::LoginRefused(..)), "{error}");
    let error = Store::open(parse(&good), MissingDatabasePolicy::Refuse).await.unwrap_err();
    assert!(matches!(error, Error::NoDatabase(_)), "{error}");
}

#[tokio::test]
#[should_panic(expected = "which is not in the temporary directory")]
async fn a_test_that_reaches_for_real_data_panics() {
    let home = std::env::home_dir().unwrap_or_else(|| "/".into());
    drop(
        Store::open(sqlite_location(&home.join("fitness-hermetic-test.db")), MissingDatabasePolicy::Refuse)
            .await,
    );
}

#[tokio::test]
#[should_panic(expected = "which is not loopback")]
async fn a_test_that_reaches_for_a_real_server_panics() {
    drop(Store::open(parse("postgres://db.example.org/fitness"), MissingDatabasePolicy::Refuse).await);
}
