//! `fitness coach test`: tests the model on five sample mornings.

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
use fitness_web::{BudgetedModel, PendingUsageWrites};
use serde_json::json;
use std::fmt::Write as _;
use std::io::IsTerminal as _;

pub(super) async fn run(store: &Store, user: &User) -> Result<CommandOutput> {
    let today = Day::at(clock::now(), store.profile(user.id).await?.zone);
    let chosen = coach::load_settings(store, user.id).await?;
    let caps = coach::remaining_caps(store, user.id, &chosen, today).await?;
    if chosen.provider != Provider::BuiltIn && coach::is_exhausted(&caps) {
        let help = "try again tomorrow, or raise the budget with `fitness coach limit`";
        return Err(CliError::new("today's budget is used up", help).into());
    }
    let model = coach::load_model(store, user.id, &chosen, today).await?;
    // The built-in coach is not a model.
    let metered = BudgetedModel {
        model: &*model,
        store,
        user: user.id,
        purpose: Purpose::Test,
        day: today,
        now: clock::now(),
        daily_budget: caps.daily_budget,
        pending_usage: PendingUsageWrites::default(),
    };
    let tested: Option<&dyn Model> = (chosen.provider != Provider::BuiltIn).then_some(&metered);
    let (mut rows, mut data) = (Vec::new(), Vec::new());
    let (mut passed, mut unanswered) = (0_usize, 0_usize);
    let (mut usage, mut cost) = (Usage::default(), Some(Cost::default()));
    let all = eval_cases();
    let shows_progress = std::io::stderr().is_terminal();
    for (at, trial) in all.iter().enumerate() {
        if shows_progress {
            eprint!("\r{} of {} mornings", at + 1, all.len());
        }
        let morning = BriefInput {
            today: trial.today,
            facts: &trial.facts,
            notes: &trial.notes,
            units: UnitSystem::Metric,
        };
        let began = clock::now();
        let written = write_brief(tested, &morning, &mut ()).await;
        let seconds = (clock::now() - began).num_milliseconds() as f64 / 1000.0;
        let kept = written.fallback_reason.is_none();
        passed += usize::from(kept);
        unanswered += usize::from(written.is_unanswered);
        usage = usage.plus(written.usage);
        cost = cost.zip(written.cost).map(|(sum, more)| Cost(sum.0.saturating_add(more.0)));
        let why = written.fallback_reason.clone().unwrap_or_default();
        rows.push([
            trial.name.to_owned(),
            match (kept, written.is_unanswered) {
                (true, _) => "followed",
                (false, true) => "no response",
                (false, false) => "broken",
            }
            .to_owned(),
            format!("{seconds:.1}"),
            why.clone(),
        ]);
        data.push(json!({ "morning": trial.name, "kept": kept, "responded": !written.is_unanswered, "seconds": seconds, "why": why }));
    }
    if shows_progress {
        eprintln!();
    }
    let mut words = table(["morning", "rules", "seconds", ""], &rows);
    let price = match cost {
        _ if tested.is_none() => "at no cost".to_owned(),
        Some(cost) => format!("for {cost}"),
        None => "cost unknown".to_owned(),
    };
    if unanswered < all.len() {
        let _ = write!(
            words,
            "{} followed the rules on {passed} of {} mornings, {price}.",
            model.name(),
            all.len()
        );
    }
    if unanswered > 0 {
        let space = if unanswered < all.len() { " " } else { "" };
        let _ = write!(words, "{space}{} did not respond on {unanswered} of {}.", model.name(), all.len());
    }
    if passed < all.len() {
        words.push_str(" On the others, the built-in coach would write the brief.");
    }
    let total = json!({ "model": model.name(), "kept": passed, "of": all.len(), "usage": usage,
        "cost_micros": cost.map(|cost| cost.0), "mornings": data });
    Ok(CommandOutput::new(words, &total))
}
