//! What can be read without calling a tool: the latest brief, the plan, and the forms a proposal takes.

use crate::{Guest, tools};
use fitness_coach::tools::{Tool, ToolName};
use fitness_core::coach_api::DeskError;
use fitness_core::llm_output::{Kind, schema};
use rmcp::ErrorData;
use rmcp::model::{Resource, ResourceContents};

const BRIEF: &str = "fitness://brief/latest";
const PLAN: &str = "fitness://plan";
const MODIFICATION: &str = "fitness://schema/plan_modification.json";
const WEEK: &str = "fitness://schema/weekly_plan.json";

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
            BRIEF,
            "latest_brief",
            "The latest brief",
            MARKDOWN,
            "What the coach last wrote for the morning.",
        ),
        row(
            PLAN,
            "plan",
            "The plan",
            JSON,
            "The active plan with every workout and its verdict, as `plan_progress` tells it.",
        ),
        row(
            MODIFICATION,
            "plan_modification",
            "The form of a change",
            SCHEMA,
            "The JSON Schema of what `propose_modification` takes.",
        ),
        row(
            WEEK,
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
pub(crate) async fn read(guest: &Guest, uri: &str) -> Result<ResourceContents, ErrorData> {
    let (kind, text) = match uri {
        BRIEF => match guest.host.latest_brief().await.map_err(told)? {
            Some(brief) => (MARKDOWN, brief),
            None => return Err(missing("There is no brief yet.", uri)),
        },
        PLAN => {
            let tool = Tool::find(ToolName::PlanProgress.as_str()).ok_or_else(|| told(DeskError::Broken))?;
            (JSON, tools::answer(guest, tool, None).await.map_err(told)?.to_string())
        }
        MODIFICATION => (SCHEMA, schema(Kind::Modification).to_string()),
        WEEK => (SCHEMA, schema(Kind::Week).to_string()),
        _ => return Err(missing("There is no such resource. `resources/list` names those there are.", uri)),
    };
    Ok(ResourceContents::text(text, uri).with_mime_type(kind))
}

fn missing(why: &'static str, uri: &str) -> ErrorData {
    ErrorData::resource_not_found(why, Some(serde_json::json!({ "uri": uri })))
}

fn told(why: DeskError) -> ErrorData {
    ErrorData::internal_error(why.to_string(), None)
}
