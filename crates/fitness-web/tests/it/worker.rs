//! What happens by itself: what is done, in which order, and how often.

use fitness_core::domain::athlete::Profile;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::UserId;
use fitness_store::testkit::{self, Backend, Between, TestDb, june};
use fitness_store::{JobFilter, JobState, NewBrief, Store};
use fitness_web::Looked;
use fitness_web::Running;
use fitness_web::worker::{BriefOutcome, Chores, Lanes, Pace, Worker};
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
struct Noted<'a> {
    store: &'a Store,
    done: Mutex<Vec<String>>,
    sync_works: bool,
    brief_works: bool,
    keeps_backups: bool,
}

impl<'a> Noted<'a> {
    fn new(store: &'a Store) -> Self {
        Self { store, done: Mutex::default(), sync_works: true, brief_works: true, keeps_backups: false }
    }

    fn done(&self) -> Vec<String> {
        std::mem::take(&mut *self.done.lock().unwrap())
    }

    /// Looks at a time of 14 June; gives back how many jobs were taken on.
    async fn at(&self, time: &str) -> usize {
        self.at_on(14, time).await
    }

    /// The same on another day of June.
    async fn at_on(&self, day: u32, time: &str) -> usize {
        NOW.set(Some(format!("2026-06-{day}T{time}:00Z").parse().unwrap()));
        let worker = Worker {
            store: self.store,
            chores: self,
            name: "a worker",
            clock,
            pace: Pace::default(),
            lanes: Lanes::default(),
            running: &Running::default(),
        };
        worker.tick().await.unwrap()
    }
}

impl Chores for Noted<'_> {
    fn sync(&self, user: UserId) -> Looked<'_, Result<(), String>> {
        self.done.lock().unwrap().push(format!("sync {user}"));
        let answer = if self.sync_works { Ok(()) } else { Err("the service is away".to_owned()) };
        Box::pin(async move { answer })
    }

    fn brief(&self, user: UserId, day: Day) -> Looked<'_, Result<BriefOutcome, String>> {
        self.done.lock().unwrap().push(format!("brief {user} {day}"));
        Box::pin(async move {
            if !self.brief_works {
                return Err("the disk is full".to_owned());
            }
            let put = self.store.put_brief(user, brief(day), clock()).await;
            put.map(|_| BriefOutcome::Written).map_err(|why| why.to_string())
        })
    }

    fn recompute(&self, user: UserId) -> Looked<'_, Result<(), String>> {
        self.done.lock().unwrap().push(format!("recompute {user}"));
        Box::pin(async { Ok(()) })
    }

    fn keeps_backups(&self) -> bool {
        self.keeps_backups
    }

    fn backup(&self, day: Day) -> Looked<'_, Result<(), String>> {
        self.done.lock().unwrap().push(format!("backup {day}"));
        Box::pin(async { Ok(()) })
    }

    fn rewrite(&self, user: UserId, day: Day) -> Looked<'_, Result<(), String>> {
        Box::pin(async move { self.brief(user, day).await.map(|_| ()) })
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
        fell_back: None,
        facts: Vec::new(),
    }
}

async fn user(store: &Store, name: &str, zone: &str) -> UserId {
    let now = "2026-06-13T12:00:00Z".parse().unwrap();
    let user =
        store.add_user(name, &Profile { zone: zone.parse().unwrap(), ..Profile::default() }, now).await;
    user.unwrap().id
}

async fn connect(store: &Store, user: UserId) {
    let now = "2026-06-13T12:00:00Z".parse().unwrap();
    store.add_source(user, "intervals", "intervals.icu", json!({}), now).await.unwrap();
}

#[tokio::test]
async fn nothing_happens_before_five_on_the_athletes_clock() {
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let ann = user(&db.store, "Ann", "Europe/Zurich").await;
    let noted = Noted::new(&db.store);
    assert_eq!(noted.at("02:59").await, 0, "a minute to five in Zurich");
    assert_eq!(noted.at("03:00").await, 1);
    assert_eq!(noted.done(), [format!("brief {ann} 2026-06-14")]);
    let ben = user(&db.store, "Ben", "America/New_York").await;
    assert_eq!(noted.at("08:59").await, 0, "a minute to five in New York");
    assert_eq!(noted.at("09:00").await, 1);
    assert_eq!(noted.done(), [format!("brief {ben} 2026-06-14")]);
}

#[tokio::test]
async fn the_sync_comes_first_and_each_is_done_once() {
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let ann = user(&db.store, "Ann", "UTC").await;
    connect(&db.store, ann).await;
    let noted = Noted::new(&db.store);
    assert_eq!(noted.at("05:00").await, 2);
    assert_eq!(noted.done(), [format!("sync {ann}"), format!("brief {ann} 2026-06-14")]);
    for time in ["05:00", "05:01", "09:59", "10:00", "23:59"] {
        assert_eq!(noted.at(time).await, 0, "{time}");
    }
    assert_eq!(noted.done(), Vec::<String>::new());
    let again = db.another_store().await;
    assert_eq!(Noted::new(&again).at("12:00").await, 0, "another server does nothing twice");
}

#[tokio::test]
async fn a_brief_that_is_there_is_not_written_again() {
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let ann = user(&db.store, "Ann", "UTC").await;
    let noted = Noted::new(&db.store);
    NOW.set(Some("2026-06-14T04:00:00Z".parse().unwrap()));
    db.store.put_brief(ann, brief(june(14)), clock()).await.unwrap();
    assert_eq!(noted.at("05:00").await, 0);
}

#[tokio::test]
async fn a_sync_that_fails_is_tried_again_and_the_brief_comes_when_it_is_given_up() {
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let ann = user(&db.store, "Ann", "UTC").await;
    connect(&db.store, ann).await;
    let mut noted = Noted { sync_works: false, ..Noted::new(&db.store) };
    assert_eq!(noted.at("05:00").await, 1);
    assert_eq!(noted.at("05:01").await, 0, "not at once");
    assert_eq!(noted.at("05:02").await, 1);
    assert_eq!(noted.done(), vec![format!("sync {ann}"); 2], "the brief waits for it");
    // It comes back: then the brief is written from what it brought.
    noted.sync_works = true;
    assert_eq!(noted.at("05:10").await, 2);
    assert_eq!(noted.done(), [format!("sync {ann}"), format!("brief {ann} 2026-06-14")]);

    let ben = user(&db.store, "Ben", "UTC").await;
    connect(&db.store, ben).await;
    noted.sync_works = false;
    for time in ["06:00", "06:10", "06:20", "06:40"] {
        assert_eq!(noted.at(time).await, 1, "{time}");
    }
    assert_eq!(noted.done(), vec![format!("sync {ben}"); 4]);
    assert_eq!(noted.at("07:30").await, 2, "given up");
    assert_eq!(noted.done(), [format!("sync {ben}"), format!("brief {ben} 2026-06-14")]);
    let jobs = db.store.list_jobs(ben, 10).await.unwrap();
    let sync = jobs.iter().find(|job| job.kind == "sync").unwrap();
    assert_eq!((sync.state, sync.problem.as_deref()), (JobState::Failed, Some("the service is away")));
}

#[tokio::test]
async fn late_in_the_morning_the_brief_waits_no_longer() {
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let ann = user(&db.store, "Ann", "UTC").await;
    connect(&db.store, ann).await;
    let noted = Noted { sync_works: false, ..Noted::new(&db.store) };
    noted.at("09:50").await;
    noted.at("09:52").await;
    assert_eq!(noted.done(), vec![format!("sync {ann}"); 2]);
    assert_eq!(noted.at("09:55").await, 0);
    assert_eq!(noted.at("10:00").await, 2, "the sync again, and the brief whatever came of it");
    let mut done = noted.done();
    done.sort();
    assert_eq!(done, [format!("brief {ann} 2026-06-14"), format!("sync {ann}")]);
}

#[tokio::test]
async fn a_server_that_starts_in_the_evening_writes_no_morning() {
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let (ann, ben) = (user(&db.store, "Ann", "UTC").await, user(&db.store, "Ben", "UTC").await);
    connect(&db.store, ben).await;
    let noted = Noted::new(&db.store);
    assert_eq!(noted.at("23:00").await, 1);
    assert_eq!(
        noted.done(),
        [format!("sync {ben}")],
        "what is new is fetched, and nobody is told good morning"
    );
    noted.at_on(15, "12:00").await;
    assert_eq!(
        noted.done(),
        [format!("sync {ben}"), format!("brief {ben} 2026-06-15")],
        "in the afternoon there is a brief when the day's data has come, and only then"
    );
    noted.at_on(16, "18:00").await;
    assert_eq!(noted.done(), [format!("sync {ben}")]);
    noted.at_on(17, "11:59").await;
    let mut done = noted.done();
    done.sort();
    let of = |user| format!("brief {user} 2026-06-17");
    assert_eq!(done, [of(ann), of(ben), format!("sync {ben}")]);
}

#[tokio::test]
async fn a_brief_that_waited_for_a_server_until_it_was_too_late_is_let_go() {
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let ann = user(&db.store, "Ann", "UTC").await;
    let mut noted = Noted { brief_works: false, ..Noted::new(&db.store) };
    noted.at("11:00").await;
    assert_eq!(noted.done(), [format!("brief {ann} 2026-06-14")]);
    noted.brief_works = true;
    assert_eq!(noted.at("19:00").await, 1, "the job is claimed and ends");
    assert_eq!(noted.done(), Vec::<String>::new());
    let job = db.store.newest_job(ann, "brief").await.unwrap().unwrap();
    assert_eq!(
        (job.state, job.outcome()),
        (JobState::Failed, Some("expired")),
        "not done: nothing was written"
    );
    assert_eq!(noted.at("20:00").await, 0, "and not tried again");
    noted.brief_works = false;
    noted.at_on(15, "11:00").await;
    noted.brief_works = true;
    noted.done();
    noted.at_on(16, "08:00").await;
    assert_eq!(noted.done(), [format!("brief {ann} 2026-06-16")], "today's, not yesterday's");
}

#[tokio::test]
async fn a_brief_that_fails_is_tried_again_and_holds_nobody_up() {
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let ann = user(&db.store, "Ann", "UTC").await;
    let mut noted = Noted { brief_works: false, ..Noted::new(&db.store) };
    assert_eq!(noted.at("05:00").await, 1);
    noted.brief_works = true;
    let ben = user(&db.store, "Ben", "UTC").await;
    assert_eq!(noted.at("05:01").await, 1);
    assert_eq!(noted.at("05:02").await, 1);
    let expected = [ann, ben, ann].map(|user| format!("brief {user} 2026-06-14"));
    assert_eq!(noted.done(), expected);
}

#[tokio::test]
async fn a_backup_is_made_each_night_on_the_owners_clock_where_they_are_wanted() {
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    user(&db.store, "Ann", "Europe/Zurich").await;
    user(&db.store, "Ben", "America/New_York").await;
    let mut noted = Noted::new(&db.store);
    noted.at("01:30").await;
    assert_eq!(noted.done(), Vec::<String>::new(), "not wanted");
    noted.keeps_backups = true;
    noted.at("00:59").await;
    assert_eq!(noted.done(), Vec::<String>::new(), "a minute to three in Zurich");
    noted.at("01:00").await;
    assert_eq!(noted.done(), ["backup 2026-06-14"]);
    noted.at("02:30").await;
    assert_eq!(noted.done(), Vec::<String>::new(), "once");
    noted.at_on(15, "01:00").await;
    assert_eq!(noted.done(), ["backup 2026-06-15"]);
}

/// Writes a brief the moment it is let.
struct Waiting {
    store: Store,
    begun: tokio::sync::Semaphore,
    go: tokio::sync::Semaphore,
}

impl Chores for Waiting {
    fn sync(&self, _: UserId) -> Looked<'_, Result<(), String>> {
        Box::pin(async { Ok(()) })
    }

    fn brief(&self, user: UserId, day: Day) -> Looked<'_, Result<BriefOutcome, String>> {
        Box::pin(async move {
            self.begun.add_permits(1);
            self.go.acquire().await.unwrap().forget();
            let put = self.store.put_brief(user, brief(day), eight()).await;
            put.map(|_| BriefOutcome::Written).map_err(|why| why.to_string())
        })
    }

    fn recompute(&self, _: UserId) -> Looked<'_, Result<(), String>> {
        Box::pin(async { Ok(()) })
    }

    fn keeps_backups(&self) -> bool {
        false
    }

    fn backup(&self, _: Day) -> Looked<'_, Result<(), String>> {
        Box::pin(async { Ok(()) })
    }

    fn rewrite(&self, user: UserId, day: Day) -> Looked<'_, Result<(), String>> {
        Box::pin(async move { self.brief(user, day).await.map(|_| ()) })
    }
}

/// Eight in the morning, and as much later as has passed since: a lease must be able to end.
fn eight() -> Instant {
    static BEGUN: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    let eight: Instant = "2026-06-14T08:00:00Z".parse().unwrap();
    eight + chrono::TimeDelta::from_std(BEGUN.elapsed()).unwrap()
}

const AWAY: &str = "postgres_that_goes_away_in_the_middle_of_a_job_costs_a_second_try_and_nothing_else";

#[tokio::test(flavor = "multi_thread")]
async fn postgres_that_goes_away_in_the_middle_of_a_job_costs_a_second_try_and_nothing_else() {
    let Some(db) = TestDb::new(Backend::Postgres).await else {
        return testkit::skip(AWAY, "no PostgreSQL is installed");
    };
    let ann = user(&db.store, "Ann", "UTC").await;
    let between = Between::new(db.url()).await;
    let store = testkit::open(between.url()).await;
    let closed = || tokio::sync::Semaphore::new(0);
    let chores = Waiting { store: store.clone(), begun: closed(), go: closed() };
    let pace = Pace::of(std::time::Duration::from_secs(1));
    let (lanes, running) = (Lanes::default(), Running::default());
    let worker = Worker {
        store: &store,
        chores: &chores,
        name: "a worker",
        clock: eight,
        pace,
        lanes,
        running: &running,
    };
    let away = async {
        chores.begun.acquire().await.unwrap().forget();
        between.cut();
        // Long enough that the job is nobody's any more. Whoever had it must not go on with it then.
        tokio::time::sleep(pace.lease * 3).await;
        let jobs = db.store.list_jobs(ann, 10).await.unwrap();
        assert_eq!((jobs.len(), jobs[0].state, jobs[0].attempts), (1, JobState::Running, 1));
        between.mend();
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
    let site = crate::harness::Site::new().await;
    let (owner, other) = (site.db.user("Ann").await, site.db.user("Ben").await);
    let (ann, ben) = (site.signed_in(owner).await, site.signed_in(other).await);
    const SAID: &str = "The nightly backup failed";
    let store = &site.db.store;
    let now = fitness_store::testkit::now;
    let lease = chrono::TimeDelta::minutes(1);
    let begin = async || {
        let id = store.enqueue(owner, "backup", json!({ "day": "2026-06-14" }), now(), now()).await.unwrap();
        store.claim_job(JobFilter::of_kind("backup"), "a worker", lease, now()).await.unwrap().unwrap();
        id
    };
    assert!(!ann.get("/").await.says(SAID));
    let failed = begin().await;
    store.fail_job(owner, failed, "a worker", "the disk is <full>", now()).await.unwrap();
    let page = ann.get("/").await;
    assert!(page.says(SAID) && page.says("the disk is &lt;full&gt;") && page.says("tries again by itself"));
    let page = ben.get("/").await;
    assert!(!page.says(SAID) && !page.says("the disk is"), "{}", page.text);
    // The next night is well.
    let done = begin().await;
    store.finish_job(owner, done, "a worker", now()).await.unwrap();
    assert!(!ann.get("/").await.says(SAID));
}
