//! Best efforts compared with a naive implementation, and data that must not become one.

use super::super::fixtures::{assert_near, every_second, hostile_recording, recording_at};
use super::*;
use crate::domain::sport::Sport;
use proptest::prelude::*;

fn efforts_of(recording: &Recording) -> Vec<BestEffort> {
    let sampled = SampledRecording::from_recording(recording, Sport::Running);
    efforts(&TimeDistanceCurve::from_recording(recording, &sampled), &sampled.timeline, None, None)
}

fn seconds_over(efforts: &[BestEffort], meters: i64) -> Option<f64> {
    let effort = efforts.iter().find(|effort| effort.distance.mm() == meters * 1000)?;
    Some(effort.time.seconds())
}

/// 10 km with the given seconds for each half.
fn ten_kilometres(first: usize, second: usize) -> Recording {
    let way = move |at: usize| {
        let mm =
            if at <= first { 5_000_000 * at / first } else { 5_000_000 + 5_000_000 * (at - first) / second };
        Some(mm as i32)
    };
    every_second(first + second + 1, &[(Channel::Distance, &way)])
}

#[test]
fn ten_even_kilometres_in_fifty_minutes_hold_five_in_twenty_five() {
    let efforts = efforts_of(&ten_kilometres(1500, 1500));
    assert_near(seconds_over(&efforts, 5000).unwrap(), 1500.0, 0.05);
    assert_near(seconds_over(&efforts, 10_000).unwrap(), 3000.0, 0.001);
    assert_near(seconds_over(&efforts, 400).unwrap(), 120.0, 0.05);
    assert_eq!(seconds_over(&efforts, 15_000), None);
}

#[test]
fn a_negative_split_has_its_best_in_the_second_half() {
    let efforts = efforts_of(&ten_kilometres(1600, 1400));
    let five = efforts.iter().find(|effort| effort.distance.mm() == 5_000_000).unwrap();
    assert_near(five.time.seconds(), 1400.0, 0.05);
    assert_near(five.start.seconds(), 1600.0, 0.05);
}

#[test]
fn a_file_exactly_as_long_as_the_distance_is_its_own_best() {
    let moments: Vec<i32> = vec![500, 11_000, 23_000, 33_500, 45_000, 57_000, 68_000, 79_250, 90_500];
    let recording = recording_at(moments, &[(Channel::Distance, &|sample| Some(sample as i32 * 50_000))]);
    let efforts = efforts_of(&recording);
    assert_eq!(seconds_over(&efforts, 400), Some(90.0));
    assert_eq!(efforts[0].start, TimeSpan::from_ms(500));
    let short = recording_at(
        (0..8).map(|s| s * 10_000).collect(),
        &[(Channel::Distance, &|sample| Some(sample as i32 * 57_000))],
    );
    assert_eq!(seconds_over(&efforts_of(&short), 400), None, "a metre short is not the distance");
}

#[test]
fn a_pause_counts_as_time() {
    // 500 m in 150 s, two minutes of pause, 500 m in 150 s.
    let moments: Vec<i32> = (0..=150).chain(270..=420).map(|second| second * 1000).collect();
    let way = |sample: usize| {
        Some(if sample <= 150 { sample * 10_000 / 3 } else { (sample - 1) * 10_000 / 3 } as i32)
    };
    let efforts = efforts_of(&recording_at(moments, &[(Channel::Distance, &way)]));
    assert_near(seconds_over(&efforts, 1000).unwrap(), 420.0, 0.01);
    assert_near(seconds_over(&efforts, 400).unwrap(), 120.0, 0.01);
}

#[test]
fn gps_gap_makes_no_best_effort() {
    // A gap of 16 s at a plausible speed: the route is unknown.
    let moments: Vec<i32> = (0..=200).chain(216..=416).map(|second| second * 1000).collect();
    let way = |sample: usize| Some((sample * 3000 + if sample > 200 { 45_000 } else { 0 }) as i32);
    let efforts = efforts_of(&recording_at(moments, &[(Channel::Distance, &way)]));
    assert_near(seconds_over(&efforts, 400).unwrap(), 400.0 / 3.0, 0.05);
    assert_eq!(seconds_over(&efforts, 800), None, "neither side has 800 m");
}

#[test]
fn a_jump_makes_no_best() {
    // 200 m in one second, half way through an hour at 3 m/s.
    let way = |second: usize| Some((second * 3000 + if second > 1800 { 200_000 } else { 0 }) as i32);
    let efforts = efforts_of(&every_second(3600, &[(Channel::Distance, &way)]));
    for meters in [400, 800, 1000, 5000] {
        assert_near(seconds_over(&efforts, meters).unwrap(), meters as f64 / 3.0, 0.05);
    }
    assert_eq!(seconds_over(&efforts, 10_000), None, "whatever holds 10 km holds the jump");
}

#[test]
fn a_car_ride_makes_no_best_but_a_sprint_does() {
    let at_speed = |mm_s: usize| {
        efforts_of(&every_second(600, &[(Channel::Distance, &move |second| Some((second * mm_s) as i32))]))
    };
    assert!(at_speed(15_000).is_empty());
    assert!(seconds_over(&at_speed(9_000), 400).is_some());
    assert_eq!(seconds_over(&at_speed(9_000), 5000), None, "1.36 times the record speed");
    assert!(at_speed(0).is_empty());
}

#[test]
fn a_whole_distance_in_one_step_is_no_effort() {
    let recording =
        recording_at(vec![0, 1000], &[(Channel::Distance, &|sample| Some(sample as i32 * 60_000_000))]);
    assert!(efforts_of(&recording).is_empty());
}

#[test]
fn a_jump_right_after_a_long_pause_makes_no_best() {
    let moments: Vec<i32> = (0..100).chain(20_000..20_002).map(|second| second * 1000).collect();
    let way = |sample: usize| Some((sample * 3000 + if sample > 100 { 900_000 } else { 0 }) as i32);
    let efforts = efforts_of(&recording_at(moments, &[(Channel::Distance, &way)]));
    assert!(efforts.is_empty(), "neither side has 400 m: {efforts:?}");
}

#[test]
fn what_is_broken_for_a_shorter_distance_is_broken_for_a_longer() {
    // Two seconds at 10.2 m/s amid 4 m/s: too fast for 800 m, but not over the longer segments of 1
    // km.
    let way = |second: usize| Some((second * 4000 + second.clamp(125, 127) * 6200 - 125 * 6200) as i32);
    let efforts = efforts_of(&every_second(251, &[(Channel::Distance, &way)]));
    assert!(seconds_over(&efforts, 400).is_some());
    assert_eq!((seconds_over(&efforts, 800), seconds_over(&efforts, 1000)), (None, None));
}

#[test]
fn speed_is_added_up_where_there_is_no_distance() {
    let efforts = efforts_of(&every_second(600, &[(Channel::Speed, &|_| Some(4000))]));
    assert_near(seconds_over(&efforts, 1000).unwrap(), 250.0, 0.001);
}

#[test]
fn a_distance_that_never_grows_is_no_distance() {
    let recording =
        every_second(600, &[(Channel::Speed, &|_| Some(4000)), (Channel::Distance, &|_| Some(0))]);
    assert_near(seconds_over(&efforts_of(&recording), 1000).unwrap(), 250.0, 0.001);
}

#[test]
fn effort_has_mean_heart_rate() {
    let recording = every_second(
        1001,
        &[
            (Channel::Distance, &|second| {
                Some(if second <= 500 { second * 3000 } else { 1_500_000 + (second - 500) * 4000 } as i32)
            }),
            (Channel::HeartRate, &|second| Some(if second <= 500 { 130 } else { 170 })),
        ],
    );
    let sampled = SampledRecording::from_recording(&recording, Sport::Running);
    let heart = PrefixSums::from_series(&sampled.timeline, sampled.heart_rate.as_ref().unwrap());
    let efforts = efforts(
        &TimeDistanceCurve::from_recording(&recording, &sampled),
        &sampled.timeline,
        Some(&heart),
        None,
    );
    let kilometre = efforts.iter().find(|effort| effort.distance.mm() == 1_000_000).unwrap();
    assert_near(kilometre.heart_rate.unwrap(), 170.0, 0.3);
}

/// Tries every pair of points.
fn fastest_naive(track: &TimeDistanceCurve, distance: i64, broken: &[bool]) -> Option<f64> {
    let points = &track.0;
    let mut best: Option<f64> = None;
    for high in 1..points.len() {
        for low in (0..high).rev() {
            if broken[low + 1] {
                break;
            }
            let excess = points[high].1 - points[low].1 - distance;
            if excess >= 0 {
                let step = (points[low + 1].1 - points[low].1) as f64;
                let part = if step > 0.0 { excess as f64 / step } else { 0.0 };
                let start = points[low].0 as f64 + part * (points[low + 1].0 - points[low].0) as f64;
                let time = points[high].0 as f64 - start;
                best = Some(best.map_or(time, |best| best.min(time)));
                break;
            }
        }
    }
    best
}

fn points() -> impl Strategy<Value = Vec<(i64, i64)>> {
    let step = (
        prop_oneof![6 => Just(1000_i64), 2 => 0..4000_i64, 1 => 0..60_000_i64],
        prop_oneof![6 => 0..6000_i64, 1 => Just(0), 1 => -3000..200_000_i64],
    );
    prop::collection::vec(step, 2..250).prop_map(|steps| {
        steps
            .into_iter()
            .scan((0, 0), |sum, (ms, mm)| {
                *sum = (sum.0 + ms, sum.1 + mm);
                Some(*sum)
            })
            .collect()
    })
}

/// Checks the segments that end at every point, not only those with a too-fast step.
fn find_broken_naive(track: &TimeDistanceCurve, distance: i64, record: f64) -> Vec<bool> {
    let (points, mut broken) = (&track.0, vec![false; track.0.len()]);
    let (top, stretch) = (top_speed(distance, record), ((record / 60.0).clamp(2.0, 10.0) * 1000.0) as i64);
    for high in 1..points.len() {
        let low = (0..high).rev().find(|low| points[high].0 - points[*low].0 >= stretch).unwrap_or(0);
        for from in [low, low + 1] {
            let (time, way) = (points[high].0 - points[from].0, points[high].1 - points[from].1);
            if way as f64 * 1000.0 > top * time.max(stretch) as f64 {
                broken[from + 1..=high].fill(true);
            }
        }
    }
    broken
}

proptest! {
    #[test]
    fn every_broken_segment_contains_a_too_fast_step(points in points(), slower in 1_i64..5) {
        let track = TimeDistanceCurve::new(points.into_iter().map(|(ms, mm)| (ms * slower, mm)));
        let hasty = track.too_fast_steps();
        for (distance, record) in WORLD_RECORDS {
            let mut broken = vec![false; track.0.len()];
            track.find_broken(distance, record, &hasty, &mut broken);
            prop_assert_eq!(broken, find_broken_naive(&track, distance, record));
        }
    }

    #[test]
    fn fastest_matches_naive_search(points in points(), distance in 10_000_i64..500_000) {
        let track = TimeDistanceCurve::new(points);
        let mut broken = track.gaps();
        track.find_broken(distance, distance as f64 / 9300.0, &track.too_fast_steps(), &mut broken);
        let fast = track.fastest(distance, &broken).map(|(_, time)| time);
        let slow = fastest_naive(&track, distance, &broken);
        prop_assert_eq!(fast.is_some(), slow.is_some());
        if let (Some(fast), Some(slow)) = (fast, slow) {
            prop_assert!((fast - slow).abs() < 1e-6, "{fast} {slow}");
        }
    }

    #[test]
    fn a_longer_distance_never_takes_less_time(points in points(), stretch in 1_i64..40) {
        let track = TimeDistanceCurve::new(points.into_iter().map(|(ms, mm)| (ms * stretch, mm * stretch)));
        let efforts = efforts(&track, &Timeline::default(), None, None);
        prop_assert!(efforts.windows(2).all(|pair| pair[0].time <= pair[1].time), "{efforts:?}");
    }

    #[test]
    fn any_recording_gives_positive_times(recording in hostile_recording()) {
        prop_assert!(efforts_of(&recording).iter().all(|effort| effort.time > TimeSpan::ZERO));
    }
}

#[test]
fn effort_has_net_grade() {
    use super::super::activity::measure;
    // 3 m/s down a hill of 15 m in a kilometre, by a barometer.
    let recording = every_second(
        600,
        &[
            (Channel::Speed, &|_| Some(3000)),
            (Channel::Distance, &|second| Some(second as i32 * 3000)),
            (Channel::Altitude, &|second| Some(500_000 - second as i32 * 45)),
        ],
    );
    let mut run = super::super::fixtures::activity(crate::domain::sport::Sport::Running);
    run.ascent = Some(Distance::ZERO);
    let grades = measure(&run, Some(&recording), &[]).efforts;
    assert!(!grades.is_empty());
    for effort in grades {
        let grade = effort.net_grade.unwrap();
        assert!((-0.0155..=-0.0145).contains(&grade), "{effort:?}");
    }
    let flat = every_second(600, &[(Channel::Distance, &|second| Some(second as i32 * 3000))]);
    assert_eq!(measure(&run, Some(&flat), &[]).efforts[0].net_grade, None, "no altitude, no grade");
}
