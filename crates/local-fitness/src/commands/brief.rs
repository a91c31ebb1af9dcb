//! `fitness brief`: writes or shows the morning brief.

use super::refresh;
use crate::cli::BriefArgs;
use crate::clock;
use crate::coach::{self, Provider};
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use anyhow::Result;
use fitness_coach::brief::{BriefInput, brief_request, write_brief, write_rule_based_brief};
use fitness_coach::model::Request;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::units::UnitSystem;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::facts::{Facts, TemplatePart};
use fitness_store::{Purpose, Store, StoredBrief};
use fitness_web::coach::brief::{new_brief, stored_facts};
use fitness_web::coach::chat;
use fitness_web::worker::BriefOutcome;
use fitness_web::{BudgetedModel, PendingUsageWrites};

pub(super) async fn run(context: &Context, args: BriefArgs) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let profile = store.profile(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    let day = args.date.unwrap_or(today);
    if day > today {
        let help = format!("use today, {today}, or an earlier day");
        return Err(CliError::new(format!("{day} is in the future"), help).into());
    }
    let wanted = args.again || args.model.is_some();
    let brief = match store.find_brief(user.id, day).await? {
        Some(brief) if !wanted => brief,
        _ => write(&store, user.id, day, args.model.as_deref()).await?,
    };
    store.close().await;
    let text = render(&brief, profile.units).unwrap_or_else(|| stored_text(&brief).to_owned());
    let byline = brief.body.get("byline").and_then(|text| text.as_str()).unwrap_or_default();
    let words =
        format!("{} {day}\n\n{}\n\n{}\n", day.weekday(), escape_invisible(&text), escape_invisible(byline));
    Ok(CommandOutput::new(words, &brief))
}

fn stored_text(brief: &StoredBrief) -> &str {
    brief.body.get("rendered").and_then(|text| text.as_str()).unwrap_or_default()
}

/// The text rendered from its stored facts, in the words of the app. `None` if an older version stored
/// the facts in another form.
fn render(brief: &StoredBrief, units: UnitSystem) -> Option<String> {
    let facts = stored_facts(brief)?;
    let parts = facts.parse_template(brief.body.pointer("/briefing/body")?.as_str()?).ok()?;
    let shown = |part: &TemplatePart<'_>| match part {
        TemplatePart::Text(text) => (*text).to_owned(),
        TemplatePart::Fact(fact) => fact.format_in_text(units),
    };
    Some(parts.iter().map(shown).collect())
}

struct BriefData {
    facts: Facts,
    notes: Vec<String>,
    units: UnitSystem,
}

impl BriefData {
    async fn load(store: &Store, user: UserId, day: Day) -> Result<Self> {
        refresh(store, user).await?;
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

/// The request that a model would get.
pub(super) async fn build_request(store: &Store, user: UserId, day: Day) -> Result<Request> {
    let material = BriefData::load(store, user, day).await?;
    Ok(brief_request(&material.morning(day)))
}

pub(crate) async fn write_if_missing(store: &Store, user: UserId, day: Day) -> Result<BriefOutcome> {
    if store.find_brief(user, day).await?.is_some() {
        return Ok(BriefOutcome::AlreadyExists);
    }
    write(store, user, day, None).await?;
    Ok(BriefOutcome::Written)
}

/// Replaces the existing brief.
pub(crate) async fn rewrite(store: &Store, user: UserId, day: Day) -> Result<()> {
    write(store, user, day, None).await.map(|_| ())
}

/// Writes a brief and stores it with its facts. If the model fails, the built-in coach writes it.
async fn write(store: &Store, user: UserId, day: Day, model: Option<&str>) -> Result<StoredBrief> {
    let material = BriefData::load(store, user, day).await?;
    let morning = material.morning(day);
    let today = Day::at(clock::now(), store.profile(user).await?.zone);
    let chosen = coach::with_model(&coach::load_settings(store, user).await?, model)?;
    let caps = coach::remaining_caps(store, user, &chosen, today).await?;
    let written = if chosen.provider == Provider::BuiltIn {
        write_brief(None, &morning, &mut ()).await
    } else if coach::is_exhausted(&caps) {
        let why = format!("{} was not used: today's budget is used up.", chosen.model_name());
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
                    pending_usage: PendingUsageWrites::default(),
                };
                write_brief(Some(&metered), &morning, &mut ()).await
            }
            Err(why) => write_rule_based_brief(
                &morning,
                Some(format!("{} was not used: {why:#}.", chosen.model_name())),
            ),
        }
    };
    store.put_brief(user, new_brief(&written, &material.facts, day), clock::now()).await?;
    let stored = store.find_brief(user, day).await?;
    stored.ok_or_else(|| CliError::new("the brief was not stored", "try again").into())
}
