//! Seconds, gaps and impossible values.

use super::super::fixtures::{every_second, hostile_recording, recording_at};
use super::*;
use proptest::prelude::*;

#[test]
fn samples_up_to_20_seconds_apart_are_interpolated() {
    let at = |moments: Vec<i32>| {
        let recording = recording_at(moments, &[(Channel::Power, &|sample| Some(100 + 20 * sample as i32))]);
        let sampled = SampledRecording::from_recording(&recording, Sport::Cycling);
        (sampled.power.unwrap(), sampled.interpolated_power)
    };
    let (near, interpolated) = at(vec![0, 6000]);
    assert_eq!((near[5], near[6], interpolated), (Some(100), Some(120), 0), "held");
    let (apart, interpolated) = at(vec![0, 20_000]);
    assert_eq!((apart[1], apart[10], apart[19], interpolated), (Some(101), Some(110), Some(119), 19));
    let (gap, interpolated) = at(vec![0, 21_000, 22_000]);
    assert_eq!((gap[5], gap[6], gap[20], interpolated), (Some(100), None, None, 0), "held, then a gap");
}

#[test]
fn of_several_samples_in_a_second_the_last_known_counts() {
    let recording = recording_at(
        vec![0, 400, 999, 1000],
        &[(Channel::HeartRate, &|n| [Some(100), Some(101), None, Some(103)][n])],
    );
    assert_eq!(
        SampledRecording::from_recording(&recording, Sport::Running).heart_rate.unwrap(),
        [Some(101), Some(103)]
    );
}

#[test]
fn weeks_between_two_samples_cost_no_memory() {
    let recording = recording_at(vec![i32::MIN + 1, 0, i32::MAX], &[(Channel::Power, &|_| Some(200))]);
    let line = Timeline::from_recording(&recording);
    assert_eq!((line.len(), line.chunks().len()), (3, 3));
    assert_eq!(line.offset_ms(0), i64::from(i32::MIN) + 1);
    assert_eq!(line.span_s(), 4_294_967 + 1);
}

#[test]
fn a_recording_of_weeks_is_cut_after_two_days() {
    // A sample every 30 s is never a break: 20 days of them.
    let moments: Vec<i32> = (0..57_600).map(|sample| sample * 30_000).collect();
    let recording = recording_at(moments, &[(Channel::Power, &|_| Some(200))]);
    let sampled = SampledRecording::from_recording(&recording, Sport::Cycling);
    assert!(sampled.is_truncated);
    assert_eq!(sampled.timeline.len(), MAX_SECONDS);
    assert_eq!(sampled.power.unwrap().len(), MAX_SECONDS);
}

#[test]
fn empty_and_single_sample_recordings_work() {
    let nothing = SampledRecording::from_recording(&Recording::default(), Sport::Running);
    assert!(nothing.timeline.is_empty() && !nothing.is_truncated);
    let one = SampledRecording::from_recording(
        &every_second(1, &[(Channel::HeartRate, &|_| Some(140))]),
        Sport::Running,
    );
    assert_eq!((one.timeline.len(), one.heart_rate), (1, Some(vec![Some(140)])));
}

#[test]
fn implausible_samples_are_left_out() {
    let of = |channel, values: &'static [i32], sport| {
        let shown = move |sample: usize| Some(values[sample]);
        // Ten seconds apart, so that no value is held over a rejected one.
        let moments = (0..values.len()).map(|sample| sample as i32 * 10_000).collect();
        SampledRecording::from_recording(&recording_at(moments, &[(channel, &shown)]), sport)
    };
    let tenth = |len: usize| (0..len).map(|sample| sample * 10);
    let heart =
        of(Channel::HeartRate, &[24, 25, 230, 231, 255, -1, i32::MAX], Sport::Running).heart_rate.unwrap();
    let kept: Vec<_> = tenth(7).map(|second| heart[second]).collect();
    assert_eq!(kept, [None, Some(25), Some(230), None, None, None, None]);
    let power = of(Channel::Power, &[-1, 0, 2500, 2501], Sport::Cycling).power.unwrap();
    assert_eq!(tenth(4).map(|second| power[second]).collect::<Vec<_>>(), [None, Some(0), Some(2500), None]);
    let cadence = of(Channel::Cadence, &[-10, 0, 2600, 2601], Sport::Running).cadence.unwrap();
    assert_eq!(
        tenth(4).map(|second| cadence[second]).collect::<Vec<_>>(),
        [None, Some(0.0), Some(260.0), None]
    );
    let speed = of(Channel::Speed, &[-1, 0, 9_000, 13_000], Sport::Running).speed.unwrap();
    assert_eq!(tenth(4).map(|second| speed[second]).collect::<Vec<_>>(), [None, Some(0), Some(9_000), None]);
    assert!(
        of(Channel::Altitude, &[0, 0, 0], Sport::Running).altitude.is_none(),
        "zero throughout is no altitude"
    );
    assert!(of(Channel::HeartRate, &[0, 0], Sport::Running).heart_rate.is_none());
}

#[test]
fn a_sprint_of_five_seconds_stays_and_a_run_of_six_at_that_speed_goes() {
    let run = |burst: usize| {
        let shown =
            move |sample: usize| Some(if (10..10 + burst).contains(&sample) { 11_000 } else { 3_000 });
        let speed =
            SampledRecording::from_recording(&every_second(30, &[(Channel::Speed, &shown)]), Sport::Running)
                .speed
                .unwrap();
        (speed.iter().flatten().count(), speed[12])
    };
    assert_eq!(run(5), (30, Some(11_000)));
    assert_eq!(run(6), (24, None));
}

#[test]
fn a_jump_of_altitude_is_refused_until_it_stays() {
    let spike = |sample| Some(if sample == 5 { 500_000 } else { 100_000 });
    let altitude =
        SampledRecording::from_recording(&every_second(10, &[(Channel::Altitude, &spike)]), Sport::Running)
            .altitude
            .unwrap();
    assert_eq!(altitude[5], None);
    assert_eq!(altitude.iter().flatten().count(), 9);
    let step = |sample| Some(if sample >= 5 { 500_000 } else { 100_000 });
    let altitude =
        SampledRecording::from_recording(&every_second(30, &[(Channel::Altitude, &step)]), Sport::Running)
            .altitude
            .unwrap();
    assert_eq!(altitude[29], Some(500.0));
    assert_eq!(altitude[6], None);
}

#[test]
fn speed_comes_from_distance_where_the_device_gave_none() {
    let recording = recording_at(
        vec![0, 4000, 5000, 30_000, 31_000],
        &[(Channel::Distance, &|n| Some([0, 12_000, 15_000, 90_000, 89_000][n]))],
    );
    let speed = SampledRecording::from_recording(&recording, Sport::Running).speed.unwrap();
    assert_eq!(speed[..6], [Some(3000); 6]);
    assert!(speed[6..].iter().all(Option::is_none), "a gap of 25 s and a step backwards say nothing");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_recording_is_laid_out_within_bounds(recording in hostile_recording()) {
        let sampled = SampledRecording::from_recording(&recording, Sport::Running);
        let line = &sampled.timeline;
        prop_assert!(line.len() <= MAX_SECONDS);
        prop_assert!(line.len() as i64 <= line.span_s());
        prop_assert_eq!(line.chunks().iter().map(|chunk| chunk.at.len()).sum::<usize>(), line.len());
        for pair in line.chunks().windows(2) {
            prop_assert_eq!(pair[0].at.end, pair[1].at.start);
            prop_assert!(pair[0].second + seconds_i64(pair[0].at.len()) + BREAK_S <= pair[1].second + 1);
        }
        for index in 0..line.len() {
            prop_assert_eq!(line.index_at(line.offset_ms(index)), index);
        }
    }
}
