//! `fitness plan edit`, `revisions` and `revert`: the athlete's own hand.

use super::chosen;
use super::lint::told_since;
use crate::cli::EditArgs;
use crate::clock;
use crate::commands::settled;
use crate::confirm;
use crate::context::Context;
use crate::distance::size;
use crate::error::Failure;
use crate::output::Report;
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{PlanId, WorkoutId};
use fitness_core::domain::units::UnitSystem;
use fitness_core::domain::untrusted_text::visible;
use fitness_core::plan::{
    ActionKind, Edit, NextWorkout, PlannedWorkout, Workout, days_off_used, differences, edit, is_same,
    revert as back,
};
use fitness_store::plan::human_actions::{self, change_hash};
use serde_json::json;
use std::fmt::Write as _;

pub(super) async fn run(context: &Context, args: EditArgs) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    settled(&store, user.id).await?;
    let plan = chosen(&store, &user, None).await?;
    let profile = store.profile(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    let current = store.list_workouts(user.id, plan.id, plan.revision).await?;
    let edits = edits(&args, profile.units)?;
    let next = edit(&plan, &current, &edits, today).map_err(|why| {
        Failure::new(why.to_string(), "`fitness plan show` lists the workouts with their numbers")
    })?;
    let review = store.review_next(user.id, &plan, &next, today).await?;
    let before = store.review(user.id, plan.id, today).await?;
    let mut shown = changes(&current, &next, profile.units);
    let notes = days_off_used(&plan, &current, &next);
    for note in &notes {
        let _ = writeln!(shown, "  note: {note}");
    }
    let _ = write!(shown, "\n{}", told_since(review.findings(), before.findings()));
    let reason = args.reason.unwrap_or_else(|| "By hand".to_owned());
    let seen = change_hash(plan.id, plan.revision, &next);
    let consent = confirm::confirm(&store, &user, ActionKind::Edit, &plan, seen, &shown).await?;
    let number = human_actions::edit(consent, plan.id, plan.revision, &next, &reason).await?;
    store.close().await;
    let words = format!("Saved as revision {number}. `fitness plan revert` takes it back.\n");
    let data = json!({
        "plan_id": plan.id, "revision": number, "findings": review.findings(), "notes": notes,
    });
    Ok(Report::new(words, &data))
}

pub(super) async fn revisions(context: &Context, plan: Option<PlanId>) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    let plan = chosen(&store, &user, plan).await?;
    let revisions = store.list_revisions(user.id, plan.id).await?;
    store.close().await;
    let rows: Vec<_> = revisions
        .iter()
        .map(|one| {
            let now = if one.number == plan.revision { " (now)" } else { "" };
            [
                format!("{}{now}", one.number),
                one.made_at.format("%Y-%m-%d %H:%M").to_string(),
                one.told_origin(),
                one.reason.as_deref().map(|reason| visible(reason).to_string()).unwrap_or_default(),
            ]
        })
        .collect();
    Ok(Report::new(table(["revision", "made (UTC)", "by", "why"], &rows), &revisions))
}

pub(super) async fn revert(context: &Context, to: Option<i64>) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    settled(&store, user.id).await?;
    let plan = chosen(&store, &user, None).await?;
    let to = to.unwrap_or(plan.revision - 1);
    if !(1..plan.revision).contains(&to) {
        let help = "`fitness plan revisions` lists them";
        return Err(Failure::new(format!("there is no earlier revision {to} to go back to"), help).into());
    }
    let profile = store.profile(user.id).await?;
    let (units, today) = (profile.units, Day::at(clock::now(), profile.zone));
    let current = store.list_workouts(user.id, plan.id, plan.revision).await?;
    let old = store.list_workouts(user.id, plan.id, to).await?;
    let next = back(&plan, &current, &old, today).map_err(|why| {
        let help = "change it by hand with `fitness plan edit`";
        Failure::new(format!("the plan cannot go back to revision {to}: {why}"), help)
    })?;
    if is_same(&current, &next) {
        let help = "`fitness plan revisions` lists them; nothing was changed";
        return Err(Failure::new(format!("the plan is already as revision {to} was"), help).into());
    }
    let review = store.review_next(user.id, &plan, &next, today).await?;
    let before = store.review(user.id, plan.id, today).await?;
    let linted = told_since(review.findings(), before.findings());
    let over = |workouts: &[PlannedWorkout]| -> Vec<PlannedWorkout> {
        workouts.iter().filter(|w| w.workout.date < today).cloned().collect()
    };
    let stays = over(&current) != over(&old);
    let kept = if stays { "What was planned for days before today stays as it is now.\n" } else { "" };
    let shown = format!("Back to revision {to}:\n{}{kept}\n{}", changes(&current, &next, units), linted);
    let seen = change_hash(plan.id, plan.revision, &next);
    let consent = confirm::confirm(&store, &user, ActionKind::Revert, &plan, seen, &shown).await?;
    let number = human_actions::revert(consent, plan.id, plan.revision, to, today).await?;
    store.close().await;
    let from = if stays { format!(", from {today} on") } else { String::new() };
    let words = format!("Revision {number} is as revision {to} was{from}.\n{kept}");
    Ok(Report::new(words, &json!({ "plan_id": plan.id, "revision": number, "as": to, "past_kept": stays })))
}

fn edits(args: &EditArgs, units: UnitSystem) -> Result<Vec<Edit>> {
    let mut edits = Vec::new();
    for text in &args.moves {
        let (workout, day) = pair(text, "12=2026-06-16")?;
        edits.push(Edit::Move { workout: number(text, workout)?, to: parsed(text, day, "12=2026-06-16")? });
    }
    for text in &args.swaps {
        let (one, other) = pair(text, "12=14")?;
        edits.push(Edit::Swap { one: number(text, one)?, other: number(text, other)? });
    }
    for text in &args.sizes {
        let (workout, to) = pair(text, "12=5km")?;
        edits.push(Edit::Resize { workout: number(text, workout)?, to: size(to, units)? });
    }
    edits.extend(args.skips.iter().map(|workout| Edit::Skip { workout: *workout }));
    if let Some(day) = args.add {
        let size = args.size.as_deref().map(|text| size(text, units)).transpose()?;
        let workout = Workout::by_hand(day, args.sport, args.kind, args.name.as_deref(), size);
        edits.push(Edit::Add { workout });
    }
    Ok(edits)
}

fn pair<'a>(text: &'a str, example: &str) -> Result<(&'a str, &'a str)> {
    text.split_once('=').ok_or_else(|| {
        Failure::new(format!("`{text}` is no change"), format!("write it like {example}")).into()
    })
}

fn number(text: &str, part: &str) -> Result<WorkoutId> {
    parsed(text, part, "12=…, with the number that `fitness plan show` gives")
}

fn parsed<T: std::str::FromStr>(text: &str, part: &str, example: &str) -> Result<T> {
    part.trim().parse().map_err(|_| {
        Failure::new(format!("`{text}` is no change"), format!("write it like {example}")).into()
    })
}

/// What is different between two states of a plan, day by day.
pub(super) fn changes(current: &[PlannedWorkout], next: &[NextWorkout], units: UnitSystem) -> String {
    let all = differences(current, next);
    if all.is_empty() {
        return "  nothing changes\n".to_owned();
    }
    all.iter().fold(String::new(), |mut text, one| {
        let _ = writeln!(text, "  {}", one.line(units));
        text
    })
}
