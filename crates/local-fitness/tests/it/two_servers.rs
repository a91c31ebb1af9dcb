//! Two servers on one PostgreSQL: each job runs once, also when one server is killed.

use crate::harness::{Home, now};
use crate::serve::TestServer;
use chrono::Timelike as _;
use fitness_core::domain::athlete::Profile;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::UserId;
use fitness_store::testkit::{self, Backend, TcpProxy, TestDb};
use fitness_store::{Job, JobState};
use fitness_web::worker::AllLaneLimits;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const ATHLETES: usize = 200;
const TIMEOUT: Duration = Duration::from_secs(180);
const TWO_SERVERS_TEST: &str = "postgres_two_servers_run_each_job_once_when_one_is_killed";

/// A profile in a time zone where it is 7 in the morning now, so that briefs are due.
pub(crate) fn profile_at_seven() -> Profile {
    let east = (7 + 24 - i64::from(now().hour())) % 24;
    let east = if east > 12 { east - 24 } else { east };
    // The sign in `Etc/GMT+1` is inverted.
    let zone = if east == 0 { "Etc/GMT".to_owned() } else { format!("Etc/GMT{:+}", -east) };
    Profile { zone: zone.parse().unwrap(), ..Profile::default() }
}

fn start_server(home: &Home) -> TestServer {
    TestServer::start(home, &["serve", "--port", "0", "--no-open", "--log", "json", "--lease", "4"])
}

async fn brief_jobs(db: &TestDb, athletes: &[UserId]) -> BTreeMap<UserId, Vec<Job>> {
    let mut jobs = BTreeMap::new();
    for athlete in athletes {
        let mut theirs = db.store.list_jobs(*athlete, 10).await.unwrap();
        // The owner also has the backup job.
        theirs.retain(|job| job.kind != "backup");
        jobs.insert(*athlete, theirs);
    }
    jobs
}

fn count_done(jobs: &BTreeMap<UserId, Vec<Job>>) -> usize {
    jobs.values().flatten().filter(|job| job.state == JobState::Done).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_two_servers_run_each_job_once_when_one_is_killed() {
    let Some(db) = TestDb::new(Backend::Postgres).await else {
        return testkit::skip(TWO_SERVERS_TEST, "no PostgreSQL is installed");
    };
    let profile = profile_at_seven();
    let mut athletes = Vec::new();
    for number in 0..ATHLETES {
        let user = db.store.add_user(&format!("athlete {number}"), &profile, now()).await.unwrap();
        athletes.push(user.id);
    }
    let (here, there) = (Home::with_database(db.url()), Home::with_database(db.url()));
    // Both servers schedule the jobs at the same time.
    let (survivor, victim) = (start_server(&here), start_server(&there));
    let begun = Instant::now();
    let mut finished_before = 0;
    while finished_before < ATHLETES / 2 {
        assert!(begun.elapsed() < TIMEOUT, "{finished_before} of {ATHLETES} done");
        tokio::time::sleep(Duration::from_millis(50)).await;
        finished_before = count_done(&brief_jobs(&db, &athletes).await);
    }
    // SIGKILL in the middle of its work.
    let said = victim.kill();
    assert!(finished_before < ATHLETES, "killed too late: {finished_before}");
    let mut jobs = brief_jobs(&db, &athletes).await;
    while count_done(&jobs) < ATHLETES {
        assert!(begun.elapsed() < TIMEOUT, "{} of {ATHLETES} done", count_done(&jobs));
        tokio::time::sleep(Duration::from_millis(200)).await;
        jobs = brief_jobs(&db, &athletes).await;
    }
    let mut again = 0;
    for (athlete, jobs) in &jobs {
        let [job] = jobs.as_slice() else { panic!("one job for each: {jobs:?}") };
        assert_eq!((job.kind.as_str(), job.state), ("brief", JobState::Done));
        again += job.attempts - 1;
        let actions: Vec<String> =
            db.store.list_audit(*athlete, 100).await.unwrap().into_iter().map(|line| line.action).collect();
        let jobs_of_theirs = if *athlete == athletes[0] { 2 } else { 1 };
        for (action, expected) in
            [("job.enqueue", jobs_of_theirs), ("brief.put", 1), ("job.finish", jobs_of_theirs)]
        {
            let times = actions.iter().filter(|other| *other == action).count();
            assert_eq!(times, expected, "{action} of {athlete}: {actions:?}");
        }
        let today = Day::at(now(), profile.zone);
        assert!(db.store.find_brief(*athlete, today).await.unwrap().is_some());
    }
    let lane = i64::try_from(AllLaneLimits::default().brief.concurrency).unwrap();
    assert!(again <= lane, "at most the killed server's jobs were restarted: {again}");
    let by_victim = said.lines().filter(|line| line.contains("job done")).count();
    assert!(by_victim > 0 && by_victim < ATHLETES, "both servers ran jobs: {by_victim}");
    drop(survivor);
}

const UNREACHABLE_TEST: &str = "server_reports_unreachable_postgres_and_recovers";

#[tokio::test(flavor = "multi_thread")]
async fn server_reports_unreachable_postgres_and_recovers() {
    let Some(db) = TestDb::new(Backend::Postgres).await else {
        return testkit::skip(UNREACHABLE_TEST, "no PostgreSQL is installed");
    };
    db.store.add_user("Ann", &Profile::default(), now()).await.unwrap();
    let between = TcpProxy::new(db.url()).await;
    let home = Home::with_database(between.url());
    let server = start_server(&home);
    let get = |path: &str| {
        let reply = server.request(&[&format!("GET {path} HTTP/1.1"), &server.host()], "");
        (reply.status, reply.body)
    };
    assert_eq!((get("/healthz").0, get("/readyz").0), (200, 200));
    between.disconnect();
    assert_eq!(get("/healthz").0, 200, "the process is alive");
    let (status, said) = get("/readyz");
    assert_eq!(status, 503, "{said}");
    assert!(said.contains("The database is not responding."), "{said}");
    let refused = home.expect_error(&["health", "--port", &server.port.to_string()]);
    assert!(refused.contains("not ready: The database is not responding."), "{refused}");
    between.reconnect();
    // The periodic check may have failed meanwhile and is repeated soon.
    let mended = std::time::Instant::now();
    while get("/readyz").0 != 200 {
        assert!(mended.elapsed().as_secs() < 60, "it stays not ready");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}
