//! Making a session easy.

use super::shorter;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan};
use crate::plan::{
    Background, LOAD, MINUTES, Size, Step, StepDuration, StepTarget, StepType, Workout, WorkoutKind,
};

/// An easy session of a share of the length, in place of whatever it was. What was faster takes as long as the athlete's easy
/// pace does, and brings what easy running brings them; where that is not known, neither is said.
pub(super) fn eased(workout: &Workout, share: f64, athlete: &Background) -> Workout {
    let effort = "Easy, about 3 of 10: you can talk in whole sentences";
    let name = match workout.sport {
        Sport::Running => "Easy run",
        _ => "Easy session",
    };
    let mut short = shorter(workout, share);
    let was_easy = matches!(workout.kind, WorkoutKind::Easy | WorkoutKind::Recovery);
    if workout.sport == Sport::Running && !was_easy {
        if let Some(distance) = short.distance {
            short.duration = athlete.easy_pace().and_then(|pace| {
                let minutes = (distance.km() * pace.seconds_per_km() / 60.0).round();
                let possible = (*MINUTES.start() as f64..=*MINUTES.end() as f64).contains(&minutes);
                TimeSpan::from_seconds(minutes * 60.0).filter(|_| possible)
            });
        }
        let hours = short.duration.map(|time| time.seconds() / 3600.0);
        let load = hours.zip(athlete.load_per_hour).map(|(hours, per_hour)| (hours * per_hour).round());
        short.load = load.filter(|load| LOAD.contains(load));
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
        steps: vec![Step { step_type: StepType::Active, duration, target: StepTarget::Open, notes }],
        ..short
    }
}

impl Workout {
    /// The same, no farther than this.
    pub(super) fn at_most(self, most: Distance) -> Self {
        match self.distance {
            Some(distance) if distance > most && most > Distance::ZERO => self.resized(Size::Distance(most)),
            None if self.duration.is_some_and(|duration| duration > HALF_AN_HOUR) => {
                self.resized(Size::Duration(HALF_AN_HOUR))
            }
            _ => self,
        }
    }
}

const HALF_AN_HOUR: TimeSpan = TimeSpan::from_mins(30);

/// Minutes of running, and as many of walking, and how often: what each run back asks for.
const LADDER: [(i64, i64); 7] = [(1, 10), (1, 12), (2, 6), (2, 7), (3, 5), (4, 4), (5, 4)];
/// Sessions by turns before running goes on by itself.
pub(super) const RUNGS: usize = LADDER.len();
/// Minutes of walking before and after.
const WALK: i64 = 5;
/// Minutes that a session has at least: one round of the highest rung, and the walking around it.
const SHORTEST: f64 = 20.0;
/// Minutes that a kilometre takes by turns.
pub(in crate::plan) const BY_TURNS: f64 = 8.0;

/// Running and walking by turns in place of a run: a rung higher each time, no farther than `most`, no longer than what
/// was planned and than `minutes`; `None` where that is too short. With how many kilometres that is about.
pub(in crate::plan) fn walk_run(
    workout: &Workout,
    rung: usize,
    most: Distance,
    minutes: f64,
) -> Option<(Workout, f64)> {
    let (each, rounds) = LADDER[rung.min(LADDER.len() - 1)];
    let planned = workout.duration.map(|time| time.seconds() / 60.0);
    let planned = planned.or(workout.distance.map(|far| far.km() * 6.0)).unwrap_or(f64::MAX);
    let longest = (most.km() * BY_TURNS).min(planned.min(minutes) - 2.0 * WALK as f64);
    if minutes < SHORTEST {
        return None;
    }
    let rounds = rounds.min((longest / (2 * each) as f64) as i64).max(1);
    let step = |step_type, minutes: i64, notes: &str| Step {
        step_type,
        duration: StepDuration::Time((minutes * 60) as f64),
        target: StepTarget::Open,
        notes: Some(notes.to_owned()),
    };
    let mut steps = vec![step(StepType::Warmup, WALK, "Walk briskly")];
    for _ in 0..rounds {
        steps.push(step(StepType::Active, each, "Run easily; walk when pain goes above 2 of 10"));
        steps.push(step(StepType::Recovery, each, "Walk"));
    }
    steps.push(step(StepType::Cooldown, WALK, "Walk"));
    let minutes = 2 * (WALK + each * rounds);
    let by_turns = Workout {
        sport: workout.sport,
        kind: WorkoutKind::Easy,
        name: format!("Run and walk {minutes} min"),
        duration: Some(TimeSpan::from_mins(minutes)),
        intensity: Some("Easy, about 2 of 10; stop when it hurts".to_owned()),
        steps,
        ..Workout::rest(workout.date)
    };
    Some((by_turns, minutes as f64 / BY_TURNS))
}
