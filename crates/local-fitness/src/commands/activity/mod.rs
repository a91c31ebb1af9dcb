//! `fitness activity`: list, correct, delete and rate activities; write original files.

mod show;
mod zones;

use super::refresh;
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
use fitness_core::domain::manual_activity::ManualActivity;
use fitness_core::domain::merge::{ActivityEditError, Edit};
use fitness_core::domain::note::Author;
use fitness_core::domain::observation::{ObservationData, ObservationKind};
use fitness_core::domain::units::{TimeSpan, UnitSystem};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::presentation::activity as presentation;
use fitness_core::presentation::names::sport_name;
use fitness_store::{Error, RecordKind, StoredActivity};
use serde_json::json;
use std::fmt::Write as _;
use std::path::Path;

pub(super) async fn run(context: &Context, command: ActivityCommand) -> Result<CommandOutput> {
    match command {
        ActivityCommand::List { from, through, limit } => list(context, from, through, limit).await,
        ActivityCommand::Show { activity } => show::show(context, activity).await,
        ActivityCommand::Add { day, sport, time, distance, start, name } => {
            let (store, user) = context.open_for_user().await?;
            let units = store.profile(user.id).await?.units;
            let distance =
                distance.map(|text| distance::parse_activity_distance(&text, units)).transpose()?;
            let entered = ManualActivity { sport, day, start, time, distance, name };
            let id = store.add_activity(user.id, &entered, clock::now()).await.map_err(add_error)?;
            refresh(&store, user.id).await?;
            store.close().await;
            let words = format!("Added activity {id}. Delete it with `fitness activity delete {id}`.");
            Ok(CommandOutput::new(words, &json!({ "activity_id": id })))
        }
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
                "Changed activity {activity}. Later imports keep this; undo with `fitness activity reset {activity}`."
            );
            Ok(CommandOutput::new(words, &json!({ "activity_id": activity })))
        }
        ActivityCommand::Reset { activity } => {
            let (store, user) = context.open_for_user().await?;
            store.reset_activity(user.id, activity, clock::now()).await.map_err(not_found_error(activity))?;
            store.close().await;
            let words = format!("Removed all corrections of activity {activity}.");
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
                    "`fitness activity delete` prints the id to restore",
                )
                .into(),
                other => anyhow::Error::from(other),
            })?;
            store.close().await;
            Ok(CommandOutput::new(
                format!("Restored activity {activity}."),
                &json!({ "activity_id": activity }),
            ))
        }
        ActivityCommand::Rate { activity, effort } => {
            let (store, user) = context.open_for_user().await?;
            let found = store
                .find_activity(user.id, activity)
                .await?
                .ok_or(Error::NotFound(RecordKind::Activity))
                .map_err(not_found_error(activity))?;
            let felt = ObservationData::new(ObservationKind::Rpe, found.day, found.day, Some(effort))?
                .for_activity(Some(activity));
            store.add_observation(user.id, Author::Athlete, &felt, clock::now()).await?;
            refresh(&store, user.id).await?;
            store.close().await;
            let words = format!(
                "Saved: activity {activity} felt like {effort} out of 10. Rate it again to change it."
            );
            Ok(CommandOutput::new(words, &json!({ "activity_id": activity, "effort": effort })))
        }
        ActivityCommand::Files { activity, to } => write_original_files(context, activity, &to).await,
    }
}

fn add_error(error: Error) -> anyhow::Error {
    match error {
        Error::ManualActivity(bad) => {
            let help = "check the day, the distance and the time; nothing was added";
            CliError::new(bad.to_string(), help).into()
        }
        other => other.into(),
    }
}

/// The message and help for an implausible correction.
fn edit_error(id: ActivityId, units: UnitSystem, error: Error) -> anyhow::Error {
    let Error::Edit(bad) = error else { return not_found_error(id)(error) };
    let (message, help) = match bad {
        ActivityEditError::TooFar { sport, distance, most } => (
            format!("{} is too far for {sport}", units.format_distance(distance)),
            format!("use --distance in {}, at most {}", unit_name(units), units.format_distance(most)),
        ),
        ActivityEditError::InvalidDuration { time, most } => (
            format!("{} is not a valid moving time", time.format_clock()),
            format!("use --moving with mm:ss or h:mm:ss, at most {}", most.format_clock()),
        ),
        ActivityEditError::TooFast { sport, distance, time } => (
            format!("{} in {} is too fast for {sport}", units.format_distance(distance), time.format_clock()),
            format!("correct both with --distance (in {}) and --moving, or change --sport", unit_name(units)),
        ),
        ActivityEditError::Rest => (bad.to_string(), format!("`fitness activity delete {id}` deletes it")),
    };
    CliError::new(message, help).into()
}

pub(super) fn not_found_error(id: ActivityId) -> impl Fn(Error) -> anyhow::Error {
    move |error| match error {
        Error::NotFound(_) => {
            let help = "`fitness activity list` lists your activities";
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
        let words = "No activities yet. Import some with `fitness import PATH`.";
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
            sport_name(a.sport, a.sub_sport.as_deref()),
            a.distance.map(|d| profile.units.format_distance_for(a.sport, d).to_string()).unwrap_or_default(),
            stored.training_time().map(TimeSpan::format_clock).unwrap_or_default(),
            presentation::load_with_method(stored.load, stored.load_method).unwrap_or_default(),
            title(stored),
        ]
    };
    let rows: Vec<_> = found.iter().map(row).collect();
    let mut words = table(["activity", "day", "sport", "distance", "time", "load", "name"], &rows);
    if matching > rows.len() {
        writeln!(words, "{} of {matching}; use --limit to see more", rows.len())?;
    } else if found.is_empty() {
        words = format!("No activities on these days; you have {count} in total.\n");
    }
    Ok(CommandOutput::new(words, &found))
}

/// The title with labels: race, damaged file, edited.
fn title(stored: &StoredActivity) -> String {
    let mut words = escape_invisible(stored.activity.name.as_deref().unwrap_or("")).to_string();
    let labels = [
        (stored.race, "race"),
        (stored.is_entered_by_hand(), "entered by hand"),
        (stored.flaws.iter().any(|flaw| flaw.is_damage()), "damaged file"),
        (stored.edited, "edited"),
    ];
    let labels: Vec<&str> =
        labels.into_iter().filter(|(applies, _)| *applies).map(|(_, label)| label).collect();
    if !labels.is_empty() {
        words = format!("{words} ({})", labels.join(", ")).trim_start().to_owned();
    }
    words
}

/// Never overwrites a different file.
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
        let help = "only imported or synced activities have original files";
        return Err(CliError::new("there are no original files", help).into());
    }
    std::fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
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
