//! `fitness plan`: what is drafted, read, decided and changed.

use clap::{Args, Subcommand};
use fitness_core::domain::calendar::{Day, Weekday};
use fitness_core::domain::ids::{ActivityId, PlanId, ProposalId, WorkoutId};
use fitness_core::domain::sport::Sport;
use fitness_core::llm_output::ResponseKind;
use fitness_core::plan::lint::Rule;
use fitness_core::plan::{Goal, Level, Weekdays, WorkoutKind, parse_weekday};
use std::path::PathBuf;

/// A draft: made from your history, or read from a file.
#[derive(Debug, Args)]
pub(crate) struct DraftArgs {
    /// A JSON file with a schedule; - reads standard input
    #[arg(value_name = "FILE", conflicts_with_all = ["goal", "race_date"])]
    pub(crate) file: Option<PathBuf>,
    /// The race: 5k, 10k, half, full (a marathon) or custom
    #[arg(long, value_parser = goal)]
    pub(crate) goal: Option<Goal>,
    /// How far a custom race is: 15km, 10mi
    #[arg(long, value_name = "DISTANCE", requires = "goal")]
    pub(crate) distance: Option<String>,
    /// The day of the race, such as 2026-09-20
    #[arg(long, value_name = "DAY", requires = "goal")]
    pub(crate) race_date: Option<Day>,
    /// The first day that counts; today when not given
    #[arg(long, value_name = "DAY", requires = "goal")]
    pub(crate) start: Option<Day>,
    /// The time you hope for, such as 1:45:00; leave it out to just finish
    #[arg(long, value_name = "TIME", requires = "goal")]
    pub(crate) target: Option<String>,
    /// The weekdays you can train on, such as mon,wed,fri,sun; all when not given
    #[arg(long, value_name = "DAYS", requires = "goal")]
    pub(crate) days: Option<Weekdays>,
    /// The weekday of the long run; the weekend when not given
    #[arg(long, value_name = "DAY", requires = "goal", value_parser = parse_weekday)]
    pub(crate) long_day: Option<Weekday>,
    /// A day you cannot train on, or a stretch such as 2026-07-01..2026-07-14; may be given more than once
    #[arg(long, value_name = "DAY[..DAY]", requires = "goal")]
    pub(crate) blackout: Vec<String>,
    /// A race along the way, such as 2026-08-02=10k
    #[arg(long, value_name = "DAY=DISTANCE", requires = "goal")]
    pub(crate) b_race: Option<String>,
    /// How much running you are used to: novice, inter or adv; worked out when your history says it
    #[arg(long, requires = "goal", value_parser = level)]
    pub(crate) level: Option<Level>,
    /// What you run in a usual week, such as 40km; worked out when your history says it
    #[arg(long, value_name = "DISTANCE", requires = "goal")]
    pub(crate) base: Option<String>,
    /// Your longest run of the last 30 days, such as 14km; worked out when your history says it
    #[arg(long, value_name = "DISTANCE", requires = "goal")]
    pub(crate) longest: Option<String>,
    /// Two short strength sessions a week
    #[arg(long, requires = "goal")]
    pub(crate) strength: bool,
    /// Another sport on a day without a run: cycling, rowing, swimming
    #[arg(long, value_name = "SPORT", requires = "goal")]
    pub(crate) cross: Option<Sport>,
    /// What to call the plan
    #[arg(long, requires = "goal")]
    pub(crate) name: Option<String>,
    /// Show the plan without writing it down
    #[arg(long, requires = "goal")]
    pub(crate) dry_run: bool,
    /// The draft this one takes the place of
    #[arg(long, value_name = "PLAN")]
    pub(crate) supersedes: Option<PlanId>,
}

/// A race as people call it. Whoever writes `half=1:45` is told where the time goes.
fn goal(text: &str) -> Result<Goal, String> {
    let word = text.trim().to_ascii_lowercase();
    let known = match word.as_str() {
        "marathon" => Some(Goal::Full),
        "half marathon" | "half-marathon" | "halfmarathon" => Some(Goal::Half),
        other => other.parse().ok(),
    };
    let with_time = || {
        let (race, time) = word.split_once('=')?;
        let time = if time.matches(':').count() == 1 { format!("{time}:00") } else { time.to_owned() };
        Some(format!("`{text}` is a race and a time; write --goal {} --target {time}", goal(race).ok()?))
    };
    known.ok_or_else(|| {
        with_time().unwrap_or_else(|| {
            format!("`{text}` is not a race; write 5k, 10k, half, full, or custom with --distance 15km")
        })
    })
}

/// A level by its word, or as people call it.
fn level(text: &str) -> Result<Level, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "beginner" => Ok(Level::Novice),
        "intermediate" => Ok(Level::Intermediate),
        "advanced" => Ok(Level::Advanced),
        other => other
            .parse()
            .map_err(|_| format!("`{text}` is not a level; write novice, inter or adv, or leave it out where your history says it")),
    }
}

/// When a plan begins whose first day is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LateStart {
    /// Today; the days before are not judged
    Today,
    /// On its first day; what was not done since is missed
    Planned,
}

/// The rules of the linter that a decision overrides.
#[derive(Debug, Args)]
pub(crate) struct Overrides {
    /// Go ahead although the linter calls this an error: R1, or R1,R6; each by name
    #[arg(long = "override", value_name = "RULES", value_delimiter = ',')]
    pub(crate) rules: Vec<Rule>,
}

/// Changes by hand. Together they are one save, and one revision that can be taken back.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("edit").required(true).multiple(true)))]
pub(crate) struct EditArgs {
    /// Move a workout to another day: 12=2026-06-16
    #[arg(long = "move", value_name = "WORKOUT=DAY", group = "edit")]
    pub(crate) moves: Vec<String>,
    /// Let two workouts change days with each other: 12=14
    #[arg(long = "swap", value_name = "WORKOUT=WORKOUT", group = "edit")]
    pub(crate) swaps: Vec<String>,
    /// Make a workout shorter or longer: 12=5km, 12=3mi or 12=30min
    #[arg(long = "resize", visible_alias = "shorten", value_name = "WORKOUT=SIZE", group = "edit")]
    pub(crate) resizes: Vec<String>,
    /// Take a workout out of the plan
    #[arg(long = "skip", value_name = "WORKOUT", group = "edit")]
    pub(crate) skips: Vec<WorkoutId>,
    /// Add a workout on a day
    #[arg(long = "add", value_name = "DAY", group = "edit", requires = "size")]
    pub(crate) add: Option<Day>,
    /// The sport of the added workout
    #[arg(long, requires = "add", default_value = "running")]
    pub(crate) sport: Sport,
    /// What the added workout is for: easy, long, tempo, cross_training, strength and so on
    #[arg(long, requires = "add", default_value = "easy")]
    pub(crate) kind: WorkoutKind,
    /// How far or how long the added workout is: 5km, 3mi, 30min
    #[arg(long, requires = "add", value_name = "SIZE")]
    pub(crate) size: Option<String>,
    /// What to call the added workout
    #[arg(long, requires = "add")]
    pub(crate) name: Option<String>,
    /// Why, to be read later
    #[arg(long, value_name = "WORDS")]
    pub(crate) reason: Option<String>,
}

/// A model's answer.
#[derive(Debug, Args)]
pub(crate) struct ProposeArgs {
    /// The answer; - reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Which form it must have: modification or week; seen from its keys when not given
    #[arg(long)]
    pub(crate) kind: Option<ResponseKind>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProposalCommand {
    /// List the proposals to the active plan
    List,
    /// Show what a proposal would change
    Show {
        /// The proposal's number
        proposal: ProposalId,
        /// Only these of its changes: 1,3
        #[arg(long, value_name = "CHANGES", value_delimiter = ',')]
        only: Vec<usize>,
    },
    /// Take over a proposal, or a part of it; asks you to type the plan's name
    Apply {
        /// The proposal's number
        proposal: ProposalId,
        /// Only these of its changes: 1,3
        #[arg(long, value_name = "CHANGES", value_delimiter = ',')]
        only: Vec<usize>,
        /// The revision of the plan on which you saw it, where the plan has changed since it was proposed
        #[arg(long, value_name = "REVISION")]
        on: Option<i64>,
        #[command(flatten)]
        overrides: Overrides,
    },
    /// Say no to a proposal
    Discard {
        /// The proposal's number
        proposal: ProposalId,
    },
}

#[derive(Debug, Args)]
pub(crate) struct WorkoutArgs {
    /// The workout's number; `fitness plan show` has it
    pub(crate) workout: WorkoutId,
    /// The plan it belongs to; when not given the active one, or to look at a workout whichever has it
    #[arg(long, value_name = "PLAN")]
    pub(crate) plan: Option<PlanId>,
}

#[derive(Debug, Args)]
pub(crate) struct MatchArgs {
    #[command(flatten)]
    pub(crate) workout_args: WorkoutArgs,
    /// The activity that was it, up to two days before or after
    pub(crate) activity: ActivityId,
    /// Say that it was not: it is not offered again
    #[arg(long)]
    pub(crate) decline: bool,
}
