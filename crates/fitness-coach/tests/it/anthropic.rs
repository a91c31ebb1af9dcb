//! What is particular to Claude: thoughts, caches, pauses.

use crate::harness::{Ears, chat, claude, go_on, say};
use fitness_coach::model::catalog::Choice;
use fitness_coach::model::{Message, Model as _, Part, Request, Stop, Told};
use fitness_coach::testkit::{Asked, Block, FakeAnthropic, Say, Why};
use serde_json::json;

fn thinks(asked: &Asked) -> Say {
    if asked.results.is_empty() {
        Say::these(vec![
            Block::Thought("Let me see what “Tuesday” was.".to_owned()),
            Block::Text("One moment.".to_owned()),
            Block::Call("look".to_owned(), json!({"day": "2026-06-09"})),
            Block::Thought(String::new()),
            Block::Call("ask".to_owned(), json!({})),
        ])
    } else {
        Say::text(format!("It was {}.", asked.results.join(" and ")))
    }
}

#[tokio::test]
async fn thoughts_are_kept_byte_for_byte_and_go_back_to_the_model_that_had_them() {
    let fake = FakeAnthropic::start(thinks).await;
    let sonnet = claude(Choice::Sonnet, &fake);
    let mut request = chat("What was Tuesday?");
    let mut ears = Ears::default();
    let reply = sonnet.ask(&request, &mut ears).await.unwrap();
    assert_eq!(ears.thoughts, "Let me see what “Tuesday” was.");
    assert_eq!(
        (ears.text.as_str(), &ears.calls[..]),
        ("One moment.", &["look".to_owned(), "ask".to_owned()][..])
    );
    let sealed = reply.parts.iter().filter(|part| matches!(part, Part::Sealed { .. })).count();
    assert_eq!((sealed, reply.parts.len(), &reply.stop), (2, 5, &Stop::Calls));
    go_on(&mut request, sonnet.name(), &reply, str::to_uppercase);
    // The fake refuses a thought that it did not sign for this model, or that was altered.
    let reply = sonnet.ask(&request, &mut ()).await.unwrap();
    assert_eq!(reply.text(), "It was LOOK and ASK.");
    let sent = fake.seen()[1].body["messages"][1]["content"].clone();
    let kinds: Vec<&str> =
        sent.as_array().unwrap().iter().map(|block| block["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["thinking", "text", "tool_use", "thinking", "tool_use"]);
}

#[tokio::test]
async fn another_model_is_never_shown_the_thoughts_of_one() {
    let fake = FakeAnthropic::start(thinks).await;
    let (sonnet, haiku, opus) =
        (claude(Choice::Sonnet, &fake), claude(Choice::Haiku, &fake), claude(Choice::Opus, &fake));
    let mut request = chat("What was Tuesday?");
    let reply = sonnet.ask(&request, &mut ()).await.unwrap();
    go_on(&mut request, sonnet.name(), &reply, |_| "a rest".to_owned());
    for model in [&haiku, &opus, &sonnet] {
        let reply = model.ask(&request, &mut ()).await.unwrap();
        assert_eq!(reply.text(), "It was a rest and a rest.", "{}", model.name());
    }
    let thoughts: Vec<usize> =
        fake.seen().iter().map(|seen| seen.text.matches(r#""type":"thinking""#).count()).collect();
    assert_eq!(thoughts, [0, 0, 0, 2]);
}

#[tokio::test]
async fn what_tools_answered_comes_before_what_the_athlete_adds() {
    let fake = FakeAnthropic::start(thinks).await;
    let sonnet = claude(Choice::Sonnet, &fake);
    let mut request = chat("What was Tuesday?");
    let reply = sonnet.ask(&request, &mut ()).await.unwrap();
    go_on(&mut request, sonnet.name(), &reply, |_| "a rest".to_owned());
    let Some(Message::Program { parts }) = request.messages.last_mut() else { panic!("it is our turn") };
    parts.insert(0, Told::Text { text: "Be quick.".to_owned() });
    parts.reverse();
    // The fake refuses answers after words.
    assert_eq!(sonnet.ask(&request, &mut ()).await.unwrap().text(), "It was a rest and a rest.");
    parts_reversed(&mut request);
    assert_eq!(sonnet.ask(&request, &mut ()).await.unwrap().text(), "It was a rest and a rest.");
}

fn parts_reversed(request: &mut Request) {
    if let Some(Message::Program { parts }) = request.messages.last_mut() {
        parts.reverse();
    }
}

/// A prompt that is long enough to be cached.
fn long(words: &str) -> Request {
    Request { system: "You are a coach. Never fabricate. ".repeat(100), ..chat(words) }
}

#[tokio::test]
async fn the_prefix_is_read_from_the_cache_on_every_day_by_every_athlete() {
    let fake = FakeAnthropic::start(thinks).await;
    let sonnet = claude(Choice::Sonnet, &fake);
    let ann = sonnet.ask(&long("I am Ann, and it is 2026-06-14."), &mut ()).await.unwrap().usage;
    let bob = sonnet.ask(&long("I am Bob, and it is 2026-06-15!"), &mut ()).await.unwrap().usage;
    assert!(ann.cache_read == 0 && ann.cache_write > 800, "{ann:?}");
    assert!(bob.cache_read > 800 && bob.cache_write < 30 && bob.input == 0, "{bob:?}");
    assert!(sonnet.cost(&bob).unwrap() < sonnet.cost(&ann).unwrap());
    // Another model begins with nothing.
    let haiku = claude(Choice::Haiku, &fake).ask(&long("I am Ann."), &mut ()).await.unwrap().usage;
    assert_eq!(haiku.cache_read, 0);
}

#[tokio::test]
async fn a_conversation_is_read_from_the_cache_when_it_goes_on() {
    let fake = FakeAnthropic::start(thinks).await;
    let sonnet = claude(Choice::Sonnet, &fake);
    let mut request = long("What was Tuesday?");
    let first = sonnet.ask(&request, &mut ()).await.unwrap();
    go_on(&mut request, sonnet.name(), &first, |_| "a long answer ".repeat(200));
    let second = sonnet.ask(&request, &mut ()).await.unwrap();
    let before = first.usage.cache_write + first.usage.cache_read;
    assert_eq!(second.usage.cache_read, before, "all of what was there is read");
    assert!(second.usage.cache_write > 1000, "and what tools answered is kept: {:?}", second.usage);
    request.messages.push(Message::Model { name: sonnet.name().to_owned(), parts: second.parts });
    request.messages.push(say("And Wednesday?"));
    let third = sonnet.ask(&request, &mut ()).await.unwrap();
    assert_eq!(third.usage.cache_read, before + second.usage.cache_write);
}

#[tokio::test]
async fn a_model_that_pauses_is_sent_back_what_it_said() {
    let pauses = |asked: &Asked| match asked.number {
        1 => Say::text("First, ").because(Why::Pause),
        2 => Say::these(vec![Block::Thought("hm".to_owned()), Block::Text("second, ".to_owned())])
            .because(Why::Pause),
        _ => Say::text("and done."),
    };
    let fake = FakeAnthropic::start(pauses).await;
    let mut ears = Ears::default();
    let reply = claude(Choice::Opus, &fake).ask(&chat("go"), &mut ears).await;
    // The fake takes an assistant's last turn only when it is, exactly, what it said before it paused.
    let reply = reply.unwrap();
    assert_eq!((reply.text().as_str(), &reply.stop), ("First, second, and done.", &Stop::Done));
    assert_eq!(ears.text, "First, second, and done.");
    assert_eq!(fake.seen().len(), 3);
    let usage: u64 = reply.usage.output;
    assert!(usage >= 6, "all of it is counted: {usage}");
}

#[tokio::test]
async fn a_model_that_pauses_for_ever_is_not_followed_for_ever() {
    let fake = FakeAnthropic::start(|_: &Asked| Say::text("hm ").because(Why::Pause)).await;
    let reply = claude(Choice::Opus, &fake).ask(&chat("go"), &mut ()).await.unwrap();
    assert_eq!(reply.stop, Stop::Other("pause_turn".to_owned()));
    assert_eq!(fake.seen().len(), 5);
}

#[tokio::test]
async fn why_it_declines_is_told() {
    let fake = FakeAnthropic::start(|_: &Asked| {
        Say::these(Vec::new()).because(Why::Refusal("not my field".to_owned()))
    })
    .await;
    let reply = claude(Choice::Sonnet, &fake).ask(&chat("go"), &mut ()).await.unwrap();
    assert_eq!(reply.stop, Stop::Declined { why: Some("not my field".to_owned()) });
}
