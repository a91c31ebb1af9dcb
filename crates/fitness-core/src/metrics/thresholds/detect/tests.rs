use super::*;
use proptest::prelude::*;

fn first() -> Day {
    "2025-01-01".parse().unwrap()
}

fn on(at: i64, clue: ThresholdEvidence) -> DatedThresholdEvidence {
    DatedThresholdEvidence { day: first().plus_days(at), evidence: clue }
}

fn run(at: i64, km: f64, minutes: i64) -> DatedThresholdEvidence {
    on(
        at,
        ThresholdEvidence::Run {
            distance: Distance::from_km(km).unwrap(),
            time: TimeSpan::from_mins(minutes),
        },
    )
}

/// `(day, value)` of a kind's steps.
fn detected(kind: ThresholdKind, candidates: &[DatedThresholdEvidence], through: i64) -> Vec<(i64, f64)> {
    detect(candidates, first().plus_days(through))
        .into_iter()
        .filter(|step| step.kind == kind)
        .map(|step| (first().days_until(step.from), step.value))
        .collect()
}

#[track_caller]
fn close(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected} ± {tolerance}");
}

#[test]
fn an_effort_is_worth_the_speed_it_would_hold_for_an_hour() {
    let speed =
        |km: f64, minutes: i64| hour_speed(Distance::from_km(km).unwrap(), TimeSpan::from_mins(minutes));
    close(speed(10.0, 40).unwrap(), 4.0576, 0.0001);
    close(speed(15.0, 60).unwrap(), 15_000.0 / 3600.0, 1e-12);
    assert_eq!((speed(3.0, 9), speed(18.0, 71), speed(0.0, 30)), (None, None, None));
}

#[test]
fn threshold_speed_is_the_best_of_ninety_days() {
    let runs = [run(0, 5.0, 30), run(2, 5.0, 25), run(4, 10.0, 40), run(5, 5.0, 29)];
    let steps = detected(ThresholdKind::ThresholdSpeed, &runs, 60);
    assert_eq!(steps.len(), 1, "three days are needed: {steps:?}");
    assert_eq!(steps[0].0, 4);
    close(steps[0].1, 4.0576, 0.0001);
}

#[test]
fn a_value_rises_at_once_and_falls_slowly() {
    let mut runs = vec![run(0, 10.0, 40)];
    runs.extend((1..300).map(|at| run(at, 8.0, 48)));
    let steps = detected(ThresholdKind::ThresholdSpeed, &runs, 299);
    let easy = hour_speed(Distance::from_km(8.0).unwrap(), TimeSpan::from_mins(48)).unwrap();
    close(steps[0].1, 4.0576, 0.0001);
    // The race leaves the window on day 90; each fall is 5 % and six weeks after the step before.
    assert_eq!(steps[1].0, 90);
    close(steps[1].1, 4.0576 * 0.95, 0.0001);
    assert_eq!((steps[2].0, steps[3].0), (132, 174));
    assert!(steps.iter().all(|(_, value)| *value >= easy));
    // A better effort counts on the same day; changes below 1 % make no step.
    runs.push(run(200, 10.0, 40));
    let again = detected(ThresholdKind::ThresholdSpeed, &runs, 280);
    assert!(again.iter().any(|(at, value)| *at == 200 && (value - 4.0576).abs() < 0.0001));
    runs.push(run(210, 10.05, 40));
    assert_eq!(detected(ThresholdKind::ThresholdSpeed, &runs, 280), again);
}

#[test]
fn one_artefact_does_not_make_a_maximum() {
    let peak = |at: i64, bpm: f64| on(at, ThresholdEvidence::PeakHeartRate { bpm });
    let mut peaks: Vec<DatedThresholdEvidence> =
        [171.0, 183.0, 165.0, 186.0, 178.0].iter().zip(0..).map(|(bpm, at)| peak(at, *bpm)).collect();
    assert_eq!(detected(ThresholdKind::MaxHeartRate, &peaks, 30), [(4, 183.0)]);
    // A bad day, however often recorded, raises it only to the real second-highest.
    peaks.extend([peak(10, 221.0), peak(10, 219.0)]);
    assert_eq!(detected(ThresholdKind::MaxHeartRate, &peaks, 30), [(4, 183.0), (10, 186.0)]);
    assert!(detected(ThresholdKind::MaxHeartRate, &peaks[..4], 30).is_empty());
}

#[test]
fn threshold_heart_rate_is_the_mean_of_the_hardest_steady_efforts() {
    let held = |at: i64, bpm: f64, minutes: i64, variation: f64| {
        on(at, ThresholdEvidence::HeldHeartRate { bpm, time: TimeSpan::from_mins(minutes), variation })
    };
    let mut efforts: Vec<DatedThresholdEvidence> =
        (0..12).map(|at| held(at, 140.0 + at as f64, 35, 0.04)).collect();
    let steps = detected(ThresholdKind::ThresholdHeartRate, &efforts, 11);
    assert_eq!(steps[0], (9, 149.0), "ten sessions make a history");
    efforts.push(held(20, 171.0, 30, 0.03));
    assert_eq!(detected(ThresholdKind::ThresholdHeartRate, &efforts, 20).last(), Some(&(20, 171.0)));
    // Uneven, too short or too long efforts are not taken.
    efforts.extend([held(22, 180.0, 30, 0.09), held(23, 185.0, 29, 0.03), held(24, 185.0, 61, 0.03)]);
    assert_eq!(detected(ThresholdKind::ThresholdHeartRate, &efforts, 24).last(), Some(&(20, 171.0)));
}

#[test]
fn threshold_power_is_ninety_five_per_cent_of_twenty_minutes() {
    let rides = [(0, 250.0), (3, 280.0), (6, 260.0)]
        .map(|(at, watts)| on(at, ThresholdEvidence::TwentyMinutePower { watts }));
    assert_eq!(detected(ThresholdKind::ThresholdPower, &rides, 40), [(6, 266.0)]);
}

#[test]
fn swim_speed_is_the_slope_between_400_and_200_metres() {
    let swim = |at: i64, meters: f64, seconds: i64| {
        on(
            at,
            ThresholdEvidence::Swim {
                distance: Distance::from_meters(meters).unwrap(),
                time: TimeSpan::from_secs(seconds),
            },
        )
    };
    let test = [swim(0, 200.0, 180), swim(1, 200.0, 170), swim(2, 400.0, 360)];
    let steps = detected(ThresholdKind::SwimSpeed, &test, 5);
    close(steps[0].1, 200.0 / 190.0, 1e-9);
    let steady = [swim(0, 1500.0, 1500), swim(1, 800.0, 780), swim(2, 400.0, 400)];
    close(detected(ThresholdKind::SwimSpeed, &steady, 5)[0].1, 800.0 / 780.0, 1e-9);
    // An easy 400 beside a sprint: the slope would be 0.71, its own speed 0.91.
    let sprint = [swim(0, 200.0, 160), swim(1, 200.0, 165), swim(2, 400.0, 440)];
    close(detected(ThresholdKind::SwimSpeed, &sprint, 5)[0].1, 400.0 / 440.0, 1e-9);
}

#[test]
fn resting_heart_rate_is_the_median_of_sixty_days_and_moves_both_ways() {
    let rest = |at: i64, bpm: f64| on(at, ThresholdEvidence::RestingHeartRate { bpm });
    let days: Vec<DatedThresholdEvidence> =
        (0..200).map(|at| rest(at, if at < 100 { 60.0 } else { 50.0 })).collect();
    let steps = detected(ThresholdKind::RestingHeartRate, &days, 199);
    assert_eq!(steps.first(), Some(&(13, 60.0)));
    assert_eq!(steps.last().unwrap().1, 50.0);
    // A median that goes back and forth by a beat makes no step; two beats do.
    let wobble: Vec<DatedThresholdEvidence> =
        (0..300).map(|at| rest(at, if at / 40 % 2 == 0 { 50.0 } else { 51.0 })).collect();
    assert_eq!(detected(ThresholdKind::RestingHeartRate, &wobble, 299), [(13, 50.0)]);
    let better: Vec<DatedThresholdEvidence> =
        (0..200).map(|at| rest(at, if at < 100 { 50.0 } else { 48.0 })).collect();
    assert_eq!(detected(ThresholdKind::RestingHeartRate, &better, 199).last().unwrap().1, 48.0);
}

#[test]
fn implausible_evidence_is_ignored() {
    for bad in [0.0, -1.0, 1e9, f64::NAN, f64::INFINITY] {
        let all: Vec<DatedThresholdEvidence> = (0..20)
            .flat_map(|at| {
                [
                    on(at, ThresholdEvidence::PeakHeartRate { bpm: bad }),
                    on(at, ThresholdEvidence::TwentyMinutePower { watts: bad }),
                    on(at, ThresholdEvidence::RestingHeartRate { bpm: bad }),
                    on(
                        at,
                        ThresholdEvidence::HeldHeartRate {
                            bpm: 160.0,
                            time: TimeSpan::from_mins(40),
                            variation: bad - 1.0,
                        },
                    ),
                    on(
                        at,
                        ThresholdEvidence::Swim {
                            distance: Distance::from_mm(400_000),
                            time: TimeSpan::ZERO,
                        },
                    ),
                    on(
                        at,
                        ThresholdEvidence::Run {
                            distance: Distance::from_mm(i64::MAX),
                            time: TimeSpan::from_mins(20),
                        },
                    ),
                ]
            })
            .collect();
        assert_eq!(detect(&all, first().plus_days(40)), [], "{bad}");
    }
}

fn any_candidate() -> impl Strategy<Value = DatedThresholdEvidence> {
    let span = |minutes: std::ops::Range<i64>| minutes.prop_map(TimeSpan::from_mins);
    let meters = |m: std::ops::Range<f64>| m.prop_map(|m| Distance::from_meters(m).unwrap());
    let clue = prop_oneof![
        (150.0..200.0_f64).prop_map(|bpm| ThresholdEvidence::PeakHeartRate { bpm }),
        (meters(3000.0..15_000.0), span(9..75))
            .prop_map(|(distance, time)| ThresholdEvidence::Run { distance, time }),
        (120.0..180.0_f64, span(29..62), 0.0..0.1_f64)
            .prop_map(|(bpm, time, variation)| ThresholdEvidence::HeldHeartRate { bpm, time, variation }),
        (150.0..350.0_f64).prop_map(|watts| ThresholdEvidence::TwentyMinutePower { watts }),
        (prop::sample::select(vec![200.0, 400.0, 800.0, 1500.0]), 0.7..1.6_f64).prop_map(|(m, speed)| {
            ThresholdEvidence::Swim {
                distance: Distance::from_meters(m).unwrap(),
                time: TimeSpan::from_seconds(m / speed).unwrap(),
            }
        }),
        (40.0..70.0_f64).prop_map(|bpm| ThresholdEvidence::RestingHeartRate { bpm }),
    ];
    (0_i64..600, clue).prop_map(|(at, clue)| on(at, clue))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_step_depends_on_what_came_later_and_resuming_equals_starting_over(
        candidates in prop::collection::vec(any_candidate(), 0..400), k in 1_i64..600,
    ) {
        let (k, last) = (first().plus_days(k), first().plus_days(650));
        let whole = detect(&candidates, last);
        let known: Vec<DatedThresholdEvidence> = candidates.iter().copied().filter(|c| c.day < k).collect();
        let early = detect(&known, k.previous());
        let expected: Vec<Threshold> = whole.iter().copied().filter(|step| step.from < k).collect();
        prop_assert_eq!(&early, &expected);
        let oldest = k.plus_days(-LOOKBACK_DAYS);
        let near: Vec<DatedThresholdEvidence> = candidates.iter().copied().filter(|c| c.day >= oldest).rev().collect();
        let late = redetect(&early, &near, k, last);
        let expected: Vec<Threshold> = whole.iter().copied().filter(|step| step.from >= k).collect();
        prop_assert_eq!(late.len(), expected.len());
        for (a, b) in late.iter().zip(&expected) {
            prop_assert_eq!((a.kind, a.from, a.value.to_bits()), (b.kind, b.from, b.value.to_bits()));
        }
        for step in whole {
            prop_assert!(within_bounds(step.kind, step.value) && step.origin == ThresholdOrigin::Estimated);
        }
    }
}
