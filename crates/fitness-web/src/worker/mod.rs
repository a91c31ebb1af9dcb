//! What happens by itself: a backup each night, the morning sync, what follows from new data, and the brief after it.
//!
//! All are jobs in the database, so that a server that is killed goes on where it was, and of several servers one does
//! each. What is due is decided from what is stored. Each kind has a [lane](Lanes) of its own, so that a service that does
//! not answer holds up nobody's brief; within a lane athletes take turns.

pub(crate) mod health;
mod lanes;
pub(crate) mod uploads;

pub use lanes::{BACKUP, LaneLimits, Lanes};

use crate::app::Looked;
use crate::state::Running;
use crate::worker::uploads::{ImportSummary, run_import};
use chrono::{TimeDelta, Timelike as _};
use fitness_core::domain::athlete::Profile;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::{JobId, UserId};
use fitness_store::{EXPIRED, Error, IMPORT, Job, JobFilter, JobState, Location, Store};
use futures_util::future::join_all;
use lanes::Lane;
use serde_json::json;
use std::pin::pin;
use std::time::Duration;
use tokio::sync::Mutex;

/// The hour from which on the night's backup is due, on the clock of whoever runs the server.
const NIGHT: u32 = 3;
/// The hour from which on it is morning, on the athlete's clock.
const MORNING: u32 = 5;
/// The hour from which on the brief no longer waits for a sync that does not come.
const LATE: u32 = 10;
/// The hour from which on there is a brief only when the day's data comes after all.
const NOON: u32 = 12;
/// The hour from which on nobody wants to be told what kind of day it will be.
const EVENING: u32 = 18;
/// After how long a failure to work out what data means is no reason to leave it at that.
const RECOMPUTE_AGAIN: TimeDelta = TimeDelta::hours(6);
/// An upload whose files no server has had for so long is given up.
const FILES_GONE: TimeDelta = TimeDelta::days(1);
/// How often leftovers of uploads are looked for.
const LEFTOVERS_EVERY: Duration = Duration::from_secs(60 * 60);
/// How often is tried to rewrite the files of a database that hold what was removed with a user.
const REMOVALS_EVERY: Duration = Duration::from_secs(5 * 60);

/// How long things wait for one another.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// How long a job is held by whoever took it on and is not heard of again.
    pub lease: Duration,
    /// How often whoever works on one says that it does.
    pub renew: Duration,
    /// How often is looked what is due.
    pub every: Duration,
}

impl Pace {
    /// Everything in proportion to how long a job is held.
    #[must_use]
    pub const fn of(lease: Duration) -> Self {
        Self { lease, renew: lease.checked_div(4).expect("four is not zero"), every: lease }
    }
}

impl Default for Pace {
    fn default() -> Self {
        Self::of(Duration::from_secs(60))
    }
}

/// Whoever takes on jobs.
#[derive(Clone, Copy)]
pub struct Worker<'a> {
    /// The database.
    pub store: &'a Store,
    /// What it can do.
    pub chores: &'a dyn Chores,
    /// What nobody else is called.
    pub name: &'a str,
    /// What time it is.
    pub clock: fn() -> Instant,
    /// How long things wait.
    pub pace: Pace,
    /// How many jobs of a kind run at once, and how long each may take.
    pub lanes: Lanes,
    /// What the server remembers while it runs: pages that enqueue a job wake the worker through it.
    pub running: &'a Running,
}

/// What is done outside: where the way out to the net and the models are.
pub trait Chores: Send + Sync {
    /// Asks every service of an athlete for what is new. The sentence says what went wrong.
    fn sync(&self, user: UserId) -> Looked<'_, Result<(), String>>;

    /// Writes an athlete's brief for a day, unless there is one.
    fn brief(&self, user: UserId, day: Day) -> Looked<'_, Result<BriefOutcome, String>>;

    /// Works out what an athlete's newest data means.
    fn recompute(&self, user: UserId) -> Looked<'_, Result<(), String>>;

    /// Whether backups are wanted.
    fn keeps_backups(&self) -> bool;

    /// Keeps everything in a file, once a night.
    fn backup(&self, day: Day) -> Looked<'_, Result<(), String>>;

    /// Writes an athlete's brief for a day, whether there is one or not.
    fn rewrite(&self, user: UserId, day: Day) -> Looked<'_, Result<(), String>>;
}

impl Worker<'_> {
    /// Runs background jobs and periodic tasks, for as long as it is let.
    pub async fn run(self) {
        let turns = Turns::default();
        let mut slots = Vec::new();
        for lane in self.slots() {
            slots.push(self.run_slot(lane, turns.of(lane)));
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
        let turns = Turns::default();
        let mut taken = 0;
        loop {
            let mut slots = Vec::new();
            for lane in self.slots() {
                slots.push(self.drain(lane, turns.of(lane)));
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
            self.running.wake_worker();
            tokio::time::sleep(self.pace.every).await;
        }
    }

    async fn enqueue_due(self) -> Result<(), Error> {
        let Self { store, chores, clock, .. } = self;
        if chores.keeps_backups()
            && let Some(owner) = store.owner().await?
        {
            note_backup(store, owner, clock()).await?;
        }
        for user in store.list_users().await? {
            note_due(store, user.id, clock()).await?;
        }
        Ok(())
    }

    /// One of the jobs a lane runs at once, again and again.
    async fn run_slot(self, lane: Lane, turn: &Turn) {
        loop {
            // Before looking: what is enqueued in between must not be missed.
            let mut woken = pin!(self.running.worker_woken());
            woken.as_mut().enable();
            match self.drain(lane, turn).await {
                Ok(_) => drop(tokio::time::timeout(self.pace.every, woken).await),
                Err(why) => {
                    tracing::warn!(%why, lane = lane.kind(), "job lane interrupted");
                    tokio::time::sleep(self.pace.every).await;
                }
            }
        }
    }

    /// Claims and runs jobs of a lane until none is due. Gives back how many.
    async fn drain(self, lane: Lane, turn: &Turn) -> Result<usize, Error> {
        let mut taken = 0;
        while let Some(job) = self.claim(lane, turn).await? {
            taken += 1;
            self.perform(lane, &job).await?;
        }
        Ok(taken)
    }

    async fn claim(self, lane: Lane, turn: &Turn) -> Result<Option<Job>, Error> {
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
        let open = self.store.list_open_jobs(IMPORT).await?;
        if open.is_empty() {
            return Ok(Vec::new());
        }
        let uploads = self.store.uploads().await?;
        let alone = matches!(self.store.location(), Location::Sqlite { .. });
        let now = (self.clock)();
        let here = |job: &Job| alone || uploads.find(&job.payload).is_some() || job.run_at + FILES_GONE < now;
        Ok(open.iter().filter(|job| here(job)).map(|job| job.id).collect())
    }

    fn lease(self) -> TimeDelta {
        TimeDelta::from_std(self.pace.lease).unwrap_or(TimeDelta::MAX)
    }

    async fn perform(self, lane: Lane, job: &Job) -> Result<(), Error> {
        let Self { store, name, clock, .. } = self;
        let begun = clock();
        let deadline = self.lanes.limits(lane).deadline;
        let ending = tokio::select! {
            ending = tokio::time::timeout(deadline, self.work(lane, job)) => {
                ending.unwrap_or_else(|_| Ending::Failed(format!("it took longer than {deadline:?}")))
            }
            // Somebody else has it, or will: two must not do it.
            () = self.hold(job) => {
                tracing::warn!(job = %job.id, kind = job.kind, "a job was let go");
                return Ok(());
            }
        };
        let took = (clock() - begun).num_milliseconds();
        match &ending {
            Ending::Failed(problem) if lane == Lane::Backup => {
                tracing::error!(job = %job.id, attempts = job.attempts, problem, "backup failed");
            }
            Ending::Failed(_) => {
                tracing::warn!(job = %job.id, kind = job.kind, attempts = job.attempts, took, "job failed");
            }
            ending => {
                let outcome = ending.label();
                tracing::info!(job = %job.id, kind = job.kind, took, outcome, "a job was done");
            }
        }
        let settled = match ending {
            Ending::Done => store.finish_job(job.user, job.id, name, clock()).await,
            Ending::Brief(outcome) => {
                store.finish_job_with(job.user, job.id, name, outcome.label().into(), clock()).await
            }
            Ending::Imported(summary) => {
                let outcome = serde_json::to_value(&summary).expect("a summary is plain data");
                store.finish_job_with(job.user, job.id, name, outcome, clock()).await
            }
            Ending::Expired(why) => store.expire_job(job.user, job.id, name, why, clock()).await,
            Ending::Failed(problem) => store.fail_job(job.user, job.id, name, &problem, clock()).await,
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
        match note_due(store, job.user, clock()).await {
            Ok(true) => self.running.wake_worker(),
            Ok(false) | Err(Error::NotFound(_)) => {}
            Err(why) => return Err(why),
        }
        Ok(())
    }

    /// Says again and again that a job is worked on. Ends when somebody else holds it, and when it could not be said for so
    /// long that somebody else may.
    async fn hold(self, job: &Job) {
        let lease = self.lease();
        let mut held = tokio::time::Instant::now();
        loop {
            tokio::time::sleep(self.pace.renew).await;
            let asked = tokio::time::Instant::now();
            let renewed = self.store.renew_job(job.id, self.name, lease, (self.clock)());
            match tokio::time::timeout(self.pace.renew, renewed).await {
                Ok(Ok(true)) => held = asked,
                Ok(Ok(false)) => return,
                // A database that does not answer gives it to nobody, until it does.
                Ok(Err(_)) | Err(_) if held.elapsed() < self.pace.lease => {}
                Ok(Err(_)) | Err(_) => return,
            }
        }
    }

    async fn work(self, lane: Lane, job: &Job) -> Ending {
        let Self { chores, .. } = self;
        let day = job.payload.get("day").and_then(|day| day.as_str()?.parse().ok());
        match (lane, day) {
            (Lane::Sync, _) => chores.sync(job.user).await.into(),
            (Lane::Recompute, _) => chores.recompute(job.user).await.into(),
            (Lane::Backup, Some(day)) => chores.backup(day).await.into(),
            (Lane::Brief, Some(day)) => self.write_brief(job.user, day).await,
            (Lane::Import, _) => self.import(job).await,
            (Lane::Backup | Lane::Brief, None) => Ending::Failed("the job names no day".to_owned()),
        }
    }

    async fn write_brief(self, user: UserId, day: Day) -> Ending {
        let profile = match self.store.profile(user).await {
            Ok(profile) => profile,
            Err(why) => return Ending::Failed(why.to_string()),
        };
        let (today, hour) = local((self.clock)(), &profile);
        // It may have waited while no server ran. What was meant for a morning is not written in the evening.
        if day != today || hour >= EVENING {
            return Ending::Expired(TOO_LATE);
        }
        match self.chores.brief(user, day).await {
            Ok(outcome) => Ending::Brief(outcome),
            Err(problem) => Ending::Failed(problem),
        }
    }

    async fn import(self, job: &Job) -> Ending {
        let folder = match self.store.uploads().await {
            Ok(uploads) => uploads.find(&job.payload),
            Err(why) => return Ending::Failed(why.to_string()),
        };
        let Some(folder) = folder else { return Ending::Expired(NO_FILES) };
        let progress = self.running.uploads.track(job.id);
        match run_import(self.store, self.clock, job, &folder, progress).await {
            Ok(summary) => Ending::Imported(summary),
            Err(problem) => Ending::Failed(problem),
        }
    }

    /// What is done now and then and is not a job. Each task has its own interval.
    async fn run_periodic_tasks(self) {
        let leftovers = async {
            loop {
                self.remove_leftover_uploads().await;
                tokio::time::sleep(LEFTOVERS_EVERY).await;
            }
        };
        let removals = async {
            loop {
                if let Err(why) = self.store.finish_removals().await {
                    tracing::warn!(%why, "vacuum after a removal still pending");
                }
                tokio::time::sleep(REMOVALS_EVERY).await;
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
    AlreadyThere,
}

impl BriefOutcome {
    /// As it is in the job's record.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::AlreadyThere => "already there",
        }
    }
}

/// How a job ended.
enum Ending {
    Done,
    Brief(BriefOutcome),
    Imported(ImportSummary),
    /// Its time had passed; nothing was done, and this is why.
    Expired(&'static str),
    Failed(String),
}

impl Ending {
    const fn label(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Brief(outcome) => outcome.label(),
            Self::Imported(_) => "imported",
            Self::Expired(_) => EXPIRED,
            Self::Failed(_) => "failed",
        }
    }
}

impl From<Result<(), String>> for Ending {
    fn from(result: Result<(), String>) -> Self {
        result.map_or_else(Self::Failed, |()| Self::Done)
    }
}

/// Whose job of a lane was claimed last. Held while one is claimed, so that the slots of a lane do not claim at once.
type Turn = Mutex<Option<UserId>>;

#[derive(Debug, Default)]
struct Turns([Turn; Lane::ALL.len()]);

impl Turns {
    const fn of(&self, lane: Lane) -> &Turn {
        &self.0[lane as usize]
    }
}

/// Why an upload cannot be imported any more.
const NO_FILES: &str = "the uploaded files are no longer on this server; upload them again";
/// Why a brief is not written any more.
const TOO_LATE: &str = "expired: the morning it was for had passed before a server could write it";

/// Puts the night's backup into the queue of whoever runs the server.
async fn note_backup(store: &Store, owner: UserId, now: Instant) -> Result<(), Error> {
    let (today, hour) = local(now, &store.profile(owner).await?);
    if hour >= NIGHT && !of(today, store.newest_job(owner, Lane::Backup.kind()).await?.as_ref()) {
        note(store, owner, Lane::Backup.kind(), today, now).await?;
    }
    Ok(())
}

/// Puts into the queue what is due for an athlete and not there yet. Says whether there was anything.
async fn note_due(store: &Store, user: UserId, now: Instant) -> Result<bool, Error> {
    let mut noted = false;
    if store.stale(user).await?.from.is_some() {
        let needless = |newest: &Job| match newest.state {
            JobState::Queued | JobState::Running => true,
            JobState::Done => false,
            // Trying again and again what does not work helps nobody.
            // A time that has not come was noted while the clock was ahead.
            JobState::Failed => newest.finished_at.is_some_and(|at| at <= now && now < at + RECOMPUTE_AGAIN),
        };
        if !store.newest_job(user, Lane::Recompute.kind()).await?.as_ref().is_some_and(needless) {
            let put = store.enqueue_unless(user, Lane::Recompute.kind(), json!({}), now, needless).await?;
            noted |= put.is_some();
        }
    }
    let (today, hour) = local(now, &store.profile(user).await?);
    if hour < MORNING {
        return Ok(noted);
    }
    let has_services = !store.list_sources(user).await?.is_empty();
    let sync = store.newest_job(user, Lane::Sync.kind()).await?.filter(|job| of(today, Some(job)));
    if has_services && sync.is_none() {
        return Ok(note(store, user, Lane::Sync.kind(), today, now).await? || noted);
    }
    let arrived = sync.as_ref().is_some_and(|job| job.state == JobState::Done);
    let given_up = sync.is_some_and(|job| job.state == JobState::Failed);
    let ready = match hour {
        ..LATE => !has_services || arrived || given_up,
        LATE..NOON => true,
        NOON..EVENING => arrived,
        _ => false,
    };
    if ready
        && !of(today, store.newest_job(user, Lane::Brief.kind()).await?.as_ref())
        && store.find_brief(user, today).await?.is_none()
    {
        noted |= note(store, user, Lane::Brief.kind(), today, now).await?;
    }
    Ok(noted)
}

/// Puts what is done once a day into the queue; another server may have done so in the meantime.
async fn note(store: &Store, user: UserId, kind: &str, day: Day, now: Instant) -> Result<bool, Error> {
    let needless = |newest: &Job| of(day, Some(newest));
    store.enqueue_unless(user, kind, json!({ "day": day }), now, needless).await.map(|put| put.is_some())
}

/// Whether a job is the one of a day.
fn of(day: Day, job: Option<&Job>) -> bool {
    job.is_some_and(|job| job.payload.get("day") == Some(&json!(day)))
}

/// The day and the hour on an athlete's clock.
fn local(now: Instant, athlete: &Profile) -> (Day, u32) {
    (Day::at(now, athlete.zone), now.with_timezone(&athlete.zone).hour())
}
