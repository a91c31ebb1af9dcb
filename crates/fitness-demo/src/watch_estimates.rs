//! Estimates of the watch in an account export: readiness, load, predictions, status, VO2max.

use super::activities_json::round_to_tenths;
use super::physiology::race_time;
use super::season::Season;
use super::wellness::{DailyLoads, Vitals, WearTime};
use super::wellness_json::format_timestamp;
use chrono::{NaiveTime, TimeDelta};
use fitness_core::domain::calendar::{Day, Instant, utc_offset_seconds};
use serde::Serialize;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Readiness {
    calendar_date: Day,
    timestamp: String,
    timestamp_local: String,
    input_context: &'static str,
    level: &'static str,
    score: i64,
    sleep_score: i64,
    recovery_time: i64,
    hrv_factor_percent: i64,
    hrv_weekly_average: i64,
    acute_load: i64,
    valid_sleep: bool,
}

impl Readiness {
    /// One in the morning and one after training; none without sleep data.
    pub(super) fn new(season: &Season<'_>, loads: &DailyLoads, vitals: &Vitals) -> Vec<Self> {
        if vitals.wear_time != WearTime::Always {
            return Vec::new();
        }
        let day = vitals.day;
        let week = (0..7).map(|ago| Vitals::on_day(season, loads, day.plus_days(-ago)));
        let nights: Vec<f64> = week.filter(|v| v.wear_time == WearTime::Always).map(|v| v.hrv).collect();
        // 511 means not enough data.
        let hrv_weekly_average =
            if nights.len() < 4 { 511 } else { (nights.iter().sum::<f64>() / nights.len() as f64) as i64 };
        let balance = vitals.hrv / vitals.hrv_baseline;
        let score = 62.0 + 75.0 * (balance - 1.0) + 0.5 * (vitals.night.score - 80) as f64
            - 0.5 * (vitals.acute - vitals.chronic);
        let trained = loads.on_day(day);
        let row = |at: Instant, context, score: f64, recovery_time| {
            let score = score.clamp(1.0, 100.0) as i64;
            Self {
                calendar_date: day,
                timestamp: format_timestamp(at),
                timestamp_local: format_timestamp(
                    at + TimeDelta::seconds(utc_offset_seconds(season.zone_on(day), at).into()),
                ),
                input_context: context,
                level: match score {
                    ..25 => "POOR",
                    25..50 => "LOW",
                    50..75 => "MODERATE",
                    75..95 => "HIGH",
                    _ => "PRIME",
                },
                score,
                sleep_score: vitals.night.score,
                recovery_time,
                hrv_factor_percent: (balance * 80.0).clamp(1.0, 100.0) as i64,
                hrv_weekly_average,
                acute_load: (vitals.acute * 7.0) as i64,
                valid_sleep: true,
            }
        };
        let recovery = (loads.on_day(day.previous()) * 9.0) as i64;
        let mut rows = vec![row(vitals.night.ended_at, "AFTER_WAKEUP_RESET", score, recovery)];
        if trained > 0.0 {
            let evening = season.local_instant(day, 20 * 3600);
            let left = score - trained * 0.25;
            rows.push(row(evening, "AFTER_POST_EXERCISE_RESET", left, (trained * 16.0) as i64));
        }
        rows
    }
}

/// Acute and chronic load.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AcuteChronicLoadJson {
    #[serde(rename = "userProfilePK")]
    user: i64,
    calendar_date: i64,
    timestamp: i64,
    daily_training_load_acute: i64,
    daily_training_load_chronic: i64,
    daily_acute_chronic_workload_ratio: f64,
    acwr_status: &'static str,
}

impl AcuteChronicLoadJson {
    /// One in the morning and one after training; the later one counts.
    pub(super) fn new(season: &Season<'_>, loads: &DailyLoads, vitals: &Vitals) -> Vec<Self> {
        let row = |at: Instant, more: f64| {
            let acute = vitals.acute * 7.0 + more;
            let ratio = acute / (vitals.chronic * 7.0).max(1.0);
            Self {
                user: super::USER_ID,
                calendar_date: vitals.day.date().and_time(NaiveTime::MIN).and_utc().timestamp_millis(),
                timestamp: at.timestamp_millis(),
                daily_training_load_acute: acute as i64,
                daily_training_load_chronic: (vitals.chronic * 7.0) as i64,
                daily_acute_chronic_workload_ratio: round_to_tenths(ratio),
                acwr_status: match ratio {
                    x if x < 0.8 => "LOW",
                    x if x <= 1.4 => "OPTIMAL",
                    _ => "HIGH",
                },
            }
        };
        let trained = loads.on_day(vitals.day);
        let mut rows = vec![row(vitals.night.ended_at, 0.0)];
        if trained > 0.0 {
            rows.push(row(season.local_instant(vitals.day, 20 * 3600), trained));
        }
        rows
    }
}

/// Predicted race times in seconds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RacePredictionsJson {
    calendar_date: Day,
    timestamp: String,
    #[serde(rename = "raceTime5K")]
    five_k: i64,
    #[serde(rename = "raceTime10K")]
    ten_k: i64,
    race_time_half: i64,
    race_time_marathon: i64,
}

impl RacePredictionsJson {
    pub(super) fn new(vitals: &Vitals) -> Self {
        // Watches predict optimistically.
        let time = |meters: f64| race_time(vitals.vdot + 0.8, meters).round() as i64;
        Self {
            calendar_date: vitals.day,
            timestamp: format_timestamp(vitals.night.ended_at),
            five_k: time(5000.0),
            ten_k: time(10_000.0),
            race_time_half: time(21_097.5),
            race_time_marathon: time(42_195.0),
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TrainingStatus {
    calendar_date: Day,
    timestamp: String,
    sport: &'static str,
    sub_sport: &'static str,
    training_status: &'static str,
    fitness_level_trend: &'static str,
    #[serde(rename = "trainingStatus2FeedbackPhrase")]
    phrase: String,
}

impl TrainingStatus {
    pub(super) fn new(season: &Season<'_>, vitals: &Vitals) -> Self {
        let gain = vitals.vdot - season.fitness(vitals.day.plus_days(-14));
        let ratio = vitals.acute / vitals.chronic.max(1.0);
        let word = match (ratio, gain) {
            _ if season.illness(vitals.day) > 0.0 => "STRAINED",
            (r, _) if r < 0.35 => "DETRAINING",
            (r, _) if r < 0.7 => "RECOVERY",
            (r, g) if r < 0.9 && g > 0.1 => "PEAKING",
            (_, g) if g > 0.05 => "PRODUCTIVE",
            (_, g) if g < -0.2 => "UNPRODUCTIVE",
            _ => "MAINTAINING",
        };
        Self {
            calendar_date: vitals.day,
            timestamp: format_timestamp(vitals.night.ended_at),
            sport: "RUNNING",
            sub_sport: "GENERIC",
            training_status: word,
            fitness_level_trend: if gain > 0.05 { "INCREASING" } else { "NO_CHANGE" },
            phrase: format!("{word}_1"),
        }
    }
}

/// VO2max on days with a suitable run.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MaxMet {
    calendar_date: Day,
    update_timestamp: String,
    sport: &'static str,
    sub_sport: &'static str,
    #[serde(rename = "vo2MaxValue")]
    vo2max: f64,
    max_met: f64,
    max_met_category: u8,
}

impl MaxMet {
    pub(super) fn new(season: &Season<'_>, vitals: &Vitals) -> Option<Self> {
        let run =
            season.activities_on(vitals.day).into_iter().find(|o| o.kind.is_run() && !o.kind.is_indoors())?;
        let vo2max = (vitals.vdot + 1.5).round();
        Some(Self {
            calendar_date: vitals.day,
            update_timestamp: format_timestamp(run.started_at + TimeDelta::hours(1)),
            sport: "RUNNING",
            sub_sport: "GENERIC",
            vo2max,
            max_met: round_to_tenths(vo2max / 3.5),
            max_met_category: 0,
        })
    }
}
