//! What a model may say: the plan modification response and the weekly plan response, exactly.
//!
//! Four steps, each of which may be the last:
//!
//! 1. `text` turns what the model wrote into a JSON value, and notes everything that is not JSON;
//! 2. [`check`] reads the value against the contract. It does not stop at the first fault: all of them are told at
//!    once, in words meant for the model, so that one more try is enough;
//! 3. [`checks`] holds an accepted answer against itself, the calendar and the athlete's plan;
//! 4. [`into_changes`] turns it into the changes of a proposal, which only a human applies.
//!
//! A third thing a model says is the [`brief`]: prose, with facts in the place of numbers.
//!
//! Nothing here repairs an answer. What is accepted means the same to `serde`, to the JSON Schemas in `docs/schema`
//! and to this reader; the tests hold them against each other.

pub mod brief;
pub mod checks;
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
    Action, Analysis, Changes, DurationChange, IntensityChange, Modification, NewWorkout, PlanModification,
    TssChange, WeeklyLoadAdjustment,
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
    /// Which of the two forms an answer has.
    pub enum ResponseKind("kind of response") {
        /// Changes to an existing plan.
        Modification = "modification",
        /// One whole week.
        Week = "week",
    }
}

/// An answer that keeps the contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Response {
    /// Changes to an existing plan.
    Modification(PlanModification),
    /// One whole week.
    Week(WeeklyPlan),
}

impl Response {
    /// Which form it has.
    #[must_use]
    pub const fn kind(&self) -> ResponseKind {
        match self {
            Self::Modification(_) => ResponseKind::Modification,
            Self::Week(_) => ResponseKind::Week,
        }
    }

    /// What the athlete is told. Foreign text.
    #[must_use]
    pub fn athlete_message(&self) -> &str {
        match self {
            Self::Modification(response) => &response.athlete_message,
            Self::Week(response) => &response.athlete_message,
        }
    }
}

/// An answer that breaks the contract, and everything it breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidResponseError {
    /// Which form was meant, as far as can be told.
    pub kind: Option<ResponseKind>,
    /// What must change; never empty.
    pub errors: Vec<ValidationError>,
}

/// Reads what a model wrote. Which form is meant is seen from the keys when it is not given.
///
/// Where a week was asked for and could not be written, the contract's error form is accepted in its place: a
/// modification that changes nothing.
///
/// # Errors
/// Everything that breaks the contract, at once.
///
/// ```
/// use fitness_core::llm_output::{FaultCode, check};
///
/// let answer = br#"{"modifications": [{"workout_id": "7", "action": "change"}]}"#;
/// let codes: Vec<FaultCode> = check(answer, None).unwrap_err().faults.iter().map(|f| f.code).collect();
/// assert_eq!(codes, [FaultCode::MissingField, FaultCode::UnknownWord, FaultCode::MissingField]);
/// ```
pub fn parse_response(answer: &[u8], kind: Option<ResponseKind>) -> Result<Response, InvalidResponseError> {
    let mut faults = ValidationErrors::default();
    let (kind, response) = match json::parse(answer, "athlete_message", &mut faults) {
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
        spot.fields("the answer", &[]);
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

/// Keys of one form that the other does not have, the telling ones first.
const MODIFICATION_KEYS: &[&str] = &["modifications", "new_workouts", "weekly_load_adjustment", "analysis"];
const WEEK_KEYS: &[&str] = &["workouts", "plan_summary"];

fn has_any_key(entries: &[(String, Json)], keys: &[&str]) -> bool {
    entries.iter().any(|(key, _)| keys.contains(&key.as_str()))
}

/// Which form is meant, told from the keys.
fn detect_kind(entries: &[(String, Json)]) -> Result<ResponseKind, &'static str> {
    match (has_any_key(entries, MODIFICATION_KEYS), has_any_key(entries, WEEK_KEYS)) {
        (true, false) => Ok(ResponseKind::Modification),
        (false, true) => Ok(ResponseKind::Week),
        (true, true) => Err(
            "The answer mixes two forms. A plan modification has `modifications` and `new_workouts`, a weekly plan has `workouts`; write one of them.",
        ),
        (false, false) => Err(
            "The answer has neither `modifications` or `new_workouts`, as a plan modification has, nor `workouts`, as a weekly plan has. Write one of the two forms.",
        ),
    }
}

/// Whether an answer says in the modification form that nothing can be said.
fn is_error_form(entries: &[(String, Json)]) -> bool {
    let lists = ["modifications", "new_workouts"];
    let empty = |key: &str| {
        entries.iter().filter(|(name, _)| name == key).all(|(_, value)| *value == Json::Array(Vec::new()))
    };
    has_any_key(entries, &lists) && lists.into_iter().all(empty) && !has_any_key(entries, WEEK_KEYS)
}

#[cfg(test)]
mod tests;
