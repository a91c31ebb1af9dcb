//! Parses Garmin's daily datasets. Every field may be absent, null or a value for "not measured".

use crate::live::fetch_state::DayValues;
use crate::live::json::{day, entries, integer, millis, number, value_at};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::wellness::DailyWellness;
use serde_json::Value;
use std::ops::RangeInclusive;

// Plausible ranges; outside are values for "not measured", such as stress -1 and -2.
pub(super) const HEART_RATES: RangeInclusive<f64> = 20.0..=250.0;
pub(super) const PERCENT: RangeInclusive<f64> = 0.0..=100.0;
pub(super) const BREATHS: RangeInclusive<f64> = 3.0..=60.0;
pub(super) const SATURATION: RangeInclusive<f64> = 50.0..=100.0;
pub(super) const HRV_MS: RangeInclusive<f64> = 1.0..=400.0;
/// Zero means that the watch was not worn.
const STEPS: RangeInclusive<f64> = 1.0..=500_000.0;
const GRAMS: RangeInclusive<f64> = 20_000.0..=400_000.0;

/// Returns `None` if the response has an unknown format.
pub(super) type MapFn = fn(&Value) -> Option<Vec<DayValues>>;

fn day_entry(of: &Value, wellness: DailyWellness) -> DayValues {
    DayValues { wellness, recorded_at: None, raw: of.to_string() }
}

/// Maps entries that have a date in the field `name`.
fn map_days(value: &Value, name: &str, map: impl Fn(&Value, Day) -> DailyWellness) -> Option<Vec<DayValues>> {
    map_entries(value, |one| day(one, name).map(|day| day_entry(one, map(one, day))))
}

/// Maps the entries of a list. `None` if there are entries but none can be mapped.
pub(super) fn map_entries(
    value: &Value,
    map: impl Fn(&Value) -> Option<DayValues>,
) -> Option<Vec<DayValues>> {
    let entries = entries(value)?;
    let mapped: Vec<DayValues> = entries.iter().filter_map(map).collect();
    let silent = |one: &Value| one.is_null() || one.as_object().is_some_and(serde_json::Map::is_empty);
    (!mapped.is_empty() || entries.iter().all(silent)).then_some(mapped)
}

/// One day's flat summary.
pub(super) fn daily_summary(value: &Value) -> Option<Vec<DayValues>> {
    let day = day(value, "calendarDate")?;
    let wellness = DailyWellness {
        steps: integer(value, &["totalSteps"], STEPS),
        resting_heart_rate: integer(value, &["restingHeartRate"], HEART_RATES),
        stress_avg: integer(value, &["averageStressLevel"], PERCENT),
        stress_max: integer(value, &["maxStressLevel"], PERCENT),
        body_battery_high: integer(value, &["bodyBatteryHighestValue"], PERCENT),
        body_battery_low: integer(value, &["bodyBatteryLowestValue"], PERCENT),
        respiration: number(value, &["avgWakingRespirationValue"], BREATHS),
        spo2: number(value, &["averageSpo2"], SATURATION),
        ..DailyWellness::empty(day)
    };
    Some(vec![day_entry(value, wellness)])
}

/// Nested summaries of many days. Most field names are undocumented, so several are tried.
pub(super) fn summaries(value: &Value) -> Option<Vec<DayValues>> {
    map_days(value, "calendarDate", |one, day| {
        let resting: Option<u16> = integer(one, &["heartRate.restingValue"], HEART_RATES);
        let lowest: Option<u16> = integer(
            one,
            &["heartRate.minValue", "heartRate.lowestValue", "heartRate.minimumValue"],
            HEART_RATES,
        );
        DailyWellness {
            steps: integer(one, &["movement.steps.value"], STEPS),
            // Without a resting heart rate Garmin writes the day's minimum, so only a higher value
            // counts.
            resting_heart_rate: resting.filter(|resting| lowest.is_some_and(|lowest| lowest < *resting)),
            stress_avg: integer(one, &["stress.avgLevel", "stress.averageLevel", "stress.avgValue"], PERCENT),
            stress_max: integer(one, &["stress.maxLevel", "stress.maxValue"], PERCENT),
            body_battery_high: integer(one, &["bodyBattery.highest", "bodyBattery.highestValue"], PERCENT),
            body_battery_low: integer(one, &["bodyBattery.lowest", "bodyBattery.lowestValue"], PERCENT),
            respiration: number(one, &["respiration.avgWakingValue", "respiration.avgValue"], BREATHS),
            spo2: number(one, &["pulseOx.avgValue", "pulseOx.averageValue"], SATURATION),
            ..DailyWellness::empty(day)
        }
    })
}

pub(super) fn steps(value: &Value) -> Option<Vec<DayValues>> {
    map_days(value, "calendarDate", |one, day| DailyWellness {
        steps: integer(one, &["totalSteps"], STEPS),
        ..DailyWellness::empty(day)
    })
}

pub(super) fn stress(value: &Value) -> Option<Vec<DayValues>> {
    map_days(value, "calendarDate", |one, day| DailyWellness {
        stress_avg: integer(one, &["values.overallStressLevel"], PERCENT),
        ..DailyWellness::empty(day)
    })
}

/// Heart rate variability by night.
pub(super) fn hrv(value: &Value) -> Option<Vec<DayValues>> {
    map_days(value, "calendarDate", |one, day| DailyWellness {
        hrv_ms: number(one, &["lastNightAvg"], HRV_MS),
        ..DailyWellness::empty(day)
    })
}

/// Latest weight of each day. A scale uploads on its own, so it proves nothing about the watch.
pub(super) fn weight(value: &Value) -> Option<Vec<DayValues>> {
    let list = value.get("dailyWeightSummaries")?;
    if list.is_null() {
        return Some(Vec::new());
    }
    map_days(list, "summaryDate", |one, day| {
        let grams = number(one, &["latestWeight.weight"], GRAMS);
        DailyWellness { weight_kg: grams.map(|grams| grams / 1000.0), ..DailyWellness::empty(day) }
    })
}

/// Highest and lowest body battery of each day.
pub(super) fn body_battery(value: &Value) -> Option<Vec<DayValues>> {
    map_days(value, "date", |one, day| {
        let column = find_column(
            one,
            "bodyBatteryValueDescriptorDTOList",
            ("bodyBatteryValueDescriptorKey", "bodyBatteryValueDescriptorIndex"),
            "bodyBatteryLevel",
        );
        let levels: Vec<u16> = rows(one, "bodyBatteryValuesArray")
            .filter_map(|row| row.get(column.unwrap_or(1))?.as_f64().filter(|level| PERCENT.contains(level)))
            .map(|level| level as u16)
            .collect();
        DailyWellness {
            body_battery_high: levels.iter().max().copied(),
            body_battery_low: levels.iter().min().copied(),
            ..DailyWellness::empty(day)
        }
    })
}

/// One day's heart rate, and the time of the last measurement.
pub(super) fn heart_rate(value: &Value) -> Option<Vec<DayValues>> {
    let day = day(value, "calendarDate")?;
    let list = "heartRateValueDescriptors";
    let time = find_column(value, list, ("key", "index"), "timestamp").unwrap_or(0);
    let beats = find_column(value, list, ("key", "index"), "heartrate").unwrap_or(1);
    let newest: Option<Instant> = rows(value, "heartRateValues")
        .filter(|row| row.get(beats).and_then(Value::as_f64).is_some_and(|bpm| HEART_RATES.contains(&bpm)))
        .filter_map(|row| millis(row.get(time)?))
        .max();
    let wellness = DailyWellness {
        resting_heart_rate: integer(value, &["restingHeartRate"], HEART_RATES),
        ..DailyWellness::empty(day)
    };
    Some(vec![DayValues { recorded_at: newest, ..day_entry(value, wellness) }])
}

/// Rows of a table.
fn rows<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Vec<Value>> {
    value.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_array)
}

/// Column index from the response's own description of the table.
fn find_column(value: &Value, list: &str, (key, index): (&str, &str), wanted: &str) -> Option<usize> {
    let named = |one: &&Value| one.get(key).and_then(Value::as_str) == Some(wanted);
    let found = value_at(value, list)?.as_array()?.iter().find(named)?;
    usize::try_from(found.get(index)?.as_u64()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn only(entries: Option<Vec<DayValues>>) -> DayValues {
        let mut entries = entries.unwrap();
        assert_eq!(entries.len(), 1);
        entries.remove(0)
    }

    #[test]
    fn resting_heart_rate_equal_to_minimum_is_ignored() {
        for (rates, expected) in [
            (json!({"minValue": 41, "restingValue": 46}), Some(46)),
            (json!({"minValue": 46, "restingValue": 46}), None),
            (json!({"restingValue": 46}), None),
            (json!({"minValue": 41, "restingValue": null}), None),
            (json!(null), None),
        ] {
            let day = json!({"data": [{"calendarDate": "2026-06-14", "heartRate": rates}]});
            assert_eq!(only(summaries(&day)).wellness.resting_heart_rate, expected, "{day}");
        }
    }

    #[test]
    fn values_for_not_measured_are_none() {
        for mark in [json!(-1), json!(-2), json!(null), json!("x"), json!(900)] {
            let day = json!([{"calendarDate": "2026-06-14", "values": {"overallStressLevel": mark}}]);
            assert_eq!(only(stress(&day)).wellness.stress_avg, None);
        }
        let flat = json!({"calendarDate": "2026-06-14", "totalSteps": null, "averageStressLevel": -2, "restingHeartRate": 0});
        assert_eq!(only(daily_summary(&flat)).wellness, DailyWellness::empty("2026-06-14".parse().unwrap()));
    }

    #[test]
    fn columns_are_found_by_description() {
        let day = json!([{
            "date": "2026-06-14",
            "bodyBatteryValuesArray": [[1_792_533_600_000_i64, "MEASURED", 35, 3.0], [1_792_555_200_000_i64, "MEASURED", 91, 3.0], [1, "X", null, 1]],
            "bodyBatteryValueDescriptorDTOList": [
                {"bodyBatteryValueDescriptorIndex": 0, "bodyBatteryValueDescriptorKey": "timestamp"},
                {"bodyBatteryValueDescriptorIndex": 2, "bodyBatteryValueDescriptorKey": "bodyBatteryLevel"},
            ],
        }]);
        let wellness = only(body_battery(&day)).wellness;
        assert_eq!((wellness.body_battery_high, wellness.body_battery_low), (Some(91), Some(35)));
    }

    #[test]
    fn newest_heart_rate_ignores_missing_values() {
        let day = json!({"calendarDate": "2026-06-14", "restingHeartRate": 52, "heartRateValues": [
            [1_781_420_400_000_i64, 63], [1_781_420_520_000_i64, 60], [1_781_420_640_000_i64, null], [1_781_420_760_000_i64, 0],
        ]});
        let entry = only(heart_rate(&day));
        assert_eq!(entry.recorded_at.unwrap().timestamp_millis(), 1_781_420_520_000);
        assert_eq!(entry.wellness.resting_heart_rate, Some(52));
        let unworn = json!({"calendarDate": "2026-06-14", "restingHeartRate": null, "heartRateValues": null});
        assert_eq!(only(heart_rate(&unworn)).recorded_at, None);
    }

    #[test]
    fn unknown_format_is_not_an_empty_list() {
        assert_eq!(steps(&json!([])), Some(Vec::new()));
        assert_eq!(steps(&json!([{}, null])), Some(Vec::new()));
        assert_eq!(steps(&json!([{"on": "2026-06-14", "steps": 9000}])), None);
        assert_eq!(steps(&json!("nothing")), None);
    }

    #[test]
    fn weight_comes_in_grams() {
        let weights = json!({"dailyWeightSummaries": [
            {"summaryDate": "2026-06-15", "latestWeight": {"weight": 59720.0}},
            {"summaryDate": "2026-06-14", "latestWeight": {"weight": null}},
        ], "totalAverage": {"weight": null}});
        let entries = weight(&weights).unwrap();
        assert_eq!(entries[0].wellness.weight_kg, Some(59.72));
        assert_eq!(entries[1].wellness.weight_kg, None);
        assert_eq!(weight(&json!({"dailyWeightSummaries": null})), Some(Vec::new()));
        assert_eq!(weight(&json!({"status": "?"})), None);
    }
}
