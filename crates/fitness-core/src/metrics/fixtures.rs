//! Synthetic recordings for tests.

use crate::domain::activity::Activity;
use crate::domain::sport::Sport;
use crate::domain::stream::{Channel, Column, Recording};
use proptest::prelude::*;

/// A channel and its value at each sample index.
pub(crate) type ChannelSamples<'a> = (Channel, &'a dyn Fn(usize) -> Option<i32>);

/// A recording with a sample every second.
pub(crate) fn every_second(samples: usize, channels: &[ChannelSamples<'_>]) -> Recording {
    recording_at((0..samples).map(|second| second as i32 * 1000).collect(), channels)
}

/// A recording with samples at the given offsets, milliseconds.
pub(crate) fn recording_at(moments: Vec<i32>, channels: &[ChannelSamples<'_>]) -> Recording {
    let samples = moments.len();
    let mut recording = Recording::new(moments).unwrap();
    for (channel, shown) in channels {
        recording.insert_column(*channel, (0..samples).map(shown).collect::<Column>()).unwrap();
    }
    recording
}

/// An activity with nothing but a sport and a start.
pub(crate) fn activity(sport: Sport) -> Activity {
    Activity::new(sport, "2026-06-14T08:00:00Z".parse().unwrap(), 0)
}

/// Values a device, a broken device or an attacker could write.
pub(crate) fn hostile_value() -> impl Strategy<Value = Option<i32>> {
    prop_oneof![
        6 => (0..5000_i32).prop_map(Some),
        3 => (40..200_i32).prop_map(Some),
        1 => any::<i32>().prop_map(Some),
        1 => prop_oneof![Just(i32::MAX), Just(i32::MIN + 1), Just(-1), Just(0), Just(255)].prop_map(Some),
        2 => Just(None),
    ]
}

/// Any recording: irregular and duplicate timestamps, gaps of hours or weeks, and all kinds of
/// values.
pub(crate) fn hostile_recording() -> impl Strategy<Value = Recording> {
    let step = prop_oneof![
        8 => Just(1000_i64), 2 => 0..3000_i64, 1 => Just(0), 1 => 0..40_000_i64, 1 => 0..200_000_000_i64,
    ];
    let first = prop_oneof![4 => Just(0_i64), 1 => any::<i32>().prop_map(i64::from)];
    (first, prop::collection::vec(step, 0..200)).prop_flat_map(|(first, steps)| {
        let moments: Vec<i32> = steps
            .iter()
            .scan(first, |now, step| {
                *now = (*now + step).min(i64::from(i32::MAX));
                Some(*now as i32)
            })
            .collect();
        let samples = moments.len();
        let column = || prop::option::weighted(0.8, prop::collection::vec(hostile_value(), samples));
        (Just(moments), prop::collection::vec(column(), 7)).prop_map(|(moments, columns)| {
            let mut recording = Recording::new(moments).unwrap();
            for (channel, column) in Channel::ALL.iter().zip(columns) {
                if let Some(column) = column {
                    recording.insert_column(*channel, column.into_iter().collect()).unwrap();
                }
            }
            recording
        })
    })
}

/// Asserts that two numbers agree to within a tolerance.
#[track_caller]
pub(crate) fn assert_near(got: f64, wanted: f64, tolerance: f64) {
    assert!((got - wanted).abs() <= tolerance, "{got} is not {wanted} ± {tolerance}");
}
