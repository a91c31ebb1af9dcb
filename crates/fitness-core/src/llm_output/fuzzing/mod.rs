//! The fuzz target `llm_output`: properties that hold for any model output. The target and the
//! corpus replay in the tests call [`contract`].
//!
//! The first byte says of which form the rest is, the brief's included, and whether it is the
//! answer itself or a recipe: a right answer in which values are put in each other's place, so that
//! damage reaches what lies behind braces and quotes.

mod brief;

use super::cross_checks::{PlanContext, check_against_plan};
use super::into_changes::{changes_from_modification, changes_from_week, workouts_from_week};
use super::{
    MAX_VALIDATION_ERRORS, PlanModification, Response, ResponseKind, WeeklyPlan, parse_response, size_limits,
};
use crate::domain::calendar::Day;
use crate::domain::content_hash::ContentHash;
use crate::domain::ids::{PlanId, WorkoutId};
use crate::domain::note::Author;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan};
use crate::plan::{
    ApplyError, Availability, GoalDistance, Plan, PlanConstraints, PlanStatus, PlannedWorkout, Workout,
    WorkoutKind, apply,
};
use serde_json::Value;

/// A valid response of each format that uses every field.
const VALID_RESPONSES: [&str; 2] = [
    r#"{"analysis":{"current_status":"tired","key_concerns":["sleep"],"recommendations_summary":"less"},"modifications":[{"workout_id":"1","date":"2026-06-16","original_name":"Run","action":"modify","changes":{"name":"Easy","duration_minutes":{"from":60,"to":40},"intensity":{"from":"hard","to":"easy"},"estimated_tss":{"from":60,"to":30},"notes":"rest"}},{"workout_id":"2","date":"2026-06-17","action":"skip"}],"new_workouts":[{"date":"2026-06-18","name":"Ride","sport":"cycling","duration_minutes":45,"estimated_tss":30,"description":"flat","steps":[{"step_type":"active","duration_type":"time","duration_value":2700,"target_type":"power","target_low":150,"target_high":180,"notes":"smooth"}]}],"weekly_load_adjustment":{"current_weekly_tss":300,"recommended_weekly_tss":200,"reason":"rest"},"athlete_message":"Take care."}"#,
    r#"{"plan_summary":{"focus":"base","total_tss":40,"total_hours":1,"key_sessions":["ride"]},"workouts":[{"day":"monday","date":"2026-06-15","name":"Rest","sport":"rest","duration_minutes":0,"estimated_tss":0},{"day":"tuesday","date":"2026-06-16","name":"Long run","sport":"running","duration_minutes":60,"estimated_tss":40,"description":"easy","steps":[{"step_type":"warmup","duration_type":"distance","duration_value":1000},{"step_type":"active","duration_type":"open","target_type":"pace","target_low":300,"target_high":330}]}],"athlete_message":"Enjoy."}"#,
];

const VALUES: &str = r#"[null,true,0,-1,3,5,60,480,481,500,501,1e300,-0.0,"","x","60","1","2","3","2026-06-16","2026-06-17","2026-02-30",
    "rest","running","strength","open","time","distance","modify","replace","skip","sunday","\u0000","é🏃","5x1k intervals",[],{},[1],
    {"to":60},{"from":1},{"from":5,"to":480}]"#;

/// Checks all properties for one input.
///
/// # Panics
/// If a property does not hold.
pub fn contract(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let kind = match first >> 1 & 3 {
        0 => Some(ResponseKind::Modification),
        1 => Some(ResponseKind::Week),
        2 => None,
        _ => return brief::fuzz_brief(rest, first & 1 == 1, first >> 3 & 1 == 1),
    };
    if first & 1 == 0 {
        check_response(rest, kind);
    } else {
        check_response(mutate_response(rest).as_bytes(), kind);
    }
}

/// A valid response with mutations: two bytes for the place, one for the value.
fn mutate_response(recipe: &[u8]) -> String {
    let (which, edits) = recipe.split_first().unwrap_or((&0, &[]));
    let mut answer: Value =
        serde_json::from_str(VALID_RESPONSES[usize::from(which & 1)]).expect("the answers above are JSON");
    let values: Vec<Value> = serde_json::from_str(VALUES).expect("the values above are JSON");
    for edit in edits.chunks_exact(3).take(20) {
        let mut places = Vec::new();
        collect_paths(&answer, "", &mut places);
        let place = &places[usize::from(u16::from_le_bytes([edit[0], edit[1]])) % places.len()];
        let Some(spot) = answer.pointer_mut(place) else { continue };
        *spot = values[usize::from(edit[2]) % values.len()].clone();
    }
    answer.to_string()
}

fn collect_paths(value: &Value, path: &str, places: &mut Vec<String>) {
    places.push(path.to_owned());
    match value {
        Value::Array(entries) => {
            entries
                .iter()
                .enumerate()
                .for_each(|(i, entry)| collect_paths(entry, &format!("{path}/{i}"), places));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(key, entry)| collect_paths(entry, &format!("{path}/{key}"), places));
        }
        _ => {}
    }
}

fn check_response(answer: &[u8], kind: Option<ResponseKind>) {
    let response = match parse_response(answer, kind) {
        Ok(response) => response,
        Err(refused) => {
            assert!(
                (1..=MAX_VALIDATION_ERRORS + 1).contains(&refused.errors.len()),
                "{}",
                refused.errors.len()
            );
            refused.errors.iter().for_each(brief::assert_valid_error);
            return;
        }
    };
    // An accepted response is valid JSON with the same meaning for serde.
    assert!(answer.len() <= size_limits::MAX_BYTES);
    let by_serde = match response.kind() {
        ResponseKind::Modification => {
            serde_json::from_slice::<PlanModification>(answer).map(Response::Modification)
        }
        ResponseKind::Week => serde_json::from_slice::<WeeklyPlan>(answer).map(Response::Week),
    };
    assert_eq!(by_serde.expect("what is accepted is read by serde"), response);
    let again = serde_json::to_vec(&response).expect("an answer is plain data");
    assert_eq!(parse_response(&again, Some(response.kind())).as_ref(), Ok(&response));
    check_against_a_plan(&response);
}

/// A response without errors can be applied to the plan.
fn check_against_a_plan(response: &Response) {
    let (plan, workouts) = plan();
    let ground = PlanContext { plan: &plan, workouts: &workouts, today: day(2026, 6, 15) };
    let report = check_against_plan(response, &ground);
    let changes = match response {
        Response::Modification(response) => changes_from_modification(response, &ground),
        Response::Week(response) => {
            assert!(workouts_from_week(response).iter().all(|workout| workout.check().is_ok()));
            Ok(changes_from_week(response, &ground))
        }
    };
    if !report.errors.is_empty() {
        return;
    }
    let changes = changes.expect("what fits the plan names workouts of it");
    match apply(&plan, &workouts, &changes, &(0..changes.len()).collect(), ground.today) {
        // A plan cannot lose all its workouts.
        Ok(_) | Err(ApplyError::Nothing | ApplyError::InvalidDraft(crate::plan::DraftError::Count(0))) => {}
        Err(error) => panic!("{error}: {changes:?}"),
    }
}

fn day(year: i32, month: u32, day: u32) -> Day {
    Day::new(year, month, day).expect("a day of this century")
}

fn plan() -> (Plan, Vec<PlannedWorkout>) {
    let start_date = day(2026, 6, 15);
    let plan = Plan {
        id: PlanId::new(1),
        name: "Half".to_owned(),
        goal: GoalDistance::Half,
        distance: Some(Distance::HALF_MARATHON),
        start_date,
        race_date: day(2026, 9, 20),
        target_time: None,
        terms: PlanConstraints {
            availability: Availability {
                days: "mon,tue,wed,thu,fri,sat".parse().expect("weekdays"),
                blackouts: [day(2026, 6, 19)].into(),
            },
            ..PlanConstraints::default()
        },
        status: PlanStatus::Active,
        author: Author::Athlete,
        content_hash: ContentHash::hash_bytes(b""),
        revision: 1,
        superseded_by: None,
        begun_on: None,
        created_at: Day::end(start_date, chrono_tz::Tz::UTC),
        activated_at: None,
        archived_at: None,
    };
    let run = |id: i64, distance: Option<f64>, minutes: Option<i64>| PlannedWorkout {
        id: WorkoutId::new(id),
        workout: Workout {
            sport: Sport::Running,
            kind: WorkoutKind::Tempo,
            name: "Run".to_owned(),
            distance: distance.and_then(Distance::from_km),
            duration: minutes.map(TimeSpan::from_mins),
            load: distance,
            ..Workout::rest(start_date.plus_days(id))
        },
    };
    let rest = PlannedWorkout { id: WorkoutId::new(3), workout: Workout::rest(start_date.plus_days(3)) };
    (plan, vec![run(1, Some(150.0), Some(5)), run(2, Some(10.0), None), rest, run(4, None, None)])
}
