//! Detects thresholds from training data, as a dated series of steps.
//!
//! A step depends only on its day and earlier days, so later data never changes old loads. A step
//! needs a change of at least 1 % (resting heart rate: 2 bpm). Between steps, and without recent
//! evidence, the last value stays in force.
//!
//! Best efforts in training are lower bounds: three months without a hard effort do not mean a
//! slower athlete. So a value rises at once, but falls by at most 5 % at a time and not within 42
//! days of the last step. These limits are our choice.

use crate::domain::athlete::{Threshold, ThresholdKind, ThresholdOrigin};
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan};
use crate::metrics::predict::EXPONENT_UP_TO_HALF;
use crate::metrics::recovery::baseline::{mean, median};
use crate::metrics::thresholds::in_force::{FRESH_DAYS, differs, within_bounds};
use serde::{Deserialize, Serialize};

/// How many days a detected value can depend on, including the day itself.
pub const LOOKBACK_DAYS: i64 = 365;
/// Older efforts are ignored, days.
const RECENT_DAYS: i64 = 90;
/// Smaller changes of resting heart rate make no step, bpm.
const RESTING_STEP: f64 = 2.0;
/// Maximum relative decrease in one step.
const MAX_FALL: f64 = 0.05;

/// Dated evidence for a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DatedThresholdEvidence {
    pub day: Day,
    pub evidence: ThresholdEvidence,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThresholdEvidence {
    /// Highest 5-second heart rate of an activity, artefacts removed.
    PeakHeartRate { bpm: f64 },
    /// A best effort of a run.
    Run { distance: Distance, time: TimeSpan },
    /// Mean heart rate of the fastest 30, 40, 50 or 60 minutes of a run with a pace variation below
    /// 6 %, artefacts removed; the highest of them.
    HeldHeartRate {
        bpm: f64,
        time: TimeSpan,
        /// Coefficient of variation of grade-adjusted speed.
        variation: f64,
    },
    /// The best 20-minute power of a ride.
    TwentyMinutePower { watts: f64 },
    /// A whole swim: distance and time, without rest at the wall if pool lengths were recorded. Its
    /// speed is therefore the mean of a whole activity.
    Swim { distance: Distance, time: TimeSpan },
    /// A day's resting heart rate.
    RestingHeartRate { bpm: f64 },
}

/// All steps through a day, ordered by kind and day.
#[must_use]
pub fn detect(candidates: &[DatedThresholdEvidence], through: Day) -> Vec<Threshold> {
    ThresholdKind::ALL.iter().flat_map(|kind| steps(*kind, candidates, None, None, through)).collect()
}

/// The steps from a day, given the earlier steps and the candidates from [`LOOKBACK_DAYS`] before
/// it. Earlier and new steps together equal the result of [`detect`].
#[must_use]
pub fn redetect(
    before: &[Threshold],
    candidates: &[DatedThresholdEvidence],
    from: Day,
    through: Day,
) -> Vec<Threshold> {
    let last = |kind: ThresholdKind| {
        let earlier = |step: &&Threshold| {
            step.kind == kind && step.origin == ThresholdOrigin::Estimated && step.from < from
        };
        before.iter().filter(earlier).max_by_key(|step| step.from).copied()
    };
    ThresholdKind::ALL
        .iter()
        .flat_map(|kind| steps(*kind, candidates, last(*kind), Some(from), through))
        .collect()
}

/// A usable candidate: its suggested value and the details its kind needs.
#[derive(Debug, Clone, Copy)]
struct CandidateValue {
    day: Day,
    value: f64,
    extra: f64,
}

fn steps(
    kind: ThresholdKind,
    candidates: &[DatedThresholdEvidence],
    mut last: Option<Threshold>,
    from: Option<Day>,
    through: Day,
) -> Vec<Threshold> {
    let mut points: Vec<CandidateValue> =
        candidates.iter().filter_map(|candidate| point(kind, candidate)).collect();
    points.sort_by(|a, b| {
        a.day.cmp(&b.day).then(a.value.total_cmp(&b.value)).then(a.extra.total_cmp(&b.extra))
    });
    let Some(first) = points.first().map(|point| point.day) else { return Vec::new() };
    let mut made = Vec::new();
    for day in from.map_or(first, |from| from.max(first)).through(through) {
        let oldest = day.plus_days(1 - lookback_days(kind));
        let begin = points.partition_point(|point| point.day < oldest);
        let end = points.partition_point(|point| point.day <= day);
        let estimate = estimate(kind, &points[begin..end], day).filter(|value| within_bounds(kind, *value));
        if let Some(value) = estimate.and_then(|value| step_to(kind, value, last, day)) {
            let step = Threshold { kind, value, from: day, origin: ThresholdOrigin::Estimated };
            last = Some(step);
            made.push(step);
        }
    }
    made
}

/// The value of the next step, if there is one.
fn step_to(kind: ThresholdKind, value: f64, last: Option<Threshold>, day: Day) -> Option<f64> {
    let Some(last) = last else { return Some(value) };
    let moved = match kind {
        // The median can alternate between two whole beats for weeks.
        ThresholdKind::RestingHeartRate => (value - last.value).abs() >= RESTING_STEP,
        _ => differs(value, last.value),
    };
    if !moved {
        return None;
    }
    if value > last.value || kind == ThresholdKind::RestingHeartRate {
        return Some(value);
    }
    let lowest = last.value * (1.0 - MAX_FALL);
    (last.from.days_until(day) >= FRESH_DAYS)
        .then_some(value.max(lowest))
        .filter(|value| within_bounds(kind, *value))
}

/// Days of evidence a kind uses, including the day itself.
const fn lookback_days(kind: ThresholdKind) -> i64 {
    match kind {
        ThresholdKind::MaxHeartRate | ThresholdKind::ThresholdHeartRate => LOOKBACK_DAYS,
        ThresholdKind::RestingHeartRate => 60,
        ThresholdKind::ThresholdSpeed | ThresholdKind::ThresholdPower | ThresholdKind::SwimSpeed => {
            RECENT_DAYS
        }
    }
}

/// Minimum number of days with evidence.
const fn least_days(kind: ThresholdKind) -> usize {
    match kind {
        ThresholdKind::MaxHeartRate => 5,
        ThresholdKind::ThresholdHeartRate => 10,
        ThresholdKind::RestingHeartRate => 14,
        ThresholdKind::ThresholdSpeed | ThresholdKind::ThresholdPower | ThresholdKind::SwimSpeed => 3,
    }
}

fn point(kind: ThresholdKind, candidate: &DatedThresholdEvidence) -> Option<CandidateValue> {
    let held_long_enough =
        |time: TimeSpan| (TimeSpan::from_mins(30)..=TimeSpan::from_mins(60)).contains(&time);
    let (value, more) = match (kind, candidate.evidence) {
        (ThresholdKind::MaxHeartRate, ThresholdEvidence::PeakHeartRate { bpm }) => (bpm, 0.0),
        (ThresholdKind::ThresholdSpeed, ThresholdEvidence::Run { distance, time }) => {
            (hour_speed(distance, time)?, 0.0)
        }
        (ThresholdKind::ThresholdHeartRate, ThresholdEvidence::HeldHeartRate { bpm, time, variation })
            if held_long_enough(time) =>
        {
            (bpm, variation)
        }
        (ThresholdKind::ThresholdPower, ThresholdEvidence::TwentyMinutePower { watts }) => {
            (0.95 * watts, 0.0)
        }
        (ThresholdKind::SwimSpeed, ThresholdEvidence::Swim { distance, time }) => {
            let speed = distance.meters() / time.seconds();
            return (within_bounds(kind, speed) && distance >= Distance::from_mm(195_000)).then_some(
                CandidateValue { day: candidate.day, value: distance.meters(), extra: time.seconds() },
            );
        }
        (ThresholdKind::RestingHeartRate, ThresholdEvidence::RestingHeartRate { bpm }) => (bpm, 0.0),
        _ => return None,
    };
    (within_bounds(kind, value) && more.is_finite()).then_some(CandidateValue {
        day: candidate.day,
        value,
        extra: more,
    })
}

/// Speed over the distance equivalent to one hour: t1·(d/d1)^1.07 = 3600, for efforts of 10 to 70
/// minutes.
///
/// 10 km in 40:00: d = 10000·(3600/2400)^(1/1.07) = 14607 m, 4.0576 m/s, 4:06 /km.
#[must_use]
pub fn hour_speed(distance: Distance, time: TimeSpan) -> Option<f64> {
    if !(TimeSpan::from_mins(10)..=TimeSpan::from_mins(70)).contains(&time) || distance <= Distance::ZERO {
        return None;
    }
    let in_an_hour = distance.meters() * (3600.0 / time.seconds()).powf(1.0 / EXPONENT_UP_TO_HALF);
    Some(in_an_hour / 3600.0).filter(|speed| speed.is_finite())
}

fn estimate(kind: ThresholdKind, points: &[CandidateValue], day: Day) -> Option<f64> {
    if points.chunk_by(|a, b| a.day == b.day).take(least_days(kind)).count() < least_days(kind) {
        return None;
    }
    let values = || points.iter().map(|point| point.value);
    match kind {
        ThresholdKind::MaxHeartRate => second_highest_day(points),
        ThresholdKind::ThresholdHeartRate => mean_top_steady_heart_rate(points, day),
        ThresholdKind::ThresholdSpeed | ThresholdKind::ThresholdPower => values().max_by(f64::total_cmp),
        ThresholdKind::SwimSpeed => swim_speed(points),
        ThresholdKind::RestingHeartRate => median(&values().collect::<Vec<_>>()),
    }
}

/// The second-highest of the days' max heart rates. A slipping strap can spoil one day; two days of
/// a year spoiled alike are unlikely, and a real maximum is reached more than once within a beat or
/// two.
fn second_highest_day(points: &[CandidateValue]) -> Option<f64> {
    let (mut highest, mut second) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for day in points.chunk_by(|a, b| a.day == b.day) {
        let peak = day.last()?.value;
        if peak > highest {
            (highest, second) = (peak, highest);
        } else if peak > second {
            second = peak;
        }
    }
    Some(second).filter(|bpm| bpm.is_finite())
}

/// Mean of the recent steady efforts in the top 2 % of the year by heart rate (at least one).
fn mean_top_steady_heart_rate(points: &[CandidateValue], day: Day) -> Option<f64> {
    let mut all: Vec<f64> = points.iter().map(|point| point.value).collect();
    all.sort_by(f64::total_cmp);
    let top = all.len().div_ceil(50);
    let bar = all[all.len() - top];
    let counted: Vec<f64> = points
        .iter()
        .filter(|point| point.value >= bar && (0.0..0.06).contains(&point.extra))
        .filter(|point| point.day.days_until(day) < RECENT_DAYS)
        .map(|point| point.value)
        .collect();
    (!counted.is_empty()).then(|| mean(&counted))
}

/// Critical swim speed: 200 m over the difference of the best 400 m and 200 m times (Wakayoshi
/// 1992), else the best mean speed of a swim of 400 m or more. Only whole swims count, so for most
/// swimmers the second applies and is too low; for an all-out 400 m without a 200 m it is slightly
/// too fast.
///
/// 400 m in 6:00 and 200 m in 2:50: 200/(360 - 170) = 1.0526 m/s, 1:35 per 100 m. If the result is
/// below 0.8 of the mean speed of the 400 m, the 400 m was not all-out and its mean speed is used.
fn swim_speed(points: &[CandidateValue]) -> Option<f64> {
    let about = |meters: f64| {
        points
            .iter()
            .filter(move |point| (point.value - meters).abs() <= 0.025 * meters)
            .map(move |point| point.extra * meters / point.value)
            .min_by(f64::total_cmp)
    };
    let long = points.iter().filter(|point| point.value >= 390.0);
    let best = long.map(|point| point.value / point.extra).max_by(f64::total_cmp)?;
    let pair = about(400.0).zip(about(200.0)).map(|(four, two)| (200.0 / (four - two), 400.0 / four));
    match pair {
        Some((css, of_400)) if css.is_finite() && css <= of_400 && css >= 0.8 * of_400 => Some(css),
        _ => Some(best),
    }
}

#[cfg(test)]
mod tests;
