//! `fitness activity show`: summary, metrics, zones, laps and sources of an activity.

use super::{not_found_error, title, zones};
use crate::commands::plan::workout;
use crate::commands::refresh;
use crate::context::Context;
use crate::output::CommandOutput;
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::athlete::ZoneKind;
use fitness_core::domain::ids::ActivityId;
use fitness_core::domain::source_record::ParseCounts;
use fitness_core::domain::units::TimeSpan;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::metrics::zones::zones_on;
use fitness_core::presentation::activity as presentation;
use fitness_core::presentation::names::sport_name;
use fitness_store::{Error, OriginalFile, RecordKind};
use serde_json::json;
use std::fmt::Write as _;

pub(super) async fn show(context: &Context, id: ActivityId) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let units = store.profile(user.id).await?.units;
    refresh(&store, user.id).await?;
    let stored = store
        .find_activity(user.id, id)
        .await?
        .ok_or(Error::NotFound(RecordKind::Activity))
        .map_err(not_found_error(id))?;
    let reports = store.list_source_records(user.id, id).await?;
    let originals = store.list_activity_originals(user.id, id).await?;
    let recording = store.find_recording(user.id, id).await?;
    let details = store.find_details(user.id, id).await?.unwrap_or_default();
    let metrics = store.find_activity_metrics(user.id, id).await?;
    let legs = store.list_multisport_legs(user.id, id).await?;
    let session = workout::render_for_activity(&store, &user, &stored, units).await?;
    let (given, thresholds) = (store.list_zones(user.id).await?, store.list_thresholds(user.id).await?);
    store.close().await;
    let sport = stored.activity.sport;
    let held = |kind| zones_on(stored.day, kind, sport, &given, &thresholds).map(|held| held.zones);
    let divided = ZoneKind::ALL.iter().map(|kind| (*kind, held(*kind))).collect::<Vec<_>>();
    let mut words = format!(
        "{} {} {}\n",
        stored.day,
        sport_name(stored.activity.sport, stored.activity.sub_sport.as_deref()),
        title(&stored)
    );
    let measures = metrics.as_ref().map(|(measures, _)| measures);
    for (label, value) in presentation::summary_rows(&stored.activity, measures, units) {
        writeln!(words, "  {label:<18}{value}")?;
    }
    if let Some((measures, judged)) = &metrics {
        for (label, value) in presentation::metric_rows(measures, judged.as_ref(), units) {
            writeln!(words, "  {label:<18}{value}")?;
        }
        if let Some(judged) = judged {
            words.push_str(&zones::render_zone_times(judged, &divided, units));
        }
    }
    for (label, value) in presentation::device_metric_rows(&stored.activity, recording.as_ref()) {
        writeln!(words, "  {label:<18}{value}")?;
    }
    if let Some(recording) = &recording {
        let channels: Vec<String> =
            recording.columns().map(|(channel, _)| channel.as_str().replace('_', " ")).collect();
        writeln!(
            words,
            "  {:<18}{} samples of {}",
            "recording",
            recording.offsets_ms().len(),
            channels.join(", ")
        )?;
    }
    for (what, count) in [
        ("lengths", details.lengths.len()),
        ("sets", details.sets.len()),
        ("heartbeats", details.rr_ms.len()),
    ] {
        if count > 0 {
            writeln!(words, "  {what:<18}{count}")?;
        }
    }
    if !legs.is_empty() {
        let names: Vec<String> =
            legs.iter().map(|leg| format!("{} ({})", leg.activity.leg_label(), leg.id)).collect();
        writeln!(words, "  {:<18}{}", "multisport", names.join(", "))?;
    }
    let sources: Vec<&str> = reports.iter().map(|(key, _)| key.kind.label()).collect();
    writeln!(words, "  {:<18}{}", "source", sources.join(", "))?;
    let mut counts = ParseCounts::default();
    reports.iter().for_each(|(_, summary)| counts.add(summary.counts));
    for sentence in counts.sentences() {
        writeln!(words, "  {:<18}{sentence}", "corrections")?;
    }
    for OriginalFile { name, .. } in &originals {
        writeln!(words, "  {:<18}{}", "file", escape_invisible(name))?;
    }
    if !stored.activity.laps.is_empty() {
        let rows: Vec<_> = (1..)
            .zip(&stored.activity.laps)
            .map(|(number, lap): (usize, _)| {
                [
                    number.to_string(),
                    lap.distance.map(|d| units.format_distance_for(sport, d).to_string()).unwrap_or_default(),
                    lap.moving.or(lap.elapsed).map(TimeSpan::format_clock).unwrap_or_default(),
                    lap.avg_heart_rate.map(|bpm| bpm.to_string()).unwrap_or_default(),
                    lap.kind_label().map(|kind| escape_invisible(&kind).to_string()).unwrap_or_default(),
                ]
            })
            .collect();
        write!(words, "\n{}", table(["lap", "distance", "time", "heart rate", ""], &rows))?;
    }
    let (steps, session) = session.unzip();
    words.push_str(&steps.unwrap_or_default());
    let keys: Vec<String> = reports.iter().map(|(key, _)| key.to_string()).collect();
    let (measures, judged) = metrics.unzip();
    Ok(CommandOutput::new(
        words,
        &json!({ "activity": stored, "reports": keys, "parse_counts": counts, "originals": originals, "details": details,
            "legs": legs.iter().map(|leg| json!({ "id": leg.id, "name": leg.activity.leg_label() })).collect::<Vec<_>>(),
            "measures": measures, "judged": judged.flatten(), "session": session,
            "zones": divided.into_iter().map(|(kind, zones)| (kind.to_string(), json!(zones)))
                .collect::<serde_json::Map<_, _>>() }),
    ))
}
