//! Aerobic decoupling: the loss of output per heartbeat from the first to the second half.

use super::hr_artefacts::CleanHeartRate;
use super::load::heart_rate::MIN_COVERAGE;
use super::load::power::WINDOW_S;
use super::per_second::{Segments, Series, Timeline};
use super::{CountUnit, MetricResult, MissingReason, RequiredInput, finite};
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};

string_enum! {
    /// The output that heart rate is compared with.
    pub enum EffortOutput("output") {
        Pace = "pace",
        Power = "power",
    }
}

/// Percent lost from the first to the second half.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Decoupling {
    /// `100 · (e₁ − e₂)/e₁`, e the output per heartbeat of each half. Negative when the second half
    /// was better.
    pub percent: f64,
    /// The output that heart rate is compared with.
    pub output: EffortOutput,
}

/// Two halves of twenty minutes, the minimum of Friel's steady efforts (*The Cyclist's Training
/// Bible*: below 5 % is a sign of aerobic fitness; a coaching rule, not a law).
pub const MIN_DURATION_S: u32 = 40 * 60;

impl EffortOutput {
    /// Maximum coefficient of variation of the 30-second mean: with intervals, decoupling means
    /// nothing. Our choice; power over rolling ground varies more than pace, so its bound is 0.20.
    const fn max_variation(self) -> f64 {
        match self {
            Self::Pace => 0.15,
            Self::Power => 0.20,
        }
    }
}

/// Compares output per heartbeat in the two halves of the moving time. 3.0 m/s at 140 bpm and then
/// at 147 bpm: e falls from 0.021429 to 0.020408, so 4.762 %.
///
/// # Errors
/// When there are less than 40 min of moving time, less than 80 % of it with heart rate, or the
/// output was not steady.
pub fn decoupling<T: Copy + Into<u32>>(
    timeline: &Timeline,
    moving: &[bool],
    output: &Series<T>,
    heart: &CleanHeartRate,
    kind: EffortOutput,
) -> MetricResult<Decoupling> {
    if heart.series.len() != output.len() {
        return Err(MissingReason::missing(RequiredInput::HeartRate));
    }
    let counted = || {
        let in_motion = output.iter().zip(&heart.series).zip(moving).filter(|(_, moving)| **moving);
        in_motion.filter_map(|((value, heart), _)| Some(((*value)?, *heart)))
    };
    let both = || counted().filter_map(|(value, heart)| Some((value.into(), heart?)));
    let seconds = counted().count() as u32;
    if seconds < MIN_DURATION_S {
        return Err(MissingReason::TooFew {
            have: seconds,
            needed: MIN_DURATION_S,
            what: CountUnit::Seconds,
        });
    }
    let together = both().count();
    let share = together as f64 / f64::from(seconds);
    if share < MIN_COVERAGE {
        return Err(MissingReason::Patchy { percent: (100.0 * share) as u8 });
    }
    let value = |index: usize| output[index].filter(|_| moving[index]).map(|value| value.into() as f32);
    let runs = Segments::select(timeline, value);
    if variation(&runs).is_none_or(|variation| variation > kind.max_variation()) {
        let what = format!("the {kind} varied by more than {:.0}%", kind.max_variation() * 100.0);
        return Err(MissingReason::OutOfRange { what });
    }
    let efficiency = |from: usize, to: usize| {
        let half = both().skip(from).take(to - from);
        let (output, beats) = half.fold((0_u64, 0_u64), |(output, beats), (value, bpm)| {
            (output + u64::from(value), beats + u64::from(bpm))
        });
        output as f64 / beats as f64
    };
    let half = together / 2;
    let (before, after) = (efficiency(0, half), efficiency(half, together));
    let percent = finite(100.0 * (before - after) / before, "decoupling")?;
    Ok(Decoupling { percent, output: kind })
}

/// The coefficient of variation of the 30-second rolling mean; `None` when there is no such window
/// or no output.
#[must_use]
pub fn variation(runs: &Segments) -> Option<f64> {
    let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for run in runs.iter().filter(|run| run.len() >= WINDOW_S) {
        let mut rolling: f64 = run[..WINDOW_S - 1].iter().map(|value| f64::from(*value)).sum();
        for (entering, leaving) in run[WINDOW_S - 1..].iter().zip(run) {
            let mean = (rolling + f64::from(*entering)) / WINDOW_S as f64;
            (n, sum, squares) = (n + 1.0, sum + mean, squares + mean * mean);
            rolling += f64::from(*entering) - f64::from(*leaving);
        }
    }
    let mean = sum / n;
    let variance = (squares / n - mean * mean).max(0.0);
    Some(variance.sqrt() / mean).filter(|variation| variation.is_finite())
}

#[cfg(test)]
mod tests;
