//! The weekly plan response: one week of workouts.

use super::json_fields::{Fields, read_day, read_word};
use super::plan_change::NewWorkout;
use super::size_limits::{
    MAX_ENTRIES, MAX_LIST_ITEMS, MAX_MINUTES, MAX_TSS, MAX_WEEKLY_HOURS, MAX_WEEKLY_TSS,
};
use super::workout::{Step, read_steps, read_workout_size};
use super::{ValidationErrorCode, size_limits};
use crate::domain::calendar::{Day, Weekday};
use crate::domain::sport::Sport;
use crate::string_enum::string_enum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One week of training, from Monday to Sunday.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WeeklyPlan {
    /// Summary of the week.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_summary: Option<PlanSummary>,
    /// Workouts of the week, at least one; rest days may be included.
    #[schemars(length(min = 1, max = MAX_ENTRIES))]
    pub workouts: Vec<WeekWorkout>,
    /// Message to the athlete, 1 to 4000 characters: what the week is for and why.
    #[schemars(schema_with = "super::schema::message")]
    pub athlete_message: String,
}

/// Summary of a week.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanSummary {
    /// Focus of the week, for example "Recovery after the race".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::schema::words")]
    pub focus: Option<String>,
    /// Sum of the workouts' training load in TSS, for example 310.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = MAX_WEEKLY_TSS))]
    pub total_tss: Option<f64>,
    /// Sum of the workouts' durations in hours, for example 5.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = MAX_WEEKLY_HOURS))]
    pub total_hours: Option<f64>,
    /// Names of the key sessions, each at most 2000 characters, for example "Long run".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::schema::points")]
    pub key_sessions: Option<Vec<String>>,
}

string_enum! {
    /// A weekday in the response format.
    pub enum DayName("weekday") {
        Monday = "monday",
        Tuesday = "tuesday",
        Wednesday = "wednesday",
        Thursday = "thursday",
        Friday = "friday",
        Saturday = "saturday",
        Sunday = "sunday",
    }
}

impl DayName {
    #[must_use]
    pub fn from_day(day: Day) -> Self {
        match day.weekday() {
            Weekday::Mon => Self::Monday,
            Weekday::Tue => Self::Tuesday,
            Weekday::Wed => Self::Wednesday,
            Weekday::Thu => Self::Thursday,
            Weekday::Fri => Self::Friday,
            Weekday::Sat => Self::Saturday,
            Weekday::Sun => Self::Sunday,
        }
    }
}

/// One workout of the week.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = super::schema::size_by_sport)]
pub struct WeekWorkout {
    /// Weekday of `date`, in lower case, such as monday.
    pub day: DayName,
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

impl WeekWorkout {
    #[must_use]
    pub fn to_new_workout(&self) -> NewWorkout {
        NewWorkout {
            date: self.date,
            name: self.name.clone(),
            sport: self.sport,
            duration_minutes: self.duration_minutes,
            estimated_tss: self.estimated_tss,
            description: self.description.clone(),
            steps: self.steps.clone(),
        }
    }
}

impl WeeklyPlan {
    /// Monday of the week of its first workout.
    #[must_use]
    pub fn monday(&self) -> Option<Day> {
        self.workouts.iter().map(|workout| workout.date).min().map(|day| day.iso_week().monday())
    }
}

pub(super) const KEYS: &[&str] = &["plan_summary", "workouts", "athlete_message"];
const SUMMARY_KEYS: &[&str] = &["focus", "total_tss", "total_hours", "key_sessions"];
const WORKOUT_KEYS: &[&str] =
    &["day", "date", "name", "sport", "duration_minutes", "estimated_tss", "description", "steps"];

pub(super) fn read(mut fields: Fields<'_, '_>) -> Option<WeeklyPlan> {
    let plan_summary = fields.object("plan_summary", SUMMARY_KEYS, |mut fields| {
        Some(PlanSummary {
            focus: fields.optional_text("focus"),
            total_tss: fields.number("total_tss", &(0.0..=MAX_WEEKLY_TSS), "TSS"),
            total_hours: fields.number("total_hours", &(0.0..=MAX_WEEKLY_HOURS), "hours"),
            key_sessions: fields
                .list("key_sessions", MAX_LIST_ITEMS, |entry| entry.text(size_limits::MAX_TEXT_CHARS, false)),
        })
    });
    let workouts = fields.list("workouts", MAX_ENTRIES, |entry| {
        entry.fields("a workout", WORKOUT_KEYS).and_then(read_workout)
    });
    if !fields.has("workouts") {
        fields.add_missing("workouts", "it lists the workouts of the week");
    } else if fields.is_empty_list("workouts") {
        fields.add_error_at(
            "workouts",
            ValidationErrorCode::TooFew,
            "A week needs at least one workout; a week of rest lists its rest days. If you cannot write a week, return empty `modifications` and `new_workouts` and say why in `athlete_message`.",
        );
    }
    let athlete_message =
        fields.required("athlete_message", |spot| spot.text(size_limits::MAX_MESSAGE, true));
    Some(WeeklyPlan { plan_summary, workouts: workouts?, athlete_message: athlete_message? })
}

fn read_workout(mut fields: Fields<'_, '_>) -> Option<WeekWorkout> {
    let day = fields.required("day", read_word);
    let date = fields.required("date", read_day);
    let name = fields.required("name", |spot| spot.text(size_limits::MAX_NAME, true));
    let sport = fields.required("sport", read_word);
    let (duration_minutes, estimated_tss) = read_workout_size(&mut fields, sport);
    let description = fields.optional_text("description");
    let steps = read_steps(&mut fields, sport);
    Some(WeekWorkout {
        day: day?,
        date: date?,
        name: name?,
        sport: sport?,
        duration_minutes: duration_minutes?,
        estimated_tss,
        description,
        steps,
    })
}
