use super::*;
use crate::metrics::Quality;

/// Sixty days around 50 with a robust SD of 1.4826 × 2, then the last days.
fn days(last: &[Option<f64>; 7]) -> Vec<Option<f64>> {
    let base = (0..60).map(|i| Some([46.0, 48.0, 50.0, 52.0, 54.0][i % 5]));
    base.chain(last.iter().copied()).collect()
}

#[test]
fn week_and_day_are_compared_with_60_days_before() {
    let found = resting(&days(&[Some(51.0); 7]));
    let baseline = found.reading.baseline.unwrap();
    assert_eq!((baseline.median, baseline.n, baseline.quality), (50.0, 60, Quality::Ok));
    assert!((baseline.spread - 2.9652).abs() < 1e-9);
    assert_eq!(found.week, Ok(51.0));
    assert!((found.reading.z.unwrap() - 1.0 / 2.9652).abs() < 1e-9);
}

#[test]
fn robust_sd_is_at_least_one_beat() {
    let found = resting(&vec![Some(48.0); 67]);
    assert_eq!(found.reading.baseline.unwrap().spread, 1.0);
    assert_eq!(found.raised, Ok(false));
}

#[test]
fn raised_needs_2_sd_once_or_1_5_sd_on_2_of_3_days() {
    // 50 + 2 × 2.9652 = 55.93, 50 + 1.5 × 2.9652 = 54.45.
    let with = |last: [f64; 3]| {
        let mut week = [Some(50.0); 7];
        week[4..].copy_from_slice(&last.map(Some));
        resting(&days(&week)).raised
    };
    assert_eq!(with([50.0, 50.0, 56.0]), Ok(true));
    assert_eq!(with([50.0, 50.0, 55.0]), Ok(false));
    assert_eq!(with([55.0, 50.0, 55.0]), Ok(true));
    assert_eq!(with([55.0, 55.0, 50.0]), Ok(true));
    assert_eq!(with([56.0, 50.0, 50.0]), Ok(false), "one high day is over when it is over");
}

#[test]
fn too_few_days_are_reported() {
    assert_eq!(resting(&[]).week, Err(MissingReason::missing(RequiredInput::RestingHeartRate)));
    assert_eq!(resting(&[Some(50.0); 2]).week.unwrap_err().to_string(), "not enough data yet: 2 of 3 nights");
    assert_eq!(
        resting(&[Some(50.0); 16]).raised.unwrap_err().to_string(),
        "not enough data yet: 9 of 14 nights"
    );
    let unworn = resting(&days(&[None; 7]));
    assert_eq!(unworn.raised, Err(MissingReason::missing(RequiredInput::RestingHeartRate)));
    assert!(resting(&days(&[Some(0.0); 7])).reading.value.is_err(), "zero is not a heart rate");
}
