//! Worked examples of Coggan's formulas, and their scaling.

use super::*;
use crate::domain::sport::Sport;
use crate::domain::stream::Channel;
use crate::metrics::fixtures::{assert_near, recording_at};
use crate::metrics::per_second::{SampledRecording, Timeline};
use proptest::prelude::*;

fn tss(watts: Vec<f32>, threshold: f64) -> (f64, f64, f64) {
    let np = normalize(&Segments::single(watts)).unwrap();
    let factor = intensity_factor(np.value, threshold, RequiredInput::ThresholdPower).unwrap();
    (np.value, factor, training_stress(f64::from(np.seconds), factor).unwrap())
}

#[test]
fn an_hour_at_threshold_is_100() {
    let (np, factor, load) = tss(vec![250.0; 3600], 250.0);
    assert_near(np, 250.0, 1e-9);
    assert_near(factor, 1.0, 1e-9);
    assert_near(load, 100.0, 1e-9);
    assert_near(normalize(&Segments::single(vec![200.0; 600])).unwrap().value, 200.0, 1e-9);
}

#[test]
fn half_an_hour_at_150_and_at_250_watts() {
    let (np, factor, load) = tss([[150.0; 1800], [250.0; 1800]].concat(), 250.0);
    assert_near(np, 216.644, 0.0005);
    assert_near(factor, 0.86658, 0.000_005);
    assert_near(load, 75.095, 0.05);
    let np = normalize(&Segments::single([[150.0; 1800], [250.0; 1800]].concat())).unwrap();
    assert_near(np.variability().unwrap(), 1.08322, 0.000_01);
}

#[test]
fn short_power_data_is_provisional_or_missing() {
    let of = |seconds| normalize(&Segments::single(vec![200.0; seconds]));
    assert_eq!(of(29), Err(MissingReason::TooFew { have: 29, needed: 30, what: CountUnit::Seconds }));
    assert_eq!(of(0), Err(MissingReason::TooFew { have: 0, needed: 30, what: CountUnit::Seconds }));
    assert_eq!(of(1199).unwrap().quality(), Quality::Provisional);
    assert_eq!(of(1200).unwrap().quality(), Quality::Ok);
    assert_eq!(
        intensity_factor(200.0, 0.0, RequiredInput::ThresholdPower),
        Err(MissingReason::missing(RequiredInput::ThresholdPower))
    );
    assert!(intensity_factor(200.0, f64::NAN, RequiredInput::ThresholdPower).is_err());
    assert_eq!(of(1200).unwrap().variability(), Some(1.0));
    assert_eq!(
        normalize(&Segments::single(vec![0.0; 60])).unwrap().variability(),
        None,
        "no power, no index"
    );
}

#[test]
fn windows_do_not_span_pauses() {
    // 20 minutes at 100 W, ten minutes paused, 20 minutes at 300 W.
    let moments: Vec<i32> = (0..1200).chain(1800..3000).map(|second| second * 1000).collect();
    let recording =
        recording_at(moments, &[(Channel::Power, &|sample| Some(if sample < 1200 { 100 } else { 300 }))]);
    let power = SampledRecording::from_recording(&recording, Sport::Cycling).power.unwrap();
    let runs = Segments::select(&Timeline::from_recording(&recording), |index| power[index].map(f32::from));
    let np = normalize(&runs).unwrap();
    assert_eq!(np.seconds, 2400);
    // Every window is either 100 or 300 W, in equal parts.
    assert_near(np.value, ((100_f64.powi(4) + 300_f64.powi(4)) / 2.0).powf(0.25), 1e-9);
}

#[test]
fn more_than_thirty_seconds_left_out_end_a_run() {
    let line = Timeline::from_recording(&crate::metrics::fixtures::every_second(300, &[]));
    let runs = |left_out: usize| {
        let runs = Segments::select(&line, |index| (!(100..100 + left_out).contains(&index)).then_some(1.0));
        runs.iter().map(<[f32]>::len).collect::<Vec<_>>()
    };
    assert_eq!(runs(30), [270]);
    assert_eq!(runs(31), [100, 169]);
}

proptest! {
    #[test]
    fn scaling_power_and_threshold_together_leaves_the_load(
        watts in prop::collection::vec(0.0_f32..1000.0, 30..400), factor in 0.2_f32..5.0,
    ) {
        let scaled: Vec<f32> = watts.iter().map(|watts| watts * factor).collect();
        let (_, _, load) = tss(watts, 250.0);
        let (_, _, same) = tss(scaled, 250.0 * f64::from(factor));
        prop_assert!((load - same).abs() <= 1e-4 * load.max(1.0));
    }

    #[test]
    fn normalized_power_is_not_below_the_mean_of_its_windows(watts in prop::collection::vec(0.0_f32..2500.0, 30..200)) {
        let np = normalize(&Segments::single(watts.clone())).unwrap();
        let highest = watts.iter().copied().fold(0.0, f32::max);
        prop_assert!(np.value <= f64::from(highest) + 1e-3);
    }
}
