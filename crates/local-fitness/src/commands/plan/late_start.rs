//! Start of a plan whose first day has passed: today, or as planned.

use crate::cli::LateStart;
use crate::confirm;
use crate::error::CliError;
use crate::plural::pluralize;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::plan::{Plan, PlannedWorkout};

/// The start day if it is not the plan's first day, and a sentence about it.
pub(super) fn choose_start(
    plan: &Plan,
    workouts: &[PlannedWorkout],
    given: Option<LateStart>,
    today: Day,
) -> Result<(Option<Day>, String)> {
    let Some(behind) = plan.workouts_before_today(workouts, today) else {
        if given == Some(LateStart::Today) && today < plan.start_date {
            let help = "omit --begin";
            return Err(CliError::new(format!("the plan starts on {}", plan.start_date), help).into());
        }
        return Ok((None, String::new()));
    };
    let begin = match given {
        Some(given) => given,
        None => ask_start(plan, &pluralize(behind as u64, "workout is", "workouts are"))?,
    };
    let on = (begin == LateStart::Today).then_some(today);
    Ok((on, plan.describe_late_start(behind, on) + "\n"))
}

fn ask_start(plan: &Plan, before: &str) -> Result<LateStart> {
    confirm::require_terminal()?;
    let question = format!(
        "The plan's first day was {}, and {before} before today. Start today, so that earlier workouts do not count as \
         missed, or as planned? Type today or planned: ",
        plan.start_date
    );
    match confirm::ask_line(&question)?.trim().to_lowercase().as_str() {
        "today" => Ok(LateStart::Today),
        "planned" => Ok(LateStart::Planned),
        _ => {
            let help = "run the command again, or use --begin today or --begin planned";
            Err(CliError::new("please answer today or planned; nothing was changed", help).into())
        }
    }
}
