//! Which threshold is in force on a day, how old it is, and when the data suggests another.
//!
//! What the athlete set wins over what a device reported, and that over what was detected. Nothing detected ever takes
//! the place of something set: it is suggested.

use crate::domain::athlete::{Threshold, ThresholdKind, ThresholdOrigin};
use crate::domain::calendar::Day;
use crate::metrics::{MetricResult, MissingReason, Quality, RequiredInput};
use serde::{Deserialize, Serialize};

/// Up to this age a threshold is fresh, days.
pub const FRESH_DAYS: i64 = 42;
/// From this age on it is stale, days.
pub const STALE_DAYS: i64 = 90;
/// Less than this is no change: detected steps, and suggestions, need one per cent.
pub const MIN_CHANGE: f64 = 0.01;

/// A threshold as it holds on a day.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ThresholdInForce {
    /// The threshold.
    pub threshold: Threshold,
    /// Days since it began to hold.
    pub age_days: i64,
    /// How far it can be leaned on.
    pub quality: Quality,
    /// The limit it is a share of, where it stands in for one that nobody gave and nothing showed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_of: Option<Threshold>,
}

/// The threshold of a kind that holds on a day: the latest set on or before it, else the latest reported, else the
/// latest detected.
///
/// Quality by age: `ok` through 42 days, `provisional` after, `stale` from 90. Highest and resting heart rate do not go
/// stale. One that was detected is `estimated` at any age.
///
/// Where no threshold heart rate holds, 0.88 of the highest heart rate stands in for it, `estimated`: most rides, rows and
/// hikes have nothing but a heart rate, and would have no load at all. The share is ours; between athletes it strays by
/// about 4 % either way.
///
/// # Errors
/// When none holds yet: a later one is not taken back in time, and none is invented.
pub fn in_force(thresholds: &[Threshold], kind: ThresholdKind, day: Day) -> MetricResult<ThresholdInForce> {
    match explicit_threshold(thresholds, kind, day) {
        Err(absent) if kind == ThresholdKind::ThresholdHeartRate => {
            estimate_from_max_heart_rate(thresholds, day).ok_or(absent)
        }
        found => found,
    }
}

/// What share of the highest heart rate stands in for the threshold's.
const THRESHOLD_FRACTION_OF_MAX: f64 = 0.88;

fn estimate_from_max_heart_rate(thresholds: &[Threshold], day: Day) -> Option<ThresholdInForce> {
    let highest = explicit_threshold(thresholds, ThresholdKind::MaxHeartRate, day).ok()?;
    let kind = ThresholdKind::ThresholdHeartRate;
    let value = (THRESHOLD_FRACTION_OF_MAX * highest.value()).round();
    let threshold = Threshold { kind, value, origin: ThresholdOrigin::Estimated, ..highest.threshold };
    within_bounds(kind, value).then_some(ThresholdInForce {
        threshold,
        quality: Quality::Estimated,
        share_of: Some(highest.threshold),
        ..highest
    })
}

/// As [`in_force`], without a stand-in.
fn explicit_threshold(
    thresholds: &[Threshold],
    kind: ThresholdKind,
    day: Day,
) -> MetricResult<ThresholdInForce> {
    let holds = |threshold: &&Threshold| {
        threshold.kind == kind && threshold.from <= day && within_bounds(kind, threshold.value)
    };
    let best = thresholds.iter().filter(holds).max_by(|a, b| {
        // `Set` is the first word of its list. Of two with one day and origin, the larger, whatever the order.
        b.origin.cmp(&a.origin).then(a.from.cmp(&b.from)).then(a.value.total_cmp(&b.value))
    });
    let threshold = *best.ok_or(MissingReason::missing(required_input(kind)))?;
    let age_days = threshold.from.days_until(day);
    Ok(ThresholdInForce { threshold, age_days, quality: quality(&threshold, age_days), share_of: None })
}

fn quality(threshold: &Threshold, age_days: i64) -> Quality {
    let by_age = match age_days {
        _ if !goes_stale(threshold.kind) => Quality::Ok,
        ..=FRESH_DAYS => Quality::Ok,
        STALE_DAYS.. => Quality::Stale,
        _ => Quality::Provisional,
    };
    match threshold.origin {
        ThresholdOrigin::Estimated => Quality::Estimated,
        ThresholdOrigin::Set | ThresholdOrigin::Reported => by_age,
    }
}

/// The highest heart rate falls by less than a beat a year. The one at rest does move, by some beats with training and
/// season, but little hangs on it: five beats change the hrTSS of an easy hour by 2 %.
const fn goes_stale(kind: ThresholdKind) -> bool {
    !matches!(kind, ThresholdKind::MaxHeartRate | ThresholdKind::RestingHeartRate)
}

impl ThresholdInForce {
    /// Its value, in the unit of its kind.
    #[must_use]
    pub const fn value(&self) -> f64 {
        self.threshold.value
    }
}

/// A detected threshold that differs from the one in force. The athlete decides.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ThresholdSuggestion {
    /// What the data says.
    pub detected: Threshold,
    /// What holds now; `None` where nothing but detected values holds.
    pub current: Option<Threshold>,
}

/// What to suggest on a day: for each kind the latest detected value, when nothing is set or reported or it differs
/// from that by one per cent or more, and was detected after it. So a threshold that was just set is not questioned by
/// older data.
#[must_use]
pub fn suggestions(held: &[Threshold], detected: &[Threshold], day: Day) -> Vec<ThresholdSuggestion> {
    let firm: Vec<Threshold> =
        held.iter().copied().filter(|held| held.origin != ThresholdOrigin::Estimated).collect();
    let mut found = Vec::new();
    for kind in ThresholdKind::ALL.iter().copied() {
        let Ok(newest) = explicit_threshold(detected, kind, day) else { continue };
        let current = explicit_threshold(&firm, kind, day).ok().map(|current| current.threshold);
        let worth = current.is_none_or(|current| {
            newest.threshold.from > current.from && differs(newest.threshold.value, current.value)
        });
        if worth {
            found.push(ThresholdSuggestion { detected: newest.threshold, current });
        }
    }
    found
}

/// Whether two values are one per cent or more apart.
pub(crate) fn differs(new: f64, old: f64) -> bool {
    (new - old).abs() >= MIN_CHANGE * old.abs()
}

/// Whether a human body allows a value.
pub(crate) fn within_bounds(kind: ThresholdKind, value: f64) -> bool {
    let (low, high) = kind.bounds();
    (low..=high).contains(&value)
}

/// What is asked for when there is no threshold of a kind.
pub(crate) const fn required_input(kind: ThresholdKind) -> RequiredInput {
    match kind {
        ThresholdKind::MaxHeartRate => RequiredInput::MaxHeartRate,
        ThresholdKind::RestingHeartRate => RequiredInput::RestingHeartRate,
        ThresholdKind::ThresholdHeartRate => RequiredInput::ThresholdHeartRate,
        ThresholdKind::ThresholdSpeed => RequiredInput::ThresholdSpeed,
        ThresholdKind::ThresholdPower => RequiredInput::ThresholdPower,
        ThresholdKind::SwimSpeed => RequiredInput::SwimSpeed,
    }
}

#[cfg(test)]
mod tests;
