//! Notes: free text for the coach to respect. Always data, never instructions.

use crate::domain::calendar::{Day, Instant};
use crate::domain::ids::NoteId;
use crate::domain::untrusted_text::is_storable;
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};

string_enum! {
    /// Who wrote something. What a coach or another program wrote counts for nothing until the athlete
    /// accepts it.
    pub enum Author("author") {
        /// The athlete, by hand.
        Athlete = "athlete",
        /// The coach, built-in or a model.
        Coach = "coach",
        /// A program connected over MCP.
        Mcp = "mcp",
    }
}

impl Author {
    /// How words of theirs are labelled where they are shown; the athlete's own are not.
    #[must_use]
    pub const fn text_label(self) -> Option<&'static str> {
        match self {
            Self::Athlete => None,
            Self::Coach => Some("the coach's words"),
            Self::Mcp => Some("a program's words"),
        }
    }
}

/// The longest note that is kept, in characters.
pub const MAX_NOTE_CHARS: usize = 4000;

/// The text of a note: not empty, not endless.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NoteText(String);

/// A text that cannot be a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// Nothing but white space.
    #[error("a note needs at least one word")]
    Empty,
    /// Holds a NUL character.
    #[error("a note cannot hold a NUL character")]
    Nul,
    /// Longer than [`MAX_NOTE_CHARS`].
    #[error("a note has at most {MAX_NOTE_CHARS} characters; this one has {0}")]
    TooLong(usize),
}

impl NoteText {
    /// Checks and trims a text.
    ///
    /// # Errors
    /// When nothing is left or it is too long.
    pub fn new(text: &str) -> Result<Self, NoteError> {
        let text = text.trim();
        match text.chars().count() {
            0 => Err(NoteError::Empty),
            _ if !is_storable(text) => Err(NoteError::Nul),
            n if n > MAX_NOTE_CHARS => Err(NoteError::TooLong(n)),
            _ => Ok(Self(text.to_owned())),
        }
    }

    /// The text as written. Foreign text: escape it wherever it is shown.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for NoteText {
    type Error = NoteError;
    fn try_from(text: String) -> Result<Self, NoteError> {
        Self::new(&text)
    }
}

impl From<NoteText> for String {
    fn from(text: NoteText) -> Self {
        text.0
    }
}

/// A stored note.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Note {
    /// Its id.
    pub id: NoteId,
    /// The day it is about, when it is about one.
    pub day: Option<Day>,
    /// Who wrote it.
    pub author: Author,
    /// Whether the athlete stands behind it. An unaccepted suggestion enters no metric, fact or prompt.
    pub accepted: bool,
    /// The words.
    pub text: NoteText,
    /// When it was written.
    pub written_at: Instant,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn note_text_rejects_empty_and_too_long() {
        assert_eq!(NoteText::new(" \n\t "), Err(NoteError::Empty));
        assert_eq!(NoteText::new(&"é".repeat(4001)), Err(NoteError::TooLong(4001)));
        assert_eq!(NoteText::new("  calf is tight ").unwrap().as_str(), "calf is tight");
        assert!(NoteText::new(&"é".repeat(4000)).is_ok());
        assert_eq!(NoteText::new("a\0b"), Err(NoteError::Nul));
    }
}
