//! Parses Garmin's sleep datasets.

use super::days::{BREATHS, HEART_RATES, HRV_MS, PERCENT, SATURATION, map_entries};
use crate::live::fetch_state::DayValues;
use crate::live::json::{day, integer, millis, number, value_at};
use fitness_core::domain::units::TimeSpan;
use fitness_core::domain::wellness::{DailyWellness, Sleep};
use serde_json::Value;

/// Nights without data are empty placeholders.
pub(super) fn sleep_summaries(value: &Value) -> Option<Vec<DayValues>> {
    map_entries(value, night)
}

pub(super) fn sleep(value: &Value) -> Option<Vec<DayValues>> {
    value.is_object().then(|| night(value).into_iter().collect())
}

/// A night, flat or in `dailySleepDTO`.
fn night(value: &Value) -> Option<DayValues> {
    let dto = value_at(value, "dailySleepDTO").unwrap_or(value);
    let span = |name: &str| value_at(dto, name).and_then(Value::as_f64).and_then(TimeSpan::from_seconds);
    let asleep = span("sleepTimeSeconds").filter(|asleep| *asleep > TimeSpan::ZERO);
    let time = |name: &str| value_at(dto, name).and_then(millis);
    let ended_at = time("sleepEndTimestampGMT");
    // Zeros mean that the night was not measured.
    let sleep = asleep.map(|asleep| Sleep {
        began_at: time("sleepStartTimestampGMT"),
        ended_at,
        asleep: Some(asleep),
        deep: span("deepSleepSeconds"),
        light: span("lightSleepSeconds"),
        rem: span("remSleepSeconds"),
        awake: span("awakeSleepSeconds"),
        score: integer(dto, &["sleepScores.overall.value"], PERCENT),
    });
    let by_device = value_at(dto, "sleepFromDevice").and_then(Value::as_bool) != Some(false);
    let recorded_at = ended_at.filter(|_| sleep.is_some() && by_device);
    let wellness = DailyWellness {
        sleep,
        respiration: number(dto, &["averageRespirationValue"], BREATHS),
        spo2: number(dto, &["averageSpO2Value"], SATURATION),
        resting_heart_rate: integer(value, &["restingHeartRate"], HEART_RATES),
        hrv_ms: number(value, &["avgOvernightHrv"], HRV_MS),
        ..DailyWellness::empty(day(dto, "calendarDate")?)
    };
    Some(DayValues { wellness, recorded_at, raw: value.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn night_without_data_is_empty() {
        let nothing = json!({"dailySleepDTO": {"calendarDate": "2030-01-01", "sleepTimeSeconds": null,
            "sleepEndTimestampGMT": null, "deepSleepSeconds": null}, "sleepLevels": []});
        let entry = sleep(&nothing).unwrap().remove(0);
        assert_eq!(entry.wellness, DailyWellness::empty("2030-01-01".parse().unwrap()));
        assert_eq!(entry.recorded_at, None);
        let zeros = json!([{"calendarDate": "2026-06-14", "sleepTimeSeconds": 0, "deepSleepSeconds": 0,
            "sleepEndTimestampGMT": 1_781_413_200_000_i64}, {}]);
        let entries = sleep_summaries(&zeros).unwrap();
        assert_eq!(entries.len(), 1);
        assert_eq!((entries[0].wellness.sleep.clone(), entries[0].recorded_at), (None, None));
    }

    #[test]
    fn manual_night_has_no_recording_time() {
        let mut night = json!({"calendarDate": "2026-06-14", "sleepTimeSeconds": 27_000, "remSleepSeconds": 0,
            "sleepStartTimestampGMT": 1_781_386_200_000_i64, "sleepEndTimestampGMT": 1_781_413_200_000_i64,
            "sleepScores": {"overall": {"value": 84}}});
        let told = sleep_summaries(&json!({"nights": [night]})).unwrap().remove(0);
        let sleep = told.wellness.sleep.unwrap();
        assert_eq!(
            (sleep.asleep, sleep.rem, sleep.deep, sleep.score),
            (Some(TimeSpan::from_mins(450)), Some(TimeSpan::ZERO), None, Some(84))
        );
        assert_eq!(told.recorded_at, sleep.ended_at);
        night["sleepFromDevice"] = json!(false);
        assert_eq!(sleep_summaries(&json!([night])).unwrap()[0].recorded_at, None);
    }
}
