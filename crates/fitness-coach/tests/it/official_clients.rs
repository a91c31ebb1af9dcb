//! Who checks the fakes: the official clients, where Python has them.

use fitness_coach::testkit::{
    Ability, After, Answer, Asked, Block, Fail, FakeAnthropic, FakeOpenAi, KEY, Say,
};
use serde_json::json;
use std::io::Write as _;

/// Says that a test is skipped and why, and lets `./check` count it.
pub(crate) fn skip(name: &str, reason: &str) {
    eprintln!("SKIPPED {name}: {reason}");
    if let Some(path) = std::env::var_os("FITNESS_SKIPS") {
        let mut list = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        writeln!(list, "{name}: {reason}").unwrap();
    }
}

/// Does as it is told.
fn obedient(asked: &Asked) -> Answer {
    if !asked.results.is_empty() {
        return Say::text(format!("The tool said {}", asked.results.join(", "))).into();
    }
    match asked.words.as_str() {
        "use a tool" => Say::these(vec![
            Block::Thought("A tool, then.".to_owned()),
            Block::Call("look".to_owned(), json!({"day": "2026-06-14"})),
            Block::Call("look".to_owned(), json!({})),
        ])
        .into(),
        "429" => Fail::Status(429, vec![("retry-after", "1".to_owned())]).into(),
        "500" => Fail::status(500).into(),
        "503" => Fail::status(503).into(),
        "529" => Fail::Status(529, vec![("retry-after-ms", "10".to_owned())]).into(),
        "spend cap" => Fail::SpendCap.into(),
        "error after start" => Say::text("x").then(After::Error(1, "overloaded_error")).into(),
        words => Say::text(format!("You said: {words}")).into(),
    }
}

/// What a script printed; `None` where Python cannot run it.
async fn run(script: &'static str, address: String) -> Option<Vec<String>> {
    let python = std::env::var_os("FITNESS_PYTHON").unwrap_or_else(|| "python3".into());
    let mut command = std::process::Command::new(&python);
    command.args(["-c", script]).env("FAKE", address).env("KEY", KEY);
    for proxy in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        command.env_remove(proxy);
    }
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().ok()?;
    if output.status.code() == Some(77) {
        return None;
    }
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}");
    Some(String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_official_client_takes_the_fake_for_the_real_messages_api() {
    let fake = FakeAnthropic::start(obedient).await;
    let address = fake.address().to_string();
    let Some(printed) = run(include_str!("anthropic_sdk.py"), address).await else {
        let reason = "the Python package anthropic is not installed";
        return skip("the_official_client_takes_the_fake_for_the_real_messages_api", reason);
    };
    assert_eq!(printed, ["whole", "streamed", "looped", "refused", "failed", "counted"]);
    let overloaded = fake.seen().iter().filter(|seen| seen.status == 529).count();
    assert_eq!(overloaded, 1 + 3, "once without retries, and once with two of them");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_official_client_takes_the_fake_for_a_server_of_chat_completions() {
    let fake = FakeOpenAi::start(Ability::Native, obedient).await;
    let address = fake.address().to_string();
    let Some(printed) = run(include_str!("openai_sdk.py"), address).await else {
        let reason = "the Python package openai is not installed";
        return skip("the_official_client_takes_the_fake_for_a_server_of_chat_completions", reason);
    };
    assert_eq!(printed, ["whole", "streamed", "looped", "refused", "failed"]);
}
