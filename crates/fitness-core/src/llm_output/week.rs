//! The weekly plan response: one whole week.

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
    /// The week in short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_summary: Option<PlanSummary>,
    /// Its workouts; rest days may be among them.
    #[schemars(length(min = 1, max = MAX_ENTRIES))]
    pub workouts: Vec<WeekWorkout>,
    /// What the athlete is told.
    #[schemars(schema_with = "super::schema::message")]
    pub athlete_message: String,
}

/// The week in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanSummary {
    /// What the week is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::schema::words")]
    pub focus: Option<String>,
    /// The sum of the workouts' TSS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = MAX_WEEKLY_TSS))]
    pub total_tss: Option<f64>,
    /// The sum of the workouts' durations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = MAX_WEEKLY_HOURS))]
    pub total_hours: Option<f64>,
    /// The sessions the week hangs on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::schema::points")]
    pub key_sessions: Option<Vec<String>>,
}

string_enum! {
    /// A weekday as the contract writes it.
    pub enum DayName("weekday") {
        /// The first day of the week.
        Monday = "monday",
        /// The second.
        Tuesday = "tuesday",
        /// The third.
        Wednesday = "wednesday",
        /// The fourth.
        Thursday = "thursday",
        /// The fifth.
        Friday = "friday",
        /// The sixth.
        Saturday = "saturday",
        /// The last.
        Sunday = "sunday",
    }
}

impl DayName {
    /// The name of a day's weekday.
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

/// A workout of the week.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = super::schema::size_by_sport)]
pub struct WeekWorkout {
    /// The weekday of `date`.
    pub day: DayName,
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

impl WeekWorkout {
    /// The same as a workout that is added to a plan.
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
    /// The Monday of its first workout's week.
    #[must_use]
    pub fn monday(&self) -> Option<Day> {
        self.workouts.iter().map(|workout| workout.date).min().map(|day| day.iso_week().monday())
    }
}

/// The fields of a weekly plan.
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
            "A week has at least one workout; a week of rest lists its rest days. If you cannot write one, answer with empty `modifications` and `new_workouts` and say why in `athlete_message`.",
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
