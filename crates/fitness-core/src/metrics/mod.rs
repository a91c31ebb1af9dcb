//! What training and sleep mean, in numbers: pure formulas, each with its citation and a worked number.
//!
//! A value that cannot be computed is [`Absent`] with its reason; nothing here falls back on an invented default.
//! No function reads a clock: whoever asks says as of which day.
//!
//! About one activity, start at [`activity`]: what the samples say, and what that means for an athlete.

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
pub mod plausibility;
pub mod predict;
mod recording_measures;
pub mod recovery;
pub mod splits;
pub mod thresholds;
pub mod trajectory;
pub mod zones;

use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};

string_enum! {
    /// How far a value can be leaned on: one of three doubts, several, or none. The order is from firm to doubtful.
    pub enum Quality("quality") {
        /// Measured, with enough behind it.
        Ok = "ok",
        /// Measured, with little behind it yet, or with a part missing.
        Provisional = "provisional",
        /// Measured, but long ago.
        Stale = "stale",
        /// Both of these.
        StaleProvisional = "stale_provisional",
        /// Made with a limit nobody set: detected, or from a formula for a whole population.
        Estimated = "estimated",
        /// Estimated, with little behind it yet.
        EstimatedProvisional = "estimated_provisional",
        /// Estimated, long ago.
        EstimatedStale = "estimated_stale",
        /// All three.
        EstimatedStaleProvisional = "estimated_stale_provisional",
    }
}

impl Quality {
    /// The quality of what is made from two values: every doubt about either. Whatever the order, it is the same.
    #[must_use]
    pub fn combine(self, other: Self) -> Self {
        // The words are listed so that each doubt is a bit of the place.
        Self::ALL.get(self as usize | other as usize).copied().unwrap_or(self)
    }

    /// Whether there is this doubt, perhaps beside others.
    #[must_use]
    pub fn has(self, doubt: Self) -> bool {
        self.combine(doubt) == self
    }

    /// As it reads in a sentence: `estimated, provisional`.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Provisional => "provisional",
            Self::Stale => "stale",
            Self::StaleProvisional => "stale, provisional",
            Self::Estimated => "estimated",
            Self::EstimatedProvisional => "estimated, provisional",
            Self::EstimatedStale => "estimated, stale",
            Self::EstimatedStaleProvisional => "estimated, stale, provisional",
        }
    }
}

/// How much is behind a value that is there already and not firm yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Learning {
    /// How many there are.
    pub have: u32,
    /// How many make it firm.
    pub needed: u32,
    /// Of what.
    pub what: CountUnit,
}

impl Learning {
    /// While there are fewer than it takes.
    #[must_use]
    pub fn new(have: u32, needed: u32, what: CountUnit) -> Option<Self> {
        (have < needed).then_some(Self { have, needed, what })
    }
}

impl std::fmt::Display for Learning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "learning: {} of {} {}", self.have, self.needed, self.what)
    }
}

/// A number and how far it can be leaned on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WithQuality {
    /// The number.
    pub value: f64,
    /// How far it can be leaned on.
    pub quality: Quality,
}

string_enum! {
    /// What a formula asks for and did not get.
    pub enum RequiredInput("input of a formula") {
        /// Highest heart rate.
        MaxHeartRate = "max_heart_rate",
        /// Heart rate at rest.
        RestingHeartRate = "resting_heart_rate",
        /// Heart rate at lactate threshold.
        ThresholdHeartRate = "threshold_heart_rate",
        /// Speed held for about an hour.
        ThresholdSpeed = "threshold_speed",
        /// Power held for about an hour.
        ThresholdPower = "threshold_power",
        /// Critical swim speed.
        SwimSpeed = "swim_speed",
        /// The athlete's sex.
        Sex = "sex",
        /// How long the athlete wants to sleep.
        SleepNeed = "sleep_need",
        /// Heart rate second by second.
        HeartRate = "heart_rate",
        /// Power second by second.
        Power = "power",
        /// Speed second by second.
        Speed = "speed",
        /// Altitude second by second.
        Altitude = "altitude",
        /// Distance second by second.
        Distance = "distance",
        /// How long it took.
        Duration = "duration",
        /// How hard it felt, 0 to 10.
        PerceivedExertion = "perceived_exertion",
        /// A race result.
        Race = "race",
        /// A race or an all-out effort of at least 5 km in the last 12 months.
        RaceOf5Km = "race_of_5_km",
        /// A race or an all-out effort of at least 1.5 km in the last 12 months.
        RaceOf1500M = "race_of_1500_m",
        /// Distance run in a week, over at least six weeks.
        WeeklyDistance = "weekly_distance",
        /// Beat-to-beat variability of a night.
        HeartRateVariability = "heart_rate_variability",
        /// A night's sleep.
        Sleep = "sleep",
        /// The mean stress level of a day.
        Stress = "stress",
        /// The highest body battery of a day.
        BodyBattery = "body_battery",
        /// Body weight.
        Weight = "weight",
        /// Breaths per minute.
        Respiration = "respiration",
        /// How the athlete feels, 1 to 5.
        Feel = "feel",
        /// The load a planned workout is expected to bring.
        PlannedLoad = "planned_load",
        /// The load of recent sessions.
        Load = "load",
        /// A recorded run.
        Run = "run",
        /// The plan that is tracked.
        Plan = "plan",
        /// How far the race of the plan is.
        RaceDistance = "race_distance",
        /// The time hoped for.
        GoalTime = "goal_time",
        /// A session planned for today.
        Workout = "session",
        /// How hard a planned session is, in words.
        Intensity = "intensity",
        /// A session that was judged.
        GradedWorkout = "judged",
        /// A mark by the athlete: ill, injured, away.
        Absence = "mark",
        /// A proposal that waits for the athlete.
        Proposal = "proposal",
    }
}

impl RequiredInput {
    /// As it reads in a sentence.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::MaxHeartRate => "a maximum heart rate",
            Self::RestingHeartRate => "a resting heart rate",
            Self::ThresholdHeartRate => "a threshold heart rate",
            Self::ThresholdSpeed => "a threshold pace",
            Self::ThresholdPower => "a threshold power",
            Self::SwimSpeed => "a critical swim speed",
            Self::Sex => "the athlete's sex",
            Self::SleepNeed => "a wished-for length of sleep",
            Self::HeartRate => "a heart rate recording",
            Self::Power => "a power recording",
            Self::Speed => "a speed recording",
            Self::Altitude => "an altitude recording",
            Self::Distance => "a distance recording",
            Self::Duration => "a duration",
            Self::PerceivedExertion => "how hard it felt",
            Self::Race => "a race result",
            Self::RaceOf5Km => "a race or an all-out effort of at least 5 km in the last 12 months",
            Self::RaceOf1500M => "a race or an all-out effort of at least 1.5 km in the last 12 months",
            Self::WeeklyDistance => "six weeks of running with data",
            Self::HeartRateVariability => "last night's heart rate variability",
            Self::Sleep => "last night's sleep",
            Self::Stress => "the day's stress level",
            Self::BodyBattery => "the day's body battery",
            Self::Weight => "a body weight",
            Self::Respiration => "a breathing rate",
            Self::Feel => "how the athlete feels",
            Self::PlannedLoad => "the load of a planned workout",
            Self::Load => "the load of most recent sessions",
            Self::Run => "a recorded run",
            Self::Plan => "an active plan",
            Self::RaceDistance => "the distance of the race",
            Self::GoalTime => "a goal time",
            Self::Workout => "a session planned for the day",
            Self::Intensity => "an intensity in the plan",
            Self::GradedWorkout => "a session of the plan that was judged",
            Self::Absence => "a mark of illness, injury or absence",
            Self::Proposal => "a proposal that waits",
        }
    }
}

string_enum! {
    /// What is counted while history is short.
    pub enum CountUnit("counted thing") {
        /// Nights with data.
        Nights = "nights",
        /// Days with data.
        Days = "days",
        /// Weeks with data.
        Weeks = "weeks",
        /// Training sessions.
        Sessions = "sessions",
        /// Seconds of a recording.
        Seconds = "seconds",
        /// Races or all-out efforts.
        Efforts = "efforts",
        /// Races.
        Races = "races",
        /// Inputs of a score.
        Inputs = "inputs",
    }
}

/// Why there is no value. A sentence for the athlete, and data for whoever stores it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum MissingReason {
    /// Something the formula stands on was not given.
    #[error("needs {}", need.label())]
    Missing {
        /// What.
        need: RequiredInput,
    },
    /// There is not enough of it yet.
    #[error("learning: {have} of {needed} {what}")]
    TooFew {
        /// How many there are.
        have: u32,
        /// How many it takes.
        needed: u32,
        /// Of what.
        what: CountUnit,
    },
    /// Too much of a recording is missing or was thrown out.
    #[error("only {percent} % of the recording is usable")]
    Patchy {
        /// How much is usable, whole percent.
        percent: u8,
    },
    /// Heart rate followed the step rate, not the heart.
    #[error("the heart rate followed the steps for {percent} % of the time")]
    CadenceLock {
        /// For how much of the time, whole percent.
        percent: u8,
    },
    /// Outside what the formula was made for.
    #[error("outside what the formula was made for: {what}")]
    OutOfRange {
        /// What was, in words.
        what: String,
    },
    /// The inputs contradict each other.
    #[error("the inputs contradict each other: {what}")]
    Contradiction {
        /// How, in words.
        what: String,
    },
    /// The day's data has not arrived.
    #[error("the data has not arrived")]
    NotYet,
}

impl MissingReason {
    /// Something the formula stands on was not given.
    #[must_use]
    pub const fn missing(need: RequiredInput) -> Self {
        Self::Missing { need }
    }
}

/// A value, or why there is none.
pub type MetricResult<T> = Result<T, MissingReason>;

/// Keeps a number only if it is one: neither NaN nor infinity leaves a formula.
pub(crate) fn finite(value: f64, what: &str) -> MetricResult<f64> {
    if value.is_finite() { Ok(value) } else { Err(MissingReason::OutOfRange { what: what.to_owned() }) }
}

/// Ten-thousandths: finer than anything measured, and short and exact as text.
pub(crate) fn round_to_4_decimals(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// The nearest whole number, as `round` gives it; what is below zero is zero. A call of the system's own takes longer
/// than what is rounded.
pub(crate) fn round_to_u32(value: f64) -> u32 {
    let floor = value as u32;
    floor.saturating_add(u32::from(value - f64::from(floor) >= 0.5))
}
