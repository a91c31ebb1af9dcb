//! An activity that the athlete enters by hand.

use crate::domain::activity::Activity;
use crate::domain::calendar::{Day, Instant, utc_offset_seconds};
use crate::domain::merge::{ActivityEditError, Edit};
use crate::domain::source_record::{Flaw, ParsedActivity};
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan};
use chrono::{NaiveTime, TimeDelta};
use chrono_tz::Tz;

/// A run without a watch, a class, a swim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManualActivity {
    pub sport: Sport,
    pub day: Day,
    /// Local time; `None` if the athlete gave only the day.
    pub start: Option<NaiveTime>,
    pub time: TimeSpan,
    pub distance: Option<Distance>,
    pub name: Option<String>,
}

/// Why an activity cannot be entered.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum ManualActivityError {
    #[error("{0} is in the future")]
    Future(Day),
    #[error(transparent)]
    Implausible(#[from] ActivityEditError),
}

impl ManualActivity {
    /// The activity as a source record.
    ///
    /// # Errors
    /// When it is in the future, or its distance or time is impossible.
    pub fn to_parsed(&self, zone: Tz, now: Instant) -> Result<ParsedActivity, ManualActivityError> {
        let noon = NaiveTime::from_hms_opt(12, 0, 0).unwrap_or_default();
        let local = self.day.date().and_time(self.start.unwrap_or(noon));
        let as_utc = local.and_utc();
        // The offset at about that time; the hour that clocks skip or repeat does not matter here.
        let offset = utc_offset_seconds(zone, as_utc);
        let started_at = as_utc - TimeDelta::seconds(i64::from(offset));
        if self.day > Day::at(now, zone) || (self.start.is_some() && started_at > now) {
            return Err(ManualActivityError::Future(self.day));
        }
        let activity = Activity {
            name: self.name.clone(),
            elapsed: Some(self.time),
            moving: Some(self.time),
            distance: self.distance,
            ..Activity::new(self.sport, started_at, offset)
        };
        let entered = Edit {
            name: None,
            sport: Some(self.sport),
            distance: self.distance,
            elapsed: Some(self.time),
            moving: Some(self.time),
        };
        entered.check(&activity)?;
        let mut flaws = vec![Flaw::EnteredByHand];
        flaws.extend(self.start.is_none().then_some(Flaw::NoStartTime));
        Ok(ParsedActivity { flaws, ..ParsedActivity::without_samples(activity) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entered_activity_has_its_local_day_and_must_be_possible() {
        let run = ManualActivity {
            sport: Sport::Running,
            day: "2026-06-13".parse().unwrap(),
            start: NaiveTime::from_hms_opt(0, 30, 0),
            time: TimeSpan::from_mins(45),
            distance: Distance::from_km(8.0),
            name: None,
        };
        let now = "2026-06-14T08:00:00Z".parse().unwrap();
        let zone = chrono_tz::Europe::Zurich;
        let parsed = run.to_parsed(zone, now).unwrap();
        assert_eq!(parsed.activity.started_at.to_string(), "2026-06-12 22:30:00 UTC");
        assert_eq!(parsed.activity.day(), run.day);
        assert_eq!(parsed.flaws, [Flaw::EnteredByHand]);
        let unknown = ManualActivity { start: None, ..run.clone() };
        assert_eq!(unknown.to_parsed(zone, now).unwrap().flaws, [Flaw::EnteredByHand, Flaw::NoStartTime]);
        let tomorrow = ManualActivity { day: "2026-06-15".parse().unwrap(), ..run.clone() };
        assert!(matches!(tomorrow.to_parsed(zone, now), Err(ManualActivityError::Future(_))));
        let fast = ManualActivity { distance: Distance::from_km(80.0), ..run };
        assert!(matches!(fast.to_parsed(zone, now), Err(ManualActivityError::Implausible(_))));
    }
}
