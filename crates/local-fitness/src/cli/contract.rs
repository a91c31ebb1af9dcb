//! The arguments of `fitness contract`.

use clap::{Args, Subcommand};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::PlanId;
use fitness_core::llm_output::ResponseKind;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum ContractCommand {
    /// Check an answer: every fault at once, as JSON when the output goes to a program
    ///
    /// Exits with 0 when the answer is accepted and with 1 when it is not. Needs no network, and no database without
    /// --plan. docs/contract.md says in words what is accepted, docs/schema what it looks like.
    Check(CheckArgs),
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The answer; - reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Which form it must have: modification or week; seen from its keys when not given
    #[arg(long)]
    pub(crate) kind: Option<ResponseKind>,
    /// Check also that it fits this plan of yours, which must be active
    #[arg(long, value_name = "PLAN")]
    pub(crate) plan: Option<PlanId>,
    /// As if today were another day, such as 2026-06-14
    #[arg(long, value_name = "DAY", requires = "plan")]
    pub(crate) today: Option<Day>,
}
