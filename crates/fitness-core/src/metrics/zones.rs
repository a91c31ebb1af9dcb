//! Time in training zones, and the standard zone systems.
//!
//! Zones are half-open: a value on a bound is in the upper zone. The systems below begin at zero,
//! so each second with a value is in exactly one zone; for custom zones that begin higher, lower
//! values are counted as `below`.

use super::histogram::Histogram;
use super::thresholds::in_force::in_force;
use crate::domain::athlete::{Threshold, ThresholdKind, ThresholdOrigin, ZoneKind, Zones, ZonesError};
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// Zones of a sport from a day. Those of `Other` apply to every sport without its own.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DatedZones {
    pub kind: ZoneKind,
    pub sport: Sport,
    /// First day they are valid.
    pub from: Day,
    /// Whether the athlete set them or a device reported them.
    pub origin: ThresholdOrigin,
    pub zones: Zones,
}

string_enum! {
    pub enum ZoneSource("source of zones") {
        /// The athlete set them.
        Set = "set",
        /// A device or service reported them.
        Reported = "reported",
        /// Derived from the threshold in force.
        Threshold = "threshold",
    }
}

/// Zones in force on a day.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ZonesInForce {
    pub kind: ZoneKind,
    pub sport: Sport,
    pub zones: Zones,
    pub source: ZoneSource,
    /// First day they were valid.
    pub from: Day,
}

/// The zones in force for a sport on a day: the latest set by the athlete, else the latest
/// reported, with those of the sport before those of all sports; otherwise derived from the
/// threshold in force. Pace zones are for running, power zones for cycling. Zones never apply to
/// days before their first.
#[must_use]
pub fn zones_on(
    day: Day,
    kind: ZoneKind,
    sport: Sport,
    given: &[DatedZones],
    thresholds: &[Threshold],
) -> Option<ZonesInForce> {
    let divided = match kind {
        ZoneKind::HeartRate => true,
        ZoneKind::Speed => sport == Sport::Running,
        ZoneKind::Power => sport == Sport::Cycling,
    };
    if !divided {
        return None;
    }
    let holds = |one: &&DatedZones| {
        one.kind == kind && one.from <= day && (one.sport == sport || one.sport == Sport::Other)
    };
    // `Set` is the first variant.
    let best =
        given.iter().filter(holds).max_by_key(|one| (Reverse(one.origin), one.sport == sport, one.from));
    if let Some(one) = best {
        let source = match one.origin {
            ThresholdOrigin::Set => ZoneSource::Set,
            ThresholdOrigin::Reported | ThresholdOrigin::Estimated => ZoneSource::Reported,
        };
        return Some(ZonesInForce { kind, sport, zones: one.zones.clone(), source, from: one.from });
    }
    type ZonesFromThresholdFn = fn(f64) -> Result<Zones, ZonesError>;
    let (limit, divide): (ThresholdKind, ZonesFromThresholdFn) = match kind {
        ZoneKind::HeartRate if sport == Sport::Cycling => (ThresholdKind::ThresholdHeartRate, friel_cycling),
        ZoneKind::HeartRate => (ThresholdKind::ThresholdHeartRate, friel_running),
        ZoneKind::Speed => (ThresholdKind::ThresholdSpeed, friel_pace),
        ZoneKind::Power => (ThresholdKind::ThresholdPower, coggan_power),
    };
    let limit = in_force(thresholds, limit, day).ok()?;
    let zones = divide(limit.value()).ok()?;
    Some(ZonesInForce { kind, sport, zones, source: ZoneSource::Threshold, from: limit.threshold.from })
}

/// Seconds in each zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZoneTimes {
    /// Seconds below the first zone.
    pub below: u64,
    /// Seconds in each zone, lowest first.
    pub seconds: Vec<u64>,
}

impl ZoneTimes {
    /// `unit` is the size of one bin in the unit of the zones: 1 for bpm and watts, 0.05 for m/s.
    #[must_use]
    pub fn from_histogram(histogram: &Histogram, unit: f64, zones: &Zones) -> Self {
        let mut times = Self { below: 0, seconds: vec![0; zones.lower_bounds().len()] };
        for (bin, seconds) in histogram.bins() {
            let zone = zones.zone_of(f64::from(bin) * unit).and_then(|zone| times.seconds.get_mut(zone - 1));
            *zone.unwrap_or(&mut times.below) += u64::from(seconds);
        }
        times
    }

    /// All seconds, including those below the first zone.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.below + self.seconds.iter().sum::<u64>()
    }
}

fn scaled(fractions: &[f64], of: f64) -> Result<Zones, ZonesError> {
    Zones::new(std::iter::once(0.0).chain(fractions.iter().map(|fraction| fraction * of)).collect())
}

/// Five zones by percent of max HR, from 50, 60, 70, 80 and 90 %, and one below them.
///
/// # Errors
/// When max HR is not positive.
pub fn by_max_heart_rate(max: f64) -> Result<Zones, ZonesError> {
    scaled(&[0.5, 0.6, 0.7, 0.8, 0.9], max)
}

/// The same fractions of the heart rate reserve (Karvonen 1957): `rest + f · (max − rest)`. Between
/// 50 and 190, 70 % is 148.
///
/// # Errors
/// When max HR is not above resting HR.
pub fn by_reserve(rest: f64, max: f64) -> Result<Zones, ZonesError> {
    let bound = |fraction: &f64| rest + fraction * (max - rest);
    Zones::new(std::iter::once(0.0).chain([0.5, 0.6, 0.7, 0.8, 0.9].iter().map(bound)).collect())
}

/// Friel's seven heart rate zones for running, by percent of the threshold heart rate: below 85,
/// from 85, 90, 95, 100, 103, and above 106.
///
/// # Errors
/// When the threshold is not positive.
pub fn friel_running(threshold: f64) -> Result<Zones, ZonesError> {
    scaled(&[0.85, 0.90, 0.95, 1.00, 1.03, 1.06], threshold)
}

/// Friel's seven heart rate zones for cycling: below 81, from 81, 90, 94, 100, 103, and above 106
/// %.
///
/// # Errors
/// When the threshold is not positive.
pub fn friel_cycling(threshold: f64) -> Result<Zones, ZonesError> {
    scaled(&[0.81, 0.90, 0.94, 1.00, 1.03, 1.06], threshold)
}

/// Coggan's seven power zones: up to 55, 75, 90, 105, 120, 150 % of threshold power, and above.
///
/// # Errors
/// When the threshold is not positive.
pub fn coggan_power(threshold: f64) -> Result<Zones, ZonesError> {
    scaled(&[0.55, 0.75, 0.90, 1.05, 1.20, 1.50], threshold)
}

/// Friel's seven pace zones. Friel divides pace (s/km) at 129, 114, 106, 99, 97 and 90 % of
/// threshold pace; the bounds here are the inverse speeds, so a slower pace is a lower zone.
///
/// # Errors
/// When the threshold is not positive.
pub fn friel_pace(threshold: f64) -> Result<Zones, ZonesError> {
    scaled(&[1.29, 1.14, 1.06, 0.99, 0.97, 0.90].map(|pace: f64| pace.recip()), threshold)
}

/// Three zones (Seiler) from critical speed: easy up to 82.3 % of it, hard from critical speed
/// (Muniz-Pumares 2025). A critical speed of 4.0 m/s gives bounds of 3.292 and 4.0 m/s.
///
/// # Errors
/// When the critical speed is not positive.
pub fn seiler_speed(critical: f64) -> Result<Zones, ZonesError> {
    scaled(&[0.823, 1.0], critical)
}

#[cfg(test)]
mod tests;
