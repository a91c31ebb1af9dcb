//! Request types of the coach API. Unknown fields are refused.
//!
//! The doc comments are the descriptions in the tools' JSON Schemas: models and MCP clients read
//! them.

use crate::domain::calendar::Day;
use crate::domain::ids::{ActivityId, PlanId};
use crate::domain::observation::ObservationKind;
use crate::domain::sport::Sport;
use crate::plan::{GoalDistance, Level, ScheduleItem};
use crate::string_enum::string_enum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Longest series or period, in days, both ends included.
pub const MAX_DAYS: i64 = 400;
/// Most activities in one response.
pub const MAX_ACTIVITIES: u32 = 100;

/// A day of the athlete.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DayRequest {
    /// Day to read, YYYY-MM-DD, for example 2026-11-17. Default: today. A future day is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Day>,
}

string_enum! {
    /// A metric with one value per day.
    pub enum SeriesMetric("metric") {
        /// Fitness (CTL) at the end of the day, in points.
        Fitness = "fitness",
        /// Fatigue (ATL) at the end of the day, in points.
        Fatigue = "fatigue",
        /// Form (TSB) in the morning, in points.
        Form = "form",
        /// Training load of the day, all sports, in points.
        Load = "load",
        /// Running distance, in km or miles.
        RunDistance = "run_distance",
        /// Training time, all sports, in minutes.
        TrainingMinutes = "training_minutes",
        /// Recovery score in the morning, 0 to 100.
        Recovery = "recovery",
        /// Heart rate variability (rMSSD) of the night, in ms.
        Hrv = "hrv",
        /// Resting heart rate, in bpm.
        RestingHeartRate = "resting_heart_rate",
        /// Time asleep, in minutes.
        SleepMinutes = "sleep_minutes",
        /// Mean stress of the day as measured by the device, 0 to 100.
        Stress = "stress",
        /// Body weight, in kg.
        Weight = "weight",
    }
}

/// One metric over a period, one value per day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SeriesRequest {
    /// Metric to read. `fitness`, `fatigue`, `form` and `load` are in points (one hour at threshold
    /// is a load of 100), `run_distance` is in the athlete's km or miles, `training_minutes` and
    /// `sleep_minutes` are in minutes, `recovery` and `stress` are scores from 0 to 100, `hrv` is
    /// in ms, `resting_heart_rate` in bpm and `weight` in kg.
    pub metric: SeriesMetric,
    /// First day, YYYY-MM-DD, for example 2026-10-01.
    pub from: Day,
    /// Last day, YYYY-MM-DD, for example 2026-11-17. The period has at most 400 days.
    pub through: Day,
}

/// Filter for recorded activities.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActivitiesRequest {
    /// First day, YYYY-MM-DD, for example 2026-10-01. Default: 28 days before `through`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Day>,
    /// Last day, YYYY-MM-DD, for example 2026-11-17. Default: today. At most 400 days in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<Day>,
    /// Return only activities of this sport. Default: all sports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sport: Option<Sport>,
    /// Maximum count of activities to return, 1 to 100, for example 10. Default: 30.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<u32>,
}

/// One recorded activity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActivityRequest {
    /// Id of the activity, from `activities`, for example 156.
    pub activity_id: ActivityId,
}

/// Two periods to compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ComparisonRequest {
    /// The period of interest, for example the last four weeks.
    pub this: Period,
    /// The period to compare it with, for example the four weeks before.
    pub that: Period,
}

/// A period of at most 400 days, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Period {
    /// First day, YYYY-MM-DD, for example 2026-10-01.
    pub from: Day,
    /// Last day, YYYY-MM-DD, for example 2026-10-28.
    pub through: Day,
}

/// The part of the active plan to read. Default: all of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanProgressRequest {
    /// First day of the workouts to list, YYYY-MM-DD, for example 2026-11-16. Default: plan start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Day>,
    /// Last day of the workouts to list, YYYY-MM-DD, for example 2026-11-22. Default: plan end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<Day>,
}

/// The distance to predict: `goal`, `distance_km`, or neither for the race of the active plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PredictionRequest {
    /// Race distance as a word: `5k`, `10k`, `half` or `full` marathon. Not with `distance_km`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<GoalDistance>,
    /// Any other race distance in kilometres, 1 to 400, for example 16.1. Not with `goal`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance_km: Option<f64>,
}

/// The period of the notes and observations to read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NotesRequest {
    /// First day, YYYY-MM-DD, for example 2026-10-01. Default: 60 days before `through`. Notes
    /// without a date are always returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Day>,
    /// Last day, YYYY-MM-DD, for example 2026-11-17. Default: today.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<Day>,
}

/// A note that the athlete can accept or discard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoteSuggestion {
    /// Text of the note, 1 to 4000 characters, for example "Prefers long runs on Saturday".
    pub text: String,
    /// Day the note is about, YYYY-MM-DD, for example 2026-11-17. Leave it out for a general note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Day>,
}

/// An observation that the athlete can accept or discard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObservationSuggestion {
    /// Kind of observation: `rpe` (effort), `soreness`, `mood`, `illness`, `injury` or `away`.
    pub kind: ObservationKind,
    /// First day, YYYY-MM-DD, for example 2026-11-17. At most 400 days from today.
    pub from: Day,
    /// Last day, YYYY-MM-DD, for example 2026-11-19. Default: same as `from`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<Day>,
    /// Value on the scale of its kind, for example 2: `rpe` 0-10 (10 = maximal), `soreness` 1-5
    /// (5 = very sore), `mood` 1-5 (5 = great), `illness` and `injury` 1-3 (3 = severe). No value
    /// for `away`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<u8>,
    /// Short comment, at most 4000 characters, for example "cold, no fever".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// A training plan to draft: from `schedule` if given, else generated from the athlete's history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DraftPlanRequest {
    /// Name of the plan, for example "Spring half marathon". Default: made from goal and date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Race distance: `5k`, `10k`, `half`, `full` (marathon), or `custom` with `distance_km`.
    pub goal: GoalDistance,
    /// Race distance in kilometres, for example 16.1. Only for the goal `custom`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance_km: Option<f64>,
    /// Day of the race, YYYY-MM-DD, for example 2027-01-24.
    pub race_date: Day,
    /// First day of the plan, YYYY-MM-DD, for example 2026-11-23. Default: today.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_date: Option<Day>,
    /// Goal time as hours:minutes:seconds, for example 1:45:00. Leave it out to just finish.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_time: Option<String>,
    /// Workouts day by day, at most 1500. Leave it out to generate the plan from the athlete's
    /// history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1500))]
    pub schedule: Option<Vec<ScheduleItem>>,
    /// Weekdays available for training, comma-separated, for example mon,wed,sun. Default: all.
    /// Not with `schedule`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<String>,
    /// Weekday of the long run, for example sun. Not with `schedule`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long_run_day: Option<String>,
    /// Running experience as stated by the athlete: `novice` (below 30 km a week), `inter` (30 to
    /// 65 km) or `adv` (more). Needed if their history is short. Not with `schedule`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// Usual weekly running distance as stated by the athlete, in kilometres, for example 25. Not
    /// with `schedule`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weekly_km: Option<f64>,
    /// Days without training, each YYYY-MM-DD, for example 2026-12-24. Not with `schedule`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 732))]
    pub blackout_days: Vec<Day>,
    /// Id of the earlier draft that this one replaces, for example 3. That draft stays readable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<PlanId>,
}
