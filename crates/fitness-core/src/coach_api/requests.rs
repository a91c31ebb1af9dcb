//! What a coach may ask for. Unknown fields are refused: nothing else can be smuggled in.

use crate::domain::calendar::Day;
use crate::domain::ids::{ActivityId, PlanId};
use crate::domain::observation::ObservationKind;
use crate::domain::sport::Sport;
use crate::plan::{Goal, Level, ScheduleItem};
use crate::string_enum::string_enum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most days a series or a period may span.
pub const MAX_DAYS: i64 = 400;
/// The most activities told at once.
pub const MAX_ACTIVITIES: u32 = 100;

/// A day; today when it is left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DayRequest {
    /// The day, `2026-06-14`. Leave it out for today.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Day>,
}

string_enum! {
    /// A metric with one value a day.
    pub enum SeriesMetric("metric") {
        /// Fitness in the evening.
        Fitness = "fitness",
        /// Fatigue in the evening.
        Fatigue = "fatigue",
        /// Form in the morning.
        Form = "form",
        /// Load of the day, all sports.
        Load = "load",
        /// Distance run.
        RunDistance = "run_distance",
        /// Training time, all sports, in minutes.
        TrainingMinutes = "training_minutes",
        /// Recovery in the morning.
        Recovery = "recovery",
        /// Heart rate variability of the night.
        Hrv = "hrv",
        /// Resting heart rate.
        RestingHeartRate = "resting_heart_rate",
        /// Time asleep, in minutes.
        SleepMinutes = "sleep_minutes",
        /// Mean stress of the day.
        Stress = "stress",
        /// Body weight.
        Weight = "weight",
    }
}

/// One metric, day by day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SeriesRequest {
    /// Which.
    pub metric: SeriesMetric,
    /// The first day.
    pub from: Day,
    /// The last day, at most 400 days later.
    pub through: Day,
}

/// Some activities, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActivitiesRequest {
    /// The first day; 28 days ago when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Day>,
    /// The last day; today when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<Day>,
    /// Only this sport.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sport: Option<Sport>,
    /// At most so many, 1 to 100; 30 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<u32>,
}

/// One activity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActivityRequest {
    /// Its id, as `activities` tells it.
    pub activity_id: ActivityId,
}

/// Two stretches of days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ComparisonRequest {
    /// The stretch that is looked at.
    pub this: Period,
    /// The stretch it is held against.
    pub that: Period,
}

/// A stretch of days, at most 400.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Period {
    /// The first day.
    pub from: Day,
    /// The last day.
    pub through: Day,
}

/// The active plan. Without anything it is all of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanProgressRequest {
    /// Workouts from this day on; from its start when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Day>,
    /// Workouts through this day; through its end when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<Day>,
}

/// A race to predict. Without anything it is that of the active plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PredictionRequest {
    /// One of the usual distances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<Goal>,
    /// Kilometres, 1 to 400, for any other distance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance_km: Option<f64>,
}

/// Notes and marked days of a stretch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NotesRequest {
    /// The first day; 60 days ago when left out. Notes about no day are always told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Day>,
    /// The last day; today when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<Day>,
}

/// A note for the athlete to accept or to drop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoteSuggestion {
    /// The words, at most 4000 characters.
    pub text: String,
    /// The day it is about, where it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Day>,
}

/// An observation for the athlete to accept or to drop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObservationSuggestion {
    /// What it is about.
    pub kind: ObservationKind,
    /// The first day.
    pub from: Day,
    /// The last day; the first when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<Day>,
    /// On the scale of its kind: rpe 0-10, soreness and mood 1-5, illness and injury 1-3, away none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<u8>,
    /// A few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// A plan to draft. With a `schedule` it is the asker's own; without one it is made from the athlete's history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DraftPlanRequest {
    /// What to call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it trains for.
    pub goal: Goal,
    /// Kilometres, for a custom goal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance_km: Option<f64>,
    /// The day of the race.
    pub race_date: Day,
    /// The first day that counts; today when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_date: Option<Day>,
    /// `01:45:00`, where there is a target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_time: Option<String>,
    /// Day by day, at most 1500 entries. Leave it out to have it made from the athlete's history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1500))]
    pub schedule: Option<Vec<ScheduleItem>>,
    /// The weekdays to train on, `mon,wed,sun`; only without a schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<String>,
    /// The weekday of the long run, `sun`; only without a schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long_run_day: Option<String>,
    /// How used to running the athlete says they are; only without a schedule, and needed where their history is short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// Kilometres the athlete says they run in a usual week; only without a schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weekly_km: Option<f64>,
    /// Days without training; only without a schedule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 732))]
    pub blackout_days: Vec<Day>,
    /// The draft this one came from. It stays readable, as superseded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<PlanId>,
}
