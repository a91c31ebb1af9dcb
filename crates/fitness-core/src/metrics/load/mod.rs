//! What an activity cost, on one scale: an hour at threshold is 100.

use super::histogram::Histogram;
use super::load::heart_rate::{MIN_COVERAGE, Reserve, edwards_ratio, trimp_ratio};
use super::load::pace::swim_stress;
use super::load::power::{Normalized, intensity, stress};
use super::load::session_rpe::{RpeScale, session_rpe};
use super::recording_measures::{HeartMeasures, Measures, PowerMeasures};
use super::thresholds::in_force::{InForce, in_force};
use super::{Absent, Found, Need, Quality, Rated};
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
    pub const fn rated(&self) -> Rated {
        Rated { value: self.value, quality: self.quality }
    }
}

/// What loads are measured against. Nothing is assumed for what is unset.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Limits {
    /// Beats per minute.
    pub max_heart_rate: Option<InForce>,
    /// Beats per minute.
    pub resting_heart_rate: Option<InForce>,
    /// Beats per minute.
    pub threshold_heart_rate: Option<InForce>,
    /// Metres per second.
    pub threshold_speed: Option<InForce>,
    /// Watts.
    pub threshold_power: Option<InForce>,
    /// Metres per second.
    pub swim_speed: Option<InForce>,
    /// The athlete's sex.
    pub sex: Option<Sex>,
}

impl Limits {
    /// The limits in force on a day.
    #[must_use]
    pub fn on(day: Day, thresholds: &[Threshold], sex: Option<Sex>) -> Self {
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
pub struct Felt {
    /// 0 to 10.
    pub exertion: Option<f64>,
    /// From session-RPE to load; until enough sessions have both, how many do.
    pub scale: Found<RpeScale>,
}

impl Default for Felt {
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
pub fn load(activity: &Activity, measures: &Measures, limits: &Limits, felt: Felt) -> Found<Load> {
    type Method = fn(&Activity, &Measures, &Limits) -> Found<Load>;
    let methods: &[Method] = match activity.sport {
        Sport::Cycling => &[by_power, by_heart],
        Sport::Running => &[by_pace, by_heart],
        Sport::Swimming => &[by_swimming],
        Sport::Rowing | Sport::Strength | Sport::Other | Sport::Rest => &[by_heart],
    };
    let mut reasons = Vec::new();
    let tried = methods.iter().map(|method| method(activity, measures, limits));
    for found in tried.chain(std::iter::once_with(|| by_feeling(measures, felt))) {
        match found {
            Ok(load) => return Ok(load),
            Err(reason) => reasons.push(reason),
        }
    }
    let best = reasons.iter().position(|reason| !is_unrecorded(reason)).unwrap_or(0);
    Err(reasons.swap_remove(best))
}

/// Whether what is missing is a recording, or the athlete's word: nothing that can be set would help.
fn is_unrecorded(reason: &Absent) -> bool {
    matches!(
        reason,
        Absent::Missing {
            need: Need::HeartRate
                | Need::Power
                | Need::Speed
                | Need::Distance
                | Need::Duration
                | Need::PerceivedExertion
        }
    )
}

/// A distance of nothing is what devices write that measured none.
fn covered(distance: Option<Distance>) -> Option<Distance> {
    distance.filter(|distance| *distance > Distance::ZERO)
}

fn given(limit: Option<InForce>, need: Need) -> Found<InForce> {
    limit.ok_or(Absent::missing(need))
}

/// Training stress by power; from the mean alone where there is no recording, which hides the surges: provisional.
fn by_power(activity: &Activity, measures: &Measures, limits: &Limits) -> Found<Load> {
    let (watts, seconds, quality) = match &measures.power {
        Ok(power) => {
            let np = ridden(power)?;
            (np.value, f64::from(np.seconds), np.quality().with(complete(power.coverage_percent)?))
        }
        Err(absent) => {
            let watts = activity.avg_power.filter(|watts| *watts > 0).ok_or_else(|| absent.clone())?;
            (f64::from(watts), training_time(measures)?.seconds(), Quality::Provisional)
        }
    };
    let threshold = given(limits.threshold_power, Need::ThresholdPower)?;
    let value = stress(seconds, intensity(watts, threshold.value(), Need::ThresholdPower)?)?;
    let quality = quality.with(threshold.quality);
    Ok(Load { value, method: LoadMethod::Power, quality })
}

/// Normalized power. A meter that wrote 0 W from beginning to end measured nothing: a flat battery, or no ride.
pub(crate) fn ridden(power: &PowerMeasures) -> Found<Normalized> {
    power
        .normalized
        .clone()
        .and_then(|np| if np.value > 0.0 { Ok(np) } else { Err(Absent::missing(Need::Power)) })
}

/// `rTSS = 100 · hours · (NGP/threshold speed)²`: 45 min at 90 % are 60.75. Provisional where the ground is unknown or
/// only the mean speed is.
fn by_pace(activity: &Activity, measures: &Measures, limits: &Limits) -> Found<Load> {
    let (speed, seconds, quality) = match &measures.speed {
        Ok(speed) => {
            let ngp = speed.normalized.as_ref().map_err(Clone::clone)?;
            let ground = if speed.graded || is_flat(activity) { Quality::Ok } else { Quality::Provisional };
            let complete = complete(speed.coverage_percent)?;
            let doubt = doubted(measures.suspicions.about_speed());
            (ngp.value, f64::from(ngp.seconds), ngp.quality().with(ground).with(complete).with(doubt))
        }
        Err(absent) => {
            let distance = covered(activity.distance).ok_or_else(|| absent.clone())?;
            let time = training_time(measures)?;
            let speed = Speed::over(distance, time).ok_or(Absent::missing(Need::Duration))?;
            (speed.mps(), time.seconds(), Quality::Provisional)
        }
    };
    let threshold = given(limits.threshold_speed, Need::ThresholdSpeed)?;
    let value = stress(seconds, intensity(speed, threshold.value(), Need::ThresholdSpeed)?)?;
    let quality = quality.with(threshold.quality);
    Ok(Load { value, method: LoadMethod::Pace, quality })
}

/// Under 80 % of the time in motion known is no load, under 95 % a provisional one.
fn complete(percent: f64) -> Found<Quality> {
    if percent < 100.0 * MIN_COVERAGE {
        Err(Absent::Patchy { percent: percent as u8 })
    } else if percent < 95.0 {
        Ok(Quality::Provisional)
    } else {
        Ok(Quality::Ok)
    }
}

/// What is suspicious is kept, and what is made of it provisional.
const fn doubted(suspicious: bool) -> Quality {
    if suspicious { Quality::Provisional } else { Quality::Ok }
}

/// Whether the source says there were no hills.
fn is_flat(activity: &Activity) -> bool {
    let finer = activity.sub_sport.as_deref().unwrap_or_default();
    ["treadmill", "indoor", "track", "virtual"].iter().any(|word| finer.contains(word))
}

fn by_swimming(activity: &Activity, measures: &Measures, limits: &Limits) -> Found<Load> {
    let distance = covered(activity.distance).or(measures.distance);
    let distance = distance.ok_or(Absent::missing(Need::Distance))?;
    let (time, quality) = match measures.swum {
        Some(swum) => (swum, Quality::Ok),
        None => (training_time(measures)?, Quality::Provisional),
    };
    let speed = Speed::over(distance, time).ok_or(Absent::missing(Need::Duration))?;
    let threshold = given(limits.swim_speed, Need::SwimSpeed)?;
    let value = swim_stress(time.seconds(), intensity(speed.mps(), threshold.value(), Need::SwimSpeed)?)?;
    let quality = quality.with(threshold.quality);
    Ok(Load { value, method: LoadMethod::SwimPace, quality })
}

/// hrTSS where the athlete's sex and resting heart rate are known, else the Edwards ratio, estimated.
fn by_heart(activity: &Activity, measures: &Measures, limits: &Limits) -> Found<Load> {
    let (seconds, quality) = heart_seconds(activity, measures)?;
    let max = given(limits.max_heart_rate, Need::MaxHeartRate)?;
    let threshold = given(limits.threshold_heart_rate, Need::ThresholdHeartRate)?;
    let quality = quality.with(max.quality).with(threshold.quality);
    let (Some(sex), Some(rest)) = (limits.sex, limits.resting_heart_rate) else {
        let value = edwards_ratio(&seconds, max.value(), threshold.value())?;
        return Ok(Load {
            value,
            method: LoadMethod::EdwardsRatio,
            quality: quality.with(Quality::Estimated),
        });
    };
    let reserve = Reserve::new(rest.value(), max.value())?;
    let value = trimp_ratio(&seconds, reserve, sex, threshold.value())?;
    Ok(Load { value, method: LoadMethod::HeartRate, quality: quality.with(rest.quality) })
}

/// The seconds at each beat, fit for a load; from the mean alone where nothing was recorded, which hides the hard
/// minutes: provisional. A recording thrown out as unreliable is not replaced by its own mean.
///
/// # Errors
/// When under 80 % of the time in motion has a heart rate, or over 20 % of it followed the steps.
pub(crate) fn heart_seconds(activity: &Activity, measures: &Measures) -> Found<(Histogram, Quality)> {
    match &measures.heart {
        Ok(heart) => {
            let quality = reliable(heart)?.with(doubted(measures.suspicions.about_heart()));
            Ok((heart.seconds.clone(), quality))
        }
        Err(absent) => {
            let bpm = activity.avg_heart_rate.filter(|bpm| (25..=230).contains(bpm));
            let bpm = bpm.ok_or_else(|| absent.clone())?;
            let seconds = training_time(measures)?.whole_seconds();
            let seconds = u32::try_from(seconds).map_err(|_| Absent::missing(Need::Duration))?;
            Ok((Histogram::constant(u32::from(bpm), seconds), Quality::Provisional))
        }
    }
}

fn reliable(heart: &HeartMeasures) -> Found<Quality> {
    let lock = heart.findings.lock_percent();
    if lock > 20.0 {
        return Err(Absent::CadenceLock { percent: lock.round() as u8 });
    }
    complete(heart.coverage_percent)
}

fn by_feeling(measures: &Measures, felt: Felt) -> Found<Load> {
    let exertion = felt.exertion.ok_or(Absent::missing(Need::PerceivedExertion))?;
    let session = session_rpe(exertion, training_time(measures)?)?;
    let (method, quality) = (LoadMethod::PerceivedExertion, Quality::Estimated);
    Ok(Load { value: felt.scale?.load(session)?, method, quality })
}

fn training_time(measures: &Measures) -> Found<TimeSpan> {
    measures.times.training().ok_or(Absent::missing(Need::Duration))
}

pub mod distribution;
pub mod heart_rate;
pub mod pace;
pub mod power;
pub mod session_rpe;
#[cfg(test)]
mod tests;
