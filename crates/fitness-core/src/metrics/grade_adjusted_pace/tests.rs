//! Minetti's table, and slopes over metres instead of seconds.

use super::super::fixtures::{assert_near, every_second};
use super::*;
use crate::domain::stream::Channel;

#[test]
fn minettis_curve_at_eleven_slopes() {
    for (slope, joules) in [
        (-0.45, 4.0323),
        (-0.30, 2.4622),
        (-0.20, 1.8000),
        (-0.10, 2.1517),
        (-0.05, 2.7459),
        (0.0, 3.6),
        (0.05, 4.6852),
        (0.10, 5.9682),
        (0.20, 9.0067),
        (0.30, 12.5793),
        (0.45, 19.426),
        (-0.1814, 1.7813),
    ] {
        assert_near(running_cost(slope), joules, 0.0005);
    }
    for (slope, factor) in [(-0.10, 0.598), (0.05, 1.301), (0.10, 1.658)] {
        assert_near(SlopeCostModel::Pure.factor(slope), factor, 0.0005);
    }
}

#[test]
fn the_curve_is_lowest_at_18_percent_down_and_ends_at_45() {
    let lowest = (-4500..=4500)
        .map(|i| f64::from(i) / 1e4)
        .min_by(|a, b| running_cost(*a).total_cmp(&running_cost(*b)));
    assert_near(lowest.unwrap(), -0.1814, 0.000_06);
    assert_eq!(running_cost(0.45), running_cost(7.0));
    assert_eq!(running_cost(-0.45), running_cost(f64::NEG_INFINITY));
    assert_eq!(running_cost(f64::NAN), running_cost(0.0));
}

#[test]
fn downhill_counts_for_88_percent_at_least_unless_asked_for_pure_minetti() {
    assert_eq!(SlopeCostModel::Floored.factor(-0.10), DOWNHILL_FLOOR);
    assert_near(SlopeCostModel::Floored.factor(-0.01), running_cost(-0.01) / 3.6, 1e-12);
    assert_eq!(SlopeCostModel::Floored.factor(0.10), SlopeCostModel::Pure.factor(0.10));
    assert_eq!(SlopeCostModel::default(), SlopeCostModel::Floored);
}

#[test]
fn a_slope_is_taken_over_thirty_metres() {
    let recording = every_second(200, &[(Channel::Distance, &|_| None)]);
    let line = Timeline::from_recording(&recording);
    let way: Vec<f64> = (0..200).map(|second| f64::from(second) * 3.0).collect();
    // 5 % up, with a spike of a metre in one second.
    let altitude: Series<f32> = way
        .iter()
        .enumerate()
        .map(|(n, way)| Some(*way as f32 * 0.05 + f32::from(u8::from(n == 100))))
        .collect();
    let slopes = slopes(&line, &way, &altitude);
    assert_near(f64::from(slopes[50].unwrap()), 0.05, 1e-5);
    assert_near(f64::from(slopes[0].unwrap()), 0.05, 1e-5);
    assert_near(f64::from(slopes[199].unwrap()), 0.05, 1e-5);
    let steepest = slopes.iter().flatten().fold(0.0_f32, |most, slope| most.max(*slope));
    assert!(steepest < 0.05 + 1.1 / 30.0, "a metre in a second is not a wall: {steepest}");
}

#[test]
fn where_there_are_not_thirty_metres_or_no_altitude_there_is_no_slope() {
    let line = Timeline::from_recording(&every_second(10, &[]));
    let way: Vec<f64> = (0..10).map(f64::from).collect();
    assert_eq!(slopes(&line, &way, &vec![Some(100.0); 10]), vec![None; 10]);
    let way: Vec<f64> = (0..10).map(|second| f64::from(second) * 10.0).collect();
    assert_eq!(slopes(&line, &way, &vec![None; 10]), vec![None; 10]);
}
