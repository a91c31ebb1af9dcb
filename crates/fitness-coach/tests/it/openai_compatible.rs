//! Tests of OpenAI-compatible servers: tool support and its quirks.

use crate::harness::{RecordingListener, append_tool_results, chat, compatible, schema_request};
use fitness_coach::model::openai::{ServerCapabilities, ToolCallMode};
use fitness_coach::model::{Model as _, ModelErrorKind, ModelPart, StopReason, Timeouts, Usage};
use fitness_coach::testkit::{Block, FakeOpenAi, ScriptRequest, ScriptedReply, ToolSupport, WireFormat};
use serde_json::{Value, json};

fn call_tool(asked: &ScriptRequest) -> ScriptedReply {
    if asked.results.is_empty() {
        ScriptedReply::new(vec![
            Block::Call("look".to_owned(), json!({"day": "2026-06-14"})),
            Block::Call("look".to_owned(), json!({"day": "2026-06-15"})),
        ])
    } else {
        ScriptedReply::text(format!("So: {}", asked.results.join(", ")))
    }
}

#[tokio::test]
async fn tools_are_handed_over_only_to_a_server_that_was_seen_to_call_one() {
    for (ability, expected) in [
        (ToolSupport::Native, ToolCallMode::Native),
        (ToolSupport::Ollama, ToolCallMode::Native),
        (ToolSupport::AsText, ToolCallMode::Enveloped),
        (ToolSupport::Ignored, ToolCallMode::Enveloped),
        (ToolSupport::Rejected, ToolCallMode::Enveloped),
    ] {
        let fake = FakeOpenAi::start(ability, call_tool).await;
        let model = compatible(&fake);
        assert_eq!(model.probe().await.unwrap(), expected, "{ability:?}");
        let mut request = chat("hello");
        let reply = model.ask(&request, &mut ()).await.unwrap();
        assert_eq!(reply.stop_reason, StopReason::ToolCalls, "{ability:?}");
        append_tool_results(&mut request, "local", &reply, |_| "fine".to_owned());
        let answer = model.ask(&request, &mut ()).await.unwrap();
        assert!(answer.text().starts_with("So: fine"), "{ability:?} {answer:?}");
        // Found out once.
        let seen = fake.requests();
        assert_eq!(seen.len(), 3);
        assert!(seen[0].raw_body.contains("say_ready") && !seen[1].raw_body.contains("say_ready"));
        let native = seen[1].body["tools"].is_array();
        assert_eq!(native, expected == ToolCallMode::Native);
        assert_eq!(seen[1].body["response_format"].is_object(), !native);
        assert_eq!(model.cost(&Usage::default()), None);
    }
}

#[tokio::test]
async fn missing_usage_is_estimated() {
    for ability in [ToolSupport::Native, ToolSupport::Ignored] {
        let words = "Easy does it today, and rest tomorrow.".repeat(4);
        let said = words.clone();
        let uncounted = WireFormat { omit_usage: true, ..WireFormat::default() };
        let fake = FakeOpenAi::start(ability, move |_: &ScriptRequest| ScriptedReply {
            format: uncounted,
            ..ScriptedReply::text(said.clone())
        })
        .await;
        let model = compatible(&fake);
        let first = model.ask(&chat("hello"), &mut ()).await.unwrap();
        let reply = model.ask(&chat("hello"), &mut ()).await.unwrap();
        let sent = fake.requests().last().unwrap().raw_body.len() as u64;
        assert_eq!(reply.usage.input, sent / 4, "{ability:?}");
        assert!(reply.usage.output >= words.len() as u64 / 4, "{ability:?}: {:?}", reply.usage);
        assert!(first.usage.input > reply.usage.input, "the try whether it calls tools counts as well");
    }
}

#[tokio::test]
async fn what_was_found_out_about_a_server_is_not_tried_again_and_is_about_that_server_alone() {
    for (ability, calls) in
        [(ToolSupport::Native, ToolCallMode::Native), (ToolSupport::Ignored, ToolCallMode::Enveloped)]
    {
        let fake = FakeOpenAi::start(ability, |_: &ScriptRequest| ScriptedReply::text("ok")).await;
        let model = compatible(&fake);
        assert_eq!(model.server_capabilities(), None);
        model.ask(&chat("hello"), &mut ()).await.unwrap();
        let found = model.server_capabilities().unwrap();
        assert_eq!(found.calls, calls);
        let stored: ServerCapabilities = serde_json::from_value(json!(found)).unwrap();
        let again = compatible(&fake).with_capabilities(&[stored]);
        let shown = again.preview(&chat("hello"));
        again.ask(&chat("hello"), &mut ()).await.unwrap();
        let seen = fake.requests();
        assert_eq!(seen.iter().filter(|seen| seen.raw_body.contains("say_ready")).count(), 1);
        assert!(shown.ends_with(&format!("\n\n{}", seen.last().unwrap().raw_body)), "{shown}");
        for other in [
            ServerCapabilities { model: "other".to_owned(), ..found.clone() },
            ServerCapabilities { address: "http://127.0.0.1:9/v1".to_owned(), ..found },
        ] {
            assert_eq!(compatible(&fake).with_capabilities(&[other]).server_capabilities(), None);
        }
    }
}

#[tokio::test]
async fn capabilities_of_an_unreachable_server_stay_unknown() {
    let fake = FakeOpenAi::start(ToolSupport::Native, call_tool).await;
    let gone = fitness_coach::model::openai::OpenAiCompatible::new(
        "local",
        fitness_coach::model::endpoint_url::EndpointUrl::parse("http://127.0.0.1:9/v1").unwrap(),
        None,
        fake.clock().http_env(),
        Timeouts::default(),
    )
    .unwrap();
    for _ in 0..2 {
        let error = gone.ask(&chat("hello"), &mut ()).await.unwrap_err();
        assert_eq!(error.kind, ModelErrorKind::Unreachable);
        assert!(error.to_string().contains("check that it is running"), "{error}");
    }
}

#[tokio::test]
async fn every_call_gets_an_id_of_its_own_even_when_the_server_gives_none() {
    let fake = FakeOpenAi::start(ToolSupport::Ollama, call_tool).await;
    let model = compatible(&fake);
    let mut request = chat("hello");
    let ids = |parts: &[ModelPart]| -> Vec<String> {
        parts
            .iter()
            .filter_map(|part| match part {
                ModelPart::Call { id, .. } => Some(id.clone()),
                ModelPart::Text { .. } | ModelPart::Sealed { .. } => None,
            })
            .collect()
    };
    let first = model.ask(&request, &mut ()).await.unwrap();
    let days: Vec<&Value> = first
        .parts
        .iter()
        .filter_map(|part| match part {
            ModelPart::Call { input, .. } => Some(&input["day"]),
            ModelPart::Text { .. } | ModelPart::Sealed { .. } => None,
        })
        .collect();
    assert_eq!(days, ["2026-06-14", "2026-06-15"], "two calls, although both are number 0");
    assert_eq!(ids(&first.parts), ["call_1", "call_2"]);
    append_tool_results(&mut request, "local", &first, |_| "fine".to_owned());
    request.messages.push(crate::harness::user_message("again"));
    let script = |_: &ScriptRequest| ScriptedReply::call("ask", json!({}));
    let other = FakeOpenAi::start(ToolSupport::Ollama, script).await;
    let second = compatible(&other).ask(&request, &mut ()).await.unwrap();
    assert_eq!(ids(&second.parts), ["call_3"]);
}

#[tokio::test]
async fn a_call_written_as_text_counts_only_when_it_is_one() {
    let said = [
        (r#"{"name":"look","arguments":{"day":"2026-06-14"}}"#, true),
        ("```json\n{\"name\":\"look\",\"arguments\":{}}\n```", true),
        (r#"{"name":"explode","arguments":{}}"#, false),
        (r#"{"name":"look","arguments":"#, false),
        ("{braces} are fine too", false),
    ];
    for (text, is_call) in said {
        let fake =
            FakeOpenAi::start(ToolSupport::Native, move |_: &ScriptRequest| ScriptedReply::text(text)).await;
        let mut ears = RecordingListener::default();
        let reply = compatible(&fake).ask(&chat("hello"), &mut ears).await.unwrap();
        assert_eq!(reply.stop_reason == StopReason::ToolCalls, is_call, "{text}");
        assert_eq!((ears.text.is_empty(), ears.calls.len()), (is_call, usize::from(is_call)), "{text}");
        if !is_call {
            assert_eq!(reply.text(), text);
        }
    }
}

#[tokio::test]
async fn server_without_schema_support_may_reply_with_text() {
    // As if the envelope had not been asked for: the fake says what a script's broken call has in
    // it.
    let talks = |_: &ScriptRequest| ScriptedReply::text("All is well.");
    let fake = FakeOpenAi::start(ToolSupport::Ignored, talks).await;
    let mut ears = RecordingListener::default();
    let reply = compatible(&fake).ask(&chat("hello"), &mut ears).await.unwrap();
    assert_eq!((reply.text().as_str(), ears.text.as_str()), ("All is well.", "All is well."));
}

#[tokio::test]
async fn thoughts_are_heard_and_are_no_part_of_the_answer() {
    for ability in [ToolSupport::Native, ToolSupport::Ignored] {
        let thinks = |_: &ScriptRequest| {
            ScriptedReply::new(vec![
                Block::Thought("hm, Tuesday".to_owned()),
                Block::Text("Rest.".to_owned()),
            ])
        };
        let fake = FakeOpenAi::start(ability, thinks).await;
        let mut ears = RecordingListener::default();
        let reply = compatible(&fake).ask(&chat("hello"), &mut ears).await.unwrap();
        assert_eq!((reply.text().as_str(), ears.thoughts.as_str()), ("Rest.", "hm, Tuesday"));
    }
}

#[tokio::test]
async fn a_shape_is_asked_for_in_words_that_a_grammar_can_be_made_of() {
    let brief = "{\"tone\":\"direct\",\"body\":\"Rest.\"}";
    let fake = FakeOpenAi::start(ToolSupport::Native, move |asked: &ScriptRequest| {
        assert!(asked.response_schema.is_some());
        ScriptedReply::text(brief)
    })
    .await;
    let reply = compatible(&fake).ask(&schema_request("brief me"), &mut ()).await.unwrap();
    assert_eq!(reply.text(), brief);
    assert_eq!(fake.requests()[0].body["response_format"]["json_schema"]["name"], "brief");
}

#[tokio::test]
async fn cached_prompt_tokens_are_reported_separately() {
    let fake = FakeOpenAi::start(ToolSupport::Native, |_: &ScriptRequest| ScriptedReply::text("ok")).await;
    let model = compatible(&fake);
    let usage = model.ask(&schema_request("hello"), &mut ()).await.unwrap().usage;
    assert_eq!(usage.cache_read, 0);
    let again = model.ask(&schema_request("hello"), &mut ()).await.unwrap().usage;
    assert!(again.cache_read > 10 && again.input < usage.input, "{again:?}");
}
