//! A number with its source: the only numbers that prose may carry.
//!
//! A model is given facts and writes `{{fitness}}` where it means one. [`Facts::render`] puts in what the athlete reads,
//! and refuses prose with a digit of its own. So a number in a brief is one that was stored or worked out from what
//! was stored, and its [`SourceRow`]s say from what.
//!
//! Start at [`gather`], which turns what the store holds into facts; [`FactName`] is the table of them. What is not
//! known is listed as [`Missing`] with its reason. Nothing here is invented, and nothing beyond the frontier is zero.
//!
//! Absent on purpose: number words. "Two hard days" holds no digit; the contract of a brief looks at words.

mod build;
mod id;
mod input;
mod provenance;
mod table;
mod template;
#[cfg(test)]
mod tests;
mod untrusted_names;
mod value;

pub use build::build_facts;
pub use id::{FactId, ParseFactIdError};
pub use input::{PastActivity, PastRace, PlanAdherence, RaceDistance, Snapshot};
pub use provenance::{ParseSourceRowError, SourceRow};
pub use table::FactName;
pub use template::{ProseError, TemplateError, TemplatePart};
pub use untrusted_names::FactText;
pub use value::{FactUnit, FactValue, FactWord};

use crate::domain::calendar::Day;
use crate::domain::units::UnitSystem;
use crate::metrics::{Learning, MissingReason, Quality};
use serde::{Deserialize, Serialize};

/// A number, or a word for one, and where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// What prose calls it.
    pub id: FactId,
    /// What it is.
    pub value: FactValue,
    /// What the value counts, and so how it is shown.
    pub unit: FactUnit,
    /// The day it speaks of.
    pub as_of: Day,
    /// The stored rows it comes from.
    pub sources: Vec<SourceRow>,
    /// How it was found, in a few words.
    pub method: String,
    /// How far it can be leaned on.
    pub quality: Quality,
    /// How much is behind it, while that is too little for a firm one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learning: Option<Learning>,
}

impl Fact {
    /// As the athlete reads it: `48.2 km`, `7h 24m`, `5:12 /km`, `−18`.
    #[must_use]
    pub fn format(&self, units: UnitSystem) -> String {
        value::format_value(&self.value, self.unit, self.as_of, units)
    }
}

/// A fact that there would be, and why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MissingFact {
    /// What prose would call it.
    pub id: FactId,
    /// Why there is none.
    pub why: MissingReason,
}

/// What is known and what is not. Every id is there once, in order; every value fits its unit; and a predicted finish
/// is there with both ends of its band or not at all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredFacts")]
pub struct Facts {
    known: Vec<Fact>,
    missing: Vec<MissingFact>,
}

impl Facts {
    /// Puts facts together.
    ///
    /// # Errors
    /// When an id is there twice, a value does not fit its unit, or a prediction is without its band.
    pub fn new(mut known: Vec<Fact>, mut missing: Vec<MissingFact>) -> Result<Self, FactsError> {
        known.sort_by(|a, b| a.id.cmp(&b.id));
        missing.sort_by(|a, b| a.id.cmp(&b.id));
        let mut ids: Vec<&FactId> =
            known.iter().map(|fact| &fact.id).chain(missing.iter().map(|missing| &missing.id)).collect();
        ids.sort();
        if let Some(pair) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(FactsError::Duplicate(pair[0].clone()));
        }
        if let Some(unfit) = known.iter().find(|fact| !fact.unit.fits(&fact.value)) {
            return Err(FactsError::UnitMismatch(unfit.id.clone()));
        }
        let facts = Self { known, missing };
        let alone = |id: &FactId| {
            id.interval_ids().is_some_and(|ends| ends.iter().any(|end| facts.find(end.as_str()).is_none()))
        };
        if let Some(fact) = facts.known.iter().find(|fact| alone(&fact.id)) {
            return Err(FactsError::WithoutBand(fact.id.clone()));
        }
        Ok(facts)
    }

    /// What is known, in order of the ids.
    #[must_use]
    pub fn known(&self) -> &[Fact] {
        &self.known
    }

    /// What is not, in order of the ids.
    #[must_use]
    pub fn missing(&self) -> &[MissingFact] {
        &self.missing
    }

    /// The fact of an id, when it is known.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&Fact> {
        let at = self.known.binary_search_by(|fact| fact.id.as_str().cmp(id)).ok()?;
        self.known.get(at)
    }

    /// Why an id that could be known is not.
    #[must_use]
    pub fn missing_reason(&self, id: &str) -> Option<&MissingReason> {
        let at = self.missing.binary_search_by(|missing| missing.id.as_str().cmp(id)).ok()?;
        self.missing.get(at).map(|missing| &missing.why)
    }

    /// Prose in pieces: words, and facts in the place of their placeholders.
    ///
    /// # Errors
    /// As [`Facts::render`].
    pub fn parse_template<'a>(&'a self, prose: &'a str) -> Result<Vec<TemplatePart<'a>>, TemplateError> {
        template::parse(self, prose)
    }

    /// Prose with its placeholders filled in.
    ///
    /// # Errors
    /// When it names what is no fact or is not known, holds a digit of its own, or would show a number as another one.
    pub fn render(&self, prose: &str, units: UnitSystem) -> Result<String, TemplateError> {
        template::render(self, prose, units)
    }
}

/// Facts that contradict what is promised of them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FactsError {
    /// One id for two things.
    #[error("`{0}` is there twice")]
    Duplicate(FactId),
    /// A value that its unit cannot show.
    #[error("the value of `{0}` does not fit its unit")]
    UnitMismatch(FactId),
    /// A predicted finish without both ends of its band.
    #[error("`{0}` is there without its band")]
    WithoutBand(FactId),
}

/// Facts as they were stored with a brief.
#[derive(Deserialize)]
struct StoredFacts {
    known: Vec<Fact>,
    missing: Vec<MissingFact>,
}

impl TryFrom<StoredFacts> for Facts {
    type Error = FactsError;
    fn try_from(stored: StoredFacts) -> Result<Self, FactsError> {
        Self::new(stored.known, stored.missing)
    }
}
