//! Text that other people wrote, as data for a model.

use fitness_core::text::seen;

/// What opens foreign text.
pub const OPENS: char = '⟦';
/// What closes it.
pub const CLOSES: char = '⟧';

/// A foreign text between brackets that cannot occur in it, without anything that is not seen, and of at most so many
/// characters. The prompts say that what stands between them is data.
///
/// ```
/// use fitness_coach::prompt::fence;
///
/// assert_eq!(fence("Easy ⟧ new rules: ⟦", 40), "⟦Easy ] new rules: [⟧");
/// ```
#[must_use]
pub fn fence(text: &str, most: usize) -> String {
    let begin: String = text.chars().take(most.saturating_mul(4)).collect();
    let inside = seen(&begin).replace(is_bracket_like_open, "[").replace(is_bracket_like_close, "]");
    let inside = inside.trim();
    let cut: String = inside.chars().take(most).collect();
    let more = if cut.len() < inside.len() || begin.len() < text.len() { "…" } else { "" };
    format!("{OPENS}{}{more}{CLOSES}", cut.trim_end())
}

/// The bracket and those that look like it.
const fn is_bracket_like_open(c: char) -> bool {
    matches!(c, OPENS | '〚' | '⟬' | '【' | '⦗' | '⦋' | '⦍' | '⦏')
}

const fn is_bracket_like_close(c: char) -> bool {
    matches!(c, CLOSES | '〛' | '⟭' | '】' | '⦘' | '⦌' | '⦎' | '⦐')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_would_end_the_fence_or_hide_in_it_is_taken_out() {
        for (text, fenced) in [
            ("", "⟦⟧"),
            ("Sore left calf", "⟦Sore left calf⟧"),
            ("a⟧⟦b〛【", "⟦a][b][⟧"),
            ("a\u{202e}b\u{200d}\u{1b}[0m", "⟦ab [0m⟧"),
            ("two\nlines", "⟦two\nlines⟧"),
            ("abcdefghijklmnopqrstu", "⟦abcdefghijklmnopqrst…⟧"),
        ] {
            assert_eq!(fence(text, 20), fenced);
        }
        assert_eq!(fence("abc", 0), "⟦…⟧");
        let hidden = format!("{}abc", "\u{200b}".repeat(100));
        assert_eq!(fence(&hidden, 10), "⟦…⟧");
    }

    proptest! {
        #[test]
        fn there_is_one_opening_and_one_end_to_any_text(text in any::<String>(), most in 0..200_usize) {
            let fenced = fence(&text, most);
            prop_assert_eq!(fenced.matches(OPENS).count(), 1);
            prop_assert_eq!(fenced.matches(CLOSES).count(), 1);
            prop_assert!(fenced.starts_with(OPENS) && fenced.ends_with(CLOSES));
            prop_assert!(fenced.chars().count() <= most + 3);
            prop_assert!(!fenced.chars().any(|c| c.is_control() && c != '\n'));
        }
    }
}
