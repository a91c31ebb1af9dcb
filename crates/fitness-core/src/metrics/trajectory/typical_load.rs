//! What a session of an athlete usually brings, measured from their own.

use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan};
use crate::metrics::fitness::MAX_ACTIVITY_LOAD;
use crate::metrics::recovery::baseline::{mean, median, to_u32};
use crate::metrics::{CountUnit, MetricResult, MissingReason};
use crate::plan::WorkoutKind;
use std::collections::BTreeMap;

/// How far back sessions are taken as usual, days.
const LOOKBACK_DAYS: i64 = 90;
/// How far back an ordinary day's load is measured, days.
const DAILY_MEAN_DAYS: u32 = 28;
/// Fewer sessions than this say nothing.
const MIN_SESSIONS: usize = 3;

/// One session that was done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ActivitySample {
    /// The day it began.
    pub day: Day,
    /// What was done.
    pub sport: Sport,
    /// What it was for, where it was matched to a planned workout.
    pub kind: Option<WorkoutKind>,
    /// Its load.
    pub load: f64,
    /// How long it took.
    pub duration: TimeSpan,
    /// How far it went, where known.
    pub distance: Option<Distance>,
}

/// What an hour of a session usually brings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TypicalHour {
    /// Median load per hour.
    pub load_per_hour: f64,
    /// Median speed, metres per second, where three sessions have a distance.
    pub speed_mps: Option<f64>,
    /// Sessions it was measured on.
    pub sessions: u32,
}

/// What sessions of an athlete usually bring, by sport and by what they were for.
#[derive(Debug, Clone, PartialEq)]
pub struct TypicalLoads {
    by_kind: BTreeMap<(Sport, Option<WorkoutKind>), TypicalHour>,
    /// Sessions seen of each sport.
    counts: BTreeMap<Sport, u32>,
    /// The mean daily load of the last 28 days.
    pub per_day: MetricResult<f64>,
}

impl TypicalLoads {
    /// Nothing is estimated: only loads written in the plan count.
    pub const EMPTY: Self = Self {
        by_kind: BTreeMap::new(),
        counts: BTreeMap::new(),
        per_day: Err(MissingReason::TooFew { have: 0, needed: DAILY_MEAN_DAYS, what: CountUnit::Days }),
    };

    /// Measures the 90 days up to the last complete one. `first` is the first day of data.
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

    /// What an hour of a sport brings: of the same kind of workout where three were done, else of the sport.
    ///
    /// # Errors
    /// With fewer than three sessions of the sport in the 90 days.
    pub fn for_workout(&self, sport: Sport, kind: WorkoutKind) -> MetricResult<&TypicalHour> {
        let same = self.by_kind.get(&(sport, Some(kind)));
        same.or_else(|| self.by_kind.get(&(sport, None))).ok_or_else(|| MissingReason::TooFew {
            have: self.counts.get(&sport).copied().unwrap_or(0),
            needed: to_u32(MIN_SESSIONS),
            what: CountUnit::Sessions,
        })
    }
}

/// Medians, so that one race or one broken recording does not set the rate. Three runs of 40, 50 and 90 load points in
/// an hour each: 50 an hour.
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
