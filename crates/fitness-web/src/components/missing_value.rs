//! Placeholder for missing values: a dash with the reason, never a zero.

use maud::{Markup, Render, html};

/// A value, or a dash with a tooltip.
pub(crate) fn or_dash(value: Option<impl Render>, why: &str) -> Markup {
    html! {
        @match value {
            Some(value) => (value),
            None => span.faint title=(why) { "—" span.hidden { " (" (why) ")" } },
        }
    }
}
