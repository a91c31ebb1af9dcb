//! Runs the real binary in a temporary home directory with a clean environment.

use chrono::{DateTime, Utc};
use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A half-marathon plan far in the future, so that the current date does not matter.
pub(crate) const HALF_PLAN: &str = r#"{"name": "Zürich half", "goal": "half", "race_date": "2099-09-20", "start_date": "2099-06-15",
    "target_time": "01:45:00", "schedule": [{"date": "2099-06-15", "planned_miles": 5, "kind": "easy"},
    {"date": "2099-06-16", "planned_miles": 0, "kind": "rest"}, {"date": "2099-06-21", "planned_miles": 9, "kind": "long"},
    {"date": "2099-06-22", "kind": "rest"}, {"date": "2099-06-29", "kind": "rest"}, {"date": "2099-07-06", "kind": "rest"},
    {"date": "2099-07-13", "kind": "rest"}, {"date": "2099-07-20", "kind": "rest"}, {"date": "2099-07-27", "kind": "rest"},
    {"date": "2099-08-03", "kind": "rest"}, {"date": "2099-08-10", "kind": "rest"}, {"date": "2099-08-17", "kind": "rest"},
    {"date": "2099-08-24", "kind": "rest"}, {"date": "2099-08-31", "kind": "rest"}, {"date": "2099-09-07", "kind": "rest"}]}"#;

#[expect(clippy::disallowed_methods, reason = "the binary under test reads the same clock")]
pub(crate) fn now() -> DateTime<Utc> {
    Utc::now()
}

pub(crate) struct Home {
    directory: TempDir,
    database: Option<String>,
}

#[derive(Debug)]
pub(crate) struct CliOutput {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { directory: TempDir::new().unwrap(), database: None }
    }

    /// With `FITNESS_DB` set.
    pub(crate) fn with_database(url: impl Into<String>) -> Self {
        Self { database: Some(url.into()), ..Self::new() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a file and returns its path.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        std::fs::write(self.path(name), content).unwrap();
        self.path(name).display().to_string()
    }

    /// All files in the home directory.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        fn walk(directory: &Path, found: &mut Vec<PathBuf>) {
            for entry in std::fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    walk(&path, found);
                }
                found.push(path);
            }
        }
        let mut found = Vec::new();
        walk(self.directory.path(), &mut found);
        found.sort();
        found
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fitness"));
        command.args(arguments).current_dir(self.directory.path()).env_clear();
        command.env("HOME", self.directory.path()).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("XDG_DATA_HOME", self.path("data")).env("TZ", "Europe/Zurich");
        // Databases outside this directory are refused in tests.
        command.env("TMPDIR", std::env::temp_dir());
        // For coverage.
        command.envs(std::env::var_os("LLVM_PROFILE_FILE").map(|file| ("LLVM_PROFILE_FILE", file)));
        if let Some(url) = &self.database {
            command.env("FITNESS_DB", url);
        }
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> CliOutput {
        to_cli_output(self.command(arguments).stdin(Stdio::null()).output().unwrap())
    }

    pub(crate) fn run_with(&self, name: &str, value: impl AsRef<OsStr>, arguments: &[&str]) -> CliOutput {
        to_cli_output(self.command(arguments).env(name, value).stdin(Stdio::null()).output().unwrap())
    }

    /// Runs a command that must succeed; returns its standard output.
    #[track_caller]
    pub(crate) fn ok(&self, arguments: &[&str]) -> String {
        let answer = self.run(arguments);
        assert_eq!(answer.code, Some(0), "{arguments:?}: {answer:?}");
        assert_eq!(answer.err, "", "{arguments:?}");
        answer.out
    }

    /// Runs a command with `--json`.
    #[track_caller]
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let out = self.ok(&[arguments, &["--json"]].concat());
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"))
    }

    /// Runs a command that must fail: one error line, one help line, exit code 1, empty standard
    /// output.
    #[track_caller]
    pub(crate) fn expect_error(&self, arguments: &[&str]) -> String {
        self.run(arguments).expect_error(arguments)
    }

    /// Runs `fitness login` and types the name; returns the link, and the code if one is shown.
    #[track_caller]
    pub(crate) fn login(&self, name: &str, arguments: &[&str]) -> (String, Option<String>) {
        let mut session = self.spawn_terminal(&[&["login"], arguments].concat());
        session.exp_string(&format!("Type {name} to get a sign-in link: ")).unwrap();
        session.send_line(name).unwrap();
        let said = session.exp_eof().unwrap();
        let first = |text: &str| text.split_whitespace().next().map(str::to_owned);
        let link = said.split_whitespace().find(|word| word.starts_with("http"));
        let link = link.unwrap_or_else(|| panic!("no link in {said}")).to_owned();
        (link, said.split("minutes: ").nth(1).and_then(first))
    }

    /// Runs a command in a pseudo-terminal.
    pub(crate) fn spawn_terminal(&self, arguments: &[&str]) -> rexpect::session::PtySession {
        rexpect::session::spawn_command(self.command(arguments), Some(20_000)).unwrap()
    }
}

impl CliOutput {
    #[track_caller]
    pub(crate) fn expect_error(&self, what: &[&str]) -> String {
        assert_eq!(self.code, Some(1), "{what:?}: {self:?}");
        assert_eq!(self.out, "", "{what:?}");
        let lines: Vec<&str> = self.err.lines().collect();
        assert!(
            lines.len() == 2 && lines[0].starts_with("error: ") && lines[1].starts_with("help: "),
            "{what:?}: {}",
            self.err
        );
        self.err.clone()
    }
}

pub(crate) fn to_cli_output(output: Output) -> CliOutput {
    CliOutput {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}
