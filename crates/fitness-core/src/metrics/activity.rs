//! One activity, measured and judged.
//!
//! [`measure`] takes the samples and no limit; [`judge`] takes limits and zones and no sample. When a threshold
//! changes, only the second runs again.

use super::histogram::SPEED_BIN_MM_S;
use super::load::heart_rate::{Reserve, banister, edwards, lucia, ventilatory};
use super::load::power::{Normalized, intensity};
use super::load::{Felt, Limits, Load, heart_seconds, load, ridden};
pub use super::recording_measures::{HeartMeasures, Measures, PowerMeasures, SpeedMeasures, measure};
use super::thresholds::in_force::InForce;
use super::zones::ZoneTimes;
use super::{Absent, Found, Need, Quality, Rated};
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
pub struct Judged {
    /// What it cost.
    pub load: Found<Load>,
    /// Normalized power of a ride, or normalized graded speed of a run, over the threshold.
    pub intensity: Found<Rated>,
    /// Banister's TRIMP.
    pub trimp: Found<Rated>,
    /// Edwards' sum.
    pub edwards: Found<Rated>,
    /// Lucia's sum, with stand-ins for the ventilatory thresholds: always estimated.
    pub lucia: Found<Rated>,
    /// Seconds in heart rate zones; `None` where there are no zones or no heart rate.
    pub heart_zones: Option<ZoneTimes>,
    /// Seconds in zones of graded speed.
    pub speed_zones: Option<ZoneTimes>,
    /// Seconds in power zones.
    pub power_zones: Option<ZoneTimes>,
}

impl Judged {
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
pub fn judge(
    activity: &Activity,
    measures: &Measures,
    limits: &Limits,
    zones: ZoneSets<'_>,
    felt: Felt,
) -> Judged {
    let speed_unit = f64::from(SPEED_BIN_MM_S) / 1000.0;
    let heart = measures.heart.as_ref().ok().zip(zones.heart_rate);
    let speed = measures.speed.as_ref().ok().zip(zones.speed);
    let power = measures.power.as_ref().ok().zip(zones.power);
    Judged {
        load: load(activity, measures, limits, felt),
        intensity: relative(activity, measures, limits),
        trimp: trimp(activity, measures, limits),
        edwards: edwards_sum(activity, measures, limits),
        lucia: lucia_sum(activity, measures, limits),
        heart_zones: heart.map(|(heart, zones)| ZoneTimes::of(&heart.seconds, 1.0, zones)),
        speed_zones: speed.map(|(speed, zones)| ZoneTimes::of(&speed.seconds, speed_unit, zones)),
        power_zones: power.map(|(power, zones)| ZoneTimes::of(&power.seconds, 1.0, zones)),
    }
}

fn relative(activity: &Activity, measures: &Measures, limits: &Limits) -> Found<Rated> {
    let power = || measures.power.as_ref().map_err(Clone::clone).and_then(ridden);
    let speed = || measures.speed.as_ref().map_err(Clone::clone).and_then(|speed| speed.normalized.clone());
    let (normalized, limit, need): (Normalized, Option<InForce>, Need) = match activity.sport {
        Sport::Running => (speed()?, limits.threshold_speed, Need::ThresholdSpeed),
        Sport::Cycling => (power()?, limits.threshold_power, Need::ThresholdPower),
        // Threshold power is a rider's: what a rower pulls is no share of it.
        Sport::Swimming | Sport::Rowing | Sport::Strength | Sport::Other | Sport::Rest => {
            return Err(Absent::OutOfRange { what: "intensity is for runs and rides".to_owned() });
        }
    };
    let limit = limit.ok_or(Absent::missing(need))?;
    let value = intensity(normalized.value, limit.value(), need)?;
    Ok(Rated { value, quality: normalized.quality().with(limit.quality) })
}

fn trimp(activity: &Activity, measures: &Measures, limits: &Limits) -> Found<Rated> {
    let (seconds, quality) = heart_seconds(activity, measures)?;
    let max = limits.max_heart_rate.ok_or(Absent::missing(Need::MaxHeartRate))?;
    let rest = limits.resting_heart_rate.ok_or(Absent::missing(Need::RestingHeartRate))?;
    let sex = limits.sex.ok_or(Absent::missing(Need::Sex))?;
    let value = banister(&seconds, Reserve::new(rest.value(), max.value())?, sex)?;
    Ok(Rated { value, quality: quality.with(max.quality).with(rest.quality) })
}

fn edwards_sum(activity: &Activity, measures: &Measures, limits: &Limits) -> Found<Rated> {
    let (seconds, quality) = heart_seconds(activity, measures)?;
    let max = limits.max_heart_rate.ok_or(Absent::missing(Need::MaxHeartRate))?;
    let value = edwards(&seconds, max.value())?;
    Ok(Rated { value, quality: quality.with(max.quality) })
}

fn lucia_sum(activity: &Activity, measures: &Measures, limits: &Limits) -> Found<Rated> {
    let (seconds, quality) = heart_seconds(activity, measures)?;
    let threshold = limits.threshold_heart_rate.ok_or(Absent::missing(Need::ThresholdHeartRate))?;
    let (first, second) = ventilatory(threshold.value());
    let quality = quality.with(threshold.quality).with(Quality::Estimated);
    Ok(Rated { value: lucia(&seconds, first, second)?, quality })
}

#[cfg(test)]
mod tests;
