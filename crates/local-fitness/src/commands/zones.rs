//! `fitness zones`

use super::settled;
use crate::args::ZonesCommand;
use crate::clock;
use crate::context::Context;
use crate::failure::Failure;
use crate::report::Report;
use crate::table::table;
use anyhow::Result;
use fitness_core::athlete::{ThresholdKind, ThresholdOrigin, ZoneKind, Zones};
use fitness_core::calendar::Day;
use fitness_core::metrics::zones::{DatedZones, HeldZones, ZoneSource, zones_on};
use fitness_core::sport::Sport;
use fitness_core::units::{Speed, TimeSpan, UnitSystem};
use fitness_store::Error;
use serde_json::json;

/// What is shown: everything that is divided for somebody who runs, rides and does other things.
const SHOWN: &[(ZoneKind, Sport)] = &[
    (ZoneKind::HeartRate, Sport::Running),
    (ZoneKind::HeartRate, Sport::Cycling),
    (ZoneKind::HeartRate, Sport::Swimming),
    (ZoneKind::HeartRate, Sport::Rowing),
    (ZoneKind::HeartRate, Sport::Strength),
    (ZoneKind::HeartRate, Sport::Other),
    (ZoneKind::Speed, Sport::Running),
    (ZoneKind::Power, Sport::Cycling),
];

pub(super) async fn run(context: &Context, command: Option<ZonesCommand>) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    let profile = store.profile(user.id).await?;
    let (units, today) = (profile.units, Day::at(clock::now(), profile.zone));
    let words = match command {
        None | Some(ZonesCommand::List { .. }) => None,
        Some(ZonesCommand::Set { kind, ref bounds, sport, from }) => {
            let (sport, from) = (sport.unwrap_or(Sport::Other), from.unwrap_or(today));
            divided(kind, sport)?;
            if from > today {
                let message = format!("{from} has not come yet");
                return Err(Failure::new(message, "zones hold from a day on that has").into());
            }
            let zones = parse(kind, bounds, units)?;
            let shown = show(kind, &zones, units);
            let dated = DatedZones { kind, sport, from, origin: ThresholdOrigin::Set, zones };
            store.put_zones(user.id, &dated, clock::now()).await?;
            Some(format!(
                "{} zones for {} begin at {shown} from {from} on. Zone times of earlier days stay as they were.",
                name(kind),
                whom(sport)
            ))
        }
        Some(ZonesCommand::Remove { kind, from, sport }) => {
            let sport = sport.unwrap_or(Sport::Other);
            store.remove_zones(user.id, kind, sport, from, clock::now()).await.map_err(
                |error| match error {
                    Error::NotFound(_) => {
                        let message =
                            format!("you set no {} zones for {} from {from}", lower(kind), whom(sport));
                        Failure::new(message, "`fitness zones --json` lists what you set, under `all`").into()
                    }
                    other => anyhow::Error::from(other),
                },
            )?;
            Some(format!("Forgot your {} zones for {} of {from}.", lower(kind), whom(sport)))
        }
    };
    settled(&store, user.id).await?;
    let (given, thresholds) = (store.list_zones(user.id).await?, store.list_thresholds(user.id).await?);
    store.close().await;
    let on = match command {
        Some(ZonesCommand::List { on: Some(day) }) => day,
        _ => today,
    };
    let held: Vec<HeldZones> =
        (SHOWN.iter()).filter_map(|(kind, sport)| zones_on(on, *kind, *sport, &given, &thresholds)).collect();
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
            let source = match one.source {
                ZoneSource::Set => "you set them".to_owned(),
                ZoneSource::Reported => "your watch says so".to_owned(),
                ZoneSource::Threshold => format!("from your {}", super::threshold::name(limit(one.kind))),
            };
            [
                lower(one.kind).to_owned(),
                one.sport.to_string(),
                show(one.kind, &one.zones, units),
                one.from.to_string(),
                source,
            ]
        })
        .collect();
    table(["zones", "sport", "begin at", "since", "how they are known"], &rows)
}

/// The limit whose division stands in for zones nobody gave.
const fn limit(kind: ZoneKind) -> ThresholdKind {
    match kind {
        ZoneKind::HeartRate => ThresholdKind::ThresholdHeartRate,
        ZoneKind::Speed => ThresholdKind::ThresholdSpeed,
        ZoneKind::Power => ThresholdKind::ThresholdPower,
    }
}

const fn name(kind: ZoneKind) -> &'static str {
    match kind {
        ZoneKind::HeartRate => "Heart rate",
        ZoneKind::Speed => "Pace",
        ZoneKind::Power => "Power",
    }
}

const fn lower(kind: ZoneKind) -> &'static str {
    match kind {
        ZoneKind::HeartRate => "heart rate",
        ZoneKind::Speed => "pace",
        ZoneKind::Power => "power",
    }
}

fn whom(sport: Sport) -> String {
    if sport == Sport::Other { "every sport without its own".to_owned() } else { sport.to_string() }
}

fn show(kind: ZoneKind, zones: &Zones, units: UnitSystem) -> String {
    let bound = |value: &f64| match kind {
        ZoneKind::Speed => super::threshold::show(ThresholdKind::ThresholdSpeed, *value, units),
        ZoneKind::HeartRate | ZoneKind::Power => format!("{value:.0}"),
    };
    let unit = match kind {
        ZoneKind::HeartRate => " bpm",
        ZoneKind::Power => " W",
        ZoneKind::Speed => "",
    };
    // The lowest zone of a divided threshold begins at nothing, which has no pace.
    let shown: Vec<String> = (zones.lower_bounds().iter())
        .map(|value| if *value > 0.0 || kind != ZoneKind::Speed { bound(value) } else { "0".to_owned() })
        .collect();
    format!("{}{unit}", shown.join(", "))
}

/// Pace is divided for runners, power for riders; heart rate for everybody.
fn divided(kind: ZoneKind, sport: Sport) -> Result<()> {
    let fits = match kind {
        ZoneKind::HeartRate => sport != Sport::Rest,
        ZoneKind::Speed => matches!(sport, Sport::Running | Sport::Other),
        ZoneKind::Power => matches!(sport, Sport::Cycling | Sport::Other),
    };
    if fits {
        return Ok(());
    }
    let help = "pace zones are for running, power zones for cycling, heart rate zones for any sport";
    Err(Failure::new(format!("there are no {} zones for {sport}", lower(kind)), help).into())
}

fn parse(kind: ZoneKind, bounds: &[String], units: UnitSystem) -> Result<Zones> {
    let (most, help) = match kind {
        ZoneKind::HeartRate => (250.0, "write beats per minute that rise, such as 120,140,160,170"),
        ZoneKind::Power => (3000.0, "write watts that rise, such as 0,140,190,225,260"),
        ZoneKind::Speed => (12.5, "write paces from slow to fast, such as 6:00,5:10,4:30"),
    };
    let bound = |text: &String| {
        let text = text.trim();
        let value = match kind {
            ZoneKind::Speed => {
                let time = text.parse().ok().filter(|time| *time > TimeSpan::ZERO);
                units
                    .length(1.0)
                    .zip(time)
                    .and_then(|(length, time)| Speed::over(length, time))
                    .map(Speed::mps)
            }
            ZoneKind::HeartRate | ZoneKind::Power => text.parse::<f64>().ok(),
        };
        value.filter(|value| (0.0..=most).contains(value))
    };
    let zones = bounds.iter().map(bound).collect::<Option<Vec<f64>>>().and_then(|all| Zones::new(all).ok());
    zones.ok_or_else(|| {
        Failure::new(format!("`{}` does not divide {}", bounds.join(","), lower(kind)), help).into()
    })
}
