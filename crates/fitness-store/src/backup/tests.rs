//! What only this crate can try: databases of older versions, backups of newer ones.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use super::format::Writing;
use super::schema::{Kind, tables};
use super::*;
use crate::db::connect::Missing;
use crate::db::migrations::{SCRIPTS, identity};
use crate::on_both_databases;
use crate::testkit::{self, TestDb, now};
use sea_orm::ConnectionTrait;
use std::ffi::OsStr;
use tempfile::TempDir;

/// Every column of every table as the database has it, with what it is called there.
async fn catalog(db: &TestDb) -> Vec<(String, String, String)> {
    let sql = if db.is_sqlite() {
        "SELECT m.name AS t, c.name AS c, c.type AS k FROM sqlite_master m, pragma_table_info(m.name) c \
         WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name <> 'seaql_migrations'"
    } else {
        "SELECT table_name::text AS t, column_name::text AS c, data_type::text AS k FROM information_schema.columns \
         WHERE table_schema = current_schema() AND table_name <> 'seaql_migrations'"
    };
    let rows = db.store.raw().query_all_raw(db.store.sql(sql)).await.unwrap();
    let text = |row: &sea_orm::QueryResult, name: &str| row.try_get::<String>("", name).unwrap();
    let mut found: Vec<_> = rows.iter().map(|row| (text(row, "t"), text(row, "c"), text(row, "k"))).collect();
    found.sort();
    found
}

const fn called(kind: Kind, sqlite: bool) -> &'static str {
    match (kind, sqlite) {
        (Kind::Id | Kind::Int | Kind::Bool, true) => "INTEGER",
        (Kind::Real, true) => "REAL",
        (Kind::Bytes | Kind::Elsewhere, true) => "BLOB",
        (Kind::Json | Kind::Day | Kind::Instant | Kind::Text, true) => "TEXT",
        (Kind::Id | Kind::Int, false) => "bigint",
        (Kind::Real, false) => "double precision",
        (Kind::Bool, false) => "boolean",
        (Kind::Bytes | Kind::Elsewhere, false) => "bytea",
        (Kind::Json, false) => "jsonb",
        (Kind::Day, false) => "date",
        (Kind::Instant, false) => "timestamp with time zone",
        (Kind::Text, false) => "text",
    }
}

/// A database as an older version left it, with somebody in it.
async fn of_an_older_version(location: Location, level: usize) -> Store {
    Store::open_and_fill(location, async |store, tx, _| {
        let steps = u32::try_from(level).unwrap();
        bring_up_to(tx, &store.location, Some(steps)).await?;
        for sql in [
            "INSERT INTO users (name, name_key, created_at) VALUES ('Ann', 'ann', '2026-06-14T08:00:00+00:00')",
            "INSERT INTO profiles (user_id, zone, units, week_start) SELECT id, 'UTC', 'metric', 'mon' FROM users",
            "INSERT INTO zones (user_id, kind, sport, from_day, lower_bounds) SELECT id, 'heart_rate', 'running', '2026-01-01', '[120]' FROM users",
        ] {
            tx.execute_unprepared(sql).await?;
        }
        Ok(())
    })
    .await
    .unwrap()
}

on_both_databases! {
    async fn the_tables_are_what_the_database_has(db) {
        let mut expected = Vec::new();
        for table in tables(SCRIPTS.len()) {
            for column in &table.columns {
                expected.push((table.name.clone(), column.name.clone(), called(column.kind, db.is_sqlite()).to_owned()));
            }
        }
        expected.push((identity::TABLE.to_owned(), "identity".to_owned(), called(Kind::Text, db.is_sqlite()).to_owned()));
        expected.sort();
        assert_eq!(catalog(&db).await, expected);
    }

    async fn a_backup_is_made_before_anything_is_migrated_and_an_old_one_is_brought_up_to_date(db) {
        let home = TempDir::new().unwrap();
        let url = if db.is_sqlite() {
            home.path().join("old.db").display().to_string()
        } else {
            testkit::cluster().unwrap().empty_database().await
        };
        let at = |text: &str| Location::parse(OsStr::new(text)).unwrap();
        // Before the fifth migration made another table of the zones.
        of_an_older_version(at(&url), 4).await.close().await;
        let folder = Folder::of(&at(&url), &Backups::Beside).unwrap().unwrap();
        let before = folder.list().unwrap().len();
        let store = Store::open(at(&url), Missing::Refuse).await.unwrap();
        let kept = folder.list().unwrap();
        assert_eq!(kept.len(), before + 1);
        let kept = kept.last().unwrap();
        assert!(kept.path.file_name().unwrap().to_string_lossy().starts_with("before-m0005_zones"), "{kept:?}");
        assert_eq!(inspect(&kept.path).await.unwrap().header.migrations.len(), 4);
        let there = home.path().join("restored.db").display().to_string();
        let (restored, _) = Store::restore(at(&there), &kept.path).await.unwrap();
        assert_eq!(restored.migrations().await.unwrap().len(), SCRIPTS.len());
        assert_eq!(restored.logical_hash().await.unwrap(), store.logical_hash().await.unwrap());
        // Opened again, nothing is migrated, and nothing backed up.
        store.close().await;
        Store::open(at(&url), Missing::Refuse).await.unwrap().close().await;
        assert_eq!(folder.list().unwrap().len(), before + 1);
        std::fs::remove_file(&kept.path).unwrap();
    }
}

#[tokio::test]
async fn a_backup_that_cannot_be_made_stops_the_migration() {
    let home = TempDir::new().unwrap();
    let path = home.path().join("old.db");
    let location = Location::parse(path.as_os_str()).unwrap();
    of_an_older_version(location.clone(), 4).await.close().await;
    // Where the folder should be there is a file.
    std::fs::write(home.path().join("backups"), "in the way").unwrap();
    let why = Store::open(location.clone(), Missing::Refuse).await.unwrap_err();
    assert!(matches!(why, Error::NoBackup(_)), "{why}");
    std::fs::remove_file(home.path().join("backups")).unwrap();
    let store = Store::open(location, Missing::Refuse).await.unwrap();
    assert_eq!(store.migrations().await.unwrap().len(), SCRIPTS.len());
    assert_eq!(store.list_users().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_backup_of_a_newer_version_is_refused() {
    let home = TempDir::new().unwrap();
    let db = TestDb::new(testkit::Backend::Sqlite).await.unwrap();
    let whole = home.path().join("a.fitness-backup");
    let made = db.store.back_up(&whole, Some(now())).await.unwrap();
    let newer = home.path().join("b.fitness-backup");
    let mut header = made.header.clone();
    header.migrations.push("m9999_from_the_future".to_owned());
    Writing::begin(&newer, &header).unwrap().finish([newer.clone()], &made.manifest).unwrap();
    let there = home.path().join("there.db");
    let refuse = async |file: &Path| {
        let answer = Store::restore(Location::parse(there.as_os_str()).unwrap(), file).await;
        assert!(!there.exists());
        answer.map(|_| ()).unwrap_err()
    };
    let why = refuse(&newer).await;
    assert!(matches!(&why, Error::NewerArchive(why) if why.contains("m9999_from_the_future")), "{why}");
    // One that says of itself what is not so.
    let lying = home.path().join("c.fitness-backup");
    Writing::begin(&lying, &made.header).unwrap().finish([lying.clone()], &made.manifest).unwrap();
    let why = refuse(&lying).await;
    assert!(matches!(&why, Error::BadArchive(why) if why.contains("does not hold what it says")), "{why}");
}
