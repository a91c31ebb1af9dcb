//! Accepted uploads are imported even if the server stops or is killed meanwhile.

use crate::harness::{Home, now};
use crate::serve::TestServer;
use chrono::TimeDelta;
use fitness_core::domain::athlete::Profile;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::UserId;
use fitness_store::testkit::{self, Backend, TestDb};
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

const FILES: u32 = 150;
const TIMEOUT: Duration = Duration::from_secs(120);

/// A run of ten minutes; the date depends on `number`.
fn gpx(number: u32) -> String {
    let (month, day) = (1 + number / 28, 1 + number % 28);
    let mut points = String::new();
    for minute in 0..10 {
        let lat = 47.0 + f64::from(minute) * 0.0015;
        let time = format!("2025-{month:02}-{day:02}T06:{minute:02}:00Z");
        write!(points, "<trkpt lat=\"{lat:.5}\" lon=\"8.5\"><ele>400</ele><time>{time}</time></trkpt>")
            .unwrap();
    }
    format!(
        "<?xml version=\"1.0\"?><gpx version=\"1.1\" creator=\"a test\" xmlns=\"http://www.topografix.com/GPX/1/1\">\
         <trk><type>running</type><trkseg>{points}</trkseg></trk></gpx>"
    )
}

/// A signed-in browser.
struct Browser {
    secret: String,
}

impl Browser {
    async fn new(db: &TestDb, user: UserId) -> Self {
        let token = db.store.open_session(user, "a test", TimeDelta::hours(1), now()).await.unwrap();
        Self { secret: token.reveal().to_owned() }
    }

    fn cookie(&self) -> String {
        format!("Cookie: fitness_session={}", self.secret)
    }

    /// Uploads files; returns the path of the import page.
    fn upload(&self, server: &TestServer) -> String {
        let token = ContentHash::hash_bytes(format!("form of {}", self.secret).as_bytes());
        let field = |name: &str, content: &str| {
            format!("--edge\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{content}\r\n")
        };
        let mut body = field("form_token", &token.to_string());
        for number in 0..FILES {
            body += &field(&format!("files\"; filename=\"{number}.gpx"), &gpx(number));
        }
        body += "--edge--\r\n";
        let lines = [
            "POST /import HTTP/1.1",
            &server.host(),
            &server.origin(),
            &self.cookie(),
            "Content-Type: multipart/form-data; boundary=edge",
        ];
        let reply = server.request(&lines, &body);
        assert_eq!(reply.status, 303, "{reply:?}");
        let to = reply.head.lines().find_map(|line| line.strip_prefix("location: ")).unwrap();
        to.trim().to_owned()
    }

    /// Waits for the import and returns its page.
    fn outcome(&self, server: &TestServer, path: &str) -> String {
        let begun = Instant::now();
        loop {
            let page = server.request(&[&format!("GET {path} HTTP/1.1"), &server.host(), &self.cookie()], "");
            assert_eq!(page.status, 200, "{page:?}");
            if !page.body.contains("data-poll") {
                return page.body;
            }
            assert!(begun.elapsed() < TIMEOUT, "the import does not end");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

async fn interrupt_import(backend: Backend, end: impl FnOnce(TestServer), name: &str) {
    let Some(db) = TestDb::new(backend).await else {
        return testkit::skip(name, "no PostgreSQL is installed");
    };
    let profile = Profile { zone: chrono_tz::UTC, ..Profile::default() };
    let user = db.store.add_user("Ann", &profile, now()).await.unwrap().id;
    let home = Home::with_database(db.url());
    let start = || TestServer::start(&home, &["serve", "--port", "0", "--no-open", "--lease", "2"]);
    let browser = Browser::new(&db, user).await;
    let first = start();
    let path = browser.upload(&first);
    end(first);
    assert!(db.store.count_activities(user).await.unwrap().0 < u64::from(FILES), "it was not in the middle");
    let second = start();
    let page = browser.outcome(&second, &path);
    assert_eq!(db.store.count_activities(user).await.unwrap().0, u64::from(FILES), "{page}");
    assert!(page.contains("<h2>Imported</h2>"), "{page}");
    // After another restart the page remains and the files are deleted.
    drop(second);
    let third = start();
    assert_eq!(browser.outcome(&third, &path), page);
    let uploads = db.store.upload_directory().await.unwrap();
    let begun = Instant::now();
    while !uploads.list().unwrap().is_empty() {
        assert!(begun.elapsed() < TIMEOUT, "the files are not removed");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_accepted_upload_is_imported_after_a_kill() {
    const NAME: &str = "sqlite_accepted_upload_is_imported_after_a_kill";
    interrupt_import(Backend::Sqlite, |server| drop(server.kill()), NAME).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_accepted_upload_is_imported_after_a_stop() {
    const NAME: &str = "sqlite_accepted_upload_is_imported_after_a_stop";
    interrupt_import(Backend::Sqlite, |server| drop(server.stop()), NAME).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_accepted_upload_is_imported_after_a_kill() {
    const NAME: &str = "postgres_accepted_upload_is_imported_after_a_kill";
    interrupt_import(Backend::Postgres, |server| drop(server.kill()), NAME).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_accepted_upload_is_imported_after_a_stop() {
    const NAME: &str = "postgres_accepted_upload_is_imported_after_a_stop";
    interrupt_import(Backend::Postgres, |server| drop(server.stop()), NAME).await;
}

#[test]
fn leftover_upload_is_reported_by_doctor_and_removed_at_start() {
    let home = Home::new();
    home.ok(&["user", "add", "Ann", "--zone", "UTC"]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let url = home.path(crate::coach::DATABASE).display().to_string();
    runtime.block_on(async {
        let store = testkit::open(&url).await;
        let arriving = store.upload_directory().await.unwrap().begin_upload().unwrap();
        std::fs::write(arriving.path().join("0"), "a run").unwrap();
        // A killed server does not clean up.
        std::mem::forget(arriving);
        store.close().await;
    });
    // This process still holds the lock, which a killed server would not.
    let uploads = Path::new(&url).parent().unwrap().join("uploads");
    let locks = std::fs::read_dir(&uploads).unwrap().map(|entry| entry.unwrap().path());
    for lock in locks.filter(|path| path.extension().is_some_and(|ending| ending == "lock")) {
        std::fs::remove_file(lock).unwrap();
    }
    let doctor = home.run(&["doctor"]);
    assert!(doctor.out.contains("is left over from a killed server"), "{}", doctor.out);
    let server = TestServer::start(&home, &["serve", "--port", "0", "--no-open"]);
    let begun = Instant::now();
    while std::fs::read_dir(&uploads).unwrap().count() > 0 {
        assert!(begun.elapsed() < TIMEOUT, "it is not removed");
        std::thread::sleep(Duration::from_millis(50));
    }
    let said = server.kill();
    assert!(said.contains("leftover uploads removed"), "{said}");
    assert!(!home.run(&["doctor"]).out.contains("is left over"), "it was deleted");
}
