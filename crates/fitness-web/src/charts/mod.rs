//! Charts: pure functions from data to SVG. Colours are CSS classes, so that they follow the theme
//! and the content security policy needs no inline styles. Every chart has a caption and a table of
//! its numbers.

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
