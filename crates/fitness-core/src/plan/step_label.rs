//! Short labels of workout steps, for tables.

use super::{Step, StepDuration, StepTarget, StepType, TargetRange};
use crate::domain::units::{Distance, Pace, TimeSpan, UnitSystem};

impl Step {
    /// `4:00`, `400 m`, or `open`.
    #[must_use]
    pub fn length_label(&self, units: UnitSystem) -> String {
        match self.duration {
            StepDuration::Time(seconds) => {
                TimeSpan::from_seconds(seconds).map(TimeSpan::format_clock).unwrap_or_default()
            }
            StepDuration::Distance(meters) => {
                Distance::from_meters(meters).map(|far| format_step_distance(far, units)).unwrap_or_default()
            }
            StepDuration::Calories(kcal) => format!("{kcal:.0} kcal"),
            StepDuration::Open => "open".to_owned(),
        }
    }

    /// Target: `5:00 /km to 5:10 /km`; empty without one.
    #[must_use]
    pub fn target_label(&self, units: UnitSystem) -> String {
        let between = |range: TargetRange, shown: &dyn Fn(f64) -> String| match (range.low, range.high) {
            (Some(low), Some(high)) => format!("{} to {}", shown(low), shown(high)),
            (Some(low), None) => format!("from {}", shown(low)),
            (None, Some(high)) => format!("up to {}", shown(high)),
            (None, None) => String::new(),
        };
        let unit = |unit: &'static str| move |value: f64| format!("{value:.0}{unit}");
        match self.target {
            StepTarget::Open => String::new(),
            StepTarget::HeartRate(range) => between(range, &unit(" bpm")),
            StepTarget::Power(range) => between(range, &unit(" W")),
            StepTarget::Cadence(range) => between(range, &unit(" /min")),
            StepTarget::Pace(range) => between(range, &|seconds| {
                Pace::from_seconds_per_km(seconds)
                    .map(|pace| units.format_pace(pace).to_string())
                    .unwrap_or_default()
            }),
        }
    }
}

impl StepType {
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Warmup => "Warm-up",
            Self::Active => "Work",
            Self::Recovery => "Recovery",
            Self::Cooldown => "Cool-down",
            Self::Rest => "Rest",
        }
    }
}

/// Below 3 km in metres, as on a track, whatever the athlete's units.
#[must_use]
pub fn format_step_distance(distance: Distance, units: UnitSystem) -> String {
    if distance.meters() < 3000.0 {
        format!("{:.0} m", distance.meters())
    } else {
        units.format_distance(distance).to_string()
    }
}
