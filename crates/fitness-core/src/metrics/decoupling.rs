//! Aerobic decoupling: how much less a heartbeat bought in the second half than in the first.

use super::artefacts::CleanHeart;
use super::heart::MIN_COVERAGE;
use super::power::WINDOW_S;
use super::series::{Runs, Series, Timeline};
use super::{Absent, Counted, Found, Need, finite};
use crate::words::words;
use serde::{Deserialize, Serialize};

words! {
    /// What the heart rate is held against.
    pub enum Output("output") {
        /// Graded speed, "Pa:Hr".
        Pace = "pace",
        /// Power, "Pw:Hr".
        Power = "power",
    }
}

/// Percent lost from the first to the second half.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Decoupling {
    /// `100 · (e₁ − e₂)/e₁`, e the output per heartbeat of each half. Negative when the second half was the better.
    pub percent: f64,
    /// What the heart rate is held against.
    pub output: Output,
}

/// Two halves of twenty minutes, the least Friel's steady efforts are made of (*The Cyclist's Training Bible*: below
/// 5 % is a sign of aerobic fitness; a coaching rule, not a law).
pub const SHORTEST_S: u32 = 40 * 60;

impl Output {
    /// An output whose 30-second mean varies by more is not steady, and the number would speak of the intervals. Our
    /// choice; power over rolling ground swings more than pace and is about as steady at 0.20.
    const fn steady(self) -> f64 {
        match self {
            Self::Pace => 0.15,
            Self::Power => 0.20,
        }
    }
}

/// Halves the time in motion and compares output to heart rate. 3.0 m/s at 140 bpm and then at 147 bpm: e falls from
/// 0.021429 to 0.020408, so 4.762 %.
///
/// # Errors
/// When there are fewer than 40 min in motion, less than 80 % of them with heart rate, or the output was not steady.
pub fn decoupling(
    timeline: &Timeline,
    moving: &[bool],
    output: &Series<u32>,
    heart: &CleanHeart,
    kind: Output,
) -> Found<Decoupling> {
    if heart.series.len() != output.len() {
        return Err(Absent::missing(Need::HeartRate));
    }
    let counted: Vec<(usize, u32)> = output
        .iter()
        .enumerate()
        .filter_map(|(index, value)| Some((index, value.filter(|_| moving[index])?)))
        .collect();
    let seconds = counted.len() as u32;
    if seconds < SHORTEST_S {
        return Err(Absent::TooFew { have: seconds, needed: SHORTEST_S, what: Counted::Seconds });
    }
    let both: Vec<(f64, f64)> = counted
        .iter()
        .filter_map(|(index, value)| Some((f64::from(*value), f64::from(heart.series[*index]?))))
        .collect();
    let share = both.len() as f64 / f64::from(seconds);
    if share < MIN_COVERAGE {
        return Err(Absent::Patchy { percent: (100.0 * share) as u8 });
    }
    let runs =
        Runs::pick(timeline, |index| output[index].filter(|_| moving[index]).map(|value| value as f32));
    if variation(&runs).is_none_or(|variation| variation > kind.steady()) {
        let what = format!("the {kind} varied by more than {:.0} %", kind.steady() * 100.0);
        return Err(Absent::OutOfRange { what });
    }
    let (first, second) = both.split_at(both.len() / 2);
    let efficiency = |half: &[(f64, f64)]| {
        let (output, beats) = half.iter().fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
        output / beats
    };
    let (before, after) = (efficiency(first), efficiency(second));
    let percent = finite(100.0 * (before - after) / before, "decoupling")?;
    Ok(Decoupling { percent, output: kind })
}

/// The coefficient of variation of the 30-second rolling mean; `None` when there is no such window or no output.
#[must_use]
pub fn variation(runs: &Runs) -> Option<f64> {
    let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for run in runs.iter().filter(|run| run.len() >= WINDOW_S) {
        let mut rolling: f64 = run[..WINDOW_S - 1].iter().map(|value| f64::from(*value)).sum();
        for (entering, leaving) in run[WINDOW_S - 1..].iter().zip(run) {
            rolling += f64::from(*entering);
            let mean = rolling / WINDOW_S as f64;
            (n, sum, squares) = (n + 1.0, sum + mean, squares + mean * mean);
            rolling -= f64::from(*leaving);
        }
    }
    let mean = sum / n;
    let variance = (squares / n - mean * mean).max(0.0);
    Some(variance.sqrt() / mean).filter(|variation| variation.is_finite())
}

#[cfg(test)]
mod tests;
