//! How an error is told: one line `error:`, one line `help:`, exit 1.

use fitness_core::domain::ids::ProposalId;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::ProposalState;
use fitness_ingest::Error as IngestError;
use fitness_store::Error as StoreError;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// An error with the advice that goes with it.
#[derive(Debug)]
pub(crate) struct CliError {
    message: String,
    help: String,
}

impl CliError {
    /// What happened, and what to do about it.
    pub(crate) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }

    /// What to do about it.
    pub(crate) fn help(&self) -> &str {
        &self.help
    }
}

impl std::fmt::Display for CliError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CliError {}

/// Tells an error on standard error, as JSON when that was asked for, and fails.
pub(crate) fn print_error(error: &anyhow::Error, json: bool) -> ExitCode {
    let (message, help) = match (error.downcast_ref::<CliError>(), as_store_error(error)) {
        (Some(failure), _) => (failure.message.clone(), failure.help.clone()),
        (None, Some(store)) => (store.to_string(), store_error_help(store)),
        (None, None) => {
            let of_a_file = error.chain().any(<dyn std::error::Error>::is::<std::io::Error>)
                || matches!(error.downcast_ref(), Some(IngestError::Export(_)));
            let help = if of_a_file {
                "check the path, that there is room, and that you may read and write there"
            } else {
                "run `fitness doctor` to see what is wrong with the installation"
            };
            (format!("{error:#}"), help.to_owned())
        }
    };
    let (message, help) = (escape_invisible(&message).to_string(), escape_invisible(&help).to_string());
    let told = if json {
        writeln!(std::io::stderr(), "{}", serde_json::json!({ "error": message, "help": help }))
    } else {
        writeln!(std::io::stderr(), "error: {message}\nhelp: {help}")
    };
    // Nobody is listening; the exit code still says it.
    drop(told);
    ExitCode::FAILURE
}

/// What the store said, on its own or to whoever reads and writes exports.
fn as_store_error(error: &anyhow::Error) -> Option<&StoreError> {
    match (error.downcast_ref::<StoreError>(), error.downcast_ref::<IngestError>()) {
        (Some(store), _) | (None, Some(IngestError::Store(store))) => Some(store),
        _ => None,
    }
}

/// What to do about a backup or an export that cannot be read or written.
const fn file_error_help(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::AlreadyExists => "name another file with --to, or remove this one first",
        ErrorKind::NotFound => "check the path; `fitness backup list` shows the backups there are",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "make room there, or name another place: --to for one file, FITNESS_BACKUPS for the folder of backups"
        }
        _ => "check the path, that there is room, and that you may read and write there",
    }
}

/// What to do about what the store said.
pub(crate) fn store_error_help(error: &StoreError) -> String {
    match error {
        StoreError::BadLocation { .. } => {
            "set FITNESS_DB to a file path such as /home/ann/fitness.db, or to postgres://user:password@host/database; \
             unset it to use your data directory"
        }
        StoreError::NoDatabase(_) => "add the first user with `fitness user add NAME`, which makes it; or point FITNESS_DB elsewhere",
        StoreError::Path { .. } => "check that the directory exists and that you may write to it, or point FITNESS_DB elsewhere",
        StoreError::File { kind, .. } => file_error_help(*kind),
        StoreError::Disk(_) => "make room on that disk and see that it works, or use another database; what was being written was not changed",
        StoreError::NotStored => "restart the server, and check the disk of the database before you write anything else",
        StoreError::Foreign(_) => "point FITNESS_DB at a database of local-fitness, or at a file that does not exist yet",
        StoreError::Damaged(..) => "restore a backup, or point FITNESS_DB elsewhere; nothing was changed",
        StoreError::Newer(..) => "update local-fitness to at least the version that wrote it; nothing was changed",
        StoreError::OldSqlite(_) => "build local-fitness with its bundled SQLite, which is the default",
        StoreError::Unreachable(..) => "start PostgreSQL, or correct host and port in FITNESS_DB",
        StoreError::LoginRefused(..) => "correct user, password and database in FITNESS_DB",
        StoreError::NoConnection => "see whether PostgreSQL runs and how busy it is, then try again",
        StoreError::Busy => "try again in a moment; if it stays busy, look for another running fitness",
        StoreError::NotFound("plan" | "draft") => "`fitness plan list` shows your plans",
        StoreError::NotFound("workout") => "`fitness plan show` has the number of every workout; --plan names another plan than the active one",
        StoreError::NotFound("match") => "nothing was said about this workout; `fitness plan show` shows what is matched",
        StoreError::NotFound("activity") => "`fitness activity list` shows your activities",
        StoreError::NoMatch(_) => "only an activity of the same sport, one or two days before or after, can be matched; move the workout instead, or correct the activity with `fitness activity edit`",
        StoreError::AlreadyMatched { workout, .. } => return format!("take that back first with `fitness plan unmatch {workout}`"),
        StoreError::NotFound("failed job") => "`fitness jobs` shows every job; one that was given up can be tried again",
        StoreError::NotFound("note") => "`fitness note list` shows your notes",
        StoreError::QuotaExceeded { .. } => "decide about some of them first; `fitness plan list`, `fitness plan proposal list` and `fitness note list` show them",
        StoreError::NameTaken(_) => "choose another name; `fitness user list` shows those in use",
        StoreError::BadName => "try a short name, such as ann",
        StoreError::WeakPassword(_) => "choose another one",
        StoreError::NoNewOwner => "name one with --new-owner",
        StoreError::BadPassword => "choose a longer one; three or four random words are easy to remember",
        StoreError::AlreadyActive { active: Some(plan) } => {
            return format!("archive it first with `fitness plan archive {plan}`, or replace it with `--replaces {plan}`");
        }
        StoreError::AlreadyActive { active: None } => "`fitness plan list` shows which one; archive it, or replace it with --replaces",
        StoreError::NothingToReplace => "leave out --replaces",
        StoreError::NotAllowed(_) => "as the owner of the database: GRANT CREATE ON SCHEMA public TO that user",
        StoreError::Stale => "look at it again with `fitness plan show`, then decide",
        StoreError::Unchanged => "nothing was changed; `fitness plan show` shows the plan as it is",
        StoreError::ProposalClosed { proposal, state } => return closed_proposal_help(*proposal, *state),
        StoreError::BadStartDay { .. } => "leave out --begin to begin as planned",
        StoreError::NotFound("proposal") => "`fitness plan proposal list` shows what there is",
        StoreError::WrongStatus(_) => "`fitness plan list` shows each plan's status; a draft is activated, an active plan archived, and what is not active deleted",
        StoreError::BadBackupDirectory(_) => "set FITNESS_BACKUPS to a folder, or to off; unset it to keep backups beside the database",
        StoreError::BadBackup(_) => "use another file: `fitness backup list` shows the backups there are, `fitness export` writes an export. Nothing was made or changed",
        StoreError::NewerBackup(_) => "update local-fitness to at least the version that wrote it; nothing was made or changed",
        StoreError::NotEmpty(_) => "everything goes into a database that does not exist yet: name a new file or an empty PostgreSQL database. Nothing was changed",
        StoreError::BackupFailed(_) => "make room, or name another folder in FITNESS_BACKUPS (off makes no backups); the database was not changed",
        StoreError::NotConfirmed(_) => "run the command again and confirm within ten minutes",
        _ => "run `fitness doctor` to see what is wrong with the installation",
    }
    .to_owned()
}

/// What to do about a proposal that waits no longer.
fn closed_proposal_help(proposal: ProposalId, state: ProposalState) -> String {
    match state {
        ProposalState::Superseded(newer) => {
            return format!("`fitness plan proposal show {newer}` shows that one");
        }
        ProposalState::Applied => {
            "`fitness plan revisions` shows what came of it, `fitness plan revert` takes it back"
        }
        ProposalState::Withdrawn => "mark the days again with `fitness day mark` if it still holds",
        ProposalState::Stale { .. } => {
            return format!(
                "`fitness plan proposal show {proposal}` shows what it would do to the plan as it is now, and how to take it"
            );
        }
        ProposalState::Expired(_) | ProposalState::AllDaysPast(_) => {
            "`fitness plan show` lets the rules look again; a model must be asked again"
        }
        ProposalState::Discarded | ProposalState::Open => {
            "`fitness plan proposal list` shows what else waits"
        }
    }
    .to_owned()
}
