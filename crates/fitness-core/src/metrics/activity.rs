//! Metrics of one activity.
//!
//! [`measure`] reads the samples and no thresholds; [`compute_activity_metrics`] takes thresholds
//! and zones and no samples. When a threshold changes, only the second runs again.

use super::histogram::SPEED_BIN_MM_S;
use super::load::heart_rate::{
    HeartRateReserve, banister_trimp, edwards_trimp, lucia_trimp, ventilatory_thresholds,
};
use super::load::power::{NormalizedMean, intensity_factor};
use super::load::{
    AthleteThresholds, Load, RpeWithCalibration, heart_seconds, load_with_obstacle, normalized_ride_power,
};
pub use super::recording_measures::{HeartMeasures, Measures, PowerMeasures, SpeedMeasures, measure};
use super::thresholds::in_force::ThresholdInForce;
use super::zones::ZoneTimes;
use super::{MetricResult, MissingReason, Quality, RequiredInput, ValueWithQuality};
use crate::domain::activity::Activity;
use crate::domain::athlete::{ZoneKind, Zones};
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan};
use serde::{Deserialize, Serialize};

/// The zones in force for an activity's sport.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ZoneSets<'a> {
    pub heart_rate: Option<&'a Zones>,
    pub speed: Option<&'a Zones>,
    pub power: Option<&'a Zones>,
}

/// Metrics that depend on the athlete's thresholds and zones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActivityMetrics {
    pub load: MetricResult<Load>,
    /// What a better method for the load lacks, if it is only by perceived exertion or duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_obstacle: Option<MissingReason>,
    /// Moving time, as computed.
    #[serde(default, rename = "moving_ms", skip_serializing_if = "Option::is_none")]
    pub moving: Option<TimeSpan>,
    /// Ascent, as computed.
    #[serde(default, rename = "ascent_mm", skip_serializing_if = "Option::is_none")]
    pub ascent: Option<Distance>,
    /// Intensity factor: normalized power of a ride, or normalized graded speed of a run, divided
    /// by the threshold.
    pub intensity: MetricResult<ValueWithQuality>,
    pub trimp: MetricResult<ValueWithQuality>,
    pub edwards: MetricResult<ValueWithQuality>,
    /// Lucia's TRIMP with approximated ventilatory thresholds: always estimated.
    pub lucia: MetricResult<ValueWithQuality>,
    /// Seconds in heart rate zones; `None` where there are no zones or no heart rate.
    pub heart_zones: Option<ZoneTimes>,
    /// Seconds in zones of grade-adjusted speed.
    pub speed_zones: Option<ZoneTimes>,
    /// Seconds in power zones.
    pub power_zones: Option<ZoneTimes>,
}

impl ActivityMetrics {
    /// The zone times that could be computed.
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

/// Computes the metrics of an activity from its measures, without the samples.
#[must_use]
pub fn compute_activity_metrics(
    activity: &Activity,
    measures: &Measures,
    limits: &AthleteThresholds,
    zones: ZoneSets<'_>,
    felt: RpeWithCalibration,
) -> ActivityMetrics {
    let speed_unit = f64::from(SPEED_BIN_MM_S) / 1000.0;
    let heart = measures.heart.as_ref().ok().zip(zones.heart_rate);
    let speed = measures.speed.as_ref().ok().zip(zones.speed);
    let power = measures.power.as_ref().ok().zip(zones.power);
    let (load, load_obstacle) = load_with_obstacle(activity, measures, limits, felt);
    ActivityMetrics {
        load,
        load_obstacle,
        moving: Some(measures.times.moving).filter(|moving| *moving > TimeSpan::ZERO),
        ascent: measures.elevation.as_ref().ok().map(|elevation| elevation.ascent),
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
) -> MetricResult<ValueWithQuality> {
    let power = || measures.power.as_ref().map_err(Clone::clone).and_then(normalized_ride_power);
    let speed = || measures.speed.as_ref().map_err(Clone::clone).and_then(|speed| speed.normalized.clone());
    let (normalized, limit, need): (NormalizedMean, Option<ThresholdInForce>, RequiredInput) =
        match activity.sport {
            Sport::Running => (speed()?, limits.threshold_speed, RequiredInput::ThresholdSpeed),
            Sport::Cycling => (power()?, limits.threshold_power, RequiredInput::ThresholdPower),
            // Threshold power is for cycling; a rower's power is not comparable with it.
            Sport::Swimming | Sport::Rowing | Sport::Strength | Sport::Other | Sport::Rest => {
                return Err(MissingReason::OutOfRange {
                    what: "intensity applies to runs and rides only".to_owned(),
                });
            }
        };
    let limit = limit.ok_or(MissingReason::missing(need))?;
    let value = intensity_factor(normalized.value, limit.value(), need)?;
    Ok(ValueWithQuality { value, quality: normalized.quality().combine(limit.quality) })
}

fn trimp(
    activity: &Activity,
    measures: &Measures,
    limits: &AthleteThresholds,
) -> MetricResult<ValueWithQuality> {
    let (seconds, quality) = heart_seconds(activity, measures)?;
    let max = limits.max_heart_rate.ok_or(MissingReason::missing(RequiredInput::MaxHeartRate))?;
    let rest = limits.resting_heart_rate.ok_or(MissingReason::missing(RequiredInput::RestingHeartRate))?;
    let sex = limits.sex.ok_or(MissingReason::missing(RequiredInput::Sex))?;
    let value = banister_trimp(&seconds, HeartRateReserve::new(rest.value(), max.value())?, sex)?;
    Ok(ValueWithQuality { value, quality: quality.combine(max.quality).combine(rest.quality) })
}

fn edwards_sum(
    activity: &Activity,
    measures: &Measures,
    limits: &AthleteThresholds,
) -> MetricResult<ValueWithQuality> {
    let (seconds, quality) = heart_seconds(activity, measures)?;
    let max = limits.max_heart_rate.ok_or(MissingReason::missing(RequiredInput::MaxHeartRate))?;
    let value = edwards_trimp(&seconds, max.value())?;
    Ok(ValueWithQuality { value, quality: quality.combine(max.quality) })
}

fn lucia_sum(
    activity: &Activity,
    measures: &Measures,
    limits: &AthleteThresholds,
) -> MetricResult<ValueWithQuality> {
    let (seconds, quality) = heart_seconds(activity, measures)?;
    let threshold =
        limits.threshold_heart_rate.ok_or(MissingReason::missing(RequiredInput::ThresholdHeartRate))?;
    let (first, second) = ventilatory_thresholds(threshold.value());
    let quality = quality.combine(threshold.quality).combine(Quality::Estimated);
    Ok(ValueWithQuality { value: lucia_trimp(&seconds, first, second)?, quality })
}

#[cfg(test)]
mod tests;
