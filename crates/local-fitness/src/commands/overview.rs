//! `fitness found`

use super::recompute_stale;
use super::threshold::render_suggestions;
use crate::context::Context;
use crate::output::CommandOutput;
use crate::plural::pluralize;
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::athlete::ThresholdOrigin;
use fitness_core::domain::units::{Speed, TimeSpan, UnitSystem};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::metrics::{MissingReason, RequiredInput};
use fitness_store::{DataGap, MissingLoadReason, TrainingOverview};
use std::fmt::Write as _;

/// How many stretches without data are listed: the longest.
const MAX_LISTED_GAPS: usize = 3;

pub(super) async fn run(context: &Context) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    recompute_stale(&store, user.id).await?;
    let profile = store.profile(user.id).await?;
    let found = store.training_overview(user.id).await?;
    store.close().await;
    let Some(found) = found else {
        return Ok(CommandOutput::new("Nothing yet. Bring some data in with `fitness import PATH`.", &found));
    };
    let mut words = render_overview(&found, profile.units);
    if profile.sex.is_none() && found.without_load > 0 {
        words.push_str("`fitness profile set --sex female|male` lets heart rate say more about load.\n");
    }
    Ok(CommandOutput::new(words, &found))
}

fn render_overview(found: &TrainingOverview, units: UnitSystem) -> String {
    let mut words = format!("From {} to {}:\n\n", found.first, found.last);
    let years: Vec<[String; 5]> = (found.years.iter())
        .map(|year| {
            [
                year.year.to_string(),
                year.activities.to_string(),
                year.runs.to_string(),
                units.format_distance(year.run_distance).to_string(),
                year.time.format_hours_minutes(),
            ]
        })
        .collect();
    words.push_str(&table(["year", "activities", "runs", "run", "in training"], &years));
    if !found.bests.is_empty() {
        let bests: Vec<[String; 5]> = (found.bests.iter())
            .map(|best| {
                let pace = Speed::over(best.distance, best.time).and_then(Speed::pace);
                [
                    units.distance_name(best.distance),
                    best.time.format_clock(),
                    pace.map(|pace| units.format_pace(pace).to_string()).unwrap_or_default(),
                    best.day.to_string(),
                    format!("activity {}", best.activity),
                ]
            })
            .collect();
        let _ = write!(words, "\nYour fastest:\n\n{}", table(["distance", "time", "pace", "on", ""], &bests));
    }
    if !found.likely_races.is_empty() {
        let races: Vec<[String; 5]> = (found.likely_races.iter())
            .map(|race| {
                let a = &race.activity;
                [
                    race.id.to_string(),
                    race.day.to_string(),
                    a.distance.map(|d| units.format_distance(d).to_string()).unwrap_or_default(),
                    a.elapsed.map(TimeSpan::format_clock).unwrap_or_default(),
                    escape_invisible(a.name.as_deref().unwrap_or("")).to_string(),
                ]
            })
            .collect();
        let _ = write!(
            words,
            "\nThese look like races; `fitness race confirm ACTIVITY` or `fitness race decline ACTIVITY`:\n\n{}",
            table(["activity", "day", "distance", "time", "name"], &races)
        );
    }
    if !found.in_force.is_empty() {
        let limits: Vec<[String; 3]> = (found.in_force.iter())
            .map(|held| {
                let kind = held.threshold.kind;
                let origin = match held.threshold.origin {
                    _ if held.share_of.is_some() => {
                        format!("88 % of your highest, `fitness threshold set {kind} BEATS` says it")
                    }
                    ThresholdOrigin::Set => "you set it".to_owned(),
                    ThresholdOrigin::Reported => "your watch says so".to_owned(),
                    ThresholdOrigin::Estimated => format!("detected, `fitness threshold confirm {kind}`"),
                };
                [kind.label().to_owned(), kind.format_value(held.value(), units), origin]
            })
            .collect();
        let _ = write!(
            words,
            "\nLimits that loads are measured by:\n\n{}",
            table(["limit", "value", ""], &limits)
        );
    }
    words.push_str(&render_suggestions(&found.suggestions, units));
    if !found.gaps.is_empty() {
        words.push_str("\nNo data at all:\n");
        let days = |gap: &DataGap| gap.from.days_until(gap.through) + 1;
        let mut longest: Vec<&DataGap> = found.gaps.iter().collect();
        longest.sort_by_key(|gap| (std::cmp::Reverse(days(gap)), gap.from));
        longest.truncate(MAX_LISTED_GAPS);
        longest.sort_by_key(|gap| gap.from);
        for gap in longest {
            let _ = writeln!(words, "  {} to {}, {} days", gap.from, gap.through, days(gap));
        }
        let more = found.gaps.len().saturating_sub(MAX_LISTED_GAPS) as u64;
        if more > 0 {
            let _ = writeln!(
                words,
                "  and {}; --json lists them",
                pluralize(more, "shorter gap", "shorter gaps")
            );
        }
    }
    if found.without_load > 0 {
        let without = pluralize(found.without_load, "activity has", "activities have");
        let _ = writeln!(words, "\n{without} no load.");
        if let Some(MissingLoadReason { reason: why, activities }) = found.no_load.first() {
            let most = if *activities == found.without_load {
                "Why:".to_owned()
            } else {
                format!("Why, for {activities} of them:")
            };
            let _ = writeln!(words, "{most} {why}. {}", missing_help(why));
        }
    }
    words
}

/// What gives activities a load that have none for this reason.
fn missing_help(why: &MissingReason) -> &'static str {
    match why {
        MissingReason::Missing {
            need:
                RequiredInput::MaxHeartRate | RequiredInput::ThresholdHeartRate | RequiredInput::RestingHeartRate,
        } => "`fitness threshold set max_heart_rate BEATS --from DAY` says it.",
        MissingReason::Missing { need: RequiredInput::ThresholdSpeed } => {
            "`fitness threshold set threshold_speed PACE --from DAY` says it."
        }
        MissingReason::Missing { need: RequiredInput::ThresholdPower } => {
            "`fitness threshold set threshold_power WATTS --from DAY` says it."
        }
        MissingReason::Missing { need: RequiredInput::SwimSpeed } => {
            "`fitness threshold set swim_speed PACE --from DAY` says it."
        }
        MissingReason::Contradiction { .. } => {
            "`fitness threshold list` shows your limits; set the wrong one anew."
        }
        _ => {
            "`fitness activity rate ACTIVITY 0-10` says how hard one felt: with 15 that have both, that is a load."
        }
    }
}
