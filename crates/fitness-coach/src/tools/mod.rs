//! The tools of the coach, the same in chat and over MCP.
//!
//! Every tool reads, suggests or drafts through a [`CoachApi`] that is bound to one athlete. No
//! tool makes a decision that belongs to the athlete.

mod table;
#[cfg(test)]
mod tests;

pub use table::TOOLS;

use crate::model::ToolSpec;
use fitness_core::coach_api::{CoachApi, CoachApiError, CoachFuture, Scope};
use fitness_core::domain::calendar::Day;
use fitness_core::string_enum;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// Longest result of a tool, in bytes of JSON.
pub const MAX_RESULT_BYTES: usize = 64 * 1024;

string_enum! {
    /// Name of a tool.
    pub enum ToolName("tool") {
        DailySnapshot = "daily_snapshot",
        MetricSeries = "metric_series",
        Activities = "activities",
        ActivityDetail = "activity_detail",
        ComparePeriods = "compare_periods",
        TrainingLoad = "training_load",
        PlanProgress = "plan_progress",
        PredictFinish = "predict_finish",
        Notes = "notes",
        SuggestNote = "suggest_note",
        SuggestObservation = "suggest_observation",
        DraftTrainingPlan = "draft_training_plan",
        ProposeModification = "propose_modification",
        ProposeWeek = "propose_week",
    }
}

string_enum! {
    /// Outcome of a tool call.
    pub enum CallStatus("outcome of a call") {
        Done = "done",
        /// Invalid input, which the model can correct.
        Refused = "refused",
        Failed = "failed",
        /// The turn ended before the tool returned.
        Stopped = "stopped",
    }
}

impl CallStatus {
    /// Outcome of a call from its result text, which may come from a stored conversation.
    #[must_use]
    pub fn new(text: &str, refused: bool) -> Self {
        match text {
            _ if !refused => Self::Done,
            STOPPED_MESSAGE => Self::Stopped,
            text if text == CoachApiError::Internal.to_string() => Self::Failed,
            _ => Self::Refused,
        }
    }
}

/// Result text of a call that was cancelled. Stored in conversations and matched by
/// [`Outcome::new`].
pub(crate) const STOPPED_MESSAGE: &str = "Stopped before it was answered.";

/// Label of a call in the chat. It never contains text of the model: an unknown tool name is
/// hidden.
#[must_use]
pub fn label(tool: &str, outcome: CallStatus) -> String {
    match (Tool::find(tool), outcome) {
        (Some(tool), CallStatus::Done) => tool.done_label.to_owned(),
        (Some(tool), _) => format!("{}: {outcome}", tool.progress_label),
        (None, _) => format!("Unknown tool: {outcome}"),
    }
}

/// What a tool may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolAccess {
    Read,
    /// Creates something that has no effect until the athlete accepts it.
    Write,
}

#[derive(Debug, Clone, Copy)]
pub struct Tool {
    pub name: ToolName,
    /// Label in the chat while it runs.
    pub progress_label: &'static str,
    /// Label in the chat when it is done.
    pub done_label: &'static str,
    /// Description for models and MCP clients: what it does, when to use it, what it returns.
    pub description: &'static str,
    pub access: ToolAccess,
    input: fn() -> Value,
    output: fn() -> Value,
    run: for<'a> fn(&'a dyn CoachApi, Value) -> CoachFuture<'a, Value>,
}

impl Tool {
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name.as_str() == name)
    }

    /// Whether a client with this scope may call it.
    #[must_use]
    pub const fn is_allowed_for(&self, scope: Scope) -> bool {
        match (scope, self.access) {
            (_, ToolAccess::Read) | (Scope::Draft, ToolAccess::Write) => true,
            (Scope::Read, ToolAccess::Write) => false,
        }
    }

    /// JSON Schema of the input.
    #[must_use]
    pub fn input_schema(&self) -> Value {
        (self.input)()
    }

    /// JSON Schema of the result, which always has `data_through`.
    #[must_use]
    pub fn output_schema(&self) -> Value {
        let mut schema = (self.output)();
        if let Some(properties) = schema.pointer_mut("/properties").and_then(Value::as_object_mut) {
            properties.insert(DATA_THROUGH_KEY.to_owned(), data_through_schema());
        }
        if let Some(fields) = schema.as_object_mut() {
            let required = fields.entry("required").or_insert_with(|| json!([]));
            if let Some(required) = required.as_array_mut() {
                required.push(json!(DATA_THROUGH_KEY));
            }
        }
        schema
    }

    /// Definition for a model.
    #[must_use]
    pub fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.as_str(),
            description: self.description,
            input_schema: self.input_schema(),
        }
    }

    /// Runs the tool. Every result has `data_through`; a result over [`MAX_RESULT_BYTES`] is
    /// refused.
    pub async fn call(&self, desk: &dyn CoachApi, input: Value) -> Result<Value, CoachApiError> {
        let input = if input.is_null() { json!({}) } else { input };
        let mut answer = (self.run)(desk, input).await?;
        let through: Option<Day> = desk.data_through().await?;
        if let Some(fields) = answer.as_object_mut() {
            fields.insert(DATA_THROUGH_KEY.to_owned(), json!(through));
        }
        if answer.to_string().len() > MAX_RESULT_BYTES {
            return Err(CoachApiError::invalid(
                "The result would be too long. Request fewer days or entries.",
            ));
        }
        Ok(answer)
    }
}

/// Definitions of all tools, in the order of the table.
#[must_use]
pub fn specs() -> Vec<ToolSpec> {
    // Cached: every model call needs them.
    static SPECS: LazyLock<Vec<ToolSpec>> = LazyLock::new(|| TOOLS.iter().map(Tool::spec).collect());
    SPECS.clone()
}

const DATA_THROUGH_KEY: &str = "data_through";

fn data_through_schema() -> Value {
    json!({
        "type": ["string", "null"],
        "format": "date",
        "description": "Last day with complete data, YYYY-MM-DD, for example 2026-11-16; null without data. Later days are not graded.",
    })
}

/// JSON Schema of a request type, without `$ref`.
fn input_schema_of<T: JsonSchema>() -> Value {
    inlined_schema::<T>(SchemaSettings::draft2020_12())
}

/// JSON Schema of a response type: fields that are left out when empty are not required.
fn schema_of_response<T: JsonSchema>() -> Value {
    inlined_schema::<T>(SchemaSettings::draft2020_12().for_serialize())
}

fn inlined_schema<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    schema.to_value()
}

fn parse_input<T: DeserializeOwned>(tool: ToolName, input: Value) -> Result<T, CoachApiError> {
    serde_json::from_value(input).map_err(|why| {
        CoachApiError::invalid(format!("Invalid input for `{tool}`: {why}. See its input schema."))
    })
}

fn to_result<T: Serialize>(response: &T) -> Result<Value, CoachApiError> {
    serde_json::to_value(response).map_err(|_| CoachApiError::Internal)
}
