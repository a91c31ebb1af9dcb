//! Worked examples of heart rate loads.

use super::*;
use crate::metrics::fixtures::assert_near;
use proptest::prelude::*;

/// Chosen so that common fractions of the reserve are whole beats.
fn reserve() -> HeartRateReserve {
    HeartRateReserve::new(50.0, 190.0).unwrap()
}

fn hour(bpm: u32) -> Histogram {
    Histogram::constant(bpm, 3600)
}

#[test]
fn banister_trimp_of_an_hour_at_70_percent() {
    assert_eq!(reserve().fraction(148.0), 0.7);
    assert_near(banister_trimp(&hour(148), reserve(), Sex::Male).unwrap(), 103.067, 0.0005);
    assert_near(banister_trimp(&hour(148), reserve(), Sex::Female).unwrap(), 116.262, 0.0005);
}

#[test]
fn reserve_needs_40_bpm_and_clamps() {
    assert!(HeartRateReserve::new(60.0, 99.9).is_err());
    assert!(HeartRateReserve::new(60.0, f64::NAN).is_err());
    assert_eq!((reserve().fraction(20.0), reserve().fraction(220.0)), (0.0, 1.0));
}

#[test]
fn an_hour_at_threshold_is_100_whatever_the_sex() {
    for sex in [Sex::Male, Sex::Female] {
        assert_near(trimp_ratio(&hour(169), reserve(), sex, 169.0).unwrap(), 100.0, 1e-9);
    }
    // 169 is 0.85 of the reserve.
    assert_near(trimp_ratio(&hour(148), reserve(), Sex::Male, 169.0).unwrap(), 61.745, 0.0005);
    assert_near(trimp_ratio(&hour(148), reserve(), Sex::Female, 169.0).unwrap(), 64.104, 0.0005);
    assert!(matches!(
        trimp_ratio(&hour(148), reserve(), Sex::Male, 50.0),
        Err(MissingReason::Contradiction { .. })
    ));
}

#[test]
fn threshold_at_max_hr_is_a_contradiction() {
    let ratios = |threshold| {
        [
            trimp_ratio(&hour(148), reserve(), Sex::Female, threshold),
            edwards_ratio(&hour(148), 190.0, threshold),
        ]
    };
    for threshold in [190.0, 191.0, 200.0, f64::NAN] {
        for found in ratios(threshold) {
            assert!(matches!(found, Err(MissingReason::Contradiction { .. })), "{threshold} {found:?}");
        }
    }
    assert!(ratios(189.9).iter().all(Result::is_ok));
}

#[test]
fn edwards_ten_minutes_in_each_tenth_are_150() {
    let five: Histogram = [110, 130, 150, 170, 190].map(|bpm| (bpm, 600)).into_iter().collect();
    assert_near(edwards_trimp(&five, 200.0).unwrap(), 150.0, 1e-9);
    assert_near(edwards_trimp(&hour(99), 200.0).unwrap(), 0.0, 1e-9);
    assert!(edwards_trimp(&five, 0.0).is_err());
    assert!(edwards_trimp(&five, f64::NAN).is_err());
}

#[test]
fn a_bound_belongs_to_the_step_above_it() {
    for (bpm, weight) in [(95.0, 1.0), (114.0, 2.0), (133.0, 3.0), (152.0, 4.0), (171.0, 5.0), (170.9, 4.0)] {
        assert_eq!(edwards_weight(bpm, 190.0), weight, "{bpm}");
    }
}

#[test]
fn the_edwards_ratio_of_an_hour_at_threshold_is_100() {
    assert_near(edwards_ratio(&hour(165), 190.0, 165.0).unwrap(), 100.0, 1e-9);
    assert_near(edwards_ratio(&hour(120), 190.0, 165.0).unwrap(), 50.0, 1e-9);
    assert!(matches!(edwards_ratio(&hour(120), 190.0, 80.0), Err(MissingReason::Contradiction { .. })));
}

#[test]
fn lucias_forty_fifteen_and_five_minutes_are_85() {
    let (first, second) = ventilatory_thresholds(170.0);
    assert_near(first, 151.3, 1e-9);
    let session: Histogram = [(140, 2400), (160, 900), (175, 300)].into_iter().collect();
    assert_near(lucia_trimp(&session, first, second).unwrap(), 85.0, 1e-9);
}

proptest! {
    #[test]
    fn trimp_sum_is_not_below_trimp_of_the_mean(bins in prop::collection::vec((60_u32..190, 1_u32..600), 1..40)) {
        let session: Histogram = bins.into_iter().collect();
        let mean = reserve().fraction(session.mean().unwrap());
        let by_mean = session.seconds() as f64 / 60.0 * HeartRateReserve::trimp_per_minute(mean, Sex::Male);
        prop_assert!(banister_trimp(&session, reserve(), Sex::Male).unwrap() >= by_mean - 1e-6);
    }
}
