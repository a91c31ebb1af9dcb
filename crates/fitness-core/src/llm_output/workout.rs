//! Steps, duration and TSS of a workout, shared by both response formats.

use super::ValidationErrorCode;
use super::json_fields::{Fields, read_number, read_word};
use super::size_limits::{
    MAX_STEP_CALORIES, MAX_STEP_METERS, MAX_STEP_SECONDS, MAX_STEPS, MAX_TARGET, MINUTES, TSS,
};
use crate::domain::sport::Sport;
use crate::plan::{self, DurationType, StepDuration, StepTarget, StepType, TargetRange, TargetType};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One step of a workout. The types say in which unit the values are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = super::schema::value_by_duration_type)]
pub struct Step {
    /// Purpose of the step: `warmup`, `active`, `recovery`, `cooldown` or `rest`.
    pub step_type: StepType,
    /// What ends the step: `time`, `distance`, `calories`, or `open` (lap button).
    pub duration_type: DurationType,
    /// Length of the step in seconds (`time`), metres (`distance`) or calories (`calories`), for
    /// example 600. Required unless `open`; ignored if `open`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_value: Option<f64>,
    /// What the target range is about: `heart_rate` (bpm), `power` (watts), `pace` (seconds per
    /// kilometre), `cadence` (per minute) or `open` (no target).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_type: Option<TargetType>,
    /// Lower bound of the target, in bpm, watts, seconds per kilometre or rpm as `target_type`
    /// says, for example 135.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = MAX_TARGET))]
    pub target_low: Option<f64>,
    /// Upper bound of the target, not below `target_low`, in bpm, watts, seconds per kilometre or
    /// rpm as `target_type` says, for example 150.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = MAX_TARGET))]
    pub target_high: Option<f64>,
    /// Instruction for this step, for example "relaxed, no watch".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::schema::words")]
    pub notes: Option<String>,
}

impl Step {
    /// Whether the athlete ends the step (lap button).
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.duration_type == DurationType::Open
    }

    /// Converts to a step of a plan, without the fields that have no effect.
    #[must_use]
    pub fn to_planned_step(&self) -> plan::Step {
        let duration = match (self.duration_type, self.duration_value) {
            (DurationType::Time, Some(seconds)) => StepDuration::Time(seconds),
            (DurationType::Distance, Some(meters)) => StepDuration::Distance(meters),
            (DurationType::Calories, Some(calories)) => StepDuration::Calories(calories),
            _ => StepDuration::Open,
        };
        let range = TargetRange { low: self.target_low, high: self.target_high };
        let target = match self.target_type {
            _ if range.low.is_none() && range.high.is_none() => StepTarget::Open,
            Some(TargetType::HeartRate) => StepTarget::HeartRate(range),
            Some(TargetType::Power) => StepTarget::Power(range),
            Some(TargetType::Pace) => StepTarget::Pace(range),
            Some(TargetType::Cadence) => StepTarget::Cadence(range),
            Some(TargetType::Open) | None => StepTarget::Open,
        };
        plan::Step {
            step_type: self.step_type,
            duration,
            target,
            max_heart_rate: None,
            notes: self.notes.clone(),
        }
    }
}

const STEP_KEYS: &[&str] =
    &["step_type", "duration_type", "duration_value", "target_type", "target_low", "target_high", "notes"];

/// Duration and TSS: 0 for a rest day, within bounds otherwise.
pub(super) fn read_workout_size(
    fields: &mut Fields<'_, '_>,
    sport: Option<Sport>,
) -> (Option<f64>, Option<f64>) {
    if sport != Some(Sport::Rest) {
        // If the sport is invalid, 0 may be meant for a rest day.
        let rest = sport.is_none() && fields.is_zero("duration_minutes");
        let minutes = if rest { 0.0..=0.0 } else { MINUTES };
        let duration = fields.required_number("duration_minutes", &minutes, "minutes");
        return (duration, fields.number("estimated_tss", &TSS, "TSS"));
    }
    let duration = fields.required("duration_minutes", read_number);
    let tss = fields.optional("estimated_tss", read_number);
    for (field, value) in [("duration_minutes", duration), ("estimated_tss", tss)] {
        if value.is_some_and(|value| value != 0.0) {
            let message = format!("A workout of sport `rest` needs `{field}` 0. Write 0, or another sport.");
            fields.add_error_at(field, ValidationErrorCode::RestWithWork, &message);
        }
    }
    (duration, tss)
}

pub(super) fn read_steps(fields: &mut Fields<'_, '_>, sport: Option<Sport>) -> Vec<Step> {
    let steps =
        fields.list("steps", MAX_STEPS, |entry| entry.fields("a step", STEP_KEYS).and_then(read_step));
    if sport == Some(Sport::Rest) && fields.has("steps") && !fields.is_empty_list("steps") {
        let message = "A workout of sport `rest` has no steps. Omit them, or write another sport.";
        fields.add_error_at("steps", ValidationErrorCode::RestWithWork, message);
    }
    steps.unwrap_or_default()
}

fn read_step(mut fields: Fields<'_, '_>) -> Option<Step> {
    let step_type = fields.required("step_type", read_word);
    let duration_type = fields.required("duration_type", read_word);
    let (most, unit) = match duration_type {
        Some(DurationType::Time) => (MAX_STEP_SECONDS, "seconds"),
        Some(DurationType::Distance) => (MAX_STEP_METERS, "metres"),
        Some(DurationType::Calories) => (MAX_STEP_CALORIES, "calories"),
        Some(DurationType::Open) | None => (f64::MAX, ""),
    };
    let duration_value = fields.optional("duration_value", read_number);
    if let Some(kind) = duration_type
        && kind != DurationType::Open
    {
        if !fields.has("duration_value") {
            fields.add_missing(
                "duration_value",
                &format!("a step of duration_type `{kind}` needs a number of {unit}"),
            );
        }
        if let Some(value) = duration_value
            && !(value > 0.0 && value <= most)
        {
            let message = format!(
                "`duration_value` is {value}; for duration_type `{kind}` it must be above 0 and at most {most} {unit}."
            );
            fields.add_error_at("duration_value", ValidationErrorCode::OutOfRange, &message);
        }
    }
    let target_type = fields.optional("target_type", read_word);
    let target_low = fields.number("target_low", &(0.0..=MAX_TARGET), "");
    let target_high = fields.number("target_high", &(0.0..=MAX_TARGET), "");
    if let (Some(low), Some(high)) = (target_low, target_high)
        && low > high
    {
        let message = format!(
            "`target_low` ({low}) is above `target_high` ({high}). Swap them; for a pace, the lower number is the faster one."
        );
        fields.add_error_at("target_low", ValidationErrorCode::LowAboveHigh, &message);
    }
    let notes = fields.optional_text("notes");
    Some(Step {
        step_type: step_type?,
        duration_type: duration_type?,
        duration_value,
        target_type,
        target_low,
        target_high,
        notes,
    })
}
