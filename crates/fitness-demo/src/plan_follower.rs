//! Generates activities of an athlete who follows a plan.

use super::season::{ActivityKind, Amount, DemoStep, StepPurpose};
use fitness_core::domain::sport::Sport;
use fitness_core::plan::{Step as Asked, StepDuration, StepTarget, StepType, Workout, WorkoutKind};

#[derive(Debug, Clone, PartialEq)]
pub struct FollowedWorkout {
    pub workout: Workout,
    /// Completed fraction: 1 is all of it, 0 nothing.
    pub share: f64,
}

/// The activity for a workout; `None` on a rest day or if nothing was done.
pub(super) fn follow_workout(told: &FollowedWorkout) -> Option<(ActivityKind, String, Vec<DemoStep>)> {
    let FollowedWorkout { workout, share } = told;
    if workout.is_rest() || *share <= 0.0 {
        return None;
    }
    let kind = match (workout.sport, workout.kind) {
        (Sport::Running, WorkoutKind::Race) => ActivityKind::Race,
        (Sport::Running, WorkoutKind::Hills) => ActivityKind::Hills,
        (Sport::Running, WorkoutKind::Intervals) => ActivityKind::Track,
        (Sport::Running, _) => ActivityKind::Run,
        (Sport::Cycling, _) => ActivityKind::Ride,
        (Sport::Swimming, _) => ActivityKind::Swim,
        (Sport::Strength, _) => ActivityKind::Strength,
        _ => return None,
    };
    let asked = workout.steps.iter().filter_map(|step| to_step(workout.kind, step)).collect::<Vec<_>>();
    let steps = if asked.is_empty() { vec![single_step(workout)?] } else { asked };
    Some((kind, workout.name.clone(), truncate_steps(steps, *share)))
}

/// A step with an effort that fits its purpose.
fn to_step(kind: WorkoutKind, step: &Asked) -> Option<DemoStep> {
    let amount = match step.duration {
        StepDuration::Time(seconds) => Amount::Seconds(seconds),
        StepDuration::Distance(meters) => Amount::Meters(meters),
        StepDuration::Calories(_) | StepDuration::Open => return None,
    };
    let hard = step.target != StepTarget::Open || matches!(kind, WorkoutKind::Strides | WorkoutKind::Hills);
    let (part, effort) = match step.step_type {
        StepType::Warmup => (StepPurpose::Warmup, 0.64),
        StepType::Cooldown => (StepPurpose::Cooldown, 0.62),
        StepType::Recovery => (StepPurpose::Recovery, 0.48),
        StepType::Rest => (StepPurpose::Rest, 0.3),
        StepType::Active => match kind {
            WorkoutKind::Intervals => (StepPurpose::Interval, 0.97),
            WorkoutKind::Hills => (StepPurpose::Interval, 0.95),
            WorkoutKind::Tempo => (StepPurpose::Interval, 0.865),
            WorkoutKind::RacePace | WorkoutKind::Race => (StepPurpose::Interval, 0.85),
            WorkoutKind::Strides if matches!(amount, Amount::Seconds(s) if s <= 40.0) => {
                (StepPurpose::Interval, 1.1)
            }
            WorkoutKind::Long if hard => (StepPurpose::Interval, 0.84),
            _ => (StepPurpose::Steady, 0.66),
        },
    };
    Some(DemoStep { purpose: part, amount, effort_from: effort, effort_to: effort })
}

/// A workout without steps as one step.
fn single_step(workout: &Workout) -> Option<DemoStep> {
    let amount = match (workout.distance, workout.duration) {
        (Some(distance), _) => Amount::Meters(distance.meters()),
        (None, Some(duration)) => Amount::Seconds(duration.seconds()),
        (None, None) => return None,
    };
    let effort = if workout.sport == Sport::Strength { 0.5 } else { 0.66 };
    Some(DemoStep { purpose: StepPurpose::Steady, amount, effort_from: effort, effort_to: effort })
}

/// Keeps the first part of the steps. More than 1 lengthens the last step.
fn truncate_steps(mut steps: Vec<DemoStep>, share: f64) -> Vec<DemoStep> {
    let size = |step: &DemoStep| match step.amount {
        Amount::Meters(meters) => meters,
        // Metres per second of running.
        Amount::Seconds(seconds) => seconds * 3.0,
    };
    let total: f64 = steps.iter().map(size).sum();
    if share >= 1.0 {
        if let Some(last) = steps.last_mut() {
            let more = 1.0 + total * (share - 1.0) / size(last).max(1.0);
            last.amount = scale(last.amount, more);
        }
        return steps;
    }
    let mut left = total * share;
    let mut done = Vec::new();
    for step in steps {
        if left <= 0.0 {
            break;
        }
        let part = (left / size(&step).max(1.0)).min(1.0);
        left -= size(&step);
        done.push(DemoStep { amount: scale(step.amount, part), ..step });
    }
    done
}

fn scale(amount: Amount, factor: f64) -> Amount {
    match amount {
        Amount::Meters(meters) => Amount::Meters((meters * factor).max(100.0)),
        Amount::Seconds(seconds) => Amount::Seconds((seconds * factor).max(30.0)),
    }
}
