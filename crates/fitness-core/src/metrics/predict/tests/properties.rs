//! Properties that hold for any results.

use super::*;
use proptest::prelude::*;

/// Any result: mostly plausible, sometimes not.
fn any_result() -> impl Strategy<Value = RaceResult> {
    let distance = prop_oneof![
        8 => prop::sample::select(vec![1_500_000, 3_000_000, 5_000_000, 10_000_000, 16_093_440, 21_097_500, 42_195_000]),
        2 => 1_400_000_i64..60_000_000,
        1 => any::<i64>(),
    ];
    let pace = prop_oneof![8 => 180.0..480.0_f64, 1 => 0.0..1200.0_f64];
    let on = prop::option::weighted(0.9, -30_i64..900);
    let effort = prop::sample::select(ResultKind::ALL.to_vec());
    (distance, pace, on, effort).prop_map(|(mm, pace, on, effort)| {
        let distance = Distance::from_mm(mm);
        let time = TimeSpan::from_seconds(distance.km().abs().min(1e4) * pace).unwrap_or(TimeSpan::ZERO);
        RaceResult { distance, time, on: on.map(|days| day("2026-11-15").plus_days(-days)), effort }
    })
}

fn any_target() -> impl Strategy<Value = Distance> {
    prop_oneof![
        prop::sample::select(vec![5_000_000, 10_000_000, 21_097_500, 42_195_000]),
        1_400_000_i64..51_000_000
    ]
    .prop_map(Distance::from_mm)
}

fn any_weekly() -> impl Strategy<Value = Option<WeeklyVolume>> {
    let volume = (prop_oneof![9 => 0_i64..250_000_000, 1 => any::<i64>()], 0_u32..12);
    prop::option::of(
        volume.prop_map(|(mm, weeks)| WeeklyVolume { distance: Distance::from_mm(mm), weeks: Some(weeks) }),
    )
}

fn any_training() -> impl Strategy<Value = Option<RecentTraining>> {
    prop::option::of((0_u32..12, 0_i64..200_000_000, 100.0..600.0_f64).prop_map(|(weeks, mm, pace)| {
        let pace = crate::domain::units::Pace::from_seconds_per_km(pace).unwrap();
        RecentTraining { weeks, weekly: Distance::from_mm(mm), pace }
    }))
}

fn any_past() -> impl Strategy<Value = PastPrediction> {
    (-10_i64..2000, 1_000_000_i64..50_000_000, 0_i64..30_000_000, 0_i64..30_000_000).prop_map(
        |(days, mm, predicted, actual)| PastPrediction {
            on: day("2026-11-15").plus_days(-days),
            distance: Distance::from_mm(mm),
            predicted: TimeSpan::from_ms(predicted),
            actual: TimeSpan::from_ms(actual),
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn the_order_of_what_is_known_makes_no_difference(
        results in prop::collection::vec(any_result(), 0..12),
        history in prop::collection::vec(any_past(), 0..14),
        target in any_target(), weekly in any_weekly(), training in any_training(), turn in 0_usize..12,
    ) {
        let as_of = day("2026-11-15");
        let inputs = PredictionInputs { results: &results, weekly, training, sex: None, history: &history, as_of };
        let (mut shuffled, mut turned) = (results.clone(), history.clone());
        shuffled.reverse();
        shuffled.rotate_left(turn % results.len().max(1));
        // Duplicates do not count.
        shuffled.extend(results.first().copied());
        turned.reverse();
        let other = PredictionInputs { results: &shuffled, history: &turned, ..inputs };
        prop_assert_eq!(predict(target, &inputs), predict(target, &other));
    }

    #[test]
    fn range_contains_the_point_and_is_finite(
        results in prop::collection::vec(any_result(), 0..8),
        history in prop::collection::vec(any_past(), 0..14),
        target in any_target(), weekly in any_weekly(), training in any_training(),
    ) {
        let as_of = day("2026-11-15");
        let inputs = PredictionInputs { results: &results, weekly, training, sex: Some(Sex::Female), history: &history, as_of };
        if let Ok(got) = predict(target, &inputs) {
            for finish in [got.exact, got.shown] {
                prop_assert!(TimeSpan::ZERO < finish.low && finish.low <= finish.time && finish.time <= finish.high);
                prop_assert!(finish.high < TimeSpan::from_mins(60 * 48));
            }
            prop_assert!(!got.sources.is_empty() && !got.members.is_empty());
            prop_assert!(got.sources.iter().all(|race| race.on.is_none_or(|on| on <= as_of)));
            prop_assert!(!got.basis(crate::domain::units::UnitSystem::Metric).is_empty());
        }
    }

    #[test]
    fn longer_distance_takes_longer_from_one_race(result in any_result(), weekly in any_weekly()) {
        let results = [result];
        let inputs = PredictionInputs { weekly, ..inputs(&results, None) };
        // Dense around the boundaries between methods.
        let near = [20.9, 21.0975, 21.2, 21.4, 41.9, 42.195, 42.3, 42.4];
        let mut targets: Vec<f64> = near.into_iter().chain((3..=100).map(|half| f64::from(half) / 2.0)).collect();
        targets.sort_by(f64::total_cmp);
        let times: Vec<(f64, TimeSpan)> = targets
            .into_iter()
            .filter_map(|target| Some((target, predict(km(target), &inputs).ok()?.exact.time)))
            .collect();
        for pair in times.windows(2) {
            prop_assert!(pair[0].1 < pair[1].1, "{pair:?}");
        }
    }

    #[test]
    fn a_faster_race_never_predicts_a_slower_one(
        distance in prop::sample::select(vec![5.0, 10.0, 21.0975, 42.195]), pace in 180.0..420.0_f64,
        target in any_target(), weekly in any_weekly(),
    ) {
        let told = |pace: f64| {
            let time = TimeSpan::from_seconds(distance * pace).unwrap();
            [RaceResult { distance: km(distance), time, on: None, effort: ResultKind::Race }]
        };
        let (fast, slow) = (told(pace), told(pace * 1.02));
        let of = |results: &[RaceResult]| predict(target, &PredictionInputs { weekly, ..inputs(results, None) });
        if let (Ok(fast), Ok(slow)) = (of(&fast), of(&slow)) {
            prop_assert!(fast.exact.time < slow.exact.time);
        }
    }
}
