//! A recorded activity and its laps, as every source is mapped to them.

use crate::domain::calendar::{Day, Instant};
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan};
use chrono::TimeDelta;
use serde::{Deserialize, Serialize};

/// One training session. A value the source did not give is `None`, never zero.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Activity {
    /// What was done.
    pub sport: Sport,
    /// The source's finer word, such as `trail_running`; data, not vocabulary.
    pub sub_sport: Option<String>,
    /// The title the athlete or the device gave it. Foreign text: escape it wherever it is shown.
    pub name: Option<String>,
    /// When the recording began.
    pub started_at: Instant,
    /// The local clock's offset from UTC where the athlete was, in seconds.
    pub utc_offset_s: i32,
    /// From first to last moment, pauses included.
    #[serde(rename = "elapsed_ms")]
    pub elapsed: Option<TimeSpan>,
    /// Time in motion.
    #[serde(rename = "moving_ms")]
    pub moving: Option<TimeSpan>,
    /// How far.
    #[serde(rename = "distance_mm")]
    pub distance: Option<Distance>,
    /// Metres climbed.
    #[serde(rename = "ascent_mm")]
    pub ascent: Option<Distance>,
    /// Metres descended.
    #[serde(rename = "descent_mm")]
    pub descent: Option<Distance>,
    /// Mean heart rate, beats per minute.
    pub avg_heart_rate: Option<u16>,
    /// Highest heart rate, beats per minute.
    pub max_heart_rate: Option<u16>,
    /// Mean power, watts.
    pub avg_power: Option<u16>,
    /// Highest power, watts.
    pub max_power: Option<u16>,
    /// Steps or revolutions per minute, both legs.
    pub avg_cadence: Option<f64>,
    /// Energy spent, kilocalories.
    pub energy_kcal: Option<u32>,
    /// What recorded it, such as `Forerunner 255`. Foreign text.
    pub device: Option<String>,
    /// In order of their start.
    pub laps: Vec<Lap>,
}

impl Activity {
    /// An activity of which nothing is known but when and where it began.
    #[must_use]
    pub const fn new(sport: Sport, started_at: Instant, utc_offset_s: i32) -> Self {
        Self {
            sport,
            sub_sport: None,
            name: None,
            started_at,
            utc_offset_s,
            elapsed: None,
            moving: None,
            distance: None,
            ascent: None,
            descent: None,
            avg_heart_rate: None,
            max_heart_rate: None,
            avg_power: None,
            max_power: None,
            avg_cadence: None,
            energy_kcal: None,
            device: None,
            laps: Vec::new(),
        }
    }

    /// The athlete's local day on which it began.
    #[must_use]
    pub fn day(&self) -> Day {
        let local = self.started_at + TimeDelta::seconds(i64::from(self.utc_offset_s));
        Day::at(local, chrono_tz::Tz::UTC)
    }

    /// The time that counts towards a planned duration: in motion where known, else elapsed.
    #[must_use]
    pub fn training_time(&self) -> Option<TimeSpan> {
        self.moving.or(self.elapsed)
    }
}

/// A lap, pool length set or interval within an activity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lap {
    /// When it began.
    pub started_at: Instant,
    /// From its first to its last moment.
    #[serde(rename = "elapsed_ms")]
    pub elapsed: Option<TimeSpan>,
    /// Time in motion.
    #[serde(rename = "moving_ms")]
    pub moving: Option<TimeSpan>,
    /// How far.
    #[serde(rename = "distance_mm")]
    pub distance: Option<Distance>,
    /// Mean heart rate, beats per minute.
    pub avg_heart_rate: Option<u16>,
    /// Highest heart rate, beats per minute.
    pub max_heart_rate: Option<u16>,
    /// Mean power, watts.
    pub avg_power: Option<u16>,
    /// Steps or revolutions per minute, both legs.
    pub avg_cadence: Option<f64>,
    /// What the device called it: `interval`, `rest`, `warmup`. Foreign text.
    pub kind: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activity_day_is_the_local_day_of_its_start() {
        let mut run = Activity {
            elapsed: Some(TimeSpan::from_mins(60)),
            ..Activity::new(Sport::Running, "2026-06-14T23:50:00Z".parse().unwrap(), 0)
        };
        assert_eq!(run.day().to_string(), "2026-06-14");
        run.utc_offset_s = 2 * 3600;
        assert_eq!(run.day().to_string(), "2026-06-15");
        run.utc_offset_s = -7 * 3600;
        assert_eq!(run.day().to_string(), "2026-06-14");
        assert_eq!(run.training_time(), Some(TimeSpan::from_mins(60)));
    }
}
