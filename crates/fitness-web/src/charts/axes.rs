//! Size, grid lines and axis labels of a chart.

use super::scale::{DayScale, LinearScale};
use fitness_core::domain::calendar::Day;
use maud::{Markup, html};

/// Size of a chart and its margins, in SVG units.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChartSize {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
}

impl Default for ChartSize {
    fn default() -> Self {
        Self { width: 560.0, height: 210.0, left: 36.0, right: 10.0, top: 16.0, bottom: 24.0 }
    }
}

impl ChartSize {
    /// As wide as the page.
    pub(crate) fn wide() -> Self {
        Self { width: 800.0, height: 230.0, top: 28.0, bottom: 26.0, ..Self::default() }
    }

    /// The CSS class for the font size. Text scales with the drawing, so a wide chart needs larger
    /// text on a phone.
    pub(crate) fn size_class(&self) -> &'static str {
        match self.width {
            ..400.0 => "narrow",
            ..700.0 => "medium",
            _ => "broad",
        }
    }

    pub(crate) const fn x_range(&self) -> (f64, f64) {
        (self.left, self.width - self.right)
    }

    /// Bottom first: larger values are drawn higher.
    pub(crate) const fn y_range(&self) -> (f64, f64) {
        (self.height - self.bottom, self.top)
    }

    pub(crate) const fn day_scale(&self, first: Day, last: Day) -> DayScale {
        DayScale::new(first, last, self.x_range())
    }

    /// A scale with round bounds, and its ticks.
    pub(crate) fn value_scale(&self, range: (f64, f64)) -> (LinearScale, Vec<f64>) {
        LinearScale::rounded(range, self.y_range(), 4.0)
    }

    /// Horizontal lines with a label each.
    pub(crate) fn grid_lines(
        &self,
        scale: &LinearScale,
        ticks: &[f64],
        label: impl Fn(f64) -> String,
    ) -> Markup {
        let (from, to) = self.x_range();
        // One path for all lines and one group for all labels keep the page small.
        let below_zero = ticks.first().is_some_and(|first| *first < 0.0);
        let across = |zero: bool| -> String {
            let these = ticks.iter().filter(|tick| (below_zero && **tick == 0.0) == zero);
            these.map(|tick| format!("M{from} {:.1}H{to}", scale.position(*tick))).collect()
        };
        html! {
            path.g-line d=(across(false)) {}
            @if below_zero { path.g-zero d=(across(true)) {} }
            g text-anchor="end" {
                @for tick in ticks {
                    text x=(from - 6.0) y=(format!("{:.0}", scale.position(*tick) + 4.0)) { (label(*tick)) }
                }
            }
        }
    }

    /// Date labels below the chart.
    pub(crate) fn day_labels(&self, days: &DayScale) -> Markup {
        let y = self.height - self.bottom + 18.0;
        html! {
            g text-anchor="middle" {
                @for (day, label) in days.ticks() { text x=(format!("{:.0}", days.position(day))) y=(y) { (label) } }
            }
        }
    }

    /// A vertical line with a label above it.
    pub(crate) fn vertical_line(&self, x: f64, class: &str, label: &str) -> Markup {
        let (bottom, top) = self.y_range();
        // Labels go to the left where there is room: other labels are on the right.
        let (at, anchor) = if x > self.width * 0.4 { (x + 2.0, "end") } else { (x - 2.0, "start") };
        html! {
            line class={ "m " (class) } x1=(format!("{x:.1}")) x2=(format!("{x:.1}")) y1=(top - 4.0) y2=(bottom) {}
            text x=(format!("{at:.1}")) y=(top - 9.0) text-anchor=(anchor) { (label) }
        }
    }
}

/// `40`, `2.5`: one decimal, left out when it is zero.
pub(crate) fn format_number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}
