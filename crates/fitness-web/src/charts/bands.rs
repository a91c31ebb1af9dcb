//! Bands behind lines: form bands and the athlete's normal range.

use super::axes::ChartSize;
use super::path;
use super::scale::LinearScale;
use fitness_core::metrics::fitness::FormBand;
use maud::{Markup, html};

/// The form bands, each with its label to the right of the chart.
pub(crate) fn form(plot: &ChartSize, scale: &LinearScale, (low, high): (f64, f64)) -> Markup {
    let (from, to) = plot.x_range();
    html! {
        @for (at, band) in FormBand::ALL.iter().enumerate() {
            @let until = FormBand::ALL.get(at + 1).map_or(f64::INFINITY, |next| next.lower_bound());
            @let (bottom, top) = (band.lower_bound().max(low), until.min(high));
            @if top > bottom {
                @let (y, end) = (scale.position(top), scale.position(bottom));
                rect class={ "f " (band) } x=(from) width=(to - from) y=(format!("{y:.1}")) height=(format!("{:.1}", (end - y).max(0.0))) {}
                @if end - y >= 11.0 {
                    text.band-word x=(to + 6.0) y=(format!("{:.1}", f64::midpoint(y, end) + 4.0)) { (band.label()) }
                }
            }
        }
    }
}

/// Areas of a range that changes over time; unknown values leave a gap.
pub(crate) fn normal_range_paths(range: &[(f64, Option<(f64, f64)>)], scale: &LinearScale) -> Vec<String> {
    let known = |(x, range): &(f64, Option<(f64, f64)>)| {
        let (low, high) = range.filter(|(low, high)| low.is_finite() && high.is_finite())?;
        Some((*x, low, high))
    };
    let pieces = range.split(|one| known(one).is_none());
    let area = |piece: &[(f64, Option<(f64, f64)>)]| {
        let upper: Vec<_> =
            piece.iter().filter_map(known).map(|(x, _, high)| (x, scale.position(high))).collect();
        let lower: Vec<_> =
            piece.iter().filter_map(known).map(|(x, low, _)| (x, scale.position(low))).collect();
        path::area(&upper, &lower)
    };
    pieces.map(area).filter(|path| !path.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn form_bands_match_form_labels() {
        for band in FormBand::ALL {
            assert_eq!(FormBand::from_form(band.lower_bound().max(-40.0) + 0.01), *band);
        }
        let plot = ChartSize::default();
        let (low, high) = (-40.0, 30.0);
        let scale = LinearScale::new((low, high), plot.y_range());
        let drawn = form(&plot, &scale, (low, high)).into_string();
        assert_eq!(drawn.matches("<rect").count(), 5);
        assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
        let narrow = form(&plot, &LinearScale::new((-5.0, 4.0), plot.y_range()), (-5.0, 4.0)).into_string();
        assert_eq!(narrow.matches("<rect").count(), 1, "only what is in sight");
    }

    #[test]
    fn unknown_normal_range_leaves_gap() {
        let scale = LinearScale::new((0.0, 10.0), (100.0, 0.0));
        let some = Some((4.0, 6.0));
        let drawn = normal_range_paths(
            &[(0.0, some), (1.0, some), (2.0, None), (3.0, some), (4.0, some), (5.0, Some((f64::NAN, 1.0)))],
            &scale,
        );
        assert_eq!(drawn.len(), 2);
        assert_eq!(drawn[0], "M0.0 40.0L1.0 40.0L1.0 60.0L0.0 60.0Z");
        assert!(normal_range_paths(&[(0.0, some)], &scale).is_empty(), "a single point has no area");
    }
}
