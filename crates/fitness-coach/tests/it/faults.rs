//! Every failure of a service, for both APIs: the error, and the number of requests.

use crate::harness::{Harness, RecordingListener, TRANSPORTS, Transport, chat, schema_request};
use fitness_coach::model::{DelayReason, HttpEnv, ModelErrorKind, ModelPart, StopReason};
use fitness_coach::testkit::{
    Block, ScriptRequest, ScriptResponse, ScriptedFailure, ScriptedReply, ScriptedStop, StreamEnd,
    WireFormat, client,
};
use serde_json::json;
use std::time::Duration;

const TEXT: &str = "Grüße 😀 an dich: easy does it today, and \"rest\" \\ tomorrow.";

fn always(
    answer: impl Into<ScriptResponse>,
) -> impl FnMut(&ScriptRequest) -> ScriptResponse + Send + 'static {
    let answer = answer.into();
    move |_| answer.clone()
}

/// Fails in a way that must be told like this, after so many requests.
async fn expect_failure(
    answer: impl Into<ScriptResponse> + Clone,
    kind: ModelErrorKind,
    requests: [usize; 3],
) {
    for (way, requests) in TRANSPORTS.into_iter().zip(requests) {
        let rig = Harness::new(way, always(answer.clone())).await;
        let (found, error) = rig.expect_error().await;
        assert_eq!((found, rig.requests().len()), (kind, requests), "{way:?}: {error}");
        let said = error.to_string();
        for never in ["secret", "scripted", "sk-fake", "week", "127.0.0.1"] {
            assert!(!said.contains(never), "{said}");
        }
    }
}

#[tokio::test]
async fn a_service_that_never_answers_is_given_up_at_once() {
    expect_failure(ScriptedFailure::Silence, ModelErrorKind::Stalled, [1; 3]).await;
}

#[tokio::test]
async fn a_service_that_stops_in_the_middle_is_given_up_at_once() {
    expect_failure(ScriptedReply::text(TEXT).with_end(StreamEnd::Stall(1)), ModelErrorKind::Stalled, [1; 3])
        .await;
    expect_failure(ScriptedReply::text(TEXT).with_end(StreamEnd::Stall(4)), ModelErrorKind::Stalled, [1; 3])
        .await;
}

#[tokio::test]
async fn pings_without_tokens_end_as_a_stall() {
    for begun in [0, 1, 4] {
        expect_failure(
            ScriptedReply::text(TEXT).with_end(StreamEnd::Drip(begun)),
            ModelErrorKind::Stalled,
            [1; 3],
        )
        .await;
    }
    let rig =
        Harness::new(Transport::Claude, always(ScriptedReply::text(TEXT).with_end(StreamEnd::Drip(1)))).await;
    let (_, error) = rig.expect_error().await;
    assert!(error.to_string().contains("sent nothing for 120 seconds"), "{error}");
}

#[tokio::test]
async fn ping_does_not_reset_the_stall_timeout() {
    let rig =
        Harness::new(Transport::Claude, always(ScriptedReply::text(TEXT).with_end(StreamEnd::Drip(1)))).await;
    let clock = rig.clock();
    let first = std::sync::atomic::AtomicBool::new(true);
    let pause = move |wait| {
        // Only the wait that began with the request ever ends.
        let ends =
            matches!(wait, DelayReason::Stall(_)) && first.swap(false, std::sync::atomic::Ordering::SeqCst);
        async move {
            if ends {
                tokio::time::sleep(Duration::from_millis(100)).await;
            } else {
                std::future::pending::<()>().await;
            }
        }
    };
    let model = rig.with_env(HttpEnv::new(client(), move || clock.now(), pause));
    let request = chat("hello");
    let asking = async { model.ask(&request, &mut ()).await };
    let error =
        tokio::time::timeout(Duration::from_secs(20), asking).await.expect("it is given up").unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Stalled);
}

#[tokio::test]
async fn endless_text_ends_at_the_overall_timeout() {
    expect_failure(ScriptedReply::text(TEXT).with_end(StreamEnd::Babble(1)), ModelErrorKind::Stalled, [1; 3])
        .await;
    let rig =
        Harness::new(Transport::Claude, always(ScriptedReply::text(TEXT).with_end(StreamEnd::Babble(4))))
            .await;
    let (_, error) = rig.expect_error().await;
    assert!(error.to_string().contains("did not finish within 600 seconds"), "{error}");
    assert!(error.usage.output > 100, "what was written counts, told or not: {error:?}");
}

#[tokio::test]
async fn a_connection_that_breaks_is_tried_twice_more() {
    expect_failure(ScriptedFailure::HangUp, ModelErrorKind::Unreachable, [3; 3]).await;
    expect_failure(
        ScriptedReply::text(TEXT).with_end(StreamEnd::Cut(1)),
        ModelErrorKind::Unreachable,
        [3; 3],
    )
    .await;
    expect_failure(
        ScriptedReply::text(TEXT).with_end(StreamEnd::Stop(1)),
        ModelErrorKind::Unreachable,
        [3; 3],
    )
    .await;
}

#[tokio::test]
async fn nothing_is_tried_again_once_the_listener_has_heard_a_word() {
    // Of an envelope nothing was heard so far: what is in it begins later.
    expect_failure(
        ScriptedReply::text(TEXT).with_end(StreamEnd::Cut(4)),
        ModelErrorKind::Unreachable,
        [1, 1, 3],
    )
    .await;
    expect_failure(
        ScriptedReply::text(TEXT).with_end(StreamEnd::Stop(4)),
        ModelErrorKind::Unreachable,
        [1, 1, 3],
    )
    .await;
    expect_failure(
        ScriptedReply::text(TEXT).with_end(StreamEnd::Error(4, "overloaded_error")),
        ModelErrorKind::Busy,
        [1, 1, 3],
    )
    .await;
    let call = ScriptedReply::call("look", json!({"day": "2026-06-14"})).with_end(StreamEnd::Cut(4));
    expect_failure(call, ModelErrorKind::Unreachable, [1, 1, 3]).await;
}

#[tokio::test]
async fn truncated_response_is_an_error() {
    for way in TRANSPORTS {
        for count in 0..40 {
            for after in [StreamEnd::Cut(count), StreamEnd::Stop(count)] {
                let said = ScriptedReply::text("Easy does it.").with_end(after.clone());
                let rig = Harness::new(way, always(said)).await;
                let (reply, ears) = rig.ask(&chat("hello")).await;
                match reply {
                    Ok(reply) => {
                        assert_eq!(reply.text(), "Easy does it.", "{way:?} {after:?}");
                        assert_eq!(ears.text, "Easy does it.");
                    }
                    Err(error) => {
                        assert_eq!(error.kind, ModelErrorKind::Unreachable, "{way:?} {after:?} {error}");
                        assert!("Easy does it.".starts_with(&ears.text), "{}", ears.text);
                        assert_eq!(rig.requests().len(), if ears.text.is_empty() { 3 } else { 1 });
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn a_busy_service_is_tried_twice_more_and_then_told() {
    for status in [408, 409, 429, 500, 502, 504, 529] {
        expect_failure(ScriptedFailure::status(status), ModelErrorKind::Busy, [3; 3]).await;
    }
    expect_failure(
        ScriptedReply::text(TEXT).with_end(StreamEnd::Error(1, "overloaded_error")),
        ModelErrorKind::Busy,
        [3; 3],
    )
    .await;
}

#[tokio::test]
async fn a_server_that_loads_its_model_is_waited_for_but_not_for_ever() {
    for way in TRANSPORTS {
        let rig = Harness::new(way, always(ScriptedFailure::status(503))).await;
        let (kind, error) = rig.expect_error().await;
        assert_eq!(kind, ModelErrorKind::Busy, "{error}");
        let waited: Duration = rig.clock().retry_delays().iter().sum();
        if way == Transport::Claude {
            assert_eq!(rig.requests().len(), 3);
        } else {
            assert!((60..=80).contains(&waited.as_secs()), "{waited:?}");
            assert!(rig.requests().len() < 20);
        }
    }
    let loaded = |asked: &ScriptRequest| -> ScriptResponse {
        if asked.number < 6 { ScriptedFailure::status(503).into() } else { ScriptedReply::text(TEXT).into() }
    };
    let rig = Harness::new(Transport::JsonTools, loaded).await;
    assert_eq!(rig.ask(&chat("hello")).await.0.unwrap().text(), TEXT);
}

#[tokio::test]
async fn a_service_is_waited_for_as_long_as_it_asks_within_reason() {
    let headers: [(&'static str, &str, u128); 4] = [
        ("retry-after", "7", 7000),
        ("retry-after-ms", "250", 250),
        ("retry-after", "Sun, 14 Jun 2026 07:00:30 GMT", 30_000),
        ("retry-after", "0", 0),
    ];
    for way in TRANSPORTS {
        for (name, value, millis) in headers {
            let script = move |asked: &ScriptRequest| -> ScriptResponse {
                if asked.number == 1 {
                    ScriptedFailure::Status(429, vec![(name, value.to_owned())]).into()
                } else {
                    ScriptedReply::text(TEXT).into()
                }
            };
            let rig = Harness::new(way, script).await;
            assert_eq!(rig.ask(&chat("hello")).await.0.unwrap().text(), TEXT);
            let waits: Vec<u128> = rig.clock().retry_delays().iter().map(Duration::as_millis).collect();
            assert_eq!(waits, [millis], "{name}: {value}");
        }
        let hour = ScriptedFailure::Status(429, vec![("retry-after", "3600".to_owned())]);
        let rig = Harness::new(way, always(hour)).await;
        let (kind, error) = rig.expect_error().await;
        assert_eq!((kind, rig.requests().len()), (ModelErrorKind::Busy, 1));
        assert_eq!(error.retry_after, Some(Duration::from_secs(3600)));
        assert_eq!(rig.clock().retry_delays(), []);
    }
}

#[tokio::test]
async fn a_service_may_say_whether_to_try_again() {
    let says = |value: &str| vec![("x-should-retry", value.to_owned())];
    expect_failure(ScriptedFailure::Status(500, says("false")), ModelErrorKind::Busy, [1; 3]).await;
    expect_failure(ScriptedFailure::Status(429, says("false")), ModelErrorKind::Busy, [1; 3]).await;
    expect_failure(ScriptedFailure::Status(400, says("true")), ModelErrorKind::Request, [3; 3]).await;
}

#[tokio::test]
async fn an_account_that_may_not_spend_any_more_is_asked_once() {
    expect_failure(ScriptedFailure::SpendCap, ModelErrorKind::SpendCap, [1; 3]).await;
}

#[tokio::test]
async fn what_is_refused_is_not_tried_again() {
    for (status, kind) in [
        (400, ModelErrorKind::Request),
        (401, ModelErrorKind::Key),
        (403, ModelErrorKind::Key),
        (404, ModelErrorKind::Request),
        (413, ModelErrorKind::Request),
    ] {
        expect_failure(ScriptedFailure::status(status), kind, [1; 3]).await;
    }
    expect_failure(ScriptedFailure::Page, ModelErrorKind::Garbled, [1; 3]).await;
    expect_failure(
        ScriptedFailure::Redirect("http://127.0.0.1:1/elsewhere".to_owned()),
        ModelErrorKind::Request,
        [1; 3],
    )
    .await;
    expect_failure(
        ScriptedReply::text(TEXT).with_end(StreamEnd::Error(1, "invalid_request_error")),
        ModelErrorKind::Request,
        [1; 3],
    )
    .await;
}

#[tokio::test]
async fn truncated_event_is_an_error() {
    for count in [0, 1, 3] {
        expect_failure(
            ScriptedReply::text(TEXT).with_end(StreamEnd::HalfEvent(count)),
            ModelErrorKind::Garbled,
            [1; 3],
        )
        .await;
    }
}

#[tokio::test]
async fn fifty_megabytes_are_not_read() {
    expect_failure(ScriptedReply::text(TEXT).with_end(StreamEnd::Flood(50)), ModelErrorKind::TooMuch, [1; 3])
        .await;
    // What is read is not kept either, long before that.
    expect_failure(ScriptedReply::text(TEXT).with_end(StreamEnd::Flood(6)), ModelErrorKind::TooMuch, [1; 3])
        .await;
    expect_failure(
        ScriptedReply::text(TEXT).with_end(StreamEnd::LongLine(50)),
        ModelErrorKind::TooMuch,
        [1; 3],
    )
    .await;
}

#[tokio::test]
async fn an_answer_is_the_same_however_it_is_put_on_the_wire() {
    for way in TRANSPORTS {
        for chunk in [0, 1, 2, 3, 5, 64] {
            for (crlf, pings, unknown_events) in
                [(false, false, false), (true, true, false), (false, true, true)]
            {
                let manner = WireFormat { chunk, crlf, pings, unknown_events, ..WireFormat::default() };
                let rig = Harness::new(way, always(ScriptedReply::text(TEXT).with_format(manner))).await;
                let (reply, ears) = rig.ask(&chat("hello")).await;
                let reply = reply.unwrap();
                assert_eq!(
                    (reply.text().as_str(), &reply.stop_reason),
                    (TEXT, &StopReason::Done),
                    "{way:?} {manner:?}"
                );
                assert_eq!(ears.text, TEXT);
                assert!(reply.usage.output > 0 && reply.usage.total_tokens() > reply.usage.output);
            }
        }
    }
}

#[tokio::test]
async fn a_model_may_decline() {
    for way in TRANSPORTS {
        let refusal = ScriptedReply::text("I would rather")
            .with_stop(ScriptedStop::Refusal("it is not for me".to_owned()));
        let rig = Harness::new(way, always(refusal)).await;
        let reply = rig.ask(&chat("hello")).await.0.unwrap();
        assert!(matches!(reply.stop_reason, StopReason::Declined { .. }), "{way:?} {:?}", reply.stop_reason);
        assert_eq!(rig.requests().len(), 1);
    }
}

#[tokio::test]
async fn reaching_the_limit_is_told_apart_from_being_done() {
    for way in TRANSPORTS {
        // The fake counts, and cuts in the middle of whatever it is.
        for said in [
            ScriptedReply::text("word ".repeat(400)),
            ScriptedReply::call("look", json!({"day": "x".repeat(900)})),
        ] {
            let rig = Harness::new(way, always(said)).await;
            let mut request = chat("hello");
            request.max_tokens = 50;
            let (reply, _) = rig.ask(&request).await;
            assert_eq!(reply.unwrap().stop_reason, StopReason::Length, "{way:?}");
            assert_eq!(rig.requests().len(), 1);
        }
    }
}

#[tokio::test]
async fn unknown_stop_reason_is_not_an_error() {
    for way in TRANSPORTS {
        let odd = ScriptedReply::text(TEXT).with_stop(ScriptedStop::Unknown);
        let rig = Harness::new(way, always(odd)).await;
        assert_eq!(
            rig.ask(&chat("hello")).await.0.unwrap().stop_reason,
            StopReason::Other("moonstruck".to_owned())
        );
    }
}

#[tokio::test]
async fn unknown_tool_call_is_returned_to_the_caller() {
    for way in TRANSPORTS {
        let rig = Harness::new(way, always(ScriptedReply::call("explode", json!({"now": true})))).await;
        let (reply, ears) = rig.ask(&chat("hello")).await;
        let reply = reply.unwrap();
        assert_eq!(reply.stop_reason, StopReason::ToolCalls);
        assert!(
            matches!(&reply.parts[..], [ModelPart::Call { tool, input, .. }] if tool == "explode" && input["now"] == true)
        );
        assert_eq!(ears.calls, ["explode"]);
    }
}

#[tokio::test]
async fn an_input_that_is_not_json_is_handed_on_for_the_tool_to_refuse() {
    let broken =
        || ScriptedReply::new(vec![Block::BrokenCall("look".to_owned(), "{\"day\": \"2026".to_owned())]);
    for way in [Transport::Claude, Transport::Native] {
        let rig = Harness::new(way, always(broken())).await;
        let mut request = chat("hello");
        let reply = rig.ask(&request).await.0.unwrap();
        assert!(
            matches!(&reply.parts[..], [ModelPart::Call { input, .. }] if input.is_string()),
            "{reply:?}"
        );
        // And the conversation can go on.
        crate::harness::append_tool_results(&mut request, rig.model.name(), &reply, |_| {
            "that is no input".to_owned()
        });
        assert!(rig.ask(&request).await.0.is_ok());
    }
    let rig = Harness::new(Transport::JsonTools, always(broken())).await;
    assert_eq!(rig.expect_error().await.0, ModelErrorKind::Garbled);
}

#[tokio::test]
async fn schema_violation_is_returned_for_validation() {
    for said in [
        "{\"tone\":\"neutral\",\"body\":\"cut",
        "Sure! {\"tone\":\"neutral\",\"body\":\"x\"} Enjoy.",
        "{\"tone\":\"sarcastic\",\"body\":\"x\"}",
    ] {
        for way in TRANSPORTS {
            let rig = Harness::new(way, always(ScriptedReply::text(said))).await;
            let (reply, ears) = rig.ask(&schema_request("brief me")).await;
            assert_eq!((reply.unwrap().text(), ears.text.as_str()), (said.to_owned(), said));
            assert_eq!(rig.all_requests().len(), 1, "a shape needs no tools, so nothing is tried");
        }
    }
}

#[tokio::test]
async fn output_schemas_are_accepted_as_response_and_input_schemas() {
    for schema in [
        include_str!("../../../../docs/schema/plan_modification.json"),
        include_str!("../../../../docs/schema/weekly_plan.json"),
    ] {
        let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
        for way in TRANSPORTS {
            let rig = Harness::new(way, |asked: &ScriptRequest| {
                // What was asked for still names every key.
                let sent = asked.body.to_string();
                assert!(sent.contains("athlete_message") || sent.contains("plan_summary"), "{sent}");
                ScriptedReply::text(TEXT)
            })
            .await;
            let mut request = schema_request("brief me");
            request.response_schema =
                Some(fitness_coach::model::ResponseSchema { name: "contract", schema: schema.clone() });
            assert_eq!(rig.ask(&request).await.0.unwrap().text(), TEXT, "{way:?}");
            let mut request = chat("hello");
            request.tools[0].input_schema = schema.clone();
            assert_eq!(rig.ask(&request).await.0.unwrap().text(), TEXT, "{way:?}");
        }
    }
}

#[tokio::test]
async fn a_model_that_calls_for_ever_is_asked_once_for_each_turn() {
    for way in TRANSPORTS {
        let rig = Harness::new(way, always(ScriptedReply::call("look", json!({})))).await;
        let mut request = chat("hello");
        for round in 1..=5 {
            let reply = rig.ask(&request).await.0.unwrap();
            assert_eq!(
                (reply.stop_reason.clone(), rig.requests().len()),
                (StopReason::ToolCalls, round),
                "{way:?}"
            );
            crate::harness::append_tool_results(&mut request, rig.model.name(), &reply, |_| "{}".to_owned());
        }
    }
}

#[tokio::test]
async fn a_model_uses_what_its_tools_answered() {
    let obedient = |asked: &ScriptRequest| match asked.results.first() {
        Some(result) => ScriptedReply::text(format!("The tool said {result}")),
        None => ScriptedReply::new(vec![
            Block::Call("look".to_owned(), json!({"day": "2026-06-14", "many": 2})),
            Block::Call("ask".to_owned(), json!({})),
        ]),
    };
    for way in TRANSPORTS {
        let rig = Harness::new(way, obedient).await;
        let mut request = chat("hello");
        let reply = rig.ask(&request).await.0.unwrap();
        let calls = if way == Transport::JsonTools { 1 } else { 2 };
        assert_eq!(reply.parts.len(), calls, "{reply:?}");
        crate::harness::append_tool_results(&mut request, rig.model.name(), &reply, |tool| {
            format!("heron-4711 of {tool}")
        });
        let (reply, ears) = rig.ask(&request).await;
        assert_eq!(reply.unwrap().text(), "The tool said heron-4711 of look");
        assert_eq!(ears.text, "The tool said heron-4711 of look");
    }
}

/// A listener that says when it has heard something.
struct FirstTextSignal(Option<tokio::sync::oneshot::Sender<()>>);

impl fitness_coach::model::ModelListener for FirstTextSignal {
    fn text(&mut self, _: &str) {
        self.0.take().map(|heard| heard.send(()));
    }
}

#[tokio::test]
async fn dropping_the_future_cancels_the_request() {
    for way in [Transport::Claude, Transport::Native] {
        let rig = Harness::new(way, always(ScriptedReply::text(TEXT).with_end(StreamEnd::Stall(4)))).await;
        let clock = rig.clock();
        let model = rig.with_env(HttpEnv::new(client(), move || clock.now(), |_| std::future::pending()));
        let (heard, hearing) = tokio::sync::oneshot::channel();
        let mut listener = FirstTextSignal(Some(heard));
        let request = chat("hello");
        tokio::select! {
            reply = model.ask(&request, &mut listener) => panic!("{reply:?}"),
            told = hearing => told.unwrap(),
        }
        // Dropped here: the other side sees it go.
        tokio::time::timeout(Duration::from_secs(20), rig.wait_for_disconnect()).await.unwrap();
    }
}

#[tokio::test]
async fn usage_of_a_failed_response_is_reported() {
    let rig =
        Harness::new(Transport::Claude, always(ScriptedReply::text(TEXT).with_end(StreamEnd::Cut(4)))).await;
    let error = rig.model.ask(&chat("hello"), &mut RecordingListener::default()).await.unwrap_err();
    assert!(error.usage.input > 0 && error.usage.output > 0, "{error:?}");
}
