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

/// 200 s at 3 m/s, a gap of that length and distance, another 200 s at 3 m/s.
fn run_with_gap(seconds: i32, meters: i32) -> Vec<BestEffort> {
    let moments = (0..=200).chain(200 + seconds..=400 + seconds).map(|second| second * 1000).collect();
    let way = move |sample: usize| {
        let at = sample as i32;
        Some(if at <= 200 { at * 3000 } else { (at - 1) * 3000 + meters * 1000 })
    };
    efforts_of(&recording_at(moments, &[(Channel::Distance, &way)]))
}

#[test]
fn gps_gap_at_running_speed_counts_as_recorded() {
    for (seconds, meters) in [(16, 48), (20, 60), (60, 150), (300, 900)] {
        let efforts = run_with_gap(seconds, meters);
        assert_near(seconds_over(&efforts, 400).unwrap(), 400.0 / 3.0, 0.05);
        let slower = f64::from(seconds) - f64::from(meters) / 3.0;
        assert_near(seconds_over(&efforts, 1000).unwrap(), 1000.0 / 3.0 + slower, 0.05);
    }
}

#[test]
fn gps_gap_faster_than_the_run_adds_no_speed() {
    // 5 m/s over 20 s counts as 3 m/s.
    assert_near(seconds_over(&run_with_gap(20, 100), 1000).unwrap(), 1000.0 / 3.0, 0.05);
    // Longer, and nobody knows how the way was covered.
    let ride = run_with_gap(120, 600);
    assert_near(seconds_over(&ride, 400).unwrap(), 400.0 / 3.0, 0.05);
    assert_eq!(seconds_over(&ride, 800), None, "neither side has 800 m");
    assert_eq!(seconds_over(&run_with_gap(400, 1200), 800), None, "more than five minutes unrecorded");
}

#[test]
fn a_jump_is_bridged_and_makes_no_best() {
    // 200 m in one second, half way through an hour at 3 m/s.
    let way = |second: usize| Some((second * 3000 + if second > 1800 { 200_000 } else { 0 }) as i32);
    let efforts = efforts_of(&every_second(3600, &[(Channel::Distance, &way)]));
    for meters in [400, 800, 1000, 5000, 10_000] {
        assert_near(seconds_over(&efforts, meters).unwrap(), meters as f64 / 3.0, 0.05);
    }
}

/// The run of the report: 10.2 km in 44:19 with one hiccup of the GPS.
#[test]
fn ten_kilometre_run_with_one_hiccup_has_its_5_km_and_10_km_best() {
    let even = 10_200.0 / 2659.0;
    for hiccup in [(1_u32, 60.0), (3, 25.0), (8, 12.0), (15, 9.0)] {
        let (seconds, speed) = (f64::from(hiccup.0), hiccup.1);
        let way = move |second: usize| {
            let burst = (second as f64 - 1300.0).clamp(0.0, seconds);
            Some(((second as f64 * even + burst * (speed - even)) * 1000.0) as i32)
        };
        let efforts = efforts_of(&every_second(2660, &[(Channel::Distance, &way)]));
        for meters in [5000, 10_000] {
            let found = seconds_over(&efforts, meters).unwrap_or_else(|| panic!("{meters} {hiccup:?}"));
            assert_near(found, meters as f64 / even, 2.0);
        }
    }
}

#[test]
fn a_distance_that_jumps_ahead_and_falls_back_loses_nothing() {
    // One sample 500 m too far.
    let way = |second: usize| Some((second * 4000 + if second == 700 { 500_000 } else { 0 }) as i32);
    let efforts = efforts_of(&every_second(1300, &[(Channel::Distance, &way)]));
    assert_near(seconds_over(&efforts, 5000).unwrap(), 1250.0, 0.05);
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
fn what_is_bridged_for_a_shorter_distance_is_bridged_for_a_longer() {
    // Two seconds at 10.2 m/s amid 4 m/s: too fast for 800 m, but not over the longer segments of 1
    // km.
    let way = |second: usize| Some((second * 4000 + second.clamp(125, 127) * 6200 - 125 * 6200) as i32);
    let efforts = efforts_of(&every_second(252, &[(Channel::Distance, &way)]));
    assert_near(seconds_over(&efforts, 400).unwrap(), 100.0 - 12.4 / 4.0, 0.05);
    assert_near(seconds_over(&efforts, 800).unwrap(), 200.0, 0.05);
    assert_near(seconds_over(&efforts, 1000).unwrap(), 250.0, 0.05);
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

/// A run of 15 to 70 min at a changing pace with stops, with and without a burst of 1 to 8 s at an
/// impossible speed.
fn run_with_burst() -> impl Strategy<Value = (TimeDistanceCurve, TimeDistanceCurve)> {
    let phase = (30_usize..400, prop_oneof![6 => 2500_i64..5000, 1 => Just(0)]);
    let phases = prop::collection::vec(phase, 6..12);
    (phases, 0.1..0.9_f64, 1_usize..=8, 14_000..200_000_i64).prop_map(|(phases, at, length, speed)| {
        let steps: Vec<i64> =
            phases.iter().flat_map(|(seconds, speed)| std::iter::repeat_n(*speed, *seconds)).collect();
        let from = (at * steps.len() as f64) as usize;
        let curve = |burst: Option<i64>| {
            let step = |(second, usual): (usize, &i64)| match burst {
                Some(speed) if (from..from + length).contains(&second) => speed,
                _ => *usual,
            };
            let ways = steps.iter().enumerate().map(step).scan(0, |way, step| {
                *way += step;
                Some(*way)
            });
            TimeDistanceCurve::new(std::iter::once((0, 0)).chain((1..).map(|s| s * 1000).zip(ways)))
        };
        (curve(Some(speed)), curve(None))
    })
}

/// Distance of the steps at an impossible speed, millimetres.
fn run_with_burst_excess(track: &TimeDistanceCurve) -> i64 {
    let steps = track.0.windows(2).map(|step| step[1].1 - step[0].1);
    steps.filter(|way| *way >= 14_000).sum()
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
        let mut track = TimeDistanceCurve::new(points);
        let hasty = track.too_fast_steps();
        let around = PlausibleSpeed::new(&track.0, &hasty);
        let mut broken = track.bridge_gaps(&around);
        track.find_broken(distance, distance as f64 / 9300.0, &hasty, &mut broken);
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

    /// Of k segments that fit into a run side by side, one takes at most a k-th of its time. Over
    /// an even run this is its mean pace.
    #[test]
    fn no_best_is_slower_than_the_run(run in run_with_burst()) {
        let (track, _) = run;
        let efforts = efforts(&track, &Timeline::default(), None, None);
        let (first, last) = (track.0[0], track.0[track.0.len() - 1]);
        // What a burst adds is not part of the run.
        let length = track.length().mm() - run_with_burst_excess(&track);
        for (distance, _) in WORLD_RECORDS.iter().filter(|(distance, _)| *distance <= length) {
            let best = efforts.iter().find(|effort| effort.distance.mm() == *distance);
            let best = best.unwrap_or_else(|| panic!("no best over {distance}")).time.ms();
            prop_assert!(best <= (last.0 - first.0) / (length / distance) + 1, "{distance}: {best}");
        }
    }

    /// The speed during a burst is unknown, so a best may differ by what fits into it.
    #[test]
    fn a_burst_makes_no_best_faster(run in run_with_burst()) {
        let (with, without) = run;
        let best = |track: &TimeDistanceCurve| efforts(track, &Timeline::default(), None, None);
        let (with, without) = (best(&with), best(&without));
        for effort in with.iter().filter(|effort| effort.distance.mm() >= 1_000_000) {
            let clean = without.iter().find(|clean| clean.distance == effort.distance);
            let clean = clean.unwrap_or_else(|| panic!("{effort:?} only with a burst")).time.ms();
            prop_assert!(effort.time.ms() >= clean - 10_000, "{effort:?}, {clean} ms without the burst");
        }
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
