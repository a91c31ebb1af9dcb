//! `fitness plan activate` for a plan whose first day is over: begin today, or count what was missed.

use crate::cli::LateStart;
use crate::confirm;
use crate::error::CliError;
use crate::plural::pluralize;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::plan::{Plan, PlannedWorkout};

/// The day the plan is begun on, where that is not its first; with a sentence about it.
pub(super) fn choose_start(
    plan: &Plan,
    workouts: &[PlannedWorkout],
    said: Option<LateStart>,
    today: Day,
) -> Result<(Option<Day>, String)> {
    let Some(behind) = plan.workouts_before_today(workouts, today) else {
        if said == Some(LateStart::Today) && today < plan.start_date {
            let help = "leave out --begin";
            return Err(CliError::new(format!("the plan begins on {}", plan.start_date), help).into());
        }
        return Ok((None, String::new()));
    };
    let begin = match said {
        Some(said) => said,
        None => ask_start(plan, &pluralize(behind as u64, "workout lies", "workouts lie"))?,
    };
    let on = (begin == LateStart::Today).then_some(today);
    Ok((on, plan.describe_late_start(behind, on) + "\n"))
}

fn ask_start(plan: &Plan, before: &str) -> Result<LateStart> {
    confirm::require_terminal()?;
    let question = format!(
        "The plan's first day was {}, and {before} before today. Begin today, so that nothing before counts as missed, \
         or as planned? Type today or planned: ",
        plan.start_date
    );
    match confirm::ask_line(&question)?.trim().to_lowercase().as_str() {
        "today" => Ok(LateStart::Today),
        "planned" => Ok(LateStart::Planned),
        _ => {
            let help = "run the command again, or say it with --begin today or --begin planned";
            Err(CliError::new("that is neither today nor planned; nothing was changed", help).into())
        }
    }
}
