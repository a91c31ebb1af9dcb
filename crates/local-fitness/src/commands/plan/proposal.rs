//! `fitness plan proposal`: what is proposed to the active plan, and the athlete's answer.

use super::edit::changes;
use super::lint::told;
use crate::cli::{ProposalCommand, ProposeArgs};
use crate::clock;
use crate::coach;
use crate::commands::{contract, settled};
use crate::confirm;
use crate::context::Context;
use crate::error::Failure;
use crate::output::Report;
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{ProposalId, UserId};
use fitness_core::domain::note::Author;
use fitness_core::domain::untrusted_text::visible;
use fitness_core::llm_output::{Finding, check, checks};
use fitness_core::plan::lint::Rule;
use fitness_core::plan::{ActionKind, Proposal, ProposalOrigin, is_same};
use fitness_store::plan::human_actions::{self, apply_hash};
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
            let preview = preview(&store, &user, proposal, &only, today).await?;
            let data = serde_json::to_value(&preview)?;
            let next = next_command(&preview, &BTreeSet::new());
            Ok(Report::new(format!("{}{next}", tell(&preview, profile.units)), &data))
        }
        ProposalCommand::Apply { proposal, only, on, overrides } => {
            let overrides = overrides.rules.into_iter().collect();
            apply(&store, &user, proposal, &only, on, overrides, today).await
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
    #[serde(flatten)]
    found: fitness_store::Waiting,
    /// All of it in words; empty when nothing waits.
    #[serde(skip)]
    pub(in crate::commands) words: String,
}

/// Lets the rules look at the plan, and gathers what waits.
pub(in crate::commands) async fn waiting(store: &Store, user: UserId, today: Day) -> Result<Waiting> {
    let found = store.what_waits(user, today, clock::now()).await?;
    let mut words = String::new();
    for proposal in &found.proposals {
        let _ = writeln!(
            words,
            "\nProposal {} waits for you: {}\n  `fitness plan proposal show {}` shows it, `apply` takes it, `discard` ends it.",
            proposal.id,
            visible(&proposal.message),
            proposal.id
        );
    }
    if let Some(said) = &found.said {
        let _ = writeln!(words, "\n{said}");
    }
    Ok(Waiting { found, words })
}

/// Turns a model's answer into something to decide on.
pub(super) async fn propose(context: &Context, args: ProposeArgs) -> Result<Report> {
    let answer = contract::read(&args.file)?;
    let (store, user) = context.open_for_user().await?;
    settled(&store, user.id).await?;
    let today = Day::at(clock::now(), store.profile(user.id).await?.zone);
    let answer = coach::with_marks(&store, user.id, answer, args.kind).await?;
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
            let report = checks::Report { faults: faults.clone(), findings: Vec::new() };
            let kind = match check(&answer, args.kind) {
                Ok(response) => Some(response.kind()),
                Err(refused) => refused.kind,
            };
            return Ok(contract::told(kind, &report));
        }
    };
    Ok(Report::new(words, &answered))
}

async fn list(store: &Store, user: &User, today: Day) -> Result<Report> {
    let plan = super::chosen(store, user, None).await?;
    let said = waiting(store, user.id, today).await?.found.said;
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

/// The chosen part of a proposal on the plan as it is now; as much of it as fits when none is named.
async fn preview(store: &Store, user: &User, id: ProposalId, only: &[usize], today: Day) -> Result<Preview> {
    let proposal = store.find_proposal(user.id, id).await?.ok_or_else(|| {
        Failure::new(format!("there is no proposal {id}"), "`fitness plan proposal list` shows what there is")
    })?;
    if only.is_empty() {
        return Ok(store.preview_what_fits(user.id, id, today).await?);
    }
    let chosen = chosen(only, proposal.changes.len())?;
    match store.preview(user.id, id, &chosen, today).await {
        Err(fitness_store::Error::Apply(why)) => {
            let help = format!("`fitness plan proposal show {id}` says of each change whether it fits");
            Err(Failure::new(why.to_string(), help).into())
        }
        other => Ok(other?),
    }
}

/// What to type for what fits of a proposal that cannot be applied as it is; empty for one that can.
fn next_command(preview: &Preview, overrides: &BTreeSet<Rule>) -> String {
    let (id, revision) = (preview.proposal.id, preview.revision);
    let part = preview.chosen.len() < preview.changes.len();
    if preview.chosen.is_empty() {
        return format!(
            "\nNothing of it fits any more: `fitness plan proposal discard {id}` ends it. `fitness plan show` lets the rules \
             look again; a model must be asked again.\n"
        );
    }
    if !part && !preview.has_moved_on() {
        return String::new();
    }
    format!("\n`{}` takes it.\n", command(id, preview, preview.has_moved_on().then_some(revision), overrides))
}

/// The command that applies what a preview shows, whole.
fn command(id: ProposalId, preview: &Preview, on: Option<i64>, overrides: &BTreeSet<Rule>) -> String {
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
fn from(origin: ProposalOrigin) -> String {
    let unchecked = if origin == ProposalOrigin::Mcp { ", whose numbers nobody checked" } else { "" };
    format!("{}{unchecked}", origin.spoken())
}

fn tell(preview: &Preview, units: fitness_core::domain::units::UnitSystem) -> String {
    let mut text = String::new();
    let Proposal { id, plan, origin, message, .. } = &preview.proposal;
    let _ = writeln!(text, "Proposal {id} to plan {plan}, from {}:", from(*origin));
    let _ = writeln!(text, "{}\n", visible(message));
    if preview.has_moved_on() {
        let _ = writeln!(text, "The plan has changed since: {} Seen anew:\n", moved_on(preview));
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

/// That the plan is another one than the proposal was made for.
fn moved_on(preview: &Preview) -> String {
    let (base, now) = (preview.proposal.base_revision, preview.revision);
    format!("it was made for revision {base}, and the plan is at revision {now}.")
}

/// How many changes an error tells of.
const TOLD: usize = 8;

async fn apply(
    store: &Store,
    user: &User,
    id: ProposalId,
    only: &[usize],
    on: Option<i64>,
    overrides: BTreeSet<Rule>,
    today: Day,
) -> Result<Report> {
    let units = store.profile(user.id).await?.units;
    let preview = preview(store, user, id, only, today).await?;
    // Whoever applies another revision, or less than all of it, says so: nothing is left out unseen.
    let whole = !only.is_empty() || preview.chosen.len() == preview.changes.len();
    let seen_it = on.map_or(!preview.has_moved_on(), |on| on == preview.revision);
    if !seen_it || !whole {
        return Err(look_again(&preview, units, seen_it, &overrides).into());
    }
    super::refuse_idle(&preview.review, &overrides)?;
    let left = preview.review.left(&overrides);
    if !left.is_empty() {
        let more: BTreeSet<Rule> = left.iter().map(|finding| finding.rule).chain(overrides).collect();
        let said: Vec<String> =
            left.iter().map(|finding| format!("{}: {}", finding.rule, finding.text)).collect();
        let next = command(id, &preview, on, &more);
        let help = format!("take less of it with --only, or go ahead against the evidence with `{next}`");
        return Err(Failure::new(said.join(" "), help).into());
    }
    if is_same(&preview.current, &preview.next) {
        let help = format!("`fitness plan proposal discard {id}` ends it");
        return Err(Failure::new(
            format!("proposal {id} would change nothing: the plan is like that already"),
            help,
        )
        .into());
    }
    let plan = super::chosen(store, user, None).await?;
    let seen = apply_hash(plan.id, preview.revision, &preview.next, &overrides);
    let shown = tell(&preview, units);
    let consent = confirm::confirm(store, user, ActionKind::Apply, &plan, seen, &shown).await?;
    let number =
        human_actions::apply(consent, id, &preview.chosen, today, &preview.review, &overrides).await?;
    let words = format!("Applied: the plan is at revision {number}. `fitness plan revert` takes it back.");
    Ok(Report::new(words, &json!({ "plan_id": plan.id, "revision": number })))
}

/// What a proposal would do now, in a few words, and what to type to take that.
fn look_again(
    preview: &Preview,
    units: fitness_core::domain::units::UnitSystem,
    seen_it: bool,
    overrides: &BTreeSet<Rule>,
) -> Failure {
    let id = preview.proposal.id;
    let why = match seen_it {
        true => "some of it no longer fits.".to_owned(),
        false if preview.has_moved_on() => format!("the plan has changed since: {}", moved_on(preview)),
        false => format!("the plan is at revision {}.", preview.revision),
    };
    let lines = preview.lines(units);
    let mut told: Vec<String> =
        (1..).zip(lines.iter().take(TOLD)).map(|(n, line): (usize, _)| format!("{n}. {line}")).collect();
    if lines.len() > TOLD {
        told.push(format!("and {} more", lines.len() - TOLD));
    }
    let show = format!("`fitness plan proposal show {id}` shows all of it");
    let help = match next_command(preview, overrides).trim() {
        "" => format!("{show}; `{}` takes it", command(id, preview, None, overrides)),
        next => format!("{show}; {next}"),
    };
    Failure::new(format!("proposal {id} was not applied: {why} Now it would be: {}", told.join("; ")), help)
}
