//! The stored rows a fact comes from.

use crate::domain::athlete::{ThresholdKind, ThresholdOrigin};
use crate::domain::calendar::Day;
use crate::domain::ids::{ActivityId, PlanId, ProposalId, RaceId, WorkoutId};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A stored row, or a run of them, that a fact was made from. Written in one word, so that a page can link it and a
/// brief can keep it: `day:2026-06-14`, `days:2026-06-08..2026-06-14`, `activity:12`,
/// `threshold:threshold_speed:2026-05-01:set`, `race:3`, `plan:7`,
/// `workout:41`, `proposal:5`, `profile`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum SourceRow {
    /// What a day means, and what devices measured on it.
    Day(Day),
    /// The same for every day of a stretch.
    Days {
        /// The first.
        from: Day,
        /// The last.
        through: Day,
    },
    /// A recorded session.
    Activity(ActivityId),
    /// A limit that holds.
    Threshold {
        /// Which.
        kind: ThresholdKind,
        /// Since when.
        from: Day,
        /// By whose word.
        origin: ThresholdOrigin,
    },
    /// A race result.
    Race(RaceId),
    /// The plan that is tracked.
    Plan(PlanId),
    /// A session of it.
    Workout(WorkoutId),
    /// A proposal that waits for the athlete.
    Proposal(ProposalId),
    /// What the athlete said about themselves.
    Profile,
}

/// A text that names no stored row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` names no stored row; expected such as day:2026-06-14 or activity:12")]
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
        // One row has one spelling: `activity:+12` is none.
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
