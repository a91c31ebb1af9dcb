//! One activity, measured and judged.
//!
//! [`measure`] takes the samples and no limit; [`judge`] takes limits and zones and no sample. When a threshold
//! changes, only the second runs again.

use super::histogram::SPEED_BIN_MM_S;
use super::load::heart_rate::{
    HeartRateReserve, banister_trimp, edwards_trimp, lucia_trimp, ventilatory_thresholds,
};
use super::load::power::{NormalizedMean, intensity_factor};
use super::load::{AthleteThresholds, Load, PerceivedEffort, heart_seconds, load, normalized_ride_power};
pub use super::recording_measures::{HeartMeasures, Measures, PowerMeasures, SpeedMeasures, measure};
use super::thresholds::in_force::ThresholdInForce;
use super::zones::ZoneTimes;
use super::{MetricResult, MissingReason, Quality, RequiredInput, WithQuality};
use crate::domain::activity::Activity;
use crate::domain::athlete::{ZoneKind, Zones};
use crate::domain::sport::Sport;
use serde::{Deserialize, Serialize};

/// The zones in force for an activity's sport; what is `None` is not divided.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ZoneSets<'a> {
    /// Beats per minute.
    pub heart_rate: Option<&'a Zones>,
    /// Metres per second.
    pub speed: Option<&'a Zones>,
    /// Watts.
    pub power: Option<&'a Zones>,
}

/// What depends on the athlete's limits and zones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActivityMetrics {
    /// What it cost.
    pub load: MetricResult<Load>,
    /// Normalized power of a ride, or normalized graded speed of a run, over the threshold.
    pub intensity: MetricResult<WithQuality>,
    /// Banister's TRIMP.
    pub trimp: MetricResult<WithQuality>,
    /// Edwards' sum.
    pub edwards: MetricResult<WithQuality>,
    /// Lucia's sum, with stand-ins for the ventilatory thresholds: always estimated.
    pub lucia: MetricResult<WithQuality>,
    /// Seconds in heart rate zones; `None` where there are no zones or no heart rate.
    pub heart_zones: Option<ZoneTimes>,
    /// Seconds in zones of graded speed.
    pub speed_zones: Option<ZoneTimes>,
    /// Seconds in power zones.
    pub power_zones: Option<ZoneTimes>,
}

impl ActivityMetrics {
    /// The times in zones that could be measured, by what the zones divide.
    pub fn zone_times(&self) -> impl Iterator<Item = (ZoneKind, &ZoneTimes)> {
        [
            (ZoneKind::HeartRate, &self.heart_zones),
            (ZoneKind::Speed, &self.speed_zones),
            (ZoneKind::Power, &self.power_zones),
        ]
        .into_iter()
        .filter_map(|(kind, times)| Some((kind, times.as_ref()?)))
    }
}

/// Judges an activity by its measures, without its samples.
#[must_use]
pub fn compute_activity_metrics(
    activity: &Activity,
    measures: &Measures,
    limits: &AthleteThresholds,
    zones: ZoneSets<'_>,
    felt: PerceivedEffort,
) -> ActivityMetrics {
    let speed_unit = f64::from(SPEED_BIN_MM_S) / 1000.0;
    let heart = measures.heart.as_ref().ok().zip(zones.heart_rate);
    let speed = measures.speed.as_ref().ok().zip(zones.speed);
    let power = measures.power.as_ref().ok().zip(zones.power);
    ActivityMetrics {
        load: load(activity, measures, limits, felt),
        intensity: relative_intensity(activity, measures, limits),
        trimp: trimp(activity, measures, limits),
        edwards: edwards_sum(activity, measures, limits),
        lucia: lucia_sum(activity, measures, limits),
        heart_zones: heart.map(|(heart, zones)| ZoneTimes::from_histogram(&heart.seconds, 1.0, zones)),
        speed_zones: speed.map(|(speed, zones)| ZoneTimes::from_histogram(&speed.seconds, speed_unit, zones)),
        power_zones: power.map(|(power, zones)| ZoneTimes::from_histogram(&power.seconds, 1.0, zones)),
    }
}

fn relative_intensity(
    activity: &Activity,
    measures: &Measures,
    limits: &AthleteThresholds,
) -> MetricResult<WithQuality> {
    let power = || measures.power.as_ref().map_err(Clone::clone).and_then(normalized_ride_power);
    let speed = || measures.speed.as_ref().map_err(Clone::clone).and_then(|speed| speed.normalized.clone());
    let (normalized, limit, need): (NormalizedMean, Option<ThresholdInForce>, RequiredInput) =
        match activity.sport {
            Sport::Running => (speed()?, limits.threshold_speed, RequiredInput::ThresholdSpeed),
            Sport::Cycling => (power()?, limits.threshold_power, RequiredInput::ThresholdPower),
            // Threshold power is a rider's: what a rower pulls is no share of it.
            Sport::Swimming | Sport::Rowing | Sport::Strength | Sport::Other | Sport::Rest => {
                return Err(MissingReason::OutOfRange { what: "intensity is for runs and rides".to_owned() });
            }
        };
    let limit = limit.ok_or(MissingReason::missing(need))?;
    let value = intensity_factor(normalized.value, limit.value(), need)?;
    Ok(WithQuality { value, quality: normalized.quality().combine(limit.quality) })
}

fn trimp(activity: &Activity, measures: &Measures, limits: &AthleteThresholds) -> MetricResult<WithQuality> {
    let (seconds, quality) = heart_seconds(activity, measures)?;
    let max = limits.max_heart_rate.ok_or(MissingReason::missing(RequiredInput::MaxHeartRate))?;
    let rest = limits.resting_heart_rate.ok_or(MissingReason::missing(RequiredInput::RestingHeartRate))?;
    let sex = limits.sex.ok_or(MissingReason::missing(RequiredInput::Sex))?;
    let value = banister_trimp(&seconds, HeartRateReserve::new(rest.value(), max.value())?, sex)?;
    Ok(WithQuality { value, quality: quality.combine(max.quality).combine(rest.quality) })
}

fn edwards_sum(
    activity: &Activity,
    measures: &Measures,
    limits: &AthleteThresholds,
) -> MetricResult<WithQuality> {
    let (seconds, quality) = heart_seconds(activity, measures)?;
    let max = limits.max_heart_rate.ok_or(MissingReason::missing(RequiredInput::MaxHeartRate))?;
    let value = edwards_trimp(&seconds, max.value())?;
    Ok(WithQuality { value, quality: quality.combine(max.quality) })
}

fn lucia_sum(
    activity: &Activity,
    measures: &Measures,
    limits: &AthleteThresholds,
) -> MetricResult<WithQuality> {
    let (seconds, quality) = heart_seconds(activity, measures)?;
    let threshold =
        limits.threshold_heart_rate.ok_or(MissingReason::missing(RequiredInput::ThresholdHeartRate))?;
    let (first, second) = ventilatory_thresholds(threshold.value());
    let quality = quality.combine(threshold.quality).combine(Quality::Estimated);
    Ok(WithQuality { value: lucia_trimp(&seconds, first, second)?, quality })
}

#[cfg(test)]
mod tests;
