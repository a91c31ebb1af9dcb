//! What a workout is made of.

use super::physiology::{Body, speed_at};
use super::rng::Dice;
use super::season::{Amount, Kind, Outing, Part, Step};

type Workout = (Kind, String, Vec<Step>);

/// A metre of a pool that is 25 metres long.
pub(super) const POOL: f64 = 25.0;

fn step(part: Part, amount: Amount, effort: f64) -> Step {
    Step { part, amount, from: effort, to: effort }
}

fn km(part: Part, km: f64, effort: f64) -> Step {
    step(part, Amount::Meters(km * 1000.0), effort)
}

fn seconds(part: Part, seconds: f64, effort: f64) -> Step {
    step(part, Amount::Seconds(seconds), effort)
}

/// The same pair of steps, so many times.
fn repeat(times: u32, pair: [Step; 2]) -> impl Iterator<Item = Step> {
    std::iter::repeat_n(pair, times as usize).flatten()
}

pub(super) fn easy(dice: &mut Dice, far: f64) -> Workout {
    let steps = vec![km(Part::Steady, far * dice.between(0.9, 1.12), dice.between(0.63, 0.68))];
    (Kind::Run, "Easy run".to_owned(), steps)
}

pub(super) fn long(far: f64, progression: bool) -> Workout {
    if progression {
        let last = Step { to: 0.83, ..km(Part::Steady, far * 0.35, 0.72) };
        let steps = vec![km(Part::Steady, far * 0.65, 0.66), last];
        (Kind::Run, "Long run, faster at the end".to_owned(), steps)
    } else {
        (Kind::Run, "Long run".to_owned(), vec![Step { to: 0.69, ..km(Part::Steady, far, 0.65) }])
    }
}

pub(super) fn tempo(minutes: f64) -> Workout {
    let steps = vec![
        km(Part::Warmup, 2.0, 0.64),
        seconds(Part::Interval, (minutes * 60.0).round(), 0.865),
        km(Part::Cooldown, 1.4, 0.62),
    ];
    (Kind::Run, format!("Tempo {} min", minutes.round()), steps)
}

pub(super) fn intervals(dice: &mut Dice, volume: f64) -> Workout {
    let (reps, meters, effort, rest) = [
        (10.0, 400.0, 1.02, 80.0),
        (6.0, 800.0, 0.98, 130.0),
        (5.0, 1000.0, 0.97, 150.0),
        (4.0, 1200.0, 0.96, 170.0),
    ][dice.below(4) as usize];
    let reps = (f64::max(reps * volume, 3.0)).round() as u32;
    let mut steps = vec![km(Part::Warmup, 2.4, 0.64)];
    steps.extend(repeat(
        reps,
        [step(Part::Interval, Amount::Meters(meters), effort), seconds(Part::Recovery, rest, 0.42)],
    ));
    steps.push(km(Part::Cooldown, 1.6, 0.62));
    (Kind::Track, format!("{reps} x {meters} m"), steps)
}

pub(super) fn hills(volume: f64) -> Workout {
    let reps = (9.0 * volume).round() as u32;
    let mut steps = vec![km(Part::Warmup, 2.2, 0.64)];
    // Up to the tree and back down, where the next one begins.
    let pair =
        [step(Part::Interval, Amount::Meters(260.0), 0.95), step(Part::Recovery, Amount::Meters(260.0), 0.5)];
    steps.extend(repeat(reps, pair));
    steps.push(km(Part::Cooldown, 1.8, 0.62));
    (Kind::Hills, format!("{reps} hill repeats"), steps)
}

pub(super) fn strides(far: f64, times: u32) -> Workout {
    let mut steps = vec![km(Part::Steady, far, 0.65)];
    steps.extend(repeat(times, [seconds(Part::Interval, 20.0, 1.12), seconds(Part::Recovery, 70.0, 0.5)]));
    (Kind::Run, "Easy run with strides".to_owned(), steps)
}

pub(super) fn treadmill(volume: f64) -> Workout {
    let steps = vec![Step { to: 0.74, ..km(Part::Steady, 7.0 * volume, 0.66) }];
    (Kind::Treadmill, "Treadmill".to_owned(), steps)
}

pub(super) fn trail(far: f64) -> Workout {
    (Kind::Trail, "Forest trails".to_owned(), vec![km(Part::Steady, far, 0.71)])
}

pub(super) fn race(name: &str, meters: f64, effort: f64) -> Workout {
    // A little faster at the end, as one who has paced well.
    let finish =
        Step { to: effort + 0.06, ..step(Part::Steady, Amount::Meters(meters * 0.1), effort + 0.02) };
    let steps = vec![step(Part::Steady, Amount::Meters(meters * 0.9), effort), finish];
    (Kind::Race, name.to_owned(), steps)
}

pub(super) fn ride(dice: &mut Dice, far: f64) -> Workout {
    let steps = vec![km(Part::Steady, far * dice.between(0.85, 1.2), 0.62)];
    (Kind::Ride, "Ride in the hills".to_owned(), steps)
}

pub(super) fn trainer(volume: f64) -> Workout {
    let mut steps = vec![seconds(Part::Warmup, 600.0, 0.52)];
    let reps = (4.0 * volume).round() as u32;
    steps.extend(repeat(reps, [seconds(Part::Interval, 360.0, 0.82), seconds(Part::Recovery, 150.0, 0.45)]));
    steps.push(seconds(Part::Cooldown, 360.0, 0.45));
    (Kind::Trainer, format!("Trainer {reps} x 6 min"), steps)
}

/// So many hundreds: some to warm up, the rest one by one with a rest at the wall.
pub(super) fn swim(hundreds: u32) -> Workout {
    let mut steps = vec![km(Part::Warmup, 0.3, 0.55)];
    steps.extend(repeat(
        hundreds.saturating_sub(5),
        [step(Part::Interval, Amount::Meters(100.0), 0.72), seconds(Part::Rest, 20.0, 0.3)],
    ));
    steps.push(km(Part::Cooldown, 0.2, 0.5));
    (Kind::Swim, "Pool".to_owned(), steps)
}

pub(super) fn strength(dice: &mut Dice) -> Workout {
    let sets = 14 + dice.below(5) as u32;
    let pair = [seconds(Part::Interval, 40.0, 0.5), seconds(Part::Rest, 75.0, 0.25)];
    (Kind::Strength, "Strength".to_owned(), repeat(sets, pair).collect())
}

pub(super) fn walk(dice: &mut Dice) -> Vec<Step> {
    vec![km(Part::Steady, dice.between(1.8, 3.4), 0.3)]
}

pub(super) fn hike(dice: &mut Dice) -> Workout {
    (Kind::Hike, "Up the ridge".to_owned(), vec![km(Part::Steady, dice.between(8.0, 11.0), 0.45)])
}

/// About how many seconds a step takes.
pub(super) fn lasts(kind: Kind, step: &Step, body: &Body) -> f64 {
    let effort = f64::midpoint(step.from, step.to);
    match step.amount {
        Amount::Seconds(seconds) => seconds,
        Amount::Meters(meters) => {
            meters
                / match kind {
                    Kind::Ride | Kind::Trainer => 7.5,
                    Kind::Walk => 1.45,
                    Kind::Hike => 1.15,
                    Kind::Swim => 0.85,
                    _ => speed_at(effort * body.vdot),
                }
        }
    }
}

/// Banister's impulse of an outing as planned.
pub(super) fn load(outing: &Outing, body: &Body) -> f64 {
    let minutes = |step: &Step| lasts(outing.kind, step, body) / 60.0;
    outing.steps.iter().map(|step| minutes(step) * Body::impulse(f64::midpoint(step.from, step.to))).sum()
}
