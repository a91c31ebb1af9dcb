//! `fitness brief`: the morning in a few sentences.

use super::recompute_stale;
use crate::cli::BriefArgs;
use crate::clock;
use crate::coach::{self, Provider};
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use anyhow::Result;
use fitness_coach::brief::{BriefInput, BriefOutput, brief_request, write_brief, write_rule_based_brief};
use fitness_coach::model::Request;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::units::UnitSystem;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::facts::Facts;
use fitness_store::{NewBrief, Purpose, Store, StoredBrief, StoredFact};
use fitness_web::coach::chat;
use fitness_web::worker::BriefOutcome;
use fitness_web::{BudgetedModel, PendingUsage};
use serde_json::json;

pub(super) async fn run(context: &Context, args: BriefArgs) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let today = Day::at(clock::now(), store.profile(user.id).await?.zone);
    let day = args.date.unwrap_or(today);
    if day > today {
        let help = format!("the latest there can be is that of today, {today}");
        return Err(CliError::new("that day has not come yet", help).into());
    }
    let wanted = args.again || args.model.is_some();
    let brief = match store.find_brief(user.id, day).await? {
        Some(brief) if !wanted => brief,
        _ => write(&store, user.id, day, args.model.as_deref()).await?,
    };
    store.close().await;
    let text = brief.body.get("rendered").and_then(|text| text.as_str()).unwrap_or_default();
    let byline = brief.body.get("byline").and_then(|text| text.as_str()).unwrap_or_default();
    let words =
        format!("{} {day}\n\n{}\n\n{}\n", day.weekday(), escape_invisible(text), escape_invisible(byline));
    Ok(CommandOutput::new(words, &brief))
}

/// What a brief is written from.
struct BriefData {
    facts: Facts,
    notes: Vec<String>,
    units: UnitSystem,
}

impl BriefData {
    async fn load(store: &Store, user: UserId, day: Day) -> Result<Self> {
        recompute_stale(store, user).await?;
        Ok(Self {
            facts: store.facts(user, day).await?,
            notes: chat::notes_for_day(&store.list_notes(user).await?, day),
            units: store.profile(user).await?.units,
        })
    }

    fn morning(&self, today: Day) -> BriefInput<'_> {
        BriefInput { today, facts: &self.facts, notes: &self.notes, units: self.units }
    }
}

/// What a model would be asked for the brief of a day.
pub(super) async fn build_request(store: &Store, user: UserId, day: Day) -> Result<Request> {
    let material = BriefData::load(store, user, day).await?;
    Ok(brief_request(&material.morning(day)))
}

/// Writes the brief of a day, unless there is one.
pub(crate) async fn write_if_missing(store: &Store, user: UserId, day: Day) -> Result<BriefOutcome> {
    if store.find_brief(user, day).await?.is_some() {
        return Ok(BriefOutcome::AlreadyExists);
    }
    write(store, user, day, None).await?;
    Ok(BriefOutcome::Written)
}

/// Writes the brief of a day in the place of the one there is.
pub(crate) async fn rewrite(store: &Store, user: UserId, day: Day) -> Result<()> {
    write(store, user, day, None).await.map(|_| ())
}

/// Writes a brief and keeps it, with the facts it was given. There is always one: what a model cannot do, the built-in
/// coach does.
async fn write(store: &Store, user: UserId, day: Day, model: Option<&str>) -> Result<StoredBrief> {
    let material = BriefData::load(store, user, day).await?;
    let morning = material.morning(day);
    let today = Day::at(clock::now(), store.profile(user).await?.zone);
    let chosen = coach::with_model(&coach::load_settings(store, user).await?, model)?;
    let caps = coach::remaining_caps(store, user, &chosen, today).await?;
    let written = if chosen.provider == Provider::BuiltIn {
        write_brief(None, &morning, &mut ()).await
    } else if coach::is_exhausted(&caps) {
        let why = format!("{} was not asked: today's limit is used up.", chosen.model_name());
        write_rule_based_brief(&morning, Some(why))
    } else {
        match coach::load_model(store, user, &chosen, today).await {
            Ok(model) => {
                let metered = BudgetedModel {
                    model: &*model,
                    store,
                    user,
                    purpose: Purpose::Brief,
                    day: today,
                    now: clock::now(),
                    daily_budget: caps.daily_budget,
                    pending_usage: PendingUsage::default(),
                };
                write_brief(Some(&metered), &morning, &mut ()).await
            }
            Err(why) => write_rule_based_brief(
                &morning,
                Some(format!("{} was not asked: {why:#}.", chosen.model_name())),
            ),
        }
    };
    store.put_brief(user, to_new_brief(&written, &material.facts, day)?, clock::now()).await?;
    let kept = store.find_brief(user, day).await?;
    kept.ok_or_else(|| CliError::new("the brief was not kept", "try again").into())
}

fn to_new_brief(written: &BriefOutput, facts: &Facts, day: Day) -> Result<NewBrief> {
    let facts = (facts.known().iter())
        .map(|fact| {
            Ok(StoredFact {
                fact_id: fact.id.to_string(),
                value: serde_json::to_value(fact)?,
                source: serde_json::to_value(&fact.sources)?,
            })
        })
        .collect::<Result<_>>()?;
    let micros = written.cost.map(|cost| i64::try_from(cost.0).unwrap_or(i64::MAX));
    Ok(NewBrief {
        day,
        model: written.author.clone(),
        prompt_version: written.prompt.clone().unwrap_or_default(),
        schema_version: written.schema.to_owned(),
        body: json!({ "briefing": written.briefing, "rendered": written.rendered, "byline": written.byline() }),
        cost_micros: micros,
        fallback_reason: written.fallback_reason.clone(),
        facts,
    })
}
