//! The steps of a session in words: what was asked, and whether it was held.

use crate::adherence::{Kept, StepResult};
use crate::plan::{Step, StepDuration, StepTarget, TargetRange};
use crate::units::{Distance, Pace, TimeSpan, UnitSystem};

/// Whether a step's target was held; empty where it had none.
#[must_use]
pub const fn kept(result: &StepResult) -> &'static str {
    match (result.actual, result.kept) {
        (None, _) => "not reached",
        (_, Some(Kept::Within)) => "✓ within",
        (_, Some(Kept::Below)) => "↓ below",
        (_, Some(Kept::Above)) => "↑ above",
        (_, None) => "",
    }
}

/// How long or how far a step is asked to be.
#[must_use]
pub fn length(step: &Step, units: UnitSystem) -> String {
    match step.duration {
        StepDuration::Time(seconds) => {
            TimeSpan::from_seconds(seconds).map(TimeSpan::clock).unwrap_or_default()
        }
        StepDuration::Distance(meters) => {
            Distance::from_meters(meters).map(|far| short(far, units)).unwrap_or_default()
        }
        StepDuration::Calories(kcal) => format!("{kcal:.0} kcal"),
        StepDuration::Open => "open".to_owned(),
    }
}

/// A step is short: metres on the track, whatever the athlete's units.
#[must_use]
pub fn short(distance: Distance, units: UnitSystem) -> String {
    if distance.meters() < 3000.0 {
        format!("{:.0} m", distance.meters())
    } else {
        units.distance(distance).to_string()
    }
}

/// What a step asks for beside its length; empty when nothing.
#[must_use]
pub fn target(target: StepTarget, units: UnitSystem) -> String {
    let between = |range: TargetRange, shown: &dyn Fn(f64) -> String| match (range.low, range.high) {
        (Some(low), Some(high)) => format!("{} to {}", shown(low), shown(high)),
        (Some(low), None) => format!("from {}", shown(low)),
        (None, Some(high)) => format!("up to {}", shown(high)),
        (None, None) => String::new(),
    };
    let unit = |unit: &'static str| move |value: f64| format!("{value:.0}{unit}");
    match target {
        StepTarget::Open => String::new(),
        StepTarget::HeartRate(range) => between(range, &unit(" bpm")),
        StepTarget::Power(range) => between(range, &unit(" W")),
        StepTarget::Cadence(range) => between(range, &unit(" /min")),
        StepTarget::Pace(range) => between(range, &|seconds| {
            Pace::from_seconds_per_km(seconds).map(|pace| units.pace(pace).to_string()).unwrap_or_default()
        }),
    }
}
