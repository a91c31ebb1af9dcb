//! Rollers, noise and one long climb.

use super::super::activity::measure;
use super::super::fixtures::{ChannelSamples, activity, assert_near, every_second};
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

/// Ascent of a run at 3 m/s.
fn ascent_of(altitude: &dyn Fn(usize) -> Option<i32>, seconds: usize) -> Elevation {
    let channels: [ChannelSamples<'_>; 2] =
        [(Channel::Speed, &|_| Some(3000)), (Channel::Altitude, altitude)];
    let recording = every_second(seconds, &channels);
    measure(&activity(Sport::Running), Some(&recording), &[]).elevation.unwrap()
}

#[test]
fn ten_rollers_of_five_metres_are_fifty() {
    let turns = (0..=20).map(|turn| if turn % 2 == 0 { 0.0 } else { 5.0 });
    assert_eq!(climb(turns, 3.0), (50.0, 50.0));
    let found = ascent_of(&|second| Some((rollers(240)(second) * 1000.0) as i32), 2401);
    assert_near(found.ascent.meters(), 50.0, 3.0);
    assert_eq!((found.quality, found.source), (Quality::Ok, AscentSource::Barometric));
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
    let found = ascent_of(&|second| Some(if second / 2 == 20 { 104_000 } else { 100_000 }), 100);
    assert_eq!(found.ascent, Distance::ZERO);
}

#[test]
fn a_correction_of_the_barometer_is_no_climb() {
    // 20 m up in ten minutes; the watch finds its position and moves the altitude by 87 m.
    let corrected =
        |second: usize| Some(second as i32 * 20_000 / 600 + if second > 300 { 87_000 } else { 0 });
    assert_near(ascent_of(&corrected, 601).ascent.meters(), 20.0, 1.0);
    let spiked = |second: usize| Some(if second.is_multiple_of(100) { 120_000 } else { 100_000 });
    assert_eq!(ascent_of(&spiked, 601).ascent, Distance::ZERO);
}

#[test]
fn ascent_is_computed_whatever_the_device_reports() {
    let hill = |second: usize| {
        Some(((100.0 + 40.0 * (second as f64 / 600.0 * std::f64::consts::TAU).sin()) * 1000.0) as i32)
    };
    let recording = every_second(1200, &[(Channel::Speed, &|_| Some(3000)), (Channel::Altitude, &hill)]);
    let mut run = activity(Sport::Running);
    let computed = measure(&run, Some(&recording), &[]).elevation.unwrap();
    assert_near(computed.ascent.meters(), 160.0, 5.0);
    run.ascent = Distance::from_meters(300.0);
    assert_eq!(measure(&run, Some(&recording), &[]).elevation, Ok(computed));
    let flat = every_second(1200, &[(Channel::Speed, &|_| Some(3000))]);
    let device = measure(&run, Some(&flat), &[]).elevation.unwrap();
    assert_eq!((device.ascent.meters(), device.source), (300.0, AscentSource::Device), "no altitude");
}

#[test]
fn gps_noise_below_10_m_is_ignored() {
    let hill = |second: usize| 100.0 + 40.0 * (second as f64 / 600.0 * std::f64::consts::TAU).sin();
    let noisy =
        move |second: usize| Some(((hill(second) + [0.0, 4.0, -4.0, 2.0, -2.0][second % 5]) * 1000.0) as i32);
    let found = ascent_of(&noisy, 1200);
    assert_eq!((found.quality, found.source), (Quality::Estimated, AscentSource::Gps));
    // Four metres are lost at either end, where the mean is one-sided.
    assert_near(found.ascent.meters(), 152.0, 2.0);
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
