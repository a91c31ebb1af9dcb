//! Edits of an activity by the athlete, and their plausibility check.

use crate::domain::activity::Activity;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, Speed, TimeSpan};
use crate::metrics::per_second::top_speed;
use serde::{Deserialize, Serialize};

/// Fields changed by the athlete. They override every source record.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Edit {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sport: Option<Sport>,
    #[serde(default, rename = "distance_mm", skip_serializing_if = "Option::is_none")]
    pub distance: Option<Distance>,
    #[serde(default, rename = "elapsed_ms", skip_serializing_if = "Option::is_none")]
    pub elapsed: Option<TimeSpan>,
    #[serde(default, rename = "moving_ms", skip_serializing_if = "Option::is_none")]
    pub moving: Option<TimeSpan>,
}

/// An edit that results in an impossible activity.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum ActivityEditError {
    #[error("{:.0} km is too far for one {sport} activity", distance.km())]
    TooFar { sport: Sport, distance: Distance, most: Distance },
    /// Zero, or longer than 240 hours.
    #[error("{} is not a possible duration", time.format_clock())]
    InvalidDuration { time: TimeSpan, most: TimeSpan },
    /// The mean speed is above what is possible in the sport.
    #[error("{:.1} km in {} is too fast for {sport}", distance.km(), time.format_clock())]
    TooFast { sport: Sport, distance: Distance, time: TimeSpan },
    /// Rest is a sport of planned workouts only.
    #[error("an activity cannot be rest")]
    Rest,
}

/// 240 hours: anything longer is several activities.
const MAX_DURATION: TimeSpan = TimeSpan::from_mins(240 * 60);

/// Maximum plausible distance of one activity.
const fn max_distance(sport: Sport) -> Distance {
    let km = match sport {
        Sport::Swimming => 300,
        Sport::Running | Sport::Rowing | Sport::Strength => 1_000,
        Sport::Cycling | Sport::Other | Sport::Rest => 5_000,
    };
    Distance::from_mm(km * 1_000_000)
}

impl Edit {
    /// Applies a later edit on top of this one.
    #[must_use]
    pub fn followed_by(self, later: Self) -> Self {
        Self {
            name: later.name.or(self.name),
            sport: later.sport.or(self.sport),
            distance: later.distance.or(self.distance),
            elapsed: later.elapsed.or(self.elapsed),
            moving: later.moving.or(self.moving),
        }
    }

    /// Checks the edited activity. Values that the athlete did not change are not checked.
    ///
    /// # Errors
    /// When the distance, a time or the mean speed is impossible, or the sport is rest.
    pub fn check(&self, edited: &Activity) -> Result<(), ActivityEditError> {
        let sport = edited.sport;
        if self.sport == Some(Sport::Rest) {
            return Err(ActivityEditError::Rest);
        }
        if let Some(distance) = self.distance.filter(|distance| *distance > max_distance(sport)) {
            return Err(ActivityEditError::TooFar { sport, distance, most: max_distance(sport) });
        }
        let lasts = |time: &TimeSpan| *time > TimeSpan::ZERO && *time <= MAX_DURATION;
        if let Some(time) = [self.moving, self.elapsed].into_iter().flatten().find(|time| !lasts(time)) {
            return Err(ActivityEditError::InvalidDuration { time, most: MAX_DURATION });
        }
        if (self.distance, self.moving, self.elapsed, self.sport) == (None, None, None, None) {
            return Ok(());
        }
        let Some((distance, time)) = edited.distance.zip(edited.training_time()) else { return Ok(()) };
        let top = f64::from(top_speed(sport)) / 1000.0;
        match Speed::from_distance_and_time(distance, time) {
            Some(speed) if speed.mps() > top => Err(ActivityEditError::TooFast { sport, distance, time }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_edit_is_refused_and_source_values_are_not_checked() {
        let run = Activity {
            distance: Distance::from_km(10.0),
            moving: Some(TimeSpan::from_mins(50)),
            ..Activity::new(Sport::Running, "2026-06-14T08:00:00Z".parse().unwrap(), 0)
        };
        let km = |km: f64| Edit { distance: Distance::from_km(km), ..Edit::default() };
        let of = |edit: &Edit| {
            let mut edited = run.clone();
            super::super::apply_edit(&mut edited, edit);
            edit.check(&edited)
        };
        assert_eq!(of(&km(12.0)), Ok(()));
        assert!(matches!(of(&km(99_999.0)), Err(ActivityEditError::TooFar { .. })));
        assert!(matches!(of(&km(400.0)), Err(ActivityEditError::TooFast { .. })), "400 km in 50 minutes");
        let moving = |time| Edit { moving: Some(time), ..Edit::default() };
        assert!(matches!(of(&moving(TimeSpan::ZERO)), Err(ActivityEditError::InvalidDuration { .. })));
        assert!(matches!(
            of(&moving(TimeSpan::from_mins(60_000))),
            Err(ActivityEditError::InvalidDuration { .. })
        ));
        assert!(matches!(of(&moving(TimeSpan::from_secs(60))), Err(ActivityEditError::TooFast { .. })));
        let sport = |sport| Edit { sport: Some(sport), ..Edit::default() };
        assert_eq!(of(&sport(Sport::Rest)), Err(ActivityEditError::Rest));
        assert!(matches!(of(&sport(Sport::Swimming)), Err(ActivityEditError::TooFast { .. })));
        // A broken recording can still be renamed.
        let broken = Activity { distance: Distance::from_km(90_000.0), ..run.clone() };
        assert_eq!(Edit { name: Some("x".to_owned()), ..Edit::default() }.check(&broken), Ok(()));
    }
}
