//! Export of a user's data and restoring it.

use crate::fixtures::{clock, demo_export, reimport};
use fitness_core::domain::note::{Author, NoteText};
use fitness_ingest::export::{export, restore_export};
use fitness_store::testkit::{self, Backend, TestDb, now};
use fitness_store::{Location, NewBrief, Role, on_both_databases};
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

/// The ZIP with some members changed or removed.
fn write_tampered_copy(from: &Path, to: &Path, change: impl Fn(&str, Vec<u8>) -> Option<Vec<u8>>) {
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

/// Markdown without code blocks and code spans.
fn text_outside_code(text: &str) -> String {
    let (mut out, mut open) = (String::new(), None);
    for line in text.lines() {
        let fence = line.len() - line.trim_start_matches('`').len();
        match open {
            None if fence >= 3 => open = Some(fence),
            Some(length) if fence >= length && line.trim_matches('`').trim().is_empty() => open = None,
            None => {
                let mut rest = line;
                while let Some(start) = rest.find('`') {
                    out.push_str(&rest[..start]);
                    let ticks = rest[start..].len() - rest[start..].trim_start_matches('`').len();
                    let after = &rest[start + ticks..];
                    let end = after.find(&format!(" {}", "`".repeat(ticks))).expect("a span ends");
                    rest = &after[end + 1 + ticks..];
                }
                out.push_str(rest);
                out.push('\n');
            }
            Some(_) => {}
        }
    }
    assert_eq!(open, None, "a block does not end: {text}");
    out
}

on_both_databases! {
    async fn export_restores_an_equal_database(db) {
        let home = TempDir::new().unwrap();
        let ann = db.user("Ann").await;
        reimport(&db.store, ann, &[demo_export().zip.clone()]).await;
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
        // Original files are unchanged; recordings have samples.
        assert!(contents.files.len() > 10);
        let lines = member(&path, "activities.csv").lines().count() as u64;
        assert_eq!(lines, demo_export().activities + 1);
        let recording = found.iter().find(|name| name.starts_with("recordings/")).unwrap();
        let recording = member(&path, recording);
        assert!(recording.starts_with("seconds,") && recording.lines().count() > 100, "{}", &recording[..200]);
        assert!(member(&path, "notes.md").contains("calf, \"tight\""));

        let before = db.store.export_hash().await.unwrap();
        for backend in [Backend::Sqlite, Backend::Postgres] {
            let location = match backend {
                Backend::Sqlite => home.path().join("new.db").into_os_string(),
                Backend::Postgres => match testkit::cluster() {
                    Some(cluster) => cluster.empty_database().await.into(),
                    None => continue,
                },
            };
            let (store, _) = restore_export(Location::parse(&location).unwrap(), &path).await.unwrap();
            assert_eq!(store.export_hash().await.unwrap(), before, "{backend:?}");
            assert_eq!(store.derived_fingerprint(ann).await.unwrap(), db.store.derived_fingerprint(ann).await.unwrap());
            store.close().await;
        }
    }

    async fn export_and_restored_database_have_no_credentials(db) {
        let home = TempDir::new().unwrap();
        let ann = db.user("Ann").await;
        let store = &db.store;
        store.set_password(ann, &"correct horse".to_owned().into(), now()).await.unwrap();
        let week = chrono::TimeDelta::days(7);
        let cookie = store.open_session(ann, "Firefox", week, now()).await.unwrap();
        store.create_login_link(ann, now()).await.unwrap();
        store.create_session_code(ann, now()).await.unwrap();
        store.create_invite(ann, now()).await.unwrap();
        let calendar = store.create_calendar_feed(ann, now()).await.unwrap();
        let (_, token) = store.mint_api_token(ann, "desktop", fitness_core::coach_api::Scope::Read, None, now()).await.unwrap();
        let source = store.add_source(ann, "garmin", "Garmin", serde_json::json!({}), now()).await.unwrap();
        store.put_source_secret(ann, source, b"sealed-canary-7391".to_vec(), None, now()).await.unwrap();
        for key in [fitness_store::COACH_KEY_SETTING, fitness_store::SHARED_COACH_KEY_SETTING] {
            store.put_setting(ann, key, &serde_json::json!({ "sealed": format!("canary-of-{key}") }), now()).await.unwrap();
        }
        store.put_setting(ann, "coach", &"kept", now()).await.unwrap();
        let path = home.path().join("ann.zip");
        export(store, ann, File::create(&path).unwrap(), clock()).await.unwrap();
        let secret_tables = ["credentials", "invites", "sign_ins", "sessions", "session_codes", "api_tokens", "calendar_feeds", "source_secrets"];
        let found = names(&path);
        for table in secret_tables {
            assert!(!found.contains(&format!("data/{table}.jsonl")), "{table}");
        }
        let all: String = found.iter().map(|name| member(&path, name)).collect();
        for secret in ["$argon2id$", "c2VhbGVkLWNhbmFyeS03Mzkx", "canary-of-", cookie.reveal(), token.reveal(), calendar.reveal()] {
            let hash = fitness_core::domain::content_hash::ContentHash::hash_bytes(secret.as_bytes()).to_string();
            assert!(!all.contains(secret) && !all.contains(&hash), "{secret}");
        }
        let (made, _) = restore_export(Location::parse(home.path().join("ann.db").as_os_str()).unwrap(), &path).await.unwrap();
        assert!(!made.user(ann).await.unwrap().has_password);
        assert_eq!(made.find_session(cookie.reveal(), now()).await.unwrap(), None);
        assert_eq!(made.find_api_token(token.reveal(), now()).await.unwrap(), None);
        assert_eq!(made.find_source_secret(ann, source).await.unwrap(), None);
        let settings = made.list_settings(ann).await.unwrap();
        assert_eq!(settings.keys().collect::<Vec<_>>(), ["coach"]);
        assert!(!made.has_encrypted_keys().await.unwrap() && store.has_encrypted_keys().await.unwrap());
        assert_eq!(made.export_hash().await.unwrap(), store.export_hash().await.unwrap());
        made.close().await;
        // A backup contains them.
        let backup = home.path().join("all.fitness-backup");
        store.back_up(&backup, Some(now())).await.unwrap();
        let restored = Location::parse(home.path().join("restored.db").as_os_str()).unwrap();
        let (restored, _) = fitness_store::Store::restore(restored, &backup).await.unwrap();
        assert!(restored.user(ann).await.unwrap().has_password);
        assert!(restored.find_session(cookie.reveal(), now()).await.unwrap().is_some());
        restored.close().await;
    }

    async fn exported_markdown_has_no_active_content(db) {
        const HOSTILE: &str = "![x](https://e.test/a.png) <img src=//e.test> [y](https://e.test) https://e.test www.e.test a@e.test\n```\n<b>out</b>\n````text\n# head";
        let home = TempDir::new().unwrap();
        let ann = db.user("Ann").await;
        let store = &db.store;
        let hostile = NoteText::new(HOSTILE).unwrap();
        store.add_note(ann, Author::Athlete, None, &NoteText::new("calf is tight").unwrap(), now()).await.unwrap();
        store.add_note(ann, Author::Coach, None, &hostile, now()).await.unwrap();
        let taken = store.add_note(ann, Author::Coach, None, &hostile, now()).await.unwrap();
        store.accept_note(ann, taken, now()).await.unwrap();
        let chat = store.start_chat(ann, "`a` ![x](https://e.test)", now()).await.unwrap();
        let text = |text: &str| serde_json::json!({ "type": "text", "text": text });
        let said = |role, body| fitness_store::ChatMessage { role, body, model: Some("m".to_owned()), said_at: now() };
        let asked = serde_json::json!({ "from": "program", "parts": [text("context-for-the-model"), text("Am I tired?")] });
        let call = serde_json::json!({ "from": "model", "name": "m", "parts": [{ "type": "call", "id": "1", "tool": "daily_snapshot", "input": {} }] });
        let answered = serde_json::json!({ "from": "model", "name": "m", "parts": [text("You slept well."), text(HOSTILE)] });
        for (role, body) in [(Role::Athlete, asked), (Role::Coach, call), (Role::Coach, answered)] {
            store.add_chat_message(ann, chat, said(role, body)).await.unwrap();
        }
        let brief = NewBrief {
            day: testkit::june(14), model: "m](https://e.test)".to_owned(), prompt_version: "p".to_owned(), schema_version: "s".to_owned(),
            body: serde_json::json!({ "briefing": {}, "rendered": format!("Good morning. {HOSTILE}"), "byline": "m" }),
            cost_micros: None, fallback_reason: None, facts: Vec::new(),
        };
        store.put_brief(ann, brief, now()).await.unwrap();
        let path = home.path().join("ann.zip");
        export(store, ann, File::create(&path).unwrap(), clock()).await.unwrap();
        for name in ["notes.md", "briefs.md", "conversations.md"] {
            let live = text_outside_code(&member(&path, name));
            for sign in ["e.test", "<", "![", "]("] {
                assert!(!live.contains(sign), "{name}: {live}");
            }
        }
        let (notes, briefs, chats) = (member(&path, "notes.md"), member(&path, "briefs.md"), member(&path, "conversations.md"));
        assert_eq!((notes.matches(", suggested by coach, not accepted").count(), notes.matches(", suggested by coach, accepted by you").count()), (1, 1), "{notes}");
        assert!(briefs.contains("\nGood morning. ![x]"), "{briefs}");
        assert!(chats.contains("\nAm I tired?\n") && chats.contains("\nYou slept well.\n"), "{chats}");
        assert!(!chats.contains("context-for-the-model") && !chats.contains("\"parts\""), "{chats}");
    }

    async fn export_holds_no_data_of_other_users(db) {
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
        let (store, _) = restore_export(Location::parse(home.path().join("ann.db").as_os_str()).unwrap(), &path).await.unwrap();
        assert_eq!(store.list_users().await.unwrap().len(), 1);
        assert_eq!(store.find_active_plan(ann).await.unwrap().unwrap().name, "mine-7391");
    }
}

#[tokio::test]
async fn credentials_in_an_older_export_are_not_restored() {
    let home = TempDir::new().unwrap();
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let ann = db.user("Ann").await;
    let (new, old) = (home.path().join("new.zip"), home.path().join("old.zip"));
    export(&db.store, ann, File::create(&new).unwrap(), clock()).await.unwrap();
    // As version 0.1.0 wrote it: with a password table and its checksum in the manifest.
    write_tampered_copy(&new, &old, |name, bytes| {
        if name != "manifest.json" {
            return Some(bytes);
        }
        let mut manifest: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let sum = serde_json::json!({ "rows": 1, "sha256": "0".repeat(64) });
        manifest["manifest"]["tables"]["credentials"] = sum;
        Some(serde_json::to_vec(&manifest).unwrap())
    });
    let mut zip =
        zip::ZipWriter::new_append(File::options().read(true).write(true).open(&old).unwrap()).unwrap();
    zip.start_file("data/credentials.jsonl", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(
        b"{\"user_id\":1,\"password_hash\":\"$argon2id$\",\"changed_at\":\"2026-06-14T08:00:00Z\"}\n",
    )
    .unwrap();
    zip.finish().unwrap();
    let there = Location::parse(home.path().join("there.db").as_os_str()).unwrap();
    let (store, _) = restore_export(there, &old).await.unwrap();
    let users = store.list_users().await.unwrap();
    assert_eq!(
        users.iter().map(|user| (user.name.as_str(), user.has_password)).collect::<Vec<_>>(),
        [("Ann", false)]
    );
}

#[tokio::test]
async fn changed_export_is_refused() {
    let home = TempDir::new().unwrap();
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let ann = db.user("Ann").await;
    reimport(&db.store, ann, &[demo_export().zip.clone()]).await;
    db.store.add_note(ann, Author::Athlete, None, &NoteText::new("a note").unwrap(), now()).await.unwrap();
    let whole = home.path().join("whole.zip");
    export(&db.store, ann, File::create(&whole).unwrap(), clock()).await.unwrap();
    let (bad, there) = (home.path().join("bad.zip"), home.path().join("there.db"));
    let refused = async |what: &str| {
        let location = Location::parse(there.as_os_str()).unwrap();
        let why = restore_export(location, &bad).await.map(|_| ()).unwrap_err().to_string();
        assert!(!there.exists(), "{what}: {why}");
        why
    };
    let text = |bytes: Vec<u8>, from: &str, to: &str| {
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains(from), "{text}");
        Some(text.replace(from, to).into_bytes())
    };
    write_tampered_copy(&whole, &bad, |name, bytes| match name {
        "data/notes.jsonl" => text(bytes, "a note", "another"),
        _ => Some(bytes),
    });
    assert!(
        refused("a changed note").await.contains("table notes does not match the backup after restoring")
    );
    write_tampered_copy(&whole, &bad, |name, bytes| (name != "data/laps.jsonl").then_some(bytes));
    assert!(refused("a missing table").await.contains("data/laps.jsonl is missing"));
    write_tampered_copy(&whole, &bad, |name, bytes| {
        if name.starts_with("files/") { Some(b"FIT".to_vec()) } else { Some(bytes) }
    });
    assert!(refused("another file").await.contains("is missing or damaged"));
    write_tampered_copy(&whole, &bad, |name, bytes| match name {
        "notes.md" => text(bytes, "a note", "another"),
        _ => Some(bytes),
    });
    assert!(refused("another text").await.contains("notes.md was changed"));
    write_tampered_copy(&whole, &bad, |name, bytes| (name != "activities.csv").then_some(bytes));
    assert!(refused("a missing table for people").await.contains("activities.csv is missing"));
    write_tampered_copy(&whole, &bad, |name, bytes| match name {
        "data/users.jsonl" => text(bytes, "\"name\"", "\"rank\""),
        _ => Some(bytes),
    });
    assert!(refused("an unknown column").await.contains("unknown column rank"));
    write_tampered_copy(&whole, &bad, |name, bytes| match name {
        "manifest.json" => text(bytes, "m0001_foundation\"", "m0001_foundation\", \"m9999_later\""),
        _ => Some(bytes),
    });
    assert!(refused("a newer one").await.contains("newer version"));
    write_tampered_copy(&whole, &bad, |name, bytes| (name != "manifest.json").then_some(bytes));
    assert!(refused("no export").await.contains("not a local-fitness export"));
    let bytes = std::fs::read(&whole).unwrap();
    for part in [0, 1, 10, 50, 99] {
        std::fs::write(&bad, &bytes[..bytes.len() * part / 100]).unwrap();
        refused(&format!("cut at {part} percent")).await;
    }
    // A flipped bit is either detected, or it is in ZIP metadata that does not affect the content.
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
        let taken = restore_export(Location::parse(there.as_os_str()).unwrap(), &bad).await;
        if let Ok((store, _)) = taken {
            store.close().await;
            assert_eq!(parts(&bad).as_ref(), Some(&said), "a bit of byte {place}");
            std::fs::remove_file(&there).unwrap();
        }
        assert!(!there.exists(), "a bit of byte {place}");
    }
    let location = |url: &str| Location::parse(OsStr::new(url)).unwrap();
    let why = restore_export(location(db.url()), &whole).await.map(|_| ()).unwrap_err().to_string();
    assert!(why.contains("is not empty"), "{why}");
    restore_export(Location::parse(there.as_os_str()).unwrap(), &whole).await.unwrap();
}
