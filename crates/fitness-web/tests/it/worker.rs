//! What happens by itself: what is done, in which order, and how often.

use fitness_core::domain::athlete::Profile;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::UserId;
use fitness_store::testkit::{self, Backend, TcpProxy, TestDb, june};
use fitness_store::{JobClaimFilter, JobState, NewBrief, Store};
use fitness_web::BoxFuture;
use fitness_web::ServerState;
use fitness_web::worker::{AllLaneLimits, BriefOutcome, JobHandlers, Worker, WorkerTiming};
use serde_json::json;
use std::cell::Cell;
use std::sync::Mutex;

thread_local! {
    /// Each test has a thread, and a clock, of its own.
    static NOW: Cell<Option<Instant>> = const { Cell::new(None) };
}

fn clock() -> Instant {
    NOW.get().expect("the test has set its clock")
}

/// Chores that are noted instead of done.
struct RecordingTasks<'a> {
    store: &'a Store,
    calls: Mutex<Vec<String>>,
    sync_works: bool,
    brief_works: bool,
    has_backups: bool,
}

impl<'a> RecordingTasks<'a> {
    fn new(store: &'a Store) -> Self {
        Self { store, calls: Mutex::default(), sync_works: true, brief_works: true, has_backups: false }
    }

    fn take_calls(&self) -> Vec<String> {
        std::mem::take(&mut *self.calls.lock().unwrap())
    }

    /// Looks at a time of 14 June; gives back how many jobs were taken on.
    async fn tick_at(&self, time: &str) -> usize {
        self.tick_on(14, time).await
    }

    /// The same on another day of June.
    async fn tick_on(&self, day: u32, time: &str) -> usize {
        NOW.set(Some(format!("2026-06-{day}T{time}:00Z").parse().unwrap()));
        let worker = Worker {
            store: self.store,
            tasks: self,
            name: "a worker",
            clock,
            timing: WorkerTiming::default(),
            lanes: AllLaneLimits::default(),
            state: &ServerState::default(),
        };
        worker.tick().await.unwrap()
    }
}

impl JobHandlers for RecordingTasks<'_> {
    fn sync(&self, user: UserId) -> BoxFuture<'_, Result<(), String>> {
        self.calls.lock().unwrap().push(format!("sync {user}"));
        let answer = if self.sync_works { Ok(()) } else { Err("the service is away".to_owned()) };
        Box::pin(async move { answer })
    }

    fn write_brief(&self, user: UserId, day: Day) -> BoxFuture<'_, Result<BriefOutcome, String>> {
        self.calls.lock().unwrap().push(format!("brief {user} {day}"));
        Box::pin(async move {
            if !self.brief_works {
                return Err("the disk is full".to_owned());
            }
            let put = self.store.put_brief(user, brief(day), clock()).await;
            put.map(|_| BriefOutcome::Written).map_err(|why| why.to_string())
        })
    }

    fn has_backups(&self) -> bool {
        self.has_backups
    }

    fn backup(&self, day: Day) -> BoxFuture<'_, Result<(), String>> {
        self.calls.lock().unwrap().push(format!("backup {day}"));
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

async fn create_user(store: &Store, name: &str, zone: &str) -> UserId {
    let now = "2026-06-13T12:00:00Z".parse().unwrap();
    let user =
        store.add_user(name, &Profile { zone: zone.parse().unwrap(), ..Profile::default() }, now).await;
    user.unwrap().id
}

async fn connect_source(store: &Store, user: UserId) {
    let now = "2026-06-13T12:00:00Z".parse().unwrap();
    store.add_source(user, "intervals", "intervals.icu", json!({}), now).await.unwrap();
}

#[tokio::test]
async fn nothing_happens_before_five_on_the_athletes_clock() {
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let ann = create_user(&db.store, "Ann", "Europe/Zurich").await;
    let noted = RecordingTasks::new(&db.store);
    assert_eq!(noted.tick_at("02:59").await, 0, "a minute to five in Zurich");
    assert_eq!(noted.tick_at("03:00").await, 1);
    assert_eq!(noted.take_calls(), [format!("brief {ann} 2026-06-14")]);
    let ben = create_user(&db.store, "Ben", "America/New_York").await;
    assert_eq!(noted.tick_at("08:59").await, 0, "a minute to five in New York");
    assert_eq!(noted.tick_at("09:00").await, 1);
    assert_eq!(noted.take_calls(), [format!("brief {ben} 2026-06-14")]);
}

#[tokio::test]
async fn sync_runs_before_brief_and_each_runs_once() {
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let ann = create_user(&db.store, "Ann", "UTC").await;
    connect_source(&db.store, ann).await;
    let noted = RecordingTasks::new(&db.store);
    assert_eq!(noted.tick_at("05:00").await, 2);
    assert_eq!(noted.take_calls(), [format!("sync {ann}"), format!("brief {ann} 2026-06-14")]);
    for time in ["05:00", "05:01", "09:59", "10:00", "23:59"] {
        assert_eq!(noted.tick_at(time).await, 0, "{time}");
    }
    assert_eq!(noted.take_calls(), Vec::<String>::new());
    let again = db.another_store().await;
    assert_eq!(RecordingTasks::new(&again).tick_at("12:00").await, 0, "another server does nothing twice");
}

#[tokio::test]
async fn a_brief_that_is_there_is_not_written_again() {
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let ann = create_user(&db.store, "Ann", "UTC").await;
    let noted = RecordingTasks::new(&db.store);
    NOW.set(Some("2026-06-14T04:00:00Z".parse().unwrap()));
    db.store.put_brief(ann, brief(june(14)), clock()).await.unwrap();
    assert_eq!(noted.tick_at("05:00").await, 0);
}

#[tokio::test]
async fn a_sync_that_fails_is_tried_again_and_the_brief_comes_when_it_is_given_up() {
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let ann = create_user(&db.store, "Ann", "UTC").await;
    connect_source(&db.store, ann).await;
    let mut noted = RecordingTasks { sync_works: false, ..RecordingTasks::new(&db.store) };
    assert_eq!(noted.tick_at("05:00").await, 1);
    assert_eq!(noted.tick_at("05:01").await, 0, "not at once");
    assert_eq!(noted.tick_at("05:02").await, 1);
    assert_eq!(noted.take_calls(), vec![format!("sync {ann}"); 2], "the brief waits for it");
    // It comes back: then the brief is written from what it brought.
    noted.sync_works = true;
    assert_eq!(noted.tick_at("05:10").await, 2);
    assert_eq!(noted.take_calls(), [format!("sync {ann}"), format!("brief {ann} 2026-06-14")]);

    let ben = create_user(&db.store, "Ben", "UTC").await;
    connect_source(&db.store, ben).await;
    noted.sync_works = false;
    for time in ["06:00", "06:10", "06:20", "06:40"] {
        assert_eq!(noted.tick_at(time).await, 1, "{time}");
    }
    assert_eq!(noted.take_calls(), vec![format!("sync {ben}"); 4]);
    assert_eq!(noted.tick_at("07:30").await, 2, "given up");
    assert_eq!(noted.take_calls(), [format!("sync {ben}"), format!("brief {ben} 2026-06-14")]);
    let jobs = db.store.list_jobs(ben, 10).await.unwrap();
    let sync = jobs.iter().find(|job| job.kind == "sync").unwrap();
    assert_eq!((sync.state, sync.problem.as_deref()), (JobState::Failed, Some("the service is away")));
}

#[tokio::test]
async fn late_in_the_morning_the_brief_waits_no_longer() {
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let ann = create_user(&db.store, "Ann", "UTC").await;
    connect_source(&db.store, ann).await;
    let noted = RecordingTasks { sync_works: false, ..RecordingTasks::new(&db.store) };
    noted.tick_at("09:50").await;
    noted.tick_at("09:52").await;
    assert_eq!(noted.take_calls(), vec![format!("sync {ann}"); 2]);
    assert_eq!(noted.tick_at("09:55").await, 0);
    assert_eq!(noted.tick_at("10:00").await, 2, "the sync again, and the brief whatever came of it");
    let mut done = noted.take_calls();
    done.sort();
    assert_eq!(done, [format!("brief {ann} 2026-06-14"), format!("sync {ann}")]);
}

#[tokio::test]
async fn server_started_in_the_evening_writes_no_brief() {
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let (ann, ben) = (create_user(&db.store, "Ann", "UTC").await, create_user(&db.store, "Ben", "UTC").await);
    connect_source(&db.store, ben).await;
    let noted = RecordingTasks::new(&db.store);
    assert_eq!(noted.tick_at("23:00").await, 1);
    assert_eq!(
        noted.take_calls(),
        [format!("sync {ben}")],
        "what is new is fetched, and nobody is told good morning"
    );
    noted.tick_on(15, "12:00").await;
    assert_eq!(
        noted.take_calls(),
        [format!("sync {ben}"), format!("brief {ben} 2026-06-15")],
        "in the afternoon there is a brief when the day's data has come, and only then"
    );
    noted.tick_on(16, "18:00").await;
    assert_eq!(noted.take_calls(), [format!("sync {ben}")]);
    noted.tick_on(17, "11:59").await;
    let mut done = noted.take_calls();
    done.sort();
    let of = |user| format!("brief {user} 2026-06-17");
    assert_eq!(done, [of(ann), of(ben), format!("sync {ben}")]);
}

#[tokio::test]
async fn brief_job_expires_after_the_morning() {
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let ann = create_user(&db.store, "Ann", "UTC").await;
    let mut noted = RecordingTasks { brief_works: false, ..RecordingTasks::new(&db.store) };
    noted.tick_at("11:00").await;
    assert_eq!(noted.take_calls(), [format!("brief {ann} 2026-06-14")]);
    noted.brief_works = true;
    assert_eq!(noted.tick_at("19:00").await, 1, "the job is claimed and ends");
    assert_eq!(noted.take_calls(), Vec::<String>::new());
    let job = db.store.newest_job(ann, "brief").await.unwrap().unwrap();
    assert_eq!(
        (job.state, job.outcome()),
        (JobState::Failed, Some("expired")),
        "not done: nothing was written"
    );
    assert_eq!(noted.tick_at("20:00").await, 0, "and not tried again");
    noted.brief_works = false;
    noted.tick_on(15, "11:00").await;
    noted.brief_works = true;
    noted.take_calls();
    noted.tick_on(16, "08:00").await;
    assert_eq!(noted.take_calls(), [format!("brief {ann} 2026-06-16")], "today's, not yesterday's");
}

#[tokio::test]
async fn a_brief_that_fails_is_tried_again_and_holds_nobody_up() {
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let ann = create_user(&db.store, "Ann", "UTC").await;
    let mut noted = RecordingTasks { brief_works: false, ..RecordingTasks::new(&db.store) };
    assert_eq!(noted.tick_at("05:00").await, 1);
    noted.brief_works = true;
    let ben = create_user(&db.store, "Ben", "UTC").await;
    assert_eq!(noted.tick_at("05:01").await, 1);
    assert_eq!(noted.tick_at("05:02").await, 1);
    let expected = [ann, ben, ann].map(|user| format!("brief {user} 2026-06-14"));
    assert_eq!(noted.take_calls(), expected);
}

#[tokio::test]
async fn a_backup_is_made_each_night_on_the_owners_clock_where_they_are_wanted() {
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    create_user(&db.store, "Ann", "Europe/Zurich").await;
    create_user(&db.store, "Ben", "America/New_York").await;
    let mut noted = RecordingTasks::new(&db.store);
    noted.tick_at("01:30").await;
    assert_eq!(noted.take_calls(), Vec::<String>::new(), "not wanted");
    noted.has_backups = true;
    noted.tick_at("00:59").await;
    assert_eq!(noted.take_calls(), Vec::<String>::new(), "a minute to three in Zurich");
    noted.tick_at("01:00").await;
    assert_eq!(noted.take_calls(), ["backup 2026-06-14"]);
    noted.tick_at("02:30").await;
    assert_eq!(noted.take_calls(), Vec::<String>::new(), "once");
    noted.tick_on(15, "01:00").await;
    assert_eq!(noted.take_calls(), ["backup 2026-06-15"]);
}

/// Writes a brief the moment it is let.
struct BlockingTasks {
    store: Store,
    begun: tokio::sync::Semaphore,
    go: tokio::sync::Semaphore,
}

impl JobHandlers for BlockingTasks {
    fn sync(&self, _: UserId) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async { Ok(()) })
    }

    fn write_brief(&self, user: UserId, day: Day) -> BoxFuture<'_, Result<BriefOutcome, String>> {
        Box::pin(async move {
            self.begun.add_permits(1);
            self.go.acquire().await.unwrap().forget();
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

/// Eight in the morning, and as much later as has passed since: a lease must be able to end.
fn eight_o_clock() -> Instant {
    static BEGUN: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    let eight: Instant = "2026-06-14T08:00:00Z".parse().unwrap();
    eight + chrono::TimeDelta::from_std(BEGUN.elapsed()).unwrap()
}

const LOST_DATABASE_TEST: &str =
    "postgres_that_goes_away_in_the_middle_of_a_job_costs_a_second_try_and_nothing_else";

#[tokio::test(flavor = "multi_thread")]
async fn postgres_that_goes_away_in_the_middle_of_a_job_costs_a_second_try_and_nothing_else() {
    let Some(db) = TestDb::new(Backend::Postgres).await else {
        return testkit::skip(LOST_DATABASE_TEST, "no PostgreSQL is installed");
    };
    let ann = create_user(&db.store, "Ann", "UTC").await;
    let between = TcpProxy::new(db.url()).await;
    let store = testkit::open(between.url()).await;
    let closed = || tokio::sync::Semaphore::new(0);
    let chores = BlockingTasks { store: store.clone(), begun: closed(), go: closed() };
    let timing = WorkerTiming::from_lease(std::time::Duration::from_secs(1));
    let (lanes, running) = (AllLaneLimits::default(), ServerState::default());
    let worker = Worker {
        store: &store,
        tasks: &chores,
        name: "a worker",
        clock: eight_o_clock,
        timing,
        lanes,
        state: &running,
    };
    let away = async {
        chores.begun.acquire().await.unwrap().forget();
        between.disconnect();
        // Long enough that the job is nobody's any more. Whoever had it must not go on with it then.
        tokio::time::sleep(timing.lease * 3).await;
        let jobs = db.store.list_jobs(ann, 10).await.unwrap();
        assert_eq!((jobs.len(), jobs[0].state, jobs[0].attempts), (1, JobState::Running, 1));
        between.reconnect();
        chores.begun.acquire().await.unwrap().forget();
        chores.go.add_permits(1);
        while db.store.newest_job(ann, "brief").await.unwrap().unwrap().state != JobState::Done {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::select! {
        () = worker.run() => {}
        done = tokio::time::timeout(std::time::Duration::from_secs(60), away) => done.expect("it is done"),
    }
    let jobs = db.store.list_jobs(ann, 10).await.unwrap();
    assert_eq!((jobs.len(), jobs[0].state, jobs[0].attempts), (1, JobState::Done, 2));
    let written = db.store.list_audit(ann, 100).await.unwrap();
    assert_eq!(written.iter().filter(|line| line.action == "brief.put").count(), 1, "once");
}

#[tokio::test]
async fn backup_that_failed_is_shown_on_today_to_the_owner_alone() {
    let site = crate::harness::TestSite::new().await;
    let (owner, other) = (site.db.user("Ann").await, site.db.user("Ben").await);
    let (ann, ben) = (site.signed_in(owner).await, site.signed_in(other).await);
    const SAID: &str = "The nightly backup failed";
    let store = &site.db.store;
    let now = fitness_store::testkit::now;
    let lease = chrono::TimeDelta::minutes(1);
    let begin = async || {
        let id = store.enqueue(owner, "backup", json!({ "day": "2026-06-14" }), now(), now()).await.unwrap();
        store.claim_job(JobClaimFilter::of_kind("backup"), "a worker", lease, now()).await.unwrap().unwrap();
        id
    };
    assert!(!ann.get("/").await.contains(SAID));
    let failed = begin().await;
    store.fail_job(owner, failed, "a worker", "the disk is <full>", now()).await.unwrap();
    let page = ann.get("/").await;
    assert!(
        page.contains(SAID)
            && page.contains("the disk is &lt;full&gt;")
            && page.contains("will retry automatically")
    );
    let page = ben.get("/").await;
    assert!(!page.contains(SAID) && !page.contains("the disk is"), "{}", page.text);
    // The next night is well.
    let done = begin().await;
    store.finish_job(owner, done, "a worker", now()).await.unwrap();
    assert!(!ann.get("/").await.contains(SAID));
}
