//! Untrusted text: sanitizing for storage and display. Also number and list formatting.
//!
//! Names, notes and messages come from files, services and models. They are stored as they came.
//! Terminal output goes through [`escape_invisible`], so that escape sequences cannot move the
//! cursor and bidi overrides cannot reorder text. (Templates escape HTML.)

use std::fmt::{self, Write};

/// Whether every supported database can store the text: PostgreSQL rejects NUL characters.
#[must_use]
pub fn is_storable(text: &str) -> bool {
    !text.contains('\0')
}

/// Whether a text is a single line without control, bidi or zero-width characters. Any script is
/// allowed.
#[must_use]
pub fn is_printable(text: &str) -> bool {
    !text.chars().any(|c| c.is_control() || is_invisible(c))
}

/// Removes NUL characters and truncates to 500 characters.
#[must_use]
pub fn sanitize_for_storage(text: &str) -> String {
    text.chars().filter(|c| *c != '\0').take(MAX_STORED_CHARS).collect()
}

/// `1 file`, `2 files`.
///
/// ```
/// use fitness_core::domain::untrusted_text::pluralize;
///
/// assert_eq!(pluralize(1, "week", "weeks"), "1 week");
/// assert_eq!(pluralize(0, "week", "weeks"), "0 weeks");
/// ```
#[must_use]
pub fn pluralize(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// `100,000`.
#[must_use]
pub fn group_thousands(number: u64) -> String {
    let digits = number.to_string();
    let is_start = |at: usize| at > 0 && (digits.len() - at).is_multiple_of(3);
    let grouped = digits.chars().enumerate();
    grouped.fold(String::new(), |text, (at, digit)| match is_start(at) {
        true => format!("{text},{digit}"),
        false => format!("{text}{digit}"),
    })
}

/// The text with its first letter in upper case.
#[must_use]
pub fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// A number with up to two decimals, rounded half away from zero. A value that rounds to zero has
/// no sign.
///
/// ```
/// use fitness_core::domain::untrusted_text::format_number;
///
/// assert_eq!((format_number(-0.0, 0), format_number(-0.4, 0)), ("0".to_owned(), "0".to_owned()));
/// assert_eq!((format_number(62.5, 0), format_number(-3.25, 1)), ("63".to_owned(), "−3.3".to_owned()));
/// ```
#[must_use]
pub fn format_number(number: f64, decimals: usize) -> String {
    format_with_sign(number, decimals, "")
}

/// Like [`format_number`], with a plus sign for positive numbers: `+5`, `−18`, `0`.
#[must_use]
pub fn format_signed(number: f64, decimals: usize) -> String {
    format_with_sign(number, decimals, "+")
}

fn format_with_sign(number: f64, decimals: usize, plus: &'static str) -> String {
    let scale = [1.0, 10.0, 100.0][decimals.min(2)];
    let rounded = (number * scale).round() / scale;
    format!("{}{:.decimals$}", sign_prefix(rounded, plus), rounded.abs())
}

/// Uses the minus sign U+2212, not a hyphen.
pub(crate) fn sign_prefix(rounded: f64, plus: &'static str) -> &'static str {
    if rounded < 0.0 {
        "−"
    } else if rounded > 0.0 {
        plus
    } else {
        ""
    }
}

/// `a`, `a and b`, `a, b and c`.
#[must_use]
pub fn join_with_and(parts: &[String]) -> String {
    match parts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, first)) => format!("{} and {last}", first.join(", ")),
        None => String::new(),
    }
}

/// Longer than any title.
const MAX_STORED_CHARS: usize = 500;

/// Displays a text on one line with invisible characters escaped: line breaks as `⏎`, control, bidi
/// and zero-width characters as `<U+001B>`.
#[must_use]
pub const fn escape_invisible(text: &str) -> EscapeInvisible<'_> {
    EscapeInvisible(text)
}

#[derive(Debug, Clone, Copy)]
pub struct EscapeInvisible<'a>(&'a str);

impl fmt::Display for EscapeInvisible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '\n' => f.write_char('⏎')?,
                '\t' => f.write_char(' ')?,
                c if c.is_control() || is_invisible(c) => write!(f, "<U+{:04X}>", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// For messages that quote user input: [`escape_invisible`], and the middle cut out of long text,
/// so that the problem at the start and the advice at the end are both kept.
#[must_use]
pub fn escape_and_truncate(sentence: &str) -> String {
    const SIDE: usize = 200;
    let told = escape_invisible(sentence).to_string();
    let long = told.chars().count();
    if long <= 2 * SIDE {
        return told;
    }
    let (first, last): (String, String) =
        (told.chars().take(SIDE).collect(), told.chars().skip(long - SIDE).collect());
    format!("{first} … {last}")
}

/// Removes invisible characters from text for a model: control characters except line breaks become
/// spaces; bidi marks, zero-width characters, joiners and variation selectors are removed.
#[must_use]
pub fn strip_invisible(text: &str) -> String {
    let shown = text.chars().filter(|c| !is_invisible(*c) && !is_joiner(*c));
    shown.map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect()
}

/// Joiners and variation selectors: needed in emoji, but they can also hide text.
const fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

/// Bidi, zero-width, tag and other format characters. Joiners, which emoji and some scripts need,
/// are not included.
pub(crate) const fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strip_invisible_removes_control_and_bidi_characters() {
        assert_eq!(strip_invisible("a\u{1b}[31mb\u{202e}c\u{200d}\u{fe0f}\r\nd\u{e0041}"), "a [31mbc \nd");
    }

    #[test]
    fn escape_and_truncate_escapes_and_shortens_long_text() {
        assert_eq!(escape_and_truncate("`a\u{202e}b` is no day."), "`a<U+202E>b` is no day.");
        let long =
            escape_and_truncate(&format!("`{}` is no day. Write it such as 2026-09-20.", "é".repeat(60_000)));
        assert!(long.chars().count() < 410, "{long}");
        assert!(long.starts_with("`éé") && long.ends_with("Write it such as 2026-09-20."), "{long}");
    }

    #[test]
    fn escape_invisible_shows_control_and_bidi_characters() {
        for (text, shown) in [
            ("Half marathon – Zürich 🏃‍♀️ ½", "Half marathon – Zürich 🏃‍♀️ ½"),
            ("\u{1b}[31mred\u{1b}[0m", "<U+001B>[31mred<U+001B>[0m"),
            ("\u{9b}31m", "<U+009B>31m"),
            ("a\rb\u{7}\u{8}", "a<U+000D>b<U+0007><U+0008>"),
            ("two\nlines\tand a tab", "two⏎lines and a tab"),
            ("safe\u{202e}txet\u{2066}", "safe<U+202E>txet<U+2066>"),
            ("zero\u{200b}width\u{feff}", "zero<U+200B>width<U+FEFF>"),
            ("tag\u{e0041}", "tag<U+E0041>"),
        ] {
            assert_eq!(escape_invisible(text).to_string(), shown);
            assert!(!escape_invisible(text).to_string().chars().any(|c| c.is_control() || is_invisible(c)));
        }
    }
}
