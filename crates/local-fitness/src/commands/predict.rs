//! `fitness predict`: race predictions and their back-test.

use super::refresh;
use super::user::{machine_units, machine_zone};
use crate::cli::PredictArgs;
use crate::clock;
use crate::context::Context;
use crate::distance;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::source_record::{Estimate, EstimateKind, EstimateValue};
use fitness_core::domain::units::{Distance, TimeSpan, UnitSystem};
use fitness_core::metrics::predict::{
    Backtest, FormulaPredictions, LOOK_BACK_DAYS, MethodScore, Prediction, PredictionInputs,
    PredictionMethod, RaceResult, RecentTraining, ResultKind, TrainingLog, WeeklyVolume, predict, tanda,
};
use fitness_core::metrics::{MetricResult, MissingReason, RequiredInput};
use fitness_core::plan::GoalDistance;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Maximum age of the watch's own prediction.
const ESTIMATE_DAYS: i64 = 30;

pub(super) async fn run(context: &Context, args: PredictArgs) -> Result<CommandOutput> {
    if !args.races.is_empty() {
        return run_typed_results(context, &args).await;
    }
    let (store, user) = context.open_for_user().await?;
    refresh(&store, user.id).await?;
    let profile = store.profile(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    // A back-test uses all races.
    let all = store.first_data_day(user.id).await?.filter(|_| args.backtest);
    let log = store.training_log(user.id, all.unwrap_or_else(|| today.plus_days(-LOOK_BACK_DAYS))).await?;
    if args.backtest {
        store.close().await;
        return Ok(render_backtest(log.as_ref(), profile.units));
    }
    let targets = parse_targets(args.distance.as_deref(), profile.units)?;
    let estimates = store.list_estimates(user.id, today.plus_days(-ESTIMATE_DAYS), today).await?;
    store.close().await;
    let weekly = parse_weekly_volume(&args)?.map(|weekly| weekly.distance);
    let found = |target: Distance| -> MetricResult<Prediction> {
        let log = log.as_ref().ok_or(MissingReason::missing(RequiredInput::RaceOf5Km))?;
        log.predict_at(target, log.latest(today), weekly)
    };
    let predictions: Vec<_> = targets.into_iter().map(|target| (target, found(target))).collect();
    let training = log.as_ref().and_then(|log| log.context_at(log.latest(today), weekly).training);
    Ok(render_predictions(&predictions, profile.units, &estimates, training.as_ref()))
}

/// Uses only the results in the arguments; needs no database.
async fn run_typed_results(context: &Context, args: &PredictArgs) -> Result<CommandOutput> {
    let (mut units, mut zone) = (machine_units(), machine_zone());
    if let Ok((store, user)) = context.open_for_user().await {
        let profile = store.profile(user.id).await?;
        (units, zone) = (profile.units, profile.zone);
        store.close().await;
    }
    let results: Vec<RaceResult> =
        args.races.iter().map(|race| parse_result(race, units)).collect::<Result<_>>()?;
    let inputs = PredictionInputs {
        results: &results,
        weekly: parse_weekly_volume(args)?,
        training: None,
        sex: None,
        history: &[],
        as_of: Day::at(clock::now(), zone),
    };
    let targets = parse_targets(args.distance.as_deref(), units)?;
    let predictions: Vec<_> = targets.into_iter().map(|target| (target, predict(target, &inputs))).collect();
    Ok(render_predictions(&predictions, units, &[], None))
}

fn parse_targets(distance: Option<&str>, units: UnitSystem) -> Result<Vec<Distance>> {
    match distance {
        Some(distance) => Ok(vec![distance::parse_race_distance(distance, units)?]),
        None => Ok([GoalDistance::FiveK, GoalDistance::TenK, GoalDistance::Half, GoalDistance::Full]
            .iter()
            .filter_map(|g| g.distance())
            .collect()),
    }
}

pub(super) fn parse_result(text: &str, units: UnitSystem) -> Result<RaceResult> {
    let bad = || {
        let help = "use distance=time, such as half=1:45:00 or 10k=45:30";
        CliError::new(format!("`{text}` is not a valid result"), help)
    };
    let (distance, time) = text.split_once('=').ok_or_else(bad)?;
    let raced = distance::parse_race_distance(distance, units)?;
    if let Some(meant) = distance::suggest_hours_minutes(raced, time) {
        let message = format!("`{time}` means minutes and seconds, which is too fast for this distance");
        return Err(CliError::new(message, format!("include the hours: {distance}={meant}")).into());
    }
    let time: TimeSpan = time.parse().map_err(|_| bad())?;
    Ok(RaceResult { distance: raced, time, on: None, effort: ResultKind::Race })
}

fn parse_weekly_volume(args: &PredictArgs) -> Result<Option<WeeklyVolume>> {
    let given = match (args.weekly_km, args.weekly_miles) {
        (Some(km), _) => Distance::from_km(km).filter(|distance| distance.km() <= 500.0),
        (None, Some(miles)) => Distance::from_miles(miles).filter(|distance| distance.km() <= 500.0),
        (None, None) => return Ok(None),
    };
    let distance = given
        .ok_or_else(|| CliError::new("invalid weekly distance", "use your weekly distance, such as 48"))?;
    Ok(Some(WeeklyVolume { distance, weeks: None }))
}

fn render_predictions(
    predictions: &[(Distance, MetricResult<Prediction>)],
    units: UnitSystem,
    estimates: &[Estimate],
    training: Option<&RecentTraining>,
) -> CommandOutput {
    let mut words = String::new();
    let mut data = Vec::new();
    for (target, found) in predictions {
        let name = distance_name(*target, units);
        let watch = find_watch_estimate(*target, estimates);
        match found {
            Ok(prediction) => {
                // Writing to a string cannot fail.
                let _ = writeln!(words, "{name}: {}", prediction.shown);
                let _ = writeln!(words, "  {}", prediction.basis(units));
                if prediction.quality != fitness_core::metrics::Quality::Ok {
                    let _ = writeln!(words, "  Less reliable: {}.", prediction.quality.label());
                }
                let format_time = |time: &MetricResult<TimeSpan>| {
                    time.as_ref().map_or_else(|why| format!("– ({why})"), |t| t.format_clock())
                };
                let FormulaPredictions { riegel, vdot, .. } = &prediction.baselines;
                let _ = write!(
                    words,
                    "  Other formulas: Riegel {}, Daniels' VDOT {}",
                    format_time(riegel),
                    format_time(vdot)
                );
                if let Some((time, day)) = watch {
                    let _ = write!(words, ", your watch {} on {day}", time.format_clock());
                }
                words.push_str(".\n");
                for left in &prediction.left_out {
                    let _ = writeln!(words, "  Not used: {}.", missing_reason(&left.why));
                }
                // Say why measured training was not used.
                if *target == Distance::MARATHON
                    && let Some(Err(why)) = training.map(tanda)
                {
                    let _ =
                        writeln!(words, "  Tanda's training formula was not used: {}.", missing_reason(&why));
                }
            }
            Err(why) => {
                let _ = writeln!(words, "{name}: no prediction; {}.", missing_reason(why));
            }
        }
        data.push(prediction_json(*target, found, units, watch));
    }
    match <[Value; 1]>::try_from(data) {
        Ok([one]) => CommandOutput::new(words, &one),
        Err(all) => CommandOutput::new(words, &all),
    }
}

pub(super) fn missing_reason(why: &MissingReason) -> String {
    match why {
        MissingReason::OutOfRange { what } => what.clone(),
        other => other.to_string(),
    }
}

fn distance_name(target: Distance, units: UnitSystem) -> String {
    let goal = GoalDistance::ALL.iter().find(|goal| goal.distance() == Some(target));
    goal.map_or_else(|| units.distance_name(target), |goal| goal.label().to_owned())
}

/// The latest prediction of the athlete's watch.
fn find_watch_estimate(target: Distance, estimates: &[Estimate]) -> Option<(TimeSpan, Day)> {
    let kind = match target {
        Distance::HALF_MARATHON => EstimateKind::RaceHalf,
        Distance::MARATHON => EstimateKind::RaceFull,
        _ if target.mm() == 5_000_000 => EstimateKind::Race5k,
        _ if target.mm() == 10_000_000 => EstimateKind::Race10k,
        _ => return None,
    };
    let latest =
        estimates.iter().filter(|estimate| estimate.kind == kind).max_by_key(|estimate| estimate.day)?;
    match latest.value {
        EstimateValue::Number(seconds) => Some((TimeSpan::from_seconds(seconds)?, latest.day)),
        EstimateValue::Word(_) => None,
    }
}

fn prediction_json(
    target: Distance,
    found: &MetricResult<Prediction>,
    units: UnitSystem,
    watch: Option<(TimeSpan, Day)>,
) -> Value {
    let seconds = |time: TimeSpan| time.seconds();
    let baseline = |time: &MetricResult<TimeSpan>| match time {
        Ok(time) => json!({ "seconds": seconds(*time) }),
        Err(why) => json!({ "seconds": null, "missing": why.to_string() }),
    };
    let watch = watch.map(|(time, day)| json!({ "seconds": seconds(time), "on": day }));
    match found {
        Err(why) => json!({ "distance_mm": target, "seconds": null, "missing": why.to_string(),
            "reason": why, "watch": watch }),
        Ok(prediction) => json!({
            "distance_mm": prediction.target,
            "as_of": prediction.as_of,
            "seconds": seconds(prediction.exact.time),
            "band": { "covers_percent": 80, "low_seconds": seconds(prediction.exact.low),
                "high_seconds": seconds(prediction.exact.high) },
            "shown": prediction.shown.to_string(),
            "quality": prediction.quality,
            "basis": prediction.basis(units),
            "methods": prediction.members.iter()
                .map(|member| json!({ "method": member.method, "seconds": seconds(member.time) })).collect::<Vec<_>>(),
            "races": prediction.sources,
            "weekly": prediction.weekly,
            "training": prediction.training,
            "left_out": prediction.left_out.iter()
                .map(|left| json!({ "result": left.result, "why": left.why.to_string() })).collect::<Vec<_>>(),
            "baselines": {
                "riegel": baseline(&prediction.baselines.riegel),
                "vdot": baseline(&prediction.baselines.vdot),
                "vickers_one": baseline(&prediction.baselines.vickers_one),
                "vickers_two": baseline(&prediction.baselines.vickers_two),
            },
            "watch": watch,
        }),
    }
}

/// Errors of predictions of past races.
fn render_backtest(log: Option<&TrainingLog>, units: UnitSystem) -> CommandOutput {
    let Some(log) = log else {
        let words = "No data yet. Import some with `fitness import PATH`.";
        return CommandOutput::new(words, &json!({ "rows": [], "scores": null }));
    };
    let Backtest { events, rows, scores } = log.backtest();
    if events.is_empty() {
        let words = "No races to test predictions on. Confirm some (`fitness race list`), or add them with \
                     `fitness race add`.";
        return CommandOutput::new(words, &json!({ "rows": [], "scores": null }));
    }
    let lines: Vec<[String; 5]> = (events.iter())
        .map(|event| {
            let (predicted, off) = match &event.prediction {
                Ok(prediction) => {
                    let off = 100.0 * (event.race.time.seconds() / prediction.exact.time.seconds() - 1.0);
                    (prediction.shown.to_string(), describe_difference(off))
                }
                Err(why) => (format!("none; {why}"), String::new()),
            };
            let distance = distance_name(event.race.distance, units);
            [event.on.to_string(), distance, event.race.time.format_clock(), off, predicted]
        })
        .collect();
    let mut words = table(["date", "race", "time", "you ran", "prediction"], &lines);
    match &scores {
        Ok(scores) => {
            let rows: Vec<[String; 6]> = scores.iter().map(score_row).collect();
            let header = ["method", "races", "mean error", "in percent", "bias", "in 80% range"];
            let _ = write!(words, "\n{}", table(header, &rows));
        }
        Err(why) => {
            let few = match why {
                MissingReason::TooFew { have, needed, .. } => {
                    format!("At least {needed} races are needed to score the predictions; you have {have}.")
                }
                other => format!("The predictions cannot be scored: {}.", missing_reason(other)),
            };
            let _ = writeln!(words, "\n{few}");
        }
    }
    let scores = scores.map_err(|why| why.to_string());
    CommandOutput::new(
        words,
        &json!({ "rows": rows, "scores": scores.as_ref().ok(), "missing": scores.as_ref().err() }),
    )
}

/// How much faster or slower a race was than predicted, from the difference in percent.
fn describe_difference(percent: f64) -> String {
    match (percent * 10.0).round() / 10.0 {
        slower if slower > 0.0 => format!("{slower:.1}% slower"),
        faster if faster < 0.0 => format!("{:.1}% faster", -faster),
        _ => "as predicted".to_owned(),
    }
}

fn score_row(score: &MethodScore) -> [String; 6] {
    let method = match score.method {
        PredictionMethod::Combined => "combined".to_owned(),
        other => other.to_string(),
    };
    [
        method,
        score.n.to_string(),
        score.mae.format_clock(),
        format!("{:.1}%", score.mape),
        format!("{:+.1}%", score.bias),
        score.coverage.map(|percent| format!("{percent:.0}%")).unwrap_or_default(),
    ]
}
