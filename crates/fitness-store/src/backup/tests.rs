//! Backups and migrations of older and newer schema versions.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use super::format::BackupWriter;
use super::schema::{ColumnKind, tables};
use super::*;
use crate::db::connect::MissingDatabasePolicy;
use crate::db::migrations::{SCRIPTS, database_id};
use crate::on_both_databases;
use crate::testkit::{self, TestDb, now};
use sea_orm::ConnectionTrait;
use std::ffi::OsStr;
use tempfile::TempDir;

/// All columns with their database types, from the catalog.
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

const fn sql_type(kind: ColumnKind, sqlite: bool) -> &'static str {
    match (kind, sqlite) {
        (ColumnKind::Id | ColumnKind::Int | ColumnKind::Bool, true) => "INTEGER",
        (ColumnKind::Real, true) => "REAL",
        (ColumnKind::Bytes | ColumnKind::External, true) => "BLOB",
        (ColumnKind::Json | ColumnKind::Day | ColumnKind::Instant | ColumnKind::Text, true) => "TEXT",
        (ColumnKind::Id | ColumnKind::Int, false) => "bigint",
        (ColumnKind::Real, false) => "double precision",
        (ColumnKind::Bool, false) => "boolean",
        (ColumnKind::Bytes | ColumnKind::External, false) => "bytea",
        (ColumnKind::Json, false) => "jsonb",
        (ColumnKind::Day, false) => "date",
        (ColumnKind::Instant, false) => "timestamp with time zone",
        (ColumnKind::Text, false) => "text",
    }
}

/// A database at an older schema version, with one user.
async fn create_older_database(location: Location, level: usize) -> Store {
    Store::open_and_fill(location, async |store, tx, _| {
        let steps = u32::try_from(level).unwrap();
        migrate_to(tx, &store.location, Some(steps)).await?;
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
    async fn parsed_tables_match_database_catalog(db) {
        let mut expected = Vec::new();
        for table in tables(SCRIPTS.len()) {
            for column in &table.columns {
                expected.push((table.name.clone(), column.name.clone(), sql_type(column.kind, db.is_sqlite()).to_owned()));
            }
        }
        expected.push((database_id::TABLE.to_owned(), "identity".to_owned(), sql_type(ColumnKind::Text, db.is_sqlite()).to_owned()));
        expected.sort();
        assert_eq!(catalog(&db).await, expected);
    }

    async fn backup_is_made_before_migration_and_old_backup_is_migrated_on_restore(db) {
        let home = TempDir::new().unwrap();
        let url = if db.is_sqlite() {
            home.path().join("old.db").display().to_string()
        } else {
            testkit::cluster().unwrap().empty_database().await
        };
        let at = |text: &str| Location::parse(OsStr::new(text)).unwrap();
        // Level 4: before the fifth migration recreated the zones table.
        create_older_database(at(&url), 4).await.close().await;
        let folder = BackupDirectory::for_database(&at(&url), &BackupLocation::Default).unwrap().unwrap();
        let before = folder.list().unwrap().len();
        let store = Store::open(at(&url), MissingDatabasePolicy::Refuse).await.unwrap();
        let kept = folder.list().unwrap();
        assert_eq!(kept.len(), before + 1);
        let kept = kept.last().unwrap();
        assert!(kept.path.file_name().unwrap().to_string_lossy().starts_with("before-m0005_zones"), "{kept:?}");
        assert_eq!(inspect(&kept.path).await.unwrap().header.migrations.len(), 4);
        let there = home.path().join("restored.db").display().to_string();
        let (restored, _) = Store::restore(at(&there), &kept.path).await.unwrap();
        assert_eq!(restored.migrations().await.unwrap().len(), SCRIPTS.len());
        assert_eq!(restored.logical_hash().await.unwrap(), store.logical_hash().await.unwrap());
        // Opening it again neither migrates nor backs up.
        store.close().await;
        Store::open(at(&url), MissingDatabasePolicy::Refuse).await.unwrap().close().await;
        assert_eq!(folder.list().unwrap().len(), before + 1);
        std::fs::remove_file(&kept.path).unwrap();
    }
}

#[tokio::test]
async fn failed_backup_stops_the_migration() {
    let home = TempDir::new().unwrap();
    let path = home.path().join("old.db");
    let location = Location::parse(path.as_os_str()).unwrap();
    create_older_database(location.clone(), 4).await.close().await;
    // A file is in the place of the backup directory.
    std::fs::write(home.path().join("backups"), "in the way").unwrap();
    let why = Store::open(location.clone(), MissingDatabasePolicy::Refuse).await.unwrap_err();
    assert!(matches!(why, Error::BackupFailed(_)), "{why}");
    std::fs::remove_file(home.path().join("backups")).unwrap();
    let store = Store::open(location, MissingDatabasePolicy::Refuse).await.unwrap();
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
    BackupWriter::begin(&newer, &header).unwrap().finish([newer.clone()], &made.manifest).unwrap();
    let there = home.path().join("there.db");
    let refuse = async |file: &Path| {
        let answer = Store::restore(Location::parse(there.as_os_str()).unwrap(), file).await;
        assert!(!there.exists());
        answer.map(|_| ()).unwrap_err()
    };
    let why = refuse(&newer).await;
    assert!(matches!(&why, Error::NewerBackup(why) if why.contains("m9999_from_the_future")), "{why}");
    // A backup whose manifest does not match its contents.
    let lying = home.path().join("c.fitness-backup");
    BackupWriter::begin(&lying, &made.header).unwrap().finish([lying.clone()], &made.manifest).unwrap();
    let why = refuse(&lying).await;
    assert!(matches!(&why, Error::BadBackup(why) if why.contains("do not match the checksums")), "{why}");
}
