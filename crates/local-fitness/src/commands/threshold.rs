//! `fitness threshold`

use super::recompute_stale;
use crate::cli::ThresholdCommand;
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

pub(super) async fn run(context: &Context, command: ThresholdCommand) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let profile = store.profile(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    let words = match command {
        ThresholdCommand::List => {
            recompute_stale(&store, user.id).await?;
            let all = store.list_thresholds(user.id).await?;
            store.close().await;
            return Ok(list(&all, today, profile.units));
        }
        ThresholdCommand::Set { kind, value, from } => {
            let value = kind.parse_value(&value, profile.units).map_err(parse_error)?;
            let from = from.unwrap_or(today);
            if from > today {
                return Err(CliError::new(
                    format!("{from} has not come yet"),
                    "a limit holds from a day on that has",
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
        ThresholdCommand::Confirm { kind } => {
            recompute_stale(&store, user.id).await?;
            let before = store.list_thresholds(user.id).await?;
            let detected: Vec<Threshold> =
                before.iter().copied().filter(|one| one.origin == ThresholdOrigin::Estimated).collect();
            let newest = in_force(&detected, kind, today).ok().filter(|held| held.share_of.is_none());
            let newest = newest.ok_or_else(|| {
                let help = "`fitness threshold list` shows what was detected; set it yourself with `fitness threshold set`";
                CliError::new(format!("nothing was detected about your {}", kind.label()), help)
            })?;
            let set = Threshold { origin: ThresholdOrigin::Set, ..newest.threshold };
            store.put_threshold(user.id, &set, clock::now()).await?;
            describe_new_threshold(&set, &before, profile.units)
        }
        ThresholdCommand::Remove { kind, from } => {
            store.remove_threshold(user.id, kind, from, clock::now()).await.map_err(|error| match error {
                Error::NotFound(_) => {
                    let help = "`fitness threshold list` shows what you set";
                    CliError::new(format!("you set no {} from {from}", kind.label()), help).into()
                }
                other => anyhow::Error::from(other),
            })?;
            format!(
                "Forgot the {} you set from {from} on. Loads from that day on are judged anew; those of earlier days stay.",
                kind.label()
            )
        }
    };
    recompute_stale(&store, user.id).await?;
    let all = store.list_thresholds(user.id).await?;
    store.close().await;
    Ok(CommandOutput::new(words, &json!({ "thresholds": all })))
}

/// What the athlete's word changes: until when it holds, what it takes the place of, and which loads it is for.
fn describe_new_threshold(set: &Threshold, before: &[Threshold], units: UnitSystem) -> String {
    let kind = set.kind;
    let value = |value: f64| kind.format_value(value, units);
    let own = || before.iter().filter(|one| one.kind == kind && one.origin == ThresholdOrigin::Set);
    let mut words = format!("Your {} is {} from {} on", kind.label(), value(set.value), set.from);
    let replaced = own().find(|one| one.from == set.from).filter(|one| value(one.value) != value(set.value));
    if let Some(replaced) = replaced {
        let _ = write!(words, ", instead of {}", value(replaced.value));
    }
    let later = own().filter(|one| one.from > set.from).min_by_key(|one| one.from);
    if let Some(later) = later {
        let (last, next) = (later.from.previous(), value(later.value));
        let _ = write!(words, ", through {last}: from {} on the {next} you set before holds", later.from);
        let _ =
            write!(words, ".\nLoads of these days are judged anew; those of other days stay as they were.");
        let _ = write!(words, "\n`fitness threshold remove {kind} {}` lets it hold beyond.", later.from);
    } else {
        let _ = write!(
            words,
            ".\nLoads from that day on are judged anew; those of earlier days stay as they were."
        );
    }
    words
}

fn list(all: &[Threshold], today: Day, units: UnitSystem) -> CommandOutput {
    let held: Vec<_> = ThresholdKind::ALL.iter().map(|kind| (*kind, in_force(all, *kind, today))).collect();
    let mut rows: Vec<[String; 4]> = Vec::new();
    for (kind, found) in &held {
        rows.push(match found {
            Ok(held) => [
                kind.to_string(),
                kind.format_value(held.value(), units),
                format!("in force since {}", held.threshold.from),
                held.origin_label(),
            ],
            Err(_) => [kind.to_string(), "–".to_owned(), String::new(), "not known yet".to_owned()],
        });
        rows.extend(earlier_rows(all, *kind, units));
    }
    let mut words = table(["limit", "value", "when", "how it is known"], &rows);
    if held
        .iter()
        .flat_map(|(_, found)| found)
        .any(|held| held.threshold.origin == ThresholdOrigin::Estimated && held.share_of.is_none())
    {
        words.push_str(
            "\n`fitness threshold confirm LIMIT` takes over what was detected, `set` says it better.\n",
        );
    }
    let suggested = suggestions(all, all, today);
    words.push_str(&render_suggestions(&suggested, units));
    let in_force: Vec<_> = held.into_iter().filter_map(|(_, found)| found.ok()).collect();
    CommandOutput::new(words, &json!({ "in_force": in_force, "suggestions": suggested, "all": all }))
}

/// What the athlete set before what holds now, the latest first: loads of those days are still measured by it.
fn earlier_rows(all: &[Threshold], kind: ThresholdKind, units: UnitSystem) -> Vec<[String; 4]> {
    let mut own: Vec<&Threshold> =
        all.iter().filter(|one| one.kind == kind && one.origin == ThresholdOrigin::Set).collect();
    own.sort_by_key(|one| one.from);
    own.windows(2)
        .rev()
        .map(|pair| {
            let (one, next) = (pair[0], pair[1]);
            let when = format!("{} to {}", one.from, next.from.previous());
            [kind.to_string(), kind.format_value(one.value, units), when, "you set it".to_owned()]
        })
        .collect()
}

/// What was detected, differs from what is in force, and waits for the athlete's word.
pub(super) fn render_suggestions(suggestions: &[ThresholdSuggestion], units: UnitSystem) -> String {
    let mut words = String::new();
    // Where nothing is set, what was detected is in force already.
    for (detected, current) in suggestions.iter().filter_map(|one| Some((one.detected, one.current?))) {
        let kind = detected.kind;
        let now = format!(" instead of {}", kind.format_value(current.value, units));
        // Writing to a string cannot fail.
        let _ = write!(
            words,
            "\nYour training suggests a {} of {}{now}, since {}: `fitness threshold confirm {kind}` takes it over.",
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

/// What is wrong with what was written.
pub(super) fn parse_error(why: InputError) -> anyhow::Error {
    CliError::new(why.problem, why.help).into()
}

fn bounds_error(error: Error, units: UnitSystem) -> anyhow::Error {
    match error {
        Error::OutOfBounds { kind, .. } => parse_error(kind.out_of_range_error(units)),
        other => other.into(),
    }
}
