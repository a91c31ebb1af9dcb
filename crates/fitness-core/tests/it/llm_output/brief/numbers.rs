//! Numbers that are not facts: fifty good briefs contain none, and each injected one is found.

use super::super::codes_of_errors;
use super::codes;
use super::fixtures::{GOOD_BRIEFS, facts_for};
use fitness_core::domain::units::UnitSystem;
use fitness_core::llm_output::ValidationErrorCode;
use fitness_core::llm_output::brief::{Briefing, check_brief};
use std::collections::BTreeSet;

#[test]
fn fifty_good_briefs_are_all_accepted() {
    assert!(GOOD_BRIEFS.len() >= 50, "{}", GOOD_BRIEFS.len());
    let bodies: BTreeSet<&str> = GOOD_BRIEFS.iter().map(|good| good.briefing.body.as_str()).collect();
    assert_eq!(bodies.len(), GOOD_BRIEFS.len());
    let mut stopped = Vec::new();
    for good in GOOD_BRIEFS.iter() {
        let facts = facts_for(&good.facts_name);
        if let Err(faults) = check_brief(&good.briefing, &facts) {
            stopped.push(format!("{} — {:?}", good.briefing.body, codes_of_errors(&faults)));
            continue;
        }
        for units in UnitSystem::ALL {
            let read = good.briefing.render(&facts, *units).unwrap();
            assert!(
                !read.contains("{{") && !read.contains('—') || good.briefing.body.contains('—'),
                "{read}"
            );
        }
    }
    assert!(stopped.is_empty(), "{}", stopped.join("\n"));
}

/// Ways to alter a number; `{}` is the fact.
const ALTERATIONS: &[&str] = &[
    "62",
    "0",
    "7.4",
    "1,200",
    "62%",
    "٦٢",
    "６２",
    "६२",
    "⁶²",
    "½",
    "Ⅻ",
    "④",
    "𝟔𝟐",
    "5K",
    "Z2",
    "3rd",
    "n°5",
    "sixty-two",
    "Sixty Two",
    "SIXTYTWO",
    "sixtytwo",
    "six",
    "seven",
    "a dozen",
    "half",
    "a quarter",
    "twenty-odd",
    "tenfold",
    "zero",
    "a hundred",
    "hundreds",
    "one",
    "one hundred",
    "twice as much",
    "double",
    "a couple",
    "the second",
    "the tenth",
    "two thirds",
    "an hour",
    "half an hour",
    "seven hours",
    "sevenish",
    "tenkm",
    "XXIV",
    "vii",
    "the low sixties",
    "sіx",
    "ѕeven",
    "ѕіх",
    "fіve",
    "ｓｉｘ",
    "𝐬𝐢𝐱",
    "s-i-x",
    "s i x",
    "s.i.x",
    "se-ven",
    "sí́x",
    "six\u{301}ty",
    "si\u{200b}x",
    "si\u{200d}x",
    "si\u{ad}x",
    "sechs",
    "cinq",
    "💯",
    "🕔",
    "六",
    "шесть",
    "шecть",
    "{}5",
    "5{}",
    "{}0",
    "{}.5",
    "{} hundred",
    "{} thousand",
    "{} and a half",
    "half of {}",
    "twice {}",
    "{}km",
    "{} km",
    "{}%",
    "{} percent",
    "{} per cent",
    "{}k",
    "-{}",
    "- {}",
    "–{}",
    "+{}",
    "minus {}",
    "negative {}",
    "{}{}",
    "{} {}",
    "{}/{}",
    "{} / {}",
    "x{}",
    "{} times",
    "{} hours",
    "{} minutes",
    "{} bpm",
    "{} miles",
    "{}²",
    "{}\u{20e3}",
    "{}\u{338}",
    "{}'{}",
    "{{recovery_score}}",
    "{{vo_max}}",
    "{{threshold_power}}",
    "{{ recovery }}",
    "{{Recovery}}",
    "{{recovery|round}}",
    "{recovery}",
    "{{recovery}",
    "{{}}",
    "{{recovery + 1}}",
    "{{62}}",
];

#[test]
fn altered_numbers_in_good_briefs_are_all_refused() {
    let about_numbers = [
        ValidationErrorCode::UngroundedNumber,
        ValidationErrorCode::GluedFact,
        ValidationErrorCode::UnknownFact,
        ValidationErrorCode::MissingFact,
        ValidationErrorCode::BadCharacter,
        ValidationErrorCode::BadPlaceholder,
        ValidationErrorCode::WithoutBand,
    ];
    let (mut tried, mut through) = (0, Vec::new());
    for good in GOOD_BRIEFS.iter() {
        let facts = facts_for(&good.facts_name);
        for fact in facts.known().iter().filter(|fact| fact.unit.is_number()) {
            let placeholder = format!("{{{{{}}}}}", fact.id);
            if !good.briefing.body.contains(&placeholder) {
                continue;
            }
            for alteration in ALTERATIONS {
                // Single braces without a digit are plain text; only the metric is lost.
                if *alteration == "{recovery}" {
                    continue;
                }
                let altered =
                    alteration.replace("{}", &placeholder).replace("{{{{", "{{").replace("}}}}", "}}");
                let body = good.briefing.body.replacen(&placeholder, &altered, 1);
                let briefing = Briefing { body, ..good.briefing.clone() };
                tried += 1;
                if !codes(&briefing, &facts).iter().any(|code| about_numbers.contains(code)) {
                    through.push(format!("{alteration}: {}", briefing.body));
                }
            }
        }
    }
    println!("{tried} altered numbers, {} through", through.len());
    assert!(tried >= 200 && ALTERATIONS.len() >= 100, "{tried}");
    assert!(through.is_empty(), "{} of {tried} through:\n{}", through.len(), through.join("\n"));
}
