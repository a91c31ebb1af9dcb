//! Writes the JSON files of an account export.

use super::activities_json::GarminActivityJson;
use super::physiology::{Body, MAX_HEART_RATE, THRESHOLD_HEART_RATE};
use super::samples::zone_floors;
use super::season::Season;
use super::watch_estimates::{AcuteChronicLoadJson, MaxMet, RacePredictionsJson, Readiness, TrainingStatus};
use super::wellness::{DailyLoads, Vitals};
use super::wellness_json::{BioMetric, DailySummary, HealthStatus, Sleep};
use super::{Archive, EMAIL, USER_ID};
use chrono::Datelike;
use fitness_core::domain::calendar::Day;
use serde::Serialize;
use std::io::{self, Seek, Write};

/// Days per file. The last day of a file is also the first of the next.
const DAYS_PER_FILE: i64 = 100;
const ACTIVITIES_PER_FILE: usize = 1000;

/// Age on the last day.
pub(super) const AGE: i32 = 38;

pub(super) fn write_activities<W: Write + Seek>(
    archive: &mut Archive<W>,
    rows: &[GarminActivityJson],
) -> io::Result<()> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct SummarizedActivitiesJson<'a> {
        summarized_activities_export: &'a [GarminActivityJson],
    }
    for (i, rows) in rows.chunks(ACTIVITIES_PER_FILE).enumerate() {
        let first = if i == 0 { 0 } else { i * ACTIVITIES_PER_FILE + 1 };
        let path = format!("DI-Connect-Fitness/{EMAIL}_{first}_summarizedActivities.json");
        archive.add_json(&path, &[SummarizedActivitiesJson { summarized_activities_export: rows }])?;
    }
    Ok(())
}

pub(super) fn write_days<W: Write + Seek>(
    archive: &mut Archive<W>,
    season: &Season<'_>,
    first: Day,
) -> io::Result<()> {
    let loads = DailyLoads::new(season, first, season.last_day);
    let mut weighings: Vec<BioMetric> = Vec::new();
    let mut begins = first;
    while begins < season.last_day || begins == first {
        let ends = begins.plus_days(DAYS_PER_FILE).min(season.last_day);
        let days: Vec<Vitals> = begins.through(ends).map(|day| Vitals::on_day(season, &loads, day)).collect();
        // For the shared day, the next file has newer values.
        let fresh = &days[usize::from(begins != first)..];
        let uds: Vec<DailySummary> = days
            .iter()
            .filter_map(|v| DailySummary::new(season, v, loads.on_day(v.day), v.day == ends))
            .collect();
        archive.add_json(&format!("DI-Connect-Aggregator/UDSFile_{begins}_{ends}.json"), &uds)?;

        let wellness = |what: &str| format!("DI-Connect-Wellness/{begins}_{ends}_{USER_ID}_{what}.json");
        let empty = (begins == first).then_some(Sleep::Empty { retro: false });
        let sleep: Vec<Sleep> = empty.into_iter().chain(fresh.iter().filter_map(Sleep::new)).collect();
        archive.add_json(&wellness("sleepData"), &sleep)?;
        let health: Vec<HealthStatus> = fresh.iter().filter_map(HealthStatus::new).collect();
        archive.add_json(&wellness("healthStatusData"), &health)?;
        weighings.extend(fresh.iter().filter_map(BioMetric::new));

        let compact = |day: Day| day.date().format("%Y%m%d").to_string();
        let (from, until) = (compact(begins), compact(ends));
        let metrics = |what: &str| format!("DI-Connect-Metrics/{what}_{from}_{until}_{USER_ID}.json");
        let readiness: Vec<_> = fresh.iter().flat_map(|v| Readiness::new(season, &loads, v)).collect();
        archive.add_json(&metrics("TrainingReadinessDTO"), &readiness)?;
        let acute: Vec<_> = fresh.iter().flat_map(|v| AcuteChronicLoadJson::new(season, &loads, v)).collect();
        archive.add_json(&metrics("MetricsAcuteTrainingLoad"), &acute)?;
        let predictions: Vec<_> = fresh.iter().map(RacePredictionsJson::new).collect();
        archive.add_json(&metrics("RunRacePredictions"), &predictions)?;
        let history: Vec<_> = fresh.iter().map(|v| TrainingStatus::new(season, v)).collect();
        archive.add_json(&metrics("TrainingHistory"), &history)?;
        let max_met: Vec<_> = fresh.iter().filter_map(|v| MaxMet::new(season, v)).collect();
        archive.add_json(&metrics("MetricsMaxMetData"), &max_met)?;
        if ends == season.last_day {
            break;
        }
        begins = ends;
    }
    archive.add_json(&format!("DI-Connect-Wellness/{USER_ID}_userBioMetrics.json"), &weighings)
}

/// Heart rate zones and user profile.
pub(super) fn write_profile<W: Write + Seek>(
    archive: &mut Archive<W>,
    season: &Season<'_>,
) -> io::Result<()> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Zones {
        training_method: &'static str,
        resting_heart_rate_used: u8,
        lactate_threshold_heart_rate_used: u8,
        zone1_floor: u8,
        zone2_floor: u8,
        zone3_floor: u8,
        zone4_floor: u8,
        zone5_floor: u8,
        max_heart_rate_used: u8,
        sport: &'static str,
    }
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Profile {
        first_name: &'static str,
        last_name: &'static str,
        user_name: &'static str,
        birth_date: String,
        gender: &'static str,
    }
    let [zone1_floor, zone2_floor, zone3_floor, zone4_floor, zone5_floor] = zone_floors();
    let zones = Zones {
        training_method: "HR_MAX",
        resting_heart_rate_used: Body::on_day(season, season.last_day).resting_heart_rate.round() as u8,
        lactate_threshold_heart_rate_used: THRESHOLD_HEART_RATE as u8,
        zone1_floor,
        zone2_floor,
        zone3_floor,
        zone4_floor,
        zone5_floor,
        max_heart_rate_used: MAX_HEART_RATE as u8,
        sport: "DEFAULT",
    };
    archive.add_json(&format!("DI-Connect-Wellness/{USER_ID}_heartRateZones.json"), &[zones])?;
    let profile = Profile {
        first_name: "Robin",
        last_name: "Demo",
        user_name: "demo",
        birth_date: format!("{}-01-01", season.last_day.date().year() - AGE),
        gender: "FEMALE",
    };
    archive.add_json("DI-Connect-User/user_profile.json", &profile)
}
