//! SVG path data for lines and areas.

use std::fmt::Write as _;

/// X and y in SVG units.
pub(crate) type Point = (f64, f64);

/// A line through points; `None` breaks it.
pub(crate) fn line(points: impl IntoIterator<Item = Option<Point>>) -> String {
    let mut path = String::new();
    let mut drawing = false;
    for point in points {
        match point {
            Some((x, y)) => {
                // Writing to a string does not fail.
                let _ = write!(path, "{}{x:.1} {y:.1}", if drawing { 'L' } else { 'M' });
                drawing = true;
            }
            None => drawing = false,
        }
    }
    path
}

/// The area between two edges with the same x values.
pub(crate) fn area(upper: &[Point], lower: &[Point]) -> String {
    if upper.len() < 2 || upper.len() != lower.len() {
        return String::new();
    }
    let around = upper.iter().chain(lower.iter().rev()).copied().map(Some);
    format!("{}Z", line(around))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gap_breaks_line_and_empty_input_draws_nothing() {
        assert_eq!(
            line([Some((0.0, 1.0)), Some((1.0, 2.0)), None, Some((3.0, 4.0))]),
            "M0.0 1.0L1.0 2.0M3.0 4.0"
        );
        assert_eq!(line([None]), "");
        assert_eq!(
            area(&[(0.0, 1.0), (1.0, 1.0)], &[(0.0, 0.0), (1.0, 0.0)]),
            "M0.0 1.0L1.0 1.0L1.0 0.0L0.0 0.0Z"
        );
        assert_eq!(area(&[(0.0, 1.0)], &[(0.0, 0.0)]), "");
    }
}
