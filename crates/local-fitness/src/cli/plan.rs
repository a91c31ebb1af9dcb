//! Arguments of `fitness plan`.

use clap::{Args, Subcommand};
use fitness_core::domain::calendar::{Day, Weekday};
use fitness_core::domain::ids::{ActivityId, PlanId, ProposalId, WorkoutId};
use fitness_core::domain::sport::Sport;
use fitness_core::llm_output::ResponseKind;
use fitness_core::plan::lint::LintRule;
use fitness_core::plan::{GoalDistance, Level, Weekdays, WorkoutKind, parse_weekday};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct DraftArgs {
    /// A JSON file with a schedule; - reads standard input
    #[arg(value_name = "FILE", conflicts_with_all = ["goal", "race_date"])]
    pub(crate) file: Option<PathBuf>,
    /// The race: 5k, 10k, half, full (a marathon) or custom
    #[arg(long, value_parser = goal)]
    pub(crate) goal: Option<GoalDistance>,
    /// Distance of a custom race, such as 15km or 10mi
    #[arg(long, value_name = "DISTANCE", requires = "goal")]
    pub(crate) distance: Option<String>,
    /// Date of the race, such as 2026-09-20
    #[arg(long, value_name = "DAY", requires = "goal")]
    pub(crate) race_date: Option<Day>,
    /// First day of the plan [default: today]
    #[arg(long, value_name = "DAY", requires = "goal")]
    pub(crate) start: Option<Day>,
    /// Goal time, such as 1:45:00 (optional)
    #[arg(long, value_name = "TIME", requires = "goal")]
    pub(crate) target: Option<String>,
    /// Days you can train, such as mon,wed,fri,sun [default: all]
    #[arg(long, value_name = "DAYS", requires = "goal")]
    pub(crate) days: Option<Weekdays>,
    /// Day of the long run [default: Saturday or Sunday]
    #[arg(long, value_name = "DAY", requires = "goal", value_parser = parse_weekday)]
    pub(crate) long_day: Option<Weekday>,
    /// A day or period without training, such as 2026-07-01..2026-07-14; can be repeated
    #[arg(long, value_name = "DAY[..DAY]", requires = "goal")]
    pub(crate) blackout: Vec<String>,
    /// Tune-up race, such as 2026-08-02=10k
    #[arg(long, value_name = "DAY=DISTANCE", requires = "goal")]
    pub(crate) b_race: Option<String>,
    /// Running experience: novice, inter (intermediate) or adv (advanced) [default: from your
    /// history]
    #[arg(long, requires = "goal", value_parser = level)]
    pub(crate) level: Option<Level>,
    /// Current weekly distance, such as 40km [default: from your history]
    #[arg(long, value_name = "DISTANCE", requires = "goal")]
    pub(crate) base: Option<String>,
    /// Longest run of the last 30 days, such as 14km [default: from your history]
    #[arg(long, value_name = "DISTANCE", requires = "goal")]
    pub(crate) longest: Option<String>,
    /// Add two short strength workouts a week
    #[arg(long, requires = "goal")]
    pub(crate) strength: bool,
    /// Cross-training on a day without a run: cycling, rowing or swimming
    #[arg(long, value_name = "SPORT", requires = "goal")]
    pub(crate) cross: Option<Sport>,
    /// Name of the plan
    #[arg(long, requires = "goal")]
    pub(crate) name: Option<String>,
    /// Show the plan without saving it
    #[arg(long, requires = "goal")]
    pub(crate) dry_run: bool,
    /// The draft that this one replaces
    #[arg(long, value_name = "PLAN")]
    pub(crate) supersedes: Option<PlanId>,
}

/// Parses a goal. For `half=1:45` the error says to use --target.
fn goal(text: &str) -> Result<GoalDistance, String> {
    let word = text.trim().to_ascii_lowercase();
    let known = match word.as_str() {
        "marathon" => Some(GoalDistance::Full),
        "half marathon" | "half-marathon" | "halfmarathon" => Some(GoalDistance::Half),
        other => other.parse().ok(),
    };
    let with_time = || {
        let (race, time) = word.split_once('=')?;
        let time = if time.matches(':').count() == 1 { format!("{time}:00") } else { time.to_owned() };
        Some(format!("`{text}` contains a race and a time; use --goal {} --target {time}", goal(race).ok()?))
    };
    known.ok_or_else(|| {
        with_time().unwrap_or_else(|| {
            format!("`{text}` is not a goal; use 5k, 10k, half, full, or custom with --distance 15km")
        })
    })
}

fn level(text: &str) -> Result<Level, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "beginner" => Ok(Level::Novice),
        "intermediate" => Ok(Level::Intermediate),
        "advanced" => Ok(Level::Advanced),
        other => other.parse().map_err(|_| {
            format!("`{text}` is not a level; use novice, inter or adv, or omit it to use your history")
        }),
    }
}

/// Start of a plan whose first day has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LateStart {
    /// Start today; earlier days are not graded
    Today,
    /// Start on the original first day; workouts you haven't done since then count as missed
    Planned,
}

#[derive(Debug, Args)]
pub(crate) struct LintOverrides {
    /// Override these failed checks, such as R1 or R1,R6
    #[arg(long = "override", value_name = "RULES", value_delimiter = ',')]
    pub(crate) rules: Vec<LintRule>,
}

/// All changes of one command become one revision.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("edit").required(true).multiple(true)))]
pub(crate) struct EditArgs {
    /// Move a workout to another day: 12=2026-06-16
    #[arg(long = "move", value_name = "WORKOUT=DAY", group = "edit")]
    pub(crate) moves: Vec<String>,
    /// Swap the days of two workouts: 12=14
    #[arg(long = "swap", value_name = "WORKOUT=WORKOUT", group = "edit")]
    pub(crate) swaps: Vec<String>,
    /// Make a workout shorter or longer: 12=5km, 12=3mi or 12=30min
    #[arg(long = "resize", visible_alias = "shorten", value_name = "WORKOUT=SIZE", group = "edit")]
    pub(crate) resizes: Vec<String>,
    /// Skip a workout
    #[arg(long = "skip", value_name = "WORKOUT", group = "edit")]
    pub(crate) skips: Vec<WorkoutId>,
    /// Add a workout on a day
    #[arg(long = "add", value_name = "DAY", group = "edit", requires = "size")]
    pub(crate) add: Option<Day>,
    /// Sport of the added workout
    #[arg(long, requires = "add", default_value = "running")]
    pub(crate) sport: Sport,
    /// Kind of the added workout: easy, long, tempo, cross_training, strength and so on
    #[arg(long, requires = "add", default_value = "easy")]
    pub(crate) kind: WorkoutKind,
    /// Distance or duration of the added workout: 5km, 3mi, 30min
    #[arg(long, requires = "add", value_name = "SIZE")]
    pub(crate) size: Option<String>,
    /// Name of the added workout
    #[arg(long, requires = "add")]
    pub(crate) name: Option<String>,
    /// Reason for the change, shown by `fitness plan revisions`
    #[arg(long, value_name = "WORDS")]
    pub(crate) reason: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ProposeArgs {
    /// File with the response; - reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Required form: modification or week [default: detected from its keys]
    #[arg(long)]
    pub(crate) kind: Option<ResponseKind>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProposalCommand {
    /// List the proposals for the active plan
    List,
    /// Show the effect of a proposal
    Show {
        /// Id of the proposal
        proposal: ProposalId,
        /// Only these changes: 1,3
        #[arg(long, value_name = "CHANGES", value_delimiter = ',')]
        only: Vec<usize>,
    },
    /// Apply a proposal or part of it; asks you to type the plan's name
    Apply {
        /// Id of the proposal
        proposal: ProposalId,
        /// Only these changes: 1,3
        #[arg(long, value_name = "CHANGES", value_delimiter = ',')]
        only: Vec<usize>,
        /// The revision you previewed; required if the plan has changed since the proposal
        #[arg(long, value_name = "REVISION")]
        on: Option<i64>,
        #[command(flatten)]
        overrides: LintOverrides,
    },
    /// Discard a proposal
    Discard {
        /// Id of the proposal
        proposal: ProposalId,
    },
}

#[derive(Debug, Args)]
pub(crate) struct WorkoutArgs {
    /// Id of the workout, as listed by `fitness plan show`
    pub(crate) workout: WorkoutId,
    /// Id of the plan [default: the active plan]
    #[arg(long, value_name = "PLAN")]
    pub(crate) plan: Option<PlanId>,
}

#[derive(Debug, Args)]
pub(crate) struct MatchArgs {
    #[command(flatten)]
    pub(crate) workout_args: WorkoutArgs,
    /// Id of the activity, at most two days before or after the workout
    pub(crate) activity: ActivityId,
    /// Reject the match; it is not suggested again
    #[arg(long)]
    pub(crate) decline: bool,
}
