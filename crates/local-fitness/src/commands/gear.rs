//! `fitness gear`: shoes and other equipment with their distance.

use super::activity::not_found_error;
use crate::cli::{GearChoice, GearCommand};
use crate::clock;
use crate::context::Context;
use crate::distance;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::gear::{GearDefault, GearDetails, GearUse};
use fitness_core::domain::ids::GearId;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, UnitSystem};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::{Error, RecordKind};
use serde_json::json;
use std::fmt::Write as _;

pub(super) async fn run(context: &Context, command: GearCommand) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let profile = store.profile(user.id).await?;
    let (now, units) = (clock::now(), profile.units);
    let today = Day::at(now, profile.zone);
    let output = match command {
        GearCommand::List => {
            let all = store.list_gear(user.id, today).await?;
            CommandOutput::new(render_list(&all, units), &all)
        }
        GearCommand::Add { name, kind, initial, retire_at, default_for } => {
            let read = |text: Option<String>| {
                text.map(|text| distance::parse_activity_distance(&text, units)).transpose()
            };
            let details = GearDetails {
                kind,
                name,
                initial: read(initial)?.unwrap_or(Distance::ZERO),
                retire_at: read(retire_at)?.or(kind.default_retire_at()),
            };
            let id = store.add_gear(user.id, &details, now).await.map_err(gear_error)?;
            if let Some(sport) = default_for {
                let default = GearDefault { sport: trained(sport)?, from: today, gear: Some(id) };
                store.set_default_gear(user.id, default, now).await?;
            }
            let words = format!("Added gear {id}. Delete it with `fitness gear delete {id}`.");
            CommandOutput::new(words, &json!({ "gear_id": id }))
        }
        GearCommand::Default { sport, gear: GearChoice(gear), from } => {
            let default = GearDefault { sport: trained(sport)?, from: from.unwrap_or(today), gear };
            store.set_default_gear(user.id, default, now).await.map_err(gear_error)?;
            let words = match gear {
                Some(id) => format!("From {} on, {sport} uses gear {id}.", default.from),
                None => format!("From {} on, {sport} has no default gear.", default.from),
            };
            CommandOutput::new(words, &default)
        }
        GearCommand::Assign { activity, gear: GearChoice(gear) } => {
            store.assign_gear(user.id, activity, gear, now).await.map_err(|error| match error {
                Error::NotFound(RecordKind::Activity) => not_found_error(activity)(error),
                other => gear_error(other),
            })?;
            let words = format!("Saved the gear of activity {activity}.");
            CommandOutput::new(words, &json!({ "activity_id": activity, "gear_id": gear }))
        }
        GearCommand::Retire { gear, on } => {
            let day = on.unwrap_or(today);
            store.retire_gear(user.id, gear, Some(day), now).await.map_err(gear_error)?;
            let words = format!("Retired gear {gear}. Undo with `fitness gear reuse {gear}`.");
            CommandOutput::new(words, &json!({ "gear_id": gear, "retired_on": day }))
        }
        GearCommand::Reuse { gear } => {
            store.retire_gear(user.id, gear, None, now).await.map_err(gear_error)?;
            CommandOutput::new(format!("Gear {gear} is in use."), &json!({ "gear_id": gear }))
        }
        GearCommand::Delete { gear } => {
            store.delete_gear(user.id, gear, now).await.map_err(gear_error)?;
            CommandOutput::new(format!("Deleted gear {gear}."), &json!({ "gear_id": gear }))
        }
    };
    store.close().await;
    Ok(output)
}

/// Rest is a sport of planned workouts only.
fn trained(sport: Sport) -> Result<Sport> {
    if sport == Sport::Rest {
        return Err(CliError::new("rest needs no gear", "choose another sport, such as running").into());
    }
    Ok(sport)
}

fn gear_error(error: Error) -> anyhow::Error {
    match error {
        Error::NotFound(_) => {
            CliError::new("there is no such gear", "`fitness gear list` lists your gear").into()
        }
        Error::Gear(bad) => CliError::new(bad.to_string(), "change the value and try again").into(),
        other => other.into(),
    }
}

fn render_list(all: &[GearUse], units: UnitSystem) -> String {
    if all.is_empty() {
        return "No gear yet. Add shoes with `fitness gear add NAME --default-for running`.".to_owned();
    }
    let id = |id: GearId| id.to_string();
    let rows: Vec<[String; 5]> = all
        .iter()
        .map(|used| {
            let gear = &used.gear;
            let most = gear.details.retire_at.map(|most| format!(" of {}", units.format_distance(most)));
            let sports: Vec<&str> = used.default_for.iter().map(|sport| sport.as_str()).collect();
            let state = match gear.retired_on {
                Some(day) => format!("retired {day}"),
                None if sports.is_empty() => String::new(),
                None => format!("default for {}", sports.join(", ")),
            };
            [
                id(gear.id),
                escape_invisible(&gear.details.name).to_string(),
                gear.details.kind.to_string(),
                format!("{}{}", units.format_distance(used.distance), most.unwrap_or_default()),
                state,
            ]
        })
        .collect();
    let mut words = table(["id", "name", "kind", "distance", ""], &rows);
    for used in all.iter().filter(|used| used.is_due()) {
        let name = escape_invisible(&used.gear.details.name);
        writeln!(words, "Time to replace {name}? It has {}.", units.format_distance(used.distance))
            .expect("writing to a string cannot fail");
    }
    words
}
