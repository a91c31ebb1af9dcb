//! `fitness today`: recovery, form, sleep and recent training.

use super::refresh;
use crate::clock;
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::units::UnitSystem;
use fitness_core::facts::{Fact, FactName, FactValue, FactWord, Facts};
use fitness_core::metrics::load::monotony_and_spikes::SpikeBand;
use fitness_core::metrics::recovery::illness::IllnessSignDuration;
use fitness_core::metrics::{MissingReason, RequiredInput};
use serde_json::json;
use std::fmt::Write as _;

/// The lines of the output: a label and its facts.
const FACT_LINES: &[(&str, &[FactName])] = &[
    ("recovery", &[FactName::Recovery, FactName::RecoveryBand]),
    ("form", &[FactName::Form, FactName::FormBand]),
    ("fitness", &[FactName::Fitness]),
    ("fatigue", &[FactName::Fatigue]),
    ("fitness, 7-day change", &[FactName::Ramp, FactName::RampBand]),
    ("HRV, last night", &[FactName::HrvLastNight]),
    ("HRV, 7-day average", &[FactName::HrvWeek, FactName::HrvState]),
    ("resting HR", &[FactName::RestingHeartRate]),
    ("sleep", &[FactName::SleepLastNight]),
    ("sleep debt", &[FactName::SleepDebt14Days]),
    ("load, 7 days", &[FactName::Load7Days]),
    ("  vs 28-day average", &[FactName::Load7To28Days]),
    ("run, 7 days", &[FactName::Distance7Days]),
    ("last run", &[FactName::LastRunDistance, FactName::LastRunTime, FactName::LastRunPace]),
    ("  length", &[FactName::LastRunJump, FactName::LastRunJumpBand]),
    ("next race", &[FactName::DaysToRace]),
];

/// Facts that are known without any data of the day.
const NON_TRAINING_FACTS: &[FactName] = &[FactName::DaysToRace];

pub(super) async fn run(context: &Context, on: Option<Day>) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let profile = store.profile(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    let day = on.unwrap_or(today);
    if day > today {
        return Err(CliError::new(format!("{day} is in the future"), "use today or an earlier day").into());
    }
    refresh(&store, user.id).await?;
    let first = store.first_data_day(user.id).await?;
    let complete = store.frontier(user.id).await?.complete_through();
    let facts = store.facts(user.id, day).await?;
    let waiting = match on {
        None => super::plan::load_pending(&store, user.id, today).await?.text,
        Some(_) => String::new(),
    };
    store.close().await;
    let about_training =
        |fact: &Fact| !NON_TRAINING_FACTS.iter().any(|name| name.as_str() == fact.id.as_str());
    let has_data = FACT_LINES
        .iter()
        .flat_map(|(_, names)| *names)
        .filter_map(|name| facts.find(name.as_str()))
        .any(about_training);
    let words = match (first, complete) {
        (None, _) => "No data yet. Import some with `fitness import PATH`.\n".to_owned(),
        (Some(first), _) if day < first => {
            format!("No data for {day}: your data starts on {first} (`fitness today --on {first}`).\n")
        }
        (Some(_), Some(complete)) if !has_data => {
            let race = facts.find(FactName::DaysToRace.as_str());
            let race = race.map(|fact| format!("Your race is in {}.\n", fact.format(profile.units)));
            format!(
                "No data for {day} yet. Your data is complete through {complete}.\n{}Get new data with `fitness import PATH` or \
                 `fitness sync`; `fitness today --on {}` shows the last day with data.\n",
                race.unwrap_or_default(),
                complete.next().min(today)
            )
        }
        (Some(_), complete) => {
            let reach = complete.map_or_else(
                || "No day has complete data yet".to_owned(),
                |day| format!("Your data is complete through {day}"),
            );
            format!(
                "{}{}\n{reach}. Use --json to see where each value comes from.\n",
                render_facts(&facts, profile.units),
                illness_question(&facts)
            )
        }
    };
    let shown: Vec<_> = (facts.known().iter())
        .map(|fact| {
            let mut data = serde_json::to_value(fact).expect("a fact serializes");
            data["shown"] = fact.format(profile.units).into();
            data
        })
        .collect();
    let missing: Vec<_> = (facts.missing().iter())
        .map(|missing| json!({ "id": missing.id, "why": missing.why.to_string(), "reason": missing.why }))
        .collect();
    let words = format!("{words}{waiting}");
    Ok(CommandOutput::new(words, &json!({ "day": day, "facts": shown, "missing": missing })))
}

/// A question after two days with signs of illness, not a diagnosis.
fn illness_question(facts: &Facts) -> &'static str {
    match facts.find(FactName::SignsOfIllness.as_str()).map(|fact| &fact.value) {
        Some(FactValue::Word(FactWord::Illness(IllnessSignDuration::TwoDays))) => {
            "\nFor two days your resting heart rate has been up and your HRV down. Do you feel ill, or have a sore\n\
             throat, fever or aches? Tell the coach with `fitness note add TEXT`, or run `fitness day mark ill`.\n"
        }
        _ => "",
    }
}

/// `within your range` for HRV, percentages for ratios, all other facts as usual.
fn format_fact(fact: &Fact, units: UnitSystem) -> String {
    let is = |name: FactName| fact.id.as_str() == name.as_str();
    match &fact.value {
        FactValue::Word(FactWord::Hrv(_)) => format!("{} your range", fact.format(units)),
        FactValue::Word(FactWord::Jump(SpikeBand::Usual)) => "not a jump in distance".to_owned(),
        FactValue::Word(FactWord::Jump(band)) => format!("a {band} jump in distance"),
        FactValue::Number(ratio) if is(FactName::LastRunJump) => {
            format!("{:.0}% of your longest in the 30 days before", ratio * 100.0)
        }
        FactValue::Number(ratio) if is(FactName::Load7To28Days) => match ((ratio - 1.0) * 100.0).round() {
            more if more > 0.0 => format!("{more:.0}% above"),
            less if less < 0.0 => format!("{:.0}% below", -less),
            _ => "the same".to_owned(),
        },
        _ => fact.format(units),
    }
}

/// The reason with the command that helps, where there is one.
fn missing_label(why: &MissingReason) -> String {
    match why {
        MissingReason::Missing { need: RequiredInput::SleepNeed } => {
            "set your sleep goal with `fitness profile set --sleep-need 8:00`".to_owned()
        }
        other => other.to_string(),
    }
}

fn render_facts(facts: &Facts, units: UnitSystem) -> String {
    let mut words = String::new();
    for (label, names) in FACT_LINES {
        let known: Vec<_> = names.iter().filter_map(|name| facts.find(name.as_str())).collect();
        let values: Vec<String> = known.iter().map(|fact| format_fact(fact, units)).collect();
        let why = |name: &FactName| facts.missing_reason(name.as_str());
        let line = if values.is_empty() {
            let why = names.first().and_then(why);
            format!("– ({})", why.map_or_else(|| MissingReason::NotYet.to_string(), missing_label))
        } else {
            // The facts of a line share their doubts; a band may lack one that its value has.
            let doubt = known.iter().find_map(|fact| facts.quality_label(fact));
            // Either the value or its classification needs more data.
            let learning = known.iter().find_map(|fact| fact.learning).map(|learning| learning.to_string());
            let too_few =
                || names.iter().filter_map(why).find(|why| matches!(why, MissingReason::TooFew { .. }));
            let learning = learning.or_else(|| too_few().map(ToString::to_string));
            let notes: Vec<String> = doubt.into_iter().chain(learning).collect();
            let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
            format!("{}{notes}", values.join(", "))
        };
        let _ = writeln!(words, "{label:<24}{line}");
    }
    words
}
