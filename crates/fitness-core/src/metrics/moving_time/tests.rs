//! Stops, pauses and the order of the three times.

use super::super::fixtures::{activity, every_second, hostile_recording, recording_at};
use super::*;
use crate::domain::stream::Channel;
use proptest::prelude::*;

fn motion_of(recording: &Recording, sport: Sport) -> Times {
    measured(recording, &activity(sport))
}

fn measured(recording: &Recording, activity: &Activity) -> Times {
    let sampled = SampledRecording::from_recording(recording, activity.sport);
    let (moving, source) = detect_motion(recording, &sampled, activity.sport);
    times(activity, recording, &sampled, &moving, source)
}

fn seconds(times: &Times) -> (i64, i64, i64) {
    (times.elapsed.whole_seconds(), times.timer.whole_seconds(), times.moving.whole_seconds())
}

#[test]
fn stop_of_5_seconds_is_a_pause_and_shorter_is_not() {
    let run = |stop: usize| {
        let speed = move |second: usize| Some(if (100..100 + stop).contains(&second) { 0 } else { 3000 });
        motion_of(&every_second(300, &[(Channel::Speed, &speed)]), Sport::Running)
    };
    let stumble = run(6);
    assert_eq!(seconds(&stumble), (300, 300, 300));
    assert!(stumble.pauses.is_empty());
    let light = run(60);
    assert_eq!((light.elapsed, light.timer), (TimeSpan::from_secs(300), TimeSpan::from_secs(300)));
    // The mean of five seconds moves for two seconds into the stop and two before its end; three
    // more are held.
    assert_eq!(light.moving, TimeSpan::from_secs(247));
    assert_eq!(light.pauses.len(), 1);
    assert_eq!(light.pauses[0].length, light.timer - light.moving);
    assert_eq!(light.source, Some(MovingSource::Speed));
}

#[test]
fn half_a_metre_a_second_is_standing_for_a_runner_and_a_metre_for_a_rider() {
    // A minute at a speed, after a minute of clear motion.
    let at_speed = |mm_s, sport| {
        let speed = move |second: usize| Some(if second < 60 { 5000 } else { mm_s });
        motion_of(&every_second(120, &[(Channel::Speed, &speed)]), sport).moving.whole_seconds()
    };
    assert!((60..70).contains(&at_speed(500, Sport::Running)));
    assert_eq!(at_speed(501, Sport::Running), 120);
    assert!((60..70).contains(&at_speed(1000, Sport::Cycling)));
    assert_eq!(at_speed(1001, Sport::Cycling), 120);
    assert_eq!(at_speed(0, Sport::Strength), 120, "nobody moves a bench");
}

#[test]
fn recording_without_motion_counts_whole() {
    let treadmill = every_second(600, &[(Channel::Speed, &|_| Some(0))]);
    let times = motion_of(&treadmill, Sport::Running);
    assert_eq!((seconds(&times), times.source), ((600, 600, 600), Some(MovingSource::Recording)));
}

#[test]
fn speed_gap_with_distance_is_moving_and_without_is_a_stop() {
    // Two minutes without GPS, then 360 m further or at the same place.
    let through = |mm: usize| {
        let known = move |second: usize| !(300..420).contains(&second);
        let speed = move |second: usize| known(second).then_some(3000);
        let way = move |second: usize| {
            let mm =
                if second < 300 { second * 3000 } else { 900_000 + mm + (second - 420.min(second)) * 3000 };
            known(second).then_some(mm as i32)
        };
        let heart = |second: usize| Some(140 + (second % 3) as i32);
        let channels: [super::super::fixtures::ChannelSamples<'_>; 3] =
            [(Channel::Speed, &speed), (Channel::Distance, &way), (Channel::HeartRate, &heart)];
        motion_of(&every_second(900, &channels), Sport::Running).moving.whole_seconds()
    };
    assert_eq!(through(360_000), 900);
    assert!((780..800).contains(&through(0)), "{}", through(0));
}

#[test]
fn a_trainer_moves_without_speed() {
    let recording = every_second(60, &[(Channel::Speed, &|_| Some(0)), (Channel::Power, &|_| Some(180))]);
    assert_eq!(motion_of(&recording, Sport::Cycling).moving, TimeSpan::from_secs(60));
}

#[test]
fn a_stopped_watch_is_elapsed_time_only() {
    let moments: Vec<i32> = (0..100).chain(700..800).map(|second| second * 1000 + 5000).collect();
    let times = motion_of(&recording_at(moments, &[(Channel::Speed, &|_| Some(3000))]), Sport::Running);
    assert_eq!(seconds(&times), (800, 200, 200));
    let pause = Pause { start: TimeSpan::from_secs(105), length: TimeSpan::from_secs(600) };
    assert_eq!(times.pauses, [pause]);
}

#[test]
fn a_sparse_recording_moves_where_the_distance_grew() {
    // A sample every ten seconds; after the third the distance stands still.
    let distance = |sample: usize| Some((sample.min(3) * 30_000) as i32);
    let moments: Vec<i32> = (0..8).map(|sample| sample * 10_000).collect();
    let times = motion_of(&recording_at(moments, &[(Channel::Distance, &distance)]), Sport::Running);
    let moving = times.moving.whole_seconds();
    assert!((30..=36).contains(&moving), "{moving}");
}

/// Two minutes at a crossing that the watch did not pause for.
fn run_with_crossing(activity: &Activity) -> Times {
    let speed = |second: usize| Some(if (200..320).contains(&second) { 0 } else { 3000 });
    measured(&every_second(600, &[(Channel::Speed, &speed)]), activity)
}

#[test]
fn moving_time_is_computed_whatever_the_device_reports() {
    let mut run = activity(Sport::Running);
    let without = run_with_crossing(&run);
    assert_eq!((seconds(&without), without.source), ((600, 600, 487), Some(MovingSource::Speed)));
    // A FIT file reports the timer, a TCX file the lap times, a GPX file nothing.
    for told in [600, 480] {
        run.moving = Some(TimeSpan::from_secs(told));
        assert_eq!(run_with_crossing(&run), without);
    }
}

#[test]
fn moving_time_set_by_the_athlete_stands() {
    let mut run = activity(Sport::Running);
    (run.moving, run.moving_is_edited) = (Some(TimeSpan::from_secs(450)), true);
    let times = run_with_crossing(&run);
    assert_eq!((seconds(&times), times.source), ((600, 600, 450), Some(MovingSource::Athlete)));
    run.moving = Some(TimeSpan::from_secs(9999));
    assert_eq!(seconds(&run_with_crossing(&run)), (9999, 9999, 9999));
}

#[test]
fn moving_time_is_not_longer_than_the_elapsed_time_of_the_device() {
    let mut run = activity(Sport::Running);
    run.elapsed = Some(TimeSpan::from_secs(599));
    let without_stop = every_second(600, &[(Channel::Speed, &|_| Some(3000))]);
    assert_eq!(seconds(&measured(&without_stop, &run)), (599, 599, 599));
    run.elapsed = Some(TimeSpan::from_secs(300));
    assert_eq!(seconds(&measured(&without_stop, &run)), (600, 600, 600), "samples win over a header");
}

#[test]
fn device_moving_time_is_used_where_samples_cannot_tell() {
    let mut swim = activity(Sport::Swimming);
    (swim.moving, swim.elapsed) = (Some(TimeSpan::from_secs(1500)), Some(TimeSpan::from_secs(1800)));
    // One sample per pool length, 50 s apart.
    let lengths = recording_at(
        (0..36).map(|length| length * 50_000).collect(),
        &[(Channel::Distance, &|sample| Some(sample as i32 * 25_000))],
    );
    let times = measured(&lengths, &swim);
    assert_eq!((times.moving.whole_seconds(), times.source), (1500, Some(MovingSource::Device)));
    // Samples of the first five minutes of half an hour.
    let mut run = activity(Sport::Running);
    (run.moving, run.elapsed) = (swim.moving, swim.elapsed);
    let times = measured(&every_second(300, &[(Channel::Speed, &|_| Some(3000))]), &run);
    assert_eq!((times.moving.whole_seconds(), times.source), (1500, Some(MovingSource::Device)));
}

#[test]
fn break_with_distance_is_moving_time() {
    // A track point every 40 s; a pause of three minutes, then two of ten with 1.8 km.
    let moments: Vec<i32> =
        [0, 40, 80, 120, 300, 340, 380, 980].into_iter().map(|second| second * 1000).collect();
    let way = [0, 120, 240, 360, 361, 480, 600, 2400];
    let track = recording_at(moments, &[(Channel::Distance, &|sample| Some(way[sample] * 1000))]);
    let times = motion_of(&track, Sport::Running);
    assert!((200..=206).contains(&times.moving.whole_seconds()), "{times:?}");
    assert_eq!(times.pauses.iter().map(|pause| pause.length.whole_seconds()).max(), Some(599));
}

#[test]
fn times_without_recording_come_from_the_summary() {
    let mut run = activity(Sport::Running);
    assert_eq!(seconds(&times_from_summary(&run)), (0, 0, 0));
    run.elapsed = Some(TimeSpan::from_secs(100));
    run.moving = Some(TimeSpan::from_secs(90));
    assert_eq!(seconds(&times_from_summary(&run)), (100, 90, 90));
    run.moving = Some(TimeSpan::from_secs(-5));
    run.elapsed = Some(TimeSpan::from_secs(-7));
    assert_eq!(seconds(&times_from_summary(&run)), (0, 0, 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn moving_is_within_timer_and_timer_within_elapsed(
        recording in hostile_recording(),
        told in prop::option::of(-10_000_000_i64..10_000_000),
        sport in prop::sample::select(Sport::ALL),
    ) {
        let mut activity = activity(sport);
        activity.moving = told.map(TimeSpan::from_ms);
        let times = measured(&recording, &activity);
        prop_assert!(times.moving <= times.timer, "{times:?}");
        prop_assert!(times.timer <= times.elapsed, "{times:?}");
        prop_assert!(times.moving >= TimeSpan::ZERO);
        for pair in times.pauses.windows(2) {
            prop_assert!(pair[0].start + pair[0].length <= pair[1].start);
        }
    }
}
