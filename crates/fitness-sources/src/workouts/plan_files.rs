//! The files of a plan, the same bytes for the terminal and the web.

use super::{FileNames, NoFile, Stamp, WorkoutFile, plain, to_fit, zip};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::note::Author;
use fitness_core::domain::units::UnitSystem;
use fitness_core::domain::untrusted_text::{counted, visible};
use fitness_core::plan::export::{Exported, PlanFile, icalendar, markdown};
use fitness_core::plan::{Plan, PlannedWorkout};
use std::collections::BTreeSet;
use std::io;

/// How many days a ZIP covers unless it is said.
pub const ZIP_DAYS: u16 = 14;

/// A plan in words, and what the words are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanText {
    /// For a calendar.
    Calendar,
    /// For programs.
    Json,
    /// For people.
    Markdown,
}

impl PlanText {
    /// The ending of its file's name.
    #[must_use]
    pub const fn ending(self) -> &'static str {
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
    pub made_at: Instant,
    /// Whose plan it is, as [`fitness_core::plan::export::owner_mark`] tells it.
    pub mark: String,
    /// The athlete's units.
    pub units: UnitSystem,
    /// Who wrote its names and descriptions.
    pub author: Option<Author>,
}

/// A file, ready to be handed over.
#[derive(Debug, Clone)]
pub struct Made {
    /// What it is called.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
    /// What it is, after "Wrote".
    pub words: String,
    /// The workouts in it that were written for a watch, with the name of each file.
    pub workouts: Vec<(PlannedWorkout, WorkoutFile, String)>,
}

/// Why there is no such file.
#[derive(Debug, thiserror::Error)]
pub enum NoPlanFile {
    /// A workout cannot be written.
    #[error(transparent)]
    Workout(#[from] NoFile),
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
    pub fn text(&self, text: PlanText) -> Result<Made, NoPlanFile> {
        let exported = Exported { plan: &self.plan, workouts: &self.workouts, author: self.author };
        let written = match text {
            PlanText::Calendar => icalendar(exported, &self.mark, self.made_at, self.units),
            PlanText::Markdown => markdown(exported, self.units),
            PlanText::Json => {
                serde_json::to_string_pretty(&PlanFile::from(exported)).map_err(io::Error::other)? + "\n"
            }
        };
        let days: BTreeSet<Day> = self.workouts.iter().map(|planned| planned.workout.date).collect();
        let count = counted(days.len() as u64, "day", "days");
        let words = format!("plan {}, {}, {count}", self.plan.id, visible(&self.plan.name));
        let name = format!("{}.{}", self.stem(), text.ending());
        Ok(Made { name, bytes: written.into_bytes(), words, workouts: Vec::new() })
    }

    /// One workout for a watch.
    ///
    /// # Errors
    /// When there is nothing to do in it.
    pub fn workout(&self, planned: &PlannedWorkout) -> Result<Made, NoPlanFile> {
        let file = self.write_one(planned)?;
        let name = FileNames::default().of(&planned.workout);
        let steps = counted(file.steps as u64, "step", "steps");
        let words = format!("{} on {}, {steps}", visible(&planned.workout.name), planned.workout.date);
        let workouts = vec![(planned.clone(), file.clone(), name.clone())];
        Ok(Made { name, bytes: file.bytes, words, workouts })
    }

    /// The workouts of some days for a watch, together.
    ///
    /// # Errors
    /// When there are none.
    pub fn zip(&self, from: Day, days: u16) -> Result<Made, NoPlanFile> {
        let through = from.plus(i64::from(days) - 1);
        let mut names = FileNames::default();
        let within = |planned: &&PlannedWorkout| {
            !planned.workout.is_rest() && (from..=through).contains(&planned.workout.date)
        };
        let mut workouts = Vec::new();
        for planned in self.workouts.iter().filter(within) {
            workouts.push((planned.clone(), self.write_one(planned)?, names.of(&planned.workout)));
        }
        if workouts.is_empty() {
            return Err(NoPlanFile::Empty { plan: self.plan.id, from, through });
        }
        let bytes = zip(workouts.iter().map(|(_, file, name)| (name.as_str(), file.bytes.as_slice())))?;
        let count = counted(workouts.len() as u64, "workout", "workouts");
        let words = format!("{count} from {from} through {through}");
        Ok(Made { name: format!("{}-{from}.zip", self.stem()), bytes, words, workouts })
    }

    /// The plan's name as a file's, without its ending.
    fn stem(&self) -> String {
        let stem = plain(&self.plan.name);
        if stem.is_empty() { format!("plan-{}", self.plan.id) } else { stem }
    }

    fn write_one(&self, planned: &PlannedWorkout) -> Result<WorkoutFile, NoFile> {
        to_fit(&planned.workout, Stamp { serial: planned.id.get(), created: self.made_at })
    }
}
