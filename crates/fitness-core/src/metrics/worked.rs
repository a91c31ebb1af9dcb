//! The worked numbers in `docs/metrics-activity.md`, recomputed.

use super::analysis::measure;
use super::detect::hour_speed;
use super::elevation::climb;
use super::example::{activity, every_second};
use super::exertion::{RpeScale, session_rpe};
use super::grade::{SlopeCost, cost};
use super::heart::{Reserve, banister, edwards, lucia, trimp_ratio};
use super::histogram::Histogram;
use super::pace::swim_stress;
use super::power::{normalize, stress};
use super::series::Runs;
use super::zones::{by_reserve, seiler_speed};
use crate::athlete::Sex;
use crate::sport::Sport;
use crate::stream::{Channel, Recording};
use crate::units::{Distance, TimeSpan};

const PAGE: &str = include_str!("../../../../docs/metrics-activity.md");

/// Name, value and tolerance of every row of a table of worked numbers.
fn rows() -> Vec<(&'static str, f64, f64)> {
    let mut rows = Vec::new();
    let mut inside = false;
    for line in PAGE.lines() {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        match cells[..] {
            ["worked number", ..] => inside = true,
            [name, value, within] if inside && !name.starts_with("---") => {
                rows.push((name, value.parse().unwrap(), within.parse().unwrap()));
            }
            [_] => inside = false,
            _ => {}
        }
    }
    rows
}

fn normalized() -> f64 {
    normalize(&Runs::unbroken([[150.0; 1800], [250.0; 1800]].concat())).unwrap().value
}

fn by_heart(sex: Sex, threshold: Option<f64>) -> f64 {
    let (hour, reserve) = (Histogram::constant(148, 3600), Reserve::new(50.0, 190.0).unwrap());
    threshold
        .map_or_else(|| banister(&hour, reserve, sex), |bpm| trimp_ratio(&hour, reserve, sex, bpm))
        .unwrap()
}

fn even_ten_kilometres() -> f64 {
    let recording = every_second(3001, &[(Channel::Distance, &|second| Some((second * 10_000 / 3) as i32))]);
    let measures = measure(&activity(Sport::Running), Some(&recording), &[]);
    measures.efforts.iter().find(|effort| effort.distance.mm() == 5_000_000).unwrap().time.seconds()
}

fn best_of_hour(seconds: u32) -> f64 {
    let power = |second: usize| Some(if (600..660).contains(&second) { 400 } else { 200 });
    let recording: Recording = every_second(3600, &[(Channel::Power, &power)]);
    measure(&activity(Sport::Cycling), Some(&recording), &[]).power.unwrap().curve.at(seconds).unwrap()
}

fn drift() -> f64 {
    let recording = every_second(
        3600,
        &[
            (Channel::Speed, &|_| Some(3000)),
            (Channel::HeartRate, &|second| {
                Some(if second < 1800 { 140 } else { 147 } + (second % 3) as i32 - 1)
            }),
        ],
    );
    measure(&activity(Sport::Running), Some(&recording), &[]).decoupling.unwrap().percent
}

fn hour_from_ten_kilometres() -> f64 {
    let (distance, time) = (Distance::from_mm(10_000_000), TimeSpan::from_mins(40));
    hour_speed(distance, time).unwrap()
}

fn rollers(turns: usize, height: f32) -> f64 {
    climb((0..=turns).map(|turn| if turn % 2 == 0 { 0.0 } else { height }), 3.0).0
}

fn recomputed(name: &str) -> Option<f64> {
    Some(match name {
        "NP of 30 min at 150 W and 30 min at 250 W" => normalized(),
        "IF of that at a threshold of 250 W" => normalized() / 250.0,
        "TSS of that" => stress(3600.0, normalized() / 250.0).unwrap(),
        "TSS of an hour at threshold" => stress(3600.0, 1.0).unwrap(),
        "TRIMP of an hour at 0.70, men" => by_heart(Sex::Male, None),
        "TRIMP of an hour at 0.70, women" => by_heart(Sex::Female, None),
        "hrTSS of an hour at 0.70 with the threshold at 0.85, men" => by_heart(Sex::Male, Some(169.0)),
        "hrTSS of an hour at 0.70 with the threshold at 0.85, women" => by_heart(Sex::Female, Some(169.0)),
        "Edwards of 10 min in each of the five tenths" => {
            edwards(&[110, 130, 150, 170, 190].map(|bpm| (bpm, 600)).into_iter().collect(), 200.0).unwrap()
        }
        "Lucia of 40, 15 and 5 min" => {
            lucia(&[(140, 2400), (160, 900), (175, 300)].into_iter().collect(), 151.3, 170.0).unwrap()
        }
        "C(−0.20)" => cost(-0.20),
        "C(0)" => cost(0.0),
        "C(+0.10)" => cost(0.10),
        "graded speed of 3 m/s at 5 % up" => 3.0 * SlopeCost::Floored.factor(0.05),
        "graded speed of 3 m/s at 10 % down" => 3.0 * SlopeCost::Floored.factor(-0.10),
        "rTSS of 45 min at 90 % of threshold speed" => stress(2700.0, 0.9).unwrap(),
        "sTSS of an hour at critical swim speed" => swim_stress(3600.0, 1.0).unwrap(),
        "session-RPE of an hour at 5" => session_rpe(5.0, TimeSpan::from_mins(60)).unwrap(),
        "load of that at 60 per 300" => RpeScale::fit(&[(300.0, 60.0); 15]).unwrap().load(300.0).unwrap(),
        "70 % of the reserve between 50 and 190" => by_reserve(50.0, 190.0).unwrap().lower_bounds()[3],
        "first bound of three zones at a critical speed of 4 m/s" => {
            seiler_speed(4.0).unwrap().lower_bounds()[1]
        }
        "5 km within 10 even km in 50:00, seconds" => even_ten_kilometres(),
        "best minute of 60 s at 400 W in an hour at 200 W" => best_of_hour(60),
        "best two minutes of the same" => best_of_hour(120),
        "ten rollers of 5 m, threshold 3 m" => rollers(20, 5.0),
        "1 m of noise on the flat, threshold 3 m" => rollers(1000, 1.0),
        "100 m up" => climb([0.0, 100.0], 3.0).0,
        "an hour at 3 m/s, at 140 and then 147 bpm" => drift(),
        "an hour's speed from 10 km in 40:00" => hour_from_ten_kilometres(),
        _ => return None,
    })
}

#[test]
fn the_worked_numbers_are_what_the_code_gives() {
    let rows = rows();
    assert_eq!(rows.len(), 29, "a row came or went: say so here too");
    for (name, value, within) in rows {
        let got = recomputed(name).unwrap_or_else(|| panic!("nobody recomputes `{name}`"));
        assert!((got - value).abs() <= within, "{name}: the page says {value}, the code {got}");
    }
}
