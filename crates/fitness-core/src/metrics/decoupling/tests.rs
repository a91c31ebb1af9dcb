//! Decoupling of a worked example, and activities without a result.

use super::super::fixtures::{assert_near, every_second};
use super::super::hr_artefacts::remove_artefacts;
use super::super::per_second::SampledRecording;
use super::*;
use crate::domain::sport::Sport;
use crate::domain::stream::Channel;

fn compute(
    seconds: usize,
    speed: &dyn Fn(usize) -> i32,
    heart: &dyn Fn(usize) -> Option<i32>,
) -> MetricResult<Decoupling> {
    let recording =
        every_second(seconds, &[(Channel::Speed, &|at| Some(speed(at))), (Channel::HeartRate, &heart)]);
    let sampled = SampledRecording::from_recording(&recording, Sport::Running);
    let moving = vec![true; seconds];
    decoupling(
        &sampled.timeline,
        &moving,
        sampled.speed.as_ref().unwrap(),
        &remove_artefacts(&sampled),
        EffortOutput::Pace,
    )
}

/// 140 bpm and then 147, ±1 so that the sensor does not look stuck.
fn drifting(at: usize) -> Option<i32> {
    Some(if at < 1800 { 140 } else { 147 } + (at % 3) as i32 - 1)
}

#[test]
fn three_metres_a_second_at_140_and_then_at_147_is_4_762_percent() {
    assert_near(compute(3600, &|_| 3000, &drifting).unwrap().percent, 4.762, 0.005);
    assert_near(compute(3600, &|_| 3000, &|at| drifting(3599 - at)).unwrap().percent, -5.0, 0.005);
}

#[test]
fn forty_minutes_of_steady_running_with_a_heart_rate_are_needed() {
    let short = MissingReason::TooFew { have: 2399, needed: 2400, what: CountUnit::Seconds };
    assert_eq!(compute(2399, &|_| 3000, &drifting), Err(short));
    assert!(compute(2400, &|_| 3000, &drifting).is_ok());
    let patchy = compute(3600, &|_| 3000, &|at| drifting(at).filter(|_| at % 100 < 70));
    assert!(matches!(patchy, Err(MissingReason::Patchy { percent: 70..80 })), "{patchy:?}");
    let intervals = compute(3600, &|at| if at / 180 % 2 == 0 { 2500 } else { 4500 }, &drifting);
    assert!(matches!(intervals, Err(MissingReason::OutOfRange { .. })));
    assert!(compute(3600, &|_| 0, &drifting).is_err(), "standing is not steady");
}
