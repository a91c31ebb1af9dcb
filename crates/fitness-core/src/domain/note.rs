//! Notes: free text the coach can see. Prompts treat it as data, never as instructions.

use crate::domain::calendar::{Day, Instant};
use crate::domain::ids::NoteId;
use crate::domain::untrusted_text::is_storable;
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};

string_enum! {
    /// Who wrote something. Text by the coach or an MCP client has no effect until the athlete
    /// accepts it.
    pub enum Author("author") {
        Athlete = "athlete",
        /// The coach, rule-based or a model.
        Coach = "coach",
        Mcp = "mcp",
    }
}

impl Author {
    /// Label shown beside text by this author; `None` for the athlete's own.
    #[must_use]
    pub const fn text_label(self) -> Option<&'static str> {
        match self {
            Self::Athlete => None,
            Self::Coach => Some("written by the coach"),
            Self::Mcp => Some("written by an app"),
        }
    }

    /// Label for a plan that this author did not draft but changed.
    #[must_use]
    pub const fn changed_text_label(self) -> Option<&'static str> {
        match self {
            Self::Athlete => None,
            Self::Coach => Some("partly written by the coach"),
            Self::Mcp => Some("partly written by an app"),
        }
    }
}

/// Maximum length of a note, in characters.
pub const MAX_NOTE_CHARS: usize = 4000;

/// The text of a note: trimmed, not empty, at most [`MAX_NOTE_CHARS`] long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NoteText(String);

/// A text that cannot be a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// Nothing but white space.
    #[error("the note is empty")]
    Empty,
    /// Holds a NUL character.
    #[error("the note contains a NUL character")]
    Nul,
    #[error("the note is too long: {0} of at most {MAX_NOTE_CHARS} characters")]
    TooLong(usize),
}

impl NoteText {
    /// Checks and trims a text.
    pub fn new(text: &str) -> Result<Self, NoteError> {
        let text = text.trim();
        match text.chars().count() {
            0 => Err(NoteError::Empty),
            _ if !is_storable(text) => Err(NoteError::Nul),
            n if n > MAX_NOTE_CHARS => Err(NoteError::TooLong(n)),
            _ => Ok(Self(text.to_owned())),
        }
    }

    /// The text as written. Untrusted: escape it wherever it is shown.
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

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Note {
    pub id: NoteId,
    /// The day it is about; `None` for a note without a date.
    pub day: Option<Day>,
    pub author: Author,
    /// Whether the athlete wrote or accepted it. An unaccepted suggestion is not used in any
    /// metric, fact or prompt.
    pub accepted: bool,
    pub text: NoteText,
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
