//! Arguments of `fitness plan export` and `fitness plan push`.

use clap::Args;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{PlanId, WorkoutId};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// Id of the plan [default: the active plan]
    pub(crate) plan: Option<PlanId>,
    /// fit (one workout for a watch), zip (workouts of the coming days), ics (calendar), json or md
    /// (the whole plan)
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Format,
    /// fit: id of the workout, as listed by `fitness plan show` [default: the next one]
    #[arg(long, value_name = "ID", conflicts_with = "on")]
    pub(crate) workout: Option<WorkoutId>,
    /// fit: the workout of this day, such as 2026-06-14
    #[arg(long, value_name = "DAY")]
    pub(crate) on: Option<Day>,
    /// zip: number of days [default: 14]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=366))]
    pub(crate) days: Option<u16>,
    /// zip: the first day [default: today]
    #[arg(long, value_name = "DAY")]
    pub(crate) from: Option<Day>,
    /// The file to write, - for standard output [default: a new file in the current directory]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite the file if it exists
    #[arg(long)]
    pub(crate) force: bool,
}

fitness_core::string_enum! {
    /// File format of an exported plan.
    pub(crate) enum Format("format") {
        /// One workout for a watch.
        Fit = "fit",
        /// FIT files of several workouts.
        Zip = "zip",
        /// iCalendar.
        Ics = "ics",
        /// The whole plan as JSON.
        Json = "json",
        /// The whole plan as Markdown.
        Md = "md",
    }
}

#[derive(Debug, Args)]
pub(crate) struct PushArgs {
    /// Number of days, starting today
    #[arg(long, value_name = "N", default_value_t = 14, value_parser = clap::value_parser!(u16).range(1..=366))]
    pub(crate) days: u16,
    /// Show the changes without making them
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Remove all entries it created, from today on
    #[arg(long)]
    pub(crate) clear: bool,
}
