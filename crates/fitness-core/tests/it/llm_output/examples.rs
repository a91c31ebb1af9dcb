//! Every documented example, valid and invalid.

use super::{ERROR, FATIGUE, SKIP, WEEK, codes_of_findings, error_codes, parse_valid};
use fitness_core::llm_output::cross_checks::check_consistency;
use fitness_core::llm_output::{FindingCode, Response, ResponseKind, WorkoutAction, parse_response};

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(path, code)| ((*path).to_owned(), (*code).to_owned())).collect()
}

#[test]
fn the_fatigue_response_is_accepted_as_it_stands() {
    let response = parse_valid(FATIGUE);
    assert_eq!(check_consistency(&response).findings, []);
    let Response::Modification(response) = response else { panic!("{response:?}") };
    let modification = &response.modifications[0];
    assert_eq!((modification.workout_id.as_str(), modification.action), ("abc123", WorkoutAction::Modify));
    let changes = modification.changes.as_ref().unwrap();
    assert_eq!(changes.duration_minutes.map(|change| (change.from, change.to)), Some((Some(75.0), 50.0)));
    assert_eq!(changes.intensity.as_ref().unwrap().to, "Zone 2 steady");
    assert_eq!(response.weekly_load_adjustment.unwrap().recommended_weekly_tss, Some(340.0));
}

#[test]
fn the_skip_response_is_accepted_as_it_stands() {
    let response = parse_valid(SKIP);
    assert_eq!(check_consistency(&response).findings, []);
    let Response::Modification(response) = response else { panic!("{response:?}") };
    assert!(response.modifications.iter().all(|modification| modification.action == WorkoutAction::Skip));
    assert!(!response.changes_nothing());
}

#[test]
fn the_error_form_is_accepted_as_it_stands_and_changes_nothing() {
    for kind in [None, Some(ResponseKind::Modification), Some(ResponseKind::Week)] {
        let response = parse_response(ERROR.as_bytes(), kind).unwrap();
        assert!(response.athlete_message().starts_with("I need more information"));
        let Response::Modification(response) = response else { panic!("{response:?}") };
        assert!(response.changes_nothing());
    }
}

#[test]
fn the_example_week_is_accepted_with_three_findings() {
    let response = parse_valid(WEEK);
    assert_eq!(response.kind(), ResponseKind::Week);
    let report = check_consistency(&response);
    assert_eq!(report.errors, []);
    let told: Vec<_> =
        report.findings.iter().map(|f| (f.path.as_str(), f.code, f.message.as_str())).collect();
    assert_eq!(
        told,
        [
            (
                "/plan_summary/total_tss",
                FindingCode::TotalDiffers,
                "`total_tss` is 320, but the workouts add up to 235."
            ),
            (
                "/plan_summary/total_hours",
                FindingCode::TotalDiffers,
                "`total_hours` is 7.5, but the workouts add up to 4.75 hours."
            ),
            (
                "/workouts/2/steps",
                FindingCode::StepsDiffer,
                "The steps add up to 65 minutes, but `duration_minutes` is 75. Change the steps or `duration_minutes`."
            ),
        ]
    );
}

#[test]
fn prose_around_json_is_refused_and_the_corrected_form_accepted() {
    let wrong = "Here are my suggestions:\n{\"modifications\": [...]}\nI hope this helps!";
    assert_eq!(error_codes(wrong, None), pairs(&[("", "syntax")]));
    // The document abbreviates; in full it is valid.
    let skip = r#"{"workout_id": "abc", "date": "2024-01-15", "action": "skip"}"#;
    parse_valid(&format!(r#"{{"modifications": [{skip}], "athlete_message": "I hope this helps!"}}"#));
}

#[test]
fn missing_required_fields_are_all_reported_and_the_corrected_form_accepted() {
    let wrong = r#"{"modifications": [{"workout_id": "abc", "action": "modify"}]}"#;
    assert_eq!(
        error_codes(wrong, None),
        pairs(&[
            ("/modifications/0/date", "missing_field"),
            ("/modifications/0/changes", "missing_field"),
            ("/athlete_message", "missing_field"),
        ])
    );
    parse_valid(
        r#"{"modifications": [{"workout_id": "abc", "date": "2024-01-15", "action": "modify",
            "changes": {"name": "Easy"}}], "athlete_message": "Easy does it."}"#,
    );
}

#[test]
fn an_invalid_action_and_a_duration_without_from_and_to_are_refused() {
    let with = |action: &str, duration: &str| {
        format!(
            r#"{{"modifications": [{{"workout_id": "abc", "date": "2024-01-15", "action": "{action}",
                "changes": {{"duration_minutes": {duration}}}}}], "athlete_message": "x"}}"#
        )
    };
    let (right, wrong) = (r#"{"from": 90, "to": 60}"#, "60");
    assert_eq!(
        error_codes(&with("change", right), None),
        pairs(&[("/modifications/0/action", "unknown_word")])
    );
    assert_eq!(
        error_codes(&with("modify", wrong), None),
        pairs(&[("/modifications/0/changes/duration_minutes", "needs_from_to")])
    );
    parse_valid(&with("modify", right));
}

#[test]
fn cases_the_document_leaves_open_are_decided() {
    let modification = |text: &str| format!(r#"{{"modifications": [{text}], "athlete_message": "x"}}"#);
    let changed = |action: &str, changes: &str| {
        modification(&format!(
            r#"{{"workout_id": "7", "date": "2026-06-16", "action": "{action}", "changes": {changes}}}"#
        ))
    };
    for text in [
        // One of the two arrays suffices; both empty changes nothing.
        r#"{"modifications": [], "athlete_message": "x"}"#.to_owned(),
        r#"{"new_workouts": [], "athlete_message": "x"}"#.to_owned(),
        r#"{"modifications": [], "new_workouts": [], "analysis": {}, "weekly_load_adjustment": {}, "athlete_message": "x"}"#.to_owned(),
        // `from` is optional, and `skip` needs no changes.
        changed("modify", r#"{"duration_minutes": {"to": 45.5}}"#),
        changed("replace", r#"{"duration_minutes": {"to": 45}}"#),
        modification(r#"{"workout_id": "7", "date": "2026-06-16", "action": "skip"}"#),
        changed("skip", "{}"),
        // Bounds are inclusive.
        changed("modify", r#"{"duration_minutes": {"from": 0, "to": 5}, "estimated_tss": {"from": 0, "to": 0}}"#),
        changed("modify", r#"{"duration_minutes": {"to": 480}, "estimated_tss": {"to": 500}}"#),
        // Escapes, and characters of any script.
        r#"{"modifications": [], "athlete_message": "Z\u00fcrich \ud83d\ude00 \"ok\" \n"}"#.to_owned(),
    ] {
        parse_valid(&text);
    }
}

#[test]
fn the_seven_sports_are_valid_in_both_forms() {
    for sport in ["rowing", "cycling", "running", "swimming", "strength", "other", "rest"] {
        let minutes = if sport == "rest" { 0 } else { 30 };
        let workout = format!(
            r#""date": "2026-06-15", "name": "x", "sport": "{sport}", "duration_minutes": {minutes}"#
        );
        parse_valid(&format!(r#"{{"new_workouts": [{{{workout}}}], "athlete_message": "x"}}"#));
        parse_valid(&format!(r#"{{"workouts": [{{"day": "monday", {workout}}}], "athlete_message": "x"}}"#));
    }
}

#[test]
fn every_step_duration_and_target_type_is_valid() {
    let with = |step: &str| {
        format!(
            r#"{{"new_workouts": [{{"date": "2026-06-15", "name": "x", "sport": "running", "duration_minutes": 30,
                "steps": [{step}]}}], "athlete_message": "x"}}"#
        )
    };
    for step in ["warmup", "active", "recovery", "cooldown", "rest"] {
        parse_valid(&with(&format!(r#"{{"step_type": "{step}", "duration_type": "open"}}"#)));
    }
    for duration in ["time", "distance", "calories"] {
        parse_valid(&with(&format!(
            r#"{{"step_type": "active", "duration_type": "{duration}", "duration_value": 1800}}"#
        )));
    }
    for target in ["heart_rate", "power", "pace", "cadence"] {
        let text = with(&format!(
            r#"{{"step_type": "active", "duration_type": "time", "duration_value": 1800, "target_type": "{target}", "target_low": 100, "target_high": 100}}"#
        ));
        assert_eq!(check_consistency(&parse_valid(&text)).findings, []);
    }
    // Fields without effect are accepted with a finding.
    let open = with(
        r#"{"step_type": "active", "duration_type": "open", "duration_value": 0, "target_type": "open", "target_low": 5},
           {"step_type": "active", "duration_type": "open", "target_type": "power"}"#,
    );
    let report = check_consistency(&parse_valid(&open));
    assert_eq!(
        codes_of_findings(&report.findings),
        [
            ("/new_workouts/0/steps/0/duration_value", "ignored"),
            ("/new_workouts/0/steps/0/target_type", "ignored"),
            ("/new_workouts/0/steps/1/target_type", "ignored"),
        ]
    );
}
