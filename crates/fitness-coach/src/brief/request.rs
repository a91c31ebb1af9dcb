//! What a model is asked for.

use super::{Morning, prompt};
use crate::model::{Message, Request, Shape, Told};
use crate::prompt::fence;
use fitness_core::domain::units::UnitSystem;
use fitness_core::facts::{Fact, FactName, FactText, FactUnit, Missing};
use fitness_core::llm_output::brief::{self, Metric};
use fitness_core::metrics::{Absent, Need, Quality};
use std::fmt::Write as _;

/// The most a model may write: a brief is a tenth of it, and some think aloud first.
pub const MAX_TOKENS: u32 = 4000;
/// The most notes that are told, the newest first.
const MOST_NOTES: usize = 20;
/// The most characters of one of them.
const LONGEST_NOTE: usize = 1000;

/// The request for a brief: the cached prefix first, and everything of the day in the one message behind it.
#[must_use]
pub fn ask_for(morning: &Morning<'_>) -> Request {
    let prompt = prompt();
    let facts = morning.facts;
    let known: String = facts.known().iter().map(|fact| told(fact, morning.units)).collect();
    let missing: String = facts.missing().iter().filter_map(not_known).collect();
    let notes: String = morning
        .notes
        .iter()
        .take(MOST_NOTES)
        .map(|note| format!("{}\n", fence(note, LONGEST_NOTE)))
        .collect();
    let or_none =
        |text: String| if text.is_empty() { "(none)".to_owned() } else { text.trim_end().to_owned() };
    let text = prompt.message(&[
        ("today", &morning.today.to_string()),
        ("facts", &or_none(known)),
        ("missing", &or_none(missing)),
        ("user_notes", &or_none(notes)),
    ]);
    Request {
        system: prompt.system().to_owned(),
        tools: Vec::new(),
        messages: vec![Message::Program { parts: vec![Told::Text { text }] }],
        shape: Some(Shape { name: "brief", schema: brief::schema() }),
        max_tokens: MAX_TOKENS,
    }
}

/// `- {{recovery}} is 71: This morning's recovery; fifty is usual. (2026-06-29, provisional)`
fn told(fact: &Fact, units: UnitSystem) -> String {
    let shown = fact.shown(units);
    // A name was given by somebody: it is told as data.
    let shown = if fact.unit == FactUnit::Name { fence(&shown, FactText::LONGEST) } else { shown };
    let meaning = fact.id.as_str().parse::<FactName>().map_or("", FactName::meaning);
    let mut line = format!("- {{{{{}}}}} is {shown}: {meaning} ({}", fact.id, fact.as_of);
    if fact.quality != Quality::Ok {
        let _ = write!(line, ", {}", fact.quality.spoken());
    }
    line.push_str(")\n");
    line
}

/// What is not known and would be told of: the metrics, and the day of a plan. That nobody marked anything, or that there is no
/// plan, is nothing missing.
fn not_known(missing: &Missing) -> Option<String> {
    let name: FactName = missing.id.as_str().parse().ok()?;
    let nothing = matches!(
        missing.why,
        Absent::Missing { need: Need::Plan | Need::Mark | Need::Proposal | Need::Intensity }
    );
    let of_a_plan = matches!(name, FactName::TodaySession | FactName::LastVerdict);
    let wanted = !nothing && (Metric::of(name).is_some() || of_a_plan);
    wanted.then(|| format!("- {name}: {}\n", missing.why))
}
