//! What can be read without calling a tool: the latest brief, the plan, and the forms a proposal takes.

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
            "The latest brief",
            MARKDOWN,
            "What the coach last wrote for the morning.",
        ),
        row(
            PLAN_URI,
            "plan",
            "The plan",
            JSON,
            "The active plan with every workout and its verdict, as `plan_progress` tells it.",
        ),
        row(
            MODIFICATION_SCHEMA_URI,
            "plan_modification",
            "The form of a change",
            SCHEMA,
            "The JSON Schema of what `propose_modification` takes.",
        ),
        row(
            WEEK_SCHEMA_URI,
            "weekly_plan",
            "The form of a week",
            SCHEMA,
            "The JSON Schema of what `propose_week` takes.",
        ),
    ]
}

/// What a resource holds.
///
/// # Errors
/// That there is no such resource or nothing in it yet, or that it could not be looked up.
pub(crate) async fn read(guest: &McpClient, uri: &str) -> Result<ResourceContents, ErrorData> {
    let (kind, text) = match uri {
        BRIEF_URI => match guest.provider.latest_brief().await.map_err(to_error_data)? {
            Some(brief) => (MARKDOWN, brief),
            None => return Err(not_found("There is no brief yet.", uri)),
        },
        PLAN_URI => {
            let tool = Tool::find(ToolName::PlanProgress.as_str())
                .ok_or_else(|| to_error_data(CoachApiError::Internal))?;
            (JSON, tools::run_tool(guest, tool, None).await.map_err(to_error_data)?.to_string())
        }
        MODIFICATION_SCHEMA_URI => (SCHEMA, schema(ResponseKind::Modification).to_string()),
        WEEK_SCHEMA_URI => (SCHEMA, schema(ResponseKind::Week).to_string()),
        _ => {
            return Err(not_found("There is no such resource. `resources/list` names those there are.", uri));
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
