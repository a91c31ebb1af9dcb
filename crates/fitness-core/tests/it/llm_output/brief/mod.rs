//! The brief's contract: the rules of its body, its shape, its schema and its laws; what it says in numbers and what it claims
//! have files of their own.

mod fixtures;
mod numbers;
mod prose_rules;

use fitness_core::domain::units::UnitSystem;
use fitness_core::facts::Facts;
use fitness_core::llm_output::FaultCode;
use fitness_core::llm_output::brief::{Briefing, MAX_BODY, Metric, Tone, check, check_briefing, schema};
use fixtures::{GOOD, world};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn codes(briefing: &Briefing, facts: &Facts) -> Vec<FaultCode> {
    let refused = check_briefing(briefing, facts).err().unwrap_or_default();
    refused.into_iter().map(|fault| fault.code).collect()
}

fn brief(world_name: &str, metrics: &[Metric], body: &str) -> Vec<FaultCode> {
    let briefing = Briefing { metrics: metrics.to_vec(), tone: Tone::Neutral, body: body.to_owned() };
    codes(&briefing, &world(world_name))
}

const R: &[Metric] = &[Metric::Recovery];

#[test]
fn each_rule_of_the_body_has_its_fault() {
    let rest = "and that is a quiet, steady morning for you, so enjoy whatever you choose to do.";
    let ok = format!("Recovery is {{{{recovery}}}}, {rest}");
    assert_eq!(brief("noplan", R, &ok), []);
    let session = "Today: {{today_session}}, {{today_session_state}}. Before: {{last_verdict}}. Recovery is {{recovery}}.";
    assert_eq!(brief("plan", R, session), []);
    for (world, metrics, body, code) in [
        ("noplan", R, "Recovery {{recovery}}.".to_owned(), FaultCode::TooShort),
        ("noplan", R, format!("{ok} Fitness is {{{{fitness}} here."), FaultCode::BadPlaceholder),
        ("noplan", R, format!("{ok} Also {{{{vigour}}}}."), FaultCode::UnknownFact),
        ("noplan", R, format!("{ok} Power is {{{{threshold_power}}}}."), FaultCode::MissingFact),
        ("noplan", R, format!("{ok} Drink 2 glasses."), FaultCode::OwnNumber),
        ("noplan", R, format!("{ok} Drink two glasses."), FaultCode::OwnNumber),
        ("noplan", R, format!("{ok} That is {{{{recovery}}}} percent."), FaultCode::GluedFact),
        ("noplan", R, format!("{ok} A marathon in {{{{predicted_marathon}}}}."), FaultCode::WithoutBand),
        ("noplan", R, format!("{ok} 🏃"), FaultCode::BadCharacter),
        ("noplan", R, format!("{ok} Привет"), FaultCode::BadCharacter),
        ("noplan", R, format!("{ok} **Go**"), FaultCode::Markup),
        ("noplan", R, format!("{ok} [here](x)"), FaultCode::Markup),
        ("noplan", R, format!("{ok} See https://example.org"), FaultCode::Markup),
        ("noplan", R, format!("{ok} Your CTL grows."), FaultCode::Jargon),
        ("noplan", R, format!("{ok} <b>Go</b>"), FaultCode::Markup),
        ("noplan", R, format!("{ok}\n- Drink"), FaultCode::Markup),
        ("noplan", &[Metric::Sleep][..], ok.clone(), FaultCode::UnusedMetric),
        ("nosleep", R, session.to_owned(), FaultCode::UnsaidGap),
        ("noload", R, format!("{ok} Training is not the point."), FaultCode::UnsaidGap),
        ("plan", R, ok.clone(), FaultCode::Opening),
        ("plan", R, "The sun is out today. Today: {{today_session}}, {{today_session_state}}. {{last_verdict}}. {{recovery}}.".to_owned(), FaultCode::Opening),
        ("plan", R, "Today: {{today_session}}. Nice. {{today_session_state}}. {{last_verdict}}. Recovery {{recovery}}.".to_owned(), FaultCode::Opening),
        ("plan", R, "Today: {{today_session}}, {{today_session_state}}. Recovery {{recovery}}. Before: {{last_verdict}}.".to_owned(), FaultCode::Opening),
        ("free", R, format!("{ok} Before: {{{{last_verdict}}}}. Your plan is empty."), FaultCode::Opening),
        ("noplan", R, format!("{ok} Your plan is empty."), FaultCode::NoPlan),
        ("noplan", R, format!("{ok} Today's session waits."), FaultCode::NoPlan),
        ("noplan", R, format!("{ok} A run is scheduled."), FaultCode::NoPlan),
        ("noplan", R, format!("{ok} I've shortened your run."), FaultCode::ClaimsChange),
        ("noplan", R, format!("{ok} I propose a rest."), FaultCode::UnlinkedProposal),
        ("ill", R, format!("{session} A proposal waits for you."), FaultCode::UnlinkedProposal),
        ("low", R, ok.clone(), FaultCode::MustAsk),
        ("low", R, format!("{ok} How are the stairs?"), FaultCode::MustAsk),
        ("noplan", R, format!("{ok} Your programme says run."), FaultCode::NoPlan),
        ("noplan", R, format!("{ok} The tempo workout awaits."), FaultCode::NoPlan),
    ] {
        let found: BTreeSet<FaultCode> = brief(world, metrics, &body).into_iter().collect();
        assert_eq!(found, BTreeSet::from([code]), "{world}: {body}");
    }
    // A verb is no plan, and what is marked needs no question.
    assert_eq!(brief("noplan", R, &format!("{ok} Plan for an early night.")), []);
    assert_eq!(brief("low", R, &format!("{ok} How do you feel?")), []);
    let answered = "Today: {{today_session}}, {{today_session_state}}. Before: {{last_verdict}}. Recovery is {{recovery}}.";
    assert_eq!(brief("sore", R, answered), [], "they have said how they feel");
    assert_eq!(brief("tired", R, answered), [FaultCode::MustAsk]);
}

#[test]
fn what_is_no_brief_is_told_in_words_for_a_model() {
    let facts = world("noplan");
    let faults = |text: &str| check(text.as_bytes(), &facts).unwrap_err();
    let codes = |text: &str| faults(text).iter().map(|fault| fault.code).collect::<Vec<_>>();
    let body = "Recovery is {{recovery}}, and that is a quiet, steady morning for you.";
    let good = format!(r#"{{"metrics":["recovery"],"tone":"neutral","body":"{body}"}}"#);
    assert!(check(good.as_bytes(), &facts).is_ok());
    assert_eq!(codes("Recovery is great today!"), [FaultCode::NoJson]);
    assert_eq!(codes(""), [FaultCode::EmptyInput]);
    assert_eq!(codes("null"), [FaultCode::WrongType]);
    assert_eq!(codes(&good[..good.len() - 4]), [FaultCode::Unfinished]);
    assert_eq!(codes(&format!("Sure!\n{good}")), [FaultCode::ProseBefore]);
    assert_eq!(codes(&format!("```json\n{good}\n```")), [FaultCode::CodeFence]);
    assert_eq!(codes(&good.replace("\"recovery\"", "\"hydration\"")), [FaultCode::UnknownWord]);
    assert_eq!(codes(&good.replace("neutral", "cheerful")), [FaultCode::UnknownWord]);
    assert_eq!(codes(&good.replace("[\"recovery\"]", "[\"recovery\",\"recovery\"]")), [FaultCode::Twice]);
    assert_eq!(
        codes(&good.replace("\"tone\"", "\"mood\"")),
        [FaultCode::UnknownField, FaultCode::MissingField]
    );
    assert_eq!(codes("{}"), [FaultCode::MissingField; 3]);
    let long = good.replace("morning", &"very ".repeat(MAX_BODY / 5));
    assert_eq!(codes(&long), [FaultCode::TooLong]);
    assert_eq!(
        faults(&format!("Sure!\n{good}"))[0].message,
        "Before the JSON there is `Sure!`. Write the JSON object alone; what the athlete should read belongs in `body`."
    );
    // All at once, each with what to do.
    let bad = r#"{"metrics":["recovery","sleep","joy"],"tone":"x","body":"I moved your run. Sleep five hours: {{sleep}} 7 <b>"}"#;
    let all = faults(bad);
    let found: BTreeSet<FaultCode> = all.iter().map(|fault| fault.code).collect();
    for code in [
        FaultCode::UnknownWord,
        FaultCode::TooShort,
        FaultCode::OwnNumber,
        FaultCode::UnknownFact,
        FaultCode::Markup,
        FaultCode::ClaimsChange,
        FaultCode::UnusedMetric,
    ] {
        assert!(found.contains(&code), "{code}: {all:#?}");
    }
    assert!(all.iter().all(|fault| fault.message.ends_with('.') && fault.message.len() < 500), "{all:#?}");
}

#[test]
fn the_schema_accepts_what_is_accepted_and_refuses_what_is_not_of_its_shape() {
    let schema = schema();
    let validator = jsonschema::options().build(&schema).unwrap();
    for good in GOOD.iter() {
        assert!(validator.is_valid(&serde_json::to_value(&good.briefing).unwrap()));
    }
    let good = serde_json::to_value(&GOOD[0].briefing).unwrap();
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
        assert!(check(bad.to_string().as_bytes(), &world("plan")).is_err(), "{bad}");
    }
    for metric in Metric::ALL {
        assert!(schema.to_string().contains(metric.as_str()) && !metric.spoken().is_empty());
    }
}

proptest! {
    #[test]
    fn any_answer_is_read_or_refused(text in any::<String>()) {
        let facts = world("plan");
        if let Err(faults) = check(text.as_bytes(), &facts) {
            prop_assert!(!faults.is_empty());
        }
        let briefing = Briefing { metrics: vec![], tone: Tone::Direct, body: text };
        if let Err(faults) = check_briefing(&briefing, &facts) {
            prop_assert!(!faults.is_empty() && faults.iter().all(|fault| fault.message.len() < 1000));
        }
    }

    /// What is accepted holds no digit, whatever was mixed into it.
    #[test]
    fn whatever_is_put_into_a_good_brief_it_carries_no_number_of_its_own(which in 0..50_usize, at in any::<prop::sample::Index>(), what in "\\PC{1,6}") {
        let good = &GOOD[which];
        let facts = world(&good.world);
        let places: Vec<usize> = good.briefing.body.char_indices().map(|(at, _)| at).collect();
        let at = places[at.index(places.len())];
        let body = format!("{}{what}{}", &good.briefing.body[..at], &good.briefing.body[at..]);
        let briefing = Briefing { body, ..good.briefing.clone() };
        if check_briefing(&briefing, &facts).is_ok() {
            let outside = briefing.body.split("{{").map(|part| part.split_once("}}").map_or(part, |(_, after)| after));
            prop_assert!(!outside.collect::<String>().chars().any(char::is_numeric), "{}", briefing.body);
            let read = briefing.rendered(&facts, UnitSystem::Metric).unwrap();
            prop_assert!(!read.contains("{{"), "{read}");
        }
    }
}
