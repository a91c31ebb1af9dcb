//! Parses activities and wellness of intervals.icu. Its own metrics (load, fitness, feel) are kept
//! only in the raw record.

use crate::live::fetch_state::DayValues;
use crate::live::json::{day, id, integer, local_time, meters, number, offset, seconds, text, value_at};
use chrono::{NaiveDateTime, TimeDelta, TimeZone};
use chrono_tz::Tz;
use fitness_core::domain::activity::Activity;
use fitness_core::domain::calendar::{Instant, utc_offset_seconds};
use fitness_core::domain::source_record::{ParsedActivity, RecordKey, SourceKind, SourceRecord};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::TimeSpan;
use fitness_core::domain::wellness::{DailyWellness, Sleep};
use serde_json::Value;

/// An entry of the activity list.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ActivityEntry {
    pub(super) report: SourceRecord,
    /// When the device stopped recording; `None` for manual entries and stubs.
    pub(super) recorded_at: Option<Instant>,
    /// An activity from Strava, of which only the start is shared.
    pub(super) is_stub: bool,
    pub(super) has_file: bool,
}

impl ActivityEntry {
    /// `None` without an id or a start time.
    pub(super) fn parse(entry: &Value, zone: Tz) -> Option<Self> {
        let source = text(entry, "source");
        let word = text(entry, "type");
        let utc = local_time(entry, "start_date");
        let local = local_time(entry, "start_date_local");
        let told_offset = local.zip(utc).and_then(|(local, utc)| offset(local, utc));
        // A stub has only local time.
        let started_at = utc.map(|utc| utc.and_utc()).or_else(|| local_instant(local?, zone))?;
        let sport = word.as_deref().map_or(Sport::Other, parse_sport);
        let elapsed = seconds(entry, "elapsed_time");
        let moving = seconds(entry, "moving_time");
        // On foot, cadence counts one leg.
        let legs = if sport == Sport::Running || matches!(word.as_deref(), Some("Walk" | "Hike")) {
            2.0
        } else {
            1.0
        };
        let beats = 20.0..=250.0;
        let activity = Activity {
            sub_sport: word.clone().filter(|word| !GENERIC_SPORTS.contains(&word.as_str())),
            name: text(entry, "name"),
            elapsed: elapsed.or(moving),
            moving,
            distance: meters(entry, "distance"),
            ascent: meters(entry, "total_elevation_gain"),
            descent: meters(entry, "total_elevation_loss"),
            avg_heart_rate: integer(entry, &["average_heartrate"], beats.clone()),
            max_heart_rate: integer(entry, &["max_heartrate"], beats),
            avg_power: integer(entry, &["icu_average_watts"], 1.0..=3000.0),
            avg_cadence: number(entry, &["average_cadence"], 1.0..=300.0).map(|cadence| cadence * legs),
            energy_kcal: integer(entry, &["calories"], 1.0..=50_000.0),
            device: text(entry, "device_name"),
            ..Activity::new(
                sport,
                started_at,
                told_offset.unwrap_or_else(|| utc_offset_seconds(zone, started_at)),
            )
        };
        let from_strava = source.as_deref() == Some("STRAVA");
        let stub = elapsed.is_none() && moving.is_none() && (from_strava || word.is_none());
        let typed_in = source.as_deref() == Some("MANUAL");
        let ended = activity
            .elapsed
            .and_then(|elapsed| started_at.checked_add_signed(TimeDelta::milliseconds(elapsed.ms())));
        let race = value_at(entry, "race") == Some(&Value::Bool(true))
            || text(entry, "sub_type").as_deref() == Some("RACE");
        let recorded = ParsedActivity {
            has_local_time: told_offset.is_some(),
            race,
            ..ParsedActivity::without_samples(activity)
        };
        Some(Self {
            recorded_at: ended.filter(|_| !stub && !typed_in),
            is_stub: stub,
            has_file: !from_strava && !stub && !typed_in,
            report: SourceRecord {
                key: RecordKey { kind: SourceKind::Intervals, id: id(entry, "id")? },
                parsed: recorded,
                raw: Some(entry.to_string()),
            },
        })
    }
}

/// Local time in a zone; a time skipped by a clock change is moved an hour later.
fn local_instant(local: NaiveDateTime, zone: Tz) -> Option<Instant> {
    let at = |local: NaiveDateTime| zone.from_local_datetime(&local).earliest();
    at(local).or_else(|| at(local + TimeDelta::hours(1))).map(|at| at.to_utc())
}

/// Types that say no more than the sport.
const GENERIC_SPORTS: &[&str] = &["Run", "Ride", "Swim", "Rowing", "WeightTraining", "Workout", "Other"];

fn parse_sport(word: &str) -> Sport {
    match word {
        "Run" | "TrailRun" | "VirtualRun" | "TrackRun" | "Treadmill" => Sport::Running,
        "Swim" | "OpenWaterSwim" => Sport::Swimming,
        "Rowing" | "VirtualRow" => Sport::Rowing,
        "WeightTraining" => Sport::Strength,
        "Cyclocross" | "Velomobile" | "Handcycle" => Sport::Cycling,
        word if word.ends_with("Ride") => Sport::Cycling,
        _ => Sport::Other,
    }
}

/// `None` without a day. Subjective values (1 to 4) are not read.
pub(super) fn wellness(entry: &Value) -> Option<DayValues> {
    let asleep = seconds(entry, "sleepSecs").filter(|asleep| *asleep > TimeSpan::ZERO);
    let sleep = asleep.map(|asleep| Sleep {
        asleep: Some(asleep),
        score: integer(entry, &["sleepScore"], 0.0..=100.0),
        ..Sleep::default()
    });
    let wellness = DailyWellness {
        sleep,
        weight_kg: number(entry, &["weight"], 20.0..=400.0),
        resting_heart_rate: integer(entry, &["restingHR"], 20.0..=250.0),
        hrv_ms: number(entry, &["hrv"], 1.0..=400.0),
        spo2: number(entry, &["spO2"], 50.0..=100.0),
        respiration: number(entry, &["respiration"], 3.0..=60.0),
        steps: integer(entry, &["steps"], 1.0..=500_000.0),
        vo2max: number(entry, &["vo2max"], 10.0..=100.0),
        ..DailyWellness::empty(day(entry, "id")?)
    };
    // `updated` is when the server wrote, not when a device measured.
    Some(DayValues { wellness, recorded_at: None, raw: entry.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn entry_is_parsed_as_activity() {
        let entry = json!({"id": "i77", "start_date": "2026-06-14T05:00:00Z", "start_date_local": "2026-06-14T07:00:00",
            "type": "TrailRun", "name": "Hills", "distance": 12_000.4, "elapsed_time": 4000, "moving_time": 3900,
            "average_cadence": 84.5, "average_heartrate": 151, "race": true, "source": "GARMIN_CONNECT",
            "perceived_exertion": 6.0, "device_name": "FR255"});
        let listed = ActivityEntry::parse(&entry, Tz::UTC).unwrap();
        let activity = &listed.report.parsed.activity;
        assert_eq!((activity.sport, activity.sub_sport.as_deref()), (Sport::Running, Some("TrailRun")));
        assert_eq!((activity.avg_cadence, activity.utc_offset_s), (Some(169.0), 7200));
        assert_eq!(listed.recorded_at.unwrap().to_rfc3339(), "2026-06-14T06:06:40+00:00");
        assert!(listed.report.parsed.race && listed.has_file && !listed.is_stub);
        assert!(listed.report.raw.unwrap().contains("perceived_exertion"));
        assert_eq!(listed.report.key.to_string(), "intervals:i77");
    }

    #[test]
    fn stub_has_only_a_start() {
        let stub = json!({"id": "12", "source": "STRAVA", "start_date_local": "2026-06-14T07:00:00", "_note": "not available"});
        let listed = ActivityEntry::parse(&stub, Tz::Europe__Berlin).unwrap();
        assert!(listed.is_stub && !listed.has_file);
        assert_eq!((listed.recorded_at, listed.report.parsed.has_local_time), (None, false));
        let expected = Activity::new(Sport::Other, "2026-06-14T05:00:00Z".parse().unwrap(), 7200);
        assert_eq!(listed.report.parsed.activity, expected);
        for bad in [json!({"id": "12", "source": "STRAVA"}), json!({"start_date": "2026-06-14T05:00:00Z"})] {
            assert_eq!(ActivityEntry::parse(&bad, Tz::UTC), None);
        }
    }

    #[test]
    fn manual_entry_has_no_recording_time() {
        let entry = json!({"id": "i78", "start_date": "2026-06-14T05:00:00Z", "type": "Run", "elapsed_time": 4000,
            "source": "MANUAL"});
        let listed = ActivityEntry::parse(&entry, Tz::UTC).unwrap();
        assert_eq!((listed.recorded_at, listed.has_file, listed.is_stub), (None, false, false));
    }

    #[test]
    fn day_with_only_computed_values_is_empty() {
        let computed = json!({"id": "2026-06-14", "ctl": 55.1, "atl": 60.2, "stress": 3, "updated": "2026-06-14T05:00:00Z", "sleepSecs": 0});
        assert_eq!(
            wellness(&computed).unwrap().wellness,
            DailyWellness::empty("2026-06-14".parse().unwrap())
        );
        let day = json!({"id": "2026-06-14", "weight": 61.5, "restingHR": 48, "hrv": 66.0, "sleepSecs": 27_000, "sleepScore": 81.4, "steps": 9000});
        let entry = wellness(&day).unwrap();
        assert_eq!(
            (entry.wellness.weight_kg, entry.wellness.steps, entry.recorded_at),
            (Some(61.5), Some(9000), None)
        );
        assert_eq!(entry.wellness.sleep.unwrap().score, Some(81));
    }
}
