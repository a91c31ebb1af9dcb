//! Session library: workouts as data, compiled in from the TOML files beside this module.
//!
//! Workouts with the same [`ProgressionKey`] are listed from easy to hard, so the next one is the
//! next step of a progression. The generator chooses among them; the app offers them as
//! replacements.

mod step_text;

use super::training_norms::RaceClass;
use super::{Level, Phase, WorkoutKind};
use crate::string_enum::string_enum;
use serde::Deserialize;
use std::sync::LazyLock;

/// Where in a week a workout belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// A hard day: between a warm-up and a cool-down.
    Quality,
    /// Inside the long run.
    Long,
    /// Inside the second longest run of a big week.
    MediumLong,
    /// At the end of an easy run.
    Easy,
}

string_enum! {
    /// A series of workouts that get harder step by step.
    pub enum ProgressionKey("progression key") {
        Strides = "strides",
        HillSprints = "hill sprints",
        Hills = "hills",
        Fartlek = "fartlek",
        Tempo = "tempo",
        Cruise = "cruise",
        Alternating = "alternating",
        Vo2max = "vo2max",
        Speed = "speed",
        RacePace5k = "race pace 5k",
        RacePace10k = "race pace 10k",
        RacePaceHalf = "race pace half",
        RacePaceFull = "race pace full",
        SharpenShort = "sharpen short",
        SharpenLong = "sharpen long",
        Test = "test",
        Progression = "progression",
        FastFinish = "fast finish",
        LongHalf = "long half",
        LongFull = "long full",
        MediumLong = "medium-long",
    }
}

impl ProgressionKey {
    #[must_use]
    pub const fn placement(self) -> Placement {
        match self {
            Self::Strides | Self::HillSprints => Placement::Easy,
            Self::Progression | Self::FastFinish | Self::LongHalf | Self::LongFull => Placement::Long,
            Self::MediumLong => Placement::MediumLong,
            _ => Placement::Quality,
        }
    }

    /// The kind of workout that it makes.
    #[must_use]
    pub const fn kind(self) -> WorkoutKind {
        match self {
            Self::Strides | Self::HillSprints => WorkoutKind::Strides,
            Self::Hills => WorkoutKind::Hills,
            Self::Tempo | Self::Cruise | Self::Alternating => WorkoutKind::Tempo,
            Self::Fartlek | Self::Vo2max | Self::Speed | Self::Test => WorkoutKind::Intervals,
            Self::RacePace5k
            | Self::RacePace10k
            | Self::RacePaceHalf
            | Self::RacePaceFull
            | Self::SharpenShort
            | Self::SharpenLong => WorkoutKind::RacePace,
            Self::Progression | Self::FastFinish | Self::LongHalf | Self::LongFull => WorkoutKind::Long,
            Self::MediumLong => WorkoutKind::Easy,
        }
    }
}

string_enum! {
    /// Effort of a step, as the data files name it.
    pub enum Effort("effort") {
        Easy = "easy",
        /// Between easy and marathon pace.
        Steady = "steady",
        /// The pace of the goal race.
        Race = "race",
        HalfPace = "half pace",
        Threshold = "threshold",
        /// About 3 km to 5 km race effort.
        Interval = "interval",
        /// About mile race effort.
        Repetition = "repetition",
        Hill = "hill",
        HillSprint = "hill sprint",
        Stride = "stride",
        /// As fast as it can be held evenly.
        Test = "test",
        Jog = "jog",
        Walk = "walk",
    }
}

impl Effort {
    /// Whether it counts as hard running: threshold or faster, and race pace. Strides and sprints
    /// are too short to count.
    #[must_use]
    pub const fn is_hard(self) -> bool {
        !matches!(self, Self::Easy | Self::Steady | Self::Jog | Self::Walk | Self::Stride | Self::HillSprint)
    }

    #[must_use]
    pub const fn is_recovery(self) -> bool {
        matches!(self, Self::Jog | Self::Walk)
    }
}

/// Length of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Length {
    Seconds(f64),
    Meters(f64),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LibraryStep {
    pub length: Length,
    pub effort: Effort,
}

#[derive(Debug, Clone, PartialEq)]
pub struct LibraryWorkout {
    /// Stable name, such as `cruise-3x8`.
    pub id: String,
    pub key: ProgressionKey,
    pub name: String,
    /// Why the athlete does it, in one or two sentences.
    pub why: String,
    /// The lowest level it is meant for.
    pub level: Level,
    pub steps: Vec<LibraryStep>,
    phases: Vec<Phase>,
    goals: Vec<RaceClass>,
}

impl LibraryWorkout {
    /// Whether it suits a phase of a plan for a race class and a level.
    pub(super) fn fits(&self, phase: Phase, class: RaceClass, level: Level) -> bool {
        self.phases.contains(&phase) && self.goals.contains(&class) && self.level <= level
    }
}

/// A strength workout with its exercises.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StrengthWorkout {
    pub id: String,
    pub name: String,
    pub minutes: i64,
    /// Each with sets and repetitions.
    pub exercises: Vec<String>,
    pub why: String,
    phases: Vec<Phase>,
}

impl StrengthWorkout {
    pub(super) fn fits(&self, phase: Phase) -> bool {
        self.phases.contains(&phase)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkoutEntry {
    id: String,
    key: ProgressionKey,
    name: String,
    why: String,
    steps: String,
    phases: Vec<Phase>,
    #[serde(default = "all_goals")]
    goals: Vec<String>,
    #[serde(default = "lowest_level")]
    level: Level,
}

fn all_goals() -> Vec<String> {
    ["5k", "10k", "half", "full"].map(str::to_owned).to_vec()
}

const fn lowest_level() -> Level {
    Level::Novice
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkoutFile {
    workout: Vec<WorkoutEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StrengthFile {
    strength: Vec<StrengthWorkout>,
}

const FILES: [&str; 7] = [
    include_str!("easy_runs.toml"),
    include_str!("hills.toml"),
    include_str!("fartlek.toml"),
    include_str!("threshold.toml"),
    include_str!("vo2max.toml"),
    include_str!("race_pace.toml"),
    include_str!("long_runs.toml"),
];
const TESTS_FILE: &str = include_str!("tests.toml");
const STRENGTH_FILE: &str = include_str!("strength.toml");

static WORKOUTS: LazyLock<Vec<LibraryWorkout>> = LazyLock::new(|| {
    FILES
        .iter()
        .chain([&TESTS_FILE])
        .flat_map(|file| parse_file(file).expect("a test parses every file"))
        .collect()
});

static STRENGTH: LazyLock<Vec<StrengthWorkout>> = LazyLock::new(|| {
    toml::from_str::<StrengthFile>(STRENGTH_FILE).expect("a test parses every file").strength
});

/// All running workouts.
#[must_use]
pub fn workouts() -> &'static [LibraryWorkout] {
    &WORKOUTS
}

/// All strength workouts, from easy to hard.
#[must_use]
pub fn strength_workouts() -> &'static [StrengthWorkout] {
    &STRENGTH
}

/// The workouts of a progression, from easy to hard.
pub fn progression(key: ProgressionKey) -> impl Iterator<Item = &'static LibraryWorkout> {
    workouts().iter().filter(move |workout| workout.key == key)
}

fn parse_file(text: &str) -> Result<Vec<LibraryWorkout>, String> {
    let file: WorkoutFile = toml::from_str(text).map_err(|error| error.to_string())?;
    file.workout.into_iter().map(parse_entry).collect()
}

fn parse_entry(entry: WorkoutEntry) -> Result<LibraryWorkout, String> {
    let WorkoutEntry { id, key, name, why, steps, phases, goals, level } = entry;
    let goals: Result<Vec<RaceClass>, String> = goals.iter().map(|goal| parse_goal(goal)).collect();
    let mut steps = step_text::parse(&steps).map_err(|error| format!("{id}: {error}"))?;
    // Nobody needs to recover from the last repetition before a cool-down.
    while steps.last().is_some_and(|step| step.effort.is_recovery()) {
        steps.pop();
    }
    Ok(LibraryWorkout { id, key, name, why, level, steps, phases, goals: goals? })
}

fn parse_goal(goal: &str) -> Result<RaceClass, String> {
    Ok(match goal {
        "5k" => RaceClass::FiveK,
        "10k" => RaceClass::TenK,
        "half" => RaceClass::Half,
        "full" => RaceClass::Full,
        other => return Err(format!("`{other}` is not a goal")),
    })
}

#[cfg(test)]
mod tests;
