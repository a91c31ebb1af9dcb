//! Command-line arguments (clap). The doc comments are the `--help` texts.

mod activity;
mod athlete;
mod backup;
mod coach;
mod day;
mod llm_output;
mod plan;
mod plan_export;
mod source;

pub(crate) use activity::{ActivityCommand, RaceCommand};
pub(crate) use athlete::{PacesArgs, PredictArgs, ProfileCommand, ThresholdsCommand, ZonesCommand};
pub(crate) use backup::{BackupArgs, BackupCommand};
pub(crate) use coach::{
    BriefArgs, ChatArgs, CoachCommand, LogMode, PromptsCommand, ServeArgs, SignInLinkArgs, TokenCommand,
    UseArgs,
};
pub(crate) use day::DayCommand;
pub(crate) use llm_output::{CheckArgs, ContractCommand};
pub(crate) use plan::{
    DraftArgs, EditArgs, LateStart, LintOverrides, MatchArgs, ProposalCommand, ProposeArgs, WorkoutArgs,
};
pub(crate) use plan_export::{ExportArgs, Format, PushArgs};
pub(crate) use source::{Service, SourceCommand};

use clap::{Parser, Subcommand};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{JobId, NoteId, PlanId};
use fitness_core::domain::units::UnitSystem;
use std::path::PathBuf;

/// Self-hosted endurance coach.
///
/// Your data is in one database: a file in your data directory, or the one set by FITNESS_DB or by
/// `database` in config.toml (a file path, a sqlite: URL or a postgres: URL).
#[derive(Debug, Parser)]
#[command(name = "fitness", version, arg_required_else_help = true, subcommand_required = true)]
pub(crate) struct Args {
    /// Act as this user (needed only if there are several)
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Configuration file [default: config.toml in your configuration directory]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Import training data: files, folders, ZIPs, account exports
    ///
    /// Reads FIT, TCX and GPX files (plain, gzipped or in ZIPs), a Garmin account export ("Export
    /// Your Data") and a Strava bulk export, as downloaded. Importing a file again changes nothing.
    Import {
        /// Files and folders
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// Also read files that were imported before
        #[arg(long)]
        again: bool,
    },
    /// Connect services to sync from
    #[command(subcommand)]
    Source(SourceCommand),
    /// Fetch new data from connected services
    Sync {
        /// The service [default: all]
        source: Option<Service>,
        /// First day to fetch [default: where the last sync ended]
        #[arg(long, value_name = "DAY")]
        since: Option<Day>,
    },
    /// Import new files in a folder until Ctrl-C
    Watch {
        /// The folder [default: the remembered one]
        folder: Option<PathBuf>,
        /// Remember the folder for next time and for the server
        #[arg(long)]
        remember: bool,
        /// Forget the remembered folder
        #[arg(long, conflicts_with_all = ["folder", "remember"])]
        forget: bool,
    },
    /// List, show, correct and delete activities; save their original files
    #[command(subcommand)]
    Activity(ActivityCommand),
    /// Confirm or add race results
    #[command(subcommand)]
    Race(RaceCommand),
    /// Show today's recovery, form, sleep and recent training
    Today {
        /// Another day, such as 2026-06-14
        #[arg(long, value_name = "DAY")]
        on: Option<Day>,
    },
    /// Show what is in your data: years, bests, likely races, thresholds to confirm, gaps
    #[command(alias = "found")]
    Overview,
    /// Predict a race time, with its 80% range
    Predict(PredictArgs),
    /// Show training paces from your best recent race
    ///
    /// Daniels' easy, marathon, threshold, interval and repetition paces, from the VDOT of your
    /// best race or time trial of the last 120 days, or else from the latest result of the last year.
    Paces(PacesArgs),
    /// Record how you feel this morning, 1 (bad) to 5 (great)
    #[command(alias = "feel")]
    Checkin {
        /// 1 to 5
        #[arg(value_parser = clap::value_parser!(u8).range(1..=5))]
        feeling: u8,
        /// Another day, such as 2026-06-14
        #[arg(long, value_name = "DAY")]
        day: Option<Day>,
    },
    /// Show or set the thresholds used for training load and zones
    #[command(subcommand, alias = "threshold")]
    Thresholds(ThresholdsCommand),
    /// Show or set your training zones
    Zones {
        #[command(subcommand)]
        command: Option<ZonesCommand>,
    },
    /// Show or edit your profile (age, sex, units)
    #[command(subcommand)]
    Profile(ProfileCommand),
    /// Recompute training load, fitness, recovery and detected thresholds
    ///
    /// Does not change anything you imported, set or decided.
    Recompute,
    /// Try the app with a generated athlete
    ///
    /// Creates a separate database next to yours, imports a season of generated training into it
    /// and starts the server. Replaces the database of an earlier demo. The same seed and last day
    /// always give the same athlete.
    Demo {
        /// Write the athlete's Garmin account export to this folder instead
        #[arg(long, value_name = "FOLDER")]
        export: Option<PathBuf>,
        /// Years of training [default: a season of 30 weeks]
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20))]
        years: Option<u32>,
        /// The last day, 2000-01-01 or later [default: today]
        #[arg(long, value_name = "DAY")]
        ends: Option<Day>,
        /// Seed for generating the athlete
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Create the demo without starting the server
        #[arg(long)]
        only_make: bool,
        /// Show the existing demo, if there is one, instead of replacing it
        #[arg(long, conflicts_with_all = ["export", "only_make"])]
        keep: bool,
        #[command(flatten)]
        serving: ServeArgs,
    },
    /// Add, list, invite and delete users; set passwords
    #[command(subcommand)]
    User(UserCommand),
    /// Draft, show, activate and change training plans
    #[command(subcommand)]
    Plan(PlanCommand),
    /// For developers: check the response of an AI model against the schema
    #[command(subcommand)]
    Contract(ContractCommand),
    /// Mark days as ill, injured or away, or as complete
    #[command(subcommand)]
    Day(DayCommand),
    /// Write notes for the coach
    #[command(subcommand)]
    Note(NoteCommand),
    /// Write or show the morning brief
    ///
    /// Every number in it comes from your data, not from the model. If the model fails, the
    /// built-in coach writes the brief.
    Brief(BriefArgs),
    /// Chat with the coach
    Chat(ChatArgs),
    /// Choose your coach, and see what leaves this machine
    Coach {
        #[command(subcommand)]
        command: Option<CoachCommand>,
    },
    /// List and check the prompts for models
    #[command(subcommand)]
    Prompts(PromptsCommand),
    /// Create, list and revoke API tokens for other programs
    #[command(subcommand)]
    Token(TokenCommand),
    /// Serve the coach's tools over MCP on standard input and output, for a program such as Claude
    /// Desktop
    Mcp,
    /// Run the server: the web app, MCP over HTTP, background jobs
    ///
    /// The first start prints a link that creates the first user. Later, `fitness login` prints
    /// sign-in links.
    Serve(ServeArgs),
    /// Print a one-time sign-in link
    ///
    /// Needs a terminal, and asks you to type the user's name. For a user without a password it
    /// also shows a code, which the browser asks for before it changes a plan or the account.
    /// The code does not protect against other programs that run under your account.
    Login(SignInLinkArgs),
    /// Show the audit log: every change to your data, and who made it
    Audit {
        /// Number of entries to show, newest first
        #[arg(long, value_name = "N", default_value_t = 50)]
        last: u64,
        /// Also check that no entry was changed
        #[arg(long)]
        verify: bool,
    },
    /// List background jobs and their errors
    ///
    /// `fitness serve` makes backups, syncs and writes briefs when they are due. It tries
    /// a job that fails up to five times, and doubles the delay each time.
    Jobs {
        /// Number of jobs to list, newest first
        #[arg(long, value_name = "N", default_value_t = 20)]
        last: u64,
        #[command(subcommand)]
        command: Option<JobsCommand>,
    },
    /// Check that a server is up and can reach its database; exits 0 or 1
    ///
    /// For health checks of containers and monitors.
    Health {
        /// The port on this machine [default: the configured port]
        #[arg(long)]
        port: Option<u16>,
    },
    /// Show settings and where they come from
    ///
    /// Precedence: command line, environment, config.toml, default.
    Config {
        /// Describe every setting
        #[arg(long)]
        keys: bool,
    },
    /// Check the installation and say how to fix problems
    Doctor {
        /// Also look for changes made outside local-fitness: in the schema, plans and the audit log
        ///
        /// Detects plans that were activated or edited directly in the database, missing triggers
        /// and indexes, and an audit log that was shortened or rewritten since its last checkpoint.
        /// It cannot detect an attacker who rewrites the whole log and the checkpoint file.
        #[arg(long)]
        deep: bool,
    },
    /// Create, list or verify backups (safe while the server runs)
    ///
    /// A running server makes a backup each night and keeps the newest seven; --nightly does the
    /// same without a server. A backup is also made before a new version migrates the database.
    /// Backups are stored in the `backups` directory next to the database file (PostgreSQL: in your
    /// data directory), or in the directory set by FITNESS_BACKUPS (`off` disables them).
    Backup(BackupArgs),
    /// Export all your data as a ZIP file in open formats
    ///
    /// Contains your original files, activities, days and recordings as CSV, plans, notes and
    /// conversations as text, and every row as JSON. `fitness restore --from-export` creates a
    /// database from it. Passwords, tokens, sessions, sign-in links and API keys of services are
    /// only in backups.
    Export {
        /// The ZIP to write [default: named after you and today's date]
        #[arg(long, value_name = "FILE")]
        to: Option<PathBuf>,
    },
    /// Create a new database from a backup or an export
    ///
    /// Verifies the whole file first; a file that was modified or truncated is refused. Plans keep
    /// their history and your decisions. An export contains no passwords: in a terminal, the
    /// command prints a one-time link for setting a new one.
    Restore {
        /// The backup, or the ZIP of an export with --from-export
        file: PathBuf,
        /// FILE is an export written by `fitness export`
        #[arg(long)]
        from_export: bool,
    },
    /// Old name of `restore --from-export`
    #[command(hide = true)]
    ImportAll {
        /// The ZIP of an export
        file: PathBuf,
    },
    /// Copy the database to PostgreSQL or SQLite; the source is kept
    ///
    /// The target must be empty.
    #[command(alias = "move")]
    CopyTo {
        /// A file path, or postgres://user:password@host/database
        #[arg(value_name = "DATABASE")]
        to: std::ffi::OsString,
    },
    /// Create the database or migrate it to this version
    ///
    /// Other commands do this automatically; use this one to migrate before a new version starts.
    Migrate,
    /// Print shell completions
    ///
    /// `source <(fitness completions bash)` for the current session; docs/deploy.md says where each
    /// shell looks for them.
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one for every command
    Man {
        /// The folder to write the pages to, such as ~/.local/share/man/man1
        #[arg(long, value_name = "FOLDER")]
        to: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum JobsCommand {
    /// Retry a failed job
    Retry {
        /// Id of the job
        job: JobId,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Add a user; creates the database if there is none
    Add {
        /// The user's name
        name: String,
        /// The user's time zone, such as Europe/Zurich [default: this machine's]
        #[arg(long)]
        zone: Option<chrono_tz::Tz>,
        /// metric or imperial [default: from this machine's locale]
        #[arg(long)]
        units: Option<UnitSystem>,
    },
    /// List the users
    List,
    /// Create a one-time invite link for setting a password; asks you to type the name
    Invite {
        /// The user (needed only if there are several)
        name: Option<String>,
    },
    /// Delete a user and all their data; asks you to type the name
    Delete {
        /// The user (needed only if there are several)
        name: Option<String>,
        /// The next owner of the server; required if the owner is deleted and there are other users
        #[arg(long, value_name = "NAME")]
        new_owner: Option<String>,
        /// Also delete backups that contain no other user's data
        #[arg(long)]
        with_backups: bool,
    },
    /// Set or change a password; asks for it in the terminal
    Passwd {
        /// The user (needed only if there are several)
        name: Option<String>,
        /// Also revoke all API tokens of this user, without asking
        #[arg(long)]
        revoke_tokens: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum PlanCommand {
    /// List your plans and drafts
    List,
    /// Show a plan and how each workout went
    Show {
        /// Id of the plan [default: the active plan]
        plan: Option<PlanId>,
    },
    /// Show one workout: planned, done, and its steps compared with the recording
    Workout(WorkoutArgs),
    /// Match a workout with an activity from another day
    Match(MatchArgs),
    /// Remove the matches of a workout
    Unmatch(WorkoutArgs),
    /// Draft a plan from your history or from a JSON file; it has no effect until you activate it
    ///
    /// `fitness plan draft --goal half --race-date 2026-09-20 --target 1:45:00 --days
    /// tue,thu,sat,sun` starts from your current training, and warns if your goal time is not
    /// realistic.
    ///
    /// A file contains goal (5k, 10k, half, full, or custom with distance_km), start_date,
    /// race_date, optionally target_time such as 01:45:00, and schedule: a list of {date,
    /// planned_miles or planned_km, kind}. It can also be a file written by `fitness plan export
    /// --format json`.
    Draft(Box<DraftArgs>),
    /// Run the safety checks on a plan: a draft, the active plan, or a file
    Lint {
        /// Id of the plan, or a JSON file [default: the active plan]
        #[arg(value_name = "PLAN|FILE")]
        plan: Option<String>,
    },
    /// Activate a draft; asks you to type its name
    Activate {
        /// Id of the draft
        plan: PlanId,
        /// The active plan, to archive in the same step
        #[arg(long, value_name = "PLAN")]
        replaces: Option<PlanId>,
        /// If the plan's first day has passed: start today, or as planned [default: asks you]
        #[arg(long, value_name = "WHEN")]
        begin: Option<LateStart>,
        #[command(flatten)]
        overrides: LintOverrides,
    },
    /// Edit the active plan: move, swap, shorten, extend, skip or add workouts
    ///
    /// All changes of one command are one revision; `fitness plan revert` undoes them.
    Edit(Box<EditArgs>),
    /// List the revisions of a plan
    Revisions {
        /// Id of the plan [default: the active plan]
        plan: Option<PlanId>,
    },
    /// Revert the active plan to an earlier revision, from today on; this creates a new revision
    Revert {
        /// The revision to revert to [default: the previous one]
        to: Option<i64>,
    },
    /// Turn a model's response into a proposal for the active plan, or into a one-week draft plan
    ///
    /// The response is a plan modification or a weekly plan as described in docs/llm-output.md.
    /// Nothing changes until you apply the proposal.
    Propose(ProposeArgs),
    /// List, show, apply or discard proposals for the active plan
    #[command(subcommand)]
    Proposal(ProposalCommand),
    /// Show splits for race day: a plan A, and a plan B as a fallback
    #[command(alias = "card")]
    Splits {
        /// Id of the plan [default: the active plan]
        plan: Option<PlanId>,
    },
    /// Archive the active plan; asks you to type its name
    Archive {
        /// Id of the plan
        plan: PlanId,
    },
    /// Delete a draft or an archived plan; asks you to type its name
    Delete {
        /// Id of the plan
        plan: PlanId,
    },
    /// Export a plan for a watch, a calendar or another program, or to print
    ///
    /// Lists, step by step, what the file format cannot represent.
    Export(ExportArgs),
    /// Send the active plan's next workouts to your intervals.icu calendar, which forwards them to
    /// watches
    ///
    /// Updates the entries it created to match the plan, and never changes other entries. Requires
    /// the source `intervals` (`fitness source add intervals`).
    Push(PushArgs),
}

#[derive(Debug, Subcommand)]
pub(crate) enum NoteCommand {
    /// Write a note for the coach
    Add {
        /// The text
        #[arg(required = true)]
        text: Vec<String>,
        /// The day it is about, such as 2026-06-14
        #[arg(long)]
        day: Option<Day>,
    },
    /// List your notes, newest first
    List,
    /// Accept a note suggested by the coach or another program
    Accept {
        /// Id of the note
        note: NoteId,
    },
    /// Delete a note
    Delete {
        /// Id of the note
        note: NoteId,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    fn parse(line: &str) -> Command {
        Args::try_parse_from(line.split(' ')).unwrap_or_else(|why| panic!("{line}: {why}")).command
    }

    #[test]
    fn old_verbs_parse_to_the_renamed_commands_and_are_hidden() {
        for (old, new) in [
            ("fitness found", "fitness overview"),
            ("fitness feel 4", "fitness checkin 4"),
            ("fitness move /srv/fitness.db", "fitness copy-to /srv/fitness.db"),
            ("fitness plan card 1", "fitness plan splits 1"),
            ("fitness threshold list", "fitness thresholds list"),
        ] {
            assert_eq!(format!("{:?}", parse(old)), format!("{:?}", parse(new)), "{old}");
        }
        // `import-all` is a command of its own, as a flag cannot be part of an alias.
        let Command::ImportAll { file: old_file } = parse("fitness import-all a.zip") else {
            panic!("renamed")
        };
        let Command::Restore { file, from_export: true } = parse("fitness restore --from-export a.zip")
        else {
            panic!("not an export");
        };
        assert_eq!(old_file, file);

        let mut fitness = Args::command();
        let plan = fitness.find_subcommand_mut("plan").expect("there is a plan command");
        let plan_help = plan.render_long_help().to_string();
        let help = fitness.render_long_help().to_string();
        let lists = |help: &str, verb: &str| {
            let mut names = help.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
            names.any(|name| name == verb)
        };
        for (old, new) in [
            ("found", "overview"),
            ("feel", "checkin"),
            ("move", "copy-to"),
            ("threshold", "thresholds"),
            ("import-all", "restore"),
        ] {
            assert!(lists(&help, new), "{new} is missing in\n{help}");
            assert!(!lists(&help, old) && !help.contains("import-all"), "{old} is listed in\n{help}");
        }
        assert!(lists(&plan_help, "splits") && !lists(&plan_help, "card"), "{plan_help}");
        assert!(!help.contains("[aliases:") && !plan_help.contains("[aliases:"));
    }
}
