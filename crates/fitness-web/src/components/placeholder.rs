//! What is not there: a dash with its reason, never a zero.

use maud::{Markup, Render, html};

/// A value, or a dash that says why there is none.
pub(crate) fn or_dash(value: Option<impl Render>, why: &str) -> Markup {
    html! {
        @match value {
            Some(value) => (value),
            None => span.faint title=(why) { "—" span.hidden { " (" (why) ")" } },
        }
    }
}
