//! Valid responses checked against an athlete's plan: errors, findings and resulting changes.

use super::{codes_of_errors, codes_of_findings, parse_valid};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{PlanId, WorkoutId};
use fitness_core::domain::note::Author;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::llm_output::cross_checks::{CheckReport, PlanContext, check_against_plan};
use fitness_core::llm_output::into_changes::{
    UnknownWorkoutError, changes_from_modification, changes_from_week, workouts_from_week,
};
use fitness_core::llm_output::{FindingCode, Response, ValidationErrorCode};
use fitness_core::plan::{
    Availability, Change, GoalDistance, Plan, PlanConstraints, PlanStatus, PlannedWorkout, Size, Step,
    StepDuration, StepTarget, StepType, TargetRange, Workout, WorkoutKind, apply,
};

/// A Wednesday in the plan's second week.
const TODAY: &str = "2026-06-24";

fn day(text: &str) -> Day {
    text.parse().unwrap()
}

fn plan() -> Plan {
    Plan {
        id: PlanId::new(1),
        name: "Half".to_owned(),
        goal: GoalDistance::Half,
        distance: Some(Distance::HALF_MARATHON),
        start_date: day("2026-06-16"),
        race_date: day("2026-09-20"),
        target_time: None,
        terms: PlanConstraints::default(),
        status: PlanStatus::Active,
        author: Author::Athlete,
        content_hash: ContentHash::hash_bytes(b""),
        revision: 1,
        superseded_by: None,
        begun_on: None,
        created_at: "2026-06-01T00:00:00Z".parse().unwrap(),
        activated_at: None,
        archived_at: None,
    }
}

fn run(date: &str, name: &str, kind: WorkoutKind, km: f64, minutes: i64, load: f64) -> Workout {
    Workout {
        sport: Sport::Running,
        kind,
        name: name.to_owned(),
        distance: Distance::from_km(km),
        duration: Some(TimeSpan::from_mins(minutes)),
        load: Some(load),
        ..Workout::rest(day(date))
    }
}

/// The workouts of two weeks: 10 to 12 in the first, 20 to 24 in the second, today's week.
fn workouts() -> Vec<PlannedWorkout> {
    let hard = Step {
        step_type: StepType::Active,
        duration: StepDuration::Distance(1000.0),
        target: StepTarget::Pace(TargetRange { low: Some(240.0), high: Some(250.0) }),
        max_heart_rate: None,
        notes: None,
    };
    let intervals = Workout {
        intensity: Some("Zone 4-5 intervals".to_owned()),
        description: Some("5 x 1 km hard".to_owned()),
        key: true,
        steps: vec![hard; 5],
        ..run("2026-06-25", "5x1K Intervals", WorkoutKind::Intervals, 12.0, 75, 85.0)
    };
    let distance_only = Workout {
        duration: None,
        load: None,
        ..run("2026-06-28", "Long run", WorkoutKind::Long, 16.0, 5, 0.0)
    };
    [
        (10, run("2026-06-16", "Easy run", WorkoutKind::Easy, 8.0, 48, 40.0)),
        (20, run("2026-06-22", "Easy run", WorkoutKind::Easy, 8.0, 48, 40.0)),
        (21, run("2026-06-24", "Easy run", WorkoutKind::Easy, 10.0, 60, 50.0)),
        (22, intervals),
        (23, Workout::rest(day("2026-06-26"))),
        (30, run("2026-06-30", "Easy run", WorkoutKind::Easy, 8.0, 48, 40.0)),
        (31, distance_only.clone()),
    ]
    .map(|(id, workout)| PlannedWorkout { id: WorkoutId::new(id), workout })
    .into()
}

/// Runs a check with a plan and days off.
fn with_plan_context<T>(availability: &Availability, run: impl FnOnce(&PlanContext<'_>) -> T) -> T {
    let terms = PlanConstraints { availability: availability.clone(), ..PlanConstraints::default() };
    let (plan, workouts) = (Plan { terms, ..plan() }, workouts());
    run(&PlanContext { plan: &plan, workouts: &workouts, today: day(TODAY) })
}

fn check_text(text: &str) -> CheckReport {
    with_plan_context(&Availability::default(), |ground| check_against_plan(&parse_valid(text), ground))
}

fn modification(id: &str, date: &str, rest: &str) -> String {
    format!(
        r#"{{"modifications": [{{"workout_id": "{id}", "date": "{date}", {rest}}}], "athlete_message": "x"}}"#
    )
}

fn new_workout(date: &str, sport: &str) -> String {
    let minutes = if sport == "rest" { 0 } else { 30 };
    format!(
        r#"{{"new_workouts": [{{"date": "{date}", "name": "Easy run", "sport": "{sport}", "duration_minutes": {minutes}}}], "athlete_message": "x"}}"#
    )
}

const SKIP: &str = r#""action": "skip""#;
const SHORTEN: &str = r#""action": "modify", "changes": {"duration_minutes": {"to": 30}}"#;

#[test]
fn workout_not_in_the_plan_on_that_day_is_refused() {
    let codes = |text: &str| codes_of_errors(&check_text(text).errors);
    let pair = |path: &str, code: ValidationErrorCode| vec![(path.to_owned(), code.to_string())];
    let id = "/modifications/0/workout_id";
    let date = "/modifications/0/date";
    assert_eq!(codes(&modification("22", "2026-06-25", SKIP)), []);
    for unknown in ["99", "abc123", "022", " 22", "-22", "9999999999999999999999"] {
        assert_eq!(
            codes(&modification(unknown, "2026-06-25", SKIP)),
            pair(id, ValidationErrorCode::NoSuchWorkout),
            "{unknown}"
        );
    }
    assert_eq!(codes(&modification("22", "2026-06-26", SKIP)), pair(date, ValidationErrorCode::WrongDate));
    assert_eq!(codes(&modification("20", "2026-06-22", SKIP)), pair(date, ValidationErrorCode::PastDay));
    assert_eq!(codes(&modification("21", TODAY, SKIP)), [], "today is not over");
    let both = format!(
        r#"{{"modifications": [{{"workout_id": "22", "date": "2026-06-25", {SKIP}}}, {{"workout_id": "22", "date": "2026-06-25", {SHORTEN}}}], "athlete_message": "x"}}"#
    );
    assert_eq!(codes(&both), pair("/modifications/1/workout_id", ValidationErrorCode::Duplicate));
    assert_eq!(
        codes(&modification("23", "2026-06-26", SHORTEN)),
        pair("/modifications/0/changes", ValidationErrorCode::RestDay)
    );
    // All at once, as everywhere.
    let many = modification("99", "2026-06-20", SKIP).replace(
        "\"athlete",
        &format!(
            "\"new_workouts\": [{}], \"athlete",
            r#"{"date": "2027-01-01", "name": "x", "sport": "running", "duration_minutes": 30}"#
        ),
    );
    let expected = [(id, "no_such_workout"), (date, "past_day"), ("/new_workouts/0/date", "outside_plan")];
    assert_eq!(codes(&many), expected.map(|(path, code)| (path.to_owned(), code.to_owned())));
}

#[test]
fn added_workout_must_be_in_the_future_and_within_the_plan() {
    let codes = |date: &str| codes_of_errors(&check_text(&new_workout(date, "running")).errors);
    let at = |code: ValidationErrorCode| vec![("/new_workouts/0/date".to_owned(), code.to_string())];
    assert_eq!(codes(TODAY), []);
    assert_eq!(codes("2026-06-23"), at(ValidationErrorCode::PastDay));
    // Recovery may follow the race, six weeks of it.
    assert_eq!(codes("2026-11-01"), []);
    assert_eq!(codes("2026-11-02"), at(ValidationErrorCode::OutsidePlan));
}

#[test]
fn days_off_are_respected() {
    let unavailable =
        Availability { blackouts: [day("2026-06-25")].into(), days: "tue,wed,thu,fri,sat".parse().unwrap() };
    let codes = |text: &str| {
        let report = with_plan_context(&unavailable, |ground| check_against_plan(&parse_valid(text), ground));
        report.errors.iter().map(|fault| fault.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(&new_workout("2026-06-25", "running")), [ValidationErrorCode::BlackoutDay]);
    assert_eq!(codes(&new_workout("2026-06-28", "running")), [ValidationErrorCode::UnavailableDay]);
    assert_eq!(codes(&new_workout("2026-06-27", "running")), []);
    assert_eq!(codes(&new_workout("2026-06-25", "rest")), [], "rest is what such a day is for");
    let stands = "the athlete put it there, and decides";
    assert_eq!(codes(&modification("22", "2026-06-25", SHORTEN)), [], "{stands}");
    assert_eq!(codes(&modification("22", "2026-06-25", SKIP)), [], "taking work away is fine");
    let week = |sport: &str| {
        format!(
            r#"{{"workouts": [{{"day": "sunday", "date": "2026-06-28", "name": "Long", "sport": "{sport}", "duration_minutes": 90}}], "athlete_message": "x"}}"#
        )
    };
    assert_eq!(codes(&week("cycling")), [ValidationErrorCode::UnavailableDay]);
    assert_eq!(codes(&week("running")), [], "{stands}");
}

#[test]
fn only_the_active_plan_can_be_changed() {
    let workouts = workouts();
    for status in [PlanStatus::Draft, PlanStatus::Archived] {
        let plan = Plan { status, ..plan() };
        let ground = PlanContext { plan: &plan, workouts: &workouts, today: day(TODAY) };
        let report = check_against_plan(&parse_valid(&modification("22", "2026-06-25", SKIP)), &ground);
        assert_eq!(report.errors[0].code, ValidationErrorCode::PlanNotActive);
    }
}

#[test]
fn original_values_are_compared_with_the_plan() {
    let changes = |name: &str, minutes: f64, tss: f64, words: &str| {
        let rest = format!(
            r#""original_name": "{name}", "action": "modify", "changes": {{"duration_minutes": {{"from": {minutes}, "to": 50}},
                "estimated_tss": {{"from": {tss}, "to": 40}}, "intensity": {{"from": "{words}", "to": "Zone 2"}}}}"#
        );
        let report = check_text(&modification("22", "2026-06-25", &rest));
        assert_eq!(report.errors, []);
        codes_of_findings(&report.findings)
            .iter()
            .map(|(path, code)| format!("{path} {code}"))
            .collect::<Vec<_>>()
    };
    assert_eq!(changes("5x1K Intervals", 75.0, 85.0, "zone 4-5 intervals "), [""; 0]);
    assert_eq!(changes("5x1K Intervals", 75.4, 84.2, "Zone 4-5 intervals"), [""; 0], "rounded");
    assert_eq!(
        changes("Tempo", 60.0, 70.0, "Zone 3"),
        [
            "/modifications/0/original_name from_differs",
            "/modifications/0/changes/duration_minutes/from from_differs",
            "/modifications/0/changes/estimated_tss/from from_differs",
            "/modifications/0/changes/intensity/from from_differs",
        ]
    );
    // The plan gives this run no duration, so any plausible value is accepted.
    let from = |minutes: u32| {
        let changes = format!(
            r#""action": "modify", "changes": {{"duration_minutes": {{"from": {minutes}, "to": 10}}}}"#
        );
        check_text(&modification("31", "2026-06-28", &changes)).findings
    };
    assert_eq!(from(90), []);
    assert_eq!(from(20)[0].message, "20 minutes does not match the plan, which has no value.");
}

#[test]
fn the_current_load_of_the_week_is_compared_with_the_plan() {
    let findings = |said: f64, date: &str, id: &str| {
        let text = modification(id, date, SKIP).replace(
            "\"athlete",
            &format!(r#""weekly_load_adjustment": {{"current_weekly_tss": {said}}}, "athlete"#),
        );
        check_text(&text).findings.iter().map(|finding| finding.code).collect::<Vec<_>>()
    };
    // Next week has one run of 40.
    assert_eq!(findings(40.0, "2026-06-30", "30"), []);
    assert_eq!(findings(41.0, "2026-06-30", "30"), []);
    assert_eq!(findings(42.0, "2026-06-30", "30"), [FindingCode::WeekDiffers]);
    // This week has a run without an estimated load.
    assert_eq!(findings(420.0, "2026-06-25", "22"), []);
}

#[test]
fn a_week_is_one_week_and_its_days_are_what_they_are_called() {
    let week = |first: (&str, &str), second: (&str, &str)| {
        let workout = |(day, date): (&str, &str)| {
            format!(
                r#"{{"day": "{day}", "date": "{date}", "name": "Run", "sport": "running", "duration_minutes": 30}}"#
            )
        };
        check_text(&format!(
            r#"{{"workouts": [{}, {}], "athlete_message": "x"}}"#,
            workout(first),
            workout(second)
        ))
    };
    let fine = week(("thursday", "2026-06-25"), ("sunday", "2026-06-28"));
    assert_eq!((fine.errors, fine.findings), (vec![], vec![]));
    let two = week(("sunday", "2026-06-28"), ("monday", "2026-06-29"));
    assert_eq!(codes_of_errors(&two.errors), [("/workouts".to_owned(), "not_one_week".to_owned())]);
    let wrong = week(("friday", "2026-06-25"), ("sunday", "2026-06-28"));
    assert_eq!(codes_of_findings(&wrong.findings), [("/workouts/0/day", "weekday_differs")]);
    assert_eq!(wrong.findings[0].message, "`day` is friday, but 2026-06-25 is a thursday.");
}

#[test]
fn steps_may_be_five_percent_off_and_those_by_distance_must_be_possible() {
    let findings = |minutes: f64, steps: &str| {
        let text = new_workout("2026-06-25", "running")
            .replace("30}", &format!("{minutes}, \"steps\": [{steps}]}}"));
        check_text(&text).findings.len()
    };
    let timed = |seconds: i64| {
        format!(r#"{{"step_type": "active", "duration_type": "time", "duration_value": {seconds}}}"#)
    };
    assert_eq!(findings(60.0, &timed(3600)), 0);
    assert_eq!(findings(60.0, &timed(3420)), 0);
    assert_eq!(findings(60.0, &timed(3780)), 0);
    assert_eq!(findings(60.0, &timed(3419)), 1);
    assert_eq!(findings(60.0, &timed(3781)), 1);
    assert_eq!(findings(60.0, ""), 0, "no steps, nothing to add up");
    let by_distance = r#"{"step_type": "active", "duration_type": "distance", "duration_value": 1000}"#;
    let both = format!("{}, {by_distance}", timed(600));
    assert_eq!(findings(20.0, &both), 0, "nobody knows how long that takes");
    assert_eq!(findings(11.0, &both), 1, "but nobody runs a kilometre in two minutes");
    assert_eq!(findings(60.0, &both), 1, "and nobody takes fifty for it");
    let paced =
        by_distance.replace("1000", r#"1000, "target_type": "pace", "target_low": 290, "target_high": 310"#);
    assert_eq!(findings(16.0, &format!("{}, {paced}", timed(660))), 0);
    assert_eq!(findings(20.0, &format!("{}, {paced}", timed(660))), 1);
    assert_eq!(findings(20.0, &by_distance.replace("1000", "200000")), 1);
    let open = r#"{"step_type": "active", "duration_type": "open"}"#;
    assert_eq!(findings(60.0, &format!("{}, {open}", timed(600))), 0);
    assert_eq!(findings(5.0, &format!("{}, {open}", timed(600))), 1);
}

#[test]
fn infeasible_targets_and_hidden_characters_are_refused() {
    let faults = |text: &str| codes_of_errors(&check_text(text).errors);
    let step = |target: &str| {
        new_workout("2026-06-25", "running").replace(
            "30}",
            &format!(
                r#"30, "steps": [{{"step_type": "active", "duration_type": "time", "duration_value": 1800, {target}}}]}}"#
            ),
        )
    };
    let out = vec![("/new_workouts/0/steps/0/target_type".to_owned(), "out_of_range".to_owned())];
    for (target, expected) in [
        (r#""target_type": "heart_rate", "target_low": 0, "target_high": 5000"#, &out),
        (r#""target_type": "pace", "target_low": 5, "target_high": 300"#, &out),
        (r#""target_type": "power", "target_high": 4000"#, &out),
        (r#""target_type": "heart_rate", "target_low": 120, "target_high": 150"#, &vec![]),
    ] {
        assert_eq!(&faults(&step(target)), expected, "{target}");
    }
    let named = |name: &str| new_workout("2026-06-25", "running").replace("Easy run", name);
    let bad = vec![("/new_workouts/0/name".to_owned(), "bad_character".to_owned())];
    assert_eq!(faults(&named(r"Easy\u202enur")), bad);
    assert_eq!(faults(&named(r"Easy\nrun")), bad);
    assert_eq!(faults(&named("<b>Lauf</b> für Ännchen 🏃")), []);
    let renamed = modification("22", "2026-06-25", r#""action": "modify", "changes": {"name": "a\u200bb"}"#);
    assert_eq!(faults(&renamed), [("/modifications/0/changes/name".to_owned(), "bad_character".to_owned())]);
}

/// Changes resulting from a response.
fn changes(text: &str) -> Vec<Change> {
    with_plan_context(&Availability::default(), |ground| {
        let response = parse_valid(text);
        assert_eq!(check_against_plan(&response, ground).errors, []);
        let changes = match response {
            Response::Modification(response) => changes_from_modification(&response, ground).unwrap(),
            Response::Week(response) => changes_from_week(&response, ground),
        };
        if !changes.is_empty() {
            apply(ground.plan, ground.workouts, &changes, &(0..changes.len()).collect(), ground.today)
                .unwrap();
        }
        changes
    })
}

/// A workout after a modification.
fn modified_workout(id: &str, date: &str, action: &str, changed: &str) -> Workout {
    let rest = format!(r#""action": "{action}", "changes": {{{changed}}}"#);
    let mut changes = changes(&modification(id, date, &rest));
    assert_eq!(changes.len(), 1);
    match changes.remove(0) {
        Change::Modify { workout_id, workout, .. } if workout_id.to_string() == id => workout,
        other => panic!("{other:?}"),
    }
}

fn original_workout(id: i64) -> Workout {
    workouts().into_iter().find(|planned| planned.id.get() == id).unwrap().workout
}

fn timed(minutes: i64, notes: Option<&str>) -> Vec<Step> {
    let duration = StepDuration::Time((minutes * 60) as f64);
    vec![Step {
        step_type: StepType::Active,
        duration,
        target: StepTarget::Open,
        max_heart_rate: None,
        notes: notes.map(str::to_owned),
    }]
}

#[test]
fn modify_changes_only_what_it_names() {
    let renamed = modified_workout("22", "2026-06-25", "modify", r#""name": "Kilometres""#);
    assert_eq!(renamed, Workout { name: "Kilometres".to_owned(), ..original_workout(22) });
    let lighter = modified_workout("22", "2026-06-25", "modify", r#""estimated_tss": {"to": 70}"#);
    assert_eq!(lighter, Workout { load: Some(70.0), ..original_workout(22) });
    // The same value is not a change.
    let same = modified_workout(
        "22",
        "2026-06-25",
        "modify",
        r#""duration_minutes": {"to": 75}, "intensity": {"to": "Zone 4-5 intervals"}"#,
    );
    assert_eq!(same, original_workout(22));
}

#[test]
fn shorter_duration_scales_distance_load_and_steps() {
    let shorter = modified_workout("22", "2026-06-25", "modify", r#""duration_minutes": {"to": 50}"#);
    assert_eq!(
        shorter,
        Workout {
            duration: Some(TimeSpan::from_mins(50)),
            distance: Distance::from_km(8.0),
            load: Some(57.0),
            name: "3x1K Intervals".to_owned(),
            description: Some("3 x 1 km hard".to_owned()),
            steps: original_workout(22).steps[..3].to_vec(),
            ..original_workout(22)
        }
    );
    assert_eq!(shorter, original_workout(22).resized(Size::Duration(TimeSpan::from_mins(50))), "as by hand");
    // Beyond the limits of a workout nothing is scaled.
    let longest = modified_workout("22", "2026-06-25", "modify", r#""duration_minutes": {"to": 480}"#);
    assert_eq!((longest.load, longest.distance), (None, Distance::from_km(76.8)));
    // A workout planned by distance stays so if the response gives both durations.
    let by_distance =
        modified_workout("31", "2026-06-28", "modify", r#""duration_minutes": {"from": 100, "to": 75}"#);
    let three_quarters =
        Distance::from_km((original_workout(31).distance.unwrap().km() * 7.5).round() / 10.0);
    assert_eq!((by_distance.distance, by_distance.duration), (three_quarters, None));
    let easy = r#""duration_minutes": {"from": 100, "to": 75}, "intensity": {"to": "easy"}"#;
    let easy = modified_workout("31", "2026-06-28", "modify", easy);
    assert_eq!((easy.distance, easy.duration, easy.kind), (three_quarters, None, WorkoutKind::Easy));
    // Without an old duration the new distance is unknown.
    let timed_now = modified_workout("31", "2026-06-28", "modify", r#""duration_minutes": {"to": 80}"#);
    assert_eq!((timed_now.distance, timed_now.load), (None, None));
    assert_eq!(timed_now.steps, timed(80, None));
}

#[test]
fn easier_intensity_drops_hard_steps_and_text() {
    let easier = modified_workout(
        "22",
        "2026-06-25",
        "modify",
        r#""name": "Easy Steady State", "intensity": {"to": "Zone 2 steady"}, "notes": "Recover""#,
    );
    assert_eq!(
        easier,
        Workout {
            name: "Easy Steady State".to_owned(),
            kind: WorkoutKind::Easy,
            intensity: Some("Zone 2 steady".to_owned()),
            description: Some("Recover".to_owned()),
            key: false,
            distance: None,
            load: None,
            steps: timed(75, Some("Zone 2 steady")),
            ..original_workout(22)
        }
    );
    // A shorter and easier workout loses the old distance and name.
    let both = r#""duration_minutes": {"to": 50}, "intensity": {"to": "Zone 2 steady"}"#;
    let both = modified_workout("22", "2026-06-25", "modify", both);
    assert_eq!((both.distance, both.load, both.description), (None, None, None));
    assert_eq!((both.name.as_str(), both.kind, both.key), ("Easy run", WorkoutKind::Easy, false));
    assert_eq!(both.steps, timed(50, Some("Zone 2 steady")));
    // Without a duration the distance is kept.
    let by_distance = modified_workout("31", "2026-06-28", "modify", r#""intensity": {"to": "very gentle"}"#);
    assert_eq!((by_distance.distance, by_distance.kind), (original_workout(31).distance, WorkoutKind::Long));
    assert_eq!(by_distance.steps[0].duration, StepDuration::Distance(16_000.0));
}

#[test]
fn replace_makes_a_new_session_under_the_same_id() {
    let new = modified_workout(
        "22",
        "2026-06-25",
        "replace",
        r#""name": "Tempo run", "duration_minutes": {"to": 40}, "estimated_tss": {"to": 55}, "notes": "Shorter and sharper""#,
    );
    assert_eq!(
        new,
        Workout {
            kind: WorkoutKind::Tempo,
            name: "Tempo run".to_owned(),
            duration: Some(TimeSpan::from_mins(40)),
            load: Some(55.0),
            description: Some("Shorter and sharper".to_owned()),
            key: true,
            steps: timed(40, None),
            sport: Sport::Running,
            ..Workout::rest(day("2026-06-25"))
        }
    );
    let nameless = modified_workout("22", "2026-06-25", "replace", r#""duration_minutes": {"to": 40}"#);
    assert_eq!((nameless.name.as_str(), nameless.kind), ("40 minutes of running", WorkoutKind::Other));
}

#[test]
fn skip_takes_the_workout_out_and_a_new_one_is_added() {
    let skipped =
        changes(&modification("22", "2026-06-25", r#""action": "skip", "changes": {"notes": "ill"}"#));
    assert_eq!(
        skipped,
        [Change::Skip {
            workout_id: WorkoutId::new(22),
            on: Some(day("2026-06-25")),
            notes: Some("ill".to_owned())
        }]
    );
    let [Change::Add { workout }] = &changes(&new_workout("2026-06-27", "cycling"))[..] else { panic!() };
    assert_eq!((workout.sport, workout.kind, workout.key), (Sport::Cycling, WorkoutKind::Easy, false));
    assert_eq!(workout.duration, Some(TimeSpan::from_mins(30)));
    let [Change::Add { workout }] = &changes(&new_workout("2026-06-27", "rest"))[..] else { panic!() };
    assert!(workout.is_rest() && workout.check().is_ok());
    // The no-change form changes nothing.
    assert_eq!(changes(r#"{"modifications": [], "athlete_message": "x"}"#), []);
    // An unknown workout is an error even without the earlier check.
    let Response::Modification(stray) = parse_valid(&modification("99", "2026-06-25", SKIP)) else {
        panic!()
    };
    let refused =
        with_plan_context(&Availability::default(), |ground| changes_from_modification(&stray, ground));
    assert_eq!(refused, Err(UnknownWorkoutError("99".to_owned())));
}

#[test]
fn kinds_are_guessed_from_plain_words_only() {
    for (name, kind) in [
        ("Threshold Intervals", WorkoutKind::Intervals),
        ("6x400m", WorkoutKind::Intervals),
        ("6 × 400 m", WorkoutKind::Intervals),
        ("6 x 400 m", WorkoutKind::Intervals),
        ("Track session", WorkoutKind::Intervals),
        ("Fartlek", WorkoutKind::Intervals),
        ("Speed work", WorkoutKind::Intervals),
        ("Hill sprints", WorkoutKind::Hills),
        ("Half at race pace", WorkoutKind::RacePace),
        ("Tempo run", WorkoutKind::Tempo),
        ("Long Endurance Ride", WorkoutKind::Long),
        ("Easy with strides", WorkoutKind::Strides),
        ("Recovery jog", WorkoutKind::Recovery),
        ("Zone 2 run", WorkoutKind::Easy),
        ("Race day", WorkoutKind::Other),
        ("Along the river", WorkoutKind::Other),
        ("Ünïcödé 🏃", WorkoutKind::Other),
    ] {
        let text = new_workout("2026-06-27", "running").replace("Easy run", name);
        let [Change::Add { workout }] = &changes(&text)[..] else { panic!() };
        assert_eq!(workout.kind, kind, "{name}");
    }
    let [Change::Add { workout }] = &changes(&new_workout("2026-06-27", "strength"))[..] else { panic!() };
    assert_eq!(workout.kind, WorkoutKind::Strength);
}

#[test]
fn a_week_replaces_what_is_left_of_it_and_nothing_else() {
    let workout = |day: &str, date: &str, sport: &str, minutes: i64| {
        format!(
            r#"{{"day": "{day}", "date": "{date}", "name": "Easy {sport}", "sport": "{sport}", "duration_minutes": {minutes}}}"#
        )
    };
    let week = [
        workout("thursday", "2026-06-25", "running", 40),
        workout("friday", "2026-06-26", "rest", 0),
        workout("saturday", "2026-06-27", "cycling", 90),
        workout("sunday", "2026-06-28", "cycling", 60),
    ];
    let text = format!(r#"{{"workouts": [{}], "athlete_message": "x"}}"#, week.join(", "));
    let changes = changes(&text);
    let told: Vec<String> = changes
        .iter()
        .map(|change| match change {
            Change::Modify { workout_id, workout, .. } => format!("modify {workout_id} {}", workout.name),
            Change::Skip { workout_id, .. } => format!("skip {workout_id}"),
            Change::Add { workout } => format!("add {} {}", workout.date, workout.name),
        })
        .collect();
    // Monday is over, Friday rests as before, next week is another week.
    assert_eq!(
        told,
        [
            "modify 22 Easy running",
            "add 2026-06-27 Easy cycling",
            "add 2026-06-28 Easy cycling",
            "skip 21",
            "skip 31"
        ]
    );
    let Response::Week(week) = parse_valid(&text) else { panic!() };
    let draft = workouts_from_week(&week);
    assert_eq!(draft.len(), 4);
    assert!(draft.iter().all(|workout| workout.check().is_ok()));
}
