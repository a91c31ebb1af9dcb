//! Measures of whole recordings.

use super::super::fixtures::{activity, assert_near, every_second, hostile_recording};
use super::*;
use crate::domain::stream::Channel;
use proptest::prelude::*;

/// Ninety minutes of running at 3.5 m/s on rolling ground, the heart drifting.
fn long_run() -> Recording {
    every_second(
        5400,
        &[
            (Channel::Distance, &|second| Some(second as i32 * 3500)),
            (Channel::Speed, &|second| Some(3450 + (second * 37 % 101) as i32)),
            (Channel::HeartRate, &|second| Some(140 + second as i32 / 540 + (second % 3) as i32)),
            (Channel::Cadence, &|second| Some(1700 + (second % 4) as i32 * 10)),
            (Channel::Altitude, &|second| Some(200_000 + ((second as f64 / 150.0).sin() * 15_000.0) as i32)),
        ],
    )
}

#[test]
fn a_long_run_is_measured_in_every_way() {
    let measures = measure(&activity(Sport::Running), Some(&long_run()), &[]);
    assert_eq!(measures.times.moving, TimeSpan::from_secs(5400));
    assert_eq!(measures.times.source, Some(MovingSource::Speed));
    assert_near(measures.distance.unwrap().meters(), 5399.0 * 3.5, 0.01);
    let heart = measures.heart.unwrap();
    assert_eq!((heart.coverage_percent, heart.findings.dropped_percent()), (100.0, 0.0));
    assert_eq!(heart.seconds.seconds(), 5400);
    let speed = measures.speed.unwrap();
    assert!(speed.graded);
    let ngp = speed.normalized.unwrap();
    assert!(ngp.value > ngp.mean && ngp.mean > 3.5, "hills cost: {ngp:?}");
    assert_eq!(speed.seconds.seconds(), 5400);
    assert_eq!(measures.power, Err(MissingReason::missing(RequiredInput::Power)));
    let elevation = measures.elevation.unwrap();
    assert_eq!((elevation.source, elevation.quality), (AscentSource::Barometric, Quality::Ok));
    assert_eq!(measures.efforts.last().unwrap().distance, Distance::from_mm(16_093_440));
    assert_near(measures.efforts[6].time.seconds(), 5000.0 / 3.5, 0.01);
    assert!(measures.efforts.iter().all(|effort| effort.heart_rate.is_some()));
    assert!((2.0..6.0).contains(&measures.decoupling.unwrap().percent));
    let candidates = measures.candidates;
    assert_near(candidates.highest_heart_rate.unwrap(), 150.2, 0.5);
    assert!(candidates.threshold_heart_rate.is_none(), "the graded pace varies by more than 6 %");
}

#[test]
fn a_steady_hour_suggests_a_threshold_heart_rate() {
    let recording = every_second(
        3700,
        &[
            (Channel::Speed, &|second| Some(3950 + (second * 37 % 101) as i32)),
            (Channel::HeartRate, &|second| Some(168 + (second % 3) as i32)),
        ],
    );
    let steady =
        measure(&activity(Sport::Running), Some(&recording), &[]).candidates.threshold_heart_rate.unwrap();
    assert_near(steady.heart_rate, 169.0, 0.05);
    assert_near(steady.speed, 4.0, 0.01);
    let ride = measure(&activity(Sport::Cycling), Some(&recording), &[]).candidates;
    assert_eq!(ride.threshold_heart_rate, None, "a rider's speed says little");
}

#[test]
fn a_ride_is_measured_by_its_power() {
    let recording = every_second(
        3600,
        &[
            (Channel::Speed, &|_| Some(8000)),
            (Channel::Power, &|second| Some(if second < 1800 { 150 } else { 250 })),
            (Channel::HeartRate, &|second| Some(130 + (second % 3) as i32)),
        ],
    );
    let measures = measure(&activity(Sport::Cycling), Some(&recording), &[]);
    let power = measures.power.unwrap();
    assert_near(power.normalized.as_ref().unwrap().value, 216.644, 0.0005);
    assert_eq!(power.seconds.bins().collect::<Vec<_>>(), [(150, 1800), (250, 1800)]);
    assert_eq!(measures.candidates.power_20_min, Some(250.0));
    assert!(measures.efforts.is_empty(), "best distances are a runner's");
    assert!(!measures.speed.unwrap().graded);
    assert!(measures.decoupling.is_err(), "150 and then 250 W is not steady");
}

#[test]
fn measures_round_trip_and_are_small() {
    let measures = measure(&activity(Sport::Running), Some(&long_run()), &[]);
    let text = serde_json::to_string(&measures).unwrap();
    assert_eq!(serde_json::from_str::<Measures>(&text).unwrap(), measures);
    assert!(text.len() < 16_000, "{} bytes", text.len());
}

#[test]
fn no_recording_an_empty_one_and_one_sample_are_measured_too() {
    let run = activity(Sport::Running);
    let none = measure(&run, None, &[]);
    assert_eq!(measure(&run, Some(&Recording::default()), &[]), none);
    assert_eq!(none.heart, Err(MissingReason::missing(RequiredInput::HeartRate)));
    let one = measure(&run, Some(&every_second(1, &[(Channel::HeartRate, &|_| Some(150))])), &[]);
    assert_eq!(one.times.elapsed, TimeSpan::from_secs(1));
    assert_eq!(one.heart.unwrap().seconds, Histogram::constant(150, 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_recording_is_measured_without_a_panic_and_in_finite_numbers(
        recording in hostile_recording(), sport in prop::sample::select(Sport::ALL), ascent in any::<Option<i64>>(),
        elapsed in any::<Option<i64>>(), moving in any::<Option<i64>>(),
    ) {
        let mut activity = activity(sport);
        activity.ascent = ascent.map(Distance::from_mm);
        activity.elapsed = elapsed.map(TimeSpan::from_ms);
        activity.moving = moving.map(TimeSpan::from_ms);
        let measures = measure(&activity, Some(&recording), &[]);
        // JSON has no NaN or infinity: they would be written as null and fail to parse.
        let text = serde_json::to_string(&measures).unwrap();
        prop_assert_eq!(serde_json::from_str::<Measures>(&text).unwrap(), measures);
    }
}
