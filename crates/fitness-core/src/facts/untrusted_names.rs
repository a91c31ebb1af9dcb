//! Names of plans and workouts as fact values: untrusted text in one line.

use crate::domain::untrusted_text::strip_invisible;
use serde::{Deserialize, Serialize};

/// A name in one printable line of at most 80 characters. It is data, never an instruction.
///
/// ```
/// use fitness_core::facts::FactText;
///
/// assert_eq!(FactText::new(" 4x1 km\n@ 5K \u{202e}pace ").unwrap().as_str(), "4x1 km @ 5K pace");
/// assert!(FactText::new(" \u{200b} ").is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FactText(String);

impl FactText {
    /// Maximum length in characters.
    pub const MAX_CHARS: usize = 80;

    /// Removes invisible characters and line breaks and truncates; `None` if nothing is left.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        // Bounds the work for a huge title.
        let begin: String = text.chars().take(Self::MAX_CHARS * 20).collect();
        let spaced = strip_invisible(&begin);
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let line = words.join(" ");
        let mut cut: String = line.chars().take(Self::MAX_CHARS).collect();
        if cut.len() < line.len() {
            cut = cut.chars().take(Self::MAX_CHARS - 1).collect::<String>().trim_end().to_owned() + "…";
        }
        (!cut.is_empty()).then_some(Self(cut))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A stored text that [`FactText::new`] would have changed.
#[derive(Debug, thiserror::Error)]
#[error("a name must be one printable line of at most {} characters", FactText::MAX_CHARS)]
pub struct FactTextError;

impl TryFrom<String> for FactText {
    type Error = FactTextError;
    fn try_from(text: String) -> Result<Self, FactTextError> {
        Self::new(&text).filter(|clean| clean.0 == text).ok_or(FactTextError)
    }
}

impl From<FactText> for String {
    fn from(text: FactText) -> Self {
        text.0
    }
}
