//! `fitness race`: results of races and time trials.

use super::activity::not_found_error;
use crate::cli::RaceCommand;
use crate::clock;
use crate::context::Context;
use crate::distance;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::metrics::MissingReason;
use fitness_core::metrics::predict::{Performance, ResultKind, official_distance};
use fitness_store::{Error, Race, RaceResult, RecordKind, StoredActivity};
use serde_json::json;
use std::fmt::Write as _;

pub(super) async fn run(context: &Context, command: RaceCommand) -> Result<CommandOutput> {
    match command {
        RaceCommand::List => list(context).await,
        RaceCommand::Confirm { activity, time, distance, name, time_trial } => {
            let (store, user) = context.open_for_user().await?;
            let units = store.profile(user.id).await?.units;
            let found = store
                .find_activity(user.id, activity)
                .await?
                .ok_or(Error::NotFound(RecordKind::Activity))
                .map_err(not_found_error(activity))?;
            let missing = |what: &str, flag: &str| {
                let message = format!("activity {activity} has no {what}");
                CliError::new(message, format!("add the official one with {flag}"))
            };
            let recorded = &found.activity;
            let distance = match distance {
                Some(text) => distance::parse_race_distance(&text, units)?,
                // A watch never measures a course exactly, so a standard distance is assumed.
                None => {
                    let measured = recorded.distance.ok_or_else(|| missing("distance", "--distance"))?;
                    official_distance(measured).unwrap_or(measured)
                }
            };
            let time = time.or(recorded.elapsed).ok_or_else(|| missing("time", "--time"))?;
            check_plausible(distance, time)?;
            let name = name.or_else(|| recorded.name.clone()).unwrap_or_else(|| "Race".to_owned());
            let result = RaceResult {
                activity: Some(activity),
                day: found.day,
                name,
                distance,
                time,
                effort: effort(time_trial),
            };
            let id = store.put_race(user.id, &result, clock::now()).await?;
            store.close().await;
            let words = format!(
                "{} {id}: {} in {} on {}. Undo with `fitness race remove {id}`.",
                effort_label(result.effort),
                units.format_distance(distance),
                time.format_clock(),
                result.day
            );
            Ok(CommandOutput::new(words, &json!({ "race_id": id, "result": result })))
        }
        RaceCommand::Decline { activity } => {
            let (store, user) = context.open_for_user().await?;
            store.decline_race(user.id, activity, clock::now()).await.map_err(not_found_error(activity))?;
            store.close().await;
            let words =
                format!("Activity {activity} is not a race. Undo with `fitness race confirm {activity}`.");
            Ok(CommandOutput::new(words, &json!({ "activity_id": activity })))
        }
        RaceCommand::Add { day, distance, time, name, time_trial } => {
            let (store, user) = context.open_for_user().await?;
            let profile = store.profile(user.id).await?;
            let distance = distance::parse_race_distance(&distance, profile.units)?;
            let now = clock::now();
            if day > Day::at(now, profile.zone) {
                return Err(CliError::new(
                    format!("{day} is in the future"),
                    "add the result after the race",
                )
                .into());
            }
            check_plausible(distance, time)?;
            let result = RaceResult { activity: None, day, name, distance, time, effort: effort(time_trial) };
            let id = store.put_race(user.id, &result, now).await?;
            store.close().await;
            let kind = effort_label(result.effort).to_lowercase();
            let words = format!("Saved as {kind} {id}. Undo with `fitness race remove {id}`.");
            Ok(CommandOutput::new(words, &json!({ "race_id": id, "result": result })))
        }
        RaceCommand::Remove { race } => {
            let (store, user) = context.open_for_user().await?;
            store.remove_race(user.id, race, clock::now()).await.map_err(|error| match error {
                Error::NotFound(_) => {
                    let help = "`fitness race list` lists your races";
                    CliError::new(format!("there is no race {race}"), help).into()
                }
                other => anyhow::Error::from(other),
            })?;
            store.close().await;
            Ok(CommandOutput::new(format!("Removed race {race}."), &json!({ "race_id": race })))
        }
    }
}

const fn effort(time_trial: bool) -> ResultKind {
    if time_trial { ResultKind::TimeTrial } else { ResultKind::Race }
}

const fn effort_label(effort: ResultKind) -> &'static str {
    match effort {
        ResultKind::Race => "Race",
        ResultKind::TimeTrial => "Time trial",
        ResultKind::Training => "Training",
    }
}

/// Rejects impossible results: thresholds, training load and predictions are based on them.
fn check_plausible(distance: Distance, time: TimeSpan) -> Result<()> {
    let Err(why) = Performance::new(distance, time) else { return Ok(()) };
    let message = match why {
        MissingReason::OutOfRange { what } => what,
        other => other.to_string(),
    };
    let help = "use the official distance, 400 m to 100 km, such as 10k or half, and the official time, such as 1:45:10";
    Err(CliError::new(message, help).into())
}

async fn list(context: &Context) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let units = store.profile(user.id).await?.units;
    let races = store.list_races(user.id).await?;
    super::refresh(&store, user.id).await?;
    let likely = store.likely_races(user.id).await?;
    store.close().await;
    let mut words = String::new();
    if races.is_empty() {
        words.push_str("No race results yet. Add one with `fitness race add DAY DISTANCE TIME NAME`.\n");
    } else {
        let row = |Race { id, result }: &Race| {
            [
                id.to_string(),
                result.day.to_string(),
                units.format_distance(result.distance).to_string(),
                result.time.format_clock(),
                match result.effort {
                    ResultKind::TimeTrial => format!("{} (time trial)", escape_invisible(&result.name)),
                    ResultKind::Race | ResultKind::Training => escape_invisible(&result.name).to_string(),
                },
            ]
        };
        let rows: Vec<_> = races.iter().map(row).collect();
        words.push_str(&table(["race", "day", "distance", "time", "name"], &rows));
    }
    if !likely.is_empty() {
        let row = |stored: &StoredActivity| {
            let a = &stored.activity;
            [
                stored.id.to_string(),
                stored.day.to_string(),
                a.distance.map(|d| units.format_distance(d).to_string()).unwrap_or_default(),
                a.elapsed.map(TimeSpan::format_clock).unwrap_or_default(),
                escape_invisible(a.name.as_deref().unwrap_or("")).to_string(),
            ]
        };
        let rows: Vec<_> = likely.iter().map(row).collect();
        write!(
            words,
            "\nThese look like races. Use `fitness race confirm ACTIVITY` or `fitness race decline ACTIVITY`:\n\n{}",
            table(["activity", "day", "distance", "time", "name"], &rows)
        )?;
    }
    Ok(CommandOutput::new(words, &json!({ "races": races, "likely": likely })))
}
