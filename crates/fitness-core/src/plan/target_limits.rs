//! Physical limits of step targets. The LLM output format allows a wider range, the same for every
//! unit.

use super::{Step, StepDuration, StepTarget, TargetRange};
use crate::domain::sport::Sport;

impl Step {
    /// Why its target is impossible; `None` if it is possible.
    pub(crate) fn infeasible_reason(&self) -> Option<&'static str> {
        let (range, bounds, problem) = match self.target {
            StepTarget::HeartRate(range) => {
                (range, 0.0..=250.0, "a heart rate is at most 250 beats per minute")
            }
            StepTarget::Power(range) => (range, 0.0..=2500.0, "power is at most 2500 watts"),
            StepTarget::Pace(range) => (range, 40.0..=3600.0, "a pace is 40 seconds to 1 hour per kilometre"),
            StepTarget::Cadence(range) => (range, 0.0..=300.0, "a cadence is at most 300 per minute"),
            StepTarget::Open => return None,
        };
        let ends = [range.low, range.high];
        ends.iter().flatten().any(|end| !bounds.contains(end)).then_some(problem)
    }

    /// Shortest and longest possible duration, in seconds.
    pub(crate) fn duration_bounds_seconds(&self, sport: Sport) -> (f64, f64) {
        match self.duration {
            StepDuration::Time(seconds) => (seconds, seconds),
            StepDuration::Distance(meters) => {
                let (fast, slow) = pace_bounds(sport);
                let (low, high) = match self.target {
                    StepTarget::Pace(TargetRange { low, high }) => (low, high),
                    _ => (None, None),
                };
                let km = meters / 1000.0;
                (km * low.unwrap_or(fast).max(fast), km * high.unwrap_or(slow).min(slow))
            }
            StepDuration::Calories(_) | StepDuration::Open => (0.0, f64::INFINITY),
        }
    }
}

/// Fastest and slowest pace of a sport, in seconds per kilometre.
const fn pace_bounds(sport: Sport) -> (f64, f64) {
    match sport {
        // A world record over 1000 m, and a slow walk.
        Sport::Running => (130.0, 1200.0),
        Sport::Swimming => (480.0, 3600.0),
        Sport::Cycling => (40.0, 900.0),
        _ => (40.0, 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::StepType;

    #[test]
    fn infeasible_targets_are_detected() {
        let step = |target: StepTarget| Step {
            step_type: StepType::Active,
            duration: StepDuration::Distance(1000.0),
            target,
            max_heart_rate: None,
            notes: None,
        };
        let range = |low: f64, high: f64| TargetRange { low: Some(low), high: Some(high) };
        for fine in [
            StepTarget::HeartRate(range(0.0, 250.0)),
            StepTarget::Power(range(0.0, 2500.0)),
            StepTarget::Pace(range(40.0, 3600.0)),
            StepTarget::Cadence(range(0.0, 300.0)),
            StepTarget::Open,
        ] {
            assert_eq!(step(fine).infeasible_reason(), None, "{fine:?}");
        }
        for wrong in [
            StepTarget::HeartRate(range(0.0, 251.0)),
            StepTarget::Power(range(100.0, 2501.0)),
            StepTarget::Pace(range(39.0, 300.0)),
            StepTarget::Pace(range(300.0, 3601.0)),
            StepTarget::Cadence(range(90.0, 301.0)),
        ] {
            assert!(step(wrong).infeasible_reason().is_some(), "{wrong:?}");
        }
        assert_eq!(
            step(StepTarget::Pace(range(240.0, 250.0))).duration_bounds_seconds(Sport::Running),
            (240.0, 250.0)
        );
        assert_eq!(step(StepTarget::Open).duration_bounds_seconds(Sport::Running), (130.0, 1200.0));
    }
}
