//! Whole predictions: estimates, range and explanation.

use super::*;
use crate::domain::units::{Pace, UnitSystem};

const HALF: Distance = Distance::HALF_MARATHON;
const FULL: Distance = Distance::MARATHON;

fn training(weekly: f64, pace: f64) -> Option<RecentTraining> {
    Some(RecentTraining { weeks: 8, weekly: km(weekly), pace: Pace::from_seconds_per_km(pace).unwrap() })
}

#[test]
fn marathon_is_the_mean_of_its_estimates() {
    let results = [
        result(HALF, "1:40:00", "2026-10-04", ResultKind::Race),
        result(km(10.0), "45:00", "2026-09-12", ResultKind::Race),
        result(FULL, "3:50:00", "2025-04-12", ResultKind::Race),
        result(FULL, "3:58:00", "2026-04-12", ResultKind::Race),
        result(FULL, "3:20:00", "2024-04-12", ResultKind::Race),
    ];
    let got =
        predict(FULL, &PredictionInputs { training: training(60.0, 330.0), ..inputs(&results, Some(35.0)) })
            .unwrap();
    let clock = |method| {
        got.members
            .iter()
            .find(|member| member.method == method)
            .map(|member| member.time.format_clock())
            .unwrap()
    };
    assert_eq!(clock(PredictionMethod::LogLinear), "3:42:31");
    assert_eq!(clock(PredictionMethod::OwnMarathon), "3:50:00", "the best of two years, not of three");
    assert_eq!(clock(PredictionMethod::Tanda), "3:31:18");
    let mean = (seconds("3:42:31.0") * seconds("3:50:00") * seconds("3:31:18")).cbrt();
    assert!((got.exact.time.seconds() - mean).abs() < 0.5);
    assert_eq!(got.quality, Quality::Ok);
    assert_near(got.baselines.vickers_two.clone(), "3:41:28.9");
    assert_near(got.baselines.riegel.clone(), "3:28:29.6");
    assert_eq!(
        got.basis(UnitSystem::Metric),
        "Based on a half marathon in 1:40:00 on 2026-10-04 and a 10K in 45:00 on 2026-09-12 with 56.3 km a week over 8 \
         weeks, your best marathon of the last two years (3:50:00 on 2025-04-12) and your training over 8 weeks (60.0 km a week at 5:30 /km, \
         Tanda's formula). The prediction is the average of these. Tanda's formula was fitted on men only."
    );
    assert!(got.basis(UnitSystem::Imperial).contains("35.0 mi a week"));
    let json = serde_json::to_value(&got).unwrap();
    assert_eq!(json["members"][0]["method"], "log_model");
    assert_eq!(json["sources"][0]["distance_mm"], 21_097_500);
    assert_eq!(json["shown"]["low_ms"].as_i64().unwrap() % 60_000, 0);
}

#[test]
fn marathon_without_weekly_distance_uses_the_model_without_volume() {
    let results = [result(HALF, "1:45:00", "2026-11-15", ResultKind::Race)];
    let got = predict(FULL, &inputs(&results, None)).unwrap();
    assert_near(Ok(got.exact.time), "3:49:19.2");
    assert_eq!(got.quality, Quality::Provisional);
    assert!(got.basis(UnitSystem::Metric).contains("not enough data on your weekly distance"));
    assert!(got.baselines.vickers_one.unwrap_err().to_string().contains("six weeks"));
    let short = PredictionInputs {
        weekly: Some(WeeklyVolume { distance: miles(30.0), weeks: Some(5) }),
        ..inputs(&results, None)
    };
    assert_eq!(predict(FULL, &short).unwrap().exact, got.exact, "five weeks are as good as none");
}

#[test]
fn predictions_up_to_half_weight_every_race() {
    let one = [result(km(5.0), "20:00", "2026-11-15", ResultKind::Race)];
    let got = predict(km(10.0), &inputs(&one, None)).unwrap();
    assert!((got.exact.time.seconds() - 1200.0 * 2.0_f64.powf(1.07)).abs() < 0.01);
    assert_eq!(got.shown.to_string(), "42:00 (80% range 39:35 to 46:10)");
    assert_eq!(got.quality, Quality::Ok);

    // Two races: e^(-60/120)·10/21.0975·1 against 1·5/21.0975·0.5.
    let two = [
        result(km(10.0), "42:00", "2026-09-16", ResultKind::Race),
        result(km(5.0), "21:00", "2026-11-15", ResultKind::TimeTrial),
    ];
    let got = predict(HALF, &inputs(&two, None)).unwrap();
    let (w1, w2) = ((-0.5_f64).exp() * 10.0 / 21.0975, 0.5 * 5.0 / 21.0975);
    let (t1, t2) = (2520.0 * 2.10975_f64.powf(1.07), 1260.0 * 4.2195_f64.powf(1.07));
    let mean = ((w1 * t1.ln() + w2 * t2.ln()) / (w1 + w2)).exp();
    assert!((got.exact.time.seconds() - mean).abs() < 0.01);
    assert_eq!(got.sources[0].mark.distance(), km(10.0), "the heavier one first");
    assert_eq!(
        got.basis(UnitSystem::Metric),
        "Based on a 10K in 42:00 on 2026-09-16 and a 5K in 21:00 on 2026-11-15 (time trial)."
    );
}

#[test]
fn a_race_counts_more_than_training() {
    let of = |effort| {
        let race = result(km(10.0), "42:00", "2026-11-15", ResultKind::Race);
        let results = [race, result(km(10.0), "46:00", "2026-11-15", effort)];
        predict(km(10.0), &inputs(&results, None)).unwrap().exact.time.seconds()
    };
    for (effort, weight) in
        [(ResultKind::Race, 1.0), (ResultKind::TimeTrial, 0.5), (ResultKind::Training, 0.0)]
    {
        let mean = ((2520.0_f64.ln() + weight * 2760.0_f64.ln()) / (1.0 + weight)).exp();
        assert!((of(effort) - mean).abs() < 0.01, "{effort}");
    }
}

#[test]
fn training_is_a_lower_bound_and_never_slows_a_race_down() {
    let at = |results: &[RaceResult]| predict(km(10.0), &inputs(results, None)).unwrap().exact;
    let race = result(km(10.0), "42:00", "2026-11-01", ResultKind::Race);
    let training = |time: &str, on: &str| result(km(10.0), time, on, ResultKind::Training);
    // Faster training improves the prediction by its weight; slower training is ignored.
    let faster = at(&[race, training("40:00", "2026-11-15")]).time;
    assert!(faster < race.time && faster > TimeSpan::from_mins(40), "{faster:?}");
    assert_eq!(at(&[race, training("58:00", "2026-11-15")]), at(&[race]));
    // Of training alone the best counts, however often it was slower.
    let best = training("45:27", "2026-10-01");
    let more = [
        best,
        training("55:34", "2026-09-01"),
        training("58:30", "2026-11-14"),
        training("45:50", "2026-11-01"),
    ];
    let found = at(&more).time;
    assert!(found >= best.time && found < TimeSpan::from_secs(45 * 60 + 51), "{found:?}");
    let finish =
        at(&[result(HALF, "1:40:13", "2026-10-18", ResultKind::Race), training("58:30", "2026-11-14")]);
    assert!(finish.low < finish.time && finish.time < finish.high);
}

#[test]
fn missing_inputs_are_reported() {
    let missing = |target, results: &[RaceResult]| {
        predict(target, &inputs(results, Some(30.0))).unwrap_err().to_string()
    };
    let five = "needs a race or an all-out effort of at least 5 km in the last 12 months";
    assert_eq!(missing(FULL, &[]), five);
    assert_eq!(missing(km(10.0), &[result(km(3.0), "11:00", "2026-11-01", ResultKind::Race)]), five);
    assert_eq!(missing(km(10.0), &[result(km(5.0), "20:00", "2025-11-14", ResultKind::Race)]), five);
    assert_eq!(
        missing(km(30.0), &[result(km(5.0), "20:00", "2026-11-16", ResultKind::Race)]),
        five,
        "the future"
    );
    assert!(missing(km(3.0), &[]).contains("at least 1.5 km"));
    assert!(
        predict(km(3.0), &inputs(&[result(km(1.5), "5:00", "2026-11-01", ResultKind::Race)], None)).is_ok()
    );
    for (target, what) in
        [(km(1.4), "1.5 to 50 km"), (km(50.1), "1.5 to 50 km"), (Distance::from_mm(i64::MIN), "1.5")]
    {
        assert!(missing(target, &[]).contains(what));
    }
    let impossible = [result(km(10.0), "20:00", "2026-11-01", ResultKind::Race)];
    assert!(missing(FULL, &impossible).contains("10.00 km in 20:00 is faster than any human has run"));
    // A 3 km race is too short for 5 km; only for 3 km is its implausibility the reason.
    let short = [result(km(3.0), "6:00", "2026-11-01", ResultKind::Race)];
    assert!(missing(km(3.0), &short).contains("3.00 km in 6:00 is faster than any human has run"));
    assert_eq!(missing(km(5.0), &short), five);
    // A finish time outside the range of the formula is reported.
    assert!(
        missing(FULL, &[result(HALF, "3:40:00", "2026-11-01", ResultKind::Race)]).contains("2:15 to 7:00")
    );
    // Training alone is not enough.
    let trained = PredictionInputs { training: training(60.0, 330.0), ..inputs(&[], None) };
    assert_eq!(predict(FULL, &trained).unwrap_err().to_string(), five);
}

#[test]
fn an_impossible_result_is_left_out_and_named() {
    let results = [
        result(HALF, "1:45:00", "2026-11-15", ResultKind::Race),
        result(km(10.0), "20:00", "2026-11-01", ResultKind::Race),
    ];
    let got = predict(FULL, &inputs(&results, Some(30.0))).unwrap();
    assert_eq!(got.left_out.len(), 1);
    assert_eq!(got.left_out[0].result, results[1]);
    assert_eq!(got.exact, predict(FULL, &inputs(&results[..1], Some(30.0))).unwrap().exact);
}

#[test]
fn an_undated_result_counts_as_of_today_and_is_given_no_day() {
    let dated = [result(HALF, "1:45:00", "2026-11-15", ResultKind::Race)];
    let undated = [RaceResult { on: None, ..dated[0] }];
    let (told, guessed) = (
        predict(FULL, &inputs(&dated, Some(30.0))).unwrap(),
        predict(FULL, &inputs(&undated, Some(30.0))).unwrap(),
    );
    assert_eq!((told.exact, told.quality), (guessed.exact, guessed.quality));
    assert!(guessed.basis(UnitSystem::Metric).contains("1:45:00 (entered without a date)"));
    assert!(told.basis(UnitSystem::Metric).contains("1:45:00 on 2026-11-15"));
    // With and without a date it is one race, and the date is kept.
    let both = predict(FULL, &inputs(&[undated[0], dated[0]], Some(30.0))).unwrap();
    assert_eq!(both, told);
}

#[test]
fn too_long_race_is_reported_with_valid_range() {
    let long = result(km(60.0), "6:00:00", "2026-11-01", ResultKind::Race);
    let why = predict(FULL, &inputs(&[long], None)).unwrap_err().to_string();
    assert!(why.contains("60.0 km is too long") && why.contains("5 to 50 km"), "{why}");
    let half = result(HALF, "1:45:00", "2026-11-15", ResultKind::Race);
    let got = predict(FULL, &inputs(&[long, half], None)).unwrap();
    assert_eq!((got.left_out.len(), got.left_out[0].result), (1, long));
    let old = RaceResult { on: Some(day("2020-01-01")), ..long };
    assert!(predict(FULL, &inputs(&[old, half], None)).unwrap().left_out.is_empty());
}

#[test]
fn age_and_training_widen_the_band_and_lower_the_quality() {
    let width = |results: &[RaceResult]| {
        let got = predict(FULL, &inputs(results, Some(30.0))).unwrap();
        ((got.exact.high.seconds() / got.exact.low.seconds()).ln(), got.quality)
    };
    let (fresh, quality) = width(&[result(HALF, "1:45:00", "2026-11-01", ResultKind::Race)]);
    assert_eq!(quality, Quality::Ok);
    let (old, quality) = width(&[result(HALF, "1:45:00", "2026-05-19", ResultKind::Race)]);
    assert!((old / fresh - 1.75_f64.sqrt()).abs() < 1e-3, "180 days");
    assert_eq!(quality, Quality::Stale);
    let (trained, quality) = width(&[result(HALF, "1:45:00", "2026-11-01", ResultKind::Training)]);
    assert!((trained / fresh - 1.3).abs() < 1e-3);
    assert_eq!(quality, Quality::Provisional);
}

#[test]
fn race_displaces_training_as_source() {
    let race = result(km(10.0), "40:00", "2026-10-01", ResultKind::Race);
    let jog = result(HALF, "2:00:00", "2026-11-01", ResultKind::Training);
    let alone = predict(FULL, &inputs(&[race], Some(40.0))).unwrap();
    assert_eq!(predict(FULL, &inputs(&[race, jog], Some(40.0))).unwrap().exact, alone.exact);
    assert_near(Ok(alone.exact.time), "3:15:37.2");
}

#[test]
fn best_recent_race_counts_else_the_latest() {
    let half = |clock: &str, on: &str| result(HALF, clock, on, ResultKind::Race);
    let from = |results: &[RaceResult]| {
        predict(FULL, &inputs(results, Some(30.0))).unwrap().sources[0].mark.time().format_clock()
    };
    assert_eq!(from(&[half("1:45:00", "2026-09-01"), half("1:50:00", "2026-11-01")]), "1:45:00");
    assert_eq!(from(&[half("1:40:00", "2026-01-01"), half("1:50:00", "2026-11-01")]), "1:50:00");
    assert_eq!(from(&[half("1:40:00", "2026-01-01"), half("1:50:00", "2026-03-01")]), "1:50:00");
}

#[test]
fn marathon_from_own_marathon_or_long_race() {
    // Only a marathon: the same time, with the range for own marathons.
    let own = [result(FULL, "4:00:00", "2026-10-01", ResultKind::Race)];
    let got = predict(FULL, &inputs(&own, Some(30.0))).unwrap();
    assert_eq!(got.exact.time, TimeSpan::from_mins(240));
    assert_eq!(got.shown.to_string(), "4:00:00 (80% range 3:36:00 to 4:50:00)");
    assert_eq!(
        got.basis(UnitSystem::Metric),
        "Based on your best marathon of the last two years (4:00:00 on 2026-10-01)."
    );
    // A half from it: first the exponent beyond the half, then the one up to it.
    let half = predict(HALF, &inputs(&own, Some(35.0))).unwrap();
    assert!((half.exact.time.seconds() - 14_400.0 / 2.0_f64.powf(1.1409)).abs() < 0.01);
    assert!(half.weekly.is_some() && predict(HALF, &inputs(&own, None)).unwrap().weekly.is_none());
    // Short recordings are extrapolated, long ones are not shortened.
    let of = |distance: f64| {
        let results = [result(km(distance), "4:00:00", "2026-10-01", ResultKind::Race)];
        predict(FULL, &inputs(&results, Some(35.0))).unwrap().exact.time.format_clock()
    };
    assert_eq!((of(41.5).as_str(), of(42.9).as_str()), ("4:04:35", "4:00:00"));
    // A recorded marathon distance is shown as a marathon.
    let long = [result(km(42.9), "4:00:00", "2026-10-01", ResultKind::Race)];
    let half = predict(HALF, &inputs(&long, None)).unwrap();
    assert!(half.basis(UnitSystem::Metric).starts_with("Based on a marathon in 4:00:00 on 2026-10-01"));
    // Only a race between half and full: the broken power law.
    let thirty = [result(km(30.0), "2:30:00", "2026-10-01", ResultKind::Race)];
    let got = predict(FULL, &inputs(&thirty, Some(35.0))).unwrap();
    assert_eq!(got.members[0].method, PredictionMethod::BrokenPowerLaw);
    assert!((got.exact.time.seconds() - 9000.0 * (42.195 / 30.0_f64).powf(1.1409)).abs() < 0.01);
    assert_eq!(
        got.shown,
        predict(km(42.2), &inputs(&thirty, Some(35.0))).unwrap().shown,
        "42.2 km is a marathon"
    );
}

#[test]
fn a_custom_distance_follows_the_bent_power_law() {
    let half = [result(HALF, "1:45:00", "2026-11-15", ResultKind::Race)];
    let got = predict(km(30.0), &inputs(&half, Some(35.0))).unwrap();
    assert_near(Ok(got.exact.time), "2:36:54");
    assert_eq!((got.members[0].method, got.quality), (PredictionMethod::BrokenPowerLaw, Quality::Ok));
    let fifty = predict(km(50.0), &inputs(&half, Some(35.0))).unwrap();
    assert!((fifty.exact.time.seconds() - 6300.0 * (50.0 / 21.0975_f64).powf(1.1409)).abs() < 0.5);
    assert_eq!(fifty.quality, Quality::Provisional, "nothing was measured beyond the marathon");
}

#[test]
fn three_own_events_move_the_point() {
    let results = [result(HALF, "1:45:00", "2026-11-15", ResultKind::Race)];
    let past = PastPrediction {
        on: day("2025-05-01"),
        distance: HALF,
        predicted: TimeSpan::from_mins(100),
        actual: TimeSpan::from_mins(105),
    };
    let history = [
        past,
        PastPrediction { on: day("2025-10-01"), ..past },
        PastPrediction { on: day("2026-05-01"), ..past },
    ];
    let got = predict(FULL, &PredictionInputs { history: &history, ..inputs(&results, Some(30.0)) }).unwrap();
    assert_near(Ok(got.uncorrected), "3:52:04.4");
    let moved = got.uncorrected.seconds() * (3.0 * 1.05_f64.ln() / 5.0).exp();
    assert!((got.exact.time.seconds() - moved).abs() < 0.01);
    assert_eq!(got.own_events, 3);
    assert!(got.basis(UnitSystem::Metric).contains("your last 3 predicted races"));
    // Two races are too few for a correction.
    let two =
        predict(FULL, &PredictionInputs { history: &history[..2], ..inputs(&results, Some(30.0)) }).unwrap();
    assert_eq!(two.exact.time, two.uncorrected);
}

/// For a slow 5 km with high mileage the methods agree least: the marathon comes out at a faster
/// pace than the half, or not at all.
#[test]
fn slow_high_mileage_runner_takes_longer_for_longer_distances() {
    for clock in ["40:00", "42:00", "44:00", "50:00"] {
        let results = [result(km(5.0), clock, "2026-11-15", ResultKind::Race)];
        let of =
            |target: f64| predict(km(target), &inputs(&results, Some(100.0))).ok().map(|got| got.exact.time);
        let targets = [20.0, 21.0975, 21.15, 21.2, 30.0, 41.0, 42.0, 42.1, 42.195, 42.3, 45.0];
        let times: Vec<TimeSpan> = targets.into_iter().filter_map(of).collect();
        assert!(times.len() >= 10 && times.is_sorted_by(|a, b| a < b), "{clock} {times:?}");
    }
}
