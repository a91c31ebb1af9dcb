//! Backups: one consistent snapshot, verified, and restored exactly into either database.

use crate::plans::{apply, three_changes};
use crate::sql_shell::Raw;
use fitness_core::adherence::data_frontier::CoverageEvidence;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::note::{Author, NoteText};
use fitness_core::plan::{HumanActionKind, NextRevisionWorkout, PlanStatus};
use fitness_store::backup::{self, MAX_NIGHTLY_BACKUPS};
use fitness_store::plan::human_actions::{self, change_hash};
use fitness_store::testkit::{self, Backend, TestDb, draft, june, now};
use fitness_store::{Error, Location, MissingDatabasePolicy, Store, on_both_databases};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::TempDir;

/// A database with plans in every state and deleted ones, proposals in every state, superseded
/// drafts, and a row of edge-case values in every other table.
async fn seed_every_table(db: &TestDb) -> Vec<UserId> {
    let users = vec![db.user("Ann").await, db.user("Björn 🏃").await];
    for &user in &users {
        seed_user_plans(db, user).await;
    }
    let gone = db.user("Gone").await;
    let consent = db.consent(
        gone,
        HumanActionKind::DeleteUser,
        None,
        fitness_core::domain::content_hash::ContentHash::hash_bytes(b"Gone"),
    );
    db.store.remove_user(consent.await.unwrap(), None).await.unwrap();
    let mut raw = Raw::connect(db).await;
    let tables = raw.texts(&tables_sql(db)).await;
    // Twice, because some rows refer to tables that come later.
    for table in tables.iter().chain(&tables) {
        if raw.number(&format!("SELECT COUNT(*) FROM {table}")).await == 0 {
            raw.must_exec(&odd_row(table, users[0], raw.is_sqlite())).await;
        }
    }
    users
}

async fn seed_user_plans(db: &TestDb, user: UserId) {
    let store = &db.store;
    let desk = store.plan_writer(user, Author::Coach);
    for day in [9, 11, 12] {
        db.import_run(user, june(day), 8.0 + f64::from(day) / 10.0).await;
    }
    db.finish_import(user, CoverageEvidence::Activity { day: june(12), imported_at: now() }).await;
    // Deleted as a draft, and deleted after it was active.
    let never = db.draft(user, "Never").await;
    human_actions::delete(db.consent_to(user, HumanActionKind::Delete, never).await.unwrap(), never)
        .await
        .unwrap();
    let first = db.active_plan(user, "First").await;
    let second = db.draft(user, "Second").await;
    // A superseded draft that was activated anyway.
    let riff = desk.put_draft(&draft("Second, easier"), Some(second), now()).await.unwrap();
    db.activate(user, second, Some(first)).await.unwrap();
    human_actions::delete(db.consent_to(user, HumanActionKind::Delete, first).await.unwrap(), first)
        .await
        .unwrap();
    // Proposals: one partly applied, one declined, one open; then an edit and a revert.
    let changes = three_changes(store, user, second, 1).await;
    let taken = desk.propose(second, 1, "Ease off, ‘please’.", &changes, june(8), now()).await.unwrap();
    apply(store, user, taken, &[0, 2]).await.unwrap();
    let workouts = store.list_workouts(user, second, 2).await.unwrap();
    let mut next: Vec<NextRevisionWorkout> =
        workouts.iter().map(|w| NextRevisionWorkout { id: Some(w.id), workout: w.workout.clone() }).collect();
    next[0].workout.date = june(13);
    let consent =
        db.consent(user, HumanActionKind::Edit, Some(second), change_hash(second, 2, &next)).await.unwrap();
    assert_eq!(human_actions::edit(consent, second, 2, &next, "moved").await.unwrap(), 3);
    let back: Vec<NextRevisionWorkout> =
        workouts.iter().map(|w| NextRevisionWorkout { id: Some(w.id), workout: w.workout.clone() }).collect();
    let consent =
        db.consent(user, HumanActionKind::Revert, Some(second), change_hash(second, 3, &back)).await.unwrap();
    assert_eq!(human_actions::revert(consent, second, 3, 2, june(8)).await.unwrap(), 4);
    let declined = desk.propose(second, 4, "No.", &changes[..1], june(8), now()).await.unwrap();
    store.decline_proposal(user, declined, now()).await.unwrap();
    desk.propose(second, 4, "Waits.", &changes[..1], june(8), now()).await.unwrap();
    // Archived; the next plan is active, with a pending draft beside it.
    human_actions::archive(db.consent_to(user, HumanActionKind::Archive, second).await.unwrap(), second)
        .await
        .unwrap();
    db.activate(user, riff, None).await.unwrap();
    db.draft(user, "Waits").await;
    let note = NoteText::new("calf\nis “tight” \u{1f9b5} {\"a\": [1]}").unwrap();
    store.add_note(user, Author::Athlete, Some(june(9)), &note, now()).await.unwrap();
    let last = store.add_note(user, Author::Coach, None, &note, now()).await.unwrap();
    store.delete_note(user, last, now()).await.unwrap();
    store.put_setting(user, "odd", &serde_json::json!({"z": [1.0, 1e-7, -0.0, null], "a": 1e22, "b": [1e16, -3e18, 1.5e19, 123456789012345680.0]}), now()).await.unwrap();
    store.put_setting(user, "nothing", &serde_json::Value::Null, now()).await.unwrap();
    store.enqueue(user, "sync", serde_json::json!({}), now(), now()).await.unwrap();
}

fn tables_sql(db: &TestDb) -> String {
    let table = if db.is_sqlite() {
        "name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name"
    } else {
        "relname::text FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname"
    };
    format!("SELECT {table} <> 'seaql_migrations' ORDER BY 1")
}

/// A row with edge-case values, for a table that is otherwise empty.
fn odd_row(table: &str, user: UserId, sqlite: bool) -> String {
    let at = "'2026-06-14T08:00:00.123456+00:00'";
    let (yes, blob) = if sqlite { ("1", "X'00FF80'") } else { ("TRUE", "'\\x00FF80'::bytea") };
    let a = "(SELECT MIN(id) FROM activities)";
    let values = match table {
        "credentials" => format!("user_id, password_hash, changed_at) VALUES ({user}, '$argon2id$', {at}"),
        "invites" => format!(
            "user_id, token_hash, made_at, expires_at, redeemed_at) VALUES ({user}, 'i', {at}, {at}, NULL"
        ),
        "sessions" => format!(
            "user_id, token_hash, client, opened_at, seen_at, expires_at) VALUES ({user}, 's', '', {at}, {at}, {at}"
        ),
        "api_tokens" => {
            format!("user_id, name, token_hash, scope, made_at) VALUES ({user}, 'n', 't', 'read', {at}")
        }
        "thresholds" => format!(
            "user_id, kind, value, from_day, origin) VALUES ({user}, 'k', 0.30000000000000004, '2026-02-28', 'set'"
        ),
        "zones" => format!(
            "user_id, kind, sport, from_day, origin, lower_bounds) VALUES ({user}, 'k', 'running', '2024-02-29', 'set', '[120, 140.5]'"
        ),
        "sources" => {
            format!("user_id, kind, label, config, added_at) VALUES ({user}, 'garmin', 'G', '{{}}', {at}")
        }
        "source_secrets" => format!(
            "source_id, user_id, sealed, stored_at) SELECT id, {user}, {blob}, {at} FROM sources WHERE id = (SELECT MIN(id) FROM sources"
        ),
        "laps" => format!(
            "activity_id, user_id, number, started_at, avg_cadence) VALUES ({a}, {user}, 1, {at}, 88.5"
        ),
        "streams" => {
            format!("activity_id, user_id, channel, samples, packed) VALUES ({a}, {user}, 'Zé', 3, {blob}")
        }
        "record_streams" => format!(
            "user_id, kind, external_id, channel, samples, packed) VALUES ({user}, 'gpx', 'g#0', 'power', 3, {blob}"
        ),
        "gear" => format!(
            "user_id, kind, name, initial_mm, retire_at_mm, retired_on, added_at) VALUES ({user}, 'shoes', 'Zé', 0, 700000000, '2024-02-29', {at}"
        ),
        "gear_defaults" => {
            format!("user_id, sport, from_day, gear_id) VALUES ({user}, 'running', '2026-06-14', NULL")
        }
        "activity_gear" => format!("activity_id, user_id, gear_id) VALUES ({a}, {user}, NULL"),
        "daily_wellness" => {
            format!("user_id, day, hrv_ms, steps) VALUES ({user}, '2026-06-14', 61.7, 9007199254740993")
        }
        "observations" => format!(
            "user_id, kind, from_day, through_day, author, accepted, written_at) VALUES ({user}, 'mood', '2026-06-14', '2026-06-14', 'athlete', {yes}, {at}"
        ),
        "briefs" => format!(
            "user_id, day, written_at, model, prompt_version, schema_version, body) VALUES ({user}, '2026-06-14', {at}, 'm', 'p', 's', '{{\"b\": \"\\u00e9\", \"a\": 2.50}}'"
        ),
        "brief_facts" => format!(
            "brief_id, user_id, fact_id, value, source) SELECT id, {user}, 'f', '1', 'null' FROM briefs WHERE id = (SELECT MIN(id) FROM briefs"
        ),
        "chats" => format!("user_id, title, started_at) VALUES ({user}, 't', {at}"),
        "chat_messages" => format!(
            "chat_id, user_id, role, body, said_at) SELECT id, {user}, 'coach', '\"x\"', {at} FROM chats WHERE id = (SELECT MIN(id) FROM chats"
        ),
        "originals" => format!(
            "user_id, sha256, name, size, packed, kept_at) VALUES ({user}, 'h', 'a.fit', 3, {blob}, {at}"
        ),
        "activity_details" => format!("activity_id, user_id, packed) VALUES ({a}, {user}, {blob}"),
        "day_reports" => format!(
            "user_id, day, kind, part, reported, content_hash) VALUES ({user}, '2026-06-14', 'garmin', 'ß', '{{\"x\": 1}}', 'h'"
        ),
        "estimates" => format!("user_id, day, kind, value) VALUES ({user}, '2026-06-14', 'vo2max', '51.0'"),
        "finished_imports" => format!("user_id, sha256, reader, finished_at) VALUES ({user}, 'h', 'r', {at}"),
        "races" => format!(
            "user_id, day, name, distance_mm, time_ms, confirmed, decided_at) VALUES ({user}, '2026-05-01', 'R', 5000000, 1200000, {yes}, {at}"
        ),
        "derivations" => {
            format!("user_id, stale_from, settled_through, touched) VALUES ({user}, NULL, '2026-06-14', 7")
        }
        "activity_metrics" => {
            format!("activity_id, user_id, version, clues, measures) VALUES ({a}, {user}, 1, '[]', {blob}")
        }
        "daily_metrics" => {
            format!("user_id, day, form, packed) VALUES ({user}, '2026-06-14', -17.25, {blob}")
        }
        "workout_matches" => format!(
            "user_id, plan_id, workout_id, activity_id, accepted, decided_at) SELECT {user}, plan_id, id, {a}, {yes}, {at} FROM workouts WHERE id = (SELECT MIN(id) FROM workouts WHERE user_id = {user}"
        ),
        "spendings" => format!(
            "user_id, day, at, purpose, model, input_tokens, cache_write_tokens, cache_read_tokens, output_tokens) VALUES ({user}, '2026-06-14', {at}, 'chat', 'm', 1, 2, 3, 4"
        ),
        "session_codes" => format!(
            "user_id, code_hash, tries_left, made_at, expires_at) VALUES ({user}, '$argon2id$', 5, {at}, {at}"
        ),
        "ownerships" => format!("user_id, since) VALUES ({user}, {at}"),
        "sign_ins" => format!("user_id, token_hash, made_at, expires_at) VALUES ({user}, 'l', {at}, {at}"),
        "calendar_feeds" => format!("user_id, token_hash, made_at) VALUES ({user}, 'c', {at}"),
        other => panic!("say what a row of {other} looks like, so that backups are tried with one"),
    };
    format!("INSERT INTO {table} ({values})")
}

fn sqlite_location(path: &Path) -> Location {
    Location::parse(path.as_os_str()).unwrap()
}

/// Location of a database that does not exist yet.
async fn empty_location(backend: Backend, home: &TempDir, name: &str) -> Option<Location> {
    match backend {
        Backend::Sqlite => Some(sqlite_location(&home.path().join(format!("{name}.db")))),
        Backend::Postgres => {
            let url = testkit::cluster()?.empty_database().await;
            Some(Location::parse(OsStr::new(&url)).unwrap())
        }
    }
}

async fn hash(store: &Store) -> String {
    store.logical_hash().await.unwrap().to_string()
}

fn restore_error(answer: Result<(Store, backup::Backup), Error>) -> Error {
    match answer {
        Ok(_) => panic!("it was restored"),
        Err(why) => why,
    }
}

/// More than either database has reader connections.
const CONCURRENCY: usize = 16;

struct DiscardingCollector;

impl backup::RowCollector for DiscardingCollector {
    fn table(&mut self, _: &str) -> std::io::Result<()> {
        Ok(())
    }

    fn row(&mut self, _: &str, _: backup::Fields) -> std::io::Result<()> {
        Ok(())
    }
}

on_both_databases! {
    async fn exports_and_backups_at_once_do_not_wait_for_each_other(db) {
        let ann = db.user("Ann").await;
        let folder = TempDir::new().unwrap();
        let mut work = tokio::task::JoinSet::new();
        for number in 0..CONCURRENCY {
            let (store, path) = (db.store.clone(), folder.path().join(number.to_string()));
            work.spawn(async move {
                match number % 3 {
                    0 => store.back_up(&path, Some(now())).await.map(drop),
                    1 => store.export_user(ann, now(), DiscardingCollector).await.map(drop),
                    _ => store.logical_hash().await.map(drop),
                }
            });
        }
        let ended = tokio::time::timeout(std::time::Duration::from_secs(20), work.join_all()).await;
        for result in ended.expect("each has what it needs") {
            result.unwrap();
        }
    }

    async fn backup_restores_identically_in_either_database(db) {
        let home = TempDir::new().unwrap();
        let users = seed_every_table(&db).await;
        let file = home.path().join("all.fitness-backup");
        let made = db.store.back_up(&file, Some(now())).await.unwrap();
        let before = hash(&db.store).await;
        assert_eq!(made.manifest.hash.to_string(), before);
        assert_eq!(backup::inspect(&file).await.unwrap(), made);
        let empty_tables: Vec<&String> = made.manifest.tables.iter().filter(|(_, sum)| sum.rows == 0).map(|(name, _)| name).collect();
        assert!(empty_tables.is_empty(), "these were not tried: {empty_tables:?}");

        let mut heads = Vec::new();
        for &user in &users {
            heads.push(db.store.audit_head(user).await.unwrap());
        }
        let note = NoteText::new("next").unwrap();
        let next = db.store.add_note(users[0], Author::Athlete, None, &note, now()).await.unwrap();

        for backend in [Backend::Sqlite, Backend::Postgres] {
            let Some(there) = empty_location(backend, &home, "other").await else { continue };
            let (other, _) = Store::restore(there, &file).await.unwrap();
            assert_eq!(hash(&other).await, before, "{backend:?}");
            for (&user, head) in users.iter().zip(&heads) {
                assert_eq!(other.first_broken_audit_entry(user).await.unwrap(), None);
                assert_eq!(&other.audit_head(user).await.unwrap(), head);
                assert_eq!(other.list_plans(user).await.unwrap(), db.store.list_plans(user).await.unwrap());
                let active = other.find_active_plan(user).await.unwrap().unwrap();
                assert_eq!(other.graded_plan(user, active.id).await.unwrap().graded, db.store.graded_plan(user, active.id).await.unwrap().graded);
            }
            // Ids continue after a restore: none is reused, not even those of deleted rows.
            let same = other.add_note(users[0], Author::Athlete, None, &note, now()).await.unwrap();
            assert_eq!(same, next);
            let third = other.add_user("Third", &fitness_core::domain::athlete::Profile::default(), now()).await.unwrap();
            assert_eq!(third.id.get(), users[1].get() + 2, "a number of somebody who left");
            other.close().await;
        }
    }

    async fn backup_round_trip_across_databases_is_identical(db) {
        let home = TempDir::new().unwrap();
        seed_every_table(&db).await;
        let before = hash(&db.store).await;
        let first = home.path().join("there.fitness-backup");
        db.store.back_up(&first, None).await.unwrap();
        let other = if db.is_sqlite() { Backend::Postgres } else { Backend::Sqlite };
        let Some(there) = empty_location(other, &home, "there").await else { return };
        let (there, _) = Store::restore(there, &first).await.unwrap();
        let second = home.path().join("back.fitness-backup");
        there.back_up(&second, None).await.unwrap();
        let back = empty_location(db.backend, &home, "back").await.unwrap();
        let (back, _) = Store::restore(back, &second).await.unwrap();
        assert_eq!((hash(&there).await, hash(&back).await), (before.clone(), before));
    }

    async fn backup_during_writes_is_one_snapshot(db) {
        let home = TempDir::new().unwrap();
        let ann = db.user("Ann").await;
        db.active_plan(ann, "Plan").await;
        let done = Arc::new(AtomicBool::new(false));
        let (writing, other) = (Arc::clone(&done), db.another_store().await);
        let writer = tokio::spawn(async move {
            let mut written = 0;
            while !writing.load(Ordering::Relaxed) {
                let note = NoteText::new(&format!("note {written}")).unwrap();
                other.add_note(ann, Author::Athlete, None, &note, now()).await.unwrap();
                written += 1;
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
            written
        });
        for round in 0..20 {
            let file = home.path().join(format!("{round}.fitness-backup"));
            let made = db.store.back_up(&file, None).await.unwrap();
            let there = sqlite_location(&home.path().join(format!("{round}.db")));
            let (restored, _) = Store::restore(there, &file).await.unwrap();
            assert_eq!(restored.logical_hash().await.unwrap(), made.manifest.hash, "round {round}");
            // Every note has its audit entry.
            let notes = i64::try_from(restored.list_notes(ann).await.unwrap().len()).unwrap();
            assert_eq!(restored.audit_head(ann).await.unwrap().seq, 3 + notes, "round {round}");
            assert_eq!(restored.first_broken_audit_entry(ann).await.unwrap(), None);
            restored.close().await;
        }
        done.store(true, Ordering::Relaxed);
        assert!(writer.await.unwrap() > 20, "nobody wrote meanwhile");
    }

    async fn restore_into_non_empty_database_is_refused(db) {
        let home = TempDir::new().unwrap();
        db.user("Ann").await;
        let file = home.path().join("a.fitness-backup");
        db.store.back_up(&file, None).await.unwrap();
        let before = hash(&db.store).await;
        let here = Location::parse(OsStr::new(db.url())).unwrap();
        let why = restore_error(Store::restore(here.clone(), &file).await);
        assert!(matches!(why, Error::NotEmpty(_)), "{why}");
        assert_eq!(hash(&db.store).await, before);
        assert!(db.store.back_up(&file, None).await.unwrap_err().to_string().contains("the file already exists"));
        // A database with tables but no users counts as empty.
        let fresh = TestDb::new(db.backend).await.unwrap();
        let (store, _) = Store::restore(Location::parse(OsStr::new(fresh.url())).unwrap(), &file).await.unwrap();
        assert_eq!(hash(&store).await, before);
    }

    async fn restore_of_forged_plan_is_refused(db) {
        // Raw SQL can activate a plan without a human; restoring rejects that.
        let home = TempDir::new().unwrap();
        let ann = db.user("Ann").await;
        db.active_plan(ann, "Plan").await;
        let forged = db.draft(ann, "Forged").await;
        let mut raw = Raw::connect(&db).await;
        let on = if raw.is_sqlite() { "" } else { " ON training_plans" };
        for guard in ["only_a_human_activates_a_plan", "a_plan_goes_from_draft_to_active_to_archived_and_never_back", "only_a_human_archives_a_plan", "a_decision_stands"] {
            raw.must_exec(&format!("DROP TRIGGER {guard}{on}")).await;
        }
        raw.must_exec("DROP INDEX one_active_plan_per_user").await;
        raw.must_exec("DROP INDEX an_activation_is_spent_once").await;
        raw.must_exec(&format!("UPDATE training_plans SET status = 'active', activated_by = (SELECT MAX(id) FROM human_actions) WHERE id = {forged}")).await;
        let file = home.path().join("forged.fitness-backup");
        db.store.back_up(&file, None).await.unwrap();
        let there = home.path().join("there.db");
        let why = restore_error(Store::restore(sqlite_location(&there), &file).await);
        assert!(matches!(why, Error::Refused(_) | Error::Database(_)), "{why}");
        assert!(!there.exists());
    }
}

#[tokio::test]
async fn a_backup_that_was_cut_or_altered_is_refused_and_nothing_is_made() {
    let home = TempDir::new().unwrap();
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    seed_every_table(&db).await;
    let file = home.path().join("whole.fitness-backup");
    db.store.back_up(&file, None).await.unwrap();
    let whole = std::fs::read(&file).unwrap();
    let (spoiled, there) = (home.path().join("spoiled.fitness-backup"), home.path().join("there.db"));
    let try_it = async |bytes: &[u8], what: String| {
        std::fs::write(&spoiled, bytes).unwrap();
        let why = restore_error(Store::restore(sqlite_location(&there), &spoiled).await);
        assert!(matches!(why, Error::BadBackup(_)), "{what}: {why}");
        assert!(!there.exists(), "{what}");
    };
    for step in 0..200 {
        let cut = whole.len() * step / 200;
        try_it(&whole[..cut], format!("cut at {cut}")).await;
    }
    for step in 0..200 {
        let mut bytes = whole.clone();
        let at = whole.len() * step / 200;
        bytes[at] ^= 1 << (step % 8);
        // The eighth byte is the format version.
        if at != 7 {
            try_it(&bytes, format!("a bit of byte {at}")).await;
        }
    }
    try_it(b"", "nothing".to_owned()).await;
    try_it(&[whole.as_slice(), b"x"].concat(), "something behind it".to_owned()).await;
    Store::restore(sqlite_location(&there), &file).await.unwrap();
}

#[tokio::test]
async fn nightly_pruning_keeps_seven_backups_and_other_files() {
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let ann = db.user("Ann").await;
    let folder = db.store.backup_directory().unwrap().unwrap();
    let by_hand = db.store.back_up_in(&folder, "fitness", None).await.unwrap().path;
    let stray = folder.path().join("nightly-notes.txt");
    std::fs::write(&stray, "mine").unwrap();
    let mut made = Vec::new();
    for day in 1..=10 {
        let note = NoteText::new(&format!("day {day}")).unwrap();
        db.store.add_note(ann, Author::Athlete, None, &note, now()).await.unwrap();
        let path = db.store.back_up_nightly(june(day), now()).await.unwrap().unwrap();
        assert_eq!(
            db.store.back_up_nightly(june(day), now()).await.unwrap(),
            Some(path.clone()),
            "once a night"
        );
        made.push(path);
    }
    let kept: Vec<PathBuf> = made.iter().filter(|path| path.exists()).cloned().collect();
    assert_eq!(kept, made[10 - MAX_NIGHTLY_BACKUPS..]);
    assert!(by_hand.exists() && stray.exists());
    let listed = folder.list().unwrap();
    assert_eq!(listed.len(), MAX_NIGHTLY_BACKUPS + 1);
    assert!(listed.iter().all(|kept| kept.header.as_ref().unwrap().people[0].name == "Ann"));
}

#[tokio::test]
async fn plans_come_back_in_the_state_they_were_in() {
    let home = TempDir::new().unwrap();
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let users = seed_every_table(&db).await;
    let file = home.path().join("a.fitness-backup");
    db.store.back_up(&file, None).await.unwrap();
    let (store, _) = Store::restore(sqlite_location(&home.path().join("b.db")), &file).await.unwrap();
    let mut statuses: Vec<PlanStatus> =
        store.list_plans(users[0]).await.unwrap().iter().map(|plan| plan.status).collect();
    statuses.sort_unstable_by_key(|status| status.as_str());
    assert_eq!(statuses, [PlanStatus::Active, PlanStatus::Archived, PlanStatus::Draft]);
    let kinds: Vec<HumanActionKind> = store
        .list_human_actions(users[0], 100)
        .await
        .unwrap()
        .iter()
        .rev()
        .map(|action| action.kind)
        .collect();
    use HumanActionKind::{Activate, Apply, Archive, Delete, Edit, Revert};
    assert_eq!(kinds, [Delete, Activate, Activate, Delete, Apply, Edit, Revert, Archive, Activate]);
    // The restored database has the same triggers.
    assert_eq!(
        Store::open(sqlite_location(&home.path().join("b.db")), MissingDatabasePolicy::Refuse)
            .await
            .unwrap()
            .logical_hash()
            .await
            .unwrap(),
        db.store.logical_hash().await.unwrap()
    );
}

#[tokio::test]
async fn removed_user_is_in_no_database_file_and_backups_with_their_data_are_listed() {
    const CANARY: &str = "canary-4f1c9e";
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
    let folder = db.store.backup_directory().unwrap().unwrap();
    for number in 0..200 {
        let text = NoteText::new(&format!("{CANARY} {number} {}", "x".repeat(300))).unwrap();
        db.store.add_note(ann, Author::Athlete, None, &text, now()).await.unwrap();
    }
    db.store
        .add_note(bob, Author::Athlete, None, &NoteText::new("still here").unwrap(), now())
        .await
        .unwrap();
    let both = db.store.back_up_in(&folder, "both", None).await.unwrap().path;
    let alone = {
        let other = TestDb::new(Backend::Sqlite).await.unwrap();
        other.user("Ann").await;
        other.store.back_up_in(&folder, "alone", None).await.unwrap().path
    };
    let directory = Path::new(db.url()).parent().unwrap();
    let traces = || {
        let files = std::fs::read_dir(directory).unwrap().flatten().filter(|entry| entry.path().is_file());
        files
            .map(|entry| std::fs::read(entry.path()).unwrap())
            .map(|bytes| bytes.windows(CANARY.len()).filter(|window| *window == CANARY.as_bytes()).count())
            .sum::<usize>()
    };
    assert!(traces() >= 200, "the canary can be found while it is there");
    let consent = db.consent(
        ann,
        HumanActionKind::DeleteUser,
        None,
        fitness_core::domain::content_hash::ContentHash::hash_bytes(b"Ann"),
    );
    let removal = db.store.remove_user(consent.await.unwrap(), Some(bob)).await.unwrap();
    assert!(!removal.vacuum_pending);
    let remains = removal.backup_references;
    assert_eq!(traces(), 0, "in {directory:?}");
    let told: Vec<(&Path, Vec<&str>)> = remains
        .iter()
        .map(|remains| (remains.path.as_path(), remains.others.iter().map(String::as_str).collect()))
        .collect();
    assert!(
        told.contains(&(both.as_path(), vec!["Bob"])) && told.contains(&(alone.as_path(), vec![])),
        "{told:?}"
    );
    assert!(both.exists() && alone.exists(), "they are told, not removed");
    assert_eq!(db.store.list_notes(bob).await.unwrap().len(), 1);
}

#[tokio::test]
async fn removal_whose_vacuum_did_not_end_is_finished_at_the_next_start() {
    const CANARY: &str = "a-canary-that-must-not-sing";
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let ann = db.user("Ann").await;
    for number in 0..200 {
        let note = NoteText::new(&format!("{CANARY} {number}")).unwrap();
        db.store.add_note(ann, Author::Athlete, None, &note, now()).await.unwrap();
    }
    let directory = Path::new(db.url()).parent().unwrap();
    let traces = || {
        let files = std::fs::read_dir(directory).unwrap().flatten().filter(|entry| entry.path().is_file());
        let read = files.map(|entry| std::fs::read(entry.path()).unwrap());
        read.map(|bytes| bytes.windows(CANARY.len()).filter(|window| *window == CANARY.as_bytes()).count())
            .sum::<usize>()
    };
    // A reader blocks the checkpoint of the log.
    let mut reader = Raw::connect(&db).await;
    reader.must_exec("BEGIN").await;
    assert_eq!(reader.number("SELECT COUNT(*) FROM notes").await, 200);
    let seen = fitness_core::domain::content_hash::ContentHash::hash_bytes(b"Ann");
    let consent = db.consent(ann, HumanActionKind::DeleteUser, None, seen).await.unwrap();
    let removal = db.store.remove_user(consent, None).await.unwrap();
    assert!(removal.vacuum_pending && db.store.is_vacuum_pending().await.unwrap());
    assert!(traces() > 0, "it is still in the files");
    assert_eq!(db.store.find_user("Ann").await.unwrap(), None, "the rows are gone all the same");
    reader.must_exec("ROLLBACK").await;
    drop(reader);
    let next = db.another_store().await;
    assert!(!next.is_vacuum_pending().await.unwrap());
    assert_eq!(traces(), 0, "in {directory:?}");
}
