//! Schema and validation of LLM output: plan modifications, weekly plans and the daily [`brief`].
//!
//! 1. `json` parses the text with `serde_json`, which stops at the first syntax error;
//! 2. [`parse_response`] validates the value. It reports all errors at once, with messages for the model,
//!    so that one retry can fix them;
//! 3. [`cross_checks`] compares the response with itself, the calendar and the athlete's plan;
//! 4. [`into_changes`] converts it into the changes of a proposal, which only the athlete can apply.
//!
//! Responses are never repaired. `serde`, the JSON Schemas in `docs/schema` and this parser accept
//! the same responses, which the tests check.

pub mod brief;
pub mod cross_checks;
mod errors;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
pub mod into_changes;
mod json;
mod json_fields;
mod plan_change;
mod schema;
pub mod size_limits;
mod week;
mod workout;

pub use errors::{Finding, FindingCode, MAX_VALIDATION_ERRORS, ValidationError, ValidationErrorCode};
pub use plan_change::{
    Analysis, Changes, DurationChange, IntensityChange, Modification, NewWorkout, PlanModification,
    TssChange, WeeklyLoadAdjustment, WorkoutAction,
};
pub use schema::schema;
pub use week::{DayName, PlanSummary, WeekWorkout, WeeklyPlan};
pub use workout::Step;

use crate::string_enum::string_enum;
use errors::ValidationErrors;
use json::Json;
use json_fields::JsonNode;
use serde::Serialize;

string_enum! {
    /// Format of a response.
    pub enum ResponseKind("kind of response") {
        /// Changes to the active plan.
        Modification = "modification",
        Week = "week",
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Response {
    /// Changes to the active plan.
    Modification(PlanModification),
    Week(WeeklyPlan),
}

impl Response {
    #[must_use]
    pub const fn kind(&self) -> ResponseKind {
        match self {
            Self::Modification(_) => ResponseKind::Modification,
            Self::Week(_) => ResponseKind::Week,
        }
    }

    /// Message to the athlete. Untrusted text.
    #[must_use]
    pub fn athlete_message(&self) -> &str {
        match self {
            Self::Modification(response) => &response.athlete_message,
            Self::Week(response) => &response.athlete_message,
        }
    }
}

/// An invalid response with all its errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidResponseError {
    /// The intended format, if it can be detected.
    pub kind: Option<ResponseKind>,
    pub errors: Vec<ValidationError>,
}

/// Parses and validates a response. Without `kind`, the format is detected from the keys.
///
/// Instead of a week, a model that cannot write one may return the error form: a modification that
/// changes nothing.
///
/// # Errors
/// All validation errors at once.
///
/// ```
/// use fitness_core::llm_output::{ValidationErrorCode as Code, parse_response};
///
/// let answer = br#"{"modifications": [{"workout_id": "7", "action": "change"}]}"#;
/// let codes: Vec<Code> = parse_response(answer, None).unwrap_err().errors.iter().map(|e| e.code).collect();
/// assert_eq!(codes, [Code::MissingField, Code::UnknownWord, Code::MissingField]);
/// ```
pub fn parse_response(answer: &[u8], kind: Option<ResponseKind>) -> Result<Response, InvalidResponseError> {
    let mut faults = ValidationErrors::default();
    let (kind, response) = match json::parse(answer, &mut faults) {
        Some(value) => read_response(&value, kind, &mut faults),
        None => (kind, None),
    };
    match response {
        Some(response) if faults.is_empty() => Ok(response),
        _ => Err(InvalidResponseError { kind, errors: faults.into_list() }),
    }
}

fn read_response(
    value: &Json,
    kind: Option<ResponseKind>,
    faults: &mut ValidationErrors,
) -> (Option<ResponseKind>, Option<Response>) {
    let spot = JsonNode { json: value, path: String::new(), errors: faults };
    let Json::Object(entries) = value else {
        spot.fields("the response", &[]);
        return (kind, None);
    };
    let kind = match kind {
        Some(ResponseKind::Week) if is_error_form(entries) => ResponseKind::Modification,
        Some(kind) => kind,
        None => match detect_kind(entries) {
            Ok(kind) => kind,
            Err(message) => {
                spot.errors.add("", ValidationErrorCode::UnknownKind, message);
                return (None, None);
            }
        },
    };
    let response = match kind {
        ResponseKind::Modification => spot
            .fields("a plan modification response", plan_change::KEYS)
            .and_then(plan_change::read)
            .map(Response::Modification),
        ResponseKind::Week => {
            spot.fields("a weekly plan response", week::KEYS).and_then(week::read).map(Response::Week)
        }
    };
    (Some(kind), response)
}

/// Keys that only one of the formats has.
const MODIFICATION_KEYS: &[&str] = &["modifications", "new_workouts", "weekly_load_adjustment", "analysis"];
const WEEK_KEYS: &[&str] = &["workouts", "plan_summary"];

fn has_any_key(entries: &[(String, Json)], keys: &[&str]) -> bool {
    entries.iter().any(|(key, _)| keys.contains(&key.as_str()))
}

/// Detects the format from the keys.
fn detect_kind(entries: &[(String, Json)]) -> Result<ResponseKind, &'static str> {
    match (has_any_key(entries, MODIFICATION_KEYS), has_any_key(entries, WEEK_KEYS)) {
        (true, false) => Ok(ResponseKind::Modification),
        (false, true) => Ok(ResponseKind::Week),
        (true, true) => Err(
            "The response mixes two formats. A plan modification has `modifications` and `new_workouts`, a weekly plan has `workouts`. Write one of them.",
        ),
        (false, false) => Err(
            "Unknown format. A plan modification has `modifications` or `new_workouts`, a weekly plan has `workouts`. Write one of them.",
        ),
    }
}

/// Whether a response is a modification without changes, the error form.
fn is_error_form(entries: &[(String, Json)]) -> bool {
    let lists = ["modifications", "new_workouts"];
    let empty = |key: &str| {
        entries.iter().filter(|(name, _)| name == key).all(|(_, value)| *value == Json::Array(Vec::new()))
    };
    has_any_key(entries, &lists) && lists.into_iter().all(empty) && !has_any_key(entries, WEEK_KEYS)
}

#[cfg(test)]
mod tests;
