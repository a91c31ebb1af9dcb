//! The examples about race predictions.

use super::{Example, Outcome, km, number, number_example, text_example, time_example};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::units::{Distance, Pace, TimeSpan};
use fitness_core::metrics::age_grade::{age_grade, standard_between};
use fitness_core::metrics::predict::{
    BrokenPowerLaw, LogLinearModel, PastPrediction, Performance, Prediction, PredictionInputs, RaceResult,
    RecentTraining, ResultKind, WeeklyVolume, predict, riegel, tanda, vickers_one, vickers_two,
};

const HALF: Distance = Distance::HALF_MARATHON;
const FULL: Distance = Distance::MARATHON;

fn miles(miles: f64) -> Distance {
    Distance::from_miles(miles).unwrap()
}

fn span(clock: &str) -> TimeSpan {
    clock.parse().unwrap()
}

fn performance(distance: Distance, clock: &str) -> Performance {
    Performance::new(distance, span(clock)).unwrap()
}

fn today() -> Day {
    "2026-11-15".parse().unwrap()
}

/// A result `ago` days before the reference day.
fn race_result(distance: Distance, clock: &str, ago: i64, effort: ResultKind) -> RaceResult {
    RaceResult { distance, time: span(clock), on: Some(today().plus_days(-ago)), effort }
}

fn inputs(results: &[RaceResult], weekly_miles: Option<f64>) -> PredictionInputs<'_> {
    let weekly = weekly_miles.map(|weekly| WeeklyVolume { distance: miles(weekly), weeks: Some(8) });
    PredictionInputs { results, weekly, training: None, sex: None, history: &[], as_of: today() }
}

/// Prediction from a race on the reference day.
fn from_race(distance: Distance, clock: &str, target: Distance, weekly_miles: Option<f64>) -> Prediction {
    predict(target, &inputs(&[race_result(distance, clock, 0, ResultKind::Race)], weekly_miles)).unwrap()
}

/// The range as fractions of the predicted time.
fn band(name: &'static str, prediction: &Prediction) -> Example {
    let of = |end: TimeSpan| end.seconds() / prediction.exact.time.seconds();
    text_example(name, format!("{:.3} to {:.3}", of(prediction.exact.low), of(prediction.exact.high)))
}

/// Width of a range relative to that of a race today, in logarithms.
fn widened_interval(ago: i64, effort: ResultKind) -> f64 {
    let width = |ago, effort| {
        let exact =
            predict(km(10.0), &inputs(&[race_result(km(5.0), "20:00", ago, effort)], None)).unwrap().exact;
        (exact.high.seconds() / exact.low.seconds()).ln()
    };
    width(ago, effort) / width(0, ResultKind::Race)
}

fn two_races() -> TimeSpan {
    let results = [
        race_result(km(10.0), "42:00", 60, ResultKind::Race),
        race_result(km(5.0), "21:00", 0, ResultKind::TimeTrial),
    ];
    predict(HALF, &inputs(&results, None)).unwrap().exact.time
}

fn training_pace(weekly: Distance, seconds_per_km: f64) -> RecentTraining {
    RecentTraining { weeks: 8, weekly, pace: Pace::from_seconds_per_km(seconds_per_km).unwrap() }
}

/// All three estimates of a marathon: 10 km in 45:00 and a half in 1:40:00, a marathon in 3:50:00,
/// training.
fn three_members() -> TimeSpan {
    let race = |distance, clock, ago| race_result(distance, clock, ago, ResultKind::Race);
    let results = [race(HALF, "1:40:00", 42), race(km(10.0), "45:00", 64), race(FULL, "3:50:00", 582)];
    let training = Some(training_pace(km(60.0), 330.0));
    predict(FULL, &PredictionInputs { training, ..inputs(&results, Some(35.0)) }).unwrap().exact.time
}

/// A time corrected by three races 5% slower than predicted.
fn corrected_time(seconds: f64) -> f64 {
    let past = |ago: i64| PastPrediction {
        on: today().plus_days(-ago),
        distance: HALF,
        predicted: TimeSpan::from_secs(6000),
        actual: TimeSpan::from_secs(6300),
    };
    let results = [race_result(HALF, "1:45:00", 0, ResultKind::Race)];
    let history = [past(100), past(200), past(300)];
    let got = predict(FULL, &PredictionInputs { history: &history, ..inputs(&results, None) }).unwrap();
    seconds * got.exact.time.seconds() / got.uncorrected.seconds()
}

fn marathon_formula() -> Vec<Example> {
    let of = |distance, clock, weekly: f64| {
        LogLinearModel::WITH_VOLUME.marathon(performance(distance, clock), None, Some(miles(weekly)))
    };
    let (ten, half) = (performance(km(10.0), "45:00"), performance(HALF, "1:40:00"));
    let two = LogLinearModel::WITH_VOLUME.marathon(half, Some(ten), Some(miles(35.0)));
    let unknown = LogLinearModel::WITHOUT_VOLUME.marathon(performance(HALF, "1:45:00"), None, None);
    vec![
        time_example("half 1:45:00, 30 mi a week", of(HALF, "1:45:00", 30.0)),
        time_example("half 1:30:00, 50 mi a week", of(HALF, "1:30:00", 50.0)),
        time_example("half 2:00:00, 15 mi a week", of(HALF, "2:00:00", 15.0)),
        time_example("10 km 40:00, 40 mi a week", of(km(10.0), "40:00", 40.0)),
        time_example("5 km 20:00, 40 mi a week", of(km(5.0), "20:00", 40.0)),
        time_example("10 km 45:00 and half 1:40:00, 35 mi a week", two),
        time_example("half 1:45:00, weekly distance unknown", unknown),
        time_example("Tanda, 60 km a week at 5:30 /km", tanda(&training_pace(km(60.0), 330.0))),
        time_example(
            "Tanda, 60 mi a week at 7:30 a mile",
            tanda(&training_pace(miles(60.0), 450.0 / 1.609_344)),
        ),
        time_example("the mean of 3:42:31, a marathon in 3:50:00 and Tanda's 3:31:18", Ok(three_members())),
    ]
}

fn bands() -> Vec<Example> {
    let half_at = |weekly| from_race(HALF, "1:45:00", FULL, weekly);
    let alone = from_race(FULL, "4:00:00", FULL, None);
    vec![
        band("5 km to 10 km", &from_race(km(5.0), "20:00", km(10.0), None)),
        band("5 km to the half", &from_race(km(5.0), "20:00", HALF, None)),
        band("10 km to the half", &from_race(km(10.0), "42:00", HALF, None)),
        band("half to the marathon, weekly distance unknown", &half_at(None)),
        band("half to the marathon, 20 mi a week", &half_at(Some(20.0))),
        band("half to the marathon, 30 mi a week", &half_at(Some(30.0))),
        band("half to the marathon, 40 mi a week", &half_at(Some(40.0))),
        band("half to the marathon, 55 mi a week", &half_at(Some(55.0))),
        band("half to the marathon, 60 mi a week", &half_at(Some(60.0))),
        band("own marathon only", &alone),
        number_example("widening factor, training only", widened_interval(0, ResultKind::Training)),
        number_example("widening factor, race 180 days ago", widened_interval(180, ResultKind::Race)),
        text_example(
            "shown for 10 km, from 5 km in 20:00",
            from_race(km(5.0), "20:00", km(10.0), None).shown,
        ),
        text_example(
            "shown for the marathon, from a half in 1:45:00 at 30 mi a week",
            half_at(Some(30.0)).shown,
        ),
        text_example("shown for the marathon, from your own marathon in 4:00:00", alone.shown),
        ("4:00:00 after three races 5% slower than predicted", Outcome::Clock(corrected_time(14_400.0), "")),
    ]
}

fn other_formulas() -> Vec<Example> {
    let five = performance(km(5.0), "20:00");
    let published = |distance, clock, weekly: f64| vickers_one(performance(distance, clock), miles(weekly));
    let second = vickers_two(performance(km(10.0), "45:00"), performance(HALF, "1:40:00"), miles(35.0));
    vec![
        time_example("Riegel, 5 km 20:00 to 10 km", riegel(five, km(10.0))),
        time_example("Riegel, 5 km 20:00 to the half", riegel(five, HALF)),
        time_example("Riegel, 5 km 20:00 to the marathon", riegel(five, FULL)),
        time_example("Vickers & Vertosick 1, half 1:45:00, 30 mi", published(HALF, "1:45:00", 30.0)),
        time_example("Vickers & Vertosick 1, half 1:30:00, 50 mi", published(HALF, "1:30:00", 50.0)),
        time_example("Vickers & Vertosick 1, 5 km 20:00, 40 mi", published(km(5.0), "20:00", 40.0)),
        time_example("Vickers & Vertosick 2, 10 km 45:00 and half 1:40:00, 35 mi", second),
    ]
}

fn age_grades() -> Vec<Example> {
    let (five, ten) = (TimeSpan::from_secs(769), TimeSpan::from_secs(1584));
    let between = standard_between((km(5.0), five), (km(10.0), ten), km(8.0)).unwrap();
    vec![
        number(
            "a man of 50, 5 km in 20:00: 769 s, factor 0.8775",
            age_grade(five, 0.8775, span("20:00")).unwrap(),
            "%",
        ),
        number("standard for 8 km, between 5 km in 769 s and 10 km in 1584 s", between.seconds(), "s"),
    ]
}

pub(super) fn examples() -> Vec<Example> {
    let bent = BrokenPowerLaw::for_volume(Some(miles(35.0))).seconds(performance(HALF, "1:45:00"), km(30.0));
    let mut examples = vec![
        time_example(
            "10 km, from 5 km in 20:00 today",
            Ok(from_race(km(5.0), "20:00", km(10.0), None).exact.time),
        ),
        time_example(
            "half, from 10 km in 42:00 sixty days ago and a time trial over 5 km in 21:00 today",
            Ok(two_races()),
        ),
        ("30 km, from a half in 1:45:00 at 35 mi a week", Outcome::Clock(bent, "")),
    ];
    examples.extend(marathon_formula());
    examples.extend(bands());
    examples.extend(other_formulas());
    examples.extend(age_grades());
    examples
}
