//! First steps of a new user, on both databases.

use crate::harness::{HALF_PLAN, Home};
use fitness_store::testkit;

fn first_run(home: &Home) {
    assert!(home.expect_error(&["plan", "list"]).contains("fitness user add NAME"));
    let added = home.json(&["user", "add", "Ann"]);
    assert_eq!(added["user"]["name"], "Ann");
    assert_eq!(added["profile"]["zone"], "Europe/Zurich", "the machine's zone");
    assert_eq!(added["profile"]["units"], "metric");
    assert_eq!(home.json(&["user", "list"]).as_array().unwrap().len(), 1);

    assert_eq!(
        home.ok(&["note", "list"]),
        "No notes yet. Add one, such as `fitness note add calf is tight`.\n"
    );
    assert_eq!(
        home.ok(&["note", "add", "calf", "is", "tight"]),
        "Saved as note 1. Undo with `fitness note delete 1`.\n"
    );
    assert_eq!(home.json(&["note", "add", "--day", "2026-06-14", "slept badly"])["day"], "2026-06-14");
    let notes = home.json(&["note", "list"]);
    assert_eq!(notes[0]["text"], "slept badly");
    assert_eq!(notes[1]["author"], "athlete");
    assert_eq!(home.ok(&["note", "delete", "1"]), "Deleted note 1: calf is tight\n");
    assert!(home.expect_error(&["note", "delete", "1"]).contains("there is no note 1"));

    let file = home.file("half.json", HALF_PLAN);
    let drafted = home.json(&["plan", "draft", &file]);
    assert_eq!((&drafted["plan_id"], &drafted["status"]), (&1.into(), &"draft".into()), "{drafted}");
    let plans = home.json(&["plan", "list"]);
    assert_eq!((&plans[0]["name"], &plans[0]["status"]), (&"Zürich half".into(), &"draft".into()));
    let shown = home.ok(&["plan", "show", "1"]);
    assert!(
        shown.starts_with(
            "Plan 1, Zürich half (draft)\nHalf marathon on 2099-09-20, goal time 1:45:00. 3 workouts"
        ),
        "{shown}"
    );
    assert!(shown.contains("Week of 15 Jun") && !shown.contains("graded"), "{shown}");
    assert!(!shown.contains("waiting for data"), "no verdict for a future day: {shown}");
    let standing = home.json(&["plan", "show", "1"]);
    assert_eq!(standing["graded"], serde_json::json!([]), "a draft is never graded");
    assert_eq!(standing["workouts"][0]["distance_mm"], 8_046_720);
    assert!(home.expect_error(&["plan", "show"]).contains("you have no active plan"));

    let doctor = home.json(&["doctor"]);
    let health: Vec<&str> =
        doctor.as_array().unwrap().iter().map(|f| f["health"].as_str().unwrap()).collect();
    assert!(!health.contains(&"broken"), "{doctor:#}");
    assert!(home.ok(&["doctor"]).contains("audit log intact"));
    assert!(home.ok(&["migrate"]).contains("is up to date (schema m0013_accounts)"));

    home.ok(&["user", "add", "Bob", "--zone", "America/New_York", "--units", "imperial"]);
    assert!(home.expect_error(&["note", "list"]).contains("there are 2 users: Ann, Bob"));
    assert!(home.expect_error(&["--user", "Eve", "note", "list"]).contains("there is no user called `Eve`"));
    assert!(home.ok(&["--user", "bob", "note", "list"]).starts_with("No notes yet"));
    assert!(home.expect_error(&["--user", "Bob", "plan", "show", "1"]).contains("there is no plan 1"));
    assert!(
        home.expect_error(&["user", "invite", "Bob"]).contains("this command needs an interactive terminal")
    );
    let mut session = home.spawn_terminal(&["user", "invite", "Bob"]);
    session.exp_string("Type Bob to create an invite: ").unwrap();
    session.send_line("Bob").unwrap();
    let said = session.exp_eof().unwrap();
    let code = said.split("/invite?code=").nth(1).unwrap_or_else(|| panic!("{said}"));
    assert_eq!(code.split_whitespace().next().unwrap().len(), 64, "{said}");
}

#[test]
fn sqlite_first_run_in_the_data_directory() {
    let home = Home::new();
    first_run(&home);
    let database = home.path("data/local-fitness/fitness.db");
    assert!(database.is_file(), "{:?}", home.files());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&database), mode(database.parent().unwrap())), (0o600, 0o700));
        std::fs::set_permissions(&database, std::fs::Permissions::from_mode(0o644)).unwrap();
        let doctor = home.run(&["doctor"]);
        assert_eq!(doctor.code, Some(1));
        assert!(
            doctor.out.contains("other users of this machine can access") && doctor.out.contains("chmod 600"),
            "{}",
            doctor.out
        );
    }
}

#[test]
fn postgres_first_run_on_a_server() {
    let Some(cluster) = testkit::cluster() else {
        return testkit::skip("postgres_first_run_on_a_server", "no PostgreSQL is installed");
    };
    let url = tokio::runtime::Runtime::new().unwrap().block_on(cluster.empty_database());
    let home = Home::with_database(url);
    first_run(&home);
    assert!(!home.path("data").exists(), "no local files were created");
}

#[test]
fn every_command_has_help() {
    let home = Home::new();
    for arguments in [
        &["--help"][..],
        &["user", "--help"],
        &["user", "add", "--help"],
        &["user", "list", "--help"],
        &["user", "invite", "--help"],
        &["user", "passwd", "--help"],
        &["plan", "--help"],
        &["plan", "list", "--help"],
        &["plan", "show", "--help"],
        &["plan", "draft", "--help"],
        &["plan", "activate", "--help"],
        &["plan", "archive", "--help"],
        &["plan", "delete", "--help"],
        &["note", "--help"],
        &["note", "add", "--help"],
        &["note", "list", "--help"],
        &["note", "delete", "--help"],
        &["import", "--help"],
        &["source", "--help"],
        &["source", "add", "--help"],
        &["source", "list", "--help"],
        &["source", "key", "--help"],
        &["source", "remove", "--help"],
        &["source", "probe", "--help"],
        &["sync", "--help"],
        &["watch", "--help"],
        &["activity", "--help"],
        &["activity", "list", "--help"],
        &["activity", "show", "--help"],
        &["activity", "edit", "--help"],
        &["activity", "reset", "--help"],
        &["activity", "delete", "--help"],
        &["activity", "restore", "--help"],
        &["activity", "files", "--help"],
        &["race", "--help"],
        &["race", "list", "--help"],
        &["race", "confirm", "--help"],
        &["race", "decline", "--help"],
        &["race", "add", "--help"],
        &["race", "remove", "--help"],
        &["demo", "--help"],
        &["doctor", "--help"],
        &["migrate", "--help"],
    ] {
        let help = home.ok(arguments);
        let first = help.lines().next().unwrap();
        assert!(first.len() > 10 && !first.starts_with("Usage"), "{arguments:?}: {first}");
        assert!(help.contains("--json") && help.contains("--user"), "{arguments:?}");
    }
    assert!(home.ok(&["--version"]).starts_with("fitness 0."));
    assert_eq!(home.run(&["plan", "fly"]).code, Some(2));
    assert!(home.files().is_empty());
}
