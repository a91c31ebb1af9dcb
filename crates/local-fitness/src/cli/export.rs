//! `fitness plan export` and `fitness plan push`: what was planned, elsewhere.

use clap::Args;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{PlanId, WorkoutId};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The plan's number; the active one when not given
    pub(crate) plan: Option<PlanId>,
    /// fit (one workout for a watch), zip (those of the next days), ics (calendar), json or md (the whole plan)
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Format,
    /// fit: which workout, by the number that --format json shows; the next one when not given
    #[arg(long, value_name = "ID", conflicts_with = "on")]
    pub(crate) workout: Option<WorkoutId>,
    /// fit: the workout of this day, such as 2026-06-14
    #[arg(long, value_name = "DAY")]
    pub(crate) on: Option<Day>,
    /// zip: how many days [default: 14]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=366))]
    pub(crate) days: Option<u16>,
    /// zip: from this day on; today when not given
    #[arg(long, value_name = "DAY")]
    pub(crate) from: Option<Day>,
    /// The file to write, or - for standard output; a name of its own in this folder when not given
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the file if it is there
    #[arg(long)]
    pub(crate) force: bool,
}

fitness_core::string_enum! {
    /// What a plan can be written as.
    pub(crate) enum Format("format") {
        /// A workout for a watch.
        Fit = "fit",
        /// Workouts for a watch.
        Zip = "zip",
        /// A calendar.
        Ics = "ics",
        /// Everything, for programs.
        Json = "json",
        /// Everything, for people.
        Md = "md",
    }
}

#[derive(Debug, Args)]
pub(crate) struct PushArgs {
    /// How many days, from today on
    #[arg(long, value_name = "N", default_value_t = 14, value_parser = clap::value_parser!(u16).range(1..=366))]
    pub(crate) days: u16,
    /// Only show what would change
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Take off everything it put there from today on, and put nothing
    #[arg(long)]
    pub(crate) clear: bool,
}
