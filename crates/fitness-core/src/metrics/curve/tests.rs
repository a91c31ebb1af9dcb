//! Mean-max curves compared with a naive implementation.

use super::super::fixtures::{assert_near, every_second, hostile_recording, recording_at};
use super::super::per_second::SampledRecording;
use super::*;
use crate::domain::sport::Sport;
use crate::domain::stream::{Channel, Recording};
use proptest::prelude::*;

fn power(recording: &Recording) -> (Timeline, Series<u16>) {
    let sampled = SampledRecording::from_recording(recording, Sport::Cycling);
    (sampled.timeline, sampled.power.unwrap_or_default())
}

#[test]
fn there_are_about_120_lengths_and_the_round_ones_are_among_them() {
    let lengths = durations();
    assert!((110..=130).contains(&lengths.len()), "{}", lengths.len());
    assert!(EFFORT_SECONDS.iter().all(|seconds| lengths.contains(seconds)));
    assert!(lengths.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn a_minute_of_400_watts_in_an_hour_of_200() {
    let recording = every_second(
        3600,
        &[(Channel::Power, &|second| Some(if (600..660).contains(&second) { 400 } else { 200 }))],
    );
    let (line, series) = power(&recording);
    let sums = PrefixSums::from_series(&line, &series);
    let curve = MeanMaxCurve::from_peaks(&Peaks::from_sums(&sums));
    assert_eq!((curve.at(1), curve.at(60), curve.at(120)), (Some(400.0), Some(400.0), Some(300.0)));
    assert_near(curve.at(3600).unwrap(), (3540.0 * 200.0 + 60.0 * 400.0) / 3600.0, 0.05);
    assert_eq!(curve.at(5400), None, "the recording does not reach that far");
    let efforts = timed_efforts(&line, &Peaks::from_sums(&sums), None);
    let minute = efforts.iter().find(|effort| effort.time == TimeSpan::from_secs(60)).unwrap();
    assert_eq!((minute.start, minute.value), (TimeSpan::from_secs(600), 400.0));
}

#[test]
fn no_window_reaches_over_a_stop_of_the_recording() {
    let moments: Vec<i32> = (0..100).chain(200..300).map(|second| second * 1000).collect();
    let (line, series) = power(&recording_at(moments, &[(Channel::Power, &|_| Some(250))]));
    let sums = PrefixSums::from_series(&line, &series);
    let mean = |seconds| sums.peak(seconds).map(|peak| peak.mean);
    assert_eq!((mean(100), mean(101)), (Some(250.0), None));
}

#[test]
fn a_window_with_too_much_unknown_does_not_count() {
    // Unknown for 20 of 100 seconds, five of which are held.
    let known = |second: usize| (!(50..70).contains(&second)).then_some(250);
    let (line, series) = power(&every_second(100, &[(Channel::Power, &known)]));
    let sums = PrefixSums::from_series(&line, &series);
    assert_eq!(sums.peak(100), None);
    assert_eq!(sums.peak(50), Some(PeakValue { start: 0, mean: 250.0 }));
}

#[test]
fn two_days_of_the_highest_speed_do_not_overflow() {
    let recording = every_second(172_800, &[(Channel::Speed, &|_| Some(60_000))]);
    let sampled = SampledRecording::from_recording(&recording, Sport::Other);
    let curve = MeanMaxCurve::from_peaks(&Peaks::from_sums(&PrefixSums::from_series(
        &sampled.timeline,
        sampled.speed.as_ref().unwrap(),
    )));
    assert!(curve.points().all(|(_, speed)| speed == 60_000.0));
    assert_eq!(curve.points().count(), durations().len());
}

#[test]
fn curve_round_trips_and_invalid_is_refused() {
    let curve = MeanMaxCurve(vec![4000, 3990, 3990, 2000]);
    let text = serde_json::to_string(&curve).unwrap();
    assert_eq!(text, "[4000,10,0,1990]");
    assert_eq!(serde_json::from_str::<MeanMaxCurve>(&text).unwrap(), curve);
    assert_eq!(serde_json::from_str::<MeanMaxCurve>("[]").unwrap(), MeanMaxCurve::default());
    let endless = format!("[{}]", vec!["0"; durations().len() + 1].join(","));
    for text in ["[1,2]", "[5,-1]", "[4294967296]", "7", &endless] {
        assert!(serde_json::from_str::<MeanMaxCurve>(text).is_err(), "{text}");
    }
}

/// The first of the best windows, and its mean.
fn peak_naive(line: &Timeline, series: &Series<u16>, seconds: usize) -> Option<(usize, f64)> {
    let mut best: Option<(usize, f64)> = None;
    for chunk in line.chunks() {
        for (start, window) in (chunk.at.start..).zip(series[chunk.at.clone()].windows(seconds)) {
            let known: Vec<f64> = window.iter().flatten().map(|watts| f64::from(*watts)).collect();
            let mean = known.iter().sum::<f64>() / known.len() as f64;
            if known.len() * 10 >= seconds * 9 && best.is_none_or(|(_, best)| mean > best) {
                best = Some((start, mean));
            }
        }
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn peak_matches_naive_search(
        recording in hostile_recording(), seconds in 1_usize..80, hint in any::<prop::sample::Index>(),
    ) {
        let (line, series) = power(&recording);
        if !series.is_empty() {
            let sums = PrefixSums::from_series(&line, &series);
            let (fast, slow) = (sums.peak(seconds), peak_naive(&line, &series, seconds));
            prop_assert_eq!(fast.map(|peak| (peak.start, peak.mean)), slow);
            // The hint does not change the result.
            let hinted = sums.peak_near(seconds, hint.index(series.len()));
            prop_assert_eq!(hinted, fast);
        }
    }

    #[test]
    fn round_to_u32_matches_round(value in prop_oneof![any::<f64>(), 0.0..1e5_f64, (0..99_999_u32).prop_map(|n| f64::from(n) / 2.0)]) {
        prop_assert_eq!(round_to_u32(value), value.round() as u32);
        prop_assert_eq!(round_to_u32(0.499_999_999_999_999_94), 0);
    }

    #[test]
    fn a_curve_never_rises(recording in hostile_recording()) {
        let (line, series) = power(&recording);
        let curve = MeanMaxCurve::from_peaks(&Peaks::from_sums(&PrefixSums::from_series(&line, &series)));
        let values: Vec<f64> = curve.points().map(|(_, value)| value).collect();
        prop_assert!(values.windows(2).all(|pair| pair[0] >= pair[1]));
        prop_assert!(values.iter().all(|value| value.is_finite()));
        let text = serde_json::to_string(&curve).unwrap();
        prop_assert_eq!(serde_json::from_str::<MeanMaxCurve>(&text).unwrap(), curve);
    }
}
