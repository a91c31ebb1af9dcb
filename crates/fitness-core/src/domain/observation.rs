//! Self-reports about a day: effort, soreness, mood, illness, injury, absence.

use crate::domain::calendar::{Day, Instant};
use crate::domain::ids::{ActivityId, ObservationId};
use crate::domain::note::{Author, NoteText};
use crate::string_enum::string_enum;
use serde::Serialize;
use std::collections::BTreeMap;

string_enum! {
    /// What an observation is about. Each kind has its own scale.
    pub enum ObservationKind("kind of observation") {
        /// Perceived effort of a session, 0 to 10 (CR10).
        Rpe = "rpe",
        /// How sore, 1 (not at all) to 5.
        Soreness = "soreness",
        /// How the athlete feels, 1 (bad) to 5 (great).
        Mood = "mood",
        /// Ill, over a period of days; 1 (a cold) to 3 (fever, chest or stomach).
        Illness = "illness",
        /// Injured, over a period of days; 1 (a niggle) to 3 (cannot run).
        Injury = "injury",
        /// Unable to train (travel, no time), over a period of days. Has no scale.
        Away = "away",
    }
}

impl ObservationKind {
    /// Lowest and highest rating; `None` for a kind without ratings.
    #[must_use]
    pub const fn scale(self) -> Option<(u8, u8)> {
        match self {
            Self::Rpe => Some((0, 10)),
            Self::Soreness | Self::Mood => Some((1, 5)),
            Self::Illness | Self::Injury => Some((1, 3)),
            Self::Away => None,
        }
    }

    /// The reason for absence it stands for, if any.
    #[must_use]
    pub const fn absence_reason(self) -> Option<AbsenceReason> {
        match self {
            Self::Illness => Some(AbsenceReason::Ill),
            Self::Injury => Some(AbsenceReason::Injured),
            Self::Away => Some(AbsenceReason::Away),
            Self::Rpe | Self::Soreness | Self::Mood => None,
        }
    }
}

string_enum! {
    /// Why a day does not count for adherence. The verdict is unchanged and only shown as neutral.
    pub enum AbsenceReason("reason for absence") {
        Ill = "ill",
        Injured = "injured",
        Away = "away",
    }
}

impl AbsenceReason {
    #[must_use]
    pub const fn observation_kind(self) -> ObservationKind {
        match self {
            Self::Ill => ObservationKind::Illness,
            Self::Injured => ObservationKind::Injury,
            Self::Away => ObservationKind::Away,
        }
    }
}

/// An observation before it is stored: valid by construction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ObservationData {
    kind: ObservationKind,
    from: Day,
    through: Day,
    value: Option<u8>,
    activity: Option<ActivityId>,
    comment: Option<NoteText>,
}

/// Maximum number of days between the first and last day of an observation.
pub const MAX_OBSERVATION_DAYS: i64 = 400;

/// An observation with an invalid rating or period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ObservationError {
    /// The value is not on the scale of its kind.
    #[error("{kind} must be between {low} and {high}")]
    OffScale { kind: ObservationKind, low: u8, high: u8 },
    /// The kind has no ratings.
    #[error("{0} takes no rating, only days")]
    NoScale(ObservationKind),
    /// Ends before it begins, or is longer than [`MAX_OBSERVATION_DAYS`].
    #[error(
        "the last day must not be before the first day or more than {MAX_OBSERVATION_DAYS} days after it"
    )]
    Days,
}

impl ObservationData {
    /// Checks the value against its scale and the days against each other.
    pub fn new(
        kind: ObservationKind,
        from: Day,
        through: Day,
        value: Option<u8>,
    ) -> Result<Self, ObservationError> {
        match (kind.scale(), value) {
            (Some((low, high)), Some(v)) if !(low..=high).contains(&v) => {
                return Err(ObservationError::OffScale { kind, low, high });
            }
            (None, Some(_)) => return Err(ObservationError::NoScale(kind)),
            _ => {}
        }
        if !(0..=MAX_OBSERVATION_DAYS).contains(&from.days_until(through)) {
            return Err(ObservationError::Days);
        }
        Ok(Self { kind, from, through, value, activity: None, comment: None })
    }

    /// Links it to the activity it rates.
    #[must_use]
    pub const fn for_activity(mut self, activity: Option<ActivityId>) -> Self {
        self.activity = activity;
        self
    }

    #[must_use]
    pub fn with_comment(mut self, comment: Option<NoteText>) -> Self {
        self.comment = comment;
        self
    }

    #[must_use]
    pub const fn kind(&self) -> ObservationKind {
        self.kind
    }

    #[must_use]
    pub const fn from(&self) -> Day {
        self.from
    }

    #[must_use]
    pub const fn through(&self) -> Day {
        self.through
    }

    /// The rating, on the [`scale`](ObservationKind::scale) of its kind.
    #[must_use]
    pub const fn value(&self) -> Option<u8> {
        self.value
    }

    #[must_use]
    pub const fn activity(&self) -> Option<ActivityId> {
        self.activity
    }

    #[must_use]
    pub const fn comment(&self) -> Option<&NoteText> {
        self.comment.as_ref()
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Observation {
    pub id: ObservationId,
    pub author: Author,
    /// Whether the athlete wrote or accepted it.
    pub accepted: bool,
    #[serde(flatten)]
    pub data: ObservationData,
    /// When it was written.
    pub written_at: Instant,
}

/// Days of absence, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AbsenceReasonByDay(BTreeMap<Day, AbsenceReason>);

impl AbsenceReasonByDay {
    /// Collects the days of accepted observations. Illness takes precedence over injury, and injury
    /// over being away.
    #[must_use]
    pub fn from_observations<'a>(observations: impl IntoIterator<Item = &'a Observation>) -> Self {
        let mut days = BTreeMap::new();
        for observation in observations.into_iter().filter(|o| o.accepted) {
            let observed = &observation.data;
            if let Some(excuse) = observed.kind.absence_reason() {
                for day in observed.from.through(observed.through) {
                    days.entry(day)
                        .and_modify(|e: &mut AbsenceReason| *e = (*e).min(excuse))
                        .or_insert(excuse);
                }
            }
        }
        Self(days)
    }

    /// The reason for absence on a day, if any.
    #[must_use]
    pub fn reason(&self, day: Day) -> Option<AbsenceReason> {
        self.0.get(&day).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        text.parse().unwrap()
    }

    #[test]
    fn a_value_stays_on_its_scale() {
        let on = day("2026-06-14");
        for kind in ObservationKind::ALL {
            for value in 0..=11 {
                let fits = kind.scale().is_some_and(|(low, high)| (low..=high).contains(&value));
                assert_eq!(ObservationData::new(*kind, on, on, Some(value)).is_ok(), fits, "{kind} {value}");
            }
            assert!(ObservationData::new(*kind, on, on, None).is_ok());
            assert!(kind.absence_reason().is_none_or(|excuse| excuse.observation_kind() == *kind));
        }
        assert_eq!(
            ObservationData::new(ObservationKind::Rpe, on, on, Some(11)).unwrap_err().to_string(),
            "rpe must be between 0 and 10"
        );
    }

    #[test]
    fn observation_days_must_be_ordered_and_bounded() {
        let new = |from: &str, through: &str| {
            ObservationData::new(ObservationKind::Illness, day(from), day(through), None)
        };
        assert!(new("2026-06-14", "2026-06-13").is_err());
        assert!(new("2026-06-14", "2026-06-14").is_ok());
        assert!(new("2026-06-14", "2028-06-14").is_err());
    }

    #[test]
    fn suggested_absence_counts_only_when_accepted() {
        let observed =
            ObservationData::new(ObservationKind::Injury, day("2026-06-14"), day("2026-06-15"), None)
                .unwrap();
        let mut observation = Observation {
            id: ObservationId::new(1),
            author: Author::Coach,
            accepted: false,
            data: observed,
            written_at: "2026-06-14T08:00:00Z".parse().unwrap(),
        };
        assert_eq!(AbsenceReasonByDay::from_observations([&observation]).reason(day("2026-06-14")), None);
        observation.accepted = true;
        let excused = AbsenceReasonByDay::from_observations([&observation]);
        assert_eq!(excused.reason(day("2026-06-15")), Some(AbsenceReason::Injured));
        assert_eq!(excused.reason(day("2026-06-16")), None);
    }
}
