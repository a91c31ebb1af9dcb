//! Making a session easy.

use super::shorter;
use crate::plan::{Size, Step, StepDuration, StepTarget, StepType, Workout, WorkoutKind};
use crate::sport::Sport;
use crate::units::{Distance, TimeSpan};

/// An easy session of a share of the length, in place of whatever it was.
pub(super) fn eased(workout: &Workout, share: f64) -> Workout {
    let effort = "Easy, about 3 of 10: you can talk in whole sentences";
    let name = match workout.sport {
        Sport::Running => "Easy run",
        _ => "Easy session",
    };
    let short = shorter(workout, share);
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
