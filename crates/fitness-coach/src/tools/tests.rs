use super::*;

/// A new tool must be added here too, so that none reaches a model unnoticed.
#[test]
fn the_table_holds_exactly_these_tools() {
    let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "daily_snapshot",
            "metric_series",
            "activities",
            "activity_detail",
            "compare_periods",
            "training_load",
            "plan_progress",
            "predict_finish",
            "notes",
            "suggest_note",
            "suggest_observation",
            "draft_training_plan",
            "propose_modification",
            "propose_week",
        ]
    );
    assert_eq!(names.len(), ToolName::ALL.len());
}

#[test]
fn no_tool_takes_a_user_or_a_status() {
    for tool in TOOLS {
        let schema = tool.input_schema();
        assert_eq!(schema["type"], "object", "{}", tool.name);
        assert_eq!(schema["additionalProperties"], false, "{} takes what it does not know", tool.name);
        let keys: Vec<&String> =
            schema["properties"].as_object().map(|keys| keys.keys().collect()).unwrap_or_default();
        for banned in ["user", "user_id", "athlete", "status", "override", "overrides", "consent", "now"] {
            assert!(!keys.iter().any(|key| *key == banned), "{} takes {banned}", tool.name);
        }
    }
}

#[test]
fn every_output_schema_has_data_through() {
    for tool in TOOLS {
        let schema = tool.output_schema();
        assert_eq!(schema["type"], "object", "{}", tool.name);
        assert!(schema.pointer("/properties/data_through").is_some(), "{}", tool.name);
    }
}

/// Clients validate results against the schema, so fields that can be absent must not be required.
#[test]
fn optional_fields_are_not_required() {
    let required = |name: &str| Tool::find(name).unwrap().output_schema()["required"].clone();
    assert_eq!(required("draft_training_plan"), json!(["plan_id", "status", "review", "data_through"]));
    assert_eq!(required("plan_progress"), json!(["data_through"]));
    assert_eq!(required("propose_week"), json!(["data_through"]));
}

#[test]
fn schemas_have_no_external_references() {
    for tool in TOOLS {
        for schema in [tool.input_schema(), tool.output_schema()] {
            assert!(!schema.to_string().contains("$ref") || schema.get("$defs").is_some(), "{}", tool.name);
        }
    }
}
