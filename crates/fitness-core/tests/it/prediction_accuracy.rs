//! Prediction accuracy on the survey data: errors of the published models, and errors and coverage
//! of ours.

use crate::runner_survey::{Runner, inputs, results, runners};
use crate::shared_files::{file, skip};
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::metrics::MetricResult;
use fitness_core::metrics::predict::{
    LogLinearModel, Performance, PredictedFinish, predict, riegel, vdot_time, vickers_one, vickers_two,
};
use std::path::Path;

/// Errors of a method, in minutes and percent.
#[derive(Debug, Clone, Copy)]
struct ErrorStats {
    n: usize,
    mae: f64,
    mse: f64,
    bias: f64,
    mape: f64,
}

/// Prints a method's errors and returns them.
fn error_stats(name: &str, pairs: impl Iterator<Item = (MetricResult<TimeSpan>, TimeSpan)>) -> ErrorStats {
    let pairs: Vec<(f64, f64)> = pairs
        .map(|(predicted, actual)| (predicted.unwrap().seconds() / 60.0, actual.seconds() / 60.0))
        .collect();
    let n = pairs.len();
    let mean = |f: &dyn Fn(f64, f64) -> f64| pairs.iter().map(|(p, a)| f(*p, *a)).sum::<f64>() / n as f64;
    let found = ErrorStats {
        n,
        mae: mean(&|p, a| (p - a).abs()),
        mse: mean(&|p, a| (p - a).powi(2)),
        bias: mean(&|p, a| 100.0 * (p - a) / a),
        mape: mean(&|p, a| 100.0 * (p - a).abs() / a),
    };
    let ErrorStats { mae, mse, bias, mape, .. } = found;
    println!("{name:<34} n {n:>3}  MAE {mae:6.3} min  MSE {mse:7.2}  bias {bias:+5.2} %  MAPE {mape:4.2} %");
    found
}

/// Percent of finishes within their ranges.
fn coverage(name: &str, bands: impl Iterator<Item = (TimeSpan, TimeSpan, TimeSpan)>) -> f64 {
    let inside: Vec<bool> = bands.map(|(low, high, actual)| (low..=high).contains(&actual)).collect();
    let percent = 100.0 * inside.iter().filter(|inside| **inside).count() as f64 / inside.len() as f64;
    println!("{name:<34} n {:>3}  {percent:.1} % within the band", inside.len());
    percent
}

/// A runner of the held-out third, with their marathon time.
struct HeldOutRunner<'a> {
    runner: &'a Runner,
    actual: TimeSpan,
    with_volume: PredictedFinish,
    without_volume: PredictedFinish,
}

fn held_out_runners(runners: &[Runner]) -> Vec<HeldOutRunner<'_>> {
    let held_out = runners.iter().filter(|runner| runner.group == 3);
    held_out
        .filter_map(|runner| {
            let results = results(&runner.races);
            let of = |weekly| predict(Distance::MARATHON, &inputs(&results, weekly)).unwrap().exact;
            Some(HeldOutRunner {
                runner,
                actual: runner.marathon?,
                with_volume: of(Some(runner.weekly)),
                without_volume: of(None),
            })
        })
        .collect()
}

/// All asserted figures.
struct Figures {
    published: [ErrorStats; 2],
    authors_agree: bool,
    riegel: ErrorStats,
    vdot: ErrorStats,
    training_thirds: ErrorStats,
    shipped: ErrorStats,
    no_volume: ErrorStats,
    covered: f64,
    covered_training_thirds: f64,
    covered_no_volume: f64,
    covered_by_the_wider_row: f64,
}

fn measure(path: &Path) -> Figures {
    let runners = runners(path);
    let tested = held_out_runners(&runners);
    let by = |name: &str, of: &dyn Fn(&HeldOutRunner<'_>) -> MetricResult<TimeSpan>| {
        error_stats(name, tested.iter().map(|t| (of(t), t.actual)))
    };
    let two: Vec<(&HeldOutRunner<'_>, Performance)> =
        tested.iter().filter_map(|t| Some((t, t.runner.shortest()?))).collect();
    let one_of = |t: &HeldOutRunner<'_>| vickers_one(t.runner.longest(), t.runner.weekly);
    let two_of = |t: &HeldOutRunner<'_>, shortest| vickers_two(shortest, t.runner.longest(), t.runner.weekly);
    let thirds = |t: &HeldOutRunner<'_>| {
        LogLinearModel::TRAINING_SET.marathon(t.runner.longest(), t.runner.shortest(), Some(t.runner.weekly))
    };
    let close =
        |ours: MetricResult<TimeSpan>, minutes: f64| (ours.unwrap().seconds() / 60.0 - minutes).abs() < 2e-3;
    let band = |t: &HeldOutRunner<'_>, f: PredictedFinish| (f.low, f.high, t.actual);
    // The same range around a model fitted without this third.
    let moved = |t: &HeldOutRunner<'_>| {
        let by = thirds(t).unwrap().seconds() / t.with_volume.time.seconds();
        let at = |time: TimeSpan| TimeSpan::from_seconds(time.seconds() * by).unwrap();
        (at(t.with_volume.low), at(t.with_volume.high), t.actual)
    };
    Figures {
        published: [
            error_stats("Vickers & Vertosick 1, two races", two.iter().map(|(t, _)| (one_of(t), t.actual))),
            error_stats(
                "Vickers & Vertosick 2, two races",
                two.iter().map(|(t, s)| (two_of(t, *s), t.actual)),
            ),
        ],
        authors_agree: tested.iter().all(|t| {
            let [one, two] = t.runner.authors;
            let both = t.runner.shortest().zip(two);
            close(one_of(t), one.unwrap()) && both.is_none_or(|(s, two)| close(two_of(t, s), two))
        }),
        riegel: by("Riegel 1.06", &|t| riegel(t.runner.longest(), Distance::MARATHON)),
        vdot: by("VDOT", &|t| vdot_time(t.runner.longest(), Distance::MARATHON)),
        training_thirds: by("log model, fitted on other thirds", &thirds),
        shipped: by("predict(), as shipped", &|t| Ok(t.with_volume.time)),
        no_volume: by("predict() without weekly distance", &|t| Ok(t.without_volume.time)),
        covered: coverage("predict(), as shipped", tested.iter().map(|t| band(t, t.with_volume))),
        covered_training_thirds: coverage("log model, fitted on other thirds", tested.iter().map(moved)),
        covered_no_volume: coverage(
            "predict() without weekly distance",
            tested.iter().map(|t| band(t, t.without_volume)),
        ),
        covered_by_the_wider_row: coverage("the wider of the two rows instead", tested.iter().map(wider)),
    }
}

/// The rejected alternative: at each end the wider of the two rows.
fn wider(t: &HeldOutRunner<'_>) -> (TimeSpan, TimeSpan, TimeSpan) {
    let source = match t.runner.longest().distance().km() {
        ..9.0 => (0.935, 1.136),
        9.0..18.0 => (0.925, 1.068),
        _ => (0.945, 1.074),
    };
    let volume = match t.runner.weekly.miles() {
        ..=20.0 => (0.913, 1.119),
        ..=30.0 => (0.912, 1.085),
        ..=40.0 => (0.941, 1.094),
        ..=55.0 => (0.948, 1.056),
        _ => (0.957, 1.044),
    };
    let at = |by: f64| TimeSpan::from_seconds(t.with_volume.time.seconds() * by).unwrap();
    (at(f64::min(source.0, volume.0)), at(f64::max(source.1, volume.1)), t.actual)
}

#[track_caller]
fn assert_near(got: f64, wanted: f64, tolerance: f64) {
    assert!((got - wanted).abs() <= tolerance, "{got} is not {wanted} ± {tolerance}");
}

#[test]
fn published_errors_are_reproduced_and_ours_are_as_documented() {
    let Some(path) = file("prediction/vv2016.csv") else {
        return skip(
            "published_errors_are_reproduced_and_ours_are_as_documented",
            "the shared survey is not here",
        );
    };
    let f = measure(&path);
    // The paper: 228 and 208 over those of the held-out third with two races.
    assert_eq!((f.published[0].n, f.published[1].n), (156, 156));
    assert_near(f.published[0].mse, 227.6, 0.05);
    assert_near(f.published[1].mse, 208.3, 0.05);
    assert!(f.authors_agree, "the constants give the authors' own column");
    // All of the held-out third.
    assert_eq!((f.riegel.n, f.vdot.n, f.training_thirds.n, f.shipped.n), (310, 310, 310, 310));
    assert_near(f.riegel.mae, 16.14, 0.05);
    assert_near(f.riegel.mse, 473.0, 0.5);
    assert_near(f.vdot.mae, 16.71, 0.05);
    assert_near(f.training_thirds.mae, 10.80, 0.05);
    assert_near(f.training_thirds.mape, 4.64, 0.01);
    assert!(f.training_thirds.mae <= 11.0 && f.shipped.mae <= 11.0);
    // The shipped coefficients were fitted on all three thirds, so this is only a check.
    assert_near(f.shipped.mae, 10.75, 0.05);
    assert_near(f.no_volume.mae, 11.28, 0.05);
    for covered in [f.covered, f.covered_training_thirds, f.covered_no_volume] {
        assert!((77.0..=83.0).contains(&covered), "{covered} % is no band of 80 %");
    }
    // Why the wider of the two rows is not used.
    assert!(f.covered_by_the_wider_row > 85.0);
}

#[test]
fn the_band_holds_for_every_source_and_every_weekly_distance() {
    let Some(path) = file("prediction/vv2016.csv") else {
        return skip(
            "the_band_holds_for_every_source_and_every_weekly_distance",
            "the shared survey is not here",
        );
    };
    let runners = runners(&path);
    let tested = held_out_runners(&runners);
    let check = |name: &str, of_it: &dyn Fn(&Runner) -> bool| {
        let of_it = tested.iter().filter(|t| of_it(t.runner));
        let covered = coverage(name, of_it.map(|t| (t.with_volume.low, t.with_volume.high, t.actual)));
        assert!((74.0..=84.0).contains(&covered), "{name}: {covered} %");
    };
    for (name, km) in [("5 km to 5 miles", 0.0..9.0), ("10 km to 10 miles", 9.0..18.0), ("half", 18.0..22.0)]
    {
        check(name, &|runner| km.contains(&runner.longest().distance().km()));
    }
    for (above, up_to) in [(0.0, 20.0), (20.0, 30.0), (30.0, 40.0), (40.0, 55.0), (55.0, 999.0)] {
        let weekly = |runner: &Runner| runner.weekly.miles() > above && runner.weekly.miles() <= up_to;
        check(&format!("over {above} to {up_to} miles a week"), &weekly);
    }
}

#[test]
fn synthetic_runners_give_the_expected_errors() {
    let f = measure(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/made_runners.csv"));
    assert!(f.authors_agree);
    assert_eq!((f.published[0].n, f.published[1].n, f.shipped.n), (16, 16, 19));
    // Computed independently in another language.
    for (error, mae, mse) in [
        (f.published[0], 11.330, 232.95),
        (f.published[1], 9.352, 166.59),
        (f.riegel, 15.258, 397.09),
        (f.vdot, 16.218, 438.94),
        (f.training_thirds, 9.488, 160.17),
        (f.shipped, 9.438, 156.44),
        (f.no_volume, 9.696, 143.72),
    ] {
        assert_near(error.mae, mae, 0.001);
        assert_near(error.mse, mse, 0.01);
    }
    assert_near(f.shipped.bias, -0.41, 0.005);
    assert_near(f.shipped.mape, 3.93, 0.005);
    // 17 of 19, and 16.
    assert_near(f.covered, 89.5, 0.1);
    assert_near(f.covered_by_the_wider_row, 84.2, 0.1);
}

#[test]
fn shorter_races_are_as_well_predicted_as_measured() {
    let Some(path) = file("prediction/vv2016.csv") else {
        return skip("shorter_races_are_as_well_predicted_as_measured", "the shared survey is not here");
    };
    let runners = runners(&path);
    let (five, ten) = (Distance::from_km(5.0).unwrap(), Distance::from_km(10.0).unwrap());
    let half = Distance::HALF_MARATHON;
    for (name, from, to, n, mae, covered) in [
        ("5 km to 10 km", five, ten, 453, 2.9, 80.0),
        ("5 km to the half", five, half, 736, 6.5, 80.0),
        ("10 km to the half", ten, half, 481, 5.7, 80.0),
    ] {
        let pairs: Vec<(PredictedFinish, TimeSpan)> = runners
            .iter()
            .filter_map(|runner| {
                let (source, actual) = (runner.over(from)?, runner.over(to)?);
                Some((predict(to, &inputs(&results(&[source]), None)).unwrap().exact, actual.time()))
            })
            .collect();
        let found = error_stats(name, pairs.iter().map(|(finish, actual)| (Ok(finish.time), *actual)));
        let within = coverage(name, pairs.iter().map(|(f, actual)| (f.low, f.high, *actual)));
        assert_eq!(found.n, n);
        assert_near(found.mae, mae, 0.1);
        assert_near(within, covered, 3.0);
    }
}
