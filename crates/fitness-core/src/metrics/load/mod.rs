//! Training load of an activity, on one scale: an hour at threshold is 100.

use super::histogram::Histogram;
use super::load::heart_rate::{HeartRateReserve, MIN_COVERAGE, edwards_ratio, trimp_ratio};
use super::load::pace::swim_training_stress;
use super::load::power::{NormalizedMean, intensity_factor, training_stress};
use super::load::session_rpe::{RpeLoadFactor, session_rpe};
use super::recording_measures::{HeartMeasures, Measures, PowerMeasures};
use super::thresholds::in_force::{ThresholdInForce, in_force};
use super::{MetricResult, MissingReason, Quality, RequiredInput, ValueWithQuality, finite};
use crate::domain::activity::Activity;
use crate::domain::athlete::{Sex, Threshold, ThresholdKind};
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, Speed, TimeSpan};
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};

string_enum! {
    /// Method by which a load was computed.
    pub enum LoadMethod("load method") {
        /// TSS, from normalized power.
        Power = "power",
        /// rTSS, from normalized graded pace (NGP).
        Pace = "pace",
        HeartRate = "heart_rate",
        /// Edwards' TRIMP relative to that of an hour at threshold.
        EdwardsRatio = "edwards_ratio",
        /// sTSS, from swimming speed.
        SwimPace = "swim_pace",
        /// Session RPE times the athlete's own factor, or a typical one.
        PerceivedExertion = "perceived_exertion",
        /// Typical load of an hour of the sport: nothing else is known.
        Duration = "duration",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// An hour at threshold is 100.
    pub value: f64,
    pub method: LoadMethod,
    pub quality: Quality,
}

impl Load {
    /// Value and quality without the method, as used by daily loads.
    #[must_use]
    pub const fn with_quality(&self) -> ValueWithQuality {
        ValueWithQuality { value: self.value, quality: self.quality }
    }
}

/// Thresholds that loads are computed from. Unset ones have no default.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AthleteThresholds {
    pub max_heart_rate: Option<ThresholdInForce>,
    pub resting_heart_rate: Option<ThresholdInForce>,
    pub threshold_heart_rate: Option<ThresholdInForce>,
    pub threshold_speed: Option<ThresholdInForce>,
    pub threshold_power: Option<ThresholdInForce>,
    pub swim_speed: Option<ThresholdInForce>,
    pub sex: Option<Sex>,
}

impl AthleteThresholds {
    /// The thresholds in force on a day.
    #[must_use]
    pub fn for_day(day: Day, thresholds: &[Threshold], sex: Option<Sex>) -> Self {
        let limit = |kind| in_force(thresholds, kind, day).ok();
        Self {
            max_heart_rate: limit(ThresholdKind::MaxHeartRate),
            resting_heart_rate: limit(ThresholdKind::RestingHeartRate),
            threshold_heart_rate: limit(ThresholdKind::ThresholdHeartRate),
            threshold_speed: limit(ThresholdKind::ThresholdSpeed),
            threshold_power: limit(ThresholdKind::ThresholdPower),
            swim_speed: limit(ThresholdKind::SwimSpeed),
            sex,
        }
    }
}

/// Perceived exertion of an activity, and the athlete's RPE calibration.
#[derive(Debug, Clone, PartialEq)]
pub struct RpeWithCalibration {
    pub exertion: Option<f64>,
    /// Conversion from session RPE to load; missing until enough activities have both.
    pub scale: MetricResult<RpeLoadFactor>,
}

impl Default for RpeWithCalibration {
    /// No rating and no calibration.
    fn default() -> Self {
        Self { exertion: None, scale: RpeLoadFactor::fit(&[]) }
    }
}

/// The load of an activity by the best method there is for its sport: cycling by power, running and
/// swimming by pace, then anything by heart rate, by perceived exertion, and finally by duration.
/// Running power is not used: threshold power is for cycling.
///
/// # Errors
/// When every method lacks an input, that is without a duration. The reason is that of the first
/// method whose recording exists but something else is missing, else that of the first method.
pub fn load(
    activity: &Activity,
    measures: &Measures,
    limits: &AthleteThresholds,
    felt: RpeWithCalibration,
) -> MetricResult<Load> {
    load_with_obstacle(activity, measures, limits, felt).0
}

/// The load, and if it is only by perceived exertion or duration, what a better method lacks that
/// the athlete can set or repair.
pub(crate) fn load_with_obstacle(
    activity: &Activity,
    measures: &Measures,
    limits: &AthleteThresholds,
    felt: RpeWithCalibration,
) -> (MetricResult<Load>, Option<MissingReason>) {
    type LoadFn = fn(&Activity, &Measures, &AthleteThresholds) -> MetricResult<Load>;
    let methods: &[LoadFn] = match activity.sport {
        Sport::Cycling => &[by_power, by_heart_rate],
        Sport::Running => &[by_pace, by_heart_rate],
        Sport::Swimming => &[by_swimming, by_heart_rate],
        Sport::Rowing | Sport::Strength | Sport::Other | Sport::Rest => &[by_heart_rate],
    };
    let mut reasons = Vec::new();
    for method in methods {
        match method(activity, measures, limits) {
            Ok(load) => return (Ok(load), None),
            Err(reason) => reasons.push(reason),
        }
    }
    let obstacle = reasons.iter().find(|reason| !is_unrecorded(reason)).cloned();
    let rough = by_session_rpe(measures, felt).or_else(|_| by_duration(activity.sport, measures));
    match rough {
        Ok(load) => (Ok(load), obstacle),
        Err(_) => (Err(obstacle.unwrap_or_else(|| reasons.swap_remove(0))), None),
    }
}

/// Typical load of an hour, when nothing but the duration is known. Ours: an easy to moderate
/// session has an intensity of 0.5 (yoga, walking) to 0.77 (running) of threshold.
const fn typical_load_per_hour(sport: Sport) -> f64 {
    match sport {
        Sport::Running => 60.0,
        Sport::Cycling | Sport::Swimming | Sport::Rowing => 50.0,
        Sport::Strength => 35.0,
        Sport::Other => 25.0,
        Sport::Rest => 0.0,
    }
}

/// A longer recording was not training throughout.
const MAX_TIME_FOR_DURATION: TimeSpan = TimeSpan::from_mins(24 * 60);

fn by_duration(sport: Sport, measures: &Measures) -> MetricResult<Load> {
    let time = training_time(measures)?;
    if time > MAX_TIME_FOR_DURATION {
        return Err(MissingReason::OutOfRange { what: "longer than a day".to_owned() });
    }
    let value = finite(typical_load_per_hour(sport) * time.seconds() / 3600.0, "load by duration")?;
    Ok(Load { value, method: LoadMethod::Duration, quality: Quality::EstimatedProvisional })
}

/// Whether a recording or rating is missing, rather than something the athlete can set.
fn is_unrecorded(reason: &MissingReason) -> bool {
    matches!(
        reason,
        MissingReason::Missing {
            need: RequiredInput::HeartRate
                | RequiredInput::Power
                | RequiredInput::Speed
                | RequiredInput::Distance
                | RequiredInput::Duration
                | RequiredInput::PerceivedExertion
        }
    )
}

/// Devices that measured no distance write zero.
fn nonzero_distance(distance: Option<Distance>) -> Option<Distance> {
    distance.filter(|distance| *distance > Distance::ZERO)
}

fn require_threshold(limit: Option<ThresholdInForce>, need: RequiredInput) -> MetricResult<ThresholdInForce> {
    limit.ok_or(MissingReason::missing(need))
}

/// TSS by power; provisional if computed from the mean alone, which hides surges.
fn by_power(activity: &Activity, measures: &Measures, limits: &AthleteThresholds) -> MetricResult<Load> {
    let (watts, seconds, quality) = match &measures.power {
        Ok(power) => {
            let np = normalized_ride_power(power)?;
            let complete = coverage_quality(power.coverage_percent, power.interpolated_percent)?;
            (np.value, f64::from(np.seconds), np.quality().combine(complete))
        }
        Err(absent) => {
            let watts = activity.avg_power.filter(|watts| *watts > 0).ok_or_else(|| absent.clone())?;
            (f64::from(watts), training_time(measures)?.seconds(), Quality::Provisional)
        }
    };
    let threshold = require_threshold(limits.threshold_power, RequiredInput::ThresholdPower)?;
    let value =
        training_stress(seconds, intensity_factor(watts, threshold.value(), RequiredInput::ThresholdPower)?)?;
    let quality = quality.combine(threshold.quality);
    Ok(Load { value, method: LoadMethod::Power, quality })
}

/// Normalized power. A power meter that recorded 0 W throughout measured nothing.
pub(crate) fn normalized_ride_power(power: &PowerMeasures) -> MetricResult<NormalizedMean> {
    power.normalized.clone().and_then(|np| {
        if np.value > 0.0 { Ok(np) } else { Err(MissingReason::missing(RequiredInput::Power)) }
    })
}

/// `rTSS = 100 · hours · (NGP/threshold speed)²`: 45 min at 90 % are 60.75. Provisional if slopes
/// are unknown or only the mean speed is known.
fn by_pace(activity: &Activity, measures: &Measures, limits: &AthleteThresholds) -> MetricResult<Load> {
    let (speed, seconds, quality) = match &measures.speed {
        Ok(speed) => {
            let ngp = speed.normalized.as_ref().map_err(Clone::clone)?;
            let ground = if speed.graded || is_flat(activity) { Quality::Ok } else { Quality::Provisional };
            let complete = coverage_quality(speed.coverage_percent, 0.0)?;
            let doubt = plausibility_quality(measures.suspicions.is_speed_doubtful());
            (
                ngp.value,
                f64::from(ngp.seconds),
                ngp.quality().combine(ground).combine(complete).combine(doubt),
            )
        }
        Err(absent) => {
            let distance = nonzero_distance(activity.distance).ok_or_else(|| absent.clone())?;
            let time = training_time(measures)?;
            let speed = Speed::from_distance_and_time(distance, time)
                .ok_or(MissingReason::missing(RequiredInput::Duration))?;
            (speed.mps(), time.seconds(), Quality::Provisional)
        }
    };
    let threshold = require_threshold(limits.threshold_speed, RequiredInput::ThresholdSpeed)?;
    let value =
        training_stress(seconds, intensity_factor(speed, threshold.value(), RequiredInput::ThresholdSpeed)?)?;
    let quality = quality.combine(threshold.quality);
    Ok(Load { value, method: LoadMethod::Pace, quality })
}

/// Below 80 % of the moving time there is no load; below 95 %, or if more than 5 % of the data was
/// interpolated between samples, it is provisional.
fn coverage_quality(percent: f64, interpolated_percent: f64) -> MetricResult<Quality> {
    if percent < 100.0 * MIN_COVERAGE {
        Err(MissingReason::Patchy { percent: percent as u8 })
    } else if percent < 95.0 || interpolated_percent > 5.0 {
        Ok(Quality::Provisional)
    } else {
        Ok(Quality::Ok)
    }
}

/// Implausible samples make a load provisional.
const fn plausibility_quality(suspicious: bool) -> Quality {
    if suspicious { Quality::Provisional } else { Quality::Ok }
}

/// Whether the sport type implies a flat course.
fn is_flat(activity: &Activity) -> bool {
    let finer = activity.sub_sport.as_deref().unwrap_or_default();
    ["treadmill", "indoor", "track", "virtual"].iter().any(|word| finer.contains(word))
}

fn by_swimming(activity: &Activity, measures: &Measures, limits: &AthleteThresholds) -> MetricResult<Load> {
    let distance = nonzero_distance(activity.distance).or(measures.distance);
    let distance = distance.ok_or(MissingReason::missing(RequiredInput::Distance))?;
    let (time, quality) = match measures.swim_time {
        Some(swum) => (swum, Quality::Ok),
        None => (training_time(measures)?, Quality::Provisional),
    };
    let speed = Speed::from_distance_and_time(distance, time)
        .ok_or(MissingReason::missing(RequiredInput::Duration))?;
    let threshold = require_threshold(limits.swim_speed, RequiredInput::SwimSpeed)?;
    let value = swim_training_stress(
        time.seconds(),
        intensity_factor(speed.mps(), threshold.value(), RequiredInput::SwimSpeed)?,
    )?;
    let quality = quality.combine(threshold.quality);
    Ok(Load { value, method: LoadMethod::SwimPace, quality })
}

/// Threshold heart rate as a share of max HR, where one of the two is unknown. Common coaching
/// practice: 85 to 92 %.
const THRESHOLD_OF_MAX_HEART_RATE: f64 = 0.88;

/// Max and threshold heart rate. If only one is known, the other is estimated from it.
fn heart_rate_limits(limits: &AthleteThresholds) -> MetricResult<(f64, f64, Quality)> {
    let guessed = Quality::EstimatedProvisional;
    match (limits.max_heart_rate, limits.threshold_heart_rate) {
        (Some(max), Some(threshold)) => {
            Ok((max.value(), threshold.value(), max.quality.combine(threshold.quality)))
        }
        (Some(max), None) => {
            Ok((max.value(), THRESHOLD_OF_MAX_HEART_RATE * max.value(), max.quality.combine(guessed)))
        }
        (None, Some(threshold)) => Ok((
            threshold.value() / THRESHOLD_OF_MAX_HEART_RATE,
            threshold.value(),
            threshold.quality.combine(guessed),
        )),
        (None, None) => Err(MissingReason::missing(RequiredInput::MaxHeartRate)),
    }
}

/// hrTSS if the athlete's sex and resting heart rate are known, else the Edwards ratio, marked
/// estimated.
fn by_heart_rate(activity: &Activity, measures: &Measures, limits: &AthleteThresholds) -> MetricResult<Load> {
    let (seconds, quality) = heart_seconds(activity, measures)?;
    let (max, threshold, limit_quality) = heart_rate_limits(limits)?;
    // A sensor at the wrist is unreliable under water.
    let water = if activity.sport == Sport::Swimming { Quality::Provisional } else { Quality::Ok };
    let quality = quality.combine(limit_quality).combine(water);
    let (Some(sex), Some(rest)) = (limits.sex, limits.resting_heart_rate) else {
        let value = edwards_ratio(&seconds, max, threshold)?;
        return Ok(Load {
            value,
            method: LoadMethod::EdwardsRatio,
            quality: quality.combine(Quality::Estimated),
        });
    };
    let reserve = HeartRateReserve::new(rest.value(), max)?;
    let value = trimp_ratio(&seconds, reserve, sex, threshold)?;
    Ok(Load { value, method: LoadMethod::HeartRate, quality: quality.combine(rest.quality) })
}

/// Seconds at each bpm for a load; provisional if computed from the mean alone, which hides the
/// hard minutes. A recording discarded as unreliable is not replaced by its mean.
///
/// # Errors
/// When less than 80 % of the moving time has a heart rate, or more than 20 % of it is in cadence
/// lock.
pub(crate) fn heart_seconds(activity: &Activity, measures: &Measures) -> MetricResult<(Histogram, Quality)> {
    match &measures.heart {
        Ok(heart) => {
            let quality = heart_rate_quality(heart)?
                .combine(plausibility_quality(measures.suspicions.is_heart_rate_doubtful()));
            Ok((heart.seconds.clone(), quality))
        }
        Err(absent) => {
            let bpm = activity.avg_heart_rate.filter(|bpm| (25..=230).contains(bpm));
            let bpm = bpm.ok_or_else(|| absent.clone())?;
            let seconds = training_time(measures)?.whole_seconds();
            let seconds =
                u32::try_from(seconds).map_err(|_| MissingReason::missing(RequiredInput::Duration))?;
            Ok((Histogram::constant(u32::from(bpm), seconds), Quality::Provisional))
        }
    }
}

fn heart_rate_quality(heart: &HeartMeasures) -> MetricResult<Quality> {
    let lock = heart.findings.lock_percent();
    if lock > 20.0 {
        return Err(MissingReason::CadenceLock { percent: lock.round() as u8 });
    }
    coverage_quality(heart.coverage_percent, heart.findings.interpolated_percent())
}

fn by_session_rpe(measures: &Measures, felt: RpeWithCalibration) -> MetricResult<Load> {
    let exertion = felt.exertion.ok_or(MissingReason::missing(RequiredInput::PerceivedExertion))?;
    let session = session_rpe(exertion, training_time(measures)?)?;
    let (scale, quality) = match felt.scale {
        Ok(scale) => (scale, Quality::Estimated),
        Err(_) => (RpeLoadFactor::TYPICAL, Quality::EstimatedProvisional),
    };
    Ok(Load { value: scale.load(session)?, method: LoadMethod::PerceivedExertion, quality })
}

fn training_time(measures: &Measures) -> MetricResult<TimeSpan> {
    measures.times.training().ok_or(MissingReason::missing(RequiredInput::Duration))
}

pub mod heart_rate;
pub mod monotony_and_spikes;
pub mod pace;
pub mod power;
pub mod session_rpe;
#[cfg(test)]
mod tests;
