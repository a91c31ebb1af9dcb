//! A chart on a page: the drawing, the sentence below it, and how it is read value by value.

use super::axes::Plot;
use maud::{Markup, html};
use std::fmt::Write as _;

/// A drawing with what is said about it.
#[derive(Debug)]
pub(crate) struct Figure<'a> {
    /// What it is, for whoever cannot see it.
    pub(crate) label: &'a str,
    /// Its size.
    pub(crate) plot: Plot,
    /// What is drawn, from back to front.
    pub(crate) drawing: Markup,
    /// Every value that can be read: where it lies from left to right, and its words.
    pub(crate) readings: Vec<(f64, String)>,
    /// A sentence that says what it shows.
    pub(crate) caption: &'a str,
    /// Where its numbers are as a table.
    pub(crate) table: Option<&'a str>,
}

impl Figure<'_> {
    pub(crate) fn render(&self) -> Markup {
        let Plot { width, height, .. } = self.plot;
        let (bottom, top) = self.plot.y_range();
        let reads = (!self.readings.is_empty()).then(|| compress_readings(&self.readings));
        html! {
            figure {
                svg class={ "chart " (self.plot.size_class()) } viewBox={ "0 0 " (width) " " (height) } role="img" aria-label=(self.label)
                    tabindex=[reads.as_ref().map(|_| "0")] data-reads=[reads.as_ref()] {
                    (self.drawing)
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

/// A line for each value: where it lies, then its words, with `~` and a count for as many words as are the same in the
/// line above. A third of what the whole words would take; the script of the page writes them out again.
fn compress_readings(reads: &[(f64, String)]) -> String {
    let mut lines = String::new();
    let mut above: Vec<&str> = Vec::new();
    for (x, words) in reads {
        if !lines.is_empty() {
            lines.push('\n');
        }
        let _ = write!(lines, "{x:.0}");
        // None of our words begins with the mark; one that did would be taken for it.
        let words: Vec<&str> = words.split_whitespace().map(|word| word.trim_start_matches('~')).collect();
        let mut same = 0;
        let count = |lines: &mut String, same: usize| match same {
            0 => {}
            1 => lines.push_str(" ~"),
            more => drop(write!(lines, " ~{more}")),
        };
        for (at, word) in words.iter().enumerate() {
            if above.get(at) == Some(word) {
                same += 1;
            } else {
                count(&mut lines, same);
                same = 0;
                lines.push(' ');
                lines.push_str(word);
            }
        }
        count(&mut lines, same);
        above = words;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::compress_readings;

    #[test]
    fn words_shared_with_previous_reading_are_counted() {
        let reads = [
            (36.0, "Mon 21 Sep: fitness 38, fatigue 32"),
            (44.2, "Tue 22 Sep: fitness 38, fatigue 31"),
            (52.0, "Tue 22 Sep: fitness 38, fatigue 31 too"),
            (60.0, "Wed"),
        ];
        let reads = reads.map(|(x, words)| (x, words.to_owned()));
        assert_eq!(
            compress_readings(&reads),
            "36 Mon 21 Sep: fitness 38, fatigue 32\n44 Tue 22 ~4 31\n52 ~7 too\n60 Wed"
        );
    }
}
