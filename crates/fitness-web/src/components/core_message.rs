//! Messages of the core as pages show them: readable dates, quotes instead of backticks.

use crate::components::time::humanize_dates;
use crate::http::error::to_sentence;
use std::fmt::Display;

/// A message as a whole sentence.
pub(crate) fn sentence(message: &impl Display) -> String {
    for_page(&to_sentence(message))
}

/// A hint on what to type, as a whole sentence. Its dates are examples of the format and stay as
/// they are.
pub(crate) fn hint(message: &impl Display) -> String {
    quote(&to_sentence(message))
}

/// `2026-08-23` becomes `23 Aug 2026`, and backticks become quotation marks.
pub(crate) fn for_page(text: &str) -> String {
    quote(&humanize_dates(text))
}

fn quote(text: &str) -> String {
    let mut opening = true;
    let replace = |letter: char| {
        if letter != '`' {
            return letter;
        }
        opening = !opening;
        if opening { '”' } else { '“' }
    };
    text.chars().map(replace).collect()
}

#[cfg(test)]
mod tests {
    use super::{for_page, hint, sentence};

    #[test]
    fn dates_and_backticks_become_readable() {
        assert_eq!(sentence(&"`soon` is not a date"), "“soon” is not a date.");
        assert_eq!(for_page("a `b` and `c`, 2026-08-23"), "a “b” and “c”, 23 Aug 2026");
        assert_eq!(hint(&"write it as 2026-07-01"), "Write it as 2026-07-01.");
        assert_eq!(for_page(""), "");
    }
}
