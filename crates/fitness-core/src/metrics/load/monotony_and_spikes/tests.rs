use super::*;
use crate::domain::sport::Sport;
use crate::metrics::ValueWithQuality;
use proptest::prelude::*;

fn firm(value: f64) -> ValueWithQuality {
    ValueWithQuality { value, quality: Quality::Ok }
}

fn days(loads: &[f64]) -> Vec<DayLoad> {
    loads.iter().map(|load| DayLoad::from_activities([(Sport::Running, Some(firm(*load)))])).collect()
}

fn ewma_after(days: &[DayLoad]) -> EwmaLoads {
    days.iter().fold(EwmaLoads::START, |state, day| state.after(day))
}

#[track_caller]
fn close(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected} ± {tolerance}");
}

#[test]
fn fosters_week() {
    let week = days(&[300.0, 0.0, 400.0, 0.0, 500.0, 200.0, 600.0]);
    let totals: Vec<f64> = week.iter().map(DayLoad::total).collect();
    close(mean(&totals), 285.714, 0.0005);
    close(sample_sd(&totals), 234.013, 0.0005);
    let found = monotony(&week.iter().collect::<Vec<_>>()).unwrap();
    close(found.monotony, 1.2209, 0.00005);
    close(found.strain, 2441.9, 0.05);
    assert!(!found.high);
    assert_eq!(found.quality, Quality::Ok);
}

#[test]
fn a_week_of_equal_days_has_no_monotony() {
    for load in [0.0, 33.3, 100.0 / 3.0] {
        let week = days(&[load; 7]);
        assert!(monotony(&week.iter().collect::<Vec<_>>()).is_err(), "{load}");
    }
    let six = days(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(
        monotony(&six.iter().collect::<Vec<_>>()).unwrap_err().to_string(),
        "not enough data yet: 6 of 7 days"
    );
    let nearly = days(&[50.0, 50.0, 50.0, 50.0, 50.0, 50.0, 60.0]);
    assert!(monotony(&nearly.iter().collect::<Vec<_>>()).unwrap().high);
}

#[test]
fn the_ratios_are_one_for_constant_load_and_absent_for_little() {
    let steady = days(&[60.0; 28]);
    let found = acute_chronic(&steady.iter().collect::<Vec<_>>(), &ewma_after(&steady));
    for ratio in [found.coupled, found.uncoupled, found.weighted] {
        close(ratio.unwrap(), 1.0, 1e-12);
    }
    let idle = days(&[4.9; 28]);
    let found = acute_chronic(&idle.iter().collect::<Vec<_>>(), &ewma_after(&idle));
    assert!(found.coupled.is_err() && found.uncoupled.is_err() && found.weighted.is_err());
    let short = days(&[60.0; 27]);
    let found = acute_chronic(&short.iter().collect::<Vec<_>>(), &ewma_after(&short));
    for ratio in [found.coupled, found.uncoupled, found.weighted] {
        assert_eq!(ratio.unwrap_err().to_string(), "not enough data yet: 27 of 28 days");
    }
}

#[test]
fn coupled_counts_the_week_twice_and_uncoupled_once() {
    // Three weeks of 50 a day, then one of 100.
    let mut loads = [50.0; 28];
    loads[21..].fill(100.0);
    let month = days(&loads);
    let found = acute_chronic(&month.iter().collect::<Vec<_>>(), &ewma_after(&month));
    close(found.coupled.unwrap(), 1.6, 1e-12);
    close(found.uncoupled.unwrap(), 2.0, 1e-12);
    close(found.weighted.unwrap(), 1.282892119, 1e-9);
}

#[test]
fn an_unknown_load_makes_them_provisional() {
    let mut month = days(&[60.0; 28]);
    month[27] = DayLoad::from_activities([(Sport::Running, Some(firm(80.0))), (Sport::Strength, None)]);
    let refs: Vec<&DayLoad> = month.iter().collect();
    assert_eq!(monotony(&refs).unwrap().quality, Quality::Provisional);
    assert_eq!(acute_chronic(&refs, &ewma_after(&month)).quality, Quality::Provisional);
}

#[test]
fn a_run_is_compared_with_the_thirty_days_before() {
    let km = Distance::from_km;
    let mut runs = vec![None; 31];
    runs[0] = km(16.0);
    runs[30] = km(24.0);
    let found = spike(&runs).unwrap();
    close(found.ratio, 1.5, 1e-12);
    assert_eq!(found.band, SpikeBand::Moderate);
    assert_eq!(found.band.hazard_ratio(), Some((1.52, 1.16, 2.00)));
    // One day later the 16 km are 31 days ago, and the 24 km are the longest run.
    runs.push(km(24.0));
    assert_eq!(spike(&runs).unwrap().band, SpikeBand::Usual);
    assert_eq!(spike(&runs[2..]).unwrap_err().to_string(), "not enough data yet: 29 of 30 days");
    runs[31] = None;
    assert!(spike(&runs).is_err());
    assert!(spike(&[None; 40]).is_err());
    let mut first = vec![None; 31];
    first[30] = km(5.0);
    assert!(spike(&first).is_err(), "nothing to compare with");
}

#[test]
fn spike_bands_match_the_study() {
    for (ratio, band, hazard) in [
        (1.10, SpikeBand::Usual, None),
        (1.11, SpikeBand::Small, Some((1.64, 1.31, 2.05))),
        (1.30, SpikeBand::Small, Some((1.64, 1.31, 2.05))),
        (1.31, SpikeBand::Moderate, Some((1.52, 1.16, 2.00))),
        (2.00, SpikeBand::Moderate, Some((1.52, 1.16, 2.00))),
        (2.01, SpikeBand::Large, Some((2.28, 1.50, 3.48))),
    ] {
        assert_eq!((SpikeBand::from_ratio(ratio), band.hazard_ratio()), (band, hazard), "{ratio}");
    }
}

proptest! {
    #[test]
    fn any_loads_give_finite_numbers(loads in prop::collection::vec(0.0..5000.0_f64, 0..60)) {
        let month = days(&loads);
        let refs: Vec<&DayLoad> = month.iter().collect();
        let ratios = acute_chronic(&refs, &ewma_after(&month));
        for ratio in [ratios.coupled, ratios.uncoupled, ratios.weighted].into_iter().flatten() {
            prop_assert!(ratio.is_finite() && ratio >= 0.0);
        }
        if let Ok(found) = monotony(&refs) {
            prop_assert!(found.monotony.is_finite() && found.strain.is_finite());
        }
    }
}
