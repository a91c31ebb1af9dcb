//! Background jobs: nightly backup, morning sync, recompute after new data, morning brief, imports.
//!
//! Jobs are rows in the database: they survive a restart, and with several servers only one runs
//! each. Which jobs are due follows from stored data. Each kind has its own lane
//! ([`AllLaneLimits`]), so that a service that does not respond cannot delay a brief; within a lane
//! athletes take turns.

mod lanes;
pub(crate) mod uploads;
pub(crate) mod write_check;

pub use lanes::{AllLaneLimits, BACKUP_JOB, LaneLimits};

use crate::app::BoxFuture;
use crate::in_memory_state::ServerState;
use crate::refresh::refresh;
use crate::worker::uploads::{ImportSummary, run_import};
use chrono::{TimeDelta, Timelike as _};
use fitness_core::domain::athlete::Profile;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::{JobId, UserId};
use fitness_core::metrics::pipeline::MEASURES_VERSION;
use fitness_store::{Error, IMPORT_JOB, Job, JobClaimFilter, JobState, Location, OUTCOME_EXPIRED, Store};
use futures_util::future::join_all;
use lanes::Lane;
use serde_json::json;
use std::pin::pin;
use std::time::Duration;
use tokio::sync::Mutex;

/// Backups are due from this hour on, in the owner's time zone.
const BACKUP_HOUR: u32 = 3;
/// Sync and brief are due from this hour on, in the athlete's time zone.
const MORNING_HOUR: u32 = 5;
/// From this hour on the brief no longer waits for the sync.
const BRIEF_WITHOUT_SYNC_HOUR: u32 = 10;
/// From this hour on a brief is written only after a successful sync.
const BRIEF_ONLY_AFTER_SYNC_HOUR: u32 = 12;
/// No brief from this hour on: a morning brief is no use in the evening.
const BRIEF_END_HOUR: u32 = 18;
/// Delay before a failed recompute is enqueued again.
const RECOMPUTE_RETRY_DELAY: TimeDelta = TimeDelta::hours(6);
/// An upload whose files no server has is given up after this time.
const MISSING_UPLOAD_TIMEOUT: TimeDelta = TimeDelta::days(1);
const LEFTOVER_CLEANUP_INTERVAL: Duration = Duration::from_secs(60 * 60);
/// Interval for rewriting (vacuuming) the database after a user was deleted, until it succeeds.
const REMOVAL_INTERVAL: Duration = Duration::from_secs(5 * 60);

#[derive(Debug, Clone, Copy)]
pub struct WorkerTiming {
    /// After this time without renewal another worker may claim the job.
    pub lease: Duration,
    pub renew_interval: Duration,
    pub poll_interval: Duration,
}

impl WorkerTiming {
    /// Intervals in proportion to the lease.
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

/// Claims and runs background jobs.
#[derive(Clone, Copy)]
pub struct Worker<'a> {
    pub store: &'a Store,
    pub tasks: &'a dyn JobHandlers,
    pub name: &'a str,
    pub clock: fn() -> Instant,
    pub timing: WorkerTiming,
    pub lanes: AllLaneLimits,
    /// Pages that enqueue a job wake the worker through it.
    pub state: &'a ServerState,
}

/// The work of the jobs. The binary implements it, because it needs the network and models.
pub trait JobHandlers: Send + Sync {
    /// Syncs every connected service of an athlete. The error is a sentence for the athlete.
    fn sync(&self, user: UserId) -> BoxFuture<'_, Result<(), String>>;

    /// Writes the brief for a day unless it exists.
    fn write_brief(&self, user: UserId, day: Day) -> BoxFuture<'_, Result<BriefOutcome, String>>;

    /// Whether nightly backups are enabled.
    fn has_backups(&self) -> bool;

    /// Writes the nightly backup.
    fn backup(&self, day: Day) -> BoxFuture<'_, Result<(), String>>;

    /// Writes the brief for a day, also if it exists.
    fn rewrite_brief(&self, user: UserId, day: Day) -> BoxFuture<'_, Result<(), String>>;
}

impl Worker<'_> {
    /// Runs background jobs and periodic tasks until cancelled.
    pub async fn run(self) {
        let turns = LastClaimedUsers::default();
        let mut slots = Vec::new();
        for lane in self.slots() {
            slots.push(self.run_slot(lane, turns.for_lane(lane)));
        }
        tokio::join!(self.enqueue_periodically(), self.run_periodic_tasks(), join_all(slots));
    }

    /// Enqueues and runs all due jobs. Returns how many were claimed.
    pub async fn tick(self) -> Result<usize, Error> {
        self.enqueue_due().await?;
        self.run_queued().await
    }

    /// Runs all due jobs in the queue. Returns how many were claimed.
    pub async fn run_queued(self) -> Result<usize, Error> {
        let turns = LastClaimedUsers::default();
        let mut claimed_count = 0;
        loop {
            let mut slots = Vec::new();
            for lane in self.slots() {
                slots.push(self.drain(lane, turns.for_lane(lane)));
            }
            let drained = join_all(slots).await;
            let round = drained.into_iter().sum::<Result<usize, Error>>()?;
            // A job of one lane may have made a job of another lane due.
            if round == 0 {
                return Ok(claimed_count);
            }
            claimed_count += round;
        }
    }

    /// Each lane, once per slot.
    fn slots(self) -> Vec<Lane> {
        let times = |lane: &Lane| vec![*lane; self.lanes.limits(*lane).concurrency];
        Lane::ALL.iter().flat_map(times).collect()
    }

    async fn enqueue_periodically(self) {
        loop {
            // The database may be back at the next poll.
            if let Err(why) = self.enqueue_due().await {
                tracing::warn!(%why, "failed to enqueue due jobs");
            }
            self.state.wake_worker();
            tokio::time::sleep(self.timing.poll_interval).await;
        }
    }

    async fn enqueue_due(self) -> Result<(), Error> {
        let Self { store, tasks, clock, .. } = self;
        if tasks.has_backups()
            && let Some(owner) = store.owner().await?
        {
            enqueue_backup(store, owner, clock()).await?;
        }
        for user in store.list_users().await? {
            enqueue_due_for_user(store, user.id, clock()).await?;
        }
        Ok(())
    }

    /// Runs jobs of one slot until cancelled.
    async fn run_slot(self, lane: Lane, turn: &LastClaimedUser) {
        loop {
            // Registered before polling, so that no wake-up is missed.
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

    /// Claims and runs jobs of a lane until none is due. Returns how many.
    async fn drain(self, lane: Lane, turn: &LastClaimedUser) -> Result<usize, Error> {
        let mut claimed_count = 0;
        while let Some(job) = self.claim(lane, turn).await? {
            claimed_count += 1;
            self.process_job(lane, &job).await?;
        }
        Ok(claimed_count)
    }

    async fn claim(self, lane: Lane, turn: &LastClaimedUser) -> Result<Option<Job>, Error> {
        let mut last = turn.lock().await;
        let only = match lane {
            Lane::Import => Some(self.importable().await?),
            _ => None,
        };
        if only.as_ref().is_some_and(Vec::is_empty) {
            return Ok(None);
        }
        let wanted = JobClaimFilter { kind: lane.kind(), after: *last, only: only.as_deref() };
        let claimed = self.store.claim_job(wanted, self.name, self.lease(), (self.clock)()).await?;
        if let Some(job) = &claimed {
            *last = Some(job.user);
        }
        Ok(claimed)
    }

    /// Imports whose files are on this server, and those that no server has had files for so long
    /// that they must be given up.
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
                ending.unwrap_or_else(|_| JobOutcome::Failed(format!("timed out after {deadline:?}")))
            }
            // Another worker may have claimed the job: stop, so that it does not run twice.
            () = self.renew_lease(job) => {
                tracing::warn!(job = %job.id, kind = job.kind, "job lease lost");
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
                tracing::info!(job = %job.id, kind = job.kind, took, outcome, "job done");
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
        // Not found: another worker has the job now, or its user was deleted.
        if !matches!(settled, Err(Error::NotFound(_))) {
            settled?;
        }
        if lane == Lane::Import {
            // Removes its files, unless the job can be retried.
            store.remove_leftover_uploads(clock()).await?;
        }
        // A finished sync may make the brief due.
        match enqueue_due_for_user(store, job.user, clock()).await {
            Ok(true) => self.state.wake_worker(),
            Ok(false) | Err(Error::NotFound(_)) => {}
            Err(why) => return Err(why),
        }
        Ok(())
    }

    /// Renews the lease of a job. Returns when another worker holds it, or when renewal has failed
    /// for so long that another worker may.
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
                // While the database is unavailable nobody else can claim it either.
                Ok(Err(_)) | Err(_) if held.elapsed() < self.timing.lease => {}
                Ok(Err(_)) | Err(_) => return,
            }
        }
    }

    async fn run_job(self, lane: Lane, job: &Job) -> JobOutcome {
        let Self { tasks, .. } = self;
        let day = job.payload.get("day").and_then(|day| day.as_str()?.parse().ok());
        match (lane, day) {
            (Lane::Sync, _) => match tasks.sync(job.user).await {
                Ok(()) => self.refresh(job.user).await.into(),
                Err(why) => JobOutcome::Failed(why),
            },
            (Lane::Recompute, _) => self.refresh(job.user).await.into(),
            (Lane::Backup, Some(day)) => tasks.backup(day).await.into(),
            (Lane::Brief, Some(day)) => self.write_brief(job.user, day).await,
            (Lane::Import, _) => self.import(job).await,
            (Lane::Backup | Lane::Brief, None) => JobOutcome::Failed("the job has no day".to_owned()),
        }
    }

    async fn refresh(self, user: UserId) -> Result<(), String> {
        refresh(self.store, user, (self.clock)()).await.map_err(|why| why.to_string())
    }

    async fn write_brief(self, user: UserId, day: Day) -> JobOutcome {
        let profile = match self.store.profile(user).await {
            Ok(profile) => profile,
            Err(why) => return JobOutcome::Failed(why.to_string()),
        };
        let (today, hour) = local_day_and_hour((self.clock)(), &profile);
        // The job may have been queued while no server ran.
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
            Ok(summary) => match self.refresh(job.user).await {
                Ok(()) => JobOutcome::Imported(summary),
                Err(problem) => JobOutcome::Failed(problem),
            },
            Err(problem) => JobOutcome::Failed(problem),
        }
    }

    /// Maintenance that is not a job. Each task has its own interval.
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
                    tracing::warn!(%why, "vacuum after user deletion pending");
                }
                tokio::time::sleep(REMOVAL_INTERVAL).await;
            }
        };
        tokio::join!(leftovers, removals);
    }

    /// Removes uploaded files without an open job, left by a server that was killed.
    async fn remove_leftover_uploads(self) {
        match self.store.remove_leftover_uploads((self.clock)()).await {
            Ok(removed) if removed.is_empty() => {}
            Ok(removed) => tracing::warn!(folders = removed.len(), "leftover uploads removed"),
            Err(why) => tracing::warn!(%why, "leftover uploads not removed"),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BriefOutcome {
    Written,
    AlreadyExists,
}

impl BriefOutcome {
    /// The word stored with the job.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::AlreadyExists => "already there",
        }
    }
}

enum JobOutcome {
    Done,
    Brief(BriefOutcome),
    Imported(ImportSummary),
    /// Too late to run; the text says why.
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

/// The user whose job was claimed last in a lane. Locked while claiming, so that the slots of a
/// lane do not claim at the same time.
type LastClaimedUser = Mutex<Option<UserId>>;

#[derive(Debug, Default)]
struct LastClaimedUsers([LastClaimedUser; Lane::ALL.len()]);

impl LastClaimedUsers {
    const fn for_lane(&self, lane: Lane) -> &LastClaimedUser {
        &self.0[lane as usize]
    }
}

const UPLOAD_MISSING: &str = "the uploaded files are no longer on this server; upload them again";
const BRIEF_EXPIRED: &str = "expired: it was too late in the day for a morning brief";

/// Enqueues the nightly backup as a job of the owner.
async fn enqueue_backup(store: &Store, owner: UserId, now: Instant) -> Result<(), Error> {
    let (today, hour) = local_day_and_hour(now, &store.profile(owner).await?);
    if hour >= BACKUP_HOUR && !is_for_day(today, store.newest_job(owner, Lane::Backup.kind()).await?.as_ref())
    {
        enqueue_daily(store, owner, Lane::Backup.kind(), today, now).await?;
    }
    Ok(())
}

/// Enqueues the due jobs of a user that are not in the queue yet. Returns whether there were any.
async fn enqueue_due_for_user(store: &Store, user: UserId, now: Instant) -> Result<bool, Error> {
    let (today, hour) = local_day_and_hour(now, &store.profile(user).await?);
    let mut enqueued = enqueue_refresh(store, user, today, now).await?;
    if hour < MORNING_HOUR {
        return Ok(enqueued);
    }
    let has_services = !store.list_sources(user).await?.is_empty();
    let sync = store.newest_job(user, Lane::Sync.kind()).await?.filter(|job| is_for_day(today, Some(job)));
    if has_services && sync.is_none() {
        return Ok(enqueue_daily(store, user, Lane::Sync.kind(), today, now).await? || enqueued);
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
        && !is_for_day(today, store.newest_job(user, Lane::Brief.kind()).await?.as_ref())
        && store.find_brief(user, today).await?.is_none()
    {
        enqueued |= enqueue_daily(store, user, Lane::Brief.kind(), today, now).await?;
    }
    Ok(enqueued)
}

/// Enqueues a refresh when metrics are stale, and once for each day and version of the formulas:
/// what the adaptation rules propose depends on the day.
async fn enqueue_refresh(store: &Store, user: UserId, today: Day, now: Instant) -> Result<bool, Error> {
    let kind = Lane::Recompute.kind();
    let payload = json!({ "day": today, "measures": MEASURES_VERSION });
    let is_stale = store.recompute_state(user).await?.stale_from.is_some();
    let is_unneeded = |newest: &Job| match newest.state {
        JobState::Queued | JobState::Running => true,
        JobState::Done => !is_stale && newest.payload == payload,
        // Wait before retrying. A time in the future comes from a clock that was ahead; ignore it.
        JobState::Failed => {
            newest.finished_at.is_some_and(|at| at <= now && now < at + RECOMPUTE_RETRY_DELAY)
        }
    };
    if store.newest_job(user, kind).await?.as_ref().is_some_and(is_unneeded)
        || !(is_stale
            || store.first_data_day(user).await?.is_some()
            || store.find_active_plan(user).await?.is_some())
    {
        return Ok(false);
    }
    Ok(store.enqueue_unless(user, kind, payload.clone(), now, is_unneeded).await?.is_some())
}

/// Enqueues a daily job unless another server has done so meanwhile. Returns whether it did.
async fn enqueue_daily(
    store: &Store,
    user: UserId,
    kind: &str,
    day: Day,
    now: Instant,
) -> Result<bool, Error> {
    let is_unneeded = |newest: &Job| is_for_day(day, Some(newest));
    store.enqueue_unless(user, kind, json!({ "day": day }), now, is_unneeded).await.map(|put| put.is_some())
}

fn is_for_day(day: Day, job: Option<&Job>) -> bool {
    job.is_some_and(|job| job.payload.get("day") == Some(&json!(day)))
}

/// Day and hour in the user's time zone.
fn local_day_and_hour(now: Instant, athlete: &Profile) -> (Day, u32) {
    (Day::at(now, athlete.zone), now.with_timezone(&athlete.zone).hour())
}
