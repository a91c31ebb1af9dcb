//! `fitness zones`

use super::settled;
use super::threshold::misread;
use crate::cli::ZonesCommand;
use crate::clock;
use crate::context::Context;
use crate::error::Failure;
use crate::output::Report;
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::athlete::{ThresholdOrigin, ZoneKind};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::UnitSystem;
use fitness_core::metrics::zones::{DatedZones, HeldZones, zones_on};
use fitness_core::presentation::thresholds::{DIVISIONS, for_whom};
use fitness_store::Error;
use serde_json::json;

pub(super) async fn run(context: &Context, command: Option<ZonesCommand>) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    let profile = store.profile(user.id).await?;
    let (units, today) = (profile.units, Day::at(clock::now(), profile.zone));
    let words = match command {
        None | Some(ZonesCommand::List { .. }) => None,
        Some(ZonesCommand::Set { kind, ref bounds, sport, from }) => {
            let (sport, from) = (sport.unwrap_or(Sport::Other), from.unwrap_or(today));
            kind.divides(sport).map_err(misread)?;
            if from > today {
                let message = format!("{from} has not come yet");
                return Err(Failure::new(message, "zones hold from a day on that has").into());
            }
            let zones = kind.read(bounds.iter().map(String::as_str), units).map_err(misread)?;
            let shown = kind.show(&zones, units);
            let dated = DatedZones { kind, sport, from, origin: ThresholdOrigin::Set, zones };
            store.put_zones(user.id, &dated, clock::now()).await?;
            Some(format!(
                "{} zones for {} begin at {shown} from {from} on. Zone times of earlier days stay as they were.",
                name(kind),
                for_whom(sport)
            ))
        }
        Some(ZonesCommand::Remove { kind, from, sport }) => {
            let sport = sport.unwrap_or(Sport::Other);
            store.remove_zones(user.id, kind, sport, from, clock::now()).await.map_err(
                |error| match error {
                    Error::NotFound(_) => {
                        let message =
                            format!("you set no {} zones for {} from {from}", kind.called(), for_whom(sport));
                        Failure::new(message, "`fitness zones --json` lists what you set, under `all`").into()
                    }
                    other => anyhow::Error::from(other),
                },
            )?;
            Some(format!("Forgot your {} zones for {} of {from}.", kind.called(), for_whom(sport)))
        }
    };
    settled(&store, user.id).await?;
    let (given, thresholds) = (store.list_zones(user.id).await?, store.list_thresholds(user.id).await?);
    store.close().await;
    let on = match command {
        Some(ZonesCommand::List { on: Some(day) }) => day,
        _ => today,
    };
    let held: Vec<HeldZones> = (DIVISIONS.iter())
        .filter_map(|(kind, sport)| zones_on(on, *kind, *sport, &given, &thresholds))
        .collect();
    let words = words.unwrap_or_else(|| list(&held, units));
    Ok(Report::new(words, &json!({ "day": on, "in_force": held, "all": given })))
}

fn list(held: &[HeldZones], units: UnitSystem) -> String {
    if held.is_empty() {
        return "No zones yet: they need a limit (`fitness threshold list`), or set them with \
                `fitness zones set heart_rate 120,140,160,170`.\n"
            .to_owned();
    }
    let rows: Vec<[String; 5]> = (held.iter())
        .map(|one| {
            [
                one.kind.called().to_owned(),
                one.sport.to_string(),
                one.kind.show(&one.zones, units),
                one.from.to_string(),
                one.known_how(),
            ]
        })
        .collect();
    table(["zones", "sport", "begin at", "since", "how they are known"], &rows)
}

const fn name(kind: ZoneKind) -> &'static str {
    match kind {
        ZoneKind::HeartRate => "Heart rate",
        ZoneKind::Speed => "Pace",
        ZoneKind::Power => "Power",
    }
}
