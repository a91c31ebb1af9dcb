//! MCP resources: the latest brief, the active plan and the schemas of both proposal formats.

use crate::{McpClient, tools};
use fitness_coach::tools::{Tool, ToolName};
use fitness_core::coach_api::CoachApiError;
use fitness_core::llm_output::{ResponseKind, schema};
use rmcp::ErrorData;
use rmcp::model::{Resource, ResourceContents};

const BRIEF_URI: &str = "fitness://brief/latest";
const PLAN_URI: &str = "fitness://plan";
const MODIFICATION_SCHEMA_URI: &str = "fitness://schema/plan_modification.json";
const WEEK_SCHEMA_URI: &str = "fitness://schema/weekly_plan.json";

const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/json";
const SCHEMA: &str = "application/schema+json";

/// Every resource, in a fixed order.
pub(crate) fn list() -> Vec<Resource> {
    let row = |uri, name, title, kind, about| {
        Resource::new(uri, name).with_title(title).with_mime_type(kind).with_description(about)
    };
    vec![
        row(
            BRIEF_URI,
            "latest_brief",
            "Latest brief",
            MARKDOWN,
            "The latest daily brief for the athlete, in Markdown.",
        ),
        row(
            PLAN_URI,
            "plan",
            "Active plan",
            JSON,
            "The active plan with every workout and its verdict: the result of `plan_progress`.",
        ),
        row(
            MODIFICATION_SCHEMA_URI,
            "plan_modification",
            "Schema of a plan change",
            SCHEMA,
            "JSON Schema of the input of `propose_modification`.",
        ),
        row(
            WEEK_SCHEMA_URI,
            "weekly_plan",
            "Schema of a week",
            SCHEMA,
            "JSON Schema of the input of `propose_week`.",
        ),
    ]
}

pub(crate) async fn read(client: &McpClient, uri: &str) -> Result<ResourceContents, ErrorData> {
    let (kind, text) = match uri {
        BRIEF_URI => match client.provider.latest_brief().await.map_err(to_error_data)? {
            Some(brief) => (MARKDOWN, brief),
            None => return Err(not_found("There is no brief yet.", uri)),
        },
        PLAN_URI => {
            let tool = Tool::find(ToolName::PlanProgress.as_str())
                .ok_or_else(|| to_error_data(CoachApiError::Internal))?;
            (JSON, tools::run_tool(client, tool, None).await.map_err(to_error_data)?.to_string())
        }
        MODIFICATION_SCHEMA_URI => (SCHEMA, schema(ResponseKind::Modification).to_string()),
        WEEK_SCHEMA_URI => (SCHEMA, schema(ResponseKind::Week).to_string()),
        _ => {
            return Err(not_found("Unknown resource. Call `resources/list` for the available ones.", uri));
        }
    };
    Ok(ResourceContents::text(text, uri).with_mime_type(kind))
}

fn not_found(why: &'static str, uri: &str) -> ErrorData {
    ErrorData::resource_not_found(why, Some(serde_json::json!({ "uri": uri })))
}

fn to_error_data(why: CoachApiError) -> ErrorData {
    ErrorData::internal_error(why.to_string(), None)
}
