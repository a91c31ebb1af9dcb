use super::*;
use crate::domain::sport::Sport;
use crate::metrics::ValueWithQuality;
use crate::metrics::fitness::{DayLoad, FormBand};
use crate::plan::{Step, StepTarget, StepType, WorkoutKind};
use proptest::prelude::*;

fn day(text: &str) -> Day {
    text.parse().unwrap()
}

fn from() -> Day {
    day("2026-06-14")
}

fn firm(value: f64) -> ValueWithQuality {
    ValueWithQuality { value, quality: Quality::Ok }
}

fn settled(load: f64) -> FitnessState {
    let load = DayLoad::from_activities([(Sport::Running, Some(firm(load)))]);
    (0..2000).fold(FitnessState::START, |state, _| state.after(&load))
}

fn run(ahead: i64, load: Option<f64>) -> Workout {
    Workout {
        sport: Sport::Running,
        kind: WorkoutKind::Easy,
        name: "Easy run".to_owned(),
        duration: Some(TimeSpan::from_mins(90)),
        load,
        ..Workout::rest(from().plus_days(ahead))
    }
}

fn session(back: i64, kind: Option<WorkoutKind>, load: f64, minutes: i64) -> ActivitySample {
    ActivitySample {
        day: from().plus_days(-back),
        sport: Sport::Running,
        kind,
        load,
        duration: TimeSpan::from_mins(minutes),
        distance: Distance::from_km(minutes as f64 / 6.0),
    }
}

fn input<'a>(
    state: &'a FitnessState,
    workouts: &'a [Workout],
    typical: &'a TypicalLoads,
) -> TrajectoryInput<'a> {
    TrajectoryInput {
        from: from(),
        state,
        plan_start: from().plus_days(-7),
        race_day: from().plus_days(11),
        workouts,
        typical_loads: typical,
    }
}

fn few() -> MetricResult<AdherenceRate> {
    Err(MissingReason::TooFew { have: 4, needed: 10, what: CountUnit::Days })
}

#[track_caller]
fn close(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected} ± {tolerance}");
}

#[test]
fn without_training_both_fall_by_their_time_constants() {
    let state = settled(60.0);
    let found = project(&input(&state, &[], &TypicalLoads::EMPTY), &few()).unwrap();
    let morning = &found.no_training.race_morning;
    close(morning.fitness, 47.2877, 0.0001);
    close(morning.fatigue, 14.3791, 0.0001);
    close(morning.form.value, 32.9086, 0.0002);
    assert_eq!(morning.form.band, Ok(FormBand::Transition));
    let points = &found.no_training.points;
    assert_eq!((points.len(), points[0].day, points[9].day), (10, from().next(), found.race_day.previous()));
    // A plan of rest days gives the same result.
    assert_eq!(found.as_written.unwrap().points, *points);
}

#[test]
fn the_plan_as_written_feeds_the_recurrence() {
    let state = settled(60.0);
    let workouts: Vec<Workout> = (1..=11).map(|ahead| run(ahead, Some(60.0))).collect();
    let found = project(&input(&state, &workouts, &TypicalLoads::EMPTY), &few()).unwrap();
    let line = found.as_written.unwrap();
    close(line.race_morning.fitness, 60.0, 1e-6);
    close(line.race_morning.form.value, 0.0, 1e-6);
    assert_eq!((line.quality, line.estimated_workouts, line.usual_days), (Quality::Ok, 0, 0));
    assert_eq!(found.at_this_rate, few().map(|_| unreachable!()));
}

#[test]
fn at_this_rate_scales_the_plan_by_adherence() {
    let state = settled(60.0);
    let workouts: Vec<Workout> = (1..=11).map(|ahead| run(ahead, Some(50.0))).collect();
    let half: Vec<Workout> = (1..=11).map(|ahead| run(ahead, Some(40.0))).collect();
    let rate = Ok(AdherenceRate { rate: 0.8, days: 12 });
    let followed = project(&input(&state, &workouts, &TypicalLoads::EMPTY), &rate).unwrap();
    let smaller = project(&input(&state, &half, &TypicalLoads::EMPTY), &few()).unwrap();
    assert_eq!(followed.at_this_rate.unwrap().race_morning, smaller.as_written.unwrap().race_morning);
}

#[test]
fn a_workout_without_a_load_is_estimated_from_the_athletes_own_or_the_line_is_absent() {
    let state = settled(60.0);
    let workouts = [run(1, None)];
    let bare = project(&input(&state, &workouts, &TypicalLoads::EMPTY), &few()).unwrap();
    assert_eq!(bare.as_written.unwrap_err().to_string(), "not enough data yet: 0 of 3 sessions");
    let easy = Some(WorkoutKind::Easy);
    let sessions = [
        (1, easy, 40.0),
        (9, easy, 50.0),
        (20, easy, 90.0),
        (3, None, 99.0),
        (4, None, 99.0),
        (91, easy, 1.0),
    ]
    .map(|(back, kind, load)| session(back, kind, load, 60));
    let typical = TypicalLoads::measure(&sessions, from().plus_days(-300), from());
    close(planned_load(&workouts[0], &typical).unwrap().value, 75.0, 1e-9);
    let found = project(&input(&state, &workouts, &typical), &few()).unwrap().as_written.unwrap();
    assert_eq!((found.quality, found.estimated_workouts), (Quality::Estimated, 1));
    close(found.points[0].load, 75.0, 1e-9);
    // No tempo was matched three times: all runs count, median 90.
    let tempo = Workout { kind: WorkoutKind::Tempo, ..run(1, None) };
    close(planned_load(&tempo, &typical).unwrap().value, 135.0, 1e-9);
    let swim = Workout { sport: Sport::Swimming, ..run(1, None) };
    assert_eq!(
        planned_load(&swim, &typical).unwrap_err().to_string(),
        "not enough data yet: 0 of 3 sessions"
    );
    // 10 km an hour: 15 km take an hour and a half.
    let far = Workout { duration: None, distance: Distance::from_km(15.0), ..run(1, None) };
    close(planned_load(&far, &typical).unwrap().value, 75.0, 1e-9);
    let step = |duration| Step {
        step_type: StepType::Active,
        duration,
        target: StepTarget::Open,
        max_heart_rate: None,
        notes: None,
    };
    let steps = vec![step(StepDuration::Time(2700.0)), step(StepDuration::Distance(7500.0))];
    let stepped = Workout { duration: None, steps, ..run(1, None) };
    close(planned_load(&stepped, &typical).unwrap().value, 75.0, 1e-9);
    let open = Workout { duration: None, steps: vec![step(StepDuration::Open)], ..run(1, None) };
    assert_eq!(planned_load(&open, &typical), Err(MissingReason::missing(RequiredInput::PlannedLoad)));
    assert_eq!(planned_load(&Workout::rest(from()), &typical).unwrap().value, 0.0);
}

#[test]
fn days_before_the_plan_begins_are_usual_days_or_the_line_is_absent() {
    let state = settled(60.0);
    let workouts = [run(9, Some(70.0))];
    let later =
        |typical| TrajectoryInput { plan_start: from().plus_days(5), ..input(&state, &workouts, typical) };
    let nothing = TypicalLoads::EMPTY;
    let bare = project(&later(&nothing), &few()).unwrap();
    assert_eq!(bare.as_written.unwrap_err().to_string(), "not enough data yet: 0 of 28 days");
    let sessions: Vec<ActivitySample> = (0..28).map(|back| session(back, None, 42.0, 60)).collect();
    let typical = TypicalLoads::measure(&sessions, from().plus_days(-300), from());
    let rate = Ok(AdherenceRate { rate: 0.5, days: 12 });
    let found = project(&later(&typical), &rate).unwrap();
    let written = found.as_written.unwrap();
    assert_eq!((written.usual_days, written.quality), (4, Quality::Estimated));
    let loads: Vec<f64> = written.points.iter().map(|point| point.load.round()).collect();
    assert_eq!(loads, [42.0, 42.0, 42.0, 42.0, 0.0, 0.0, 0.0, 0.0, 70.0, 0.0]);
    // Usual days are not scaled by adherence, only planned ones.
    let loads: Vec<f64> = found.at_this_rate.unwrap().points.iter().map(|point| point.load.round()).collect();
    assert_eq!(loads, [42.0, 42.0, 42.0, 42.0, 0.0, 0.0, 0.0, 0.0, 35.0, 0.0]);
    assert!(TypicalLoads::measure(&sessions, from().plus_days(-10), from()).per_day.is_err());
}

#[test]
fn the_load_of_the_race_is_not_needed() {
    let (state, nothing) = (settled(60.0), TypicalLoads::EMPTY);
    let race = [Workout { kind: WorkoutKind::Race, ..run(11, None) }];
    let found = project(&input(&state, &race, &nothing), &few()).unwrap();
    assert_eq!(found.as_written.unwrap().race_morning, found.no_training.race_morning);
    let tomorrow = TrajectoryInput { race_day: from().next(), ..input(&state, &[], &nothing) };
    let found = project(&tomorrow, &few()).unwrap().no_training;
    assert_eq!((found.points.len(), found.race_morning.fitness), (0, state.fitness()));
}

#[test]
fn a_race_that_is_over_has_no_trajectory() {
    let (state, nothing) = (settled(60.0), TypicalLoads::EMPTY);
    for ahead in [0, -1, 801] {
        let over = TrajectoryInput { race_day: from().plus_days(ahead), ..input(&state, &[], &nothing) };
        assert!(project(&over, &few()).is_err(), "{ahead}");
    }
}

fn graded(n: i64, planned: f64, done: f64) -> Vec<PlannedAndActualLoad> {
    (0..n)
        .map(|back| PlannedAndActualLoad {
            day: from().plus_days(-back),
            planned,
            actual: done,
            is_absent: false,
        })
        .collect()
}

#[test]
fn adherence_is_what_was_done_of_what_was_planned() {
    let rate = |days: &[PlannedAndActualLoad]| {
        AdherenceRate::measure(days, from()).map(|found| (found.rate, found.days))
    };
    assert_eq!(rate(&graded(10, 50.0, 40.0)), Ok((0.8, 10)));
    assert_eq!(rate(&graded(9, 50.0, 40.0)).unwrap_err().to_string(), "not enough data yet: 9 of 10 days");
    assert_eq!(rate(&graded(12, 50.0, 0.0)), Ok((0.3, 12)));
    assert_eq!(rate(&graded(12, 50.0, 500.0)), Ok((1.1, 12)));
    // Only 28 days count, without rest days, absences and days after the frontier.
    assert_eq!(rate(&graded(60, 50.0, 40.0)), Ok((0.8, 28)));
    let mut days = graded(12, 50.0, 50.0);
    days.push(PlannedAndActualLoad {
        day: from().plus_days(-13),
        planned: 50.0,
        actual: 0.0,
        is_absent: true,
    });
    days.push(PlannedAndActualLoad {
        day: from().plus_days(-14),
        planned: 0.0,
        actual: 80.0,
        is_absent: false,
    });
    days.push(PlannedAndActualLoad {
        day: from().plus_days(1),
        planned: 50.0,
        actual: 0.0,
        is_absent: false,
    });
    days.push(PlannedAndActualLoad {
        day: from().plus_days(-15),
        planned: f64::NAN,
        actual: 0.0,
        is_absent: false,
    });
    assert_eq!(rate(&days), Ok((1.0, 12)));
}

proptest! {
    #[test]
    fn any_plan_gives_finite_numbers(
        loads in prop::collection::vec((-3_i64..20, prop::option::of(prop::num::f64::ANY)), 0..20),
        sessions in prop::collection::vec((0_i64..100, prop::num::f64::ANY, -5_i64..10_000), 0..20),
        rate in 0.3..1.1_f64,
    ) {
        let state = settled(60.0);
        let workouts: Vec<Workout> = loads.iter().map(|(ahead, load)| run(*ahead, *load)).collect();
        let sessions: Vec<ActivitySample> =
            sessions.iter().map(|(back, load, minutes)| session(*back, None, *load, *minutes)).collect();
        let typical = TypicalLoads::measure(&sessions, from().plus_days(-300), from());
        let found = project(&input(&state, &workouts, &typical), &Ok(AdherenceRate { rate, days: 10 })).unwrap();
        for line in [found.as_written, found.at_this_rate, Ok(found.no_training)].into_iter().flatten() {
            for point in line.points {
                prop_assert!(point.load.is_finite() && point.fitness.is_finite() && point.form.is_finite());
            }
        }
    }
}
