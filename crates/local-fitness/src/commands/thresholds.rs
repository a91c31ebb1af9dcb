//! `fitness thresholds`: list, set, confirm and remove thresholds.

use super::refresh;
use crate::cli::ThresholdsCommand;
use crate::clock;
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::athlete::{Threshold, ThresholdKind, ThresholdOrigin};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::units::UnitSystem;
use fitness_core::metrics::thresholds::in_force::{ThresholdSuggestion, in_force, suggestions};
use fitness_core::presentation::thresholds::InputError;
use fitness_store::Error;
use serde_json::json;
use std::fmt::Write as _;

pub(super) async fn run(context: &Context, command: ThresholdsCommand) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let profile = store.profile(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    let words = match command {
        ThresholdsCommand::List => {
            refresh(&store, user.id).await?;
            let all = store.list_thresholds(user.id).await?;
            store.close().await;
            return Ok(list(&all, today, profile.units));
        }
        ThresholdsCommand::Set { kind, value, from } => {
            let value = kind.parse_value(&value, profile.units).map_err(parse_error)?;
            let from = from.unwrap_or(today);
            if from > today {
                return Err(CliError::new(
                    format!("{from} is in the future"),
                    "use today or an earlier date",
                )
                .into());
            }
            let set = Threshold { kind, value, from, origin: ThresholdOrigin::Set };
            let before = store.list_thresholds(user.id).await?;
            store
                .put_threshold(user.id, &set, clock::now())
                .await
                .map_err(|error| bounds_error(error, profile.units))?;
            describe_new_threshold(&set, &before, profile.units)
        }
        ThresholdsCommand::Confirm { kind } => {
            refresh(&store, user.id).await?;
            let before = store.list_thresholds(user.id).await?;
            let detected: Vec<Threshold> =
                before.iter().copied().filter(|one| one.origin == ThresholdOrigin::Estimated).collect();
            let newest = in_force(&detected, kind, today).ok().filter(|held| held.share_of.is_none());
            let newest = newest.ok_or_else(|| {
                let help =
                    "`fitness thresholds list` lists your thresholds; set it with `fitness thresholds set`";
                CliError::new(format!("there is no estimated {}", kind.label()), help)
            })?;
            let set = Threshold { origin: ThresholdOrigin::Set, ..newest.threshold };
            store.put_threshold(user.id, &set, clock::now()).await?;
            describe_new_threshold(&set, &before, profile.units)
        }
        ThresholdsCommand::Remove { kind, from } => {
            store.remove_threshold(user.id, kind, from, clock::now()).await.map_err(|error| match error {
                Error::NotFound(_) => {
                    let help = "`fitness thresholds list` lists your thresholds";
                    CliError::new(format!("you have no {} that starts on {from}", kind.label()), help).into()
                }
                other => anyhow::Error::from(other),
            })?;
            format!(
                "Removed the {} that started on {from}. Training load since then is recomputed; earlier load does not change.",
                kind.label()
            )
        }
    };
    refresh(&store, user.id).await?;
    let all = store.list_thresholds(user.id).await?;
    store.close().await;
    Ok(CommandOutput::new(words, &json!({ "thresholds": all })))
}

/// The new value, its period, what it replaces, and which training load changes.
fn describe_new_threshold(set: &Threshold, before: &[Threshold], units: UnitSystem) -> String {
    let kind = set.kind;
    let value = |value: f64| kind.format_value(value, units);
    let own = || before.iter().filter(|one| one.kind == kind && one.origin == ThresholdOrigin::Set);
    let later = own().filter(|one| one.from > set.from).min_by_key(|one| one.from);
    let period = match later {
        Some(later) => format!("from {} through {}", set.from, later.from.previous()),
        None => format!("as of {}", set.from),
    };
    let mut words = format!("Your {} is {} {period}", kind.label(), value(set.value));
    let replaced = own().find(|one| one.from == set.from).filter(|one| value(one.value) != value(set.value));
    if let Some(replaced) = replaced {
        let _ = write!(words, ", instead of {}", value(replaced.value));
    }
    if let Some(later) = later {
        let next = value(later.value);
        let _ = write!(words, "; from {} on, the {next} you set earlier applies", later.from);
        let _ = write!(words, ".\nTraining load in this period is recomputed; other days do not change.");
        let _ = write!(
            words,
            "\nTo use the new value from then on too, run `fitness thresholds remove {kind} {}`.",
            later.from
        );
    } else {
        let _ = write!(words, ".\nTraining load since then is recomputed; earlier load does not change.");
    }
    words
}

fn list(all: &[Threshold], today: Day, units: UnitSystem) -> CommandOutput {
    let held: Vec<_> = ThresholdKind::ALL.iter().map(|kind| (*kind, in_force(all, *kind, today))).collect();
    let mut rows: Vec<[String; 4]> = Vec::new();
    for (kind, found) in &held {
        rows.push(match found {
            Ok(held) => [
                name_with_id(*kind),
                kind.format_value(held.value(), units),
                format!("since {}", held.threshold.from),
                held.origin_label(),
            ],
            Err(_) => [name_with_id(*kind), "–".to_owned(), String::new(), "not set".to_owned()],
        });
        rows.extend(earlier_rows(all, *kind, units));
    }
    let mut words = table(["threshold", "value", "valid", "source"], &rows);
    if held
        .iter()
        .flat_map(|(_, found)| found)
        .any(|held| held.threshold.origin == ThresholdOrigin::Estimated && held.share_of.is_none())
    {
        words.push_str(
            "\nConfirm an estimated value with `fitness thresholds confirm THRESHOLD`, or set a better one with `set`.\n",
        );
    }
    let suggested = suggestions(all, all, today);
    words.push_str(&render_suggestions(&suggested, units));
    let in_force: Vec<_> = held.into_iter().filter_map(|(_, found)| found.ok()).collect();
    CommandOutput::new(words, &json!({ "in_force": in_force, "suggestions": suggested, "all": all }))
}

/// `threshold pace (threshold_speed)`: the name, and the word that commands take.
fn name_with_id(kind: ThresholdKind) -> String {
    format!("{} ({kind})", kind.label())
}

/// Earlier settings, latest first; training load of their days still uses them.
fn earlier_rows(all: &[Threshold], kind: ThresholdKind, units: UnitSystem) -> Vec<[String; 4]> {
    let mut own: Vec<&Threshold> =
        all.iter().filter(|one| one.kind == kind && one.origin == ThresholdOrigin::Set).collect();
    own.sort_by_key(|one| one.from);
    own.windows(2)
        .rev()
        .map(|pair| {
            let (one, next) = (pair[0], pair[1]);
            let when = format!("{} to {}", one.from, next.from.previous());
            [name_with_id(kind), kind.format_value(one.value, units), when, "set by you".to_owned()]
        })
        .collect()
}

/// Detected values that differ from the current threshold.
pub(super) fn render_suggestions(suggestions: &[ThresholdSuggestion], units: UnitSystem) -> String {
    let mut words = String::new();
    // Without a setting, the detected value is already in use.
    for (detected, current) in suggestions.iter().filter_map(|one| Some((one.detected, one.current?))) {
        let kind = detected.kind;
        let now = format!(" instead of {}", kind.format_value(current.value, units));
        // Writing to a string cannot fail.
        let _ = write!(
            words,
            "\nYour training suggests a {} of {}{now}, since {}. Accept it with `fitness thresholds confirm {kind}`.",
            kind.label(),
            kind.format_value(detected.value, units),
            detected.from
        );
    }
    if !words.is_empty() {
        words.push('\n');
    }
    words
}

pub(super) fn parse_error(why: InputError) -> anyhow::Error {
    CliError::new(why.problem, why.help).into()
}

fn bounds_error(error: Error, units: UnitSystem) -> anyhow::Error {
    match error {
        Error::OutOfBounds { kind, .. } => parse_error(kind.out_of_range_error(units)),
        other => other.into(),
    }
}
