//! Properties of responses: accepted ones round-trip and parse the same with `serde`.

use super::schemas::validator;
use super::{ERROR, FATIGUE, SKIP, WEEK};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::sport::Sport;
use fitness_core::llm_output::*;
use fitness_core::plan::{DurationType, StepType, TargetType};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

fn words(most: usize) -> impl Strategy<Value = String> {
    // Any characters but NUL, with something to read among them.
    let pattern = format!("[^\\x00]{{0,{}}}[a-zé🏃]", (most - 1).min(40));
    proptest::string::string_regex(&pattern).unwrap()
}

fn days() -> impl Strategy<Value = Day> {
    (0_i64..3000).prop_map(|days| Day::new(2020, 1, 1).unwrap().plus_days(days))
}

fn some<T: std::fmt::Debug>(strategy: impl Strategy<Value = T>) -> impl Strategy<Value = Option<T>> {
    prop::option::of(strategy)
}

prop_compose! {
    fn steps()(
        step_type in select(StepType::ALL),
        duration_type in select(DurationType::ALL),
        value in 0.001_f64..20_000.0,
        keep in any::<bool>(),
        target_type in some(select(TargetType::ALL)),
        low in some(0.0_f64..2500.0),
        high in some(2500.0_f64..=5000.0),
        notes in some(words(2000)),
    ) -> Step {
        let duration_value = (keep || duration_type != DurationType::Open).then_some(value);
        Step { step_type, duration_type, duration_value, target_type, target_low: low, target_high: high, max_heart_rate: None, notes }
    }
}

prop_compose! {
    fn new_workouts()(
        date in days(),
        name in words(120),
        sport in select(Sport::ALL),
        minutes in 5.0_f64..=480.0,
        tss in some(0.0_f64..=500.0),
        description in some(words(2000)),
        steps in prop::collection::vec(steps(), 0..4),
    ) -> NewWorkout {
        if sport == Sport::Rest {
            let estimated_tss = tss.map(|_| 0.0);
            return NewWorkout { date, name, sport, duration_minutes: 0.0, estimated_tss, description, steps: vec![] };
        }
        NewWorkout { date, name, sport, duration_minutes: minutes, estimated_tss: tss, description, steps }
    }
}

prop_compose! {
    fn modifications()(
        workout_id in words(64),
        date in days(),
        original_name in some(words(120)),
        action in select(WorkoutAction::ALL),
        name in some(words(120)),
        duration in (some(0.0_f64..=480.0), 5.0_f64..=480.0),
        intensity in some((some(words(120)), words(120))),
        tss in some((some(0.0_f64..=500.0), 0.0_f64..=500.0)),
        notes in some(words(2000)),
        bare in any::<bool>(),
    ) -> Modification {
        let changes = Changes {
            name,
            duration_minutes: Some(DurationChange { from: duration.0, to: duration.1 }),
            intensity: intensity.map(|(from, to)| IntensityChange { from, to }),
            estimated_tss: tss.map(|(from, to)| TssChange { from, to }),
            notes,
        };
        let changes = (action != WorkoutAction::Skip || !bare).then_some(changes);
        Modification { workout_id, date, original_name, action, changes }
    }
}

fn responses() -> impl Strategy<Value = Response> {
    let analysis = some(
        (some(words(2000)), some(prop::collection::vec(words(2000), 0..3)), some(words(2000))).prop_map(
            |(current_status, key_concerns, recommendations_summary)| Analysis {
                current_status,
                key_concerns,
                recommendations_summary,
            },
        ),
    );
    let load = some((some(0.0_f64..=7000.0), some(0.0_f64..=7000.0), some(words(2000))).prop_map(
        |(current_weekly_tss, recommended_weekly_tss, reason)| WeeklyLoadAdjustment {
            current_weekly_tss,
            recommended_weekly_tss,
            reason,
        },
    ));
    let modification = (
        analysis,
        prop::collection::vec(modifications(), 0..4),
        prop::collection::vec(new_workouts(), 0..4),
        load,
        words(4000),
    )
        .prop_map(|(analysis, modifications, new_workouts, weekly_load_adjustment, athlete_message)| {
            Response::Modification(PlanModification {
                analysis,
                modifications,
                new_workouts,
                weekly_load_adjustment,
                athlete_message,
            })
        });
    let summary = some((some(words(2000)), some(0.0_f64..=7000.0), some(0.0_f64..=168.0)).prop_map(
        |(focus, total_tss, total_hours)| PlanSummary { focus, total_tss, total_hours, key_sessions: None },
    ));
    let workout = (select(DayName::ALL), new_workouts()).prop_map(|(day, new)| WeekWorkout {
        day,
        date: new.date,
        name: new.name,
        sport: new.sport,
        duration_minutes: new.duration_minutes,
        estimated_tss: new.estimated_tss,
        description: new.description,
        steps: new.steps,
    });
    let week = (summary, prop::collection::vec(workout, 1..6), words(4000)).prop_map(
        |(plan_summary, workouts, athlete_message)| {
            Response::Week(WeeklyPlan { plan_summary, workouts, athlete_message })
        },
    );
    prop_oneof![modification, week]
}

/// With `serde` alone, which stops at the first error and checks no bounds.
fn parse_with_serde(text: &str, kind: ResponseKind) -> Response {
    match kind {
        ResponseKind::Modification => Response::Modification(serde_json::from_str(text).unwrap()),
        ResponseKind::Week => Response::Week(serde_json::from_str(text).unwrap()),
    }
}

proptest! {
    #[test]
    fn accepted_response_round_trips(response in responses()) {
        let text = serde_json::to_string_pretty(&response).unwrap();
        let back = parse_response(text.as_bytes(), None);
        prop_assert_eq!(back.as_ref(), Ok(&response));
        prop_assert_eq!(parse_with_serde(&text, response.kind()), response.clone());
        let value: Value = serde_json::from_str(&text).unwrap();
        let validator = validator(response.kind());
        let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
        prop_assert!(errors.is_empty(), "{:?}", errors);
    }

    /// One value of an accepted response is replaced: schema and parser must agree.
    #[test]
    fn schema_and_reader_agree_on_responses_with_one_change(
        response in responses(), at in any::<prop::sample::Index>(), other in select(replacement_values())
    ) {
        let mut value = serde_json::to_value(&response).unwrap();
        let spots = json_pointers(&value, "");
        *value.pointer_mut(&spots[at.index(spots.len())]).unwrap() = other;
        let text = value.to_string();
        let kind = response.kind();
        let ours = parse_response(text.as_bytes(), Some(kind));
        let validator = validator(kind);
        let refused = ours.as_ref().err().map(|refused| refused.errors.clone()).unwrap_or_default();
        let only_ours = refused.iter().all(|fault| fault.code == ValidationErrorCode::LowAboveHigh);
        if !refused.is_empty() && only_ours {
            return Ok(());
        }
        prop_assert_eq!(validator.is_valid(&value), ours.is_ok(), "{} {:?}", text, refused);
        if ours.is_ok() {
            prop_assert_eq!(parse_with_serde(&text, kind), ours.unwrap());
        }
    }
}

fn replacement_values() -> Vec<Value> {
    let text = r#"[null, true, 0, -1, 3, 60, 481, 500.5, 7001, 1e300, "", " ", "x", "60", "2026-02-30", "2026-06-16",
        "rest", "open", "modify", "replace", "skip", "time", "monday", "running", "\u0000", [], {}, [1], {"to": 60}, {"from": 1}]"#;
    serde_json::from_str(text).unwrap()
}

/// A pointer to everything in a value.
fn json_pointers(value: &Value, path: &str) -> Vec<String> {
    let mut found = vec![path.to_owned()];
    match value {
        Value::Array(entries) => {
            for (i, entry) in entries.iter().enumerate() {
                found.extend(json_pointers(entry, &format!("{path}/{i}")));
            }
        }
        Value::Object(fields) => {
            for (key, entry) in fields {
                found.extend(json_pointers(entry, &format!("{path}/{key}")));
            }
        }
        _ => {}
    }
    found
}

#[test]
fn a_document_cut_anywhere_is_refused() {
    for text in [FATIGUE, SKIP, WEEK, ERROR] {
        let text = text.trim();
        for (end, _) in text.char_indices().filter(|(_, c)| !c.is_alphanumeric()) {
            let refused = parse_response(&text.as_bytes()[..end], None).unwrap_err();
            assert!(!refused.errors.is_empty(), "{end}");
        }
    }
}

#[test]
fn document_with_one_character_removed_is_json_or_refused() {
    for text in [FATIGUE, WEEK] {
        for (at, c) in text.char_indices().filter(|(_, c)| c.is_ascii_punctuation()) {
            let less = format!("{}{}", &text[..at], &text[at + c.len_utf8()..]);
            if parse_response(less.as_bytes(), None).is_ok() {
                serde_json::from_str::<Value>(&less).unwrap();
            }
        }
    }
}
