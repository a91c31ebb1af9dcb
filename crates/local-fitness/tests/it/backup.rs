//! Backup, restore, copy, export and account deletion with the real binary.

use crate::harness::{HALF_PLAN, Home, to_cli_output};
use fitness_store::testkit;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A user with an active plan and a note.
fn home_with_plan() -> Home {
    let home = Home::new();
    home.ok(&["user", "add", "Ann"]);
    let file = home.file("half.json", HALF_PLAN);
    home.ok(&["plan", "draft", &file]);
    home.ok(&["note", "add", "calf is tight"]);
    let mut session = home.spawn_terminal(&["plan", "activate", "1"]);
    session.exp_string("Type the plan's name to activate it: ").unwrap();
    session.send_line("Zürich half").unwrap();
    session.exp_eof().unwrap();
    home
}

fn backup(home: &Home) -> (PathBuf, Value) {
    let made = home.json(&["backup"]);
    (PathBuf::from(made["path"].as_str().unwrap()), made)
}

#[test]
fn a_backup_is_made_listed_checked_and_restored() {
    let home = home_with_plan();
    assert!(home.ok(&["backup", "list"]).contains("No backups in "));
    let (path, made) = backup(&home);
    assert!(path.starts_with(home.path("data/local-fitness/backups")), "{path:?}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let listed = home.ok(&["backup", "list"]);
    assert!(
        listed.contains(path.file_name().unwrap().to_str().unwrap()) && listed.contains("Ann"),
        "{listed}"
    );
    let file = path.to_str().unwrap();
    assert!(home.ok(&["backup", "check", file]).contains(" is intact.\n"));

    let other = Home::with_database(home.path("restored.db").display().to_string());
    let said = other.ok(&["restore", file]);
    assert!(said.contains("from the backup of 20") && said.contains("users: Ann;"), "{said}");
    assert!(other.ok(&["plan", "show"]).contains("Zürich half"));
    let (_, again) = backup(&other);
    assert_eq!(again["manifest"]["hash"], made["manifest"]["hash"]);
    assert_eq!(again["manifest"]["audit"], made["manifest"]["audit"]);
    // Errors.
    assert!(other.expect_error(&["restore", file]).contains("is not empty"));
    assert!(home.expect_error(&["restore", "/no/such.fitness-backup"]).contains("does not exist"));
    let spoiled = home.file("spoiled.fitness-backup", &std::fs::read(&path).unwrap()[..500]);
    let fresh = Home::with_database(home.path("fresh.db").display().to_string());
    for words in [["restore"].as_slice(), &["backup", "check"]] {
        let refused = fresh.expect_error(&[words, &[&spoiled]].concat());
        assert!(refused.contains("is truncated or was modified"), "{refused}");
    }
    assert!(!home.path("fresh.db").exists());
    let taken = home.expect_error(&["backup", "--to", file]);
    assert!(taken.contains("the file already exists"), "{taken}");
    let off = home.run_with("FITNESS_BACKUPS", "off", &["backup"]).expect_error(&["backup"]);
    assert!(off.contains("backups are off"), "{off}");
}

#[test]
fn copy_to_postgres_and_back_keeps_the_hash() {
    let Some(cluster) = testkit::cluster() else {
        return testkit::skip("copy_to_postgres_and_back_keeps_the_hash", "no PostgreSQL is installed");
    };
    let home = home_with_plan();
    let url = tokio::runtime::Runtime::new().unwrap().block_on(cluster.empty_database());
    let there = home.json(&["copy-to", &url]);
    let other = Home::with_database(&url);
    assert!(other.ok(&["plan", "show"]).contains("Zürich half"));
    let back = home.path("back.db").display().to_string();
    assert_eq!(other.json(&["copy-to", &back])["hash"], there["hash"]);
    assert!(other.expect_error(&["copy-to", &back]).contains("is not empty"));
    assert!(
        home.expect_error(&["copy-to", home.path("data/local-fitness/fitness.db").to_str().unwrap()])
            .contains("source and target are the same database")
    );
    assert!(home.ok(&["plan", "show"]).contains("Zürich half"), "the source is unchanged");
}

#[test]
fn export_restores_to_an_equal_database() {
    let home = home_with_plan();
    let said = home.json(&["export", "--to", "mine.zip"]);
    assert!(said["bytes"].as_u64().unwrap() > 1000);
    assert!(home.expect_error(&["export", "--to", "mine.zip"]).contains("already exists"));
    let other = Home::with_database(home.path("other.db").display().to_string());
    let zip = home.path("mine.zip").display().to_string();
    let told = other.ok(&["restore", "--from-export", &zip]);
    assert!(told.contains("from the export of Ann: 0 activities, 1 plan, 0 files"), "{told}");
    assert!(told.contains("To set a new password, run `fitness user invite`"), "{told}");
    assert!(other.ok(&["plan", "show"]).contains("Zürich half"));
    let seen = Home::with_database(home.path("seen.db").display().to_string());
    // The old name still works.
    let said = seen.spawn_terminal(&["import-all", &zip]).exp_eof().unwrap();
    assert!(
        said.contains("One-time link for Ann to set a new password") && said.contains("/invite?code="),
        "{said}"
    );
    assert!(other.expect_error(&["restore", "--from-export", &zip]).contains("is not empty"));
    let note = home.file("note.zip", "not a zip");
    let third = Home::with_database(home.path("third.db").display().to_string());
    assert!(third.expect_error(&["restore", "--from-export", &note]).contains("is not a valid ZIP file"));
}

#[test]
fn deleting_a_user_lists_backups_that_still_hold_them() {
    let home = home_with_plan();
    let (alone, _) = backup(&home);
    home.ok(&["user", "add", "Bob"]);
    let (both, _) = backup(&home);
    let refused = home.expect_error(&["user", "delete", "Ann"]);
    assert!(refused.contains("Ann owns this server") && refused.contains("--new-owner: Bob"), "{refused}");
    assert!(
        home.expect_error(&["user", "delete", "Ann", "--new-owner", "Ann"])
            .contains("no other user called `Ann`")
    );
    assert!(
        home.expect_error(&["user", "delete", "Bob", "--new-owner", "Ann"])
            .contains("Bob does not own this server")
    );
    let handing_over = ["user", "delete", "Ann", "--new-owner", "bob"];
    assert!(home.expect_error(&handing_over).contains("this command needs an interactive terminal"));
    let answer = |typed: &str, arguments: &[&str]| {
        let mut session = home.spawn_terminal(arguments);
        session.exp_string("Type Ann to delete everything: ").unwrap();
        session.send_line(typed).unwrap();
        session.exp_eof().unwrap()
    };
    assert!(answer("ann", &handing_over).contains("that is not the user's name; nothing was changed"));
    assert_eq!(home.json(&["user", "list"]).as_array().unwrap().len(), 2);
    let said = answer("Ann", &[&handing_over[..], &["--with-backups"]].concat());
    assert!(said.contains("Bob now owns this server."), "{said}");
    assert!(said.contains("Deleted Ann") && said.contains("(also Bob)"), "{said}");
    assert!(!alone.exists() && both.exists(), "{said}");
    assert_eq!(home.json(&["user", "list"]).as_array().unwrap().len(), 1);
}

#[test]
fn backup_errors_print_matching_help() {
    let home = home_with_plan();
    let (path, _) = backup(&home);
    home.ok(&["export", "--to", "mine.zip"]);
    let note = home.file("note.zip", "not a zip");
    let other = Home::with_database(home.path("other.db").display().to_string());
    let zip = home.path("mine.zip").display().to_string();
    other.ok(&["restore", "--from-export", &zip]);
    let fresh = Home::with_database(home.path("fresh.db").display().to_string());
    let taken = home.path("other.db").display().to_string();
    let told = [
        (
            other.expect_error(&["restore", "--from-export", &zip]),
            "choose a file that does not exist yet or an empty PostgreSQL database",
        ),
        (
            home.expect_error(&["copy-to", &taken]),
            "choose a file that does not exist yet or an empty PostgreSQL database",
        ),
        (fresh.expect_error(&["restore", "--from-export", &note]), "`fitness export` writes an export"),
        (fresh.expect_error(&["restore", "--from-export", "/no/such.zip"]), "check the path"),
        (fresh.expect_error(&["restore", "/no/such.fitness-backup"]), "check the path"),
        (home.expect_error(&["backup", "--to", path.to_str().unwrap()]), "choose another file with --to"),
        (home.expect_error(&["jobs", "retry", "12"]), "`fitness jobs` lists the jobs"),
    ];
    for (said, help) in told {
        let advice = said.split("help: ").nth(1).unwrap();
        assert!(advice.contains(help), "{said}");
        assert!(!said.contains("fitness doctor") && !advice.contains("FITNESS_DB"), "{said}");
    }
}

fn delete(home: &Home, name: &str) -> String {
    let mut session = home.spawn_terminal(&["user", "delete", name, "--with-backups"]);
    session.exp_string(&format!("Type {name} to delete everything: ")).unwrap();
    session.send_line(name).unwrap();
    session.exp_eof().unwrap()
}

#[test]
fn deleting_a_user_keeps_backups_of_other_databases() {
    let home = home_with_plan();
    let (first, _) = backup(&home);
    let (second, _) = backup(&home);
    let folder = first.parent().unwrap();
    // Another database with the same user id and the same backup directory.
    let other = Home::with_database(folder.with_file_name("demo.db").display().to_string());
    other.ok(&["user", "add", "Demo"]);
    let (own, _) = backup(&other);
    assert_eq!(own.parent(), Some(folder));
    assert!(other.ok(&["doctor"]).contains("1 backup in "));
    assert!(home.ok(&["doctor"]).contains("2 backups in "));
    let said = delete(&other, "Demo");
    assert!(first.exists() && second.exists() && !own.exists(), "{said}");
    assert!(!said.contains(first.to_str().unwrap()), "{said}");
    // A backup of the database it was restored from is listed and not deleted.
    let copy = Home::with_database(folder.with_file_name("copy.db").display().to_string());
    copy.ok(&["restore", first.to_str().unwrap()]);
    let said = delete(&copy, "Ann");
    assert!(
        said.contains("belong to another or an unknown database") && said.contains(first.to_str().unwrap()),
        "{said}"
    );
    assert!(first.exists() && second.exists(), "{said}");
}

#[test]
fn concurrent_backups_are_all_intact() {
    let home = home_with_plan();
    for _ in 0..3 {
        let begin = |_| {
            home.command(&["backup", "--json"]).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap()
        };
        let running: Vec<_> = (0..3).map(begin).collect();
        for child in running {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{output:?}");
            let made: Value = serde_json::from_slice(&output.stdout).unwrap();
            let path = made["path"].as_str().unwrap();
            assert!(home.ok(&["backup", "check", path]).contains(" is intact."), "{path}");
        }
    }
    assert_eq!(home.json(&["backup", "list"]).as_array().unwrap().len(), 9);
}

#[test]
fn unfinished_backup_is_reported_and_removed() {
    let home = home_with_plan();
    let (path, _) = backup(&home);
    let left = path.with_extension("0123.fitness-part");
    std::fs::copy(&path, &left).unwrap();
    let name = left.to_str().unwrap();
    for command in [["backup", "list"].as_slice(), &["doctor"]] {
        let said = home.ok(command);
        assert!(said.contains(name) && said.contains("partial file that contains data"), "{said}");
    }
    backup(&home);
    assert!(!left.exists() && !home.ok(&["backup", "list"]).contains("partial file"));
    // An export deletes partial files too.
    std::fs::write(home.path("x.zip.0123.fitness-part"), "half").unwrap();
    home.ok(&["export", "--to", "mine.zip"]);
    let rest: Vec<PathBuf> =
        std::fs::read_dir(home.path("")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(home.path("mine.zip").exists() && !home.path("x.zip.0123.fitness-part").exists(), "{rest:?}");
    assert!(
        !rest.iter().any(|path| path.file_name().unwrap().to_string_lossy().starts_with('.')),
        "{rest:?}"
    );
}

#[test]
fn nightly_backup_is_made_once_per_night() {
    let home = home_with_plan();
    let night = || PathBuf::from(home.json(&["backup", "--nightly"])["path"].as_str().unwrap());
    // At most one of them is after midnight.
    let made = [night(), night(), night()];
    assert!(made[0] == made[1] || made[1] == made[2], "{made:?}");
    assert!(made[2].file_name().unwrap().to_str().unwrap().starts_with("nightly-20"), "{made:?}");
    assert!(home.ok(&["backup", "check", made[2].to_str().unwrap()]).contains(" is intact."));
    assert_eq!(home.run(&["backup", "--nightly", "--to", "x"]).code, Some(2));
}

#[test]
fn deleting_a_user_on_postgres_names_the_write_ahead_log() {
    let Some(cluster) = testkit::cluster() else {
        return testkit::skip(
            "deleting_a_user_on_postgres_names_the_write_ahead_log",
            "no PostgreSQL is installed",
        );
    };
    let home =
        Home::with_database(tokio::runtime::Runtime::new().unwrap().block_on(cluster.empty_database()));
    home.ok(&["user", "add", "Ann"]);
    let said = delete(&home, "Ann");
    assert!(said.contains("write-ahead log") && !said.contains("free pages"), "{said}");
    let told = home.json(&["config"]).to_string();
    assert!(!told.contains("next to the database"), "{told}");
}

/// A tmpfs of a fixed size, unmounted on drop. `mount` returns `None` without permission.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(at: &Path, size: &str) -> Option<Self> {
        std::fs::create_dir_all(at).ok()?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(at);
        let mounted = mount.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        mounted.then(|| Self(at.to_owned()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg(&self.0).status());
    }
}

#[test]
fn backup_on_a_full_disk_leaves_no_partial_file() {
    let home = home_with_plan();
    let Some(small) = SmallDisk::mount(&home.path("small"), "64k") else {
        return testkit::skip(
            "backup_on_a_full_disk_leaves_no_partial_file",
            "mounting a tmpfs is not permitted",
        );
    };
    // Data that does not compress.
    let mut state: u64 = 88172645463325252;
    for _ in 0..60 {
        let noise: String = (0..1900)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                char::from(
                    b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
                        [(state % 64) as usize],
                )
            })
            .collect();
        home.ok(&["note", "add", "--", &noise]);
    }
    let run =
        home.command(&["backup"]).env("FITNESS_BACKUPS", &small.0).stdin(Stdio::null()).output().unwrap();
    let refused = to_cli_output(run).expect_error(&["backup"]);
    assert!(refused.contains("the disk is full"), "{refused}");
    assert_eq!(std::fs::read_dir(&small.0).unwrap().count(), 0, "half a backup is left");
    assert!(refused.contains("free some disk space") && !refused.contains("FITNESS_DB"), "{refused}");
    let zip = small.0.join("mine.zip").display().to_string();
    let refused = home.expect_error(&["export", "--to", &zip]);
    assert!(refused.contains("free disk space") || refused.contains("free some disk space"), "{refused}");
    assert_eq!(std::fs::read_dir(&small.0).unwrap().count(), 0, "half an export is left");
    let (path, _) = backup(&home);
    let elsewhere = Home::with_database(small.0.join("small.db").display().to_string());
    let refused = elsewhere.expect_error(&["restore", path.to_str().unwrap()]);
    assert!(refused.contains("full") && !refused.contains("fitness doctor"), "{refused}");
    assert!(home.ok(&["backup", "check", path.to_str().unwrap()]).contains("is intact"));
}
