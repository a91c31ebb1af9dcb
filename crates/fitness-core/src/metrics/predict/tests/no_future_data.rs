//! Backtests use only data from two days before the race or earlier.

use super::*;
use proptest::prelude::*;

fn context(as_of: Day) -> TrainingContext {
    // Varies from day to day, as measured training does.
    let since = day("2020-01-01").days_until(as_of);
    TrainingContext {
        weekly: Some(WeeklyVolume { distance: Distance::from_mm(30_000_000 + since * 1000), weeks: Some(8) }),
        training: None,
        sex: None,
    }
}

fn any_race() -> impl Strategy<Value = RaceResult> {
    let distance = prop::sample::select(vec![5.0, 10.0, 21.0975, 42.195]);
    (distance, 0_i64..2000, 200.0..400.0_f64, prop::sample::select(ResultKind::ALL.to_vec())).prop_map(
        |(distance, days, pace, effort)| RaceResult {
            distance: km(distance),
            time: TimeSpan::from_seconds(distance * pace).unwrap(),
            on: Some(day("2020-01-01").plus_days(days)),
            effort,
        },
    )
}

/// Races of one runner, 2 % slower than predicted.
fn career() -> Vec<RaceResult> {
    let mut results = Vec::new();
    for year in 2021..=2025 {
        for (month, distance, clock) in [(3, 10.0, "42:00"), (4, 21.0975, "1:33:00"), (10, 42.195, "3:24:00")]
        {
            results.push(result(km(distance), clock, &format!("{year}-{month:02}-12"), ResultKind::Race));
        }
    }
    results
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn future_results_do_not_change_past_predictions(
        races in prop::collection::vec(any_race(), 1..14), other in prop::collection::vec(any_race(), 0..6), cut in 0_i64..2000,
    ) {
        let last = day("2020-01-01").plus_days(cut);
        let before = backtest(&races, context);
        // Everything after the cut is replaced by other results.
        let changed: Vec<RaceResult> = races.iter().filter(|race| race.on <= Some(last))
            .chain(other.iter().filter(|race| race.on > Some(last))).copied().rev().collect();
        let after = backtest(&changed, context);
        let until = |found: &Backtest| {
            found.events.iter().filter(|event| event.on <= last).cloned().collect::<Vec<_>>()
        };
        prop_assert_eq!(until(&before), until(&after));
    }

    #[test]
    fn deleting_a_race_does_not_change_its_own_prediction(
        races in prop::collection::vec(any_race(), 1..14), which in any::<prop::sample::Index>(),
    ) {
        let found = backtest(&races, context);
        prop_assume!(!found.events.is_empty());
        let event = which.get(&found.events);
        let others: Vec<RaceResult> = races.iter().filter(|race| **race != event.race).copied().collect();
        prop_assert_eq!(&predict_as_of(event.race.distance, event.on, &others, context), &event.prediction);
    }
}

#[test]
fn backtest_ignores_data_from_the_eve_of_a_race() {
    let race = result(km(42.195), "3:30:00", "2026-06-14", ResultKind::Race);
    let half = |on: &str| result(Distance::HALF_MARATHON, "1:35:00", on, ResultKind::Race);
    let predicted = |on: &str| backtest(&[race, half(on)], context).events.pop().unwrap().prediction.is_ok();
    for (on, known) in [("2026-06-12", true), ("2026-06-13", false), ("2026-06-14", false)] {
        let events = backtest(&[half(on), race], context).events;
        let marathon = events.iter().find(|event| event.race == race).unwrap();
        assert_eq!(marathon.prediction.is_ok(), known, "{on}");
    }
    assert!(predicted("2026-06-12"));
    // Results without a date are left out.
    let undated = RaceResult { on: None, ..half("2026-06-12") };
    let events = backtest(&[race, undated], context).events;
    assert_eq!(events.len(), 1);
    assert!(events[0].prediction.is_err());
}

#[test]
fn a_career_is_scored_beside_riegel_and_vdot_on_the_same_races() {
    let found = backtest(&career(), |_| TrainingContext {
        weekly: Some(WeeklyVolume { distance: miles(40.0), weeks: Some(8) }),
        ..TrainingContext::default()
    });
    assert_eq!(found.events.len(), 15);
    assert!(found.events[0].prediction.is_err(), "before the first race there is nothing to predict from");
    let scores = found.scores.unwrap();
    assert_eq!(
        scores.iter().map(|score| score.method).collect::<Vec<_>>(),
        [PredictionMethod::Combined, PredictionMethod::Riegel, PredictionMethod::Vdot]
    );
    assert!(scores.iter().all(|score| score.n == 14), "{scores:?}");
    let [ours, riegel, vdot] = scores[..] else { panic!("three methods") };
    assert!(ours.mae < riegel.mae && ours.mae < vdot.mae, "{scores:#?}");
    assert!(ours.coverage.is_some() && riegel.coverage.is_none());
    assert!(ours.pinball.tenth.is_some() && riegel.pinball.ninetieth.is_none());
    // A point's pinball loss is half its error.
    assert!((ours.pinball.half - ours.mae.seconds() / 2.0).abs() < 1e-3);
    let combined = found.rows.iter().filter(|row| row.method == PredictionMethod::Combined).count();
    let own = found.rows.iter().filter(|row| row.method == PredictionMethod::OwnMarathon).count();
    assert_eq!((combined, own), (14, 4), "every marathon but the first has one before it");
}

#[test]
fn fewer_than_five_races_give_no_scores() {
    let few: Vec<RaceResult> = career().into_iter().take(5).collect();
    let found = backtest(&few, context);
    assert_eq!(found.rows.iter().filter(|row| row.method == PredictionMethod::Combined).count(), 4);
    assert_eq!(
        found.scores,
        Err(MissingReason::TooFew { have: 4, needed: 5, what: crate::metrics::CountUnit::Races })
    );
    assert!(backtest(&career()[..6], context).scores.is_ok());
    assert!(backtest(&[], context).scores.is_err());
}

#[test]
fn the_athletes_own_events_correct_the_later_ones() {
    let found = backtest(&career(), context);
    let corrected: Vec<u32> =
        found.events.iter().filter_map(|event| Some(event.prediction.as_ref().ok()?.own_events)).collect();
    assert_eq!(corrected, [0, 0, 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    // Corrections are learned from uncorrected predictions, or they would cancel themselves.
    let ratios: Vec<f64> = found
        .events
        .iter()
        .filter_map(|event| {
            let uncorrected = event.prediction.as_ref().ok()?.uncorrected;
            Some((event.race.time.seconds() / uncorrected.seconds()).ln())
        })
        .collect();
    let last = found.events.last().unwrap().prediction.as_ref().unwrap();
    let shift = ratios[..13].iter().sum::<f64>() / 15.0;
    assert!((last.exact.time.seconds() / last.uncorrected.seconds() - shift.exp()).abs() < 1e-6);
}
