//! The coach's table of tools, as the protocol tells it.

use crate::{McpClient, Scope};
use fitness_coach::tools::{TOOLS, Tool, ToolAccess};
use fitness_core::coach_api::CoachApiError;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool as ToldTool, ToolAnnotations};
use serde_json::Value;
use std::sync::Arc;

/// Every tool within reach, in the order of the table.
pub(crate) fn list(scope: Scope) -> Vec<ToldTool> {
    TOOLS.iter().filter(|tool| tool.is_allowed_for(scope)).map(tool_definition).collect()
}

fn tool_definition(tool: &Tool) -> ToldTool {
    let mut told = ToldTool::new(tool.name.as_str(), tool.description, schema_object(tool.input_schema()))
        .with_title(tool.progress_label)
        .with_annotations(annotations(tool));
    told.output_schema = Some(schema_object(tool.output_schema()));
    told
}

/// All four are said: left out, a draft would count as destructive and as reaching into the open world.
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

/// Takes out how many bits a number has: no word of JSON Schema, and clients complain of each.
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

/// Runs a tool for a guest. What goes wrong is told to the model, which can act on it.
pub(crate) async fn call(guest: &McpClient, tool: &Tool, input: Option<JsonObject>) -> CallToolResult {
    let answer = match input {
        _ if !tool.is_allowed_for(guest.scope) => Err(CoachApiError::invalid(format!(
            "This client may only read, and `{}` leaves something for the athlete. Nothing was written. Tell them; for \
             drafts and proposals they can make a token with the scope `{}`.",
            tool.name,
            Scope::Draft,
        ))),
        input => run_tool(guest, tool, input).await,
    };
    match answer {
        Ok(answer) => {
            let mut content = vec![ContentBlock::text(answer.to_string())];
            if let Some(link) = answer.get("review").and_then(Value::as_str) {
                content.push(ContentBlock::text(format!(
                    "Nothing has changed yet. The athlete reads this and decides here: {link}"
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

/// Runs a tool at a fresh desk.
pub(crate) async fn run_tool(
    guest: &McpClient,
    tool: &Tool,
    input: Option<JsonObject>,
) -> Result<Value, CoachApiError> {
    let desk = guest.provider.coach_api().await?;
    tool.call(desk.as_ref(), input.map_or(Value::Null, Value::Object)).await
}
