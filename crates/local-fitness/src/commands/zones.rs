//! `fitness zones`: training zones.

use super::refresh;
use super::thresholds::parse_error;
use crate::cli::ZonesCommand;
use crate::clock;
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::athlete::{ThresholdOrigin, ZoneKind};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::UnitSystem;
use fitness_core::metrics::zones::{DatedZones, ZonesInForce, zones_on};
use fitness_core::presentation::thresholds::{ZONE_SETS, zone_sport_label};
use fitness_store::Error;
use serde_json::json;

pub(super) async fn run(context: &Context, command: Option<ZonesCommand>) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let profile = store.profile(user.id).await?;
    let (units, today) = (profile.units, Day::at(clock::now(), profile.zone));
    let words = match command {
        None | Some(ZonesCommand::List { .. }) => None,
        Some(ZonesCommand::Set { kind, ref bounds, sport, from }) => {
            let (sport, from) = (sport.unwrap_or(Sport::Other), from.unwrap_or(today));
            kind.check_sport(sport).map_err(parse_error)?;
            if from > today {
                let message = format!("{from} is in the future");
                return Err(CliError::new(message, "use today or an earlier date").into());
            }
            let zones = kind.parse_zones(bounds.iter().map(String::as_str), units).map_err(parse_error)?;
            let shown = kind.format_zones(&zones, units);
            let dated = DatedZones { kind, sport, from, origin: ThresholdOrigin::Set, zones };
            store.put_zones(user.id, &dated, clock::now()).await?;
            Some(format!(
                "{} zones for {} as of {from}: {shown}. Time in zones of earlier days does not change.",
                kind_label(kind),
                zone_sport_label(sport)
            ))
        }
        Some(ZonesCommand::Remove { kind, from, sport }) => {
            let sport = sport.unwrap_or(Sport::Other);
            store.remove_zones(user.id, kind, sport, from, clock::now()).await.map_err(
                |error| match error {
                    Error::NotFound(_) => {
                        let of_sport = match sport {
                            Sport::Other => String::new(),
                            sport => format!(" for {sport}"),
                        };
                        let message =
                            format!("you have no {} zones{of_sport} that start on {from}", kind.label());
                        CliError::new(message, "`fitness zones --json` lists your zones under `all`").into()
                    }
                    other => anyhow::Error::from(other),
                },
            )?;
            Some(format!(
                "Removed your {} zones for {} that started on {from}.",
                kind.label(),
                zone_sport_label(sport)
            ))
        }
    };
    refresh(&store, user.id).await?;
    let (given, thresholds) = (store.list_zones(user.id).await?, store.list_thresholds(user.id).await?);
    store.close().await;
    let on = match command {
        Some(ZonesCommand::List { on: Some(day) }) => day,
        _ => today,
    };
    let held: Vec<ZonesInForce> = (ZONE_SETS.iter())
        .filter_map(|(kind, sport)| zones_on(on, *kind, *sport, &given, &thresholds))
        .collect();
    let words = words.unwrap_or_else(|| render_zones(&held, units));
    Ok(CommandOutput::new(words, &json!({ "day": on, "in_force": held, "all": given })))
}

fn render_zones(held: &[ZonesInForce], units: UnitSystem) -> String {
    if held.is_empty() {
        return "No zones yet. Set a threshold (`fitness thresholds list`), or zones, such as \
                `fitness zones set heart_rate 120,140,160,170`.\n"
            .to_owned();
    }
    let rows: Vec<[String; 5]> = (held.iter())
        .map(|one| {
            [
                one.kind.label().to_owned(),
                one.sport.to_string(),
                one.kind.format_zones(&one.zones, units),
                one.from.to_string(),
                one.origin_label(),
            ]
        })
        .collect();
    table(["zones", "sport", "bounds", "since", "source"], &rows)
}

const fn kind_label(kind: ZoneKind) -> &'static str {
    match kind {
        ZoneKind::HeartRate => "Heart rate",
        ZoneKind::Speed => "Pace",
        ZoneKind::Power => "Power",
    }
}
