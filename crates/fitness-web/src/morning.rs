//! What happens by itself: a backup each night, the morning sync, what follows from new data, and the brief after it.
//!
//! All are jobs in the database, so that a server that is killed goes on where it was, and of several servers one does
//! each. [`tick`] decides what is due from what is stored and does it; nothing is remembered in between.

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
/// How long a job is held by whoever took it on and is not heard of again.
const LEASE: TimeDelta = TimeDelta::seconds(60);
/// How often whoever works on one says that it does.
const RENEW: Duration = Duration::from_secs(15);
/// How often is looked.
const EVERY: Duration = Duration::from_secs(60);

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

/// Looks once a minute what is due, for as long as it is let.
pub async fn run(store: Store, chores: &dyn Chores, worker: &str, clock: fn() -> Instant) {
    loop {
        // A database that does not answer now may answer in a minute.
        if let Err(why) = tick(&store, chores, worker, clock).await {
            tracing::warn!(%why, "what is due could not be looked up");
        }
        tokio::time::sleep(EVERY).await;
    }
}

/// Notes what is due, and does everything that is. Gives back how many jobs were taken on.
///
/// # Errors
/// When the database does not answer.
pub async fn tick(
    store: &Store,
    chores: &dyn Chores,
    worker: &str,
    clock: fn() -> Instant,
) -> Result<usize, Error> {
    let mut done = 0;
    let users = store.list_users().await?;
    if let Some(owner) = users.iter().map(|user| user.id).min()
        && chores.keeps_backups()
    {
        note_backup(store, owner, clock()).await?;
    }
    for user in users {
        note_due(store, user.id, clock()).await?;
    }
    while let Some(job) = store.claim_job(worker, LEASE, clock()).await? {
        done += 1;
        let begun = clock();
        let outcome = tokio::select! {
            outcome = work(store, &job, chores, clock) => outcome,
            // Somebody else has it now, and does it.
            () = hold(store, &job, worker, clock) => continue,
        };
        let took = (clock() - begun).num_milliseconds();
        tracing::info!(job = %job.id, kind = job.kind, took, worked = outcome.is_ok(), "a job was done");
        let settled = match outcome {
            Ok(()) => store.finish_job(job.user, job.id, worker, clock()).await,
            Err(problem) => store.fail_job(job.user, job.id, worker, &problem, clock()).await,
        };
        // Whoever has it now says what became of it.
        if !matches!(settled, Err(Error::NotFound(_))) {
            settled?;
        }
        // What a sync brought may make a brief due.
        note_due(store, job.user, clock()).await?;
    }
    Ok(done)
}

/// Says again and again that a job is worked on; ends when somebody else holds it.
async fn hold(store: &Store, job: &Job, worker: &str, clock: fn() -> Instant) {
    loop {
        tokio::time::sleep(RENEW).await;
        // A database that does not answer may have given it to nobody yet.
        if let Ok(false) = store.renew_job(job.id, worker, LEASE, clock()).await {
            return;
        }
    }
}

async fn work(store: &Store, job: &Job, chores: &dyn Chores, clock: fn() -> Instant) -> Result<(), String> {
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

const SYNC: &str = "sync";
const RECOMPUTE: &str = "recompute";
const BRIEF: &str = "brief";
const BACKUP: &str = "backup";

/// Puts the night's backup into the queue of whoever runs the server.
async fn note_backup(store: &Store, owner: UserId, now: Instant) -> Result<(), Error> {
    let (today, hour) = local(now, &store.profile(owner).await?);
    let made = |job: &Job| job.kind == BACKUP && job.payload.get("day") == Some(&json!(today));
    if hour >= NIGHT && !store.list_jobs(owner, 50).await?.iter().any(made) {
        store.enqueue(owner, BACKUP, json!({ "day": today }), now, now).await?;
    }
    Ok(())
}

/// Puts into the queue what is due for an athlete and not there yet.
async fn note_due(store: &Store, user: UserId, now: Instant) -> Result<(), Error> {
    let (today, hour) = local(now, &store.profile(user).await?);
    let jobs = store.list_jobs(user, 50).await?;
    let waits = |job: &Job| job.kind == RECOMPUTE && matches!(job.state, JobState::Queued | JobState::Running);
    if store.stale(user).await?.from.is_some() && !jobs.iter().any(waits) {
        store.enqueue(user, RECOMPUTE, json!({}), now, now).await?;
    }
    if hour < MORNING {
        return Ok(());
    }
    let of_today = |kind: &str| {
        jobs.iter().find(|job| job.kind == kind && job.payload.get("day") == Some(&json!(today)))
    };
    let has_services = !store.list_sources(user).await?.is_empty();
    let sync = of_today(SYNC);
    if has_services && sync.is_none() {
        store.enqueue(user, SYNC, json!({ "day": today }), now, now).await?;
        return Ok(());
    }
    let arrived = sync.is_some_and(|job| job.state == JobState::Done);
    let given_up = sync.is_some_and(|job| job.state == JobState::Failed);
    let ready = match hour {
        ..LATE => !has_services || arrived || given_up,
        LATE..NOON => true,
        NOON..EVENING => arrived,
        _ => false,
    };
    if ready && of_today(BRIEF).is_none() && store.find_brief(user, today).await?.is_none() {
        store.enqueue(user, BRIEF, json!({ "day": today }), now, now).await?;
    }
    Ok(())
}

/// The day and the hour on an athlete's clock.
fn local(now: Instant, athlete: &Profile) -> (Day, u32) {
    (Day::at(now, athlete.zone), now.with_timezone(&athlete.zone).hour())
}
