//! Activity metrics from measures, without reading the samples again.

use super::super::fixtures::{activity, assert_near, every_second, hostile_recording};
use super::super::load::LoadMethod;
use super::super::zones::{coggan_power, friel_pace, friel_running};
use super::*;
use crate::domain::athlete::{Sex, Threshold, ThresholdKind, ThresholdOrigin};
use crate::domain::stream::{Channel, Recording};
use proptest::prelude::*;

fn thresholds(values: [f64; 6]) -> AthleteThresholds {
    let (from, origin) = ("2026-06-01".parse().unwrap(), ThresholdOrigin::Set);
    let set: Vec<Threshold> = (ThresholdKind::ALL.iter().zip(values))
        .map(|(kind, value)| Threshold { kind: *kind, value, from, origin })
        .collect();
    AthleteThresholds::for_day(from, &set, Some(Sex::Female))
}

fn usual() -> AthleteThresholds {
    thresholds([190.0, 50.0, 169.0, 4.0, 250.0, 1.25])
}

fn tempo() -> Recording {
    every_second(
        3600,
        &[
            (Channel::Speed, &|second| Some(if second < 1800 { 3000 } else { 4000 })),
            (Channel::Altitude, &|_| Some(100_000)),
            (Channel::HeartRate, &|second| Some(if second < 1800 { 140 } else { 165 } + (second % 3) as i32)),
        ],
    )
}

#[test]
fn run_metrics_use_the_athletes_thresholds() {
    let (heart, speed) = (friel_running(169.0).unwrap(), friel_pace(4.0).unwrap());
    let zones = ZoneSets { heart_rate: Some(&heart), speed: Some(&speed), power: None };
    let run = activity(Sport::Running);
    let measures = measure(&run, Some(&tempo()), &[]);
    let judged = compute_activity_metrics(&run, &measures, &usual(), zones, RpeWithCalibration::default());
    let load = judged.load.unwrap();
    assert_eq!((load.method, load.quality), (LoadMethod::Pace, Quality::Ok));
    let ngp = measures.speed.unwrap().normalized.unwrap();
    assert_near(load.value, 100.0 * (ngp.value / 4.0).powi(2), 1e-9);
    assert_near(judged.intensity.unwrap().value, ngp.value / 4.0, 1e-12);
    // 140 to 142 is below 85 % of 169; 165 to 167 is 97.6 % and more.
    assert_eq!(judged.heart_zones.unwrap().seconds, [1800, 0, 0, 1800, 0, 0, 0]);
    assert_eq!(judged.speed_zones.unwrap().seconds, [1800, 0, 0, 1800, 0, 0, 0]);
    assert_eq!(judged.power_zones, None);
    // 141 and 166 bpm are 74 and 87 % of 190.
    assert_near(judged.edwards.unwrap().value, 30.0 * 3.0 + 30.0 * 4.0, 1e-9);
    assert_near(judged.lucia.unwrap().value, 30.0 + 30.0 * 2.0, 1e-9);
    assert!(judged.trimp.unwrap().value > 100.0);
}

#[test]
fn new_threshold_recomputes_without_samples() {
    let run = activity(Sport::Running);
    let measures = measure(&run, Some(&tempo()), &[]);
    let before = compute_activity_metrics(
        &run,
        &measures,
        &usual(),
        ZoneSets::default(),
        RpeWithCalibration::default(),
    );
    let faster = thresholds([190.0, 50.0, 169.0, 4.4, 250.0, 1.25]);
    let after = compute_activity_metrics(
        &run,
        &measures,
        &faster,
        ZoneSets::default(),
        RpeWithCalibration::default(),
    );
    let stored: Measures = serde_json::from_str(&serde_json::to_string(&measures).unwrap()).unwrap();
    assert_eq!(
        compute_activity_metrics(&run, &stored, &faster, ZoneSets::default(), RpeWithCalibration::default()),
        after
    );
    assert_near(after.load.unwrap().value, before.load.unwrap().value / 1.21, 1e-9);
}

#[test]
fn missing_inputs_are_reported_per_metric() {
    let run = activity(Sport::Running);
    let measures = measure(&run, Some(&tempo()), &[]);
    let none = compute_activity_metrics(
        &run,
        &measures,
        &AthleteThresholds::default(),
        ZoneSets::default(),
        RpeWithCalibration::default(),
    );
    assert_eq!(none.intensity, Err(MissingReason::missing(RequiredInput::ThresholdSpeed)));
    assert_eq!(none.trimp, Err(MissingReason::missing(RequiredInput::MaxHeartRate)));
    assert_eq!(none.lucia, Err(MissingReason::missing(RequiredInput::ThresholdHeartRate)));
    let no_sex = AthleteThresholds { sex: None, ..usual() };
    let judged = compute_activity_metrics(
        &run,
        &measures,
        &no_sex,
        ZoneSets::default(),
        RpeWithCalibration::default(),
    );
    assert_eq!(judged.trimp, Err(MissingReason::missing(RequiredInput::Sex)));
    assert!(judged.edwards.is_ok());
}

#[test]
fn threshold_power_applies_to_rides_only() {
    let power = every_second(3600, &[(Channel::Power, &|_| Some(200)), (Channel::Speed, &|_| Some(4000))]);
    for sport in Sport::ALL.iter().copied() {
        let activity = activity(sport);
        let measures = measure(&activity, Some(&power), &[]);
        let found = compute_activity_metrics(
            &activity,
            &measures,
            &usual(),
            ZoneSets::default(),
            RpeWithCalibration::default(),
        )
        .intensity;
        match sport {
            Sport::Cycling => assert_near(found.unwrap().value, 0.8, 1e-9),
            Sport::Running => assert_near(found.unwrap().value, 1.0, 1e-9),
            _ => assert!(matches!(found, Err(MissingReason::OutOfRange { .. })), "{sport} {found:?}"),
        }
    }
}

fn any_threshold() -> impl Strategy<Value = f64> {
    prop_oneof![4 => 0.1_f64..300.0, 1 => any::<f64>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_recording_gives_finite_metrics_and_complete_zone_times(
        recording in hostile_recording(), sport in prop::sample::select(Sport::ALL),
        values in [any_threshold(), any_threshold(), any_threshold(), any_threshold(), any_threshold(), any_threshold()],
        exertion in any::<Option<f64>>(), average in any::<Option<u16>>(), power in any::<Option<u16>>(),
        way in any::<Option<i64>>(),
    ) {
        let mut activity = activity(sport);
        (activity.avg_heart_rate, activity.avg_power) = (average, power);
        activity.distance = way.map(crate::domain::units::Distance::from_mm);
        let (heart, speed, watts) =
            (friel_running(150.0).unwrap(), friel_pace(3.0).unwrap(), coggan_power(200.0).unwrap());
        let zones = ZoneSets { heart_rate: Some(&heart), speed: Some(&speed), power: Some(&watts) };
        let felt = RpeWithCalibration { exertion, ..RpeWithCalibration::default() };
        let measures = measure(&activity, Some(&recording), &[]);
        let judged = compute_activity_metrics(&activity, &measures, &thresholds(values), zones, felt);
        if let Ok(load) = judged.load {
            prop_assert!(load.value.is_finite());
        }
        for rated in [&judged.intensity, &judged.trimp, &judged.edwards, &judged.lucia].into_iter().flatten() {
            prop_assert!(rated.value.is_finite());
        }
        let total = |zones: Option<ZoneTimes>| zones.map(|zones| zones.total());
        prop_assert_eq!(total(judged.heart_zones), measures.heart.ok().map(|heart| heart.seconds.seconds()));
        prop_assert_eq!(total(judged.speed_zones), measures.speed.ok().map(|speed| speed.seconds.seconds()));
        prop_assert_eq!(total(judged.power_zones), measures.power.ok().map(|power| power.seconds.seconds()));
    }
}
