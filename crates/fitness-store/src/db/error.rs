//! The store's error type.

use crate::db::migrations::POSTGRES_REFUSAL;
use fitness_core::plan::PlanStatus;
use sea_orm::{DbErr, RuntimeErr, SqlErr};
use std::io;
use std::path::Path;
use std::path::PathBuf;

fitness_core::string_enum! {
    /// What a row is about, in messages.
    pub enum RecordKind("kind of record") {
        Activity = "activity",
        Chat = "chat",
        ClaimedJob = "claimed job",
        DeletedActivity = "deleted activity",
        Draft = "draft",
        EarlierRevision = "earlier revision",
        FailedJob = "failed job",
        File = "file",
        Gear = "gear",
        Match = "match",
        Note = "note",
        Observation = "observation",
        Plan = "plan",
        Proposal = "proposal",
        Race = "race",
        RunningSync = "running sync",
        Session = "session",
        Source = "source",
        SuggestedNote = "suggested note",
        SuggestedObservation = "suggested observation",
        Threshold = "threshold",
        Token = "token",
        User = "user",
        Workout = "workout",
        Zones = "zones",
    }
}

fitness_core::string_enum! {
    /// What coaches may have pending up to a limit.
    pub enum PendingKind("kind of pending item") {
        Drafts = "drafts",
        Proposals = "proposals",
        Suggestions = "suggestions",
    }
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The database path or URL is not valid.
    #[error("`{value}` is not a valid database: {reason}")]
    BadLocation {
        /// The given value with any password removed.
        value: String,
        reason: &'static str,
    },
    /// There is no database, and this call does not create one.
    #[error("no database at {0}")]
    NoDatabase(String),
    /// The database file or its directory cannot be used.
    #[error("cannot use {path}: {problem}")]
    Path {
        path: PathBuf,
        /// Message of the operating system.
        problem: String,
    },
    /// A backup or export, or its directory, cannot be read or written.
    #[error("cannot use {path}: {problem}")]
    File {
        path: PathBuf,
        kind: io::ErrorKind,
        /// Message of the operating system.
        problem: String,
    },
    /// The disk is full or failing.
    #[error("the database disk is full or failing: {0}")]
    Disk(String),
    /// A committed write is not visible to another connection.
    #[error("the database acknowledges writes without storing them")]
    NotStored,
    /// The file or database was created by another program.
    #[error("{0} was not written by local-fitness")]
    Foreign(String),
    /// The database file is damaged.
    #[error("{0} is damaged: {1}")]
    Damaged(String, String),
    /// The database has a migration that this version does not know.
    #[error("{0} was written by a newer version of local-fitness (it has `{1}`)")]
    Newer(String, String),
    /// The SQLite library is too old.
    #[error("SQLite {0} is too old; local-fitness needs 3.51.3 or newer")]
    OldSqlite(String),
    /// PostgreSQL cannot be reached.
    #[error("cannot reach PostgreSQL at {0}: {1}")]
    Unreachable(String, String),
    #[error("PostgreSQL at {0} rejected the login: {1}")]
    LoginRefused(String, String),
    /// PostgreSQL does not allow creating tables.
    #[error("PostgreSQL at {0} does not allow this user to create tables")]
    NotAllowed(String),
    #[error("the database does not respond: it is overloaded or down")]
    NoConnection,
    /// Another process held the write lock longer than the busy timeout.
    #[error("the database is busy: another program is writing to it")]
    Busy,
    /// The row does not exist or belongs to another user; callers cannot tell which.
    #[error("there is no such {0}")]
    NotFound(RecordKind),
    /// The limit on pending drafts, proposals or suggestions from coaches is reached.
    #[error("{pending} {what} from coaches are already pending")]
    QuotaExceeded { pending: u64, what: PendingKind },
    #[error("there is already a user named {0}")]
    NameTaken(String),
    #[error("a user name must have 1 to 64 visible characters, with no slash and no space at either end")]
    BadName,
    /// The password is too short or too long.
    #[error("a password must have 8 to 200 characters")]
    BadPassword,
    /// The password is easy to guess, with the reason.
    #[error("this password is too easy to guess: {0}; try three or four random words")]
    WeakPassword(&'static str),
    /// The owner cannot be removed while there are other users, unless one of them becomes the new
    /// owner.
    #[error("choose a new owner for this server before deleting its owner")]
    NoNewOwner,
    /// A threshold outside its physiological range.
    #[error("{kind} must be between {low} and {high}")]
    OutOfBounds { kind: fitness_core::domain::athlete::ThresholdKind, low: f64, high: f64 },
    /// An edit that would make an activity implausible.
    #[error(transparent)]
    Edit(#[from] fitness_core::domain::merge::ActivityEditError),
    /// An activity entered by hand is in the future or impossible.
    #[error(transparent)]
    ManualActivity(#[from] fitness_core::domain::manual_activity::ManualActivityError),
    #[error(transparent)]
    Gear(#[from] fitness_core::domain::gear::GearError),
    /// The confirmation is unknown, used, expired, or was for something else.
    #[error("this confirmation is not valid: {0}")]
    NotConfirmed(&'static str),
    /// Another plan is active and was not named in `replaces`.
    #[error("you already have an active plan")]
    AlreadyActive {
        /// The active plan; `None` if a concurrent request activated it.
        active: Option<fitness_core::domain::ids::PlanId>,
    },
    /// `replaces` names a plan, but none is active.
    #[error("there is no active plan to replace")]
    NothingToReplace,
    /// The content changed since the athlete saw it.
    #[error("the plan has changed since you opened it")]
    Stale,
    /// The change would have no effect, so no revision is created.
    #[error("nothing to change: the plan already looks like this")]
    Unchanged,
    /// The proposal is no longer open.
    #[error("this proposal is no longer open: {state}")]
    ProposalClosed {
        proposal: fitness_core::domain::ids::ProposalId,
        state: fitness_core::plan::ProposalState,
    },
    /// The chosen start day is not after the plan's first day, or is after its race.
    #[error(
        "choose a start date after {} and no later than race day, {}",
        .start.format_long(), .race.format_long()
    )]
    BadStartDay { start: fitness_core::domain::calendar::Day, race: fitness_core::domain::calendar::Day },
    #[error("this is not possible while the plan is {0}")]
    WrongStatus(PlanStatus),
    /// The activity cannot be matched with the workout.
    #[error("this activity cannot be matched with that workout: {0}")]
    NoMatch(#[from] fitness_core::adherence::MatchError),
    /// The workout or the activity already has another match.
    #[error("this workout or activity is already matched")]
    AlreadyMatched {
        workout: fitness_core::domain::ids::WorkoutId,
        activity: fitness_core::domain::ids::ActivityId,
    },
    #[error(transparent)]
    Apply(#[from] fitness_core::plan::ApplyError),
    /// The resulting plan would not be valid.
    #[error(transparent)]
    Draft(#[from] fitness_core::plan::DraftError),
    /// The linter found errors that were not overridden.
    #[error("the plan has errors: {}", format_rules(.0))]
    BlockingFindings(Vec<fitness_core::plan::lint::Finding>),
    /// The recording has more samples than any activity.
    #[error("recording too long: {0} samples")]
    RecordingTooLong(usize),
    /// The backup directory setting is not valid.
    #[error("invalid backup directory: {0}")]
    BadBackupDirectory(&'static str),
    /// Not a valid backup or export.
    #[error("{0}")]
    BadBackup(String),
    /// A backup or export of a newer version.
    #[error("{0}")]
    NewerBackup(String),
    /// The database to restore into is not empty.
    #[error("{0} is not empty")]
    NotEmpty(String),
    /// The backup before a migration failed, so nothing was migrated.
    #[error("the backup before the database upgrade failed: {0}")]
    BackupFailed(Box<Error>),
    /// A trigger of the schema rejected the change.
    #[error("the database rejected the change: {0}")]
    Refused(String),
    /// A stored value that this version cannot read.
    #[error("the database contains an unreadable value: {0}")]
    Unreadable(String),
    /// Any other database error.
    #[error("database error: {0}")]
    Database(#[source] DbErr),
}

fn format_rules(findings: &[fitness_core::plan::lint::Finding]) -> String {
    let said: Vec<String> =
        findings.iter().map(|finding| format!("{}: {}", finding.rule, finding.text)).collect();
    said.join(" ")
}

impl Error {
    pub(crate) fn from_path(path: &Path, error: &io::Error) -> Self {
        Self::Path { path: path.to_owned(), problem: describe(error) }
    }

    /// For a backup or an export, or its directory.
    #[must_use]
    pub fn from_file(path: &Path, error: &io::Error) -> Self {
        Self::File { path: path.to_owned(), kind: error.kind(), problem: describe(error) }
    }
}

fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "the file or its directory does not exist".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::AlreadyExists => "the file already exists".to_owned(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "the disk is full".to_owned(),
        _ => error.to_string(),
    }
}

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

/// SQLITE_FULL and all SQLITE_IOERR codes; PostgreSQL's disk_full and io_error, whose codes have
/// five digits.
fn is_disk_error(code: &str) -> bool {
    let sqlite = code.len() < 5 && code.parse::<u32>().is_ok_and(|code| matches!(code & 0xff, 10 | 13));
    sqlite || matches!(code, "53100" | "58030")
}

/// The message of the trigger that rejected the change.
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

/// Whether a unique index rejected a row; the error text differs between databases.
pub(crate) fn is_unique_violation(error: &DbErr) -> bool {
    matches!(error.sql_err(), Some(SqlErr::UniqueConstraintViolation(_)))
}
