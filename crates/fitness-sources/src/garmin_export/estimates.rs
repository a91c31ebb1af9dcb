//! Garmin's own daily estimates: readiness, load, status, predictions, scores.

use super::fields::Object;
use super::{ElementRecords, ElementResult, Rank};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::source_record::{
    Estimate, EstimateKind as Kind, EstimateValue as Value, ImportedRecord,
};

const NO_VALUE: &str = "no value";

/// An element of `TrainingReadinessDTO`. Only the morning value is used, not those after workouts.
pub(super) fn readiness(object: &Object<'_>) -> ElementResult {
    let day = object.day("calendarDate")?;
    let at = object.millis("timestamp").unwrap_or_default();
    let rank = match object.word("inputContext").as_deref() {
        Some("AFTER_WAKEUP_RESET") => (1, at),
        // Without a context, the first of the day is most likely the morning value.
        None => (0, -at),
        Some(_) => return Err("not the morning readiness score"),
    };
    ranked_estimate(object, day, rank, &[(Kind::TrainingReadiness, number(object, "score", 100.0))])
}

/// An element of `MetricsAcuteTrainingLoad`. A day has many.
pub(super) fn acute_load(object: &Object<'_>) -> ElementResult {
    latest_estimate(
        object,
        &[
            (Kind::AcuteLoad, number(object, "dailyTrainingLoadAcute", 1e5)),
            (Kind::ChronicLoad, number(object, "dailyTrainingLoadChronic", 1e5)),
        ],
    )
}

/// An element of `TrainingHistory`.
pub(super) fn training_status(object: &Object<'_>) -> ElementResult {
    let word = object.text("trainingStatus");
    let word = word.filter(|word| !["NO_STATUS", "UNKNOWN", "NONE"].contains(&word.as_str()));
    latest_estimate(object, &[(Kind::TrainingStatus, word.map(Value::Word))])
}

/// An element of `RunRacePredictions`.
pub(super) fn race_predictions(object: &Object<'_>) -> ElementResult {
    let seconds = |key| number(object, key, 86_400.0);
    latest_estimate(
        object,
        &[
            (Kind::Race5k, seconds("raceTime5K")),
            (Kind::Race10k, seconds("raceTime10K")),
            (Kind::RaceHalf, seconds("raceTimeHalf")),
            (Kind::RaceFull, seconds("raceTimeMarathon")),
        ],
    )
}

/// An element of `EnduranceScore`.
pub(super) fn endurance_score(object: &Object<'_>) -> ElementResult {
    latest_estimate(object, &[(Kind::EnduranceScore, number(object, "overallScore", 1e5))])
}

/// An element of `HillScore`.
pub(super) fn hill_score(object: &Object<'_>) -> ElementResult {
    latest_estimate(object, &[(Kind::HillScore, number(object, "overallScore", 100.0))])
}

/// Zero and negative values mean "unknown".
fn number(object: &Object<'_>, key: &str, most: f64) -> Option<Value> {
    object.within(key, f64::MIN_POSITIVE..=most).map(Value::Number)
}

fn latest_estimate(object: &Object<'_>, values: &[(Kind, Option<Value>)]) -> ElementResult {
    let rank = (object.millis("timestamp").unwrap_or(i64::MIN), 0);
    ranked_estimate(object, object.day("calendarDate")?, rank, values)
}

fn ranked_estimate(
    object: &Object<'_>,
    day: Day,
    rank: Rank,
    values: &[(Kind, Option<Value>)],
) -> ElementResult {
    let told_at = object.instant("timestamp");
    let estimate = |(kind, value): &(Kind, Option<Value>)| {
        Some(ImportedRecord::Estimate(Estimate { day, kind: *kind, value: value.clone()?, told_at }))
    };
    let told: Vec<ImportedRecord> = values.iter().filter_map(estimate).collect();
    if told.is_empty() {
        Err(NO_VALUE)
    } else {
        Ok(ElementRecords { records: told, day_rank: Some((day, rank)) })
    }
}
