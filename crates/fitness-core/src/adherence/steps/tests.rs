//! Comparing steps with laps and recordings: examples, and a test that nothing panics.

use super::*;
use crate::domain::stream::{Channel, Column};
use crate::plan::StepType;
use proptest::prelude::*;

fn step(step_type: StepType, duration: StepDuration, target: StepTarget) -> Step {
    Step { step_type, duration, target, max_heart_rate: None, notes: None }
}

fn pace_between(low: f64, high: f64) -> StepTarget {
    StepTarget::Pace(TargetRange { low: Some(low), high: Some(high) })
}

/// Ten minutes, then 1000 m hard and two minutes easy twice, then ten minutes.
fn session() -> Vec<Step> {
    let hard = step(StepType::Active, StepDuration::Distance(1000.0), pace_between(230.0, 240.0));
    let easy = step(StepType::Recovery, StepDuration::Time(120.0), StepTarget::Open);
    let warm = step(StepType::Warmup, StepDuration::Time(600.0), StepTarget::Open);
    let cool = Step { step_type: StepType::Cooldown, ..warm.clone() };
    vec![warm, hard.clone(), easy.clone(), hard, easy, cool]
}

fn lap(seconds: i64, meters: f64) -> Lap {
    Lap {
        started_at: "2026-06-14T08:00:00Z".parse().unwrap(),
        elapsed: Some(TimeSpan::from_secs(seconds)),
        moving: None,
        distance: Distance::from_meters(meters),
        avg_heart_rate: Some(150),
        max_heart_rate: None,
        avg_power: None,
        avg_cadence: None,
        kind: None,
    }
}

/// A recording with one sample per second; each part is seconds, metres per second and heart rate.
fn recorded(stretches: &[(i32, f64, i32)]) -> Recording {
    let (mut moments, mut distance, mut heart) = (vec![0], vec![Some(0)], vec![Some(stretches[0].2)]);
    let mut far = 0.0;
    for (seconds, speed, bpm) in stretches {
        for _ in 0..*seconds {
            far += speed * 1000.0;
            moments.push(moments.last().unwrap() + 1000);
            distance.push(Some(far as i32));
            heart.push(Some(*bpm));
        }
    }
    let mut recording = Recording::new(moments).unwrap();
    recording.insert_column(Channel::Distance, distance.into_iter().collect::<Column>()).unwrap();
    recording.insert_column(Channel::HeartRate, heart.into_iter().collect::<Column>()).unwrap();
    recording
}

/// The workout as run: the first kilometre at 3:55, the second at 4:10.
fn sample_recording() -> Recording {
    recorded(&[
        (600, 2.8, 130),
        (235, 1000.0 / 235.0, 170),
        (120, 2.2, 140),
        (250, 4.0, 174),
        (120, 2.2, 145),
        (600, 2.7, 135),
    ])
}

fn target_results(comparison: &StepComparison) -> Vec<Option<TargetResult>> {
    comparison.steps.iter().map(|step| step.kept).collect()
}

#[test]
fn equal_lap_and_step_counts_align_by_lap() {
    let laps = [
        lap(600, 1680.0),
        lap(235, 1000.0),
        lap(120, 260.0),
        lap(250, 1000.0),
        lap(122, 260.0),
        lap(500, 1300.0),
        lap(3, 8.0),
    ];
    let compared = compare_steps(&session(), &laps, Some(&sample_recording())).unwrap();
    assert_eq!(compared.aligned_by, StepAlignment::Laps);
    assert_eq!(
        target_results(&compared),
        [None, Some(TargetResult::Within), None, Some(TargetResult::Below), None, None]
    );
    let hard = compared.steps[1].actual.unwrap();
    assert_eq!((hard.duration, hard.pace.unwrap().seconds_per_km()), (Some(TimeSpan::from_secs(235)), 235.0));
    assert_eq!(hard.heart_rate, Some(150.0));
    assert_eq!(serde_json::to_value(&compared.steps[3]).unwrap()["kept"], "below");
}

#[test]
fn several_laps_can_be_one_step() {
    // The watch also made kilometre laps during the warm-up.
    let laps = [
        lap(357, 1000.0),
        lap(243, 680.0),
        lap(235, 1000.0),
        lap(120, 260.0),
        lap(250, 1000.0),
        lap(122, 260.0),
        lap(370, 1000.0),
        lap(230, 620.0),
    ];
    let compared = compare_steps(&session(), &laps, None).unwrap();
    assert_eq!(compared.aligned_by, StepAlignment::Laps);
    assert_eq!(compared.steps[0].actual.unwrap().duration, Some(TimeSpan::from_secs(600)));
    assert_eq!(compared.steps[5].actual.unwrap().distance, Distance::from_meters(1620.0));
    // The workout was stopped after the first hard kilometre.
    let compared = compare_steps(&session(), &laps[..3], None).unwrap();
    assert!(compared.steps[1].actual.is_some() && compared.steps[2].actual.is_none());
}

#[test]
fn a_step_takes_as_many_laps_as_come_closest_to_it() {
    let run = [step(StepType::Active, StepDuration::Distance(17_000.0), StepTarget::Open)];
    let mut laps = vec![lap(360, 1000.0); 16];
    laps.push(lap(340, 950.0));
    laps.push(lap(60, 170.0));
    let told = compare_steps(&run, &laps, None).unwrap();
    assert_eq!(told.aligned_by, StepAlignment::Laps);
    let actual = told.steps[0].actual.unwrap();
    assert_eq!(actual.distance, Some(Distance::from_mm(16_950_000)), "neither 15 of them nor all");
}

#[test]
fn kilometre_laps_fall_back_to_the_recording() {
    // Six laps for six steps: the number alone is not enough.
    let laps: Vec<Lap> = [357, 350, 290, 310, 330, 370].map(|seconds| lap(seconds, 1000.0)).into();
    let compared = compare_steps(&session(), &laps, Some(&sample_recording())).unwrap();
    assert_eq!(compared.aligned_by, StepAlignment::Recording);
    assert_eq!(
        target_results(&compared),
        [None, Some(TargetResult::Within), None, Some(TargetResult::Below), None, None]
    );
    let actual: Vec<StepActual> = compared.steps.iter().map(|step| step.actual.unwrap()).collect();
    for (actual, seconds) in actual.iter().zip([600.0, 235.0, 120.0, 250.0, 120.0, 600.0]) {
        assert!((actual.duration.unwrap().seconds() - seconds).abs() < 1.0, "{actual:?}");
    }
    assert!((actual[1].distance.unwrap().meters() - 1000.0).abs() < 1.0);
    assert!(
        (actual[1].heart_rate.unwrap() - 170.0).abs() < 0.5
            && (actual[4].heart_rate.unwrap() - 145.0).abs() < 0.5
    );
    assert_eq!(compare_steps(&session(), &laps, None), Err(CompareStepsError::LapsDoNotFit));
}

#[test]
fn a_stop_of_the_recording_is_no_part_of_a_step() {
    let run = sample_recording();
    // A stop of two minutes in the warm-up, with the recording paused.
    let moments = run.offsets_ms().iter().map(|ms| if *ms > 300_000 { ms + 120_000 } else { *ms }).collect();
    let mut stopped = Recording::new(moments).unwrap();
    for (channel, column) in run.columns() {
        stopped.insert_column(channel, column.clone()).unwrap();
    }
    let compared = compare_steps(&session(), &[], Some(&stopped)).unwrap();
    let hard = compared.steps[1].actual.unwrap().duration.unwrap().seconds();
    assert!((hard - 235.0).abs() < 2.0, "{hard}");
}

#[test]
fn compare_steps_reports_the_reason_on_failure() {
    let run = sample_recording();
    assert_eq!(compare_steps(&[], &[], Some(&run)), Err(CompareStepsError::NoSteps));
    assert_eq!(compare_steps(&session(), &[], None), Err(CompareStepsError::NothingRecorded));
    let mut open = session();
    open[0].duration = StepDuration::Open;
    assert_eq!(compare_steps(&open, &[], Some(&run)), Err(CompareStepsError::OpenStep));
    // A lap shows where an open step ended.
    let laps = [
        lap(420, 1200.0),
        lap(235, 1000.0),
        lap(120, 260.0),
        lap(250, 1000.0),
        lap(122, 260.0),
        lap(370, 1000.0),
    ];
    assert_eq!(compare_steps(&open, &laps, Some(&run)).unwrap().aligned_by, StepAlignment::Laps);
    let mut last = session();
    last[5].duration = StepDuration::Open;
    assert!(compare_steps(&last, &[], Some(&run)).unwrap().steps[5].actual.is_some());
    let still = Recording::new(vec![0, 1000, 2000]).unwrap();
    assert_eq!(compare_steps(&session()[1..2], &[], Some(&still)), Err(CompareStepsError::NoDistance));
}

#[test]
fn target_result_below_means_slower_or_lower() {
    let range = TargetRange { low: Some(150.0), high: Some(160.0) };
    let actual = |value: f64| StepActual {
        pace: Pace::from_seconds_per_km(value),
        heart_rate: Some(value),
        power: Some(value),
        cadence: Some(value),
        ..StepActual::default()
    };
    for target in [StepTarget::HeartRate(range), StepTarget::Power(range), StepTarget::Cadence(range)] {
        let kept: Vec<_> = [149.0, 149.6, 160.4, 161.0]
            .map(|value| compare_with_target(target, &actual(value)).unwrap())
            .into();
        assert_eq!(
            kept,
            [TargetResult::Below, TargetResult::Within, TargetResult::Within, TargetResult::Above]
        );
    }
    assert_eq!(
        compare_with_target(StepTarget::Pace(range), &actual(149.0)),
        Some(TargetResult::Above),
        "faster"
    );
    assert_eq!(
        compare_with_target(StepTarget::Pace(range), &actual(161.0)),
        Some(TargetResult::Below),
        "slower"
    );
    assert_eq!(compare_with_target(StepTarget::Open, &actual(161.0)), None);
    assert_eq!(
        compare_with_target(StepTarget::Pace(TargetRange { low: None, high: None }), &actual(161.0)),
        None
    );
    assert_eq!(compare_with_target(StepTarget::Power(range), &StepActual::default()), None);
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![0.0..4000.0_f64, any::<f64>()]
}

fn any_step() -> impl Strategy<Value = Step> {
    let duration = prop_oneof![
        any_number().prop_map(StepDuration::Time),
        any_number().prop_map(StepDuration::Distance),
        any_number().prop_map(StepDuration::Calories),
        Just(StepDuration::Open),
    ];
    let target = (0..5, prop::option::of(any_number()), prop::option::of(any_number())).prop_map(
        |(kind, low, high)| {
            let range = TargetRange { low, high };
            match kind {
                0 => StepTarget::HeartRate(range),
                1 => StepTarget::Power(range),
                2 => StepTarget::Pace(range),
                3 => StepTarget::Cadence(range),
                _ => StepTarget::Open,
            }
        },
    );
    (duration, target).prop_map(|(duration, target)| step(StepType::Active, duration, target))
}

fn any_lap() -> impl Strategy<Value = Lap> {
    (
        prop::option::of(any::<i64>()),
        prop::option::of(0_i64..4_000_000),
        prop::option::of(any::<i64>()),
        prop::option::of(any_number()),
    )
        .prop_map(|(elapsed, moving, distance, cadence)| Lap {
            elapsed: elapsed.map(TimeSpan::from_ms),
            moving: moving.map(TimeSpan::from_ms),
            distance: distance.map(Distance::from_mm),
            avg_cadence: cadence,
            ..lap(0, 0.0)
        })
}

fn any_recording() -> impl Strategy<Value = Recording> {
    prop::collection::vec(
        (
            prop_oneof![0_i32..3000, any::<i32>()],
            prop::option::of(any::<i32>()),
            prop::option::of(0_i32..250),
        ),
        0..80,
    )
    .prop_map(|mut samples| {
        samples.sort_by_key(|(moment, ..)| *moment);
        let mut recording = Recording::new(samples.iter().map(|(moment, ..)| *moment).collect()).unwrap();
        recording.insert_column(Channel::Distance, samples.iter().map(|(_, far, _)| *far).collect()).unwrap();
        recording
            .insert_column(Channel::HeartRate, samples.iter().map(|(_, _, bpm)| *bpm).collect())
            .unwrap();
        recording
    })
}

proptest! {
    #[test]
    fn whatever_is_compared_there_is_a_result_for_each_step_or_a_reason(
        steps in prop::collection::vec(any_step(), 0..12), laps in prop::collection::vec(any_lap(), 0..16),
        recording in prop::option::of(any_recording())
    ) {
        if let Ok(compared) = compare_steps(&steps, &laps, recording.as_ref()) {
            prop_assert_eq!(compared.steps.len(), steps.len());
            for (index, result) in compared.steps.iter().enumerate() {
                prop_assert_eq!(result.number, index + 1);
                prop_assert!(result.actual.is_some() || result.kept.is_none());
                if let (StepAlignment::Recording, Some(actual)) = (compared.aligned_by, result.actual) {
                    prop_assert!(actual.duration.is_none_or(|time| time.ms() >= 0));
                    prop_assert!(actual.distance.is_none_or(|far| far.mm() >= 0));
                }
            }
        }
    }

    #[test]
    fn steps_of_a_recording_are_its_parts(lengths in prop::collection::vec(5_i32..200, 1..10), speed in 1.0..5.0_f64) {
        let steps: Vec<Step> = lengths.iter().map(|s| step(StepType::Active, StepDuration::Time(f64::from(*s)), StepTarget::Open)).collect();
        let all: i32 = lengths.iter().sum();
        let compared = compare_steps(&steps, &[], Some(&recorded(&[(all, speed, 140)]))).unwrap();
        for (result, seconds) in compared.steps.iter().zip(&lengths) {
            let actual = result.actual.unwrap();
            prop_assert!((actual.duration.unwrap().seconds() - f64::from(*seconds)).abs() < 0.01);
            prop_assert!((actual.distance.unwrap().meters() - f64::from(*seconds) * speed).abs() < 1.0);
        }
    }
}
