//! `fitness plan splits`: splits for race day.

use super::select_plan;
use crate::clock;
use crate::commands::refresh;
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::PlanId;
use fitness_core::domain::units::Distance;
use fitness_core::plan::{PaceCardBasis, finish_on_race_day, pace_card};
use serde_json::json;

pub(super) async fn run(context: &Context, plan: Option<PlanId>) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    refresh(&store, user.id).await?;
    let plan = select_plan(&store, &user, plan).await?;
    let profile = store.profile(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    let athlete = store.training_baseline_for_plan(user.id, &plan, today).await?;
    store.close().await;
    let Some(race) = plan.distance else {
        return Err(CliError::new("this plan has no race", "`fitness plan list` lists your plans").into());
    };
    let finish = finish_on_race_day(&athlete, plan.start_date, plan.race_date);
    let units = profile.units;
    let Some(card) = pace_card(race, plan.target_time, finish, units) else {
        let help = "add a race with `fitness race add`, or draft the plan with a --target";
        return Err(CliError::new("splits need a goal time or a race result", help).into());
    };
    let basis = PaceCardBasis::from_card(&card, plan.target_time, finish);
    let half = Distance::from_mm(race.mm() / 2);
    let rows: Vec<_> = card
        .splits
        .iter()
        .map(|split| {
            let at = units.format_distance(split.distance).to_string();
            let at = if split.distance == half { format!("{at} (halfway)") } else { at };
            [at, split.a.format_clock(), split.b.format_clock()]
        })
        .collect();
    let mut basis_text = basis.describe(race, plan.target_time, finish);
    let today_finish = athlete.current_prediction().map(|prediction| prediction.shown.time);
    let since_today = today_finish
        .zip(finish)
        .and_then(|(today, finish)| PaceCardBasis::compare_with_today(race, today, finish));
    if let Some(note) = since_today {
        basis_text.push(' ');
        basis_text.push_str(&note);
    }
    if basis == PaceCardBasis::UnverifiedTarget {
        basis_text.push_str(" Add its result with `fitness race add`.");
    }
    let words = format!(
        "{basis_text}\n\nPlan A {} ({}), plan B {} ({}), at an even pace.\n\n{}",
        card.a.format_clock(),
        units.format_pace(card.a_pace),
        card.b.format_clock(),
        units.format_pace(card.b_pace),
        table(["at", "A", "B"], &rows)
    );
    let mut data = serde_json::to_value(&card)?;
    data["made_from"] = json!(basis);
    data["target_ms"] = json!(plan.target_time);
    data["finish"] = json!(finish);
    Ok(CommandOutput::new(words, &data))
}
