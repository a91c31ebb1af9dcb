//! Facts: values with their sources, the only numbers that a brief may contain.
//!
//! A model gets the facts and writes `{{fitness}}` for a value. [`Facts::render`] fills in the
//! value and refuses text with digits of its own. So every number in a brief is stored or computed
//! from stored rows, which its [`SourceRow`]s name.
//!
//! Start at [`build_facts`]; [`FactName`] is the table of facts. Unknown values are listed as
//! [`MissingFact`] with the reason; days beyond the data frontier are missing, never zero.
//!
//! Numbers in words ("two hard days") are not detected here but in `llm_output::brief`.

mod build;
mod definitions;
mod id;
mod input;
mod provenance;
mod template;
#[cfg(test)]
mod tests;
mod untrusted_names;
mod value;

pub use build::build_facts;
pub use definitions::FactName;
pub use id::{FactId, ParseFactIdError};
pub use input::{ActivePlanInput, PastActivity, PastRace, RaceDistance, Snapshot};
pub use provenance::{ParseSourceRowError, SourceRow};
pub use template::{ProseError, TemplateErrors, TemplatePart};
pub use untrusted_names::FactText;
pub use value::{FactUnit, FactValue, FactWord};

use crate::domain::calendar::Day;
use crate::domain::units::UnitSystem;
use crate::metrics::{DataProgress, MissingReason, Quality};
use serde::{Deserialize, Serialize};

/// A value and where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    pub id: FactId,
    pub value: FactValue,
    /// Unit, which also decides the format.
    pub unit: FactUnit,
    /// The day the value refers to.
    pub as_of: Day,
    /// The stored rows it is computed from.
    pub sources: Vec<SourceRow>,
    /// Method in a few words.
    pub method: String,
    pub quality: Quality,
    /// Learning progress while there is too little data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learning: Option<DataProgress>,
}

impl Fact {
    /// Formatted with unit: `48.2 km`, `7h 24m`, `5:12 /km`, `−18`.
    #[must_use]
    pub fn format(&self, units: UnitSystem) -> String {
        value::format_value(&self.value, self.unit, self.as_of, units)
    }

    /// As in the text of a brief: a verdict is `completed` or `to come` instead of `hit` or
    /// `pending`.
    #[must_use]
    pub fn format_in_text(&self, units: UnitSystem) -> String {
        match self.value {
            FactValue::Word(FactWord::Verdict(verdict)) => value::verdict_in_text(verdict).to_owned(),
            _ => self.format(units),
        }
    }
}

/// A fact without a value, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MissingFact {
    pub id: FactId,
    pub why: MissingReason,
}

/// Known and missing facts. Ids are unique and sorted, every value fits its unit, and a predicted
/// time always comes with both ends of its range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredFacts")]
pub struct Facts {
    known: Vec<Fact>,
    missing: Vec<MissingFact>,
}

impl Facts {
    /// Sorts and validates facts.
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

    /// Known facts, sorted by id.
    #[must_use]
    pub fn known(&self) -> &[Fact] {
        &self.known
    }

    /// Missing facts, sorted by id.
    #[must_use]
    pub fn missing(&self) -> &[MissingFact] {
        &self.missing
    }

    /// The known fact with this id.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&Fact> {
        let at = self.known.binary_search_by(|fact| fact.id.as_str().cmp(id)).ok()?;
        self.known.get(at)
    }

    /// Why the fact with this id is missing.
    #[must_use]
    pub fn missing_reason(&self, id: &str) -> Option<&MissingReason> {
        let at = self.missing.binary_search_by(|missing| missing.id.as_str().cmp(id)).ok()?;
        self.missing.get(at).map(|missing| &missing.why)
    }

    /// Why a known fact is stale; `None` if it is not.
    #[must_use]
    pub fn stale_cause(&self, name: FactName) -> Option<StaleCause> {
        let fact = self.find(name.as_str())?;
        if !fact.quality.has(Quality::Stale) {
            return None;
        }
        // Yesterday has no load while the data ends before yesterday.
        let why = self.missing_reason(FactName::LoadYesterday.as_str());
        let is_late = matches!(why, Some(MissingReason::NotYet | MissingReason::TooFew { .. }));
        let by_threshold = name.is_threshold() || name == FactName::LastRunLoad;
        Some(if by_threshold || (name.uses_load() && !is_late) {
            StaleCause::Threshold
        } else {
            StaleCause::Data
        })
    }

    /// The quality of a fact for the athlete, such as `estimated, based on an old threshold`;
    /// `None` if it is `ok`.
    #[must_use]
    pub fn quality_label(&self, fact: &Fact) -> Option<String> {
        if fact.quality == Quality::Ok {
            return None;
        }
        let name = fact.id.as_str().parse::<FactName>().ok();
        let label = fact.quality.label();
        Some(match name.and_then(|name| self.stale_cause(name).map(|cause| (name, cause))) {
            Some((name, StaleCause::Threshold)) if name.is_threshold() => {
                label.replace(Quality::Stale.label(), "more than 90 days old")
            }
            Some((_, StaleCause::Threshold)) => {
                label.replace(Quality::Stale.label(), Quality::OLD_THRESHOLD_LABEL)
            }
            _ => label.to_owned(),
        })
    }

    /// Splits a template into text and facts, with the checks of [`Facts::render`].
    pub fn parse_template<'a>(&'a self, prose: &'a str) -> Result<Vec<TemplatePart<'a>>, TemplateErrors> {
        template::parse(self, prose)
    }

    /// Fills in the placeholders of a template. Refuses unknown facts, digits outside of
    /// placeholders, and text that changes how a number reads.
    pub fn render(&self, prose: &str, units: UnitSystem) -> Result<String, TemplateErrors> {
        template::render(self, prose, units)
    }
}

/// What makes a fact stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StaleCause {
    /// Data after the day of the fact is not synced yet, or a race behind it is old.
    Data,
    /// The data is current, but a threshold behind its loads is at least 90 days old.
    Threshold,
}

/// Facts that break an invariant of [`Facts`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FactsError {
    #[error("duplicate fact `{0}`")]
    Duplicate(FactId),
    #[error("the value of `{0}` does not fit its unit")]
    UnitMismatch(FactId),
    /// A predicted time without both ends of its range.
    #[error("`{0}` has no range")]
    WithoutBand(FactId),
}

/// The stored form of [`Facts`], before validation.
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
