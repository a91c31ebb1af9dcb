//! What stands around the one value: prose, fences, a second value.

use super::{Json, Reader, ValidationErrorCode, WHITESPACE, quote};

impl Reader<'_> {
    /// One value with nothing around it; what is around it is a fault.
    pub(super) fn document(&mut self) -> Option<Json> {
        let mut fenced = false;
        self.skip_whitespace("");
        if !matches!(self.peek(), Some('{' | '[')) && !self.is_scalar() {
            fenced = self.skip_preamble()?;
        }
        let value = self.value("", 0);
        if !self.stopped {
            self.check_trailing_text(fenced);
        }
        Some(value)
    }

    /// Whether the rest is one JSON value that is not an object or a list.
    fn is_scalar(&self) -> bool {
        serde_json::from_str::<serde::de::IgnoredAny>(self.rest()).is_ok()
    }

    /// Goes to where the object begins; says whether a fence stands before it.
    fn skip_preamble(&mut self) -> Option<bool> {
        let rest = self.rest();
        let Some(start) = object_start(rest) else {
            let message = format!(
                "There is no JSON object in the answer, which begins with {}. Write one JSON object and nothing else.",
                quote(rest)
            );
            self.errors.add("", ValidationErrorCode::NoJson, message);
            return None;
        };
        let (fenced, prose) = without_fences(&rest[..start]);
        if fenced {
            self.skip_fence();
        }
        if !prose.is_empty() {
            let message = format!(
                "Before the JSON there is {}. Write the JSON object alone; what the athlete should read belongs in `{}`.",
                quote(&prose),
                self.message_field
            );
            self.errors.add("", ValidationErrorCode::ProseBefore, message);
        }
        self.position += start;
        Some(fenced)
    }

    /// What follows the value.
    fn check_trailing_text(&mut self, fenced: bool) {
        self.skip_whitespace("");
        let (closed, words) = without_fences(self.rest());
        if closed && !fenced {
            self.skip_fence();
        }
        if words.is_empty() {
            return;
        }
        let (code, message) = if words.starts_with(['{', '[']) {
            (
                ValidationErrorCode::SecondValue,
                format!(
                    "After the first JSON value a second one begins: {}. Write one JSON object.",
                    quote(&words)
                ),
            )
        } else if words.starts_with(['}', ']', ',', ':']) {
            (
                ValidationErrorCode::Syntax,
                format!(
                    "After the end of the JSON object there is {}. Check that brackets match.",
                    quote(&words)
                ),
            )
        } else {
            (
                ValidationErrorCode::ProseAfter,
                format!(
                    "After the JSON there is {}. Write the JSON object alone; what the athlete should read belongs in `{}`.",
                    quote(&words),
                    self.message_field
                ),
            )
        };
        self.errors.add("", code, message);
    }

    fn skip_fence(&mut self) {
        self.errors.add(
            "",
            ValidationErrorCode::CodeFence,
            "The JSON is wrapped in a code fence (```). Write the JSON object alone.",
        );
    }
}

/// Where the object begins that prose leads up to: a brace with a key behind it, else any brace.
fn object_start(text: &str) -> Option<usize> {
    let opens = |at: &usize| {
        let inside = text[at + 1..].trim_start();
        inside.starts_with(['"', '\'', '}']) || inside.starts_with("//") || inside.starts_with("/*")
    };
    text.match_indices('{').map(|(at, _)| at).find(opens).or_else(|| text.find('{'))
}

/// Whether there are code fences in a text, and the text without them.
fn without_fences(text: &str) -> (bool, String) {
    let mut parts = text.split("```");
    let mut words = parts.next().unwrap_or_default().trim_matches(WHITESPACE).to_owned();
    let mut fenced = false;
    for part in parts {
        fenced = true;
        // What directly follows a fence is the name of its language.
        let part = part.trim_start_matches(char::is_alphanumeric).trim_matches(WHITESPACE);
        if !words.is_empty() && !part.is_empty() {
            words.push(' ');
        }
        words.push_str(part);
    }
    (fenced, words)
}
