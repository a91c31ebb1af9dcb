//! The files of a plan, the same bytes for the terminal and the web.

use super::{FileIdentity, FileNames, WorkoutFile, WorkoutFileError, slugify, to_fit, zip};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::note::Author;
use fitness_core::domain::units::UnitSystem;
use fitness_core::domain::untrusted_text::{escape_invisible, pluralize};
use fitness_core::plan::export::{PlanExport, PlanFile, icalendar, markdown};
use fitness_core::plan::{Plan, PlannedWorkout};
use std::collections::BTreeSet;
use std::io;

/// How many days a ZIP covers unless it is said.
pub const DEFAULT_ZIP_DAYS: u16 = 14;

/// A plan in words, and what the words are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanTextFormat {
    /// For a calendar.
    Calendar,
    /// For programs.
    Json,
    /// For people.
    Markdown,
}

impl PlanTextFormat {
    /// The ending of its file's name.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Calendar => "ics",
            Self::Json => "json",
            Self::Markdown => "md",
        }
    }
}

/// What is exported, and whose it is.
#[derive(Debug, Clone)]
pub struct PlanFiles {
    /// The plan.
    pub plan: Plan,
    /// The workouts of its current revision.
    pub workouts: Vec<PlannedWorkout>,
    /// When that revision was made.
    pub revision_created_at: Instant,
    /// Whose plan it is, as [`fitness_core::plan::export::owner_mark`] tells it.
    pub owner_id: String,
    /// The athlete's units.
    pub units: UnitSystem,
    /// Who wrote its names and descriptions.
    pub author: Option<Author>,
}

/// A file, ready to be handed over.
#[derive(Debug, Clone)]
pub struct ExportFile {
    /// What it is called.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
    /// What it is, after "Wrote".
    pub description: String,
    /// The workouts in it that were written for a watch, with the name of each file.
    pub workouts: Vec<(PlannedWorkout, WorkoutFile, String)>,
}

/// Why there is no such file.
#[derive(Debug, thiserror::Error)]
pub enum PlanFileError {
    /// A workout cannot be written.
    #[error(transparent)]
    Workout(#[from] WorkoutFileError),
    /// No workouts on those days.
    #[error("plan {plan} has no workouts from {from} through {through}")]
    Empty {
        /// Which plan.
        plan: fitness_core::domain::ids::PlanId,
        /// The first day.
        from: Day,
        /// The last day.
        through: Day,
    },
    /// Cannot happen with files in memory.
    #[error("the file cannot be written: {0}")]
    Unwritable(#[from] io::Error),
}

impl PlanFiles {
    /// The whole plan in words.
    ///
    /// # Errors
    /// Never; a plan is always JSON.
    pub fn text_file(&self, text: PlanTextFormat) -> Result<ExportFile, PlanFileError> {
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

    /// One workout for a watch.
    ///
    /// # Errors
    /// When there is nothing to do in it.
    pub fn workout_file(&self, planned: &PlannedWorkout) -> Result<ExportFile, PlanFileError> {
        let file = self.write_workout(planned)?;
        let name = FileNames::default().unique_name(&planned.workout);
        let steps = pluralize(file.steps as u64, "step", "steps");
        let words =
            format!("{} on {}, {steps}", escape_invisible(&planned.workout.name), planned.workout.date);
        let workouts = vec![(planned.clone(), file.clone(), name.clone())];
        Ok(ExportFile { name, bytes: file.bytes, description: words, workouts })
    }

    /// The workouts of some days for a watch, together.
    ///
    /// # Errors
    /// When there are none.
    pub fn zip_file(&self, from: Day, days: u16) -> Result<ExportFile, PlanFileError> {
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
            return Err(PlanFileError::Empty { plan: self.plan.id, from, through });
        }
        let bytes = zip(workouts.iter().map(|(_, file, name)| (name.as_str(), file.bytes.as_slice())))?;
        let count = pluralize(workouts.len() as u64, "workout", "workouts");
        let words = format!("{count} from {from} through {through}");
        Ok(ExportFile { name: format!("{}-{from}.zip", self.stem()), bytes, description: words, workouts })
    }

    /// The plan's name as a file's, without its ending.
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
