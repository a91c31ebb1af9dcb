//! Fuzz target for briefs.

use super::super::brief::{Briefing, Metric, Tone, check_brief, parse_brief};
use super::super::{MAX_VALIDATION_ERRORS, ValidationError};
use super::day;
use crate::domain::units::{Distance, Pace, TimeSpan, UnitSystem};
use crate::facts::{Fact, FactName, FactUnit, FactValue, Facts, MissingFact, SourceRow};
use crate::metrics::{MissingReason, Quality};
use std::sync::LazyLock;

/// Pieces of a body.
const PIECES: [&str; 40] = [
    "{{recovery}}",
    "{{sleep_last_night}}",
    "{{form}}",
    "{{fitness}}",
    "{{load_7_days}}",
    "{{today_session}}",
    "{{today_session_state}}",
    "{{nothing}}",
    "{{",
    "}}",
    "{",
    "{{recovery",
    "{{ recovery }}",
    " ",
    ".",
    ", ",
    "-",
    "+",
    "%",
    "km",
    "You slept ",
    "Recovery sits at ",
    "Take an easy day and enjoy it, for the week behind you was full. ",
    "seven",
    "half",
    "twice",
    "7",
    "٣",
    "½",
    "x²",
    "\u{200b}",
    "\u{202e}",
    "\n",
    "<b>",
    "é🏃",
    "first",
    "of ten",
    "a hundred",
    "Form is ",
    "/",
];

/// Facts of a day with all numbers known, and of one with none.
static FACT_SETS: LazyLock<[Facts; 2]> = LazyLock::new(|| {
    let missing = |name: FactName| MissingFact { id: name.into(), why: MissingReason::NotYet };
    let names = || FactName::ALL.iter().copied();
    let known = names().filter_map(fact).collect();
    let words = names().filter(|name| fact(*name).is_none()).map(missing).collect();
    let sound = |known, missing| Facts::new(known, missing).expect("each name once, and its value fits");
    [sound(known, words), sound(Vec::new(), names().map(missing).collect())]
});

fn fact(name: FactName) -> Option<Fact> {
    let value = match name.unit() {
        FactUnit::Distance => FactValue::Distance(Distance::HALF_MARATHON),
        FactUnit::Clock | FactUnit::HoursAndMinutes => FactValue::Time(TimeSpan::from_mins(444)),
        FactUnit::Pace | FactUnit::SwimPace => FactValue::Pace(Pace::from_seconds_per_km(312.0)?),
        FactUnit::CalendarDay => FactValue::Day(day(2026, 6, 27)),
        FactUnit::Name | FactUnit::Word => return None,
        _ => FactValue::Number(62.0),
    };
    let as_of = day(2026, 6, 29);
    Some(Fact {
        id: name.into(),
        value,
        unit: name.unit(),
        as_of,
        sources: vec![SourceRow::Day(as_of)],
        method: "told".to_owned(),
        quality: Quality::Ok,
        learning: None,
    })
}

/// Checks one brief: the raw input, or one built from it.
pub(super) fn fuzz_brief(bytes: &[u8], cooked: bool, nothing_known: bool) {
    let facts = &FACT_SETS[usize::from(nothing_known)];
    if cooked {
        let briefing = build_brief(bytes);
        let json = serde_json::to_vec(&briefing).expect("a brief is plain data");
        assert_eq!(check_brief(&briefing, facts).is_ok(), check_response(&json, facts));
    } else {
        check_response(bytes, facts);
    }
}

/// One byte for the metrics and the tone, then one for each piece of the body.
fn build_brief(recipe: &[u8]) -> Briefing {
    let (first, pieces) = recipe.split_first().unwrap_or((&0, &[]));
    let listed = |(at, _): &(usize, &Metric)| first >> at & 1 == 1;
    let piece = |byte: &u8| PIECES[usize::from(*byte) % PIECES.len()];
    Briefing {
        metrics: Metric::ALL.iter().enumerate().filter(listed).map(|(_, metric)| *metric).collect(),
        tone: Tone::ALL[usize::from(first >> 4) % Tone::ALL.len()],
        body: pieces.iter().take(200).map(piece).collect(),
    }
}

/// Whether the brief is accepted. An accepted one must round-trip and render; a refused one has
/// errors.
fn check_response(answer: &[u8], facts: &Facts) -> bool {
    let briefing = match parse_brief(answer, facts) {
        Ok(briefing) => briefing,
        Err(faults) => {
            assert!((1..=MAX_VALIDATION_ERRORS + 1).contains(&faults.len()), "{}", faults.len());
            faults.iter().for_each(assert_valid_error);
            return false;
        }
    };
    let by_serde: Briefing = serde_json::from_slice(answer).expect("what is accepted is read by serde");
    assert_eq!(by_serde, briefing);
    assert_eq!(check_brief(&briefing, facts), Ok(()));
    for units in [UnitSystem::Metric, UnitSystem::Imperial] {
        assert!(briefing.render(facts, units).is_ok(), "{briefing:?}");
    }
    true
}

/// Every error has a path and a message.
pub(super) fn assert_valid_error(fault: &ValidationError) {
    assert!(fault.path.is_empty() || fault.path.starts_with('/'), "{fault:?}");
    assert!(!fault.message.is_empty() && fault.message.len() < 1000, "{fault:?}");
    assert!(fault.path.len() < 5000, "{fault:?}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_briefs_cover_accepted_and_refused() {
        let at = |piece: &str| PIECES.iter().position(|one| *one == piece).unwrap() as u8;
        let good =
            [&[1][..], &[at("Recovery sits at "), at("{{recovery}}"), at("."), at(" ")], &[22, 22]].concat();
        let bad = [&[1][..], &[at("Recovery sits at "), at("7"), at("."), at(" ")], &[22, 22]].concat();
        let accepted = |recipe: &[u8]| check_brief(&build_brief(recipe), &FACT_SETS[0]);
        assert_eq!(accepted(&good), Ok(()));
        assert!(accepted(&bad).is_err());
        for recipe in [good, bad] {
            for nothing in [false, true] {
                fuzz_brief(&recipe, true, nothing);
                fuzz_brief(&serde_json::to_vec(&build_brief(&recipe)).unwrap(), false, nothing);
            }
        }
    }
}
