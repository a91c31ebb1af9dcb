//! Grade-adjusted speed, and training load of running and swimming.

use crate::metrics::grade_adjusted_pace::{SlopeCostModel, slopes};
use crate::metrics::per_second::{Segments, Series, Timeline};
use crate::metrics::{MetricResult, finite, round_to_u32};

/// Speed on the flat at the same energy cost, mm/s: `v_g = v · C(i)/C(0)`. An unknown slope counts
/// as flat.
#[must_use]
pub fn grade_adjusted_speed(
    timeline: &Timeline,
    speed: &Series<u32>,
    way_m: &[f64],
    altitude_m: Option<&Series<f32>>,
    cost: SlopeCostModel,
) -> Series<u32> {
    let Some(altitude) = altitude_m else { return speed.clone() };
    let slopes = slopes(timeline, way_m, altitude);
    let adjusted = |(speed, slope): (&Option<u32>, Option<f32>)| {
        let factor = slope.map_or(1.0, |slope| cost.factor(f64::from(slope)));
        speed.map(|speed| round_to_u32(f64::from(speed) * factor))
    };
    speed.iter().zip(slopes).map(adjusted).collect()
}

/// Metres covered up to each second; an unknown speed counts as zero.
#[must_use]
pub fn cumulative_distance(speed: &Series<u32>) -> Vec<f64> {
    let mut sum = 0.0;
    speed
        .iter()
        .map(|speed| {
            sum += f64::from(speed.unwrap_or(0)) / 1000.0;
            sum
        })
        .collect()
}

/// Grade-adjusted speed in m/s over the moving time: its mean is GAP, its
/// [`normalize`](super::power::normalize)d value NGP. TrainingPeaks' NGP formula is not published;
/// this one is ours.
#[must_use]
pub fn moving_speed(timeline: &Timeline, graded: &Series<u32>, moving: &[bool]) -> Segments {
    Segments::select(timeline, |index| {
        graded[index].filter(|_| moving[index]).map(|speed| speed as f32 / 1000.0)
    })
}

/// `sTSS = 100 · hours · (v/CSS)³`: the drag of water grows with the square of speed, so the power
/// with its cube. An hour at critical swim speed is 100; half an hour at 90 % is 36.45.
///
/// # Errors
/// When it is not a number.
pub fn swim_training_stress(seconds: f64, relative_speed: f64) -> MetricResult<f64> {
    finite(100.0 * seconds / 3600.0 * relative_speed.powi(3), "swim stress")
}

#[cfg(test)]
mod tests;
