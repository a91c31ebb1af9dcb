//! The examples about one activity.

use super::{Example, number, number_example, time_example};
use fitness_core::domain::activity::Activity;
use fitness_core::domain::athlete::Sex;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::stream::{Channel, Recording};
use fitness_core::domain::units::TimeSpan;
use fitness_core::metrics::RequiredInput;
use fitness_core::metrics::activity::{Measures, measure};
use fitness_core::metrics::elevation::climb;
use fitness_core::metrics::grade_adjusted_pace::{SlopeCostModel, running_cost};
use fitness_core::metrics::histogram::Histogram;
use fitness_core::metrics::load::heart_rate::{
    HeartRateReserve, banister_trimp, edwards_ratio, edwards_trimp, lucia_trimp, trimp_ratio,
    ventilatory_thresholds,
};
use fitness_core::metrics::load::pace::swim_training_stress;
use fitness_core::metrics::load::power::{NormalizedMean, intensity_factor, normalize, training_stress};
use fitness_core::metrics::load::session_rpe::{RpeLoadFactor, session_rpe};
use fitness_core::metrics::per_second::Segments;

/// A channel and its value at each second.
type ChannelSamples<'a> = (Channel, &'a dyn Fn(usize) -> i32);

/// Measures of a recording with a sample every second.
fn measure_recording(sport: Sport, seconds: usize, channels: &[ChannelSamples<'_>]) -> Measures {
    let mut recording = Recording::new((0..seconds).map(|second| second as i32 * 1000).collect()).unwrap();
    for (channel, shown) in channels {
        recording.insert_column(*channel, (0..seconds).map(|second| Some(shown(second))).collect()).unwrap();
    }
    let activity = Activity::new(sport, "2026-06-14T08:00:00Z".parse().unwrap(), 0);
    measure(&activity, Some(&recording), &[])
}

/// Ten minutes at 3 m/s, a minute at a crossing, ten minutes at 3 m/s.
fn run_with_stop() -> Measures {
    let speed = |second| if (600..660).contains(&second) { 0 } else { 3000 };
    measure_recording(Sport::Running, 1260, &[(Channel::Speed, &speed)])
}

/// An hour at 140 bpm with three seconds at 200.
fn spiked_heart_rate() -> f64 {
    let heart = |second| if (1800..1803).contains(&second) { 200 } else { 140 };
    let measures =
        measure_recording(Sport::Running, 3600, &[(Channel::HeartRate, &heart), (Channel::Speed, &|_| 3000)]);
    measures.candidates.highest_heart_rate.unwrap()
}

fn surging_power() -> NormalizedMean {
    normalize(&Segments::single([[150.0; 1800], [250.0; 1800]].concat())).unwrap()
}

/// An hour at 250 W, then an hour at 0 W, by a threshold of 250 W.
fn ride_with_stop() -> f64 {
    let power = |second| if second < 3600 { 250 } else { 0 };
    let measures = measure_recording(Sport::Cycling, 7200, &[(Channel::Power, &power)]);
    let whole = measures.power.unwrap().normalized.unwrap();
    let relative = intensity_factor(whole.value, 250.0, RequiredInput::ThresholdPower).unwrap();
    training_stress(f64::from(whole.seconds), relative).unwrap()
}

fn reserve() -> HeartRateReserve {
    HeartRateReserve::new(50.0, 190.0).unwrap()
}

fn trimp(sex: Sex) -> f64 {
    banister_trimp(&Histogram::constant(148, 3600), reserve(), sex).unwrap()
}

fn heart_stress(bpm: u32, sex: Sex) -> f64 {
    trimp_ratio(&Histogram::constant(bpm, 3600), reserve(), sex, 169.0).unwrap()
}

fn lucia_example() -> f64 {
    let (first, second) = ventilatory_thresholds(170.0);
    lucia_trimp(&[(140, 2400), (160, 900), (175, 300)].into_iter().collect(), first, second).unwrap()
}

fn even_ten_kilometres() -> TimeSpan {
    let distance = |second| (second * 10_000 / 3) as i32;
    let measures = measure_recording(Sport::Running, 3001, &[(Channel::Distance, &distance)]);
    measures.efforts.iter().find(|effort| effort.distance.mm() == 5_000_000).unwrap().time
}

fn best_of_hour(seconds: u32) -> f64 {
    let power = |second| if (600..660).contains(&second) { 400 } else { 200 };
    let measures = measure_recording(Sport::Cycling, 3600, &[(Channel::Power, &power)]);
    measures.power.unwrap().curve.at(seconds).unwrap()
}

fn decoupling_example() -> f64 {
    let heart = |second: usize| if second < 1800 { 140 } else { 147 } + (second % 3) as i32 - 1;
    let measures =
        measure_recording(Sport::Running, 3600, &[(Channel::Speed, &|_| 3000), (Channel::HeartRate, &heart)]);
    measures.decoupling.unwrap().percent
}

fn rollers(turns: usize, height: f32) -> f64 {
    climb((0..=turns).map(|turn| if turn % 2 == 0 { 0.0 } else { height }), 1.0).0
}

pub(super) fn examples() -> Vec<Example> {
    let surging = surging_power();
    let relative = intensity_factor(surging.value, 250.0, RequiredInput::ThresholdPower).unwrap();
    let tenths = || [110, 130, 150, 170, 190].map(|bpm| (bpm, 600)).into_iter().collect();
    vec![
        time_example(
            "21 minutes of running with a minute at a crossing: elapsed time",
            Ok(run_with_stop().times.elapsed),
        ),
        time_example("the same: moving time", Ok(run_with_stop().times.moving)),
        number("max HR of an hour at 140 bpm with 3 s at 200", spiked_heart_rate(), "bpm"),
        number("NP of 30 min at 150 W and 30 min at 250 W", surging.value, "W"),
        number_example("VI of the same", surging.variability().unwrap()),
        number_example("IF of the same, threshold 250 W", relative),
        number_example("TSS of the same", training_stress(3600.0, relative).unwrap()),
        number_example("TSS of an hour at threshold", training_stress(3600.0, 1.0).unwrap()),
        number_example("TSS of an hour at threshold and an hour at a café, recording on", ride_with_stop()),
        number_example("HRr of 148 bpm between 50 and 190", reserve().fraction(148.0)),
        number_example("TRIMP of an hour at HRr 0.70, men", trimp(Sex::Male)),
        number_example("TRIMP of an hour at HRr 0.70, women", trimp(Sex::Female)),
        number_example("hrTSS of an hour at threshold", heart_stress(169, Sex::Female)),
        number_example("hrTSS of an hour at HRr 0.70, threshold at 0.85, men", heart_stress(148, Sex::Male)),
        number_example(
            "hrTSS of an hour at HRr 0.70, threshold at 0.85, women",
            heart_stress(148, Sex::Female),
        ),
        number_example(
            "Edwards of 10 min in each of the five tenths",
            edwards_trimp(&tenths(), 200.0).unwrap(),
        ),
        number_example(
            "Edwards ratio of an hour at 65% of max HR, threshold at 85%",
            edwards_ratio(&Histogram::constant(130, 3600), 200.0, 170.0).unwrap(),
        ),
        number_example("Lucia of 40, 15 and 5 min", lucia_example()),
        number("C(−0.20)", running_cost(-0.20), "J/kg/m"),
        number("C(0)", running_cost(0.0), "J/kg/m"),
        number("C(+0.10)", running_cost(0.10), "J/kg/m"),
        number(
            "grade-adjusted speed of 3 m/s at 5% uphill",
            3.0 * SlopeCostModel::Floored.factor(0.05),
            "m/s",
        ),
        number(
            "grade-adjusted speed of 3 m/s at 10% downhill",
            3.0 * SlopeCostModel::Floored.factor(-0.10),
            "m/s",
        ),
        number("the same by Minetti alone", 3.0 * SlopeCostModel::Pure.factor(-0.10), "m/s"),
        number_example("rTSS of 45 min at 90% of threshold speed", training_stress(2700.0, 0.9).unwrap()),
        number_example("sTSS of an hour at critical swim speed", swim_training_stress(3600.0, 1.0).unwrap()),
        number_example("sTSS of half an hour at 90% of it", swim_training_stress(1800.0, 0.9).unwrap()),
        number_example("session-RPE of an hour at 5", session_rpe(5.0, TimeSpan::from_mins(60)).unwrap()),
        number_example(
            "load of the same, when 15 sessions had 60 per 300",
            RpeLoadFactor::fit(&[(300.0, 60.0); 15]).unwrap().load(300.0).unwrap(),
        ),
        number("ten rollers of 5 m, threshold 1 m", rollers(20, 5.0), "m"),
        number("1 m of noise on the flat, threshold 1 m", rollers(1000, 1.0), "m"),
        number("100 m up without a turn", climb([0.0, 100.0], 1.0).0, "m"),
        time_example("fastest 5 km within 10 even km in 50:00", Ok(even_ten_kilometres())),
        number("best minute of an hour at 200 W with 60 s at 400 W", best_of_hour(60), "W"),
        number("best two minutes of the same", best_of_hour(120), "W"),
        number("an hour at 3 m/s, at 140 and then at 147 bpm", decoupling_example(), "%"),
    ]
}
