use super::*;
use proptest::prelude::*;

/// An input that is `better` standard deviations above baseline.
fn z(better: f64) -> MetricResult<ScoreInput> {
    Ok(ScoreInput { value: better, baseline: 0.0, signed_sd: 1.0, quality: Quality::Ok })
}

fn none() -> MetricResult<ScoreInput> {
    Err(MissingReason::missing(RequiredInput::Feel))
}

fn score_of(
    hrv: MetricResult<ScoreInput>,
    resting: MetricResult<ScoreInput>,
    rest: [MetricResult<ScoreInput>; 3],
) -> MetricResult<Recovery> {
    let [sleep, feel, form] = rest;
    combine([
        (RecoveryPart::Hrv, hrv),
        (RecoveryPart::RestingHeartRate, resting),
        (RecoveryPart::Sleep, sleep),
        (RecoveryPart::Feel, feel),
        (RecoveryPart::Form, form),
    ])
}

fn all(better: f64) -> u8 {
    score_of(z(better), z(better), [z(better), z(better), z(better)]).unwrap().score
}

#[test]
fn recovery_reference_scores() {
    assert_eq!((all(0.0), all(1.0), all(-1.0)), (50, 84, 16));
    let two = score_of(z(-2.0), z(0.0), [none(), none(), none()]).unwrap();
    assert_eq!(two.score, 12);
    assert!((two.parts[0].weight - 0.6).abs() < 1e-12 && (two.parts[1].weight - 0.4).abs() < 1e-12);
    assert_eq!(two.left_out.len(), 3);
}

#[test]
fn recovery_needs_a_core_part_and_one_more() {
    assert_eq!(
        score_of(z(0.0), none(), [none(), none(), none()]).unwrap_err().to_string(),
        "not enough data yet: 1 of 2 inputs"
    );
    assert!(score_of(none(), none(), [z(1.0), z(1.0), z(1.0)]).is_err());
    assert!(score_of(none(), z(0.0), [none(), z(1.0), none()]).is_ok());
    // Of two reasons the one closer to being resolved is reported.
    let learning = |have| Err(MissingReason::TooFew { have, needed: 14, what: CountUnit::Nights });
    assert_eq!(
        score_of(
            learning(9),
            Err(MissingReason::missing(RequiredInput::RestingHeartRate)),
            [none(), none(), none()]
        )
        .unwrap_err()
        .to_string(),
        "not enough data yet: 9 of 14 nights"
    );
    assert_eq!(
        score_of(learning(3), learning(5), [none(), none(), none()]).unwrap_err().to_string(),
        "not enough data yet: 5 of 14 nights"
    );
}

#[test]
fn bands_meet_at_34_and_67() {
    for (score, band) in [
        (0, RecoveryBand::Low),
        (33, RecoveryBand::Low),
        (34, RecoveryBand::Middle),
        (66, RecoveryBand::Middle),
        (67, RecoveryBand::High),
        (100, RecoveryBand::High),
    ] {
        assert_eq!(RecoveryBand::from_score(score), band, "{score}");
    }
}

#[test]
fn z_scores_are_clamped_to_2_5() {
    assert_eq!(all(2.5), all(1e9));
    let wild = score_of(z(-400.0), z(0.0), [none(), none(), none()]).unwrap();
    assert_eq!(wild.parts[0].z, -2.5);
    assert!(
        score_of(z(f64::NAN), z(0.0), [z(0.0), none(), none()])
            .unwrap()
            .left_out
            .iter()
            .any(|l| l.part == RecoveryPart::Hrv)
    );
}

#[test]
fn the_normal_distribution_is_right_to_seven_digits_and_more() {
    // From tables to ten digits.
    for (x, phi) in [
        (0.0, 0.5),
        (0.5, 0.691_462_461_3),
        (1.0, 0.841_344_746_1),
        (1.96, 0.975_002_104_9),
        (2.5, 0.993_790_334_7),
        (-1.2, 0.115_069_670_2),
        (-1.0, 0.158_655_253_9),
        (-5.0, 2.866_515_719e-7),
    ] {
        assert!((normal_cdf(x) - phi).abs() < 1e-10, "Phi({x}) = {}", normal_cdf(x));
    }
    assert_eq!((normal_cdf(f64::INFINITY), normal_cdf(f64::NEG_INFINITY)), (1.0, 0.0));
}

proptest! {
    #[test]
    fn the_contributions_make_the_score(
        values in prop::collection::vec(prop::option::of(-4.0..4.0_f64), 5),
    ) {
        let part = |i: usize| values[i].map_or_else(none, z);
        if let Ok(found) = score_of(part(0), part(1), [part(2), part(3), part(4)]) {
            prop_assert!((found.parts.iter().map(|p| p.weight).sum::<f64>() - 1.0).abs() < 1e-12);
            prop_assert_eq!(found.score, score(found.parts.iter().map(|p| p.contribution).sum()));
            prop_assert_eq!(found.parts.len() + found.left_out.len(), 5);
        }
    }

    #[test]
    fn better_is_never_lower(a in -10.0..10.0_f64, b in -10.0..10.0_f64) {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        prop_assert!(normal_cdf(low) <= normal_cdf(high) + 1e-15);
        prop_assert!((normal_cdf(a) + normal_cdf(-a) - 1.0).abs() < 1e-12);
    }
}
