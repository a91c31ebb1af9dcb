//! Stacked line charts of a recording on a shared x axis.

use super::axes::ChartSize;
use super::path;
use super::scale::LinearScale;
use maud::{Markup, html};

/// X and value of each sample; `None` is a gap.
pub(crate) type Samples = Vec<(f64, Option<f64>)>;

/// Reduces samples to at most `most`: the minimum and maximum of each chunk, so that no peak is
/// lost. A chunk without values stays a gap.
pub(crate) fn downsample(samples: &[(f64, Option<f64>)], most: usize) -> Samples {
    let stretches = (most / 2).max(1);
    if samples.len() <= most.max(2) {
        return samples.to_vec();
    }
    let long = samples.len().div_ceil(stretches);
    let mut thinned = Vec::with_capacity(most);
    for stretch in samples.chunks(long) {
        let known = || {
            stretch
                .iter()
                .enumerate()
                .filter_map(|(at, (_, value))| Some((at, value.filter(|v| v.is_finite())?)))
        };
        let low = known().min_by(|a, b| a.1.total_cmp(&b.1));
        let high = known().max_by(|a, b| a.1.total_cmp(&b.1));
        match low.zip(high) {
            Some(((low, _), (high, _))) if low != high => {
                thinned.extend([stretch[low.min(high)], stretch[low.max(high)]]);
            }
            Some(((at, _), _)) => thinned.push(stretch[at]),
            None => thinned.extend(stretch.first().map(|(x, _)| (*x, None))),
        }
    }
    thinned
}

/// Moving average over `near` samples on each side. Gaps stay gaps.
pub(crate) fn smooth(values: &[Option<f64>], near: usize) -> Vec<Option<f64>> {
    let (mut sum, mut count) = (0.0, 0_u32);
    let mut ends = 0;
    let mut smoothed = Vec::with_capacity(values.len());
    for at in 0..values.len() {
        while ends < values.len() && ends <= at + near {
            if let Some(value) = values[ends] {
                (sum, count) = (sum + value, count + 1);
            }
            ends += 1;
        }
        if let Some(Some(value)) = at.checked_sub(near + 1).map(|gone| values[gone]) {
            (sum, count) = (sum - value, count.saturating_sub(1));
        }
        smoothed.push(values[at].filter(|_| count > 0).map(|_| sum / f64::from(count)));
    }
    smoothed
}

/// The range without the given share of extreme values on each side, so that one sensor glitch does
/// not flatten the line.
pub(crate) fn trimmed_range(samples: &[(f64, Option<f64>)], leave_out: f64) -> Option<(f64, f64)> {
    let mut values: Vec<f64> =
        samples.iter().filter_map(|(_, value)| value.filter(|v| v.is_finite())).collect();
    values.sort_by(f64::total_cmp);
    let left_out = (values.len() as f64 * leave_out) as usize;
    let low = *values.get(left_out)?;
    let high = *values.get(values.len().checked_sub(left_out + 1)?)?;
    Some((low, high))
}

#[derive(Debug)]
pub(crate) struct Panel<'a> {
    pub(crate) title: &'a str,
    /// The CSS class of the line.
    pub(crate) class: &'a str,
    pub(crate) samples: Samples,
    /// Grid values and their labels.
    pub(crate) ticks: Vec<(f64, String)>,
    /// Values at the bottom and the top.
    pub(crate) range: (f64, f64),
    /// Whether the area below the line is filled.
    pub(crate) is_filled: bool,
}

const PANEL_HEIGHT: f64 = 92.0;
const GAP: f64 = 34.0;

pub(crate) fn plot(panels: usize) -> ChartSize {
    let height = panels as f64 * (PANEL_HEIGHT + GAP) + 30.0;
    ChartSize { width: 800.0, height, left: 52.0, right: 14.0, top: GAP - 6.0, bottom: 26.0 }
}

/// Draws the panels. Values outside a panel's range are drawn at its edge.
pub(crate) fn draw_panels(
    plot: &ChartSize,
    across: &LinearScale,
    panels: &[Panel<'_>],
    below: &[(f64, String)],
) -> Markup {
    let (left, right) = plot.x_range();
    html! {
        @for (at, panel) in panels.iter().enumerate() {
            @let top = plot.top + at as f64 * (PANEL_HEIGHT + GAP);
            @let scale = LinearScale::new(panel.range, (top + PANEL_HEIGHT, top));
            @let place = |x: f64, value: f64| (across.position(x), scale.position(value).clamp(top, top + PANEL_HEIGHT));
            @let ticks = panel.ticks.iter().map(|(value, word)| (scale.position(*value), word.as_str()));
            @let ticks: Vec<(f64, &str)> = ticks.filter(|(y, _)| (top - 0.5..=top + PANEL_HEIGHT + 0.5).contains(y)).collect();
            @for (y, _) in &ticks { line.g-line x1=(left) x2=(right) y1=(format!("{y:.1}")) y2=(format!("{y:.1}")) {} }
            @for (y, word) in without_overlaps(&ticks) { text x=(left - 6.0) y=(format!("{:.1}", y + 4.0)) text-anchor="end" { (word) } }
            text.title x=(left) y=(format!("{:.1}", top - 6.0)) { (panel.title) }
            @let points: Vec<_> = panel.samples.iter().map(|(x, value)| value.filter(|v| v.is_finite()).map(|value| place(*x, value))).collect();
            @if panel.is_filled { @for piece in segments(&points) {
                path class={ "a " (panel.class) } d=(area_under(piece, top + PANEL_HEIGHT)) {}
            } }
            path class={ "s " (panel.class) } d=(path::line(points.iter().copied())) {}
        }
        g text-anchor="middle" { @for (x, word) in below {
            text x=(format!("{:.0}", across.position(*x))) y=(format!("{:.0}", plot.height - 8.0)) { (word) }
        } }
    }
}

/// Height of a label at the font size for phones.
const LABEL_HEIGHT: f64 = 20.0;

/// The labels that do not overlap an earlier one. Pace ticks are not evenly spaced.
fn without_overlaps<'a>(ticks: &[(f64, &'a str)]) -> Vec<(f64, &'a str)> {
    let mut kept: Vec<(f64, &str)> = Vec::new();
    for (y, word) in ticks {
        if kept.last().is_none_or(|(last, _)| (y - last).abs() >= LABEL_HEIGHT) {
            kept.push((*y, word));
        }
    }
    kept
}

/// The parts of a line between its gaps.
fn segments(points: &[Option<path::Point>]) -> impl Iterator<Item = Vec<path::Point>> {
    points
        .split(Option::is_none)
        .map(|piece| piece.iter().copied().flatten().collect())
        .filter(|piece: &Vec<_>| piece.len() > 1)
}

fn area_under(piece: Vec<path::Point>, bottom: f64) -> String {
    let (Some(first), Some(last)) = (piece.first().copied(), piece.last().copied()) else {
        return String::new();
    };
    let around = piece.into_iter().chain([(last.0, bottom), (first.0, bottom)]).map(Some);
    format!("{}Z", path::line(around))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn downsample_keeps_peaks_and_long_gaps() {
        let mut samples: Samples = (0..10_000).map(|at| (f64::from(at), Some(f64::from(at % 7)))).collect();
        samples[4321].1 = Some(99.0);
        samples[1234].1 = Some(-99.0);
        for sample in &mut samples[6000..7000] {
            sample.1 = None;
        }
        let thinned = downsample(&samples, 240);
        assert!(thinned.len() <= 240, "{}", thinned.len());
        for peak in [99.0, -99.0] {
            assert!(thinned.iter().any(|(_, value)| *value == Some(peak)), "{peak}");
        }
        assert!(thinned.iter().any(|(x, value)| value.is_none() && (6000.0..7000.0).contains(x)));
        assert!(thinned.windows(2).all(|pair| pair[0].0 < pair[1].0), "in order");
        assert_eq!(downsample(&samples[..100], 240), samples[..100], "few stay as they are");
        assert_eq!(downsample(&[], 240), []);
        let odd = [(0.0, Some(f64::NAN)), (1.0, None), (2.0, Some(f64::INFINITY))];
        assert!(downsample(&odd, 2).iter().all(|(_, value)| value.is_none()));
    }

    #[test]
    fn smooth_averages_neighbours_and_fills_no_gap() {
        let values = [Some(1.0), Some(3.0), None, Some(5.0), Some(100.0)];
        assert_eq!(smooth(&values, 1), [Some(2.0), Some(2.0), None, Some(52.5), Some(52.5)]);
        assert_eq!(smooth(&values, 0), values);
        assert_eq!(smooth(&[], 3), []);
    }

    #[test]
    fn outlier_does_not_widen_trimmed_range() {
        let mut samples: Samples = (0..1000).map(|at| (f64::from(at), Some(f64::from(at % 10)))).collect();
        samples[5].1 = Some(1e9);
        assert_eq!(trimmed_range(&samples, 0.01), Some((0.0, 9.0)));
        assert_eq!(trimmed_range(&[(0.0, None)], 0.01), None);
        assert_eq!(trimmed_range(&[(0.0, Some(3.0))], 0.01), Some((3.0, 3.0)));
    }

    #[test]
    fn overlapping_labels_are_left_out() {
        assert_eq!(
            without_overlaps(&[(0.0, "4:00"), (60.0, "6:00"), (75.0, "8:00"), (85.0, "10:00")]),
            [(0.0, "4:00"), (60.0, "6:00"), (85.0, "10:00")]
        );
        assert!(without_overlaps(&[]).is_empty());
    }

    #[test]
    fn nan_and_infinity_are_not_drawn() {
        let plot = plot(2);
        let across = LinearScale::new((0.0, 0.0), plot.x_range());
        let panel = |samples: Samples| Panel {
            title: "Pace",
            class: "pace",
            samples,
            ticks: vec![(f64::NAN, "?".to_owned()), (1.0, "1".to_owned())],
            range: (1.0, 1.0),
            is_filled: true,
        };
        let drawn = draw_panels(
            &plot,
            &across,
            &[
                panel(vec![(0.0, Some(f64::NAN)), (0.0, Some(1.0))]),
                panel(vec![(0.0, Some(f64::MAX)), (0.0, Some(-1e300))]),
            ],
            &[(0.0, "0".to_owned())],
        )
        .into_string();
        assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
    }
}
