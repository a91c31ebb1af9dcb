//! What the athlete changes by hand, and what of it nobody can have done.

use crate::domain::activity::Activity;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, Speed, TimeSpan};
use crate::metrics::per_second::top_speed;
use serde::{Deserialize, Serialize};

/// What the athlete changed by hand; it stands above every report.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Edit {
    /// Another title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Another sport.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sport: Option<Sport>,
    /// Another distance.
    #[serde(default, rename = "distance_mm", skip_serializing_if = "Option::is_none")]
    pub distance: Option<Distance>,
    /// Another time from start to end.
    #[serde(default, rename = "elapsed_ms", skip_serializing_if = "Option::is_none")]
    pub elapsed: Option<TimeSpan>,
    /// Another time in motion.
    #[serde(default, rename = "moving_ms", skip_serializing_if = "Option::is_none")]
    pub moving: Option<TimeSpan>,
}

/// An edit that makes an activity nobody can have done.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum ActivityEditError {
    /// Farther than anybody goes in one session.
    #[error("no session of {sport} is {:.0} km long", distance.km())]
    TooFar {
        /// The sport it would be.
        sport: Sport,
        /// How far it would be.
        distance: Distance,
        /// The farthest that is taken.
        most: Distance,
    },
    /// No time at all, or longer than anybody keeps going.
    #[error("no session takes {}", time.format_clock())]
    InvalidDuration {
        /// How long it would be.
        time: TimeSpan,
        /// The longest that is taken.
        most: TimeSpan,
    },
    /// Distance and time that do not go together.
    #[error("{:.1} km in {} is faster than anybody goes in {sport}", distance.km(), time.format_clock())]
    TooFast {
        /// The sport it would be.
        sport: Sport,
        /// How far it would be.
        distance: Distance,
        /// How long it would take.
        time: TimeSpan,
    },
    /// Rest is a sport of planned workouts only.
    #[error("rest is planned, not recorded")]
    Rest,
}

/// A session that goes on for longer is several: 240 hours.
const MAX_DURATION: TimeSpan = TimeSpan::from_mins(240 * 60);

/// Farther than anybody has gone in one session of a sport.
const fn max_distance(sport: Sport) -> Distance {
    let km = match sport {
        Sport::Swimming => 300,
        Sport::Running | Sport::Rowing | Sport::Strength => 1_000,
        Sport::Cycling | Sport::Other | Sport::Rest => 5_000,
    };
    Distance::from_mm(km * 1_000_000)
}

impl Edit {
    /// A later edit on top of this one.
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

    /// Whether the activity that comes out of it can have been done. What was not changed by hand is its sources' word
    /// and is not questioned here.
    ///
    /// # Errors
    /// When the distance, a time or the mean speed is beyond every human, or the sport is rest.
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
        match Speed::over(distance, time) {
            Some(speed) if speed.mps() > top => Err(ActivityEditError::TooFast { sport, distance, time }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_can_have_done_is_refused_and_the_sources_word_is_not() {
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
        // A broken recording can still be given a name.
        let broken = Activity { distance: Distance::from_km(90_000.0), ..run.clone() };
        assert_eq!(Edit { name: Some("x".to_owned()), ..Edit::default() }.check(&broken), Ok(()));
    }
}
