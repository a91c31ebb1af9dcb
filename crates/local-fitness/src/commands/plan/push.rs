//! `fitness plan push`: sends workouts to the intervals.icu calendar.

use super::export::{owner_tag, render_losses};
use crate::cli::{PushArgs, Service};
use crate::clock;
use crate::commands::source::{self, LiveSource};
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::plural::{join_with_and as list, pluralize};
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::{PlanId, UserId, WorkoutId};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::PlannedWorkout;
use fitness_sources::live::intervals::{CalendarChanges, CalendarEvent, EventContent};
use fitness_sources::live::{DayRange, FetchError};
use fitness_sources::workouts::{DEFAULT_ZIP_DAYS, FileIdentity, UnsupportedFeature, to_fit};
use fitness_store::{Source, Store, User};
use serde_json::json;
use std::collections::BTreeMap;

/// To find past entries whose workout was moved to a future day.
const LOOK_BACK_DAYS: i64 = 14;
/// The longest plan plus its recovery.
const LOOK_AHEAD_DAYS: i64 = 2 * 366 + 42;

pub(super) async fn run(context: &Context, wanted: PushArgs) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let PushResult { plan, changes, losses } = push(&store, &user, &wanted).await?;
    store.close().await;
    let lost: String = losses.iter().map(|(planned, losses)| render_losses(planned, losses)).collect();
    let lost_data: Vec<_> = losses
        .iter()
        .flat_map(|(planned, losses)| {
            losses.iter().map(|loss| json!({ "workout": planned.id, "loss": loss }))
        })
        .collect();
    let entry =
        |event: &CalendarEvent| json!({ "workout": event.workout, "date": event.day, "name": event.name });
    let data = json!({
        "plan_id": plan,
        "dry_run": wanted.dry_run,
        "added": changes.add.iter().map(entry).collect::<Vec<_>>(),
        "changed": changes.change.iter().map(|(_, new)| entry(new)).collect::<Vec<_>>(),
        "removed": changes.remove.iter().map(|old| json!({ "workout": old.workout(), "date": old.day(),
            "name": old.name() })).collect::<Vec<_>>(),
        "same": changes.unchanged,
        "losses": lost_data,
    });
    Ok(CommandOutput::new(render_changes(&changes, wanted.dry_run), &data).with_stderr(lost))
}

/// For the web app.
pub(crate) async fn push_upcoming(store: &Store, user: UserId) -> Result<()> {
    let wanted = PushArgs { days: DEFAULT_ZIP_DAYS, dry_run: false, clear: false };
    push(store, &store.user(user).await?, &wanted).await?;
    Ok(())
}

struct PushResult {
    plan: Option<PlanId>,
    changes: CalendarChanges,
    /// What the FIT format cannot represent, per workout.
    losses: Vec<(PlannedWorkout, Vec<UnsupportedFeature>)>,
}

async fn push(store: &Store, user: &User, wanted: &PushArgs) -> Result<PushResult> {
    let plan = store.find_active_plan(user.id).await?;
    let workouts = match &plan {
        _ if wanted.clear => Vec::new(),
        Some(plan) => store.list_workouts(user.id, plan.id, plan.revision).await?,
        None => {
            let help = "activate one, or remove pushed entries with `fitness plan push --clear`";
            return Err(CliError::new("you have no active plan", help).into());
        }
    };
    let source =
        source::find_source(store, user.id, Service::Intervals).await?.ok_or_else(not_connected_error)?;
    let LiveSource::Intervals(mut intervals) = source::connect(store, user, &source).await? else {
        return Err(not_connected_error().into());
    };
    let today = Day::at(clock::now(), store.profile(user.id).await?.zone);
    let made_at = plan.as_ref().map_or_else(clock::now, |plan| plan.created_at);
    let mut losses = BTreeMap::new();
    let ahead = |planned: &&PlannedWorkout| !planned.workout.is_rest() && planned.workout.date >= today;
    let planned: Vec<CalendarEvent> = workouts
        .iter()
        .filter(ahead)
        .map(|planned| to_event(planned, made_at, &mut losses))
        .collect::<Result<_>>()?;
    let owner = owner_tag(user);
    let failed = |fault: FetchError| push_error(&source, &fault);
    let span = DayRange { from: today.plus_days(-LOOK_BACK_DAYS), through: today.plus_days(LOOK_AHEAD_DAYS) };
    let there = intervals.list_own_events(&owner, span).await.map_err(failed)?;
    let changes = CalendarChanges::diff(&planned, &there, today, today.plus_days(i64::from(wanted.days) - 1));
    if !wanted.dry_run {
        intervals.apply(&changes, &owner).await.map_err(failed)?;
    }
    let sent = changes.add.iter().chain(changes.change.iter().map(|(_, new)| new));
    let sent = sent.filter_map(|event| workouts.iter().find(|planned| planned.id == event.workout));
    let losses = sent
        .filter_map(|planned| losses.remove(&planned.id).map(|losses| (planned.clone(), losses)))
        .collect();
    Ok(PushResult { plan: plan.map(|plan| plan.id), changes, losses })
}

/// A workout with steps becomes a FIT file, one without becomes text.
fn to_event(
    planned: &PlannedWorkout,
    made_at: Instant,
    losses: &mut BTreeMap<WorkoutId, Vec<UnsupportedFeature>>,
) -> Result<CalendarEvent> {
    let workout = &planned.workout;
    let content = if workout.steps.is_empty() {
        let words = [&workout.intensity, &workout.description].into_iter().flatten();
        EventContent::Text {
            description: words.map(|words| words.trim()).collect::<Vec<_>>().join("\n"),
            moving: workout.duration,
            distance: workout.distance,
            load: workout.load,
        }
    } else {
        // The plan's creation time, so that an unchanged workout gives an identical file.
        let file = to_fit(workout, FileIdentity { serial: planned.id.get(), created_at: made_at })?;
        losses.insert(planned.id, file.unsupported);
        EventContent::File(file.bytes)
    };
    Ok(CalendarEvent {
        workout: planned.id,
        day: workout.date,
        sport: workout.sport,
        name: workout.name.clone(),
        content,
    })
}

fn render_changes(changes: &CalendarChanges, dry_run: bool) -> String {
    if changes.is_empty() {
        let same = pluralize(changes.unchanged as u64, "entry", "entries");
        return format!("Your intervals.icu calendar is up to date ({same}).");
    }
    let row = |what: &str, day: Day, name: &str| {
        [what.to_owned(), day.to_string(), escape_invisible(name).to_string()]
    };
    let mut rows: Vec<_> = changes.add.iter().map(|new| row("add", new.day, &new.name)).collect();
    rows.extend(changes.change.iter().map(|(old, new)| {
        let from = if old.day() == new.day { String::new() } else { format!(" (was on {})", old.day()) };
        row("change", new.day, &format!("{}{from}", new.name))
    }));
    rows.extend(changes.remove.iter().map(|old| row("remove", old.day(), old.name())));
    rows.sort_by(|a, b| a[1].cmp(&b[1]));
    let count = |n: usize, done: &str| (n > 0).then(|| format!("{n} {done}"));
    let counts = [
        count(changes.add.len(), "added"),
        count(changes.change.len(), "changed"),
        count(changes.remove.len(), "removed"),
        count(changes.unchanged, "unchanged"),
    ];
    let counts: Vec<String> = counts.into_iter().flatten().collect();
    let end = if dry_run {
        format!("Dry run: {}. Nothing was changed.", list(&counts))
    } else {
        format!("Updated your intervals.icu calendar: {}.", list(&counts))
    };
    format!("{}{end}", table(["", "day", "workout"], &rows))
}

fn not_connected_error() -> CliError {
    let help = "connect it with `fitness source add intervals` and an API key from its settings";
    CliError::new("intervals.icu is not connected", help)
}

fn push_error(source: &Source, fault: &FetchError) -> anyhow::Error {
    let help = match fault {
        FetchError::KeyRefused { .. } | FetchError::KeyUnusable => {
            format!("replace the key with `fitness source key {}`", source.id)
        }
        _ => "push again later; no entries are duplicated, and other entries were not changed".to_owned(),
    };
    CliError::new(format!("{}: {fault}", escape_invisible(&source.label)), help).into()
}
