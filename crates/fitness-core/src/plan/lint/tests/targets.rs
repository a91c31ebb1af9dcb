use super::super::*;
use super::fixtures::*;
use crate::plan::{Level, StepType, WorkoutKind};

const HALF: Distance = Distance::HALF_MARATHON;

fn plan() -> PlanFixture {
    PlanFixture::race(HALF, &[(50.0, 12.0); 8])
}

/// A workout with a target pace, in seconds per kilometre.
fn workout_at_pace(kind: WorkoutKind, pace: f64) -> Workout {
    let mut session = workout(2, kind, 10.0);
    session.steps = vec![meters(StepType::Warmup, 2000.0), paced(meters(StepType::Active, 3000.0), pace)];
    session
}

#[test]
fn a_pace_needs_a_result_of_the_last_120_days() {
    for level in Level::ALL {
        let with = |days_ago: Option<i64>| TrainingBaseline {
            paces: days_ago.map(paces),
            ..athlete_at_level(*level, 50.0, 12.0)
        };
        let paced = plan().with(workout_at_pace(WorkoutKind::Tempo, 300.0));
        assert_eq!(paced.severity_of(&with(None), LintRule::UnsupportedPace), ERROR);
        assert_eq!(paced.severity_of(&with(Some(121)), LintRule::UnsupportedPace), ERROR);
        assert_eq!(paced.severity_of(&with(Some(120)), LintRule::UnsupportedPace), NO_FINDING);
        // Days without data count: by then the result is 121 days old.
        let mut silent = with(Some(60));
        silent.today = silent.as_of.plus_days(61);
        assert_eq!(paced.severity_of(&silent, LintRule::UnsupportedPace), NO_FINDING);
        silent.today = silent.as_of.plus_days(62);
        assert_eq!(paced.severity_of(&silent, LintRule::UnsupportedPace), WARNING);
        let mut by_effort = workout_at_pace(WorkoutKind::Tempo, 300.0);
        by_effort.steps[1] = meters(StepType::Active, 3000.0);
        assert_eq!(plan().with(by_effort).severity_of(&with(None), LintRule::UnsupportedPace), NO_FINDING);
    }
}

/// The plan begins on the day after the last day of data.
#[test]
fn a_result_that_expires_during_the_plan_is_a_warning() {
    let expired = |days_ago: i64| {
        let mut athlete = TrainingBaseline {
            paces: Some(paces(days_ago)),
            ..athlete_at_level(Level::Intermediate, 50.0, 12.0)
        };
        athlete.today = athlete.as_of.plus_days(30);
        athlete
    };
    let with_pace = |pace: f64| plan().with(workout_at_pace(WorkoutKind::Tempo, pace));
    let severity =
        |days_ago: i64| with_pace(300.0).severity_of(&expired(days_ago), LintRule::UnsupportedPace);
    // Now 91, 120, 121, 148, 149 and 150 days old; 62, 91, 92, 119, 120 and 121 at the start.
    let cases =
        [(61, NO_FINDING), (91, NO_FINDING), (92, WARNING), (119, WARNING), (120, ERROR), (121, ERROR)];
    for (days_ago, expected) in cases {
        assert_eq!(severity(days_ago), expected, "{days_ago}");
    }
    let said = with_pace(300.0).finding(&expired(100), LintRule::UnsupportedPace).unwrap();
    assert!(
        said.text.contains("your result of 2026-03-06, which is more than 120 days old"),
        "{}",
        said.text
    );
    // It still limits the pace, and without a pace there is nothing to report.
    assert_eq!(with_pace(280.0).severity_of(&expired(100), LintRule::UnsupportedPace), ERROR);
    assert_eq!(plan().severity_of(&expired(100), LintRule::UnsupportedPace), NO_FINDING);
}

/// Threshold is 5:00, intervals 4:40, repetitions 4:20, marathon 5:20; 3 % is the tolerance.
#[test]
fn a_pace_is_no_quicker_than_the_result_supports() {
    let athlete =
        TrainingBaseline { paces: Some(paces(10)), ..athlete_at_level(Level::Intermediate, 50.0, 12.0) };
    for (kind, supported) in [
        (WorkoutKind::Tempo, 300.0),
        (WorkoutKind::Long, 300.0),
        (WorkoutKind::RacePace, 300.0),
        (WorkoutKind::Intervals, 260.0),
        (WorkoutKind::Hills, 260.0),
        (WorkoutKind::Easy, 320.0),
    ] {
        let cases = [
            (200.0, ERROR),
            (supported * 0.97 - 0.01, ERROR),
            (supported * 0.97 + 0.01, NO_FINDING),
            (supported, NO_FINDING),
            (500.0, NO_FINDING),
        ];
        assert_severities(LintRule::UnsupportedPace, &athlete, &cases, |pace| {
            plan().with(workout_at_pace(kind, pace))
        });
    }
    // Before 5K and 10K race pace is faster, and one open end counts like two equal ones.
    for (km, supported) in [(5.0, 280.0), (10.0, 290.0)] {
        let cases = [(supported * 0.97 - 0.01, ERROR), (supported * 0.97 + 0.01, NO_FINDING)];
        assert_severities(LintRule::UnsupportedPace, &athlete, &cases, |pace| PlanFixture {
            distance: Distance::from_km(km),
            ..plan().with(workout_at_pace(WorkoutKind::RacePace, pace))
        });
    }
    let mut turned = workout_at_pace(WorkoutKind::Tempo, 300.0);
    turned.steps[1].target =
        crate::plan::StepTarget::Pace(crate::plan::TargetRange { low: Some(320.0), high: Some(240.0) });
    assert_eq!(plan().with(turned).severity_of(&athlete, LintRule::UnsupportedPace), ERROR);
    let said = plan()
        .with(workout_at_pace(WorkoutKind::Tempo, 240.0))
        .finding(&athlete, LintRule::UnsupportedPace)
        .unwrap();
    assert!(
        said.text.contains("has a target of 4:00 /km; your result from 2026-06-04 supports 5:00 /km"),
        "{}",
        said.text
    );
}

/// Predicted: 1:45:00, one in ten 1:34:30, one in four 1:39:36.8, one in twenty 1:30:53.5.
fn athlete_with_prediction(level: Level) -> TrainingBaseline {
    let prediction = Ok(prediction(HALF, TimeSpan::from_mins(105)));
    TrainingBaseline { prediction, paces: Some(paces(10)), ..athlete_at_level(level, 50.0, 12.0) }
}

#[test]
fn race_pace_is_not_faster_than_one_in_four() {
    let limit = TimeSpan::from_mins(105).seconds() * 0.9_f64.sqrt() / HALF.km();
    for level in Level::ALL {
        for kind in [WorkoutKind::RacePace, WorkoutKind::Tempo] {
            let worst = if kind == WorkoutKind::RacePace { ERROR } else { NO_FINDING };
            let cases = [(limit + 0.01, NO_FINDING), (limit - 0.01, worst)];
            assert_severities(LintRule::RacePaceTooFast, &athlete_with_prediction(*level), &cases, |pace| {
                plan().with(workout_at_pace(kind, pace))
            });
        }
        let race = |pace: f64| {
            let race = Workout { date: plan().race, ..workout_at_pace(WorkoutKind::Race, pace) };
            plan().with(race)
        };
        assert_severities(
            LintRule::RacePaceTooFast,
            &athlete_with_prediction(*level),
            &[(limit + 0.01, NO_FINDING), (limit - 0.01, ERROR)],
            race,
        );
        let unknown = athlete_at_level(*level, 50.0, 12.0);
        assert_eq!(race(200.0).severity_of(&unknown, LintRule::RacePaceTooFast), NO_FINDING);
    }
}

/// Rated for race day: eight weeks bring 1.71 %, so one in four is at 1:37:54.4, one in ten at
/// 1:32:52.8 and one in twenty at 1:29:20.0.
#[test]
fn target_time_is_judged_by_the_prediction() {
    for (target, expected) in [
        ("1:45:00", None),
        ("1:37:55", None),
        ("1:37:54", Some("a stretch")),
        ("1:32:53", Some("a stretch")),
        ("1:32:52", Some("unlikely")),
        ("1:29:21", Some("unlikely")),
        ("1:29:19", Some("not supported")),
    ] {
        for level in [Level::Intermediate, Level::Advanced] {
            let made = PlanFixture { target: Some(target.parse().unwrap()), ..plan() };
            let athlete = athlete_with_prediction(level);
            let said = made.finding(&athlete, LintRule::RacePaceTooFast);
            assert_eq!(said.is_some(), expected.is_some(), "{target}: {said:?}");
            let finish = crate::plan::finish_on_race_day(&athlete, plan_day(0), made.race).unwrap();
            let support = crate::plan::goal_support(made.target.unwrap(), finish);
            assert_eq!(said.is_none(), support == crate::plan::GoalSupport::Supported, "{target}: {support}");
            if let Some(said) = said {
                assert_eq!(said.severity, Severity::Warning);
                assert!(said.text.contains(expected.unwrap()), "{target}: {}", said.text);
            }
        }
    }
    // Eight weeks are too few for a novice to build on (R25) and bring no improvement: one in four
    // is at 1:39:36.7.
    for (target, expected) in [("1:39:37", NO_FINDING), ("1:37:55", WARNING)] {
        let made = PlanFixture { target: Some(target.parse().unwrap()), ..plan() };
        assert_eq!(
            made.severity_of(&athlete_with_prediction(Level::Novice), LintRule::RacePaceTooFast),
            expected,
            "{target}"
        );
    }
    // A prediction for another distance does not count, and beyond 50 km there is none.
    let mut made = PlanFixture { target: Some("0:40:00".parse().unwrap()), ..plan() };
    made.distance = Distance::from_km(12.0);
    assert_eq!(
        made.severity_of(&athlete_with_prediction(Level::Novice), LintRule::RacePaceTooFast),
        NO_FINDING
    );
    made.distance = Distance::from_km(50.0);
    assert_eq!(
        made.severity_of(&athlete_with_prediction(Level::Novice), LintRule::RacePaceTooFast),
        NO_FINDING
    );
    made.distance = Distance::from_km(50.1);
    assert_eq!(made.severity_of(&athlete_with_prediction(Level::Novice), LintRule::RacePaceTooFast), WARNING);
}

#[test]
fn pace_is_shown_in_the_athletes_units() {
    let made = plan().with(workout_at_pace(WorkoutKind::RacePace, 270.0));
    let subject = LintInput {
        distance: made.distance,
        start: plan_day(0),
        race: made.race,
        target: None,
        workouts: &made.workouts,
    };
    let said = |units| {
        let findings = lint(&subject, &athlete_with_prediction(Level::Novice), units);
        findings.into_iter().find(|finding| finding.rule == LintRule::RacePaceTooFast).unwrap().text
    };
    assert!(said(UnitSystem::Metric).contains("4:30 /km"), "{}", said(UnitSystem::Metric));
    assert!(said(UnitSystem::Imperial).contains("7:15 /mi"), "{}", said(UnitSystem::Imperial));
}
