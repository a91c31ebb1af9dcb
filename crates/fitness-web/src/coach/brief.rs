//! Briefs between the coach that writes them and the store: the facts each was written from.

use fitness_coach::brief::FinishedBrief;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::units::UnitSystem;
use fitness_core::facts::{Fact, Facts};
use fitness_store::{NewBrief, StoredBrief, StoredFact};
use serde_json::json;

/// A brief with its facts, ready to be stored.
#[must_use]
pub fn new_brief(written: &FinishedBrief, facts: &Facts, day: Day) -> NewBrief {
    let plain = |value: serde_json::Result<_>| value.expect("facts are plain data");
    let facts = (facts.known().iter())
        .map(|fact| StoredFact {
            fact_id: fact.id.to_string(),
            value: plain(serde_json::to_value(fact)),
            source: plain(serde_json::to_value(&fact.sources)),
        })
        .collect();
    NewBrief {
        day,
        model: written.author.clone(),
        prompt_version: written.prompt.clone().unwrap_or_default(),
        schema_version: written.schema.to_owned(),
        body: json!({ "briefing": written.briefing, "rendered": written.rendered, "byline": written.byline() }),
        cost_micros: written.cost.map(|cost| i64::try_from(cost.0).unwrap_or(i64::MAX)),
        fallback_reason: written.fallback_reason.clone(),
        facts,
    }
}

/// The facts a brief was written from; `None` when an older version stored them in another form.
#[must_use]
pub fn stored_facts(brief: &StoredBrief) -> Option<Facts> {
    let facts: Option<Vec<Fact>> =
        brief.facts.iter().map(|fact| serde_json::from_value(fact.value.clone()).ok()).collect();
    Facts::new(facts?, Vec::new()).ok()
}

/// Whether an athlete would read another number, name or word in one than in the other.
pub(crate) fn facts_differ(then: &Facts, now: &Facts, units: UnitSystem) -> bool {
    let same = |(then, now): (&Fact, &Fact)| {
        then.id == now.id && (then.value == now.value || then.format(units) == now.format(units))
    };
    then.known().len() != now.known().len() || !then.known().iter().zip(now.known()).all(same)
}
