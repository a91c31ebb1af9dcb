use super::*;
use proptest::prelude::*;

#[test]
fn a_median_is_the_middle() {
    assert_eq!(median(&[]), None);
    assert_eq!(median(&[3.0]), Some(3.0));
    assert_eq!(median(&[3.0, 1.0]), Some(2.0));
    assert_eq!(median(&[3.0, 1.0, 9.0]), Some(3.0));
}

#[test]
fn robust_sd_has_a_floor() {
    // Weights 70 to 72 in steps of 0.1, median 71, deviations 0 to 1 with median 0.5.
    let series: Vec<Option<f64>> =
        (0..=20).map(|step| Some(70.0 + 0.1 * f64::from(step))).chain([Some(73.0)]).collect();
    let found = WEIGHT.reading(&series);
    let baseline = found.baseline.unwrap();
    assert!((baseline.median - 71.0).abs() < 1e-9);
    assert!((baseline.spread - 1.4826 * 0.5).abs() < 1e-9);
    assert!((found.z.unwrap() - 2.0 / (1.4826 * 0.5)).abs() < 1e-9);
    assert_eq!((baseline.n, baseline.quality), (21, Quality::Provisional));
    let still = vec![Some(71.0); 61];
    assert_eq!(WEIGHT.baseline(&still).unwrap().spread, 0.1);
}

#[test]
fn a_baseline_is_learned_from_fourteen_readings_and_firm_from_twenty_eight() {
    for (readings, expected) in [
        (0, Err("no stress data for this day".to_owned())),
        (9, Err("not enough data yet: 9 of 14 days".to_owned())),
        (13, Err("not enough data yet: 13 of 14 days".to_owned())),
        (14, Ok(Quality::Provisional)),
        (27, Ok(Quality::Provisional)),
        (28, Ok(Quality::Ok)),
    ] {
        let mut series = vec![Some(30.0); readings];
        series.push(Some(44.0));
        let found = STRESS.baseline(&series).map(|b| b.quality).map_err(|absent| absent.to_string());
        assert_eq!(found, expected, "{readings}");
    }
}

#[test]
fn the_day_itself_and_what_is_older_than_the_window_do_not_count() {
    let mut series = vec![Some(90.0); 40];
    series.extend(vec![Some(30.0); 60]);
    series.push(Some(100.0));
    let baseline = STRESS.baseline(&series).unwrap();
    assert_eq!((baseline.median, baseline.n), (30.0, 60));
}

proptest! {
    #[test]
    fn hostile_readings_are_left_out(
        mut series in prop::collection::vec(prop::option::of(prop::num::f64::ANY), 0..80),
        today in prop::num::f64::ANY,
    ) {
        series.push(Some(today));
        for scale in [STRESS, BODY_BATTERY, WEIGHT, RESPIRATION] {
            let found = scale.reading(&series);
            if let Ok(z) = found.z {
                prop_assert!(z.is_finite());
            }
            if let Ok(baseline) = found.baseline {
                prop_assert!((scale.bounds.0..=scale.bounds.1).contains(&baseline.median));
                prop_assert!(baseline.spread >= scale.min_sd);
            }
        }
    }
}
