//! JSON Schemas of both response formats, generated from the types. They are written to
//! `docs/schema` and given to models.
//!
//! The schemas cover what the parser checks, except duplicate keys, calendar days that do not
//! exist, and `target_low` above `target_high`.

use super::size_limits::{
    MAX_ID, MAX_LIST_ITEMS, MAX_MESSAGE, MAX_NAME, MAX_STEP_CALORIES, MAX_STEP_METERS, MAX_STEP_SECONDS,
    MAX_TEXT_CHARS, MIN_MINUTES,
};
use super::{PlanModification, ResponseKind, WeeklyPlan, WorkoutAction};
use crate::domain::sport::Sport;
use crate::plan::DurationType;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform as _};
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

/// JSON Schema of a response format.
#[must_use]
pub fn schema(kind: ResponseKind) -> Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = match kind {
        ResponseKind::Modification => generator.into_root_schema_for::<PlanModification>(),
        ResponseKind::Week => generator.into_root_schema_for::<WeeklyPlan>(),
    };
    RecursiveTransform(left_out_not_null).transform(&mut schema);
    schema.to_value()
}

/// Removes `null` from the types: optional fields are omitted, never null.
fn left_out_not_null(schema: &mut Schema) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|word| word != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(either)) = schema.get_mut("anyOf") {
        either.retain(|one| *one != json!({ "type": "null" }));
        if let [only] = either.as_slice()
            && let Some(reference) = only.get("$ref").cloned()
        {
            schema.remove("anyOf");
            schema.insert("$ref".to_owned(), reference);
        }
    }
    schema.remove("default");
}

fn text(most: usize, needed: bool) -> Schema {
    // No NUL; required text must not be blank.
    let pattern = if needed { "^[^\\u0000]*[^\\u0000\\s][^\\u0000]*$" } else { "^[^\\u0000]*$" };
    json_schema!({ "type": "string", "maxLength": most, "pattern": pattern })
}

pub(super) fn message(_: &mut SchemaGenerator) -> Schema {
    text(MAX_MESSAGE, true)
}

pub(super) fn words(_: &mut SchemaGenerator) -> Schema {
    text(MAX_TEXT_CHARS, false)
}

pub(super) fn name(_: &mut SchemaGenerator) -> Schema {
    text(MAX_NAME, true)
}

pub(super) fn old_name(_: &mut SchemaGenerator) -> Schema {
    text(MAX_NAME, false)
}

pub(super) fn id(_: &mut SchemaGenerator) -> Schema {
    text(MAX_ID, true)
}

pub(super) fn points(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": words(generator), "maxItems": MAX_LIST_ITEMS })
}

/// `modify` needs at least one change, `replace` needs a duration, `skip` needs nothing.
pub(super) fn changes_by_action(schema: &mut Schema) {
    let when = |action: WorkoutAction, changes: Value| {
        json!({
            "if": { "properties": { "action": { "const": action } }, "required": ["action"] },
            "then": { "properties": { "changes": changes }, "required": ["changes"] },
        })
    };
    let any = ["name", "duration_minutes", "intensity", "estimated_tss"]
        .map(|field| json!({ "required": [field] }));
    let rules = [
        when(WorkoutAction::Modify, json!({ "anyOf": any })),
        when(WorkoutAction::Replace, json!({ "required": ["duration_minutes"] })),
    ];
    schema.insert("allOf".to_owned(), json!(rules));
}

/// A rest day has duration, load and steps of 0; every other workout has a minimum duration.
pub(super) fn size_by_sport(schema: &mut Schema) {
    let rule = json!({
        "if": { "properties": { "sport": { "const": Sport::Rest } }, "required": ["sport"] },
        "then": { "properties": {
            "duration_minutes": { "const": 0 },
            "estimated_tss": { "const": 0 },
            "steps": { "maxItems": 0 },
        } },
        "else": { "properties": { "duration_minutes": { "minimum": MIN_MINUTES } } },
    });
    schema.insert("allOf".to_owned(), json!([rule]));
}

/// Every step except `open` needs a `duration_value` within the bounds of its unit.
pub(super) fn value_by_duration_type(schema: &mut Schema) {
    let rules = [
        (DurationType::Time, MAX_STEP_SECONDS),
        (DurationType::Distance, MAX_STEP_METERS),
        (DurationType::Calories, MAX_STEP_CALORIES),
    ]
    .map(|(word, most)| {
        json!({
            "if": { "properties": { "duration_type": { "const": word } }, "required": ["duration_type"] },
            "then": {
                "properties": { "duration_value": { "exclusiveMinimum": 0, "maximum": most } },
                "required": ["duration_value"],
            },
        })
    });
    schema.insert("allOf".to_owned(), json!(rules));
}
