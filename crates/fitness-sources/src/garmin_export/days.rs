//! Daily summaries, sleep, health status, VO2max and weight.

use super::fields::Object;
use super::{ElementRecords, ElementResult};
use chrono::TimeDelta;
use chrono_tz::Tz;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::source_record::{DayRecord, ImportedRecord, SourceKind, ThresholdBasis};
use fitness_core::domain::units::TimeSpan;
use fitness_core::domain::wellness::{DailyWellness, Sleep};
use std::ops::RangeInclusive;

const NO_DATA: &str = "no data for the day";
// Plausible ranges; values outside mean "not measured".
const RESPIRATION_RATES: RangeInclusive<f64> = 3.0..=60.0;
const SPO2_PERCENTS: RangeInclusive<f64> = 50.0..=100.0;
const HRV_MS: RangeInclusive<f64> = 1.0..=400.0;
const VO2MAX: RangeInclusive<f64> = 10.0..=100.0;
const GRAMS: RangeInclusive<f64> = 20_000.0..=400_000.0;

fn day_record(
    part: &str,
    wellness: DailyWellness,
    as_of: Option<Instant>,
    raw: &str,
) -> Result<ImportedRecord, &'static str> {
    if wellness == DailyWellness::empty(wellness.day) {
        return Err(NO_DATA);
    }
    Ok(ImportedRecord::Day(Box::new(DayRecord {
        kind: SourceKind::GarminExport,
        dataset: part.to_owned(),
        wellness,
        as_of,
        readings: None,
        raw: Some(raw.to_owned()),
    })))
}

/// An element of a `UDSFile`.
///
/// `currentDayRestingHeartRate` is not read: it is a preliminary value.
pub(super) fn daily_summary(object: &Object<'_>, raw: &str, zone: Tz) -> ElementResult {
    let day = object.day("calendarDate")?;
    let of_type = |list: &str, within: &str, kind: &str, word: &str| {
        object.object(within)?.list(list).find(|entry| entry.word(kind).as_deref() == Some(word))
    };
    let stress = of_type("aggregatorList", "allDayStress", "type", "TOTAL");
    let stress = |key| stress.as_ref()?.small_integer(key, 0..=100);
    let battery = |word| {
        of_type("bodyBatteryStatList", "bodyBattery", "bodyBatteryStatType", word)?
            .small_integer("statsValue", 1..=100)
    };
    let worn = ["minHeartRate", "maxHeartRate", "restingHeartRate"]
        .iter()
        .any(|key| object.small_integer(key, 20..=250).is_some());
    let wellness = DailyWellness {
        resting_heart_rate: object.small_integer("restingHeartRate", 25..=150),
        stress_avg: stress("averageStressLevel"),
        stress_max: stress("maxStressLevel"),
        body_battery_high: battery("HIGHEST"),
        body_battery_low: battery("LOWEST"),
        respiration: object
            .object("respiration")
            .and_then(|breathing| breathing.within("avgWakingRespirationValue", RESPIRATION_RATES)),
        // Zero steps count only if the watch was worn.
        steps: object.integer("totalSteps", 0..=200_000).filter(|steps| *steps > 0 || worn),
        ..DailyWellness::empty(day)
    };
    Ok(ElementRecords::single(day_record("uds", wellness, recorded_until(object, day, zone), raw)?))
}

/// Until when the day was recorded, if not to its end in the athlete's local time.
fn recorded_until(object: &Object<'_>, day: Day, zone: Tz) -> Option<Instant> {
    let Some(until) = object.instant("wellnessEndTimeGmt") else {
        return recorded_until_by_duration(object, day, zone);
    };
    let open = match object.instant("wellnessEndTimeLocal") {
        // A day that ends at 23:59:59 is complete.
        Some(local) => Day::at(local + TimeDelta::minutes(1), Tz::UTC) <= day,
        None => until < day.end(zone),
    };
    open.then_some(until)
}

/// The same if only the duration is known. 23 hours is a complete day when clocks change.
fn recorded_until_by_duration(object: &Object<'_>, day: Day, zone: Tz) -> Option<Instant> {
    let span = object.within("durationInMilliseconds", 1.0..=86_400_000.0)?;
    let until = day.previous().end(zone) + TimeDelta::milliseconds(span as i64);
    (until + TimeDelta::hours(1) < day.end(zone)).then_some(until)
}

/// An element of `sleepData`, flat or with a `dailySleepDTO`. The longest sleep of a day counts.
pub(super) fn sleep(object: &Object<'_>, raw: &str) -> ElementResult {
    let inner = object.object("dailySleepDTO");
    let night = inner.as_ref().unwrap_or(object);
    let day = night.day("calendarDate")?;
    match night.word("sleepWindowConfirmationType").as_deref() {
        Some("OFF_WRIST") => return Err("watch not worn during the night"),
        // The window is from the settings; nothing was measured.
        Some("UNCONFIRMED") => return Err("sleep not detected"),
        _ => {}
    }
    let stage = |key| night.number(key).and_then(TimeSpan::from_seconds);
    let (deep, light, rem) =
        (stage("deepSleepSeconds"), stage("lightSleepSeconds"), stage("remSleepSeconds"));
    let asleep: TimeSpan = [deep, light, rem].into_iter().flatten().sum();
    let asleep = Some(asleep).filter(|asleep| *asleep > TimeSpan::ZERO).or_else(|| stage("sleepTimeSeconds"));
    let Some(asleep) = asleep.filter(|asleep| *asleep > TimeSpan::ZERO) else {
        return Err("night without sleep: watch not worn");
    };
    let scores = night.object("sleepScores");
    let score = scores.and_then(|scores| {
        scores
            .small_integer("overallScore", 1..=100)
            .or_else(|| scores.object("overall")?.small_integer("value", 1..=100))
    });
    let wellness = DailyWellness {
        sleep: Some(Sleep {
            began_at: night.instant("sleepStartTimestampGMT"),
            ended_at: night.instant("sleepEndTimestampGMT"),
            asleep: Some(asleep),
            deep,
            light,
            rem,
            awake: stage("awakeSleepSeconds"),
            score,
        }),
        respiration: night
            .within("averageRespiration", RESPIRATION_RATES)
            .or_else(|| night.within("averageRespirationValue", RESPIRATION_RATES)),
        spo2: night
            .object("spo2SleepSummary")
            .and_then(|oxygen| oxygen.within("averageSPO2", SPO2_PERCENTS))
            .or_else(|| night.within("averageSpO2Value", SPO2_PERCENTS)),
        ..DailyWellness::empty(day)
    };
    ranked_day("sleep", wellness, (asleep.ms(), 0), raw)
}

/// An element of `healthStatusData`. Its heart rate is the night's mean, not the resting heart
/// rate.
pub(super) fn health_status(object: &Object<'_>, raw: &str) -> ElementResult {
    let day = object.day("calendarDate")?;
    let metric = |word: &str, range: RangeInclusive<f64>| {
        let entry = object.list("metrics").find(|entry| entry.word("type").as_deref() == Some(word))?;
        entry.within("value", range)
    };
    let wellness = DailyWellness {
        hrv_ms: metric("HRV", HRV_MS),
        spo2: metric("SPO2", SPO2_PERCENTS),
        respiration: metric("RESPIRATION", RESPIRATION_RATES),
        ..DailyWellness::empty(day)
    };
    ranked_day("health_status", wellness, (update_time(object, "updateTimestampUTC"), 0), raw)
}

/// An element of `MetricsMaxMetData` or `ActivityVo2Max`. A day may have one per sport; running is
/// preferred.
pub(super) fn vo2max(part: &str, object: &Object<'_>, raw: &str) -> ElementResult {
    let day = object.day("calendarDate")?;
    let wellness =
        DailyWellness { vo2max: object.within("vo2MaxValue", VO2MAX), ..DailyWellness::empty(day) };
    let running = object.word("sport").is_some_and(|sport| sport.eq_ignore_ascii_case("running"));
    ranked_day(part, wellness, (i64::from(running), update_time(object, "updateTimestamp")), raw)
}

/// An element of `userBioMetrics`: a weight in grams, thresholds, or both. The last of a day counts.
pub(super) fn bio_metrics(object: &Object<'_>, raw: &str) -> ElementResult {
    let day = object.object("metaData").ok_or(super::fields::NO_DATE)?.day("calendarDate")?;
    let thresholds = super::athlete::thresholds(object, ThresholdBasis::Measured, Some(day));
    let Some(weight) = object.object("weight") else {
        return if thresholds.is_empty() {
            Err("no weight and no thresholds")
        } else {
            Ok(ElementRecords { records: thresholds, day_rank: None })
        };
    };
    let wellness = DailyWellness {
        weight_kg: weight.within("weight", GRAMS).map(|grams| grams / 1000.0),
        ..DailyWellness::empty(day)
    };
    match ranked_day("weight", wellness, (update_time(&weight, "timestampGMT"), 0), raw) {
        Ok(mut element) => {
            element.records.extend(thresholds);
            Ok(element)
        }
        Err(_) if !thresholds.is_empty() => Ok(ElementRecords { records: thresholds, day_rank: None }),
        Err(why) => Err(why),
    }
}

fn update_time(object: &Object<'_>, key: &str) -> i64 {
    object.millis(key).unwrap_or(i64::MIN)
}

fn ranked_day(part: &str, wellness: DailyWellness, rank: super::Rank, raw: &str) -> ElementResult {
    let day = wellness.day;
    Ok(ElementRecords { records: vec![day_record(part, wellness, None, raw)?], day_rank: Some((day, rank)) })
}
