use super::*;
use proptest::prelude::*;

/// Sixty nights of which the mean of ln is 4.0 and the sample SD `sd`, then a week.
fn nights(sd: f64, week: [Option<f64>; 7]) -> Vec<Option<f64>> {
    // Half the nights a above, half a below: SD² = 60·a²/59.
    let a = sd * (59.0_f64 / 60.0).sqrt();
    let base = (0..60).map(|i| Some((4.0 + if i % 2 == 0 { a } else { -a }).exp()));
    base.chain(week.map(|ln| ln.map(f64::exp))).collect()
}

#[track_caller]
fn close(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected} ± {tolerance}");
}

#[test]
fn the_range_is_half_a_standard_deviation_around_the_sixty_nights_before_the_week() {
    let found = hrv(&nights(0.2, [Some(3.85); 7]));
    let range = found.range.unwrap();
    close(range.mean, 4.0, 1e-9);
    close(range.sd, 0.2, 1e-9);
    close(range.low.exp(), 49.4, 0.05);
    close(range.high.exp(), 60.3, 0.05);
    assert_eq!((range.nights, range.quality), (60, Quality::Ok));
    assert_eq!(found.state, Ok(HrvState::Below));
    close(found.week.unwrap().ms, 47.0, 0.05);
    for (ln, state) in [(3.95, HrvState::Within), (4.0, HrvState::Within), (4.15, HrvState::Above)] {
        assert_eq!(hrv(&nights(0.2, [Some(ln); 7])).state, Ok(state), "{ln}");
    }
}

#[test]
fn the_smallest_worthwhile_change_of_ordinary_people_is_twelve_per_cent() {
    // LifeSnaps: within-person SD of ln rMSSD, median 0.234.
    let range = hrv(&nights(0.234, [Some(4.0); 7])).range.unwrap();
    close(100.0 * (range.high.exp() / range.mean.exp() - 1.0), 12.0, 0.5);
}

#[test]
fn one_night_more_than_a_standard_deviation_low_is_acute() {
    let week = |last: f64| {
        let mut week = [Some(4.0); 7];
        week[6] = Some(last);
        hrv(&nights(0.2, week)).acute
    };
    assert_eq!((week(3.75), week(3.81)), (Ok(true), Ok(false)));
    let mut missing = [Some(4.0); 7];
    missing[6] = None;
    assert_eq!(
        hrv(&nights(0.2, missing)).acute,
        Err(MissingReason::missing(RequiredInput::HeartRateVariability))
    );
}

#[test]
fn a_week_needs_three_nights() {
    let some = |n: usize| {
        let mut week = [None; 7];
        week[7 - n..].fill(Some(4.0));
        hrv(&nights(0.2, week)).week.map(|week| week.nights).map_err(|absent| absent.to_string())
    };
    assert_eq!(some(0), Err("no HRV for last night".to_owned()));
    assert_eq!(some(2), Err("not enough data yet: 2 of 3 nights".to_owned()));
    assert_eq!(some(3), Ok(3));
}

#[test]
fn a_range_needs_fourteen_nights_and_is_provisional_below_twenty_eight() {
    for (n, expected) in [
        (9, Err("not enough data yet: 9 of 14 nights".to_owned())),
        (14, Ok(Quality::Provisional)),
        (27, Ok(Quality::Provisional)),
        (28, Ok(Quality::Ok)),
    ] {
        let found = hrv(&vec![Some(50.0); n + 7]).range.map(|r| r.quality).map_err(|a| a.to_string());
        assert_eq!(found, expected, "{n}");
    }
}

#[test]
fn variation_is_the_weeks_sd_over_its_mean() {
    let week = [3.9, 4.0, 4.1, 3.9, 4.0, 4.1, 4.0].map(Some);
    // SD² = 4·0.01/6, mean 4: 100·0.081650/4 = 2.0412.
    close(hrv(&nights(0.2, week)).week.unwrap().variation_percent, 2.0412, 0.0001);
}

#[test]
fn equal_nights_are_within_their_range() {
    for ms in [33.3, 47.0, 61.7] {
        let found = hrv(&vec![Some(ms); 67]);
        assert_eq!((found.state, found.acute), (Ok(HrvState::Within), Ok(false)), "{ms}");
    }
}

#[test]
fn implausible_rmssd_is_ignored() {
    for bad in [0.0, -3.0, 4.9, 250.1, 1e9, f64::NAN, f64::INFINITY] {
        let mut series = vec![Some(50.0); 66];
        series.push(Some(bad));
        let found = hrv(&series);
        assert!(found.last_night.is_err(), "{bad}");
        assert_eq!(found.week.unwrap().nights, 6);
    }
}

proptest! {
    #[test]
    fn only_the_last_sixty_seven_nights_count(
        older in prop::collection::vec(prop::option::of(prop::num::f64::ANY), 0..90),
        window in prop::collection::vec(prop::option::of(1.0..300.0_f64), 67),
    ) {
        let long: Vec<Option<f64>> = older.into_iter().chain(window.clone()).collect();
        prop_assert_eq!(
            serde_json::to_string(&hrv(&long)).unwrap(), serde_json::to_string(&hrv(&window)).unwrap()
        );
    }
}
