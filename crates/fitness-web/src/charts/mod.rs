//! Charts: pure functions from data to SVG. Colours are classes of the style, so that they follow the theme; nothing is
//! styled inline. Every chart is a figure with a sentence that says what it shows, and its numbers can be had as a table.

pub(crate) mod axes;
pub(crate) mod bands;
pub(crate) mod bars;
pub(crate) mod figure;
pub(crate) mod heatmap;
pub(crate) mod path;
pub(crate) mod route;
pub(crate) mod scale;
pub(crate) mod steps;
pub(crate) mod stream;
