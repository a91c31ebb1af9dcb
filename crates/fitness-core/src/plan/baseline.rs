//! Training baseline: usual week, longest run and level, from recorded runs.
//!
//! Nothing is guessed. With fewer than 28 days of history the athlete must state their level, and a
//! self-reported base or longest run is used instead of data. If runs are recorded, a self-reported
//! value can lower the recorded one but never raise it.

use super::Week;
use super::training_norms::{self, PAIN_FREE_DAYS};
use crate::domain::calendar::Day;
use crate::domain::observation::{AbsenceReason, ObservationData};
use crate::domain::units::{Distance, Pace, TimeSpan};
use crate::metrics::predict::{Prediction, TrainingPaces};
use crate::metrics::recovery::baseline::median;
use crate::metrics::{CountUnit, MetricResult, MissingReason};
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};

string_enum! {
    /// Experience level by weekly running.
    pub enum Level("level") {
        Novice = "novice",
        /// From 30 km a week, or from 20 with a result of VDOT 42 or an age grade of 55 %.
        Intermediate = "inter",
        /// From 65 km a week, or from 45 with a result of VDOT 54 or an age grade of 68 %.
        Advanced = "adv",
    }
}

impl Level {
    /// Level for a weekly distance.
    #[must_use]
    pub fn from_weekly_distance(base: Distance) -> Self {
        match base.km() {
            ..30.0 => Self::Novice,
            ..65.0 => Self::Intermediate,
            _ => Self::Advanced,
        }
    }

    /// Level for a weekly distance and a result: a fast runner needs fewer kilometres. Age grade in
    /// percent.
    #[must_use]
    pub fn from_evidence(base: Distance, vdot: Option<f64>, age_grade: Option<f64>) -> Self {
        let result = |least_vdot: f64, least_grade: f64| {
            vdot.is_some_and(|vdot| vdot >= least_vdot) || age_grade.is_some_and(|grade| grade >= least_grade)
        };
        match Self::from_weekly_distance(base) {
            Self::Intermediate if base.km() >= 45.0 && result(54.0, 68.0) => Self::Advanced,
            Self::Novice if base.km() >= 20.0 && result(42.0, 55.0) => Self::Intermediate,
            by_distance => by_distance,
        }
    }

    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Novice => "novice",
            Self::Intermediate => "intermediate",
            Self::Advanced => "advanced",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PastRun {
    pub day: Day,
    #[serde(rename = "distance_mm")]
    pub distance: Distance,
    #[serde(rename = "duration_ms")]
    pub duration: Option<TimeSpan>,
    /// Whether it was hard: a race, or a good part at or above threshold.
    pub hard: bool,
}

/// Values stated by the athlete, where the data does not say more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfReportedTraining {
    #[serde(default)]
    pub level: Option<Level>,
    #[serde(rename = "base_mm", default)]
    pub base: Option<Distance>,
    /// The longest run of the last 30 days.
    #[serde(rename = "longest_mm", default)]
    pub longest: Option<Distance>,
}

/// Training paces and the result they come from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DatedPaces {
    pub paces: TrainingPaces,
    pub result_on: Day,
}

/// An absence: days without training, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct UnavailablePeriod {
    pub why: AbsenceReason,
    pub from: Day,
    pub through: Day,
    /// Severity 1 to 3, if given.
    pub severity: Option<u8>,
}

impl UnavailablePeriod {
    /// The absence in an observation; `None` if it only rates a day.
    #[must_use]
    pub fn from_observation(observed: &ObservationData) -> Option<Self> {
        let (from, through) = (observed.from(), observed.through());
        Some(Self { why: observed.kind().absence_reason()?, from, through, severity: observed.value() })
    }

    #[must_use]
    pub fn days(&self) -> i64 {
        self.from.days_until(self.through) + 1
    }

    #[must_use]
    pub fn contains(&self, day: Day) -> bool {
        (self.from..=self.through).contains(&day)
    }
}

/// The athlete's training as input for plans.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingBaseline {
    /// Last complete day of data.
    pub as_of: Day,
    /// Today. Nothing is known about the days between `as_of` and today.
    pub today: Day,
    /// First day with data, if any.
    pub first_day: Option<Day>,
    /// Runs of the last 400 days up to `as_of`, by day.
    pub runs: Vec<PastRun>,
    /// Day of the first recorded run.
    pub first_run: Option<Day>,
    pub self_reported: SelfReportedTraining,
    /// Years of age, where known.
    pub age: Option<u32>,
    /// Whether the athlete is marked as injured, or was in the last two weeks.
    pub injured: bool,
    /// Absences that end less than two weeks before `as_of`, or later.
    pub unavailable_periods: Vec<UnavailablePeriod>,
    /// Predicted finish for the race distance, if raced today.
    pub prediction: MetricResult<Prediction>,
    /// Training paces of a result of the last year, or of the one that a plan began with. Only
    /// [`current_paces`](Self::current_paces) set new targets.
    pub paces: Option<DatedPaces>,
    /// VDOT of that result.
    pub vdot: Option<f64>,
    /// Age grade of that result, percent.
    pub age_grade: Option<f64>,
    /// Upper end of easy heart rate, bpm.
    pub easy_heart_rate: Option<u16>,
    /// Fitness (the 42-day average load) on `as_of`.
    pub fitness: Option<f64>,
    /// Typical load of an hour of running.
    pub load_per_hour: Option<f64>,
}

/// Minimum days of data for a level.
const MIN_HISTORY_DAYS: i64 = 28;
/// Days for which a run counts towards the easy pace.
pub(super) const EASY_PACE_WINDOW_DAYS: i64 = 90;
/// Days without data after which they count as a break, unless the athlete states a base.
pub(super) const DATA_GAP_DAYS: i64 = 14;

impl TrainingBaseline {
    /// An athlete without data.
    #[must_use]
    pub fn unknown(as_of: Day) -> Self {
        Self {
            as_of,
            today: as_of.next(),
            first_day: None,
            runs: Vec::new(),
            first_run: None,
            self_reported: SelfReportedTraining { level: None, base: None, longest: None },
            age: None,
            injured: false,
            unavailable_periods: Vec::new(),
            prediction: Err(MissingReason::NotYet),
            paces: None,
            vdot: None,
            age_grade: None,
            easy_heart_rate: None,
            fitness: None,
            load_per_hour: None,
        }
    }

    /// Whether a day is in an injury or the two weeks after it; `None` without marked injuries.
    #[must_use]
    pub fn is_injured_on(&self, day: Day) -> Option<bool> {
        let mut injuries =
            self.unavailable_periods.iter().filter(|mark| mark.why == AbsenceReason::Injured).peekable();
        injuries.peek()?;
        Some(injuries.any(|mark| (mark.from..=mark.through.plus_days(PAIN_FREE_DAYS)).contains(&day)))
    }

    /// Number of days with data.
    #[must_use]
    pub fn history_days(&self) -> i64 {
        self.first_day.map_or(0, |first| (first.days_until(self.as_of) + 1).max(0))
    }

    /// Distance of a week; `None` if it is not covered by data.
    #[must_use]
    pub fn week(&self, week: Week) -> Option<Distance> {
        let known = self.first_day.is_some_and(|first| first <= week.first) && week.last() <= self.as_of;
        known.then(|| self.distance_between(week.first, week.last()))
    }

    /// Distance from a day through another.
    #[must_use]
    pub fn distance_between(&self, from: Day, through: Day) -> Distance {
        self.runs_between(from, through).map(|run| run.distance).sum()
    }

    fn runs_between(&self, from: Day, through: Day) -> impl Iterator<Item = &PastRun> {
        self.runs.iter().filter(move |run| (from..=through).contains(&run.day))
    }

    /// The last full weeks, newest first, as far as the data goes back.
    fn recent_weeks(&self, count: i64) -> Vec<Distance> {
        let last = Week::ending(self.as_of);
        (0..count).map_while(|back| self.week(last.plus(-back))).collect()
    }

    /// Whether there are four weeks of data and at least one run; then self-reported values are
    /// limited by it.
    #[must_use]
    pub fn has_recorded_base(&self) -> bool {
        self.history_days() >= MIN_HISTORY_DAYS && (self.first_run.is_some() || !self.runs.is_empty())
    }

    /// The usual week: the recorded one, or less if the athlete says so; without enough data, what
    /// they say.
    ///
    /// # Errors
    /// With fewer than 28 days of data and no self-reported value.
    pub fn base(&self) -> MetricResult<Distance> {
        self.cap_by_recorded(self.self_reported.base, self.recorded_base())
    }

    /// Median of the last four weeks, or of the last eight if fewer than three of the four had a
    /// run.
    pub fn recorded_base(&self) -> MetricResult<Distance> {
        let four = self.recent_weeks(4);
        if four.len() < 4 {
            return Err(self.history_too_short());
        }
        let running = four.iter().filter(|week| **week > Distance::ZERO).count();
        let weeks = if running < 3 { self.recent_weeks(8) } else { four };
        let km: Vec<f64> = weeks.iter().map(|week| week.km()).collect();
        median(&km).and_then(Distance::from_km).ok_or_else(|| self.history_too_short())
    }

    /// The longest run of the last 30 days: the recorded one, or less if the athlete says so;
    /// without enough data, what they say.
    ///
    /// # Errors
    /// With fewer than 28 days of data and no self-reported value.
    pub fn longest_run(&self) -> MetricResult<Distance> {
        self.cap_by_recorded(self.self_reported.longest, self.recorded_longest_run())
    }

    /// The longest recorded run of the last 30 days; zero without one.
    pub fn recorded_longest_run(&self) -> MetricResult<Distance> {
        if self.history_days() < MIN_HISTORY_DAYS {
            return Err(self.history_too_short());
        }
        Ok(self.longest_run_between(self.as_of.plus_days(-29), self.as_of).unwrap_or(Distance::ZERO))
    }

    /// The lower of the stated and recorded values, if there are recorded ones.
    fn cap_by_recorded(
        &self,
        said: Option<Distance>,
        recorded: MetricResult<Distance>,
    ) -> MetricResult<Distance> {
        match (said, recorded) {
            (Some(said), Ok(recorded)) if self.has_recorded_base() => Ok(said.min(recorded)),
            (Some(said), _) => Ok(said),
            (None, recorded) => recorded,
        }
    }

    /// The longest run from a day through another; `None` without a run.
    #[must_use]
    pub fn longest_run_between(&self, from: Day, through: Day) -> Option<Distance> {
        self.runs_between(from, through).map(|run| run.distance).max()
    }

    /// The level by weekly distance and results; the athlete can state one up to what their records
    /// show. A break of less than four weeks does not lower it.
    ///
    /// # Errors
    /// With fewer than 28 days of data and no stated level.
    pub fn level(&self) -> MetricResult<Level> {
        let by_distance = |base: Distance| Level::from_evidence(base, self.vdot, self.age_grade);
        let before_break = self.base_before_pause(training_norms::RESTART_AFTER_DAYS - 1);
        let recorded = self.recorded_base().map(|base| before_break.map_or(base, |old| old.max(base)));
        match (self.self_reported.level, recorded) {
            (Some(stated), Ok(base)) if self.has_recorded_base() => Ok(stated.min(by_distance(base))),
            (Some(stated), _) => Ok(stated),
            (None, recorded) => self.cap_by_recorded(self.self_reported.base, recorded).map(by_distance),
        }
    }

    /// The best mean of four consecutive weeks in the last twelve months.
    #[must_use]
    pub fn best_four_weeks(&self) -> Option<Distance> {
        let weeks = self.recent_weeks(52);
        let best = weeks.windows(4).map(|four| four.iter().map(|week| week.km()).sum::<f64>() / 4.0);
        best.fold(None, |best: Option<f64>, mean| Some(best.map_or(mean, |best| best.max(mean))))
            .and_then(Distance::from_km)
    }

    /// Runs per week: the mean of the last four.
    #[must_use]
    pub fn runs_per_week(&self) -> Option<f64> {
        (self.history_days() >= MIN_HISTORY_DAYS)
            .then(|| self.runs_between(self.as_of.plus_days(-27), self.as_of).count() as f64 / 4.0)
    }

    /// Whether any run since a day was hard.
    #[must_use]
    pub fn has_hard_run_since(&self, day: Day) -> bool {
        self.runs_between(day, self.as_of).any(|run| run.hard)
    }

    /// Whether any run of the last four weeks was hard.
    #[must_use]
    pub fn has_recent_hard_run(&self) -> bool {
        self.runs_between(self.as_of.plus_days(-27), self.as_of).any(|run| run.hard)
    }

    /// Days without a run up to `as_of`; `None` if there is no run.
    #[must_use]
    pub fn days_since_run(&self) -> Option<i64> {
        self.runs.last().map(|run| run.day.days_until(self.as_of))
    }

    /// Days between the last complete day of data and today.
    #[must_use]
    pub fn days_without_data(&self) -> i64 {
        (self.as_of.days_until(self.today) - 1).max(0)
    }

    /// Whether the data ended two weeks ago or more and the athlete stated no base.
    #[must_use]
    pub fn has_data_gap(&self) -> bool {
        self.self_reported.base.is_none()
            && self.has_recorded_base()
            && self.days_without_data() >= DATA_GAP_DAYS
    }

    /// The prediction, if it still applies: not after a data gap, and not after four weeks without
    /// a run.
    #[must_use]
    pub fn current_prediction(&self) -> Option<&Prediction> {
        let paused = self.self_reported.base.is_none()
            && self.runs.last().is_some_and(|run| {
                run.day.days_until(self.last_completed_day()) >= training_norms::RESTART_AFTER_DAYS
            });
        let old =
            self.has_data_gap() || paused || self.days_without_data() > training_norms::PACES_VALID_DAYS;
        self.prediction.as_ref().ok().filter(|_| !old)
    }

    /// Paces from a result at most 120 days old. A result expires even if no data came after it.
    #[must_use]
    pub fn current_paces(&self) -> Option<DatedPaces> {
        let last = self.last_completed_day();
        self.paces.filter(|dated| dated.result_on.days_until(last) <= training_norms::PACES_VALID_DAYS)
    }

    /// The baseline as if the athlete has not run since the data ended.
    #[must_use]
    pub fn as_if_paused(&self) -> Self {
        Self { as_of: self.last_completed_day(), ..self.clone() }
    }

    /// The last past day: the later of `as_of` and yesterday.
    #[must_use]
    pub fn last_completed_day(&self) -> Day {
        self.as_of.max(self.today.previous())
    }

    /// The base on the day of the last run, if that is at most this many days ago.
    #[must_use]
    pub fn base_before_pause(&self, days: i64) -> Option<Distance> {
        let last = self.runs.last()?.day;
        let then = Self { as_of: last, self_reported: SelfReportedTraining::default(), ..self.clone() };
        then.recorded_base().ok().filter(|_| last.days_until(self.as_of) <= days)
    }

    /// Easy pace: the median of runs that were not hard, over 90 days. After a data gap these are
    /// the last 90 days, so that generator and linter use the same pace, or none.
    #[must_use]
    pub fn easy_pace(&self) -> Option<Pace> {
        let last = if self.has_data_gap() { self.last_completed_day() } else { self.as_of };
        let paces: Vec<f64> = self
            .runs_between(last.plus_days(1 - EASY_PACE_WINDOW_DAYS), last)
            .filter(|run| !run.hard && run.distance.km() >= 1.0)
            .filter_map(|run| Some(run.duration?.seconds() / run.distance.km()))
            .filter(|pace| (150.0..=1200.0).contains(pace))
            .collect();
        median(&paces).and_then(Pace::from_seconds_per_km)
    }

    fn history_too_short(&self) -> MissingReason {
        MissingReason::TooFew {
            have: u32::try_from(self.history_days()).unwrap_or(0),
            needed: 28,
            what: CountUnit::Days,
        }
    }
}

#[cfg(test)]
mod tests;
