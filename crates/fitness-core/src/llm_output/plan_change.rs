//! The plan modification response: changes to the active plan.

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

/// Changes to the active plan.
///
/// Give at least one of `modifications` and `new_workouts`. Two empty arrays mean no change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = [{ "required": ["modifications"] }, { "required": ["new_workouts"] }]))]
pub struct PlanModification {
    /// Assessment that the changes are based on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub analysis: Option<Analysis>,
    /// Changes to planned workouts, at most 200.
    #[serde(default)]
    #[schemars(length(max = MAX_ENTRIES))]
    pub modifications: Vec<Modification>,
    /// Workouts to add, at most 200.
    #[serde(default)]
    #[schemars(length(max = MAX_ENTRIES))]
    pub new_workouts: Vec<NewWorkout>,
    /// Planned change of the weekly training load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weekly_load_adjustment: Option<WeeklyLoadAdjustment>,
    /// Message to the athlete, 1 to 4000 characters: what changes and why.
    #[schemars(schema_with = "super::schema::message")]
    pub athlete_message: String,
}

/// Assessment of the athlete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Analysis {
    /// Current state in a sentence, for example "Tired after three hard weeks".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::schema::words")]
    pub current_status: Option<String>,
    /// Concerns from metrics and feedback, for example "HRV below normal for 4 days".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::schema::points")]
    pub key_concerns: Option<Vec<String>>,
    /// Summary of the changes in a sentence, for example "Two easy days, then back to plan".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::schema::words")]
    pub recommendations_summary: Option<String>,
}

string_enum! {
    /// Action on a planned workout.
    pub enum WorkoutAction("action") {
        /// Change the fields in `changes`.
        Modify = "modify",
        /// Remove it from the plan.
        Skip = "skip",
        /// Replace it with another workout.
        Replace = "replace",
    }
}

/// A change to one planned workout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = super::schema::changes_by_action)]
pub struct Modification {
    /// Id of the workout as a string, from `plan_progress`, for example "30".
    #[schemars(schema_with = "super::schema::id")]
    pub workout_id: String,
    /// Planned day of the workout, YYYY-MM-DD, for example 2026-11-17.
    pub date: Day,
    /// Current name of the workout, at most 120 characters, for example "Tempo run".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::schema::old_name")]
    pub original_name: Option<String>,
    /// `modify` changes what `changes` names, `skip` removes the workout, `replace` puts another
    /// one in its place.
    pub action: WorkoutAction,
    /// New values. Required for `modify` and `replace` (which needs `duration_minutes`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Changes>,
}

/// New values for a workout; leave out what stays the same.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Changes {
    /// New name of the workout, 1 to 120 characters, for example "Easy run".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::schema::name")]
    pub name: Option<String>,
    /// Change of the duration in minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_minutes: Option<DurationChange>,
    /// Change of the intensity, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intensity: Option<IntensityChange>,
    /// Change of the expected training load in TSS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_tss: Option<TssChange>,
    /// Reason for the change, for example "Fatigue is high".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::schema::words")]
    pub notes: Option<String>,
}

impl Changes {
    /// Whether any field other than `notes` is set.
    #[must_use]
    pub const fn has_changes(&self) -> bool {
        self.name.is_some()
            || self.duration_minutes.is_some()
            || self.intensity.is_some()
            || self.estimated_tss.is_some()
    }
}

/// Duration in minutes, before and after.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DurationChange {
    /// Duration before the change in minutes, for example 60.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = MAX_MINUTES))]
    pub from: Option<f64>,
    /// Duration after the change in minutes, 5 to 480, for example 40.
    #[schemars(range(min = MIN_MINUTES, max = MAX_MINUTES))]
    pub to: f64,
}

/// Intensity in words, before and after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IntensityChange {
    /// Intensity before the change, at most 120 characters, for example "tempo".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::schema::old_name")]
    pub from: Option<String>,
    /// Intensity after the change, 1 to 120 characters, for example "easy".
    #[schemars(schema_with = "super::schema::name")]
    pub to: String,
}

/// Training load in TSS, before and after.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TssChange {
    /// Expected training load before the change in TSS, for example 70.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = MAX_TSS))]
    pub from: Option<f64>,
    /// Expected training load after the change in TSS, for example 35.
    #[schemars(range(min = 0, max = MAX_TSS))]
    pub to: f64,
}

/// A workout to add to the plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = super::schema::size_by_sport)]
pub struct NewWorkout {
    /// Day of the workout, YYYY-MM-DD, for example 2026-11-17.
    pub date: Day,
    /// Name of the workout, 1 to 120 characters, for example "Easy run".
    #[schemars(schema_with = "super::schema::name")]
    pub name: String,
    /// Sport of the workout; `rest` for a rest day.
    pub sport: Sport,
    /// Duration in minutes, 5 to 480, for example 45; 0 for `rest`.
    #[schemars(range(min = 0, max = MAX_MINUTES))]
    pub duration_minutes: f64,
    /// Expected training load in TSS (one hour at threshold is 100), for example 40; 0 for `rest`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = MAX_TSS))]
    pub estimated_tss: Option<f64>,
    /// What to do, in plain text, for example "Easy pace, talk the whole way".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::schema::words")]
    pub description: Option<String>,
    /// Workout steps in order; none for `rest`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = size_limits::MAX_STEPS))]
    pub steps: Vec<Step>,
}

/// Change of the weekly training load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WeeklyLoadAdjustment {
    /// Weekly training load planned now in TSS, for example 350.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = MAX_WEEKLY_TSS))]
    pub current_weekly_tss: Option<f64>,
    /// Recommended weekly training load in TSS, for example 280.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = MAX_WEEKLY_TSS))]
    pub recommended_weekly_tss: Option<f64>,
    /// Reason for the change, for example "Fatigue is high".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::schema::words")]
    pub reason: Option<String>,
}

impl PlanModification {
    /// Whether the response changes nothing. Then no proposal is created; only its message is
    /// shown.
    #[must_use]
    pub const fn changes_nothing(&self) -> bool {
        self.modifications.is_empty() && self.new_workouts.is_empty()
    }
}

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
            "`modifications` and `new_workouts` are both missing. Give at least one of them; an empty array means no change.",
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
    let action: Option<WorkoutAction> = fields.required("action", read_word);
    let changes = fields.object("changes", CHANGES_KEYS, read_changes);
    match action {
        Some(action @ (WorkoutAction::Modify | WorkoutAction::Replace)) if !fields.has("changes") => {
            fields.add_missing("changes", &format!("`{action}` needs `changes` with the new values"));
        }
        Some(WorkoutAction::Modify)
            if changes.as_ref().is_some_and(|c| !c.has_changes())
                && fields.has_only_nested("changes", "notes") =>
        {
            fields.add_error_at(
                "changes",
                ValidationErrorCode::NoChange,
                "`modify` needs at least one of `name`, `duration_minutes`, `intensity`, `estimated_tss`. To keep the workout as it is, omit the modification.",
            );
        }
        Some(WorkoutAction::Replace)
            if fields.is_object("changes") && !fields.has_nested("changes", "duration_minutes") =>
        {
            fields.add_missing(
                "changes/duration_minutes",
                "`replace` creates a new workout, which needs a duration",
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
