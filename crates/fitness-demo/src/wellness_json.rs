//! Daily datasets of an account export: summaries, sleep, health status, weight.

use super::activities_json::round_to_tenths;
use super::season::Season;
use super::wellness::{Vitals, WearTime};
use chrono::TimeDelta;
use fitness_core::domain::calendar::{Day, Instant, utc_offset_seconds};
use serde::Serialize;

/// The most common time format of the export.
pub(super) fn format_timestamp(at: Instant) -> String {
    at.format("%Y-%m-%dT%H:%M:%S.0").to_string()
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DailySummary {
    #[serde(rename = "userProfilePK")]
    user: i64,
    calendar_date: Day,
    duration_in_milliseconds: i64,
    wellness_start_time_gmt: String,
    wellness_end_time_gmt: String,
    wellness_start_time_local: String,
    wellness_end_time_local: String,
    total_kilocalories: f64,
    active_kilocalories: f64,
    bmr_kilocalories: f64,
    total_steps: i64,
    daily_step_goal: i64,
    total_distance_meters: i64,
    min_heart_rate: i64,
    max_heart_rate: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    resting_heart_rate: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    current_day_resting_heart_rate: Option<i64>,
    all_day_stress: AllDayStress,
    body_battery: BodyBattery,
    respiration: Respiration,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct AllDayStress {
    #[serde(rename = "userProfilePK")]
    user: i64,
    calendar_date: Day,
    aggregator_list: [Stress; 2],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Stress {
    r#type: &'static str,
    average_stress_level: i64,
    max_stress_level: i64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct BodyBattery {
    charged_value: i64,
    drained_value: i64,
    body_battery_stat_list: [BatteryStat; 2],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct BatteryStat {
    body_battery_stat_type: &'static str,
    stats_value: i64,
    stat_timestamp: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Respiration {
    avg_waking_respiration_value: f64,
    highest_respiration_value: f64,
    lowest_respiration_value: f64,
}

impl DailySummary {
    /// The day until noon if `so_far`, else the whole day; `None` if the watch was not worn.
    pub(super) fn new(season: &Season<'_>, vitals: &Vitals, load: f64, so_far: bool) -> Option<Self> {
        if vitals.wear_time == WearTime::Never {
            return None;
        }
        let day = vitals.day;
        let begins = day.previous().end(season.zone_on(day));
        let ends = if so_far { season.local_instant(day, 12 * 3600) } else { day.end(season.zone_on(day)) };
        let local = |at: Instant| at + TimeDelta::seconds(utc_offset_seconds(season.zone_on(day), at).into());
        let share = if so_far { 0.22 } else { 1.0 };
        let active = ((f64::from(vitals.steps as i32) * 0.03 + load * 4.5) * share).round();
        let resting =
            (vitals.wear_time == WearTime::Always).then(|| vitals.resting_heart_rate.round() as i64);
        let steps = (vitals.steps as f64 * share) as i64;
        // Not worn long enough.
        let known = vitals.wear_time == WearTime::Always || vitals.steps % 3 != 0;
        let stress = |kind, more: i64| Stress {
            r#type: kind,
            average_stress_level: if known { vitals.stress + more } else { -1 },
            max_stress_level: if known { vitals.max_stress } else { -1 },
        };
        let (low, high) = vitals.body_battery;
        let battery = |kind, value, at: Instant| BatteryStat {
            body_battery_stat_type: kind,
            stats_value: value,
            stat_timestamp: format_timestamp(at),
        };
        let bmr = (1420.0 * share).round();
        Some(Self {
            user: super::USER_ID,
            calendar_date: day,
            duration_in_milliseconds: (ends - begins).num_milliseconds(),
            wellness_start_time_gmt: format_timestamp(begins),
            wellness_end_time_gmt: format_timestamp(ends),
            wellness_start_time_local: format_timestamp(local(begins)),
            wellness_end_time_local: format_timestamp(local(ends)),
            total_kilocalories: bmr + active,
            active_kilocalories: active,
            bmr_kilocalories: bmr,
            total_steps: steps,
            daily_step_goal: 8000,
            total_distance_meters: (steps as f64 * 0.78) as i64,
            min_heart_rate: vitals.resting_heart_rate.round() as i64 - 3,
            max_heart_rate: if load > 0.0 && !so_far { 150 + (load / 5.0).min(33.0) as i64 } else { 112 },
            resting_heart_rate: resting,
            current_day_resting_heart_rate: resting.map(|bpm| bpm + 1),
            all_day_stress: AllDayStress {
                user: super::USER_ID,
                calendar_date: day,
                aggregator_list: [stress("TOTAL", 0), stress("AWAKE", 6)],
            },
            body_battery: BodyBattery {
                charged_value: high - low - 4,
                drained_value: high - low,
                body_battery_stat_list: [
                    battery("HIGHEST", high, vitals.night.ended_at),
                    battery("LOWEST", if so_far { (high - 20).max(5) } else { low }, ends),
                ],
            },
            respiration: Respiration {
                avg_waking_respiration_value: (vitals.respiration + 1.0).round(),
                highest_respiration_value: (vitals.respiration + 8.0).round(),
                lowest_respiration_value: (vitals.respiration - 4.0).round(),
            },
        })
    }
}

/// A night, or the empty row at the start of the first file.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Sleep {
    Empty { retro: bool },
    Night(Box<SleepNight>),
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SleepNight {
    #[serde(rename = "sleepStartTimestampGMT")]
    started_at: String,
    #[serde(rename = "sleepEndTimestampGMT")]
    ended_at: String,
    calendar_date: Day,
    sleep_window_confirmation_type: &'static str,
    deep_sleep_seconds: i64,
    light_sleep_seconds: i64,
    rem_sleep_seconds: i64,
    awake_sleep_seconds: i64,
    unmeasurable_seconds: i64,
    #[serde(flatten)]
    measurements: Option<SleepMeasurements>,
    retro: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SleepMeasurements {
    average_respiration: f64,
    lowest_respiration: f64,
    highest_respiration: f64,
    awake_count: i64,
    avg_sleep_stress: f64,
    restless_moment_count: i64,
    sleep_scores: SleepScores,
    spo2_sleep_summary: Spo2,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SleepScores {
    overall_score: i64,
    quality_score: i64,
    duration_score: i64,
    recovery_score: i64,
    feedback: &'static str,
    insight: &'static str,
}

#[derive(Debug, Serialize)]
struct Spo2 {
    #[serde(rename = "averageSPO2")]
    average: f64,
    #[serde(rename = "averageHR")]
    heart_rate: f64,
    #[serde(rename = "lowestSPO2")]
    lowest: i64,
}

impl Sleep {
    pub(super) fn new(vitals: &Vitals) -> Option<Self> {
        let night = &vitals.night;
        let (kind, zeroed) = match vitals.wear_time {
            WearTime::Always => ("ENHANCED_CONFIRMED_FINAL", 1),
            WearTime::DaytimeOnly => ("OFF_WRIST", 0),
            WearTime::Never => return None,
        };
        let quality = if night.score >= 80 { "POSITIVE_LONG_AND_CALM" } else { "NEGATIVE_NOT_RESTORATIVE" };
        let measured = (vitals.wear_time == WearTime::Always).then(|| SleepMeasurements {
            average_respiration: vitals.respiration.round(),
            lowest_respiration: (vitals.respiration - 3.0).round(),
            highest_respiration: (vitals.respiration + 5.0).round(),
            awake_count: 1 + night.awake / 1500,
            avg_sleep_stress: round_to_tenths(vitals.stress as f64 * 0.55),
            restless_moment_count: 22 + night.awake / 120,
            sleep_scores: SleepScores {
                overall_score: night.score,
                quality_score: (night.score - 2).max(0),
                duration_score: (night.score + 3).min(100),
                recovery_score: (night.score + 1).min(100),
                feedback: quality,
                insight: "NONE",
            },
            spo2_sleep_summary: Spo2 {
                average: vitals.spo2.round(),
                heart_rate: (vitals.resting_heart_rate + 3.0).round(),
                lowest: vitals.spo2 as i64 - 7,
            },
        });
        Some(Self::Night(Box::new(SleepNight {
            started_at: format_timestamp(night.started_at),
            ended_at: format_timestamp(night.ended_at),
            calendar_date: vitals.day,
            sleep_window_confirmation_type: kind,
            deep_sleep_seconds: night.deep * zeroed,
            light_sleep_seconds: night.light * zeroed,
            rem_sleep_seconds: night.rem * zeroed,
            awake_sleep_seconds: night.awake * zeroed,
            unmeasurable_seconds: 0,
            measurements: measured,
            retro: false,
        })))
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct HealthStatus {
    calendar_date: Day,
    #[serde(rename = "createTimestampUTC")]
    created: String,
    #[serde(rename = "updateTimestampUTC")]
    updated: String,
    outliers_count: usize,
    metrics: [WellnessMetric; 5],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct WellnessMetric {
    r#type: &'static str,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_upper_limit: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_lower_limit: Option<f64>,
    status: &'static str,
}

impl HealthStatus {
    pub(super) fn new(vitals: &Vitals) -> Option<Self> {
        let worn = match vitals.wear_time {
            WearTime::Always => true,
            WearTime::DaytimeOnly => false,
            WearTime::Never => return None,
        };
        let metric = |kind, value: f64, low: f64, high: f64| WellnessMetric {
            r#type: kind,
            value: if worn { value } else { 0.0 },
            baseline_upper_limit: worn.then(|| high.round()),
            baseline_lower_limit: worn.then(|| low.round()),
            status: if !worn {
                "UNKNOWN"
            } else if (low..=high).contains(&value) {
                "IN_RANGE"
            } else {
                "OUT_OF_RANGE"
            },
        };
        let metrics = [
            metric("HRV", vitals.hrv.round(), vitals.hrv_baseline * 0.85, vitals.hrv_baseline * 1.15),
            metric("HR", (vitals.resting_heart_rate + 2.0).round(), 48.0, 58.0),
            metric("SPO2", vitals.spo2.round(), 93.0, 98.0),
            metric("SKIN_TEMP_C", round_to_tenths(vitals.skin_temperature), -0.6, 0.6),
            metric("RESPIRATION", round_to_tenths(vitals.respiration), 12.0, 15.0),
        ];
        Some(Self {
            calendar_date: vitals.day,
            created: format_timestamp(vitals.night.ended_at),
            updated: format_timestamp(vitals.night.ended_at + TimeDelta::minutes(20)),
            outliers_count: metrics.iter().filter(|metric| metric.status == "OUT_OF_RANGE").count(),
            metrics,
        })
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BioMetric {
    meta_data: WellnessMetaData,
    weight: Weight,
    height: f64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct WellnessMetaData {
    calendar_date: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Weight {
    weight: f64,
    source_type: &'static str,
    #[serde(rename = "timestampGMT")]
    at: String,
}

impl BioMetric {
    pub(super) fn new(vitals: &Vitals) -> Option<Self> {
        let at = format_timestamp(vitals.night.ended_at + TimeDelta::minutes(8));
        Some(Self {
            meta_data: WellnessMetaData { calendar_date: format!("{}T00:00:00.0", vitals.day) },
            weight: Weight { weight: vitals.weight_grams?, source_type: "INDEX_SCALE", at },
            height: 169.0,
        })
    }
}
