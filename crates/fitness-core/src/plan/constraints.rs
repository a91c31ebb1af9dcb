//! Constraints of a plan: available days and what the athlete reports about themselves.

use super::{SelfReportedTraining, TuneUp};
use crate::domain::calendar::{Day, Weekday};
use crate::domain::sport::Sport;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

const SHORT_NAMES: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const LONG_NAMES: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// A set of weekdays, written `mon,wed,sun`.
///
/// ```
/// use fitness_core::plan::Weekdays;
///
/// let days: Weekdays = "Sun, tuesday,thu".parse().unwrap();
/// assert_eq!(days.to_string(), "tue,thu,sun");
/// assert_eq!(days.len(), 3);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Weekdays(u8);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a weekday; write them as mon,tue,wed,thu,fri,sat,sun")]
pub struct WeekdayError(pub String);

impl Weekdays {
    pub const ALL: Self = Self(0b111_1111);
    pub const NONE: Self = Self(0);

    #[must_use]
    pub const fn contains(self, weekday: Weekday) -> bool {
        self.0 & (1 << weekday.num_days_from_monday()) != 0
    }

    #[must_use]
    pub fn allows(self, day: Day) -> bool {
        self.contains(day.weekday())
    }

    /// For sentences: `Mon, Tue and Sat`.
    #[must_use]
    pub fn label(self) -> String {
        let named = |name: &str| format!("{}{}", name[..1].to_ascii_uppercase(), &name[1..]);
        let mut names: Vec<String> =
            self.to_string().split(',').filter(|name| !name.is_empty()).map(named).collect();
        match names.pop() {
            Some(last) if !names.is_empty() => format!("{} and {last}", names.join(", ")),
            last => last.unwrap_or_else(|| "none".to_owned()),
        }
    }

    #[must_use]
    pub const fn with(self, weekday: Weekday) -> Self {
        Self(self.0 | (1 << weekday.num_days_from_monday()))
    }

    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Parses a weekday, in full or by its first three letters.
pub fn parse_weekday(text: &str) -> Result<Weekday, WeekdayError> {
    let word = text.trim().to_lowercase();
    let index = SHORT_NAMES.iter().zip(LONG_NAMES).position(|(short, long)| word == *short || word == long);
    index
        .and_then(|index| Weekday::try_from(u8::try_from(index).ok()?).ok())
        .ok_or_else(|| WeekdayError(text.trim().chars().take(20).collect()))
}

impl FromStr for Weekdays {
    type Err = WeekdayError;
    fn from_str(text: &str) -> Result<Self, WeekdayError> {
        text.split(',').try_fold(Self::NONE, |days, word| Ok(days.with(parse_weekday(word)?)))
    }
}

impl TryFrom<String> for Weekdays {
    type Error = WeekdayError;
    fn try_from(text: String) -> Result<Self, WeekdayError> {
        if text.is_empty() { Ok(Self::NONE) } else { text.parse() }
    }
}

impl From<Weekdays> for String {
    fn from(days: Weekdays) -> Self {
        days.to_string()
    }
}

impl fmt::Display for Weekdays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = SHORT_NAMES
            .iter()
            .enumerate()
            .filter(|(i, _)| self.0 & (1 << i) != 0)
            .map(|(_, name)| *name)
            .collect();
        f.pad(&names.join(","))
    }
}

/// When an athlete can train. Generated plans and proposals always respect it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Availability {
    pub days: Weekdays,
    #[serde(default)]
    pub blackouts: BTreeSet<Day>,
}

impl Default for Availability {
    fn default() -> Self {
        Self { days: Weekdays::ALL, blackouts: BTreeSet::new() }
    }
}

impl Availability {
    #[must_use]
    pub fn is_unrestricted(&self) -> bool {
        self.days == Weekdays::ALL && self.blackouts.is_empty()
    }

    /// Whether the athlete can train on a day.
    #[must_use]
    pub fn allows(&self, day: Day) -> bool {
        self.days.allows(day) && !self.blackouts.contains(&day)
    }

    /// Why a day is not available, such as `a day you blocked`; `None` if it is.
    #[must_use]
    pub fn unavailable_reason(&self, day: Day) -> Option<&'static str> {
        if self.blackouts.contains(&day) {
            Some("a day you blocked")
        } else if !self.days.allows(day) {
            Some("not one of your training days")
        } else {
            None
        }
    }
}

/// Constraints that a plan was drafted with.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanConstraints {
    #[serde(default)]
    pub availability: Availability,
    #[serde(default)]
    pub stated: SelfReportedTraining,
    /// Other options of the request, so that it can be repeated. Not used for grading or linting.
    #[serde(default, skip_serializing_if = "GenerateOptions::is_empty")]
    pub wished: GenerateOptions,
}

/// Options of a plan request besides the race.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenerateOptions {
    /// Whether the athlete chose the plan's name.
    #[serde(default)]
    pub named: bool,
    #[serde(default)]
    pub long_day: Option<Weekday>,
    #[serde(default)]
    pub tune_up: Option<TuneUp>,
    /// Two short strength sessions a week.
    #[serde(default)]
    pub strength: bool,
    #[serde(default)]
    pub cross: Option<Sport>,
}

impl GenerateOptions {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl PlanConstraints {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_round_trip_with_and_without_options() {
        let old = r#"{"availability":{"days":"mon,sun","blackouts":[]},"stated":{"base_mm":40000000}}"#;
        let mut terms: PlanConstraints = serde_json::from_str(old).unwrap();
        assert!(terms.wished.is_empty());
        assert!(!serde_json::to_string(&terms).unwrap().contains("wished"), "their hash stays");
        terms.wished = GenerateOptions {
            named: true,
            long_day: Some(Weekday::Sat),
            tune_up: Some(TuneUp {
                on: "2026-06-14".parse().unwrap(),
                distance: crate::domain::units::Distance::from_mm(10_000_000),
            }),
            strength: true,
            cross: Some(Sport::Cycling),
        };
        let text = serde_json::to_string(&terms).unwrap();
        assert_eq!(serde_json::from_str::<PlanConstraints>(&text).unwrap(), terms);
    }

    #[test]
    fn weekdays_read_back_as_they_were_written() {
        for bits in 0..128 {
            let days = Weekdays(bits);
            assert_eq!(Weekdays::try_from(String::from(days)), Ok(days));
        }
        assert!(Weekdays::ALL.allows("2026-06-14".parse().unwrap()));
        assert!(!"mon".parse::<Weekdays>().unwrap().allows("2026-06-14".parse().unwrap()));
        for bad in ["", "mon,,tue", "mondays", "montag", "mon;tue"] {
            assert!(bad.parse::<Weekdays>().is_err(), "{bad}");
        }
    }
}
