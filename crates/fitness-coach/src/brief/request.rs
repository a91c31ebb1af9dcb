//! The model request for a brief.

use super::{BriefInput, prompt};
use crate::model::{Message, Request, ResponseSchema, UserPart};
use crate::prompt::delimit;
use fitness_core::domain::units::UnitSystem;
use fitness_core::facts::{Fact, FactName, FactText, FactUnit, MissingFact};
use fitness_core::llm_output::brief::{self, Metric};
use fitness_core::metrics::{MissingReason, Quality, RequiredInput};
use std::fmt::Write as _;

/// The most a model may write: a brief is a tenth of it, and some think aloud first.
pub const MAX_TOKENS: u32 = 4000;
/// The most notes that are told, the newest first.
const MAX_NOTES: usize = 20;
/// The most characters of one of them.
const MAX_NOTE_CHARS: usize = 1000;

/// The request for a brief: the cached prefix first, and everything of the day in the one message
/// behind it.
#[must_use]
pub fn brief_request(morning: &BriefInput<'_>) -> Request {
    let prompt = prompt();
    let facts = morning.facts;
    let known: String = facts.known().iter().map(|fact| format_fact(fact, morning.units)).collect();
    let missing: String = facts.missing().iter().filter_map(format_missing).collect();
    let notes: String = morning
        .notes
        .iter()
        .take(MAX_NOTES)
        .map(|note| format!("{}\n", delimit(note, MAX_NOTE_CHARS)))
        .collect();
    let or_none =
        |text: String| if text.is_empty() { "(none)".to_owned() } else { text.trim_end().to_owned() };
    let text = prompt.render_message(&[
        ("today", &morning.today.to_string()),
        ("facts", &or_none(known)),
        ("missing", &or_none(missing)),
        ("user_notes", &or_none(notes)),
    ]);
    Request {
        system: prompt.system().to_owned(),
        tools: Vec::new(),
        messages: vec![Message::Program { parts: vec![UserPart::Text { text }] }],
        response_schema: Some(ResponseSchema { name: "brief", schema: brief::schema() }),
        max_tokens: MAX_TOKENS,
    }
}

/// `- {{recovery}} is 71: This morning's recovery; fifty is usual. (2026-06-29, provisional)`
fn format_fact(fact: &Fact, units: UnitSystem) -> String {
    let shown = fact.format_in_text(units);
    // A name was given by somebody: it is told as data.
    let shown = if fact.unit == FactUnit::Name { delimit(&shown, FactText::MAX_CHARS) } else { shown };
    let meaning = fact.id.as_str().parse::<FactName>().map_or("", FactName::meaning);
    let mut line = format!("- {{{{{}}}}} is {shown}: {meaning} ({}", fact.id, fact.as_of);
    if fact.quality != Quality::Ok {
        let _ = write!(line, ", {}", fact.quality.label());
    }
    line.push_str(")\n");
    line
}

/// What is not known and would be told of: the metrics, and the day of a plan. That nobody marked
/// anything, or that there is no plan, is nothing missing.
fn format_missing(missing: &MissingFact) -> Option<String> {
    let name: FactName = missing.id.as_str().parse().ok()?;
    let nothing = matches!(
        missing.why,
        MissingReason::Missing {
            need: RequiredInput::Plan
                | RequiredInput::Absence
                | RequiredInput::Proposal
                | RequiredInput::Intensity
        }
    );
    let of_a_plan = matches!(name, FactName::TodayWorkout | FactName::LastVerdict);
    let wanted = !nothing && (Metric::from_fact(name).is_some() || of_a_plan);
    wanted.then(|| format!("- {name}: {}\n", missing.why))
}
