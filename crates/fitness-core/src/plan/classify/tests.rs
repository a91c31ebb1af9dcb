use super::*;
use crate::domain::sport::Sport;
use crate::plan::TargetRange;

fn run(name: &str, steps: Vec<Step>) -> Workout {
    Workout {
        sport: Sport::Running,
        kind: WorkoutKind::Other,
        name: name.to_owned(),
        steps,
        ..Workout::rest("2026-06-15".parse().unwrap())
    }
}

fn step(step_type: StepType, duration: StepDuration, notes: Option<&str>) -> Step {
    Step {
        step_type,
        duration,
        target: StepTarget::Open,
        max_heart_rate: None,
        notes: notes.map(str::to_owned),
    }
}

/// Repetitions with recovery between them.
fn repeated_steps(count: usize, duration: StepDuration, notes: Option<&str>) -> Vec<Step> {
    let mut steps = vec![step(StepType::Warmup, StepDuration::Time(600.0), None)];
    for _ in 0..count {
        steps.push(step(StepType::Active, duration, notes));
        steps.push(step(StepType::Recovery, StepDuration::Time(90.0), Some("Walk or jog")));
    }
    steps
}

fn paced(mut steps: Vec<Step>, pace: f64) -> Vec<Step> {
    for step in steps.iter_mut().filter(|step| step.step_type == StepType::Active) {
        step.target = StepTarget::Pace(TargetRange { low: Some(pace), high: Some(pace) });
    }
    steps
}

fn easy_at(seconds: f64) -> KnownPaces {
    KnownPaces { easy: Pace::from_seconds_per_km(seconds), paces: None }
}

#[test]
fn repeated_fast_steps_are_intervals_whatever_the_name() {
    for name in
        ["8x400m", "8 × 400 m", "Track session", "Fartlek", "Speed work", "Easy run", "A nice morning"]
    {
        let workout = run(name, repeated_steps(8, StepDuration::Distance(400.0), None));
        assert_eq!(workout.kind_from_steps(KnownPaces::default()), Some(WorkoutKind::Intervals), "{name}");
        for kind in [WorkoutKind::Easy, WorkoutKind::Other, WorkoutKind::Strides, WorkoutKind::Long] {
            assert!(
                Workout { kind, ..workout.clone() }.has_fast_steps(KnownPaces::default()),
                "{name}, {kind}"
            );
        }
    }
}

#[test]
fn strides_walk_run_and_a_single_long_step_are_easy() {
    let easy = [
        repeated_steps(6, StepDuration::Time(20.0), Some("Quick and relaxed, not a sprint")),
        repeated_steps(10, StepDuration::Distance(100.0), None),
        repeated_steps(8, StepDuration::Time(60.0), Some("Run slowly enough to talk")),
        repeated_steps(6, StepDuration::Time(180.0), Some("Run easy; walk if pain goes above 2 out of 10")),
        repeated_steps(1, StepDuration::Time(2400.0), None),
        repeated_steps(2, StepDuration::Time(1500.0), None),
        paced(repeated_steps(4, StepDuration::Distance(1000.0), None), 360.0),
    ];
    for steps in easy {
        let workout = run("Fartlek", steps);
        assert_eq!(workout.kind_from_steps(easy_at(360.0)), None, "{:?}", workout.steps[1]);
    }
    // The intensity of the workout applies to its steps.
    let mut gentle = run("Intervals", repeated_steps(8, StepDuration::Distance(400.0), None));
    gentle.intensity = Some("Easy, 3 out of 10: you can talk in whole sentences".to_owned());
    assert_eq!(gentle.kind_from_steps(KnownPaces::default()), None);
}

#[test]
fn notes_and_paces_decide_the_kind_of_a_step() {
    let twenty = StepDuration::Time(1200.0);
    for (notes, kind) in [
        ("Comfortably hard, about 7 of 10: a pace you could hold for an hour", WorkoutKind::Tempo),
        ("Comfortably hard, 7 out of 10: a pace you could hold for an hour", WorkoutKind::Tempo),
        ("Threshold", WorkoutKind::Tempo),
        ("At the pace you want to race the marathon at", WorkoutKind::RacePace),
        ("Strong and even, like the start of your race; no faster", WorkoutKind::Tempo),
        ("5K effort", WorkoutKind::Intervals),
        ("Hard uphill, about 8 of 10; walk or jog down", WorkoutKind::Hills),
        ("Hard uphill, 8 out of 10; walk or jog down", WorkoutKind::Hills),
    ] {
        let workout = run("Run", repeated_steps(1, twenty, Some(notes)));
        assert_eq!(workout.kind_from_steps(KnownPaces::default()), Some(kind), "{notes}");
    }
    let fast = run("Easy run", paced(repeated_steps(1, twenty, Some("Easy")), 300.0));
    assert_eq!(fast.kind_from_steps(easy_at(360.0)), Some(WorkoutKind::Tempo));
    assert_eq!(fast.kind_from_steps(KnownPaces::default()), None, "no pace to hold it against");
    let short = run("Easy run", paced(repeated_steps(2, StepDuration::Distance(800.0), None), 260.0));
    assert_eq!(short.kind_from_steps(easy_at(360.0)), Some(WorkoutKind::Intervals));
}

#[test]
fn words_are_read_in_their_usual_spellings() {
    for (text, kind) in [
        ("8x400m", Some(WorkoutKind::Intervals)),
        ("8 × 400 m", Some(WorkoutKind::Intervals)),
        ("8 X 400", Some(WorkoutKind::Intervals)),
        ("4 by 1 km", Some(WorkoutKind::Intervals)),
        ("3 times 2000 m", Some(WorkoutKind::Intervals)),
        ("Speed work", Some(WorkoutKind::Intervals)),
        ("Track session", Some(WorkoutKind::Intervals)),
        ("Tempo 2 × 8 min", Some(WorkoutKind::Tempo)),
        ("Easy with 4 x 20 s strides", Some(WorkoutKind::Strides)),
        ("Run-walk 5 x 3 min", Some(WorkoutKind::Easy)),
        ("Long run", Some(WorkoutKind::Long)),
        ("Out and back", None),
    ] {
        assert_eq!(kind_from_text(text), kind, "{text}");
    }
}
