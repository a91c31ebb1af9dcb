//! Exports of a plan, shared by the CLI and the web app.

use super::{FileIdentity, FileNames, WorkoutFile, WorkoutFileError, slugify, to_fit, zip};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::note::Author;
use fitness_core::domain::units::UnitSystem;
use fitness_core::domain::untrusted_text::{escape_invisible, pluralize};
use fitness_core::plan::export::{PlanExport, PlanFile, icalendar, markdown};
use fitness_core::plan::{Plan, PlannedWorkout};
use std::collections::BTreeSet;
use std::io;

/// Default number of days in a ZIP of workouts.
pub const DEFAULT_ZIP_DAYS: u16 = 14;

/// Text formats of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanTextFormat {
    Calendar,
    Json,
    Markdown,
}

impl PlanTextFormat {
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Calendar => "ics",
            Self::Json => "json",
            Self::Markdown => "md",
        }
    }
}

/// A plan with everything its exports need.
#[derive(Debug, Clone)]
pub struct PlanExportInput {
    pub plan: Plan,
    /// Workouts of the current revision.
    pub workouts: Vec<PlannedWorkout>,
    pub revision_created_at: Instant,
    pub owner_id: String,
    pub units: UnitSystem,
    /// Who wrote the names and descriptions.
    pub author: Option<Author>,
}

/// An export in memory.
#[derive(Debug, Clone)]
pub struct ExportFile {
    pub name: String,
    pub bytes: Vec<u8>,
    pub description: String,
    /// Workouts written as FIT files, with their file names.
    pub workouts: Vec<(PlannedWorkout, WorkoutFile, String)>,
}

#[derive(Debug, thiserror::Error)]
pub enum PlanExportError {
    #[error(transparent)]
    Workout(#[from] WorkoutFileError),
    #[error("plan {plan} has no workouts from {from} through {through}")]
    Empty { plan: fitness_core::domain::ids::PlanId, from: Day, through: Day },
    /// Cannot happen for files in memory.
    #[error("could not write the file: {0}")]
    Unwritable(#[from] io::Error),
}

impl PlanExportInput {
    /// The whole plan as text.
    pub fn text_file(&self, text: PlanTextFormat) -> Result<ExportFile, PlanExportError> {
        let exported = PlanExport { plan: &self.plan, workouts: &self.workouts, author: self.author };
        let written = match text {
            PlanTextFormat::Calendar => {
                icalendar(exported, &self.owner_id, self.revision_created_at, self.units)
            }
            PlanTextFormat::Markdown => markdown(exported, self.units),
            PlanTextFormat::Json => {
                serde_json::to_string_pretty(&PlanFile::from(exported)).map_err(io::Error::other)? + "\n"
            }
        };
        let days: BTreeSet<Day> = self.workouts.iter().map(|planned| planned.workout.date).collect();
        let count = pluralize(days.len() as u64, "day", "days");
        let words = format!("plan {}, {}, {count}", self.plan.id, escape_invisible(&self.plan.name));
        let name = format!("{}.{}", self.stem(), text.extension());
        Ok(ExportFile { name, bytes: written.into_bytes(), description: words, workouts: Vec::new() })
    }

    /// One workout as a FIT file.
    pub fn workout_file(&self, planned: &PlannedWorkout) -> Result<ExportFile, PlanExportError> {
        let file = self.write_workout(planned)?;
        let name = FileNames::default().unique_name(&planned.workout);
        let steps = pluralize(file.steps as u64, "step", "steps");
        let words =
            format!("{} on {}, {steps}", escape_invisible(&planned.workout.name), planned.workout.date);
        let workouts = vec![(planned.clone(), file.clone(), name.clone())];
        Ok(ExportFile { name, bytes: file.bytes, description: words, workouts })
    }

    /// The workouts of `days` days as FIT files in a ZIP.
    pub fn zip_file(&self, from: Day, days: u16) -> Result<ExportFile, PlanExportError> {
        let through = from.plus_days(i64::from(days) - 1);
        let mut names = FileNames::default();
        let within = |planned: &&PlannedWorkout| {
            !planned.workout.is_rest() && (from..=through).contains(&planned.workout.date)
        };
        let mut workouts = Vec::new();
        for planned in self.workouts.iter().filter(within) {
            workouts.push((
                planned.clone(),
                self.write_workout(planned)?,
                names.unique_name(&planned.workout),
            ));
        }
        if workouts.is_empty() {
            return Err(PlanExportError::Empty { plan: self.plan.id, from, through });
        }
        let bytes = zip(workouts.iter().map(|(_, file, name)| (name.as_str(), file.bytes.as_slice())))?;
        let count = pluralize(workouts.len() as u64, "workout", "workouts");
        let words = format!("{count} from {from} through {through}");
        Ok(ExportFile { name: format!("{}-{from}.zip", self.stem()), bytes, description: words, workouts })
    }

    /// File name without extension, from the plan's name.
    fn stem(&self) -> String {
        let stem = slugify(&self.plan.name);
        if stem.is_empty() { format!("plan-{}", self.plan.id) } else { stem }
    }

    fn write_workout(&self, planned: &PlannedWorkout) -> Result<WorkoutFile, WorkoutFileError> {
        to_fit(
            &planned.workout,
            FileIdentity { serial: planned.id.get(), created_at: self.revision_created_at },
        )
    }
}
