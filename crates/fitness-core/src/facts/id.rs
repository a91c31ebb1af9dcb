//! Ids of facts, as used in templates.

use super::definitions::FactName;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The id of a fact: a lowercase letter, then at most 63 lowercase letters, digits and underscores.
///
/// ```
/// use fitness_core::facts::FactId;
///
/// assert!("load_7_days".parse::<FactId>().is_ok());
/// for bad in ["", "7_days", "Load", "load 7", "load-7", "_load"] {
///     assert!(bad.parse::<FactId>().is_err(), "{bad}");
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FactId(String);

/// Not a valid fact id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a valid fact id; use lowercase letters, digits and underscores, as in load_7_days")]
pub struct ParseFactIdError(pub String);

const PREDICTED_PREFIX: &str = "predicted_";
const LOW_SUFFIX: &str = "_low";
const HIGH_SUFFIX: &str = "_high";

impl FactId {
    /// Maximum length in characters.
    pub(crate) const MAX_LEN: usize = 64;

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Ids of both ends of the range of a predicted time; `None` for other facts.
    pub(super) fn interval_ids(&self) -> Option<[Self; 2]> {
        let is_end = self.0.ends_with(LOW_SUFFIX) || self.0.ends_with(HIGH_SUFFIX);
        let end = |end: &str| Self(format!("{}{end}", self.0));
        (self.0.starts_with(PREDICTED_PREFIX) && !is_end).then(|| [end(LOW_SUFFIX), end(HIGH_SUFFIX)])
    }
}

impl FromStr for FactId {
    type Err = ParseFactIdError;
    fn from_str(text: &str) -> Result<Self, ParseFactIdError> {
        let letters = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let begins = text.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
        let fits = begins && text.len() <= Self::MAX_LEN && text.bytes().all(letters);
        if fits { Ok(Self(text.to_owned())) } else { Err(ParseFactIdError(text.to_owned())) }
    }
}

impl From<FactName> for FactId {
    fn from(name: FactName) -> Self {
        Self(name.as_str().to_owned())
    }
}

impl TryFrom<String> for FactId {
    type Error = ParseFactIdError;
    fn try_from(text: String) -> Result<Self, ParseFactIdError> {
        text.parse()
    }
}

impl From<FactId> for String {
    fn from(id: FactId) -> Self {
        id.0
    }
}

impl fmt::Display for FactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
