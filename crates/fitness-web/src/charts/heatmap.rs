//! Calendar heatmap of a year: one column per week, Monday at the top.

use super::axes::ChartSize;
use chrono::Datelike as _;
use fitness_core::domain::calendar::Day;
use maud::{Markup, html};
use std::collections::BTreeMap;
use std::fmt::Write as _;

pub(crate) const SHADES: usize = 4;
const CELL_SIZE: f64 = 18.0;
const SQUARE_SIZE: f64 = 14.0;

/// The lower bound of each shade: quartiles of the days with training.
pub(crate) fn shade_thresholds(values: impl IntoIterator<Item = f64>) -> [f64; SHADES] {
    let mut sorted: Vec<f64> = values.into_iter().filter(|value| value.is_finite() && *value > 0.0).collect();
    sorted.sort_by(f64::total_cmp);
    std::array::from_fn(|shade| sorted.get(sorted.len() * shade / SHADES).copied().unwrap_or(f64::INFINITY))
}

/// The shade of a value, 0 for none.
pub(crate) fn shade(value: f64, steps: &[f64; SHADES]) -> usize {
    if value > 0.0 { steps.iter().filter(|step| value >= **step).count().max(1) } else { 0 }
}

pub(crate) fn plot(first: Day, last: Day) -> ChartSize {
    let weeks = first.iso_week().monday().days_until(last) / 7 + 1;
    let (left, top) = (30.0, 18.0);
    ChartSize {
        width: left + weeks as f64 * CELL_SIZE + 4.0,
        height: top + 7.0 * CELL_SIZE + 4.0,
        left,
        right: 4.0,
        top,
        bottom: 4.0,
    }
}

/// The x of the middle of a day's week.
pub(crate) fn week_x(plot: &ChartSize, first: Day, day: Day) -> f64 {
    plot.left + (first.iso_week().monday().days_until(day).div_euclid(7)) as f64 * CELL_SIZE + CELL_SIZE / 2.0
}

/// Draws the days. Days after `known` have no square: no data is not the same as no training.
pub(crate) fn draw_squares(
    plot: &ChartSize,
    (first, known): (Day, Day),
    values: &BTreeMap<Day, f64>,
) -> Markup {
    let steps = shade_thresholds(values.values().copied());
    let mut paths: [String; SHADES] = Default::default();
    let mut months = Vec::new();
    // Where each row ends. The squares of all days of a row are the dashes of one line; those with
    // training go on top.
    let mut ends: [Option<(f64, f64, f64)>; 7] = [None; 7];
    for day in first.through(known) {
        let row = day.weekday().num_days_from_monday() as usize;
        let (x, y) =
            (week_x(plot, first, day) - SQUARE_SIZE / 2.0, plot.top + (row as f64 + 0.5) * CELL_SIZE);
        let begins = ends[row].map_or(x, |(begins, ..)| begins);
        ends[row] = Some((begins, x + SQUARE_SIZE, y));
        let shade = shade(values.get(&day).copied().unwrap_or_default(), &steps);
        if let Some(path) = shade.checked_sub(1).and_then(|shade| paths.get_mut(shade)) {
            // A short line as wide as it is long is a square. Writing to a string does not fail.
            let _ = write!(path, "M{x:.0} {y:.0}h{SQUARE_SIZE}");
        }
        if day.date().day() == 1 {
            months.push((x, day.date().format("%b").to_string()));
        }
    }
    let rows: String =
        ends.iter().flatten().map(|(begins, end, y)| format!("M{begins:.0} {y:.0}H{end:.0}")).collect();
    html! {
        @for (row, word) in [(0.0, "Mon"), (2.0, "Wed"), (4.0, "Fri")] {
            text x="0" y=(plot.top + row * CELL_SIZE + 13.0) { (word) }
        }
        @for (x, word) in months { text x=(x) y="12" { (word) } }
        path.h d=(rows) stroke-dasharray=(format!("{SQUARE_SIZE} {}", CELL_SIZE - SQUARE_SIZE)) {}
        @for (shade, path) in (1..).zip(paths.iter()) {
            @if !path.is_empty() { path class=(format!("h h{shade}")) d=(path) {} }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        text.parse().unwrap()
    }

    #[test]
    fn shades_are_the_quarters_of_days_with_training() {
        let steps = shade_thresholds([0.0, 10.0, 20.0, 30.0, 40.0, f64::NAN]);
        assert_eq!([0.0, 1.0, 10.0, 25.0, 30.0, 999.0].map(|value| shade(value, &steps)), [0, 1, 1, 2, 3, 4]);
        assert_eq!(shade(5.0, &super::shade_thresholds([])), 1);
        assert_eq!(shade(f64::NAN, &steps), 0);
    }

    #[test]
    fn every_known_day_has_one_square_in_the_column_of_its_week() {
        let (first, last) = (day("2025-06-15"), day("2026-06-14"));
        let plot = plot(first, last);
        let values = BTreeMap::from([(day("2026-06-14"), 50.0)]);
        let drawn = draw_squares(&plot, (first, last), &values).into_string();
        assert_eq!(drawn.matches("h14").count(), 1, "one day with training");
        // Seven rows of 53 weeks, but for the six days before the first Sunday.
        assert_eq!(drawn.matches('H').count(), 7);
        assert!(drawn.contains("M30 135H984") || drawn.contains("M32 135H982"), "the Sundays: {drawn}");
        assert!(!drawn.contains("NaN"));
        assert!(week_x(&plot, first, last) <= plot.width);
        assert_eq!(
            week_x(&plot, first, day("2026-06-08")),
            week_x(&plot, first, day("2026-06-14")),
            "Monday to Sunday"
        );
        let one = draw_squares(&plot, (first, first), &BTreeMap::new()).into_string();
        assert_eq!(one.matches('H').count(), 1, "one row of one day: {one}");
    }
}
