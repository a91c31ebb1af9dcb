//! The official Python clients against the fake services, to verify the fakes.

use fitness_coach::testkit::{
    Block, FakeAnthropic, FakeOpenAi, KEY, ScriptRequest, ScriptResponse, ScriptedFailure, ScriptedReply,
    StreamEnd, ToolSupport,
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
fn follow_instructions(asked: &ScriptRequest) -> ScriptResponse {
    if !asked.results.is_empty() {
        return ScriptedReply::text(format!("The tool said {}", asked.results.join(", "))).into();
    }
    match asked.last_text.as_str() {
        "use a tool" => ScriptedReply::new(vec![
            Block::Thought("A tool, then.".to_owned()),
            Block::Call("look".to_owned(), json!({"day": "2026-06-14"})),
            Block::Call("look".to_owned(), json!({})),
        ])
        .into(),
        "429" => ScriptedFailure::Status(429, vec![("retry-after", "1".to_owned())]).into(),
        "500" => ScriptedFailure::status(500).into(),
        "503" => ScriptedFailure::status(503).into(),
        "529" => ScriptedFailure::Status(529, vec![("retry-after-ms", "10".to_owned())]).into(),
        "spend cap" => ScriptedFailure::SpendCap.into(),
        "error after start" => {
            ScriptedReply::text("x").with_end(StreamEnd::Error(1, "overloaded_error")).into()
        }
        words => ScriptedReply::text(format!("You said: {words}")).into(),
    }
}

/// What a script printed; `None` where Python cannot run it.
async fn run_python(script: &'static str, address: String) -> Option<Vec<String>> {
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
    let fake = FakeAnthropic::start(follow_instructions).await;
    let address = fake.address().to_string();
    let Some(printed) = run_python(include_str!("anthropic_sdk.py"), address).await else {
        let reason = "the Python package anthropic is not installed";
        return skip("the_official_client_takes_the_fake_for_the_real_messages_api", reason);
    };
    assert_eq!(printed, ["whole", "streamed", "looped", "refused", "failed", "counted"]);
    let overloaded = fake.requests().iter().filter(|seen| seen.status == 529).count();
    assert_eq!(overloaded, 1 + 3, "once without retries, and once with two of them");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_official_client_takes_the_fake_for_a_server_of_chat_completions() {
    let fake = FakeOpenAi::start(ToolSupport::Native, follow_instructions).await;
    let address = fake.address().to_string();
    let Some(printed) = run_python(include_str!("openai_sdk.py"), address).await else {
        let reason = "the Python package openai is not installed";
        return skip("the_official_client_takes_the_fake_for_a_server_of_chat_completions", reason);
    };
    assert_eq!(printed, ["whole", "streamed", "looped", "refused", "failed"]);
}
