//! Imports with the real binary: demo files on both databases, interrupted imports, watched
//! folders.

use crate::harness::Home;
use fitness_core::domain::ids::UserId;
use fitness_store::{Location, MissingDatabasePolicy, Store, testkit};
use serde_json::Value;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn export(home: &Home) -> String {
    let written = home.json(&["demo", "--export", "files", "--ends", "2026-06-14", "--seed", "3"]);
    assert!(written["activities"].as_u64().unwrap() > 100, "{written}");
    home.path("files/garmin-export.zip").display().to_string()
}

fn check_import(home: &Home) {
    home.ok(&["user", "add", "Ann", "--zone", "Europe/Zurich"]);
    assert!(home.ok(&["activity", "list"]).contains("fitness import PATH"), "an empty list says what to do");
    assert!(home.expect_error(&["import", "nowhere.fit"]).contains("there is no file or folder nowhere.fit"));
    let zip = export(home);
    let first = home.json(&["import", &zip]);
    assert!(first["added"].as_u64().unwrap() > 100 && first["days"].as_u64().unwrap() > 150, "{first}");
    assert_eq!(first["skipped"], Value::Array(vec![]), "{first}");
    assert_eq!(first["coverage"]["complete"], "2026-06-13");
    let again = home.ok(&["import", &zip]);
    assert!(again.starts_with("Nothing new.\nAlready imported: 1 file."), "{again}");
    let again = home.json(&["import", "--again", &zip]);
    assert_eq!((&again["added"], &again["days"]), (&0.into(), &0.into()), "{again}");

    let listed = home.json(&["activity", "list", "--limit", "500"]);
    let id = listed.as_array().unwrap().iter().find(|a| a["sport"] == "running").unwrap()["id"].to_string();
    assert!(home.ok(&["activity", "show", &id]).contains("source            FIT file, Garmin export"));
    home.ok(&["activity", "edit", &id, "--name", "My run", "--distance", "9.5"]);
    home.json(&["import", "--again", &zip]);
    assert!(home.ok(&["activity", "show", &id]).contains("9.5 km"), "an edit survives an import");
    home.ok(&["activity", "delete", &id]);
    home.json(&["import", "--again", &zip]);
    assert!(
        home.expect_error(&["activity", "show", &id]).contains("there is no activity"),
        "so does a deletion"
    );
    home.ok(&["activity", "restore", &id]);
    assert!(home.ok(&["activity", "show", &id]).contains("My run"));
    home.ok(&["activity", "reset", &id]);
    assert!(!home.ok(&["activity", "show", &id]).contains("My run"));
    assert!(
        home.expect_error(&["activity", "edit", &id, "--distance", "0"]).contains("not a valid distance")
    );
    assert!(home.expect_error(&["activity", "show", "9999999"]).contains("fitness activity list"));

    let files = home.json(&["activity", "files", &id, "--to", "back"]);
    let name = files["files"][0].as_str().unwrap();
    let bytes = std::fs::read(home.path("back").join(name)).unwrap();
    assert_eq!(&bytes[8..12], b".FIT", "the file comes back");

    let races = home.json(&["race", "list"]);
    let race = races["likely"][0]["id"].to_string();
    let confirmed = home.json(&["race", "confirm", &race, "--time", "45:10", "--distance", "10"]);
    assert_eq!(confirmed["result"]["distance_mm"], 10_000_000);
    home.ok(&["race", "add", "2020-05-17", "21.1", "1:45:10", "Spring half"]);
    assert_eq!(home.json(&["race", "list"])["races"].as_array().unwrap().len(), 2);
    assert!(
        home.expect_error(&["race", "add", "2099-05-17", "21.1", "1:45:10", "x"])
            .contains("is in the future")
    );
}

#[test]
fn sqlite_import_story() {
    check_import(&Home::new());
}

#[test]
fn postgres_import_story() {
    let Some(cluster) = testkit::cluster() else {
        return testkit::skip("postgres_import_story", "no PostgreSQL is installed");
    };
    let url = tokio::runtime::Runtime::new().unwrap().block_on(cluster.empty_database());
    check_import(&Home::with_database(url));
}

async fn open(home: &Home) -> Store {
    let path = home.path("data/local-fitness/fitness.db");
    Store::open(Location::Sqlite { path, default: false }, MissingDatabasePolicy::Refuse).await.unwrap()
}

async fn fingerprint(home: &Home) -> String {
    let store = open(home).await;
    let print = store.fingerprint(UserId::new(1)).await.unwrap();
    store.close().await;
    print.to_string()
}

/// Starts an import and sends a signal as soon as the first batch is in the database.
async fn interrupt(home: &Home, zip: &str, signal: &str) -> Option<i32> {
    let store = open(home).await;
    let mut child = home
        .command(&["import", zip])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while store.count_activities(UserId::new(1)).await.unwrap().0 == 0 && Instant::now() < deadline {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
    }
    Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    let code = child.wait().unwrap().code();
    store.close().await;
    code
}

#[tokio::test]
async fn interrupted_or_killed_import_resumes() {
    let undisturbed = Home::new();
    undisturbed.ok(&["user", "add", "Ann", "--zone", "Europe/Zurich"]);
    // A year is more than one batch.
    undisturbed.ok(&["demo", "--export", "files", "--years", "1", "--ends", "2026-06-14"]);
    let zip = undisturbed.path("files/garmin-export.zip").display().to_string();
    undisturbed.ok(&["import", &zip]);
    let whole = fingerprint(&undisturbed).await;

    for (signal, code) in [("-KILL", None), ("-INT", Some(1))] {
        let home = Home::new();
        home.ok(&["user", "add", "Ann", "--zone", "Europe/Zurich"]);
        assert_eq!(interrupt(&home, &zip, signal).await, code, "{signal}");
        let doctor = home.ok(&["doctor"]);
        assert!(
            doctor.contains("no data yet, so no workout is graded"),
            "an incomplete import does not move the data frontier: {doctor}"
        );
        assert!(!home.json(&["activity", "list"]).as_array().unwrap().is_empty(), "imported batches stay");
        home.ok(&["import", &zip]);
        assert_eq!(fingerprint(&home).await, whole, "{signal}");
    }
}

#[test]
fn a_watched_folder_is_imported_as_files_appear() {
    let home = Home::new();
    home.ok(&["user", "add", "Ann", "--zone", "Europe/Zurich"]);
    assert!(home.expect_error(&["watch"]).contains("no folder given"));
    assert!(home.expect_error(&["watch", "inbox"]).contains("there is no folder inbox"));
    std::fs::create_dir(home.path("inbox")).unwrap();
    let mut child = home
        .command(&["watch", "inbox", "--remember", "--json"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(said.next().unwrap().unwrap().starts_with("Watching "));
    let gpx = "<gpx><trk><trkseg><trkpt lat='47' lon='8'><time>2026-06-11T10:00:00Z</time></trkpt>\
               <trkpt lat='47.01' lon='8'><time>2026-06-11T10:30:00Z</time></trkpt></trkseg></trk></gpx>";
    home.file("inbox/run.gpx", gpx);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let outcome: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(outcome["added"], 1, "{outcome}");
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(home.json(&["activity", "list"]).as_array().unwrap().len(), 1);
    home.ok(&["watch", "--forget"]);
    assert!(home.expect_error(&["watch"]).contains("no folder given"));
}

#[test]
fn demo_uses_its_own_database() {
    let home = Home::new();
    let demo = home.json(&["demo", "--only-make", "--ends", "2026-06-14"]);
    let database = demo["database"].as_str().unwrap();
    assert!(database.ends_with("data/local-fitness/demo.db"), "{database}");
    assert!(!home.path("data/local-fitness/fitness.db").exists());
    let answer = home.run_with("FITNESS_DB", database, &["activity", "list", "--json"]);
    let listed: Value = serde_json::from_str(&answer.out).unwrap();
    assert_eq!(listed.as_array().unwrap().len(), 20);
    assert!(
        home.json(&["demo", "--only-make", "--ends", "2026-06-14"])["import"]["added"].as_u64().unwrap()
            > 100,
        "created again"
    );
}

#[test]
fn archive_of_another_vendor_is_refused_and_named() {
    let home = Home::new();
    home.ok(&["user", "add", "Ann"]);
    std::fs::create_dir_all(home.path("polar")).unwrap();
    for number in 0..12 {
        home.file(&format!("polar/sleep_result_{number}.json"), "{}");
    }
    let refused = home.run(&["import", "polar"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.out.contains("This looks like a Polar Flow export."), "{refused:?}");
    assert!(refused.out.contains("12 Polar sleep files: not supported yet"), "{refused:?}");
    let json: Value = serde_json::from_str(&home.run(&["import", "polar", "--json"]).out).unwrap();
    assert_eq!(json["receipt"]["not_understood"]["Polar sleep files"], 12, "{json}");
}

#[test]
fn activity_is_added_by_hand_and_gear_counts_it() {
    let home = Home::new();
    home.ok(&["user", "add", "Ann", "--zone", "Europe/Zurich"]);
    let gear = home.json(&["gear", "add", "Ghost 15", "--initial", "695km"])["gear_id"].to_string();
    home.ok(&["gear", "default", "running", &gear, "--from", "2026-01-01"]);
    let added = home.json(&[
        "activity",
        "add",
        "2026-06-01",
        "running",
        "45:10",
        "--distance",
        "8.2km",
        "--start",
        "07:30",
    ]);
    let id = added["activity_id"].to_string();
    assert!(home.ok(&["activity", "list"]).contains("entered by hand"));
    assert!(home.ok(&["activity", "show", &id]).contains("Entered by hand"));
    let listed = home.ok(&["gear", "list"]);
    assert!(
        listed.contains("703.2 km of 700.0 km") && listed.contains("Time to replace Ghost 15?"),
        "{listed}"
    );
    assert!(
        home.expect_error(&["activity", "add", "2026-06-01", "running", "10:00", "--distance", "90km"])
            .contains("nothing was added")
    );
    assert!(home.expect_error(&["gear", "retire", "99"]).contains("there is no such gear"));
    home.ok(&["gear", "assign", &id, "none"]);
    assert!(home.ok(&["gear", "list"]).contains("695.0 km"));
    home.ok(&["activity", "delete", &id]);
    home.ok(&["gear", "delete", &gear]);
}
