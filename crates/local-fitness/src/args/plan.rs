//! `fitness plan`, as far as following a plan is concerned.

use clap::Args;
use fitness_core::ids::{ActivityId, PlanId, WorkoutId};

#[derive(Debug, Args)]
pub(crate) struct WorkoutArgs {
    /// The workout's number; `fitness plan show` has it
    pub(crate) workout: WorkoutId,
    /// The plan it belongs to; the active one when not given
    #[arg(long, value_name = "PLAN")]
    pub(crate) plan: Option<PlanId>,
}

#[derive(Debug, Args)]
pub(crate) struct MatchArgs {
    #[command(flatten)]
    pub(crate) of: WorkoutArgs,
    /// The activity that was it, up to two days before or after
    pub(crate) activity: ActivityId,
    /// Say that it was not: it is not offered again
    #[arg(long)]
    pub(crate) decline: bool,
}
