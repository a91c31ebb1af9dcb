//! Error output: one line `error:`, one line `help:`, exit code 1.

use fitness_core::domain::ids::ProposalId;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::ProposalState;
use fitness_ingest::Error as IngestError;
use fitness_store::{Error as StoreError, RecordKind};
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// An error with a help text.
#[derive(Debug)]
pub(crate) struct CliError {
    message: String,
    help: String,
}

impl CliError {
    pub(crate) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }

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

/// Prints an error to standard error, with `json` as JSON.
pub(crate) fn print_error(error: &anyhow::Error, json: bool) -> ExitCode {
    let (message, help) = match (error.downcast_ref::<CliError>(), as_store_error(error)) {
        (Some(failure), _) => (failure.message.clone(), failure.help.clone()),
        (None, Some(store)) => (store.to_string(), store_error_help(store)),
        (None, None) => {
            let is_file_error = error.chain().any(<dyn std::error::Error>::is::<std::io::Error>)
                || matches!(error.downcast_ref(), Some(IngestError::Export(_)));
            let help = if is_file_error {
                "check the path, free disk space and permissions"
            } else {
                "run `fitness doctor` to check the installation"
            };
            (format!("{error:#}"), help.to_owned())
        }
    };
    let (message, help) = (escape_invisible(&message).to_string(), escape_invisible(&help).to_string());
    let result = if json {
        writeln!(std::io::stderr(), "{}", serde_json::json!({ "error": message, "help": help }))
    } else {
        writeln!(std::io::stderr(), "error: {message}\nhelp: {help}")
    };
    // Standard error may be closed; the exit code remains.
    drop(result);
    ExitCode::FAILURE
}

fn as_store_error(error: &anyhow::Error) -> Option<&StoreError> {
    match (error.downcast_ref::<StoreError>(), error.downcast_ref::<IngestError>()) {
        (Some(store), _) | (None, Some(IngestError::Store(store))) => Some(store),
        _ => None,
    }
}

/// Help for a backup or export that cannot be read or written.
const fn file_error_help(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::AlreadyExists => "choose another file with --to, or remove this one first",
        ErrorKind::NotFound => "check the path; for a backup, `fitness backup list` lists the existing ones",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "free some disk space, or choose another path with --to, or another backup directory with FITNESS_BACKUPS"
        }
        _ => "check the path, free disk space and permissions",
    }
}

pub(crate) fn store_error_help(error: &StoreError) -> String {
    match error {
        StoreError::BadLocation { .. } => {
            "set FITNESS_DB to a file path such as /home/ann/fitness.db, or to postgres://user:password@host/database; \
             unset it to use your data directory"
        }
        StoreError::NoDatabase(_) => "add the first user with `fitness user add NAME`, which creates it, or set FITNESS_DB to another database",
        StoreError::Path { .. } => "check that the directory exists and is writable, or set FITNESS_DB to another database",
        StoreError::File { kind, .. } => file_error_help(*kind),
        StoreError::Disk(_) => "free some disk space and check the disk, or use another database; nothing was changed",
        StoreError::NotStored => "restart the server, and check the disk of the database before writing anything else",
        StoreError::Foreign(_) => "set FITNESS_DB to a local-fitness database, or to a file that does not exist yet",
        StoreError::Damaged(..) => "restore a backup, or set FITNESS_DB to another database; nothing was changed",
        StoreError::Newer(..) => "update local-fitness to at least the version that wrote it; nothing was changed",
        StoreError::OldSqlite(_) => "build local-fitness with its bundled SQLite, which is the default",
        StoreError::Unreachable(..) => "start PostgreSQL, or correct host and port in FITNESS_DB",
        StoreError::LoginRefused(..) => "correct user, password and database in FITNESS_DB",
        StoreError::NoConnection => "check that PostgreSQL is running and not overloaded, then try again",
        StoreError::Busy => "try again in a moment; if it stays busy, look for another running fitness process",
        StoreError::NotFound(RecordKind::Plan | RecordKind::Draft) => "`fitness plan list` lists your plans",
        StoreError::NotFound(RecordKind::Workout) => "`fitness plan show` lists the workouts; for a plan that is not active, use --plan",
        StoreError::NotFound(RecordKind::Match) => "this workout has no match; `fitness plan show` lists the matches",
        StoreError::NotFound(RecordKind::Activity) => "`fitness activity list` lists your activities",
        StoreError::NoMatch(_) => "the activity must have the same sport and be one or two days before or after; otherwise move the workout, or correct the activity with `fitness activity edit`",
        StoreError::AlreadyMatched { workout, .. } => return format!("remove that match first with `fitness plan unmatch {workout}`"),
        StoreError::NotFound(RecordKind::FailedJob) => "`fitness jobs` lists the jobs; only failed jobs can be retried",
        StoreError::NotFound(RecordKind::Note) => "`fitness note list` lists your notes",
        StoreError::QuotaExceeded { .. } => "accept or discard some of them first; `fitness plan list`, `fitness plan proposal list` and `fitness note list` list them",
        StoreError::NameTaken(_) => "choose another name; `fitness user list` lists the names in use",
        StoreError::BadName => "use a short name, such as ann",
        StoreError::WeakPassword(_) => "choose another password",
        StoreError::NoNewOwner => "choose one with --new-owner NAME",
        StoreError::BadPassword => "choose a longer password; three or four random words are easy to remember",
        StoreError::AlreadyActive { active: Some(plan) } => {
            return format!("archive it first with `fitness plan archive {plan}`, or replace it with `--replaces {plan}`");
        }
        StoreError::AlreadyActive { active: None } => "`fitness plan list` shows the active plan; archive it, or replace it with --replaces",
        StoreError::NothingToReplace => "omit --replaces",
        StoreError::NotAllowed(_) => "as the owner of the database, run GRANT CREATE ON SCHEMA public TO that user",
        StoreError::Stale => "review it with `fitness plan show`, then try again",
        StoreError::Unchanged => "nothing was changed; `fitness plan show` shows the current plan",
        StoreError::ProposalClosed { proposal, state } => return closed_proposal_help(*proposal, *state),
        StoreError::BadStartDay { .. } => "omit --begin to start as planned",
        StoreError::NotFound(RecordKind::Proposal) => "`fitness plan proposal list` lists the proposals",
        StoreError::WrongStatus(_) => "`fitness plan list` shows the status of each plan; you can activate a draft, archive the active plan and delete the others",
        StoreError::BadBackupDirectory(_) => "set FITNESS_BACKUPS to a directory or to off; unset it to store backups next to the database",
        StoreError::BadBackup(_) => "use another file: `fitness backup list` lists the backups, `fitness export` writes an export. Nothing was changed",
        StoreError::NewerBackup(_) => "update local-fitness to at least the version that wrote it; nothing was changed",
        StoreError::NotEmpty(_) => "choose a file that does not exist yet or an empty PostgreSQL database. Nothing was changed",
        StoreError::BackupFailed(_) => "free some disk space, or set FITNESS_BACKUPS to another directory (off disables backups); the database was not changed",
        StoreError::NotConfirmed(_) => "run the command again and confirm within ten minutes",
        _ => "run `fitness doctor` to check the installation",
    }
    .to_owned()
}

/// Help for a proposal that is no longer open.
fn closed_proposal_help(proposal: ProposalId, state: ProposalState) -> String {
    match state {
        ProposalState::Superseded(newer) => {
            return format!("`fitness plan proposal show {newer}` shows the newer proposal");
        }
        ProposalState::Applied => {
            "`fitness plan revisions` shows the result, `fitness plan revert` undoes it"
        }
        ProposalState::Withdrawn => "if you are still ill, injured or away, mark the days again with `fitness day mark`",
        ProposalState::Stale { .. } => {
            return format!(
                "`fitness plan proposal show {proposal}` previews it on the current plan and prints the command to apply it"
            );
        }
        ProposalState::Expired(_) | ProposalState::AllDaysPast(_) => {
            "`fitness plan show` runs the rules again; ask the model again for its proposals"
        }
        ProposalState::Discarded | ProposalState::Open => {
            "`fitness plan proposal list` lists the open proposals"
        }
    }
    .to_owned()
}
