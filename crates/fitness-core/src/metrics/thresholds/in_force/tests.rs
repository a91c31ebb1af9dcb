use super::*;
use proptest::prelude::*;

fn day(text: &str) -> Day {
    text.parse().unwrap()
}

fn power(value: f64, from: &str, origin: ThresholdOrigin) -> Threshold {
    Threshold { kind: ThresholdKind::ThresholdPower, value, from: day(from), origin }
}

use ThresholdOrigin::{Estimated, Reported, Set};

#[test]
fn set_beats_reported_beats_detected() {
    let all = [
        power(240.0, "2026-01-01", Set),
        power(250.0, "2026-03-01", Set),
        power(260.0, "2026-04-01", Reported),
        power(270.0, "2026-05-01", Estimated),
        power(200.0, "2025-06-01", Reported),
        power(190.0, "2025-01-01", Estimated),
    ];
    for (on, value) in [
        ("2026-06-01", 250.0),
        ("2026-03-01", 250.0),
        ("2026-02-28", 240.0),
        ("2025-12-31", 200.0),
        ("2025-03-01", 190.0),
    ] {
        assert_eq!(
            in_force(&all, ThresholdKind::ThresholdPower, day(on)).unwrap().threshold.value,
            value,
            "{on}"
        );
    }
    assert_eq!(
        in_force(&all, ThresholdKind::ThresholdPower, day("2024-12-31")),
        Err(MissingReason::missing(RequiredInput::ThresholdPower))
    );
    for kind in ThresholdKind::ALL {
        assert!(in_force(&[], *kind, day("2026-01-01")).is_err());
    }
}

#[test]
fn age_makes_it_provisional_then_stale() {
    let set = [power(240.0, "2026-01-01", Set)];
    for (age, quality) in [
        (0, Quality::Ok),
        (42, Quality::Ok),
        (43, Quality::Provisional),
        (89, Quality::Provisional),
        (90, Quality::Stale),
        (900, Quality::Stale),
    ] {
        let found = in_force(&set, ThresholdKind::ThresholdPower, day("2026-01-01").plus_days(age)).unwrap();
        assert_eq!((found.quality, found.age_days), (quality, age));
    }
    let max = [Threshold { kind: ThresholdKind::MaxHeartRate, value: 188.0, ..set[0] }];
    let later = day("2028-01-01");
    assert_eq!(in_force(&max, ThresholdKind::MaxHeartRate, later).unwrap().quality, Quality::Ok);
    let detected = [power(240.0, "2026-01-01", Estimated)];
    let soon = day("2026-01-02");
    assert_eq!(in_force(&detected, ThresholdKind::ThresholdPower, soon).unwrap().quality, Quality::Estimated);
}

#[test]
fn implausible_values_are_never_in_force() {
    for bad in [f64::NAN, f64::INFINITY, 0.0, 29.9, 700.1] {
        assert!(
            in_force(&[power(bad, "2026-01-01", Set)], ThresholdKind::ThresholdPower, day("2026-02-01"))
                .is_err()
        );
    }
}

#[test]
fn a_detected_value_is_suggested_where_it_is_newer_and_different() {
    let on = day("2026-06-01");
    let found = |held: &[Threshold], detected: &[Threshold]| suggestions(held, detected, on).len();
    let newer = [power(260.0, "2026-05-01", Estimated)];
    assert_eq!(found(&[], &newer), 1);
    assert_eq!(found(&[power(250.0, "2026-04-01", Set)], &newer), 1);
    assert_eq!(found(&[power(258.0, "2026-04-01", Set)], &newer), 0, "less than one per cent");
    assert_eq!(found(&[power(250.0, "2026-05-20", Set)], &newer), 0, "set since");
    assert_eq!(found(&newer, &newer), 1, "what was only detected stays a suggestion");
    assert_eq!(suggestions(&[], &newer, day("2026-04-30")).len(), 0, "not known yet");
}

proptest! {
    #[test]
    fn the_order_of_thresholds_does_not_matter(
        list in prop::collection::vec((0_i64..60, 100.0..400.0_f64, prop::sample::select(ThresholdOrigin::ALL)), 1..10),
        on in 0_i64..80,
    ) {
        let base = day("2026-01-01");
        let mut all: Vec<Threshold> = list
            .into_iter()
            .map(|(at, value, origin)| Threshold { kind: ThresholdKind::ThresholdPower, value, from: base.plus_days(at), origin })
            .collect();
        let forward = in_force(&all, ThresholdKind::ThresholdPower, base.plus_days(on));
        all.reverse();
        prop_assert_eq!(forward, in_force(&all, ThresholdKind::ThresholdPower, base.plus_days(on)));
    }
}

#[test]
fn threshold_hr_is_estimated_from_max_hr() {
    let beats = |kind, value, from: &str, origin| Threshold { kind, value, from: day(from), origin };
    let (max, threshold) = (ThresholdKind::MaxHeartRate, ThresholdKind::ThresholdHeartRate);
    let all = [
        beats(max, 190.0, "2026-01-01", Set),
        beats(max, 188.0, "2026-02-01", Estimated),
        beats(threshold, 171.0, "2026-03-01", Estimated),
    ];
    let on = |text| in_force(&all, threshold, day(text));
    assert_eq!(on("2025-12-31"), Err(MissingReason::missing(RequiredInput::ThresholdHeartRate)));
    let stand_in = on("2026-02-28").unwrap();
    assert_eq!((stand_in.value(), stand_in.quality), (167.0, Quality::Estimated));
    assert_eq!(stand_in.share_of, Some(all[0]));
    assert_eq!(stand_in.threshold, beats(threshold, 167.0, "2026-01-01", Estimated));
    assert_eq!(on("2026-03-01").unwrap().value(), 171.0, "what was detected takes its place at once");
    // An estimate from max HR is not a suggestion from the data.
    let set = [beats(threshold, 160.0, "2025-06-01", Set)];
    assert_eq!(suggestions(&set, &all[1..2], day("2026-02-28")).len(), 1, "only the highest itself");
}
