//! `fitness plan proposal` and `fitness plan propose`: proposals for the active plan.

use super::edit::render_changes;
use super::lint::render_findings;
use crate::cli::{ProposalCommand, ProposeArgs};
use crate::clock;
use crate::coach;
use crate::commands::{llm_output, refresh};
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
use fitness_core::llm_output::{Finding, cross_checks, parse_response};
use fitness_core::plan::lint::LintRule;
use fitness_core::plan::{HumanActionKind, Proposal, ProposalOrigin, is_unchanged};
use fitness_store::plan::human_actions::{self, apply_hash};
use fitness_store::{LlmResponseOutcome, ProposalPreview, Store, User};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write as _;

pub(super) async fn run(context: &Context, command: ProposalCommand) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    refresh(&store, user.id).await?;
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
            let words = format!("Discarded proposal {proposal}. Your plan is unchanged.");
            Ok(CommandOutput::new(words, &json!({ "proposal_id": proposal, "status": "declined" })))
        }
    };
    store.close().await;
    report
}

/// Pending decisions of the athlete.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct PendingSummary {
    #[serde(flatten)]
    pending: fitness_store::PendingDecisions,
    /// Text output; empty if nothing is pending.
    #[serde(skip)]
    pub(in crate::commands) text: String,
}

/// Runs the adaptation rules and loads pending proposals.
pub(in crate::commands) async fn load_pending(
    store: &Store,
    user: UserId,
    today: Day,
) -> Result<PendingSummary> {
    let found = store.pending_decisions(user, today).await?;
    let mut words = String::new();
    for proposal in &found.proposals {
        let _ = writeln!(
            words,
            "\nProposal {} needs your decision: {}\n  Preview it with `fitness plan proposal show {}`, then `apply` or `discard` it.",
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

/// Turns a model's response into a proposal or a draft.
pub(super) async fn propose(context: &Context, args: ProposeArgs) -> Result<CommandOutput> {
    let response = llm_output::read_response(&args.file)?;
    let (store, user) = context.open_for_user().await?;
    refresh(&store, user.id).await?;
    let today = Day::at(clock::now(), store.profile(user.id).await?.zone);
    let response = coach::mark_unverified_numbers(&store, user.id, response, args.kind).await?;
    // The athlete submits it, but the author is a model.
    let writer = store.plan_writer(user.id, Author::Coach);
    let outcome = writer.submit_llm_response(&response, args.kind, today, clock::now()).await?;
    store.close().await;
    let found = |findings: &[Finding]| {
        findings.iter().fold(String::new(), |mut text, finding| {
            let _ = writeln!(text, "- {}", escape_invisible(&finding.message));
            text
        })
    };
    let words = match &outcome {
        LlmResponseOutcome::Proposed { proposal, findings } => format!(
            "Created proposal {proposal}. Preview it with `fitness plan proposal show {proposal}`.\n{}",
            found(findings)
        ),
        LlmResponseOutcome::Drafted { plan, findings } => format!(
            "You have no active plan, so the week was saved as draft {plan}. See `fitness plan show {plan}`.\n{}",
            found(findings)
        ),
        LlmResponseOutcome::Unchanged { message } => {
            format!("No changes: {}", escape_invisible(message))
        }
        LlmResponseOutcome::Refused { faults } => {
            let report = cross_checks::CheckReport { errors: faults.clone(), findings: Vec::new() };
            let kind = match parse_response(&response, args.kind) {
                Ok(response) => Some(response.kind()),
                Err(refused) => refused.kind,
            };
            return Ok(llm_output::render_report(kind, &report));
        }
    };
    Ok(CommandOutput::new(words, &outcome))
}

async fn list(store: &Store, user: &User, today: Day) -> Result<CommandOutput> {
    let plan = super::select_plan(store, user, None).await?;
    let said = load_pending(store, user.id, today).await?.pending.said;
    let proposals = store.list_proposals(user.id, plan.id).await?;
    if proposals.is_empty() {
        return Ok(CommandOutput::new(said.unwrap_or_else(|| "No proposals.".to_owned()), &proposals));
    }
    let row = |proposal: &Proposal| {
        [
            proposal.id.to_string(),
            proposal.state(plan.revision, today).label(),
            proposal.origin.label().to_owned(),
            proposal.changes.len().to_string(),
            shorten(&escape_invisible(&proposal.message).to_string()),
        ]
    };
    let rows: Vec<_> = proposals.iter().map(row).collect();
    let data = proposals.iter().map(|one| {
        let mut data = serde_json::to_value(one)?;
        data["state"] = json!(one.state(plan.revision, today).label());
        Ok(data)
    });
    let data: Vec<serde_json::Value> = data.collect::<Result<_>>()?;
    Ok(CommandOutput::new(table(["proposal", "status", "by", "changes", "message"], &rows), &data))
}

/// Longest message in the list, characters.
const MAX_MESSAGE_CHARS: usize = 70;

/// The text, cut after a word and with `…` if it is too long for a line.
fn shorten(text: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(MAX_MESSAGE_CHARS) else { return text.to_owned() };
    let cut = &text[..end];
    let words = cut.rsplit_once(' ').map_or(cut, |(words, _)| words);
    format!("{}…", words.trim_end_matches([' ', ',', '.', ';', ':']))
}

/// Zero-based indexes of the selected changes; all if `only` is empty.
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

/// The selected changes on the current plan, or all that can be applied if `only` is empty.
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
            "`fitness plan proposal list` lists the proposals",
        )
    })?;
    if only.is_empty() {
        return Ok(store.preview_applicable_changes(user.id, id, today).await?);
    }
    let chosen = parse_selection(only, proposal.changes.len())?;
    match store.preview_proposal(user.id, id, &chosen, today).await {
        Err(fitness_store::Error::Apply(why)) => {
            let help = format!("`fitness plan proposal show {id}` shows which changes can be applied");
            Err(CliError::new(why.to_string(), help).into())
        }
        other => Ok(other?),
    }
}

/// The command that applies what is possible; empty if the whole proposal can be applied.
fn next_command(preview: &ProposalPreview, overrides: &BTreeSet<LintRule>) -> String {
    let (id, revision) = (preview.proposal.id, preview.revision);
    let part = preview.chosen.len() < preview.changes.len();
    if preview.chosen.is_empty() {
        return format!(
            "\nNone of its changes can be applied any more. Discard it with `fitness plan proposal discard {id}`. \
             `fitness plan show` runs the rules again; ask the model again for its proposals.\n"
        );
    }
    if !part && !preview.has_plan_changed() {
        return String::new();
    }
    format!(
        "\nApply it with `{}`.\n",
        apply_command(id, preview, preview.has_plan_changed().then_some(revision), overrides)
    )
}

/// The command that applies exactly what the preview shows.
fn apply_command(
    id: ProposalId,
    preview: &ProposalPreview,
    on: Option<i64>,
    overrides: &BTreeSet<LintRule>,
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

/// The numbers in a coach's proposal were checked against the data, those of an MCP client were
/// not.
fn origin_label(origin: ProposalOrigin) -> String {
    let unchecked = if origin == ProposalOrigin::Mcp { " (its numbers were not checked)" } else { "" };
    format!("{}{unchecked}", origin.label())
}

fn render_preview(preview: &ProposalPreview, units: fitness_core::domain::units::UnitSystem) -> String {
    let mut text = String::new();
    let Proposal { id, plan, origin, message, .. } = &preview.proposal;
    let _ = writeln!(text, "Proposal {id} for plan {plan}, from {}:", origin_label(*origin));
    let _ = writeln!(text, "{}\n", escape_invisible(message));
    if preview.has_plan_changed() {
        let _ = writeln!(
            text,
            "The plan has changed since: {} Preview on the current plan:\n",
            revision_notice(preview)
        );
    }
    for (number, line) in preview.lines(units).iter().enumerate() {
        let _ = writeln!(text, "  {}. {line}", number + 1);
    }
    text.push('\n');
    if preview.chosen.len() < preview.changes.len() {
        text.push_str(if preview.chosen.is_empty() {
            "None of these can be applied:\n"
        } else {
            "Applied from these:\n"
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
        let _ = write!(text, "\nThe response contradicts itself or the plan:\n{wrong}");
    }
    let _ = write!(text, "\n{}", render_findings(preview.review.findings()));
    text
}

fn revision_notice(preview: &ProposalPreview) -> String {
    let (base, now) = (preview.proposal.base_revision, preview.revision);
    format!("the proposal is for revision {base}, and the plan is at revision {now}.")
}

const MAX_LISTED_CHANGES: usize = 8;

async fn apply(
    store: &Store,
    user: &User,
    id: ProposalId,
    only: &[usize],
    on: Option<i64>,
    overrides: BTreeSet<LintRule>,
    today: Day,
) -> Result<CommandOutput> {
    let units = store.profile(user.id).await?.units;
    let preview = preview(store, user, id, only, today).await?;
    // Applying to another revision, or only a part, must be explicit.
    let is_explicit = !only.is_empty() || preview.chosen.len() == preview.changes.len();
    let is_current = on.map_or(!preview.has_plan_changed(), |on| on == preview.revision);
    if !is_current || !is_explicit {
        return Err(review_required_error(&preview, units, is_current, &overrides).into());
    }
    super::refuse_unused_overrides(&preview.review, &overrides)?;
    let left = preview.review.remaining_findings(&overrides);
    if !left.is_empty() {
        let more: BTreeSet<LintRule> = left.iter().map(|finding| finding.rule).chain(overrides).collect();
        let errors: Vec<String> =
            left.iter().map(|finding| format!("{}: {}", finding.rule, finding.text)).collect();
        let next = apply_command(id, &preview, on, &more);
        let help = format!("select fewer changes with --only, or override the errors with `{next}`");
        return Err(CliError::new(errors.join(" "), help).into());
    }
    if is_unchanged(&preview.current, &preview.next) {
        let help = format!("discard it with `fitness plan proposal discard {id}`");
        return Err(CliError::new(
            format!("proposal {id} would change nothing: the plan is already like that"),
            help,
        )
        .into());
    }
    let plan = super::select_plan(store, user, None).await?;
    let seen = apply_hash(plan.id, preview.revision, &preview.next, &overrides);
    let shown = render_preview(&preview, units);
    let consent =
        confirm::confirm_plan_action(store, user, HumanActionKind::Apply, &plan, seen, &shown).await?;
    let number =
        human_actions::apply(consent, id, &preview.chosen, today, &preview.review, &overrides).await?;
    let words = format!("Applied. The plan is now at revision {number}; undo with `fitness plan revert`.");
    Ok(CommandOutput::new(words, &json!({ "plan_id": plan.id, "revision": number })))
}

/// Lists the current effect of a proposal and the command to apply it.
fn review_required_error(
    preview: &ProposalPreview,
    units: fitness_core::domain::units::UnitSystem,
    is_current: bool,
    overrides: &BTreeSet<LintRule>,
) -> CliError {
    let id = preview.proposal.id;
    let why = match is_current {
        true => "some of its changes can no longer be applied.".to_owned(),
        false if preview.has_plan_changed() => {
            format!("the plan has changed since: {}", revision_notice(preview))
        }
        false => format!("the plan is at revision {}.", preview.revision),
    };
    let lines = preview.lines(units);
    let mut changes: Vec<String> = (1..)
        .zip(lines.iter().take(MAX_LISTED_CHANGES))
        .map(|(n, line): (usize, _)| format!("{n}. {line}"))
        .collect();
    if lines.len() > MAX_LISTED_CHANGES {
        changes.push(format!("and {} more", lines.len() - MAX_LISTED_CHANGES));
    }
    let show = format!("`fitness plan proposal show {id}` shows everything");
    let help = match next_command(preview, overrides).trim() {
        "" => format!("{show}; apply it with `{}`", apply_command(id, preview, None, overrides)),
        next => format!("{show}; {next}"),
    };
    CliError::new(
        format!("proposal {id} was not applied: {why} Its effect now: {}", changes.join("; ")),
        help,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_message_is_cut_after_a_word() {
        assert_eq!(shorten("Rest today."), "Rest today.");
        let long = "You marked yourself as ill. Do not train until you have had 24 hours without symptoms.";
        assert_eq!(shorten(long), "You marked yourself as ill. Do not train until you have had 24 hours…");
        assert_eq!(shorten(&"é".repeat(80)), format!("{}…", "é".repeat(70)));
    }
}
