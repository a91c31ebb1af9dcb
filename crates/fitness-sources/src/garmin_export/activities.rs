//! `summarizedActivities`: distances in centimetres, times in milliseconds, energy in kilojoules.

use super::fields::{IMPOSSIBLE_DATE, NO_DATE, Object};
use super::{ElementRecords, ElementResult};
use crate::sports;
use crate::tracks::plausible;
use chrono_tz::Tz;
use fitness_core::domain::activity::{Activity, Lap};
use fitness_core::domain::calendar::{Instant, utc_offset_seconds};
use fitness_core::domain::source_record::{
    ImportedRecord, ParsedActivity, RecordKey, SourceKind, SourceRecord,
};
use fitness_core::domain::units::{Distance, TimeSpan};

/// Garmin's conversion factor: 404 kcal are exported as 1692.76808.
const KJ_PER_KCAL: f64 = 4.190_02;
/// An event of this type is a race.
const RACE_EVENT_TYPE: f64 = 1.0;
const HEART_RATES: std::ops::RangeInclusive<u16> = 20..=250;
const POWERS: std::ops::RangeInclusive<u16> = 1..=3000;

/// An element of `summarizedActivities`.
///
/// Speeds (centimetres per millisecond) are not read; they equal distance over time.
pub(super) fn activity(object: &Object<'_>, raw: &str, zone: Tz) -> ElementResult {
    let id = object.id("activityId").ok_or("no activity id")?;
    let word = type_name(object).unwrap_or_default();
    if object.flag("parent") || sports::is_multisport(&word) {
        return Err("multisport event: its legs are imported instead");
    }
    if sports::is_transition(&word) {
        return Err("transition between two legs");
    }
    let began = object.millis("beginTimestamp").or_else(|| object.millis("startTimeGmt")).ok_or(NO_DATE)?;
    let started_at = plausible(began).ok_or(IMPOSSIBLE_DATE)?;
    let told_offset = utc_offset(object, began);
    let (sport, sub_sport) = sports::from_word(&word);
    let meters = |key| object.number(key).and_then(|cm| Distance::from_meters(cm / 100.0));
    let time = |key| object.number(key).and_then(|ms| TimeSpan::from_seconds(ms / 1000.0));
    // Zero means "not measured", except for ascent and descent.
    let some_time = |key| time(key).filter(|time| *time > TimeSpan::ZERO);
    let timer = some_time("duration");
    let activity = Activity {
        sub_sport,
        name: object.text("name").or_else(|| object.text("activityName")),
        elapsed: some_time("elapsedDuration").or(timer),
        moving: some_time("movingDuration").or(timer),
        distance: meters("distance").filter(|distance| *distance > Distance::ZERO),
        ascent: meters("elevationGain"),
        descent: meters("elevationLoss"),
        avg_heart_rate: object.small_integer("avgHr", HEART_RATES),
        max_heart_rate: object.small_integer("maxHr", HEART_RATES),
        avg_power: object.small_integer("avgPower", POWERS),
        max_power: object.small_integer("maxPower", POWERS),
        avg_cadence: cadence(object),
        energy_kcal: object.within("calories", 1.0..=1e6).map(|kj| (kj / KJ_PER_KCAL).round() as u32),
        laps: laps(object),
        ..Activity::new(
            sport,
            started_at,
            told_offset.unwrap_or_else(|| utc_offset_seconds(zone, started_at)),
        )
    };
    let recorded = ParsedActivity {
        has_local_time: told_offset.is_some(),
        race: object.number("eventTypeId") == Some(RACE_EVENT_TYPE),
        ..ParsedActivity::without_samples(activity)
    };
    let key = RecordKey { kind: SourceKind::GarminExport, id };
    Ok(ElementRecords::single(ImportedRecord::Activity(Box::new(SourceRecord {
        key,
        parsed: recorded,
        raw: Some(raw.to_owned()),
    }))))
}

/// The activity type, as a string or in an object; else the sport.
fn type_name(object: &Object<'_>) -> Option<String> {
    let word = object
        .text("activityType")
        .or_else(|| object.object("activityType")?.text("typeKey"))
        .or_else(|| object.text("sportType"))?;
    Some(word.to_lowercase())
}

/// Local time minus UTC in seconds, if both times are present and such a zone exists.
fn utc_offset(object: &Object<'_>, began: i64) -> Option<i32> {
    let utc = object.millis("startTimeGmt").unwrap_or(began);
    let quarters = ((object.millis("startTimeLocal")? - utc) as f64 / 900_000.0).round();
    (-48.0..=56.0).contains(&quarters).then(|| quarters as i32 * 900)
}

/// Steps of both feet, or pedal revolutions, per minute.
fn cadence(object: &Object<'_>) -> Option<f64> {
    let rate = |key| object.within(key, 1.0..=300.0);
    rate("avgDoubleCadence")
        .or_else(|| rate("avgRunCadence").map(|one_leg| one_leg * 2.0))
        .or_else(|| rate("avgBikeCadence"))
}

/// Splits as laps, unless they overlap: Garmin also exports several kinds of splits over the same
/// time.
fn laps(object: &Object<'_>) -> Vec<Lap> {
    let mut laps: Vec<(Instant, Lap)> = object.list("splits").filter_map(|split| lap(&split)).collect();
    laps.sort_by_key(|(_, lap)| lap.started_at);
    let overlap = laps.windows(2).any(|pair| (pair[0].0 - pair[1].1.started_at).num_seconds() > 1);
    if overlap { Vec::new() } else { laps.into_iter().map(|(_, lap)| lap).collect() }
}

/// A lap and its end time.
fn lap(split: &Object<'_>) -> Option<(Instant, Lap)> {
    let started_at = split.instant("startTimeGMT")?;
    let ended_at = split.instant("endTimeGMT").filter(|end| *end >= started_at)?;
    let mut lap = Lap {
        started_at,
        elapsed: Some(TimeSpan::from_ms((ended_at - started_at).num_milliseconds())),
        moving: None,
        distance: None,
        avg_heart_rate: None,
        max_heart_rate: None,
        avg_power: None,
        avg_cadence: None,
        kind: split.text("type"),
    };
    for measurement in split.list("measurements") {
        let unit = measurement.word("unitEnum");
        let unit = unit.as_deref();
        match measurement.word("fieldEnum").as_deref() {
            Some("SUM_DISTANCE") => {
                lap.distance = measurement.number("value").and_then(|value| distance(value, unit));
            }
            Some("SUM_MOVING_DURATION") => {
                lap.moving = measurement.number("value").and_then(|value| time_span(value, unit));
            }
            Some("WEIGHTED_MEAN_HEARTRATE") => {
                lap.avg_heart_rate = measurement.small_integer("value", HEART_RATES)
            }
            Some("MAX_HEARTRATE") => lap.max_heart_rate = measurement.small_integer("value", HEART_RATES),
            Some("WEIGHTED_MEAN_POWER") => lap.avg_power = measurement.small_integer("value", POWERS),
            _ => {}
        }
    }
    Some((ended_at, lap))
}

/// Uses the measurement's unit, or the unit of the file if it has none. `None` for an unknown unit.
fn distance(value: f64, unit: Option<&str>) -> Option<Distance> {
    let per_meter = match unit.unwrap_or("CENTIMETER") {
        "MILLIMETER" => 1000.0,
        "CENTIMETER" => 100.0,
        "METER" => 1.0,
        "KILOMETER" => 0.001,
        _ => return None,
    };
    Distance::from_meters(value / per_meter)
}

fn time_span(value: f64, unit: Option<&str>) -> Option<TimeSpan> {
    let per_second = match unit.unwrap_or("MILLISECOND") {
        "MILLISECOND" => 1000.0,
        "SECOND" => 1.0,
        "MINUTE" => 1.0 / 60.0,
        _ => return None,
    };
    TimeSpan::from_seconds(value / per_second)
}
