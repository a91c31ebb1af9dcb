//! Label for text that a coach or a connected program wrote.

use fitness_core::domain::note::Author;
use maud::{Markup, html};

/// A chip beside names, descriptions and notes; empty for the athlete's own text.
pub(crate) fn render(author: Option<Author>) -> Markup {
    html! { @if let Some(words) = author.and_then(Author::text_label) { span.chip.archived { (words) } } }
}
