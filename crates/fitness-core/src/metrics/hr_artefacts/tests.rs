//! Each kind of heart rate artefact, and clean data left unchanged.

use super::super::fixtures::{every_second, hostile_recording};
use super::*;
use crate::domain::sport::Sport;
use crate::domain::stream::Channel;
use proptest::prelude::*;

/// A realistic heart rate: a slow wave with a little jitter.
fn beating(second: usize) -> i32 {
    140 + (second as f64 / 90.0).sin().mul_add(8.0, (second * 7 % 3) as f64) as i32
}

fn remove_from(seconds: usize, heart: &dyn Fn(usize) -> i32) -> CleanHeartRate {
    let recording = every_second(seconds, &[(Channel::HeartRate, &|second| Some(heart(second)))]);
    remove_artefacts(&SampledRecording::from_recording(&recording, Sport::Running))
}

#[test]
fn a_true_heart_rate_is_left_alone() {
    let heart = remove_from(1800, &beating);
    assert_eq!(heart.findings, ArtefactCounts { recorded: 1800, ..ArtefactCounts::default() });
    assert_eq!(heart.findings.dropped_percent(), 0.0);
}

#[test]
fn a_cold_strap_loses_its_first_minute() {
    let cold =
        remove_from(900, &|second| if second < 60 { 185 - (second % 3) as i32 } else { beating(second) });
    assert_eq!(cold.findings.cold_strap, 60);
    assert_eq!(count_known(&cold.series[..60]), 0);
    let warm =
        remove_from(900, &|second| if second < 60 { 170 - (second % 3) as i32 } else { beating(second) });
    assert_eq!(warm.findings.cold_strap, 0, "within a quarter of what follows");
}

#[test]
fn a_short_spike_is_bridged_and_a_longer_one_is_a_gap() {
    let spiked = |length: usize| {
        remove_from(600, &move |second| {
            if (300..300 + length).contains(&second) { 200 } else { 140 + (second % 3) as i32 }
        })
    };
    let short = spiked(5);
    assert_eq!((short.findings.bridged, short.findings.spikes), (5, 0));
    assert!(short.series.iter().flatten().all(|bpm| *bpm < 145));
    assert_eq!(count_known(&short.series), 600);
    let long = spiked(7);
    assert_eq!((long.findings.bridged, long.findings.spikes), (0, 7));
    assert_eq!(count_known(&long.series), 593);
}

#[test]
fn a_stuck_sensor_is_a_gap_after_two_minutes() {
    let stuck = |length: usize| {
        remove_from(900, &move |second| {
            if (300..300 + length).contains(&second) { 151 } else { 140 + (second % 3) as i32 }
        })
    };
    assert_eq!(stuck(121).findings.flatline, 121);
    assert_eq!(stuck(120).findings.flatline, 0);
}

#[test]
fn constant_heart_rate_at_constant_speed_is_kept() {
    let run = |varies: bool| {
        let speed = move |second: usize| Some(if varies && second % 60 < 30 { 2400 } else { 3000 });
        let recording = every_second(600, &[(Channel::HeartRate, &|_| Some(150)), (Channel::Speed, &speed)]);
        remove_artefacts(&SampledRecording::from_recording(&recording, Sport::Running)).findings.flatline
    };
    assert_eq!((run(false), run(true)), (0, 600));
}

fn with_cadence(heart: &dyn Fn(usize) -> i32, cadence: &dyn Fn(usize) -> i32) -> ArtefactCounts {
    let recording = every_second(
        1200,
        &[
            (Channel::HeartRate, &|second| Some(heart(second))),
            (Channel::Cadence, &|second| Some(cadence(second) * 10)),
        ],
    );
    remove_artefacts(&SampledRecording::from_recording(&recording, Sport::Running)).findings
}

fn steps(second: usize) -> i32 {
    168 + (second * 5 % 7) as i32
}

#[test]
fn a_heart_rate_that_follows_the_steps_is_thrown_out() {
    let locked = with_cadence(&|second| if second < 600 { steps(second) } else { beating(second) }, &steps);
    assert_eq!(locked.cadence_lock, 600);
    assert_eq!(locked.lock_percent(), 50.0);
    let half = with_cadence(&|second| steps(second) / 2, &steps);
    assert_eq!(half.cadence_lock, 1200, "half the steps, one foot");
}

#[test]
fn heart_rate_equal_to_cadence_without_lock_is_kept() {
    let near = with_cadence(&|second| 170 + (second / 9 % 3) as i32, &steps);
    assert_eq!(near.cadence_lock, 0);
    let alike = with_cadence(&|second| steps(second) - 20, &steps);
    assert_eq!(alike.cadence_lock, 0, "changing alike is not being alike");
    let steady_steps = with_cadence(&|second| 170 + (second % 3) as i32, &|_| 170);
    assert_eq!(steady_steps.cadence_lock, 0, "nothing changes together with what does not change");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn spikes_match_naive_median(
        heart in prop::collection::vec(prop::option::weighted(0.9, prop_oneof![3 => 130_u8..165, 1 => 25_u8..=230]), 0..200),
    ) {
        let far = |index: usize| {
            let around = median(&heart[index.saturating_sub(7)..(index + 8).min(heart.len())]);
            heart[index].zip(around).is_some_and(|(value, median)| value.abs_diff(median) > 20)
        };
        prop_assert_eq!(spikes(&heart), (0..heart.len()).map(far).collect::<Vec<_>>());
    }

    #[test]
    fn nothing_is_invented_and_every_loss_is_counted(recording in hostile_recording()) {
        let sampled = SampledRecording::from_recording(&recording, Sport::Running);
        let heart = remove_artefacts(&sampled);
        let f = heart.findings;
        prop_assert_eq!(count_known(&heart.series) + f.cold_strap + f.spikes + f.flatline + f.cadence_lock, f.recorded);
        prop_assert!((0.0..=100.0).contains(&f.dropped_percent()));
        prop_assert!(heart.series.iter().flatten().all(|bpm| (25..=230).contains(bpm)));
    }
}
