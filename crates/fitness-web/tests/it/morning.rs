//! The morning: what is done, in which order, and how often.

use fitness_core::athlete::Profile;
use fitness_core::calendar::{Day, Instant};
use fitness_core::ids::UserId;
use fitness_store::testkit::{Backend, TestDb, june};
use fitness_store::{JobState, NewBrief, Store};
use fitness_web::Looked;
use fitness_web::morning::{Chores, tick};
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
}

impl<'a> Noted<'a> {
    fn new(store: &'a Store) -> Self {
        Self { store, done: Mutex::default(), sync_works: true, brief_works: true }
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
        tick(self.store, self, "a worker", clock).await.unwrap()
    }
}

impl Chores for Noted<'_> {
    fn sync(&self, user: UserId) -> Looked<'_, Result<(), String>> {
        self.done.lock().unwrap().push(format!("sync {user}"));
        let answer = if self.sync_works { Ok(()) } else { Err("the service is away".to_owned()) };
        Box::pin(async move { answer })
    }

    fn brief(&self, user: UserId, day: Day) -> Looked<'_, Result<(), String>> {
        self.done.lock().unwrap().push(format!("brief {user} {day}"));
        Box::pin(async move {
            if !self.brief_works {
                return Err("the disk is full".to_owned());
            }
            self.store.put_brief(user, brief(day), clock()).await.map(drop).map_err(|why| why.to_string())
        })
    }

    fn rewrite(&self, user: UserId, day: Day) -> Looked<'_, Result<(), String>> {
        self.brief(user, day)
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
    assert_eq!(noted.at("19:00").await, 1, "the job is taken and done with");
    assert_eq!(noted.done(), Vec::<String>::new());
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
