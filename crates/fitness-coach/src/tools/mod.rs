//! The table of tools: the same for chat, for the chips a page shows, and over MCP. Nothing else exists.
//!
//! Every tool reads, suggests or drafts, through a [`CoachDesk`] that is bound to one athlete. What only a human may
//! decide has no row here, and no name in this crate.

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

/// The longest answer of a tool, in bytes.
pub const MAX_RESULT_BYTES: usize = 64 * 1024;

string_enum! {
    /// Every tool there is.
    pub enum ToolName("tool") {
        /// What is known of a morning.
        DailySnapshot = "daily_snapshot",
        /// One metric, day by day.
        MetricSeries = "metric_series",
        /// Activities, newest first.
        Activities = "activities",
        /// One activity in full.
        ActivityDetail = "activity_detail",
        /// Two stretches of days side by side.
        ComparePeriods = "compare_periods",
        /// Fitness, fatigue, form and the weeks behind them.
        TrainingLoad = "training_load",
        /// The active plan with every verdict.
        PlanProgress = "plan_progress",
        /// A finish time with its band.
        PredictFinish = "predict_finish",
        /// The athlete's notes and marks.
        Notes = "notes",
        /// A note for the athlete to accept.
        SuggestNote = "suggest_note",
        /// An observation for the athlete to accept.
        SuggestObservation = "suggest_observation",
        /// A draft of a plan.
        DraftTrainingPlan = "draft_training_plan",
        /// A change to the active plan, as a proposal.
        ProposeModification = "propose_modification",
        /// A whole week, as a proposal.
        ProposeWeek = "propose_week",
    }
}

string_enum! {
    /// What became of a call.
    pub enum Outcome("outcome of a call") {
        /// The tool answered.
        Done = "done",
        /// The tool did not do what was asked, for a reason the model can change.
        Refused = "refused",
        /// The tool could not answer.
        Failed = "failed",
        /// The turn ended before the tool had answered.
        Stopped = "stopped",
    }
}

impl Outcome {
    /// The outcome of a call that was answered with this text.
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

/// What a call is answered with that was stopped before its tool had answered.
pub(crate) const STOPPED_MESSAGE: &str = "Stopped before it was answered.";

/// What an athlete is shown of a call. It never holds words of the model: a name that is none of ours is not shown.
#[must_use]
pub fn label(tool: &str, outcome: Outcome) -> String {
    match (Tool::find(tool), outcome) {
        (Some(tool), Outcome::Done) => tool.done_label.to_owned(),
        (Some(tool), _) => format!("{}: {outcome}", tool.progress_label),
        (None, _) => format!("Unknown tool: {outcome}"),
    }
}

/// How far a tool reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolAccess {
    /// It only looks.
    Read,
    /// It leaves something that waits for the athlete, and counts for nothing until then.
    Write,
}

/// A tool.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// What it is called, by models and over MCP.
    pub name: ToolName,
    /// What a page shows while it runs.
    pub progress_label: &'static str,
    /// What a page shows when it has run.
    pub done_label: &'static str,
    /// What a model is told of it.
    pub description: &'static str,
    /// How far it reaches.
    pub access: ToolAccess,
    input: fn() -> Value,
    output: fn() -> Value,
    run: for<'a> fn(&'a dyn CoachApi, Value) -> CoachFuture<'a, Value>,
}

impl Tool {
    /// The tool of a name, when there is one.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name.as_str() == name)
    }

    /// Whether a program of a scope may call it.
    #[must_use]
    pub const fn is_allowed_for(&self, scope: Scope) -> bool {
        match (scope, self.access) {
            (_, ToolAccess::Read) | (Scope::Draft, ToolAccess::Write) => true,
            (Scope::Read, ToolAccess::Write) => false,
        }
    }

    /// The JSON Schema of what it takes.
    #[must_use]
    pub fn input_schema(&self) -> Value {
        (self.input)()
    }

    /// The JSON Schema of what it answers.
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

    /// As a model is told of it.
    #[must_use]
    pub fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.as_str(),
            description: self.description,
            input_schema: self.input_schema(),
        }
    }

    /// Runs it. The answer says how far the data reaches, whatever else it says.
    ///
    /// # Errors
    /// What was wrong with the asking, in words for a model; or that the answer would be too long.
    pub async fn call(&self, desk: &dyn CoachApi, input: Value) -> Result<Value, CoachApiError> {
        let input = if input.is_null() { json!({}) } else { input };
        let mut answer = (self.run)(desk, input).await?;
        let through: Option<Day> = desk.data_through().await?;
        if let Some(fields) = answer.as_object_mut() {
            fields.insert(DATA_THROUGH_KEY.to_owned(), json!(through));
        }
        if answer.to_string().len() > MAX_RESULT_BYTES {
            return Err(CoachApiError::invalid(
                "The answer would be longer than can be read at once. Ask for fewer days or fewer entries.",
            ));
        }
        Ok(answer)
    }
}

/// Every tool as a model is told of it, in the order of the table.
#[must_use]
pub fn specs() -> Vec<ToolSpec> {
    // Every round of every turn needs them; a schema is made from its type once.
    static SPECS: LazyLock<Vec<ToolSpec>> = LazyLock::new(|| TOOLS.iter().map(Tool::spec).collect());
    SPECS.clone()
}

const DATA_THROUGH_KEY: &str = "data_through";

fn data_through_schema() -> Value {
    json!({
        "type": ["string", "null"],
        "format": "date",
        "description": "The last day whose data is complete. Nothing later has been judged.",
    })
}

/// The schema of what is asked, whole: no reference leads out of it.
fn input_schema_of<T: JsonSchema>() -> Value {
    inlined_schema::<T>(SchemaSettings::draft2020_12())
}

/// The schema of what is told: a field that is left out when it is empty is not required.
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
        CoachApiError::invalid(format!(
            "The input of `{tool}` does not fit: {why}. Its schema says what it takes."
        ))
    })
}

fn to_result<T: Serialize>(response: &T) -> Result<Value, CoachApiError> {
    serde_json::to_value(response).map_err(|_| CoachApiError::Internal)
}
