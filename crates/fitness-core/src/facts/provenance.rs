//! The stored rows a fact comes from.

use crate::domain::athlete::{ThresholdKind, ThresholdOrigin};
use crate::domain::calendar::Day;
use crate::domain::ids::{ActivityId, PlanId, ProposalId, RaceId, WorkoutId};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A stored row, or a period of rows, that a fact is computed from. The text form, for links and
/// stored briefs, is `day:2026-06-14`, `days:2026-06-08..2026-06-14`, `activity:12`,
/// `threshold:threshold_speed:2026-05-01:set`, `race:3`, `plan:7`, `workout:41`, `proposal:5`,
/// `profile`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum SourceRow {
    /// Metrics and measurements of a day.
    Day(Day),
    /// Metrics and measurements of a period.
    Days {
        from: Day,
        through: Day,
    },
    Activity(ActivityId),
    /// A threshold in force.
    Threshold {
        kind: ThresholdKind,
        from: Day,
        origin: ThresholdOrigin,
    },
    Race(RaceId),
    Plan(PlanId),
    /// A workout of the plan.
    Workout(WorkoutId),
    Proposal(ProposalId),
    Profile,
}

/// Not a valid source row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a valid source; expected for example day:2026-06-14 or activity:12")]
pub struct ParseSourceRowError(pub String);

impl fmt::Display for SourceRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(day) => write!(f, "day:{day}"),
            Self::Days { from, through } => write!(f, "days:{from}..{through}"),
            Self::Activity(id) => write!(f, "activity:{id}"),
            Self::Threshold { kind, from, origin } => write!(f, "threshold:{kind}:{from}:{origin}"),
            Self::Race(id) => write!(f, "race:{id}"),
            Self::Plan(id) => write!(f, "plan:{id}"),
            Self::Workout(id) => write!(f, "workout:{id}"),
            Self::Proposal(id) => write!(f, "proposal:{id}"),
            Self::Profile => f.write_str("profile"),
        }
    }
}

impl FromStr for SourceRow {
    type Err = ParseSourceRowError;
    fn from_str(text: &str) -> Result<Self, ParseSourceRowError> {
        // Only the canonical spelling is valid: `activity:+12` is not.
        let row = parse(text).filter(|row| row.to_string() == text);
        row.ok_or_else(|| ParseSourceRowError(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<SourceRow> {
    if text == "profile" {
        return Some(SourceRow::Profile);
    }
    let (what, which) = text.split_once(':')?;
    match what {
        "day" => which.parse().ok().map(SourceRow::Day),
        "days" => {
            let (from, through) = which.split_once("..")?;
            let (from, through) = (from.parse().ok()?, through.parse().ok()?);
            (from <= through).then_some(SourceRow::Days { from, through })
        }
        "activity" => which.parse().ok().map(SourceRow::Activity),
        "threshold" => {
            let mut parts = which.splitn(3, ':');
            let (kind, from, origin) = (parts.next()?, parts.next()?, parts.next()?);
            Some(SourceRow::Threshold {
                kind: kind.parse().ok()?,
                from: from.parse().ok()?,
                origin: origin.parse().ok()?,
            })
        }
        "race" => which.parse().ok().map(SourceRow::Race),
        "plan" => which.parse().ok().map(SourceRow::Plan),
        "workout" => which.parse().ok().map(SourceRow::Workout),
        "proposal" => which.parse().ok().map(SourceRow::Proposal),
        _ => None,
    }
}

impl TryFrom<String> for SourceRow {
    type Error = ParseSourceRowError;
    fn try_from(text: String) -> Result<Self, ParseSourceRowError> {
        text.parse()
    }
}

impl From<SourceRow> for String {
    fn from(row: SourceRow) -> Self {
        row.to_string()
    }
}
