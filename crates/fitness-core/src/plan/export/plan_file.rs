//! Plan export as JSON, and reading such a file as a draft.

use super::PlanExport;
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan};
use crate::plan::{
    Draft, DraftError, DraftRequest, DraftRequestError, GoalDistance, PlanConstraints, PlannedWorkout,
};
use serde::{Deserialize, Serialize};

const FORMAT: &str = "local-fitness plan";
const VERSION: u64 = 1;

/// The file format. Amounts are whole millimetres and milliseconds; steps are as in the LLM output
/// format (seconds, metres, beats per minute, watts, seconds per kilometre).
///
/// It contains no status and no user: importing it makes a new draft.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanFile {
    pub format: String,
    pub version: u64,
    pub name: String,
    pub goal: GoalDistance,
    #[serde(rename = "distance_mm")]
    pub distance: Option<Distance>,
    pub start_date: Day,
    pub race_date: Day,
    #[serde(rename = "target_time_ms")]
    pub target_time: Option<TimeSpan>,
    /// Constraints it was drafted with, such as the days the athlete can train.
    #[serde(default, skip_serializing_if = "PlanConstraints::is_empty")]
    pub terms: PlanConstraints,
    pub revision: i64,
    /// Workouts by day, with their original ids.
    pub workouts: Vec<PlannedWorkout>,
}

impl From<PlanExport<'_>> for PlanFile {
    fn from(PlanExport { plan, workouts, .. }: PlanExport<'_>) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            name: plan.name.clone(),
            goal: plan.goal,
            distance: plan.distance,
            start_date: plan.start_date,
            race_date: plan.race_date,
            target_time: plan.target_time,
            terms: plan.terms.clone(),
            revision: plan.revision,
            workouts: workouts.to_vec(),
        }
    }
}

/// Why a plan file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PlanFileReadError {
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error("not a plan file: its format is `{0}` instead of `{FORMAT}`")]
    Format(String),
    /// Written by a newer version.
    #[error(
        "the plan file has version {0}, but this program reads version {VERSION}; update the program, or export the plan again"
    )]
    Version(u64),
    #[error(transparent)]
    Request(#[from] DraftRequestError),
    #[error(transparent)]
    Draft(#[from] DraftError),
}

/// Reads a draft request ([`DraftRequest`]) or an exported plan.
pub fn read_draft(text: &str) -> Result<Draft, PlanFileReadError> {
    #[derive(Deserialize)]
    struct Head {
        format: Option<serde_json::Value>,
        version: Option<u64>,
    }
    let head: Head = serde_json::from_str(text)?;
    let Some(format) = head.format else {
        return Ok(serde_json::from_str::<DraftRequest>(text)?.into_draft()?);
    };
    if format != FORMAT {
        let format = format.as_str().map_or_else(|| format.to_string(), str::to_owned);
        return Err(PlanFileReadError::Format(format.chars().take(60).collect()));
    }
    if let Some(version) = head.version
        && version != VERSION
    {
        return Err(PlanFileReadError::Version(version));
    }
    let file: PlanFile = serde_json::from_str(text)?;
    let workouts = file.workouts.into_iter().map(|planned| planned.workout).collect();
    let PlanFile { name, goal, distance, start_date, race_date, target_time, terms, .. } = file;
    Ok(Draft::from_parts(&name, (goal, distance), (start_date, race_date), target_time, terms, workouts)?)
}
