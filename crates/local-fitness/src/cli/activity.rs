//! `fitness activity` and `fitness race`: what was done.

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
        /// From this day on, such as 2026-06-14
        #[arg(long, value_name = "DAY")]
        from: Option<Day>,
        /// Through this day
        #[arg(long, value_name = "DAY")]
        through: Option<Day>,
        /// How many to show
        #[arg(long, default_value_t = 20, value_name = "N")]
        limit: usize,
    },
    /// Show an activity with its laps and where it came from
    Show {
        /// The activity's number
        activity: ActivityId,
    },
    /// Correct an activity; no later import or sync undoes it
    #[command(group(clap::ArgGroup::new("change").required(true).multiple(true)))]
    Edit {
        /// The activity's number
        activity: ActivityId,
        /// Another title
        #[arg(long, group = "change")]
        name: Option<String>,
        /// Another sport
        #[arg(long, group = "change")]
        sport: Option<Sport>,
        /// Another distance, in your units or with its own, such as 21.1km or 13.1mi
        #[arg(long, group = "change", value_name = "DISTANCE")]
        distance: Option<String>,
        /// Another time in motion, such as 45:10 or 1:45:10
        #[arg(long, group = "change", value_name = "TIME")]
        moving: Option<TimeSpan>,
    },
    /// Take back every correction: the activity is again what its sources say
    Reset {
        /// The activity's number
        activity: ActivityId,
    },
    /// Take an activity out of everything; no later import brings it back
    Delete {
        /// The activity's number
        activity: ActivityId,
    },
    /// Bring a deleted activity back
    Restore {
        /// The activity's number
        activity: ActivityId,
    },
    /// Say how hard an activity felt, 0 (nothing) to 10 (everything)
    ///
    /// Where nothing else was measured, this and its duration make its load, once fifteen of your activities have both.
    Rate {
        /// The activity's number
        activity: ActivityId,
        /// 0 to 10
        #[arg(value_parser = clap::value_parser!(u8).range(0..=10))]
        effort: u8,
    },
    /// Write the original files of an activity, or of all, to a folder
    Files {
        /// The activity's number; all files when not given
        activity: Option<ActivityId>,
        /// Where to
        #[arg(long, value_name = "FOLDER")]
        to: PathBuf,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum RaceCommand {
    /// List your race results and time trials, and activities that look like races
    List,
    /// Take over an activity as a race result or a time trial
    Confirm {
        /// The activity's number
        activity: ActivityId,
        /// The official time, such as 1:45:10; the recorded one when not given
        #[arg(long)]
        time: Option<TimeSpan>,
        /// The official distance, such as half, 10k, 1500m, or a number in your units (from 400 on in metres); when not given that of the course,
        /// where the recorded one is close to 5 km, 10 km, a half or a full marathon, else the recorded one
        #[arg(long, value_name = "DISTANCE")]
        distance: Option<String>,
        /// What the race was called; the activity's title when not given
        #[arg(long)]
        name: Option<String>,
        /// It was no race: you went all out alone. It counts for half of one
        #[arg(long)]
        time_trial: bool,
    },
    /// Say that an activity was no race
    Decline {
        /// The activity's number
        activity: ActivityId,
    },
    /// Type in a result that was not recorded, of a race or a time trial
    Add {
        /// The day, such as 2026-06-14
        day: Day,
        /// The official distance, such as half, 10k, 1500m, 10mi, or a number in your units (from 400 on in metres)
        distance: String,
        /// The official time, such as 1:45:10
        time: TimeSpan,
        /// What the race was called
        name: String,
        /// It was no race: you went all out alone. It counts for half of one
        #[arg(long)]
        time_trial: bool,
    },
    /// Forget a race result
    Remove {
        /// The race's number
        race: RaceId,
    },
}
