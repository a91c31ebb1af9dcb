//! Suspicious samples are kept and counted, and make results provisional.

use super::super::Quality;
use super::super::activity::measure;
use super::super::fixtures::{activity, every_second};
use super::super::load::heart_seconds;
use super::*;
use crate::domain::stream::Channel;

fn count(sport: Sport, channels: &[super::super::fixtures::ChannelSamples<'_>]) -> PlausibilityCounts {
    measure(&activity(sport), Some(&every_second(600, channels)), &[]).suspicions
}

#[test]
fn a_minute_faster_than_runners_run_is_counted_and_kept() {
    let fast = |from: usize, seconds: usize| {
        move |at: usize| Some(if (from..from + seconds).contains(&at) { 7200 } else { 3000 })
    };
    let spurt = fast(100, 60);
    assert_eq!(count(Sport::Running, &[(Channel::Speed, &spurt)]), PlausibilityCounts::default());
    let long = fast(100, 61);
    let run = count(Sport::Running, &[(Channel::Speed, &long)]);
    assert_eq!(run, PlausibilityCounts { fast: 61, ..PlausibilityCounts::default() });
    assert!(run.is_speed_doubtful() && !run.is_heart_rate_doubtful());
    assert_eq!(count(Sport::Cycling, &[(Channel::Speed, &long)]), PlausibilityCounts::default());
    let kept = measure(&activity(Sport::Running), Some(&every_second(600, &[(Channel::Speed, &long)])), &[]);
    assert_eq!(kept.speed.unwrap().seconds.seconds(), 600, "nothing is taken out");
}

#[test]
fn speed_without_a_runners_steps_and_more_watts_than_a_runner_has() {
    let steady = |_: usize| Some(3000);
    let few = |at: usize| Some(if at < 300 { 800 } else { 1700 });
    let run = count(Sport::Running, &[(Channel::Speed, &steady), (Channel::Cadence, &few)]);
    assert_eq!(run, PlausibilityCounts { few_steps: 300, ..PlausibilityCounts::default() });
    // No cadence at all is a missing sensor.
    let none = |_: usize| Some(0);
    let run = count(Sport::Running, &[(Channel::Speed, &steady), (Channel::Cadence, &none)]);
    assert_eq!(run, PlausibilityCounts::default());
    let watts = |at: usize| Some(if at < 60 { 950 } else { 300 });
    assert_eq!(count(Sport::Running, &[(Channel::Power, &watts)]).strong, 60);
    assert_eq!(count(Sport::Cycling, &[(Channel::Power, &watts)]).strong, 0);
}

#[test]
fn a_heart_that_jumps_makes_a_provisional_load() {
    // Up by 30 bpm at once and staying there: not a spike, so nothing is removed.
    let jump = |at: usize| Some(if at < 300 { 120 + (at % 3) as i32 } else { 155 + (at % 3) as i32 });
    let recording = every_second(600, &[(Channel::HeartRate, &jump)]);
    let ride = activity(Sport::Cycling);
    let measures = measure(&ride, Some(&recording), &[]);
    assert_eq!(measures.suspicions, PlausibilityCounts { heart_jumps: 1, ..PlausibilityCounts::default() });
    let (seconds, quality) = heart_seconds(&ride, &measures).unwrap();
    assert_eq!((seconds.seconds(), quality), (600, Quality::Provisional));
    let calm = |at: usize| Some(120 + (at % 3) as i32);
    let calm = measure(&ride, Some(&every_second(600, &[(Channel::HeartRate, &calm)])), &[]);
    assert_eq!(heart_seconds(&ride, &calm).unwrap().1, Quality::Ok);
}
