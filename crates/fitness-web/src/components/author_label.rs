//! Label for text that a coach or a connected program wrote.

use fitness_core::domain::note::Author;
use fitness_core::plan::Plan;
use maud::{Markup, html};

/// A chip beside names, descriptions and notes; empty for the athlete's own text.
pub(crate) fn render(author: Option<Author>) -> Markup {
    chip(author.and_then(Author::text_label))
}

/// The same for a plan; see [`Plan::text_label`].
pub(crate) fn render_for_plan(plan: &Plan, author: Option<Author>) -> Markup {
    chip(plan.text_label(author))
}

fn chip(label: Option<&'static str>) -> Markup {
    html! { @if let Some(label) = label { span.chip.archived { (label) } } }
}
