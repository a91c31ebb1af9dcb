//! A chart on a page: drawing, caption, and values for the keyboard and pointer cursor.

use super::axes::ChartSize;
use maud::{Markup, html};
use std::fmt::Write as _;

#[derive(Debug)]
pub(crate) struct Figure<'a> {
    pub(crate) label: &'a str,
    pub(crate) plot: ChartSize,
    /// SVG elements, back to front.
    pub(crate) drawing: Markup,
    /// X position and text of each value the cursor can show.
    pub(crate) readings: Vec<(f64, String)>,
    pub(crate) caption: &'a str,
    /// URL of the same data as a table.
    pub(crate) table: Option<&'a str>,
}

impl Figure<'_> {
    pub(crate) fn render(&self) -> Markup {
        let ChartSize { width, height, .. } = self.plot;
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

/// One line per value: the x position and the words. `~` and a count stand for words repeated from
/// the line above, which shrinks the text to a third; `app.js` expands it again.
fn compress_readings(reads: &[(f64, String)]) -> String {
    let mut lines = String::new();
    let mut above: Vec<&str> = Vec::new();
    for (x, words) in reads {
        if !lines.is_empty() {
            lines.push('\n');
        }
        let _ = write!(lines, "{x:.0}");
        // A word that starts with `~` would be read as a repeat count.
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
