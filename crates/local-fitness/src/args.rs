//! The command line, as the athlete types it.

use clap::{Parser, Subcommand};
use fitness_core::calendar::Day;
use fitness_core::ids::{ActivityId, NoteId, PlanId, RaceId, SourceId};
use fitness_core::sport::Sport;
use fitness_core::units::{TimeSpan, UnitSystem};
use std::path::PathBuf;

/// The endurance coach you run at home.
///
/// Your data stays in one database: a file in your data directory, or whatever FITNESS_DB names (a file path,
/// a sqlite: URL or a postgres: URL).
#[derive(Debug, Parser)]
#[command(name = "fitness", version, arg_required_else_help = true, subcommand_required = true)]
pub(crate) struct Args {
    /// Whose data is meant; not needed while there is only one user
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// Print data as JSON, for programs
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Take in training data: files, folders, ZIPs, account exports
    ///
    /// Reads FIT, TCX and GPX files, plain, gzipped or in ZIPs, a Garmin account export ("Export Your Data") and
    /// a Strava bulk export, as they were downloaded. Importing something again adds nothing and changes nothing.
    Import {
        /// Files and folders
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// Read also the files that were read before
        #[arg(long)]
        again: bool,
    },
    /// Connect services that bring in data by themselves
    #[command(subcommand)]
    Source(SourceCommand),
    /// Ask the services you connected for what is new
    Sync {
        /// Which one; all when not given
        source: Option<Service>,
        /// From this day on; from where the last sync ended when not given
        #[arg(long, value_name = "DAY")]
        since: Option<Day>,
    },
    /// Import what appears in a folder, until Ctrl-C
    Watch {
        /// The folder; the remembered one when not given
        folder: Option<PathBuf>,
        /// Remember it for next time, and for the server
        #[arg(long)]
        remember: bool,
        /// Forget the remembered folder
        #[arg(long, conflicts_with_all = ["folder", "remember"])]
        forget: bool,
    },
    /// Look at your activities, correct them, get their files back
    #[command(subcommand)]
    Activity(ActivityCommand),
    /// Confirm race results, or type them in
    #[command(subcommand)]
    Race(RaceCommand),
    /// Meet an athlete who does not exist: a season of training to try everything with
    ///
    /// Without --export it makes a database of its own, beside yours and apart from it, and imports the athlete's
    /// files like anybody's; the database of an earlier demo is replaced. The same seed and last day always make the same athlete.
    Demo {
        /// Write the athlete's account export to this folder instead, as Garmin would
        #[arg(long, value_name = "FOLDER")]
        export: Option<PathBuf>,
        /// How many years of training; a season of 30 weeks when not given
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20))]
        years: Option<u32>,
        /// The last day, from 2000-01-01 on; today when not given
        #[arg(long, value_name = "DAY")]
        ends: Option<Day>,
        /// Which athlete
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Add users, list them, let them in
    #[command(subcommand)]
    User(UserCommand),
    /// Look at training plans, and decide about them
    #[command(subcommand)]
    Plan(PlanCommand),
    /// Tell the coach what it should know
    #[command(subcommand)]
    Note(NoteCommand),
    /// Check the installation: what is missing, and how to fix it
    Doctor,
    /// Make the database, or bring it up to date
    ///
    /// Other commands do this by themselves; this one does only this, for use before a new version starts.
    Migrate,
}

#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Add a user; makes the database when there is none
    Add {
        /// What the user is called
        name: String,
        /// The user's time zone, such as Europe/Zurich; this machine's when not given
        #[arg(long)]
        zone: Option<chrono_tz::Tz>,
        /// How distances are shown: metric or imperial; this machine's habit when not given
        #[arg(long)]
        units: Option<UnitSystem>,
    },
    /// List the users
    List,
    /// Make a one-time code with which a user sets a password and signs in on the web
    Invite {
        /// Whom to invite; not needed while there is only one user
        name: Option<String>,
    },
    /// Set or change a password, typed at the terminal
    Passwd {
        /// Whose password; not needed while there is only one user
        name: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum PlanCommand {
    /// List your plans and drafts
    List,
    /// Show a plan with its verdicts; the active one when none is named
    Show {
        /// The plan's number
        plan: Option<PlanId>,
    },
    /// Write a draft from a JSON file; nothing is tracked until you activate it
    ///
    /// The file holds goal (5k, 10k, half, full or custom with distance_km), start_date, race_date, target_time
    /// such as 01:45:00 if there is one, and schedule: a list of {date, planned_miles or planned_km, kind}.
    Draft {
        /// The file; - reads standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// The draft this one takes the place of
        #[arg(long, value_name = "PLAN")]
        supersedes: Option<PlanId>,
    },
    /// Make a draft your tracked plan; asks you to type its name
    Activate {
        /// The draft's number
        plan: PlanId,
        /// The plan that is active now, to be archived in the same step
        #[arg(long, value_name = "PLAN")]
        replaces: Option<PlanId>,
    },
    /// Put the active plan away; asks you to type its name
    Archive {
        /// The plan's number
        plan: PlanId,
    },
    /// Remove a draft or an archived plan for good; asks you to type its name
    Delete {
        /// The plan's number
        plan: PlanId,
    },
}

fitness_core::words! {
    /// A service that data can be synced from.
    pub(crate) enum Service("service") {
        /// Garmin Connect, through its Personal API.
        Garmin = "garmin",
        /// intervals.icu.
        Intervals = "intervals",
    }
}

impl Service {
    /// What people call it.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::Garmin => "Garmin Connect",
            Self::Intervals => "intervals.icu",
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum SourceCommand {
    /// Connect a service: garmin or intervals
    ///
    /// You make a key in the service's own settings; no password is ever asked for. The key is stored sealed, and the
    /// key that seals it lies in a file of its own, or in FITNESS_KEY.
    Add {
        /// garmin (experimental) or intervals
        service: Service,
        /// A file with the key; - reads standard input. Typed without echo when not given
        #[arg(long, value_name = "FILE")]
        key_file: Option<PathBuf>,
        /// The day the key ends, to be warned a week before
        #[arg(long, value_name = "DAY")]
        expires: Option<Day>,
        /// Where the service is, if elsewhere than usual; accounts in China: HTTPS at personal.connectapi.garmin.cn
        #[arg(long, value_name = "URL")]
        address: Option<String>,
        /// The athlete's id at intervals.icu, such as i12345; the key's owner when not given
        #[arg(long, value_name = "ID")]
        athlete: Option<String>,
    },
    /// List the services you connected, and when their keys end
    List,
    /// Give a source a new key
    Key {
        /// The source's number
        source: SourceId,
        /// A file with the key; - reads standard input. Typed without echo when not given
        #[arg(long, value_name = "FILE")]
        key_file: Option<PathBuf>,
        /// The day the key ends, to be warned a week before
        #[arg(long, value_name = "DAY")]
        expires: Option<Day>,
    },
    /// Forget a source and its key; what it brought stays
    Remove {
        /// The source's number
        source: SourceId,
    },
    /// Show what a service answers, without showing your data: status codes and names of fields only
    Probe {
        /// garmin
        service: Service,
    },
}

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
        /// Another distance, in your units
        #[arg(long, group = "change", value_name = "NUMBER")]
        distance: Option<f64>,
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
    /// List your race results, and activities that look like races
    List,
    /// Take over an activity as a race result
    Confirm {
        /// The activity's number
        activity: ActivityId,
        /// The official time, such as 1:45:10; the recorded one when not given
        #[arg(long)]
        time: Option<TimeSpan>,
        /// The official distance, in your units; the recorded one when not given
        #[arg(long, value_name = "NUMBER")]
        distance: Option<f64>,
        /// What the race was called; the activity's title when not given
        #[arg(long)]
        name: Option<String>,
    },
    /// Say that an activity was no race
    Decline {
        /// The activity's number
        activity: ActivityId,
    },
    /// Type in a result that was not recorded
    Add {
        /// The day, such as 2026-06-14
        day: Day,
        /// The official distance, in your units
        distance: f64,
        /// The official time, such as 1:45:10
        time: TimeSpan,
        /// What the race was called
        name: String,
    },
    /// Forget a race result
    Remove {
        /// The race's number
        race: RaceId,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum NoteCommand {
    /// Write a note for the coach
    Add {
        /// What to say
        #[arg(required = true)]
        text: Vec<String>,
        /// The day it is about, such as 2026-06-14
        #[arg(long)]
        day: Option<Day>,
    },
    /// List your notes, newest first
    List,
    /// Remove a note
    Delete {
        /// The note's number
        note: NoteId,
    },
}
