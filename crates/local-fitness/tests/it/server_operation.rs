//! Operating a server: logs, health, shutdown, jobs and backups.

use crate::coach::{demo_home, text};
use crate::harness::{Home, now};
use crate::serve::{TestServer, cookie, serve_with};
use crate::two_servers::profile_at_seven;
use serde_json::{Value, json};

/// Must not appear in a log.
const NOTE_CANARY: &str = "canary-in-a-note-4711";

fn get(server: &TestServer, path: &str, headers: &[&str]) -> u16 {
    let line = format!("GET {path} HTTP/1.1");
    server.request(&[&[line.as_str(), &server.host()], headers].concat(), "").status
}

/// Sends requests with secrets and personal data; returns the texts that must not be logged.
fn call_with_secrets(home: &Home, server: &TestServer) -> Vec<String> {
    let token = text(&home.json(&["token", "add", "watcher", "--scope", "draft"])["token"]);
    let (link, _) = home.login("Ann", &[]);
    let code = link.split("code=").nth(1).unwrap().to_owned();
    let cookie = cookie(home, "Ann");
    let session = cookie.split('=').nth(1).unwrap().to_owned();
    home.ok(&["note", "add", NOTE_CANARY]);
    assert_eq!(get(server, &format!("/sign-in/link?code={code}"), &[]), 200);
    assert_eq!(get(server, "/", &[&cookie]), 200);
    assert_eq!(get(server, "/activities?search=canary-in-a-search", &[&cookie]), 200);
    assert_eq!(get(server, "/calendar/canary-in-an-address.ics", &[]), 404);
    assert_eq!(get(server, "/canary-in-a-path", &[]), 404);
    server.call(&token, "daily_snapshot", &json!({}));
    server.call(&token, "suggest_note", &json!({ "text": "canary-in-a-call" }));
    let said = server.chat(&[&cookie, &server.origin()], &json!({ "text": "canary-in-a-chat" }));
    assert_ne!(said.status, 500, "{said:?}");
    let secrets = ["canary-in-a-search", "canary-in-an-address", "canary-in-a-path", "canary-in-a-call"];
    let more = ["canary-in-a-chat", NOTE_CANARY, "Ann"];
    secrets.iter().chain(&more).map(ToString::to_string).chain([token, code, session]).collect()
}

#[test]
fn log_has_route_patterns_and_no_secrets_or_data() {
    let home = demo_home();
    for log in ["json", "text"] {
        let server = serve_with(&home, &["--no-open", "--log", log]);
        let secrets = call_with_secrets(&home, &server);
        let (said, well) = server.stop();
        assert!(well, "{said}");
        for secret in &secrets {
            assert!(!said.contains(secret.as_str()), "`{secret}` in: {said}");
        }
        let message = if log == "text" { "request method=" } else { "\"message\":\"request\"" };
        let calls: Vec<&str> = said.lines().filter(|line| line.contains(message)).collect();
        assert!(calls.len() >= 7, "{said}");
        if log == "text" {
            assert!(
                calls.iter().any(|line| line.contains("INFO") && line.contains("/sign-in/link")),
                "{said}"
            );
            continue;
        }
        for line in &calls {
            let line: Value = serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}"));
            assert_eq!(line["level"], "INFO");
            assert!(
                line["timestamp"].is_string() && line["took"].is_u64() && line["status"].is_u64(),
                "{line}"
            );
        }
        let routes: Vec<Value> =
            calls.iter().map(|line| serde_json::from_str::<Value>(line).unwrap()["route"].clone()).collect();
        assert!(routes.contains(&json!("/sign-in/link")), "route pattern: {routes:?}");
        assert!(routes.contains(&json!("none")), "unknown route: {routes:?}");
    }
}

#[test]
fn default_log_has_only_problems() {
    let home = demo_home();
    let server = serve_with(&home, &["--no-open"]);
    call_with_secrets(&home, &server);
    let (said, _) = server.stop();
    assert!(!said.contains("request method="), "{said}");
    let refused = home.run_with("FITNESS_LOG", "loud", &["serve", "--port", "0"]).expect_error(&["serve"]);
    assert!(
        refused.contains("`loud` is not a valid value for FITNESS_LOG")
            && refused.contains("problems, text or json"),
        "{refused}"
    );
}

#[test]
fn health_reports_whether_the_server_is_ready() {
    let home = demo_home();
    let server = serve_with(&home, &["--no-open"]);
    let port = server.port.to_string();
    assert_eq!(home.json(&["health", "--port", &port]), json!({ "port": server.port, "ready": true }));
    for path in ["/healthz", "/readyz"] {
        assert_eq!(get(&server, path, &[]), 200, "{path}");
    }
    let (_, well) = server.stop();
    assert!(well, "exits with 0 on SIGTERM");
    let refused = home.expect_error(&["health", "--port", &port]);
    assert!(refused.contains("no response from a server on port"), "{refused}");
}

#[test]
fn failed_job_is_listed_and_can_be_retried() {
    let home = demo_home();
    let none = home.ok(&["jobs"]);
    assert!(none.contains("No background jobs yet"), "{none}");
    // An unknown job kind fails for good.
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let job = runtime.block_on(async {
        let store =
            fitness_store::testkit::open(&home.path(crate::coach::DATABASE).display().to_string()).await;
        let user = store.list_users().await.unwrap()[0].id;
        let long_ago = now() - chrono::TimeDelta::days(1);
        let id = store.enqueue(user, "juggle", json!({}), long_ago, long_ago).await.unwrap();
        for _ in 0..5 {
            let later = now() + chrono::TimeDelta::days(1);
            let job = store
                .claim_job(
                    fitness_store::JobClaimFilter::of_kind("juggle"),
                    "a test",
                    chrono::TimeDelta::minutes(1),
                    later,
                )
                .await
                .unwrap()
                .unwrap();
            store
                .fail_job(user, job.id, "a test", "nobody can juggle", later - chrono::TimeDelta::days(2))
                .await
                .unwrap();
        }
        store.close().await;
        id.to_string()
    });
    let listed = home.ok(&["jobs"]);
    assert!(listed.contains("juggle") && listed.contains("failed after 5 attempts"), "{listed}");
    assert!(listed.contains("nobody can juggle"), "{listed}");
    let doctor = home.run(&["doctor"]);
    assert_eq!(doctor.code, Some(1));
    assert!(doctor.out.contains("the job `juggle` failed: nobody can juggle"), "{}", doctor.out);
    assert!(doctor.out.contains(&format!("fitness jobs retry {job}")), "{}", doctor.out);
    assert!(home.ok(&["jobs", "retry", &job]).contains("is queued again"));
    assert!(home.expect_error(&["jobs", "retry", &job]).contains("no such failed job"));
    assert!(home.expect_error(&["jobs", "retry", "99999"]).contains("no such failed job"));
}

#[test]
fn nightly_backup_is_written_once() {
    let home = Home::new();
    let zone = profile_at_seven().zone.to_string();
    home.ok(&["user", "add", "Ann", "--zone", &zone]);
    let nightly = || {
        let listed = home.json(&["backup", "list"]);
        let nightly = |one: &&Value| one["path"].as_str().is_some_and(|path| path.contains("nightly-"));
        // A backup that is being written has no path yet.
        listed.as_array().unwrap().iter().filter(nightly).count()
    };
    assert_eq!(nightly(), 0);
    let server = serve_with(&home, &["--no-open"]);
    let begun = std::time::Instant::now();
    while nightly() == 0 {
        assert!(begun.elapsed().as_secs() < 30, "no backup was made");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    drop(server);
    let jobs = home.ok(&["jobs"]);
    assert!(jobs.contains("backup for "), "{jobs}");
    // Another server in the same night makes no second backup.
    drop(serve_with(&home, &["--no-open"]));
    assert_eq!(nightly(), 1);
}

#[test]
fn failed_nightly_backup_is_in_the_default_log_and_in_doctor() {
    let home = Home::new();
    let zone = profile_at_seven().zone.to_string();
    home.ok(&["user", "add", "Ann", "--zone", &zone]);
    // A file in place of the backup directory.
    let database = home.path(crate::coach::DATABASE);
    std::fs::write(database.parent().unwrap().join("backups"), "in the way").unwrap();
    let mut server = serve_with(&home, &["--no-open"]);
    let line = (0..50).map(|_| server.next_line()).find(|line| line.contains("backup failed"));
    let line = line.expect("the default log has the error");
    assert!(line.contains("ERROR") && line.contains("backups"), "{line}");
    let begun = std::time::Instant::now();
    loop {
        let doctor = home.run(&["doctor"]);
        assert_eq!(doctor.code, Some(1));
        if doctor.out.contains("the nightly backup failed: ") {
            break;
        }
        assert!(begun.elapsed().as_secs() < 30, "{}", doctor.out);
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}
