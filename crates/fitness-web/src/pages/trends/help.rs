//! Help texts of the charts: an explanation, the formula, and a link to the docs.

use super::Chart;
use maud::{Markup, html};

const DOCS: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/metrics.md");

/// Explanation, formula, and anchor in the docs.
const fn sentence_formula_anchor(chart: Chart) -> (&'static str, &'static str, &'static str) {
    match chart {
        Chart::Fitness => (
            "Fitness is a long-term average of your training load, fatigue a short-term one. Form is fitness minus fatigue. The form bands are a coaching convention, not a research result.",
            "each day, fitness (CTL) moves 2.4% and fatigue (ATL) 13.3% of the way towards the load of that day; form is also called TSB",
            "fitness-fatigue-form",
        ),
        Chart::Hrv => (
            "How much the time between heartbeats varies while you sleep. The grey band is your normal range. A value above the band is no better than one inside it.",
            "the band is the average of the 60 nights before the last seven, plus or minus half a standard deviation, on a log scale",
            "heart-rate-variability",
        ),
        Chart::Resting => (
            "Your lowest steady heart rate of the day. Several days well above the grey band can mean strain, heat or illness.",
            "the band is the median of the 60 days before the last seven, plus or minus their typical deviation from it",
            "resting-heart-rate",
        ),
        Chart::Sleep => (
            "How long you slept, compared with your usual nights. Adults are advised to sleep 7 to 9 hours.",
            "the band is the median of the 28 nights before, plus or minus their typical deviation from it",
            "sleep",
        ),
        Chart::Volume => (
            "Your total for each week.",
            "sum from Monday to Sunday; a load of 100 is one hour at threshold",
            "load",
        ),
        Chart::Efforts => (
            "Your fastest time over each distance within any run of this period. Recording gaps are left out.",
            "shortest time to cover the distance without a gap",
            "best-efforts-and-curves",
        ),
        Chart::Prediction => (
            "For each day, the finish time predicted from your races and hard runs up to then. The grey band is the 80% range: 8 of 10 finishes fall inside it.",
            "races of the last 12 months, scaled to the distance and weighted by how recent and reliable they are; for the marathon, two more formulas are included",
            "predicted-finish",
        ),
        Chart::Days => (
            "Each square is a day; darker means longer training. Days without data have no square.",
            "minutes of training; each of the four shades covers a quarter of your training days",
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
            p.faint { "How it is calculated: " (formula) ". " a href={ (DOCS) "#" (part) } rel="noreferrer" { "Learn more" } }
        }
    }
}
