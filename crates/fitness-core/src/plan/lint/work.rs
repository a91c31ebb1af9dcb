//! The hard part of a workout: its active steps, in kilometres and minutes.

use super::super::training_norms::QUALITY_LONG_RUN_SHARE;
use super::super::{Step, StepDuration, StepTarget, StepType, TargetRange, Workout, WorkoutKind};
use crate::domain::units::{Distance, Pace};

/// Share of the easy pace that hard running is assumed to take, if no target pace is given.
const WORK_PACE_FACTOR: f64 = 0.9;

/// The hard part of a workout; `None` where neither a step nor a pace gives it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct HardPart {
    pub(super) km: Option<f64>,
    pub(super) minutes: Option<f64>,
    /// The longest active step.
    pub(super) longest_km: Option<f64>,
}

impl HardPart {
    /// Sum of the active steps; unknown if there are none.
    pub(super) fn from_workout(workout: &Workout, easy: Option<Pace>) -> Self {
        let active = || workout.steps.iter().filter(|step| step.step_type == StepType::Active);
        if active().next().is_none() {
            return Self::default();
        }
        let kms = || active().map(|step| step_amount(step, easy).0);
        Self {
            km: kms().sum(),
            minutes: active().map(|step| step_amount(step, easy).1).sum(),
            longest_km: kms().try_fold(0.0_f64, |longest, km| Some(longest.max(km?))),
        }
    }
}

/// Kilometres and minutes, where known.
type Amount = (Option<f64>, Option<f64>);

fn step_amount(step: &Step, easy: Option<Pace>) -> Amount {
    let pace = target_pace(step).or_else(|| {
        let share = if step.step_type == StepType::Active { WORK_PACE_FACTOR } else { 1.0 };
        easy.map(|easy| easy.seconds_per_km() * share)
    });
    let sound = |value: f64| Some(value).filter(|value| value.is_finite() && *value >= 0.0);
    match step.duration {
        StepDuration::Distance(meters) => {
            let km = sound(meters / 1000.0);
            (km, km.zip(pace).and_then(|(km, pace)| sound(km * pace / 60.0)))
        }
        StepDuration::Time(seconds) => {
            let minutes = sound(seconds / 60.0);
            (minutes.zip(pace).and_then(|(minutes, pace)| sound(minutes * 60.0 / pace)), minutes)
        }
        StepDuration::Calories(_) | StepDuration::Open => (None, None),
    }
}

/// Middle of a step's target pace, in seconds per kilometre.
pub(super) fn target_pace(step: &Step) -> Option<f64> {
    let range = pace_range(step)?;
    let both = [range.low, range.high];
    let count = both.iter().flatten().count();
    Some(both.iter().flatten().sum::<f64>() / count as f64).filter(|pace| pace.is_finite() && *pace > 0.0)
}

/// The target pace of a step, if it has one.
pub(in crate::plan) fn pace_range(step: &Step) -> Option<TargetRange> {
    match step.target {
        StepTarget::Pace(range) if range.low.is_some() || range.high.is_some() => Some(range),
        _ => None,
    }
}

/// Whether a run is a quality workout. Strides are not; a long run is if at least 30 % of it is
/// hard.
pub(super) fn is_quality(workout: &Workout, kind: WorkoutKind, easy: Option<Pace>) -> bool {
    match kind {
        WorkoutKind::Race => true,
        kind if kind.is_quality() => true,
        WorkoutKind::Long => {
            work_share(workout, easy).is_some_and(|share| share >= QUALITY_LONG_RUN_SHARE - 1e-9)
        }
        _ => false,
    }
}

/// Hard share of a run that also has other steps: by time if every step has one, else by distance.
fn work_share(workout: &Workout, easy: Option<Pace>) -> Option<f64> {
    let steps = &workout.steps;
    if steps.iter().all(|step| step.step_type == StepType::Active) {
        return None;
    }
    let share = |of: fn(Amount) -> Option<f64>, whole: Option<f64>| {
        let all: Option<f64> = steps.iter().map(|step| of(step_amount(step, easy))).sum();
        let active = steps.iter().filter(|step| step.step_type == StepType::Active);
        let work: Option<f64> = active.map(|step| of(step_amount(step, easy))).sum();
        let whole = all.or(whole).filter(|whole| *whole > 0.0)?;
        Some(work? / whole)
    };
    let minutes = workout.duration.map(|duration| duration.seconds() / 60.0);
    let in_time = || share(|(_, minutes)| minutes, minutes);
    let in_distance = || share(|(km, _)| km, workout.distance.map(Distance::km));
    if steps.iter().all(|step| matches!(step.duration, StepDuration::Time(_))) {
        in_time()
    } else {
        in_distance().or_else(in_time)
    }
}
