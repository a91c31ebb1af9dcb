//! The example tables of `docs/metrics-days.md`, recomputed row by row.

use super::baseline::{Baseline, Scale};
use super::detect::{Candidate, Clue, detect, hour_speed};
use super::fitness::{DayLoad, FitnessState};
use super::hrv::hrv;
use super::pattern::{AcuteChronic, Weighted, acute_chronic, monotony, spike};
use super::recovery::score;
use super::resting::{RESTING, resting};
use super::sleep::sleep;
use super::trajectory::{Adherence, PlannedDay};
use crate::athlete::ThresholdKind;
use crate::calendar::Day;
use crate::sport::Sport;
use crate::units::{Distance, TimeSpan};

const PAGE: &str = include_str!("../../../../docs/metrics-days.md");

fn load(load: f64) -> DayLoad {
    DayLoad::of([(Sport::Running, Some(load))])
}

fn steady(days: u32, each: f64) -> FitnessState {
    (0..days).fold(FitnessState::START, |state, _| state.after(&load(each)))
}

fn foster() -> super::pattern::Monotony {
    let week = [300.0, 0.0, 400.0, 0.0, 500.0, 200.0, 600.0].map(load);
    monotony(&week.iter().collect::<Vec<_>>()).unwrap()
}

fn hard_week() -> AcuteChronic {
    let days: Vec<DayLoad> = (0..28).map(|i| load(if i < 21 { 50.0 } else { 100.0 })).collect();
    let weighted = days.iter().fold(Weighted::START, |state, day| state.after(day));
    acute_chronic(&days.iter().collect::<Vec<_>>(), &weighted)
}

/// Sixty nights of mean ln 4.0 and SD 0.2, then the week of the example.
fn nights() -> Vec<Option<f64>> {
    let a = 0.2 * (59.0_f64 / 60.0).sqrt();
    let base = (0..60).map(|i| 4.0 + if i % 2 == 0 { a } else { -a });
    base.chain([3.9, 4.0, 4.1, 3.9, 4.0, 4.1, 4.0]).map(|ln| Some(ln.exp())).collect()
}

fn hearts() -> Vec<Option<f64>> {
    (0..60).map(|i| Some([46.0, 48.0, 50.0, 52.0, 54.0][i % 5])).chain([Some(56.0); 7]).collect()
}

fn baseline(scale: &Scale, series: &[Option<f64>]) -> Baseline {
    scale.baseline(series).unwrap()
}

fn debt(last: f64) -> f64 {
    let mut nights = vec![Some(7.0); 14];
    nights[13] = Some(last);
    sleep(&nights, Some(TimeSpan::from_mins(480))).debt.unwrap().hours
}

fn day(n: i64) -> Day {
    "2026-06-01".parse::<Day>().unwrap().plus(n)
}

fn detected(kind: ThresholdKind, clues: [Clue; 3]) -> f64 {
    let candidates: Vec<Candidate> =
        clues.into_iter().zip(0..).map(|(clue, n)| Candidate { day: day(n), clue }).collect();
    detect(&candidates, day(10)).into_iter().find(|step| step.kind == kind).unwrap().value
}

fn swim(meters: f64, seconds: i64) -> Clue {
    Clue::Swim { distance: Distance::from_meters(meters).unwrap(), time: TimeSpan::from_secs(seconds) }
}

fn jump() -> f64 {
    let mut runs = vec![Distance::from_km(16.0); 30];
    runs.push(Distance::from_km(24.0));
    spike(&runs).unwrap().ratio
}

fn adherence() -> f64 {
    let days: Vec<PlannedDay> =
        (0..10).map(|n| PlannedDay { day: day(n), planned: 50.0, done: 40.0, excused: false }).collect();
    Adherence::of(&days, day(9)).unwrap().rate
}

fn untrained() -> FitnessState {
    (0..10).fold(steady(2000, 60.0), |state, _| state.after(&DayLoad::NONE))
}

fn recomputed() -> Vec<(&'static str, f64)> {
    let range = hrv(&nights()).range.unwrap();
    let watts = |watts| Clue::TwentyMinutePower { watts };
    vec![
        ("fitness after one day of 100", steady(1, 100.0).fitness()),
        ("fatigue after one day of 100", steady(1, 100.0).fatigue()),
        ("fitness after 42 days of 100", steady(42, 100.0).fitness()),
        ("fatigue after 42 days of 100", steady(42, 100.0).fatigue()),
        ("fatigue after 7 days of 100", steady(7, 100.0).fatigue()),
        ("form on the morning after one day of 100", steady(1, 100.0).form().value),
        ("ramp on day 8 of 100 a day", steady(8, 100.0).ramp().unwrap().per_week),
        ("monotony of 300 0 400 0 500 200 600", foster().monotony),
        ("strain of 300 0 400 0 500 200 600", foster().strain),
        ("coupled ratio of 21 days of 50 and 7 of 100", hard_week().coupled.unwrap()),
        ("uncoupled ratio of 21 days of 50 and 7 of 100", hard_week().uncoupled.unwrap()),
        ("weighted ratio of 21 days of 50 and 7 of 100", hard_week().weighted.unwrap()),
        ("jump of 24 km after a longest of 16 km", jump()),
        ("lower end of the range, ms, at mean ln 4.0 and SD 0.2", range.low.exp()),
        ("upper end of the range, ms, at mean ln 4.0 and SD 0.2", range.high.exp()),
        (
            "variation of a week of ln 3.9 4.0 4.1 3.9 4.0 4.1 4.0, percent",
            hrv(&nights()).week.unwrap().variation_percent,
        ),
        ("spread of equal parts 46 48 50 52 54", baseline(&RESTING, &hearts()).spread),
        ("z of 56 against it", resting(&hearts()).reading.z.unwrap()),
        ("debt at need 8 h after fourteen nights of 7 h, hours", debt(7.0)),
        ("debt at need 8 h after thirteen nights of 7 h and one of 12 h, hours", debt(12.0)),
        ("recovery with every part usual", f64::from(score(0.0))),
        ("recovery with every part one spread better", f64::from(score(1.0))),
        ("recovery with every part one spread worse", f64::from(score(-1.0))),
        (
            "recovery with HRV two spreads worse, resting heart rate usual, nothing else",
            f64::from(score(0.6 * -2.0)),
        ),
        (
            "threshold speed from 10 km in 40:00, m/s",
            hour_speed(Distance::from_km(10.0).unwrap(), TimeSpan::from_mins(40)).unwrap(),
        ),
        (
            "threshold power from 280 W for 20 minutes, W",
            detected(ThresholdKind::ThresholdPower, [watts(200.0), watts(210.0), watts(280.0)]),
        ),
        (
            "swim speed from 400 m in 6:00 and 200 m in 2:50, m/s",
            detected(ThresholdKind::SwimSpeed, [swim(400.0, 380), swim(200.0, 170), swim(400.0, 360)]),
        ),
        ("fitness after 10 days without training from 60", untrained().fitness()),
        ("fatigue after 10 days without training from 60", untrained().fatigue()),
        ("adherence after ten days of 40 done of 50 planned", adherence()),
    ]
}

#[test]
fn every_example_of_the_page_is_what_the_code_gives() {
    let rows: Vec<(&str, &str)> = PAGE
        .lines()
        .scan(false, |in_table, line| {
            *in_table = line == "| example | value |" || (*in_table && line.starts_with('|'));
            Some((*in_table && line != "| example | value |" && !line.starts_with("|-")).then_some(line))
        })
        .flatten()
        .map(|line| {
            let mut cells = line.trim_matches('|').split('|').map(str::trim);
            (cells.next().unwrap(), cells.next().unwrap())
        })
        .collect();
    let recomputed = recomputed();
    let names = |list: &[(&str, f64)]| list.iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(rows.iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>(), names(&recomputed));
    for ((name, written), (_, value)) in rows.iter().zip(&recomputed) {
        let decimals = written.split_once('.').map_or(0, |(_, digits)| digits.len());
        assert_eq!(format!("{value:.decimals$}"), *written, "{name}");
    }
}
