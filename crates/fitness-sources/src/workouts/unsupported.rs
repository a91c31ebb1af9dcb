//! What a file could not say.

use fitness_core::domain::units::TimeSpan;
use serde::{Serialize, Serializer};
use std::fmt;

/// Something of a workout that a file cannot hold as it is.
#[derive(Debug, Clone, PartialEq)]
pub struct UnsupportedFeature {
    /// The step it is about, counted from 1; where steps repeat, the first of them. `None` for the workout itself.
    pub step: Option<usize>,
    /// What happened to it.
    pub reason: UnsupportedReason,
}

impl fmt::Display for UnsupportedFeature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(step) = self.step {
            write!(f, "step {step}: ")?;
        }
        self.reason.fmt(f)
    }
}

impl Serialize for UnsupportedFeature {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields {
            step: Option<usize>,
            reason: String,
        }
        Fields { step: self.step, reason: self.reason.to_string() }.serialize(serializer)
    }
}

/// What happened to a part of a workout.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum UnsupportedReason {
    /// A target by its type alone.
    #[error("its {target} target has no numbers, so it is by feel")]
    NoNumbers {
        /// Such as `heart rate`.
        target: &'static str,
    },
    /// FIT has no open ends.
    #[error("its {target} target is open at one end, and a file needs both; {} was written there", TargetValue(.target, *.written))]
    OpenEnd {
        /// Such as `heart rate`.
        target: &'static str,
        /// The end that was made up, in the target's own unit.
        written: f64,
    },
    /// Beyond what there is a number for.
    #[error("its {target} target is more than a watch knows and was cut to {}", TargetValue(.target, *.to))]
    AboveRange {
        /// Such as `heart rate`.
        target: &'static str,
        /// The most there is.
        to: f64,
    },
    /// The same at the other end.
    #[error("its {target} target is less than a watch knows and was raised to {}", TargetValue(.target, *.to))]
    BelowRange {
        /// Such as `heart rate`.
        target: &'static str,
        /// The least there is.
        to: f64,
    },
    /// Too short or too long to be written down exactly.
    #[error("its length cannot be written exactly; the nearest there is was taken")]
    Duration,
    /// More words than fit.
    #[error("its {field} did not fit whole; the end was left out")]
    TextTooLong {
        /// Which text.
        field: &'static str,
    },
}

/// A value in the unit of its target.
struct TargetValue<'a>(&'a str, f64);

impl fmt::Display for TargetValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(target, value) = *self;
        match target {
            "pace" => {
                let clock = TimeSpan::from_seconds(value).unwrap_or_default().format_clock();
                write!(f, "{clock} /km")
            }
            "heart rate" => write!(f, "{value:.0} bpm"),
            "power" => write!(f, "{value:.0} W"),
            _ => write!(f, "{value:.0} a minute"),
        }
    }
}
