//! Days: what was measured over the day, the night before it, and the weight on it.

use super::fields::Object;
use super::{Outcome, Said};
use chrono::TimeDelta;
use chrono_tz::Tz;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::source_record::{DayReport, SourceKind, Told};
use fitness_core::domain::units::TimeSpan;
use fitness_core::domain::wellness::{DailyWellness, Sleep};
use std::ops::RangeInclusive;

const NOTHING: &str = "says nothing about its day";
/// Breaths per minute, percent of oxygen, milliseconds of variability and so on that a living body can have.
const BREATHS: RangeInclusive<f64> = 3.0..=60.0;
const OXYGEN: RangeInclusive<f64> = 50.0..=100.0;
const VARIABILITY: RangeInclusive<f64> = 1.0..=400.0;
const UPTAKE: RangeInclusive<f64> = 10.0..=100.0;
const GRAMS: RangeInclusive<f64> = 20_000.0..=400_000.0;

fn report(
    part: &str,
    wellness: DailyWellness,
    as_of: Option<Instant>,
    raw: &str,
) -> Result<Told, &'static str> {
    if wellness == DailyWellness::unknown(wellness.day) {
        return Err(NOTHING);
    }
    Ok(Told::Day(Box::new(DayReport {
        kind: SourceKind::GarminExport,
        part: part.to_owned(),
        wellness,
        as_of,
        raw: Some(raw.to_owned()),
    })))
}

/// An element of a `UDSFile`.
///
/// `currentDayRestingHeartRate` is not read: it is what the watch thought that day, before it had settled.
pub(super) fn daily_summary(object: &Object<'_>, raw: &str, zone: Tz) -> Outcome {
    let day = object.day("calendarDate")?;
    let of_type = |list: &str, within: &str, kind: &str, word: &str| {
        object.object(within)?.list(list).find(|entry| entry.word(kind).as_deref() == Some(word))
    };
    let stress = of_type("aggregatorList", "allDayStress", "type", "TOTAL");
    let stress = |key| stress.as_ref()?.small(key, 0..=100);
    let battery = |word| {
        of_type("bodyBatteryStatList", "bodyBattery", "bodyBatteryStatType", word)?
            .small("statsValue", 1..=100)
    };
    let worn = ["minHeartRate", "maxHeartRate", "restingHeartRate"]
        .iter()
        .any(|key| object.small(key, 20..=250).is_some());
    let wellness = DailyWellness {
        resting_heart_rate: object.small("restingHeartRate", 25..=150),
        stress_avg: stress("averageStressLevel"),
        stress_max: stress("maxStressLevel"),
        body_battery_high: battery("HIGHEST"),
        body_battery_low: battery("LOWEST"),
        respiration: object
            .object("respiration")
            .and_then(|breathing| breathing.within("avgWakingRespirationValue", BREATHS)),
        // A watch that lay in a drawer counts no steps; that is not a day without one.
        steps: object.whole("totalSteps", 0..=200_000).filter(|steps| *steps > 0 || worn),
        ..DailyWellness::unknown(day)
    };
    Ok(Said::one(report("uds", wellness, unfinished(object, day, zone), raw)?))
}

/// Until when a day was recorded, when that is not its end. Where it ended is where the athlete was.
fn unfinished(object: &Object<'_>, day: Day, zone: Tz) -> Option<Instant> {
    let Some(until) = object.moment("wellnessEndTimeGmt") else { return short(object, day, zone) };
    let open = match object.moment("wellnessEndTimeLocal") {
        // A day that ends at 23:59:59 has ended.
        Some(local) => Day::at(local + TimeDelta::minutes(1), Tz::UTC) <= day,
        None => until < day.end(zone),
    };
    open.then_some(until)
}

/// The same where only the day's length is told. An hour less than a day is a day on which the clocks change.
fn short(object: &Object<'_>, day: Day, zone: Tz) -> Option<Instant> {
    let span = object.within("durationInMilliseconds", 1.0..=86_400_000.0)?;
    let until = day.previous().end(zone) + TimeDelta::milliseconds(span as i64);
    (until + TimeDelta::hours(1) < day.end(zone)).then_some(until)
}

/// An element of `sleepData`, plain or around a `dailySleepDTO`. Of several the longest is the night.
pub(super) fn night(object: &Object<'_>, raw: &str) -> Outcome {
    let inner = object.object("dailySleepDTO");
    let night = inner.as_ref().unwrap_or(object);
    let day = night.day("calendarDate")?;
    match night.word("sleepWindowConfirmationType").as_deref() {
        Some("OFF_WRIST") => return Err("is a night in which the watch was not worn"),
        // The window is the one from the settings, and nothing was measured in it.
        Some("UNCONFIRMED") => return Err("is a night that was not detected"),
        _ => {}
    }
    let stage = |key| night.number(key).and_then(TimeSpan::from_seconds);
    let (deep, light, rem) =
        (stage("deepSleepSeconds"), stage("lightSleepSeconds"), stage("remSleepSeconds"));
    let asleep: TimeSpan = [deep, light, rem].into_iter().flatten().sum();
    let asleep = Some(asleep).filter(|asleep| *asleep > TimeSpan::ZERO).or_else(|| stage("sleepTimeSeconds"));
    let Some(asleep) = asleep.filter(|asleep| *asleep > TimeSpan::ZERO) else {
        return Err("is a night without sleep, which is a watch that was not worn");
    };
    let scores = night.object("sleepScores");
    let score = scores.and_then(|scores| {
        scores.small("overallScore", 1..=100).or_else(|| scores.object("overall")?.small("value", 1..=100))
    });
    let wellness = DailyWellness {
        sleep: Some(Sleep {
            began_at: night.moment("sleepStartTimestampGMT"),
            ended_at: night.moment("sleepEndTimestampGMT"),
            asleep: Some(asleep),
            deep,
            light,
            rem,
            awake: stage("awakeSleepSeconds"),
            score,
        }),
        respiration: night
            .within("averageRespiration", BREATHS)
            .or_else(|| night.within("averageRespirationValue", BREATHS)),
        spo2: night
            .object("spo2SleepSummary")
            .and_then(|oxygen| oxygen.within("averageSPO2", OXYGEN))
            .or_else(|| night.within("averageSpO2Value", OXYGEN)),
        ..DailyWellness::unknown(day)
    };
    contest("sleep", wellness, (asleep.ms(), 0), raw)
}

/// An element of `healthStatusData`. Its heart rate is the night's mean, which is not the one at rest.
pub(super) fn health_status(object: &Object<'_>, raw: &str) -> Outcome {
    let day = object.day("calendarDate")?;
    let metric = |word: &str, range: RangeInclusive<f64>| {
        let entry = object.list("metrics").find(|entry| entry.word("type").as_deref() == Some(word))?;
        entry.within("value", range)
    };
    let wellness = DailyWellness {
        hrv_ms: metric("HRV", VARIABILITY),
        spo2: metric("SPO2", OXYGEN),
        respiration: metric("RESPIRATION", BREATHS),
        ..DailyWellness::unknown(day)
    };
    contest("health_status", wellness, (latest(object, "updateTimestampUTC"), 0), raw)
}

/// An element of `MetricsMaxMetData` or `ActivityVo2Max`. A day may have one for each sport; running's comes first.
pub(super) fn vo2max(part: &str, object: &Object<'_>, raw: &str) -> Outcome {
    let day = object.day("calendarDate")?;
    let wellness =
        DailyWellness { vo2max: object.within("vo2MaxValue", UPTAKE), ..DailyWellness::unknown(day) };
    let running = object.word("sport").is_some_and(|sport| sport.eq_ignore_ascii_case("running"));
    contest(part, wellness, (i64::from(running), latest(object, "updateTimestamp")), raw)
}

/// An element of `userBioMetrics`, in grams. Of several weighings the last counts.
pub(super) fn weight(object: &Object<'_>, raw: &str) -> Outcome {
    let day = object.object("metaData").ok_or(super::fields::NO_DATE)?.day("calendarDate")?;
    let weight = object.object("weight").ok_or("is no weighing")?;
    let wellness = DailyWellness {
        weight_kg: weight.within("weight", GRAMS).map(|grams| grams / 1000.0),
        ..DailyWellness::unknown(day)
    };
    contest("weight", wellness, (latest(&weight, "timestampGMT"), 0), raw)
}

fn latest(object: &Object<'_>, key: &str) -> i64 {
    object.millis(key).unwrap_or(i64::MIN)
}

fn contest(part: &str, wellness: DailyWellness, rank: super::Rank, raw: &str) -> Outcome {
    let day = wellness.day;
    Ok(Said { told: vec![report(part, wellness, None, raw)?], contest: Some((day, rank)) })
}
