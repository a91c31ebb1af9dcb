//! Steps of each kind of workout.

use super::physiology::{Body, speed_at};
use super::rng::Rng;
use super::season::{ActivityKind, Amount, DemoActivity, DemoStep, StepPurpose};

type DemoWorkout = (ActivityKind, String, Vec<DemoStep>);

pub(super) const POOL_LENGTH_M: f64 = 25.0;

fn step(part: StepPurpose, amount: Amount, effort: f64) -> DemoStep {
    DemoStep { purpose: part, amount, effort_from: effort, effort_to: effort }
}

fn km(part: StepPurpose, km: f64, effort: f64) -> DemoStep {
    step(part, Amount::Meters(km * 1000.0), effort)
}

fn seconds(part: StepPurpose, seconds: f64, effort: f64) -> DemoStep {
    step(part, Amount::Seconds(seconds), effort)
}

fn repeat(times: u32, pair: [DemoStep; 2]) -> impl Iterator<Item = DemoStep> {
    std::iter::repeat_n(pair, times as usize).flatten()
}

pub(super) fn easy(dice: &mut Rng, far: f64) -> DemoWorkout {
    let steps = vec![km(StepPurpose::Steady, far * dice.between(0.9, 1.12), dice.between(0.63, 0.68))];
    (ActivityKind::Run, "Easy run".to_owned(), steps)
}

pub(super) fn long(far: f64, progression: bool) -> DemoWorkout {
    if progression {
        let last = DemoStep { effort_to: 0.83, ..km(StepPurpose::Steady, far * 0.35, 0.72) };
        let steps = vec![km(StepPurpose::Steady, far * 0.65, 0.66), last];
        (ActivityKind::Run, "Long run, faster at the end".to_owned(), steps)
    } else {
        (
            ActivityKind::Run,
            "Long run".to_owned(),
            vec![DemoStep { effort_to: 0.69, ..km(StepPurpose::Steady, far, 0.65) }],
        )
    }
}

pub(super) fn tempo(minutes: f64) -> DemoWorkout {
    let steps = vec![
        km(StepPurpose::Warmup, 2.0, 0.64),
        seconds(StepPurpose::Interval, (minutes * 60.0).round(), 0.865),
        km(StepPurpose::Cooldown, 1.4, 0.62),
    ];
    (ActivityKind::Run, format!("Tempo {} min", minutes.round()), steps)
}

pub(super) fn intervals(dice: &mut Rng, volume: f64) -> DemoWorkout {
    let (reps, meters, effort, rest) = [
        (10.0, 400.0, 1.02, 80.0),
        (6.0, 800.0, 0.98, 130.0),
        (5.0, 1000.0, 0.97, 150.0),
        (4.0, 1200.0, 0.96, 170.0),
    ][dice.below(4) as usize];
    let reps = (f64::max(reps * volume, 3.0)).round() as u32;
    let mut steps = vec![km(StepPurpose::Warmup, 2.4, 0.64)];
    steps.extend(repeat(
        reps,
        [
            step(StepPurpose::Interval, Amount::Meters(meters), effort),
            seconds(StepPurpose::Recovery, rest, 0.42),
        ],
    ));
    steps.push(km(StepPurpose::Cooldown, 1.6, 0.62));
    (ActivityKind::Track, format!("{reps} x {meters} m"), steps)
}

pub(super) fn hills(volume: f64) -> DemoWorkout {
    let reps = (9.0 * volume).round() as u32;
    let mut steps = vec![km(StepPurpose::Warmup, 2.2, 0.64)];
    // Up and back down, where the next one starts.
    let pair = [
        step(StepPurpose::Interval, Amount::Meters(260.0), 0.95),
        step(StepPurpose::Recovery, Amount::Meters(260.0), 0.5),
    ];
    steps.extend(repeat(reps, pair));
    steps.push(km(StepPurpose::Cooldown, 1.8, 0.62));
    (ActivityKind::Hills, format!("{reps} hill repeats"), steps)
}

pub(super) fn strides(far: f64, times: u32) -> DemoWorkout {
    let mut steps = vec![km(StepPurpose::Steady, far, 0.65)];
    steps.extend(repeat(
        times,
        [seconds(StepPurpose::Interval, 20.0, 1.12), seconds(StepPurpose::Recovery, 70.0, 0.5)],
    ));
    (ActivityKind::Run, "Easy run with strides".to_owned(), steps)
}

pub(super) fn treadmill(volume: f64) -> DemoWorkout {
    let steps = vec![DemoStep { effort_to: 0.74, ..km(StepPurpose::Steady, 7.0 * volume, 0.66) }];
    (ActivityKind::Treadmill, "Treadmill".to_owned(), steps)
}

pub(super) fn trail(far: f64) -> DemoWorkout {
    (ActivityKind::Trail, "Forest trails".to_owned(), vec![km(StepPurpose::Steady, far, 0.71)])
}

pub(super) fn race(name: &str, meters: f64, effort: f64) -> DemoWorkout {
    // Slightly faster at the end.
    let finish = DemoStep {
        effort_to: effort + 0.06,
        ..step(StepPurpose::Steady, Amount::Meters(meters * 0.1), effort + 0.02)
    };
    let steps = vec![step(StepPurpose::Steady, Amount::Meters(meters * 0.9), effort), finish];
    (ActivityKind::Race, name.to_owned(), steps)
}

pub(super) fn ride(dice: &mut Rng, far: f64) -> DemoWorkout {
    let steps = vec![km(StepPurpose::Steady, far * dice.between(0.85, 1.2), 0.62)];
    (ActivityKind::Ride, "Ride in the hills".to_owned(), steps)
}

pub(super) fn trainer(volume: f64) -> DemoWorkout {
    let mut steps = vec![seconds(StepPurpose::Warmup, 600.0, 0.52)];
    let reps = (4.0 * volume).round() as u32;
    steps.extend(repeat(
        reps,
        [seconds(StepPurpose::Interval, 360.0, 0.82), seconds(StepPurpose::Recovery, 150.0, 0.45)],
    ));
    steps.push(seconds(StepPurpose::Cooldown, 360.0, 0.45));
    (ActivityKind::Trainer, format!("Trainer {reps} x 6 min"), steps)
}

/// Warm-up, then hundreds with rests.
pub(super) fn swim(hundreds: u32) -> DemoWorkout {
    let mut steps = vec![km(StepPurpose::Warmup, 0.3, 0.55)];
    steps.extend(repeat(
        hundreds.saturating_sub(5),
        [step(StepPurpose::Interval, Amount::Meters(100.0), 0.72), seconds(StepPurpose::Rest, 20.0, 0.3)],
    ));
    steps.push(km(StepPurpose::Cooldown, 0.2, 0.5));
    (ActivityKind::Swim, "Pool".to_owned(), steps)
}

pub(super) fn strength(dice: &mut Rng) -> DemoWorkout {
    let sets = 14 + dice.below(5) as u32;
    let pair = [seconds(StepPurpose::Interval, 40.0, 0.5), seconds(StepPurpose::Rest, 75.0, 0.25)];
    (ActivityKind::Strength, "Strength".to_owned(), repeat(sets, pair).collect())
}

pub(super) fn walk(dice: &mut Rng) -> Vec<DemoStep> {
    vec![km(StepPurpose::Steady, dice.between(1.8, 3.4), 0.3)]
}

pub(super) fn hike(dice: &mut Rng) -> DemoWorkout {
    (
        ActivityKind::Hike,
        "Up the ridge".to_owned(),
        vec![km(StepPurpose::Steady, dice.between(8.0, 11.0), 0.45)],
    )
}

/// Approximate duration of a step.
pub(super) fn step_seconds(kind: ActivityKind, step: &DemoStep, body: &Body) -> f64 {
    let effort = f64::midpoint(step.effort_from, step.effort_to);
    match step.amount {
        Amount::Seconds(seconds) => seconds,
        Amount::Meters(meters) => {
            meters
                / match kind {
                    ActivityKind::Ride | ActivityKind::Trainer => 7.5,
                    ActivityKind::Walk => 1.45,
                    ActivityKind::Hike => 1.15,
                    ActivityKind::Swim => 0.85,
                    _ => speed_at(effort * body.vdot),
                }
        }
    }
}

/// TRIMP of an activity as planned.
pub(super) fn load(outing: &DemoActivity, body: &Body) -> f64 {
    let minutes = |step: &DemoStep| step_seconds(outing.kind, step, body) / 60.0;
    outing
        .steps
        .iter()
        .map(|step| minutes(step) * Body::impulse(f64::midpoint(step.effort_from, step.effort_to)))
        .sum()
}
