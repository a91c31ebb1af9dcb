//! Training load of an activity, on one scale: an hour at threshold is 100.

use super::histogram::Histogram;
use super::load::heart_rate::{HeartRateReserve, MIN_COVERAGE, edwards_ratio, trimp_ratio};
use super::load::pace::swim_training_stress;
use super::load::power::{NormalizedMean, intensity_factor, training_stress};
use super::load::session_rpe::{RpeLoadFactor, session_rpe};
use super::recording_measures::{HeartMeasures, Measures, PowerMeasures};
use super::thresholds::in_force::{ThresholdInForce, in_force};
use super::{MetricResult, MissingReason, Quality, RequiredInput, ValueWithQuality};
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
        /// Session RPE times the athlete's own factor.
        PerceivedExertion = "perceived_exertion",
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

/// The load of an activity by the best method there is for its sport: cycling by power, then heart
/// rate; running by pace, then heart rate; swimming by pace; anything else by heart rate; finally
/// by perceived exertion. Running power is not used: threshold power is for cycling.
///
/// # Errors
/// When every method lacks an input. The reason is that of the first method whose recording exists
/// but something else is missing, else that of the first method.
pub fn load(
    activity: &Activity,
    measures: &Measures,
    limits: &AthleteThresholds,
    felt: RpeWithCalibration,
) -> MetricResult<Load> {
    type LoadFn = fn(&Activity, &Measures, &AthleteThresholds) -> MetricResult<Load>;
    let methods: &[LoadFn] = match activity.sport {
        Sport::Cycling => &[by_power, by_heart_rate],
        Sport::Running => &[by_pace, by_heart_rate],
        Sport::Swimming => &[by_swimming],
        Sport::Rowing | Sport::Strength | Sport::Other | Sport::Rest => &[by_heart_rate],
    };
    let mut reasons = Vec::new();
    let tried = methods.iter().map(|method| method(activity, measures, limits));
    for found in tried.chain(std::iter::once_with(|| by_session_rpe(measures, felt))) {
        match found {
            Ok(load) => return Ok(load),
            Err(reason) => reasons.push(reason),
        }
    }
    let best = reasons.iter().position(|reason| !is_unrecorded(reason)).unwrap_or(0);
    Err(reasons.swap_remove(best))
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
            (np.value, f64::from(np.seconds), np.quality().combine(coverage_quality(power.coverage_percent)?))
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
            let complete = coverage_quality(speed.coverage_percent)?;
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

/// Below 80 % of the moving time there is no load, below 95 % it is provisional.
fn coverage_quality(percent: f64) -> MetricResult<Quality> {
    if percent < 100.0 * MIN_COVERAGE {
        Err(MissingReason::Patchy { percent: percent as u8 })
    } else if percent < 95.0 {
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

/// hrTSS if the athlete's sex and resting heart rate are known, else the Edwards ratio, marked
/// estimated.
fn by_heart_rate(activity: &Activity, measures: &Measures, limits: &AthleteThresholds) -> MetricResult<Load> {
    let (seconds, quality) = heart_seconds(activity, measures)?;
    let max = require_threshold(limits.max_heart_rate, RequiredInput::MaxHeartRate)?;
    let threshold = require_threshold(limits.threshold_heart_rate, RequiredInput::ThresholdHeartRate)?;
    let quality = quality.combine(max.quality).combine(threshold.quality);
    let (Some(sex), Some(rest)) = (limits.sex, limits.resting_heart_rate) else {
        let value = edwards_ratio(&seconds, max.value(), threshold.value())?;
        return Ok(Load {
            value,
            method: LoadMethod::EdwardsRatio,
            quality: quality.combine(Quality::Estimated),
        });
    };
    let reserve = HeartRateReserve::new(rest.value(), max.value())?;
    let value = trimp_ratio(&seconds, reserve, sex, threshold.value())?;
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
    coverage_quality(heart.coverage_percent)
}

fn by_session_rpe(measures: &Measures, felt: RpeWithCalibration) -> MetricResult<Load> {
    let exertion = felt.exertion.ok_or(MissingReason::missing(RequiredInput::PerceivedExertion))?;
    let session = session_rpe(exertion, training_time(measures)?)?;
    let (method, quality) = (LoadMethod::PerceivedExertion, Quality::Estimated);
    Ok(Load { value: felt.scale?.load(session)?, method, quality })
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
