//! Data frontier: the day through which data is complete. Later days are never graded.
//!
//! It is built from the coverage that each import and sync recorded. It is neither the current date
//! nor the newest day with an activity: the latter never covers skipped days and would grade a day
//! that is not over.

use crate::domain::calendar::{Day, Instant};
use chrono::TimeDelta;
use chrono_tz::Tz;
use serde::Serialize;

/// A live source is taken to be complete this long after the end of a day.
const SETTLING_TIME: TimeDelta = TimeDelta::hours(48);

/// Evidence from an import or sync about complete days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoverageEvidence {
    /// A sync. The poll itself proves little; data recorded by the device does.
    LiveSync {
        polled_at: Instant,
        /// Newest record of the device itself (activity, steps, heart rate, sleep), not a
        /// placeholder.
        newest_record: Option<Instant>,
    },
    /// An account export, made on its last day, which may be incomplete.
    AccountExport { last_summary: Day, imported_at: Instant },
    /// An activity from a file covers only its own day.
    Activity {
        /// Local day of its start.
        day: Day,
        imported_at: Instant,
    },
    /// The athlete declares a day complete.
    Declared { day: Day, declared_at: Instant },
}

impl CoverageEvidence {
    /// Caps the time of the evidence at `now`.
    #[must_use]
    pub fn capped_at(mut self, now: Instant) -> Self {
        let at = match &mut self {
            Self::LiveSync { polled_at, .. } => polled_at,
            Self::AccountExport { imported_at, .. } | Self::Activity { imported_at, .. } => imported_at,
            Self::Declared { declared_at: said_at, .. } => said_at,
        };
        *at = (*at).min(now);
        self
    }
}

/// ImportCoverage of one import or sync: all data through `complete`, and part of the data of `open`,
/// which is always the day after. A record on an unfinished day proves that the day before had
/// ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct ImportCoverage {
    complete: Option<Day>,
    open: Option<Day>,
}

impl ImportCoverage {
    #[must_use]
    pub fn new(complete: Option<Day>, open: Option<Day>) -> Self {
        let complete = complete.max(open.map(Day::previous));
        Self { complete, open: open.filter(|open| Some(*open) > complete) }
    }

    /// The last complete day.
    #[must_use]
    pub const fn complete_through(self) -> Option<Day> {
        self.complete
    }

    /// The day after it, if some of its data has arrived.
    #[must_use]
    pub const fn open_day(self) -> Option<Day> {
        self.open
    }

    /// Coverage proved by evidence, in the athlete's time zone.
    ///
    /// Only the athlete can complete a day that has not ended. Nothing covers days after the
    /// import, so a file dated in the future has no effect.
    #[must_use]
    pub fn from_evidence(evidence: CoverageEvidence, zone: Tz) -> Self {
        match evidence {
            CoverageEvidence::LiveSync { polled_at, newest_record } => {
                let newest = newest_record.filter(|at| *at <= polled_at).map(|at| Day::at(at, zone));
                let settled = Day::at(polled_at - SETTLING_TIME, zone).previous();
                Self::new(Some(settled), newest)
            }
            CoverageEvidence::AccountExport { last_summary, imported_at } => {
                let today = Day::at(imported_at, zone);
                Self::new(None, Some(last_summary.min(today)))
            }
            CoverageEvidence::Activity { day, imported_at } => {
                let today = Day::at(imported_at, zone);
                let ended = day.end(zone) <= imported_at;
                Self::new(ended.then_some(day), (!ended && day <= today).then_some(day))
            }
            CoverageEvidence::Declared { day, declared_at: said_at } => {
                Self::new(Some(day.min(Day::at(said_at, zone))), None)
            }
        }
    }

    /// Combined coverage of two runs.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self::new(self.complete.max(other.complete), self.open.max(other.open))
    }
}

/// The data frontier over all of an athlete's sources.
///
/// ```
/// use fitness_core::adherence::data_frontier::{
///     ImportCoverage, CoverageEvidence, DataFrontier, DayCoverage,
/// };
///
/// // This morning's sync brought last night's sleep: yesterday is complete, today has begun.
/// let evidence = CoverageEvidence::LiveSync {
///     polled_at: "2026-06-14T07:12:00Z".parse().unwrap(),
///     newest_record: Some("2026-06-14T05:40:00Z".parse().unwrap()),
/// };
/// let frontier = DataFrontier::from_runs([ImportCoverage::from_evidence(evidence, chrono_tz::Tz::UTC)]);
/// assert_eq!(frontier.day_coverage("2026-06-13".parse().unwrap()), DayCoverage::Complete);
/// assert_eq!(frontier.day_coverage("2026-06-14".parse().unwrap()), DayCoverage::Open);
/// assert_eq!(frontier.day_coverage("2026-06-15".parse().unwrap()), DayCoverage::Beyond);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct DataFrontier(ImportCoverage);

/// Coverage of one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DayCoverage {
    Complete,
    Open,
    Beyond,
}

impl DataFrontier {
    /// No data was ever imported.
    pub const NONE: Self = Self(ImportCoverage { complete: None, open: None });

    /// Combines the coverage of all runs.
    #[must_use]
    pub fn from_runs(runs: impl IntoIterator<Item = ImportCoverage>) -> Self {
        Self(runs.into_iter().fold(ImportCoverage::default(), ImportCoverage::union))
    }

    /// The last complete day.
    #[must_use]
    pub const fn complete_through(self) -> Option<Day> {
        self.0.complete
    }

    /// The day after it, if some of its data has arrived.
    #[must_use]
    pub const fn open_day(self) -> Option<Day> {
        self.0.open
    }

    #[must_use]
    pub fn day_coverage(self, day: Day) -> DayCoverage {
        if self.0.complete.is_some_and(|complete| day <= complete) {
            DayCoverage::Complete
        } else if self.0.open == Some(day) {
            DayCoverage::Open
        } else {
            DayCoverage::Beyond
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn day(text: &str) -> Day {
        text.parse().unwrap()
    }

    fn at(text: &str) -> Instant {
        text.parse().unwrap()
    }

    /// `(complete, open)` as text, with a dash for nothing.
    fn coverage_as_text(evidence: CoverageEvidence, zone: Tz) -> (String, String) {
        let shown = |day: Option<Day>| day.map_or_else(|| "-".to_owned(), |d| d.to_string());
        let coverage = ImportCoverage::from_evidence(evidence, zone);
        (shown(coverage.complete), shown(coverage.open))
    }

    #[track_caller]
    fn check(evidence: CoverageEvidence, zone: Tz, complete: &str, open: &str) {
        assert_eq!(coverage_as_text(evidence, zone), (complete.to_owned(), open.to_owned()), "{evidence:?}");
    }

    #[test]
    fn a_live_sync_completes_a_day_only_with_something_recorded_after_it() {
        let sync = |polled: &str, record: Option<&str>| CoverageEvidence::LiveSync {
            polled_at: at(polled),
            newest_record: record.map(at),
        };
        // A poll alone proves only what ended 48 hours ago.
        check(sync("2026-06-15T07:00:00Z", None), Tz::UTC, "2026-06-12", "-");
        check(sync("2026-06-15T00:00:00Z", None), Tz::UTC, "2026-06-12", "-");
        check(sync("2026-06-14T23:59:59Z", None), Tz::UTC, "2026-06-11", "-");
        // This morning's sleep completes yesterday and opens today.
        check(
            sync("2026-06-15T07:00:00Z", Some("2026-06-15T05:30:00Z")),
            Tz::UTC,
            "2026-06-14",
            "2026-06-15",
        );
        // Last night's steps do not complete yesterday: it had not ended when they were taken.
        check(
            sync("2026-06-15T07:00:00Z", Some("2026-06-14T22:30:00Z")),
            Tz::UTC,
            "2026-06-13",
            "2026-06-14",
        );
        // The first moment of a day is after the day before it.
        check(
            sync("2026-06-15T07:00:00Z", Some("2026-06-15T00:00:00Z")),
            Tz::UTC,
            "2026-06-14",
            "2026-06-15",
        );
        // The athlete's midnight counts, not the server's.
        check(
            sync("2026-06-15T07:00:00Z", Some("2026-06-15T03:00:00Z")),
            Tz::America__New_York,
            "2026-06-13",
            "2026-06-14",
        );
        // A record from the future is no record.
        check(sync("2026-06-15T07:00:00Z", Some("2031-01-01T00:00:00Z")), Tz::UTC, "2026-06-12", "-");
    }

    #[test]
    fn an_export_completes_the_days_before_its_last_summary() {
        let export = |last: &str| CoverageEvidence::AccountExport {
            last_summary: day(last),
            imported_at: at("2026-06-15T12:00:00Z"),
        };
        check(export("2026-06-10"), Tz::UTC, "2026-06-09", "2026-06-10");
        check(export("2026-06-15"), Tz::UTC, "2026-06-14", "2026-06-15");
        check(export("2031-01-01"), Tz::UTC, "2026-06-14", "2026-06-15");
    }

    #[test]
    fn an_activity_covers_its_own_day() {
        let activity =
            |on: &str| CoverageEvidence::Activity { day: day(on), imported_at: at("2026-06-15T12:00:00Z") };
        check(activity("2026-06-14"), Tz::UTC, "2026-06-14", "-");
        // Recorded after the 14th ended, so the 14th is complete, as with a live sync.
        check(activity("2026-06-15"), Tz::UTC, "2026-06-14", "2026-06-15");
        check(activity("2026-06-16"), Tz::UTC, "-", "-");
        check(activity("2100-01-01"), Tz::UTC, "-", "-");
        // In Los Angeles it is still the 14th at 03:00 UTC on the 15th.
        let late =
            CoverageEvidence::Activity { day: day("2026-06-14"), imported_at: at("2026-06-15T03:00:00Z") };
        check(late, Tz::America__Los_Angeles, "2026-06-13", "2026-06-14");
    }

    #[test]
    fn the_athlete_may_call_a_day_complete_but_not_tomorrow() {
        let said =
            |on: &str| CoverageEvidence::Declared { day: day(on), declared_at: at("2026-06-15T20:00:00Z") };
        check(said("2026-06-15"), Tz::UTC, "2026-06-15", "-");
        check(said("2026-06-16"), Tz::UTC, "2026-06-15", "-");
    }

    #[test]
    fn runs_add_up_and_an_open_day_closes_when_passed() {
        let runs = [
            ImportCoverage::new(Some(day("2026-06-13")), Some(day("2026-06-14"))),
            ImportCoverage::new(Some(day("2026-06-10")), None),
        ];
        let frontier = DataFrontier::from_runs(runs);
        assert_eq!(
            (frontier.complete_through(), frontier.open_day()),
            (Some(day("2026-06-13")), Some(day("2026-06-14")))
        );
        assert_eq!(frontier.day_coverage(day("2026-06-13")), DayCoverage::Complete);
        assert_eq!(frontier.day_coverage(day("2026-06-14")), DayCoverage::Open);
        assert_eq!(frontier.day_coverage(day("2026-06-15")), DayCoverage::Beyond);
        let later = DataFrontier::from_runs([frontier.0, ImportCoverage::new(Some(day("2026-06-14")), None)]);
        assert_eq!(later.open_day(), None);
        assert_eq!(DataFrontier::NONE.day_coverage(day("1999-01-01")), DayCoverage::Beyond);
    }

    proptest! {
        #[test]
        fn nothing_reaches_past_the_day_of_the_import(
            now in 0_i64..4_000_000_000, offset in -400_i64..400,
            zone in prop::sample::select(chrono_tz::TZ_VARIANTS.to_vec()), which in 0..4
        ) {
            let now = chrono::DateTime::from_timestamp(now, 0).unwrap();
            let today = Day::at(now, zone);
            let about = today.plus_days(offset);
            let evidence = match which {
                0 => CoverageEvidence::LiveSync { polled_at: now, newest_record: Some(now + TimeDelta::days(offset)) },
                1 => CoverageEvidence::AccountExport { last_summary: about, imported_at: now },
                2 => CoverageEvidence::Activity { day: about, imported_at: now },
                _ => CoverageEvidence::Declared { day: about, declared_at: now },
            };
            let coverage = ImportCoverage::from_evidence(evidence, zone);
            prop_assert!(coverage.complete.is_none_or(|d| d <= today));
            prop_assert!(coverage.open.is_none_or(|d| d <= today));
            if which != 3 {
                // Only the athlete completes a day that has not ended.
                prop_assert!(coverage.complete.is_none_or(|d| d.end(zone) <= now), "{coverage:?} at {now} in {zone}");
            }
        }

        #[test]
        fn the_order_of_runs_does_not_matter(days in prop::collection::vec((0_i64..50, 0_i64..50), 0..8)) {
            let base = day("2026-06-01");
            let runs: Vec<ImportCoverage> = days
                .iter()
                .map(|(complete, open)| ImportCoverage::new(Some(base.plus_days(*complete)), Some(base.plus_days(*open))))
                .collect();
            let forward = DataFrontier::from_runs(runs.iter().copied());
            prop_assert_eq!(forward, DataFrontier::from_runs(runs.iter().rev().copied()));
            for run in runs {
                prop_assert!(run.complete <= forward.complete_through());
            }
        }
    }
}
