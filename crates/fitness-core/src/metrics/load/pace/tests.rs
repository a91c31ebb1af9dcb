//! GAP, NGP and the loads of running and swimming.

use super::super::power::{normalize, training_stress};
use super::*;
use crate::domain::sport::Sport;
use crate::domain::stream::{Channel, Recording};
use crate::metrics::fixtures::{activity, assert_near, every_second};
use crate::metrics::per_second::SampledRecording;

fn hill(percent: f64) -> Recording {
    every_second(
        1800,
        &[
            (Channel::Speed, &|_| Some(3000)),
            (Channel::Altitude, &move |second| {
                Some(100_000 + (second as f64 * 3000.0 * percent / 100.0) as i32)
            }),
        ],
    )
}

fn gap(recording: &Recording, cost: SlopeCostModel) -> f64 {
    let sampled = SampledRecording::from_recording(recording, Sport::Running);
    let speed = sampled.speed.as_ref().unwrap();
    let graded = grade_adjusted_speed(
        &sampled.timeline,
        speed,
        &cumulative_distance(speed),
        sampled.altitude.as_ref(),
        cost,
    );
    normalize(&moving_speed(&sampled.timeline, &graded, &vec![true; speed.len()])).unwrap().mean
}

#[test]
fn uphill_is_worth_more_and_downhill_never_less_than_88_percent() {
    assert_near(gap(&hill(0.0), SlopeCostModel::Floored), 3.0, 0.001);
    assert_near(gap(&hill(5.0), SlopeCostModel::Floored), 3.0 * 1.301, 0.005);
    assert_near(gap(&hill(-10.0), SlopeCostModel::Floored), 3.0 * 0.88, 0.005);
    assert_near(gap(&hill(-10.0), SlopeCostModel::Pure), 3.0 * 0.598, 0.005);
}

#[test]
fn running_stress_at_and_below_threshold() {
    assert_near(training_stress(3600.0, 1.0).unwrap(), 100.0, 1e-9);
    assert_near(training_stress(2700.0, 0.9).unwrap(), 60.75, 1e-9);
}

#[test]
fn swimming_stress_grows_with_the_cube() {
    assert_near(swim_training_stress(3600.0, 1.0).unwrap(), 100.0, 1e-9);
    assert_near(swim_training_stress(1800.0, 0.9).unwrap(), 36.45, 1e-9);
    assert!(swim_training_stress(f64::MAX, f64::MAX).is_err());
}

#[test]
fn ten_minutes_standing_or_paused_add_nothing() {
    use crate::metrics::activity::measure;
    // 30 minutes run, then ten standing with the watch running, then 30 minutes run; and the same
    // paused.
    let standing = every_second(
        4200,
        &[(Channel::Speed, &|second| Some(if (1800..2400).contains(&second) { 0 } else { 3500 }))],
    );
    let moments: Vec<i32> = (0..1800).chain(2400..4200).map(|second| second * 1000).collect();
    let paused = crate::metrics::fixtures::recording_at(moments, &[(Channel::Speed, &|_| Some(3500))]);
    let straight = every_second(3600, &[(Channel::Speed, &|_| Some(3500))]);
    let of = |recording: &Recording| {
        let speed = measure(&activity(Sport::Running), Some(recording), &[]).speed.unwrap();
        let ngp = speed.normalized.unwrap();
        training_stress(f64::from(ngp.seconds), ngp.value / 3.5).unwrap()
    };
    assert_near(of(&straight), 100.0, 1e-6);
    assert_near(of(&paused), 100.0, 1e-6);
    // The five seconds around the stop are a mix: at most a few seconds either way.
    assert_near(of(&standing), 100.0, 0.3);
}
