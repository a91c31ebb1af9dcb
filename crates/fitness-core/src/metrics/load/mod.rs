//! What an activity cost, on one scale: an hour at threshold is 100.

use super::histogram::Histogram;
use super::load::heart_rate::{HeartRateReserve, MIN_COVERAGE, edwards_ratio, trimp_ratio};
use super::load::pace::swim_training_stress;
use super::load::power::{NormalizedMean, intensity_factor, training_stress};
use super::load::session_rpe::{RpeScale, session_rpe};
use super::recording_measures::{HeartMeasures, Measures, PowerMeasures};
use super::thresholds::in_force::{ThresholdInForce, in_force};
use super::{MetricResult, MissingReason, Quality, RequiredInput, WithQuality};
use crate::domain::activity::Activity;
use crate::domain::athlete::{Sex, Threshold, ThresholdKind};
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, Speed, TimeSpan};
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};

string_enum! {
    /// How a load was found.
    pub enum LoadMethod("method of a load") {
        /// TSS, from normalized power.
        Power = "power",
        /// rTSS, from normalized graded pace.
        Pace = "pace",
        /// hrTSS (TRIMP ratio).
        HeartRate = "heart_rate",
        /// Edwards' sum over that of an hour at threshold.
        EdwardsRatio = "edwards_ratio",
        /// sTSS, from swimming speed.
        SwimPace = "swim_pace",
        /// Session-RPE times the athlete's own factor.
        PerceivedExertion = "perceived_exertion",
    }
}

/// What an activity cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// An hour at threshold is 100.
    pub value: f64,
    /// How it was found.
    pub method: LoadMethod,
    /// How far it can be leaned on.
    pub quality: Quality,
}

impl Load {
    /// The number and its quality, without how it was found: what days are made of.
    #[must_use]
    pub const fn with_quality(&self) -> WithQuality {
        WithQuality { value: self.value, quality: self.quality }
    }
}

/// What loads are measured against. Nothing is assumed for what is unset.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AthleteThresholds {
    /// Beats per minute.
    pub max_heart_rate: Option<ThresholdInForce>,
    /// Beats per minute.
    pub resting_heart_rate: Option<ThresholdInForce>,
    /// Beats per minute.
    pub threshold_heart_rate: Option<ThresholdInForce>,
    /// Metres per second.
    pub threshold_speed: Option<ThresholdInForce>,
    /// Watts.
    pub threshold_power: Option<ThresholdInForce>,
    /// Metres per second.
    pub swim_speed: Option<ThresholdInForce>,
    /// The athlete's sex.
    pub sex: Option<Sex>,
}

impl AthleteThresholds {
    /// The limits in force on a day.
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

/// How an activity felt, and what that means for this athlete.
#[derive(Debug, Clone, PartialEq)]
pub struct PerceivedEffort {
    /// 0 to 10.
    pub exertion: Option<f64>,
    /// From session-RPE to load; until enough sessions have both, how many do.
    pub scale: MetricResult<RpeScale>,
}

impl Default for PerceivedEffort {
    /// Nobody said how anything felt.
    fn default() -> Self {
        Self { exertion: None, scale: RpeScale::fit(&[]) }
    }
}

/// The load of an activity by the best method there is for its sport: cycling by power, then heart rate; running by
/// pace, then heart rate; swimming by pace; anything else by heart rate; and last how it felt. A run's power is left
/// out: its threshold is not a rider's.
///
/// # Errors
/// When no method has what it needs. The reason is that of the first method that had its recording and lacks something
/// else; where none had, that of the first method.
pub fn load(
    activity: &Activity,
    measures: &Measures,
    limits: &AthleteThresholds,
    felt: PerceivedEffort,
) -> MetricResult<Load> {
    type Method = fn(&Activity, &Measures, &AthleteThresholds) -> MetricResult<Load>;
    let methods: &[Method] = match activity.sport {
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

/// Whether what is missing is a recording, or the athlete's word: nothing that can be set would help.
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

/// A distance of nothing is what devices write that measured none.
fn nonzero_distance(distance: Option<Distance>) -> Option<Distance> {
    distance.filter(|distance| *distance > Distance::ZERO)
}

fn require_threshold(limit: Option<ThresholdInForce>, need: RequiredInput) -> MetricResult<ThresholdInForce> {
    limit.ok_or(MissingReason::missing(need))
}

/// Training stress by power; from the mean alone where there is no recording, which hides the surges: provisional.
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

/// Normalized power. A meter that wrote 0 W from beginning to end measured nothing: a flat battery, or no ride.
pub(crate) fn normalized_ride_power(power: &PowerMeasures) -> MetricResult<NormalizedMean> {
    power.normalized.clone().and_then(|np| {
        if np.value > 0.0 { Ok(np) } else { Err(MissingReason::missing(RequiredInput::Power)) }
    })
}

/// `rTSS = 100 · hours · (NGP/threshold speed)²`: 45 min at 90 % are 60.75. Provisional where the ground is unknown or
/// only the mean speed is.
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
            let speed = Speed::over(distance, time).ok_or(MissingReason::missing(RequiredInput::Duration))?;
            (speed.mps(), time.seconds(), Quality::Provisional)
        }
    };
    let threshold = require_threshold(limits.threshold_speed, RequiredInput::ThresholdSpeed)?;
    let value =
        training_stress(seconds, intensity_factor(speed, threshold.value(), RequiredInput::ThresholdSpeed)?)?;
    let quality = quality.combine(threshold.quality);
    Ok(Load { value, method: LoadMethod::Pace, quality })
}

/// Under 80 % of the time in motion known is no load, under 95 % a provisional one.
fn coverage_quality(percent: f64) -> MetricResult<Quality> {
    if percent < 100.0 * MIN_COVERAGE {
        Err(MissingReason::Patchy { percent: percent as u8 })
    } else if percent < 95.0 {
        Ok(Quality::Provisional)
    } else {
        Ok(Quality::Ok)
    }
}

/// What is suspicious is kept, and what is made of it provisional.
const fn plausibility_quality(suspicious: bool) -> Quality {
    if suspicious { Quality::Provisional } else { Quality::Ok }
}

/// Whether the source says there were no hills.
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
    let speed = Speed::over(distance, time).ok_or(MissingReason::missing(RequiredInput::Duration))?;
    let threshold = require_threshold(limits.swim_speed, RequiredInput::SwimSpeed)?;
    let value = swim_training_stress(
        time.seconds(),
        intensity_factor(speed.mps(), threshold.value(), RequiredInput::SwimSpeed)?,
    )?;
    let quality = quality.combine(threshold.quality);
    Ok(Load { value, method: LoadMethod::SwimPace, quality })
}

/// hrTSS where the athlete's sex and resting heart rate are known, else the Edwards ratio, estimated.
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

/// The seconds at each beat, fit for a load; from the mean alone where nothing was recorded, which hides the hard
/// minutes: provisional. A recording thrown out as unreliable is not replaced by its own mean.
///
/// # Errors
/// When under 80 % of the time in motion has a heart rate, or over 20 % of it followed the steps.
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

fn by_session_rpe(measures: &Measures, felt: PerceivedEffort) -> MetricResult<Load> {
    let exertion = felt.exertion.ok_or(MissingReason::missing(RequiredInput::PerceivedExertion))?;
    let session = session_rpe(exertion, training_time(measures)?)?;
    let (method, quality) = (LoadMethod::PerceivedExertion, Quality::Estimated);
    Ok(Load { value: felt.scale?.load(session)?, method, quality })
}

fn training_time(measures: &Measures) -> MetricResult<TimeSpan> {
    measures.times.training().ok_or(MissingReason::missing(RequiredInput::Duration))
}

pub mod distribution;
pub mod heart_rate;
pub mod pace;
pub mod power;
pub mod session_rpe;
#[cfg(test)]
mod tests;
