use super::super::{TargetRange, WorkoutKind};
use super::*;
use crate::domain::sport::Sport;
use proptest::prelude::*;

fn step(step_type: StepType, duration: StepDuration) -> Step {
    Step { step_type, duration, target: StepTarget::Open, max_heart_rate: None, notes: None }
}

/// A workout with 2 km of warm-up and cool-down, and two minutes between repetitions.
fn session(name: &str, reps: usize, each: StepDuration) -> Workout {
    let mut steps = vec![step(StepType::Warmup, StepDuration::Distance(2000.0))];
    for rep in 0..reps {
        if rep > 0 {
            steps.push(step(StepType::Recovery, StepDuration::Time(120.0)));
        }
        steps.push(step(StepType::Active, each));
    }
    steps.push(step(StepType::Cooldown, StepDuration::Distance(2000.0)));
    Workout {
        sport: Sport::Running,
        kind: WorkoutKind::Intervals,
        name: name.to_owned(),
        distance: Distance::from_km(10.0),
        duration: Some(TimeSpan::from_mins(60)),
        load: Some(80.0),
        steps,
        ..Workout::rest("2026-06-16".parse().unwrap())
    }
}

fn minutes(minutes: i64) -> Size {
    Size::Duration(TimeSpan::from_mins(minutes))
}

fn step_durations(workout: &Workout, wanted: StepType) -> Vec<StepDuration> {
    workout.steps.iter().filter(|step| step.step_type == wanted).map(|step| step.duration).collect()
}

fn seconds(workout: &Workout) -> f64 {
    workout.steps.iter().map(Step::estimated_seconds).sum()
}

#[test]
fn a_shorter_interval_session_has_fewer_repetitions_of_the_same_length() {
    let session = session("5 × 1000 m", 5, StepDuration::Distance(1000.0));
    let shorter = session.resized(minutes(39));
    assert_eq!(shorter.duration, Some(TimeSpan::from_mins(39)));
    assert_eq!((shorter.distance, shorter.load), (Distance::from_km(6.5), Some(52.0)));
    assert_eq!(step_durations(&shorter, StepType::Active), [StepDuration::Distance(1000.0); 3]);
    assert_eq!(step_durations(&shorter, StepType::Recovery).len(), 2);
    assert_eq!(shorter.steps.len(), 7, "with its way in and out");
    assert_eq!(shorter.check(), Ok(()));
    // The steps add up to the workout.
    assert!((seconds(&shorter) / seconds(&session) - 0.65).abs() < 0.03, "{}", seconds(&shorter));
    // In another measure: only that one is kept, and there are fewer repetitions.
    let by_distance = Workout { duration: None, ..session.clone() };
    let timed = by_distance.resized(minutes(39));
    assert_eq!((timed.distance, timed.load), (None, None));
    assert!((1..5).contains(&step_durations(&timed, StepType::Active).len()), "{:?}", timed.steps);
    let plain = Workout { steps: Vec::new(), name: "Run".to_owned(), ..by_distance };
    assert_eq!(plain.resized(minutes(30)).steps, [step(StepType::Active, StepDuration::Time(1800.0))]);
    // Longer: the same repetitions, with more warm-up and cool-down.
    let longer = session.resized(minutes(90));
    assert_eq!(step_durations(&longer, StepType::Active).len(), 5);
    assert!((seconds(&longer) / seconds(&session) - 1.5).abs() < 0.03);
}

#[test]
fn resized_text_follows_the_number_of_repetitions() {
    let kilometre = StepDuration::Distance(1000.0);
    let named = |name: &str, to: i64| session(name, 5, kilometre).resized(minutes(to)).name;
    assert_eq!(named("Intervals 5 × 1000 m", 40), "Intervals 3 × 1000 m");
    assert_eq!(named("5x1K Intervals", 40), "3x1K Intervals");
    assert_eq!(named("5 x (1 km, jog)", 40), "3 x (1 km, jog)");
    assert_eq!(named("5x1K Intervals", 13), "1K Intervals");
    assert_eq!(named("5x1K Intervals", 75), "5x1K Intervals");
    assert_eq!(named("Intervals", 40), "Intervals");
    assert_eq!(named("4 × 1000 m", 40), "Intervals", "it never counted these");
    assert_eq!(named("Track, 60 min", 40), "Track, 40 min");
    let words = Workout {
        description: Some("5 x 1 km hard. 10 km in all.".to_owned()),
        ..session("Session", 5, kilometre)
    };
    assert_eq!(words.resized(minutes(42)).description.unwrap(), "3 x 1 km hard. 7 km in all.");
    // Without steps only the name is updated.
    let bare = Workout { steps: Vec::new(), ..session("6x800", 6, kilometre) };
    assert_eq!(bare.resized(minutes(30)).name, "3x800");
    // One of two repetitions is no longer counted.
    let tempo = session("Tempo 2 × 8 min", 2, StepDuration::Time(480.0));
    let shorter = tempo.resized(minutes(45));
    assert_eq!((shorter.name.as_str(), step_durations(&shorter, StepType::Active).len()), ("Tempo 8 min", 1));
    // If not even one fits, the name becomes generic.
    let tiny = tempo.resized(minutes(10));
    assert_eq!(tiny.name, "Intervals");
    assert!(seconds(&tiny) < 0.3 * seconds(&tempo), "{:?}", tiny.steps);
}

#[test]
fn resize_shrinks_the_run_before_strides_and_a_single_long_step() {
    let mut strides = session("Easy run with strides", 4, StepDuration::Time(20.0));
    strides.steps.splice(..1, [step(StepType::Active, StepDuration::Distance(8000.0))]);
    let shorter = strides.resized(Size::Distance(Distance::from_km(5.0).unwrap()));
    let active = step_durations(&shorter, StepType::Active);
    assert!(matches!(active[0], StepDuration::Distance(m) if m < 5000.0), "{active:?}");
    assert_eq!(active[1..], [StepDuration::Time(20.0); 2]);
    let tempo = session("Tempo 20 min", 1, StepDuration::Time(1200.0));
    let shorter = tempo.resized(minutes(30));
    assert_eq!(
        (shorter.name.as_str(), step_durations(&shorter, StepType::Active)),
        ("Tempo 10 min", vec![StepDuration::Time(600.0)])
    );
    let long = Workout {
        name: "Long run with 8.0 km at race pace".to_owned(),
        ..session("", 1, StepDuration::Distance(8000.0))
    };
    assert_eq!(long.resized(minutes(30)).name, "Long run with 4.0 km at race pace");
}

#[test]
fn a_repetition_keeps_its_length_however_often_the_session_changes() {
    let kilometre = StepDuration::Distance(1000.0);
    for odd in [kilometre, StepDuration::Time(330.0), StepDuration::Time(95.0), StepDuration::Distance(450.0)]
    {
        let mut workout = session("Intervals", 5, odd);
        let mut last = 5;
        for to in [39, 30, 39, 30, 45, 24, 40, 24, 23, 24, 60] {
            workout = workout.resized(minutes(to));
            let again = workout.resized(minutes(to));
            assert_eq!(again, workout, "the same again changes nothing");
            let active = step_durations(&workout, StepType::Active);
            assert!(active.iter().all(|each| *each == odd), "{to} min: {active:?} of {odd:?}");
            assert!((1..=last).contains(&active.len()));
            last = active.len();
        }
    }
    // A single main block shrinks, and grows back.
    let tempo = session("Tempo 20 min", 1, StepDuration::Time(1200.0));
    let back = tempo.resized(minutes(45)).resized(minutes(60));
    assert_eq!(step_durations(&back, StepType::Active), [StepDuration::Time(1200.0)]);
}

fn any_step() -> impl Strategy<Value = Step> {
    let duration = prop_oneof![
        (1.0..28_800.0).prop_map(StepDuration::Time),
        (1.0..200_000.0).prop_map(StepDuration::Distance),
        (1.0..20_000.0).prop_map(StepDuration::Calories),
        Just(StepDuration::Open),
    ];
    let target = prop_oneof![
        Just(StepTarget::Open),
        (0.0..5000.0).prop_map(|low| StepTarget::Pace(TargetRange { low: Some(low), high: None })),
    ];
    (prop::sample::select(StepType::ALL), duration, target).prop_map(|(step_type, duration, target)| Step {
        step_type,
        duration,
        target,
        max_heart_rate: None,
        notes: None,
    })
}

proptest! {
    #[test]
    fn resized_workout_stays_valid_without_extra_repetitions(
        steps in prop::collection::vec(any_step(), 0..12),
        name in "[a-z0-9 ×x.(é]{0,24}",
        to in 5_i64..480,
        known in any::<bool>(),
    ) {
        let mut workout = session(&format!("a{name}"), 1, StepDuration::Open);
        workout.steps = steps;
        workout.description = Some(name.clone());
        if !known {
            workout.duration = None;
        }
        prop_assume!(workout.check().is_ok());
        let resized = workout.resized(minutes(to));
        prop_assert_eq!(resized.check(), Ok(()));
        prop_assert_eq!(resized.duration, Some(TimeSpan::from_mins(to)));
        prop_assert!(count_repetitions(&resized.steps) <= count_repetitions(&workout.steps).max(1));
        prop_assert_eq!(resized.resized(minutes(to)), resized, "the same again is the same");
    }
}
