//! `fitness plan activate` for a plan whose first day is over: begin today, or count what was missed.

use crate::cli::Begin;
use crate::confirm;
use crate::error::Failure;
use crate::plural::counted;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::plan::{Plan, PlannedWorkout};

/// The day the plan is begun on, where that is not its first; with a sentence about it.
pub(super) fn chosen(
    plan: &Plan,
    workouts: &[PlannedWorkout],
    said: Option<Begin>,
    today: Day,
) -> Result<(Option<Day>, String)> {
    let Some(behind) = plan.behind(workouts, today) else {
        if said == Some(Begin::Today) && today < plan.start_date {
            let help = "leave out --begin";
            return Err(Failure::new(format!("the plan begins on {}", plan.start_date), help).into());
        }
        return Ok((None, String::new()));
    };
    let begin = match said {
        Some(said) => said,
        None => ask(plan, &counted(behind as u64, "workout lies", "workouts lie"))?,
    };
    let on = (begin == Begin::Today).then_some(today);
    Ok((on, plan.told_beginning(behind, on) + "\n"))
}

fn ask(plan: &Plan, before: &str) -> Result<Begin> {
    confirm::require_terminal()?;
    let question = format!(
        "The plan's first day was {}, and {before} before today. Begin today, so that nothing before counts as missed, \
         or as planned? Type today or planned: ",
        plan.start_date
    );
    match confirm::ask_line(&question)?.trim().to_lowercase().as_str() {
        "today" => Ok(Begin::Today),
        "planned" => Ok(Begin::Planned),
        _ => {
            let help = "run the command again, or say it with --begin today or --begin planned";
            Err(Failure::new("that is neither today nor planned; nothing was changed", help).into())
        }
    }
}
