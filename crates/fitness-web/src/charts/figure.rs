//! A chart on a page: the drawing, the sentence below it, and how it is read value by value.

use super::plot::Plot;
use maud::{Markup, html};

/// A drawing with what is said about it.
#[derive(Debug)]
pub(crate) struct Figure<'a> {
    /// What it is, for whoever cannot see it.
    pub(crate) label: &'a str,
    /// Its size.
    pub(crate) plot: Plot,
    /// What is drawn, from back to front.
    pub(crate) drawn: Markup,
    /// Every value that can be read: where it lies from left to right, and its words.
    pub(crate) reads: Vec<(f64, String)>,
    /// A sentence that says what it shows.
    pub(crate) caption: &'a str,
    /// Where its numbers are as a table.
    pub(crate) table: Option<&'a str>,
}

impl Figure<'_> {
    pub(crate) fn render(&self) -> Markup {
        let Plot { width, height, .. } = self.plot;
        let (bottom, top) = self.plot.upward();
        // A line for each, where it is before what it says: half as long as JSON would be in an attribute.
        let reads: Vec<String> =
            self.reads.iter().map(|(x, words)| format!("{x:.0} {}", words.replace('\n', " "))).collect();
        let reads = (!reads.is_empty()).then(|| reads.join("\n"));
        html! {
            figure {
                svg.chart viewBox={ "0 0 " (width) " " (height) } role="img" aria-label=(self.label)
                    tabindex=[reads.as_ref().map(|_| "0")] data-reads=[reads.as_ref()] {
                    (self.drawn)
                    @if reads.is_some() { line.m.cursor hidden y1=(top) y2=(bottom) x1="0" x2="0" {} }
                }
                @if reads.is_some() { p.readout aria-live="polite" {} }
                figcaption {
                    (self.caption)
                    @if let Some(table) = self.table { " " a href=(table) { "Show as table" } }
                }
            }
        }
    }
}
