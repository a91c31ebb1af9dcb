use super::*;
use crate::metrics::recovery::baseline::RESPIRATION;
use crate::metrics::recovery::hrv::hrv;
use crate::metrics::recovery::resting_hr::resting;

/// Two months as usual, then a week with the given last nights.
fn day(bpm: f64, ms: f64, breaths: Option<f64>) -> MetricResult<bool> {
    let usual = |values: [f64; 3]| (0..60).map(move |i| Some(values[i % 3]));
    let hearts: Vec<_> = usual([48.0, 50.0, 52.0]).chain([Some(bpm); 7]).collect();
    let nights: Vec<_> = usual([50.0, 55.0, 60.0]).chain([Some(ms); 7]).collect();
    let breathing: Vec<_> = usual([14.0, 14.2, 14.4]).chain([breaths]).collect();
    has_illness_signs(&resting(&hearts), &hrv(&nights), &RESPIRATION.reading(&breathing))
}

#[test]
fn illness_signs_require_every_measured_sign() {
    assert_eq!(day(58.0, 38.0, None), Ok(true), "breathing was not measured");
    assert_eq!(day(58.0, 38.0, Some(16.5)), Ok(true));
    assert_eq!(day(58.0, 38.0, Some(14.9)), Ok(false));
    assert_eq!(day(51.0, 38.0, Some(16.5)), Ok(false));
    assert_eq!(day(58.0, 55.0, Some(16.5)), Ok(false));
    assert!(day(0.0, 38.0, None).is_err());
    assert!(day(58.0, 0.0, None).is_err());
}

#[test]
fn should_ask_after_two_days() {
    let hint = |today: MetricResult<bool>, yesterday: MetricResult<bool>| {
        illness_hint(&today, &yesterday).map(IllnessHint::should_ask)
    };
    assert_eq!(hint(Ok(true), Ok(true)), Ok(true));
    assert_eq!(hint(Ok(true), Ok(false)), Ok(false));
    assert_eq!(hint(Ok(false), Ok(true)), Ok(false));
    assert_eq!(hint(Ok(true), missing_signs()), Ok(false));
    assert!(hint(missing_signs(), Ok(true)).is_err());
}
