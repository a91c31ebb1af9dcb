//! From Garmin's answers about nights to nights.

use super::days::{BREATHS, HEART_RATES, HRV_MS, PERCENT, SATURATION, map_entries};
use crate::live::fetch::DayEntry;
use crate::live::json::{day, integer, millis, number, value_at};
use fitness_core::domain::units::TimeSpan;
use fitness_core::domain::wellness::{DailyWellness, Sleep};
use serde_json::Value;

/// Many nights. Those without data are there as placeholders.
pub(super) fn sleep_summaries(value: &Value) -> Option<Vec<DayEntry>> {
    map_entries(value, night)
}

/// One night.
pub(super) fn sleep(value: &Value) -> Option<Vec<DayEntry>> {
    value.is_object().then(|| night(value).into_iter().collect())
}

/// A night: its own fields, flat or in `dailySleepDTO`, and what stands beside that.
fn night(value: &Value) -> Option<DayEntry> {
    let dto = value_at(value, "dailySleepDTO").unwrap_or(value);
    let span = |name: &str| value_at(dto, name).and_then(Value::as_f64).and_then(TimeSpan::from_seconds);
    let asleep = span("sleepTimeSeconds").filter(|asleep| *asleep > TimeSpan::ZERO);
    let time = |name: &str| value_at(dto, name).and_then(millis);
    let ended_at = time("sleepEndTimestampGMT");
    // The stages of a night that was not measured may stand there as zeros.
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
    Some(DayEntry { wellness, recorded_at, raw: value.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_night_without_data_is_a_placeholder() {
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
    fn a_night_entered_by_hand_does_not_show_that_the_watch_was_there() {
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
