//! What each number means, in a sentence, with its formula and where more is said.

use super::Chart;
use maud::{Markup, html};

/// Where the words are explained.
const DOCS: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/metrics.md");

/// The sentence, the formula, and the part of the page.
const fn sentence_formula_anchor(chart: Chart) -> (&'static str, &'static str, &'static str) {
    match chart {
        Chart::Fitness => (
            "Fitness is the long memory of your training load, fatigue the short one; form is what is left when the second is taken from the first. The bands are a convention of coaches, not a finding.",
            "X + (load − X)·(1 − e^(−1/τ)) a day, τ 42 for fitness, 7 for fatigue; others say CTL, ATL, TSB",
            "fitness-fatigue-form",
        ),
        Chart::Hrv => (
            "How much the time between heartbeats varies in sleep. The grey band is your own normal; above it is not better than within.",
            "mean ± ½ standard deviation of ln rMSSD over the 60 nights before the last seven",
            "heart-rate-variability",
        ),
        Chart::Resting => (
            "Your lowest steady heart rate of the day. Well above the grey band on several days can mean strain, heat or illness.",
            "median ± 1.4826 × median absolute deviation of the 60 days before the last seven",
            "resting-heart-rate",
        ),
        Chart::Sleep => (
            "How long you slept, against your own nights. For adults 7 to 9 hours are recommended.",
            "median ± 1.4826 × median absolute deviation of the 28 nights before",
            "sleep",
        ),
        Chart::Volume => (
            "What each week came to. The week that is not over yet is lighter.",
            "a sum from Monday to Sunday; load 100 is an hour at threshold",
            "load",
        ),
        Chart::Efforts => (
            "The fastest stretch of each distance within any run of this time, with the gaps of a recording left out.",
            "the shortest time in which the distance was covered without a break",
            "best-efforts-and-curves",
        ),
        Chart::Prediction => (
            "What your races and hard runs suggested at the time. 8 of 10 runners finish within the grey band.",
            "races of the last 12 months by a power law with the exponent 1.07, weighed; for the marathon two formulas more",
            "predicted-finish",
        ),
        Chart::Days => (
            "Each square is a day; the darker, the longer you trained. Days the data has not reached have no square.",
            "minutes of training; the shades are quarters of your days with training",
            "days",
        ),
    }
}

pub(super) fn render(chart: Chart) -> Markup {
    let (sentence, formula, part) = sentence_formula_anchor(chart);
    html! {
        details.meaning {
            summary { "What is this?" }
            p { (sentence) }
            p.faint { (formula) " · " a href={ (DOCS) "#" (part) } rel="noreferrer" { "more" } }
        }
    }
}
