//! Interrupted chat turns: cost is recorded, unverified numbers are marked, text is escaped.

use crate::chat_api::assert_documented;
use crate::coach::{demo_home, start_fake_model, text, use_model};
use crate::harness::Home;
use crate::serve::{cookie, parse_events, serve};
use fitness_coach::testkit::{
    Block, FakeOpenAi, ScriptRequest, ScriptedReply, ScriptedStop, StreamEnd, ToolSupport,
};
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Calls a tool, then stalls in the middle of the reply.
fn stalling_script(number: usize) -> ScriptedReply {
    match number {
        1 => ScriptedReply::call("daily_snapshot", json!({})),
        _ => ScriptedReply::text("Let me think about it").with_end(StreamEnd::Stall(2)),
    }
}

/// Estimated tokens of the requests that contain `words`.
fn estimate_sent_tokens(fake: &FakeOpenAi, words: &str) -> u64 {
    let sent = fake.requests().into_iter().filter(|seen| seen.raw_body.contains(words));
    sent.map(|seen| seen.raw_body.len() as u64 / 4).sum()
}

async fn wait_for_two_requests(fake: &FakeOpenAi, words: &str) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while fake.requests().iter().filter(|seen| seen.raw_body.contains(words)).count() < 2 {
        assert!(Instant::now() < deadline, "no second request");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn tokens_spent_today(home: &Home) -> u64 {
    let spent = home.json(&["coach"])["spent_today"].clone();
    ["input", "cache_write", "cache_read", "output"].iter().map(|key| spent[key].as_u64().unwrap_or(0)).sum()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn interrupted_response_is_counted_on_the_terminal() {
    let fake = start_fake_model(|asked: &ScriptRequest| stalling_script(asked.number)).await;
    let home = demo_home();
    use_model(&home, &fake);
    let mut child =
        home.command(&["chat", "Are you there?"]).stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    wait_for_two_requests(&fake, "Are you there?").await;
    // Give the request time to be sent.
    tokio::time::sleep(Duration::from_millis(200)).await;
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "exit code 1");
    let (spent, sent) = (tokens_spent_today(&home), estimate_sent_tokens(&fake, "Are you there?"));
    assert!(spent >= sent * 3 / 4, "{spent} of {sent}");
    assert!(spent <= sent * 13 / 10, "nothing is counted twice: {spent} of {sent}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn interrupted_response_is_counted_on_the_web() {
    // In the morning the server also asks for a brief; only chat requests count.
    let mut chat_requests = 0;
    let fake = start_fake_model(move |asked: &ScriptRequest| {
        if !asked.body.to_string().contains("Are you there?") {
            return ScriptedReply::text("{}");
        }
        chat_requests += 1;
        stalling_script(chat_requests)
    })
    .await;
    let home = demo_home();
    use_model(&home, &fake);
    let cookie =
        tokio::task::block_in_place(|| std::thread::scope(|all| all.spawn(|| cookie(&home, "Ann")).join()))
            .unwrap();
    let before = tokens_spent_today(&home);
    let server = serve(&home);
    let (host, own) = (server.host(), server.origin());
    let lines = ["POST /api/chat HTTP/1.1", &host, "Content-Type: application/json", &own, &cookie];
    let stream = server.send(&lines, &json!({ "text": "Are you there?" }).to_string());
    wait_for_two_requests(&fake, "Are you there?").await;
    drop(stream);
    tokio::time::timeout(Duration::from_secs(60), fake.wait_for_disconnect())
        .await
        .expect("the request to the model is cancelled");
    let sent = estimate_sent_tokens(&fake, "Are you there?");
    let deadline = Instant::now() + Duration::from_secs(20);
    while tokens_spent_today(&home) - before < sent * 3 / 4 {
        assert!(Instant::now() < deadline, "{} of {sent}", tokens_spent_today(&home) - before);
    }
}

/// An unverified number before a tool call, and another in a truncated reply.
fn unverified_script(asked: &ScriptRequest) -> ScriptedReply {
    match asked.number {
        1 => ScriptedReply::text("You ran 99.9 km.")
            .with_block(Block::Call("daily_snapshot".to_owned(), json!({}))),
        _ => ScriptedReply::text("You slept 31.5 hours, and").with_stop(ScriptedStop::Length),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unverified_numbers_are_marked_on_the_terminal() {
    let fake = FakeOpenAi::start(ToolSupport::Native, unverified_script).await;
    let home = demo_home();
    use_model(&home, &fake);
    let seen = tokio::task::block_in_place(|| {
        let mut session = home.spawn_terminal(&["chat", "How was it?"]);
        session.exp_string("Not backed by your data: 99.9 km").unwrap();
        session.exp_string("Not backed by your data: 31.5 hours").unwrap();
        session.exp_eof().unwrap()
    });
    assert!(seen.contains("too long"), "{seen}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unverified_numbers_are_marked_in_the_stream() {
    let fake = FakeOpenAi::start(ToolSupport::Native, unverified_script).await;
    let home = demo_home();
    use_model(&home, &fake);
    let told: Vec<(String, Value)> = tokio::task::block_in_place(|| {
        let cookie = std::thread::scope(|all| all.spawn(|| cookie(&home, "Ann")).join()).unwrap();
        let server = serve(&home);
        parse_events(&server.chat(&[&server.origin(), &cookie], &json!({ "text": "How was it?" })))
    });
    told.iter().for_each(assert_documented);
    let marked: Vec<&Value> =
        told.iter().filter(|(name, _)| name == "unbacked").map(|(_, data)| &data["pieces"]).collect();
    let piece = |text: &str, unbacked: bool| json!({ "text": text, "unbacked": unbacked });
    assert_eq!(
        marked,
        [
            &json!([piece("You ran ", false), piece("99.9 km", true), piece(".", false)]),
            &json!([piece("You slept ", false), piece("31.5 hours", true), piece(", and", false)]),
        ],
        "{told:#?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn model_text_is_escaped_on_the_terminal() {
    let fake = start_fake_model(|_| {
        ScriptedReply::text("Easy\u{1b}[31m today\u{202e}.\nAnd rest: /modifications/0/date is refused.")
    })
    .await;
    let home = demo_home();
    use_model(&home, &fake);
    let shown = home.ok(&["chat", "go"]);
    assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown:?}");
    assert!(shown.starts_with("Easy<U+001B>[31m"), "{shown:?}");
    assert!(shown.contains("today<U+202E>.\nAnd rest: /modifications/0/date is refused."), "{shown:?}");
    assert_eq!(text(&home.json(&["chat", "go"])["by"]), "local");
}
