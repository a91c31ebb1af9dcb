//! Applying selected changes to a plan that may have changed since.

use super::*;
use crate::domain::sport::Sport;
use crate::domain::units::Distance;
use crate::plan::WorkoutKind;
use crate::plan::fixtures::half_marathon;

fn plan() -> Plan {
    half_marathon()
}

fn run(date: &str, km: f64) -> Workout {
    Workout {
        sport: Sport::Running,
        kind: WorkoutKind::Easy,
        name: "Run".to_owned(),
        distance: Distance::from_km(km),
        ..Workout::rest(date.parse().unwrap())
    }
}

fn current() -> Vec<PlannedWorkout> {
    [(10, "2026-06-16", 8.0), (11, "2026-06-18", 10.0), (12, "2026-06-21", 16.0)]
        .map(|(id, date, km)| PlannedWorkout { id: WorkoutId::new(id), workout: run(date, km) })
        .into()
}

fn changes() -> Vec<Change> {
    vec![
        Change::modify(&current()[0], run("2026-06-22", 5.0), None),
        Change::Skip { workout_id: WorkoutId::new(12), on: None, notes: None },
        Change::Add { workout: run("2026-06-19", 4.0) },
        Change::Skip { workout_id: WorkoutId::new(10), on: None, notes: None },
        Change::Skip { workout_id: WorkoutId::new(99), on: None, notes: None },
        Change::Add { workout: run("2027-06-19", 4.0) },
    ]
}

fn try_apply(chosen: &[usize]) -> Result<Vec<(Option<i64>, String)>, ApplyError> {
    try_apply_on(chosen, "2026-06-15".parse().unwrap())
}

fn try_apply_on(chosen: &[usize], today: Day) -> Result<Vec<(Option<i64>, String)>, ApplyError> {
    let next = apply(&plan(), &current(), &changes(), &chosen.iter().copied().collect(), today)?;
    Ok(next.iter().map(|w| (w.id.map(WorkoutId::get), w.workout.date.to_string())).collect())
}

#[test]
fn only_the_chosen_changes_apply_and_ids_survive() {
    let row = |id: Option<i64>, date: &str| (id, date.to_owned());
    assert_eq!(
        try_apply(&[0, 2]).unwrap(),
        [
            row(None, "2026-06-16"),
            row(Some(11), "2026-06-18"),
            row(None, "2026-06-19"),
            row(Some(12), "2026-06-21"),
            row(Some(10), "2026-06-22")
        ]
    );
    // An emptied day becomes a rest day.
    assert_eq!(
        try_apply(&[1]).unwrap(),
        [row(Some(10), "2026-06-16"), row(Some(11), "2026-06-18"), row(None, "2026-06-21")]
    );
}

#[test]
fn a_choice_that_does_not_fit_applies_nothing() {
    let late: Day = "2026-06-20".parse().unwrap();
    assert_eq!(try_apply_on(&[0], late), Err(ApplyError::Past("2026-06-16".parse().unwrap())));
    assert_eq!(try_apply_on(&[2], late), Err(ApplyError::Past("2026-06-19".parse().unwrap())));
    assert!(try_apply_on(&[1], late).is_ok());
    assert_eq!(try_apply(&[]), Err(ApplyError::Nothing));
    assert_eq!(try_apply(&[6]), Err(ApplyError::NoSuchChange(6)));
    assert_eq!(try_apply(&[0, 3]), Err(ApplyError::DuplicateChange(WorkoutId::new(10))));
    assert_eq!(try_apply(&[4]), Err(ApplyError::NoSuchWorkout(WorkoutId::new(99))));
    assert!(matches!(try_apply(&[5]), Err(ApplyError::InvalidDraft(DraftError::Outside { .. }))));
}

#[test]
fn workout_on_a_day_off_can_change_but_no_other_moves_there() {
    // 18 June 2026 is a Thursday, and the athlete put a run there.
    let mut plan = plan();
    plan.terms.availability.days = "mon,tue,wed,fri,sat,sun".parse().unwrap();
    let on = |changes: &[Change]| {
        let all = (0..changes.len()).collect();
        apply(&plan, &current(), changes, &all, "2026-06-15".parse().unwrap())
    };
    let planned = current();
    assert!(on(&[Change::modify(&planned[1], run("2026-06-18", 5.0), None)]).is_ok());
    assert!(on(&[Change::modify(&planned[1], run("2026-06-19", 5.0), None)]).is_ok());
    assert!(on(&[Change::skip(&planned[0], None)]).is_ok(), "what stands elsewhere is nobody's concern");
    for comes in [
        Change::modify(&planned[0], run("2026-06-18", 5.0), None),
        Change::Add { workout: run("2026-06-25", 4.0) },
    ] {
        let refused = on(&[comes]);
        assert!(
            matches!(refused, Err(ApplyError::InvalidDraft(DraftError::Unavailable { .. }))),
            "{refused:?}"
        );
    }
}

#[test]
fn requested_change_applies_to_the_current_workout() {
    use crate::llm_output::Response;
    use crate::llm_output::cross_checks::PlanContext;
    use crate::llm_output::into_changes::changes_from_modification;
    let today: Day = "2026-06-15".parse().unwrap();
    let answer = br#"{"modifications":[{"workout_id":"10","date":"2026-06-16","action":"modify","changes":{"name":"Chatty run"}},
        {"workout_id":"11","date":"2026-06-18","action":"skip"}],"athlete_message":"x"}"#;
    let Ok(Response::Modification(answer)) = crate::llm_output::parse_response(answer, None) else {
        panic!()
    };
    let (plan, base) = (plan(), current());
    let changes =
        changes_from_modification(&answer, &PlanContext { plan: &plan, workouts: &base, today }).unwrap();

    // The athlete shortened it: only the name was requested.
    let mut now = current();
    now[0].workout = run("2026-06-16", 4.0);
    let next = apply(&plan, &now, &changes, &[0].into(), today).unwrap();
    let named = &next.iter().find(|w| w.id == Some(WorkoutId::new(10))).unwrap().workout;
    assert_eq!((named.name.as_str(), named.distance), ("Chatty run", Distance::from_km(4.0)));

    // It has been moved, and so has the one to be skipped: neither change applies.
    now[0].workout.date = "2026-06-17".parse().unwrap();
    now[1].workout.date = "2026-06-19".parse().unwrap();
    for (at, was, is) in [(0, "2026-06-16", "2026-06-17"), (1, "2026-06-18", "2026-06-19")] {
        let refused = apply(&plan, &now, &changes, &[at].into(), today).unwrap_err();
        let id = WorkoutId::new(10 + at as i64);
        let moved = ApplyError::Moved { workout: id, was: was.parse().unwrap(), now: is.parse().unwrap() };
        assert_eq!(refused, moved);
    }
    // It survives a round trip; older proposals without a day are read too.
    let text = serde_json::to_string(&changes).unwrap();
    assert_eq!(serde_json::from_str::<Vec<Change>>(&text).unwrap(), changes);
    let old = r#"{"action":"skip","workout_id":11,"notes":null}"#;
    assert_eq!(
        serde_json::from_str::<Change>(old).unwrap(),
        Change::Skip { workout_id: WorkoutId::new(11), on: None, notes: None }
    );
}

#[test]
fn proposal_with_only_past_days_is_not_open() {
    let made = |changes: Vec<Change>| Proposal {
        id: ProposalId::new(1),
        plan: PlanId::new(1),
        base_revision: 1,
        status: ProposalStatus::Open,
        author: Author::Coach,
        origin: ProposalOrigin::ModelResponse,
        message: String::new(),
        changes,
        made_at: "2026-06-15T00:00:00Z".parse().unwrap(),
        expires_on: None,
        superseded_by: None,
        withdrawn_at: None,
        findings: Vec::new(),
    };
    let day = |text: &str| -> Day { text.parse().unwrap() };
    let planned = current();
    let two = made(vec![
        Change::skip(&planned[0], None),
        Change::modify(&planned[1], run("2026-06-18", 4.0), None),
    ]);
    assert_eq!(two.state(1, day("2026-06-18")), ProposalState::Open);
    assert_eq!(two.state(1, day("2026-06-19")), ProposalState::AllDaysPast(day("2026-06-18")));
    assert_eq!(two.state(2, day("2026-06-18")), ProposalState::Stale { base: 1, now: 2 });
    // One without a day stays open.
    let old = made(vec![Change::Skip { workout_id: WorkoutId::new(10), on: None, notes: None }]);
    assert!(old.is_open(day("2026-06-19")));
}
