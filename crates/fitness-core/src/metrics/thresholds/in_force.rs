//! Which threshold is in force on a day, how old it is, and when the data suggests another.
//!
//! Values set by the athlete take precedence over reported ones, and those over detected ones. A
//! detected value never replaces a set one; it is only suggested.

use crate::domain::athlete::{Threshold, ThresholdKind, ThresholdOrigin};
use crate::domain::calendar::Day;
use crate::metrics::{MetricResult, MissingReason, Quality, RequiredInput};
use serde::{Deserialize, Serialize};

/// Up to this age a threshold is `ok`, days.
pub const FRESH_DAYS: i64 = 42;
/// From this age it is `stale`, days.
pub const STALE_DAYS: i64 = 90;
/// Minimum relative change for a detected step or a suggestion.
pub const MIN_CHANGE: f64 = 0.01;

/// A threshold in force on a day.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ThresholdInForce {
    pub threshold: Threshold,
    /// Days since its first day.
    pub age_days: i64,
    pub quality: Quality,
    /// For a threshold estimated as a share of another one (LTHR from max HR): the other one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_of: Option<Threshold>,
}

/// The threshold in force on a day: the latest set on or before it, else the latest reported, else
/// the latest detected.
///
/// Quality by age: `ok` through 42 days, `provisional` after, `stale` from 90. Max HR and resting
/// HR do not go stale. Detected values are `estimated` at any age.
///
/// Without a threshold heart rate, 0.88 of max HR is used and marked `estimated`: most rides, rows
/// and hikes have only a heart rate and would otherwise have no load. The share is our choice; it
/// varies by about ±4 % between athletes.
///
/// # Errors
/// When none is in force yet. Later values never apply retroactively.
pub fn in_force(thresholds: &[Threshold], kind: ThresholdKind, day: Day) -> MetricResult<ThresholdInForce> {
    match explicit_threshold(thresholds, kind, day) {
        Err(absent) if kind == ThresholdKind::ThresholdHeartRate => {
            estimate_from_max_heart_rate(thresholds, day).ok_or(absent)
        }
        found => found,
    }
}

/// Estimated LTHR as a share of max HR.
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

/// Like [`in_force`], without the estimate from max HR.
fn explicit_threshold(
    thresholds: &[Threshold],
    kind: ThresholdKind,
    day: Day,
) -> MetricResult<ThresholdInForce> {
    let holds = |threshold: &&Threshold| {
        threshold.kind == kind && threshold.from <= day && within_bounds(kind, threshold.value)
    };
    let best = thresholds.iter().filter(holds).max_by(|a, b| {
        // `Set` is the first variant. Of two with the same day and origin the larger wins, so that
        // the input order does not matter.
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

/// Max HR falls by less than a beat a year. Resting HR changes by a few beats with training and
/// season, but five beats change the hrTSS of an easy hour by only 2 %.
const fn goes_stale(kind: ThresholdKind) -> bool {
    !matches!(kind, ThresholdKind::MaxHeartRate | ThresholdKind::RestingHeartRate)
}

impl ThresholdInForce {
    /// In the unit of its kind.
    #[must_use]
    pub const fn value(&self) -> f64 {
        self.threshold.value
    }
}

/// A detected threshold that differs from the one in force. The athlete decides.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ThresholdSuggestion {
    pub detected: Threshold,
    /// The set or reported value in force, if any.
    pub current: Option<Threshold>,
}

/// Suggestions on a day: for each kind the latest detected value, if nothing is set or reported, or
/// if it was detected later and differs by at least 1 %. So older data never questions a threshold
/// that was just set.
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

/// Whether two values differ by at least [`MIN_CHANGE`].
pub(crate) fn differs(new: f64, old: f64) -> bool {
    (new - old).abs() >= MIN_CHANGE * old.abs()
}

/// Whether a value is plausible for its kind.
pub(crate) fn within_bounds(kind: ThresholdKind, value: f64) -> bool {
    let (low, high) = kind.bounds();
    (low..=high).contains(&value)
}

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
