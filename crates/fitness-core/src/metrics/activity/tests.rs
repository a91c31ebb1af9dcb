//! Measured once, judged as often as limits change.

use super::super::fixtures::{activity, every_second, hostile_recording, near};
use super::super::load::LoadMethod;
use super::super::zones::{coggan_power, friel_pace, friel_running};
use super::*;
use crate::domain::athlete::{Sex, Threshold, ThresholdKind, ThresholdOrigin};
use crate::domain::stream::{Channel, Recording};
use proptest::prelude::*;

fn limits(values: [f64; 6]) -> Limits {
    let (from, origin) = ("2026-06-01".parse().unwrap(), ThresholdOrigin::Set);
    let set: Vec<Threshold> = (ThresholdKind::ALL.iter().zip(values))
        .map(|(kind, value)| Threshold { kind: *kind, value, from, origin })
        .collect();
    Limits::on(from, &set, Some(Sex::Female))
}

fn usual() -> Limits {
    limits([190.0, 50.0, 169.0, 4.0, 250.0, 1.25])
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
fn a_run_is_judged_against_its_athletes_limits() {
    let (heart, speed) = (friel_running(169.0).unwrap(), friel_pace(4.0).unwrap());
    let zones = ZoneSets { heart_rate: Some(&heart), speed: Some(&speed), power: None };
    let run = activity(Sport::Running);
    let measures = measure(&run, Some(&tempo()), &[]);
    let judged = judge(&run, &measures, &usual(), zones, Felt::default());
    let load = judged.load.unwrap();
    assert_eq!((load.method, load.quality), (LoadMethod::Pace, Quality::Ok));
    let ngp = measures.speed.unwrap().normalized.unwrap();
    near(load.value, 100.0 * (ngp.value / 4.0).powi(2), 1e-9);
    near(judged.intensity.unwrap().value, ngp.value / 4.0, 1e-12);
    // 140 to 142 is below 85 % of 169; 165 to 167 is 97.6 % and more.
    assert_eq!(judged.heart_zones.unwrap().seconds, [1800, 0, 0, 1800, 0, 0, 0]);
    assert_eq!(judged.speed_zones.unwrap().seconds, [1800, 0, 0, 1800, 0, 0, 0]);
    assert_eq!(judged.power_zones, None);
    // 141 and 166 bpm are 74 and 87 % of 190.
    near(judged.edwards.unwrap().value, 30.0 * 3.0 + 30.0 * 4.0, 1e-9);
    near(judged.lucia.unwrap().value, 30.0 + 30.0 * 2.0, 1e-9);
    assert!(judged.trimp.unwrap().value > 100.0);
}

#[test]
fn a_new_threshold_is_judged_without_the_samples() {
    let run = activity(Sport::Running);
    let measures = measure(&run, Some(&tempo()), &[]);
    let before = judge(&run, &measures, &usual(), ZoneSets::default(), Felt::default());
    let faster = limits([190.0, 50.0, 169.0, 4.4, 250.0, 1.25]);
    let after = judge(&run, &measures, &faster, ZoneSets::default(), Felt::default());
    let stored: Measures = serde_json::from_str(&serde_json::to_string(&measures).unwrap()).unwrap();
    assert_eq!(judge(&run, &stored, &faster, ZoneSets::default(), Felt::default()), after);
    near(after.load.unwrap().value, before.load.unwrap().value / 1.21, 1e-9);
}

#[test]
fn what_is_missing_is_said_for_each_number() {
    let run = activity(Sport::Running);
    let measures = measure(&run, Some(&tempo()), &[]);
    let none = judge(&run, &measures, &Limits::default(), ZoneSets::default(), Felt::default());
    assert_eq!(none.intensity, Err(Absent::missing(Need::ThresholdSpeed)));
    assert_eq!(none.trimp, Err(Absent::missing(Need::MaxHeartRate)));
    assert_eq!(none.lucia, Err(Absent::missing(Need::ThresholdHeartRate)));
    let no_sex = Limits { sex: None, ..usual() };
    let judged = judge(&run, &measures, &no_sex, ZoneSets::default(), Felt::default());
    assert_eq!(judged.trimp, Err(Absent::missing(Need::Sex)));
    assert!(judged.edwards.is_ok());
}

#[test]
fn only_a_ride_is_measured_by_a_riders_threshold() {
    let power = every_second(3600, &[(Channel::Power, &|_| Some(200)), (Channel::Speed, &|_| Some(4000))]);
    for sport in Sport::ALL.iter().copied() {
        let activity = activity(sport);
        let measures = measure(&activity, Some(&power), &[]);
        let found = judge(&activity, &measures, &usual(), ZoneSets::default(), Felt::default()).intensity;
        match sport {
            Sport::Cycling => near(found.unwrap().value, 0.8, 1e-9),
            Sport::Running => near(found.unwrap().value, 1.0, 1e-9),
            _ => assert!(matches!(found, Err(Absent::OutOfRange { .. })), "{sport} {found:?}"),
        }
    }
}

fn any_limit() -> impl Strategy<Value = f64> {
    prop_oneof![4 => 0.1_f64..300.0, 1 => any::<f64>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_recording_is_judged_in_finite_numbers_and_zones_lose_nothing(
        recording in hostile_recording(), sport in prop::sample::select(Sport::ALL),
        values in [any_limit(), any_limit(), any_limit(), any_limit(), any_limit(), any_limit()],
        exertion in any::<Option<f64>>(), average in any::<Option<u16>>(), power in any::<Option<u16>>(),
        way in any::<Option<i64>>(),
    ) {
        let mut activity = activity(sport);
        (activity.avg_heart_rate, activity.avg_power) = (average, power);
        activity.distance = way.map(crate::domain::units::Distance::from_mm);
        let (heart, speed, watts) =
            (friel_running(150.0).unwrap(), friel_pace(3.0).unwrap(), coggan_power(200.0).unwrap());
        let zones = ZoneSets { heart_rate: Some(&heart), speed: Some(&speed), power: Some(&watts) };
        let felt = Felt { exertion, ..Felt::default() };
        let measures = measure(&activity, Some(&recording), &[]);
        let judged = judge(&activity, &measures, &limits(values), zones, felt);
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
