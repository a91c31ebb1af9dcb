//! `fitness paces`: training paces from VDOT.

use super::predict::{missing_reason, parse_result};
use super::refresh;
use super::user::{machine_units, machine_zone};
use crate::cli::PacesArgs;
use crate::clock;
use crate::context::Context;
use crate::output::CommandOutput;
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::units::{Distance, Pace, TimeSpan, UnitSystem};
use fitness_core::metrics::predict::{
    CurrentVdot, LOOK_BACK_DAYS, PredictionInputs, RaceResult, ResultKind, TrainingLog, TrainingPaces,
    current_vdot, predict,
};
use fitness_core::metrics::{MetricResult, MissingReason};
use serde_json::json;
use std::fmt::Write as _;

pub(super) async fn run(context: &Context, args: PacesArgs) -> Result<CommandOutput> {
    if !args.races.is_empty() {
        return run_typed_results(context, &args).await;
    }
    let (store, user) = context.open_for_user().await?;
    refresh(&store, user.id).await?;
    let profile = store.profile(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    let log = store.training_log(user.id, today.plus_days(-LOOK_BACK_DAYS)).await?;
    store.close().await;
    let as_of = log.as_ref().map_or(today, |log| log.latest(today));
    let results = log.as_ref().map(TrainingLog::results).unwrap_or_default();
    let marathon = log.as_ref().and_then(|log| log.predict(Distance::MARATHON, as_of).ok());
    Ok(render_paces(current_vdot(&results, as_of), marathon.map(|found| found.exact.time), profile.units))
}

/// Uses only the results in the arguments; needs no database.
async fn run_typed_results(context: &Context, args: &PacesArgs) -> Result<CommandOutput> {
    let (mut units, mut zone) = (machine_units(), machine_zone());
    if let Ok((store, user)) = context.open_for_user().await {
        let profile = store.profile(user.id).await?;
        (units, zone) = (profile.units, profile.zone);
        store.close().await;
    }
    let results: Vec<RaceResult> =
        args.races.iter().map(|race| parse_result(race, units)).collect::<Result<_>>()?;
    let as_of = Day::at(clock::now(), zone);
    let inputs =
        PredictionInputs { results: &results, weekly: None, training: None, sex: None, history: &[], as_of };
    let marathon = predict(Distance::MARATHON, &inputs).ok().map(|found| found.exact.time);
    Ok(render_paces(current_vdot(&results, as_of), marathon, units))
}

fn render_paces(
    found: MetricResult<CurrentVdot>,
    marathon: Option<TimeSpan>,
    units: UnitSystem,
) -> CommandOutput {
    let paced =
        found.and_then(|current| Ok((current, current.vdot.paces(None)?, current.vdot.paces(marathon)?)));
    match paced {
        Err(why) => no_paces(&why),
        Ok((current, formula, paces)) => {
            let CurrentVdot { vdot, source, as_of, quality } = current;
            let mut words =
                format!("VDOT {:.1} as of {as_of}, from {}.\n", vdot.value(), source.describe(units));
            if source.effort == ResultKind::Training {
                words.push_str(
                    "This is from training, so it is a lower bound. A race or a time trial is more accurate.\n",
                );
            }
            if current.is_old() {
                let _ = writeln!(words, "It is {} days old, so use the paces with care.", source.age(as_of));
            }
            let slower = paces.marathon != formula.marathon;
            let _ = write!(words, "\n{}", pace_table(&paces, units));
            if slower {
                words.push_str(
                    "\nThe marathon pace comes from your predicted marathon time, which is slower than the VDOT formula predicts.\n",
                );
            }
            let data = json!({
                "vdot": vdot, "as_of": as_of, "source": source, "quality": quality, "basis": source.describe(units),
                "seconds_per_km": paces, "marathon_from": if slower { "prediction" } else { "formula" },
            });
            CommandOutput::new(words, &data)
        }
    }
}

fn pace_table(paces: &TrainingPaces, units: UnitSystem) -> String {
    let pace = |pace: Pace| units.format_pace(pace).to_string();
    let slow = pace(paces.easy.0);
    let slow = slow.split(' ').next().unwrap_or_default();
    let rows = [
        ("E easy", format!("{slow} to {}", pace(paces.easy.1)), "most of your running"),
        ("M marathon", pace(paces.marathon), "long runs at marathon effort"),
        ("T threshold", pace(paces.threshold), "20 minutes, or repeats with short rests"),
        (
            "I interval",
            pace(paces.interval),
            "repeats of 3 to 5 minutes, with jogs of the same length between them",
        ),
        ("R repetition", pace(paces.repetition), "repeats of up to 2 minutes, full recovery"),
    ];
    let rows = rows.map(|(name, pace, what)| [name.to_owned(), pace, what.to_owned()]);
    table(["", "pace", "for"], &rows)
}

fn no_paces(why: &MissingReason) -> CommandOutput {
    let words = format!(
        "No paces: {}.\nConfirm a race (`fitness race list`), add one with `fitness race add`, or use a result with \
         `fitness paces --race 10k=45:00`.\n",
        missing_reason(why)
    );
    CommandOutput::new(words, &json!({ "vdot": null, "missing": why.to_string(), "reason": why }))
}
