//! Training, recovery and prediction metrics: pure formulas, each with its citation and a worked
//! example.
//!
//! A value that cannot be computed is a [`MissingReason`]; no formula falls back on an assumed
//! default. No function reads a clock: callers pass the day.
//!
//! For the metrics of one activity start at [`activity`], for those of a whole history at
//! [`pipeline`].

pub mod activity;
pub mod age_grade;
pub mod curve;
pub mod day;
pub mod decoupling;
pub mod efforts;
pub mod elevation;
pub mod fitness;
#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod golden;
pub mod grade_adjusted_pace;
pub mod histogram;
pub mod hr_artefacts;
pub mod load;
pub mod moving_time;
pub mod per_second;
pub mod pipeline;
pub mod predict;
mod recording_measures;
pub mod recovery;
pub mod splits;
pub mod suspicious_samples;
pub mod thresholds;
pub mod trajectory;
pub mod zones;

use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};

string_enum! {
    /// How reliable a value is: any combination of three flags (provisional, stale, estimated).
    /// Ordered from reliable to doubtful.
    pub enum Quality("quality") {
        /// Measured, with enough data.
        Ok = "ok",
        /// Measured, with little data yet or with part of it missing.
        Provisional = "provisional",
        /// Measured, but long ago.
        Stale = "stale",
        StaleProvisional = "stale_provisional",
        /// Computed with a threshold that nobody set: detected, or from a population formula.
        Estimated = "estimated",
        EstimatedProvisional = "estimated_provisional",
        EstimatedStale = "estimated_stale",
        EstimatedStaleProvisional = "estimated_stale_provisional",
    }
}

impl Quality {
    /// Label for `Stale` where an old threshold is the only cause, as for the load of an activity.
    pub const OLD_THRESHOLD_LABEL: &str = "based on an old threshold";

    /// The quality of a value computed from two others: the union of their flags. Commutative.
    #[must_use]
    pub fn combine(self, other: Self) -> Self {
        // The order of the variants makes each flag one bit of the index.
        Self::ALL.get(self as usize | other as usize).copied().unwrap_or(self)
    }

    /// Whether it includes the flags of `doubt`.
    #[must_use]
    pub fn has(self, doubt: Self) -> bool {
        self.combine(doubt) == self
    }

    /// For use in a sentence: `estimated, provisional`.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Provisional => "provisional",
            Self::Stale => "based on old data",
            Self::StaleProvisional => "based on old data, provisional",
            Self::Estimated => "estimated",
            Self::EstimatedProvisional => "estimated, provisional",
            Self::EstimatedStale => "estimated, based on old data",
            Self::EstimatedStaleProvisional => "estimated, based on old data, provisional",
        }
    }
}

/// Progress of a value that is shown already but needs more data to be reliable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataProgress {
    pub have: u32,
    pub needed: u32,
    pub what: CountUnit,
}

impl DataProgress {
    /// `None` once there is enough data.
    #[must_use]
    pub fn new(have: u32, needed: u32, what: CountUnit) -> Option<Self> {
        (have < needed).then_some(Self { have, needed, what })
    }
}

impl std::fmt::Display for DataProgress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "based on {} of {} {} so far", self.have, self.needed, self.what.label(self.needed))
    }
}

/// A number with its quality.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ValueWithQuality {
    pub value: f64,
    pub quality: Quality,
}

string_enum! {
    /// An input that a formula needs.
    pub enum RequiredInput("formula input") {
        MaxHeartRate = "max_heart_rate",
        RestingHeartRate = "resting_heart_rate",
        ThresholdHeartRate = "threshold_heart_rate",
        ThresholdSpeed = "threshold_speed",
        ThresholdPower = "threshold_power",
        SwimSpeed = "swim_speed",
        Sex = "sex",
        /// The athlete's sleep goal.
        SleepNeed = "sleep_need",
        HeartRate = "heart_rate",
        Power = "power",
        Speed = "speed",
        Altitude = "altitude",
        /// Recorded or planned distance.
        Distance = "distance",
        /// Recorded or planned duration.
        Duration = "duration",
        /// Perceived exertion (RPE), 0 to 10.
        PerceivedExertion = "perceived_exertion",
        Race = "race",
        /// A race or an all-out effort of at least 5 km in the last 12 months.
        RaceOf5Km = "race_of_5_km",
        /// A race or an all-out effort of at least 1.5 km in the last 12 months.
        RaceOf1500M = "race_of_1500_m",
        /// Distance run in a week, over at least six weeks.
        WeeklyDistance = "weekly_distance",
        HeartRateVariability = "heart_rate_variability",
        Sleep = "sleep",
        Stress = "stress",
        BodyBattery = "body_battery",
        Weight = "weight",
        Respiration = "respiration",
        /// The check-in's rating of the day, 1 to 5.
        Feel = "feel",
        /// The load a planned workout is expected to bring.
        PlannedLoad = "planned_load",
        /// The load of recent activities.
        Load = "load",
        Run = "run",
        Plan = "plan",
        /// Race distance of the plan.
        RaceDistance = "race_distance",
        GoalTime = "goal_time",
        /// A workout planned for today.
        Workout = "session",
        /// Intensity of a planned workout, as text.
        Intensity = "intensity",
        GradedWorkout = "judged",
        /// An absence: ill, injured or away.
        Absence = "mark",
        Proposal = "proposal",
    }
}

impl RequiredInput {
    /// The reason shown when it is missing, with what to do where the athlete can help.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::MaxHeartRate => "set your max HR",
            Self::RestingHeartRate => "no resting heart rate",
            Self::ThresholdHeartRate => "set a threshold heart rate",
            Self::ThresholdSpeed => "set a threshold pace",
            Self::ThresholdPower => "set a threshold power",
            Self::SwimSpeed => "set a critical swim speed (CSS)",
            Self::Sex => "set your sex in your profile",
            Self::SleepNeed => "set your sleep goal in your profile",
            Self::HeartRate => "no heart rate data",
            Self::Power => "no power data",
            Self::Speed => "no speed data",
            Self::Altitude => "no altitude data",
            Self::Distance => "no distance",
            Self::Duration => "no duration",
            Self::PerceivedExertion => "no effort rating (RPE)",
            Self::Race => "needs a race result",
            Self::RaceOf5Km => "needs a race or an all-out effort of at least 5 km in the last 12 months",
            Self::RaceOf1500M => "needs a race or an all-out effort of at least 1.5 km in the last 12 months",
            Self::WeeklyDistance => "needs at least six weeks of running data",
            Self::HeartRateVariability => "no HRV for last night",
            Self::Sleep => "no sleep data for last night",
            Self::Stress => "no stress data for this day",
            Self::BodyBattery => "no body battery data for this day",
            Self::Weight => "no body weight",
            Self::Respiration => "no breathing rate",
            Self::Feel => "no check-in for this day",
            Self::PlannedLoad => "a planned workout has no duration or distance",
            Self::Load => "too few recent activities have a training load",
            Self::Run => "no recorded run",
            Self::Plan => "no active plan",
            Self::RaceDistance => "no race distance",
            Self::GoalTime => "no goal time",
            Self::Workout => "no workout planned for this day",
            Self::Intensity => "no intensity in the plan",
            Self::GradedWorkout => "no graded workout yet",
            Self::Absence => "no illness, injury or absence",
            Self::Proposal => "no pending proposal",
        }
    }

    /// What was missing, for a sentence about the past; [`label`](Self::label) may say what to do.
    #[must_use]
    pub const fn cause(self) -> &'static str {
        match self {
            Self::MaxHeartRate => "no max HR was known at the time",
            Self::ThresholdHeartRate => "no threshold heart rate was known at the time",
            Self::ThresholdSpeed => "no threshold pace was known at the time",
            Self::ThresholdPower => "no threshold power was known at the time",
            Self::SwimSpeed => "no critical swim speed (CSS) was known at the time",
            Self::Sex => "your sex was not set",
            Self::SleepNeed => "no sleep goal was set",
            other => other.label(),
        }
    }
}

string_enum! {
    /// What is counted while there is too little data.
    pub enum CountUnit("count unit") {
        Nights = "nights",
        Days = "days",
        Weeks = "weeks",
        Sessions = "sessions",
        /// Seconds of a recording.
        Seconds = "seconds",
        /// Races or all-out efforts.
        Efforts = "efforts",
        Races = "races",
        /// Inputs of a score.
        Inputs = "inputs",
    }
}

impl CountUnit {
    /// Singular for one, else plural.
    #[must_use]
    pub fn label(self, count: u32) -> &'static str {
        let plural = self.as_str();
        if count == 1 { plural.strip_suffix('s').unwrap_or(plural) } else { plural }
    }
}

/// Why there is no value. `Display` is the text for the athlete, serde the stored form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum MissingReason {
    /// An input of the formula is missing.
    #[error("{}", need.label())]
    Missing { need: RequiredInput },
    /// There is not enough data yet.
    #[error("not enough data yet: {have} of {needed} {}", what.label(*needed))]
    TooFew { have: u32, needed: u32, what: CountUnit },
    /// Too much of a recording is missing or was discarded as unreliable.
    #[error("only {percent}% of the recording is usable")]
    Patchy {
        /// Usable share, whole percent.
        percent: u8,
    },
    /// The sensor measured the step rate instead of the heart rate (cadence lock).
    #[error("heart rate matched your cadence for {percent}% of the time (cadence lock)")]
    CadenceLock {
        /// Share of the time, whole percent.
        percent: u8,
    },
    /// The inputs are outside the range the formula is valid for.
    // Stored texts have a space before the percent sign.
    #[error("cannot be computed: {what}")]
    OutOfRange {
        /// Which input, as text for the athlete.
        what: String,
    },
    #[error("the inputs contradict each other: {what}")]
    Contradiction { what: String },
    /// The day's data has not been synced.
    #[error("not synced yet")]
    NotYet,
}

impl MissingReason {
    /// An input of the formula is missing.
    #[must_use]
    pub const fn missing(need: RequiredInput) -> Self {
        Self::Missing { need }
    }

    /// Whether a threshold is missing, so that setting one with an earlier date helps.
    #[must_use]
    pub const fn is_threshold(&self) -> bool {
        let Self::Missing { need } = self else { return false };
        matches!(
            need,
            RequiredInput::MaxHeartRate
                | RequiredInput::ThresholdHeartRate
                | RequiredInput::ThresholdSpeed
                | RequiredInput::ThresholdPower
                | RequiredInput::SwimSpeed
        )
    }

    /// The reason for a sentence about the past, such as `no threshold pace was known at the time`.
    #[must_use]
    pub fn cause(&self) -> String {
        match self {
            Self::Missing { need } => need.cause().to_owned(),
            other => other.to_string(),
        }
    }
}

/// A value, or the reason it is missing.
pub type MetricResult<T> = Result<T, MissingReason>;

/// Rejects NaN and infinity, so that no formula returns them.
pub(crate) fn finite(value: f64, what: &str) -> MetricResult<f64> {
    if value.is_finite() { Ok(value) } else { Err(MissingReason::OutOfRange { what: what.to_owned() }) }
}

/// Finer than anything measured, and short as text.
pub(crate) fn round_to_4_decimals(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// Like `round`, with negative numbers as zero. Faster than a call to libm.
pub(crate) fn round_to_u32(value: f64) -> u32 {
    let floor = value as u32;
    floor.saturating_add(u32::from(value - f64::from(floor) >= 0.5))
}
