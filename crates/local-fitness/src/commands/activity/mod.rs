//! `fitness activity`

mod show;
mod zones;

use super::recompute_stale;
use crate::cli::ActivityCommand;
use crate::clock;
use crate::context::Context;
use crate::distance::{self, unit_name};
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::plural::pluralize;
use crate::table::table;
use anyhow::{Context as _, Result};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::ActivityId;
use fitness_core::domain::merge::{ActivityEditError, Edit};
use fitness_core::domain::note::Author;
use fitness_core::domain::observation::{ObservationData, ObservationKind};
use fitness_core::domain::units::{TimeSpan, UnitSystem};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::{Error, StoredActivity};
use serde_json::json;
use std::fmt::Write as _;
use std::path::Path;

pub(super) async fn run(context: &Context, command: ActivityCommand) -> Result<CommandOutput> {
    match command {
        ActivityCommand::List { from, through, limit } => list(context, from, through, limit).await,
        ActivityCommand::Show { activity } => show::show(context, activity).await,
        ActivityCommand::Edit { activity, name, sport, distance, moving } => {
            let (store, user) = context.open_for_user().await?;
            let units = store.profile(user.id).await?.units;
            let distance =
                distance.map(|text| distance::parse_activity_distance(&text, units)).transpose()?;
            let edit = Edit { name, sport, distance, elapsed: None, moving };
            let done = store.edit_activity(user.id, activity, edit, clock::now()).await;
            done.map_err(|error| edit_error(activity, units, error))?;
            store.close().await;
            let words = format!(
                "Changed activity {activity}. No import undoes this; `fitness activity reset {activity}` does."
            );
            Ok(CommandOutput::new(words, &json!({ "activity_id": activity })))
        }
        ActivityCommand::Reset { activity } => {
            let (store, user) = context.open_for_user().await?;
            store.reset_activity(user.id, activity, clock::now()).await.map_err(not_found_error(activity))?;
            store.close().await;
            let words = format!("Activity {activity} is again what its sources say.");
            Ok(CommandOutput::new(words, &json!({ "activity_id": activity })))
        }
        ActivityCommand::Delete { activity } => {
            let (store, user) = context.open_for_user().await?;
            store
                .delete_activity(user.id, activity, clock::now())
                .await
                .map_err(not_found_error(activity))?;
            store.close().await;
            let words =
                format!("Deleted activity {activity}. Undo with `fitness activity restore {activity}`.");
            Ok(CommandOutput::new(words, &json!({ "activity_id": activity })))
        }
        ActivityCommand::Restore { activity } => {
            let (store, user) = context.open_for_user().await?;
            store.restore_activity(user.id, activity, clock::now()).await.map_err(|error| match error {
                Error::NotFound(_) => CliError::new(
                    format!("there is no deleted activity {activity}"),
                    "deleting prints the number that brings it back",
                )
                .into(),
                other => anyhow::Error::from(other),
            })?;
            store.close().await;
            Ok(CommandOutput::new(
                format!("Activity {activity} is back."),
                &json!({ "activity_id": activity }),
            ))
        }
        ActivityCommand::Rate { activity, effort } => {
            let (store, user) = context.open_for_user().await?;
            let found = store
                .find_activity(user.id, activity)
                .await?
                .ok_or(Error::NotFound("activity"))
                .map_err(not_found_error(activity))?;
            let felt = ObservationData::new(ObservationKind::Rpe, found.day, found.day, Some(effort))?
                .for_activity(Some(activity));
            store.add_observation(user.id, Author::Athlete, &felt, clock::now()).await?;
            recompute_stale(&store, user.id).await?;
            store.close().await;
            let words =
                format!("Noted: activity {activity} felt like {effort} of 10. Say it again to change it.");
            Ok(CommandOutput::new(words, &json!({ "activity_id": activity, "effort": effort })))
        }
        ActivityCommand::Files { activity, to } => write_original_files(context, activity, &to).await,
    }
}

/// What nobody can have done, with what to change about it.
fn edit_error(id: ActivityId, units: UnitSystem, error: Error) -> anyhow::Error {
    let Error::Edit(bad) = error else { return not_found_error(id)(error) };
    let (message, help) = match bad {
        ActivityEditError::TooFar { sport, distance, most } => (
            format!("no session of {sport} is {} long", units.format_distance(distance)),
            format!("write --distance in {}, at most {}", unit_name(units), units.format_distance(most)),
        ),
        ActivityEditError::InvalidDuration { time, most } => (
            format!("no session takes {}", time.format_clock()),
            format!(
                "write --moving as minutes and seconds or hours, minutes and seconds, at most {}",
                most.format_clock()
            ),
        ),
        ActivityEditError::TooFast { sport, distance, time } => (
            format!(
                "{} in {} is faster than anybody goes in {sport}",
                units.format_distance(distance),
                time.format_clock()
            ),
            format!(
                "correct both with --distance (in {}) and --moving, or name another --sport",
                unit_name(units)
            ),
        ),
        ActivityEditError::Rest => {
            (bad.to_string(), format!("`fitness activity delete {id}` takes it out of everything"))
        }
    };
    CliError::new(message, help).into()
}

pub(super) fn not_found_error(id: ActivityId) -> impl Fn(Error) -> anyhow::Error {
    move |error| match error {
        Error::NotFound(_) => {
            let help = "`fitness activity list` shows your activities";
            CliError::new(format!("there is no activity {id}"), help).into()
        }
        other => other.into(),
    }
}

async fn list(
    context: &Context,
    from: Option<Day>,
    through: Option<Day>,
    limit: usize,
) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let profile = store.profile(user.id).await?;
    let (count, span) = store.count_activities(user.id).await?;
    let Some((first, last)) = span else {
        store.close().await;
        let words = "No activities yet. Bring some in with `fitness import PATH`.";
        return Ok(CommandOutput::new(words, &Vec::<StoredActivity>::new()));
    };
    let mut found = store.list_activities(user.id, from.unwrap_or(first), through.unwrap_or(last)).await?;
    store.close().await;
    found.reverse();
    let matching = found.len();
    found.truncate(limit);
    let row = |stored: &StoredActivity| {
        let a = &stored.activity;
        [
            stored.id.to_string(),
            stored.day.to_string(),
            a.sport.to_string(),
            a.distance.map(|d| profile.units.format_distance_for(a.sport, d).to_string()).unwrap_or_default(),
            a.training_time().map(TimeSpan::format_clock).unwrap_or_default(),
            title(stored),
        ]
    };
    let rows: Vec<_> = found.iter().map(row).collect();
    let mut words = table(["activity", "day", "sport", "distance", "time", "name"], &rows);
    if matching > rows.len() {
        writeln!(words, "{} of {matching}; --limit shows more", rows.len())?;
    } else if found.is_empty() {
        words = format!("None of your {count} activities is from these days.\n");
    }
    Ok(CommandOutput::new(words, &found))
}

/// An activity's title with what there is to know about it at a glance.
fn title(stored: &StoredActivity) -> String {
    let mut words = escape_invisible(stored.activity.name.as_deref().unwrap_or("")).to_string();
    let marks = [
        (stored.race, "race"),
        (stored.flaws.iter().any(|flaw| flaw.is_damage()), "damaged file"),
        (stored.edited, "edited"),
    ];
    let marks: Vec<&str> = marks.into_iter().filter(|(so, _)| *so).map(|(_, word)| word).collect();
    if !marks.is_empty() {
        words = format!("{words} ({})", marks.join(", ")).trim_start().to_owned();
    }
    words
}

/// Writes kept files into a folder, never over another file.
async fn write_original_files(
    context: &Context,
    activity: Option<ActivityId>,
    to: &Path,
) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let originals = match activity {
        Some(id) => store.list_activity_originals(user.id, id).await?,
        None => store.list_originals(user.id, 0, u32::MAX.into()).await?,
    };
    if originals.is_empty() {
        let help = "only files that were imported or synced can be written";
        return Err(CliError::new("there are no original files", help).into());
    }
    std::fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    let mut written = Vec::new();
    for original in &originals {
        let bytes = store.read_original(user.id, original.sha256).await?;
        let name = original.file_name();
        let path = to.join(&name);
        if path.exists() && std::fs::read(&path).is_ok_and(|there| there == bytes) {
            written.push(name);
            continue;
        }
        let mut file = std::fs::File::create_new(&path).map_err(|error| {
            CliError::new(
                format!("cannot write {}: {error}", path.display()),
                "choose an empty folder with --to",
            )
        })?;
        std::io::Write::write_all(&mut file, &bytes)
            .with_context(|| format!("cannot write {}", path.display()))?;
        written.push(name);
    }
    store.close().await;
    let words = format!("Wrote {} to {}.", pluralize(written.len() as u64, "file", "files"), to.display());
    Ok(CommandOutput::new(words, &json!({ "files": written })))
}
