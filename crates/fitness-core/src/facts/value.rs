//! Values and units of facts, and their formatting for the athlete.

use super::untrusted_names::FactText;
use crate::adherence::grade::Verdict;
use crate::domain::calendar::Day;
use crate::domain::observation::AbsenceReason;
use crate::domain::units::{Distance, Pace, TimeSpan, UnitSystem};
use crate::domain::untrusted_text::{format_number as plain, format_signed as signed, sign_prefix};
use crate::metrics::fitness::{FormBand, RampBand};
use crate::metrics::load::monotony_and_spikes::SpikeBand;
use crate::metrics::recovery::RecoveryBand;
use crate::metrics::recovery::hrv::HrvState;
use crate::metrics::recovery::illness::IllnessSignDuration;
use crate::plan::WorkoutKind;
use crate::string_enum::string_enum;
use chrono::Datelike;
use serde::{Deserialize, Deserializer, Serialize};

/// Value of a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FactValue {
    /// A number, in the fact's unit.
    #[serde(rename = "number")]
    Number(f64),
    #[serde(rename = "distance_mm")]
    Distance(Distance),
    #[serde(rename = "time_ms")]
    Time(TimeSpan),
    #[serde(rename = "seconds_per_km", deserialize_with = "deserialize_pace")]
    Pace(Pace),
    #[serde(rename = "day")]
    Day(Day),
    #[serde(rename = "word")]
    Word(FactWord),
    /// A name such as `5K`, `Z2` or the title of a workout. Untrusted text.
    #[serde(rename = "text")]
    Text(FactText),
}

/// A category, from the enum of its metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactWord {
    Form(FormBand),
    Ramp(RampBand),
    Hrv(HrvState),
    Recovery(RecoveryBand),
    /// Jump in distance over the runs before.
    Jump(SpikeBand),
    Illness(IllnessSignDuration),
    Verdict(Verdict),
    Kind(WorkoutKind),
    /// Absence reported by the athlete.
    Mark(AbsenceReason),
}

/// A verdict as a participle, so that it fits into sentences.
pub(super) const fn verdict_in_text(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Hit => "completed",
        Verdict::Short => "partly completed",
        Verdict::Missed => "missed",
        Verdict::Rest => "rest",
        Verdict::NotStarted => "not started",
        Verdict::Pending => "to come",
    }
}

impl FactWord {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Form(band) => band.as_str(),
            Self::Ramp(band) => band.as_str(),
            Self::Hrv(state) => state.as_str(),
            Self::Recovery(band) => band.as_str(),
            Self::Jump(band) => band.as_str(),
            Self::Illness(signs) => signs.as_str(),
            Self::Verdict(verdict) => verdict.as_str(),
            Self::Kind(kind) => kind.as_str(),
            Self::Mark(reason) => reason.as_str(),
        }
    }

    /// The word as shown to the athlete.
    fn label(self) -> String {
        match self {
            Self::Recovery(RecoveryBand::Middle) => "moderate".to_owned(),
            other => other.as_str().replace('_', " "),
        }
    }
}

string_enum! {
    /// Unit of a fact; decides rounding and suffix.
    pub enum FactUnit("unit of a fact") {
        /// Training load points; one hour at threshold is 100. `48`
        LoadPoints = "load_points",
        /// Points of fitness or fatigue. `54`
        FitnessPoints = "fitness_points",
        /// Points of form, signed. `−18`
        FormPoints = "form_points",
        /// Points of fitness per week, signed. `+3.4`
        FitnessPointsAWeek = "fitness_points_a_week",
        /// 0 to 100. `62`
        Score = "score",
        Percent = "percent",
        /// Standard deviations from the baseline, signed. `−0.24`
        StandardDeviations = "spreads",
        /// One number over another. `1.22`
        Ratio = "ratio",
        /// Beats per minute. `148 bpm`
        BeatsPerMinute = "beats_per_minute",
        /// Difference in beats per minute. `+4 bpm`
        BeatsDifference = "beats_more",
        /// Breaths per minute. `14.2 breaths/min`
        BreathsPerMinute = "breaths_per_minute",
        Milliseconds = "milliseconds",
        Watts = "watts",
        Kilograms = "kilograms",
        Days = "days",
        Runs = "runs",
        /// Kilometres or miles. `48.2 km`
        Distance = "distance",
        /// Hours, minutes and seconds. `1:02:07`
        Clock = "clock",
        /// Hours and minutes. `7h 24m`
        HoursAndMinutes = "hours_and_minutes",
        /// Difference in time. `−1h 10m`
        MinutesDifference = "minutes_more",
        /// Time per kilometre or mile. `5:12 /km`
        Pace = "pace",
        /// Time per 100 metres. `1:52 /100 m`
        SwimPace = "swim_pace",
        /// A day of the calendar. `Sat 14 Jun`
        CalendarDay = "calendar_day",
        Word = "word",
        /// A name. `Cruise intervals 4x1 km`
        Name = "name",
    }
}

/// Upper bounds; larger values are broken input: a million, 100,000 km, 100 days, an hour per
/// kilometre.
const MAX_NUMBER: f64 = 1e6;
const MAX_DISTANCE: Distance = Distance::from_mm(100_000_000_000);
const MAX_TIME: TimeSpan = TimeSpan::from_mins(100 * 24 * 60);
const MAX_SECONDS_PER_KM: f64 = 3600.0;

impl FactUnit {
    /// Whether the value is a number: not a day, word or name.
    #[must_use]
    pub const fn is_number(self) -> bool {
        !matches!(self, Self::CalendarDay | Self::Word | Self::Name)
    }

    /// Whether a value has the right type and is within bounds.
    #[must_use]
    pub fn fits(self, value: &FactValue) -> bool {
        match (self, value) {
            (Self::Distance, FactValue::Distance(way)) => (Distance::ZERO..=MAX_DISTANCE).contains(way),
            (Self::Clock | Self::HoursAndMinutes, FactValue::Time(time)) => {
                (TimeSpan::ZERO..=MAX_TIME).contains(time)
            }
            (Self::Pace | Self::SwimPace, FactValue::Pace(pace)) => {
                pace.seconds_per_km() <= MAX_SECONDS_PER_KM
            }
            (Self::CalendarDay, FactValue::Day(_))
            | (Self::Word, FactValue::Word(_))
            | (Self::Name, FactValue::Text(_)) => true,
            (
                Self::Distance
                | Self::Clock
                | Self::HoursAndMinutes
                | Self::Pace
                | Self::SwimPace
                | Self::CalendarDay
                | Self::Word
                | Self::Name,
                _,
            ) => false,
            (_, FactValue::Number(number)) => number.abs() <= MAX_NUMBER,
            (_, _) => false,
        }
    }
}

const PLACEHOLDER: &str = "—";

/// Formats a value for the athlete. A value that does not fit its unit is shown as `—`, never as
/// `NaN`.
pub(super) fn format_value(value: &FactValue, unit: FactUnit, as_of: Day, units: UnitSystem) -> String {
    if !unit.fits(value) {
        return PLACEHOLDER.to_owned();
    }
    match value {
        FactValue::Number(number) => format_number(*number, unit),
        FactValue::Distance(way) => units.format_distance(*way).to_string(),
        FactValue::Time(time) if unit == FactUnit::Clock => time.format_clock(),
        FactValue::Time(time) => time.format_hours_minutes(),
        FactValue::Pace(pace) if unit == FactUnit::Pace => units.format_pace(*pace).to_string(),
        FactValue::Pace(pace) => {
            let hundred = TimeSpan::from_seconds(pace.seconds_per_km() / 10.0);
            format!("{} /100 m", hundred.map_or_else(|| PLACEHOLDER.to_owned(), TimeSpan::format_clock))
        }
        FactValue::Day(day) => format_day(*day, as_of),
        FactValue::Word(word) => word.label(),
        FactValue::Text(text) => text.as_str().to_owned(),
    }
}

/// `Sat 14 Jun`, with the year if it differs from that of `as_of`.
fn format_day(day: Day, as_of: Day) -> String {
    let format = if day.date().year() == as_of.date().year() { "%a %-d %b" } else { "%a %-d %b %Y" };
    day.date().format(format).to_string()
}

fn format_number(number: f64, unit: FactUnit) -> String {
    match unit {
        FactUnit::LoadPoints | FactUnit::FitnessPoints | FactUnit::Score => plain(number, 0),
        FactUnit::Percent => format!("{}%", plain(number, 0)),
        FactUnit::FormPoints => signed(number, 0),
        FactUnit::FitnessPointsAWeek => signed(number, 1),
        FactUnit::StandardDeviations => signed(number, 2),
        FactUnit::Ratio => plain(number, 2),
        FactUnit::BeatsPerMinute => format!("{} bpm", plain(number, 0)),
        FactUnit::BeatsDifference => format!("{} bpm", signed(number, 0)),
        FactUnit::BreathsPerMinute => format!("{} breaths/min", plain(number, 1)),
        FactUnit::Milliseconds => format!("{} ms", plain(number, 0)),
        FactUnit::Watts => format!("{} W", plain(number, 0)),
        FactUnit::Kilograms => format!("{} kg", plain(number, 1)),
        FactUnit::Days => format_count(number, "day"),
        FactUnit::Runs => format_count(number, "run"),
        FactUnit::MinutesDifference => {
            let span = TimeSpan::from_seconds(number.abs().round() * 60.0).unwrap_or(MAX_TIME);
            format!("{}{}", sign_prefix(number.round(), "+"), span.format_hours_minutes())
        }
        FactUnit::Distance
        | FactUnit::Clock
        | FactUnit::HoursAndMinutes
        | FactUnit::Pace
        | FactUnit::SwimPace
        | FactUnit::CalendarDay
        | FactUnit::Word
        | FactUnit::Name => PLACEHOLDER.to_owned(),
    }
}

/// `1 day`, `71 days`.
fn format_count(number: f64, one: &str) -> String {
    let number = plain(number, 0);
    if number == "1" { format!("1 {one}") } else { format!("{number} {one}s") }
}

fn deserialize_pace<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Pace, D::Error> {
    let seconds = f64::deserialize(deserializer)?;
    Pace::from_seconds_per_km(seconds).ok_or_else(|| serde::de::Error::custom("a pace must be above zero"))
}
