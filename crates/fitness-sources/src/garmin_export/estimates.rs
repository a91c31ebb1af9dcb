//! What Garmin concluded about days by rules of its own.

use super::fields::Object;
use super::{Outcome, Rank, Said};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::source_record::{Estimate, EstimateKind as Kind, EstimateValue as Value, Told};

const NOTHING: &str = "has no value";

/// An element of `TrainingReadinessDTO`. The morning's is the one after waking up; what follows a workout is another
/// matter.
pub(super) fn readiness(object: &Object<'_>) -> Outcome {
    let day = object.day("calendarDate")?;
    let at = object.millis("timestamp").unwrap_or_default();
    let rank = match object.word("inputContext").as_deref() {
        Some("AFTER_WAKEUP_RESET") => (1, at),
        // Nothing says what it came after: the first of the day is the likeliest to be the morning's.
        None => (0, -at),
        Some(_) => return Err("is not the readiness of a morning"),
    };
    said(object, day, rank, &[(Kind::TrainingReadiness, number(object, "score", 100.0))])
}

/// An element of `MetricsAcuteTrainingLoad`, of which a day has many.
pub(super) fn load(object: &Object<'_>) -> Outcome {
    latest(
        object,
        &[
            (Kind::AcuteLoad, number(object, "dailyTrainingLoadAcute", 1e5)),
            (Kind::ChronicLoad, number(object, "dailyTrainingLoadChronic", 1e5)),
        ],
    )
}

/// An element of `TrainingHistory`.
pub(super) fn status(object: &Object<'_>) -> Outcome {
    let word = object.text("trainingStatus");
    let word = word.filter(|word| !["NO_STATUS", "UNKNOWN", "NONE"].contains(&word.as_str()));
    latest(object, &[(Kind::TrainingStatus, word.map(Value::Word))])
}

/// An element of `RunRacePredictions`.
pub(super) fn races(object: &Object<'_>) -> Outcome {
    let seconds = |key| number(object, key, 86_400.0);
    latest(
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
pub(super) fn endurance(object: &Object<'_>) -> Outcome {
    latest(object, &[(Kind::EnduranceScore, number(object, "overallScore", 1e5))])
}

/// An element of `HillScore`.
pub(super) fn hills(object: &Object<'_>) -> Outcome {
    latest(object, &[(Kind::HillScore, number(object, "overallScore", 100.0))])
}

/// None of these is ever zero or less, but for "unknown".
fn number(object: &Object<'_>, key: &str, most: f64) -> Option<Value> {
    object.within(key, f64::MIN_POSITIVE..=most).map(Value::Number)
}

fn latest(object: &Object<'_>, values: &[(Kind, Option<Value>)]) -> Outcome {
    let rank = (object.millis("timestamp").unwrap_or(i64::MIN), 0);
    said(object, object.day("calendarDate")?, rank, values)
}

fn said(object: &Object<'_>, day: Day, rank: Rank, values: &[(Kind, Option<Value>)]) -> Outcome {
    let told_at = object.moment("timestamp");
    let estimate = |(kind, value): &(Kind, Option<Value>)| {
        Some(Told::Estimate(Estimate { day, kind: *kind, value: value.clone()?, told_at }))
    };
    let told: Vec<Told> = values.iter().filter_map(estimate).collect();
    if told.is_empty() { Err(NOTHING) } else { Ok(Said { told, contest: Some((day, rank)) }) }
}
