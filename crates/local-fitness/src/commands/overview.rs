//! `fitness overview`: years, bests, likely races, thresholds and gaps in the data.

use super::refresh;
use super::thresholds::render_suggestions;
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

/// Only the longest gaps are listed.
const MAX_LISTED_GAPS: usize = 3;

pub(super) async fn run(context: &Context) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    refresh(&store, user.id).await?;
    let profile = store.profile(user.id).await?;
    let found = store.training_overview(user.id).await?;
    store.close().await;
    let Some(found) = found else {
        return Ok(CommandOutput::new("No data yet. Import some with `fitness import PATH`.", &found));
    };
    let mut words = render_overview(&found, profile.units);
    if profile.sex.is_none() && found.without_load > 0 {
        words.push_str("Set your sex with `fitness profile set --sex female|male` to compute more training load from heart rate.\n");
    }
    Ok(CommandOutput::new(words, &found))
}

fn render_overview(found: &TrainingOverview, units: UnitSystem) -> String {
    let mut words = format!("{} to {}:\n\n", found.first, found.last);
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
    words.push_str(&table(["year", "activities", "runs", "running", "training time"], &years));
    if !found.bests.is_empty() {
        let bests: Vec<[String; 5]> = (found.bests.iter())
            .map(|best| {
                let pace = Speed::from_distance_and_time(best.distance, best.time).and_then(Speed::pace);
                [
                    units.distance_name(best.distance),
                    best.time.format_clock(),
                    pace.map(|pace| units.format_pace(pace).to_string()).unwrap_or_default(),
                    best.day.to_string(),
                    format!("activity {}", best.activity),
                ]
            })
            .collect();
        let _ =
            write!(words, "\nPersonal bests:\n\n{}", table(["distance", "time", "pace", "date", ""], &bests));
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
            "\nThese look like races. Use `fitness race confirm ACTIVITY` or `fitness race decline ACTIVITY`:\n\n{}",
            table(["activity", "day", "distance", "time", "name"], &races)
        );
    }
    if !found.in_force.is_empty() {
        let thresholds: Vec<[String; 3]> = (found.in_force.iter())
            .map(|held| {
                let kind = held.threshold.kind;
                let origin = match held.threshold.origin {
                    _ if held.share_of.is_some() => {
                        format!("88% of your max HR; set it with `fitness thresholds set {kind} BPM`")
                    }
                    ThresholdOrigin::Set => "set by you".to_owned(),
                    ThresholdOrigin::Reported => "from your watch".to_owned(),
                    ThresholdOrigin::Estimated => format!("estimated; `fitness thresholds confirm {kind}`"),
                };
                [kind.label().to_owned(), kind.format_value(held.value(), units), origin]
            })
            .collect();
        let _ = write!(
            words,
            "\nThresholds used for training load:\n\n{}",
            table(["threshold", "value", "source"], &thresholds)
        );
    }
    words.push_str(&render_suggestions(&found.suggestions, units));
    if !found.gaps.is_empty() {
        words.push_str("\nGaps without data:\n");
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
        let reason = found.no_load.first().map(|MissingLoadReason { reason: why, activities }| {
            let some = *activities < found.without_load;
            let most = if some { format!("{activities} of them ") } else { String::new() };
            format!(", {most}because {}. {}", why.cause(), missing_help(why))
        });
        let reason = reason.unwrap_or_else(|| ".".to_owned());
        let _ = writeln!(words, "\n{without} no measured training load{reason}");
    }
    words
}

/// How to get a training load for activities that lack one.
fn missing_help(why: &MissingReason) -> &'static str {
    match why {
        MissingReason::Missing {
            need:
                RequiredInput::MaxHeartRate | RequiredInput::ThresholdHeartRate | RequiredInput::RestingHeartRate,
        } => "Set it with `fitness thresholds set max_heart_rate BPM --from DAY`.",
        MissingReason::Missing { need: RequiredInput::ThresholdSpeed } => {
            "Set it with `fitness thresholds set threshold_speed PACE --from DAY`."
        }
        MissingReason::Missing { need: RequiredInput::ThresholdPower } => {
            "Set it with `fitness thresholds set threshold_power WATTS --from DAY`."
        }
        MissingReason::Missing { need: RequiredInput::SwimSpeed } => {
            "Set it with `fitness thresholds set swim_speed PACE --from DAY`."
        }
        MissingReason::Contradiction { .. } => {
            "`fitness thresholds list` shows your thresholds; correct the wrong one."
        }
        _ => {
            "Rate how hard it felt with `fitness activity rate ACTIVITY 0-10`; this works once 15 activities have a rating and a load."
        }
    }
}
