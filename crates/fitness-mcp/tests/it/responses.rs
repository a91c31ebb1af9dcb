//! Results of tools, prompts and resources.

use crate::raw_client::{athlete, call, endpoint, request, request_old};
use crate::tool_list::{READ_TOOLS, WRITE_TOOLS};
use fitness_mcp::Scope;
use fitness_mcp::testkit::InMemoryAthlete;
use serde_json::{Value, json};
use std::sync::Arc;

/// A valid input for each tool.
pub(crate) fn valid_input(tool: &str) -> Value {
    let week = json!({ "from": "2026-06-01", "through": "2026-06-07" });
    let proposal = json!({
        "modifications": [{
            "workout_id": "11", "date": "2026-06-09", "original_name": "Easy run", "action": "skip",
            "changes": { "notes": "Rest today." },
        }],
        "new_workouts": [],
        "athlete_message": "Rest today, go on tomorrow.",
    });
    match tool {
        "metric_series" => json!({ "metric": "fitness", "from": "2026-06-01", "through": "2026-06-07" }),
        "activity_detail" => json!({ "activity_id": 7 }),
        "compare_periods" => json!({ "this": week, "that": week }),
        "suggest_note" => json!({ "text": "Prefers hills." }),
        "suggest_observation" => json!({ "kind": "illness", "from": "2026-06-08", "value": 1 }),
        "draft_training_plan" => json!({ "goal": "half", "race_date": "2026-09-06" }),
        "propose_modification" => proposal,
        "propose_week" => json!({
            "plan_summary": { "focus": "Easy" },
            "workouts": [{
                "day": "monday", "date": "2026-06-15", "name": "Easy run", "sport": "running",
                "duration_minutes": 40, "estimated_tss": 30, "description": "Easy",
            }],
            "athlete_message": "An easy week.",
        }),
        _ => json!({}),
    }
}

#[tokio::test]
async fn every_result_matches_the_output_schema() {
    let (ann, endpoint) = (athlete("Ann"), endpoint());
    let guest = ann.client(Scope::Draft);
    let list = request(&endpoint, &guest, "tools/list", json!({})).await.result();
    for tool in list["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let input = valid_input(name);
        jsonschema::validate(&tool["inputSchema"], &input).unwrap_or_else(|why| panic!("{name}: {why}"));
        let result = call(&endpoint, &guest, name, input).await;
        assert_eq!(result["isError"], false, "{name}: {result}");
        let answer = &result["structuredContent"];
        jsonschema::options()
            .should_validate_formats(true)
            .build(&tool["outputSchema"])
            .unwrap()
            .validate(answer)
            .unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(answer["data_through"], "2026-06-08", "{name}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), *answer, "the text is the same answer");
        assert_eq!(text, answer.to_string(), "and compact");
    }
    let written: Vec<&str> = ann.writes().iter().map(|(tool, _)| tool.as_str()).collect();
    assert_eq!(written, WRITE_TOOLS);
}

#[tokio::test]
async fn pending_drafts_and_proposals_include_a_review_link() {
    let (ann, endpoint) = (athlete("Ann"), endpoint());
    let guest = ann.client(Scope::Draft);
    for tool in WRITE_TOOLS {
        let result = call(&endpoint, &guest, tool, valid_input(tool)).await;
        let link = result["structuredContent"]["review"].as_str().unwrap();
        let said = result["content"][1]["text"].as_str().unwrap();
        assert!(said.contains(link) && said.contains("Nothing has changed yet"), "{said}");
    }
    for tool in READ_TOOLS {
        let result = call(&endpoint, &guest, tool, valid_input(tool)).await;
        assert_eq!(result["content"].as_array().unwrap().len(), 1, "{tool}");
    }
    let draft = call(&endpoint, &guest, "draft_training_plan", valid_input("draft_training_plan")).await;
    assert_eq!(draft["structuredContent"]["status"], "draft");
}

#[tokio::test]
async fn tool_errors_are_returned_as_sentences() {
    let (ann, endpoint) = (athlete("Ann"), endpoint());
    let guest = ann.client(Scope::Draft);
    let wrong = [
        (
            "draft_training_plan",
            json!({ "goal": "half", "race_date": "2020-01-01" }),
            "race date is in the past",
        ),
        (
            "draft_training_plan",
            json!({ "goal": "half", "race_date": "2026-09-01", "status": "active" }),
            "status",
        ),
        ("daily_snapshot", json!({ "user_id": 2 }), "user_id"),
        ("daily_snapshot", json!({ "date": "yesterday" }), "Invalid input"),
        ("activity_detail", json!({ "activity_id": 8 }), "there is no such activity"),
        ("activity_detail", json!({}), "activity_id"),
        ("propose_week", json!({ "workouts": "none" }), "workouts"),
    ];
    for (tool, input, part) in wrong {
        let result = call(&endpoint, &guest, tool, input).await;
        assert_eq!(result["isError"], true, "{tool}");
        assert!(result["content"].to_string().contains(part), "{tool}: {result}");
        assert!(result.get("structuredContent").is_none(), "{tool}");
    }
    assert!(ann.writes().is_empty());
    let two =
        call(&endpoint, &guest, "draft_training_plan", json!({ "goal": "half", "race_date": "2020-01-01" }))
            .await;
    assert_eq!(two["content"].as_array().unwrap().len(), 2, "a sentence each");
}

#[tokio::test]
async fn both_prompts_are_listed_unchanged() {
    let (ann, endpoint) = (athlete("Ann"), endpoint());
    let guest = ann.client(Scope::Read);
    let list = request(&endpoint, &guest, "prompts/list", json!({})).await.result();
    let names: Vec<_> = list["prompts"].as_array().unwrap().iter().map(|prompt| &prompt["name"]).collect();
    assert_eq!(names, ["coach", "brief"]);
    for (name, text) in [("coach", "You are a coach."), ("brief", "Write the brief.")] {
        let prompt = request(&endpoint, &guest, "prompts/get", json!({ "name": name })).await.result();
        assert_eq!(
            prompt["messages"],
            json!([{ "role": "user", "content": { "type": "text", "text": text } }])
        );
    }
    assert_eq!(request(&endpoint, &guest, "prompts/get", json!({ "name": "admin" })).await.code(), -32602);
}

#[tokio::test]
async fn the_brief_the_plan_and_the_schemas_can_be_read() {
    let (ann, endpoint) = (athlete("Ann"), endpoint());
    let guest = ann.client(Scope::Read);
    let list = request(&endpoint, &guest, "resources/list", json!({})).await.result();
    let uris: Vec<&str> = list["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|resource| resource["uri"].as_str().unwrap())
        .collect();
    assert_eq!(
        uris,
        [
            "fitness://brief/latest",
            "fitness://plan",
            "fitness://schema/plan_modification.json",
            "fitness://schema/weekly_plan.json",
        ]
    );
    for (at, uri) in uris.iter().enumerate() {
        let result = request(&endpoint, &guest, "resources/read", json!({ "uri": uri })).await.result();
        let read = &result["contents"][0];
        assert_eq!((&read["uri"], &read["mimeType"]), (&json!(uri), &list["resources"][at]["mimeType"]));
        let text = read["text"].as_str().unwrap();
        match *uri {
            "fitness://brief/latest" => assert_eq!(text, "# Good morning, Ann"),
            "fitness://plan" => {
                let progress = call(&endpoint, &guest, "plan_progress", json!({})).await;
                assert_eq!(text, progress["structuredContent"].to_string());
            }
            schema => {
                let file = schema.rsplit('/').next().unwrap();
                let path = format!("{}/../../docs/schema/{file}", env!("CARGO_MANIFEST_DIR"));
                let written: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
                assert_eq!(serde_json::from_str::<Value>(text).unwrap(), written);
            }
        }
        assert_eq!((&result["cacheScope"], &result["ttlMs"]), (&json!("private"), &json!(5000)));
    }
}

#[tokio::test]
async fn missing_resource_error_follows_the_protocol_version() {
    let endpoint = endpoint();
    let guest = Arc::new(InMemoryAthlete::new("Ben")).client(Scope::Read);
    for uri in ["fitness://brief/latest", "fitness://brief/2026-06-08", "file:///etc/passwd", ""] {
        let params = json!({ "uri": uri });
        let modern = request(&endpoint, &guest, "resources/read", params.clone()).await;
        let old = request_old(&endpoint, &guest, "resources/read", params).await;
        assert_eq!(old.code(), -32002, "{uri}");
        // The `Mcp-Name` header must not be empty.
        let expected = if uri.is_empty() { -32020 } else { -32602 };
        assert_eq!(modern.code(), expected, "{uri}");
    }
}
