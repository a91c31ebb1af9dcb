//! Bad input gives one `error:` line with the value, one `help:` line and exit code 1, and changes
//! nothing.

use crate::harness::{HALF_PLAN, Home, to_cli_output};
use fitness_store::testkit;
use std::process::{Command, Stdio};

#[test]
fn file_that_is_not_a_database_is_refused() {
    let home = Home::new();
    home.file("list.txt", "milk, bread");
    let foreign = home.path("foreign.db");
    std::fs::copy(fixture_of_something_else(&home), &foreign).unwrap();
    let before = home.files();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let path = |name: &str| home.path(name).display().to_string();
    for (value, says) in [
        (String::new(), "it is empty"),
        (
            "mysql://ann:s3cret@127.0.0.1/fit".to_owned(),
            "`mysql://ann:…@127.0.0.1/fit` is not a valid database",
        ),
        (
            "postgres://127.0.0.1:port/fit".to_owned(),
            "`postgres://127.0.0.1:port/fit` is not a valid database",
        ),
        ("postgres://127.0.0.1".to_owned(), "must name the database"),
        (
            format!("postgres://ann:s3cret@127.0.0.1:{port}/fit"),
            &format!("cannot reach PostgreSQL at 127.0.0.1:{port}/fit"),
        ),
        ("sqlite::memory:".to_owned(), "`sqlite::memory:` is not a valid database"),
        (path(""), "it is a directory"),
        (path("no/such/place.db"), "the file or its directory does not exist"),
        (path("list.txt"), "was not written by local-fitness"),
        (path("foreign.db"), "was not written by local-fitness"),
    ] {
        for arguments in
            [&["user", "add", "Ann"][..], &["note", "list"], &["migrate"], &["plan", "list", "--user", "x"]]
        {
            let error = home.run_with("FITNESS_DB", &value, arguments).expect_error(arguments);
            let missing_is_fine = says.contains("does not exist") && error.contains("no database at");
            assert!(error.contains(says) || missing_is_fine, "{value}: {error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
        let doctor = home.run_with("FITNESS_DB", &value, &["doctor"]);
        assert!(doctor.out.contains("database") && !doctor.out.contains("s3cret"), "{doctor:?}");
    }
    assert_eq!(home.files(), before);
    assert_eq!(std::fs::read_to_string(home.path("list.txt")).unwrap(), "milk, bread");
}

/// A valid SQLite database of another program: ours without its migration records.
fn fixture_of_something_else(home: &Home) -> std::path::PathBuf {
    let path = home.path("other-program.db");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let db = testkit::TestDb::new(testkit::Backend::Sqlite).await.unwrap();
        db.delete_migration_record().await;
        std::fs::copy(db.url(), &path).unwrap();
    });
    path
}

#[test]
fn wrong_database_password_is_reported_without_the_password() {
    let Some(cluster) = testkit::cluster() else {
        return testkit::skip(
            "wrong_database_password_is_reported_without_the_password",
            "no PostgreSQL is installed",
        );
    };
    let url = cluster.url("postgres").replace("throw-away", "gu3ssed");
    let error = Home::with_database(url).expect_error(&["user", "add", "Ann"]);
    assert!(error.contains("rejected the login") && !error.contains("gu3ssed"), "{error}");
}

/// Runs as a user without any rights, also when the tests run as root. The binary is copied to
/// where that user can reach it.
fn run_unprivileged(home: &Home, database: &str, arguments: &[&str]) -> Option<crate::harness::CliOutput> {
    let root = Command::new("id").arg("-u").output().ok()?.stdout.trim_ascii() == b"0";
    let mut command = if root {
        use std::os::unix::fs::PermissionsExt;
        let everybody = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(home.path(""), everybody.clone()).ok()?;
        let binary = home.path("fitness-binary");
        std::fs::copy(env!("CARGO_BIN_EXE_fitness"), &binary).ok()?;
        std::fs::set_permissions(&binary, everybody).ok()?;
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(binary);
        command
    } else {
        Command::new(env!("CARGO_BIN_EXE_fitness"))
    };
    command.args(arguments).env_clear().env("HOME", home.path("")).env("FITNESS_DB", home.path(database));
    // The unprivileged user cannot write coverage data.
    command.env("LLVM_PROFILE_FILE", "/dev/null");
    Some(to_cli_output(command.env("TMPDIR", std::env::temp_dir()).stdin(Stdio::null()).output().ok()?))
}

#[cfg(unix)]
#[test]
fn permission_errors_are_reported() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    std::fs::create_dir(home.path("closed")).unwrap();
    home.file("unreadable.db", "x");
    let set = |name: &str, mode| {
        std::fs::set_permissions(home.path(name), std::fs::Permissions::from_mode(mode)).unwrap()
    };
    set("unreadable.db", 0o000);
    set("closed", 0o500);
    for (database, says) in [("unreadable.db", "permission denied"), ("closed/new.db", "permission denied")] {
        let Some(answer) = run_unprivileged(&home, database, &["user", "add", "Ann"]) else {
            return testkit::skip("permission_errors_are_reported", "there is no setpriv");
        };
        let error = answer.expect_error(&[database]);
        assert!(error.contains(says) && error.contains(database), "{error}");
    }
    assert!(!home.path("closed/new.db").exists());
    set("closed", 0o700);
}

#[test]
fn unknown_time_zone_is_named_with_an_example() {
    let home = Home::new();
    let refused = home.run(&["user", "add", "Ann", "--zone", "Mars/One"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let error = refused.err;
    for part in ["`Mars/One` is not a time zone", "help: use a name such as Europe/Zurich"] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn invalid_plan_file_is_refused() {
    let home = Home::new();
    home.ok(&["user", "add", "Ann"]);
    let with = |from: &str, to: &str| HALF_PLAN.replace(from, to);
    for (content, says) in [
        (String::new(), "is not a valid plan"),
        ("{".to_owned(), "is not a valid plan"),
        ("[1, 2, 3]".to_owned(), "is not a valid plan"),
        (
            with("\"half\"", "\"ultra\""),
            "`ultra` is not a goal; expected one of: 5k, 10k, half, full, custom",
        ),
        (with("2099-09-20", "2099-02-30"), "`2099-02-30` is not a date"),
        (with("2099-09-20", "2099-01-01"), "days after the start"),
        (with("01:45:00", "0:20:00"), "is not possible"),
        (with("\"name\"", "\"status\": \"active\", \"name\""), "unknown field `status`"),
        (with("\"name\"", "\"user_id\": 2, \"name\""), "unknown field `user_id`"),
        (with("\"planned_miles\": 9", "\"planned_miles\": -9"), "-9 is not a valid distance"),
        (with("\"planned_miles\": 9", "\"planned_miles\": 1e999"), "is not a valid plan"),
        (with("Zürich half", &"x".repeat(121)), "the plan's name must have 1 to 120 characters"),
        ("[".repeat(100_000), "is not a valid plan"),
        (" ".repeat(3 * 1024 * 1024), "is larger than 2 MiB"),
    ] {
        let file = home.file("plan.json", &content);
        let error = home.expect_error(&["plan", "draft", &file]);
        assert!(error.contains(says), "{error}");
    }
    assert!(
        home.expect_error(&["plan", "draft", "/no/such/file.json"])
            .contains("cannot read /no/such/file.json")
    );
    assert_eq!(home.json(&["plan", "list"]), serde_json::json!([]), "nothing was stored");
    for bad in ["x".repeat(4001), "  ".to_owned()] {
        home.expect_error(&["note", "add", &bad]);
    }
    for bad in ["", " ann", "a/b"] {
        home.expect_error(&["user", "add", bad]);
    }
    assert!(home.expect_error(&["user", "add", "ANN"]).contains("there is already a user named ANN"));
}

#[test]
fn error_is_json_with_the_json_flag() {
    let home = Home::new();
    let answer = home.run(&["plan", "list", "--json"]);
    assert_eq!((answer.code, answer.out.as_str()), (Some(1), ""));
    let error: serde_json::Value = serde_json::from_str(&answer.err).unwrap();
    assert!(error["error"].as_str().unwrap().contains("no database at") && error["help"].is_string());
}

#[test]
fn usage_errors_print_error_and_help() {
    let home = Home::new();
    for (words, said) in [
        (["completions", "tcsh"].as_slice(), "help: use one of bash, "),
        (&["jobs", "--last", "-1"], "help: "),
        (&["plan", "fly"], "error: unrecognized subcommand 'fly'\n"),
        (&["backup", "--nightly", "--to", "x"], "help: usage: `fitness backup"),
        (&["today", "--loudly"], "error: unexpected argument '--loudly' found\n"),
    ] {
        let answer = home.run(words);
        let lines: Vec<&str> = answer.err.lines().collect();
        assert_eq!((answer.code, lines.len()), (Some(2), 2), "{answer:?}");
        assert!(lines[0].starts_with("error: ") && lines[1].starts_with("help: "), "{answer:?}");
        assert!(answer.err.contains(said), "{answer:?}");
        let json = home.run(&[words, &["--json"]].concat());
        let told: serde_json::Value = serde_json::from_str(&json.err).unwrap();
        assert!(told["error"].is_string() && told["help"].is_string(), "{told}");
    }
}

#[test]
fn closed_stdout_is_not_an_error() {
    let home = Home::new();
    home.ok(&["user", "add", "Ann"]);
    let mut child = home.command(&["doctor"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn database_path_that_is_not_utf8_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let home = Home::new();
    let mut name = home.path("b").into_os_string();
    name.push(std::ffi::OsStr::from_bytes(b"\xffad.db"));
    let error = home.run_with("FITNESS_DB", &name, &["user", "add", "Ann"]).expect_error(&["not text"]);
    assert!(error.contains("is not valid UTF-8"), "{error}");
    assert!(home.files().is_empty());
}

#[test]
fn closed_stderr_keeps_the_exit_code() {
    let home = Home::new();
    let mut child = home.command(&["plan", "list"]).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn concurrent_first_user_adds_both_succeed() {
    let home = Home::new();
    let children: Vec<_> = (0..6)
        .map(|i| {
            let name = format!("user{i}");
            home.command(&["user", "add", &name])
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(home.json(&["user", "list"]).as_array().unwrap().len(), 6);
}

#[test]
fn the_binary_under_test_refuses_real_data() {
    let home = Home::new();
    for database in ["/var/lib/fitness.db", "postgres://db.example.org/fitness"] {
        let answer = home.run_with("FITNESS_DB", database, &["note", "list"]);
        assert_eq!(answer.code, Some(101), "{answer:?}");
        assert!(answer.err.contains("a test reached for"), "{}", answer.err);
    }
}
