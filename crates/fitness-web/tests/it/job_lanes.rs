//! Lanes of background jobs: what one athlete's hanging job may cost the others, deadlines, and what a job's record says.

use fitness_core::domain::athlete::Profile;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::UserId;
use fitness_store::testkit::TestDb;
use fitness_store::{JobState, NewBrief, Store, on_both_databases};
use fitness_web::worker::{AllLaneLimits, BriefOutcome, JobHandlers, LaneLimits, Worker, WorkerTiming};
use fitness_web::{BoxFuture, ServerState};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;

const ATHLETES: usize = 50;
/// Generous: on a quiet machine this takes about a second.
const MAX_WAIT: Duration = Duration::from_secs(60);

fn eight_o_clock() -> Instant {
    "2026-06-14T08:00:00Z".parse().unwrap()
}

/// Work of which some athletes' never ends.
struct HangingTasks {
    store: Store,
    hanging_users: BTreeSet<UserId>,
}

impl HangingTasks {
    fn worker<'a>(&'a self, lanes: AllLaneLimits, running: &'a ServerState) -> Worker<'a> {
        let pace = WorkerTiming::from_lease(Duration::from_secs(60));
        Worker {
            store: &self.store,
            tasks: self,
            name: "a worker",
            clock: eight_o_clock,
            timing: pace,
            lanes,
            state: running,
        }
    }
}

impl JobHandlers for HangingTasks {
    fn sync(&self, user: UserId) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move {
            if self.hanging_users.contains(&user) {
                std::future::pending::<()>().await;
            }
            Ok(())
        })
    }

    fn write_brief(&self, user: UserId, day: Day) -> BoxFuture<'_, Result<BriefOutcome, String>> {
        Box::pin(async move {
            if self.store.find_brief(user, day).await.map_err(|why| why.to_string())?.is_some() {
                return Ok(BriefOutcome::AlreadyExists);
            }
            let put = self.store.put_brief(user, brief(day), eight_o_clock()).await;
            put.map(|_| BriefOutcome::Written).map_err(|why| why.to_string())
        })
    }

    fn has_backups(&self) -> bool {
        false
    }

    fn backup(&self, _: Day) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async { Ok(()) })
    }

    fn rewrite_brief(&self, user: UserId, day: Day) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move { self.write_brief(user, day).await.map(|_| ()) })
    }
}

fn brief(day: Day) -> NewBrief {
    NewBrief {
        day,
        model: "built-in".to_owned(),
        prompt_version: String::new(),
        schema_version: "1".to_owned(),
        body: json!({}),
        cost_micros: None,
        fallback_reason: None,
        facts: Vec::new(),
    }
}

async fn create_athletes(db: &TestDb, count: usize) -> Vec<UserId> {
    let profile = Profile { zone: chrono_tz::UTC, ..Profile::default() };
    let mut athletes = Vec::new();
    for number in 0..count {
        let user =
            db.store.add_user(&format!("athlete {number}"), &profile, eight_o_clock()).await.unwrap().id;
        db.store.add_source(user, "intervals", "intervals.icu", json!({}), eight_o_clock()).await.unwrap();
        athletes.push(user);
    }
    athletes
}

/// Runs a worker until a condition holds.
async fn run_until(worker: Worker<'_>, mut holds: impl AsyncFnMut() -> bool) {
    let wait = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::select! {
        () = worker.run() => unreachable!("a worker runs for ever"),
        held = tokio::time::timeout(MAX_WAIT, wait) => held.expect("it does not take that long"),
    }
}

on_both_databases! {
    async fn service_that_hangs_delays_no_other_athletes_brief(db) {
        let athletes = create_athletes(&db, ATHLETES).await;
        let today: Day = "2026-06-14".parse().unwrap();
        let chores = HangingTasks { store: db.store.clone(), hanging_users: BTreeSet::from([athletes[0]]) };
        let running = ServerState::default();
        let worker = chores.worker(AllLaneLimits::default(), &running);
        let written = async || {
            for user in &athletes[1..] {
                if db.store.find_brief(*user, today).await.unwrap().is_none() {
                    return false;
                }
            }
            true
        };
        run_until(worker, written).await;
        let hanging = db.store.newest_job(athletes[0], "sync").await.unwrap().unwrap();
        assert_eq!(hanging.state, JobState::Running);
        assert_eq!(db.store.find_brief(athletes[0], today).await.unwrap(), None);
    }

    async fn athlete_with_many_hanging_jobs_takes_one_place_in_the_lane(db) {
        let athletes = create_athletes(&db, 6).await;
        for day in 1..=10 {
            let payload = json!({ "day": format!("2026-05-{day:02}") });
            db.store.enqueue(athletes[0], "sync", payload, eight_o_clock(), eight_o_clock()).await.unwrap();
        }
        let chores = HangingTasks { store: db.store.clone(), hanging_users: BTreeSet::from([athletes[0]]) };
        let sync = LaneLimits { concurrency: 2, deadline: Duration::from_secs(600) };
        let running = ServerState::default();
        let worker = chores.worker(AllLaneLimits { sync, ..AllLaneLimits::default() }, &running);
        let synced = async || {
            for user in &athletes[1..] {
                let newest = db.store.newest_job(*user, "sync").await.unwrap();
                if newest.is_none_or(|job| job.state != JobState::Done) {
                    return false;
                }
            }
            true
        };
        run_until(worker, synced).await;
        let jobs = db.store.list_jobs(athletes[0], 20).await.unwrap();
        assert_eq!(jobs.iter().filter(|job| job.state == JobState::Running).count(), 1);
    }

    async fn job_that_misses_its_deadline_has_failed_and_is_tried_again(db) {
        let athletes = create_athletes(&db, 1).await;
        let chores = HangingTasks { store: db.store.clone(), hanging_users: athletes.iter().copied().collect() };
        let sync = LaneLimits { concurrency: 1, deadline: Duration::from_millis(50) };
        let running = ServerState::default();
        let worker = chores.worker(AllLaneLimits { sync, ..AllLaneLimits::default() }, &running);
        let taken = tokio::time::timeout(MAX_WAIT, worker.tick()).await.expect("the job does not run for ever");
        assert_eq!(taken.unwrap(), 1);
        let job = db.store.newest_job(athletes[0], "sync").await.unwrap().unwrap();
        assert_eq!((job.state, job.attempts), (JobState::Queued, 1));
        assert_eq!(job.problem.as_deref(), Some("timed out after 50ms"));
        assert!(job.run_at > eight_o_clock());
    }

    async fn brief_job_says_whether_it_wrote_the_brief(db) {
        let athletes = create_athletes(&db, 2).await;
        let today: Day = "2026-06-14".parse().unwrap();
        // Ann writes hers by hand, while the job for it is in the queue.
        for user in &athletes {
            db.store.enqueue(*user, "brief", json!({ "day": today }), eight_o_clock(), eight_o_clock()).await.unwrap();
        }
        db.store.put_brief(athletes[0], brief(today), eight_o_clock()).await.unwrap();
        let chores = HangingTasks { store: db.store.clone(), hanging_users: BTreeSet::new() };
        chores.worker(AllLaneLimits::default(), &ServerState::default()).tick().await.unwrap();
        for (user, outcome) in athletes.iter().zip(["already there", "written"]) {
            let job = db.store.newest_job(*user, "brief").await.unwrap().unwrap();
            assert_eq!((job.state, job.outcome()), (JobState::Done, Some(outcome)));
        }
        let late = json!({ "day": "2026-06-13" });
        db.store.enqueue(athletes[1], "brief", late, eight_o_clock(), eight_o_clock()).await.unwrap();
        chores.worker(AllLaneLimits::default(), &ServerState::default()).tick().await.unwrap();
        let job = db.store.newest_job(athletes[1], "brief").await.unwrap().unwrap();
        assert_eq!((job.state, job.outcome()), (JobState::Failed, Some("expired")));
    }
}
