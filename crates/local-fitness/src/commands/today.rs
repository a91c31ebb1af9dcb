//! `fitness today`

use super::recompute_stale;
use crate::clock;
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::units::UnitSystem;
use fitness_core::facts::{Fact, FactName, FactValue, FactWord, Facts};
use fitness_core::metrics::recovery::illness::IllnessSigns;
use fitness_core::metrics::{MissingReason, Quality};
use serde_json::json;
use std::fmt::Write as _;

/// What a person is told, in this order: a label and the facts on its line.
const FACT_LINES: &[(&str, &[FactName])] = &[
    ("recovery", &[FactName::Recovery, FactName::RecoveryBand]),
    ("form", &[FactName::Form, FactName::FormBand]),
    ("fitness", &[FactName::Fitness]),
    ("fatigue", &[FactName::Fatigue]),
    ("ramp", &[FactName::Ramp, FactName::RampBand]),
    ("heart rate variability", &[FactName::HrvLastNight]),
    ("  of the week", &[FactName::HrvWeek, FactName::HrvState]),
    ("resting heart rate", &[FactName::RestingHeartRate]),
    ("sleep", &[FactName::SleepLastNight]),
    ("sleep debt", &[FactName::SleepDebt14Days]),
    ("load, 7 days", &[FactName::Load7Days]),
    ("  over a 28-day mean", &[FactName::Load7To28Days]),
    ("run, 7 days", &[FactName::Distance7Days]),
    ("last run", &[FactName::LastRunDistance, FactName::LastRunTime, FactName::LastRunPace]),
    ("  over 30 days' longest", &[FactName::LastRunJump, FactName::LastRunJumpBand]),
    ("next race", &[FactName::DaysToRace]),
];

/// Facts that say nothing about what was done or measured.
const NON_TRAINING_FACTS: &[FactName] = &[FactName::DaysToRace];

pub(super) async fn run(context: &Context, on: Option<Day>) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let profile = store.profile(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    let day = on.unwrap_or(today);
    if day > today {
        return Err(
            CliError::new(format!("{day} has not come yet"), "ask about today or an earlier day").into()
        );
    }
    recompute_stale(&store, user.id).await?;
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
    let told = FACT_LINES
        .iter()
        .flat_map(|(_, names)| *names)
        .filter_map(|name| facts.find(name.as_str()))
        .any(about_training);
    let words = match (first, complete) {
        (None, _) => "Nothing is known yet. Bring some data in with `fitness import PATH`.\n".to_owned(),
        (Some(first), _) if day < first => {
            format!(
                "Nothing is known about {day}: your data begins on {first}.\n`fitness today --on {first}` shows that day.\n"
            )
        }
        (Some(_), Some(complete)) if !told => {
            let race = facts.find(FactName::DaysToRace.as_str());
            let race = race.map(|fact| format!("Your race is in {}.\n", fact.format(profile.units)));
            format!(
                "Nothing has arrived about {day} yet. Your data is complete through {complete}.\n{}`fitness import PATH` or \
                 `fitness sync` brings in what is new; `fitness today --on {}` shows the last day there is.\n",
                race.unwrap_or_default(),
                complete.next().min(today)
            )
        }
        (Some(_), complete) => {
            let reach = complete.map_or_else(|| "no day yet".to_owned(), |day| day.to_string());
            format!(
                "{}{}\nYour data is complete through {reach}. --json lists every fact with its source.\n",
                render_facts(&facts, profile.units),
                illness_question(&facts)
            )
        }
    };
    let shown: Vec<_> = (facts.known().iter())
        .map(|fact| {
            let mut data = serde_json::to_value(fact).expect("a fact is plain data");
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

/// The question that two days of signs end in. Not a diagnosis.
fn illness_question(facts: &Facts) -> &'static str {
    match facts.find(FactName::SignsOfIllness.as_str()).map(|fact| &fact.value) {
        Some(FactValue::Word(FactWord::Illness(IllnessSigns::TwoDays))) => {
            "\nFor two days your resting heart rate has been up and your heart rate variability down. Do you feel ill, or have\n\
             a sore throat, fever or aches? Only you can say; `fitness note add TEXT` tells the coach.\n"
        }
        _ => "",
    }
}

fn render_facts(facts: &Facts, units: UnitSystem) -> String {
    let mut words = String::new();
    for (label, names) in FACT_LINES {
        let known: Vec<_> = names.iter().filter_map(|name| facts.find(name.as_str())).collect();
        let said: Vec<String> = known.iter().map(|fact| fact.format(units)).collect();
        let why = |name: &FactName| facts.missing_reason(name.as_str());
        let line = if said.is_empty() {
            let why = names.first().and_then(why);
            format!("– ({})", why.map_or_else(|| MissingReason::NotYet.to_string(), ToString::to_string))
        } else {
            let doubt = known.iter().fold(Quality::Ok, |doubt, fact| doubt.combine(fact.quality));
            let doubt = (doubt != Quality::Ok).then(|| doubt.label().to_owned());
            // What is still being learned: the value itself, or the word for it.
            let learning = known.iter().find_map(|fact| fact.learning).map(|learning| learning.to_string());
            let waits =
                || names.iter().filter_map(why).find(|why| matches!(why, MissingReason::TooFew { .. }));
            let learning = learning.or_else(|| waits().map(ToString::to_string));
            let notes: Vec<String> = doubt.into_iter().chain(learning).collect();
            let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
            format!("{}{notes}", said.join(", "))
        };
        let _ = writeln!(words, "{label:<24}{line}");
    }
    words
}
