//! The coach's tools as MCP tool definitions, and `tools/call`.

use crate::{McpClient, Scope};
use fitness_coach::tools::{TOOLS, Tool, ToolAccess};
use fitness_core::coach_api::CoachApiError;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool as McpTool, ToolAnnotations};
use serde_json::Value;
use std::sync::Arc;

/// The tools that a client with this scope may call, in the order of the table.
pub(crate) fn list(scope: Scope) -> Vec<McpTool> {
    TOOLS.iter().filter(|tool| tool.is_allowed_for(scope)).map(tool_definition).collect()
}

fn tool_definition(tool: &Tool) -> McpTool {
    let mut definition =
        McpTool::new(tool.name.as_str(), tool.description, schema_object(tool.input_schema()))
            .with_title(tool.progress_label)
            .with_annotations(annotations(tool));
    definition.output_schema = Some(schema_object(tool.output_schema()));
    definition
}

/// All four hints are set: by default a tool counts as destructive and open-world.
fn annotations(tool: &Tool) -> ToolAnnotations {
    let reads = tool.access == ToolAccess::Read;
    ToolAnnotations::with_title(tool.progress_label)
        .read_only(reads)
        .destructive(false)
        .idempotent(reads)
        .open_world(false)
}

fn schema_object(mut schema: Value) -> Arc<JsonObject> {
    remove_number_formats(&mut schema);
    Arc::new(match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    })
}

/// Removes number formats such as `int64`: they are not in JSON Schema, and clients warn about
/// them.
fn remove_number_formats(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let width = |format: &str| {
                format.starts_with("int")
                    || format.starts_with("uint")
                    || matches!(format, "float" | "double")
            };
            if fields.get("format").and_then(Value::as_str).is_some_and(width) {
                fields.remove("format");
            }
            fields.values_mut().for_each(remove_number_formats);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_number_formats),
        _ => {}
    }
}

/// Runs a tool. Errors are tool results, so that the model can act on them.
pub(crate) async fn call(client: &McpClient, tool: &Tool, input: Option<JsonObject>) -> CallToolResult {
    let result = match input {
        _ if !tool.is_allowed_for(client.scope) => Err(CoachApiError::invalid(format!(
            "This client may only read, and `{}` writes. Nothing was written. Tell the athlete: for drafts and \
             proposals they can create a token with the scope `{}`.",
            tool.name,
            Scope::Draft,
        ))),
        input => run_tool(client, tool, input).await,
    };
    match result {
        Ok(answer) => {
            let mut content = vec![ContentBlock::text(answer.to_string())];
            if let Some(link) = answer.get("review").and_then(Value::as_str) {
                content.push(ContentBlock::text(format!(
                    "Nothing has changed yet. The athlete reviews it and decides here: {link}"
                )));
            }
            let mut result = CallToolResult::success(content);
            result.structured_content = Some(answer);
            result
        }
        Err(CoachApiError::Refused(sentences)) => {
            CallToolResult::error(sentences.into_iter().map(ContentBlock::text).collect())
        }
        Err(why) => CallToolResult::error(vec![ContentBlock::text(why.to_string())]),
    }
}

pub(crate) async fn run_tool(
    client: &McpClient,
    tool: &Tool,
    input: Option<JsonObject>,
) -> Result<Value, CoachApiError> {
    let api = client.provider.coach_api().await?;
    tool.call(api.as_ref(), input.map_or(Value::Null, Value::Object)).await
}
