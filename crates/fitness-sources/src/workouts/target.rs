//! Converts step targets to FIT values.

use super::unsupported::UnsupportedReason;
use fitness_core::domain::sport::Sport;
use fitness_core::plan::{StepTarget, TargetRange};
use rustyfit::profile::typedef::WktStepTarget;

/// How a target type is written.
struct Scale {
    name: &'static str,
    kind: WktStepTarget,
    /// Supported range in the target's unit.
    bounds: (f64, f64),
    /// Values for an open lower or upper end, so far off that watches never alert.
    open: (f64, f64),
    /// Converts to FIT's value.
    number: fn(f64) -> f64,
}

/// FIT adds this to beats per minute; smaller values are percent of max HR.
const BPM_OFFSET: f64 = 100.0;
/// FIT adds this to watts; smaller values are percent of FTP.
const WATTS_OFFSET: f64 = 1000.0;

/// The target type and its custom range as FIT values.
pub(super) fn fit_target(
    target: StepTarget,
    sport: Sport,
    lose: &mut impl FnMut(UnsupportedReason),
) -> (WktStepTarget, Option<(u32, u32)>) {
    let (scale, range) = match target {
        StepTarget::Open => return (WktStepTarget::OPEN, None),
        StepTarget::HeartRate(range) => (
            Scale {
                name: "heart rate",
                kind: WktStepTarget::HEART_RATE,
                bounds: (1.0, 255.0),
                open: (40.0, 220.0),
                number: |bpm| bpm + BPM_OFFSET,
            },
            range,
        ),
        StepTarget::Power(range) => (
            Scale {
                name: "power",
                kind: WktStepTarget::POWER,
                bounds: (1.0, 5000.0),
                open: (1.0, 2000.0),
                number: |watts| watts + WATTS_OFFSET,
            },
            range,
        ),
        StepTarget::Pace(range) => (
            Scale {
                name: "pace",
                kind: WktStepTarget::SPEED,
                bounds: (20.0, 5000.0),
                // Faster than anyone runs (2:00 /km) or rides (0:30 /km).
                open: (if sport == Sport::Running { 120.0 } else { 30.0 }, 1800.0),
                // Seconds per kilometre to millimetres per second.
                number: |pace| 1_000_000.0 / pace,
            },
            range,
        ),
        StepTarget::Cadence(range) => (
            Scale {
                name: "cadence",
                kind: WktStepTarget::CADENCE,
                bounds: if sport == Sport::Running { (2.0, 508.0) } else { (1.0, 254.0) },
                open: if sport == Sport::Running { (2.0, 400.0) } else { (1.0, 250.0) },
                number: if sport == Sport::Running { |steps| steps / 2.0 } else { |turns| turns },
            },
            range,
        ),
    };
    scale.write(range, lose)
}

impl Scale {
    fn write(
        &self,
        range: TargetRange,
        lose: &mut impl FnMut(UnsupportedReason),
    ) -> (WktStepTarget, Option<(u32, u32)>) {
        let target = self.name;
        let filled = match (range.low, range.high) {
            (None, None) => {
                lose(UnsupportedReason::NoNumbers { target });
                return (WktStepTarget::OPEN, None);
            }
            (Some(low), Some(high)) => (low, high),
            (None, Some(high)) => {
                let written = self.open.0.min(high).max(self.bounds.0);
                lose(UnsupportedReason::OpenEnd { target, written });
                (written, high)
            }
            (Some(low), None) => {
                let written = self.open.1.max(low).min(self.bounds.1);
                lose(UnsupportedReason::OpenEnd { target, written });
                (low, written)
            }
        };
        let kept = |value: f64| value.max(self.bounds.0).min(self.bounds.1);
        let (low, high) = (kept(filled.0), kept(filled.1));
        if filled.0 > self.bounds.1 || filled.1 > self.bounds.1 {
            lose(UnsupportedReason::AboveRange { target, to: self.bounds.1 });
        } else if filled.0 < self.bounds.0 || filled.1 < self.bounds.0 {
            lose(UnsupportedReason::BelowRange { target, to: self.bounds.0 });
        }
        let number = |value: f64| to_fit_number((self.number)(value), 0.0, f64::from(u32::MAX - 1)).0;
        // A low pace value is a high speed.
        let (a, b) = (number(low), number(high));
        (self.kind, Some((a.min(b), a.max(b))))
    }
}

/// Rounds and clamps; the flag says whether the value was in range.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "within a u32 by the line before"
)]
pub(super) fn to_fit_number(value: f64, least: f64, most: f64) -> (u32, bool) {
    let rounded = value.round();
    let kept = if rounded.is_nan() { least } else { rounded.max(least).min(most) };
    ((kept.max(0.0).min(f64::from(u32::MAX))) as u32, kept == rounded)
}
