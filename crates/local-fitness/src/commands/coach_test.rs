//! `fitness coach test`: how well the chosen model keeps the rules of a brief.

use crate::clock;
use crate::coach::{self, Provider};
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::table::table;
use anyhow::Result;
use fitness_coach::brief::{BriefInput, write_brief};
use fitness_coach::eval::eval_cases;
use fitness_coach::model::{Cost, Model, Usage};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::units::UnitSystem;
use fitness_store::{Purpose, Store, User};
use fitness_web::{BudgetedModel, PendingUsage};
use serde_json::json;
use std::fmt::Write as _;

pub(super) async fn run(store: &Store, user: &User) -> Result<CommandOutput> {
    let today = Day::at(clock::now(), store.profile(user.id).await?.zone);
    let chosen = coach::load_settings(store, user.id).await?;
    let caps = coach::remaining_caps(store, user.id, &chosen, today).await?;
    if chosen.provider != Provider::BuiltIn && coach::is_exhausted(&caps) {
        let help = "try it tomorrow, or raise the limit with `fitness coach limit`";
        return Err(CliError::new("today's limit is used up", help).into());
    }
    let model = coach::load_model(store, user.id, &chosen, today).await?;
    // The built-in coach writes briefs by rules, not by being asked.
    let metered = BudgetedModel {
        model: &*model,
        store,
        user: user.id,
        purpose: Purpose::Test,
        day: today,
        now: clock::now(),
        daily_budget: caps.daily_budget,
        pending_usage: PendingUsage::default(),
    };
    let asked: Option<&dyn Model> = (chosen.provider != Provider::BuiltIn).then_some(&metered);
    let (mut rows, mut data) = (Vec::new(), Vec::new());
    let (mut passed, mut usage, mut cost) = (0_usize, Usage::default(), Some(Cost::default()));
    let all = eval_cases();
    for (at, trial) in all.iter().enumerate() {
        eprint!("\r{} of {} mornings", at + 1, all.len());
        let morning = BriefInput {
            today: trial.today,
            facts: &trial.facts,
            notes: &trial.notes,
            units: UnitSystem::Metric,
        };
        let began = clock::now();
        let written = write_brief(asked, &morning, &mut ()).await;
        let seconds = (clock::now() - began).num_milliseconds() as f64 / 1000.0;
        let kept = written.fallback_reason.is_none();
        passed += usize::from(kept);
        usage = usage.plus(written.usage);
        cost = cost.zip(written.cost).map(|(sum, more)| Cost(sum.0.saturating_add(more.0)));
        let why = written.fallback_reason.clone().unwrap_or_default();
        rows.push([
            trial.name.to_owned(),
            if kept { "kept" } else { "broken" }.to_owned(),
            format!("{seconds:.1}"),
            why.clone(),
        ]);
        data.push(json!({ "morning": trial.name, "kept": kept, "seconds": seconds, "why": why }));
    }
    eprintln!();
    let mut words = table(["morning", "rules", "seconds", ""], &rows);
    let price = match cost {
        // Nobody was asked, so nobody is paid.
        _ if asked.is_none() => "at no cost".to_owned(),
        Some(cost) => format!("for {cost}"),
        None => "at no known cost".to_owned(),
    };
    let _ = write!(words, "{} kept the rules on {passed} of {} mornings, {price}.", model.name(), all.len());
    if passed < all.len() {
        words.push_str(" Where it did not, the built-in coach writes the brief, so there is always one.");
    }
    let total = json!({ "model": model.name(), "kept": passed, "of": all.len(), "usage": usage,
        "cost_micros": cost.map(|cost| cost.0), "mornings": data });
    Ok(CommandOutput::new(words, &total))
}
