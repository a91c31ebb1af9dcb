//! What happens by itself: a backup each night, the morning sync, what follows from new data, and the brief after it.
//!
//! All are jobs in the database, so that a server that is killed goes on where it was, and of several servers one does
//! each. What is due is decided from what is stored. Each kind has a [lane](Lanes) of its own, so that a service that does
//! not answer holds up nobody's brief; within a lane athletes take turns.

pub(crate) mod health;
mod lanes;
pub(crate) mod uploads;

pub use lanes::{BACKUP_JOB, LaneLimits, Lanes};

use crate::app::BoxFuture;
use crate::state::ServerState;
use crate::worker::uploads::{ImportSummary, run_import};
use chrono::{TimeDelta, Timelike as _};
use fitness_core::domain::athlete::Profile;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::{JobId, UserId};
use fitness_store::{Error, IMPORT_JOB, Job, JobFilter, JobState, Location, OUTCOME_EXPIRED, Store};
use futures_util::future::join_all;
use lanes::Lane;
use serde_json::json;
use std::pin::pin;
use std::time::Duration;
use tokio::sync::Mutex;

/// The hour from which on the night's backup is due, on the clock of whoever runs the server.
const BACKUP_HOUR: u32 = 3;
/// The hour from which on it is morning, on the athlete's clock.
const MORNING_HOUR: u32 = 5;
/// The hour from which on the brief no longer waits for a sync that does not come.
const BRIEF_WITHOUT_SYNC_HOUR: u32 = 10;
/// The hour from which on there is a brief only when the day's data comes after all.
const BRIEF_ONLY_AFTER_SYNC_HOUR: u32 = 12;
/// The hour from which on nobody wants to be told what kind of day it will be.
const BRIEF_END_HOUR: u32 = 18;
/// After how long a failure to work out what data means is no reason to leave it at that.
const RECOMPUTE_RETRY_DELAY: TimeDelta = TimeDelta::hours(6);
/// An upload whose files no server has had for so long is given up.
const MISSING_UPLOAD_TIMEOUT: TimeDelta = TimeDelta::days(1);
/// How often leftovers of uploads are looked for.
const LEFTOVER_CLEANUP_INTERVAL: Duration = Duration::from_secs(60 * 60);
/// How often is tried to rewrite the files of a database that hold what was removed with a user.
const REMOVAL_INTERVAL: Duration = Duration::from_secs(5 * 60);

/// How long things wait for one another.
#[derive(Debug, Clone, Copy)]
pub struct WorkerTiming {
    /// How long a job is held by whoever took it on and is not heard of again.
    pub lease: Duration,
    /// How often whoever works on one says that it does.
    pub renew_interval: Duration,
    /// How often is looked what is due.
    pub poll_interval: Duration,
}

impl WorkerTiming {
    /// Everything in proportion to how long a job is held.
    #[must_use]
    pub const fn from_lease(lease: Duration) -> Self {
        Self { lease, renew_interval: lease.checked_div(4).expect("four is not zero"), poll_interval: lease }
    }
}

impl Default for WorkerTiming {
    fn default() -> Self {
        Self::from_lease(Duration::from_secs(60))
    }
}

/// Whoever takes on jobs.
#[derive(Clone, Copy)]
pub struct Worker<'a> {
    /// The database.
    pub store: &'a Store,
    /// What it can do.
    pub tasks: &'a dyn BackgroundTasks,
    /// What nobody else is called.
    pub name: &'a str,
    /// What time it is.
    pub clock: fn() -> Instant,
    /// How long things wait.
    pub timing: WorkerTiming,
    /// How many jobs of a kind run at once, and how long each may take.
    pub lanes: Lanes,
    /// What the server remembers while it runs: pages that enqueue a job wake the worker through it.
    pub state: &'a ServerState,
}

/// What is done outside: where the way out to the net and the models are.
pub trait BackgroundTasks: Send + Sync {
    /// Asks every service of an athlete for what is new. The sentence says what went wrong.
    fn sync(&self, user: UserId) -> BoxFuture<'_, Result<(), String>>;

    /// Writes an athlete's brief for a day, unless there is one.
    fn write_brief(&self, user: UserId, day: Day) -> BoxFuture<'_, Result<BriefOutcome, String>>;

    /// Works out what an athlete's newest data means.
    fn recompute(&self, user: UserId) -> BoxFuture<'_, Result<(), String>>;

    /// Whether backups are wanted.
    fn has_backups(&self) -> bool;

    /// Keeps everything in a file, once a night.
    fn backup(&self, day: Day) -> BoxFuture<'_, Result<(), String>>;

    /// Writes an athlete's brief for a day, whether there is one or not.
    fn rewrite_brief(&self, user: UserId, day: Day) -> BoxFuture<'_, Result<(), String>>;
}

impl Worker<'_> {
    /// Runs background jobs and periodic tasks, for as long as it is let.
    pub async fn run(self) {
        let turns = LaneTurns::default();
        let mut slots = Vec::new();
        for lane in self.slots() {
            slots.push(self.run_slot(lane, turns.for_lane(lane)));
        }
        tokio::join!(self.enqueue_periodically(), self.run_periodic_tasks(), join_all(slots));
    }

    /// Enqueues what is due, and runs everything that is. Gives back how many jobs were claimed.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn tick(self) -> Result<usize, Error> {
        self.enqueue_due().await?;
        self.run_queued().await
    }

    /// Runs what is in the queue and due. Gives back how many jobs were claimed.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn run_queued(self) -> Result<usize, Error> {
        let turns = LaneTurns::default();
        let mut taken = 0;
        loop {
            let mut slots = Vec::new();
            for lane in self.slots() {
                slots.push(self.drain(lane, turns.for_lane(lane)));
            }
            let drained = join_all(slots).await;
            let round = drained.into_iter().sum::<Result<usize, Error>>()?;
            // What ran in one lane may have made something due in another.
            if round == 0 {
                return Ok(taken);
            }
            taken += round;
        }
    }

    /// Each lane as often as jobs run in it at once.
    fn slots(self) -> Vec<Lane> {
        let times = |lane: &Lane| vec![*lane; self.lanes.limits(*lane).concurrency];
        Lane::ALL.iter().flat_map(times).collect()
    }

    async fn enqueue_periodically(self) {
        loop {
            // A database that does not answer now may answer in a minute.
            if let Err(why) = self.enqueue_due().await {
                tracing::warn!(%why, "what is due could not be looked up");
            }
            self.state.wake_worker();
            tokio::time::sleep(self.timing.poll_interval).await;
        }
    }

    async fn enqueue_due(self) -> Result<(), Error> {
        let Self { store, tasks: chores, clock, .. } = self;
        if chores.has_backups()
            && let Some(owner) = store.owner().await?
        {
            enqueue_backup(store, owner, clock()).await?;
        }
        for user in store.list_users().await? {
            enqueue_due_for_user(store, user.id, clock()).await?;
        }
        Ok(())
    }

    /// One of the jobs a lane runs at once, again and again.
    async fn run_slot(self, lane: Lane, turn: &LaneTurn) {
        loop {
            // Before looking: what is enqueued in between must not be missed.
            let mut woken = pin!(self.state.worker_wakeup());
            woken.as_mut().enable();
            match self.drain(lane, turn).await {
                Ok(_) => drop(tokio::time::timeout(self.timing.poll_interval, woken).await),
                Err(why) => {
                    tracing::warn!(%why, lane = lane.kind(), "job lane interrupted");
                    tokio::time::sleep(self.timing.poll_interval).await;
                }
            }
        }
    }

    /// Claims and runs jobs of a lane until none is due. Gives back how many.
    async fn drain(self, lane: Lane, turn: &LaneTurn) -> Result<usize, Error> {
        let mut taken = 0;
        while let Some(job) = self.claim(lane, turn).await? {
            taken += 1;
            self.process_job(lane, &job).await?;
        }
        Ok(taken)
    }

    async fn claim(self, lane: Lane, turn: &LaneTurn) -> Result<Option<Job>, Error> {
        let mut last = turn.lock().await;
        let only = match lane {
            Lane::Import => Some(self.importable().await?),
            _ => None,
        };
        if only.as_ref().is_some_and(Vec::is_empty) {
            return Ok(None);
        }
        let wanted = JobFilter { kind: lane.kind(), after: *last, only: only.as_deref() };
        let claimed = self.store.claim_job(wanted, self.name, self.lease(), (self.clock)()).await?;
        if let Some(job) = &claimed {
            *last = Some(job.user);
        }
        Ok(claimed)
    }

    /// The imports that can run here: those whose files are. What no server has is claimed in the end, to be given up.
    async fn importable(self) -> Result<Vec<JobId>, Error> {
        let open = self.store.list_open_jobs(IMPORT_JOB).await?;
        if open.is_empty() {
            return Ok(Vec::new());
        }
        let uploads = self.store.upload_directory().await?;
        let alone = matches!(self.store.location(), Location::Sqlite { .. });
        let now = (self.clock)();
        let here = |job: &Job| {
            alone || uploads.find(&job.payload).is_some() || job.run_at + MISSING_UPLOAD_TIMEOUT < now
        };
        Ok(open.iter().filter(|job| here(job)).map(|job| job.id).collect())
    }

    fn lease(self) -> TimeDelta {
        TimeDelta::from_std(self.timing.lease).unwrap_or(TimeDelta::MAX)
    }

    async fn process_job(self, lane: Lane, job: &Job) -> Result<(), Error> {
        let Self { store, name, clock, .. } = self;
        let begun = clock();
        let deadline = self.lanes.limits(lane).deadline;
        let ending = tokio::select! {
            ending = tokio::time::timeout(deadline, self.run_job(lane, job)) => {
                ending.unwrap_or_else(|_| JobOutcome::Failed(format!("it took longer than {deadline:?}")))
            }
            // Somebody else has it, or will: two must not do it.
            () = self.renew_lease(job) => {
                tracing::warn!(job = %job.id, kind = job.kind, "a job was let go");
                return Ok(());
            }
        };
        let took = (clock() - begun).num_milliseconds();
        match &ending {
            JobOutcome::Failed(problem) if lane == Lane::Backup => {
                tracing::error!(job = %job.id, attempts = job.attempts, problem, "backup failed");
            }
            JobOutcome::Failed(_) => {
                tracing::warn!(job = %job.id, kind = job.kind, attempts = job.attempts, took, "job failed");
            }
            ending => {
                let outcome = ending.label();
                tracing::info!(job = %job.id, kind = job.kind, took, outcome, "a job was done");
            }
        }
        let settled = match ending {
            JobOutcome::Done => store.finish_job(job.user, job.id, name, clock()).await,
            JobOutcome::Brief(outcome) => {
                store.finish_job_with(job.user, job.id, name, outcome.label().into(), clock()).await
            }
            JobOutcome::Imported(summary) => {
                let outcome = serde_json::to_value(&summary).expect("a summary is plain data");
                store.finish_job_with(job.user, job.id, name, outcome, clock()).await
            }
            JobOutcome::Expired(why) => store.expire_job(job.user, job.id, name, why, clock()).await,
            JobOutcome::Failed(problem) => store.fail_job(job.user, job.id, name, &problem, clock()).await,
        };
        // Whoever has it now says what became of it; or there is nobody any more whose job it was.
        if !matches!(settled, Err(Error::NotFound(_))) {
            settled?;
        }
        if lane == Lane::Import {
            // Its files are not needed any more, unless it can be retried.
            store.remove_leftover_uploads(clock()).await?;
        }
        // What a sync brought may make a brief due.
        match enqueue_due_for_user(store, job.user, clock()).await {
            Ok(true) => self.state.wake_worker(),
            Ok(false) | Err(Error::NotFound(_)) => {}
            Err(why) => return Err(why),
        }
        Ok(())
    }

    /// Says again and again that a job is worked on. Ends when somebody else holds it, and when it could not be said for so
    /// long that somebody else may.
    async fn renew_lease(self, job: &Job) {
        let lease = self.lease();
        let mut held = tokio::time::Instant::now();
        loop {
            tokio::time::sleep(self.timing.renew_interval).await;
            let asked = tokio::time::Instant::now();
            let renewed = self.store.renew_job(job.id, self.name, lease, (self.clock)());
            match tokio::time::timeout(self.timing.renew_interval, renewed).await {
                Ok(Ok(true)) => held = asked,
                Ok(Ok(false)) => return,
                // A database that does not answer gives it to nobody, until it does.
                Ok(Err(_)) | Err(_) if held.elapsed() < self.timing.lease => {}
                Ok(Err(_)) | Err(_) => return,
            }
        }
    }

    async fn run_job(self, lane: Lane, job: &Job) -> JobOutcome {
        let Self { tasks: chores, .. } = self;
        let day = job.payload.get("day").and_then(|day| day.as_str()?.parse().ok());
        match (lane, day) {
            (Lane::Sync, _) => chores.sync(job.user).await.into(),
            (Lane::Recompute, _) => chores.recompute(job.user).await.into(),
            (Lane::Backup, Some(day)) => chores.backup(day).await.into(),
            (Lane::Brief, Some(day)) => self.write_brief(job.user, day).await,
            (Lane::Import, _) => self.import(job).await,
            (Lane::Backup | Lane::Brief, None) => JobOutcome::Failed("the job names no day".to_owned()),
        }
    }

    async fn write_brief(self, user: UserId, day: Day) -> JobOutcome {
        let profile = match self.store.profile(user).await {
            Ok(profile) => profile,
            Err(why) => return JobOutcome::Failed(why.to_string()),
        };
        let (today, hour) = local_day_and_hour((self.clock)(), &profile);
        // It may have waited while no server ran. What was meant for a morning is not written in the evening.
        if day != today || hour >= BRIEF_END_HOUR {
            return JobOutcome::Expired(BRIEF_EXPIRED);
        }
        match self.tasks.write_brief(user, day).await {
            Ok(outcome) => JobOutcome::Brief(outcome),
            Err(problem) => JobOutcome::Failed(problem),
        }
    }

    async fn import(self, job: &Job) -> JobOutcome {
        let folder = match self.store.upload_directory().await {
            Ok(uploads) => uploads.find(&job.payload),
            Err(why) => return JobOutcome::Failed(why.to_string()),
        };
        let Some(folder) = folder else { return JobOutcome::Expired(UPLOAD_MISSING) };
        let progress = self.state.uploads.begin_import(job.id);
        match run_import(self.store, self.clock, job, &folder, progress).await {
            Ok(summary) => JobOutcome::Imported(summary),
            Err(problem) => JobOutcome::Failed(problem),
        }
    }

    /// What is done now and then and is not a job. Each task has its own interval.
    async fn run_periodic_tasks(self) {
        let leftovers = async {
            loop {
                self.remove_leftover_uploads().await;
                tokio::time::sleep(LEFTOVER_CLEANUP_INTERVAL).await;
            }
        };
        let removals = async {
            loop {
                if let Err(why) = self.store.finish_pending_vacuum().await {
                    tracing::warn!(%why, "vacuum after a removal still pending");
                }
                tokio::time::sleep(REMOVAL_INTERVAL).await;
            }
        };
        tokio::join!(leftovers, removals);
    }

    /// Removes uploaded files that a killed server left: their job is over, or they never got one.
    async fn remove_leftover_uploads(self) {
        match self.store.remove_leftover_uploads((self.clock)()).await {
            Ok(removed) if removed.is_empty() => {}
            Ok(removed) => tracing::warn!(folders = removed.len(), "leftover uploads removed"),
            Err(why) => tracing::warn!(%why, "leftover uploads not removed"),
        }
    }
}

/// What came of writing a brief.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BriefOutcome {
    /// It was written.
    Written,
    /// There was one.
    AlreadyExists,
}

impl BriefOutcome {
    /// As it is in the job's record.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::AlreadyExists => "already there",
        }
    }
}

/// How a job ended.
enum JobOutcome {
    Done,
    Brief(BriefOutcome),
    Imported(ImportSummary),
    /// Its time had passed; nothing was done, and this is why.
    Expired(&'static str),
    Failed(String),
}

impl JobOutcome {
    const fn label(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Brief(outcome) => outcome.label(),
            Self::Imported(_) => "imported",
            Self::Expired(_) => OUTCOME_EXPIRED,
            Self::Failed(_) => "failed",
        }
    }
}

impl From<Result<(), String>> for JobOutcome {
    fn from(result: Result<(), String>) -> Self {
        result.map_or_else(Self::Failed, |()| Self::Done)
    }
}

/// Whose job of a lane was claimed last. Held while one is claimed, so that the slots of a lane do not claim at once.
type LaneTurn = Mutex<Option<UserId>>;

#[derive(Debug, Default)]
struct LaneTurns([LaneTurn; Lane::ALL.len()]);

impl LaneTurns {
    const fn for_lane(&self, lane: Lane) -> &LaneTurn {
        &self.0[lane as usize]
    }
}

/// Why an upload cannot be imported any more.
const UPLOAD_MISSING: &str = "the uploaded files are no longer on this server; upload them again";
/// Why a brief is not written any more.
const BRIEF_EXPIRED: &str = "expired: the morning it was for had passed before a server could write it";

/// Puts the night's backup into the queue of whoever runs the server.
async fn enqueue_backup(store: &Store, owner: UserId, now: Instant) -> Result<(), Error> {
    let (today, hour) = local_day_and_hour(now, &store.profile(owner).await?);
    if hour >= BACKUP_HOUR && !of(today, store.newest_job(owner, Lane::Backup.kind()).await?.as_ref()) {
        enqueue_daily(store, owner, Lane::Backup.kind(), today, now).await?;
    }
    Ok(())
}

/// Puts into the queue what is due for an athlete and not there yet. Says whether there was anything.
async fn enqueue_due_for_user(store: &Store, user: UserId, now: Instant) -> Result<bool, Error> {
    let mut noted = false;
    if store.recompute_state(user).await?.stale_from.is_some() {
        let needless = |newest: &Job| match newest.state {
            JobState::Queued | JobState::Running => true,
            JobState::Done => false,
            // Trying again and again what does not work helps nobody.
            // A time that has not come was noted while the clock was ahead.
            JobState::Failed => {
                newest.finished_at.is_some_and(|at| at <= now && now < at + RECOMPUTE_RETRY_DELAY)
            }
        };
        if !store.newest_job(user, Lane::Recompute.kind()).await?.as_ref().is_some_and(needless) {
            let put = store.enqueue_unless(user, Lane::Recompute.kind(), json!({}), now, needless).await?;
            noted |= put.is_some();
        }
    }
    let (today, hour) = local_day_and_hour(now, &store.profile(user).await?);
    if hour < MORNING_HOUR {
        return Ok(noted);
    }
    let has_services = !store.list_sources(user).await?.is_empty();
    let sync = store.newest_job(user, Lane::Sync.kind()).await?.filter(|job| of(today, Some(job)));
    if has_services && sync.is_none() {
        return Ok(enqueue_daily(store, user, Lane::Sync.kind(), today, now).await? || noted);
    }
    let arrived = sync.as_ref().is_some_and(|job| job.state == JobState::Done);
    let given_up = sync.is_some_and(|job| job.state == JobState::Failed);
    let ready = match hour {
        ..BRIEF_WITHOUT_SYNC_HOUR => !has_services || arrived || given_up,
        BRIEF_WITHOUT_SYNC_HOUR..BRIEF_ONLY_AFTER_SYNC_HOUR => true,
        BRIEF_ONLY_AFTER_SYNC_HOUR..BRIEF_END_HOUR => arrived,
        _ => false,
    };
    if ready
        && !of(today, store.newest_job(user, Lane::Brief.kind()).await?.as_ref())
        && store.find_brief(user, today).await?.is_none()
    {
        noted |= enqueue_daily(store, user, Lane::Brief.kind(), today, now).await?;
    }
    Ok(noted)
}

/// Puts what is done once a day into the queue; another server may have done so in the meantime.
async fn enqueue_daily(
    store: &Store,
    user: UserId,
    kind: &str,
    day: Day,
    now: Instant,
) -> Result<bool, Error> {
    let needless = |newest: &Job| of(day, Some(newest));
    store.enqueue_unless(user, kind, json!({ "day": day }), now, needless).await.map(|put| put.is_some())
}

/// Whether a job is the one of a day.
fn of(day: Day, job: Option<&Job>) -> bool {
    job.is_some_and(|job| job.payload.get("day") == Some(&json!(day)))
}

/// The day and the hour on an athlete's clock.
fn local_day_and_hour(now: Instant, athlete: &Profile) -> (Day, u32) {
    (Day::at(now, athlete.zone), now.with_timezone(&athlete.zone).hour())
}
