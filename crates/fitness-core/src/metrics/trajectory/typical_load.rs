//! Typical training loads of an athlete's activities, by sport and workout kind.

use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan};
use crate::metrics::fitness::MAX_ACTIVITY_LOAD;
use crate::metrics::recovery::baseline::{mean, median, to_u32};
use crate::metrics::{CountUnit, MetricResult, MissingReason};
use crate::plan::WorkoutKind;
use std::collections::BTreeMap;

/// Days of activities used.
const LOOKBACK_DAYS: i64 = 90;
/// Days of the mean daily load.
const DAILY_MEAN_DAYS: u32 = 28;
/// Minimum number of activities.
const MIN_SESSIONS: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ActivitySample {
    pub day: Day,
    pub sport: Sport,
    /// Kind of the planned workout it was matched to, if any.
    pub kind: Option<WorkoutKind>,
    pub load: f64,
    pub duration: TimeSpan,
    pub distance: Option<Distance>,
}

/// Typical hour of an activity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TypicalHour {
    /// Median load per hour.
    pub load_per_hour: f64,
    /// Median speed, m/s, if at least three activities have a distance.
    pub speed_mps: Option<f64>,
    pub sessions: u32,
}

/// Typical loads by sport and workout kind.
#[derive(Debug, Clone, PartialEq)]
pub struct TypicalLoads {
    by_kind: BTreeMap<(Sport, Option<WorkoutKind>), TypicalHour>,
    /// Number of activities by sport.
    counts: BTreeMap<Sport, u32>,
    /// The mean daily load of the last 28 days.
    pub per_day: MetricResult<f64>,
}

impl TypicalLoads {
    /// No estimates: only loads written in the plan count.
    pub const EMPTY: Self = Self {
        by_kind: BTreeMap::new(),
        counts: BTreeMap::new(),
        per_day: Err(MissingReason::TooFew { have: 0, needed: DAILY_MEAN_DAYS, what: CountUnit::Days }),
    };

    /// Measured over the 90 days up to the last complete one. `first` is the first day of data.
    #[must_use]
    pub fn measure(sessions: &[ActivitySample], first: Day, complete: Day) -> Self {
        let usable = |session: &&ActivitySample| {
            (0..LOOKBACK_DAYS).contains(&session.day.days_until(complete))
                && (0.0..=MAX_ACTIVITY_LOAD).contains(&session.load)
                && (1.0 / 60.0..=48.0).contains(&(session.duration.seconds() / 3600.0))
        };
        let sessions: Vec<&ActivitySample> = sessions.iter().filter(usable).collect();
        let mut groups: BTreeMap<(Sport, Option<WorkoutKind>), Vec<&ActivitySample>> = BTreeMap::new();
        let mut counts = BTreeMap::new();
        for session in &sessions {
            *counts.entry(session.sport).or_insert(0) += 1;
            groups.entry((session.sport, None)).or_default().push(session);
            if session.kind.is_some() {
                groups.entry((session.sport, session.kind)).or_default().push(session);
            }
        }
        let by_kind = groups.iter().filter_map(|(key, group)| Some((*key, typical_hour(group)?))).collect();
        Self { by_kind, counts, per_day: per_day(&sessions, first, complete) }
    }

    /// Typical hour of the same workout kind if there are at least three activities, else of the
    /// sport.
    ///
    /// # Errors
    /// With fewer than three activities of the sport in the 90 days.
    pub fn for_workout(&self, sport: Sport, kind: WorkoutKind) -> MetricResult<&TypicalHour> {
        let same = self.by_kind.get(&(sport, Some(kind)));
        same.or_else(|| self.by_kind.get(&(sport, None))).ok_or_else(|| MissingReason::TooFew {
            have: self.counts.get(&sport).copied().unwrap_or(0),
            needed: to_u32(MIN_SESSIONS),
            what: CountUnit::Sessions,
        })
    }
}

/// Medians, so that one race or broken recording does not dominate. Three one-hour runs with loads
/// of 40, 50 and 90: 50 per hour.
fn typical_hour(sessions: &[&ActivitySample]) -> Option<TypicalHour> {
    if sessions.len() < MIN_SESSIONS {
        return None;
    }
    let rates: Vec<f64> =
        sessions.iter().map(|session| session.load / (session.duration.seconds() / 3600.0)).collect();
    let speeds: Vec<f64> = sessions
        .iter()
        .filter_map(|session| Some(session.distance?.meters() / session.duration.seconds()))
        .filter(|speed| speed.is_finite() && *speed > 0.0)
        .collect();
    Some(TypicalHour {
        load_per_hour: median(&rates)?,
        speed_mps: if speeds.len() < MIN_SESSIONS { None } else { median(&speeds) },
        sessions: to_u32(sessions.len()),
    })
}

fn per_day(sessions: &[&ActivitySample], first: Day, complete: Day) -> MetricResult<f64> {
    let have = u32::try_from(first.days_until(complete).saturating_add(1)).unwrap_or(0);
    if have < DAILY_MEAN_DAYS {
        return Err(MissingReason::TooFew { have, needed: DAILY_MEAN_DAYS, what: CountUnit::Days });
    }
    let mut loads: Vec<f64> = sessions
        .iter()
        .filter(|session| session.day.days_until(complete) < i64::from(DAILY_MEAN_DAYS))
        .map(|session| session.load)
        .collect();
    loads.sort_by(f64::total_cmp);
    Ok(mean(&loads) * loads.len() as f64 / f64::from(DAILY_MEAN_DAYS))
}
