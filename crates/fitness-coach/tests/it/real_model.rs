//! Tests with a real, tiny model. `FITNESS_REAL_MODEL` is its URL, such as
//! `http://127.0.0.1:18080/v1`.

use crate::harness::{RecordingListener, chat, key, schema_request, tools};
use crate::official_clients::skip;
use fitness_coach::brief::{BriefInput, write_brief};
use fitness_coach::eval::{EvalCase, eval_cases};
use fitness_coach::model::anthropic::Claude;
use fitness_coach::model::catalog::ClaudeModel;
use fitness_coach::model::endpoint_url::EndpointUrl;
use fitness_coach::model::openai::{OpenAiCompatible, ToolCallMode};
use fitness_coach::model::{HttpEnv, Model as _, ModelErrorKind, ModelPart, Request, StopReason, Timeouts};
use fitness_coach::testkit::client;
use fitness_core::domain::units::UnitSystem;
use fitness_core::llm_output::brief::parse_brief;
use serde_json::{Value, json};
use std::time::Duration;

fn model(name: &str) -> Option<OpenAiCompatible> {
    model_within(name, Timeouts::default())
}

fn model_within(name: &str, limits: Timeouts) -> Option<OpenAiCompatible> {
    let Some(address) = std::env::var_os("FITNESS_REAL_MODEL") else {
        skip(name, "FITNESS_REAL_MODEL names no server");
        return None;
    };
    let address = EndpointUrl::parse(address.to_str().unwrap()).unwrap();
    let now = "2026-06-14T07:00:00Z".parse().unwrap();
    let means = HttpEnv::new(client(), move || now, |wait| tokio::time::sleep(wait.duration()));
    Some(OpenAiCompatible::new("local", address, None, means, limits).unwrap())
}

#[tokio::test]
async fn a_real_server_takes_what_we_send_and_we_take_what_it_says() {
    let Some(model) = model("a_real_server_takes_what_we_send_and_we_take_what_it_says") else { return };
    // Its template ignores tools, and nobody is told.
    assert_eq!(model.probe().await.unwrap(), ToolCallMode::Enveloped);
    let mut ears = RecordingListener::default();
    let request = Request { max_tokens: 400, ..schema_request("Sleep 5.1 h, recovery 34. Brief me.") };
    let reply = model.ask(&request, &mut ears).await.unwrap();
    if reply.stop_reason == StopReason::Done {
        let brief: Value = serde_json::from_str(&reply.text()).unwrap();
        assert!(
            brief["body"].is_string() && ["neutral", "direct"].contains(&brief["tone"].as_str().unwrap())
        );
    }
    assert_eq!(ears.text, reply.text());
    assert!(reply.usage.input + reply.usage.cache_read > 20 && reply.usage.output > 5, "{:?}", reply.usage);
    let request = Request { max_tokens: 200, ..chat("How did I sleep on 2026-06-14? Look it up.") };
    let mut ears = RecordingListener::default();
    match model.ask(&request, &mut ears).await {
        Ok(reply) if reply.stop_reason == StopReason::Done => assert_eq!(ears.text, reply.text()),
        Ok(reply) => match &reply.parts[..] {
            [ModelPart::Call { tool, .. }] => {
                assert!(tools().iter().any(|spec| spec.name == tool), "{reply:?}")
            }
            [ModelPart::Text { .. }] => assert_eq!(reply.stop_reason, StopReason::Length, "{reply:?}"),
            other => panic!("{other:?}"),
        },
        Err(error) => assert_eq!(error.kind, ModelErrorKind::Garbled, "{error:?}"),
    }
}

#[tokio::test]
async fn a_real_model_or_the_built_in_coach_writes_every_brief() {
    let limits = Timeouts { stall: Duration::from_secs(45), overall: Duration::from_secs(60) };
    let name = "a_real_model_or_the_built_in_coach_writes_every_brief";
    let Some(model) = model_within(name, limits) else { return };
    // A tiny model reads slowly: two mornings, and what takes too long is the built-in coach's.
    for trial in eval_cases().into_iter().skip(3) {
        let EvalCase { today, facts, notes, .. } = &trial;
        let morning = BriefInput { today: *today, facts, notes, units: UnitSystem::Metric };
        let written = write_brief(Some(&model), &morning, &mut ()).await;
        // Whoever wrote it, it keeps the contract, and it is said who.
        let text = serde_json::to_string(&written.briefing).unwrap();
        assert_eq!(parse_brief(text.as_bytes(), facts).unwrap(), written.briefing, "{}", trial.name);
        assert!(!written.rendered.contains("{{") && !written.rendered.is_empty());
        assert_eq!(written.author == "built-in", written.fallback_reason.is_some(), "{written:?}");
    }
}

#[tokio::test]
async fn a_real_server_refuses_what_is_too_long_and_we_say_so() {
    let Some(model) = model("a_real_server_refuses_what_is_too_long_and_we_say_so") else { return };
    let long = Request { tools: Vec::new(), ..chat(&"a long story ".repeat(9000)) };
    let error = model.ask(&long, &mut ()).await.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Request);
    assert!(error.to_string().contains("start a new one"), "{error}");
}

#[tokio::test]
async fn a_real_server_makes_grammars_of_large_schemas() {
    let Some(model) = model("a_real_server_makes_grammars_of_large_schemas") else { return };
    let schema = json!({
        "type": "object",
        "properties": {
            "text": { "type": "string", "maxLength": 90_000 },
            "count": { "type": "integer", "minimum": 1, "maximum": 99 },
            "maybe": { "type": ["number", "null"] },
            "list": { "type": "array", "items": { "$ref": "#/$defs/One" } },
            "code": { "type": "string", "pattern": "^[a-z]{3}-[0-9]+$" },
        },
        "required": ["count"],
        "$defs": { "One": { "oneOf": [{ "const": "a" }, { "type": "object", "properties": { "day": { "type": "string", "format": "date" } }, "required": ["day"] }] } },
    });
    let mut request = Request { max_tokens: 60, ..schema_request("Count to three.") };
    request.response_schema = Some(fitness_coach::model::ResponseSchema { name: "large", schema });
    let reply = model.ask(&request, &mut ()).await.unwrap();
    assert!(matches!(reply.stop_reason, StopReason::Done | StopReason::Length), "{reply:?}");
    let contract = include_str!("../../../../docs/schema/plan_modification.json");
    let mut request = Request { max_tokens: 20, ..chat("Make Thursday easier.") };
    request.tools[0].input_schema = serde_json::from_str(contract).unwrap();
    let reply = model.ask(&request, &mut ()).await.unwrap();
    assert!(
        matches!(reply.stop_reason, StopReason::Done | StopReason::ToolCalls | StopReason::Length),
        "{reply:?}"
    );
}

#[tokio::test]
async fn a_second_implementation_of_the_messages_api_is_understood() {
    let name = "a_second_implementation_of_the_messages_api_is_understood";
    let Some(address) = std::env::var_os("FITNESS_REAL_MODEL") else {
        return skip(name, "FITNESS_REAL_MODEL names no server");
    };
    let address = address.to_str().unwrap().trim_end_matches("/v1").to_owned();
    let now = "2026-06-14T07:00:00Z".parse().unwrap();
    let means = HttpEnv::new(client(), move || now, |wait| tokio::time::sleep(wait.duration()));
    let address = EndpointUrl::parse(&address).unwrap();
    let claude = Claude::new(ClaudeModel::Sonnet, address, &key(), means, Timeouts::default()).unwrap();
    let request = Request { tools: Vec::new(), max_tokens: 40, ..chat("Say hello.") };
    let mut ears = RecordingListener::default();
    let reply = claude.ask(&request, &mut ears).await.unwrap();
    assert!(matches!(reply.stop_reason, StopReason::Done | StopReason::Length), "{reply:?}");
    assert!(!reply.text().is_empty() && ears.text == reply.text() && reply.usage.output > 0, "{reply:?}");
}
