//! What a fact is, what it counts, and the one place that turns it into what an athlete reads.

use super::untrusted_names::FactText;
use crate::adherence::grade::Verdict;
use crate::domain::calendar::Day;
use crate::domain::observation::AbsenceReason;
use crate::domain::units::{Distance, Pace, TimeSpan, UnitSystem};
use crate::domain::untrusted_text::{format_number as plain, format_signed as signed, sign_prefix};
use crate::metrics::fitness::{FormBand, RampBand};
use crate::metrics::load::distribution::SpikeBand;
use crate::metrics::recovery::RecoveryBand;
use crate::metrics::recovery::hrv::HrvState;
use crate::metrics::recovery::illness::IllnessSigns;
use crate::plan::WorkoutKind;
use crate::string_enum::string_enum;
use chrono::Datelike;
use serde::{Deserialize, Deserializer, Serialize};

/// What a fact is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FactValue {
    /// A number, in the fact's unit.
    #[serde(rename = "number")]
    Number(f64),
    /// A length.
    #[serde(rename = "distance_mm")]
    Distance(Distance),
    /// A length of time.
    #[serde(rename = "time_ms")]
    Time(TimeSpan),
    /// A pace.
    #[serde(rename = "seconds_per_km", deserialize_with = "deserialize_pace")]
    Pace(Pace),
    /// A day.
    #[serde(rename = "day")]
    Day(Day),
    /// A word for a number.
    #[serde(rename = "word")]
    Word(FactWord),
    /// A name somebody gave: `5K`, `Z2`, the title of a workout. Foreign text.
    #[serde(rename = "text")]
    Text(FactText),
}

/// A word for a number, from the vocabulary of the metric it belongs to and no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactWord {
    /// Of form.
    Form(FormBand),
    /// Of the change of fitness.
    Ramp(RampBand),
    /// Of heart rate variability.
    Hrv(HrvState),
    /// Of recovery.
    Recovery(RecoveryBand),
    /// Of how far a run went beyond those before.
    Jump(SpikeBand),
    /// Of signs of illness.
    Illness(IllnessSigns),
    /// Of what became of a session.
    Verdict(Verdict),
    /// Of what a session is for.
    Kind(WorkoutKind),
    /// Of what the athlete marked.
    Mark(AbsenceReason),
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
            Self::Mark(excuse) => excuse.as_str(),
        }
    }
}

string_enum! {
    /// What a value counts. It decides how the value is rounded and what stands behind it.
    pub enum FactUnit("unit of a fact") {
        /// Points of load: an hour at threshold is 100. `48`
        LoadPoints = "load_points",
        /// Points of fitness or fatigue. `54`
        FitnessPoints = "fitness_points",
        /// Points of form, with their sign. `−18`
        FormPoints = "form_points",
        /// Points of fitness gained in a week, with their sign. `+3.4`
        FitnessPointsAWeek = "fitness_points_a_week",
        /// 0 to 100. `62`
        Score = "score",
        /// Hundredths. `63 %`
        Percent = "percent",
        /// StandardDeviations from the usual, with their sign. `−0.24`
        StandardDeviations = "spreads",
        /// One number over another. `1.22`
        Ratio = "ratio",
        /// Beats per minute. `148 bpm`
        BeatsPerMinute = "beats_per_minute",
        /// Beats per minute more or less. `+4 bpm`
        BeatsDifference = "beats_more",
        /// Breaths per minute. `14.2 breaths/min`
        BreathsPerMinute = "breaths_per_minute",
        /// Milliseconds. `61 ms`
        Milliseconds = "milliseconds",
        /// Watts. `231 W`
        Watts = "watts",
        /// Kilograms. `70.3 kg`
        Kilograms = "kilograms",
        /// Days. `71 days`
        Days = "days",
        /// Runs. `5 runs`
        Runs = "runs",
        /// Kilometres or miles. `48.2 km`
        Distance = "distance",
        /// Hours, minutes and seconds. `1:02:07`
        Clock = "clock",
        /// Hours and minutes. `7h 24m`
        HoursAndMinutes = "hours_and_minutes",
        /// Minutes more or less. `−1h 10m`
        MinutesDifference = "minutes_more",
        /// Time for a kilometre or a mile. `5:12 /km`
        Pace = "pace",
        /// Time for 100 metres. `1:52 /100 m`
        SwimPace = "swim_pace",
        /// A day of the calendar. `Sat 14 Jun`
        CalendarDay = "calendar_day",
        /// A word. `productive`
        Word = "word",
        /// A name. `Cruise intervals 4x1 km`
        Name = "name",
    }
}

/// Beyond these a value is a broken input and not a fact: a million, 100,000 km, 100 days, an hour for a kilometre.
const MAX_NUMBER: f64 = 1e6;
const MAX_DISTANCE: Distance = Distance::from_mm(100_000_000_000);
const MAX_TIME: TimeSpan = TimeSpan::from_mins(100 * 24 * 60);
const MAX_SECONDS_PER_KM: f64 = 3600.0;

impl FactUnit {
    /// Whether it counts something: neither a day, nor a word, nor a name.
    #[must_use]
    pub const fn is_number(self) -> bool {
        !matches!(self, Self::CalendarDay | Self::Word | Self::Name)
    }

    /// Whether a value can be counted in it, so that something readable is shown.
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

/// What stands where there is nothing to show.
const PLACEHOLDER: &str = "—";

/// A value as the athlete reads it. A value that does not fit its unit is shown as nothing, never as `NaN`.
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
        FactValue::Word(word) => word.as_str().replace('_', " "),
        FactValue::Text(text) => text.as_str().to_owned(),
    }
}

/// `Sat 14 Jun`, with its year where that is not the year of speaking.
fn format_day(day: Day, as_of: Day) -> String {
    let format = if day.date().year() == as_of.date().year() { "%a %-d %b" } else { "%a %-d %b %Y" };
    day.date().format(format).to_string()
}

fn format_number(number: f64, unit: FactUnit) -> String {
    match unit {
        FactUnit::LoadPoints | FactUnit::FitnessPoints | FactUnit::Score => plain(number, 0),
        FactUnit::Percent => format!("{} %", plain(number, 0)),
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
    Pace::from_seconds_per_km(seconds).ok_or_else(|| serde::de::Error::custom("a pace is more than no time"))
}
