//! A plan as a JSON file with everything that was planned, and such a file as a draft.

use super::PlanExport;
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan};
use crate::plan::{
    Draft, DraftError, DraftRequest, DraftRequestError, Goal, PlanConstraints, PlannedWorkout,
};
use serde::{Deserialize, Serialize};

/// What the files call themselves.
const FORMAT: &str = "local-fitness plan";
/// The one version there is.
const VERSION: u64 = 1;

/// The file. Amounts are whole millimetres and milliseconds, as their names say; steps are as in the coach's contract
/// (seconds, metres, beats per minute, watts, seconds per kilometre).
///
/// It says nothing of a status or a user: whoever reads it gets a draft of their own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanFile {
    /// `local-fitness plan`.
    pub format: String,
    /// 1.
    pub version: u64,
    /// What the plan is called.
    pub name: String,
    /// What it trains for.
    pub goal: Goal,
    /// The race distance.
    #[serde(rename = "distance_mm")]
    pub distance: Option<Distance>,
    /// The first day that counts.
    pub start_date: Day,
    /// The day of the race.
    pub race_date: Day,
    /// The time hoped for.
    #[serde(rename = "target_time_ms")]
    pub target_time: Option<TimeSpan>,
    /// What it was made under, such as the days the athlete can train.
    #[serde(default, skip_serializing_if = "PlanConstraints::is_empty")]
    pub terms: PlanConstraints,
    /// The revision this was taken from.
    pub revision: i64,
    /// Day by day, with the ids they have where they come from.
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

/// Why a text is no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanFileError {
    /// Not JSON, or not as expected.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// Something else's file.
    #[error("it calls itself `{0}`, and a plan calls itself `{FORMAT}`")]
    Format(String),
    /// Of a later program.
    #[error(
        "it is of version {0}, and this program knows version {VERSION}; update it, or export the plan again"
    )]
    Version(u64),
    /// The schedule does not hold together.
    #[error(transparent)]
    Request(#[from] DraftRequestError),
    /// The plan does not hold together.
    #[error(transparent)]
    Draft(#[from] DraftError),
}

/// Reads a draft from a requested schedule ([`DraftRequest`]) or from an exported plan.
///
/// # Errors
/// Names the first thing that must change.
pub fn read_draft(text: &str) -> Result<Draft, PlanFileError> {
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
        return Err(PlanFileError::Format(format.chars().take(60).collect()));
    }
    if let Some(version) = head.version
        && version != VERSION
    {
        return Err(PlanFileError::Version(version));
    }
    let file: PlanFile = serde_json::from_str(text)?;
    let workouts = file.workouts.into_iter().map(|planned| planned.workout).collect();
    let PlanFile { name, goal, distance, start_date, race_date, target_time, terms, .. } = file;
    Ok(Draft::from_parts(&name, (goal, distance), (start_date, race_date), target_time, terms, workouts)?)
}
