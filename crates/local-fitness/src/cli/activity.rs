//! Arguments of `fitness activity`, `fitness gear` and `fitness race`.

use chrono::NaiveTime;
use clap::Subcommand;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::gear::GearKind;
use fitness_core::domain::ids::{ActivityId, GearId, RaceId};
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
    /// Add an activity without a recording, such as a run without a watch
    ///
    /// It counts for your plan like a recorded one. If you import its recording later, the two
    /// become one activity.
    Add {
        /// Day, such as 2026-06-14
        day: Day,
        /// Sport, such as running
        sport: Sport,
        /// Moving time, such as 45:10 or 1:45:10
        time: TimeSpan,
        /// Distance, such as 21.1km, 13.1mi or a number in your units
        #[arg(long, value_name = "DISTANCE")]
        distance: Option<String>,
        /// Local start time, such as 07:30
        #[arg(long, value_name = "HH:MM", value_parser = parse_clock_time)]
        start: Option<NaiveTime>,
        /// Title
        #[arg(long)]
        name: Option<String>,
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

fn parse_clock_time(text: &str) -> Result<NaiveTime, String> {
    NaiveTime::parse_from_str(text, "%H:%M")
        .map_err(|_| "expected hours and minutes, such as 07:30".to_owned())
}

#[derive(Debug, Subcommand)]
pub(crate) enum GearCommand {
    /// List your gear with its distance
    List,
    /// Add shoes, a bike or other gear
    Add {
        /// Name, such as "Ghost 15"
        name: String,
        /// shoes, bike or other
        #[arg(long, default_value_t = GearKind::Shoes)]
        kind: GearKind,
        /// Distance so far, such as 120km or a number in your units
        #[arg(long, value_name = "DISTANCE")]
        initial: Option<String>,
        /// Distance at which you are reminded to replace it [default: 700 km for shoes]
        #[arg(long, value_name = "DISTANCE")]
        retire_at: Option<String>,
        /// Use it by default for this sport from today on
        #[arg(long, value_name = "SPORT")]
        default_for: Option<Sport>,
    },
    /// Set the gear that a sport uses by default from a day on
    Default {
        /// The sport
        sport: Sport,
        /// Id of the gear, or none
        gear: GearChoice,
        /// First day [default: today]
        #[arg(long, value_name = "DAY")]
        from: Option<Day>,
    },
    /// Set the gear of one activity
    Assign {
        /// Id of the activity
        activity: ActivityId,
        /// Id of the gear, or none
        gear: GearChoice,
    },
    /// Retire gear: it is no longer a default, and there are no reminders
    Retire {
        /// Id of the gear
        gear: GearId,
        /// Last day [default: today]
        #[arg(long, value_name = "DAY")]
        on: Option<Day>,
    },
    /// Use retired gear again
    Reuse {
        /// Id of the gear
        gear: GearId,
    },
    /// Delete gear; activities that used it have none
    Delete {
        /// Id of the gear
        gear: GearId,
    },
}

/// An id, or `none`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GearChoice(pub(crate) Option<GearId>);

impl std::str::FromStr for GearChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "none" {
            return Ok(Self(None));
        }
        text.parse().map(|id| Self(Some(id))).map_err(|_| "expected an id, or none".to_owned())
    }
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
