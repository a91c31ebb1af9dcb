//! `fitness plan proposal`: what is proposed to the active plan, and the athlete's answer.

use super::edit::render_changes;
use super::lint::render_findings;
use crate::cli::{ProposalCommand, ProposeArgs};
use crate::clock;
use crate::coach;
use crate::commands::{contract, recompute_stale};
use crate::confirm;
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{ProposalId, UserId};
use fitness_core::domain::note::Author;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::llm_output::{Finding, checks, parse_response};
use fitness_core::plan::lint::Rule;
use fitness_core::plan::{ActionKind, Proposal, ProposalOrigin, is_unchanged};
use fitness_store::plan::human_actions::{self, apply_hash};
use fitness_store::{LlmResponseOutcome, ProposalPreview, Store, User};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write as _;

pub(super) async fn run(context: &Context, command: ProposalCommand) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    recompute_stale(&store, user.id).await?;
    let profile = store.profile(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    let report = match command {
        ProposalCommand::List => list(&store, &user, today).await,
        ProposalCommand::Show { proposal, only } => {
            let preview = preview(&store, &user, proposal, &only, today).await?;
            let data = serde_json::to_value(&preview)?;
            let next = next_command(&preview, &BTreeSet::new());
            Ok(CommandOutput::new(format!("{}{next}", render_preview(&preview, profile.units)), &data))
        }
        ProposalCommand::Apply { proposal, only, on, overrides } => {
            let overrides = overrides.rules.into_iter().collect();
            apply(&store, &user, proposal, &only, on, overrides, today).await
        }
        ProposalCommand::Discard { proposal } => {
            store.decline_proposal(user.id, proposal, clock::now()).await?;
            let words = format!("Proposal {proposal} is off the table; the plan stays as it is.");
            Ok(CommandOutput::new(words, &json!({ "proposal_id": proposal, "status": "declined" })))
        }
    };
    store.close().await;
    report
}

/// What waits for the athlete's decision.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct PendingSummary {
    #[serde(flatten)]
    pending: fitness_store::PendingDecisions,
    /// All of it in words; empty when nothing waits.
    #[serde(skip)]
    pub(in crate::commands) text: String,
}

/// Lets the rules look at the plan, and gathers what waits.
pub(in crate::commands) async fn load_pending(
    store: &Store,
    user: UserId,
    today: Day,
) -> Result<PendingSummary> {
    let found = store.pending_decisions(user, today, clock::now()).await?;
    let mut words = String::new();
    for proposal in &found.proposals {
        let _ = writeln!(
            words,
            "\nProposal {} waits for you: {}\n  `fitness plan proposal show {}` shows it, `apply` takes it, `discard` ends it.",
            proposal.id,
            escape_invisible(&proposal.message),
            proposal.id
        );
    }
    if let Some(said) = &found.said {
        let _ = writeln!(words, "\n{said}");
    }
    Ok(PendingSummary { pending: found, text: words })
}

/// Turns a model's answer into something to decide on.
pub(super) async fn propose(context: &Context, args: ProposeArgs) -> Result<CommandOutput> {
    let answer = contract::read_response(&args.file)?;
    let (store, user) = context.open_for_user().await?;
    recompute_stale(&store, user.id).await?;
    let today = Day::at(clock::now(), store.profile(user.id).await?.zone);
    let answer = coach::mark_unverified_numbers(&store, user.id, answer, args.kind).await?;
    // Brought by the athlete, thought of by a model: the decision is still theirs.
    let desk = store.plan_writer(user.id, Author::Coach);
    let answered = desk.submit_llm_response(&answer, args.kind, today, clock::now()).await?;
    store.close().await;
    let found = |findings: &[Finding]| {
        findings.iter().fold(String::new(), |mut text, finding| {
            let _ = writeln!(text, "- {}", escape_invisible(&finding.message));
            text
        })
    };
    let words = match &answered {
        LlmResponseOutcome::Proposed { proposal, findings } => format!(
            "Proposal {proposal} waits: `fitness plan proposal show {proposal}` shows what it would change.\n{}",
            found(findings)
        ),
        LlmResponseOutcome::Drafted { plan, findings } => format!(
            "You have no active plan, so the week is draft {plan}: `fitness plan show {plan}` shows it.\n{}",
            found(findings)
        ),
        LlmResponseOutcome::Unchanged { message } => {
            format!("It changes nothing: {}", escape_invisible(message))
        }
        LlmResponseOutcome::Refused { faults } => {
            let report = checks::CheckReport { errors: faults.clone(), findings: Vec::new() };
            let kind = match parse_response(&answer, args.kind) {
                Ok(response) => Some(response.kind()),
                Err(refused) => refused.kind,
            };
            return Ok(contract::render_report(kind, &report));
        }
    };
    Ok(CommandOutput::new(words, &answered))
}

async fn list(store: &Store, user: &User, today: Day) -> Result<CommandOutput> {
    let plan = super::select_plan(store, user, None).await?;
    let said = load_pending(store, user.id, today).await?.pending.said;
    let proposals = store.list_proposals(user.id, plan.id).await?;
    if proposals.is_empty() {
        return Ok(CommandOutput::new(said.unwrap_or_else(|| "Nothing is proposed.".to_owned()), &proposals));
    }
    let row = |proposal: &Proposal| {
        [
            proposal.id.to_string(),
            proposal.state(plan.revision, today).label(),
            proposal.origin.label().to_owned(),
            proposal.changes.len().to_string(),
            escape_invisible(&proposal.message).to_string().chars().take(70).collect(),
        ]
    };
    let rows: Vec<_> = proposals.iter().map(row).collect();
    let data = proposals.iter().map(|one| {
        let mut data = serde_json::to_value(one)?;
        data["state"] = json!(one.state(plan.revision, today).label());
        Ok(data)
    });
    let data: Vec<serde_json::Value> = data.collect::<Result<_>>()?;
    Ok(CommandOutput::new(table(["proposal", "status", "by", "changes", "why"], &rows), &data))
}

/// The chosen changes, counted from 0; all when none is named.
fn parse_selection(only: &[usize], count: usize) -> Result<BTreeSet<usize>> {
    if only.is_empty() {
        return Ok((0..count).collect());
    }
    only.iter()
        .map(|number| {
            number.checked_sub(1).filter(|index| *index < count).ok_or_else(|| {
                let help = format!("its changes are numbered 1 to {count}");
                CliError::new(format!("there is no change {number}"), help).into()
            })
        })
        .collect()
}

/// The chosen part of a proposal on the plan as it is now; as much of it as fits when none is named.
async fn preview(
    store: &Store,
    user: &User,
    id: ProposalId,
    only: &[usize],
    today: Day,
) -> Result<ProposalPreview> {
    let proposal = store.find_proposal(user.id, id).await?.ok_or_else(|| {
        CliError::new(
            format!("there is no proposal {id}"),
            "`fitness plan proposal list` shows what there is",
        )
    })?;
    if only.is_empty() {
        return Ok(store.preview_applicable_changes(user.id, id, today).await?);
    }
    let chosen = parse_selection(only, proposal.changes.len())?;
    match store.preview_proposal(user.id, id, &chosen, today).await {
        Err(fitness_store::Error::Apply(why)) => {
            let help = format!("`fitness plan proposal show {id}` says of each change whether it fits");
            Err(CliError::new(why.to_string(), help).into())
        }
        other => Ok(other?),
    }
}

/// What to type for what fits of a proposal that cannot be applied as it is; empty for one that can.
fn next_command(preview: &ProposalPreview, overrides: &BTreeSet<Rule>) -> String {
    let (id, revision) = (preview.proposal.id, preview.revision);
    let part = preview.chosen.len() < preview.changes.len();
    if preview.chosen.is_empty() {
        return format!(
            "\nNothing of it fits any more: `fitness plan proposal discard {id}` ends it. `fitness plan show` lets the rules \
             look again; a model must be asked again.\n"
        );
    }
    if !part && !preview.has_plan_changed() {
        return String::new();
    }
    format!(
        "\n`{}` takes it.\n",
        apply_command(id, preview, preview.has_plan_changed().then_some(revision), overrides)
    )
}

/// The command that applies what a preview shows, whole.
fn apply_command(
    id: ProposalId,
    preview: &ProposalPreview,
    on: Option<i64>,
    overrides: &BTreeSet<Rule>,
) -> String {
    let mut words = format!("fitness plan proposal apply {id}");
    if preview.chosen.len() < preview.changes.len() {
        let numbers: Vec<String> = preview.chosen.iter().map(|at| (at + 1).to_string()).collect();
        let _ = write!(words, " --only {}", numbers.join(","));
    }
    if let Some(revision) = on {
        let _ = write!(words, " --on {revision}");
    }
    super::push_overrides(&mut words, overrides);
    words
}

/// Who a proposal is from. A coach's numbers are held against the data before it is kept; another program's are not.
fn origin_label(origin: ProposalOrigin) -> String {
    let unchecked = if origin == ProposalOrigin::Mcp { ", whose numbers nobody checked" } else { "" };
    format!("{}{unchecked}", origin.label())
}

fn render_preview(preview: &ProposalPreview, units: fitness_core::domain::units::UnitSystem) -> String {
    let mut text = String::new();
    let Proposal { id, plan, origin, message, .. } = &preview.proposal;
    let _ = writeln!(text, "Proposal {id} to plan {plan}, from {}:", origin_label(*origin));
    let _ = writeln!(text, "{}\n", escape_invisible(message));
    if preview.has_plan_changed() {
        let _ = writeln!(text, "The plan has changed since: {} Seen anew:\n", revision_notice(preview));
    }
    for (number, line) in preview.lines(units).iter().enumerate() {
        let _ = writeln!(text, "  {}. {line}", number + 1);
    }
    text.push('\n');
    if preview.chosen.len() < preview.changes.len() {
        text.push_str(if preview.chosen.is_empty() {
            "Of these nothing fits:\n"
        } else {
            "Of these you would take:\n"
        });
        text.push_str(&render_changes(&preview.current, &preview.next, units));
    }
    for week in &preview.weeks {
        let _ = writeln!(text, "  {}", week.line(units));
    }
    let wrong = preview.proposal.consistency_findings().fold(String::new(), |mut text, finding| {
        let _ = writeln!(text, "  - {}", escape_invisible(&finding.message));
        text
    });
    if !wrong.is_empty() {
        let _ = write!(text, "\nThe answer does not agree with itself or with the plan:\n{wrong}");
    }
    let _ = write!(text, "\n{}", render_findings(preview.review.findings()));
    text
}

/// That the plan is another one than the proposal was made for.
fn revision_notice(preview: &ProposalPreview) -> String {
    let (base, now) = (preview.proposal.base_revision, preview.revision);
    format!("it was made for revision {base}, and the plan is at revision {now}.")
}

/// How many changes an error tells of.
const MAX_LISTED_CHANGES: usize = 8;

async fn apply(
    store: &Store,
    user: &User,
    id: ProposalId,
    only: &[usize],
    on: Option<i64>,
    overrides: BTreeSet<Rule>,
    today: Day,
) -> Result<CommandOutput> {
    let units = store.profile(user.id).await?.units;
    let preview = preview(store, user, id, only, today).await?;
    // Whoever applies another revision, or less than all of it, says so: nothing is left out unseen.
    let whole = !only.is_empty() || preview.chosen.len() == preview.changes.len();
    let seen_it = on.map_or(!preview.has_plan_changed(), |on| on == preview.revision);
    if !seen_it || !whole {
        return Err(review_required_error(&preview, units, seen_it, &overrides).into());
    }
    super::refuse_unused_overrides(&preview.review, &overrides)?;
    let left = preview.review.remaining_findings(&overrides);
    if !left.is_empty() {
        let more: BTreeSet<Rule> = left.iter().map(|finding| finding.rule).chain(overrides).collect();
        let said: Vec<String> =
            left.iter().map(|finding| format!("{}: {}", finding.rule, finding.text)).collect();
        let next = apply_command(id, &preview, on, &more);
        let help = format!("take less of it with --only, or go ahead against the evidence with `{next}`");
        return Err(CliError::new(said.join(" "), help).into());
    }
    if is_unchanged(&preview.current, &preview.next) {
        let help = format!("`fitness plan proposal discard {id}` ends it");
        return Err(CliError::new(
            format!("proposal {id} would change nothing: the plan is like that already"),
            help,
        )
        .into());
    }
    let plan = super::select_plan(store, user, None).await?;
    let seen = apply_hash(plan.id, preview.revision, &preview.next, &overrides);
    let shown = render_preview(&preview, units);
    let consent = confirm::confirm_plan_action(store, user, ActionKind::Apply, &plan, seen, &shown).await?;
    let number =
        human_actions::apply(consent, id, &preview.chosen, today, &preview.review, &overrides).await?;
    let words = format!("Applied: the plan is at revision {number}. `fitness plan revert` takes it back.");
    Ok(CommandOutput::new(words, &json!({ "plan_id": plan.id, "revision": number })))
}

/// What a proposal would do now, in a few words, and what to type to take that.
fn review_required_error(
    preview: &ProposalPreview,
    units: fitness_core::domain::units::UnitSystem,
    seen_it: bool,
    overrides: &BTreeSet<Rule>,
) -> CliError {
    let id = preview.proposal.id;
    let why = match seen_it {
        true => "some of it no longer fits.".to_owned(),
        false if preview.has_plan_changed() => {
            format!("the plan has changed since: {}", revision_notice(preview))
        }
        false => format!("the plan is at revision {}.", preview.revision),
    };
    let lines = preview.lines(units);
    let mut told: Vec<String> = (1..)
        .zip(lines.iter().take(MAX_LISTED_CHANGES))
        .map(|(n, line): (usize, _)| format!("{n}. {line}"))
        .collect();
    if lines.len() > MAX_LISTED_CHANGES {
        told.push(format!("and {} more", lines.len() - MAX_LISTED_CHANGES));
    }
    let show = format!("`fitness plan proposal show {id}` shows all of it");
    let help = match next_command(preview, overrides).trim() {
        "" => format!("{show}; `{}` takes it", apply_command(id, preview, None, overrides)),
        next => format!("{show}; {next}"),
    };
    CliError::new(format!("proposal {id} was not applied: {why} Now it would be: {}", told.join("; ")), help)
}
