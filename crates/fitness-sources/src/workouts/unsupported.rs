//! Parts of a workout that a FIT file cannot express.

use fitness_core::domain::units::TimeSpan;
use serde::{Serialize, Serializer};
use std::fmt;

#[derive(Debug, Clone, PartialEq)]
pub struct UnsupportedFeature {
    /// Step number from 1 (the first one if steps repeat); `None` for the whole workout.
    pub step: Option<usize>,
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
        struct UnsupportedFeatureJson {
            step: Option<usize>,
            reason: String,
        }
        UnsupportedFeatureJson { step: self.step, reason: self.reason.to_string() }.serialize(serializer)
    }
}

/// What was changed. Shown to the user.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum UnsupportedReason {
    #[error("the {target} target has no values, so the step has no target")]
    NoNumbers {
        /// For example `heart rate`.
        target: &'static str,
    },
    #[error("the {target} target is open at one end; {} was used as the other end", FormattedTarget(.target, *.written))]
    OpenEnd {
        /// For example `heart rate`.
        target: &'static str,
        /// The substituted value in the target's unit.
        written: f64,
    },
    #[error("the {target} target is above the range of watches and was lowered to {}", FormattedTarget(.target, *.to))]
    AboveRange {
        /// For example `heart rate`.
        target: &'static str,
        to: f64,
    },
    #[error("the {target} target is below the range of watches and was raised to {}", FormattedTarget(.target, *.to))]
    BelowRange {
        /// For example `heart rate`.
        target: &'static str,
        to: f64,
    },
    #[error("the duration cannot be stored exactly and was rounded")]
    Duration,
    #[error("{field} shortened to fit")]
    TextTooLong { field: &'static str },
}

/// Formats a value in the target's unit.
struct FormattedTarget<'a>(&'a str, f64);

impl fmt::Display for FormattedTarget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(target, value) = *self;
        match target {
            "pace" => {
                let clock = TimeSpan::from_seconds(value).unwrap_or_default().format_clock();
                write!(f, "{clock} /km")
            }
            "heart rate" => write!(f, "{value:.0} bpm"),
            "power" => write!(f, "{value:.0} W"),
            _ => write!(f, "{value:.0} per minute"),
        }
    }
}
