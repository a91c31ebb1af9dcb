//! What can go wrong in the store, as far as a caller can act on it.

use crate::db::migrations::POSTGRES_REFUSAL;
use fitness_core::plan::PlanStatus;
use sea_orm::{DbErr, RuntimeErr, SqlErr};
use std::io;
use std::path::Path;
use std::path::PathBuf;

/// Everything the store can answer with instead of a result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Where the database is cannot be understood.
    #[error("`{value}` is not a database: {reason}")]
    BadLocation {
        /// What was given, without a password.
        value: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// There is no database yet and this command does not make one.
    #[error("there is no database at {0}")]
    NoDatabase(String),
    /// The file of the database or its directory cannot be used.
    #[error("cannot use {path}: {problem}")]
    Path {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        problem: String,
    },
    /// A backup or an export, or the folder of one, cannot be read or written.
    #[error("cannot use {path}: {problem}")]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What kind of problem it is.
        kind: io::ErrorKind,
        /// What the system said.
        problem: String,
    },
    /// The disk does not take what the database writes.
    #[error("the disk of the database is full, or fails: {0}")]
    Disk(String),
    /// A write was committed, and another connection does not see it.
    #[error("the database acknowledges writes without storing them")]
    NotStored,
    /// The file or server holds something that local-fitness did not write.
    #[error("{0} was not written by local-fitness")]
    Foreign(String),
    /// The file is ours but damaged.
    #[error("{0} is damaged: {1}")]
    Damaged(String, String),
    /// Written by a newer version.
    #[error("{0} was written by a newer version of local-fitness (it has `{1}`)")]
    Newer(String, String),
    /// SQLite below the floor.
    #[error("SQLite {0} is too old; local-fitness needs 3.51.3 or newer")]
    OldSqlite(String),
    /// The server does not answer.
    #[error("no PostgreSQL answers at {0}: {1}")]
    Unreachable(String, String),
    /// The server does not let us in.
    #[error("PostgreSQL at {0} refuses the login: {1}")]
    LoginRefused(String, String),
    /// The server lets us in but not make our tables.
    #[error("PostgreSQL at {0} does not allow this user to make tables")]
    NotAllowed(String),
    /// No connection became free within the timeout.
    #[error("the database does not answer: it is overloaded or down")]
    NoConnection,
    /// Another process has been writing for longer than we wait.
    #[error("the database is busy: another program has been writing to it for a while")]
    Busy,
    /// A user, plan, note or other row that is not there, or belongs to somebody else; the two are not
    /// told apart.
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// As much of what coaches leave waits for the athlete as may.
    #[error("{pending} {what} of coaches wait for a decision already")]
    QuotaExceeded {
        /// How many.
        pending: u64,
        /// Of what.
        what: &'static str,
    },
    /// The name is taken.
    #[error("there is already a user called `{0}`")]
    NameTaken(String),
    /// A name that cannot be one.
    #[error("a user name has 1 to 64 visible characters, without spaces at either end and without `/`")]
    BadName,
    /// A password that cannot be one.
    #[error("a password has 8 to 200 characters")]
    BadPassword,
    /// A password that is easily guessed, and why.
    #[error("this password is easily guessed: {0}; three or four random words are easy to remember")]
    WeakPassword(&'static str),
    /// The owner cannot leave while others have accounts, unless one of them is named as the new owner.
    #[error("the owner of this server leaves only when another user is named as the new owner")]
    NoNewOwner,
    /// A threshold no body has.
    #[error("{kind} is between {low} and {high}")]
    OutOfBounds {
        /// Which threshold.
        kind: fitness_core::domain::athlete::ThresholdKind,
        /// Its lowest value.
        low: f64,
        /// Its highest value.
        high: f64,
    },
    /// An edit that makes an activity nobody can have done.
    #[error(transparent)]
    Edit(#[from] fitness_core::domain::merge::ActivityEditError),
    /// The confirmation was never opened, is spent, has expired, or was about something else.
    #[error("this confirmation cannot be used: {0}")]
    NotConfirmed(&'static str),
    /// Another plan is active and was not named as the one to replace.
    #[error("you already have an active plan")]
    AlreadyActive {
        /// The plan that is active now; `None` when it became active at this very moment.
        active: Option<fitness_core::domain::ids::PlanId>,
    },
    /// A plan was named as the one to replace, and none is active.
    #[error("there is no active plan to replace")]
    NothingToReplace,
    /// What the athlete saw is not what is there now.
    #[error("the plan changed since you looked at it")]
    Stale,
    /// What would come out is what is there; no revision is made of it.
    #[error("nothing would change: the plan is like that already")]
    Unchanged,
    /// The proposal waits no longer, and why.
    #[error("proposal {proposal} waits no longer: {state}")]
    ProposalClosed {
        /// Which one.
        proposal: fitness_core::domain::ids::ProposalId,
        /// What became of it.
        state: fitness_core::plan::ProposalState,
    },
    /// A day on which a plan cannot be begun.
    #[error("the plan can be begun after {start}, its first day, and no later than {race}")]
    BadStartDay {
        /// Its first day.
        start: fitness_core::domain::calendar::Day,
        /// The day of its race.
        race: fitness_core::domain::calendar::Day,
    },
    /// The plan's status does not allow it.
    #[error("the plan is {0}, which does not allow this")]
    WrongStatus(PlanStatus),
    /// The activity cannot have been the workout.
    #[error("this activity cannot be matched with that workout: {0}")]
    NoMatch(#[from] fitness_core::adherence::MatchError),
    /// The workout or the activity is matched already, with another.
    #[error("workout {workout} is already matched with activity {activity}")]
    AlreadyMatched {
        /// The matched workout.
        workout: fitness_core::domain::ids::WorkoutId,
        /// The activity it is matched with.
        activity: fitness_core::domain::ids::ActivityId,
    },
    /// The chosen changes cannot be applied.
    #[error(transparent)]
    Apply(#[from] fitness_core::plan::ApplyError),
    /// The plan that would come out is not sound.
    #[error(transparent)]
    Draft(#[from] fitness_core::plan::DraftError),
    /// The linter calls it unsafe, and nobody overrode that.
    #[error("the plan breaks {}", format_rules(.0))]
    BlockingFindings(Vec<fitness_core::plan::lint::Finding>),
    /// A recording that goes on for weeks.
    #[error("a recording of {0} samples is no recording of one activity")]
    RecordingTooLong(usize),
    /// Where backups are wanted is not understood.
    #[error("backups cannot be kept there: {0}")]
    BadBackupDirectory(&'static str),
    /// A file that is no sound backup or export.
    #[error("{0}")]
    BadBackup(String),
    /// A backup or export of a version that is not known here.
    #[error("{0}")]
    NewerBackup(String),
    /// What is restored goes into a database in which there is nothing.
    #[error("{0} is not empty")]
    NotEmpty(String),
    /// The backup before a migration could not be made, so nothing was migrated.
    #[error("the backup before bringing the database up to date failed: {0}")]
    BackupFailed(Box<Error>),
    /// A rule of the schema refused it.
    #[error("the database refused: {0}")]
    Refused(String),
    /// A stored value that this version cannot read.
    #[error("the database holds a value that cannot be read: {0}")]
    Unreadable(String),
    /// Anything else the database said.
    #[error("the database failed: {0}")]
    Database(#[source] DbErr),
}

/// The rules, and what each says.
fn format_rules(findings: &[fitness_core::plan::lint::Finding]) -> String {
    let said: Vec<String> =
        findings.iter().map(|finding| format!("{}: {}", finding.rule, finding.text)).collect();
    said.join(" ")
}

impl Error {
    /// What went wrong with the file of a database, or its folder.
    pub(crate) fn from_path(path: &Path, error: &io::Error) -> Self {
        Self::Path { path: path.to_owned(), problem: describe(error) }
    }

    /// What went wrong with a backup or an export, or its folder.
    #[must_use]
    pub fn from_file(path: &Path, error: &io::Error) -> Self {
        Self::File { path: path.to_owned(), kind: error.kind(), problem: describe(error) }
    }
}

fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it, or its directory, does not exist".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::AlreadyExists => "it is there already, and is not written over".to_owned(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "the disk is full".to_owned(),
        _ => error.to_string(),
    }
}

/// The store's results.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<DbErr> for Error {
    fn from(error: DbErr) -> Self {
        if let Some(refusal) = refusal(&error) {
            return Self::Refused(refusal);
        }
        match sqlx_code(&error).as_deref() {
            // SQLITE_BUSY, SQLITE_LOCKED and their extended codes; PostgreSQL's lock_not_available,
            // deadlock_detected and query_canceled (our statement timeout).
            Some("5" | "6" | "261" | "262" | "517" | "773" | "55P03" | "40P01" | "57014") => Self::Busy,
            _ if matches!(error, DbErr::ConnectionAcquire(_)) => Self::NoConnection,
            Some(code) if is_disk_error(code) => Self::Disk(error.to_string()),
            _ => Self::Database(error),
        }
    }
}

/// SQLITE_FULL and every SQLITE_IOERR; PostgreSQL's disk_full and io_error, whose codes have five digits.
fn is_disk_error(code: &str) -> bool {
    let sqlite = code.len() < 5 && code.parse::<u32>().is_ok_and(|code| matches!(code & 0xff, 10 | 13));
    sqlite || matches!(code, "53100" | "58030")
}

/// The words of a guard that refused a row.
fn refusal(error: &DbErr) -> Option<String> {
    let database = sqlx_error(error)?.as_database_error()?;
    let code = database.code()?;
    // 1811 is SQLITE_CONSTRAINT_TRIGGER.
    (code == "1811" || code == POSTGRES_REFUSAL).then(|| database.message().to_owned())
}

fn sqlx_error(error: &DbErr) -> Option<&sqlx::Error> {
    match error {
        DbErr::Conn(RuntimeErr::SqlxError(e))
        | DbErr::Exec(RuntimeErr::SqlxError(e))
        | DbErr::Query(RuntimeErr::SqlxError(e)) => Some(e),
        _ => None,
    }
}

pub(crate) fn sqlx_code(error: &DbErr) -> Option<String> {
    Some(sqlx_error(error)?.as_database_error()?.code()?.into_owned())
}

/// Whether a unique index refused a row; the text of the error differs between databases.
pub(crate) fn is_unique_violation(error: &DbErr) -> bool {
    matches!(error.sql_err(), Some(SqlErr::UniqueConstraintViolation(_)))
}
