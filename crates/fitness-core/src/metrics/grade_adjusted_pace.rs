//! Grade-adjusted pace: the energy cost of running on a slope.

use super::per_second::{Series, Timeline};

/// How a slope is converted into a factor on flat speed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SlopeCostModel {
    /// Minetti's curve with a floor of 0.88 downhill. The floor is our heuristic: metabolic cost
    /// falls further downhill than runners can use.
    #[default]
    Floored,
    Pure,
}

/// Minimum factor downhill with [`SlopeCostModel::Floored`].
pub const DOWNHILL_FLOOR: f64 = 0.88;
/// The steepest slope Minetti measured.
const MAX_SLOPE: f64 = 0.45;
/// Minimum distance over which a slope is measured, metres.
pub const GRADE_WINDOW_M: f64 = 30.0;

/// Energy to run a metre on a slope, J/kg/m (Minetti et al. 2002, J Appl Physiol 93:1039):
/// `C(i) = 155.4i⁵ − 30.4i⁴ − 43.3i³ + 46.3i² + 19.5i + 3.6`, i = rise/run within ±0.45.
/// Flat 3.6, +10 % 5.9682, −10 % 2.1517.
#[must_use]
pub fn running_cost(slope: f64) -> f64 {
    let i = if slope.is_nan() { 0.0 } else { slope.clamp(-MAX_SLOPE, MAX_SLOPE) };
    ((((155.4 * i - 30.4) * i - 43.3) * i + 46.3) * i + 19.5) * i + 3.6
}

impl SlopeCostModel {
    /// Flat speed equivalent to 1 m/s on a slope: +5 % 1.301, +10 % 1.658, −10 % 0.598 or, floored,
    /// 0.88.
    #[must_use]
    pub fn factor(self, slope: f64) -> f64 {
        let ratio = running_cost(slope) / running_cost(0.0);
        match self {
            Self::Floored if slope < 0.0 => ratio.max(DOWNHILL_FLOOR),
            Self::Floored | Self::Pure => ratio,
        }
    }
}

/// The slope at each second, over a window of at least 30 m centred on it. If less distance is
/// left, the last slope is kept; where altitude is unknown there is none.
#[must_use]
pub fn slopes(timeline: &Timeline, way_m: &[f64], altitude_m: &Series<f32>) -> Series<f32> {
    let mut slopes = vec![None; timeline.len()];
    let half = GRADE_WINDOW_M / 2.0;
    for chunk in timeline.chunks() {
        let (mut low, mut high, mut before) = (chunk.at.start, chunk.at.start, None);
        for here in chunk.at.clone() {
            while low < here && way_m[here] - way_m[low + 1] >= half {
                low += 1;
            }
            high = high.max(here);
            while high + 1 < chunk.at.end
                && (way_m[high] - way_m[here] < half || way_m[high] - way_m[low] < GRADE_WINDOW_M)
            {
                high += 1;
            }
            let run = way_m[high] - way_m[low];
            let slope = match (altitude_m[low], altitude_m[high]) {
                (Some(from), Some(to)) if run >= GRADE_WINDOW_M => Some((f64::from(to - from) / run) as f32),
                (Some(_), Some(_)) => before,
                _ => None,
            };
            slopes[here] = slope;
            before = slope;
        }
    }
    slopes
}

#[cfg(test)]
mod tests;
