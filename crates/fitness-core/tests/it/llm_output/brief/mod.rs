//! The brief's contract: the rules of its body, its shape, its schema and its laws; what it says in
//! numbers and what it claims have files of their own.

mod fixtures;
mod numbers;
mod prose_rules;

use fitness_core::domain::units::UnitSystem;
use fitness_core::facts::Facts;
use fitness_core::llm_output::ValidationErrorCode;
use fitness_core::llm_output::brief::{
    Briefing, MAX_BODY_CHARS, Metric, Tone, check_brief, parse_brief, schema,
};
use fixtures::{GOOD_BRIEFS, facts_for};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn codes(briefing: &Briefing, facts: &Facts) -> Vec<ValidationErrorCode> {
    let refused = check_brief(briefing, facts).err().unwrap_or_default();
    refused.into_iter().map(|fault| fault.code).collect()
}

fn brief(world_name: &str, metrics: &[Metric], body: &str) -> Vec<ValidationErrorCode> {
    let briefing = Briefing { metrics: metrics.to_vec(), tone: Tone::Neutral, body: body.to_owned() };
    codes(&briefing, &facts_for(world_name))
}

const RECOVERY_ONLY: &[Metric] = &[Metric::Recovery];

#[test]
fn each_rule_of_the_body_has_its_fault() {
    let rest = "and that is a quiet, steady morning for you, so enjoy whatever you choose to do.";
    let ok = format!("Recovery is {{{{recovery}}}}, {rest}");
    assert_eq!(brief("noplan", RECOVERY_ONLY, &ok), []);
    let session = "Today: {{today_session}}, {{today_session_state}}. Before: {{last_verdict}}. Recovery is {{recovery}}.";
    assert_eq!(brief("plan", RECOVERY_ONLY, session), []);
    for (world, metrics, body, code) in [
        ("noplan", RECOVERY_ONLY, "Recovery {{recovery}}.".to_owned(), ValidationErrorCode::TooShort),
        ("noplan", RECOVERY_ONLY, format!("{ok} Fitness is {{{{fitness}} here."), ValidationErrorCode::BadPlaceholder),
        ("noplan", RECOVERY_ONLY, format!("{ok} Also {{{{vigour}}}}."), ValidationErrorCode::UnknownFact),
        ("noplan", RECOVERY_ONLY, format!("{ok} Power is {{{{threshold_power}}}}."), ValidationErrorCode::MissingFact),
        ("noplan", RECOVERY_ONLY, format!("{ok} Drink 2 glasses."), ValidationErrorCode::UngroundedNumber),
        ("noplan", RECOVERY_ONLY, format!("{ok} Drink two glasses."), ValidationErrorCode::UngroundedNumber),
        ("noplan", RECOVERY_ONLY, format!("{ok} That is {{{{recovery}}}} percent."), ValidationErrorCode::GluedFact),
        ("noplan", RECOVERY_ONLY, format!("{ok} A marathon in {{{{predicted_marathon}}}}."), ValidationErrorCode::WithoutBand),
        ("noplan", RECOVERY_ONLY, format!("{ok} 🏃"), ValidationErrorCode::BadCharacter),
        ("noplan", RECOVERY_ONLY, format!("{ok} Привет"), ValidationErrorCode::BadCharacter),
        ("noplan", RECOVERY_ONLY, format!("{ok} **Go**"), ValidationErrorCode::Markup),
        ("noplan", RECOVERY_ONLY, format!("{ok} [here](x)"), ValidationErrorCode::Markup),
        ("noplan", RECOVERY_ONLY, format!("{ok} See https://example.org"), ValidationErrorCode::Markup),
        ("noplan", RECOVERY_ONLY, format!("{ok} Your CTL grows."), ValidationErrorCode::Jargon),
        ("noplan", RECOVERY_ONLY, format!("{ok} <b>Go</b>"), ValidationErrorCode::Markup),
        ("noplan", RECOVERY_ONLY, format!("{ok}\n- Drink"), ValidationErrorCode::Markup),
        ("noplan", &[Metric::Sleep][..], ok.clone(), ValidationErrorCode::UnusedMetric),
        ("nosleep", RECOVERY_ONLY, session.to_owned(), ValidationErrorCode::UnmentionedGap),
        ("noload", RECOVERY_ONLY, format!("{ok} Training is not the point."), ValidationErrorCode::UnmentionedGap),
        ("plan", RECOVERY_ONLY, ok.clone(), ValidationErrorCode::Opening),
        ("plan", RECOVERY_ONLY, "The sun is out today. Today: {{today_session}}, {{today_session_state}}. {{last_verdict}}. {{recovery}}.".to_owned(), ValidationErrorCode::Opening),
        ("plan", RECOVERY_ONLY, "Today: {{today_session}}. Nice. {{today_session_state}}. {{last_verdict}}. Recovery {{recovery}}.".to_owned(), ValidationErrorCode::Opening),
        ("plan", RECOVERY_ONLY, "Today: {{today_session}}, {{today_session_state}}. Recovery {{recovery}}. Before: {{last_verdict}}.".to_owned(), ValidationErrorCode::Opening),
        ("free", RECOVERY_ONLY, format!("{ok} Before: {{{{last_verdict}}}}. Your plan is empty."), ValidationErrorCode::Opening),
        ("noplan", RECOVERY_ONLY, format!("{ok} Your plan is empty."), ValidationErrorCode::NoPlan),
        ("noplan", RECOVERY_ONLY, format!("{ok} Today's session waits."), ValidationErrorCode::NoPlan),
        ("noplan", RECOVERY_ONLY, format!("{ok} A run is scheduled."), ValidationErrorCode::NoPlan),
        ("noplan", RECOVERY_ONLY, format!("{ok} I've shortened your run."), ValidationErrorCode::ClaimsChange),
        ("noplan", RECOVERY_ONLY, format!("{ok} I propose a rest."), ValidationErrorCode::UnlinkedProposal),
        ("ill", RECOVERY_ONLY, format!("{session} A proposal waits for you."), ValidationErrorCode::UnlinkedProposal),
        ("low", RECOVERY_ONLY, ok.clone(), ValidationErrorCode::MustAsk),
        ("low", RECOVERY_ONLY, format!("{ok} How are the stairs?"), ValidationErrorCode::MustAsk),
        ("noplan", RECOVERY_ONLY, format!("{ok} Your programme says run."), ValidationErrorCode::NoPlan),
        ("noplan", RECOVERY_ONLY, format!("{ok} The tempo workout awaits."), ValidationErrorCode::NoPlan),
    ] {
        let found: BTreeSet<ValidationErrorCode> = brief(world, metrics, &body).into_iter().collect();
        assert_eq!(found, BTreeSet::from([code]), "{world}: {body}");
    }
    // A verb is no plan, and what is marked needs no question.
    assert_eq!(brief("noplan", RECOVERY_ONLY, &format!("{ok} Plan for an early night.")), []);
    assert_eq!(brief("low", RECOVERY_ONLY, &format!("{ok} How do you feel?")), []);
    let answered = "Today: {{today_session}}, {{today_session_state}}. Before: {{last_verdict}}. Recovery is {{recovery}}.";
    assert_eq!(brief("sore", RECOVERY_ONLY, answered), [], "they have said how they feel");
    assert_eq!(brief("tired", RECOVERY_ONLY, answered), [ValidationErrorCode::MustAsk]);
}

#[test]
fn invalid_brief_errors_are_written_for_the_model() {
    let facts = facts_for("noplan");
    let faults = |text: &str| parse_brief(text.as_bytes(), &facts).unwrap_err();
    let codes = |text: &str| faults(text).iter().map(|fault| fault.code).collect::<Vec<_>>();
    let body = "Recovery is {{recovery}}, and that is a quiet, steady morning for you.";
    let good = format!(r#"{{"metrics":["recovery"],"tone":"neutral","body":"{body}"}}"#);
    assert!(parse_brief(good.as_bytes(), &facts).is_ok());
    assert_eq!(codes("Recovery is great today!"), [ValidationErrorCode::Syntax]);
    assert_eq!(codes(""), [ValidationErrorCode::EmptyInput]);
    assert_eq!(codes("null"), [ValidationErrorCode::WrongType]);
    assert_eq!(codes(&good[..good.len() - 4]), [ValidationErrorCode::Syntax]);
    assert_eq!(codes(&format!("Sure!\n{good}")), [ValidationErrorCode::Syntax]);
    assert_eq!(codes(&format!("```json\n{good}\n```")), [ValidationErrorCode::Syntax]);
    assert_eq!(codes(&good.replace("\"recovery\"", "\"hydration\"")), [ValidationErrorCode::UnknownWord]);
    assert_eq!(codes(&good.replace("neutral", "cheerful")), [ValidationErrorCode::UnknownWord]);
    assert_eq!(
        codes(&good.replace("[\"recovery\"]", "[\"recovery\",\"recovery\"]")),
        [ValidationErrorCode::Duplicate]
    );
    assert_eq!(
        codes(&good.replace("\"tone\"", "\"mood\"")),
        [ValidationErrorCode::UnknownField, ValidationErrorCode::MissingField]
    );
    assert_eq!(codes("{}"), [ValidationErrorCode::MissingField; 3]);
    let long = good.replace("morning", &"very ".repeat(MAX_BODY_CHARS / 5));
    assert_eq!(codes(&long), [ValidationErrorCode::TooLong]);
    assert_eq!(
        faults(&format!("Sure!\n{good}"))[0].message,
        "The response is not valid JSON: expected value at line 1 column 1. Return one JSON object and nothing else: no code fence, comments or text around it."
    );
    // All at once, each with what to do.
    let bad = r#"{"metrics":["recovery","sleep","joy"],"tone":"x","body":"I moved your run. Sleep five hours: {{sleep}} 7 <b>"}"#;
    let all = faults(bad);
    let found: BTreeSet<ValidationErrorCode> = all.iter().map(|fault| fault.code).collect();
    for code in [
        ValidationErrorCode::UnknownWord,
        ValidationErrorCode::TooShort,
        ValidationErrorCode::UngroundedNumber,
        ValidationErrorCode::UnknownFact,
        ValidationErrorCode::Markup,
        ValidationErrorCode::ClaimsChange,
        ValidationErrorCode::UnusedMetric,
    ] {
        assert!(found.contains(&code), "{code}: {all:#?}");
    }
    assert!(all.iter().all(|fault| fault.message.ends_with('.') && fault.message.len() < 500), "{all:#?}");
}

#[test]
fn the_schema_accepts_what_is_accepted_and_refuses_what_is_not_of_its_shape() {
    let schema = schema();
    let validator = jsonschema::options().build(&schema).unwrap();
    for good in GOOD_BRIEFS.iter() {
        assert!(validator.is_valid(&serde_json::to_value(&good.briefing).unwrap()));
    }
    let good = serde_json::to_value(&GOOD_BRIEFS[0].briefing).unwrap();
    let with = |key: &str, value: Value| {
        let mut briefing = good.clone();
        briefing[key] = value;
        briefing
    };
    for bad in [
        with("metrics", json!(["hydration"])),
        with("metrics", json!(["encouraging"])),
        with("tone", json!("recovery")),
        with("tone", json!(null)),
        with("body", json!("")),
        with("more", json!(1)),
        json!({ "metrics": [], "tone": "neutral" }),
    ] {
        assert!(!validator.is_valid(&bad), "{bad}");
        assert!(parse_brief(bad.to_string().as_bytes(), &facts_for("plan")).is_err(), "{bad}");
    }
    for metric in Metric::ALL {
        assert!(schema.to_string().contains(metric.as_str()) && !metric.label().is_empty());
    }
}

proptest! {
    #[test]
    fn any_brief_text_is_parsed_or_refused(text in any::<String>()) {
        let facts = facts_for("plan");
        if let Err(faults) = parse_brief(text.as_bytes(), &facts) {
            prop_assert!(!faults.is_empty());
        }
        let briefing = Briefing { metrics: vec![], tone: Tone::Direct, body: text };
        if let Err(faults) = check_brief(&briefing, &facts) {
            prop_assert!(!faults.is_empty() && faults.iter().all(|fault| fault.message.len() < 1000));
        }
    }

    /// What is accepted holds no digit, whatever was mixed into it.
    #[test]
    fn accepted_brief_never_contains_an_ungrounded_digit(which in 0..50_usize, at in any::<prop::sample::Index>(), what in "\\PC{1,6}") {
        let good = &GOOD_BRIEFS[which];
        let facts = facts_for(&good.facts_name);
        let places: Vec<usize> = good.briefing.body.char_indices().map(|(at, _)| at).collect();
        let at = places[at.index(places.len())];
        let body = format!("{}{what}{}", &good.briefing.body[..at], &good.briefing.body[at..]);
        let briefing = Briefing { body, ..good.briefing.clone() };
        if check_brief(&briefing, &facts).is_ok() {
            let outside = briefing.body.split("{{").map(|part| part.split_once("}}").map_or(part, |(_, after)| after));
            prop_assert!(!outside.collect::<String>().chars().any(char::is_numeric), "{}", briefing.body);
            let read = briefing.render(&facts, UnitSystem::Metric).unwrap();
            prop_assert!(!read.contains("{{"), "{read}");
        }
    }
}
