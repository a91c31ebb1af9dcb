//! Bar charts as a single SVG path.

use std::fmt::Write as _;

/// Bars as vertical strokes, each given by the x of its middle and the y of its top. Values that
/// are not finite or below the bottom are skipped.
pub(crate) fn path(bars: impl IntoIterator<Item = (f64, f64)>, bottom: f64) -> String {
    let mut path = String::new();
    for (middle, top) in bars {
        if top < bottom && top.is_finite() && middle.is_finite() {
            // Writing to a string does not fail.
            let _ = write!(path, "M{middle:.1} {bottom:.0}V{top:.1}");
        }
    }
    path
}

/// The middle of each bar between two edges, and the bar width.
pub(crate) fn slots((from, to): (f64, f64), count: usize) -> (Vec<f64>, f64) {
    let each = (to - from) / count.max(1) as f64;
    let width = (each * 0.78).clamp(0.5, 36.0);
    let middles = (0..count).map(|at| from + (at as f64 + 0.5) * each).collect();
    (middles, width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bar_starts_at_bottom_and_invalid_values_are_skipped() {
        assert_eq!(path([(10.0, 60.0), (20.0, 100.0)], 100.0), "M10.0 100V60.0");
        assert_eq!(
            path([(f64::NAN, 0.0), (0.0, f64::NAN), (0.0, f64::NEG_INFINITY), (0.0, 120.0)], 100.0),
            ""
        );
    }

    #[test]
    fn bars_do_not_overlap_and_stay_within_edges() {
        for count in [1, 2, 13, 53, 530] {
            let (middles, width) = slots((40.0, 550.0), count);
            assert_eq!(middles.len(), count);
            assert!(
                middles[0] - width / 2.0 >= 40.0 && middles[count - 1] + width / 2.0 <= 550.01,
                "{count}"
            );
            assert!(middles.windows(2).all(|pair| pair[0] + width <= pair[1] + 1e-9), "{count}");
        }
        assert_eq!(slots((0.0, 10.0), 0).0, [0.0; 0]);
    }
}
