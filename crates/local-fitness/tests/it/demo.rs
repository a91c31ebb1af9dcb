//! `fitness demo`: its database, sign-in links and simulated consents.

use crate::harness::Home;
use crate::serve::{HttpResponse, TestServer};
use chrono::{DateTime, TimeDelta, Utc};
use fitness_core::plan::HumanActionKind;
use fitness_store::plan::consent::Channel;
use fitness_store::testkit;
use serde_json::Value;
use std::sync::OnceLock;
use std::time::Instant;

const DATABASE: &str = "data/local-fitness/demo.db";

/// The demo on a Monday, created once and copied. Most days of the week before the plan are
/// imported twice.
fn demo_home() -> Home {
    static DATABASE_BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    let bytes = DATABASE_BYTES.get_or_init(|| {
        let home = Home::new();
        home.json(&["demo", "--only-make", "--ends", "2026-11-16"]);
        std::fs::read(home.path(DATABASE)).unwrap()
    });
    let home = Home::new();
    std::fs::create_dir_all(home.path("data/local-fitness")).unwrap();
    std::fs::write(home.path(DATABASE), bytes).unwrap();
    home
}

fn demo_json(home: &Home, arguments: &[&str]) -> Value {
    let answer = home.run_with("FITNESS_DB", home.path(DATABASE), &[arguments, &["--json"]].concat());
    serde_json::from_str(&answer.out).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
}

#[test]
fn demo_activities_never_overlap() {
    let home = demo_home();
    let all = demo_json(&home, &["activity", "list", "--limit", "1000"]);
    let span = |one: &Value| {
        let started: DateTime<Utc> = one["started_at"].as_str().unwrap().parse().unwrap();
        (started, one["elapsed_ms"].as_i64().unwrap(), one["name"].to_string())
    };
    let mut spans: Vec<_> = all.as_array().unwrap().iter().map(span).collect();
    spans.sort();
    assert!(spans.len() > 100, "{}", spans.len());
    for pair in spans.windows(2) {
        let (started, elapsed, name) = &pair[0];
        let over = *started + TimeDelta::milliseconds(*elapsed);
        assert!(over <= pair[1].0, "{name} of {started} goes on through {} of {}", pair[1].2, pair[1].0);
    }
}

fn get(server: &TestServer, path: &str, cookie: &str) -> HttpResponse {
    server.request(&[&format!("GET {path} HTTP/1.1"), &server.host(), cookie], "")
}

#[test]
fn demo_starts_and_its_links_sign_in() {
    let home = Home::new();
    let from = Instant::now();
    let mut server = TestServer::start(&home, &["demo", "--no-open", "--port", "0"]);
    let mut line = String::new();
    while !line.contains("/sign-in/link?code=") {
        line = server.next_line();
        assert!(!line.is_empty(), "it prints a link");
    }
    let code = line.trim().split("code=").nth(1).unwrap().to_owned();
    let cookie = sign_in(&server, &code);
    let today = get(&server, "/", &cookie);
    println!("from the start to the first page: {:?}", from.elapsed());
    assert_eq!(today.status, 200, "{today:?}");
    assert!(today.body.contains("Demo data."));

    // Without a link, the sign-in page names the command that prints one.
    let (page, command) =
        (get(&server, "/sign-in", "X: y"), format!("fitness login --demo --port {}", server.port));
    assert!(page.body.contains(&command) && page.body.contains("fitness demo"), "{}", page.body);
    let old = get(&server, &format!("/sign-in/link?code={code}"), "X: y");
    assert_eq!(old.status, 410);
    assert!(old.body.contains(&command), "{}", old.body);
    let another = home.json(&["login", "--demo", "--port", &server.port.to_string()]);
    let code = another["link"].as_str().unwrap().split("code=").nth(1).unwrap();
    sign_in(&server, code);
}

fn sign_in(server: &TestServer, code: &str) -> String {
    let (host, origin) = (server.host(), server.origin());
    let form = "Content-Type: application/x-www-form-urlencoded";
    let reply =
        server.request(&["POST /sign-in/link HTTP/1.1", &host, &origin, form], &format!("code={code}"));
    assert_eq!(reply.status, 303, "{reply:?}");
    let set = reply.head.split("set-cookie: ").nth(1).unwrap();
    format!("Cookie: {}", set.split(';').next().unwrap())
}

#[test]
fn demo_consents_are_marked_and_serve_refuses_its_database() {
    let home = Home::new();
    let refused = home.expect_error(&["login", "--demo"]);
    assert!(refused.contains("there is no demo") && refused.contains("fitness demo"), "{refused}");
    let home = demo_home();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let actions = runtime.block_on(async {
        let store = testkit::open(&home.path(DATABASE).display().to_string()).await;
        let demo = store.find_user("demo").await.unwrap().unwrap();
        let actions = store.list_human_actions(demo.id, 100).await.unwrap();
        store.close().await;
        actions
    });
    let done: Vec<_> = actions.iter().map(|action| (action.kind, action.channel)).collect();
    assert_eq!(done, [(HumanActionKind::Activate, Channel::Demo)]);

    let answer = home.run_with("FITNESS_DB", home.path(DATABASE), &["serve", "--port", "0", "--no-open"]);
    let refusal = answer.expect_error(&["serve"]);
    assert!(refusal.contains("this is the demo database"), "{refusal}");
}

/// Runs commands in a network namespace without interfaces, not even loopback.
#[test]
fn commands_work_without_network() {
    let here = std::process::Command::new("unshare").args(["-rn", "true"]).status();
    if !here.is_ok_and(|status| status.success()) {
        let why = "network namespaces are not permitted here";
        return testkit::skip("commands_work_without_network", why);
    }
    let home = demo_home();
    home.file("run.gpx", "this is no run");
    for arguments in [
        &["today"][..],
        &["brief", "--date", "2026-11-16"],
        &["chat", "how is my form?"],
        &["plan", "show"],
        &["predict", "--distance", "half"],
        &["import", "."],
        &["backup"],
        &["export", "--to", "mine.zip"],
        &["recompute"],
        &["plan", "draft", "--goal", "10k", "--race-date", "2099-09-20", "--start", "2099-06-15"],
        &["coach", "preview"],
    ] {
        let mut command = std::process::Command::new("unshare");
        let program = home.command(arguments);
        command.arg("-rn").arg(program.get_program()).args(program.get_args()).env_clear();
        command.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.current_dir(home.path("")).env("FITNESS_DB", home.path(DATABASE));
        let answer = crate::harness::to_cli_output(command.output().unwrap());
        let expected = if arguments[0] == "import" { Some(1) } else { Some(0) };
        assert_eq!(answer.code, expected, "{arguments:?}: {answer:?}");
    }
}
