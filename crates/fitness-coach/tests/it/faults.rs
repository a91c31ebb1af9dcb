//! Every way to fail, in every dialect: what comes of it, and how often the service was asked.

use crate::harness::{Ears, Rig, WAYS, Way, chat, shaped};
use fitness_coach::model::{Failing, Means, Part, Stop, Wait};
use fitness_coach::testkit::{After, Answer, Asked, Block, Fail, Manner, Say, Why, client};
use serde_json::json;
use std::time::Duration;

const WORDS: &str = "Grüße 😀 an dich: easy does it today, and \"rest\" \\ tomorrow.";

fn always(answer: impl Into<Answer>) -> impl FnMut(&Asked) -> Answer + Send + 'static {
    let answer = answer.into();
    move |_| answer.clone()
}

/// Fails in a way that must be told like this, after so many requests.
async fn expect(answer: impl Into<Answer> + Clone, kind: Failing, requests: [usize; 3]) {
    for (way, requests) in WAYS.into_iter().zip(requests) {
        let rig = Rig::new(way, always(answer.clone())).await;
        let (found, error) = rig.failing().await;
        assert_eq!((found, rig.seen().len()), (kind, requests), "{way:?}: {error}");
        let said = error.to_string();
        for never in ["secret", "scripted", "sk-fake", "week", "127.0.0.1"] {
            assert!(!said.contains(never), "{said}");
        }
    }
}

#[tokio::test]
async fn a_service_that_never_answers_is_given_up_at_once() {
    expect(Fail::Silence, Failing::Stalled, [1; 3]).await;
}

#[tokio::test]
async fn a_service_that_stops_in_the_middle_is_given_up_at_once() {
    expect(Say::text(WORDS).then(After::Stall(1)), Failing::Stalled, [1; 3]).await;
    expect(Say::text(WORDS).then(After::Stall(4)), Failing::Stalled, [1; 3]).await;
}

#[tokio::test]
async fn signs_of_life_are_no_tokens_and_end_as_silence_does() {
    for begun in [0, 1, 4] {
        expect(Say::text(WORDS).then(After::Drip(begun)), Failing::Stalled, [1; 3]).await;
    }
    let rig = Rig::new(Way::Claude, always(Say::text(WORDS).then(After::Drip(1)))).await;
    let (_, error) = rig.failing().await;
    assert!(error.to_string().contains("wrote nothing for 120 seconds"), "{error}");
}

#[tokio::test]
async fn a_ping_does_not_begin_the_wait_for_a_token_anew() {
    let rig = Rig::new(Way::Claude, always(Say::text(WORDS).then(After::Drip(1)))).await;
    let clock = rig.time();
    let first = std::sync::atomic::AtomicBool::new(true);
    let pause = move |wait| {
        // Only the wait that began with the request ever ends.
        let ends = matches!(wait, Wait::Stall(_)) && first.swap(false, std::sync::atomic::Ordering::SeqCst);
        async move {
            if ends {
                tokio::time::sleep(Duration::from_millis(100)).await;
            } else {
                std::future::pending::<()>().await;
            }
        }
    };
    let model = rig.with(Means::new(client(), move || clock.now(), pause));
    let request = chat("hello");
    let asking = async { model.ask(&request, &mut ()).await };
    let error =
        tokio::time::timeout(Duration::from_secs(20), asking).await.expect("it is given up").unwrap_err();
    assert_eq!(error.kind, Failing::Stalled);
}

#[tokio::test]
async fn words_without_end_end_at_the_overall_limit() {
    expect(Say::text(WORDS).then(After::Babble(1)), Failing::Stalled, [1; 3]).await;
    let rig = Rig::new(Way::Claude, always(Say::text(WORDS).then(After::Babble(4)))).await;
    let (_, error) = rig.failing().await;
    assert!(error.to_string().contains("was not done after 600 seconds"), "{error}");
    assert!(error.spent.output > 100, "what was written counts, told or not: {error:?}");
}

#[tokio::test]
async fn a_connection_that_breaks_is_tried_twice_more() {
    expect(Fail::HangUp, Failing::Unreachable, [3; 3]).await;
    expect(Say::text(WORDS).then(After::Cut(1)), Failing::Unreachable, [3; 3]).await;
    expect(Say::text(WORDS).then(After::Stop(1)), Failing::Unreachable, [3; 3]).await;
}

#[tokio::test]
async fn nothing_is_tried_again_once_the_listener_has_heard_a_word() {
    // Of an envelope nothing was heard so far: what is in it begins later.
    expect(Say::text(WORDS).then(After::Cut(4)), Failing::Unreachable, [1, 1, 3]).await;
    expect(Say::text(WORDS).then(After::Stop(4)), Failing::Unreachable, [1, 1, 3]).await;
    expect(Say::text(WORDS).then(After::Error(4, "overloaded_error")), Failing::Busy, [1, 1, 3]).await;
    let call = Say::call("look", json!({"day": "2026-06-14"})).then(After::Cut(4));
    expect(call, Failing::Unreachable, [1, 1, 3]).await;
}

#[tokio::test]
async fn half_an_answer_is_never_an_answer() {
    for way in WAYS {
        for count in 0..40 {
            for after in [After::Cut(count), After::Stop(count)] {
                let said = Say::text("Easy does it.").then(after.clone());
                let rig = Rig::new(way, always(said)).await;
                let (reply, ears) = rig.ask(&chat("hello")).await;
                match reply {
                    Ok(reply) => {
                        assert_eq!(reply.text(), "Easy does it.", "{way:?} {after:?}");
                        assert_eq!(ears.text, "Easy does it.");
                    }
                    Err(error) => {
                        assert_eq!(error.kind, Failing::Unreachable, "{way:?} {after:?} {error}");
                        assert!("Easy does it.".starts_with(&ears.text), "{}", ears.text);
                        assert_eq!(rig.seen().len(), if ears.text.is_empty() { 3 } else { 1 });
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn a_busy_service_is_tried_twice_more_and_then_told() {
    for status in [408, 409, 429, 500, 502, 504, 529] {
        expect(Fail::status(status), Failing::Busy, [3; 3]).await;
    }
    expect(Say::text(WORDS).then(After::Error(1, "overloaded_error")), Failing::Busy, [3; 3]).await;
}

#[tokio::test]
async fn a_server_that_loads_its_model_is_waited_for_but_not_for_ever() {
    for way in WAYS {
        let rig = Rig::new(way, always(Fail::status(503))).await;
        let (kind, error) = rig.failing().await;
        assert_eq!(kind, Failing::Busy, "{error}");
        let waited: Duration = rig.time().waits().iter().sum();
        if way == Way::Claude {
            assert_eq!(rig.seen().len(), 3);
        } else {
            assert!((60..=80).contains(&waited.as_secs()), "{waited:?}");
            assert!(rig.seen().len() < 20);
        }
    }
    let loaded = |asked: &Asked| -> Answer {
        if asked.number < 6 { Fail::status(503).into() } else { Say::text(WORDS).into() }
    };
    let rig = Rig::new(Way::Enveloped, loaded).await;
    assert_eq!(rig.ask(&chat("hello")).await.0.unwrap().text(), WORDS);
}

#[tokio::test]
async fn a_service_is_waited_for_as_long_as_it_asks_within_reason() {
    let headers: [(&'static str, &str, u128); 4] = [
        ("retry-after", "7", 7000),
        ("retry-after-ms", "250", 250),
        ("retry-after", "Sun, 14 Jun 2026 07:00:30 GMT", 30_000),
        ("retry-after", "0", 0),
    ];
    for way in WAYS {
        for (name, value, millis) in headers {
            let script = move |asked: &Asked| -> Answer {
                if asked.number == 1 {
                    Fail::Status(429, vec![(name, value.to_owned())]).into()
                } else {
                    Say::text(WORDS).into()
                }
            };
            let rig = Rig::new(way, script).await;
            assert_eq!(rig.ask(&chat("hello")).await.0.unwrap().text(), WORDS);
            let waits: Vec<u128> = rig.time().waits().iter().map(Duration::as_millis).collect();
            assert_eq!(waits, [millis], "{name}: {value}");
        }
        let hour = Fail::Status(429, vec![("retry-after", "3600".to_owned())]);
        let rig = Rig::new(way, always(hour)).await;
        let (kind, error) = rig.failing().await;
        assert_eq!((kind, rig.seen().len()), (Failing::Busy, 1));
        assert_eq!(error.retry_after, Some(Duration::from_secs(3600)));
        assert_eq!(rig.time().waits(), []);
    }
}

#[tokio::test]
async fn a_service_may_say_whether_to_try_again() {
    let says = |value: &str| vec![("x-should-retry", value.to_owned())];
    expect(Fail::Status(500, says("false")), Failing::Busy, [1; 3]).await;
    expect(Fail::Status(429, says("false")), Failing::Busy, [1; 3]).await;
    expect(Fail::Status(400, says("true")), Failing::Request, [3; 3]).await;
}

#[tokio::test]
async fn an_account_that_may_not_spend_any_more_is_asked_once() {
    expect(Fail::SpendCap, Failing::SpendCap, [1; 3]).await;
}

#[tokio::test]
async fn what_is_refused_is_not_tried_again() {
    for (status, kind) in [
        (400, Failing::Request),
        (401, Failing::Key),
        (403, Failing::Key),
        (404, Failing::Request),
        (413, Failing::Request),
    ] {
        expect(Fail::status(status), kind, [1; 3]).await;
    }
    expect(Fail::Page, Failing::Garbled, [1; 3]).await;
    expect(Fail::Redirect("http://127.0.0.1:1/elsewhere".to_owned()), Failing::Request, [1; 3]).await;
    expect(Say::text(WORDS).then(After::Error(1, "invalid_request_error")), Failing::Request, [1; 3]).await;
}

#[tokio::test]
async fn half_an_event_is_no_event() {
    for count in [0, 1, 3] {
        expect(Say::text(WORDS).then(After::Half(count)), Failing::Garbled, [1; 3]).await;
    }
}

#[tokio::test]
async fn fifty_megabytes_are_not_read() {
    expect(Say::text(WORDS).then(After::Flood(50)), Failing::TooMuch, [1; 3]).await;
    // What is read is not kept either, long before that.
    expect(Say::text(WORDS).then(After::Flood(6)), Failing::TooMuch, [1; 3]).await;
    expect(Say::text(WORDS).then(After::Line(50)), Failing::TooMuch, [1; 3]).await;
}

#[tokio::test]
async fn an_answer_is_the_same_however_it_is_put_on_the_wire() {
    for way in WAYS {
        for chunk in [0, 1, 2, 3, 5, 64] {
            for (crlf, pings, strange) in [(false, false, false), (true, true, false), (false, true, true)] {
                let manner = Manner { chunk, crlf, pings, strange, ..Manner::default() };
                let rig = Rig::new(way, always(Say::text(WORDS).put(manner))).await;
                let (reply, ears) = rig.ask(&chat("hello")).await;
                let reply = reply.unwrap();
                assert_eq!((reply.text().as_str(), &reply.stop), (WORDS, &Stop::Done), "{way:?} {manner:?}");
                assert_eq!(ears.text, WORDS);
                assert!(reply.usage.output > 0 && reply.usage.tokens() > reply.usage.output);
            }
        }
    }
}

#[tokio::test]
async fn a_model_may_decline() {
    for way in WAYS {
        let refusal = Say::text("I would rather").because(Why::Refusal("it is not for me".to_owned()));
        let rig = Rig::new(way, always(refusal)).await;
        let reply = rig.ask(&chat("hello")).await.0.unwrap();
        assert!(matches!(reply.stop, Stop::Declined { .. }), "{way:?} {:?}", reply.stop);
        assert_eq!(rig.seen().len(), 1);
    }
}

#[tokio::test]
async fn reaching_the_limit_is_told_apart_from_being_done() {
    for way in WAYS {
        // The fake counts, and cuts in the middle of whatever it is.
        for said in [Say::text("word ".repeat(400)), Say::call("look", json!({"day": "x".repeat(900)}))] {
            let rig = Rig::new(way, always(said)).await;
            let mut request = chat("hello");
            request.max_tokens = 50;
            let (reply, _) = rig.ask(&request).await;
            assert_eq!(reply.unwrap().stop, Stop::Length, "{way:?}");
            assert_eq!(rig.seen().len(), 1);
        }
    }
}

#[tokio::test]
async fn a_reason_nobody_knows_is_no_error() {
    for way in WAYS {
        let odd = Say::text(WORDS).because(Why::Unheard);
        let rig = Rig::new(way, always(odd)).await;
        assert_eq!(rig.ask(&chat("hello")).await.0.unwrap().stop, Stop::Other("moonstruck".to_owned()));
    }
}

#[tokio::test]
async fn a_tool_that_does_not_exist_is_the_turns_business() {
    for way in WAYS {
        let rig = Rig::new(way, always(Say::call("explode", json!({"now": true})))).await;
        let (reply, ears) = rig.ask(&chat("hello")).await;
        let reply = reply.unwrap();
        assert_eq!(reply.stop, Stop::Calls);
        assert!(
            matches!(&reply.parts[..], [Part::Call { tool, input, .. }] if tool == "explode" && input["now"] == true)
        );
        assert_eq!(ears.calls, ["explode"]);
    }
}

#[tokio::test]
async fn an_input_that_is_not_json_is_handed_on_for_the_tool_to_refuse() {
    let broken = || Say::these(vec![Block::BrokenCall("look".to_owned(), "{\"day\": \"2026".to_owned())]);
    for way in [Way::Claude, Way::Native] {
        let rig = Rig::new(way, always(broken())).await;
        let mut request = chat("hello");
        let reply = rig.ask(&request).await.0.unwrap();
        assert!(matches!(&reply.parts[..], [Part::Call { input, .. }] if input.is_string()), "{reply:?}");
        // And the conversation can go on.
        crate::harness::go_on(&mut request, rig.model.name(), &reply, |_| "that is no input".to_owned());
        assert!(rig.ask(&request).await.0.is_ok());
    }
    let rig = Rig::new(Way::Enveloped, always(broken())).await;
    assert_eq!(rig.failing().await.0, Failing::Garbled);
}

#[tokio::test]
async fn what_breaks_a_shape_is_handed_on_for_the_contract_to_refuse() {
    for said in [
        "{\"tone\":\"neutral\",\"body\":\"cut",
        "Sure! {\"tone\":\"neutral\",\"body\":\"x\"} Enjoy.",
        "{\"tone\":\"sarcastic\",\"body\":\"x\"}",
    ] {
        for way in WAYS {
            let rig = Rig::new(way, always(Say::text(said))).await;
            let (reply, ears) = rig.ask(&shaped("brief me")).await;
            assert_eq!((reply.unwrap().text(), ears.text.as_str()), (said.to_owned(), said));
            assert_eq!(rig.everything_seen().len(), 1, "a shape needs no tools, so nothing is tried");
        }
    }
}

#[tokio::test]
async fn the_schemas_of_the_contract_are_taken_as_shapes_and_as_inputs() {
    for schema in [
        include_str!("../../../../docs/schema/plan_modification.json"),
        include_str!("../../../../docs/schema/weekly_plan.json"),
    ] {
        let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
        for way in WAYS {
            let rig = Rig::new(way, |asked: &Asked| {
                // What was asked for still names every key.
                let sent = asked.body.to_string();
                assert!(sent.contains("athlete_message") || sent.contains("plan_summary"), "{sent}");
                Say::text(WORDS)
            })
            .await;
            let mut request = shaped("brief me");
            request.shape = Some(fitness_coach::model::Shape { name: "contract", schema: schema.clone() });
            assert_eq!(rig.ask(&request).await.0.unwrap().text(), WORDS, "{way:?}");
            let mut request = chat("hello");
            request.tools[0].input_schema = schema.clone();
            assert_eq!(rig.ask(&request).await.0.unwrap().text(), WORDS, "{way:?}");
        }
    }
}

#[tokio::test]
async fn a_model_that_calls_for_ever_is_asked_once_for_each_turn() {
    for way in WAYS {
        let rig = Rig::new(way, always(Say::call("look", json!({})))).await;
        let mut request = chat("hello");
        for round in 1..=5 {
            let reply = rig.ask(&request).await.0.unwrap();
            assert_eq!((reply.stop.clone(), rig.seen().len()), (Stop::Calls, round), "{way:?}");
            crate::harness::go_on(&mut request, rig.model.name(), &reply, |_| "{}".to_owned());
        }
    }
}

#[tokio::test]
async fn a_model_uses_what_its_tools_answered() {
    let obedient = |asked: &Asked| match asked.results.first() {
        Some(result) => Say::text(format!("The tool said {result}")),
        None => Say::these(vec![
            Block::Call("look".to_owned(), json!({"day": "2026-06-14", "many": 2})),
            Block::Call("ask".to_owned(), json!({})),
        ]),
    };
    for way in WAYS {
        let rig = Rig::new(way, obedient).await;
        let mut request = chat("hello");
        let reply = rig.ask(&request).await.0.unwrap();
        let calls = if way == Way::Enveloped { 1 } else { 2 };
        assert_eq!(reply.parts.len(), calls, "{reply:?}");
        crate::harness::go_on(&mut request, rig.model.name(), &reply, |tool| format!("heron-4711 of {tool}"));
        let (reply, ears) = rig.ask(&request).await;
        assert_eq!(reply.unwrap().text(), "The tool said heron-4711 of look");
        assert_eq!(ears.text, "The tool said heron-4711 of look");
    }
}

/// A listener that says when it has heard something.
struct First(Option<tokio::sync::oneshot::Sender<()>>);

impl fitness_coach::model::Listener for First {
    fn text(&mut self, _: &str) {
        self.0.take().map(|heard| heard.send(()));
    }
}

#[tokio::test]
async fn who_drops_the_future_ends_the_request() {
    for way in [Way::Claude, Way::Native] {
        let rig = Rig::new(way, always(Say::text(WORDS).then(After::Stall(4)))).await;
        let clock = rig.time();
        let model = rig.with(Means::new(client(), move || clock.now(), |_| std::future::pending()));
        let (heard, hearing) = tokio::sync::oneshot::channel();
        let mut listener = First(Some(heard));
        let request = chat("hello");
        tokio::select! {
            reply = model.ask(&request, &mut listener) => panic!("{reply:?}"),
            told = hearing => told.unwrap(),
        }
        // Dropped here: the other side sees it go.
        tokio::time::timeout(Duration::from_secs(20), rig.left()).await.unwrap();
    }
}

#[tokio::test]
async fn what_a_failed_answer_took_is_told_as_well() {
    let rig = Rig::new(Way::Claude, always(Say::text(WORDS).then(After::Cut(4)))).await;
    let error = rig.model.ask(&chat("hello"), &mut Ears::default()).await.unwrap_err();
    assert!(error.spent.input > 0 && error.spent.output > 0, "{error:?}");
}
