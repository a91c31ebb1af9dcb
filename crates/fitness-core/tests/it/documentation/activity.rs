//! The examples about one activity.

use super::{Example, number, plain, time};
use fitness_core::domain::activity::Activity;
use fitness_core::domain::athlete::Sex;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::stream::{Channel, Recording};
use fitness_core::domain::units::TimeSpan;
use fitness_core::metrics::Need;
use fitness_core::metrics::activity::{Measures, measure};
use fitness_core::metrics::elevation::climb;
use fitness_core::metrics::grade_adjusted_pace::{SlopeCost, cost};
use fitness_core::metrics::histogram::Histogram;
use fitness_core::metrics::load::heart_rate::{
    Reserve, banister, edwards, edwards_ratio, lucia, trimp_ratio, ventilatory,
};
use fitness_core::metrics::load::pace::swim_stress;
use fitness_core::metrics::load::power::{Normalized, intensity, normalize, stress};
use fitness_core::metrics::load::session_rpe::{RpeScale, session_rpe};
use fitness_core::metrics::per_second::Runs;

/// What a channel shows at each second.
type Shown<'a> = (Channel, &'a dyn Fn(usize) -> i32);

/// What a recording with a sample every second says.
fn recorded(sport: Sport, seconds: usize, channels: &[Shown<'_>]) -> Measures {
    let mut recording = Recording::new((0..seconds).map(|second| second as i32 * 1000).collect()).unwrap();
    for (channel, shown) in channels {
        recording.put(*channel, (0..seconds).map(|second| Some(shown(second))).collect()).unwrap();
    }
    let activity = Activity::begun(sport, "2026-06-14T08:00:00Z".parse().unwrap(), 0);
    measure(&activity, Some(&recording), &[])
}

/// Ten minutes at 3 m/s, a minute at a crossing, ten minutes at 3 m/s.
fn crossing() -> Measures {
    let speed = |second| if (600..660).contains(&second) { 0 } else { 3000 };
    recorded(Sport::Running, 1260, &[(Channel::Speed, &speed)])
}

/// An hour at 140 bpm with three seconds at 200.
fn spiked() -> f64 {
    let heart = |second| if (1800..1803).contains(&second) { 200 } else { 140 };
    let measures =
        recorded(Sport::Running, 3600, &[(Channel::HeartRate, &heart), (Channel::Speed, &|_| 3000)]);
    measures.candidates.highest_heart_rate.unwrap()
}

fn surging() -> Normalized {
    normalize(&Runs::unbroken([[150.0; 1800], [250.0; 1800]].concat())).unwrap()
}

/// An hour at 250 W, then an hour at 0 W, by a threshold of 250 W.
fn with_a_cafe() -> f64 {
    let power = |second| if second < 3600 { 250 } else { 0 };
    let measures = recorded(Sport::Cycling, 7200, &[(Channel::Power, &power)]);
    let whole = measures.power.unwrap().normalized.unwrap();
    let relative = intensity(whole.value, 250.0, Need::ThresholdPower).unwrap();
    stress(f64::from(whole.seconds), relative).unwrap()
}

fn reserve() -> Reserve {
    Reserve::new(50.0, 190.0).unwrap()
}

fn trimp(sex: Sex) -> f64 {
    banister(&Histogram::constant(148, 3600), reserve(), sex).unwrap()
}

fn heart_stress(bpm: u32, sex: Sex) -> f64 {
    trimp_ratio(&Histogram::constant(bpm, 3600), reserve(), sex, 169.0).unwrap()
}

fn lucia_of() -> f64 {
    let (first, second) = ventilatory(170.0);
    lucia(&[(140, 2400), (160, 900), (175, 300)].into_iter().collect(), first, second).unwrap()
}

fn even_ten_kilometres() -> TimeSpan {
    let distance = |second| (second * 10_000 / 3) as i32;
    let measures = recorded(Sport::Running, 3001, &[(Channel::Distance, &distance)]);
    measures.efforts.iter().find(|effort| effort.distance.mm() == 5_000_000).unwrap().time
}

fn best_of_hour(seconds: u32) -> f64 {
    let power = |second| if (600..660).contains(&second) { 400 } else { 200 };
    let measures = recorded(Sport::Cycling, 3600, &[(Channel::Power, &power)]);
    measures.power.unwrap().curve.at(seconds).unwrap()
}

fn drift() -> f64 {
    let heart = |second: usize| if second < 1800 { 140 } else { 147 } + (second % 3) as i32 - 1;
    let measures =
        recorded(Sport::Running, 3600, &[(Channel::Speed, &|_| 3000), (Channel::HeartRate, &heart)]);
    measures.decoupling.unwrap().percent
}

fn rollers(turns: usize, height: f32) -> f64 {
    climb((0..=turns).map(|turn| if turn % 2 == 0 { 0.0 } else { height }), 3.0).0
}

pub(super) fn examples() -> Vec<Example> {
    let surging = surging();
    let relative = intensity(surging.value, 250.0, Need::ThresholdPower).unwrap();
    let tenths = || [110, 130, 150, 170, 190].map(|bpm| (bpm, 600)).into_iter().collect();
    vec![
        time("21 minutes of running with a minute at a crossing: elapsed", Ok(crossing().times.elapsed)),
        time("the same: in motion", Ok(crossing().times.moving)),
        number("highest heart rate of an hour at 140 bpm with 3 s at 200", spiked(), "bpm"),
        number("NP of 30 min at 150 W and 30 min at 250 W", surging.value, "W"),
        plain("VI of the same", surging.variability().unwrap()),
        plain("IF of the same, threshold 250 W", relative),
        plain("TSS of the same", stress(3600.0, relative).unwrap()),
        plain("TSS of an hour at threshold", stress(3600.0, 1.0).unwrap()),
        plain("TSS of an hour at threshold and an hour at a café, recording on", with_a_cafe()),
        plain("HRr of 148 bpm between 50 and 190", reserve().fraction(148.0)),
        plain("TRIMP of an hour at HRr 0.70, men", trimp(Sex::Male)),
        plain("TRIMP of an hour at HRr 0.70, women", trimp(Sex::Female)),
        plain("hrTSS of an hour at threshold", heart_stress(169, Sex::Female)),
        plain("hrTSS of an hour at HRr 0.70, threshold at 0.85, men", heart_stress(148, Sex::Male)),
        plain("hrTSS of an hour at HRr 0.70, threshold at 0.85, women", heart_stress(148, Sex::Female)),
        plain("Edwards of 10 min in each of the five tenths", edwards(&tenths(), 200.0).unwrap()),
        plain(
            "Edwards ratio of an hour at 65 % of the highest, threshold at 85 %",
            edwards_ratio(&Histogram::constant(130, 3600), 200.0, 170.0).unwrap(),
        ),
        plain("Lucia of 40, 15 and 5 min", lucia_of()),
        number("C(−0.20)", cost(-0.20), "J/kg/m"),
        number("C(0)", cost(0.0), "J/kg/m"),
        number("C(+0.10)", cost(0.10), "J/kg/m"),
        number("graded speed of 3 m/s at 5 % up", 3.0 * SlopeCost::Floored.factor(0.05), "m/s"),
        number("graded speed of 3 m/s at 10 % down", 3.0 * SlopeCost::Floored.factor(-0.10), "m/s"),
        number("the same by Minetti alone", 3.0 * SlopeCost::Pure.factor(-0.10), "m/s"),
        plain("rTSS of 45 min at 90 % of threshold speed", stress(2700.0, 0.9).unwrap()),
        plain("sTSS of an hour at critical swim speed", swim_stress(3600.0, 1.0).unwrap()),
        plain("sTSS of half an hour at 90 % of it", swim_stress(1800.0, 0.9).unwrap()),
        plain("session-RPE of an hour at 5", session_rpe(5.0, TimeSpan::from_mins(60)).unwrap()),
        plain(
            "load of the same, when 15 sessions had 60 per 300",
            RpeScale::fit(&[(300.0, 60.0); 15]).unwrap().load(300.0).unwrap(),
        ),
        number("ten rollers of 5 m, threshold 3 m", rollers(20, 5.0), "m"),
        number("1 m of noise on the flat, threshold 3 m", rollers(1000, 1.0), "m"),
        number("100 m up without a turn", climb([0.0, 100.0], 3.0).0, "m"),
        time("fastest 5 km within 10 even km in 50:00", Ok(even_ten_kilometres())),
        number("best minute of an hour at 200 W with 60 s at 400 W", best_of_hour(60), "W"),
        number("best two minutes of the same", best_of_hour(120), "W"),
        number("an hour at 3 m/s, at 140 and then at 147 bpm", drift(), "%"),
    ]
}
