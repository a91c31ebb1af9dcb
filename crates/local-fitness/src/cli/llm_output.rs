//! Arguments of `fitness contract`.

use clap::{Args, Subcommand};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::PlanId;
use fitness_core::llm_output::ResponseKind;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum ContractCommand {
    /// Validate a model's response and list all errors; prints JSON if the output is redirected
    ///
    /// Exits with 0 if the response is accepted and with 1 if it is rejected. Needs no network,
    /// and needs a database only for --plan. See docs/llm-output.md and docs/schema.
    Check(CheckArgs),
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// File with the response; - reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Required form: modification or week [default: detected from its keys]
    #[arg(long)]
    pub(crate) kind: Option<ResponseKind>,
    /// Also check it against this plan, which must be active
    #[arg(long, value_name = "PLAN")]
    pub(crate) plan: Option<PlanId>,
    /// Use another date as today, such as 2026-06-14
    #[arg(long, value_name = "DAY", requires = "plan")]
    pub(crate) today: Option<Day>,
}
