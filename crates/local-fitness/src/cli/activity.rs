//! Arguments of `fitness activity` and `fitness race`.

use clap::Subcommand;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{ActivityId, RaceId};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::TimeSpan;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum ActivityCommand {
    /// List your activities, newest first
    List {
        /// First day, such as 2026-06-14
        #[arg(long, value_name = "DAY")]
        from: Option<Day>,
        /// Last day
        #[arg(long, value_name = "DAY")]
        through: Option<Day>,
        /// Maximum number of activities
        #[arg(long, default_value_t = 20, value_name = "N")]
        limit: usize,
    },
    /// Show an activity with its laps and sources
    Show {
        /// Id of the activity
        activity: ActivityId,
    },
    /// Correct an activity; corrections survive later imports
    #[command(group(clap::ArgGroup::new("change").required(true).multiple(true)))]
    Edit {
        /// Id of the activity
        activity: ActivityId,
        /// New title
        #[arg(long, group = "change")]
        name: Option<String>,
        /// New sport
        #[arg(long, group = "change")]
        sport: Option<Sport>,
        /// New distance, such as 21.1km, 13.1mi or a number in your units
        #[arg(long, group = "change", value_name = "DISTANCE")]
        distance: Option<String>,
        /// New moving time, such as 45:10 or 1:45:10
        #[arg(long, group = "change", value_name = "TIME")]
        moving: Option<TimeSpan>,
    },
    /// Undo all corrections of an activity
    Reset {
        /// Id of the activity
        activity: ActivityId,
    },
    /// Delete an activity; later imports do not restore it
    Delete {
        /// Id of the activity
        activity: ActivityId,
    },
    /// Restore a deleted activity
    Restore {
        /// Id of the activity
        activity: ActivityId,
    },
    /// Rate how hard an activity felt, 0 (rest) to 10 (maximal)
    ///
    /// Once 15 of your activities have both a rating and a training load, ratings are used to
    /// estimate the load of activities without heart rate, pace or power.
    Rate {
        /// Id of the activity
        activity: ActivityId,
        /// 0 to 10
        #[arg(value_parser = clap::value_parser!(u8).range(0..=10))]
        effort: u8,
    },
    /// Save the original files to a folder
    Files {
        /// Id of the activity [default: all activities]
        activity: Option<ActivityId>,
        /// The folder
        #[arg(long, value_name = "FOLDER")]
        to: PathBuf,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum RaceCommand {
    /// List your race results and time trials, and activities that look like races
    List,
    /// Confirm an activity as a race or a time trial
    Confirm {
        /// Id of the activity
        activity: ActivityId,
        /// Official time, such as 1:45:10 [default: the recorded time]
        #[arg(long)]
        time: Option<TimeSpan>,
        /// Official distance, such as half, 10k or 1500m, or a plain number in your units; numbers
        /// of 400 or more are read as metres [default: the recorded distance, or the standard race
        /// distance close to it]
        #[arg(long, value_name = "DISTANCE")]
        distance: Option<String>,
        /// Name of the race [default: the activity's title]
        #[arg(long)]
        name: Option<String>,
        /// A time trial: an all-out run on your own. It counts half as much as a race
        #[arg(long)]
        time_trial: bool,
    },
    /// Mark an activity as not a race
    Decline {
        /// Id of the activity
        activity: ActivityId,
    },
    /// Add the result of a race or time trial that was not recorded
    Add {
        /// Date, such as 2026-06-14
        day: Day,
        /// Official distance, such as half, 10k, 1500m, 10mi, or a number in your units (400 and
        /// above: metres)
        distance: String,
        /// Official time, such as 1:45:10
        time: TimeSpan,
        /// Name of the race
        name: String,
        /// A time trial: an all-out run on your own. It counts half as much as a race
        #[arg(long)]
        time_trial: bool,
    },
    /// Delete a race result
    Remove {
        /// Id of the race
        race: RaceId,
    },
}
