//! Turns workouts into easy ones, or into walk-run workouts.

use super::scale_workout;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan};
use crate::plan::{
    DURATION_MINUTES, LOAD_RANGE, Size, Step, StepDuration, StepTarget, StepType, TrainingBaseline, Workout,
    WorkoutKind,
};

/// An easy workout with a share of the original length. If the original was faster, duration and
/// load are recomputed from the easy pace, or dropped if that is unknown.
pub(super) fn downgrade(workout: &Workout, share: f64, athlete: &TrainingBaseline) -> Workout {
    let effort = "Easy, effort 3 of 10: you can talk in whole sentences";
    let name = match workout.sport {
        Sport::Running => "Easy run",
        _ => "Easy session",
    };
    let mut short = scale_workout(workout, share);
    let was_easy = matches!(workout.kind, WorkoutKind::Easy | WorkoutKind::Recovery);
    if workout.sport == Sport::Running && !was_easy {
        if let Some(distance) = short.distance {
            short.duration = athlete.easy_pace().and_then(|pace| {
                let minutes = (distance.km() * pace.seconds_per_km() / 60.0).round();
                let possible =
                    (*DURATION_MINUTES.start() as f64..=*DURATION_MINUTES.end() as f64).contains(&minutes);
                TimeSpan::from_seconds(minutes * 60.0).filter(|_| possible)
            });
        }
        let hours = short.duration.map(|time| time.seconds() / 3600.0);
        let load = hours.zip(athlete.load_per_hour).map(|(hours, per_hour)| (hours * per_hour).round());
        short.load = load.filter(|load| LOAD_RANGE.contains(load));
    }
    let duration = match (short.distance, short.duration) {
        (Some(distance), _) => StepDuration::Distance(distance.meters()),
        (None, Some(duration)) => StepDuration::Time(duration.seconds()),
        (None, None) => StepDuration::Open,
    };
    let notes = Some(effort.to_owned());
    Workout {
        kind: if workout.sport == Sport::Running { WorkoutKind::Easy } else { workout.kind },
        name: name.to_owned(),
        intensity: Some(effort.to_owned()),
        description: None,
        key: false,
        steps: vec![Step {
            step_type: StepType::Active,
            duration,
            target: StepTarget::Open,
            max_heart_rate: None,
            notes,
        }],
        ..short
    }
}

impl Workout {
    /// Shortens the workout to at most this distance.
    pub(super) fn cap_distance(self, most: Distance) -> Self {
        match self.distance {
            Some(distance) if distance > most && most > Distance::ZERO => self.resized(Size::Distance(most)),
            None if self.duration.is_some_and(|duration| duration > DEFAULT_EASY_DURATION) => {
                self.resized(Size::Duration(DEFAULT_EASY_DURATION))
            }
            _ => self,
        }
    }
}

const DEFAULT_EASY_DURATION: TimeSpan = TimeSpan::from_mins(30);

/// Minutes of each running and walking interval, and the number of rounds, for each run of the
/// return.
const WALK_RUN_STAGES: [(i64, i64); 7] = [(1, 10), (1, 12), (2, 6), (2, 7), (3, 5), (4, 4), (5, 4)];
/// Walk-run workouts before continuous running resumes.
pub(super) const WALK_RUN_STAGE_COUNT: usize = WALK_RUN_STAGES.len();
const WALK_MINUTES: i64 = 5;
/// Shortest walk-run workout: one round of the last stage plus the walking around it.
const MIN_SESSION_MINUTES: f64 = 20.0;
/// Minutes per kilometre of alternating running and walking.
pub(in crate::plan) const WALK_RUN_MINUTES_PER_KM: f64 = 8.0;

/// Replaces a run by a walk-run workout of a stage, no farther than `most` and no longer than the
/// original or `minutes`; also returns its approximate kilometres. `None` if that is too short.
pub(in crate::plan) fn walk_run(
    workout: &Workout,
    rung: usize,
    most: Distance,
    minutes: f64,
) -> Option<(Workout, f64)> {
    let (each, rounds) = WALK_RUN_STAGES[rung.min(WALK_RUN_STAGES.len() - 1)];
    let planned = workout.duration.map(|time| time.seconds() / 60.0);
    let planned = planned.or(workout.distance.map(|far| far.km() * 6.0)).unwrap_or(f64::MAX);
    let longest = (most.km() * WALK_RUN_MINUTES_PER_KM).min(planned.min(minutes) - 2.0 * WALK_MINUTES as f64);
    if minutes < MIN_SESSION_MINUTES {
        return None;
    }
    let rounds = rounds.min((longest / (2 * each) as f64) as i64).max(1);
    let step = |step_type, minutes: i64, notes: &str| Step {
        step_type,
        duration: StepDuration::Time((minutes * 60) as f64),
        target: StepTarget::Open,
        max_heart_rate: None,
        notes: Some(notes.to_owned()),
    };
    let mut steps = vec![step(StepType::Warmup, WALK_MINUTES, "Walk briskly")];
    for _ in 0..rounds {
        steps.push(step(StepType::Active, each, "Run easy; walk if pain goes above 2 out of 10"));
        steps.push(step(StepType::Recovery, each, "Walk"));
    }
    steps.push(step(StepType::Cooldown, WALK_MINUTES, "Walk"));
    let minutes = 2 * (WALK_MINUTES + each * rounds);
    let by_turns = Workout {
        sport: workout.sport,
        kind: WorkoutKind::Easy,
        name: format!("Run and walk {minutes} min"),
        duration: Some(TimeSpan::from_mins(minutes)),
        intensity: Some("Easy, effort 2 of 10; stop if it hurts".to_owned()),
        steps,
        ..Workout::rest(workout.date)
    };
    Some((by_turns, minutes as f64 / WALK_RUN_MINUTES_PER_KM))
}
