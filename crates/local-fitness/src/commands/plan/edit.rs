//! `fitness plan edit`, `revisions` and `revert`

use super::lint::render_findings_since;
use super::select_plan;
use crate::cli::EditArgs;
use crate::clock;
use crate::commands::refresh;
use crate::confirm;
use crate::context::Context;
use crate::distance::parse_size;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{PlanId, WorkoutId};
use fitness_core::domain::units::UnitSystem;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::{
    Edit, HumanActionKind, NextRevisionWorkout, PlannedWorkout, Revision, Workout, describe_days_off_used,
    diff_workouts, edit, is_unchanged, revert as back,
};
use fitness_store::plan::human_actions::{self, change_hash};
use serde_json::json;
use std::fmt::Write as _;

pub(super) async fn run(context: &Context, args: EditArgs) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    refresh(&store, user.id).await?;
    let plan = select_plan(&store, &user, None).await?;
    let profile = store.profile(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    let current = store.list_workouts(user.id, plan.id, plan.revision).await?;
    let edits = parse_edits(&args, profile.units)?;
    let next = edit(&plan, &current, &edits, today).map_err(|why| {
        CliError::new(why.to_string(), "`fitness plan show` lists the workouts and their ids")
    })?;
    let review = store.lint_next_revision(user.id, &plan, &next, today).await?;
    let before = store.lint_plan(user.id, plan.id, today).await?;
    let mut shown = render_changes(&current, &next, profile.units);
    let notes = describe_days_off_used(&plan, &current, &next);
    for note in &notes {
        let _ = writeln!(shown, "  note: {note}");
    }
    let _ = write!(shown, "\n{}", render_findings_since(review.findings(), before.findings()));
    let reason = args.reason.unwrap_or_else(|| Revision::NO_REASON.to_owned());
    let seen = change_hash(plan.id, plan.revision, &next);
    let consent =
        confirm::confirm_plan_action(&store, &user, HumanActionKind::Edit, &plan, seen, &shown).await?;
    let number = human_actions::edit(consent, plan.id, plan.revision, &next, &reason).await?;
    store.close().await;
    let words = format!("Saved as revision {number}. Undo with `fitness plan revert`.\n");
    let data = json!({
        "plan_id": plan.id, "revision": number, "findings": review.findings(), "notes": notes,
    });
    Ok(CommandOutput::new(words, &data))
}

pub(super) async fn revisions(context: &Context, plan: Option<PlanId>) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let plan = select_plan(&store, &user, plan).await?;
    let revisions = store.list_revisions(user.id, plan.id).await?;
    store.close().await;
    let rows: Vec<_> = revisions
        .iter()
        .map(|one| {
            let now = if one.number == plan.revision { " (current)" } else { "" };
            [
                format!("{}{now}", one.number),
                one.made_at.format("%Y-%m-%d %H:%M").to_string(),
                one.describe_origin(),
                one.given_reason().map(|reason| escape_invisible(reason).to_string()).unwrap_or_default(),
            ]
        })
        .collect();
    Ok(CommandOutput::new(table(["revision", "created (UTC)", "by", "reason"], &rows), &revisions))
}

pub(super) async fn revert(context: &Context, to: Option<i64>) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    refresh(&store, user.id).await?;
    let plan = select_plan(&store, &user, None).await?;
    let to = to.unwrap_or(plan.revision - 1);
    if !(1..plan.revision).contains(&to) {
        let help = "`fitness plan revisions` lists the revisions";
        if plan.revision == 1 {
            return Err(CliError::new("the plan has no earlier revision", help).into());
        }
        return Err(CliError::new(format!("there is no earlier revision {to}"), help).into());
    }
    let profile = store.profile(user.id).await?;
    let (units, today) = (profile.units, Day::at(clock::now(), profile.zone));
    let current = store.list_workouts(user.id, plan.id, plan.revision).await?;
    let old = store.list_workouts(user.id, plan.id, to).await?;
    let next = back(&plan, &current, &old, today).map_err(|why| {
        let help = "edit the plan with `fitness plan edit` instead";
        CliError::new(format!("cannot revert to revision {to}: {why}"), help)
    })?;
    if is_unchanged(&current, &next) {
        let help = "`fitness plan revisions` lists the revisions; nothing was changed";
        return Err(CliError::new(format!("the plan is already the same as revision {to}"), help).into());
    }
    let review = store.lint_next_revision(user.id, &plan, &next, today).await?;
    let before = store.lint_plan(user.id, plan.id, today).await?;
    let linted = render_findings_since(review.findings(), before.findings());
    let past = |workouts: &[PlannedWorkout]| -> Vec<PlannedWorkout> {
        workouts.iter().filter(|w| w.workout.date < today).cloned().collect()
    };
    let past_kept = past(&current) != past(&old);
    let note = if past_kept { "Days before today do not change.\n" } else { "" };
    let shown =
        format!("Revert to revision {to}:\n{}{note}\n{}", render_changes(&current, &next, units), linted);
    let seen = change_hash(plan.id, plan.revision, &next);
    let consent =
        confirm::confirm_plan_action(&store, &user, HumanActionKind::Revert, &plan, seen, &shown).await?;
    let number = human_actions::revert(consent, plan.id, plan.revision, to, today).await?;
    store.close().await;
    let from = if past_kept { format!(" from {today} on") } else { String::new() };
    let words = format!("Reverted to revision {to}{from}; saved as revision {number}.\n{note}");
    Ok(CommandOutput::new(
        words,
        &json!({ "plan_id": plan.id, "revision": number, "as": to, "past_kept": past_kept }),
    ))
}

fn parse_edits(args: &EditArgs, units: UnitSystem) -> Result<Vec<Edit>> {
    let mut edits = Vec::new();
    for text in &args.moves {
        let (workout, day) = split_pair(text, "12=2026-06-16")?;
        edits.push(Edit::Move { workout: parse_workout_id(text, workout)?, to: parse_day(day)? });
    }
    for text in &args.swaps {
        let (one, other) = split_pair(text, "12=14")?;
        edits.push(Edit::Swap { one: parse_workout_id(text, one)?, other: parse_workout_id(text, other)? });
    }
    for text in &args.resizes {
        let (workout, to) = split_pair(text, "12=5km")?;
        edits.push(Edit::Resize { workout: parse_workout_id(text, workout)?, to: parse_size(to, units)? });
    }
    edits.extend(args.skips.iter().map(|workout| Edit::Skip { workout: *workout }));
    if let Some(day) = args.add {
        let size = args.size.as_deref().map(|text| parse_size(text, units)).transpose()?;
        let workout = Workout::new_manual(day, args.sport, args.kind, args.name.as_deref(), size);
        edits.push(Edit::Add { workout });
    }
    Ok(edits)
}

fn split_pair<'a>(text: &'a str, example: &str) -> Result<(&'a str, &'a str)> {
    text.split_once('=').ok_or_else(|| {
        CliError::new(format!("`{text}` is not a valid change"), format!("use the form {example}")).into()
    })
}

fn parse_workout_id(text: &str, part: &str) -> Result<WorkoutId> {
    parse_value(text, part, "12=…, with an id from `fitness plan show`")
}

fn parse_day(text: &str) -> Result<Day> {
    text.trim().parse().map_err(|_| {
        let help = "use an existing date in the form 2026-06-16";
        CliError::new(format!("`{}` is not a date", text.trim()), help).into()
    })
}

fn parse_value<T: std::str::FromStr>(text: &str, part: &str, example: &str) -> Result<T> {
    part.trim().parse().map_err(|_| {
        CliError::new(format!("`{text}` is not a valid change"), format!("use the form {example}")).into()
    })
}

/// The differences, one line per day.
pub(super) fn render_changes(
    current: &[PlannedWorkout],
    next: &[NextRevisionWorkout],
    units: UnitSystem,
) -> String {
    let all = diff_workouts(current, next);
    if all.is_empty() {
        return "  no changes\n".to_owned();
    }
    all.iter().fold(String::new(), |mut text, one| {
        let _ = writeln!(text, "  {}", one.line(units));
        text
    })
}
