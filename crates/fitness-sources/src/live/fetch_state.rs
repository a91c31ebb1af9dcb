//! State of one fetch, shared by all sources: passes items to the listener and records missing
//! datasets.

use super::error::{DatasetError, DatasetInterruption, FetchError};
use super::{DayRange, FetchListener, FetchOutcome, FetchedItem, MissingDataset};
use chrono_tz::Tz;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::source_record::{DayRecord, ImportedRecord, SourceKind};
use fitness_core::domain::wellness::DailyWellness;

/// After this many datasets in a row without a response, the rest is skipped.
const MAX_UNANSWERED: usize = 2;

/// Daily values from one dataset.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DayValues {
    pub(crate) wellness: DailyWellness,
    /// When the device recorded the newest value, if known.
    pub(crate) recorded_at: Option<Instant>,
    pub(crate) raw: String,
}

pub(crate) struct FetchContext<'a, L> {
    listener: &'a mut L,
    kind: SourceKind,
    zone: Tz,
    pub(crate) days: DayRange,
    pub(crate) polled_at: Instant,
    pub(crate) activities_complete: bool,
    newest: Option<Instant>,
    missing: Vec<MissingDataset>,
    has_answer: bool,
    unanswered_in_a_row: usize,
    stopped: bool,
}

impl<'a, L: FetchListener> FetchContext<'a, L> {
    /// Days in the athlete's future are not requested.
    pub(crate) fn start(
        kind: SourceKind,
        zone: Tz,
        span: DayRange,
        polled_at: Instant,
        listener: &'a mut L,
    ) -> Self {
        let days = DayRange { through: span.through.min(Day::at(polled_at, zone)), ..span };
        Self {
            listener,
            kind,
            zone,
            days,
            polled_at,
            activities_complete: false,
            newest: None,
            missing: Vec::new(),
            has_answer: false,
            unanswered_in_a_row: 0,
            stopped: false,
        }
    }

    pub(crate) fn wants_file(&self, activity: &fitness_core::domain::source_record::RecordKey) -> bool {
        self.listener.wants_file(activity)
    }

    pub(crate) fn progress(&mut self, dataset: &'static str, done: usize, of: Option<usize>) {
        self.listener.progress(dataset, done, of);
    }

    /// Passes an item to the listener. `recorded_at` is when a device recorded it, if one did.
    pub(crate) async fn emit(
        &mut self,
        heard: FetchedItem,
        recorded_at: Option<Instant>,
    ) -> Result<(), DatasetInterruption> {
        self.has_answer = true;
        let flow = self.listener.receive(heard).await;
        // A time after the request means a wrong clock, and proves nothing about coverage.
        self.newest = self.newest.max(recorded_at.filter(|at| *at <= self.polled_at));
        if flow.is_break() { Err(DatasetInterruption::Stopped) } else { Ok(()) }
    }

    /// Passes on a day, unless it is an empty placeholder or outside the requested range.
    pub(crate) async fn emit_day(
        &mut self,
        part: &'static str,
        entry: DayValues,
    ) -> Result<(), DatasetInterruption> {
        let day = entry.wellness.day;
        let placeholder = entry.wellness == DailyWellness::empty(day) && entry.recorded_at.is_none();
        if placeholder || !self.days.contains(day) {
            return Ok(());
        }
        let over = day.end(self.zone) <= self.polled_at;
        let report = DayRecord {
            kind: self.kind,
            dataset: part.to_owned(),
            wellness: entry.wellness,
            as_of: (!over).then_some(self.polled_at),
            readings: None,
            raw: Some(entry.raw),
        };
        self.emit(FetchedItem::Record(ImportedRecord::Day(Box::new(report))), entry.recorded_at).await
    }

    /// Why the next dataset should not be requested, if so.
    pub(crate) fn reason_to_skip(&self) -> Option<DatasetError> {
        if self.stopped {
            Some(DatasetError::Stopped)
        } else if self.unanswered_in_a_row >= MAX_UNANSWERED {
            Some(DatasetError::NotRequested)
        } else {
            None
        }
    }

    pub(crate) fn record_outcome(
        &mut self,
        dataset: &'static str,
        went: Result<(), DatasetInterruption>,
    ) -> Result<(), FetchError> {
        match went {
            Ok(()) => {
                self.has_answer = true;
                self.unanswered_in_a_row = 0;
            }
            Err(DatasetInterruption::Dataset(problem)) => self.add_missing(dataset, problem),
            Err(DatasetInterruption::Stopped) => {
                self.stopped = true;
                self.add_missing(dataset, DatasetError::Stopped);
            }
            Err(DatasetInterruption::Fetch(fault)) => return Err(fault),
        }
        Ok(())
    }

    pub(crate) fn add_missing(&mut self, dataset: &'static str, problem: DatasetError) {
        self.unanswered_in_a_row = match &problem {
            DatasetError::NotRequested | DatasetError::Stopped => self.unanswered_in_a_row,
            problem if problem.is_transient() => self.unanswered_in_a_row + 1,
            _ => 0,
        };
        self.missing.push(MissingDataset { dataset, reason: problem });
    }

    /// # Errors
    /// If no dataset could be read, which must not look like a fetch without news.
    pub(crate) fn finish(self) -> Result<FetchOutcome, FetchError> {
        if !self.has_answer
            && let Some(MissingDataset { dataset, reason }) = self.missing.first().cloned()
        {
            return Err(FetchError::Failed { dataset, problem: reason });
        }
        Ok(FetchOutcome {
            polled_at: self.polled_at,
            newest_record: self.newest,
            activities_complete: self.activities_complete,
            missing: self.missing,
        })
    }
}
