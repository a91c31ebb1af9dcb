//! Tests of Claude's own features: thinking, caching, pauses.

use crate::harness::{RecordingListener, append_tool_results, chat, claude, user_message};
use fitness_coach::model::catalog::ClaudeModel;
use fitness_coach::model::{Message, Model as _, ModelPart, Request, StopReason, UserPart};
use fitness_coach::testkit::{Block, FakeAnthropic, ScriptRequest, ScriptedReply, ScriptedStop};
use serde_json::json;

fn thinking_reply(asked: &ScriptRequest) -> ScriptedReply {
    if asked.results.is_empty() {
        ScriptedReply::new(vec![
            Block::Thought("Let me see what “Tuesday” was.".to_owned()),
            Block::Text("One moment.".to_owned()),
            Block::Call("look".to_owned(), json!({"day": "2026-06-09"})),
            Block::Thought(String::new()),
            Block::Call("ask".to_owned(), json!({})),
        ])
    } else {
        ScriptedReply::text(format!("It was {}.", asked.results.join(" and ")))
    }
}

#[tokio::test]
async fn thoughts_are_kept_byte_for_byte_and_go_back_to_the_model_that_had_them() {
    let fake = FakeAnthropic::start(thinking_reply).await;
    let sonnet = claude(ClaudeModel::Sonnet, &fake);
    let mut request = chat("What was Tuesday?");
    let mut ears = RecordingListener::default();
    let reply = sonnet.ask(&request, &mut ears).await.unwrap();
    assert_eq!(ears.thoughts, "Let me see what “Tuesday” was.");
    assert_eq!(
        (ears.text.as_str(), &ears.calls[..]),
        ("One moment.", &["look".to_owned(), "ask".to_owned()][..])
    );
    let sealed = reply.parts.iter().filter(|part| matches!(part, ModelPart::Sealed { .. })).count();
    assert_eq!((sealed, reply.parts.len(), &reply.stop_reason), (2, 5, &StopReason::ToolCalls));
    append_tool_results(&mut request, sonnet.name(), &reply, str::to_uppercase);
    // The fake refuses a thought that it did not sign for this model, or that was altered.
    let reply = sonnet.ask(&request, &mut ()).await.unwrap();
    assert_eq!(reply.text(), "It was LOOK and ASK.");
    let sent = fake.requests()[1].body["messages"][1]["content"].clone();
    let kinds: Vec<&str> =
        sent.as_array().unwrap().iter().map(|block| block["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["thinking", "text", "tool_use", "thinking", "tool_use"]);
}

#[tokio::test]
async fn another_model_is_never_shown_the_thoughts_of_one() {
    let fake = FakeAnthropic::start(thinking_reply).await;
    let (sonnet, haiku, opus) = (
        claude(ClaudeModel::Sonnet, &fake),
        claude(ClaudeModel::Haiku, &fake),
        claude(ClaudeModel::Opus, &fake),
    );
    let mut request = chat("What was Tuesday?");
    let reply = sonnet.ask(&request, &mut ()).await.unwrap();
    append_tool_results(&mut request, sonnet.name(), &reply, |_| "a rest".to_owned());
    for model in [&haiku, &opus, &sonnet] {
        let reply = model.ask(&request, &mut ()).await.unwrap();
        assert_eq!(reply.text(), "It was a rest and a rest.", "{}", model.name());
    }
    let thoughts: Vec<usize> =
        fake.requests().iter().map(|seen| seen.raw_body.matches(r#""type":"thinking""#).count()).collect();
    assert_eq!(thoughts, [0, 0, 0, 2]);
}

#[tokio::test]
async fn what_tools_answered_comes_before_what_the_athlete_adds() {
    let fake = FakeAnthropic::start(thinking_reply).await;
    let sonnet = claude(ClaudeModel::Sonnet, &fake);
    let mut request = chat("What was Tuesday?");
    let reply = sonnet.ask(&request, &mut ()).await.unwrap();
    append_tool_results(&mut request, sonnet.name(), &reply, |_| "a rest".to_owned());
    let Some(Message::Program { parts }) = request.messages.last_mut() else { panic!("it is our turn") };
    parts.insert(0, UserPart::Text { text: "Be quick.".to_owned() });
    parts.reverse();
    // The fake refuses answers after words.
    assert_eq!(sonnet.ask(&request, &mut ()).await.unwrap().text(), "It was a rest and a rest.");
    reverse_parts(&mut request);
    assert_eq!(sonnet.ask(&request, &mut ()).await.unwrap().text(), "It was a rest and a rest.");
}

fn reverse_parts(request: &mut Request) {
    if let Some(Message::Program { parts }) = request.messages.last_mut() {
        parts.reverse();
    }
}

/// A prompt that is long enough to be cached.
fn long_request(words: &str) -> Request {
    Request { system: "You are a coach. Never fabricate. ".repeat(100), ..chat(words) }
}

#[tokio::test]
async fn the_prefix_is_read_from_the_cache_on_every_day_by_every_athlete() {
    let fake = FakeAnthropic::start(thinking_reply).await;
    let sonnet = claude(ClaudeModel::Sonnet, &fake);
    let ann = sonnet.ask(&long_request("I am Ann, and it is 2026-06-14."), &mut ()).await.unwrap().usage;
    let bob = sonnet.ask(&long_request("I am Bob, and it is 2026-06-15!"), &mut ()).await.unwrap().usage;
    assert!(ann.cache_read == 0 && ann.cache_write > 800, "{ann:?}");
    assert!(bob.cache_read > 800 && bob.cache_write < 30 && bob.input == 0, "{bob:?}");
    assert!(sonnet.cost(&bob).unwrap() < sonnet.cost(&ann).unwrap());
    // Another model begins with nothing.
    let haiku =
        claude(ClaudeModel::Haiku, &fake).ask(&long_request("I am Ann."), &mut ()).await.unwrap().usage;
    assert_eq!(haiku.cache_read, 0);
}

#[tokio::test]
async fn a_conversation_is_read_from_the_cache_when_it_goes_on() {
    let fake = FakeAnthropic::start(thinking_reply).await;
    let sonnet = claude(ClaudeModel::Sonnet, &fake);
    let mut request = long_request("What was Tuesday?");
    let first = sonnet.ask(&request, &mut ()).await.unwrap();
    append_tool_results(&mut request, sonnet.name(), &first, |_| "a long answer ".repeat(200));
    let second = sonnet.ask(&request, &mut ()).await.unwrap();
    let before = first.usage.cache_write + first.usage.cache_read;
    assert_eq!(second.usage.cache_read, before, "all of what was there is read");
    assert!(second.usage.cache_write > 1000, "and what tools answered is kept: {:?}", second.usage);
    request.messages.push(Message::Model { name: sonnet.name().to_owned(), parts: second.parts });
    request.messages.push(user_message("And Wednesday?"));
    let third = sonnet.ask(&request, &mut ()).await.unwrap();
    assert_eq!(third.usage.cache_read, before + second.usage.cache_write);
}

#[tokio::test]
async fn a_model_that_pauses_is_sent_back_what_it_said() {
    let pauses = |asked: &ScriptRequest| match asked.number {
        1 => ScriptedReply::text("First, ").with_stop(ScriptedStop::Pause),
        2 => ScriptedReply::new(vec![Block::Thought("hm".to_owned()), Block::Text("second, ".to_owned())])
            .with_stop(ScriptedStop::Pause),
        _ => ScriptedReply::text("and done."),
    };
    let fake = FakeAnthropic::start(pauses).await;
    let mut ears = RecordingListener::default();
    let reply = claude(ClaudeModel::Opus, &fake).ask(&chat("go"), &mut ears).await;
    // The fake takes an assistant's last turn only when it is, exactly, what it said before it
    // paused.
    let reply = reply.unwrap();
    assert_eq!((reply.text().as_str(), &reply.stop_reason), ("First, second, and done.", &StopReason::Done));
    assert_eq!(ears.text, "First, second, and done.");
    assert_eq!(fake.requests().len(), 3);
    let usage: u64 = reply.usage.output;
    assert!(usage >= 6, "all of it is counted: {usage}");
}

#[tokio::test]
async fn a_model_that_pauses_for_ever_is_not_followed_for_ever() {
    let fake =
        FakeAnthropic::start(|_: &ScriptRequest| ScriptedReply::text("hm ").with_stop(ScriptedStop::Pause))
            .await;
    let reply = claude(ClaudeModel::Opus, &fake).ask(&chat("go"), &mut ()).await.unwrap();
    assert_eq!(reply.stop_reason, StopReason::Other("pause_turn".to_owned()));
    assert_eq!(fake.requests().len(), 5);
}

#[tokio::test]
async fn refusal_reason_is_returned() {
    let fake = FakeAnthropic::start(|_: &ScriptRequest| {
        ScriptedReply::new(Vec::new()).with_stop(ScriptedStop::Refusal("not my field".to_owned()))
    })
    .await;
    let reply = claude(ClaudeModel::Sonnet, &fake).ask(&chat("go"), &mut ()).await.unwrap();
    assert_eq!(reply.stop_reason, StopReason::Declined { reason: Some("not my field".to_owned()) });
}
