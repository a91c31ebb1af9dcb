//! The command line, as the athlete types it.

mod activity;
mod athlete;
mod backup;
mod coach;
mod contract;
mod day;
mod export;
mod plan;
mod source;

pub(crate) use activity::{ActivityCommand, RaceCommand};
pub(crate) use athlete::{PacesArgs, PredictArgs, ProfileCommand, ThresholdCommand, ZonesCommand};
pub(crate) use backup::{BackupArgs, BackupCommand};
pub(crate) use coach::{
    BriefArgs, ChatArgs, CoachCommand, LogMode, LoginArgs, PromptsCommand, ServeArgs, TokenCommand, UseArgs,
};
pub(crate) use contract::{CheckArgs, ContractCommand};
pub(crate) use day::DayCommand;
pub(crate) use export::{ExportArgs, Format, PushArgs};
pub(crate) use plan::{
    DraftArgs, EditArgs, LateStart, MatchArgs, Overrides, ProposalCommand, ProposeArgs, WorkoutArgs,
};
pub(crate) use source::{Service, SourceCommand};

use clap::{Parser, Subcommand};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{JobId, NoteId, PlanId};
use fitness_core::domain::units::UnitSystem;
use std::path::PathBuf;

/// The endurance coach you run at home.
///
/// Your data stays in one database: a file in your data directory, or whatever FITNESS_DB or `database` in config.toml names (a
/// file path, a sqlite: URL or a postgres: URL).
#[derive(Debug, Parser)]
#[command(name = "fitness", version, arg_required_else_help = true, subcommand_required = true)]
pub(crate) struct Args {
    /// Whose data is meant; not needed while there is only one user
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// Print data as JSON, for programs
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// The file of settings; `config.toml` in your directory for settings when not given
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
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
    /// Show how you are today: form, recovery, sleep, and what the last days were
    Today {
        /// Seen from another day, such as 2026-06-14
        #[arg(long, value_name = "DAY")]
        on: Option<Day>,
    },
    /// Show what your data holds: years, bests, likely races, limits to confirm, gaps
    Found,
    /// Predict a finish, with the range that 8 of 10 land in
    Predict(PredictArgs),
    /// Show the paces to train at, from the best race of your present form
    ///
    /// Daniels' easy, marathon, threshold, interval and repetition paces, from the VDOT of your best race or time trial
    /// of the last 120 days.
    Paces(PacesArgs),
    /// Say how you feel this morning, 1 (bad) to 5 (great)
    Feel {
        /// 1 to 5
        #[arg(value_parser = clap::value_parser!(u8).range(1..=5))]
        feeling: u8,
        /// Another day, such as 2026-06-14
        #[arg(long, value_name = "DAY")]
        day: Option<Day>,
    },
    /// Show or set the limits that loads and zones are measured by
    #[command(subcommand)]
    Threshold(ThresholdCommand),
    /// Show or set your training zones
    Zones {
        #[command(subcommand)]
        command: Option<ZonesCommand>,
    },
    /// Show or say who you are, as far as formulas need it
    #[command(subcommand)]
    Profile(ProfileCommand),
    /// Work out everything anew: loads, fitness, recovery, detected limits
    ///
    /// Nothing you imported, set or decided is touched.
    Recompute,
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
        /// Make the athlete and stop, without showing any pages
        #[arg(long)]
        only_make: bool,
        /// Show the demo there is, if there is one, instead of making it anew
        #[arg(long, conflicts_with_all = ["export", "only_make"])]
        keep: bool,
        #[command(flatten)]
        serving: ServeArgs,
    },
    /// Add users, list them, let them in
    #[command(subcommand)]
    User(UserCommand),
    /// Look at training plans, and decide about them
    #[command(subcommand)]
    Plan(PlanCommand),
    /// Check what a model wrote against the coach's contract
    #[command(subcommand)]
    Contract(ContractCommand),
    /// Mark days on which you were ill, injured or away
    #[command(subcommand)]
    Day(DayCommand),
    /// Tell the coach what it should know
    #[command(subcommand)]
    Note(NoteCommand),
    /// Write or show the morning brief
    ///
    /// Every number in it is a stored one: the coach writes names of facts, and the program fills them in. What a model
    /// cannot write, the built-in coach does.
    Brief(BriefArgs),
    /// Talk with the coach
    Chat(ChatArgs),
    /// Choose who coaches you, and see what leaves this machine
    Coach {
        #[command(subcommand)]
        command: Option<CoachCommand>,
    },
    /// Look at what models are told, and score it
    #[command(subcommand)]
    Prompts(PromptsCommand),
    /// Let other programs ask for your data: make, list and revoke tokens
    #[command(subcommand)]
    Token(TokenCommand),
    /// Serve the coach's tools over standard input and output, for a program such as Claude Desktop
    Mcp,
    /// Run the server: the app for your browser, MCP for other programs, the morning sync and the brief
    ///
    /// The first start prints a link that makes the first user. Later `fitness login` prints links that sign in.
    Serve(ServeArgs),
    /// Print a link that signs a browser in, once
    ///
    /// It needs a person at a terminal, who types the user's name. Where no password is set it also shows a code: the browser asks
    /// for it before it changes a plan or the account. A program that runs in your account with a terminal of its own can type, too.
    Login(LoginArgs),
    /// List what is done by itself: backups, syncs, briefs, and what went wrong with them
    ///
    /// While `fitness serve` runs, they are done when they are due, and tried again when they fail: five times, each time after
    /// twice as long.
    Jobs {
        /// How many, the newest first
        #[arg(long, value_name = "N", default_value_t = 20)]
        last: u64,
        #[command(subcommand)]
        command: Option<JobsCommand>,
    },
    /// Say whether a server is up and can reach its data; exits 0 or 1
    ///
    /// For whatever watches over it: a container's health check, a monitor.
    Health {
        /// The port on this machine; the one that is set when not given
        #[arg(long)]
        port: Option<u16>,
    },
    /// Show what is set, and who said so; or all that can be set
    ///
    /// A setting is said by an argument, else by a variable of the environment, else by the file `config.toml` in your
    /// directory for settings, else by nobody.
    Config {
        /// All there are, with what they are for
        #[arg(long)]
        keys: bool,
    },
    /// Check the installation: what is missing, and how to fix it
    Doctor {
        /// Also look for changes made past local-fitness: in the schema, in plans and in the audit log
        ///
        /// It finds a forged activation, edited workouts, a dropped trigger or index, and an audit log that was cut off or
        /// rewritten since its last checkpoint. It cannot find the work of somebody who rewrites the whole log and the file
        /// of checkpoints as well.
        #[arg(long)]
        deep: bool,
    },
    /// Keep everything in one file, while others go on; list what is kept, or check it
    ///
    /// While the server runs one is made each night, and seven of those are kept; --nightly makes the same where it does not
    /// run. One is made before a new version changes the database. They are in `backups` beside the database file or in your data directory, or where FITNESS_BACKUPS
    /// says; `off` makes none.
    Backup(BackupArgs),
    /// Write everything of yours to a ZIP of open formats
    ///
    /// Your files as you imported them, activities, days and recordings as CSV, plans, notes and conversations as text, and
    /// every row as JSON: `fitness import-all` makes an equal database of it, but for what is not in it: passwords, tokens, sessions, links
    /// and the keys of services. Backups keep those.
    Export {
        /// The ZIP to write; one named for you and today when not given
        #[arg(long, value_name = "FILE")]
        to: Option<PathBuf>,
    },
    /// Make a database out of an export, where there is none yet
    ///
    /// Plans come back as they were, with what you decided about them. An export that was changed makes nothing. No password comes
    /// along: at a terminal it prints a link that sets a new one, once.
    ImportAll {
        /// The ZIP that `fitness export` wrote
        file: PathBuf,
    },
    /// Make a database out of a backup, where there is none yet
    ///
    /// The backup is read to its last bit first, and what comes out must be what went in, or nothing is made.
    Restore {
        /// The backup
        file: PathBuf,
    },
    /// Copy everything to another database: from a file to PostgreSQL, or back
    ///
    /// What is here stays; the other database must be empty.
    Move {
        /// A file path, or postgres://user:password@host/database
        #[arg(value_name = "DATABASE")]
        to: std::ffi::OsString,
    },
    /// Make the database, or bring it up to date
    ///
    /// Other commands do this by themselves; this one does only this, for use before a new version starts.
    Migrate,
    /// Print what lets a shell complete these commands
    ///
    /// `source <(fitness completions bash)` for one session; `docs/deploy.md` says where each shell keeps it.
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one for every command
    Man {
        /// The folder to write them to, such as ~/.local/share/man/man1
        #[arg(long, value_name = "FOLDER")]
        to: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum JobsCommand {
    /// Try a job again that was given up
    Retry {
        /// The job's number
        job: JobId,
    },
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
    /// Make a one-time code with which a user sets a password and signs in on the web; asks you to type the name
    Invite {
        /// Whom to invite; not needed while there is only one user
        name: Option<String>,
    },
    /// Remove a user with everything that is theirs; asks you to type the name
    Delete {
        /// Whom; not needed while there is only one user
        name: Option<String>,
        /// Who owns the server from now on; needed when the owner leaves and there are other users
        #[arg(long, value_name = "NAME")]
        new_owner: Option<String>,
        /// Remove also the backups that hold nobody else's data
        #[arg(long)]
        with_backups: bool,
    },
    /// Set or change a password, typed at the terminal
    Passwd {
        /// Whose password; not needed while there is only one user
        name: Option<String>,
        /// Revoke every API token of this user too, without asking
        #[arg(long)]
        revoke_tokens: bool,
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
    /// Show one workout: what was asked, what was done, and its steps beside the recording
    Workout(WorkoutArgs),
    /// Say that an activity of another day was a workout: from then on it counts as it
    Match(MatchArgs),
    /// Take back what you said about a workout and activities of other days
    Unmatch(WorkoutArgs),
    /// Draft a plan from your history, or from a JSON file; nothing is tracked until you activate it
    ///
    /// `fitness plan draft --goal half --race-date 2026-09-20 --target 1:45:00 --days tue,thu,sat,sun` starts from what you
    /// run now, and says plainly what your data does not support.
    ///
    /// A file holds goal (5k, 10k, half, full or custom with distance_km), start_date, race_date, target_time
    /// such as 01:45:00 if there is one, and schedule: a list of {date, planned_miles or planned_km, kind}. Or it is a
    /// file that `fitness plan export --format json` wrote.
    Draft(Box<DraftArgs>),
    /// Hold a plan against what is known about training: a draft, the active plan, or a file
    Lint {
        /// The plan's number, or a JSON file; the active plan when not given
        #[arg(value_name = "PLAN|FILE")]
        plan: Option<String>,
    },
    /// Make a draft your tracked plan; asks you to type its name
    Activate {
        /// The draft's number
        plan: PlanId,
        /// The plan that is active now, to be archived in the same step
        #[arg(long, value_name = "PLAN")]
        replaces: Option<PlanId>,
        /// When its first day is over: begin today and leave the days before unjudged, or count them as planned; asked for
        /// when not given
        #[arg(long, value_name = "WHEN")]
        begin: Option<LateStart>,
        #[command(flatten)]
        overrides: Overrides,
    },
    /// Change the active plan by hand: move, swap, shorten, skip or add workouts
    ///
    /// Everything in one command is one revision; `fitness plan revert` takes it back.
    Edit(Box<EditArgs>),
    /// List how the plan has changed
    Revisions {
        /// The plan's number; the active one when not given
        plan: Option<PlanId>,
    },
    /// Go back to how the active plan was, from today on; the way back is kept too
    Revert {
        /// The revision to go back to; the one before when not given
        to: Option<i64>,
    },
    /// Turn a model's answer into a proposal to the active plan, or into the draft of a week
    ///
    /// The answer is a plan modification or a weekly plan as docs/contract.md says. Nothing changes until you apply it.
    Propose(ProposeArgs),
    /// Look at what is proposed to the active plan, and decide
    #[command(subcommand)]
    Proposal(ProposalCommand),
    /// Splits for race day: a plan A, and a plan B to fall back to
    Card {
        /// The plan's number; the active one when not given
        plan: Option<PlanId>,
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
    /// Write the plan to a file: for a watch, a calendar, a program or a person
    ///
    /// What a format cannot say is listed, step by step.
    Export(ExportArgs),
    /// Put the active plan's next workouts on your intervals.icu calendar, which hands them on to watches
    ///
    /// Only entries that this program put there are ever changed or removed; what it put there before follows the plan.
    /// Needs the source `intervals` (`fitness source add intervals`).
    Push(PushArgs),
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
    /// Take over a note that the coach or another program suggested
    Accept {
        /// The note's number
        note: NoteId,
    },
    /// Remove a note
    Delete {
        /// The note's number
        note: NoteId,
    },
}
