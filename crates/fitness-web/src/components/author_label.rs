//! The label of words that the athlete did not write.

use fitness_core::domain::note::Author;
use maud::{Markup, html};

/// A label beside names, descriptions and notes of a coach or a program; nothing beside the athlete's own.
pub(crate) fn render(author: Option<Author>) -> Markup {
    html! { @if let Some(words) = author.and_then(Author::text_label) { span.chip.archived { (words) } } }
}
