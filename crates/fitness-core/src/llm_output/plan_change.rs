//! The plan modification response: changes to an existing plan.

use super::json_fields::{Fields, read_day, read_word};
use super::size_limits::{
    MAX_ENTRIES, MAX_ID, MAX_LIST_ITEMS, MAX_MINUTES, MAX_TSS, MAX_WEEKLY_TSS, MIN_MINUTES,
};
use super::workout::{Step, read_steps, read_workout_size};
use super::{ValidationErrorCode, size_limits};
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::string_enum::string_enum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Changes to an existing plan, or the wish to change nothing.
///
/// At least one of `modifications` and `new_workouts` is there; an absent one counts as empty. Both empty means that
/// nothing is to change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = [{ "required": ["modifications"] }, { "required": ["new_workouts"] }]))]
pub struct PlanModification {
    /// How the athlete is doing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub analysis: Option<Analysis>,
    /// Workouts of the plan that change.
    #[serde(default)]
    #[schemars(length(max = MAX_ENTRIES))]
    pub modifications: Vec<Modification>,
    /// Workouts that are added.
    #[serde(default)]
    #[schemars(length(max = MAX_ENTRIES))]
    pub new_workouts: Vec<NewWorkout>,
    /// How the load of the week changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weekly_load_adjustment: Option<WeeklyLoadAdjustment>,
    /// What the athlete is told.
    #[schemars(schema_with = "super::schema::message")]
    pub athlete_message: String,
}

/// How the athlete is doing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Analysis {
    /// A brief assessment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::schema::words")]
    pub current_status: Option<String>,
    /// Concerns from metrics and feedback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::schema::points")]
    pub key_concerns: Option<Vec<String>>,
    /// The changes in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::schema::words")]
    pub recommendations_summary: Option<String>,
}

string_enum! {
    /// What is done with a workout of the plan.
    pub enum Action("action") {
        /// Change what `changes` names.
        Modify = "modify",
        /// Take it out of the plan.
        Skip = "skip",
        /// Put another session in its place.
        Replace = "replace",
    }
}

/// A workout of the plan that changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = super::schema::changes_by_action)]
pub struct Modification {
    /// The id from `upcoming_workouts`.
    #[schemars(schema_with = "super::schema::id")]
    pub workout_id: String,
    /// The day the workout is on.
    pub date: Day,
    /// What it is called now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::schema::old_name")]
    pub original_name: Option<String>,
    /// What is done with it.
    pub action: Action,
    /// What changes; not needed for `skip`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Changes>,
}

/// What changes about a workout.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Changes {
    /// The new name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::schema::name")]
    pub name: Option<String>,
    /// The new duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_minutes: Option<DurationChange>,
    /// The new intensity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intensity: Option<IntensityChange>,
    /// The new expected TSS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_tss: Option<TssChange>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::schema::words")]
    pub notes: Option<String>,
}

impl Changes {
    /// Whether anything but a note is there.
    #[must_use]
    pub const fn has_changes(&self) -> bool {
        self.name.is_some()
            || self.duration_minutes.is_some()
            || self.intensity.is_some()
            || self.estimated_tss.is_some()
    }
}

/// Minutes before and after.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DurationChange {
    /// What it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = MAX_MINUTES))]
    pub from: Option<f64>,
    /// What it becomes.
    #[schemars(range(min = MIN_MINUTES, max = MAX_MINUTES))]
    pub to: f64,
}

/// Words for the effort before and after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IntensityChange {
    /// What it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::schema::old_name")]
    pub from: Option<String>,
    /// What it becomes.
    #[schemars(schema_with = "super::schema::name")]
    pub to: String,
}

/// TSS before and after.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TssChange {
    /// What it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = MAX_TSS))]
    pub from: Option<f64>,
    /// What it becomes.
    #[schemars(range(min = 0, max = MAX_TSS))]
    pub to: f64,
}

/// A workout that is added to the plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = super::schema::size_by_sport)]
pub struct NewWorkout {
    /// The day it is on.
    pub date: Day,
    /// What it is called.
    #[schemars(schema_with = "super::schema::name")]
    pub name: String,
    /// The sport.
    pub sport: Sport,
    /// How long; 0 for `rest`.
    #[schemars(range(min = 0, max = MAX_MINUTES))]
    pub duration_minutes: f64,
    /// The TSS it is expected to bring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = MAX_TSS))]
    pub estimated_tss: Option<f64>,
    /// What to do, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::schema::words")]
    pub description: Option<String>,
    /// What to do, step by step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = size_limits::MAX_STEPS))]
    pub steps: Vec<Step>,
}

/// How the load of the week changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WeeklyLoadAdjustment {
    /// The TSS planned now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = MAX_WEEKLY_TSS))]
    pub current_weekly_tss: Option<f64>,
    /// The TSS recommended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = MAX_WEEKLY_TSS))]
    pub recommended_weekly_tss: Option<f64>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::schema::words")]
    pub reason: Option<String>,
}

impl PlanModification {
    /// Whether the answer asks for nothing: no proposal comes of it, and its message is shown.
    #[must_use]
    pub const fn changes_nothing(&self) -> bool {
        self.modifications.is_empty() && self.new_workouts.is_empty()
    }
}

/// The fields of a plan modification.
pub(super) const KEYS: &[&str] =
    &["analysis", "modifications", "new_workouts", "weekly_load_adjustment", "athlete_message"];

pub(super) fn read(mut fields: Fields<'_, '_>) -> Option<PlanModification> {
    let analysis = fields.object("analysis", ANALYSIS_KEYS, read_analysis);
    let modifications = fields.list("modifications", MAX_ENTRIES, |entry| {
        entry.fields("a modification", MODIFICATION_KEYS).and_then(read_modification)
    });
    let new_workouts = fields.list("new_workouts", MAX_ENTRIES, |entry| {
        entry.fields("a new workout", NEW_WORKOUT_KEYS).and_then(read_new_workout)
    });
    if !fields.has("modifications") && !fields.has("new_workouts") {
        fields.add_error(
            ValidationErrorCode::MissingField,
            "Neither `modifications` nor `new_workouts` is there. Write at least one of them; an empty array means no change.",
        );
    }
    let weekly_load_adjustment = fields.object("weekly_load_adjustment", ADJUSTMENT_KEYS, |mut fields| {
        Some(WeeklyLoadAdjustment {
            current_weekly_tss: fields.number("current_weekly_tss", &(0.0..=MAX_WEEKLY_TSS), "TSS"),
            recommended_weekly_tss: fields.number("recommended_weekly_tss", &(0.0..=MAX_WEEKLY_TSS), "TSS"),
            reason: fields.optional_text("reason"),
        })
    });
    let athlete_message =
        fields.required("athlete_message", |spot| spot.text(size_limits::MAX_MESSAGE, true));
    Some(PlanModification {
        analysis,
        modifications: modifications.unwrap_or_default(),
        new_workouts: new_workouts.unwrap_or_default(),
        weekly_load_adjustment,
        athlete_message: athlete_message?,
    })
}

const ANALYSIS_KEYS: &[&str] = &["current_status", "key_concerns", "recommendations_summary"];
const ADJUSTMENT_KEYS: &[&str] = &["current_weekly_tss", "recommended_weekly_tss", "reason"];
const MODIFICATION_KEYS: &[&str] = &["workout_id", "date", "original_name", "action", "changes"];
const CHANGES_KEYS: &[&str] = &["name", "duration_minutes", "intensity", "estimated_tss", "notes"];
const NEW_WORKOUT_KEYS: &[&str] =
    &["date", "name", "sport", "duration_minutes", "estimated_tss", "description", "steps"];

fn read_analysis(mut fields: Fields<'_, '_>) -> Option<Analysis> {
    Some(Analysis {
        current_status: fields.optional_text("current_status"),
        key_concerns: fields
            .list("key_concerns", MAX_LIST_ITEMS, |entry| entry.text(size_limits::MAX_TEXT_CHARS, false)),
        recommendations_summary: fields.optional_text("recommendations_summary"),
    })
}

fn read_modification(mut fields: Fields<'_, '_>) -> Option<Modification> {
    let workout_id = fields.required("workout_id", |spot| spot.text(MAX_ID, true));
    let date = fields.required("date", read_day);
    let original_name = fields.optional("original_name", |spot| spot.text(size_limits::MAX_NAME, false));
    let action: Option<Action> = fields.required("action", read_word);
    let changes = fields.object("changes", CHANGES_KEYS, read_changes);
    match action {
        Some(action @ (Action::Modify | Action::Replace)) if !fields.has("changes") => {
            fields.add_missing(
                "changes",
                &format!("`{action}` needs `changes` that say what becomes different"),
            );
        }
        Some(Action::Modify)
            if changes.as_ref().is_some_and(|c| !c.has_changes())
                && fields.has_only_nested("changes", "notes") =>
        {
            fields.add_error_at(
                "changes",
                ValidationErrorCode::NoChange,
                "`modify` needs at least one of `name`, `duration_minutes`, `intensity`, `estimated_tss`. To leave the workout as it is, leave the modification out.",
            );
        }
        Some(Action::Replace)
            if fields.is_object("changes") && !fields.has_nested("changes", "duration_minutes") =>
        {
            fields.add_missing(
                "changes/duration_minutes",
                "`replace` makes a new session, which needs a duration",
            );
        }
        _ => {}
    }
    Some(Modification { workout_id: workout_id?, date: date?, original_name, action: action?, changes })
}

fn read_changes(mut fields: Fields<'_, '_>) -> Option<Changes> {
    Some(Changes {
        name: fields.optional("name", |spot| spot.text(size_limits::MAX_NAME, true)),
        duration_minutes: fields.optional_from_to("duration_minutes", |mut fields| {
            let from = fields.number("from", &size_limits::MINUTES_BEFORE, "minutes");
            let to = fields.required_number("to", &size_limits::MINUTES, "minutes");
            Some(DurationChange { from, to: to? })
        }),
        intensity: fields.optional_from_to("intensity", |mut fields| {
            let from = fields.optional("from", |spot| spot.text(size_limits::MAX_NAME, false));
            let to = fields.required("to", |spot| spot.text(size_limits::MAX_NAME, true));
            Some(IntensityChange { from, to: to? })
        }),
        estimated_tss: fields.optional_from_to("estimated_tss", |mut fields| {
            let from = fields.number("from", &size_limits::TSS, "TSS");
            let to = fields.required_number("to", &size_limits::TSS, "TSS");
            Some(TssChange { from, to: to? })
        }),
        notes: fields.optional_text("notes"),
    })
}

fn read_new_workout(mut fields: Fields<'_, '_>) -> Option<NewWorkout> {
    let date = fields.required("date", read_day);
    let name = fields.required("name", |spot| spot.text(size_limits::MAX_NAME, true));
    let sport = fields.required("sport", read_word);
    let (duration_minutes, estimated_tss) = read_workout_size(&mut fields, sport);
    let description = fields.optional_text("description");
    let steps = read_steps(&mut fields, sport);
    Some(NewWorkout {
        date: date?,
        name: name?,
        sport: sport?,
        duration_minutes: duration_minutes?,
        estimated_tss,
        description,
        steps,
    })
}
