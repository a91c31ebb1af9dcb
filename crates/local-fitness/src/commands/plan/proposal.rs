//! `fitness plan proposal`: what is proposed to the active plan, and the athlete's answer.

use super::edit::changes;
use super::lint::told;
use crate::args::{ProposalCommand, ProposeArgs};
use crate::clock;
use crate::commands::{contract, settled};
use crate::context::Context;
use crate::failure::Failure;
use crate::report::Report;
use crate::table::table;
use crate::terminal;
use anyhow::Result;
use fitness_core::calendar::Day;
use fitness_core::contract::{Finding, consistency};
use fitness_core::ids::{ProposalId, UserId};
use fitness_core::note::Author;
use fitness_core::plan::lint::Rule;
use fitness_core::plan::{ActionKind, NowThen, Proposal, ProposalState};
use fitness_core::text::visible;
use fitness_store::decisions::{self, apply_hash};
use fitness_store::{Answered, Preview, Store, User};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write as _;

pub(super) async fn run(context: &Context, command: ProposalCommand) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    settled(&store, user.id).await?;
    let profile = store.profile(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    let report = match command {
        ProposalCommand::List => list(&store, &user, today).await,
        ProposalCommand::Show { proposal, only } => {
            match preview(&store, &user, proposal, &only, today).await {
                Ok(preview) => {
                    let data = serde_json::to_value(&preview)?;
                    Ok(Report::new(tell(&preview, profile.units), &data))
                }
                Err(why) => as_written(&store, &user, proposal, why, today).await,
            }
        }
        ProposalCommand::Apply { proposal, only, overrides } => {
            apply(&store, &user, proposal, &only, overrides.rules.into_iter().collect(), today).await
        }
        ProposalCommand::Discard { proposal } => {
            store.decline_proposal(user.id, proposal, clock::now()).await?;
            let words = format!("Proposal {proposal} is off the table; the plan stays as it is.");
            Ok(Report::new(words, &json!({ "proposal_id": proposal, "status": "declined" })))
        }
    };
    store.close().await;
    report
}

/// What waits for the athlete's decision.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct Waiting {
    /// Open proposals, the newest first.
    proposals: Vec<Proposal>,
    /// What the rules have to say without proposing anything.
    said: Option<String>,
    /// All of it in words; empty when nothing waits.
    #[serde(skip)]
    pub(in crate::commands) words: String,
}

/// Lets the rules look at the plan, and gathers what waits.
pub(in crate::commands) async fn waiting(store: &Store, user: UserId, today: Day) -> Result<Waiting> {
    let adapted = store.adapt(user, today, clock::now()).await?;
    let proposals = match store.find_active_plan(user).await? {
        Some(plan) => {
            let mut all = store.list_proposals(user, plan.id).await?;
            all.retain(|one| one.state(plan.revision, today) == ProposalState::Open);
            all
        }
        None => Vec::new(),
    };
    let mut words = String::new();
    for proposal in &proposals {
        let _ = writeln!(
            words,
            "\nProposal {} waits for you: {}\n  `fitness plan proposal show {}` shows it, `apply` takes it, `discard` ends it.",
            proposal.id,
            visible(&proposal.message),
            proposal.id
        );
    }
    let said = adapted.filter(|one| one.proposal.is_none()).map(|one| one.adaptation.message);
    if let Some(said) = &said {
        let _ = writeln!(words, "\n{said}");
    }
    Ok(Waiting { proposals, said, words })
}

/// Turns a model's answer into something to decide on.
pub(super) async fn propose(context: &Context, args: ProposeArgs) -> Result<Report> {
    let answer = contract::read(&args.file)?;
    let (store, user) = context.open_for_user().await?;
    settled(&store, user.id).await?;
    let today = Day::at(clock::now(), store.profile(user.id).await?.zone);
    // Brought by the athlete, thought of by a model: the decision is still theirs.
    let desk = store.desk(user.id, Author::Coach);
    let answered = desk.take_answer(&answer, args.kind, today, clock::now()).await?;
    store.close().await;
    let found = |findings: &[Finding]| {
        findings.iter().fold(String::new(), |mut text, finding| {
            let _ = writeln!(text, "- {}", visible(&finding.message));
            text
        })
    };
    let words = match &answered {
        Answered::Proposed { proposal, findings } => format!(
            "Proposal {proposal} waits: `fitness plan proposal show {proposal}` shows what it would change.\n{}",
            found(findings)
        ),
        Answered::Drafted { plan, findings } => format!(
            "You have no active plan, so the week is draft {plan}: `fitness plan show {plan}` shows it.\n{}",
            found(findings)
        ),
        Answered::Unchanged { message } => format!("It changes nothing: {}", visible(message)),
        Answered::Refused { faults } => {
            let report = consistency::Report { faults: faults.clone(), findings: Vec::new() };
            return Ok(contract::told(args.kind, &report));
        }
    };
    Ok(Report::new(words, &answered))
}

async fn list(store: &Store, user: &User, today: Day) -> Result<Report> {
    let plan = super::chosen(store, user, None).await?;
    let said = waiting(store, user.id, today).await?.said;
    let proposals = store.list_proposals(user.id, plan.id).await?;
    if proposals.is_empty() {
        return Ok(Report::new(said.unwrap_or_else(|| "Nothing is proposed.".to_owned()), &proposals));
    }
    let row = |proposal: &Proposal| {
        [
            proposal.id.to_string(),
            proposal.state(plan.revision, today).word(),
            proposal.origin.spoken().to_owned(),
            proposal.changes.len().to_string(),
            visible(&proposal.message).to_string().chars().take(70).collect(),
        ]
    };
    let rows: Vec<_> = proposals.iter().map(row).collect();
    let data = proposals.iter().map(|one| {
        let mut data = serde_json::to_value(one)?;
        data["state"] = json!(one.state(plan.revision, today).word());
        Ok(data)
    });
    let data: Vec<serde_json::Value> = data.collect::<Result<_>>()?;
    Ok(Report::new(table(["proposal", "status", "by", "changes", "why"], &rows), &data))
}

/// The chosen changes, counted from 0; all when none is named.
fn chosen(only: &[usize], count: usize) -> Result<BTreeSet<usize>> {
    if only.is_empty() {
        return Ok((0..count).collect());
    }
    only.iter()
        .map(|number| {
            number.checked_sub(1).filter(|index| *index < count).ok_or_else(|| {
                let help = format!("its changes are numbered 1 to {count}");
                Failure::new(format!("there is no change {number}"), help).into()
            })
        })
        .collect()
}

async fn preview(store: &Store, user: &User, id: ProposalId, only: &[usize], today: Day) -> Result<Preview> {
    let proposal = store.find_proposal(user.id, id).await?.ok_or_else(|| {
        Failure::new(format!("there is no proposal {id}"), "`fitness plan proposal list` shows what there is")
    })?;
    let chosen = chosen(only, proposal.changes.len())?;
    Ok(store.preview(user.id, id, &chosen, today).await?)
}

/// A proposal that cannot be previewed as a whole, beside the plan as it is now, and why.
async fn as_written(
    store: &Store,
    user: &User,
    id: ProposalId,
    why: anyhow::Error,
    today: Day,
) -> Result<Report> {
    let Some(proposal) = store.find_proposal(user.id, id).await? else { return Err(why) };
    let Some(plan) = store.find_plan(user.id, proposal.plan).await? else { return Err(why) };
    let state = proposal.state(plan.revision, today);
    if !matches!(state, ProposalState::Open | ProposalState::MovedOn { .. }) {
        return Err(why);
    }
    let units = store.profile(user.id).await?.units;
    let current = store.list_workouts(user.id, plan.id, plan.revision).await?;
    let mut text = format!("Proposal {id} to plan {}, from {}:\n", plan.id, proposal.origin.spoken());
    let _ = writeln!(text, "{}\n", visible(&proposal.message));
    let changes: Vec<NowThen> = proposal.changes.iter().map(|change| NowThen::of(change, &current)).collect();
    let ahead: Vec<String> = (1..)
        .zip(&changes)
        .filter(|(_, change)| change.is_ahead(today))
        .map(|(n, _): (usize, _)| n.to_string())
        .collect();
    for (number, change) in changes.iter().enumerate() {
        let _ = writeln!(text, "  {}. {}", number + 1, change.line(units));
    }
    let _ = write!(text, "\nIt cannot be applied as it is: {why:#}.");
    if state == ProposalState::Open && !ahead.is_empty() && ahead.len() < changes.len() {
        let _ = write!(
            text,
            " What is still to come can be: `fitness plan proposal apply {id} --only {}`.",
            ahead.join(",")
        );
    }
    let data = json!({ "proposal": proposal, "state": state.word(), "changes": changes, "why_not": format!("{why:#}") });
    Ok(Report::new(text, &data))
}

fn tell(preview: &Preview, units: fitness_core::units::UnitSystem) -> String {
    let mut text = String::new();
    let Proposal { id, plan, origin, message, .. } = &preview.proposal;
    let _ = writeln!(text, "Proposal {id} to plan {plan}, from {}:", origin.spoken());
    let _ = writeln!(text, "{}\n", visible(message));
    for (number, line) in preview.lines(units).iter().enumerate() {
        let _ = writeln!(text, "  {}. {line}", number + 1);
    }
    text.push('\n');
    if preview.chosen.len() < preview.changes.len() {
        text.push_str("Of these you chose:\n");
        text.push_str(&changes(&preview.current, &preview.next, units));
    }
    for week in &preview.weeks {
        let _ = writeln!(text, "  {}", week.line(units));
    }
    let wrong = preview.proposal.disagreements().fold(String::new(), |mut text, finding| {
        let _ = writeln!(text, "  - {}", visible(&finding.message));
        text
    });
    if !wrong.is_empty() {
        let _ = write!(text, "\nThe answer does not agree with itself or with the plan:\n{wrong}");
    }
    let _ = write!(text, "\n{}", told(preview.review.findings()));
    text
}

async fn apply(
    store: &Store,
    user: &User,
    id: ProposalId,
    only: &[usize],
    overrides: BTreeSet<Rule>,
    today: Day,
) -> Result<Report> {
    let units = store.profile(user.id).await?.units;
    let preview = preview(store, user, id, only, today).await?;
    let plan = super::chosen(store, user, None).await?;
    let seen = apply_hash(plan.id, plan.revision, &preview.next, &overrides);
    let shown = tell(&preview, units);
    let consent = terminal::confirm(store, user, ActionKind::Apply, &plan, seen, &shown).await?;
    let number = decisions::apply(consent, id, &preview.chosen, today, &preview.review, &overrides).await?;
    let words = format!("Applied: the plan is at revision {number}. `fitness plan revert` takes it back.");
    Ok(Report::new(words, &json!({ "plan_id": plan.id, "revision": number })))
}
