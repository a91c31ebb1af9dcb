//! What happens by itself: a backup each night, the morning sync, what follows from new data, and the brief after it.
//!
//! All are jobs in the database, so that a server that is killed goes on where it was, and of several servers one does
//! each. [`Worker::tick`] decides what is due from what is stored and does it; nothing is remembered in between.

use crate::app::Looked;
use chrono::{TimeDelta, Timelike as _};
use fitness_core::athlete::Profile;
use fitness_core::calendar::{Day, Instant};
use fitness_core::ids::UserId;
use fitness_store::{Error, Job, JobState, Store};
use serde_json::json;
use std::time::Duration;

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
}

/// What is done outside: where the way out to the net and the models are.
pub trait Chores: Send + Sync {
    /// Asks every service of an athlete for what is new. The sentence says what went wrong.
    fn sync(&self, user: UserId) -> Looked<'_, Result<(), String>>;

    /// Writes an athlete's brief for a day, unless there is one.
    fn brief(&self, user: UserId, day: Day) -> Looked<'_, Result<(), String>>;

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
    /// Looks again and again what is due, for as long as it is let.
    pub async fn run(self) {
        loop {
            // A database that does not answer now may answer in a minute.
            if let Err(why) = self.tick().await {
                tracing::warn!(%why, "what is due could not be looked up");
            }
            tokio::time::sleep(self.pace.every).await;
        }
    }

    /// Notes what is due, and does everything that is. Gives back how many jobs were taken on.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn tick(self) -> Result<usize, Error> {
        let Self { store, chores, name, clock, pace } = self;
        let mut taken = 0;
        if chores.keeps_backups()
            && let Some(owner) = store.owner().await?
        {
            note_backup(store, owner, clock()).await?;
        }
        for user in store.list_users().await? {
            note_due(store, user.id, clock()).await?;
        }
        let lease = TimeDelta::from_std(pace.lease).unwrap_or(TimeDelta::MAX);
        while let Some(job) = store.claim_job(name, lease, clock()).await? {
            taken += 1;
            let begun = clock();
            let outcome = tokio::select! {
                outcome = self.work(&job) => outcome,
                // Somebody else has it, or will: two must not do it.
                () = self.hold(&job, lease) => {
                    tracing::warn!(job = %job.id, kind = job.kind, "a job was let go");
                    continue;
                }
            };
            let took = (clock() - begun).num_milliseconds();
            tracing::info!(job = %job.id, kind = job.kind, took, worked = outcome.is_ok(), "a job was done");
            let settled = match outcome {
                Ok(()) => store.finish_job(job.user, job.id, name, clock()).await,
                Err(problem) => store.fail_job(job.user, job.id, name, &problem, clock()).await,
            };
            // Whoever has it now says what became of it; or there is nobody any more whose job it was.
            if !matches!(settled, Err(Error::NotFound(_))) {
                settled?;
            }
            // What a sync brought may make a brief due.
            match note_due(store, job.user, clock()).await {
                Err(Error::NotFound(_)) => {}
                noted => noted?,
            }
        }
        Ok(taken)
    }

    /// Says again and again that a job is worked on. Ends when somebody else holds it, and when it could not be said for so
    /// long that somebody else may.
    async fn hold(self, job: &Job, lease: TimeDelta) {
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

    async fn work(self, job: &Job) -> Result<(), String> {
        let Self { store, chores, clock, .. } = self;
        let day = job.payload.get("day").and_then(|day| day.as_str()?.parse().ok());
        match job.kind.as_str() {
            SYNC => chores.sync(job.user).await,
            RECOMPUTE => chores.recompute(job.user).await,
            BACKUP => chores.backup(day.ok_or("the job names no day")?).await,
            BRIEF => {
                let day = day.ok_or("the job names no day")?;
                let profile = store.profile(job.user).await.map_err(|why| why.to_string())?;
                let (today, hour) = local(clock(), &profile);
                // It may have waited while no server ran. What was meant for a morning is not written in the evening.
                if day != today || hour >= EVENING {
                    return Ok(());
                }
                chores.brief(job.user, day).await
            }
            other => Err(format!("nobody here knows how to do `{other}`")),
        }
    }
}

const SYNC: &str = "sync";
const RECOMPUTE: &str = "recompute";
const BRIEF: &str = "brief";
const BACKUP: &str = "backup";

/// Puts the night's backup into the queue of whoever runs the server.
async fn note_backup(store: &Store, owner: UserId, now: Instant) -> Result<(), Error> {
    let (today, hour) = local(now, &store.profile(owner).await?);
    if hour >= NIGHT && !of(today, store.newest_job(owner, BACKUP).await?.as_ref()) {
        note(store, owner, BACKUP, today, now).await?;
    }
    Ok(())
}

/// Puts into the queue what is due for an athlete and not there yet.
async fn note_due(store: &Store, user: UserId, now: Instant) -> Result<(), Error> {
    if store.stale(user).await?.from.is_some() {
        let needless = |newest: &Job| match newest.state {
            JobState::Queued | JobState::Running => true,
            JobState::Done => false,
            // Trying again and again what does not work helps nobody.
            JobState::Failed => newest.finished_at.is_some_and(|at| now < at + RECOMPUTE_AGAIN),
        };
        if !store.newest_job(user, RECOMPUTE).await?.as_ref().is_some_and(needless) {
            store.enqueue_unless(user, RECOMPUTE, json!({}), now, needless).await?;
        }
    }
    let (today, hour) = local(now, &store.profile(user).await?);
    if hour < MORNING {
        return Ok(());
    }
    let has_services = !store.list_sources(user).await?.is_empty();
    let sync = store.newest_job(user, SYNC).await?.filter(|job| of(today, Some(job)));
    if has_services && sync.is_none() {
        return note(store, user, SYNC, today, now).await;
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
        && !of(today, store.newest_job(user, BRIEF).await?.as_ref())
        && store.find_brief(user, today).await?.is_none()
    {
        note(store, user, BRIEF, today, now).await?;
    }
    Ok(())
}

/// Puts what is done once a day into the queue; another server may have done so in the meantime.
async fn note(store: &Store, user: UserId, kind: &str, day: Day, now: Instant) -> Result<(), Error> {
    let needless = |newest: &Job| of(day, Some(newest));
    store.enqueue_unless(user, kind, json!({ "day": day }), now, needless).await.map(drop)
}

/// Whether a job is the one of a day.
fn of(day: Day, job: Option<&Job>) -> bool {
    job.is_some_and(|job| job.payload.get("day") == Some(&json!(day)))
}

/// The day and the hour on an athlete's clock.
fn local(now: Instant, athlete: &Profile) -> (Day, u32) {
    (Day::at(now, athlete.zone), now.with_timezone(&athlete.zone).hour())
}
