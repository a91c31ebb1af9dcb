//! Rollers, noise and one long climb.

use super::super::fixtures::{assert_near, every_second};
use super::super::load::pace::cumulative_distance;
use super::super::per_second::SampledRecording;
use super::*;
use crate::domain::sport::Sport;
use crate::domain::stream::Channel;
use proptest::prelude::*;

fn rollers(seconds: usize) -> impl Fn(usize) -> f32 {
    // Up five metres and down again, ten times.
    move |second| {
        let part = (second % seconds) as f32 / seconds as f32;
        if part < 0.5 { part * 10.0 } else { (1.0 - part) * 10.0 }
    }
}

#[test]
fn ten_rollers_of_five_metres_are_fifty() {
    let turns = (0..=20).map(|turn| if turn % 2 == 0 { 0.0 } else { 5.0 });
    assert_eq!(climb(turns, 3.0), (50.0, 50.0));
    let smooth = smooth_barometric(&(0..=600).map(rollers(60)).map(Some).collect());
    let found = ascent(&smooth, &[], AscentSource::Barometric).unwrap();
    assert_near(found.ascent.meters(), 50.0, 4.0);
    assert_eq!(found.quality, Quality::Ok);
}

#[test]
fn noise_of_a_metre_on_the_flat_is_nothing() {
    let noise = (0..3600).map(|second| [0.0, 1.0, -1.0, 1.0, 0.0, -1.0, -1.0][second * 3 % 7]);
    assert_eq!(climb(noise, 3.0), (0.0, 0.0));
}

#[test]
fn a_hundred_metres_up_are_a_hundred() {
    assert_eq!(climb((0..=100).map(|meter| meter as f32), 3.0), (100.0, 0.0));
    assert_eq!(climb((0..=100).rev().map(|meter| meter as f32), 3.0), (0.0, 100.0));
    assert_eq!(climb([], 3.0), (0.0, 0.0));
    assert_eq!(climb([12.0], 3.0), (0.0, 0.0));
    assert_eq!(climb([0.0, 3.0], 3.0), (0.0, 0.0), "a threshold is exceeded, not reached");
}

#[test]
fn the_first_turn_counts_whole() {
    assert_eq!(climb([10.0, 4.0, 20.0, 10.0], 3.0), (16.0, 16.0));
    assert_eq!(climb([10.0, 20.0, 4.0], 3.0), (10.0, 16.0));
}

#[test]
fn a_spike_of_two_seconds_does_not_climb() {
    let spiked = (0..100).map(|second| Some(if second / 2 == 20 { 110.0 } else { 100.0 })).collect();
    let found = ascent(&smooth_barometric(&spiked), &[], AscentSource::Barometric).unwrap();
    assert_eq!(found.ascent, Distance::ZERO);
}

#[test]
fn gps_noise_below_10_m_is_ignored() {
    let hill = |second: usize| 100.0 + 40.0 * (second as f64 / 600.0 * std::f64::consts::TAU).sin();
    let noisy =
        move |second: usize| Some(((hill(second) + [0.0, 4.0, -4.0, 2.0, -2.0][second % 5]) * 1000.0) as i32);
    let recording = every_second(1200, &[(Channel::Speed, &|_| Some(3000)), (Channel::Altitude, &noisy)]);
    let sampled = SampledRecording::from_recording(&recording, Sport::Running);
    let way = cumulative_distance(sampled.speed.as_ref().unwrap());
    let smooth = smooth_gps(&sampled.timeline, sampled.altitude.as_ref().unwrap(), &way);
    let found = ascent(&smooth, &way, AscentSource::Gps).unwrap();
    assert_eq!((found.quality, found.source), (Quality::Estimated, AscentSource::Gps));
    // Four metres are lost at either end, where the mean is one-sided.
    assert_near(found.ascent.meters(), 152.0, 1.0);
    assert_eq!(
        ascent(&vec![None; 5], &[0.0; 5], AscentSource::Gps),
        Err(MissingReason::missing(RequiredInput::Altitude))
    );
}

proptest! {
    #[test]
    fn up_minus_down_is_the_difference_of_the_ends_to_within_two_thresholds(
        altitudes in prop::collection::vec(-400.0_f32..9000.0, 1..200),
    ) {
        let (up, down) = climb(altitudes.iter().copied(), 3.0);
        let ends = f64::from(altitudes[altitudes.len() - 1] - altitudes[0]);
        prop_assert!(up >= 0.0 && down >= 0.0);
        prop_assert!((up - down - ends).abs() <= 6.01, "{up} {down} {ends}");
    }
}
