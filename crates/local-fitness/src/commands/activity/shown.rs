//! `fitness activity show`: what an activity is and what it meant.

use super::{title, unknown, zones};
use crate::commands::plan::steps;
use crate::commands::settled;
use crate::context::Context;
use crate::distance;
use crate::report::Report;
use crate::table::table;
use anyhow::Result;
use fitness_core::activity::Activity;
use fitness_core::athlete::ZoneKind;
use fitness_core::ids::ActivityId;
use fitness_core::metrics::Quality;
use fitness_core::metrics::analysis::{Judged, Measures};
use fitness_core::metrics::load::LoadMethod;
use fitness_core::metrics::zones::zones_on;
use fitness_core::sport::Sport;
use fitness_core::text::visible;
use fitness_core::units::{Speed, TimeSpan, UnitSystem};
use fitness_store::{Error, Original};
use serde_json::json;
use std::fmt::Write as _;

pub(super) async fn show(context: &Context, id: ActivityId) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    let units = store.profile(user.id).await?.units;
    settled(&store, user.id).await?;
    let stored =
        store.find_activity(user.id, id).await?.ok_or(Error::NotFound("activity")).map_err(unknown(id))?;
    let reports = store.list_reports(user.id, id).await?;
    let originals = store.originals_of(user.id, id).await?;
    let recording = store.find_recording(user.id, id).await?;
    let details = store.find_details(user.id, id).await?.unwrap_or_default();
    let metrics = store.find_metrics(user.id, id).await?;
    let session = steps::of_activity(&store, &user, &stored, units).await?;
    let (given, thresholds) = (store.list_zones(user.id).await?, store.list_thresholds(user.id).await?);
    store.close().await;
    let sport = stored.activity.sport;
    let held = |kind| zones_on(stored.day, kind, sport, &given, &thresholds).map(|held| held.zones);
    let divided = ZoneKind::ALL.iter().map(|kind| (*kind, held(*kind))).collect::<Vec<_>>();
    let mut words = format!("{} {} {}\n", stored.day, stored.activity.sport, title(&stored));
    for (label, value) in lines(&stored.activity, units) {
        writeln!(words, "  {label:<12}{value}")?;
    }
    if let Some((measures, judged)) = &metrics {
        for (label, value) in means(measures, judged.as_ref(), units) {
            writeln!(words, "  {label:<12}{value}")?;
        }
        if let Some(judged) = judged {
            words.push_str(&zones::tell(judged, &divided, units));
        }
    }
    if let Some(recording) = &recording {
        let channels: Vec<&str> = recording.columns().map(|(channel, _)| channel.as_str()).collect();
        writeln!(
            words,
            "  {:<12}{} moments of {}",
            "recorded",
            recording.moments().len(),
            channels.join(", ")
        )?;
    }
    for (what, count) in [
        ("lengths", details.lengths.len()),
        ("sets", details.sets.len()),
        ("heartbeats", details.rr_ms.len()),
    ] {
        if count > 0 {
            writeln!(words, "  {what:<12}{count}")?;
        }
    }
    let sources: Vec<String> = reports.iter().map(|(key, _)| key.kind.to_string()).collect();
    writeln!(words, "  {:<12}{}", "told by", sources.join(", "))?;
    for Original { name, .. } in &originals {
        writeln!(words, "  {:<12}{}", "file", visible(name))?;
    }
    if !stored.activity.laps.is_empty() {
        let rows: Vec<_> = (1..)
            .zip(&stored.activity.laps)
            .map(|(number, lap): (usize, _)| {
                [
                    number.to_string(),
                    lap.distance.map(|d| units.distance_of(sport, d).to_string()).unwrap_or_default(),
                    lap.moving.or(lap.elapsed).map(TimeSpan::clock).unwrap_or_default(),
                    lap.avg_heart_rate.map(|bpm| bpm.to_string()).unwrap_or_default(),
                    lap.kind.as_deref().map(|kind| visible(kind).to_string()).unwrap_or_default(),
                ]
            })
            .collect();
        write!(words, "\n{}", table(["lap", "distance", "time", "heart rate", ""], &rows))?;
    }
    let (told, session) = session.unzip();
    words.push_str(&told.unwrap_or_default());
    let keys: Vec<String> = reports.iter().map(|(key, _)| key.to_string()).collect();
    let (measures, judged) = metrics.unzip();
    Ok(Report::new(
        words,
        &json!({ "activity": stored, "reports": keys, "originals": originals, "details": details,
            "measures": measures, "judged": judged.flatten(), "session": session,
            "zones": divided.into_iter().map(|(kind, zones)| (kind.to_string(), json!(zones)))
                .collect::<serde_json::Map<_, _>>() }),
    ))
}

/// What an activity meant: its load and how that was found, and what its samples say.
fn means(measures: &Measures, judged: Option<&Judged>, units: UnitSystem) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    if let Some(judged) = judged {
        let load = match &judged.load {
            Ok(load) if load.quality == Quality::Ok => {
                format!("{:.0} by {}", load.value, spoken(load.method))
            }
            Ok(load) => format!("{:.0} by {} ({})", load.value, spoken(load.method), load.quality.spoken()),
            Err(why) => format!("none: {why}"),
        };
        lines.push(("load", load));
    }
    if let Ok(speed) = &measures.speed
        && let Ok(normalized) = &speed.normalized
        && let Some(pace) = Speed::from_mps(normalized.mean).and_then(Speed::pace)
        && speed.graded
    {
        lines.push(("on the flat", format!("{}, had the way been level", units.pace(pace))));
    }
    if let Ok(power) = &measures.power
        && let Ok(normalized) = &power.normalized
    {
        lines.push(("normalized", format!("{:.0} W", normalized.value)));
    }
    if let Ok(decoupling) = &measures.decoupling {
        lines.push(("decoupling", format!("{:+.1} %", decoupling.percent)));
    }
    if !measures.efforts.is_empty() {
        let told = |effort: &fitness_core::metrics::efforts::Effort| {
            format!("{} in {}", distance::name(effort.distance, units), effort.time.clock())
        };
        let shortest = match units {
            UnitSystem::Metric => 1_000_000,
            UnitSystem::Imperial => 1_609_344,
        };
        let usual = [shortest, 5_000_000, 10_000_000, 21_097_500, 42_195_000];
        let best: Vec<String> = measures
            .efforts
            .iter()
            .filter(|effort| usual.contains(&effort.distance.mm()))
            .map(told)
            .collect();
        if !best.is_empty() {
            lines.push(("fastest", best.join(", ")));
        }
    }
    lines
}

const fn spoken(method: LoadMethod) -> &'static str {
    match method {
        LoadMethod::Power => "power",
        LoadMethod::Pace => "pace",
        LoadMethod::HeartRate => "heart rate",
        LoadMethod::EdwardsRatio => "heart rate zones",
        LoadMethod::SwimPace => "swim pace",
        LoadMethod::PerceivedExertion => "how it felt",
    }
}

fn lines(a: &Activity, units: UnitSystem) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let mut line = |label, value: Option<String>| lines.extend(value.map(|value| (label, value)));
    line("kind", a.sub_sport.as_deref().map(|kind| visible(kind).to_string()));
    line("distance", a.distance.map(|d| units.distance_of(a.sport, d).to_string()));
    line("moving", a.moving.map(TimeSpan::clock));
    line("elapsed", a.elapsed.map(TimeSpan::clock));
    let speed = a.distance.zip(a.training_time()).and_then(|(d, t)| Speed::over(d, t));
    let label = if a.sport == Sport::Cycling { "speed" } else { "pace" };
    line(label, speed.and_then(|speed| units.speed_of(a.sport, speed)).map(|shown| shown.to_string()));
    line(
        "heart rate",
        a.avg_heart_rate.map(|bpm| match a.max_heart_rate {
            Some(max) => format!("{bpm}, highest {max}"),
            None => bpm.to_string(),
        }),
    );
    line("power", a.avg_power.map(|watts| format!("{watts} W")));
    line("cadence", a.avg_cadence.map(|cadence| format!("{cadence:.0}")));
    line("climbed", a.ascent.map(|ascent| units.climb(ascent).to_string()));
    line("energy", a.energy_kcal.map(|kcal| format!("{kcal} kcal")));
    line("device", a.device.as_deref().map(|device| visible(device).to_string()));
    lines
}
