//! Parses entries of Garmin's activity list, and heart rate zones.

use crate::garmin_export::THRESHOLD_FIELDS;
use crate::live::json::{id, integer, local_time, meters, millis, number, offset, seconds, text, value_at};
use chrono::TimeDelta;
use chrono_tz::Tz;
use fitness_core::domain::activity::Activity;
use fitness_core::domain::athlete::{ZoneKind, Zones};
use fitness_core::domain::calendar::{Instant, utc_offset_seconds};
use fitness_core::domain::source_record::{
    ImportedRecord, ParsedActivity, RecordKey, SourceKind, SourceRecord, ThresholdBasis,
};
use fitness_core::domain::sport::Sport;
use serde_json::Value;
use std::collections::BTreeSet;

/// An entry of the activity list.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ActivityEntry {
    pub(super) report: SourceRecord,
    /// When the device stopped recording; `None` for manual entries.
    pub(super) recorded_at: Option<Instant>,
    /// Whether it is a whole multisport event, such as a triathlon.
    pub(super) is_multisport: bool,
    /// Ids of the legs, if listed.
    legs: Vec<String>,
    /// Id of the multisport event it is a leg of.
    pub(super) leg_of: Option<String>,
    /// Entered by hand, so there is no file.
    pub(super) is_manual: bool,
}

impl ActivityEntry {
    /// `None` without an id or a start time.
    pub(super) fn parse(entry: &Value, zone: Tz) -> Option<Self> {
        let id_ = id(entry, "activityId")?;
        let utc = local_time(entry, "startTimeGMT");
        let started_at =
            utc.map(|utc| utc.and_utc()).or_else(|| millis(value_at(entry, "beginTimestamp")?))?;
        let told_offset =
            local_time(entry, "startTimeLocal").and_then(|local| offset(local, started_at.naive_utc()));
        let word = text(entry, "activityType.typeKey");
        let sport = word.as_deref().map_or(Sport::Other, parse_sport);
        let plain = word.as_deref() == Some(sport.as_str()) || word.as_deref() == Some("other");
        let watts = 1.0..=3000.0;
        let duration = seconds(entry, "duration");
        let activity = Activity {
            sub_sport: word.clone().filter(|_| !plain),
            name: text(entry, "activityName"),
            elapsed: seconds(entry, "elapsedDuration").or(duration),
            moving: seconds(entry, "movingDuration").or(duration),
            distance: meters(entry, "distance"),
            ascent: meters(entry, "elevationGain"),
            descent: meters(entry, "elevationLoss"),
            avg_heart_rate: integer(entry, &["averageHR"], super::days::HEART_RATES),
            max_heart_rate: integer(entry, &["maxHR"], super::days::HEART_RATES),
            avg_power: integer(entry, &["avgPower"], watts.clone()),
            max_power: integer(entry, &["maxPower"], watts),
            avg_cadence: number(
                entry,
                &["averageRunningCadenceInStepsPerMinute", "averageBikingCadenceInRevPerMinute"],
                1.0..=400.0,
            ),
            energy_kcal: integer(entry, &["calories"], 1.0..=50_000.0),
            ..Activity::new(
                sport,
                started_at,
                told_offset.unwrap_or_else(|| utc_offset_seconds(zone, started_at)),
            )
        };
        let typed_in = value_at(entry, "manualActivity").and_then(Value::as_bool) == Some(true);
        let ended = activity
            .elapsed
            .and_then(|elapsed| started_at.checked_add_signed(TimeDelta::milliseconds(elapsed.ms())));
        let race = text(entry, "eventType.typeKey").as_deref() == Some("race");
        let recorded = ParsedActivity {
            has_local_time: told_offset.is_some(),
            race,
            ..ParsedActivity::without_samples(activity)
        };
        let legs = value_at(entry, "childIds").and_then(Value::as_array);
        Some(Self {
            recorded_at: ended.filter(|_| !typed_in),
            is_multisport: word.as_deref() == Some("multi_sport")
                || value_at(entry, "parent") == Some(&Value::Bool(true)),
            legs: legs.into_iter().flatten().filter_map(|leg| Some(leg.as_u64()?.to_string())).collect(),
            leg_of: id(entry, "parentId"),
            is_manual: typed_in,
            report: SourceRecord {
                key: RecordKey { kind: SourceKind::Garmin, id: id_ },
                parsed: recorded,
                raw: Some(entry.to_string()),
            },
        })
    }

    /// Whether any of its legs is in the list.
    pub(super) fn legs_are_listed(&self, list: &[Self]) -> bool {
        let key = &self.report.key.id;
        list.iter().any(|one| one.leg_of.as_ref() == Some(key) || self.legs.contains(&one.report.key.id))
    }
}

/// Ids of all legs of multisport events in the list.
pub(super) fn legs(list: &[ActivityEntry]) -> BTreeSet<String> {
    let with_legs = list.iter().filter(|one| one.is_multisport);
    with_legs.flat_map(|one| one.legs.iter().cloned()).collect()
}

fn parse_sport(word: &str) -> Sport {
    let has = |parts: &[&str]| parts.iter().any(|part| word.contains(part));
    if has(&["rowing"]) {
        Sport::Rowing
    } else if has(&["strength_training"]) {
        Sport::Strength
    } else if has(&["swimming"]) {
        Sport::Swimming
    } else if has(&["cycling", "biking", "cyclocross", "bmx", "e_bike", "virtual_ride"]) && !has(&["motor"]) {
        Sport::Cycling
    } else if has(&["running", "ultra_run", "obstacle_run", "virtual_run"]) {
        Sport::Running
    } else {
        Sport::Other
    }
}

/// Heart rate zones per sport, and the thresholds they are based on. `None` if the response has an
/// unknown format.
pub(super) fn zones(value: &Value) -> Option<Vec<ImportedRecord>> {
    let mut told = Vec::new();
    for entry in crate::live::json::entries(value)? {
        let sport = match text(entry, "sport").as_deref() {
            Some("DEFAULT") => Sport::Other,
            Some(word) => match parse_sport(&word.to_lowercase()) {
                // Zones of a sport we do not distinguish must not count as the default.
                Sport::Other => continue,
                sport => sport,
            },
            None => continue,
        };
        told.extend(THRESHOLD_FIELDS.iter().filter_map(|(field, kind)| {
            let (low, high) = kind.bounds();
            Some(ImportedRecord::Threshold {
                kind: *kind,
                value: number(entry, &[field], low..=high)?,
                sport,
                basis: ThresholdBasis::Zones,
                from: None,
            })
        }));
        let floors: Option<Vec<f64>> = (1..=5)
            .map(|zone| number(entry, &[&format!("zone{zone}Floor")], super::days::HEART_RATES))
            .collect();
        let zones = floors.and_then(|floors| Zones::new(floors).ok());
        told.extend(zones.map(|zones| ImportedRecord::Zones { kind: ZoneKind::HeartRate, sport, zones }));
    }
    Some(told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn ride() -> Value {
        json!({
            "activityId": 21, "activityName": " Morning\u{7} ride ", "startTimeGMT": "2026-06-14 05:00:00",
            "startTimeLocal": "2026-06-14 07:00:00", "activityType": {"typeKey": "gravel_cycling"},
            "eventType": {"typeKey": "race"}, "distance": 40_000.5, "duration": 5400.0, "elapsedDuration": 5460.25,
            "movingDuration": 0.0, "averageHR": 142.4, "calories": 0, "avgPower": 0.0, "manualActivity": false,
        })
    }

    #[test]
    fn entry_is_parsed_as_activity() {
        let listed = ActivityEntry::parse(&ride(), Tz::UTC).unwrap();
        let activity = &listed.report.parsed.activity;
        assert_eq!((activity.sport, activity.sub_sport.as_deref()), (Sport::Cycling, Some("gravel_cycling")));
        assert_eq!(activity.name.as_deref(), Some("Morning ride"));
        assert_eq!((activity.utc_offset_s, activity.distance.unwrap().mm()), (7200, 40_000_500));
        assert_eq!((activity.elapsed.unwrap().ms(), activity.moving.unwrap().ms()), (5_460_250, 5_400_000));
        // Zero means not measured.
        assert_eq!(
            (activity.energy_kcal, activity.avg_power, activity.avg_heart_rate),
            (None, None, Some(142))
        );
        assert!(listed.report.parsed.race && listed.report.parsed.has_local_time);
        assert_eq!(listed.recorded_at.unwrap().to_rfc3339(), "2026-06-14T06:31:00.250+00:00");
        assert_eq!(listed.report.key.to_string(), "garmin:21");
    }

    #[test]
    fn manual_entry_has_no_recording_time() {
        let mut entry = ride();
        entry["manualActivity"] = json!(true);
        assert_eq!(ActivityEntry::parse(&entry, Tz::UTC).unwrap().recorded_at, None);
        for needed in ["activityId", "startTimeGMT"] {
            let mut entry = ride();
            entry[needed] = Value::Null;
            assert_eq!(ActivityEntry::parse(&entry, Tz::UTC), None, "{needed}");
        }
        let mut entry = ride();
        entry["startTimeLocal"] = Value::Null;
        let assumed = ActivityEntry::parse(&entry, Tz::Asia__Tokyo).unwrap().report.parsed;
        assert_eq!((assumed.has_local_time, assumed.activity.utc_offset_s), (false, 9 * 3600));
    }

    #[test]
    fn garmin_sport_names_are_mapped() {
        for (word, sport) in [
            ("trail_running", Sport::Running),
            ("treadmill_running", Sport::Running),
            ("road_biking", Sport::Cycling),
            ("e_bike_mountain", Sport::Cycling),
            ("motorcycling_v2", Sport::Other),
            ("lap_swimming", Sport::Swimming),
            ("indoor_rowing", Sport::Rowing),
            ("strength_training", Sport::Strength),
            ("hiking", Sport::Other),
            ("multi_sport", Sport::Other),
        ] {
            assert_eq!(parse_sport(word), sport, "{word}");
        }
    }

    #[test]
    fn zones_are_parsed_per_sport() {
        let zone = |sport: &str, last: u32| json!({"sport": sport, "zone1Floor": 93, "zone2Floor": 111, "zone3Floor": 130, "zone4Floor": 148, "zone5Floor": last});
        let told = zones(&json!([
            zone("DEFAULT", 167),
            zone("RUNNING", 170),
            zone("YOGA", 167),
            zone("CYCLING", 0)
        ]));
        let sports: Vec<Sport> = told
            .unwrap()
            .iter()
            .map(|told| match told {
                ImportedRecord::Zones { sport, .. } => *sport,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(sports, [Sport::Other, Sport::Running]);
    }
}
